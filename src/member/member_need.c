// SPDX-License-Identifier: Apache-2.0
#include "member/member_need.h"

#include <math.h>

#include "sim/time_estimate.h"

enum {
  BYTES_PER_MEMBER = 6 << 10, // on the disk, without cells
  BYTES_PER_CELL = 10,        // of a footprint on the disk, compressed
  THIN = 2,                   // times the critical height at the vent: less than the mean thickness
  STATE_BYTES = 48000,        // of a checkpoint without lava
  STATE_PER_CELL = 40,        // and for each cell with lava
  WINDOW_PER_LAVA = 4,        // cells of a window for each cell of lava
  WINDOW_LEAST = 4096,        // cells
  BYTES_OF_GROUND = 20,       // per cell, while it is made
};

double sciara_member_bytes_per_cell(const struct sciara_engine_ops *ops) {
  const struct sciara_grid unit = {.rows = 1000, .cols = 1000, .cell_size = 1};
  const unsigned record = SCIARA_RECORD_MAX_DEPOSIT;
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

/** Seconds in which the lava of a member cools on cells with 1 m of it, summed over these cells. */
static double liquid_time(const struct sciara_problem *p, double volume) {
  const double end = sciara_scenario_end(&p->scenario), w = p->grid.cell_size;
  double each = fmin(sciara_cooling_time(p, 1), end);
  if (!isfinite(each) && p->vents) each = sciara_vents_end(p->vents); // nothing cools, and only steps are limited
  return volume > 0 ? volume / (w * w) * each : 0;
}

double sciara_member_footprint(const struct sciara_params *params, double volume, const struct sciara_grid *grid) {
  return fmin((double)sciara_grid_cells(grid), volume / (grid->cell_size * grid->cell_size * THIN * params->hc_vent));
}

double sciara_member_disk(double members, double footprints) {
  return BYTES_PER_MEMBER * members + BYTES_PER_CELL * footprints;
}

struct sciara_member_need sciara_member_need_of(const struct sciara_problem *p, double bytes_per_cell) {
  const struct sciara_params *params = &p->scenario.params;
  const double volume = p->vents ? sciara_vents_total(p->vents) : 0, w2 = p->grid.cell_size * p->grid.cell_size;
  const double thickness = 0.5 * (params->hc_vent + params->hc_sol), cells = (double)sciara_grid_cells(&p->grid);
  struct sciara_member_need need = {.liquid_s = liquid_time(p, volume)};
  const double lava_cells = fmin(cells, thickness > 0 ? volume / (w2 * thickness) : cells); // half cooled
  const double footprint = sciara_member_footprint(params, volume, &p->grid);
  need.length = need.liquid_s / params->relaxation;
  need.disk = sciara_member_disk(1, footprint);
  need.checkpoint = STATE_BYTES + STATE_PER_CELL * fmin(cells, footprint + initial_cells(p));
  need.window = fmin(cells, WINDOW_LEAST + WINDOW_PER_LAVA * lava_cells);
  need.memory = need.window * bytes_per_cell;
  if (p->scenario.initial_checkpoint || p->scenario.initial_thickness.given || p->scenario.initial_thickness.path)
    need.memory += (double)sciara_state_memory(&p->grid, SCIARA_RECORD_MAX_DEPOSIT); // the map on which it begins
  if (p->scenario.dem.error.sd_m > 0) need.memory += BYTES_OF_GROUND * cells;        // a map of its own
  return need;
}
