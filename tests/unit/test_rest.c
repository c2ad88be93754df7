// SPDX-License-Identifier: Apache-2.0
// Claims about model/quiescent.h, on random cells: a cell reported as quiescent stays so, at every lower temperature and with
// any decayed momentum; and most cells from which nothing flows are reported. test_rest_single.c: in single precision.
#include "model/quiescent.h"
#include "support/random.h"

struct cell {
  real z, h, T, px, py, zn[SCIARA_MOORE], hn[SCIARA_MOORE];
};

/** Lava that may or may not flow: slopes, thicknesses and speeds of every size. */
static struct cell random_cell(void) {
  const double slope = chance(3) ? 0 : pow(10, uniform(-3, 1.3)), speed = chance(3) ? 0 : pow(10, uniform(-12, 0));
  struct cell c = {.z = uniform(0, 3000), .h = uniform(0.01, 8), .T = uniform(1150, 1360)};
  c.px = c.h * uniform(-speed, speed);
  c.py = c.h * uniform(-speed, speed);
  for (int n = 1; n < SCIARA_MOORE; n++) {
    c.zn[n] = c.z + uniform(-slope, slope);
    c.hn[n] = chance(2) ? 0 : uniform(0, 8);
    if (chance(8)) c.zn[n] = c.z + c.h - c.hn[n]; // surfaces of one height
  }
  return c;
}

static unsigned survivors(const struct sciara_rule *rule, const struct cell *c, real T, real px, real py) {
  struct sciara_evaluation p;
  bool bad = false;
  sciara_cell_evaluate(rule, c->z, c->h, T, px, py, c->zn, c->hn, &p, &bad);
  ck_assert(!bad);
  return p.survivors;
}

static int below, undecided;

/** sciara_quiescent_below is true only where sciara_quiescent_height is below the limit. */
static void check_below(const struct sciara_rule *rule, const struct cell *c) {
  const real limit = sciara_critical_height(rule, c->T);
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const real top = sciara_top(n, c->z, c->zn[n], c->hn[n]), head = (real)uniform(0, 2);
    const real height = sciara_quiescent_height(rule, c->h, top, head), at[] = {limit, height, just_below(height, 3)};
    for (int k = 0; k < 3; k++) {
      const bool is_below = height < at[k];
      const bool found = sciara_quiescent_below(rule, c->h, top, head, at[k]);
      ck_assert(is_below || !found);
      below += k == 0 && is_below;
      undecided += k == 0 && is_below && !found;
    }
  }
}

TEST_EACH(quiescent_cells_stay_quiescent, 2) {
  const struct sciara_params params = sciara_params_default();
  const struct sciara_rule rule = sciara_rule_make(&params, _i == 0 ? 10 : 2);
  int still = 0, quiescent = 0;
  for (int k = 0; k < 200000; k++) {
    const struct cell c = random_cell();
    const bool flows = survivors(&rule, &c, c.T, c.px, c.py) != 0;
    const bool rests = sciara_is_quiescent(&rule, c.z, c.h, c.T, c.px, c.py, c.zn, c.hn);
    ck_assert(!flows || !rests);
    check_below(&rule, &c);
    still += !flows;
    quiescent += rests;
    for (int n = 0; rests && n < 12; n++) {
      const real T = n < 6 ? just_below(c.T, n) : uniform(300, (double)c.T);
      const real fade = n % 3 == 0 ? 1 : n % 3 == 1 ? 0 : uniform(0, 1);
      ck_assert_msg(survivors(&rule, &c, T, c.px * fade, c.py * fade) == 0,
                    "cell %d: quiescent at %.17g K, flows at %.17g K with %g of its momentum", k, (double)c.T,
                    (double)T, (double)fade);
    }
  }
  ck_assert_int_gt(still, 20000);
  ck_assert_int_gt(quiescent, still / 2);
  ck_assert_int_gt(below, 100000);
  ck_assert_int_lt(undecided, below / 100);
}

// Just below the critical height it is quiescent, just above it is not; between the two the rule gives no answer.
TEST(limit) {
  const struct sciara_params params = sciara_params_default();
  const struct sciara_rule rule = sciara_rule_make(&params, 10);
  struct cell c = {.z = 100, .T = 1300};
  for (int n = 1; n < SCIARA_MOORE; n++) c.zn[n] = 100;
  const real hc = sciara_critical_height(&rule, c.T);
  real low = 0, high = 4 * hc; // the thickness at which it begins to flow
  for (int k = 0; k < 200; k++) {
    c.h = (low + high) / 2;
    *(survivors(&rule, &c, c.T, 0, 0) ? &high : &low) = c.h;
  }
  ck_assert(sciara_is_quiescent(&rule, c.z, low * (1 - 4 * SCIARA_QUIESCENT_SLACK), c.T, 0, 0, c.zn, c.hn));
  ck_assert(!sciara_is_quiescent(&rule, c.z, low, c.T, 0, 0, c.zn, c.hn)); // too close to decide
  ck_assert(!sciara_is_quiescent(&rule, c.z, high, c.T, 0, 0, c.zn, c.hn));
}

TEST(no_decision) {
  const struct sciara_params params = sciara_params_default();
  struct sciara_rule rule = sciara_rule_make(&params, 1);
  struct cell c = {.z = 0, .h = 3, .T = 1200};
  for (int n = 1; n < SCIARA_MOORE; n++) c.zn[n] = 2;
  ck_assert(sciara_is_quiescent(&rule, c.z, c.h, c.T, 0, 0, c.zn, c.hn));
  for (int n = 1; n < SCIARA_MOORE; n++) c.zn[n] = 4;
  ck_assert(sciara_is_quiescent(&rule, c.z, (real)3.9, c.T, 0, 0, c.zn, c.hn));
  for (int n = 1; n < SCIARA_MOORE; n++) c.zn[n] = 9;
  ck_assert(!sciara_is_quiescent(&rule, c.z, 5, c.T, 0, 0, c.zn, c.hn));           // thicker than four cells are wide
  ck_assert(!sciara_is_quiescent(&rule, c.z, c.h, c.T, 3 * 9, 0, c.zn, c.hn));     // too fast
  ck_assert(!sciara_is_quiescent(&rule, c.z, c.h, c.T, (real)NAN, 0, c.zn, c.hn)); // not a number
  ck_assert(sciara_is_quiescent(&rule, c.z, c.h, c.T, 0, 0, c.zn, c.hn));
  rule.hc_b = 0;
  ck_assert(!sciara_is_quiescent(&rule, c.z, c.h, c.T, 0, 0, c.zn, c.hn)); // the critical height does not grow
}

RUN_TESTS()
