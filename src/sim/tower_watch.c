// SPDX-License-Identifier: Apache-2.0
#include "sim/tower_watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/tower.h"
#include "model/vent_area.h"
#include "sim/outflow.h"

static const char ADVICE[] =
    "the model cannot represent this (docs/model.md, Towers); give the vent an area "
    "(vents[].radius_m, or width_m of a line) or use larger cells: 'sciara check' prints which "
    "suffice";

/** Why lava stands at vent k, and what helps; malloc'd, NULL: no memory. */
static enum sciara_status explain(const struct sciara_problem *p, size_t k, char **out) {
  struct sciara_outflow *all;
  SCIARA_TRY(sciara_outflows_of(p, &all));
  if (sciara_outflow_surges(p, &all[k]))
    *out =
        sciara_format("one step of the largest clock brings up to %.3g m into a cell while no lava flows; the model "
                      "cannot represent this (docs/model.md, Towers); set model.clock_max_s to %.3g or less, or give "
                      "the vent an area (vents[].radius_m, or width_m of a line)",
                      all[k].surge, all[k].clock_max);
  else
    *out = sciara_format("it emits more than they take; %s", ADVICE);
  sciara_free(all);
  return *out ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a warning");
}

/** Adds the warning; takes over `text` (malloc'd). */
static enum sciara_status add(const struct sciara_problem *p, struct sciara_run_json *run_json,
                              const struct sciara_state *s, const char *kind, const struct sciara_tower *at, char *text,
                              const char **new_text) {
  if (!text) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a warning");
  const struct sciara_point centre = sciara_cell_centre(&s->grid, at->row, at->col);
  const enum sciara_status status =
      sciara_run_json_warn(run_json, &(struct sciara_run_warning){.kind = (char *)(uintptr_t)kind,
                                                                  .row = p->row + at->row,
                                                                  .col = p->col + at->col,
                                                                  .x = centre.x,
                                                                  .y = centre.y,
                                                                  .time_s = s->time,
                                                                  .height_m = at->height,
                                                                  .text = text});
  free(text);
  if (status == SCIARA_OK) *new_text = run_json->warnings[run_json->warning_count - 1].text;
  return status;
}

static enum sciara_status watch_vents(const struct sciara_problem *p, const struct sciara_state *s, double least,
                                      struct sciara_run_json *run_json, const char **new_text) {
  for (size_t k = 0; k < p->scenario.vent_count; k++) {
    const struct sciara_placement *placed = &p->placed[k];
    struct sciara_tower at;
    bool found;
    SCIARA_TRY(sciara_tower_find_vent(s, p->vents, placed->first, placed->count, least, &found, &at));
    if (!found) continue;
    char *why;
    SCIARA_TRY(explain(p, k, &why));
    char *text =
        sciara_format("vents[%zu] (%s) stands %.3g m above the cells around it in row %" PRId64 ", column %" PRId64
                      ", first seen in step %" PRIu64 " (%.6g s): %s",
                      k, p->scenario.vents[k].name, at.height, p->row + at.row, p->col + at.col, s->step, s->time, why);
    free(why);
    return add(p, run_json, s, SCIARA_WARNING_VENT, &at, text, new_text);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_tower_watch(const struct sciara_problem *p, const struct sciara_state *s,
                                      const struct sciara_touched *touched, struct sciara_run_json *run_json,
                                      const char **new_text) {
  const double least = sciara_tower_least(&p->scenario.params, s->grid.cell_size);
  struct sciara_tower at;
  *new_text = NULL;
  if (!sciara_has_towers(&p->scenario.params)) return SCIARA_OK;
  if (sciara_run_json_warning(run_json, SCIARA_WARNING_VENT)) return SCIARA_OK; // its tower is no other problem
  SCIARA_TRY(watch_vents(p, s, least, run_json, new_text));
  if (*new_text || sciara_run_json_warning(run_json, SCIARA_WARNING_TOWER) ||
      !sciara_tower_find(s, touched, least, &at))
    return SCIARA_OK;
  char *text =
      sciara_format("row %" PRId64 ", column %" PRId64
                    ": lava stands %.3g m above all neighbouring cells, first seen in step %" PRIu64 " (%.6g s); %s",
                    p->row + at.row, p->col + at.col, at.height, s->step, s->time, ADVICE);
  return add(p, run_json, s, SCIARA_WARNING_TOWER, &at, text, new_text);
}

bool sciara_tower_is_noticed(const struct sciara_run_json *run_json) {
  return sciara_run_json_warning(run_json, SCIARA_WARNING_VENT) ||
         sciara_run_json_warning(run_json, SCIARA_WARNING_TOWER);
}
