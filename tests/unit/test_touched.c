// SPDX-License-Identifier: Apache-2.0
// Where lava has been is found to the last bit of the last cell, and what is summed up there is what is summed up
// everywhere.
#include "model/ledger.h"
#include "model/state.h"
#include "support/every_field.h"
#include "support/owned.h"

enum { ROWS = 5, COLS = 199, CELLS = ROWS * COLS, BLOCK = 64 };

static struct sciara_state *bare(int64_t rows, int64_t cols, unsigned record) {
  const struct sciara_grid grid = {.rows = rows, .cols = cols, .cell_size = 10};
  const size_t cells = (size_t)(rows * cols);
  OWNED(free_memory) double *z = malloc(cells * sizeof *z);
  OWNED(free_memory) uint8_t *valid = malloc(cells);
  struct sciara_state *s;
  for (size_t i = 0; i < cells; i++) {
    z[i] = 50 + (double)i / 7;
    valid[i] = i % 40 != 7;
  }
  expect_ok(sciara_state_create(&grid, z, valid, record, &s));
  return s;
}

static struct sciara_touched find(const struct sciara_state *s, int threads) {
  struct sciara_touched touched;
  expect_ok(sciara_touched_find(s, threads, &touched));
  return touched;
}

static void expect_none(const struct sciara_state *s) {
  OWNED(sciara_touched_release) struct sciara_touched touched = find(s, 1);
  for (int64_t r = 0; r < s->grid.rows; r++) ck_assert_int_eq(touched.rows[r].begin, touched.rows[r].end);
  ck_assert_int_eq(touched.liquid_cells, 0);
}

TEST(ground_alone) {
  OWNED(destroy_state) struct sciara_state *s = bare(ROWS, COLS, SCIARA_RECORD_EVERYTHING);
  expect_none(s);
}

// One changed value, in each field of each cell: its row has one cell, and all other rows are empty.
TEST_EACH(a_single_value, EVERY_FIELD) {
  OWNED(destroy_state) struct sciara_state *s = bare(ROWS, COLS, SCIARA_RECORD_EVERYTHING);
  double *const field = every_field(s, _i);
  for (int64_t i = 0; i < CELLS; i++) {
    double *value = &field[i];
    const double before = *value;
    *value = i % 2 ? before + 1 : -before; // -0 differs from the ground too
    struct sciara_touched touched = find(s, 1);
    for (int64_t r = 0; r < ROWS; r++) {
      const struct sciara_span *span = &touched.rows[r];
      if (r != i / COLS) {
        ck_assert_int_eq(span->begin, span->end);
        continue;
      }
      ck_assert(span->begin <= i % COLS && i % COLS < span->end && span->end <= COLS);
      ck_assert_int_le(span->end - span->begin, BLOCK);
    }
    ck_assert_int_eq(touched.liquid_cells, field == s->h && i % 2);
    sciara_touched_release(&touched);
    *value = before;
  }
  expect_none(s);
}

/** Lava in about every twentieth cell, and rock. */
static void strew(struct sciara_state *s) {
  srand(1);
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    if (rand() % 20 || i / s->grid.cols % 3 == 1 || !s->kind[i]) continue;
    s->h[i] = rand() % 3 ? rand() / 1e9 : 0;
    s->z[i] += rand() % 2 ? rand() / 1e9 : 0;
    s->lost[i] = rand() % 5 ? 0 : rand() / 1e9;
    s->arrival[i] = rand();
  }
  s->emitted = 1234.5;
  s->solidifications = 77;
}

// A large map on any number of threads, and the sums over what was found.
TEST_EACH(sums_over_it, 9) {
  OWNED(destroy_state) struct sciara_state *s = bare(300, 700, 0);
  strew(s);
  struct sciara_touched one = find(s, 1), more = find(s, _i);
  ck_assert_mem_eq(one.rows, more.rows, 300 * sizeof *one.rows);
  ck_assert_int_eq(one.liquid_cells, more.liquid_cells);
  ck_assert_int_eq(one.liquid_cells, sciara_state_liquid_cells(s));
  struct sciara_ledger all, over;
  memset(&all, 0, sizeof all);
  memset(&over, 0, sizeof over);
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &all);
  sciara_ledger_form_over(s, &more, sciara_rounding_usual(DBL_EPSILON), &over);
  ck_assert_mem_eq(&all, &over, sizeof all);
  ck_assert_double_gt(all.solid_m3, 0);
  ck_assert_double_gt(all.lost_m3, 0);
  ck_assert_uint_eq(sciara_state_checksum_over(s, sciara_state_checksum_of_ground(s), &more), sciara_state_checksum(s));
  sciara_touched_release(&one);
  sciara_touched_release(&more);
  sciara_touched_release(&more);
}

RUN_TESTS()
