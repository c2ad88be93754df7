// SPDX-License-Identifier: Apache-2.0
// The public interface (sciara.h), implemented with simulations.
#include "sciara.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "model/field.h"
#include "run/scenario_site.h"
#include "run/simulation.h"

struct sciara {
  struct sciara_simulation *simulation;
};

const char *sciara_version(void) { return SCIARA_VERSION; }

/** Checks the arguments that all functions of the kind `open` have. */
static enum sciara_status check_arguments(const char *function, const char *scenario, const char *const *overrides,
                                          size_t count, const void *out) {
  if (!out) {
    sciara_fail(SCIARA_ERR_USAGE, "%s: out is NULL", function);
    return SCIARA_ERR_USAGE;
  }
  if (scenario && (count == 0 || overrides)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "%s: scenario or overrides is NULL", function);
}

/** The simulation of a scenario. @param options->site NULL: reads the DEM */
static enum sciara_status open_simulation(const char *scenario, const struct sciara_problem_options *options,
                                          struct sciara **out) {
  struct sciara_problem problem;
  SCIARA_TRY(sciara_problem_open(scenario, options, &problem));
  // There are no snapshots or checkpoints here: the engine needs no memory for captured states.
  problem.scenario.output.every_s = 0;
  problem.scenario.output.checkpoint_every_s = problem.scenario.output.checkpoint_wall_s = 0;
  struct sciara_simulation *simulation;
  SCIARA_TRY(sciara_simulation_create(&problem, &simulation));
  struct sciara *s;
  const enum sciara_status status = SCIARA_NEW(s, 1, "simulation");
  if (status != SCIARA_OK) {
    sciara_simulation_destroy(simulation);
    return status;
  }
  s->simulation = simulation;
  *out = s;
  return SCIARA_OK;
}

enum sciara_status sciara_open(const char *scenario, const char *const *overrides, size_t count, struct sciara **out) {
  if (out) *out = NULL;
  SCIARA_TRY(check_arguments("sciara_open", scenario, overrides, count, out));
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count};
  return open_simulation(scenario, &options, out);
}

enum sciara_status sciara_open_on(const struct sciara_site *site, const char *scenario, const char *const *overrides,
                                  size_t count, struct sciara **out) {
  if (out) *out = NULL;
  SCIARA_TRY(check_arguments("sciara_open_on", scenario, overrides, count, out));
  if (!site) return sciara_fail(SCIARA_ERR_USAGE, "sciara_open_on: site is NULL");
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count, .site = site};
  return open_simulation(scenario, &options, out);
}

enum sciara_status sciara_site_open(const char *scenario, const char *const *overrides, size_t count,
                                    const struct sciara_site **out) {
  if (out) *out = NULL;
  SCIARA_TRY(check_arguments("sciara_site_open", scenario, overrides, count, out));
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count};
  struct sciara_scenario_spec s;
  sciara_scenario_declare_options(sciara_engine_settings());
  SCIARA_TRY(sciara_scenario_read(scenario, overrides, count, &s));
  const enum sciara_status status = sciara_scenario_site_read(&s, &options, out);
  sciara_scenario_free(&s);
  return status;
}

/** Whether the stop rule is met. If the time no longer grows it is never met, and every further call reports that. */
static bool is_finished(const struct sciara *s) {
  return s->simulation->finished != SCIARA_STOP_NONE && s->simulation->finished != SCIARA_STOP_STALLED;
}

static enum sciara_status advance(struct sciara *s, uint64_t until_step) {
  if (is_finished(s)) return SCIARA_OK;
  const struct sciara_event event = {.time = INFINITY, .step = until_step};
  return sciara_simulation_advance(s->simulation, &event);
}

enum sciara_status sciara_step(struct sciara *s, uint64_t steps) {
  const uint64_t done = s->simulation->progress.step;
  return advance(s, steps < UINT64_MAX - done ? done + steps : UINT64_MAX);
}

enum sciara_status sciara_run(struct sciara *s) { return advance(s, UINT64_MAX); }

void sciara_read_progress(const struct sciara *s, struct sciara_progress *out) {
  const struct sciara_engine_progress *p = &s->simulation->progress;
  *out = (struct sciara_progress){.step = p->step,
                                  .time_s = p->time,
                                  .clock_s = p->clock,
                                  .liquid_cells = p->liquid_cells,
                                  .solidified = s->simulation->finished == SCIARA_STOP_SOLIDIFIED,
                                  .finished = is_finished(s)};
}

void sciara_read_grid(const struct sciara *s, struct sciara_grid_info *out) {
  const struct sciara_grid *g = &s->simulation->problem.state->grid;
  *out = (struct sciara_grid_info){
      .rows = g->rows, .cols = g->cols, .cell_size_m = g->cell_size, .west_m = g->west, .north_m = g->north};
}

enum sciara_status sciara_read_field(struct sciara *s, enum sciara_field field, double *out, size_t capacity) {
  const struct sciara_state *state = s->simulation->problem.state;
  const size_t cells = (size_t)sciara_grid_cells(&state->grid);
  if (!sciara_field_describe(field))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_read_field: there is no field %d", (int)field);
  if (!out || capacity < cells)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_read_field: room for %zu values, %zu are needed", out ? capacity : 0,
                       cells);
  if (sciara_field_record(field) & ~sciara_state_record(state))
    return sciara_fail(SCIARA_ERR_USAGE, "%s was not recorded: add it to output.fields of the scenario",
                       sciara_field_name(field));
  SCIARA_TRY(sciara_simulation_sync(s->simulation));
  sciara_field_derive(state, field, out);
  return SCIARA_OK;
}

enum sciara_status sciara_read_ledger(struct sciara *s, struct sciara_ledger *out) {
  return sciara_simulation_ledger(s->simulation, out);
}

enum sciara_status sciara_checksum(struct sciara *s, uint64_t *out) {
  SCIARA_TRY(sciara_simulation_sync(s->simulation));
  *out = sciara_state_checksum(s->simulation->problem.state);
  return SCIARA_OK;
}

void sciara_close(struct sciara *s) {
  if (!s) return;
  sciara_simulation_destroy(s->simulation);
  sciara_free(s);
}
