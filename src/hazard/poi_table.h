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

/** Whether all finished members have lava at a place of r->pois at their start. */
bool sciara_poi_at_start(const struct sciara_reduction *r, size_t place);

// --------------------------------------------------------------------------------------------- places of a vector file

/** An ensemble with places of a file instead of its own. Zero-initialise; release with sciara_exposed_close. */
struct sciara_exposed_places {
  struct sciara_reduction r; ///< of all finished members
  struct sciara_pois pois;
  int threads;
};

/** Opens the ensemble and reads the places, whose request lacks grid and CRS. */
enum sciara_status sciara_exposed_open(const char *folder, const struct sciara_pois_request *request, int threads,
                                       struct sciara_exposed_places *out);
void sciara_exposed_close(struct sciara_exposed_places *e);

/** Takes place `number`, of which the results can be made: it is place `place` of r->pois. */
typedef enum sciara_status sciara_exposed_take(void *context, const struct sciara_reduction *r,
                                               const struct sciara_poi *poi, size_t number, size_t place);

/**
 * Visits the places in the order of the file. As many at a time as there is memory for: footprints are read once for each such
 * block.
 */
enum sciara_status sciara_exposed_visit(struct sciara_exposed_places *e, sciara_exposed_take *take, void *context);

/**
 * Writes the table of the places as CSV and as GeoPackage (NULL: not this one), each as an atomic file.
 *
 * @param chance receives the first probability of each place
 * @param reached receives how many places are reached by a member
 */
enum sciara_status sciara_exposed_write(struct sciara_exposed_places *e, const char *csv, const char *gpkg,
                                        struct sciara_poi_chance *chance, size_t *reached);

#endif
