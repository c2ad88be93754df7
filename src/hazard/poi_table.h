// SPDX-License-Identifier: Apache-2.0
// The results at places as a table: a row for each place, for CSV files and GeoPackages.
#ifndef SCIARA_HAZARD_POI_TABLE_H
#define SCIARA_HAZARD_POI_TABLE_H

#include "hazard/reduction.h"
#include "terrain/poi_file.h"

/** The columns of numbers that an ensemble has. Zero-initialise; release with sciara_poi_columns_free. */
struct sciara_poi_columns {
  struct sciara_text text; ///< the names, which end with 0 bytes
  const char **name;
  size_t count;
};

enum sciara_status sciara_poi_columns_make(const struct sciara_reduction *r, struct sciara_poi_columns *out);
void sciara_poi_columns_free(struct sciara_poi_columns *c);

/**
 * The numbers of a place that has been visited; NAN: none. Where no member can reach it there are no probabilities.
 *
 * @param place its number in r->pois
 * @param value one for each column
 */
enum sciara_status sciara_poi_row(const struct sciara_reduction *r, const struct sciara_poi *poi, size_t place,
                                  double *value);

/** The first probability of such a row: that of the first of result.thickness_m. */
struct sciara_poi_chance {
  double value;     ///< NAN: no member can reach the place, or nothing is asked
  double low, high; ///< 95 % interval; NAN: none
  double most;      ///< the upper bound with members that are open or censored
  size_t hits;      ///< members
  bool reached;     ///< by a member, with any deposit
  bool at_start;    ///< all finished members have lava there at their start
  enum sciara_poi_where where;
};

struct sciara_poi_chance sciara_poi_row_chance(const struct sciara_reduction *r, const double *value);

/** Whether all finished members have lava at a place of r->pois at their start. */
bool sciara_poi_at_start(const struct sciara_reduction *r, size_t place);

/** The same of something that has no place: whether lava leaves the map, or enters the sea. */
enum sciara_status sciara_poi_chance_row(const struct sciara_reduction *r, bool sea, double *value);

/** The same of a place that has no cells: no number of its own. */
void sciara_poi_left_row(const struct sciara_reduction *r, double *value);

/** Appends a row of a CSV file: texts, then numbers, then the condition of all of them. */
enum sciara_status sciara_poi_row_append(const struct sciara_reduction *r, const struct sciara_poi_columns *c,
                                         const char *name, const char *kind, const char *state, const double *value,
                                         struct sciara_text *out);

/** The header of such rows; `name` is the column of names. */
enum sciara_status sciara_poi_header_append(const struct sciara_poi_columns *c, const char *name,
                                            struct sciara_text *out);

enum { SCIARA_POI_TEXTS = 2 }; ///< kind and state

/**
 * The table as a GeoPackage: layers of points, lines and zones, coloured by the first probability.
 *
 * @param text count x SCIARA_POI_TEXTS
 * @param value count x columns
 */
enum sciara_status sciara_poi_gpkg_write(const struct sciara_reduction *r, const struct sciara_poi_columns *c,
                                         const struct sciara_poi *pois, size_t count, const char *const *text,
                                         const double *value, const char *path);

#endif
