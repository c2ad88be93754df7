// SPDX-License-Identifier: Apache-2.0
// The problem of a run: whether its memory is free, and what a user should know of its scenario before it starts.
#include <math.h>
#include <string.h>

#include "base/date.h"
#include "base/mem.h"
#include "model/params.h"
#include "setup/setup.h"
#include "sim/choose_engine.h"

// --------------------------------------------------------------------------------------------------------- warnings

/** Warns about default parameters on cells for which they were not calibrated, and names the cure that was measured. */
static void warn_cell_size(const struct sciara_problem *p) {
  const struct sciara_notes *notes = p->notes;
  const double w = p->grid.cell_size, side = (double)(p->grid.rows < p->grid.cols ? p->grid.rows : p->grid.cols) * w;
  const double fitted = sciara_preset_of_rule(SCIARA_RULE_ADVISED)->cell_size_m;
  const char *advised = sciara_rule_name(SCIARA_RULE_ADVISED);
  char text[SCIARA_MISFIT_TEXT];
  if (!sciara_params_misfit(&p->params, w)) return;
  sciara_misfit_print(w, text);
  if (w > SCIARA_CELL_MOST)
    sciara_note(notes, SCIARA_LOG_WARNING,
                "%s (docs/validation.md). The parameters of rule %s were fitted on cells of %g m: give 'sciara init' "
                "--set dem.cell_size_m=%g --set model.rule=%s",
                text, advised, fitted, fitted, advised);
  else
    sciara_note(notes, SCIARA_LOG_WARNING,
                "%s (docs/validation.md). \"model.cooling_reference_cell_m\": 10 together with "
                "\"model.critical_height_reference_cell_m\": 10 cures most of it (Etna, run-out after a day: 470 m on "
                "cells of 5 m, with both 2963 m, on 10 m 3082 m).%s Rule \"%s\" (docs/rules.md) depends less on the "
                "size of the cells",
                text,
                side >= 3 * SCIARA_CELL_CALIBRATED // an experiment in a laboratory would be less than one cell
                    ? " \"dem.cell_size_m\": 10 resamples the DEM; it removes relief finer than its cells."
                    : "",
                advised);
}

/** Warns about a rule whose temperatures do not bear single precision. */
static void warn_precision(const struct sciara_problem *p) {
  if (sciara_is_sheet(p->params.rule) && p->engine.single_precision)
    sciara_note(p->notes, SCIARA_LOG_WARNING,
                "in single precision cooling by less than 6e-5 K in a step is lost: lava of rule %s that cools slowly "
                "stays too hot (docs/numerics.md); double precision has no such loss",
                sciara_rule_name(p->params.rule));
}

/** Warns about a vent from which no lava comes in the run: it has no rate, or begins after the end. */
static void warn_dry_vent(const struct sciara_problem *p, size_t k) {
  const struct sciara_vent_spec *v = &p->source->scenario.vents[k];
  const char *start = p->source->scenario.start;
  const double end = sciara_limits_end(&p->run);
  double first = INFINITY;
  for (size_t n = 0; n < v->rate_count; n++)
    if (v->rates[n] > 0) first = fmin(first, v->edges[n]);
  if (first < end) return;
  if (isfinite(first))
    sciara_note(
        p->notes, SCIARA_LOG_WARNING,
        "vents[%zu] (%s) emits nothing in the run, which ends at %s: expected rates that begin before, found the first "
        "one above 0 at %s",
        k, v->name, SCIARA_MOMENT(start, end), SCIARA_MOMENT(start, first));
  else
    sciara_note(p->notes, SCIARA_LOG_WARNING,
                "vents[%zu] (%s) emits nothing: expected a rate above 0, after \"from\" and before \"until\" of the "
                "vent where it has them; found none",
                k, v->name);
}

/** Warns about vents that emit nothing, and about those of one name. */
static void warn_vents(const struct sciara_problem *p) {
  const struct sciara_scenario_spec *s = &p->source->scenario;
  for (size_t k = 0; k < s->vent_count; k++) {
    size_t same = 0;
    while (strcmp(s->vents[same].name, s->vents[k].name) != 0) same++;
    warn_dry_vent(p, k);
    if (same < k)
      sciara_note(s->notes, SCIARA_LOG_WARNING,
                  "vents[%zu].name: expected another name than that of vents[%zu], found \"%s\" too: results name both "
                  "alike, and no rate can be set for one of them",
                  k, same, s->vents[k].name);
  }
}

/** Warns about edits of the ground that are dated after the end of the run. */
static void warn_late_edits(const struct sciara_problem *p) {
  const struct sciara_ground_changes *c = p->site->changes;
  const double end = sciara_limits_end(&p->run);
  for (size_t k = 0; c && k < c->count; k++) {
    if (c->change[k].from_s < end) continue;
    sciara_note(p->notes, SCIARA_LOG_WARNING,
                "dem.edits[%zu] (%s) is dated %s, and the run ends at %s: it changes nothing", c->change[k].number,
                c->change[k].name, SCIARA_MOMENT(p->source->scenario.start, c->change[k].from_s),
                SCIARA_MOMENT(p->source->scenario.start, end));
  }
}

// ------------------------------------------------------------------------------------------------------------ whole

void sciara_problem_place(struct sciara_problem *p, const struct sciara_problem_options *options,
                          struct sciara_diagnostics *diagnostics) {
  const size_t available = sciara_memory_available();
  const struct sciara_engine_ops *ops;
  if (!sciara_problem_place_on_map(p, options, &ops, diagnostics)) return;
  const struct sciara_scenario_spec *s = &p->source->scenario;
  struct sciara_size_estimate *size = &p->source->size;
  if (!options->ground && !options->site) {
    warn_cell_size(p);
    warn_precision(p);
    warn_late_edits(p);
    warn_vents(p);
  }
  *size = sciara_size_estimate_make(s, &p->grid, p->vents, ops, available);
  if (p->site == options->site) size->site = 0; // it was already in memory
  if (ops) sciara_size_estimate_divide(size, s, &p->grid, ops, options->ranks, options->ranks_here);
  enum sciara_status status = options->any_engine ? SCIARA_OK : sciara_size_estimate_check(size, s->path);
  if (status == SCIARA_OK) status = sciara_problem_start(p, options);
  sciara_diagnostics_add(diagnostics, status);
}

void sciara_problem_open_all(const char *scenario_path, const struct sciara_problem_options *options,
                             struct sciara_problem *out, struct sciara_diagnostics *diagnostics) {
  static const struct sciara_problem_options none = {0};
  if (!options) options = &none;
  if (!sciara_problem_begin(out, diagnostics)) return;
  sciara_scenario_declare_options(sciara_engine_settings());
  sciara_scenario_read_all(scenario_path, options->overrides, options->override_count, NULL, &out->source->scenario,
                           diagnostics);
  sciara_problem_place(out, options, diagnostics);
}

enum sciara_status sciara_problem_open(const char *scenario_path, const struct sciara_problem_options *options,
                                       struct sciara_problem *out) {
  struct sciara_diagnostics diagnostics = {0};
  sciara_problem_open_all(scenario_path, options, out, &diagnostics);
  const enum sciara_status status = sciara_diagnostics_end(&diagnostics);
  if (status != SCIARA_OK) sciara_problem_free(out);
  return status;
}
