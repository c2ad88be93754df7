// SPDX-License-Identifier: Apache-2.0
// Claims about geometry/grid.h: interior, rim and NODATA, against the definition on random masks of many shapes.
#include "geometry/grid.h"

enum { MOST = 12 };

static bool valid_at(const struct sciara_grid *g, const uint8_t *valid, int64_t r, int64_t c) {
  return r >= 0 && c >= 0 && r < g->rows && c < g->cols && valid[r * g->cols + c];
}

static int kind_of(const struct sciara_grid *g, const uint8_t *valid, int64_t r, int64_t c) {
  if (!valid_at(g, valid, r, c)) return SCIARA_CELL_NODATA;
  for (int dr = -1; dr <= 1; dr++)
    for (int dc = -1; dc <= 1; dc++)
      if (!valid_at(g, valid, r + dr, c + dc)) return SCIARA_CELL_RIM;
  return SCIARA_CELL_INTERIOR;
}

TEST(random_masks) {
  uint64_t x = 88172645463325252u;
  int kinds[3] = {0, 0, 0};
  for (int64_t rows = 1; rows <= MOST; rows++)
    for (int64_t cols = 1; cols <= MOST; cols++)
      for (uint64_t holes = 0; holes < 16; holes += 3) { // in 64 cells
        const struct sciara_grid g = {.rows = rows, .cols = cols};
        uint8_t valid[MOST * MOST], kind[MOST * MOST + 2];
        memset(kind, 0xee, sizeof kind);
        for (int64_t i = 0; i < rows * cols; i++) {
          x ^= x << 13, x ^= x >> 7, x ^= x << 17;
          valid[i] = x % 64 >= holes;
        }
        sciara_grid_classify(&g, valid, kind + 1);
        for (int64_t r = 0; r < rows; r++)
          for (int64_t c = 0; c < cols; c++) {
            const int found = kind[1 + r * cols + c];
            ck_assert_msg(found == kind_of(&g, valid, r, c), "%d x %d, row %d, column %d: kind %d", (int)rows,
                          (int)cols, (int)r, (int)c, found);
            kinds[found]++;
          }
        ck_assert(kind[0] == 0xee && kind[rows * cols + 1] == 0xee);
      }
  ck_assert(kinds[0] > 100 && kinds[1] > 100 && kinds[2] > 100);
}

TEST(whole_grids) {
  const int64_t shapes[][3] = {{1, 1, 0}, {1, 9, 0}, {2, 2, 0}, {2, 9, 0},
                               {3, 3, 1}, {3, 9, 7}, {9, 3, 7}, {5, 6, 12}}; // rows, cols, interior
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    const struct sciara_grid g = {.rows = shapes[k][0], .cols = shapes[k][1]};
    uint8_t valid[64], kind[64];
    memset(valid, 1, sizeof valid);
    sciara_grid_classify(&g, valid, kind);
    int64_t interior = 0;
    for (int64_t i = 0; i < sciara_grid_cells(&g); i++) {
      interior += kind[i] == SCIARA_CELL_INTERIOR;
      ck_assert_uint_ne(kind[i], SCIARA_CELL_NODATA);
    }
    ck_assert_int_eq(interior, shapes[k][2]);
    memset(valid, 0, sizeof valid);
    sciara_grid_classify(&g, valid, kind);
    for (int64_t i = 0; i < sciara_grid_cells(&g); i++) ck_assert_uint_eq(kind[i], SCIARA_CELL_NODATA);
  }
}

TEST(decimals) { // of lengths and of coordinates, which show half a cell
  const struct {
    double cell;
    int decimals;
  } cases[] = {{30, 0}, {1, 0}, {0.5, 1}, {0.1, 1}, {0.025, 2}, {0.01, 2}, {0.005, 3}, {0.001, 3}, {1e-30, 9}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const struct sciara_grid g = {.rows = 1, .cols = 1, .cell_size = cases[k].cell};
    ck_assert_msg(sciara_grid_decimals(&g) == cases[k].decimals, "cells of %g m", g.cell_size);
    ck_assert_int_eq(sciara_grid_place_decimals(&g), cases[k].decimals + 3);
  }
}

RUN_TESTS(.one_process = true)
