// SPDX-License-Identifier: Apache-2.0
// What the members do at the places, which are reached when lava reaches any of their cells.
#ifndef SCIARA_ENSEMBLE_POI_HITS_H
#define SCIARA_ENSEMBLE_POI_HITS_H

#include "ensemble/footprints.h"
#include "ensemble/sample.h"
#include "model/poi.h"

/** What a member does at a place. */
struct sciara_poi_hit {
  union { ///< the smallest or largest value of its cells; of those of which the smallest counts INFINITY: never
    struct {
#define SCIARA_FOOTPRINT_VALUE(name, ...) float name;
#include "member/footprint.def"
    };
    float value[SCIARA_FOOTPRINT_VALUES];
  };
  double covered; ///< points, m or m2 in the cells that are reached
};

/** Zero-initialise; release with sciara_poi_hits_free. */
struct sciara_poi_hits {
  size_t pois, members;
  struct sciara_poi_cells *place;
  struct sciara_poi_hit *hit; ///< places x members
};

enum { SCIARA_POI_HITS_MOST_CELLS = 100000000 }; ///< of all places together

/**
 * Finds the cells of the places. One that has none is never reached.
 *
 * @return SCIARA_ERR_INPUT for places of more than SCIARA_POI_HITS_MOST_CELLS cells in all
 */
enum sciara_status sciara_poi_hits_make(const struct sciara_poi *pois, size_t count, const struct sciara_grid *grid,
                                        size_t members, struct sciara_poi_hits *out);

/** SCIARA_ERR_INPUT, with the range of the DEM, if a place has no cell on the grid. @param window of the DEM */
enum sciara_status sciara_poi_check(const struct sciara_poi *poi, const struct sciara_poi_cells *cells,
                                    const struct sciara_grid *grid, const struct sciara_dem_window *window);
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
