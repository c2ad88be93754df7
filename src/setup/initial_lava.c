// SPDX-License-Identifier: Apache-2.0
#include "setup/setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "sim/choose_engine.h"
#include "store/checkpoint_hdf5.h"

static uint64_t term(uint64_t field, int64_t cell, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return sciara_hash_word(field, (uint64_t)cell, bits);
}

uint64_t sciara_initial_lava_hash(const struct sciara_problem *p) {
  const bool thickness = p->source->scenario.initial_thickness.path,
             temperature = p->source->scenario.initial_temperature.path;
  const struct sciara_state *s = p->state;
  uint64_t sum = 0;
  if (p->source->observed_hash) return p->source->observed_hash;
  if (!s || (!thickness && !temperature)) return 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    if (!(s->h[i] > 0)) continue;
    if (thickness) sum += term(0, i, s->h[i]);
    if (temperature) sum += term(1, i, s->T[i]); // otherwise it depends on the parameters of a member
  }
  return sum ? sum : 1;
}

enum sciara_status sciara_initial_lava_check(const struct sciara_problem *p, uint64_t expected) {
  const char *outline = p->source->scenario.observed.outline;
  const char *thickness = outline ? outline : p->source->scenario.initial_thickness.path;
  const char *temperature = outline ? "initial.observed" : p->source->scenario.initial_temperature.path;
  const uint64_t found = expected ? sciara_initial_lava_hash(p) : 0;
  if (found == expected) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s%s%s: expected the initial lava %016" PRIx64 " of the plan, found %016" PRIx64
                     ": a file has changed since it was planned",
                     thickness ? thickness : "", thickness && temperature ? ", " : "", temperature ? temperature : "",
                     expected, found);
}

bool sciara_scenario_has_initial_lava(const struct sciara_scenario_spec *s) {
  return s->initial_thickness.given || s->initial_thickness.path || s->initial_checkpoint || s->observed.outline;
}

// ---------------------------------------------------------------------------------------------------------- checkpoint

/** What the scenario says about the checkpoint. */
static enum sciara_status check_checksum(const struct sciara_problem *p, const struct sciara_checkpoint *c) {
  const char *expected = p->source->scenario.initial_checksum;
  char found[20];
  snprintf(found, sizeof found, "%016" PRIx64, c->checksum);
  if (!expected || strcmp(found, expected) == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a state with the checksum %.40s, found %s",
                     p->source->scenario.initial_checkpoint, expected, found);
}

/** Other parameters are allowed, another rule is not: its momentum means something else. */
static enum sciara_status check_rule(const struct sciara_problem *p, const struct sciara_checkpoint *c) {
  const enum sciara_rule_kind found = p->params.rule, its = c->identity.params.rule;
  if (found == its) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: computed with rule \"%s\", found model.rule \"%s\"; expected \"model.rule\": \"%s\", or "
                     "initial.thickness and initial.temperature instead of a checkpoint",
                     p->source->scenario.initial_checkpoint, sciara_rule_name(its), sciara_rule_name(found),
                     sciara_rule_name(its));
}

/** A checkpoint must have the ground, boundary and precision of the run; parameters and vents may be others. */
static enum sciara_status check_identity(const struct sciara_problem *p, const struct sciara_checkpoint *c) {
  struct sciara_checkpoint_identity run;
  SCIARA_TRY(check_rule(p, c));
  enum sciara_status status = sciara_checkpoint_identify(p, sciara_state_checksum_of_ground(p->state), &run);
  run.params = c->identity.params;
  if (status == SCIARA_OK)
    status = sciara_checkpoint_check(c, p->source->scenario.initial_checkpoint, &run,
                                     1u << SCIARA_INPUT_EDITS | 1u << SCIARA_INPUT_VENTS);
  free(run.precision);
  return status;
}

static enum sciara_status check_temperatures(const struct sciara_problem *p) {
  const struct sciara_params *params = &p->params;
  const struct sciara_state *s = p->state;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    if (s->h[i] > 0 && !(s->T[i] > params->T_sol && s->T[i] <= params->T_vent))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: row %" PRId64 ", column %" PRId64 ": expected lava above model.T_sol_K = %g to "
                         "model.T_vent_K = %g, found %.10g K",
                         p->source->scenario.initial_checkpoint, i / s->grid.cols, i % s->grid.cols, params->T_sol,
                         params->T_vent, s->T[i]);
  return SCIARA_OK;
}

enum sciara_status sciara_initial_checkpoint_take(struct sciara_problem *p) {
  const char *path = p->source->scenario.initial_checkpoint;
  struct sciara_checkpoint c = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_checkpoint_verify(path, &c));
  SCIARA_TRY_GOTO(check_checksum(p, &c));
  SCIARA_TRY_GOTO(sciara_problem_match_ground(p, c.time_s, c.identity.inputs.hash[SCIARA_INPUT_GROUND]));
  const unsigned record =
      sciara_scenario_record(&p->source->scenario) | (unsigned)(c.identity.record & SCIARA_RECORD_EVERYTHING);
  SCIARA_TRY_GOTO(sciara_state_create_on(p->site, record, &p->state));
  SCIARA_TRY_GOTO(check_identity(p, &c));
  SCIARA_TRY_GOTO(sciara_checkpoint_read_state(path, &c, p->state));
  SCIARA_TRY_GOTO(check_temperatures(p));
  p->source->checkpoint_checksum = c.checksum;
  p->source->changes_before = p->site->changes_done;
  p->source->emission_from_s = c.time_s;
  sciara_note(p->notes, SCIARA_LOG_INFO,
              "initial.checkpoint: %s: the run continues from step %" PRIu64 ", simulated time %.10g s", path, c.step,
              c.time_s);
cleanup:
  sciara_checkpoint_free(&c);
  return status == SCIARA_OK ? SCIARA_OK
                             : sciara_fail_context(status, "%s: initial.checkpoint", p->source->scenario.path);
}

// --------------------------------------------------------------------------------------------------------- checkpoints

static enum sciara_status set(char **held, const char *text) {
  free(*held);
  *held = text ? strdup(text) : NULL;
  return text && !*held ? sciara_no_memory("a checkpoint") : SCIARA_OK;
}

enum sciara_status sciara_checkpoint_identify(const struct sciara_problem *p, uint64_t ground,
                                              struct sciara_checkpoint_identity *out) {
  *out = (struct sciara_checkpoint_identity){.grid = p->state->grid,
                                             .inputs = sciara_inputs_of(p->site, ground, p->vents),
                                             .params = p->params,
                                             .boundary = p->boundary,
                                             .record = sciara_scenario_record(&p->source->scenario)};
  return set(&out->precision, sciara_precision_name(sciara_chosen_precision(&p->engine)));
}

enum sciara_status sciara_checkpoint_describe(const struct sciara_simulation *s, uint64_t ground, const char *history,
                                              const char *started_utc, struct sciara_checkpoint *h) {
  const struct sciara_problem *p = &s->problem;
  h->dem_hash = p->site->origin.hash;
  h->emission_from_s = p->source->emission_from_s;
  SCIARA_TRY(sciara_checkpoint_identify(p, ground, &h->identity));
  SCIARA_TRY(set(&h->georef.crs_wkt, p->source->georef.crs_wkt));
  SCIARA_TRY(set(&h->georef.crs_name, p->source->georef.crs_name));
  SCIARA_TRY(set(&h->engine, s->ops->name));
  SCIARA_TRY(set(&h->scenario_path, p->source->scenario.path));
  SCIARA_TRY(set(&h->scenario_folder, p->source->scenario.folder));
  SCIARA_TRY(set(&h->scenario_json, p->source->scenario.json));
  SCIARA_TRY(set(&h->history, history));
  return set(&h->started_utc, started_utc);
}
