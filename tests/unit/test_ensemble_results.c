// SPDX-License-Identifier: Apache-2.0
// The values of a cell and of places at the edges of their definitions, and the stop rule, compared with numbers computed
// by hand.
#include <sched.h>

#include "base/mem.h"
#include "ensemble/ensemble_sample.h"
#include "hazard/reduction.h"
#include "support/owned.h"

enum { MOST = 24 };

/** Finished members of weight 1 in one stratum. */
struct members {
  double weight[MOST], end[MOST];
  uint8_t state[MOST];
  int64_t group[MOST];
};

static struct sciara_sample sample_of(size_t count, const int64_t *group, enum sciara_error_kind kind) {
  struct members m = {.weight = {0}};
  for (size_t k = 0; k < count; k++) {
    m.weight[k] = 1;
    m.state[k] = SCIARA_MEMBER_COMPLETE;
    m.group[k] = group ? group[k] : 0;
  }
  const struct sciara_sample_input in = {count, m.weight, m.state, m.end, m.group, kind, NULL};
  struct sciara_sample s;
  expect_ok(sciara_sample_make(&in, &s));
  return s;
}

// -------------------------------------------------------------------------------------------------------------- a cell

/** Hits of the first `count` members in a cell. */
struct hits {
  uint32_t member[MOST];
  union {
    struct {
#define SCIARA_FOOTPRINT_VALUE(name, ...) float name[MOST];
#include "member/footprint.def"
    };
    float value[SCIARA_FOOTPRINT_VALUES][MOST];
  };
};

static struct sciara_cell_hits hits_of(const struct hits *h, size_t count) {
  struct sciara_cell_hits hits = {.count = count, .member = h->member};
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) hits.value[v] = h->value[v];
  return hits;
}

/** The value of the layer `name` in a cell with these hits. */
static double value_of(const struct sciara_hazard_rule *rule, const struct hits *h, size_t count, const char *name) {
  OWNED(sciara_hazard_scratch_free) struct sciara_hazard_scratch x;
  float values[64];
  const struct sciara_cell_hits hits = hits_of(h, count);
  size_t k = 0;
  while (k < rule->layers->count && strcmp(rule->layers->layer[k].name, name) != 0) k++;
  ck_assert_msg(k < rule->layers->count, "no layer %s", name);
  ck_assert_uint_le(rule->layers->count, 64);
  expect_ok(sciara_hazard_scratch_make(rule->sample, false, &x));
  expect_ok(sciara_hazard_cell(rule, &hits, &x, values));
  return (double)values[k];
}

TEST(a_cell_at_the_edges) {
  double deposit[] = {0, 0.5}, within[] = {3600}, quantiles[] = {0.5};
  const struct sciara_ensemble_result result = {.deposit_m = deposit,
                                                .deposit_count = 2,
                                                .within_s = within,
                                                .within_count = 1,
                                                .quantiles = quantiles,
                                                .quantile_count = 1};
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(20, NULL, SCIARA_ERROR_STRATA);
  struct sciara_layers layers = {0};
  struct sciara_hazard_rule rule;
  struct hits h = {.member = {0}};
  expect_ok(sciara_layers_make(&result, &s, &layers));
  expect_ok(sciara_hazard_rule_make(&s, &result, &layers, NULL, &rule));
  for (uint32_t k = 0; k < SCIARA_HITS_LEAST; k++) {
    h.member[k] = k;
    h.arrival[k] = 3600 + 60 * (float)k;              // the first one exactly at the time
    h.max_deposit[k] = 0.5F + 0.25F * (float)(k % 2); // every other one exactly at the threshold
    h.deposit[k] = (float)k;
  }
  ck_assert_double_eq(value_of(&rule, &h, SCIARA_HITS_LEAST, "probability_0m"), (float)(SCIARA_HITS_LEAST / 20.0));
  ck_assert_double_eq(value_of(&rule, &h, SCIARA_HITS_LEAST, "probability_0.5m"),
                      (float)(SCIARA_HITS_LEAST / 2 / 20.0)); // more than the threshold
  ck_assert_double_eq(value_of(&rule, &h, SCIARA_HITS_LEAST, "reached_within_1h"), (float)(1 / 20.0)); // until the time
  const int middle = (SCIARA_HITS_LEAST + 1) / 2 - 1; // the first that has half of the weight
  ck_assert_double_eq(value_of(&rule, &h, SCIARA_HITS_LEAST, "arrival_q50"), 3600.0 + 60 * middle);
  ck_assert_double_eq(value_of(&rule, &h, SCIARA_HITS_LEAST, "deposit_q50"), middle);
  ck_assert_double_eq(value_of(&rule, &h, SCIARA_HITS_LEAST - 1, "arrival_q50"), SCIARA_NODATA_ALTITUDE);
  ck_assert_double_eq(value_of(&rule, &h, SCIARA_HITS_LEAST - 1, "hits"), SCIARA_HITS_LEAST - 1);
  h.deposit[3] = h.max_deposit[0] = NAN; // not known of a member: then not of the cell
  const char *const unknown[] = {"deposit_q50", "deposit_mean", "deposit_max"};
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
    ck_assert_double_eq(value_of(&rule, &h, SCIARA_HITS_LEAST, unknown[k]), SCIARA_NODATA_ALTITUDE);
  ck_assert_double_eq(value_of(&rule, &h, SCIARA_HITS_LEAST, "arrival_q50"), 3600.0 + 60 * middle);
  sciara_hazard_rule_free(&rule);
  sciara_free(layers.layer);
}

/** The time at which 5 % of all members have come is not that of 5 % of those that come. */
TEST(the_front_counts_all_members) {
  double deposit[] = {0};
  const struct sciara_ensemble_result result = {.deposit_m = deposit, .deposit_count = 1};
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(20, NULL, SCIARA_ERROR_STRATA);
  struct sciara_layers layers = {0};
  struct sciara_hazard_rule rule;
  struct sciara_hazard_scratch x;
  const struct hits h = {.member = {0, 1, 2, 3}, .arrival = {40, 30, 20, 10}};
  const struct sciara_cell_hits hits = hits_of(&h, 4);
  float values[64];
  expect_ok(sciara_layers_make(&result, &s, &layers));
  expect_ok(sciara_hazard_rule_make(&s, &result, &layers, NULL, &rule));
  expect_ok(sciara_hazard_scratch_make(rule.sample, false, &x));
  expect_ok(sciara_hazard_cell(&rule, &hits, &x, values));
  int found = 0;
  for (size_t k = 0; k < layers.count; k++)
    if (layers.layer[k].kind == SCIARA_LAYER_FRONT) {
      const bool half = sciara_front_shares[layers.layer[k].index] == 0.5;
      ck_assert_double_eq((double)values[k], half ? SCIARA_NODATA_ALTITUDE : 10); // 4 of 20 come; the first is 5 %
      found++;
    }
  ck_assert_int_eq(found, SCIARA_FRONTS);
  sciara_hazard_scratch_free(&x);
  sciara_hazard_rule_free(&rule);
  sciara_free(layers.layer);
}

// -------------------------------------------------------------------------------------------------------------- places

static const struct sciara_grid grid = {.rows = 10, .cols = 10, .cell_size = 10, .west = 0, .north = 100};

TEST(a_site_at_the_edges) {
  struct sciara_point corners[] = {{0, 100}, {20, 100}, {20, 90}, {0, 90}}; // cells 0 and 1
  char name[] = "zone";
  const struct sciara_poi poi = {.name = name, .kind = SCIARA_POI_ZONE, .points = corners, .point_count = 4};
  OWNED(sciara_poi_hits_free) struct sciara_poi_hits hits;
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(2, NULL, SCIARA_ERROR_STRATA);
  uint32_t out[MOST];
  expect_ok(sciara_poi_hits_make(&poi, 1, &grid, 2, &hits));
  float zeros[3] = {0};
  struct sciara_footprint f = {.count = 3,
                               .cell = (int64_t[]){0, 1, 2},
                               .arrival = (float[]){3600, 7200, 10},
                               .max_deposit = (float[]){0.25, 0.5, 9},
                               .deposit = (float[]){0.125, 0.25, 9}};
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++)
    if (!f.value[v]) f.value[v] = zeros;
  expect_ok(sciara_poi_hits_visit(&hits, 1, &f));
  const struct sciara_poi_hit *h = sciara_poi_hit(&hits, 0, 1);
  ck_assert_double_eq((double)h->arrival, 3600); // of its first cell; the third cell is not part of it
  ck_assert_double_eq((double)h->max_deposit, 0.5);
  ck_assert_double_eq((double)h->deposit, 0.25);
  ck_assert_double_eq_tol(h->covered, 200, 1e-9);                       // m2
  ck_assert_uint_eq(sciara_poi_members(&hits, &s, 0, 0, 3600, out), 1); // until the time, itself included
  ck_assert_uint_eq(out[0], 1);
  ck_assert_uint_eq(sciara_poi_members(&hits, &s, 0, 0, 3599, out), 0);
  ck_assert_uint_eq(sciara_poi_members(&hits, &s, 0, 0.5, INFINITY, out), 0); // more than the threshold
  ck_assert_uint_eq(sciara_poi_members(&hits, &s, 0, 0.49, INFINITY, out), 1);
  f.deposit[0] = NAN; // not known of a cell: then not of the zone
  expect_ok(sciara_poi_hits_visit(&hits, 1, &f));
  ck_assert_float_nan(h->deposit);
  ck_assert_double_eq((double)h->max_deposit, 0.5);
}

/** Halves take turns within each stratum: both have half of each. */
TEST(halves_are_within_strata) {
  double deposit[] = {0};
  const struct sciara_ensemble_result result = {.deposit_m = deposit, .deposit_count = 1};
  struct sciara_poi_hit hit[8];
  struct sciara_poi_cells place = {.count = 1};
  const struct sciara_poi_hits hits = {.pois = 1, .members = 8, .place = &place, .hit = hit};
  OWNED(sciara_sample_free)
  struct sciara_sample s = sample_of(8, (int64_t[]){0, 0, 0, 0, 1, 1, 1, 1}, SCIARA_ERROR_STRATA);
  OWNED(sciara_poi_result_free) struct sciara_poi_result r;
  for (int k = 0; k < 8; k++) hit[k] = (struct sciara_poi_hit){.arrival = k < 4 ? 10 : INFINITY}; // stratum 0 alone
  expect_ok(sciara_poi_result_make(&hits, &s, &result, 0, 1, NULL, &r));
  ck_assert_double_eq(r.deposit[0].estimate.value, 0.5);
  ck_assert_double_eq(r.deposit[0].half[0], 0.5);
  ck_assert_double_eq(r.deposit[0].half[1], 0.5);
}

/** In a full plan the halves would say no more than its difference, which is from them. */
TEST(a_grid_has_no_halves) {
  double deposit[] = {0};
  const struct sciara_ensemble_result result = {.deposit_m = deposit, .deposit_count = 1};
  struct sciara_poi_hit hit[4] = {{.arrival = 10}, {.arrival = INFINITY}, {.arrival = 10}, {.arrival = 10}};
  struct sciara_poi_cells place = {.count = 1};
  const struct sciara_poi_hits hits = {.pois = 1, .members = 4, .place = &place, .hit = hit};
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(4, (int64_t[]){0, 1, 0, 1}, SCIARA_ERROR_GRID);
  OWNED(sciara_poi_result_free) struct sciara_poi_result r;
  expect_ok(sciara_poi_result_make(&hits, &s, &result, 0, 1, NULL, &r));
  ck_assert_double_eq(r.deposit[0].estimate.error, 0.25);
  ck_assert_double_nan(r.deposit[0].half[0]);
  ck_assert_double_nan(r.deposit[0].half[1]);
}

/** Compares the colours of points with a text of 0 and 1; which of them is 0 does not matter. */
static void check_colours(const char *expected, const struct sciara_point *points) {
  int64_t colour[8];
  const size_t count = strlen(expected);
  expect_ok(sciara_points_colour(points, count, colour));
  for (size_t k = 0; k < count; k++)
    ck_assert_msg((colour[k] ^ colour[0]) == (expected[k] ^ expected[0]), "point %zu of %s", k, expected);
}

/** Neighbours have different colours, in grids and along lines of any direction. */
TEST(vents_have_two_colours) {
  typedef struct sciara_point P[];
  check_colours("010110", (P){{0, 0}, {10, 0}, {10, 10}, {0, 10}, {20, 10}, {20, 0}}); // a grid, not in its order
  check_colours("0101", (P){{500, 900}, {600, 800}, {700, 700}, {800, 600}});          // an oblique line
  check_colours("0110", (P){{0, 0}, {50, 100}, {150, 300}, {100, 200}});               // the same, not in its order
  check_colours("0101", (P){{0, 0}, {10, 20}, {15, 30}, {40, 80}});                    // with unequal steps
  check_colours("0010", (P){{0, 0}, {0, 0}, {10, 17}, {20, 34}});                      // two vents at one place
  check_colours("00110", (P){{0, 0}, {20, 0}, {10, 10}, {30, 10}, {0, 20}});           // every other place of a grid
  check_colours("0101", (P){{0, 0}, {7.3, 3.1}, {1.17, 11}, {13, 4}});                 // scattered: in their order
}

/** Two strata of weight 1/2; of the second, one of four members is open, and one censored. */
static struct sciara_sample unfinished_sample(void) {
  static const double weight[8] = {0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125}, end[8];
  static const int64_t stratum[8] = {7, 7, 7, 7, -1, -1, -1, -1};
  static const uint8_t state[8] = {SCIARA_MEMBER_COMPLETE, SCIARA_MEMBER_COMPLETE, SCIARA_MEMBER_COMPLETE,
                                   SCIARA_MEMBER_COMPLETE, SCIARA_MEMBER_OPEN,     SCIARA_MEMBER_COMPLETE,
                                   SCIARA_MEMBER_COMPLETE, SCIARA_MEMBER_CENSORED};
  const struct sciara_sample_input in = {
      .count = 8, .weight = weight, .state = state, .end_s = end, .group = stratum, .stratum = stratum};
  struct sciara_sample s;
  expect_ok(sciara_sample_make(&in, &s));
  return s;
}

/** The members 5 and 6 stand for a third of the second stratum each, and the bounds have the weights of the plan. */
TEST(open_members_are_stood_for) {
  OWNED(sciara_sample_free) struct sciara_sample s = unfinished_sample();
  OWNED(sciara_sample_scratch_free) struct sciara_sample_scratch x;
  const struct sciara_question q = sciara_question_make(&s, INFINITY);
  expect_ok(sciara_sample_scratch_make(&s, &x));
  struct sciara_estimate e = sciara_sample_estimate(&s, &q, (const uint32_t[]){0, 5, 6}, 3, &x);
  ck_assert_double_eq_tol(e.value, 0.125 + 0.5 * 2 / 3, 1e-15);
  ck_assert_double_eq_tol(e.low, 3 * 0.125, 1e-15);
  ck_assert_double_eq_tol(e.high, 5 * 0.125, 1e-15);
  e = sciara_sample_estimate(&s, &q, (const uint32_t[]){7}, 1, &x); // a censored member that hits is sure
  ck_assert_double_eq_tol(e.value, 0.5 / 3, 1e-15);
  ck_assert_double_eq_tol(e.high, 2 * 0.125, 1e-15);
  ck_assert_uint_eq(s.restored, 1);
  ck_assert_uint_eq(s.lost, 0);
}

/** Halves of places, all of whose members hit that `hit` marks. */
static void check_halves(const struct sciara_sample *s, const struct sciara_poi_hit *hit, double first, double second) {
  double deposit[] = {0};
  const struct sciara_ensemble_result result = {.deposit_m = deposit, .deposit_count = 1};
  struct sciara_poi_cells place = {.count = 1};
  struct sciara_poi_hit copy[8];
  OWNED(sciara_poi_result_free) struct sciara_poi_result r;
  memcpy(copy, hit, s->count * sizeof *copy);
  const struct sciara_poi_hits hits = {.pois = 1, .members = s->count, .place = &place, .hit = copy};
  expect_ok(sciara_poi_result_make(&hits, s, &result, 0, 1, NULL, &r));
  ck_assert_double_eq_tol(r.deposit[0].half[0], first, 1e-15);
  ck_assert_double_eq_tol(r.deposit[0].half[1], second, 1e-15);
}

/** A stratum of three members has its weight in both halves; one of a single member is in neither. */
TEST(halves_have_equal_strata) {
  const struct sciara_poi_hit yes = {.arrival = 10}, no = {.arrival = INFINITY};
  struct sciara_sample s = unfinished_sample();
  check_halves(&s, (struct sciara_poi_hit[]){yes, no, no, no, no, yes, no, no}, 0.5, 0);  // 0 of 0, 2; 5 of 5, 7
  check_halves(&s, (struct sciara_poi_hit[]){no, yes, no, no, no, no, yes, no}, 0, 0.75); // 1 of 1, 3; 6 alone
  sciara_sample_free(&s);
  s = sample_of(3, (int64_t[]){0, 0, 1}, SCIARA_ERROR_STRATA);
  check_halves(&s, (struct sciara_poi_hit[]){yes, no, yes}, 1, 0);
  sciara_sample_free(&s);
}

/** Rates of 0.1 (0.05 to 0.4) eruptions a year in the second stratum, and 0.02 everywhere. */
TEST(years_have_bounds_of_their_own) {
  static const uint8_t zone[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  struct sciara_ensemble_rate rates[] = {{.per_year = 0.1, .low = 0.05, .high = 0.4},
                                         {.per_year = 0.02, .low = 0.02, .high = 0.02}};
  double years[] = {50}, deposit[] = {0};
  const struct sciara_ensemble_result result = {
      .deposit_m = deposit, .deposit_count = 1, .rates = rates, .rate_count = 2, .years = years, .year_count = 1};
  OWNED(sciara_sample_free) struct sciara_sample s = unfinished_sample();
  struct sciara_layers layers = {0};
  struct sciara_hazard_rule rule;
  const uint32_t hit[] = {0, 5};
  expect_ok(sciara_layers_make(&result, &s, &layers));
  expect_ok(sciara_hazard_rule_make(&s, &result, &layers, zone, &rule));
  const double value = 0.1 / 3 + 0.02 * (0.125 + 0.5 / 3), low = 0.05 / 4 + 0.02 / 4, high = 0.4 * 3 / 4 + 0.02 / 2;
  ck_assert_double_eq_tol(sciara_hazard_years(&rule, SCIARA_PART_VALUE, 50, hit, 2), 1 - exp(-50 * value), 1e-14);
  ck_assert_double_eq_tol(sciara_hazard_years(&rule, SCIARA_PART_LOW, 50, hit, 2), 1 - exp(-50 * low), 1e-14);
  ck_assert_double_eq_tol(sciara_hazard_years(&rule, SCIARA_PART_HIGH, 50, hit, 2), 1 - exp(-50 * high), 1e-14);
  const double unsure = 0.4 / 2 + 0.02 / 4; // no hit: the open and the censored member may be some
  ck_assert_double_eq_tol(sciara_hazard_years(&rule, SCIARA_PART_HIGH, 50, hit, 0), 1 - exp(-50 * unsure), 1e-14);
  const uint32_t censored[] = {7}; // that it hits adds nothing to what it may do
  ck_assert_double_eq_tol(sciara_hazard_years(&rule, SCIARA_PART_HIGH, 50, censored, 1), 1 - exp(-50 * unsure), 1e-14);
  const double bound = fmin(0.42, 3 * (0.4 / 3 + 0.02 * 0.5 / 3));
  ck_assert_double_eq_tol(sciara_hazard_years_zero_bound(&rule, 2), 1 - exp(-2 * bound), 1e-14);
  sciara_hazard_rule_free(&rule);
  static const uint8_t open[] = {0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}; // of the first zone nothing is known
  const double rest = 0.4 + 3 * 0.02 * 0.5 / 3;
  expect_ok(sciara_hazard_rule_make(&s, &result, &layers, open, &rule));
  ck_assert_double_eq_tol(sciara_hazard_years_zero_bound(&rule, 2), 1 - exp(-2 * rest), 1e-14);
  sciara_hazard_rule_free(&rule);
  sciara_free(layers.layer);
}

/** Of what reaches a place, a vent has the fraction of its own hits, by weight. */
TEST(contributions_divide_the_hits) {
  struct sciara_poi_hit hit[4];
  struct sciara_poi_cells place = {.count = 1};
  const struct sciara_poi_hits hits = {.pois = 1, .members = 4, .place = &place, .hit = hit};
  const int64_t vent[] = {0, 0, 1, 1}, event[] = {0, 0, 0, 0};
  const struct members m = {
      .weight = {1, 3, 1, 1},
      .state = {SCIARA_MEMBER_COMPLETE, SCIARA_MEMBER_COMPLETE, SCIARA_MEMBER_COMPLETE, SCIARA_MEMBER_COMPLETE}};
  const struct sciara_sample_input in = {4, m.weight, m.state, m.end, m.group, SCIARA_ERROR_STRATA, NULL};
  OWNED(sciara_sample_free) struct sciara_sample s;
  OWNED(free_aligned) struct sciara_contribution *c;
  size_t count;
  expect_ok(sciara_sample_make(&in, &s));
  for (int k = 0; k < 4; k++) hit[k] = (struct sciara_poi_hit){.arrival = k > 0 ? 10 * (float)(k + 1) : INFINITY};
  expect_ok(sciara_contributions(&hits, &s, 0, 0, vent, event, SCIARA_BY_VENT, &c, &count));
  ck_assert_uint_eq(count, 2);
  ck_assert_double_eq_tol(c[0].contribution, 3.0 / 5, 1e-15);
  ck_assert_double_eq_tol(c[1].contribution, 2.0 / 5, 1e-15);
  ck_assert_double_eq(c[0].probability, 0.75);
  ck_assert_double_eq(c[1].probability, 1);
  ck_assert_double_eq_tol(c[0].weight, 4.0 / 6, 1e-15);
}

/** The median arrival of a vent needs as many hits as the quantiles of a map. */
TEST(medians_need_enough_hits) {
  enum { COUNT = SCIARA_HITS_LEAST + 1 };
  struct sciara_poi_hit hit[COUNT];
  struct sciara_poi_cells place = {.count = 1};
  const struct sciara_poi_hits hits = {.pois = 1, .members = COUNT, .place = &place, .hit = hit};
  const int64_t vent[COUNT] = {0};
  OWNED(sciara_sample_free) struct sciara_sample s = sample_of(COUNT, NULL, SCIARA_ERROR_STRATA);
  for (int reached = SCIARA_HITS_LEAST - 1; reached <= SCIARA_HITS_LEAST; reached++) {
    OWNED(free_aligned) struct sciara_contribution *c;
    size_t count;
    for (int k = 0; k < COUNT; k++) hit[k].arrival = k < reached ? 10 * (float)(k + 1) : INFINITY;
    expect_ok(sciara_contributions(&hits, &s, 0, 0, vent, vent, SCIARA_BY_VENT, &c, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(c->hits, reached);
    if (reached < SCIARA_HITS_LEAST)
      ck_assert_double_nan(c->arrival);
    else
      ck_assert_double_eq(c->arrival, 10 * (SCIARA_HITS_LEAST / 2.0)); // the first that has half of the weight
  }
}

// ---------------------------------------------------------------------------------------------------------- stop rule

enum { BATCH = 8, BATCHES = 3, DRAWS = BATCH * BATCHES };

/** Three batches of eight draws; to be changed before it is tested. */
struct plan {
  struct sciara_ensemble e;
  struct sciara_batches b;
  struct sciara_poi_hits pois;
  struct sciara_poi_cells place[2];
  struct sciara_poi_hit hit[2 * DRAWS];
  struct sciara_footprint member[DRAWS];
  uint8_t present[BATCHES];
  double weight[DRAWS];
  int64_t stratum[DRAWS], vent[DRAWS], replicate[DRAWS];
};

static void make_plan(struct plan *p, double standard_error) {
  memset(p, 0, sizeof *p);
  for (int k = 0; k < DRAWS; k++) {
    p->weight[k] = 1;
    p->member[k] = (struct sciara_footprint){.id = k, .stop = SCIARA_STOP_SOLIDIFIED};
    for (int poi = 0; poi < 2; poi++) // every other one reaches the places
      p->hit[poi * DRAWS + k] = (struct sciara_poi_hit){.arrival = k % 2 ? 10 : INFINITY, .max_deposit = 1};
  }
  memset(p->present, 1, sizeof p->present);
  p->e.members = (struct sciara_members){
      .count = DRAWS, .weight = p->weight, .stratum = p->stratum, .replicate = p->replicate, .vent = p->vent};
  p->e.method = SCIARA_SAMPLE_RANDOM;
  p->e.batch_size = BATCH;
  p->e.batch_count = BATCHES;
  p->e.stop.standard_error = standard_error;
  p->b = (struct sciara_batches){
      .ensemble = &p->e, .member = p->member, .present = p->present, .batches = BATCHES, .rows = 1, .cols = 1};
  p->pois = (struct sciara_poi_hits){.pois = 2, .members = DRAWS, .place = p->place, .hit = p->hit};
}

static size_t prefix_of(const struct plan *p) {
  size_t batches = 99;
  expect_ok(sciara_stop_prefix(&p->e, &p->b, &p->pois, &batches));
  return batches;
}

/** p = 1/2 of n draws of one stratum: the error is sqrt(1 / (4 (n - 1))). */
TEST(the_shortest_prefix_that_is_enough) {
  static struct plan p;
  const double error[] = {sqrt(1 / (4.0 * 7)), sqrt(1 / (4.0 * 15)), sqrt(1 / (4.0 * 23))};
  for (size_t k = 0; k < BATCHES; k++) {
    make_plan(&p, error[k] * (1 + 1e-12));
    ck_assert_uint_eq(prefix_of(&p), k + 1);
    make_plan(&p, error[k] * (1 - 1e-12));
    ck_assert_uint_eq(prefix_of(&p), k + 1 < BATCHES ? k + 2 : 0);
  }
}

TEST(a_missing_batch_ends_the_prefix) {
  static struct plan p;
  make_plan(&p, 0.14); // two batches
  ck_assert_uint_eq(prefix_of(&p), 2);
  p.present[1] = 0;
  for (int k = BATCH; k < 2 * BATCH; k++) p.member[k].id = -1;
  ck_assert_uint_eq(prefix_of(&p), 0);
}

TEST(a_failed_member_is_open) {
  static struct plan p;
  make_plan(&p, 0.14);
  p.member[3].failed = true;
  ck_assert_uint_eq(prefix_of(&p), 0);
}

/** Without a hit the error is the upper bound, three times the largest weight. */
TEST(a_site_without_hits_needs_its_bound) {
  static struct plan p;
  make_plan(&p, 0.20);
  ck_assert_uint_eq(prefix_of(&p), 1);
  for (int k = 0; k < DRAWS; k++) p.hit[k].arrival = INFINITY; // the first of the places
  ck_assert_uint_eq(prefix_of(&p), 2);                         // 3/8, then 3/16
}

/** All draws hit: no spread, and the bound is needed as without a hit. */
TEST(a_site_that_all_reach_needs_the_bound) {
  static struct plan p;
  make_plan(&p, 0.20);
  for (int k = 0; k < DRAWS; k++) p.hit[k].arrival = 10;
  ck_assert_uint_eq(prefix_of(&p), 2); // 3/8, then 3/16
}

/** A full plan draws nothing: its grid difference may be 0 by chance. */
TEST(a_full_plan_does_not_stop) {
  static struct plan p;
  struct sciara_point at[2] = {{0, 0}, {10, 0}};
  struct sciara_ensemble_vent vents[2] = {{.points = &at[0], .point_count = 1}, {.points = &at[1], .point_count = 1}};
  make_plan(&p, 0.5);
  ck_assert_uint_eq(prefix_of(&p), 1);
  p.e.method = SCIARA_SAMPLE_FULL;
  p.e.vents = vents;
  p.e.vent_count = 2;
  for (int k = 0; k < DRAWS; k++) p.vent[k] = k / 2 % 2;
  ck_assert_uint_eq(prefix_of(&p), 0);
}

/** Weights of 200 and 1 with a draw each: no spread says how far off the estimate is. */
TEST(single_draws_of_unequal_weight_do_not_stop) {
  static struct plan p;
  make_plan(&p, 0.5);
  for (int k = 0; k < DRAWS; k++) {
    p.stratum[k] = k < BATCH ? k : 0;
    p.weight[k] = k == 3 ? 200 : 1;
  }
  p.e.members.count = BATCH;
  p.e.batch_count = p.b.batches = 1;
  ck_assert_uint_eq(prefix_of(&p), 0);
  p.weight[3] = 1;
  ck_assert_uint_eq(prefix_of(&p), 1);
}

/** The numbers of strata may be any. */
TEST(strata_have_any_numbers) {
  static struct plan p;
  make_plan(&p, 0.14);
  const size_t batches = prefix_of(&p);
  for (int k = 0; k < DRAWS; k++) p.stratum[k] = INT64_MAX;
  ck_assert_uint_eq(prefix_of(&p), batches);
  make_plan(&p, 0.5);
  for (int k = 0; k < DRAWS; k++) p.stratum[k] = k >= BATCH && k < 2 * BATCH ? -1 : INT64_MAX;
  ck_assert_uint_eq(prefix_of(&p), 2);
}

/** Stratum 1 has half of the weight, but fewer members at first; and none in the first batch. */
TEST(strata_keep_their_weights) {
  static struct plan p;
  make_plan(&p, 0.5);
  for (int k = 0; k < DRAWS; k++) p.stratum[k] = k >= BATCH && k < 2 * BATCH;
  ck_assert_uint_eq(prefix_of(&p), 2);
  // In the first batch: stratum 0 six members, all hit; stratum 1 two, one of which hits. In all: 12 and 12.
  make_plan(&p, 0);
  for (int k = 0; k < DRAWS; k++) {
    p.stratum[k] = k < BATCH ? k >= 6 : k % 2 ? 1 : k >= 20;
    for (int poi = 0; poi < 2; poi++) p.hit[poi * DRAWS + k].arrival = p.stratum[k] == 0 || k == 7 ? 10 : INFINITY;
  }
  int own = 0;
  for (int k = 0; k < DRAWS; k++) own += p.stratum[k] == 1;
  const double part = own / (double)DRAWS; // of stratum 1; p = 1/2 there, from two draws
  const double error = sqrt(2.0 * 2 * 0.25 * 0.25) * part;
  p.e.stop.standard_error = error * (1 + 1e-12);
  ck_assert_uint_eq(prefix_of(&p), 1);
  p.e.stop.standard_error = error * (1 - 1e-12);
  ck_assert_uint_ne(prefix_of(&p), 1);
}

// ------------------------------------------------------------------------------------------------------------- threads

TEST(threads_are_those_that_the_process_may_use) {
  cpu_set_t all, one;
  int first = 0;
  ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
  while (!CPU_ISSET(first, &all)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
  ck_assert_int_eq(sciara_reduction_threads(0), 1);
  ck_assert_int_eq(sciara_reduction_threads(3), 3);
  ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
}

RUN_TESTS()
