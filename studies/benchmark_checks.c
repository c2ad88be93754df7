// SPDX-License-Identifier: Apache-2.0
// The community's benchmarks of lava-flow models (Cordonnier, Lev and Garel, Geol. Soc. London Spec. Publ. 426, 2015) on the
// scale of a laboratory, with rule bingham and both yield strengths 0 (docs/validation.md):
//
//   sciara_benchmark_checks [--short] [--engine NAME] [--only 1|2|3|4] [--cell MM] [--relaxation R]
//
// BM1, a reservoir behind a dam that vanishes: the equation of a sheet, integrated here on one line, which is first compared
// with its two similarity solutions, early and late (Huppert, J. Fluid Mech. 121, 1982). Lava as thick as several cells levels too
// slowly with the clock of the presets, so it is also run with a clock 25 times finer, which is checked.
// BM2, a viscous current on an incline: the experiment of Lister (J. Fluid Mech. 242, 1992), whose outlines are compared.
// BM3, an axisymmetric current that cools: the set-up of Garel et al. (J. Geophys. Res. 117, B02205, 2012) against the
// similarity solution of Huppert (J. Fluid Mech. 121, 1982), integrated here, with the heat of its columns.
// BM4, the incline with a wall across the flow, straight or as a wedge. Grounds and fluids as in
// github.com/volcanocyber/BenchmarkVICTOR; outlines as digitised in github.com/piyueh/TorchSWE, cases/lister_1992.
// Exit status 1 if a check fails.
#include <inttypes.h>
#include <string.h>

#include "scene.h"

#define PI 3.14159265358979323846

static const double GRAVITY = 9.81;
static double relaxation = 0.5;
static bool brief;

/** A liquid of one viscosity, Pa s, without a yield strength; heat is lost only if `share` is above 0. */
static void make_liquid(struct sciara_params *p, double density, double viscosity, double share) {
  p->density = density;
  p->viscosity_vent = p->viscosity_sol = viscosity;
  p->yield_vent = p->yield_sol = 0;
  p->radiating = share;
  p->friction = 1e-9; // viscous at every speed
  p->relaxation = relaxation;
  p->t_first = 0.01;
  p->t_max = 10;
}

// --------------------------------------------------------------------------------------------------------------- BM1

static const double RESERVOIR = 6.6, DAM = 1, LAVA_VISCOSITY = 1e4, LAVA_DENSITY = 2700; // m, m, Pa s, kg/m3
static const double EDGE = 1e-3;                                                         ///< of lava that counts, m

static double level(double x, double y, double unused) {
  (void)x, (void)y, (void)unused;
  return 0;
}

enum { DAM_TIMES = 8 };
static const double dam_time[DAM_TIMES] = {5, 10, 20, 40, 60, 120, 240, 550}; // s

/** Of the sheet behind the dam at these times, m: its front, from the back wall, and its depth there. */
struct dam_break {
  double front[DAM_TIMES], depth[DAM_TIMES];
};

/**
 * h_t = D (h^3 h_x)_x with D = rho g/(3 eta) on one line of cells, with steps below the limit of stability. The front before
 * the back wall is felt, L + 0.4924 sqrt(D H^3 t), and long after, 1.411 (D (L H)^3 t)^(1/5), are those of similarity solutions.
 */
static void solve_dam_break(struct dam_break *out) {
  enum { LINE = 500 };
  const double width = 0.04, D = LAVA_DENSITY * GRAVITY / (3 * LAVA_VISCOSITY);
  double h[LINE] = {0}, flux[LINE + 1] = {0}, time = 0;
  for (int i = 0; i < (int)(RESERVOIR / width + 0.5); i++) h[i] = DAM;
  for (int k = 0; k < DAM_TIMES; k++) {
    while (time < dam_time[k]) {
      const double step = fmin(0.4 * width * width / (D * DAM * DAM * DAM), dam_time[k] - time);
      for (int i = 1; i < LINE; i++)
        flux[i] = D * 0.5 * (h[i - 1] * h[i - 1] * h[i - 1] + h[i] * h[i] * h[i]) * (h[i - 1] - h[i]) / width;
      for (int i = 0; i < LINE; i++) h[i] += step / width * (flux[i] - flux[i + 1]);
      time += step;
    }
    for (int i = 0; i < LINE; i++)
      if (h[i] > EDGE) out->front[k] = (i + 1) * width;
    out->depth[k] = h[0];
  }
  const double early = RESERVOIR + 0.4924 * sqrt(D * pow(DAM, 3) * dam_time[0]);
  const double late = 1.411 * pow(D * pow(RESERVOIR * DAM, 3) * dam_time[DAM_TIMES - 1], 0.2);
  printf("BM1, the expected front at 5 s and at 550 s: %.4f and %.4f of the similarity solutions",
         out->front[0] / early, out->front[DAM_TIMES - 1] / late);
  judge(fabs(out->front[0] / early - 1) < 0.01 && fabs(out->front[DAM_TIMES - 1] / late - 1) < 0.01);
}

/** X(t) and the depth at the back wall, in the middle of a strip whose sides nothing passes; `clock` is the relaxation. */
static void bm1(const struct dam_break *expected, double cell, double clock, bool is_checked) {
  enum { SIDE_ROWS = 5 };
  struct scene s;
  const int64_t rows = 2 * SIDE_ROWS + 3, cols = (int64_t)(20 / cell) + 2, middle = (SIDE_ROWS + 1) * cols;
  make_ground(&s, SCIARA_RULE_BINGHAM, rows, cols, cell, level, 0);
  s.problem.boundary = SCIARA_BOUNDARY_CLOSED;
  make_liquid(&s.problem.params, LAVA_DENSITY, LAVA_VISCOSITY, 0);
  s.problem.params.relaxation = clock;
  const double full = RESERVOIR / cell;
  for (int64_t row = 1; row < rows - 1; row++)
    for (int64_t col = 1; (double)col < full + 1; col++)
      put_lava(&s, row, col, DAM * fmin(1, full + 1 - (double)col), s.problem.params.T_vent);
  struct misfit X = {0}, H = {0};
  for (int k = 0; k < DAM_TIMES; k++) {
    go_to(&s, UINT64_MAX, dam_time[k]);
    double front = 0;
    for (int64_t col = 1; col < cols - 1; col++)
      if (s.state->h[middle + col] > EDGE) front = (double)col * cell;
    const double depth = s.state->h[middle + 1];
    misfit_add(&X, front, expected->front[k]);
    misfit_add(&H, depth, expected->depth[k]);
    printf("BM1, cells of %3.0f mm, relaxation %.2f, %3.0f s %7" PRIu64
           " steps: front %.3f m, expected %.3f m: %.3f; depth at the back %.3f m, expected %.3f m: %.3f\n",
           cell * 1e3, clock, dam_time[k], s.state->step, front, expected->front[k], front / expected->front[k], depth,
           expected->depth[k], depth / expected->depth[k]);
  }
  printf("BM1, cells of %3.0f mm, relaxation %.2f  NRMSE of the front X(t) %.2f %%, of the depth at the back %.2f %%",
         cell * 1e3, clock, misfit_percent(&X), misfit_percent(&H));
  if (is_checked)
    judge(misfit_percent(&X) < 10 && misfit_percent(&H) < 10);
  else
    printf("\n");
  end(&s);
}

// ------------------------------------------------------------------------------------------------------- BM2 and BM4

static const double ANGLE = 2.5 * PI / 180, INCLINE_RATE = 1.48e-6, INCLINE_VISCOSITY = 1.13e-3; // m3/s, m2/s
static const double SILICONE = 970;                                                              // kg/m3
static const double UPSTREAM = 0.35, DOWNSTREAM = 1.15, SIDE = 0.45;                             // of the source, m

/** Of the wall of BM4: its upper edge on the axis, its thickness along the flow; half its width, straight and as a wedge, m. */
static const double WALL = 0.2425, WALL_THICKNESS = 0.012, STRAIGHT_SIDE = 0.1485, WEDGE_SIDE = 0.1425;

static double source_x, source_y, wall_thickness; ///< of the ground that is being made, m

/** Whether a place, m from the source along and across the flow, is on a wall with this opening: 180, 90, or 0 for none. */
static bool is_wall(double along, double across, double opening) {
  const bool wedge = opening < 180;
  const double edge = WALL + (wedge ? fabs(across) / tan(opening / 2 * PI / 180) : 0);
  return opening > 0 && fabs(across) < (wedge ? WEDGE_SIDE : STRAIGHT_SIDE) && along > edge &&
         along < edge + wall_thickness;
}

/** The incline falls to the east. */
static double incline(double x, double y, double opening) {
  const double along = x - source_x;
  return is_wall(along, y - source_y, opening) ? 0.5 : (DOWNSTREAM - along) * tan(ANGLE);
}

/** With its source in the middle of a cell. */
static void make_incline(struct scene *s, double cell, double opening) {
  const int64_t half = (int64_t)(SIDE / cell), up = (int64_t)(UPSTREAM / cell);
  source_x = ((double)up + 0.5) * cell;
  source_y = ((double)half + 0.5) * cell;
  wall_thickness = fmax(WALL_THICKNESS, cell);
  make_ground(s, SCIARA_RULE_BINGHAM, 2 * half + 1, up + 1 + (int64_t)(DOWNSTREAM / cell), cell, incline, opening);
  make_liquid(&s->problem.params, SILICONE, SILICONE * INCLINE_VISCOSITY, 0);
  put_vent_at(s, half, up, INCLINE_RATE);
}

/** Thinner liquid is not counted: a film spreads by a cell in each step. Of the order of 4 mm are the currents. */
static const double FILM = 1e-4;

/** Half the width of the current at a distance from the source along the plane, m. */
static double side_at(const struct sciara_state *s, double distance) {
  const struct sciara_grid *g = &s->grid;
  const int64_t col = (int64_t)floor((distance * cos(ANGLE) + source_x) / g->cell_size);
  int64_t wet = 0;
  for (int64_t row = 0; row < g->rows; row++) wet += s->h[row * g->cols + col] > FILM;
  return 0.5 * (double)wet * g->cell_size;
}

/** The farthest liquid downstream of the source and the largest half-width, m along the plane. */
static void extent(const struct sciara_state *s, double *front, double *side) {
  *front = *side = 0;
  for (int64_t i = 0; i < s->grid.rows * s->grid.cols; i++) {
    if (!(s->h[i] > FILM)) continue;
    const double x = (double)(i % s->grid.cols + 1) * s->grid.cell_size - source_x;
    const int64_t row = i / s->grid.cols, middle = s->grid.rows / 2;
    const double y = fabs((double)(row - middle)) * s->grid.cell_size;
    *front = fmax(*front, x / cos(ANGLE));
    *side = fmax(*side, y + 0.5 * s->grid.cell_size);
  }
}

/** An outline of the experiment: distance along the plane and half-width, m; the last point is the front. */
struct outline {
  double time; ///< s
  int count;
  double point[20][2];
};

static const struct outline outlines[] = {
    {32, 4, {{-0.00521, 0.065411}, {0.02009, 0.070316}, {0.04662, 0.065622}, {0.09632, 0}}},
    {59, 5, {{-0.00615, 0.082242}, {0.04335, 0.092674}, {0.06398, 0.089342}, {0.09573, 0.078048}, {0.14485, 0}}},
    {122,
     6,
     {{-0.00571, 0.105685},
      {0.04297, 0.123721},
      {0.09623, 0.127924},
      {0.14707, 0.118906},
      {0.19482, 0.092801},
      {0.24485, 0}}},
    {271,
     8,
     {{0.04148, 0.155514},
      {0.09571, 0.170068},
      {0.14671, 0.178257},
      {0.19559, 0.17971},
      {0.24639, 0.174558},
      {0.29507, 0.162668},
      {0.34567, 0.143301},
      {0.44412, 0}}},
    {486,
     9,
     {{0.04311, 0.172474},
      {0.14414, 0.208427},
      {0.24577, 0.225055},
      {0.34503, 0.225345},
      {0.44373, 0.211669},
      {0.492462, 0.19916},
      {0.54154, 0.18041},
      {0.59442, 0.155685},
      {0.69118, 0}}},
    {727,
     10,
     {{0.04261, 0.182822},
      {0.14652, 0.223643},
      {0.2455, 0.247249},
      {0.34569, 0.261506},
      {0.4453, 0.263666},
      {0.5417, 0.256969},
      {0.64227, 0.240677},
      {0.74225, 0.212539},
      {0.79104, 0.190924},
      {0.94191, 0}}},
};

/**
 * BM2. Besides the outlines: the exponents of time that follow from the scales of a long current, 7/9 of its length and 1/3
 * of its width, and the width and the thickness of the steady current of Smith (J. Fluid Mech. 58, 1973) behind the front.
 */
static void bm2(double cell) {
  struct scene s;
  make_incline(&s, cell, 0);
  const size_t count = brief ? 4 : sizeof outlines / sizeof *outlines;
  double early[2] = {0}, front = 0, side = 0;
  struct misfit X = {0}, Y = {0};
  for (size_t k = 0; k < count; k++) {
    const struct outline *o = &outlines[k];
    double squares = 0, measured_side = 0;
    go_to(&s, UINT64_MAX, o->time);
    extent(s.state, &front, &side);
    for (int i = 0; i < o->count - 1; i++) {
      squares += pow(side_at(s.state, o->point[i][0]) / o->point[i][1] - 1, 2);
      measured_side = fmax(measured_side, o->point[i][1]);
    }
    const double measured = o->point[o->count - 1][0], rms = sqrt(squares / (o->count - 1));
    misfit_add(&X, front, measured);
    misfit_add(&Y, side, measured_side);
    printf("BM2, cells of %4.1f mm, %3.0f s %7" PRIu64 " steps: front %.3f m, measured %.3f m: %.3f; half-width %.3f "
           "m, measured %.3f m: %.3f; outline off by %.1f %%\n",
           cell * 1e3, o->time, s.state->step, front, measured, front / measured, side, measured_side,
           side / measured_side, 100 * rms);
    if (o->time == 122) memcpy(early, (double[2]){front, side}, sizeof early);
  }
  const double ages = log(outlines[count - 1].time / 122);
  printf("BM2, cells of %4.1f mm  exponents of time since 122 s: length %.3f (7/9 = 0.778), width %.3f (1/3)\n",
         cell * 1e3, log(front / early[0]) / ages, log(side / early[1]) / ages);
  const double xi =
      pow(35.0 / 32 * pow(14 / (3 * tan(ANGLE)), 3) * 3 * INCLINE_VISCOSITY * INCLINE_RATE / (GRAVITY * sin(ANGLE)),
          1.0 / 7);
  const double x = 0.15, width = xi * pow(x, 3.0 / 7), most = 3 * tan(ANGLE) / 14 * xi * xi * pow(x, -1.0 / 7);
  const int64_t middle = s.state->grid.rows / 2 * s.state->grid.cols;
  const double found = s.state->h[middle + (int64_t)((x * cos(ANGLE) + source_x) / cell)];
  printf("BM2, cells of %4.1f mm  behind the front, 0.15 m: half-width %.3f of %.3f m, thickness %.3f of %.2f mm\n",
         cell * 1e3, side_at(s.state, x) / width, width, found / most, most * 1e3);
  printf("BM2, cells of %4.1f mm  NRMSE of the front X(t) %.2f %%, of the half-width Y(t) %.2f %%", cell * 1e3,
         misfit_percent(&X), misfit_percent(&Y));
  judge(misfit_percent(&X) < 10 && misfit_percent(&Y) < 10);
  end(&s);
}

/**
 * BM4. No formula gives the depth: the wall and the cells behind it on the axis stay dry until both currents have gone round
 * it and meet, farther down; the current is wider than the wall, and no liquid is lost.
 * The halves of the current would be mirror images, if roundings did not grow.
 */
static void bm4(double cell, double opening) {
  struct scene s;
  make_incline(&s, cell, opening);
  const struct sciara_grid *g = &s.state->grid;
  for (int k = 0; k < (brief ? 1 : 2); k++) {
    double front, side, lee = INFINITY, deepest = 0, on_wall = 0, apart = 0, volume = 0;
    go_to(&s, UINT64_MAX, k == 0 ? 271 : 727);
    extent(s.state, &front, &side);
    for (int64_t i = 0; i < g->rows * g->cols; i++) {
      const double along = ((double)(i % g->cols) + 0.5) * cell - source_x;
      const int64_t row = i / g->cols, middle = g->rows / 2;
      const double across = (double)(row - middle) * cell, h = s.state->h[i];
      volume += h * cell * cell;
      if (is_wall(along, across, opening)) on_wall += h;
      if (along < WALL) deepest = fmax(deepest, h);
      const double behind = along - cell / 2 - (WALL + wall_thickness);
      if (fabs(across) < cell / 2 && behind > 0 && h > FILM) lee = fmin(lee, behind);
      apart = fmax(apart, fabs(h - s.state->h[(g->rows - 1 - i / g->cols) * g->cols + i % g->cols]));
    }
    printf("BM4, wall of %3.0f degrees, cells of %4.1f mm, %3.0f s %7" PRIu64
           " steps: reaches %.3f m, half-width %.3f m, %.2f "
           "mm deep above the wall, the axis below it is dry for %.3f m; halves apart by %.1e m",
           opening, cell * 1e3, s.state->time, s.state->step, front, side, deepest * 1e3, lee, apart);
    judge(on_wall == 0 && lee > 2 * cell && side > STRAIGHT_SIDE - cell && fabs(volume / s.state->emitted - 1) < 1e-9);
  }
  end(&s);
}

// --------------------------------------------------------------------------------------------------------------- BM3

static const double DISC_RATE = 2.2e-8, DISC_VISCOSITY = 3.56e-3, DISC_DENSITY = 954; // m3/s, m2/s, kg/m3
static const double HEAT = 1500, EMISSIVITY = 0.96, HOT = 315, ROOM = 293.15;         // J/(kg K), -, K, K
static const double CONVECTION = 2, SIGMA = 5.67e-8, DISC_TIME = 156, ORIFICE = 2e-3; // W/(m2 K), W/(m2 K4), s, m

enum { LEVELS = 4000 };

/**
 * Huppert's current under a constant rate: radius c t^(1/2), thickness H f(y) at y = r/radius. (y f^3 f')' = -y^2 f'/2 with
 * f(1) = 0 is integrated inwards from its front as two equations: F = -y f^3 f', the flux, with F' = -y F/(2 f^3).
 */
struct current {
  double c, H, coefficient;
  double f[LEVELS + 1], F[LEVELS + 1]; ///< at y = k/LEVELS
};

static void slopes(double y, const double v[2], double out[2]) {
  const double cube = v[0] * v[0] * v[0];
  out[0] = -v[1] / (y * cube);
  out[1] = -y * v[1] / (2 * cube);
}

static void runge_kutta(double y, double step, double v[2]) {
  double a[2], b[2], c[2], d[2];
  slopes(y, v, a);
  slopes(y + step / 2, (double[2]){v[0] + step / 2 * a[0], v[1] + step / 2 * a[1]}, b);
  slopes(y + step / 2, (double[2]){v[0] + step / 2 * b[0], v[1] + step / 2 * b[1]}, c);
  slopes(y + step, (double[2]){v[0] + step * c[0], v[1] + step * c[1]}, d);
  for (int k = 0; k < 2; k++) v[k] += step / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
}

static void solve_current(struct current *o) {
  enum { PARTS = 50 };
  const double width = 1.0 / LEVELS;
  double v[2] = {cbrt(1.5 * width), 0};
  v[1] = 0.5 * (1 - width) * v[0]; // near the front f^3 = 3 (1 - y)/2
  o->f[LEVELS] = o->F[LEVELS] = 0;
  for (int k = LEVELS - 1; k >= 1; k--) {
    o->f[k] = v[0];
    o->F[k] = v[1];
    for (int i = 0; k > 1 && i < PARTS; i++) runge_kutta((k - (double)i / PARTS) * width, -width / PARTS, v);
  }
  o->f[0] = o->f[1];
  o->F[0] = o->F[1];
  o->coefficient = pow(2 * PI * o->F[0], -0.375);
  o->c = o->coefficient * pow(GRAVITY * pow(DISC_RATE, 3) / (3 * DISC_VISCOSITY), 0.125);
  o->H = cbrt(o->c * o->c * 3 * DISC_VISCOSITY / GRAVITY);
}

static double between(const double *table, double y) {
  const double at = fmin(fmax(y, 0), 1) * LEVELS;
  const int k = at >= LEVELS ? LEVELS - 1 : (int)at;
  return table[k] + (at - k) * (table[k + 1] - table[k]);
}

/** W/m2 that a column loses: by the rule with a share, or to a room by radiation and convection if it is 0. */
static double loss(double T, double share) {
  if (share > 0) return share * EMISSIVITY * SIGMA * pow(T, 4);
  return EMISSIVITY * SIGMA * (pow(T, 4) - pow(ROOM, 4)) + CONVECTION * (T - ROOM);
}

/** Mean temperature, K, of columns that move with the current: those emitted in equal times have equal volumes. */
static double mean_temperature(const struct current *o, double share, double *coolest) {
  enum { RINGS = 200, STEPS = 400 };
  double sum = 0;
  *coolest = HOT;
  for (int k = 0; k < RINGS; k++) {
    const double start = (k + 0.5) / RINGS * DISC_TIME, step = log(DISC_TIME / start) / STEPS;
    double y = fmin(ORIFICE / (o->c * sqrt(start)), 0.9), T = HOT, t = start;
    for (int i = 0; i < STEPS; i++) { // the midpoint rule in the logarithm of time
      const double rate = between(o->F, y) / (y * between(o->f, y)) - y / 2, middle = y + step / 2 * rate;
      const double f = between(o->f, middle), later = t * exp(step / 2);
      T -= step * later * loss(T, share) / (DISC_DENSITY * HEAT * o->H * f);
      y = fmin(y + step * (between(o->F, middle) / (middle * f) - middle / 2), 1 - 0.5 / LEVELS);
      t *= exp(step);
    }
    sum += T / RINGS;
    *coolest = fmin(*coolest, T);
  }
  return sum;
}

static void bm3(double cell, bool cools) {
  const double share = loss(HOT, 0) / loss(HOT, 1); // at the temperature of the source the rule then loses as much
  struct current current;
  struct scene s;
  solve_current(&current);
  const int64_t half = (int64_t)(0.05 / cell), n = 2 * half + 1;
  make_ground(&s, SCIARA_RULE_BINGHAM, n, n, cell, level, 0);
  struct sciara_params *p = &s.problem.params;
  make_liquid(p, DISC_DENSITY, DISC_DENSITY * DISC_VISCOSITY, cools ? share : 0);
  p->c_v = HEAT;
  p->emissivity = EMISSIVITY;
  p->T_vent = HOT;
  p->T_sol = 273;
  int cells = 0;
  for (int pass = 0; pass < 2; pass++) { // counts the cells of the orifice, then opens them
    const int count = cells;
    for (int64_t i = 0; i < n * n; i++) {
      const int64_t south = i / n - half, east = i % n - half;
      if (hypot((double)south, (double)east) * cell > ORIFICE) continue;
      cells += pass == 0;
      if (pass == 1) put_vent_at(&s, i / n, i % n, DISC_RATE / count);
    }
  }
  struct misfit R = {0};
  double expected = 0, radius = 0;
  for (int k = 1; k <= 4; k++) {
    go_to(&s, UINT64_MAX, DISC_TIME * k / 4);
    expected = current.c * sqrt(s.state->time);
    const double least = 0.01 * s.state->emitted / (PI * expected * expected);
    double wet = 0;
    for (int64_t i = 0; i < n * n; i++) wet += s.state->h[i] + s.state->z[i] - s.state->z0[i] > least;
    radius = sqrt(wet / PI) * cell;
    misfit_add(&R, radius, expected);
  }
  double heat = 0, liquid = 0, found = 0, thick = 0;
  for (int64_t i = 0; i < n * n; i++) {
    const int64_t south = i / n - half, east = i % n - half;
    const double y = hypot((double)south, (double)east) * cell / expected;
    const double deposit = s.state->h[i] + s.state->z[i] - s.state->z0[i];
    heat += s.state->h[i] * s.state->T[i];
    liquid += s.state->h[i];
    if (fabs(y - 0.5) > 0.1) continue; // a ring
    found += deposit;
    thick += current.H * between(current.f, y);
  }
  printf("BM3, cells of %3.1f mm, %s %7" PRIu64
         " steps: radius %.2f mm, %.3f of %.2f (coefficient %.4f); thickness about half of it %.3f of the expected "
         "one; NRMSE of the radius R(t) %.2f %%",
         cell * 1e3, cools ? "cooling,   " : "isothermal,", s.state->step, radius * 1e3, radius / expected,
         expected * 1e3, current.coefficient, found / thick, misfit_percent(&R));
  judge(fabs(radius / expected - 1) <= 0.1 && fabs(found / thick - 1) <= 0.1 &&
        fabs(current.coefficient - 0.715) < 1e-3);
  if (cools) {
    double coolest;
    const double mean = heat / liquid, rule = mean_temperature(&current, share, &coolest);
    const double room = mean_temperature(&current, 0, &coolest);
    printf(
        "BM3, cells of %3.1f mm, share %.3f  mean temperature %.2f K, of columns that lose as much %.2f K: %.3f of the "
        "cooling; with radiation and convection to the room %.2f K, at the front %.2f K; rock %.1e of the volume",
        cell * 1e3, share, mean, rule, (HOT - mean) / (HOT - rule), room, coolest,
        1 - liquid * cell * cell / s.state->emitted);
    judge(fabs((HOT - mean) / (HOT - rule) - 1) <= 0.1);
  }
  end(&s);
}

int main(int argc, char **argv) {
  const char *name = "serial";
  double cell = 0;
  int only = 0;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--short") == 0) {
      brief = true;
      continue;
    }
    if (strcmp(argv[i], "--engine") == 0 && *value) {
      name = value;
    } else if (!(strcmp(argv[i], "--only") == 0 && (only = (int)strtol(value, NULL, 10)) >= 1 && only <= 4) &&
               !(strcmp(argv[i], "--cell") == 0 && (cell = 1e-3 * strtod(value, NULL)) > 0) &&
               !(strcmp(argv[i], "--relaxation") == 0 && (relaxation = strtod(value, NULL)) > 0)) {
      fprintf(
          stderr,
          "usage: sciara_benchmark_checks [--short] [--engine NAME] [--only 1|2|3|4] [--cell MM] [--relaxation R]\n");
      return SCIARA_ERR_USAGE;
    }
    i++;
  }
  must(sciara_engine_find(name, SCIARA_RULE_BINGHAM, SCIARA_DOUBLE, &engine));
  printf("engine %s, double precision, rule bingham, relaxation %g\n", engine->name, relaxation);
  const double incline_cell = cell > 0 ? cell : 12e-3, disc_cell = cell > 0 ? cell : brief ? 2e-3 : 1e-3;
  if (only == 0 || only == 1) {
    struct dam_break expected = {0};
    solve_dam_break(&expected);
    bm1(&expected, cell > 0 ? cell : 0.2, relaxation, false);
    bm1(&expected, cell > 0 ? cell : 0.2, relaxation / 25, true);
  }
  if (only == 0 || only == 2) bm2(incline_cell);
  if (only == 0 || only == 3) bm3(disc_cell, false);
  if (only == 0 || only == 3) bm3(disc_cell, true);
  if (only == 0 || only == 4) bm4(incline_cell, 180);
  if (only == 0 || only == 4) bm4(incline_cell, 90);
  printf("%d failed\n", failures);
  return failures > 0;
}
