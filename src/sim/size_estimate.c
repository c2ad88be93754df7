// SPDX-License-Identifier: Apache-2.0
#include "sim/size_estimate.h"

#include <math.h>

#include "map/raster_gdal.h"
#include "model/field.h"
#include "picture/map_picture.h"
#include "sim/choose_engine.h"
#include "sim/many_threads.h"
#include "store/checkpoint_hdf5.h"
#include "store/snapshot_hdf5.h"

enum {
  PROGRAM_STARTS = 60 << 20,     // measured: a run on 10 x 10 cells with GDAL 3.6, PROJ 9.1 and HDF5 1.10
  PROGRAM = 50 << 20,            // the part that cannot be reused later: measured on a million cells
  SNAPSHOT_TEXTS = 24 << 10,     // attributes and the structure of the file
  LEAST_PER_SNAPSHOT_FIELD = 512 // of an empty field
};

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

/**
 * Cells that the lava may cover: lava thinner than the critical height at the vent does not flow further, and a step
 * takes it at most to the neighbouring cells.
 */
static double wet_cells(const struct sciara_scenario_spec *s, const struct sciara_grid *grid,
                        const struct sciara_vents *vents) {
  const double cells = (double)sciara_grid_cells(grid);
  if (s->initial_thickness.given || s->initial_thickness.path || s->initial_checkpoint) return cells;
  const double area = sciara_vents_total(vents) / s->params.hc_vent;
  const double side = 2 * (double)s->run.max_steps + 1, within_reach = (double)vents->count * side * side;
  return fmin(fmin(cells, within_reach), area / (grid->cell_size * grid->cell_size));
}

static void predict_snapshot_size(const struct sciara_scenario_spec *s, const struct sciara_grid *grid, double wet,
                                  struct sciara_size_estimate *f) {
  const double cells = (double)sciara_grid_cells(grid), item = s->output.as_double ? 8 : 4;
  const double fixed = SNAPSHOT_TEXTS + 8.0 * (double)(grid->rows + grid->cols);
  double about = fixed, most = fixed;
  for (int field = 0; field < SCIARA_FIELD_COUNT; field++) {
    if (!(s->output.fields >> field & 1u)) continue;
    about += LEAST_PER_SNAPSHOT_FIELD + item * (field == SCIARA_FIELD_ALTITUDE ? cells : wet);
    most += LEAST_PER_SNAPSHOT_FIELD + item * cells;
  }
  f->snapshot = (size_t)about;
  f->snapshot_most = (size_t)most;
}

/**
 * Bytes needed to make a checkpoint: every field of the state where lava is, in 64 bits. In single precision the last
 * 29 bits are zeros, which deflate to almost nothing.
 */
static size_t predict_checkpoint(const struct sciara_grid *grid, unsigned record, double wet, bool single) {
  enum { REALS = 5, ZERO_BITS = 29 }; // z, h, T, px, py
  double a_cell = (double)sciara_state_memory(grid, record) / (double)sciara_grid_cells(grid);
  if (single) a_cell -= REALS * ZERO_BITS / 8.0;
  return sciara_checkpoint_memory(grid) + SNAPSHOT_TEXTS + (size_t)(a_cell * wet);
}

static void count_snapshots(const struct sciara_scenario_spec *s, const struct sciara_vents *vents,
                            struct sciara_size_estimate *f) {
  const double every = s->output.every_s, end = sciara_scenario_end(s);
  // One for each interval, and one of the final state; at most one for each step.
  f->snapshots = every > 0 ? fmax(1, ceil(end / every)) : 1;
  if (s->run.max_steps != UINT64_MAX) f->snapshots = fmin(f->snapshots, (double)s->run.max_steps);
  f->snapshots_while_vent = every > 0 ? fmin(f->snapshots, floor(sciara_vents_end(vents) / every) + 1) : 1;
}

size_t sciara_size_estimate_waiting(const struct sciara_grid *grid, unsigned record, bool kept) {
  return (kept ? 1 : SCIARA_PLACES) * sciara_state_memory(grid, record);
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
  f.checkpoint = predict_checkpoint(grid, record, wet, sciara_scenario_precision(s) != SCIARA_DOUBLE);
  const size_t file = snapshot > f.checkpoint ? snapshot : f.checkpoint; // also one after the other
  const int marks = (s->dem.sea.rule != SCIARA_SEA_NONE) + (s->dem.edit_count > 0);
  const size_t dem = sciara_map_geotiff_memory(grid, marks), later_files = (file > map ? file : map) + on_the_way;
  f.writing = dem > later_files ? dem : later_files; // the DEM is written first
  const size_t later = f.site + f.state + f.engine + f.writing, freed = PROGRAM_STARTS - PROGRAM;
  f.program = PROGRAM + (later < freed ? freed - later : 0);
  return f;
}

enum sciara_status sciara_size_estimate_check(const struct sciara_size_estimate *f, const char *name) {
  const size_t need = sciara_size_estimate_host(f) - f->program; // the program is already in memory
  if (f->available == 0 || need <= f->available) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_MEMORY,
                     "%s: the run needs about %.3g GB of memory (ground %.3g, state %.3g, engine %.3g, writing %.3g), "
                     "%.3g GB are free; use a part with dem.window, or larger cells with dem.cell_size_m",
                     name, (double)need * 1e-9, (double)f->site * 1e-9, (double)f->state * 1e-9,
                     (double)f->engine * 1e-9, (double)f->writing * 1e-9, (double)f->available * 1e-9);
}
