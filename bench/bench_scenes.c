// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_scenes.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "setup/setup.h"

enum {
  TILE = 512,       // sparse: one patch in each tile of so many rows and columns
  PATCH_SHARE = 32, // of the side of a tile: 1/32 squared is 0.098 %
  // Distance between a patch and the edges of its tile, as fractions of the side: more than a patch reaches in 400
  // steps. So no patch meets another, and a map of the patches alone holds the same lava.
  ABOVE_SHARE = 64,
  LATERAL_SHARE = 32,
  BELOW_SHARE = 8,
  THICKER = 3, // sparse: lava that stops flowing after 100 steps is no load for a measurement
};

/** 64 pseudo-random bits for a cell and a purpose. */
static uint64_t noise(int64_t row, int64_t col, uint64_t what) {
  uint64_t x = (uint64_t)row * 0x9e3779b97f4a7c15u + (uint64_t)col * 0xc2b2ae3d27d4eb4fu + what * 0x165667b19e3779f9u;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
  return x ^ x >> 32;
}

/** 0 <= value < 1 in steps of 1/64: sums of such values and whole numbers are exact in float too. */
static double sixty_fourths(uint64_t bits) { return (double)(bits >> 58) / 64; }

/**
 * A slope of 25 % down to the south, with a roughness of 2 m between cells and of 4 m between blocks of 16 x 16 cells.
 * So lava in every cell flows for hundreds of steps; on a slope of 5 % it stops in hollows after twenty.
 */
static double altitude(int64_t size, int64_t row, int64_t col) {
  return 100 + 2.5 * (double)(size - row) + 2 * sixty_fourths(noise(row, col, 1)) +
         4 * sixty_fourths(noise(row / 16, col / 16, 2));
}

// -------------------------------------------------------------------------------------------------------------- places

/** How a tile of a scene with patches is divided, in cells. */
struct tiling {
  int64_t tiles; ///< in a row of the map, and in a column
  int64_t side;  ///< of a tile
  int64_t patch, above, lateral, below;
};

static struct tiling tiling_of(int64_t size) {
  const int64_t side = size < TILE ? size : TILE;
  return (struct tiling){.tiles = size / side,
                         .side = side,
                         .patch = side / PATCH_SHARE,
                         .above = side / ABOVE_SHARE,
                         .lateral = side / LATERAL_SHARE,
                         .below = side / BELOW_SHARE};
}

struct cell {
  int64_t row, col;
};

/** The first cell of the patch of a tile, on the large map: anywhere but in the margins. */
static struct cell patch_at(const struct tiling *t, int64_t tile_row, int64_t tile_col) {
  const int64_t top = tile_row * t->side, left = tile_col * t->side;
  const uint64_t rows = (uint64_t)(t->side - t->above - t->patch - t->below + 1);
  const uint64_t cols = (uint64_t)(t->side - 2 * t->lateral - t->patch + 1);
  return (struct cell){.row = top + t->above + (int64_t)(noise(top, left, 5) % rows),
                       .col = left + t->lateral + (int64_t)(noise(top, left, 6) % cols)};
}

/** The rows of a tile of the tight map. */
static int64_t tight_rows(const struct tiling *t) { return t->above + t->patch + t->below; }

static int64_t tight_cols(const struct tiling *t) { return 2 * t->lateral + t->patch; }

/** The position on the large map of a cell of the map of a scene. */
static struct cell origin(enum sciara_scene scene, const struct tiling *t, int64_t row, int64_t col) {
  if (scene != SCIARA_SCENE_TIGHT) return (struct cell){row, col};
  const struct cell patch = patch_at(t, row / tight_rows(t), col / tight_cols(t));
  return (struct cell){.row = patch.row - t->above + row % tight_rows(t),
                       .col = patch.col - t->lateral + col % tight_cols(t)};
}

struct sciara_grid sciara_scene_grid(enum sciara_scene scene, int64_t size) {
  const struct tiling t = tiling_of(size);
  const int64_t rows = scene == SCIARA_SCENE_TIGHT ? t.tiles * tight_rows(&t) : size;
  const int64_t cols = scene == SCIARA_SCENE_TIGHT ? t.tiles * tight_cols(&t) : size;
  return (struct sciara_grid){.rows = rows, .cols = cols, .cell_size = 10, .west = 0, .north = 10 * (double)rows};
}

int64_t sciara_scene_liquid(enum sciara_scene scene, int64_t size) {
  const struct tiling t = tiling_of(size);
  return scene == SCIARA_SCENE_DENSE ? (size - 2) * (size - 2) : t.tiles * t.tiles * t.patch * t.patch;
}

// ------------------------------------------------------------------------------------------------------ ground and
// lava

static enum sciara_status make_ground(enum sciara_scene scene, int64_t size, struct sciara_problem *p) {
  const struct tiling t = tiling_of(size);
  double *z = NULL;
  uint8_t *valid = NULL;
  enum sciara_status status;
  const int64_t cells = sciara_grid_cells(&p->grid);
  SCIARA_TRY_GOTO(SCIARA_NEW(z, cells, "altitudes of a scene"));
  SCIARA_TRY_GOTO(SCIARA_NEW(valid, cells, "cells of a scene"));
  memset(valid, 1, (size_t)cells);
  for (int64_t row = 0; row < p->grid.rows; row++)
    for (int64_t col = 0; col < p->grid.cols; col++) {
      const struct cell at = origin(scene, &t, row, col);
      z[row * p->grid.cols + col] = altitude(size, at.row, at.col);
    }
  SCIARA_TRY_GOTO(sciara_site_adopt(&p->grid, &z, valid, NULL, &p->site));
  SCIARA_TRY_GOTO(sciara_state_create_on(p->site, 0, &p->state));
cleanup:
  sciara_free(z);
  sciara_free(valid);
  return status;
}

/**
 * 1 to 5 m of lava, or a multiple of it, up to 32 K cooler than at a vent; `at` is the position on the large map, which
 * determines thickness and temperature.
 */
static double pour(const struct sciara_problem *p, int64_t row, int64_t col, struct cell at, int thicker) {
  struct sciara_state *s = p->state;
  const int64_t i = row * s->grid.cols + col;
  s->h[i] = thicker * (1 + 4 * sixty_fourths(noise(at.row, at.col, 3)));
  s->T[i] = p->params.T_vent - 32 * sixty_fourths(noise(at.row, at.col, 4));
  s->arrival[i] = 0;
  return s->h[i];
}

static double pour_everywhere(const struct sciara_problem *p, int64_t size) {
  double sum = 0;
  for (int64_t row = 1; row < size - 1; row++)
    for (int64_t col = 1; col < size - 1; col++) sum += pour(p, row, col, (struct cell){row, col}, 1);
  return sum;
}

static double pour_patches(const struct sciara_problem *p, enum sciara_scene scene, int64_t size) {
  const struct tiling t = tiling_of(size);
  double sum = 0;
  for (int64_t a = 0; a < t.tiles; a++)
    for (int64_t b = 0; b < t.tiles; b++) {
      const struct cell large = patch_at(&t, a, b);
      const struct cell first = scene == SCIARA_SCENE_TIGHT
                                    ? (struct cell){a * tight_rows(&t) + t.above, b * tight_cols(&t) + t.lateral}
                                    : large;
      for (int64_t r = 0; r < t.patch; r++)
        for (int64_t c = 0; c < t.patch; c++)
          sum += pour(p, first.row + r, first.col + c, (struct cell){large.row + r, large.col + c}, THICKER);
    }
  return sum;
}

static enum sciara_status make(enum sciara_scene scene, int64_t size, enum sciara_precision precision,
                               struct sciara_problem *p) {
  static const char *const names[] = {"dense", "sparse", "tight"};
  p->grid = sciara_scene_grid(scene, size);
  p->params = sciara_params_default();
  p->boundary = SCIARA_BOUNDARY_OPEN;
  p->engine.single_precision = precision != SCIARA_DOUBLE;
  p->source->scenario.path =
      sciara_format("%s scene of %" PRId64 " x %" PRId64 " cells", names[scene], p->grid.rows, p->grid.cols);
  p->vents = sciara_vents_create();
  if (!p->vents || !p->source->scenario.path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a scene");
  SCIARA_TRY(make_ground(scene, size, p));
  const double sum = scene == SCIARA_SCENE_DENSE ? pour_everywhere(p, size) : pour_patches(p, scene, size);
  p->state->initial = p->grid.cell_size * p->grid.cell_size * sum;
  p->state->clock = p->params.t_first;
  return sciara_problem_make_rounding(p);
}

enum sciara_status sciara_scene_make(enum sciara_scene scene, int64_t size, enum sciara_precision precision,
                                     struct sciara_problem *out) {
  struct sciara_diagnostics diagnostics = {0};
  *out = (struct sciara_problem){0};
  if (size < SCIARA_SCENE_LEAST || size > SCIARA_SCENE_MOST)
    return sciara_fail(SCIARA_ERR_INPUT, "expected a scene of %d to %d rows, found %" PRId64, SCIARA_SCENE_LEAST,
                       SCIARA_SCENE_MOST, size);
  sciara_problem_begin(out, &diagnostics);
  enum sciara_status status = sciara_diagnostics_end(&diagnostics);
  if (status == SCIARA_OK) status = make(scene, size, precision, out);
  if (status != SCIARA_OK) sciara_problem_free(out);
  return status;
}
