// SPDX-License-Identifier: Apache-2.0
// What the members do at the places: points, and zones, which are reached when lava reaches any of their cells.
#ifndef SCIARA_ENSEMBLE_POI_HITS_H
#define SCIARA_ENSEMBLE_POI_HITS_H

#include "ensemble/footprints.h"
#include "ensemble/sample.h"
#include "model/grid.h"

/** The cells of a place, ascending. */
struct sciara_poi_cells {
  int64_t *cell;
  size_t count;
};

/** What a member does at a place. */
struct sciara_poi_hit {
  union { ///< the smallest or largest value of its cells; of those of which the smallest counts INFINITY: never
    struct {
#define SCIARA_FOOTPRINT_VALUE(name, ...) float name;
#include "member/footprint.def"
    };
    float value[SCIARA_FOOTPRINT_VALUES];
  };
  uint32_t cells; ///< reached
};

/** Zero-initialise; release with sciara_poi_hits_free. */
struct sciara_poi_hits {
  size_t pois, members;
  struct sciara_poi_cells *place;
  struct sciara_poi_hit *hit; ///< places x members
};

/**
 * Finds the cells of the places.
 *
 * @return SCIARA_ERR_INPUT for a point outside the grid, or a zone without a cell (whose centre lies in it)
 */
enum sciara_status sciara_poi_hits_make(const struct sciara_poi *pois, size_t count, const struct sciara_grid *grid,
                                        size_t members, struct sciara_poi_hits *out);
void sciara_poi_hits_free(struct sciara_poi_hits *h);

/** A sciara_footprint_visit: takes what a member does at all places; `context` is a struct sciara_poi_hits. */
enum sciara_status sciara_poi_hits_visit(void *context, size_t member, const struct sciara_footprint *f);

static inline const struct sciara_poi_hit *sciara_poi_hit(const struct sciara_poi_hits *h, size_t poi, size_t member) {
  return &h->hit[poi * h->members + member];
}

/** Whether a member has a deposit above deposit_m at a place at any time; 0: any lava. */
bool sciara_poi_is_hit(const struct sciara_poi_hit *h, double deposit_m);

/** Fills `out` with the finished members of weight above 0 that hit a place until a time, s; returns their number. */
size_t sciara_poi_members(const struct sciara_poi_hits *h, const struct sciara_sample *s, size_t poi, double deposit_m,
                          double until_s, uint32_t *out);

#endif
