// SPDX-License-Identifier: Apache-2.0
// What the members do at the sites: points, and zones, which are reached when lava reaches any of their cells.
#ifndef SCIARA_ENSEMBLE_SITE_HITS_H
#define SCIARA_ENSEMBLE_SITE_HITS_H

#include "ensemble/footprints.h"
#include "ensemble/sample.h"
#include "model/grid.h"

/** The cells of a site, ascending. */
struct sciara_site_cells {
  int64_t *cell;
  size_t count;
};

/** What a member does at a site. */
struct sciara_site_hit {
  union { ///< the smallest or largest value of its cells; of those of which the smallest counts INFINITY: never
    struct {
#define SCIARA_FOOTPRINT_VALUE(name, ...) float name;
#include "member/footprint.def"
    };
    float value[SCIARA_FOOTPRINT_VALUES];
  };
  uint32_t cells; ///< reached
};

/** Zero-initialise; release with sciara_site_hits_free. */
struct sciara_site_hits {
  size_t sites, members;
  struct sciara_site_cells *place;
  struct sciara_site_hit *hit; ///< sites x members
};

/**
 * Finds the cells of the sites.
 *
 * @return SCIARA_ERR_INPUT for a point outside the grid, or a zone without a cell (whose centre lies in it)
 */
enum sciara_status sciara_site_hits_make(const struct sciara_ensemble_site *sites, size_t count,
                                         const struct sciara_grid *grid, size_t members, struct sciara_site_hits *out);
void sciara_site_hits_free(struct sciara_site_hits *h);

/** A sciara_footprint_visit: takes what a member does at all sites; `context` is a struct sciara_site_hits. */
enum sciara_status sciara_site_hits_visit(void *context, size_t member, const struct sciara_footprint *f);

static inline const struct sciara_site_hit *sciara_site_hit(const struct sciara_site_hits *h, size_t site,
                                                            size_t member) {
  return &h->hit[site * h->members + member];
}

/** Whether a member brings more than a thickness, m, to a site; 0: any lava. */
bool sciara_site_is_hit(const struct sciara_site_hit *h, double thickness_m);

/** Fills `out` with the finished members of weight above 0 that hit a site until a time, s; returns their number. */
size_t sciara_site_members(const struct sciara_site_hits *h, const struct sciara_sample *s, size_t site,
                           double thickness_m, double until_s, uint32_t *out);

#endif
