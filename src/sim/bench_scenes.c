// SPDX-License-Identifier: Apache-2.0
#include "sim/bench_scenes.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum {
  TILE = 512,       // sparse: one patch in each tile of so many rows and columns
  PATCH_SHARE = 32, // of the side of a tile: 1/32 squared is 0.098 %
};

/** 64 bits that look random, for a cell and what is asked about it. */
static uint64_t noise(int64_t row, int64_t col, uint64_t what) {
  uint64_t x = (uint64_t)row * 0x9e3779b97f4a7c15u + (uint64_t)col * 0xc2b2ae3d27d4eb4fu + what * 0x165667b19e3779f9u;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
  return x ^ x >> 32;
}

/** 0 <= value < 1 in steps of 1/64: sums of such values and whole numbers are exact in float too. */
static double sixty_fourths(uint64_t bits) { return (double)(bits >> 58) / 64; }

/** A slope of 5 % down to the south, 2 m of roughness from cell to cell and 4 m from one 16 x 16 block to the next. */
static double altitude(int64_t size, int64_t row, int64_t col) {
  return 100 + 0.5 * (double)(size - row) + 2 * sixty_fourths(noise(row, col, 1)) +
         4 * sixty_fourths(noise(row / 16, col / 16, 2));
}

static int64_t tile_of(int64_t size) { return size < TILE ? size : TILE; }

static int64_t patch_of(int64_t size) { return tile_of(size) / PATCH_SHARE; }

struct sciara_grid sciara_scene_grid(int64_t size) {
  return (struct sciara_grid){.rows = size, .cols = size, .cell_size = 10, .west = 0, .north = 10 * (double)size};
}

int64_t sciara_scene_liquid(enum sciara_scene scene, int64_t size) {
  const int64_t tiles = size / tile_of(size), patch = patch_of(size);
  return scene == SCIARA_SCENE_DENSE ? (size - 2) * (size - 2) : tiles * tiles * patch * patch;
}

static enum sciara_status make_ground(int64_t size, struct sciara_problem *p) {
  double *z = NULL;
  uint8_t *valid = NULL;
  enum sciara_status status;
  const int64_t cells = sciara_grid_cells(&p->grid);
  SCIARA_TRY_GOTO(SCIARA_NEW(z, cells, "altitudes of a scene"));
  SCIARA_TRY_GOTO(SCIARA_NEW(valid, cells, "cells of a scene"));
  memset(valid, 1, (size_t)cells);
  for (int64_t row = 0; row < size; row++)
    for (int64_t col = 0; col < size; col++) z[row * size + col] = altitude(size, row, col);
  SCIARA_TRY_GOTO(sciara_state_create(&p->grid, z, valid, 0, &p->state));
cleanup:
  sciara_free(z);
  sciara_free(valid);
  return status;
}

/** 1 to 5 m of lava, up to 32 K cooler than at a vent: some of it flows, some is too cool for its thickness. */
static double pour(const struct sciara_problem *p, int64_t row, int64_t col) {
  struct sciara_state *s = p->state;
  const int64_t i = row * s->grid.cols + col;
  s->h[i] = 1 + 4 * sixty_fourths(noise(row, col, 3));
  s->T[i] = p->scenario.params.T_vent - 32 * sixty_fourths(noise(row, col, 4));
  s->arrival[i] = 0;
  return s->h[i];
}

static double pour_everywhere(const struct sciara_problem *p, int64_t size) {
  double sum = 0;
  for (int64_t row = 1; row < size - 1; row++)
    for (int64_t col = 1; col < size - 1; col++) sum += pour(p, row, col);
  return sum;
}

/** The place of a patch in its tile is anywhere but on the outermost cells. */
static double pour_patches(const struct sciara_problem *p, int64_t size) {
  const int64_t tile = tile_of(size), patch = patch_of(size), room = tile - patch - 1;
  double sum = 0;
  for (int64_t top = 0; top + tile <= size; top += tile)
    for (int64_t left = 0; left + tile <= size; left += tile) {
      const int64_t row = top + 1 + (int64_t)(noise(top, left, 5) % (uint64_t)room);
      const int64_t col = left + 1 + (int64_t)(noise(top, left, 6) % (uint64_t)room);
      for (int64_t r = row; r < row + patch; r++)
        for (int64_t c = col; c < col + patch; c++) sum += pour(p, r, c);
    }
  return sum;
}

static enum sciara_status make(enum sciara_scene scene, int64_t size, enum sciara_precision precision,
                               struct sciara_problem *p) {
  p->grid = sciara_scene_grid(size);
  p->scenario.params = sciara_params_default();
  p->scenario.boundary = SCIARA_BOUNDARY_OPEN;
  p->scenario.engine.single_precision = precision != SCIARA_DOUBLE;
  p->scenario.path = sciara_format("%s scene of %" PRId64 " x %" PRId64 " cells",
                                   scene == SCIARA_SCENE_DENSE ? "dense" : "sparse", size, size);
  p->vents = sciara_vents_create();
  if (!p->vents || !p->scenario.path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a scene");
  SCIARA_TRY(make_ground(size, p));
  const double sum = scene == SCIARA_SCENE_DENSE ? pour_everywhere(p, size) : pour_patches(p, size);
  p->state->initial = p->grid.cell_size * p->grid.cell_size * sum;
  p->state->clock = p->scenario.params.t_first;
  return SCIARA_OK;
}

enum sciara_status sciara_scene_make(enum sciara_scene scene, int64_t size, enum sciara_precision precision,
                                     struct sciara_problem *out) {
  *out = (struct sciara_problem){0};
  if (size < SCIARA_SCENE_LEAST || size > SCIARA_SCENE_MOST)
    return sciara_fail(SCIARA_ERR_INPUT, "a scene of %" PRId64 " rows: allowed %d to %d", size, SCIARA_SCENE_LEAST,
                       SCIARA_SCENE_MOST);
  const enum sciara_status status = make(scene, size, precision, out);
  if (status != SCIARA_OK) sciara_problem_free(out);
  return status;
}
