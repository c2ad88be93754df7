// SPDX-License-Identifier: Apache-2.0
#include "setup/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/wallclock.h"
#include "engine/device_info.h"
#include "map/raster_gdal.h"
#include "model/field.h"
#include "model/ground_change.h"
#include "model/rule.h"
#include "picture/map_picture.h"
#include "setup/setup.h"
#include "sim/choose_engine.h"
#include "sim/parallel.h"
#include "store/checkpoint_hdf5.h"
#include "store/snapshot_hdf5.h"

// ------------------------------------------------------------------------------------------------- memory and files

size_t sciara_size_estimate_host(const struct sciara_size_estimate *f) {
  return f->program + f->site + f->state + f->engine + f->writing;
}

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

/** Thickness below which lava fresh from the vent no longer flows, m. */
static double thin(const struct sciara_params *p) {
  if (!sciara_is_sheet(p->rule)) return p->hc_vent;
  return fmax(sciara_plug_thickness(p, p->yield_vent, SCIARA_COST_SHEET_STEEP), SCIARA_COST_SHEET_LEAST);
}

/** Thickness below which lava that is about to solidify no longer flows, m. */
static double thick(const struct sciara_params *p) {
  if (!sciara_is_sheet(p->rule)) return p->hc_sol;
  return fmax(sciara_plug_thickness(p, p->yield_sol, SCIARA_COST_SHEET_GENTLE), thin(p));
}

/**
 * Cells that the lava may cover: thinner lava than thin() does not flow further, and a step takes it at most to the
 * neighbouring cells.
 */
static double wet_cells(const struct sciara_scenario_spec *s, const struct sciara_grid *grid,
                        const struct sciara_vents *vents) {
  const double cells = (double)sciara_grid_cells(grid);
  if (sciara_scenario_has_initial_lava(s)) return cells;
  const double area = sciara_vents_total(vents) / thin(&s->params);
  const double side = 2 * (double)s->run.max_steps + 1, within_reach = (double)vents->count * side * side;
  return fmin(fmin(cells, within_reach), area / (grid->cell_size * grid->cell_size));
}

// Bytes of a number of single precision in 64 bits that deflate to almost nothing: its last 29 bits are zeros.
#define ZEROS (29 / 8.0)

/** Whether a field is what an engine stores in its precision: z, h, T, px or py. */
static bool is_real(enum sciara_field field) {
  return field == SCIARA_FIELD_ALTITUDE || field == SCIARA_FIELD_THICKNESS || field == SCIARA_FIELD_TEMPERATURE ||
         field == SCIARA_FIELD_MOMENTUM_X || field == SCIARA_FIELD_MOMENTUM_Y;
}

static void predict_snapshot_size(const struct sciara_scenario_spec *s, const struct sciara_grid *grid, double wet,
                                  struct sciara_size_estimate *f) {
  const double cells = (double)sciara_grid_cells(grid), item = s->output.as_double ? 8 : 4;
  const double fixed = SCIARA_COST_SNAPSHOT_TEXTS + 8.0 * (double)(grid->rows + grid->cols);
  const bool padded = s->output.as_double && sciara_chosen_precision(&s->engine) != SCIARA_DOUBLE;
  double about = fixed, most = fixed;
  for (int field = 0; field < SCIARA_FIELD_COUNT; field++) {
    if (!(s->output.fields >> field & 1u)) continue;
    const double a_cell = padded && is_real((enum sciara_field)field) ? item - ZEROS : item;
    about += SCIARA_COST_SNAPSHOT_FIELD + a_cell * (field == SCIARA_FIELD_ALTITUDE ? cells : wet);
    most += SCIARA_COST_SNAPSHOT_FIELD + item * cells;
  }
  f->snapshot = (size_t)about;
  f->snapshot_most = (size_t)most;
}

/**
 * Bytes needed to make a checkpoint: every field of the state where lava is, in 64 bits; but nothing is lost except in
 * cells of the rim and the sea.
 */
static size_t predict_checkpoint(const struct sciara_grid *grid, unsigned record, double wet, bool single) {
  enum { REALS = 5 }; // z, h, T, px, py
  double a_cell = (double)sciara_state_memory(grid, record) / (double)sciara_grid_cells(grid) - sizeof(double);
  if (single) a_cell -= REALS * ZEROS;
  return sciara_checkpoint_memory(grid) + SCIARA_COST_SNAPSHOT_TEXTS + (size_t)(a_cell * wet);
}

static void count_snapshots(const struct sciara_scenario_spec *s, const struct sciara_vents *vents,
                            struct sciara_size_estimate *f) {
  const double every = s->output.every_s, end = sciara_limits_end(&s->run);
  // One for each interval, and one of the final state; at most one for each step.
  f->snapshots = every > 0 ? fmax(1, ceil(end / every)) : 1;
  if (s->run.max_steps != UINT64_MAX) f->snapshots = fmin(f->snapshots, (double)s->run.max_steps);
  f->snapshots_while_vent = every > 0 ? fmin(f->snapshots, floor(sciara_vents_end(vents) / every) + 1) : 1;
}

size_t sciara_size_estimate_waiting(const struct sciara_grid *grid, unsigned record, bool kept) {
  return (kept ? 1 : SCIARA_BUFFERS) * sciara_state_memory(grid, record);
}

/** Memory of snapshots that wait to be written: adds the part of the engine, returns that of the writer. */
static size_t predict_keeping(const struct sciara_grid *grid, unsigned record, const struct sciara_engine_ops *ops,
                              struct sciara_size_estimate *f) {
  size_t host = 0, device = 0;
  const bool keeps = ops && ops->keep;
  if (keeps) ops->keep_memory(grid, record, &host, &device);
  f->engine += host;
  f->device += device;
  return sciara_size_estimate_waiting(grid, record, keeps);
}

struct sciara_size_estimate sciara_size_estimate_make(const struct sciara_scenario_spec *s,
                                                      const struct sciara_grid *grid, const struct sciara_vents *vents,
                                                      const struct sciara_engine_ops *ops, size_t available) {
  struct sciara_size_estimate f = {.made = true, .available = available};
  const unsigned record = sciara_scenario_record(s);
  f.site = sciara_site_memory(grid);
  f.state = sciara_state_memory(grid, record);
  f.engine_known = ops && ops->memory;
  const double wet = f.wet = wet_cells(s, grid, vents);
  f.engine = sciara_size_estimate_engine(ops, grid, record, wet, &f.device);
  predict_snapshot_size(s, grid, wet, &f);
  count_snapshots(s, vents, &f);
  const size_t values = (size_t)sciara_grid_cells(grid) * sizeof(double);
  const int threads = sciara_snapshot_threads(sciara_engine_threads(ops, s->engine.threads));
  const size_t snapshot = sciara_snapshot_memory(grid, s->output.as_double, threads) + f.snapshot;
  const size_t cog = sciara_map_cog_memory(grid), picture = sciara_map_picture_memory(grid); // one after the other
  const size_t map = s->output.maps ? values + (cog > picture ? cog : picture) : 0;
  const size_t on_the_way = sciara_scenario_writes_on_the_way(s) ? predict_keeping(grid, record, ops, &f) : 0;
  f.checkpoint = predict_checkpoint(grid, record, wet, sciara_chosen_precision(&s->engine) != SCIARA_DOUBLE);
  const size_t file = snapshot > f.checkpoint ? snapshot : f.checkpoint; // also one after the other
  const int marks = (s->dem.sea.rule != SCIARA_SEA_NONE) + (s->dem.edit_count > 0);
  const size_t dem = sciara_map_geotiff_memory(grid, marks), later_files = (file > map ? file : map) + on_the_way;
  f.writing = dem > later_files ? dem : later_files; // the DEM is written first
  const size_t later = f.site + f.state + f.engine + f.writing,
               freed = SCIARA_COST_PROGRAM_STARTS - SCIARA_COST_PROGRAM;
  f.program = SCIARA_COST_PROGRAM + (later < freed ? freed - later : 0);
  return f;
}

/** The grid of the largest of `count` equal bands, with its halo. */
static struct sciara_grid band_of(const struct sciara_grid *grid, int count, int64_t tile_rows) {
  struct sciara_grid band = *grid;
  band.rows = grid->rows / count + tile_rows + (int64_t)2 * SCIARA_HALO_ROWS;
  if (band.rows > grid->rows) band.rows = grid->rows;
  return band;
}

/** The GPUs of a process: as an engine with several has them, else one; 0 on the CPU. */
static int gpus_of(const struct sciara_engine_ops *ops, const struct sciara_scenario_spec *s, bool ranked) {
  const int found = sciara_devices() - s->engine.device, given = sciara_chosen_options(&s->engine).gpus;
  if (!(ops->capabilities & SCIARA_CAN_DEVICE)) return 0;
  return given > 0 ? given : ranked || !sciara_engine_follows(ops, "gpus") || found < 1 ? 1 : found;
}

void sciara_size_estimate_divide(struct sciara_size_estimate *f, const struct sciara_scenario_spec *s,
                                 const struct sciara_grid *grid, const struct sciara_engine_ops *ops, int ranks,
                                 int here) {
  const unsigned record = sciara_scenario_record(s);
  const bool ranked = ranks > 1 && ops->phases && strcmp(s->engine.name, "auto") != 0;
  f->gpus = gpus_of(ops, s, ranked);
  f->ranks = ranks;
  if (!ranked && f->gpus < 2) return;
  const int64_t tile_rows = ops->phases ? ops->phases->tile_rows : 1;
  const struct sciara_grid mine = band_of(grid, ranked ? ranks : 1, tile_rows),
                           of_gpu = band_of(&mine, f->gpus > 1 ? f->gpus : 1, tile_rows);
  size_t engine = sciara_size_estimate_engine(ops, &mine, record, f->wet, NULL), device_engine = 0;
  sciara_size_estimate_engine(ops, &of_gpu, record, f->wet, &device_engine);
  f->device = device_engine;
  if (!ranked) return;
  // When bands are cut again a process has its old and its new rows.
  f->ranks_here = here;
  f->engine = engine + 2 * (sciara_site_memory(&mine) + sciara_state_memory(&mine, record));
  f->band = SCIARA_COST_PROGRAM + f->engine;
  if (ops->keep && sciara_scenario_writes_on_the_way(s)) f->writing += sciara_state_memory(grid, record);
}

enum sciara_status sciara_size_estimate_check(const struct sciara_size_estimate *f, const char *name) {
  const int others = f->ranks_here > 1 ? f->ranks_here - 1 : 0;
  const size_t bands = (size_t)others * f->band;
  const size_t need = sciara_size_estimate_host(f) - f->program + bands; // the program is already in memory
  char of_others[96] = "";
  if (f->available == 0 || need <= f->available) return SCIARA_OK;
  char text[7][32];
  const size_t bytes[7] = {need, f->site, f->state, f->engine, f->writing, f->available, bands};
  for (int k = 0; k < 7; k++) sciara_print_bytes((double)bytes[k], text[k], sizeof text[k]);
  if (others)
    snprintf(of_others, sizeof of_others, ", %d other %s %s", others,
             sciara_plural((uint64_t)others, "process", "processes"), text[6]);
  return sciara_fail(
      SCIARA_ERR_MEMORY,
      "%s: the run needs about %s of memory (ground %s, state %s, engine %s, writing %s%s), %s are free; "
      "use a part with dem.window, or larger cells with dem.cell_size_m",
      name, text[0], text[1], text[2], text[3], text[4], of_others, text[5]);
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

/** Steps until `until` on the wall clock, or the first change of the ground; returns why they ended. */
static enum sciara_status advance(const struct sciara_problem *p, const struct sciara_engine_ops *ops, void *engine,
                                  double until, struct sciara_engine_progress *now) {
  const double change = sciara_site_next_change(p->site);
  const struct sciara_stop stop = {.steps = p->run.max_steps,
                                   .time = fmin(sciara_limits_end(&p->run), change),
                                   .solidified = isinf(change),
                                   .max_wall_ms = 50};
  do SCIARA_TRY(ops->advance(engine, &stop, now));
  while (now->reason == SCIARA_STOP_WALL && sciara_wallclock() < until);
  return SCIARA_OK;
}

static enum sciara_status probe(const struct sciara_problem *p, const struct sciara_engine_ops *ops, void *engine,
                                double seconds, struct sciara_time_estimate *out) {
  struct sciara_engine_progress half = {0}, end = {0};
  SCIARA_TRY(ops->upload(engine, p->state));
  const double begin = sciara_wallclock();
  SCIARA_TRY(advance(p, ops, engine, begin + 0.5 * seconds, &half));
  double middle = sciara_wallclock();
  end = half;
  if (half.reason == SCIARA_STOP_WALL) {
    SCIARA_TRY(advance(p, ops, engine, begin + seconds, &end));
  } else { // all of it counts
    half = (struct sciara_engine_progress){.step = p->state->step, .time = p->state->time};
    middle = begin;
  }
  const double wall = sciara_wallclock() - begin, later = begin + wall - middle;
  const double steps = (double)(end.step - half.step);
  const bool changes = end.reason == SCIARA_STOP_TIME && end.time < sciara_limits_end(&p->run);
  *out = (struct sciara_time_estimate){.whole = end.reason != SCIARA_STOP_WALL && !changes,
                                       .steps = end.step,
                                       .time = end.time,
                                       .wall = wall,
                                       .per_second = later / (end.time - half.time),
                                       .per_step = later / steps};
  out->made = out->whole || steps > 0; // a step may take too long for a probe
  if (out->made && !out->whole) sciara_time_estimate_extend(p, out);
  return SCIARA_OK;
}

enum sciara_status sciara_time_estimate_make(const struct sciara_problem *p, double seconds,
                                             struct sciara_time_estimate *out) {
  const struct sciara_engine_ops *ops, *inner;
  struct sciara_engine_ops banded;
  void *engine;
  *out = (struct sciara_time_estimate){.made = false};
  if (sciara_grid_cells(&p->grid) > SCIARA_COST_PROBE_CELLS) return SCIARA_OK;
  SCIARA_TRY(sciara_engine_choose(&p->engine, p->params.rule, p->notes, &inner));
  SCIARA_TRY(sciara_engine_choose_bands(&p->engine, p->notes, inner, p->comm, &banded, &ops));
  const struct sciara_engine_setup setup = {.params = &p->params,
                                            .vents = p->vents,
                                            .boundary = p->boundary,
                                            .threads = p->engine.threads,
                                            .device = p->engine.device,
                                            .options = sciara_chosen_options(&p->engine),
                                            .comm = p->comm,
                                            .inner = inner};
  SCIARA_TRY(ops->create(&setup, &engine));
  const enum sciara_status status = probe(p, ops, engine, seconds, out);
  ops->destroy(engine);
  out->threads = sciara_engine_threads(ops, p->engine.threads);
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
              volume / (grid->cell_size * grid->cell_size * SCIARA_COST_THIN * thin(params)));
}

double sciara_member_disk(double members, double covered) {
  return SCIARA_COST_MEMBER * members + SCIARA_COST_MEMBER_CELL * covered;
}

struct sciara_member_need sciara_member_need_of(const struct sciara_problem *p, unsigned record,
                                                double bytes_per_cell) {
  const struct sciara_params *params = &p->params;
  const double volume = p->vents ? sciara_vents_total(p->vents) : 0, w2 = p->grid.cell_size * p->grid.cell_size;
  const double thickness = 0.5 * (thin(params) + thick(params)), cells = (double)sciara_grid_cells(&p->grid);
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
