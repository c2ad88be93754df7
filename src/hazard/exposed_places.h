// SPDX-License-Identifier: Apache-2.0
// What the members of an ensemble do at the places of a vector file.
#ifndef SCIARA_HAZARD_EXPOSED_PLACES_H
#define SCIARA_HAZARD_EXPOSED_PLACES_H

#include "hazard/poi_table.h"

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
