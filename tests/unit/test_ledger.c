// SPDX-License-Identifier: Apache-2.0
// Claims about model/ledger.h: where the lava is, and how large a residual rounding explains.
#include "model/ledger.h"
#include "support/owned.h"
#include "support/writable.h"

enum { ROWS = 4, COLS = 5 };

/** 100 m2 a cell: 6 m liquid in two cells, 3 m of rock in one, 1 m lost; 400 m3 were there before, 600 m3 emitted. */
static struct sciara_state *make(void) {
  const struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10};
  double z[ROWS * COLS];
  uint8_t valid[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; i++) {
    z[i] = 1000;
    valid[i] = i != 19;
  }
  struct sciara_state *s;
  expect_ok(sciara_state_create(&grid, z, valid, 0, &s));
  s->h[6] = 2;
  s->h[7] = 4;
  s->z[7] = 1003;
  s->lost[2] = 1;
  s->arrival[2] = s->arrival[6] = s->arrival[7] = 0;
  s->initial = 400;
  s->emitted = 600;
  s->solidifications = 5;
  return s;
}

TEST(totals) {
  OWNED(destroy_state) struct sciara_state *s = make();
  struct sciara_ledger l;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_double_eq(l.initial_m3, 400);
  ck_assert_double_eq(l.emitted_m3, 600);
  ck_assert_double_eq(l.liquid_m3, 600);
  ck_assert_double_eq(l.solid_m3, 300);
  ck_assert_double_eq(l.lost_m3, 100);
  ck_assert_double_eq(l.residual_m3, 0);
  ck_assert(sciara_ledger_closes(&l));
}

TEST(bound) {
  OWNED(destroy_state) struct sciara_state *s = make();
  struct sciara_ledger l;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON),
                     &l); // half an ulp of 1003 m (512 eps / 2) times 100 m2 times 5; or 1e-12 of 1000 m3
  ck_assert_double_eq_tol(l.bound_m3, fmax(1e-9, 5 * 256 * DBL_EPSILON * 100), 1e-18);
  s->solidifications = 1000;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_double_eq_tol(l.bound_m3, 1000 * 256 * DBL_EPSILON * 100, 1e-15);
  sciara_ledger_form(s, sciara_rounding_usual((double)FLT_EPSILON), &l);
  ck_assert_double_eq_tol(l.bound_m3, 1000 * 256 * (double)FLT_EPSILON * 100, 1e-6);
  s->solidifications = 0;
  sciara_ledger_form(s, sciara_rounding_usual((double)FLT_EPSILON), &l);
  ck_assert_double_eq_tol(l.bound_m3, 1e-5 * 1000, 1e-12);
}

TEST(bound_is_of_the_lava) { // not of a mountain that no lava has reached
  OWNED(destroy_state) struct sciara_state *s = make();
  struct sciara_ledger l;
  s->solidifications = 1000;
  s->z[0] = writable_ground(s)[0] = 5000;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_double_eq_tol(l.bound_m3, 1000 * 256 * DBL_EPSILON * 100, 1e-15);
  s->arrival[0] = 77; // rock so thin that the altitude is the same
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_double_eq_tol(l.bound_m3, 1000 * 2048 * DBL_EPSILON * 100, 1e-15);
}

// A film that does not change an altitude of 1000 m: the next number is 1e-13 m higher.
TEST(one_solidification_of_a_film) {
  OWNED(destroy_state) struct sciara_state *s = make();
  struct sciara_ledger l;
  s->h[6] = s->h[7] = s->lost[2] = s->initial = 0;
  s->z[7] = 1000;
  s->emitted = 1e-12;
  s->solidifications = 1;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_double_eq(l.residual_m3, 1e-12);
  ck_assert_double_eq(l.bound_m3, 256 * DBL_EPSILON * 100);
  ck_assert(sciara_ledger_closes(&l));
  ck_assert_double_eq(sciara_ledger_drift(&l), 1);
  for (int i = 0; i < ROWS * COLS; i++) s->z[i] = writable_ground(s)[i] = -1000; // below the sea as above it
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_double_eq(l.bound_m3, 256 * DBL_EPSILON * 100);
  for (int i = 0; i < ROWS * COLS; i++) s->z[i] = writable_ground(s)[i] = 0; // here nothing is rounded
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_double_eq(l.bound_m3, 1e-24);
}

static struct sciara_rounding rounding_of(int64_t count, const int64_t (*cells)[2], double epsilon) {
  const double edges[] = {0, 1}, rates[] = {1};
  OWNED(destroy_vents) struct sciara_vents *v = sciara_vents_create();
  struct sciara_rounding rounding;
  for (int64_t k = 0; k < count; k++) expect_ok(sciara_vents_add(v, cells[k][0], cells[k][1], 1, edges, rates));
  expect_ok(sciara_rounding_of(v, epsilon, &rounding));
  return rounding;
}

TEST(bound_of_steps) {
  const int64_t cells[][2] = {{3, 7}, {7, 3}, {3, 7}, {1, 1}, {3, 7}, {7, 3}};
  OWNED(destroy_state) struct sciara_state *s = make();
  struct sciara_ledger l;
  ck_assert_double_eq(rounding_of(0, cells, DBL_EPSILON).per_step, 20);
  ck_assert_double_eq(rounding_of(2, cells, DBL_EPSILON).per_step, 21);
  const struct sciara_rounding rounding = rounding_of(6, cells, DBL_EPSILON);
  ck_assert_double_eq(rounding.per_step, 23);
  s->solidifications = 0;
  s->step = 0;
  sciara_ledger_form(s, rounding, &l);
  ck_assert_double_eq(l.bound_m3, 1e-9); // as usual
  s->step = 1000000;                     // three cells hold lava, and 1000 m3 were emitted
  sciara_ledger_form(s, rounding, &l);
  ck_assert_double_eq_tol(l.bound_m3, (23e6 + 2) * 0.5 * DBL_EPSILON * 1000, 1e-18);
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_double_eq(l.bound_m3, 1e-9);
  s->solidifications = 1000;
  sciara_ledger_form(s, rounding, &l);
  ck_assert_double_eq_tol(l.bound_m3, ((23e6 + 2) * 0.5 * 1000 + 1000.0 * 256 * 100) * DBL_EPSILON, 1e-15);
}

TEST(open_ledger) {
  const double gap[] = {2e-8, -2e-8, 1e-3, NAN};
  for (int k = 0; k < 4; k++) {
    OWNED(destroy_state) struct sciara_state *s = make();
    struct sciara_ledger l;
    s->solidifications = 0;
    s->h[6] += gap[k];
    sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
    ck_assert_msg(!sciara_ledger_closes(&l), "a gap of %g m passed", gap[k]);
    if (k < 3) ck_assert_double_eq_tol(l.residual_m3, -100 * gap[k], 1e-12);
  }
}

TEST(outside_the_dem) { // a value in a NODATA cell is not lava
  OWNED(destroy_state) struct sciara_state *s = make();
  struct sciara_ledger l;
  s->h[19] = s->lost[19] = s->z[19] = 77;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_double_eq(l.residual_m3, 0);
}

TEST(nothing) {
  OWNED(destroy_state) struct sciara_state *s = make();
  struct sciara_ledger l;
  s->h[6] = s->h[7] = s->lost[2] = s->initial = s->emitted = 0;
  s->z[7] = 1000;
  s->solidifications = 0;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert(l.liquid_m3 == 0 && l.solid_m3 == 0 && l.lost_m3 == 0 && l.bound_m3 == 0);
  ck_assert(sciara_ledger_closes(&l));
}

RUN_TESTS(.one_process = true)
