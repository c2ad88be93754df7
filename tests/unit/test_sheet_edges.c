// SPDX-License-Identifier: Apache-2.0
// Rule bingham at the edges of its parameters, in both precisions: engine `serial` compared step by step with a small
// program of the formulas of docs/model.md, and with what follows from them on paper.
#include "support/random.h"
#include "support/sheet_run.h"

enum { SIDE = 16, CELLS = SIDE * SIDE };
static const double CELL = 10;

static const int down[9] = {0, -1, 0, 0, 1, -1, 1, 1, -1}, right[9] = {0, 0, -1, 1, 0, -1, -1, 1, 1};

static const struct edge {
  const char *name;
  double viscosity_sol, yield_vent, yield_sol, share;
} edges[] = {
    {"usual", 1e6, 500, 4000, 0.05},         {"Newtonian", 1e6, 0, 0, 0.05},
    {"one viscosity", 2e4, 500, 4000, 0.05}, {"one yield strength", 1e6, 500, 500, 0.05},
    {"radiates nothing", 1e6, 500, 4000, 0}, {"radiates all", 1e6, 500, 4000, 1},
    {"all at once", 2e4, 0, 0, 0},
};
enum { EDGES = sizeof edges / sizeof *edges };

static struct sciara_params params_of(const struct edge *edge) {
  struct sciara_params p = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
  p.viscosity_vent = 2e4;
  p.viscosity_sol = edge->viscosity_sol;
  p.yield_vent = edge->yield_vent;
  p.yield_sol = edge->yield_sol;
  p.radiating = edge->share;
  return p;
}

// ------------------------------------------------------------------------------------------ the formulas, in double

struct fields {
  double z[CELLS], h[CELLS], T[CELLS], clock;
};

static double law(const struct sciara_params *p, double vent, double sol, double T) {
  return sol * pow(vent / sol, (T - p->T_sol) / (p->T_vent - p->T_sol));
}

/** The limited change of the thickness towards a neighbour: what one side of a cell has more than its middle, m. */
static double half_slope(double behind, double h, double ahead) {
  if ((ahead - h) * (h - behind) <= 0) return 0;
  const double most = fmin(fabs(ahead - h), fabs(h - behind)), mean = (ahead - behind) / 4;
  return fmin(fmax(mean, -most), most);
}

/** The rate of the flow to each neighbour, m/s, and its most, m. Returns the time that the cell allows, s. */
static double find_flows(const struct sciara_params *p, const struct fields *f, int k, double rate[9], double phi[9]) {
  double drop[9] = {0}, fall[9] = {0}; // the slope towards each neighbour, 0 if it is not lower
  for (int i = 1; i < 9; i++) {
    const int j = k + down[i] * SIDE + right[i];
    drop[i] = (f->z[k] + f->h[k]) - (f->z[j] + f->h[j]);
    fall[i] = fmax(0, drop[i]) / (CELL * (i < 5 ? 1 : sqrt(2)));
  }
  const double axes = hypot(fmax(fall[2], fall[3]), fmax(fall[1], fall[4]));
  const double diagonals = hypot(fmax(fall[5], fall[7]), fmax(fall[6], fall[8]));
  const double G = fmax(axes, diagonals), angle = atan(G), weight = p->density * 9.81, h = f->h[k];
  const double strength = p->yield_sol > 0 ? law(p, p->yield_vent, p->yield_sol, f->T[k]) : 0;
  const double viscosity = law(p, p->viscosity_vent, p->viscosity_sol, f->T[k]);
  if (G == 0 || h * weight * sin(angle) <= strength) return INFINITY;
  const double plug = strength / (weight * sin(angle));
  const double viscous = weight * sin(angle) / (3 * viscosity) * pow(h - plug, 2) * (1 + plug / (2 * h));
  const double friction = sqrt(9.81 * h * sin(angle) / p->friction), v = 1 / (1 / viscous + 1 / friction);
  const double per_slope = weight * cos(angle) / (3 * viscosity) * (v / viscous);
  double all = 0;
  for (int i = 1; i < 9; i++) {
    const int ahead = k + down[i] * SIDE + right[i], behind = k - down[i] * SIDE - right[i];
    const double shoulder = fmin(f->z[k + down[i] * SIDE], f->z[k + right[i]]);
    const double sill = i < 5 ? f->z[ahead] : fmax(f->z[ahead], shoulder);
    const double side = fmin(h + half_slope(f->h[behind], h, f->h[ahead]), f->z[k] + h - sill);
    if (drop[i] <= 0 || side <= plug) continue;
    rate[i] =
        per_slope * pow(side - plug, 2) * (side + plug / 2) * drop[i] * (i < 5 ? 2.0 / 3 : 1.0 / 6) / (CELL * CELL);
    all += rate[i];
  }
  for (int i = 1; i < 9; i++) // shares of what levels the surfaces, and of what there is
    if (rate[i] > 0) phi[i] = fmin(drop[i] * (i < 5 ? 1.0 / 6 : 1.0 / 24), h * rate[i] / all);
  const double spread = per_slope * (pow(h, 3) - pow(plug, 3));
  return fmin(CELL / v, 2 * CELL * CELL / spread * (1 + 0.05 * h / (G * CELL)));
}

/** One step. Lava on the rim leaves the map. */
static void expect_step(const struct sciara_params *p, const struct fields *was, struct fields *is) {
  static double rate[CELLS][9], phi[CELLS][9];
  memset(rate, 0, sizeof rate);
  memset(phi, 0, sizeof phi);
  double t = p->t_max;
  for (int k = 0; k < CELLS; k++) {
    if (was->h[k] > 0) t = fmin(t, find_flows(p, was, k, rate[k], phi[k]));
  }
  t *= p->relaxation;
  *is = *was;
  is->clock = t;
  double heat[CELLS];
  for (int k = 0; k < CELLS; k++) heat[k] = was->h[k] * was->T[k];
  for (int k = 0; k < CELLS; k++)
    for (int i = 1; i < 9; i++) {
      const double out = fmin(rate[k][i] * t, phi[k][i]);
      if (!(out > 0)) continue;
      const int j = k + down[i] * SIDE + right[i];
      is->h[k] -= out, is->h[j] += out;
      heat[k] -= out * was->T[k], heat[j] += out * was->T[k];
    }
  for (int k = 0; k < CELLS; k++) {
    const int row = k / SIDE, col = k % SIDE;
    if (row == 0 || col == 0 || row == SIDE - 1 || col == SIDE - 1) is->h[k] = 0;
    if (is->h[k] > 0) {
      const double T = heat[k] / is->h[k];
      const double K = 3 * p->emissivity * 5.67e-8 * p->radiating / (p->density * p->c_v);
      is->T[k] = pow(1 / (T * T * T) + K * t / is->h[k], -1.0 / 3);
      if (is->T[k] > p->T_sol) continue;
      is->z[k] += is->h[k];
    }
    is->h[k] = is->T[k] = 0;
  }
}

// ----------------------------------------------------------------------------------------------------- the engine

static const enum sciara_precision precisions[2] = {SCIARA_DOUBLE, SCIARA_SINGLE_PRECISION};
static const double unit[2] = {DBL_EPSILON, FLT_EPSILON};

/** Begins on a slope to the south, with bumps of at most `bumps` m. */
static void begin(struct run *r, const struct edge *edge, int precision, double slope, double bumps) {
  double z[CELLS];
  uint8_t valid[CELLS];
  seed = 1;
  for (int k = 0; k < CELLS; k++) {
    z[k] = 500 - slope * CELL * (k / SIDE) + (double)uniform(0, bumps);
    if (precision == 1) z[k] = (double)(float)z[k];
    valid[k] = 1;
  }
  const struct sciara_grid grid = {.rows = SIDE, .cols = SIDE, .cell_size = CELL, .north = SIDE * CELL};
  r->params = params_of(edge);
  r->vents = sciara_vents_create();
  expect_ok(sciara_state_create(&grid, z, valid, 0, &r->state));
  r->state->clock = r->params.t_first;
}

static void put(struct run *r, int row, int col, double h, double T) {
  r->state->h[row * SIDE + col] = h;
  r->state->T[row * SIDE + col] = T;
  r->state->arrival[row * SIDE + col] = 0;
}

static void start(struct run *r, int precision) {
  run_start(r, precisions[precision], SCIARA_BOUNDARY_OPEN);
  expect_ok(r->ops->download(r->engine, r->state)); // in the precision of the engine
}

static void take(const struct sciara_state *s, struct fields *f) {
  memcpy(f->z, s->z, sizeof f->z);
  memcpy(f->h, s->h, sizeof f->h);
  memcpy(f->T, s->T, sizeof f->T);
  f->clock = s->clock;
}

// By units in the last place of the size. In double precision the largest were 2,811, where a thin front takes its
// temperature from a sheet that hardly moves; in single precision 14.
static const double most_units[2] = {1e4, 100};

static void near(const char *edge, const char *what, uint64_t step, int k, int precision, double is, double expected,
                 double size) {
  const double error = fabs(is - expected) / (unit[precision] * size);
  ck_assert_msg(error <= most_units[precision], "%s, %s, step %d, cell %d: %s is %.17g, expected %.17g, %g units", edge,
                precision ? "single" : "double", (int)step, k, what, is, expected, error);
}

TEST_EACH(steps_follow_the_formulas, 2 * EDGES) {
  const struct edge *edge = &edges[_i / 2];
  const int precision = _i % 2;
  struct run r;
  begin(&r, edge, precision, 0.15, 0.5);
  for (int row = 3; row < 8; row++)
    for (int col = 5; col < 11; col++) put(&r, row, col, (double)uniform(0.05, 8), (double)uniform(1150, 1360));
  start(&r, precision);
  static struct fields was, expected;
  int flowing = 0, rocks = 0;
  for (int step = 1; step <= 60; step++) {
    take(r.state, &was);
    expect_step(&r.params, &was, &expected);
    run_steps(&r, 1);
    near(edge->name, "the clock", r.state->step, -1, precision, r.state->clock, expected.clock, expected.clock);
    flowing += expected.clock < r.params.relaxation * r.params.t_max * 0.999;
    for (int k = 0; k < CELLS; k++) {
      rocks += expected.z[k] != was.z[k];
      near(edge->name, "h", r.state->step, k, precision, r.state->h[k], expected.h[k], 10);
      near(edge->name, "z", r.state->step, k, precision, r.state->z[k], expected.z[k], 500);
      if (expected.h[k] > 1e-6) near(edge->name, "T", r.state->step, k, precision, r.state->T[k], expected.T[k], 1000);
    }
  }
  ck_assert_int_ge(flowing, 8); // the steps in which a sheet decides the clock
  ck_assert_int_eq(rocks > 100, edge->share > 0);
  run_end(&r);
}

// A sheet of one thickness on a slope rests up to its plug; above it the recorded flux is that of Bingham on paper.
TEST_EACH(plug_decides, 2 * EDGES) {
  const struct edge *edge = &edges[_i / 2];
  const int precision = _i % 2, middle = SIDE / 2 * SIDE + SIDE / 2;
  const double G = 0.15, T = 1250, close = precision ? 1e-4 : 1e-9;
  const double sine = G / sqrt(1 + G * G), weight = 2600 * 9.81;
  const struct sciara_params p = params_of(edge);
  const double strength = edge->yield_sol > 0 ? law(&p, edge->yield_vent, edge->yield_sol, T) : 0;
  const double plug = strength / (weight * sine);
  const double thicknesses[] = {plug * (1 - close), plug * (1 + close), plug + 1e-3, plug + 0.2, plug + 2};
  for (int n = 0; n < 5; n++) {
    const double h = thicknesses[n];
    if (n < 2 && plug == 0) continue; // Newtonian lava never rests
    struct run r;
    begin(&r, edge, precision, G, 0);
    r.params.t_max = 1; // s: so that little flows, and no limit of a flow applies
    for (int row = 1; row < SIDE - 1; row++)
      for (int col = 1; col < SIDE - 1; col++) put(&r, row, col, h, T);
    start(&r, precision);
    run_steps(&r, 1);
    const double south = -r.state->py[middle];
    const double viscosity = law(&p, p.viscosity_vent, p.viscosity_sol, T), x = plug / h;
    const double viscous = weight * sine * h * h * (1 - 1.5 * x + 0.5 * x * x * x) / (3 * viscosity);
    const double speed = 1 / (1 / viscous + 1 / sqrt(9.81 * h * sine / p.friction));
    ck_assert_msg((south > 0) == (n > 0), "%s: %.9g m, plug %.9g m: flux %g m2/s", edge->name, h, plug, south);
    if (n > 1)
      ck_assert_msg(fabs(south - speed * h) <= (precision ? 0.002 : 1e-9) * speed * h,
                    "%s: %.9g m, plug %.9g m: flux %.12g m2/s, expected %.12g", edge->name, h, plug, south, speed * h);
    ck_assert_double_eq(r.state->px[middle], 0);
    run_end(&r);
  }
}

// Lava at rest: 1/T^3 grows by K t/h, whatever the steps, until it is rock.
TEST_EACH(cooling_at_rest, 2 * EDGES) {
  const struct edge *edge = &edges[_i / 2];
  const int precision = _i % 2, row = 5, k = row * SIDE + row;
  const double h = 0.25, T = 1300;
  if (edge->yield_sol == 0) return;
  struct run r;
  begin(&r, edge, precision, 0, 0);
  put(&r, row, row, h, T);
  start(&r, precision);
  run_steps(&r, 10);
  const double K = 3 * 0.9 * 5.67e-8 * edge->share / (2600 * 1150), t = 0.5 * 120;
  ck_assert_double_eq(r.state->h[k], h);
  near(edge->name, "T", 10, k, precision, r.state->T[k], pow(pow(T, -3) + K * 10 * t / h, -1.0 / 3), T);
  const double until = (pow(1143, -3) - pow(T, -3)) * h / K / t; // steps, infinite if nothing radiates
  if (until < 1000) {
    run_steps(&r, (uint64_t)floor(until) - 10);
    ck_assert_double_eq(r.state->h[k], h);
    run_steps(&r, 1);
    ck_assert_double_eq(r.state->h[k], 0);
    ck_assert_double_eq(r.state->z[k], 500 + h);
  } else {
    ck_assert_double_eq(edge->share, 0);
  }
  run_end(&r);
}

// With one viscosity, no yield strength and no cooling, temperatures change no bit of the thicknesses.
TEST_EACH(temperature_without_effect, 2) {
  const struct edge *edge = &edges[EDGES - 1];
  struct run r[2];
  for (int n = 0; n < 2; n++) {
    begin(&r[n], edge, _i, 0.15, 0.5);
    for (int row = 3; row < 8; row++)
      for (int col = 5; col < 11; col++) put(&r[n], row, col, 0.1 * row * col, n ? 1350 : (double)uniform(1150, 1360));
    start(&r[n], _i);
    run_steps(&r[n], 50);
  }
  ck_assert_mem_eq(r[0].state->h, r[1].state->h, CELLS * sizeof(double));
  ck_assert(memcmp(r[0].state->T, r[1].state->T, CELLS * sizeof(double)) != 0);
  run_end(&r[0]);
  run_end(&r[1]);
}

// Lava so thin that its weight along the slope is 0 rests: no speed is 0/0.
TEST_EACH(thinnest_lava, 2) {
  const double least = _i ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN;
  struct run r;
  begin(&r, &edges[EDGES - 1], _i, 0.01, 0);
  for (int k = 0; k < 6; k++) put(&r, 2 + 2 * k, 5, least * (1 << k), 1300);
  start(&r, _i);
  run_steps(&r, 5);
  for (int k = 0; k < 6; k++) ck_assert_double_eq(r.state->h[(2 + 2 * k) * SIDE + 5], least * (1 << k));
  run_end(&r);
}

RUN_TESTS()
