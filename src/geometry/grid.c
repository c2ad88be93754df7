// SPDX-License-Identifier: Apache-2.0
#include "geometry/grid.h"

#include "geometry/moore.h"

void sciara_grid_classify(const struct sciara_grid *g, const uint8_t *valid, uint8_t *kind) {
  sciara_grid_classify_rows(g, valid, kind, 0, g->rows);
}

void sciara_grid_classify_rows(const struct sciara_grid *g, const uint8_t *valid, uint8_t *kind, int64_t begin,
                               int64_t end) {
  for (int64_t r = begin; r < end; r++)
    for (int64_t c = 0; c < g->cols; c++) {
      const int64_t i = r * g->cols + c;
      bool interior = r > 0 && c > 0 && r + 1 < g->rows && c + 1 < g->cols;
      for (int n = 1; interior && n < SCIARA_MOORE; n++) interior = valid[i + sciara_moore_offset(n, g->cols)];
      kind[i] = !valid[i] ? SCIARA_CELL_NODATA : interior ? SCIARA_CELL_INTERIOR : SCIARA_CELL_RIM;
    }
}
