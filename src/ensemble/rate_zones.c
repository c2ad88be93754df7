// SPDX-License-Identifier: Apache-2.0
#include "ensemble/rate_zones.h"

#include <inttypes.h>

#include "ensemble/used_vents.h"

static bool holds(const struct sciara_ensemble_rate *rate, const struct sciara_point *points, size_t count) {
  return !rate->points ||
         sciara_polygon_contains(rate->points, rate->point_count, sciara_polyline_middle(points, count));
}

/** By the vents of the plan. */
static void find_zones_of_vents(const struct sciara_ensemble *e, const struct sciara_ensemble_rate *rate, size_t count,
                                uint8_t *zone) {
  for (size_t m = 0; m < count; m++) {
    const int64_t vent = e->members.vent[m];
    const bool known = vent >= 0 && (size_t)vent < e->vent_count;
    zone[m] = !rate->points || (known && holds(rate, e->vents[vent].points, e->vents[vent].point_count));
  }
}

/** Whether a zone holds the vents of a scenario: all of them, or none. `id` is that of one of its members. */
static enum sciara_status decide(const struct sciara_ensemble_rate *rate, const struct sciara_vent_marks *vents,
                                 int64_t id, bool *inside) {
  size_t held = 0;
  for (size_t k = 0; k < vents->count; k++) held += holds(rate, vents->mark[k].points, vents->mark[k].count);
  *inside = !rate->points || held > 0;
  if (!rate->points || (vents->count > 0 && (held == 0 || held == vents->count))) return SCIARA_OK;
  if (vents->count == 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "result.eruptions_per_year: expected a vent in each member, by which its zone is known, found "
                       "none in member %" PRId64 "; without \"polygon\" a rate counts for all members",
                       id);
  return sciara_fail(SCIARA_ERR_INPUT,
                     "result.eruptions_per_year: expected zones that hold all vents of a member or none of them, found "
                     "%zu of the %zu vents of member %" PRId64
                     " in zone \"%.60s\"; change its polygon, or leave it out: "
                     "then its rate counts for all members",
                     held, vents->count, id, rate->name ? rate->name : "");
}

/** By the vents of each member. */
static enum sciara_status take_groups(const struct sciara_ensemble *e, const struct sciara_ensemble_rate *rate,
                                      const struct sciara_vent_groups *groups, size_t count, uint8_t *zone) {
  for (size_t g = 0; g < groups->count; g++) {
    const size_t *member = groups->member + groups->begin[g], *end = groups->member + groups->begin[g + 1];
    bool inside;
    SCIARA_TRY(decide(rate, &groups->marks[g], e->members.id[*member], &inside));
    for (; member < end; member++)
      if (*member < count) zone[*member] = inside;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_rate_zones_find(const struct sciara_ensemble *e, const struct sciara_grid *grid,
                                          const struct sciara_georef *georef, size_t count, uint8_t *zone) {
  const struct sciara_ensemble_result *result = &e->result;
  struct sciara_vent_groups groups = {0};
  bool polygons = false;
  enum sciara_status status = SCIARA_OK;
  for (size_t z = 0; z < result->rate_count; z++) polygons |= result->rates[z].points != NULL;
  const bool own = polygons && e->vent_count == 0;
  if (own) SCIARA_TRY(sciara_vent_groups_make(e, NULL, grid, georef, &groups));
  for (size_t z = 0; z < result->rate_count && status == SCIARA_OK; z++)
    if (own)
      status = take_groups(e, &result->rates[z], &groups, count, zone + z * count);
    else
      find_zones_of_vents(e, &result->rates[z], count, zone + z * count);
  sciara_vent_groups_free(&groups);
  return status;
}
