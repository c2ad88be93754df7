// SPDX-License-Identifier: Apache-2.0
// Claims about model/cell.h and pass.h where two values are exactly equal, and about cases that random values never hit.
#include "model/pass.h"

static struct sciara_rule default_rule(void) {
  const struct sciara_params p = sciara_params_default();
  return sciara_rule_make(&p, 10);
}

// tau1.5: eliminated if he <= hc cos(theta). A slope of 3/4 has the cosine 0.8, so that 10 m are critical for 8 m.
TEST(exactly_the_critical_height) {
  const struct sciara_rule rule = default_rule();
  struct sciara_slope s = {.v0 = 0};
  ck_assert(!sciara_slope_open(&rule, 8, 10, -3.5, &s));
  ck_assert(sciara_slope_open(&rule, 8, nextafter(10, 0), -3.5, &s));
  ck_assert_double_eq(s.path, 12.5);
}

// Values that overflow: the distance is finite, and the value under the root is infinity minus infinity.
TEST(no_number_under_the_root) {
  const struct sciara_rule rule = default_rule();
  const struct sciara_slope s = {.v0 = 1e300, .accel = 0, .path = 1e12};
  bool bad = false;
  (void)sciara_slope_time(&rule, &s, 0.5, &bad);
  ck_assert(bad);
}

/** One cell of every array. */
struct cell {
  uint8_t kind;
  real z, h, T, px, py, z0;
#define SCIARA_RECORDED_FIELD(member, ...) real member;
#include "model/fields.def"
  double lost, arrival;
};

static struct sciara_fields fields_of(struct cell *c) {
  return (struct sciara_fields){
      .stride = 1,
      .kind = &c->kind,
      .z = &c->z,
      .h = &c->h,
      .T = &c->T,
      .px = &c->px,
      .py = &c->py,
      .z0 = &c->z0,
      .lost = &c->lost,
      .arrival = &c->arrival,
#define SCIARA_RECORDED_FIELD(member, ...) .member = &c->member,
#include "model/fields.def"
  };
}

static const struct cell dry = {.kind = SCIARA_CELL_INTERIOR, .z = 100, .z0 = 100, .arrival = SCIARA_NEVER};

TEST(vent) {
  struct cell c = dry;
  const struct sciara_fields f = fields_of(&c);
  c.px = 3;
  ck_assert(sciara_pass_emit(&f, 0, 200, 10, 1360, 7)); // it was dry
  ck_assert(c.h == 2 && c.T == 1360 && c.px == 3 && c.arrival == 7);
  c.T = 1200;
  ck_assert(!sciara_pass_emit(&f, 0, 300, 10, 1360, 8)); // it was not
  ck_assert(c.h == 5 && c.T == 1360 && c.px == 3 && c.arrival == 7);
}

// In a step of zero duration lava keeps its temperature: at T_sol it is rock, at the next number above it is liquid.
TEST(exactly_the_temperature_of_solidification) {
  const struct sciara_rule rule = default_rule();
  bool bad = false;
  struct cell c = dry;
  const struct sciara_fields f = fields_of(&c);
  struct sciara_inflow inflow = {.h = 1, .px = 1, .py = 1, .heat = rule.T_sol};
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, inflow, 0, 9, &bad), SCIARA_OUTCOME_ROCK);
  ck_assert(c.z == 101 && c.h == 0 && c.T == 0 && c.px == 0 && c.py == 0 && c.arrival == 9);
  c = dry;
  inflow.heat = nextafter(rule.T_sol, INFINITY);
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, inflow, 0, 9, &bad), SCIARA_OUTCOME_LIQUID);
  ck_assert(c.z == 100 && c.h == 1 && c.T == inflow.heat && c.px == 1 && c.py == 1 && c.arrival == 9);
  ck_assert(!bad);
}

// Rock counts by the rise of the ground: that falls as lava flows off, and rounding may raise it above the lava.
TEST(the_largest_deposit) {
  const struct sciara_rule rule = default_rule();
  bool bad = false;
  struct cell c = dry;
  const struct sciara_fields f = fields_of(&c);
  const struct sciara_inflow lava = {.h = 2, .heat = 2600}, rock = {.h = 1, .heat = rule.T_sol};
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, lava, 0, 1, &bad), SCIARA_OUTCOME_LIQUID);
  ck_assert(c.max_deposit == 2);
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, rock, 0, 2, &bad), SCIARA_OUTCOME_ROCK);
  ck_assert(c.z == 101 && c.max_deposit == 2);
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, lava, 0, 3, &bad), SCIARA_OUTCOME_LIQUID);
  ck_assert(c.max_deposit == 3 && c.max_h == 2);
  const struct sciara_inflow nothing = {0};
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, nothing, 0, 4, &bad), SCIARA_OUTCOME_DRY);
  ck_assert(c.max_deposit == 3);
  c = dry;
  const double next = nextafter(100, INFINITY), thin = 0.75 * (next - 100);
  const struct sciara_inflow crust = {.h = thin, .heat = thin * rule.T_sol};
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, crust, 0, 5, &bad), SCIARA_OUTCOME_ROCK);
  ck_assert(c.z == next && c.max_deposit == next - 100 && c.max_h == 0 && c.max_speed == 0);
  ck_assert(!bad);
}

TEST(what_a_cell_remembers) {
  const struct sciara_rule rule = default_rule();
  bool bad = false;
  struct cell c = dry;
  const struct sciara_fields f = fields_of(&c);
  const struct sciara_inflow fast = {.h = 2, .px = 6, .py = 8, .heat = 2600}, slow = {.h = 1, .py = 1, .heat = 1300};
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, fast, 0, 1, &bad), SCIARA_OUTCOME_LIQUID);
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, slow, 0, 2, &bad), SCIARA_OUTCOME_LIQUID);
  ck_assert(c.h == 1 && c.max_h == 2 && c.max_speed == 5 && c.arrival == 1);
  c.kind = SCIARA_CELL_RIM;
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, slow, 0, 3, &bad), SCIARA_OUTCOME_LOST);
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, fast, 0, 4, &bad), SCIARA_OUTCOME_LOST);
  ck_assert(c.h == 0 && c.lost == 3 && c.z == 100 && !bad);
  const struct sciara_inflow nothing = {0}, broken = {.h = (real)NAN};
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, nothing, 0, 5, &bad), SCIARA_OUTCOME_DRY);
  ck_assert(!bad);
  ck_assert_int_eq(sciara_pass_settle(&rule, &f, 0, broken, 0, 6, &bad), SCIARA_OUTCOME_DRY);
  ck_assert(bad);
}

RUN_TESTS()
