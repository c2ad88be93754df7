// SPDX-License-Identifier: Apache-2.0
// The statistics of an ensemble, compared with numbers computed by hand.
#include "ensemble/sample.h"

enum { MOST = 40 };

/** Members to be filled in; open until then. */
struct members {
  double weight[MOST], end[MOST];
  uint8_t state[MOST];
  int64_t group[MOST];
};

static struct sciara_sample sample_of(const struct members *m, size_t count, enum sciara_error_kind kind) {
  const struct sciara_sample_input in = {count, m->weight, m->state, m->end, m->group, kind, NULL};
  struct sciara_sample s;
  expect_ok(sciara_sample_make(&in, &s));
  return s;
}

static struct members all_done(size_t count, const double *weight, const int64_t *group) {
  struct members m = {0};
  for (size_t k = 0; k < count; k++) {
    m.weight[k] = weight[k];
    m.group[k] = group[k];
    m.state[k] = SCIARA_MEMBER_COMPLETE;
  }
  return m;
}

static struct sciara_estimate estimate(const struct sciara_sample *s, double until, const uint32_t *hit, size_t hits) {
  OWNED(sciara_sample_scratch_free) struct sciara_sample_scratch x;
  const struct sciara_question q = sciara_question_make(s, until);
  expect_ok(sciara_sample_scratch_make(s, &x));
  const struct sciara_estimate e = sciara_sample_estimate(s, &q, hit, hits, &x);
  for (size_t g = 0; g < s->group_count; g++) ck_assert_double_eq(x.weight[g], 0); // ready for the next call
  return e;
}

// Two strata: weights 1, 1 and 2, 2, 2, sum 8; hits: member 1 and members 2, 3.
TEST(a_probability_and_its_error_by_hand) {
  const struct members m = all_done(5, (double[]){1, 1, 2, 2, 2}, (int64_t[]){0, 0, 1, 1, 1});
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(&m, 5, SCIARA_ERROR_STRATA);
  const uint32_t hit[] = {1, 2, 3};
  const struct sciara_estimate e = estimate(&s, INFINITY, hit, 3);
  ck_assert_double_eq(e.value, 5.0 / 8);
  ck_assert_double_eq(e.low, 5.0 / 8);
  ck_assert_double_eq(e.high, 5.0 / 8);
  // Stratum 0: 2/1 (1/8)^2 (1/4 + 1/4); stratum 1: 3/2 (2/8)^2 (1/9 + 1/9 + 4/9).
  ck_assert_double_eq_tol(e.error, sqrt(2 * 0.5 / 64 + 1.5 / 16 * 6 / 9), 1e-15);
  ck_assert_uint_eq(s.joined, 0);
}

TEST(open_members_widen_the_bounds) {
  struct members m = all_done(4, (double[]){1, 2, 3, 4}, (int64_t[]){0, 0, 0, 0});
  m.state[3] = SCIARA_MEMBER_OPEN;
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(&m, 4, SCIARA_ERROR_STRATA);
  const uint32_t hit[] = {1};
  const struct sciara_estimate e = estimate(&s, INFINITY, hit, 1);
  ck_assert_double_eq(e.value, 2.0 / 6);
  ck_assert_double_eq(e.low, 2.0 / 10);
  ck_assert_double_eq(e.high, (2.0 + 4) / 10);
  ck_assert_uint_eq(s.finished, 3);
}

TEST(what_a_censored_member_has_not_reached_stays_possible) {
  struct members m = all_done(4, (double[]){1, 2, 3, 4}, (int64_t[]){0, 0, 0, 0});
  m.state[2] = m.state[3] = SCIARA_MEMBER_CENSORED;
  m.end[2] = 100;
  m.end[3] = 200;
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(&m, 4, SCIARA_ERROR_STRATA);
  const uint32_t hit[] = {3};
  struct sciara_estimate e = estimate(&s, INFINITY, hit, 1); // member 2 may still arrive
  ck_assert_double_eq(e.value, 0.4);
  ck_assert_double_eq(e.low, 0.4);
  ck_assert_double_eq(e.high, 0.7);
  e = estimate(&s, 100, hit, 0); // until its end a member is known
  ck_assert_double_eq(e.high, 0);
  e = estimate(&s, 101, hit, 0);
  ck_assert_double_eq(e.high, 0.3);
  e = estimate(&s, 201, hit, 1);
  ck_assert_double_eq(e.high, 0.7);
  e = estimate(&s, 201, (uint32_t[]){2, 3}, 2); // both have hit: nothing is unsure
  ck_assert_double_eq(e.high, e.low);
}

TEST(members_of_weight_0_do_not_count) {
  struct members m = all_done(3, (double[]){0, 1, 1}, (int64_t[]){0, 0, 0});
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(&m, 3, SCIARA_ERROR_STRATA);
  ck_assert_uint_eq(s.zero, 1);
  ck_assert_uint_eq(s.finished, 2);
  ck_assert_uint_eq(s.groups[0].members, 2);
  ck_assert_uint_eq(s.group[0], SCIARA_NO_GROUP);
  const struct sciara_estimate e = estimate(&s, INFINITY, (uint32_t[]){1}, 1);
  ck_assert_double_eq(e.value, 0.5);
  ck_assert_double_eq_tol(e.error, 0.5, 1e-15); // sqrt(2 (1/4)(1/4 + 1/4))
}

TEST(strata_with_one_draw_are_joined) {
  // Strata 0 | 1 | 2 2 | 3: those with one draw become one group.
  const struct members m = all_done(5, (double[]){1, 1, 1, 1, 1}, (int64_t[]){0, 1, 2, 2, 3});
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(&m, 5, SCIARA_ERROR_STRATA);
  ck_assert_uint_eq(s.joined, 3);
  ck_assert_uint_eq(s.group_count, 2);
  ck_assert_uint_eq(s.group[0], s.group[1]);
  ck_assert_uint_eq(s.group[0], s.group[4]);
  const struct sciara_estimate e = estimate(&s, INFINITY, (uint32_t[]){4}, 1);
  ck_assert_double_eq_tol(e.error, sqrt(1.5 / 25 * 6 / 9), 1e-15); // of the group of three alone
}

/** Pairs have equal weights; a stratum that has none to be joined with leaves no error. */
TEST(strata_of_unequal_weight_are_never_joined) {
  // Weights 2 | 1 | 2 | 1 | 1.
  const struct members m = all_done(5, (double[]){2, 1, 2, 1, 1}, (int64_t[]){0, 1, 2, 3, 4});
  struct sciara_sample s = sample_of(&m, 5, SCIARA_ERROR_STRATA);
  ck_assert_uint_eq(s.group_count, 2);
  ck_assert_uint_eq(s.group[0], s.group[2]);
  ck_assert_uint_eq(s.group[1], s.group[3]);
  ck_assert_uint_eq(s.group[1], s.group[4]);
  ck_assert_double_eq_tol(estimate(&s, INFINITY, (uint32_t[]){2}, 1).error, sqrt(2.0 * 4 * 0.5) / 7, 1e-15);
  sciara_sample_free(&s);
  s = sample_of(&m, 4, SCIARA_ERROR_STRATA); // 2 1 2 1: two pairs
  ck_assert(s.has_error && s.single == 0);
  sciara_sample_free(&s);
  s = sample_of(&m, 3, SCIARA_ERROR_STRATA); // 2 1 2
  ck_assert_uint_eq(s.single, 1);
  ck_assert(!s.has_error);
  ck_assert_double_nan(estimate(&s, INFINITY, (uint32_t[]){0}, 1).error);
  ck_assert_double_eq(sciara_sample_zero_bound(&s), 1); // min(1, 3 * 2/5)
  sciara_sample_free(&s);
}

TEST(replicates_give_the_error_between_them) {
  double weight[16];
  int64_t group[16];
  for (int k = 0; k < 16; k++) {
    weight[k] = 1;
    group[k] = k / 2;
  }
  struct members m = all_done(16, weight, group);
  struct sciara_sample s = sample_of(&m, 16, SCIARA_ERROR_REPLICATES);
  const uint32_t hit[] = {0, 1, 2, 4}; // p_r: 1, 1/2, 1/2, 0, 0 ...; mean 1/4
  const struct sciara_estimate e = estimate(&s, INFINITY, hit, 4);
  const double sum = 0.75 * 0.75 + 2 * 0.25 * 0.25 + 5 * 0.25 * 0.25;
  ck_assert_double_eq(e.value, 0.25);
  ck_assert_double_eq_tol(e.error, sqrt(sum / (8 * 7)), 1e-15);
  sciara_sample_free(&s);
  s = sample_of(&m, 14, SCIARA_ERROR_REPLICATES); // seven replicates
  ck_assert(!s.has_error);
  ck_assert_double_nan(estimate(&s, INFINITY, hit, 4).error);
  sciara_sample_free(&s);
}

TEST(a_full_grid_has_the_error_of_its_halves) {
  const struct members m = all_done(4, (double[]){1, 1, 1, 3}, (int64_t[]){0, 1, 0, 1});
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(&m, 4, SCIARA_ERROR_GRID);
  const struct sciara_estimate e = estimate(&s, INFINITY, (uint32_t[]){0, 3}, 2);
  ck_assert_double_eq(e.value, 4.0 / 6);
  ck_assert_double_eq(e.error, 0.5 * fabs(1.0 / 2 - 3.0 / 4));
  ck_assert_double_nan(sciara_sample_zero_bound(&s));
}

TEST(no_hit_has_an_upper_bound_and_no_error) {
  double weight[MOST];
  int64_t group[MOST];
  for (int k = 0; k < MOST; k++) {
    weight[k] = k < 2 ? 2 : 1;
    group[k] = k < 2;
  }
  struct members m = all_done(MOST, weight, group);
  struct sciara_sample s = sample_of(&m, MOST, SCIARA_ERROR_STRATA);
  ck_assert_double_nan(estimate(&s, INFINITY, NULL, 0).error);
  ck_assert_double_eq(sciara_sample_zero_bound(&s), 3 * (2.0 / 42));
  sciara_sample_free(&s);
  s = sample_of(&m, 2, SCIARA_ERROR_STRATA);
  ck_assert_double_eq(sciara_sample_zero_bound(&s), 1);
  sciara_sample_free(&s);
  m.weight[7] = 1.001; // within a stratum weights must be equal
  s = sample_of(&m, MOST, SCIARA_ERROR_STRATA);
  ck_assert(s.has_error);
  ck_assert_double_nan(sciara_sample_zero_bound(&s));
  sciara_sample_free(&s);
  m.weight[7] = 1 + 1e-14; // but for rounding
  s = sample_of(&m, MOST, SCIARA_ERROR_STRATA);
  ck_assert(!isnan(sciara_sample_zero_bound(&s)));
  sciara_sample_free(&s);
}

TEST(intervals_by_hand) {
  double weight[MOST];
  int64_t group[MOST] = {0};
  for (int k = 0; k < MOST; k++) weight[k] = 1;
  const struct members m = all_done(MOST, weight, group);
  const uint32_t hit[MOST] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  struct sciara_sample s = sample_of(&m, MOST, SCIARA_ERROR_STRATA);
  struct sciara_estimate e = estimate(&s, INFINITY, hit, 10);
  struct sciara_interval i = sciara_sample_interval(&s, &e);
  // n = 0.25 * 0.75 / (0.1875 / 39 + 1 / 1600), t = 2.0227 of 39 degrees.
  const double n = 0.1875 / (0.1875 / 39 + 1.0 / 1600), t = 2.022691,
               middle = (0.25 + t * t / (2 * n)) / (1 + t * t / n),
               half = t * sqrt(0.1875 / n + t * t / (4 * n * n)) / (1 + t * t / n);
  ck_assert_double_eq_tol(i.low, middle - half, 1e-6);
  ck_assert_double_eq_tol(i.high, middle + half, 1e-6);
  e = estimate(&s, INFINITY, NULL, 0);
  i = sciara_sample_interval(&s, &e);
  ck_assert_double_eq(i.low, 0);
  ck_assert_double_eq_tol(i.high, 3.0 / MOST, 1e-15);
  e = (struct sciara_estimate){.value = 1, .error = 0, .hits = MOST};
  i = sciara_sample_interval(&s, &e);
  ck_assert_double_eq_tol(i.low, 1 - 3.0 / MOST, 1e-15);
  ck_assert_double_eq(i.high, 1);
  sciara_sample_free(&s);
  for (int k = 0; k < MOST; k++) group[k] = k % 2;
  const struct members grid = all_done(MOST, weight, group);
  s = sample_of(&grid, MOST, SCIARA_ERROR_GRID); // nothing is drawn
  e = estimate(&s, INFINITY, hit, 10);
  ck_assert_double_nan(sciara_sample_interval(&s, &e).low);
  ck_assert_double_nan(sciara_sample_interval(&s, &e).high);
  sciara_sample_free(&s);
}

/** Quantiles of the incomplete beta function with 30 digits by mpmath 1.3.0; those of scipy 1.10.1 (stats.t.ppf) differ by up to 1e-8. */
TEST(student_as_in_tables) {
  static const double table[][2] = {{1, 12.706204736174705},    {2, 4.3026527297494639},   {3, 3.1824463052837096},
                                    {4, 2.7764451051977944},    {5, 2.5705818356363155},   {6, 2.44691185114497},
                                    {7, 2.3646242515927853},    {8, 2.3060041352041667},   {9, 2.2621571627982055},
                                    {15, 2.1314495455597757},   {39, 2.0226909200367611},  {100, 1.9839715185235523},
                                    {199, 1.9719565442517538},  {200, 1.9718962236339094}, {999, 1.96234146113345},
                                    {1000, 1.9623390808264085}, {1e6, 1.959966356814107},  {1e9, 1.9599639869123255}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    ck_assert_double_eq_tol(sciara_student(table[k][0]), table[k][1], 1e-13);
}

TEST(nothing_finished_is_refused) {
  struct members m = all_done(2, (double[]){1, 0}, (int64_t[]){0, 0});
  m.state[0] = SCIARA_MEMBER_OPEN;
  const struct sciara_sample_input in = {2, m.weight, m.state, m.end, m.group, SCIARA_ERROR_STRATA, NULL};
  struct sciara_sample s;
  ck_assert_int_eq(sciara_sample_make(&in, &s), SCIARA_ERR_INPUT);
  ck_assert_str_eq(sciara_last_error(), "expected at least one finished member of weight above 0, found none of 2");
}

TEST(quantiles_are_values_at_which_the_weight_is_reached) {
  double weight[MOST];
  int64_t group[MOST] = {0};
  for (int k = 0; k < MOST; k++) weight[k] = k + 1;
  const struct members m = all_done(MOST, weight, group);
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(&m, MOST, SCIARA_ERROR_STRATA);
  sciara_ranked r[MOST], room[MOST];
  double cumulative[MOST];
  const float values[] = {5, 1, 3, 1}; // weights 1, 2, 3, 4: sorted 1 (2), 1 (4), 3 (3), 5 (1)
  for (uint32_t k = 0; k < 4; k++) r[k] = sciara_rank(values[k], k);
  sciara_ranked_sort(r, 4, room);
  const uint32_t order[] = {1, 3, 2, 0};
  for (int k = 0; k < 4; k++) ck_assert_uint_eq(sciara_ranked_member(r[k]), order[k]);
  ck_assert_double_eq(sciara_ranked_cumulate(&s, r, 4, cumulative), 10);
  ck_assert_uint_eq(sciara_ranked_find(cumulative, 4, 0), 0);
  ck_assert_uint_eq(sciara_ranked_find(cumulative, 4, 2), 0);
  ck_assert_uint_eq(sciara_ranked_find(cumulative, 4, 2.001), 1);
  ck_assert_uint_eq(sciara_ranked_find(cumulative, 4, 9), 2);
  ck_assert_uint_eq(sciara_ranked_find(cumulative, 4, 9 * (1 + 1e-14)), 2);
  ck_assert_uint_eq(sciara_ranked_find(cumulative, 4, 10.1), 4);
}

TEST(many_values_are_sorted_by_value_then_member) {
  enum { COUNT = 5000 };
  static sciara_ranked r[COUNT], room[COUNT];
  uint32_t seed = 1;
  for (uint32_t k = 0; k < COUNT; k++) {
    seed = seed * 1664525u + 1013904223u;
    r[k] = sciara_rank((float)(seed >> 20) * 0.25F, k);
  }
  sciara_ranked_sort(r, COUNT, room);
  for (size_t k = 1; k < COUNT; k++) {
    const float a = sciara_ranked_value(r[k - 1]), b = sciara_ranked_value(r[k]);
    ck_assert(a < b || (a == b && sciara_ranked_member(r[k - 1]) < sciara_ranked_member(r[k])));
  }
}

TEST(the_mean_of_a_value_has_the_error_of_its_strata) {
  const struct members m = all_done(4, (double[]){1, 1, 2, 2}, (int64_t[]){0, 0, 1, 1});
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(&m, 4, SCIARA_ERROR_STRATA);
  OWNED(sciara_sample_scratch_free) struct sciara_sample_scratch x;
  double mean, error;
  expect_ok(sciara_sample_scratch_make(&s, &x));
  for (int again = 0; again < 2; again++) {
    sciara_sample_mean(&s, (double[]){0, 1, 0.5, 1}, &x, &mean, &error);
    ck_assert_double_eq(mean, 4.0 / 6);
    ck_assert_double_eq_tol(error, sqrt(2 * (0.25 + 0.25) / 36 + 2 * (4.0 / 36) * (0.0625 + 0.0625)), 1e-15);
  }
}

RUN_TESTS()
