// SPDX-License-Identifier: Apache-2.0
// Claims about model/vents.h: the exact integral of the rates, and which vents are refused.
#include "model/vents.h"
#include "support/owned.h"
#include "support/random.h"

static double emitted(const struct sciara_vents *v, int64_t k, double s, double t) {
  return sciara_vent_volume(v->begin, v->end, v->rate, v->first[k], v->first[k + 1], s, t);
}

/** The specification literally: every slot, in order. */
static double naive(const struct sciara_vents *v, int64_t vent, double s, double t) {
  double volume = 0;
  for (int64_t k = v->first[vent]; k < v->first[vent + 1]; k++) {
    const double lo = fmax(v->begin[k], s), hi = fmin(v->end[k], s + t);
    if (lo < hi) volume = volume + v->rate[k] * (hi - lo);
  }
  return volume;
}

static struct sciara_vents *one(int64_t n, const double *edges, const double *rates) {
  struct sciara_vents *v = sciara_vents_create();
  ck_assert_ptr_nonnull(v);
  expect_ok(sciara_vents_add(v, 1, 1, n, edges, rates));
  return v;
}

TEST(across_edges) {
  const double edges[] = {10, 20, 30, 50}, rates[] = {2, 0, 3};
  OWNED(destroy_vents) struct sciara_vents *v = one(3, edges, rates);
  const struct {
    double s, t, volume;
  } expected[] = {
      {0, 10, 0},  {0, 11, 2},  {12, 3, 6},   {19, 2, 2},   {20, 10, 0}, {15, 20, 25}, {0, 1000, 80}, {50, 10, 0},
      {49, 60, 3}, {9.5, 1, 1}, {10, 10, 20}, {30, 20, 60}, {29, 1, 0},  {10, 0, 0},   {1e9, 1, 0},   {-5, 16, 2},
  };
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
    ck_assert_msg(emitted(v, 0, expected[k].s, expected[k].t) == expected[k].volume, "[%g, +%g): %.17g", expected[k].s,
                  expected[k].t, emitted(v, 0, expected[k].s, expected[k].t));
  ck_assert_double_eq(sciara_vents_end(v), 50);
  ck_assert_double_eq(sciara_vents_total(v), 80);
}

TEST(random_tables) {
  for (int n = 0; n < 400; n++) {
    OWNED(destroy_vents) struct sciara_vents *v = sciara_vents_create();
    for (int vent = 0; vent < 3; vent++) {
      double edges[41], rates[40];
      const int slots = (int)uniform(0, 41);
      edges[0] = vent == 2 ? 0 : uniform(0, 50);
      for (int k = 0; k < slots; k++) {
        edges[k + 1] = uniform(0, 5) < 1 ? edges[k] : edges[k] + uniform(0, 30); // some slots are empty
        rates[k] = uniform(0, 3) < 1 ? 0 : uniform(0, 20);
      }
      expect_ok(sciara_vents_add(v, vent, vent, slots, edges, rates));
    }
    for (int m = 0; m < 300; m++) {
      const int64_t vent = m % 3, slots = v->first[vent + 1] - v->first[vent];
      double s = uniform(-5, 700), t = uniform(0, 3) < 1 ? uniform(0, 900) : uniform(0, 20);
      if (slots > 0 && m % 4 == 0) s = v->begin[v->first[vent] + m % slots]; // exactly on an edge
      if (slots > 0 && m % 5 == 0) t = fmax(0, v->end[v->first[vent] + m * 7 % slots] - s);
      ck_assert_double_eq(emitted(v, vent, s, t), naive(v, vent, s, t));
    }
  }
}

// Whatever the clock, the whole volume is emitted.
TEST(sum_of_steps) {
  const double edges[] = {0, 0.7, 1.4, 100, 100, 333.3}, rates[] = {5, 0, 2.25, 9, 0.125};
  OWNED(destroy_vents) struct sciara_vents *v = one(5, edges, rates);
  const double total = sciara_vents_total(v);
  ck_assert_double_eq_tol(total, 5 * 0.7 + 2.25 * 98.6 + 0.125 * 233.3, 1e-12);
  for (double clock = 0.01; clock < 1000; clock *= 3.7) {
    double sum = 0;
    for (double s = 0; s < sciara_vents_end(v); s += clock) sum += emitted(v, 0, s, clock);
    ck_assert_double_eq_tol(sum, total, 1e-10);
  }
}

TEST(end_of_emission) {
  const double edges[] = {0, 10, 20, 30, 40}, late[] = {1, 2, 0, 0}, never[] = {0, 0, 0, 0}, gap[] = {1, 0, 0, 1};
  OWNED(destroy_vents) struct sciara_vents *v = one(4, edges, never);
  ck_assert_double_eq(sciara_vents_end(v), 0);
  ck_assert_double_eq(sciara_vents_total(v), 0);
  expect_ok(sciara_vents_add(v, 1, 1, 4, edges, late)); // zeros at the end do not count
  ck_assert_double_eq(sciara_vents_end(v), 20);
  ck_assert_double_eq(emitted(v, 1, sciara_vents_end(v), 1e6), 0);
  ck_assert_double_gt(emitted(v, 1, nextafter(20, 0), 1e6), 0);
  expect_ok(sciara_vents_add(v, 1, 2, 4, edges, gap));
  ck_assert_double_eq(sciara_vents_end(v), 40);
  ck_assert_double_eq(sciara_vents_total(v), 30 + 20);
}

TEST(list) {
  OWNED(destroy_vents) struct sciara_vents *v = sciara_vents_create();
  const double edges[] = {5, 6, 8}, rates[] = {1, 2};
  ck_assert_int_eq(v->count, 0);
  ck_assert_double_eq(sciara_vents_end(v), 0);
  ck_assert_double_eq(sciara_vents_total(v), 0);
  expect_ok(sciara_vents_add(v, 3, 4, 2, edges, rates));
  expect_ok(sciara_vents_add(v, 6, 7, 0, edges, rates)); // a vent without a slot
  expect_ok(sciara_vents_add(v, 8, 9, 1, edges + 1, rates + 1));
  ck_assert_int_eq(v->count, 3);
  ck_assert_int_eq(v->slots, 3);
  const int64_t first[] = {0, 2, 2, 3}, row[] = {3, 6, 8}, col[] = {4, 7, 9};
  ck_assert_mem_eq(v->first, first, sizeof first);
  ck_assert_mem_eq(v->row, row, sizeof row);
  ck_assert_mem_eq(v->col, col, sizeof col);
  ck_assert_double_eq(emitted(v, 0, 0, 100), 5);
  ck_assert_double_eq(emitted(v, 1, 0, 100), 0);
  ck_assert_double_eq(emitted(v, 2, 0, 100), 4);
  sciara_vents_destroy(NULL);
}

TEST(place) {
  const struct sciara_grid grid = {.rows = 5, .cols = 6, .cell_size = 10};
  uint8_t valid[30], kind[30];
  memset(valid, 1, sizeof valid);
  valid[3 * 6 + 4] = 0;
  sciara_grid_classify(&grid, valid, kind);
  const struct {
    int64_t row, col;
    const char *message; ///< NULL: allowed
  } cases[] = {{1, 1, NULL},
               {1, 2, NULL},
               {0, 2, "rim"},
               {4, 1, "rim"},
               {2, 4, "rim"},
               {3, 4, "NODATA"},
               {-1, 2, "outside"},
               {2, -1, "outside"},
               {5, 2, "outside"},
               {2, 6, "outside"},
               {INT64_MAX, 2, "outside"},
               {2, INT64_MIN, "outside"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    OWNED(destroy_vents) struct sciara_vents *v = sciara_vents_create();
    const double edges[] = {0, 1}, rate = 1;
    expect_ok(sciara_vents_add(v, 1, 1, 1, edges, &rate));
    expect_ok(sciara_vents_add(v, cases[k].row, cases[k].col, 1, edges, &rate));
    const enum sciara_status status = sciara_vents_check(v, &grid, kind);
    ck_assert_int_eq(status, cases[k].message ? SCIARA_ERR_INPUT : SCIARA_OK);
    if (cases[k].message) expect_said(cases[k].message, "vent 1");
  }
}

RUN_TESTS(.one_process = true)
