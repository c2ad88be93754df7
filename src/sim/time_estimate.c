// SPDX-License-Identifier: Apache-2.0
#include "sim/time_estimate.h"

#include <math.h>

#include "base/wallclock.h"
#include "model/rule.h"
#include "sim/choose_engine.h"
#include "sim/many_threads.h"

// ------------------------------------------------------------------------------------------------------ extrapolation

/** How much clocks and times of later steps may differ from those of the probe: factors. */
static const double SHORTER = 2, LONGER = 1.6;

double sciara_cooling_time(const struct sciara_problem *p, double thickness) {
  const struct sciara_params *params = &p->scenario.params;
  const double K = sciara_cooling_constant(params, p->grid.cell_size); // the rule makes T^-3 grow by K t/h
  return thickness * (pow(params->T_sol, -3) - pow(params->T_vent, -3)) / K;
}

/** Simulated time of the end of the run by its own rule, s. */
static void estimate_end(const struct sciara_problem *p, double emission, struct sciara_estimate *out) {
  const struct sciara_scenario_spec *s = &p->scenario;
  const double latest = sciara_scenario_end(s);
  const bool front = s->run.until == SCIARA_UNTIL_FRONT;
  out->end_low = fmin(latest, emission + (front ? 0 : sciara_cooling_time(p, s->params.hc_vent)));
  out->end_high = fmin(latest, emission + sciara_cooling_time(p, s->params.hc_sol) + s->run.rest_s);
  if (s->run.until == SCIARA_UNTIL_TIME) out->end_low = out->end_high = latest; // unless all is solid before
}

/** Largest number of liquid cells, if `thickness` m of lava lie on each. */
static double cells_of(const struct sciara_problem *p, double thickness) {
  const double w = p->grid.cell_size, cells = sciara_vents_total(p->vents) / (w * w * thickness);
  return fmin(cells, (double)sciara_grid_cells(&p->grid));
}

/** Wall-clock time of a step with this number of liquid cells, s. */
static double step_time(const struct sciara_probe *probe, double cells) {
  return fmax(probe->per_step, probe->per_cell * cells);
}

struct sciara_estimate sciara_estimate_from(const struct sciara_problem *p, const struct sciara_probe *probe) {
  const struct sciara_params *params = &p->scenario.params;
  struct sciara_estimate out = {.made = true, .probed = probe->steps};
  const double emission = fmax(sciara_vents_end(p->vents), probe->time);
  estimate_end(p, emission, &out);
  const double flow_low = fmax(fmin(emission, out.end_low) - probe->time, 0),
               longest = params->relaxation * params->t_max;
  const double flow_high = fmax(fmin(emission, out.end_high) - probe->time, 0);
  const double cool_low = fmax(out.end_low - emission, 0), cool_high = fmax(out.end_high - emission, 0);
  const double low = flow_low / fmin(LONGER * probe->clock, longest) + cool_low / longest;
  const double high = flow_high * SHORTER / probe->clock + cool_high / (0.25 * longest);
  const double most = p->scenario.run.max_steps == UINT64_MAX ? (double)INFINITY : (double)p->scenario.run.max_steps;
  const double thick = fmax(cells_of(p, 0.5 * params->hc_sol), probe->liquid);
  const double thin = fmax(cells_of(p, 4 * params->hc_vent), probe->liquid);
  out.steps_low = fmin((double)probe->steps + low, most);
  out.steps_high = fmin((double)probe->steps + high, most);
  const double rest_low = out.steps_low - (double)probe->steps, rest_high = out.steps_high - (double)probe->steps;
  out.wall_low = probe->wall + rest_low * step_time(probe, 0.5 * (probe->liquid + thick)) / LONGER;
  out.wall_high = probe->wall + rest_high * step_time(probe, 0.5 * (probe->liquid + thin));
  return out;
}

// -------------------------------------------------------------------------------------------------------------- probe

/** Steps until `until` on the wall clock; returns why they ended. */
static enum sciara_status advance(const struct sciara_problem *p, const struct sciara_engine_ops *ops, void *engine,
                                  double until, struct sciara_engine_progress *now) {
  const struct sciara_scenario_spec *s = &p->scenario;
  const struct sciara_stop stop = {
      .steps = s->run.max_steps, .time = sciara_scenario_end(s), .solidified = true, .max_wall_ms = 50};
  do SCIARA_TRY(ops->advance(engine, &stop, now));
  while (now->reason == SCIARA_STOP_WALL && sciara_wallclock() < until);
  return SCIARA_OK;
}

static enum sciara_status probe(const struct sciara_problem *p, const struct sciara_engine_ops *ops, void *engine,
                                double seconds, struct sciara_estimate *out) {
  struct sciara_engine_progress half = {0}, end = {0};
  SCIARA_TRY(ops->upload(engine, p->state));
  const double begin = sciara_wallclock();
  SCIARA_TRY(advance(p, ops, engine, begin + 0.5 * seconds, &half));
  const double middle = sciara_wallclock();
  end = half;
  if (half.reason == SCIARA_STOP_WALL) SCIARA_TRY(advance(p, ops, engine, begin + seconds, &end));
  const double wall = sciara_wallclock() - begin, later = begin + wall - middle;
  const double steps = (double)(end.step - half.step), cells = (double)(end.cell_steps - half.cell_steps);
  if (end.reason != SCIARA_STOP_WALL) {
    *out = (struct sciara_estimate){
        .made = true, .whole = true, .probed = end.step, .end_low = end.time, .end_high = end.time};
    out->steps_low = out->steps_high = (double)end.step;
    out->wall_low = out->wall_high = wall;
    return SCIARA_OK;
  }
  if (!(steps > 0)) return SCIARA_OK; // a step takes too long for a probe
  const struct sciara_probe of = {.steps = end.step,
                                  .time = end.time,
                                  .wall = wall,
                                  .clock = (end.time - half.time) / steps,
                                  .per_step = later / steps,
                                  .per_cell = cells > 0 ? later / cells : 0,
                                  .liquid = (double)end.liquid_cells};
  *out = sciara_estimate_from(p, &of);
  return SCIARA_OK;
}

enum sciara_status sciara_estimate_make(const struct sciara_problem *p, double seconds, struct sciara_estimate *out) {
  const struct sciara_scenario_spec *s = &p->scenario;
  const struct sciara_engine_ops *ops;
  void *engine;
  *out = (struct sciara_estimate){.made = false};
  if ((double)sciara_grid_cells(&p->grid) > SCIARA_ESTIMATE_MOST_CELLS) return SCIARA_OK;
  SCIARA_TRY(sciara_scenario_choose_engine(s, &ops));
  const struct sciara_engine_setup setup = {.params = &s->params,
                                            .vents = p->vents,
                                            .boundary = s->boundary,
                                            .threads = s->engine.threads,
                                            .device = s->engine.device,
                                            .options = sciara_scenario_engine_options(s)};
  SCIARA_TRY(ops->create(&setup, &engine));
  const enum sciara_status status = probe(p, ops, engine, seconds, out);
  ops->destroy(engine);
  out->threads = sciara_engine_threads(ops, s->engine.threads);
  return status;
}
