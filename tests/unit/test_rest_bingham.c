// SPDX-License-Identifier: Apache-2.0
// Claims about rule bingham in model/quiescent.h, on random cells: a sheet reported as quiescent rests at every lower
// temperature, and most sheets that are no thicker than their plug or level are reported. test_rest_bingham_single.c: in single precision.
#define SCIARA_RULE_NAME bingham

#include "model/quiescent.h"
#include "support/random.h"

struct cell {
  real z, h, T, zn[SCIARA_MOORE], hn[SCIARA_MOORE];
};

/** Lava that may or may not flow: slopes and thicknesses of every size, some close to that of the plug. */
static struct cell random_cell(void) {
  const double slope = chance(3) ? 0 : pow(10, uniform(-4, 1.3));
  struct cell c = {.z = uniform(0, 3000), .h = (real)pow(10, uniform(-3, 1)), .T = uniform(1150, 1360)};
  for (int n = 1; n < SCIARA_MOORE; n++) {
    c.zn[n] = c.z + uniform(-slope, slope);
    c.hn[n] = chance(2) ? 0 : uniform(0, 8);
    if (chance(8)) c.zn[n] = c.z + c.h - c.hn[n]; // surfaces of one height
  }
  return c;
}

static bool moves(const struct sciara_rule *rule, const struct cell *c, real T) {
  struct sciara_evaluation p;
  bool bad = false;
  sciara_cell_evaluate(rule, c->z, c->h, T, 0, 0, c->zn, c->hn, &p, &bad);
  ck_assert(!bad);
  return p.survivors != 0;
}

static void find_drops(const struct cell *c, real drop[SCIARA_MOORE]) {
  drop[0] = 0;
  for (int n = 1; n < SCIARA_MOORE; n++) drop[n] = sciara_drop(c->h, c->zn[n] - c->z, c->hn[n]);
}

static bool rests(const struct sciara_rule *rule, const struct cell *c) {
  real drop[SCIARA_MOORE];
  find_drops(c, drop);
  return sciara_is_quiescent(rule, c->h, c->T, drop);
}

/** Whether the sheet itself rests, whatever stands around it. */
static bool is_plug_or_level(const struct sciara_rule *rule, const struct cell *c) {
  real drop[SCIARA_MOORE];
  struct sciara_sheet sheet;
  find_drops(c, drop);
  return !sciara_sheet_moves(rule, c->h, c->T, drop, &sheet);
}

/** The thickness with which a cell on a slope to the south begins to move. */
static real find_limit(const struct sciara_rule *rule, struct cell *c) {
  real low = 0, high = 100;
  for (int k = 0; k < 200; k++) {
    c->h = (low + high) / 2;
    for (int n = 1; n < SCIARA_MOORE; n++) c->hn[n] = c->h;
    *(moves(rule, c, c->T) ? &high : &low) = c->h;
  }
  return low;
}

TEST_EACH(quiescent_sheets_rest, 3) {
  struct sciara_params params = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
  if (_i == 2) params.yield_vent = params.yield_sol; // the same at every temperature
  const struct sciara_rule rule = sciara_rule_make(&params, _i == 0 ? 20 : 2);
  int still = 0, quiescent = 0;
  for (int k = 0; k < 200000; k++) {
    const struct cell c = random_cell();
    const bool at_rest = rests(&rule, &c);
    still += is_plug_or_level(&rule, &c);
    quiescent += at_rest;
    for (int n = 0; at_rest && n < 12; n++) {
      const real T = n < 6 ? just_below(c.T, n) : uniform(300, (double)c.T);
      ck_assert_msg(!moves(&rule, &c, T), "cell %d: quiescent at %.17g K, flows at %.17g K", k, (double)c.T, (double)T);
    }
  }
  ck_assert_int_gt(still, 20000);
  ck_assert_int_gt(quiescent, still / 100 * 99);
  ck_assert_int_le(quiescent, still);
}

// Well below the thickness of the plug it is quiescent, well above it is not; close to it there is no answer.
TEST(limit) {
  const struct sciara_params params = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
  const struct sciara_rule rule = sciara_rule_make(&params, 20);
  const real margins[] = {0, 4 * SCIARA_QUIESCENT_SLACK};
  struct cell c = {.z = 100, .T = 1300};
  for (int n = 1; n < SCIARA_MOORE; n++) c.zn[n] = 100 + 3 * (real)sciara_moore_row(n) * -1;
  const real low = find_limit(&rule, &c);
  ck_assert(low > (real)0.1 && low < 20);
  for (int k = 0; k < 2; k++) {
    c.h = low * (1 - margins[k]);
    for (int n = 1; n < SCIARA_MOORE; n++) c.hn[n] = c.h;
    ck_assert_int_eq(rests(&rule, &c), k == 1);
  }
}

TEST(no_decision) {
  struct sciara_params params = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
  struct sciara_rule rule = sciara_rule_make(&params, 20);
  struct cell level = {.z = 100, .h = (real)0.1, .T = 1300}, c;
  for (int n = 1; n < SCIARA_MOORE; n++) {
    level.zn[n] = 100;
    level.hn[n] = level.h;
  }
  c = level;
  c.zn[2] = 99;
  ck_assert(rests(&rule, &level) && rests(&rule, &c));
  rule.plug_b = (real)1e-6; // the yield strength falls with the temperature
  ck_assert(rests(&rule, &level) && !rests(&rule, &c));
  params.yield_sol = params.yield_vent = 0;
  rule = sciara_rule_make(&params, 20);
  ck_assert(rests(&rule, &level) && !rests(&rule, &c)); // no plug
  rule = sciara_rule_make(&params, 20);
  c = level;
  c.zn[7] = (real)NAN;
  ck_assert(!rests(&rule, &c));
  c = level;
  c.h = (real)NAN;
  ck_assert(!rests(&rule, &c));
}

/** Thick lava that takes in what is nearly lost by rounding keeps its temperature. */
TEST(heat_of_thin_inflows) {
  struct sciara_inflow lava = {17, 0, 0, sciara_heat(17, 1360)};
  for (int k = 0; k < 100000; k++) sciara_inflow_add(&lava, 1, (struct sciara_outflow){(real)8e-7}, 1360);
  ck_assert_double_eq_tol((double)sciara_mixed(lava.heat, lava.h), 1360, 0.5);
}

RUN_TESTS()
