// SPDX-License-Identifier: Apache-2.0
// Claims about model/cell.h, moore.h and rule.h: each function is compared with the specification (docs/model.md), written
// again in plain form, on random values, bit by bit. test_cell_single.c is the same in single precision.
#include "model/cell.h"
#include "support/random.h"

static const real epsilon = sizeof(real) == 4 ? (real)FLT_EPSILON : (real)DBL_EPSILON;

// -------------------------------------------------------------------------------------------------------- arguments

/** A component of velocity, m/s: often 0, often the same in size as the one before. */
static real velocity(real before) {
  if (chance(4)) return 0;
  if (chance(4)) return chance(2) ? before : -before;
  return uniform(-12, 12);
}

static struct sciara_rule default_rule(void) {
  const struct sciara_params p = sciara_params_default();
  return sciara_rule_make(&p, 10);
}

static bool same(real a, real b) { return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

#define ASSERT_SAME(value, expected)                                                       \
  do {                                                                                     \
    const real value_ = (value), expected_ = (expected);                                   \
    if (!same(value_, expected_)) /* ck_assert is slow, and this runs a million times */   \
      ck_abort_msg(#value " is %.17g, expected %.17g", (double)value_, (double)expected_); \
  } while (0)

// --------------------------------------------------------------------------------------------------------- geometry

enum { N = 1, W, E, S, NW, SW, SE, NE };

TEST(neighbourhood) {
  static const int row[] = {0, -1, 0, 0, 1, -1, 1, 1, -1}, col[] = {0, 0, -1, 1, 0, -1, -1, 1, 1};
  static const int reverse[] = {0, 4, 3, 2, 1, 7, 8, 5, 6};
  for (int i = 1; i < SCIARA_MOORE; i++) {
    ck_assert_int_eq(sciara_moore_row(i), row[i]);
    ck_assert_int_eq(sciara_moore_col(i), col[i]);
    ck_assert_int_eq(sciara_moore_reverse(i), reverse[i]);
    ck_assert_int_eq(sciara_moore_offset(i, 1000), row[i] * 1000 + col[i]);
    ck_assert_int_eq(sciara_moore_offset(i, 7) + sciara_moore_offset(sciara_moore_reverse(i), 7), 0);
  }
}

TEST(unit_vectors) {
  const real d = (real)0x1.6a09e667f3bcdp-1;
  const struct {
    int i;
    real x, y;
  } e[] = {{N, 0, 1}, {W, -1, 0}, {E, 1, 0}, {S, 0, -1}, {NW, -d, d}, {SW, -d, -d}, {SE, d, -d}, {NE, d, d}};
  for (int k = 0; k < 8; k++) { // == and not the bits: -0 and +0 are both right
    ck_assert(sciara_unit_x(e[k].i) == e[k].x && sciara_unit_y(e[k].i) == e[k].y);
    ck_assert(sciara_unit_x(sciara_moore_reverse(e[k].i)) == -e[k].x);
    ck_assert(sciara_unit_y(sciara_moore_reverse(e[k].i)) == -e[k].y);
  }
}

/** v0_1..v0_8, from the text: a diagonal component and an axis component. */
static void naive_speeds(real vx, real vy, real v0[SCIARA_MOORE]) {
  const real ax = (real)fabs((double)vx), ay = (real)fabs((double)vy);
  const real larger = ax > ay ? ax : ay, smaller = ax > ay ? ay : ax;
  for (int i = 0; i < SCIARA_MOORE; i++) v0[i] = 0;
  const int diagonal = vx >= 0 ? (vy >= 0 ? NE : SE) : (vy >= 0 ? NW : SW);
  const int axis = ax >= ay ? (vx >= 0 ? E : W) : (vy >= 0 ? N : S);
  v0[diagonal] = (real)0x1.6a09e667f3bcdp+0 * smaller;
  v0[axis] = larger - smaller;
}

TEST(initial_speed) {
  for (int n = 0; n < 100000; n++) {
    const real vx = velocity(0), vy = velocity(vx);
    real v0[SCIARA_MOORE], x = 0, y = 0;
    int used = 0;
    naive_speeds(vx, vy, v0);
    for (int i = 1; i < SCIARA_MOORE; i++) {
      const real v = sciara_initial_speed(i, vx, vy);
      ck_assert_msg(v == v0[i] && v >= 0, "neighbour %d, velocity (%.17g, %.17g): %.17g, expected %.17g", i, (double)vx,
                    (double)vy, (double)v, (double)v0[i]);
      used += v != 0;
      x += v * sciara_unit_x(i);
      y += v * sciara_unit_y(i);
    }
    ck_assert_int_le(used, 2);
    const real speed = (real)fmax(fabs((double)vx), fabs((double)vy));
    ck_assert(fabs((double)(x - vx)) <= 4 * (double)(epsilon * speed) &&
              fabs((double)(y - vy)) <= 4 * (double)(epsilon * speed));
  }
}

// ------------------------------------------------------------------------------------------------------ one direction

static real naive_top(int i, real z, real z_i, real h_i) {
  const real kappa = i <= 4 ? (real)1 : (real)0x1.6a09e667f3bcdp-1;
  return kappa * (z_i - z) + h_i;
}

TEST(top_of_lava) {
  for (int n = 0; n < 20000; n++) {
    const real z = uniform(0, 3000), zn = z + uniform(-30, 30), hn = chance(3) ? 0 : uniform(0, 20);
    for (int i = 1; i < SCIARA_MOORE; i++) ASSERT_SAME(sciara_top(i, z, zn, hn), naive_top(i, z, zn, hn));
  }
}

/** tau1.3-5, case by case; false: eliminated. */
static bool naive_slope(const struct sciara_rule *rule, real h, real hc, real top, real v0, real *path, real *accel) {
  const real hk = (v0 * v0) / (2 * rule->gravity);
  real he, ha;
  if (hk + h <= top) {
    he = 0;
    ha = h;
  } else if (top <= hk) {
    he = h;
    ha = 0;
  } else {
    he = (hk + h) - top;
    ha = h - he;
  }
  const real q = ((ha + (real)0.5 * he) - top) / rule->cell_size;
  const real R = sciara_real_sqrt(1 + q * q);
  const real cosine = 1 / R, sine = q * cosine;
  *path = rule->cell_size * R;
  *accel = rule->gravity * sine;
  return !(he <= hc * cosine);
}

TEST(slope_open) {
  const struct sciara_rule rule = default_rule();
  int open = 0, three[3] = {0, 0, 0};
  for (int n = 0; n < 100000; n++) {
    const real h = uniform(0, 12), hc = uniform(0.2, 6), v0 = chance(3) ? 0 : uniform(0, 9);
    const real hk = (v0 * v0) / (2 * rule.gravity);
    const real top = chance(20) ? hk : chance(20) ? hk + h : chance(20) ? 0 : uniform(-20, 20);
    real path, accel;
    struct sciara_slope s = {.v0 = v0};
    const bool expected = naive_slope(&rule, h, hc, top, v0, &path, &accel);
    ck_assert_int_eq(sciara_slope_open(&rule, h, hc, top, &s), expected);
    three[hk + h <= top ? 0 : top <= hk ? 1 : 2]++;
    if (!expected) continue;
    open++;
    ASSERT_SAME(s.path, path);
    ASSERT_SAME(s.accel, accel);
    ASSERT_SAME(s.v0, v0);
    ck_assert(s.path >= rule.cell_size);
  }
  ck_assert(open > 1000 && three[0] > 1000 && three[1] > 1000 && three[2] > 1000); // every case occurred
}

static real naive_time(const struct sciara_rule *rule, const struct sciara_slope *s, real k) {
  const real t = rule->clock_max;
  const real vf = (s->v0 + s->accel * t) * k;
  const real mean = (vf - s->v0) / t;
  const real distance = s->v0 * t + ((real)0.5 * mean) * t * t;
  if (!(distance > s->path)) return t;
  real radicand = s->v0 * s->v0 + (2 * mean) * s->path;
  if (radicand < 0) radicand = 0;
  return (2 * s->path) / (s->v0 + sciara_real_sqrt(radicand));
}

TEST(slope_time) {
  const struct sciara_rule rule = default_rule();
  int reached = 0, slowing = 0;
  for (int n = 0; n < 100000; n++) {
    const struct sciara_slope s = {
        .v0 = chance(3) ? 0 : uniform(0, 9), .accel = uniform(-2, 8), .path = uniform(10, 40)};
    const real k = uniform(0.4, 0.8);
    bool bad = false;
    const real t = sciara_slope_time(&rule, &s, k, &bad);
    ck_assert(!bad);
    ASSERT_SAME(t, naive_time(&rule, &s, k));
    ck_assert(t > 0 && t <= rule.clock_max * (1 + 4 * epsilon));
    if (t == rule.clock_max) continue;
    reached++;
    const double mean = ((double)(s.v0 + s.accel * rule.clock_max) * (double)k - (double)s.v0) / (double)rule.clock_max;
    slowing += mean < 0; // the root of a falling speed
    const double there =
        (double)s.v0 * (double)t + 0.5 * mean * (double)t * (double)t; // t is the time in which the path is covered
    ck_assert_msg(fabs(there - (double)s.path) <= 1e4 * (double)epsilon * (double)s.path,
                  "%.17g m gone, the path is %.17g m", there, (double)s.path);
  }
  ck_assert(reached > 1000 && slowing > 100);
}

TEST(slope_time_cases) {
  const struct sciara_rule rule = default_rule();
  bool bad = false;
  const struct sciara_slope uphill = {0, -1, 10}, still = {0, 0, 10}, steep = {0, 4, 10};
  ASSERT_SAME(sciara_slope_time(&rule, &uphill, (real)0.5, &bad), rule.clock_max); // never arrives
  ASSERT_SAME(sciara_slope_time(&rule, &still, (real)0.5, &bad), rule.clock_max);
  ASSERT_SAME(sciara_slope_time(&rule, &steep, 0, &bad), rule.clock_max); // all speed dissipated
  const real t = sciara_slope_time(&rule, &steep, (real)0.5, &bad);       // from rest: sqrt(2 w / mean), mean = 2 m/s2
  ck_assert_double_eq_tol((double)t, sqrt(10), 4 * (double)epsilon * sqrt(10));
  ck_assert(!bad);
  const real nan = (real)NAN;
  const struct sciara_slope broken[] = {{nan, 1, 10}, {1, nan, 10}};
  for (int k = 0; k < 2; k++) {
    bad = false;
    (void)sciara_slope_time(&rule, &broken[k], (real)0.5, &bad);
    ck_assert_msg(bad, "a NaN passed");
  }
  bad = false;
  struct sciara_outflow f = sciara_slope_flow(&broken[1], 1, (real)0.5, 1, &bad);
  ck_assert(bad && f.speed != f.speed);
}

TEST(slope_flow) {
  int none = 0, part = 0, all = 0;
  for (int n = 0; n < 100000; n++) {
    const struct sciara_slope s = {
        .v0 = chance(3) ? 0 : uniform(0, 9), .accel = uniform(-2, 8), .path = uniform(10, 40)};
    const real k = uniform(0.4, 0.8), t = uniform(0.1, 10), share = uniform(0, 6);
    bool bad = false;
    const struct sciara_outflow f = sciara_slope_flow(&s, share, k, t, &bad);
    const real vf = (s.v0 + s.accel * t) * k;
    const real distance = s.v0 * t + ((real)0.5 * (vf - s.v0)) * t;
    real fraction = distance / s.path;
    if (fraction < 0) fraction = 0;
    if (fraction > 1) fraction = 1;
    ck_assert(!bad);
    ASSERT_SAME(f.speed, vf);
    ASSERT_SAME(f.thickness, share * fraction);
    none += fraction == 0;
    all += fraction == 1;
    part += fraction > 0 && fraction < 1;
  }
  ck_assert(none > 100 && part > 1000 && all > 100);
}

// ------------------------------------------------------------------------------------------------------ minimisation

/** tau1.6 with a list of survivors that is made again for each round. */
static unsigned naive_minimise(unsigned set, real h, const real top[SCIARA_MOORE], real *average) {
  int list[SCIARA_MOORE], n = 0;
  for (int i = 0; i < SCIARA_MOORE; i++)
    if (set & 1u << i) list[n++] = i;
  for (bool gone = true; n > 0 && gone;) {
    real sum = h;
    for (int k = 0; k < n; k++) sum = sum + top[list[k]];
    *average = sum / (real)n;
    int kept[SCIARA_MOORE], m = 0;
    for (int k = 0; k < n; k++)
      if (top[list[k]] < *average) kept[m++] = list[k];
    gone = m < n;
    memcpy(list, kept, sizeof list);
    n = m;
  }
  unsigned survivors = 0;
  for (int k = 0; k < n; k++) survivors |= 1u << list[k];
  return survivors;
}

TEST(minimisation) {
  int rounds = 0, empty = 0, without_self = 0;
  for (int n = 0; n < 100000; n++) {
    const real h = chance(10) ? 0 : uniform(0, 10);
    const bool coarse = chance(3); // many tops are equal to each other and to the average
    real top[SCIARA_MOORE] = {0}, average = -1, expected = -1;
    for (int i = 1; i < SCIARA_MOORE; i++) top[i] = coarse ? (real)((int)(random_bits() % 7) - 3) : uniform(-12, 12);
    const unsigned set = (unsigned)random_bits() & 0x1ffu;
    const unsigned found = sciara_minimise(set, h, top, &average), right = naive_minimise(set, h, top, &expected);
    ck_assert_uint_eq(found, right);
    empty += right == 0;
    if (right == 0) continue;
    ASSERT_SAME(average, expected);
    rounds += right != set;
    without_self += !(right & 1u);
    for (int i = 0; i < SCIARA_MOORE; i++) ck_assert(!(right >> i & 1u) || top[i] < average);
  }
  ck_assert(rounds > 1000 && empty > 100 && without_self > 1000);
}

// What flows out does not exceed what is there, and levels the survivors: mass balance of the flows.
TEST(flows_balance) {
  for (int n = 0; n < 20000; n++) {
    const real h = uniform(0.1, 10);
    real top[SCIARA_MOORE] = {0}, average = 0, out = 0;
    for (int i = 1; i < SCIARA_MOORE; i++) top[i] = uniform(-5, 12);
    const unsigned found = sciara_minimise(0x1ffu, h, top, &average); // the cell itself always takes part
    for (int i = 1; i < SCIARA_MOORE; i++)
      if (found >> i & 1u) out += average - top[i];
    const real stays = found & 1u ? average : 0;
    ck_assert_double_eq_tol((double)(out + stays), (double)h, 200 * (double)epsilon);
  }
}

// ---------------------------------------------------------------------------------------------------------- one cell

TEST(whole_cell) {
  const struct sciara_rule rule = default_rule();
  int flows = 0;
  for (int n = 0; n < 50000; n++) {
    const real h = uniform(0.01, 15), T = uniform(1143, 1360), z = uniform(500, 600);
    const real px = h * velocity(1), py = h * velocity(px / h);
    real zn[SCIARA_MOORE] = {0}, hn[SCIARA_MOORE] = {0}, v0[SCIARA_MOORE], tops[SCIARA_MOORE] = {0};
    for (int i = 1; i < SCIARA_MOORE; i++) {
      zn[i] = z + uniform(-8, 8);
      hn[i] = chance(2) ? 0 : uniform(0, 10);
    }
    struct sciara_evaluation p;
    bool bad = false;
    const real t_opt = sciara_cell_evaluate(&rule, z, h, T, px, py, zn, hn, &p, &bad);
    const real hc = sciara_critical_height(&rule, T), k = 1 - sciara_dissipation(&rule, T);
    struct sciara_slope slope[SCIARA_MOORE];
    unsigned set = 1;
    naive_speeds(px / h, py / h, v0);
    for (int i = 1; i < SCIARA_MOORE; i++) {
      slope[i].v0 = v0[i];
      tops[i] = naive_top(i, z, zn[i], hn[i]);
      if (naive_slope(&rule, h, hc, tops[i], v0[i], &slope[i].path, &slope[i].accel)) set |= 1u << i;
    }
    real average = 0, least = rule.clock_max;
    const unsigned survivors = naive_minimise(set, h, tops, &average) & ~1u;
    for (int i = 1; i < SCIARA_MOORE; i++)
      if (survivors >> i & 1u) {
        const real t = naive_time(&rule, &slope[i], k);
        if (t < least) least = t;
        ASSERT_SAME(p.share[i], average - tops[i]);
      }
    ck_assert(!bad);
    ck_assert_uint_eq(p.survivors, survivors);
    ASSERT_SAME(t_opt, least);
    struct sciara_outflows f;
    const real t = rule.relaxation * t_opt, h0 = sciara_cell_flow(&p, h, t, &f, &bad);
    real leaving = 0;
    for (int i = 1; i < SCIARA_MOORE; i++) {
      if (!(survivors >> i & 1u)) ck_assert(f.to[i].thickness == 0);
      leaving = leaving + f.to[i].thickness;
    }
    ASSERT_SAME(h0, h - leaving < 0 ? (real)0 : h - leaving);
    flows += leaving > 0;
  }
  ck_assert_int_gt(flows, 1000);
}

TEST(inflow) {
  for (int n = 0; n < 20000; n++) {
    const real h0 = uniform(0, 5), vx = velocity(1), vy = velocity(vx), k = uniform(0.4, 0.8), T = uniform(1143, 1360);
    struct sciara_inflow p = sciara_inflow_residual(h0, vx, vy, k, T);
    real h = h0, px = (h0 * vx) * k, py = (h0 * vy) * k, heat = h0 * T;
    for (int i = 1; i < SCIARA_MOORE; i++) {
      const struct sciara_outflow out = {chance(3) ? 0 : uniform(0, 3), uniform(-1, 9)};
      const real T_i = uniform(1143, 1360);
      sciara_inflow_add(&p, i, out, T_i);
      if (out.thickness == 0) continue;
      h = h + out.thickness;
      px = px - (out.thickness * out.speed) * sciara_unit_x(i); // from the donor: away from its position
      py = py - (out.thickness * out.speed) * sciara_unit_y(i);
      heat = heat + out.thickness * T_i;
    }
    ck_assert(p.h == h && p.px == px && p.py == py && p.heat == heat);
  }
}

TEST(temperature_laws) {
  const struct sciara_params p = sciara_params_default();
  const struct sciara_rule rule = default_rule();
  const double slack = 16 * (double)epsilon;
  ck_assert_double_eq_tol((double)sciara_dissipation(&rule, (real)1143), 0.5, slack);
  ck_assert_double_eq_tol((double)sciara_dissipation(&rule, (real)1360), 0.315, slack);
  ck_assert_double_eq_tol((double)sciara_critical_height(&rule, (real)1143), 23.066, 23 * slack);
  ck_assert_double_eq_tol((double)sciara_critical_height(&rule, (real)1360), 1.014, slack);
  for (int n = 0; n < 20000; n++) {
    const real T = uniform(1143, 1360);
    const double part = ((double)T - p.T_sol) / (p.T_vent - p.T_sol);
    const double dP = exp(log(p.dP_sol) + part * (log(p.dP_vent) - log(p.dP_sol)));
    const double hc = exp(log(p.hc_sol) + part * (log(p.hc_vent) - log(p.hc_sol)));
    ck_assert_double_eq_tol((double)sciara_dissipation(&rule, T), dP, slack * dP);
    ck_assert_double_eq_tol((double)sciara_critical_height(&rule, T), hc, slack * hc);
  }
}

TEST(cooling) {
  const struct sciara_rule rule = default_rule();
  ck_assert_double_eq_tol((double)rule.cooling, 3 * 0.9 * 5.67e-8 * 1.507 / (2600 * 1150 * 100.0),
                          4e-16 * (double)epsilon + 1e-22);
  for (int n = 0; n < 20000; n++) {
    const real t = uniform(0.1, 60), h = uniform(1e-4, 20), T = uniform(1143, 1360);
    const real D = ((rule.cooling * t) * ((T * T) * T)) / h;
    const real cooled = sciara_cool(&rule, t, h, T);
    ASSERT_SAME(cooled, T / sciara_real_cbrt(1 + D));
    ck_assert_double_eq_tol((double)cooled, (double)T / cbrt(1 + (double)D), 8 * (double)epsilon * (double)T);
    ck_assert(cooled <= T && cooled > 0);
  }
  ck_assert(sciara_is_nan(sciara_cool(&rule, 1, 1, (real)NAN)));
  // Where little heat is left, every bit of the product shows: how the product is grouped is part of the rule.
  int other = 0;
  for (int n = 0; n < 20000; n++) {
    const real t = uniform(60, 120), h = uniform(1e-9, 1e-8), T = uniform(1143, 1360);
    ASSERT_SAME(sciara_cool(&rule, t, h, T), T / sciara_real_cbrt(1 + ((rule.cooling * t) * ((T * T) * T)) / h));
    const real grouped = (rule.cooling * (t * ((T * T) * T))) / h;
    other += T / sciara_real_cbrt(1 + grouped) != sciara_cool(&rule, t, h, T);
  }
  ck_assert_int_gt(other, 100);
}

TEST(small_ones) {
  ck_assert(sciara_is_nan((real)NAN) && !sciara_is_nan(0) && !sciara_is_nan((real)INFINITY));
  ASSERT_SAME(sciara_max0(-1), 0);
  ASSERT_SAME(sciara_max0(3), 3);
  ASSERT_SAME(sciara_max0((real)-0.0), (real)-0.0); // x < 0 ? 0 : x
  ck_assert(sciara_is_nan(sciara_max0((real)NAN)));
  ASSERT_SAME(sciara_speed(2, 6, -8), 5);
  ASSERT_SAME(sciara_speed(2, 0, 0), 0);
}

// What is surely liquid stays liquid by the specification, with a temperature clearly above T_sol. Lava that stays liquid
// is nearly always recognised as surely liquid, unless it is thinner than the powers allow.
TEST(surely_liquid) {
  const struct sciara_rule rule = default_rule();
  int sure = 0, warm = 0, missed = 0, rock = 0;
  for (int k = 0; k < 1000000; k++) {
    const real h = chance(8) ? (real)pow(10, uniform(-300, 100)) : (real)pow(10, uniform(-7, 3));
    const real T = chance(3) ? rule.T_sol * (1 + (real)uniform(-1e-3, 1e-3)) : (real)uniform(1143, 1360);
    const real t = (real)pow(10, uniform(-6, 3));
    const struct sciara_inflow lot = {h, 1, -1, h * T};
    bool bad = false;
    real cooled = 0;
    const enum sciara_outcome outcome = sciara_cell_settle(&rule, false, &lot, t, &cooled, &bad);
    if (sciara_surely_liquid(&rule, &lot, t)) {
      sure++;
      if (outcome != SCIARA_OUTCOME_LIQUID || bad || !(cooled > rule.T_sol * (real)1.0001))
        ck_abort_msg("h %g, T %g, t %g: sure, but of outcome %d, %.9g K", (double)h, (double)T, (double)t, (int)outcome,
                     (double)cooled);
    } else if (outcome == SCIARA_OUTCOME_LIQUID && cooled > rule.T_sol * (real)1.001 && h > (real)1e-7 && h < 1000) {
      missed++;
    }
    warm += outcome == SCIARA_OUTCOME_LIQUID;
    rock += outcome == SCIARA_OUTCOME_ROCK;
  }
  ck_assert_int_eq(missed, 0);
  ck_assert_int_gt(sure, 300000);
  ck_assert_int_gt(warm, sure);
  ck_assert_int_gt(rock, 100000);
  const struct sciara_inflow nothing = {0, 0, 0, 0}, none = {(real)NAN, 0, 0, 1000}, heat = {1, 0, 0, (real)NAN};
  ck_assert(!sciara_surely_liquid(&rule, &nothing, 1));
  ck_assert(!sciara_surely_liquid(&rule, &none, 1));
  ck_assert(!sciara_surely_liquid(&rule, &heat, 1));
  const real thin = sizeof(real) == 4 ? (real)1e-12 : (real)1e-82; // its fourth power is 0, that times T^3 is not
  const struct sciara_inflow film = {thin, 0, 0, thin * (rule.T_sol * (real)0.9999)};
  ck_assert(!sciara_surely_liquid(&rule, &film, 0));
}

RUN_TESTS(.one_process = true)
