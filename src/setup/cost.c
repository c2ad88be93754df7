// SPDX-License-Identifier: Apache-2.0
#include "setup/cost.h"

#include <math.h>

#include "base/wallclock.h"
#include "model/field.h"
#include "model/ground_change.h"
#include "model/rule.h"
#include "setup/setup.h"
#include "sim/simulation.h"

size_t sciara_size_estimate_engine(const struct sciara_engine_ops *ops, const struct sciara_grid *grid, unsigned record,
                                   double wet, size_t *device) {
  size_t host = 0, of_gpu = 0;
  if (ops && ops->memory) ops->memory(grid, record, &host, &of_gpu);
  if (ops && ops->memory_of_lava) host += (size_t)(wet * (double)ops->memory_of_lava(record));
  if (device) *device = of_gpu;
  return host;
}

unsigned sciara_scenario_record(const struct sciara_scenario_spec *s) {
  const unsigned needed = s->output.fields | s->output.maps;
  unsigned record = SCIARA_RECORD_NOTHING;
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    if (needed >> f & 1u) record |= sciara_field_record((enum sciara_field)f);
  return record;
}

double sciara_thin_lava(const struct sciara_params *p) {
  if (!sciara_is_sheet(p->rule)) return p->hc_vent;
  return fmax(sciara_plug_thickness(p, p->yield_vent, SCIARA_COST_SHEET_STEEP), SCIARA_COST_SHEET_LEAST);
}

/** Thickness below which lava that is about to solidify no longer flows, m. */
static double thick(const struct sciara_params *p) {
  if (!sciara_is_sheet(p->rule)) return p->hc_sol;
  return fmax(sciara_plug_thickness(p, p->yield_sol, SCIARA_COST_SHEET_GENTLE), sciara_thin_lava(p));
}

// ------------------------------------------------------------------------------------------------------------- time

/** Simulated time in which lava of this thickness, m, cools from T_vent to T_sol, s; INFINITY without cooling. */
static double cooling_time(const struct sciara_problem *p, double thickness) {
  const struct sciara_params *params = &p->params;
  const double K = sciara_cooling_constant(params, p->grid.cell_size); // the rule makes T^-3 grow by K t/h
  return thickness * (pow(params->T_sol, -3) - pow(params->T_vent, -3)) / K;
}

void sciara_time_estimate_extend(const struct sciara_problem *p, struct sciara_time_estimate *e) {
  const double emission = sciara_vents_end(p->vents), change = p->site ? sciara_site_last_change(p->site) : 0;
  const double end = sciara_limits_end(&p->run);
  if (p->run.until == SCIARA_UNTIL_TIME) {
    e->until = SCIARA_ESTIMATE_END;
    e->until_s = end;
  } else {
    e->until = change > emission ? SCIARA_ESTIMATE_GROUND : SCIARA_ESTIMATE_VENTS;
    e->until_s = fmin(fmax(change, emission), end);
  }
  if (e->until_s <= e->time) e->until = SCIARA_ESTIMATE_NOTHING;
  const double by_steps =
      p->run.max_steps == UINT64_MAX ? (double)INFINITY : (double)(p->run.max_steps - e->steps) * e->per_step;
  const double by_time =
      e->until == SCIARA_ESTIMATE_NOTHING ? (double)INFINITY : (e->until_s - e->time) * e->per_second;
  if (by_steps < by_time) e->until = SCIARA_ESTIMATE_STEPS;
  e->until_wall_s = e->wall + fmin(by_steps, by_time);
}

// -------------------------------------------------------------------------------------------------------------- probe

/** Executes steps for about `seconds` of the wall clock, or to the end of the run. */
static enum sciara_status step_for(struct sciara_simulation *s, double seconds) {
  const struct sciara_advance_limit limit = {.time = INFINITY, .step = UINT64_MAX, .due = sciara_wallclock() + seconds};
  return sciara_simulation_advance(s, &limit);
}

static enum sciara_status probe(struct sciara_simulation *s, double seconds, struct sciara_time_estimate *out) {
  struct sciara_engine_progress half = s->progress; // if it ends before, all of it counts
  const double begin = sciara_wallclock();
  double middle = begin;
  SCIARA_TRY(step_for(s, 0.5 * seconds));
  if (s->finished == SCIARA_STOP_NONE) {
    half = s->progress;
    middle = sciara_wallclock();
    SCIARA_TRY(step_for(s, begin + seconds - middle));
  }
  const struct sciara_engine_progress *end = &s->progress;
  const double wall = sciara_wallclock() - begin, later = begin + wall - middle;
  const double steps = (double)(end->step - half.step);
  *out = (struct sciara_time_estimate){.whole = s->finished != SCIARA_STOP_NONE,
                                       .steps = end->step,
                                       .time = end->time,
                                       .wall = wall,
                                       .per_second = later / (end->time - half.time),
                                       .per_step = later / steps,
                                       .threads = s->threads};
  out->made = out->whole || steps > 0; // a step may take too long for a probe
  if (out->made && !out->whole) sciara_time_estimate_extend(&s->problem, out);
  return SCIARA_OK;
}

enum sciara_status sciara_time_estimate_make(struct sciara_problem *p, double seconds,
                                             struct sciara_time_estimate *out) {
  struct sciara_simulation *s;
  *out = (struct sciara_time_estimate){.made = false};
  if (sciara_grid_cells(&p->grid) > SCIARA_COST_PROBE_CELLS) return SCIARA_OK;
  p->notes = &sciara_no_notes;
  SCIARA_TRY(sciara_simulation_create(p, false, &s));
  const enum sciara_status status = probe(s, seconds, out);
  sciara_simulation_destroy(s);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- members

double sciara_member_bytes_per_cell(const struct sciara_engine_ops *ops, unsigned record) {
  const struct sciara_grid unit = {.rows = 1000, .cols = 1000, .cell_size = 1};
  const size_t engine = sciara_size_estimate_engine(ops, &unit, record, 0, NULL);
  return (double)(2 * sciara_state_memory(&unit, record) + sciara_site_memory(&unit) + engine) / 1e6;
}

/** Cells that have lava before the first step. */
static double initial_cells(const struct sciara_problem *p) {
  const int64_t cells = p->state ? sciara_grid_cells(&p->grid) : 0;
  int64_t count = 0;
  for (int64_t i = 0; i < cells; i++) count += p->state->arrival[i] >= 0;
  return (double)count;
}

/** Lava that is liquid at the start, and what vents emit from then on to the end of the run, m3. */
static double liquid_volume(const struct sciara_problem *p, double start, double end) {
  const struct sciara_vents *v = p->vents;
  const int64_t cells = p->state ? sciara_grid_cells(&p->grid) : 0;
  double volume = 0;
  for (int64_t i = 0; i < cells; i++) volume += p->state->h[i] * p->grid.cell_size * p->grid.cell_size;
  for (int64_t k = 0; v && k < v->count; k++)
    volume += sciara_vent_volume(v->begin, v->end, v->rate, v->first[k], v->first[k + 1], start, end - start);
  return volume;
}

/** Seconds in which the lava of a member cools on cells with 1 m of it, summed over these cells. */
static double liquid_time(const struct sciara_problem *p) {
  const double start = p->state ? p->state->time : 0, end = sciara_limits_end(&p->run), w = p->grid.cell_size;
  double each = fmin(cooling_time(p, 1), end - start);
  if (!isfinite(each) && p->vents) each = sciara_vents_end(p->vents); // nothing cools, and only steps are limited
  return each > 0 ? liquid_volume(p, start, end) / (w * w) * each : 0;
}

double sciara_member_covered(const struct sciara_params *params, double volume, const struct sciara_grid *grid) {
  return fmin((double)sciara_grid_cells(grid),
              volume / (grid->cell_size * grid->cell_size * SCIARA_COST_THIN * sciara_thin_lava(params)));
}

double sciara_member_disk(double members, double covered) {
  return SCIARA_COST_MEMBER * members + SCIARA_COST_MEMBER_CELL * covered;
}

struct sciara_member_need sciara_member_need_of(const struct sciara_problem *p, unsigned record,
                                                double bytes_per_cell) {
  const struct sciara_params *params = &p->params;
  const double volume = p->vents ? sciara_vents_total(p->vents) : 0, w2 = p->grid.cell_size * p->grid.cell_size;
  const double thickness = 0.5 * (sciara_thin_lava(params) + thick(params)),
               cells = (double)sciara_grid_cells(&p->grid);
  struct sciara_member_need need = {.liquid_s = liquid_time(p)};
  const double lava_cells = fmin(cells, thickness > 0 ? volume / (w2 * thickness) : cells); // half cooled
  const double covered = sciara_member_covered(params, volume, &p->grid);
  need.length = need.liquid_s / params->relaxation;
  need.disk = sciara_member_disk(1, covered);
  need.checkpoint = SCIARA_COST_MEMBER_STATE + SCIARA_COST_MEMBER_STATE_CELL * fmin(cells, covered + initial_cells(p));
  need.window = fmin(cells, SCIARA_COST_WINDOW_LEAST + SCIARA_COST_WINDOW_PER_LAVA * lava_cells);
  need.memory = need.window * bytes_per_cell;
  if (sciara_scenario_has_initial_lava(&p->source->scenario))
    need.memory += (double)sciara_state_memory(&p->grid, record); // the map on which it begins
  if (p->source->scenario.dem.error.sd_m > 0) need.memory += SCIARA_COST_MEMBER_GROUND_CELL * cells; // a map of its own
  return need;
}
