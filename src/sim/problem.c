// SPDX-License-Identifier: Apache-2.0
#include "sim/problem.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void sciara_problem_free(struct sciara_problem *p) {
  sciara_vents_destroy(p->vents);
  sciara_state_destroy(p->state);
  sciara_site_release(p->site);
  if (p->source) p->release(p->source);
  *p = (struct sciara_problem){0};
}

enum sciara_status sciara_problem_make_rounding(struct sciara_problem *p) {
  const double epsilon = p->engine.single_precision ? (double)FLT_EPSILON : DBL_EPSILON;
  return sciara_rounding_of(p->vents, epsilon, &p->rounding);
}

double sciara_problem_first_clock(const struct sciara_problem *p) {
  const double t = p->params.t_first;
  return p->engine.single_precision ? (double)(float)t : t;
}

// --------------------------------------------------------------------------------------------- changes of the ground

static void report_change(const struct sciara_problem *p, const struct sciara_ground_change *change,
                          const struct sciara_ground_effect *e) {
  const char *time = SCIARA_DURATION(p->state->time);
  if (e->cells == 0) {
    sciara_note(p->notes, SCIARA_LOG_WARNING, "dem.edits[%zu] (%s) changes no cell at simulated time %s",
                change->number, change->name, time);
    return;
  }
  char low[32], high[32];
  snprintf(low, sizeof low, "%.4g", e->low);
  snprintf(high, sizeof high, "%.4g", e->high);
  const bool same = strcmp(low, high) == 0;
  sciara_note(p->notes, SCIARA_LOG_INFO,
              "dem.edits[%zu] (%s): done at simulated time %s, step %" PRIu64 ": %" PRId64
              " cells changed by %s%s%s m, %.6g m3 in all; %" PRId64 " of them with liquid lava, %.6g m3 of rock "
              "replaced",
              change->number, change->name, time, p->state->step, e->cells, low, same ? "" : " to ", same ? "" : high,
              e->volume_m3, e->with_lava, e->rock_m3);
}

enum sciara_status sciara_ground_change(const struct sciara_site **map, const struct sciara_window *w,
                                        enum sciara_boundary boundary, struct sciara_state *state,
                                        struct sciara_ground_effect *effect) {
  const struct sciara_ground_changes *c = (*map)->changes;
  const size_t k = (*map)->changes_done;
  const struct sciara_site *next = NULL, *site = NULL;
  SCIARA_TRY(sciara_site_change(*map, &next));
  enum sciara_status status = SCIARA_OK;
  if (w) status = sciara_window_site(next, w, boundary, &site);
  if (status == SCIARA_OK && state)
    status = sciara_state_change_ground(state, w ? site : next, c, k, w ? w->row : 0, w ? w->col : 0, next->grid.cols,
                                        effect);
  sciara_site_release(site);
  sciara_site_release(status == SCIARA_OK ? *map : next);
  if (status == SCIARA_OK) *map = next;
  return status;
}

/** Does the next change of the ground, in the site and, if there is one, in the state. */
static enum sciara_status change_problem_ground(struct sciara_problem *p) {
  struct sciara_ground_effect effect;
  const size_t k = p->site->changes_done;
  SCIARA_TRY(sciara_ground_change(&p->site, NULL, p->boundary, p->state, &effect));
  if (p->state) report_change(p, &p->site->changes->change[k], &effect);
  return SCIARA_OK;
}

enum sciara_status sciara_problem_match_ground(struct sciara_problem *p, double time, uint64_t ground) {
  const unsigned record = p->state ? sciara_state_record(p->state) : 0;
  const bool has_state = p->state != NULL;
  if (!p->site->changes) return SCIARA_OK;
  sciara_state_destroy(p->state);
  p->state = NULL;
  while (sciara_site_next_change(p->site) <= time && sciara_site_checksum(p->site) != ground)
    SCIARA_TRY(change_problem_ground(p));
  return has_state ? sciara_state_create_on(p->site, record, &p->state) : SCIARA_OK;
}

enum sciara_status sciara_problem_change_due(struct sciara_problem *p) {
  while (sciara_site_next_change(p->site) <= p->state->time) SCIARA_TRY(change_problem_ground(p));
  return SCIARA_OK;
}
