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

enum { SCIARA_POI_TEXTS = 2 }; ///< kind and state

/** Rows of places. Zero-initialise; release with sciara_poi_rows_free. */
struct sciara_poi_rows {
  struct sciara_poi_columns columns;
  const char *(*text)[SCIARA_POI_TEXTS]; ///< of each place
  double *value;                         ///< (places + 1) x columns: the last row is for others
};

enum sciara_status sciara_poi_rows_make(const struct sciara_reduction *r, size_t count, struct sciara_poi_rows *out);
void sciara_poi_rows_free(struct sciara_poi_rows *rows);

/** Sets row `number`, of place `place` of r->pois. */
enum sciara_status sciara_poi_rows_set(const struct sciara_reduction *r, struct sciara_poi_rows *rows, size_t number,
                                       const struct sciara_poi *poi, size_t place);

/**
 * Writes the rows as CSV, and as a GeoPackage of points, lines and zones, coloured by the first probability; NULL: not this one.
 *
 * @param sites they are those of the ensemble: the CSV file also has the places that are left out, and the chance that lava
 *              leaves the map or enters the sea
 */
enum sciara_status sciara_poi_rows_write(const struct sciara_reduction *r, const struct sciara_poi_rows *rows,
                                         const struct sciara_poi *pois, size_t count, bool sites, const char *csv,
                                         const char *gpkg);

#endif
