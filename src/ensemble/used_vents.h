// SPDX-License-Identifier: Apache-2.0
// Where members erupt, also where a plan has no list of vents: for maps, and in which zones of eruption rates.
#ifndef SCIARA_ENSEMBLE_USED_VENTS_H
#define SCIARA_ENSEMBLE_USED_VENTS_H

#include "ensemble/ensemble.h"
#include "ensemble/sample.h"
#include "scenario/vent_facts.h"

struct sciara_used_vent {
  const char *name;
  const struct sciara_point *points; ///< one, or the vertices of a fissure, in the CRS of the grid
  size_t count;
  double weight; ///< of the members that count, as a part of the largest: above 0 to 1
};

/** Members by the vents in their scenarios. Zero-initialise; release with sciara_vent_groups_free. */
struct sciara_vent_groups {
  struct sciara_vent_marks *marks; ///< of each group; none if its members are no valid scenarios any more
  size_t count;
  size_t *begin;  ///< count + 1: group g has the members member[begin[g]] to member[begin[g + 1] - 1], ascending
  size_t *member; ///< indices in the table
};

/** @param sample only members that count there; NULL: all members of the plan */
enum sciara_status sciara_vent_groups_make(const struct sciara_ensemble *e, const struct sciara_sample *sample,
                                           const struct sciara_grid *grid, const struct sciara_georef *georef,
                                           struct sciara_vent_groups *out);
void sciara_vent_groups_free(struct sciara_vent_groups *g);

/** Zero-initialise; release with sciara_used_vents_free. */
struct sciara_used_vents {
  struct sciara_used_vent *vent; ///< refers to the ensemble, or to groups
  size_t count;
  bool weighted;                    ///< false: all members have the same vents
  struct sciara_vent_groups groups; ///< none if the plan has vents
};

/** The vents of the plan, or else those in the scenarios of the members, that members of the sample have used. */
enum sciara_status sciara_used_vents_make(const struct sciara_ensemble *e, const struct sciara_sample *sample,
                                          const struct sciara_grid *grid, const struct sciara_georef *georef,
                                          struct sciara_used_vents *out);
void sciara_used_vents_free(struct sciara_used_vents *v);

/**
 * Finds which members erupt in which zone of result.eruptions_per_year. A fissure belongs to the zones of its middle. The vents are those of the plan, or else those in the scenarios
 * of the members.
 *
 * @param zone receives, for zone z and each of the first `count` members m, 1 in zone[z * count + m] if m belongs to z; else 0
 * @return SCIARA_ERR_INPUT if a member has no vent, or vents in different zones. The message does not name the file
 */
enum sciara_status sciara_rate_zones_find(const struct sciara_ensemble *e, const struct sciara_grid *grid,
                                          const struct sciara_georef *georef, size_t count, uint8_t *zone);

#endif
