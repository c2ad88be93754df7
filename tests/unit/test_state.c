// SPDX-License-Identifier: Apache-2.0
// Claims about model/state.h: the initial state, clones, and what the checksum covers.
#include "model/field.h"
#include "model/state.h"
#include "support/every_field.h"
#include "support/owned.h"
#include "support/writable.h"

enum {
  ROWS = 5,
  COLS = 7,
  CELLS = ROWS * COLS,
  FIELDS = EVERY_FIELD + 1,
  SUMMED = SUMMED_FIELDS + 1,
  GROUND = SUMMED_FIELDS
};

static const unsigned all = SCIARA_RECORD_EVERYTHING;

/** A state in which all values differ. */
static struct sciara_state *make(int64_t rows, int64_t cols, unsigned record) {
  const struct sciara_grid grid = {.rows = rows, .cols = cols, .cell_size = 10, .west = 1, .north = 2};
  double z[CELLS];
  uint8_t valid[CELLS];
  for (int i = 0; i < CELLS; i++) {
    z[i] = 100 + i;
    valid[i] = i != 17;
  }
  struct sciara_state *s;
  expect_ok(sciara_state_create(&grid, z, valid, record, &s));
  return s;
}

static double *field(struct sciara_state *s, int k) {
  return k == SUMMED_FIELDS ? writable_ground(s)
                            : every_field(s, k < SUMMED_FIELDS ? k : k - 1); // the recorded ones are the last
}

static struct sciara_state *filled(void) {
  struct sciara_state *s = make(ROWS, COLS, all);
  for (int k = 0; k < FIELDS; k++)
    for (int i = 0; i < CELLS; i++) field(s, k)[i] = 1 + k + 0.01 * i;
  s->time = 11;
  s->clock = 12;
  s->step = 13;
  s->initial = 14;
  s->emitted = 15;
  s->solidifications = 16;
  return s;
}

static void flip(double *value, int bit) {
  uint64_t bits;
  memcpy(&bits, value, sizeof bits);
  bits ^= (uint64_t)1 << bit;
  memcpy(value, &bits, sizeof bits);
}

TEST(fresh) {
  struct sciara_state *s = make(ROWS, COLS, 0);
  ck_assert(!s->max_h && !s->max_speed);
  for (int i = 0; i < CELLS; i++) {
    ck_assert_double_eq(s->z[i], i == 17 ? SCIARA_NODATA_ALTITUDE : 100 + i);
    ck_assert_double_eq(s->z0[i], s->z[i]);
    ck_assert_double_eq(s->arrival[i], SCIARA_NEVER);
    ck_assert(s->h[i] == 0 && s->T[i] == 0 && s->px[i] == 0 && s->py[i] == 0 && s->lost[i] == 0);
  }
  ck_assert_uint_eq(s->kind[17], SCIARA_CELL_NODATA);
  ck_assert_uint_eq(s->kind[16], SCIARA_CELL_RIM);
  ck_assert_uint_eq(s->kind[0], SCIARA_CELL_RIM);
  ck_assert(s->time == 0 && s->step == 0 && s->initial == 0 && s->emitted == 0 && s->solidifications == 0);
  sciara_state_destroy(s);
  sciara_state_destroy(NULL);
  for (unsigned record = 0; record <= all; record++) {
    s = make(ROWS, COLS, record);
    for (unsigned k = 0; k < SCIARA_RECORDED_FIELDS; k++)
      ck_assert(!every_field(s, SUMMED_FIELDS + (int)k) == !(record >> k & 1u));
    ck_assert_uint_eq(sciara_state_record(s), record);
    sciara_state_destroy(s);
  }
}

TEST(too_large) {
  const struct sciara_grid grid = {.rows = (int64_t)1 << 40, .cols = (int64_t)1 << 40, .cell_size = 10};
  struct sciara_state marker, *s = &marker;
  const double z = 0;
  const uint8_t valid = 1;
  ck_assert_int_eq(sciara_state_create(&grid, &z, &valid, 0, &s), SCIARA_ERR_MEMORY);
  ck_assert_ptr_null(s);
}

// Each derived field against its definition, in a cell with lava, in a dry one and outside the DEM.
TEST(derived_fields) {
  OWNED(destroy_state) struct sciara_state *s = filled();
  double out[CELLS];
  s->h[3] = s->px[3] = s->py[3] = s->T[3] = 0;
  s->arrival[3] = SCIARA_NEVER;
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    sciara_field_derive(s, (enum sciara_field)f, out);
    for (int i = 0; i < CELLS; i++) {
      const double solid = s->z[i] - s->z0[i];
      const double expected[SCIARA_FIELD_COUNT] = {
          [SCIARA_FIELD_THICKNESS] = s->h[i],
          [SCIARA_FIELD_ALTITUDE] = s->z[i],
          [SCIARA_FIELD_TEMPERATURE] = s->T[i],
          [SCIARA_FIELD_MOMENTUM_X] = s->px[i],
          [SCIARA_FIELD_MOMENTUM_Y] = s->py[i],
          [SCIARA_FIELD_SOLID_THICKNESS] = solid,
          [SCIARA_FIELD_DEPOSIT] = s->h[i] + solid,
          [SCIARA_FIELD_ARRIVAL_TIME] = i == 3 ? -9999 : s->arrival[i],
#define SCIARA_RECORDED_FIELD(member, NAME, ...) [SCIARA_FIELD_##NAME] = s->member[i],
#include "model/fields.def"
          [SCIARA_FIELD_SPEED] = i == 3 ? 0 : sqrt(s->px[i] * s->px[i] + s->py[i] * s->py[i]) / s->h[i]};
      if (s->kind[i] == SCIARA_CELL_NODATA) continue;
      ck_assert_msg(out[i] == expected[f], "field %d, cell %d: %.17g, expected %.17g", f, i, out[i], expected[f]);
    }
    ck_assert_double_eq(out[17], SCIARA_NODATA_ALTITUDE);
  }
}

TEST(clone) {
  struct sciara_state *s = filled(), *copy;
  expect_ok(sciara_state_clone(s, &copy));
  ck_assert_mem_eq(&copy->grid, &s->grid, sizeof s->grid);
  ck_assert_ptr_eq(copy->site, s->site); // what does not change exists once
  ck_assert_ptr_eq(copy->kind, s->kind);
  for (int k = 0; k < FIELDS; k++) {
    ck_assert_mem_eq(field(copy, k), field(s, k), CELLS * sizeof(double));
    ck_assert((field(copy, k) == field(s, k)) == (k == GROUND));
  }
  ck_assert(copy->time == 11 && copy->clock == 12 && copy->step == 13 && copy->initial == 14 && copy->emitted == 15);
  ck_assert_uint_eq(copy->solidifications, 16);
  ck_assert_uint_eq(sciara_state_checksum(copy), sciara_state_checksum(s));
  copy->h[5] = 99; // its own memory
  ck_assert_double_ne(s->h[5], 99);
  sciara_state_destroy(s); // the site stays as long as the last state on it
  ck_assert_double_eq(copy->z0[5], 1 + GROUND + 0.01 * 5);
  sciara_state_destroy(copy);
  s = make(ROWS, COLS, SCIARA_RECORD_MAX_SPEED);
  expect_ok(sciara_state_clone(s, &copy));
  ck_assert(!copy->max_h && copy->max_speed);
  sciara_state_destroy(copy);
  sciara_state_destroy(s);
}

static uint64_t checksum_over(const struct sciara_state *s, uint64_t ground) {
  OWNED(sciara_touched_release) struct sciara_touched touched;
  expect_ok(sciara_touched_find(s, 1, &touched));
  const uint64_t sum = sciara_state_checksum_over(s, ground, &touched);
  return sum;
}

TEST(every_bit_counts) {
  OWNED(destroy_state) struct sciara_state *s = filled();
  const uint64_t sum = sciara_state_checksum(s);
  ck_assert_uint_eq(sciara_state_checksum(s), sum);
  for (int k = 0; k < FIELDS; k++) // the maxima may be recorded or not; they are not part of it
    for (int i = 0; i < CELLS; i++)
      for (int bit = 0; bit < 64; bit++) {
        flip(&field(s, k)[i], bit);
        ck_assert_msg((sciara_state_checksum(s) != sum) == (k < SUMMED), "field %d, cell %d, bit %d", k, i, bit);
        ck_assert_uint_eq(checksum_over(s, sciara_state_checksum_of_ground(s)), sciara_state_checksum(s));
        flip(&field(s, k)[i], bit);
      }
  double *const totals[] = {&s->time, &s->clock, &s->initial, &s->emitted};
  for (int k = 0; k < 4; k++)
    for (int bit = 0; bit < 64; bit++) {
      flip(totals[k], bit);
      ck_assert_msg(sciara_state_checksum(s) != sum, "total %d, bit %d", k, bit);
      flip(totals[k], bit);
    }
  s->step++;
  ck_assert_uint_ne(sciara_state_checksum(s), sum);
  s->step--;
  ck_assert_uint_eq(sciara_state_checksum(s), sum);
}

// The checksum over that of the ground detects a single value that lava has changed in a single cell, in any part of it.
TEST(over_bare_ground) {
  enum { WIDE = 199, SIDES = 3 }; // the last part is short
  const struct sciara_grid grid = {.rows = SIDES, .cols = WIDE, .cell_size = 10};
  double z[SIDES * WIDE];
  uint8_t valid[SIDES * WIDE];
  for (int i = 0; i < SIDES * WIDE; i++) {
    z[i] = 50 + i;
    valid[i] = i % 40 != 7;
  }
  OWNED(destroy_state) struct sciara_state *s;
  expect_ok(sciara_state_create(&grid, z, valid, 0, &s));
  const uint64_t ground = sciara_state_checksum_of_ground(s), bare = sciara_state_checksum(s);
  ck_assert_uint_eq(checksum_over(s, ground), bare);
  for (int i = 0; i < SIDES * WIDE; i++)
    for (int k = 0; k < SUMMED - 1; k++) { // all but z0, which lava does not change
      const double before = field(s, k)[i];
      field(s, k)[i] = i % 2 ? before + 1 : -before; // -0 differs from the ground too
      ck_assert_uint_eq(checksum_over(s, ground), sciara_state_checksum(s));
      ck_assert_uint_ne(checksum_over(s, ground), bare);
      field(s, k)[i] = before;
    }
  s->step = 9;
  s->h[3] = s->T[3] = s->arrival[3] = s->h[590] = 2;
  ck_assert_uint_eq(checksum_over(s, ground), sciara_state_checksum(s));
  ck_assert_uint_eq(sciara_state_checksum_of_ground(s), ground); // lava is not part of it
}

TEST(positions_count) {
  OWNED(destroy_state) struct sciara_state *s = filled();
  const uint64_t sum = sciara_state_checksum(s);
  for (int i = 0; i < CELLS; i++) // two cells of one field are exchanged
    for (int j = 0; j < i; j++) {
      const double a = s->h[i], b = s->h[j];
      s->h[i] = b, s->h[j] = a;
      ck_assert_msg(sciara_state_checksum(s) != sum, "cells %d and %d", i, j);
      s->h[i] = a, s->h[j] = b;
    }
  for (int k = 0; k < SUMMED; k++) // one cell of two fields is exchanged
    for (int m = 0; m < k; m++) {
      const double a = field(s, k)[9], b = field(s, m)[9];
      field(s, k)[9] = b, field(s, m)[9] = a;
      ck_assert_msg(sciara_state_checksum(s) != sum, "fields %d and %d", k, m);
      field(s, k)[9] = a, field(s, m)[9] = b;
    }
  const double t = s->time;
  s->time = s->clock, s->clock = t;
  ck_assert_uint_ne(sciara_state_checksum(s), sum);
}

TEST(zeros_and_shapes) {
  OWNED(destroy_state)
  struct sciara_state *s = make(ROWS, COLS, 0), *turned = make(COLS, ROWS, 0), *recorded = make(ROWS, COLS, all);
  const uint64_t sum = sciara_state_checksum(s);
  memcpy(turned->z, s->z, CELLS * sizeof(double)); // the same numbers, another shape
  memcpy(writable_ground(turned), s->z0, CELLS * sizeof(double));
  ck_assert_uint_ne(sciara_state_checksum(turned), sum);
  ck_assert_uint_eq(sciara_state_checksum(recorded), sum); // whether maxima are recorded or not
  s->px[4] = -0.0;
  ck_assert_uint_ne(sciara_state_checksum(s), sum);
  s->px[4] = 0.0;
  ck_assert_uint_eq(sciara_state_checksum(s), sum);
}

TEST(liquid_cells) {
  OWNED(destroy_state) struct sciara_state *s = make(ROWS, COLS, 0);
  ck_assert_int_eq(sciara_state_liquid_cells(s), 0);
  s->h[0] = 1e-300;
  s->h[8] = 2;
  s->h[9] = -0.0;
  ck_assert_int_eq(sciara_state_liquid_cells(s), 2);
}

RUN_TESTS(.one_process = true)
