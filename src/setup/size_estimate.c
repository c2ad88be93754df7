// SPDX-License-Identifier: Apache-2.0
#include "setup/size_estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/share.h"
#include "base/text.h"
#include "engine/device_info.h"
#include "map/raster_gdal.h"
#include "model/field.h"
#include "picture/map_picture.h"
#include "setup/cost.h"
#include "setup/setup.h"
#include "sim/choose_engine.h"
#include "store/checkpoint_hdf5.h"
#include "store/snapshot_hdf5.h"

size_t sciara_size_estimate_host(const struct sciara_size_estimate *f) {
  return f->program + f->site + f->state + f->engine + f->writing;
}

/**
 * Cells that the lava may cover: thinner lava than thin() does not flow further, and a step takes it at most to the
 * neighbouring cells.
 */
static double wet_cells(const struct sciara_scenario_spec *s, const struct sciara_grid *grid,
                        const struct sciara_vents *vents) {
  const double cells = (double)sciara_grid_cells(grid);
  if (sciara_scenario_has_initial_lava(s)) return cells;
  const double area = sciara_vents_total(vents) / sciara_thin_lava(&s->params);
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
  const int threads = sciara_free_cores(sciara_engine_threads(ops, s->engine.threads));
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
