// SPDX-License-Identifier: Apache-2.0
// What rule bingham must do in cases with a known solution, and how its errors fall with the size of the cells
// (docs/validation.md):
//
//   sciara_sheet_checks [--short] [--engine NAME] [--cell SIDE] [--relaxation R] [--only rate|volume|incline|deposit|plane|valley]
//                                                        (default: serial, cells of 20, 10 and 5 m, the preset's r)
//
// Cooling of a cell without flow; the thickness at which a sheet stops on a slope; a Newtonian gravity current on a plane
// under a constant rate and with a fixed volume (Huppert, J. Fluid Mech. 121, 1982); one on an incline far behind its
// front (Smith, J. Fluid Mech. 58, 1973; Lister, J. Fluid Mech. 242, 1992); the deposit of a fluid with a yield strength
// on a plane (Nye, J. Glaciol. 2, 1952); roundness on a plane; a valley in seven directions. Prints a table; exit status 1 if a check with an exact answer fails. The expected values come from the
// formulas and the C library here, not from the program's own functions.
#include <inttypes.h>
#include <string.h>

#include "scene.h"

#define PI 3.14159265358979323846

static const double GRAVITY = 9.81, DENSITY = 2600;
static double relaxation; // 0: that of the preset

/** A plane that falls to the south. */
static double fall(double x, double y, double slope) {
  (void)x;
  return 1000 + slope * y;
}

static void make(struct scene *s, int64_t rows, int64_t cols, double cell, double slope) {
  make_ground(s, SCIARA_RULE_BINGHAM, rows, cols, cell, fall, slope);
  s->problem.params.t_max = 120;
  if (relaxation > 0) s->problem.params.relaxation = relaxation;
}

/** Lava of one viscosity, Pa s, without a yield strength, cooling and friction that matters. */
static void make_newtonian(struct sciara_params *p, double viscosity) {
  p->viscosity_vent = p->viscosity_sol = viscosity;
  p->yield_vent = p->yield_sol = 0;
  p->radiating = 0;
  p->friction = 1e-9;
}

static double thickness(const struct sciara_state *s, int64_t i) { return s->h[i] + (s->z[i] - s->z0[i]); }

/** Area, m2, where lava is thicker than `least`, m. */
static double area(const struct sciara_state *s, double least) {
  int64_t count = 0;
  for (int64_t i = 0; i < s->grid.rows * s->grid.cols; i++) count += thickness(s, i) > least;
  return (double)count * s->grid.cell_size * s->grid.cell_size;
}

// ------------------------------------------------------------------------------------------------- cooling and arrest

// As for fv3 (analytic_checks.c), but K = 3 epsilon sigma c/(rho c_v) has no size of a cell: so many seconds on any cell.
static void cooling(double cell) {
  const double h = 0.5;
  struct scene s;
  make(&s, 5, 5, cell, 0);
  struct sciara_params *p = &s.problem.params;
  p->yield_vent = p->yield_sol = 1e7; // does not flow
  p->radiating = 0.3;
  put_lava(&s, 2, 2, h, 1360);
  const double K = 3 * p->emissivity * 5.67e-8 * p->radiating / (p->density * p->c_v);
  const double freezing = h / K * (1 / pow(p->T_sol, 3) - 1 / pow(p->T_vent, 3));
  double worst = 0, t = 0;
  uint64_t steps = 0;
  while (s.state->h[12] > 0 && steps < 100000) {
    go_to(&s, ++steps, INFINITY);
    t += s.state->clock;
    const double expected = 1360 / cbrt(1 + K * t * pow(1360, 3) / h);
    if (s.state->T[12] > 0) worst = fmax(worst, fabs(s.state->T[12] - expected) / expected);
  }
  printf("cooling without flow, cells of %4.1f m  %5" PRIu64
         " steps, T off by %.1e; rock after %.0f s, expected in (%.0f, %.0f]",
         cell, steps, worst, t, freezing, freezing + s.state->clock);
  judge(worst <= 1e-12 && t >= freezing && t - s.state->clock < freezing);
  end(&s);
}

/** Whether a sheet of thickness h, m, on a slope flows in its middle. */
static bool flows(double cell, double slope, double yield_strength, double h) {
  struct scene s;
  make(&s, 7, 7, cell, slope);
  struct sciara_params *p = &s.problem.params;
  p->yield_vent = p->yield_sol = yield_strength;
  p->radiating = 0;
  for (int row = 1; row < 6; row++)
    for (int col = 1; col < 6; col++) put_lava(&s, row, col, h, 1360);
  go_to(&s, 1, INFINITY);
  const double momentum = fabs(s.state->px[24]) + fabs(s.state->py[24]); // the flux of the step
  end(&s);
  return momentum > 0;
}

static void arrest(double cell, double degrees, double yield_strength) {
  const double slope = tan(degrees * PI / 180);
  const double expected = yield_strength / (DENSITY * GRAVITY * sin(degrees * PI / 180)); // tau_y R/(rho g tan)
  double low = 0, high = 2 * expected;
  for (int k = 0; k < 60; k++) {
    const double h = (low + high) / 2;
    if (flows(cell, slope, yield_strength, h))
      high = h;
    else
      low = h;
  }
  const double error = fabs(low - expected) / expected;
  printf("arrest on %4.1f degrees, cells of %4.1f m  stays up to %9.6f m, expected %9.6f m: off by %.1e", degrees, cell,
         low, expected, error);
  judge(error <= 1e-9); // altitudes are rounded
}

// --------------------------------------------------------------------------------------------------- gravity currents

struct line {
  double n, x, y, xx, xy;
};

static void add_point(struct line *l, double x, double y) {
  l->n++;
  l->x += x;
  l->y += y;
  l->xx += x * x;
  l->xy += x * y;
}

static double slope_of(const struct line *l) { return (l->n * l->xy - l->x * l->y) / (l->n * l->xx - l->x * l->x); }

/**
 * Newtonian lava has no edge on a grid: a film spreads by a cell in each step. Its radius, m, is that of the circle with
 * the area where it is thicker than a hundredth of the mean in a circle of the expected radius.
 */
static double radius_of(const struct sciara_state *s, double volume, double expected) {
  return sqrt(area(s, 0.01 * volume / (PI * expected * expected)) / PI);
}

/** The radius of the similarity solution (1 - (r/R)^2)^(1/3), m, from the mean square of r: cells of the margin hardly count. */
static double radius_of_volume(const struct sciara_state *s, int64_t centre) {
  double sum = 0, square = 0;
  for (int64_t row = 0; row < s->grid.rows; row++)
    for (int64_t col = 0; col < s->grid.cols; col++) {
      const double h = s->h[row * s->grid.cols + col], x = (double)(col - centre), y = (double)(row - centre);
      sum += h;
      square += h * (x * x + y * y);
    }
  return s->grid.cell_size * sqrt(square / sum * 7 / 3);
}

/**
 * Constant rate on a plane: r = 0.715 (rho g Q^3/(3 eta))^(1/8) t^(1/2). */
static void constant_rate(double cell, double hours) {
  const double rate = 5, viscosity = 1e6;
  struct scene s;
  const int64_t half = (int64_t)(450 / cell);
  make(&s, 2 * half + 1, 2 * half + 1, cell, 0);
  make_newtonian(&s.problem.params, viscosity);
  put_vent(&s, rate);
  struct line line = {0};
  struct misfit R = {0};
  double r = 0, expected = 0;
  for (int k = 4; k >= 0; k--) {
    const double t = 3600 * hours / (1 << k);
    go_to(&s, UINT64_MAX, t);
    expected = 0.715 * pow(DENSITY * GRAVITY * pow(rate, 3) / (3 * viscosity), 0.125) * sqrt(s.state->time);
    r = radius_of(s.state, s.state->emitted, expected);
    if (k < 3) add_point(&line, log(s.state->time), log(r));
    misfit_add(&R, r, expected);
  }
  printf("constant rate on a plane, cells of %4.1f m  %8" PRIu64
         " steps: radius %.1f m, %.4f of %.1f m; exponent of time %.3f (0.5); NRMSE of R(t) %.2f %%\n",
         cell, s.state->step, r, r / expected, expected, slope_of(&line), misfit_percent(&R));
  end(&s);
}

/** A fixed volume on a plane: r = 0.894 (rho g V^3/(3 eta))^(1/8) t^(1/8). */
static void fixed_volume(double cell, double hours) {
  const double viscosity = 1e6;
  struct scene s;
  const int64_t half = (int64_t)(450 / cell);
  make(&s, 2 * half + 1, 2 * half + 1, cell, 0);
  make_newtonian(&s.problem.params, viscosity);
  for (int64_t row = 1; row < 2 * half; row++) // a cylinder of 60 m, 10 m high
    for (int64_t col = 1; col < 2 * half; col++)
      if (hypot((double)(row - half), (double)(col - half)) * cell < 60) put_lava(&s, row, col, 10, 1360);
  const double volume = s.state->initial;
  struct line line = {0};
  double r = 0, expected = 0;
  for (int k = 4; k >= 0; k--) {
    const double t = 3600 * hours / (1 << k);
    go_to(&s, UINT64_MAX, t);
    expected = 0.894 * pow(DENSITY * GRAVITY * pow(volume, 3) / (3 * viscosity) * s.state->time, 0.125);
    r = radius_of(s.state, volume, expected);
    if (k < 4) add_point(&line, log(s.state->time), log(r));
  }
  printf("fixed volume on a plane, cells of %4.1f m   %8" PRIu64
         " steps: radius %.1f m, %.4f of %.1f m, from the volume %.4f; exponent of time %.3f (0.125)\n",
         cell, s.state->step, r, r / expected, expected, radius_of_volume(s.state, half) / expected, slope_of(&line));
  end(&s);
}

/**
 * Constant rate on an incline, far behind the front: the half-width at a distance x is xi x^(3/7), the thickness in the
 * middle (3 tan/14) xi^2 x^(-1/7), with xi^7 = 35/32 (14/(3 tan))^3 3 eta Q/(rho g sin).
 */
static void incline(double cell, double degrees) {
  const double rate = 5, viscosity = 1e6, angle = degrees * PI / 180;
  const int64_t cols = (int64_t)(800 / cell) | 1, rows = (int64_t)(1500 / cell),
                vent = rows - 1 - (int64_t)(1400 / cell);
  struct scene s;
  make(&s, rows, cols, cell, tan(angle));
  make_newtonian(&s.problem.params, viscosity);
  put_vent_at(&s, vent, cols / 2, rate);
  go_to(&s, UINT64_MAX, 120 * 3600);
  const double xi =
      pow(35.0 / 32 * pow(14 / (3 * tan(angle)), 3) * 3 * viscosity * rate / (DENSITY * GRAVITY * sin(angle)), 1.0 / 7);
  printf("constant rate on %.0f degrees, cells of %4.1f m %8" PRIu64 " steps:", degrees, cell, s.state->step);
  static const double distances[] = {100, 200, 400};
  for (int k = 0; k < 3; k++) {
    const double x = distances[k];
    const int64_t row = vent + (int64_t)llround(x / cell);
    int64_t wet = 0;
    const double width = 2 * xi * pow(x, 3.0 / 7), most = 3 * tan(angle) / 14 * xi * xi * pow(x, -1.0 / 7);
    const double middle = s.state->h[row * cols + cols / 2];
    for (int64_t col = 0; col < cols; col++) wet += s.state->h[row * cols + col] > 0.01 * most;
    printf(" at %.0f m width %.3f of %.0f m, thickness %.3f of %.2f m;", x, (double)wet * cell / width, width,
           middle / most, most);
  }
  printf("\n");
  end(&s);
}

/**
 * A fixed volume with a yield strength on a plane, at rest: h^2 = 2 tau_y (R - r)/(rho g), so that the volume is
 * (8/15) pi sqrt(2 tau_y/(rho g)) R^(5/2). The lava is emitted slowly, and then has ten times as long.
 */
static void deposit(double cell) {
  const double strength = 5000, viscosity = 1e5, volume = 5e5, hours = 50;
  struct scene s;
  const int64_t half = (int64_t)(500 / cell), n = 2 * half + 1;
  make(&s, n, n, cell, 0);
  struct sciara_params *p = &s.problem.params;
  p->viscosity_vent = p->viscosity_sol = viscosity;
  p->yield_vent = p->yield_sol = strength;
  p->radiating = 0;
  const double edges[2] = {0, 3600 * hours}, rate = volume / edges[1];
  must(sciara_vents_add(s.problem.vents, half, half, 1, edges, &rate));
  go_to(&s, UINT64_MAX, 10 * edges[1]);
  const double steep = 2 * strength / (DENSITY * GRAVITY), R = pow(volume * 15 / (8 * PI * sqrt(steep)), 0.4);
  struct misfit profile = {0};
  for (int64_t k = 0; (double)k * cell <= R; k++)
    misfit_add(&profile, thickness(s.state, half * n + half + k), sqrt(steep * fmax(0, R - (double)k * cell)));
  const double r = sqrt(area(s.state, 0.01 * sqrt(steep * R)) / PI);
  printf("deposit with a yield strength, cells of %4.1f m %8" PRIu64
         " steps: radius %.1f m, %.3f of %.1f m; in the middle %.3f of %.2f m; NRMSE of the profile %.2f %%\n",
         cell, s.state->step, r, r / R, R, thickness(s.state, half * n + half) / sqrt(steep * R), sqrt(steep * R),
         misfit_percent(&profile));
  end(&s);
}

// ---------------------------------------------------------------------------------------------------------- isotropy

/** Smallest over largest radius of the default lava, 5 m3/s for a day on a plane. A continuous model would give 1. */
static void roundness(double cell, bool cools) {
  enum { SECTORS = 36 };
  struct scene s;
  const int64_t half = (int64_t)(500 / cell), n = 2 * half + 1;
  make(&s, n, n, cell, 0);
  if (!cools) s.problem.params.radiating = 0;
  put_vent(&s, 5);
  go_to(&s, UINT64_MAX, 86400);
  double radius[SECTORS] = {0}, least = INFINITY, most = 0;
  for (int64_t i = 0; i < n * n; i++) {
    if (!(thickness(s.state, i) > 0)) continue;
    const int64_t east = i % n - half, north = half - i / n;
    const double x = (double)east, y = (double)north;
    const int k = ((int)floor(atan2(y, x) * SECTORS / (2 * PI) + 0.5) + SECTORS) % SECTORS;
    radius[k] = fmax(radius[k], cell * hypot(x, y));
  }
  for (int k = 0; k < SECTORS; k++) {
    least = fmin(least, radius[k]);
    most = fmax(most, radius[k]);
  }
  printf("roundness on a plane, cells of %4.1f m, %-11s %8" PRIu64 " steps: radius %.0f to %.0f m, min/max %.3f\n",
         cell, cools ? "cooling," : "no cooling,", s.state->step, least, most, least / most);
  end(&s);
}

/** A valley through the middle of a square of 3 km, which falls by 1 in 10 in the direction `degrees` west of south. */
static double valley(double x, double y, double degrees) {
  const double angle = degrees * PI / 180, dx = x - 1500, dy = y - 1500;
  const double along = -dx * sin(angle) - dy * cos(angle), across = -dx * cos(angle) + dy * sin(angle);
  return 1000 - 0.1 * along + across * across / 1000;
}

static void rotation(double cell) {
  enum { DIRECTIONS = 7 };
  double out[DIRECTIONS], least = INFINITY, most = 0;
  for (int k = 0; k < DIRECTIONS; k++) {
    struct scene s;
    const int64_t n = (int64_t)(3000 / cell) | 1, middle = n / 2;
    make_ground(&s, SCIARA_RULE_BINGHAM, n, n, cell, valley, 7.5 * k);
    put_vent(&s, 5);
    go_to(&s, UINT64_MAX, 86400);
    out[k] = 0;
    for (int64_t i = 0; i < n * n; i++) {
      const int64_t east = i % n - middle, south = i / n - middle;
      if (thickness(s.state, i) > 0) out[k] = fmax(out[k], cell * hypot((double)east, (double)south));
    }
    least = fmin(least, out[k]);
    most = fmax(most, out[k]);
    end(&s);
  }
  printf("a valley at 0 to 45 degrees, cells of %4.1f m: run-out", cell);
  for (int k = 0; k < DIRECTIONS; k++) printf(" %.0f", out[k]);
  printf(" m, max/min %.3f\n", most / least);
}

static void of_cells(double cell, const char *only) {
  if (!only || strcmp(only, "rate") == 0) constant_rate(cell, 48);
  if (!only || strcmp(only, "volume") == 0) fixed_volume(cell, 48);
  if (!only || strcmp(only, "incline") == 0) incline(cell, 6);
  if (!only || strcmp(only, "deposit") == 0) deposit(cell);
  if (!only || strcmp(only, "plane") == 0) roundness(cell, false), roundness(cell, true);
  if (!only || strcmp(only, "valley") == 0) rotation(cell);
}

int main(int argc, char **argv) {
  bool brief = false;
  const char *name = "serial", *only = NULL;
  double cell = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--short") == 0) {
      brief = true;
    } else if (strcmp(argv[i], "--engine") == 0 && i + 1 < argc) {
      name = argv[++i];
    } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      only = argv[++i];
    } else if (strcmp(argv[i], "--cell") == 0 && i + 1 < argc && (cell = strtod(argv[i + 1], NULL)) > 0) {
      i++;
    } else if (strcmp(argv[i], "--relaxation") == 0 && i + 1 < argc && (relaxation = strtod(argv[i + 1], NULL)) > 0) {
      i++;
    } else {
      fprintf(stderr,
              "usage: sciara_sheet_checks [--short] [--engine NAME] [--cell SIDE] [--relaxation R] [--only CHECK]\n");
      return SCIARA_ERR_USAGE;
    }
  }
  must(sciara_engine_find(name, SCIARA_RULE_BINGHAM, SCIARA_DOUBLE, &engine));
  printf("engine %s, double precision, rule bingham\n", engine->name);
  static const double sides[] = {20, 10, 5};
  for (size_t k = 0; k < 3; k++) {
    if (cell > 0 && k > 0) break;
    const double side = cell > 0 ? cell : sides[k];
    cooling(side);
    arrest(side, 6, 4000);
    arrest(side, 25, 1000);
    if (!brief) of_cells(side, only);
    fflush(stdout);
  }
  printf("%d failed\n", failures);
  return failures > 0;
}
