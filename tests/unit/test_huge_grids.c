// SPDX-License-Identifier: Apache-2.0
// Grids around 2^31 cells and far beyond: counts and indices for them are not cut to 32 bits. No test takes the memory
// of such a grid: one page is mapped at all of its addresses.
#include <sys/mman.h>

#include "engine/host_fields.h"
#include "geometry/moore.h"
#include "picture/map_picture.h"
#include "run/writer.h"
#include "setup/size_estimate.h"
#include "store/checkpoint_hdf5.h"
#include "support/owned.h"

/** 2^31 - 1, 2^31 and 2^31 + 1 cells, the same shape with fewer and more, and a size beyond any machine. */
static const struct sciara_grid grids[] = {
    {.rows = 1, .cols = 2147483647, .cell_size = 10},   {.rows = 2147483647, .cols = 1, .cell_size = 10},
    {.rows = 65536, .cols = 32768, .cell_size = 10},    {.rows = 3, .cols = 715827883, .cell_size = 10},
    {.rows = 715827883, .cols = 3, .cell_size = 10},    {.rows = 40000, .cols = 40000, .cell_size = 10},
    {.rows = 65536, .cols = 65536, .cell_size = 10},    {.rows = 65537, .cols = 65537, .cell_size = 10},
    {.rows = 1000000, .cols = 1000000, .cell_size = 1},
};
enum { GRIDS = sizeof grids / sizeof *grids };

static const char *const engines[] = {"serial", "openmp", "checked"};

static double cells_of(const struct sciara_grid *g) { return (double)g->rows * (double)g->cols; }

TEST_EACH(they_are_counted, GRIDS) {
  const struct sciara_grid *g = &grids[_i];
  const double cells = cells_of(g);
  ck_assert_double_eq((double)sciara_grid_cells(g), cells);
  ck_assert_double_eq((double)sciara_site_memory(g), 9 * cells);
  ck_assert_double_eq((double)sciara_state_memory(g, 0), 56 * cells);
  ck_assert_double_eq((double)sciara_state_memory(g, 3), 72 * cells);
  ck_assert_double_eq((double)sciara_size_estimate_waiting(g, 3, false), 144 * cells);
  ck_assert_double_ge((double)sciara_map_cog_memory(g), 8 * cells);
  ck_assert_double_le((double)sciara_map_cog_memory(g), 12 * cells);
  ck_assert_double_ge((double)sciara_map_picture_memory(g), 4 * cells);
  ck_assert_uint_lt(sciara_checkpoint_memory(g), (size_t)1 << 20); // works chunk by chunk
}

TEST_EACH(engines_predict_them, GRIDS) {
  const struct sciara_grid *g = &grids[_i];
  const double padded = (double)(g->rows + 2) * (double)(g->cols + 64);
  for (size_t k = 0; k < sizeof engines / sizeof *engines; k++)
    for (int precision = 0; precision < 2; precision++) {
      const struct sciara_engine_ops *ops;
      size_t host = 0, device = 0;
      expect_ok(
          sciara_engine_find(engines[k], SCIARA_RULE_FV3, precision ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION, &ops));
      ops->memory(g, 0, &host, &device);
      ck_assert_msg((double)host >= (precision ? 56 : 36) * cells_of(g) && (double)host <= 1000 * padded,
                    "%s, %" PRId64 " x %" PRId64 ": %zu bytes", engines[k], g->rows, g->cols, host);
      ck_assert_uint_eq(device, 0);
    }
}

TEST_EACH(runs_on_them_are_refused, GRIDS) {
  const struct sciara_grid *g = &grids[_i];
  const double edges[] = {0, 86400}, rates[] = {5};
  const struct sciara_scenario_spec s = {.params = sciara_params_default(),
                                         .run = {.max_time_s = INFINITY, .max_steps = UINT64_MAX},
                                         .output = {.fields = 1u << SCIARA_FIELD_THICKNESS, .as_double = true}};
  OWNED(destroy_vents) struct sciara_vents *vents = sciara_vents_create();
  expect_ok(sciara_vents_add(vents, 0, 0, 1, edges, rates));
  const struct sciara_engine_ops *ops;
  expect_ok(sciara_engine_find("openmp", SCIARA_RULE_FV3, SCIARA_DOUBLE, &ops));
  const size_t available = (size_t)64 << 30;
  const struct sciara_size_estimate f = sciara_size_estimate_make(&s, g, vents, ops, available);
  ck_assert_double_eq((double)f.site, 9 * cells_of(g));
  ck_assert_double_eq((double)f.state, 56 * cells_of(g));
  ck_assert_double_ge((double)f.snapshot_most, 8 * cells_of(g));
  ck_assert_double_ge((double)sciara_size_estimate_host(&f), (65 + 56) * cells_of(g));
  expect_error(sciara_size_estimate_check(&f, "a.json"), SCIARA_ERR_MEMORY, "a.json: the run needs about ");
}

TEST_EACH(cells_of_engines_are_found_again, GRIDS) {
  const struct sciara_grid *g = &grids[_i];
  const struct sciara_host_fields hf = {.grid = *g, .f = {.stride = (g->cols + 2 + 31) / 32 * 32}};
  const int64_t rows[] = {0, g->rows / 2, g->rows - 1}, cols[] = {0, g->cols / 2, g->cols - 1};
  for (size_t r = 0; r < 3; r++)
    for (size_t c = 0; c < 3; c++) {
      int64_t row, col;
      const int64_t i = sciara_host_index(&hf, rows[r], cols[c]);
      ck_assert_double_eq((double)i, ((double)rows[r] + 1) * (double)hf.f.stride + (double)cols[c] + 1);
      sciara_host_cell(&hf, i, &row, &col);
      ck_assert(row == rows[r] && col == cols[c]);
      for (int n = 1; n < SCIARA_MOORE; n++)
        ck_assert_double_eq((double)(i + sciara_moore_offset(n, hf.f.stride)),
                            (double)i + sciara_moore_row(n) * (double)hf.f.stride + sciara_moore_col(n));
    }
}

// ------------------------------------------------------------------------------------------- every cell of such a grid

enum { ROWS = 65537, COLS = 32768, BLOCK = 1 << 20, BLOCK_ROWS = BLOCK / COLS };

/** Addresses for all cells, a byte each; the same BLOCK of memory is mapped again and again. */
static uint8_t *alias(void) {
  const size_t bytes = ((size_t)ROWS * COLS + BLOCK - 1) / BLOCK * BLOCK;
  const int file = memfd_create("block", 0);
  ck_assert(file >= 0 && ftruncate(file, BLOCK) == 0);
  uint8_t *all = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ck_assert_ptr_ne(all, MAP_FAILED);
  for (size_t at = 0; at < bytes; at += BLOCK)
    ck_assert_ptr_ne(mmap(all + at, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0), MAP_FAILED);
  close(file);
  return all;
}

// All of them with SCIARA_TORTURE in the environment, otherwise the last rows, whose cells are beyond 2^31.
TEST_EACH(every_cell_is_classified, sanitized() ? 0 : 1) {
  const struct sciara_grid g = {.rows = ROWS, .cols = COLS, .cell_size = 10};
  uint8_t *valid = alias(), *kind = alias();
  memset(valid, 1, BLOCK);
  valid[5 * COLS + 1000] = 0; // a hole in each block of rows
  if (getenv("SCIARA_TORTURE"))
    sciara_grid_classify(&g, valid, kind);
  else
    sciara_grid_classify_rows(&g, valid, kind, ROWS - 2 * BLOCK_ROWS, ROWS);
  // The memory holds the cells that were classified last: those of the last block of rows, and of the one before.
  for (int64_t r = ROWS - BLOCK_ROWS; r < ROWS; r++)
    for (int64_t c = 0; c < COLS; c++) {
      const int64_t from_hole = r % BLOCK_ROWS - 5;
      const bool near = from_hole >= -1 && from_hole <= 1 && c >= 999 && c <= 1001;
      const bool rim = r == ROWS - 1 || c == 0 || c == COLS - 1 || near;
      const int expected = near && from_hole == 0 && c == 1000 ? SCIARA_CELL_NODATA
                           : rim                               ? SCIARA_CELL_RIM
                                                               : SCIARA_CELL_INTERIOR;
      ck_assert_msg(kind[r * COLS + c] == expected, "row %" PRId64 ", column %" PRId64 ": kind %d", r, c,
                    kind[r * COLS + c]);
    }
}

RUN_TESTS(.seconds = 100)
