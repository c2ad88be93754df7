// SPDX-License-Identifier: Apache-2.0
// What the model must do in cases with a known solution (docs/validation.md):
//
//   sciara_analytic_checks [--short] [--engine NAME]      (default: serial)
//
// Cooling of a cell without flow, the height at which lava stops on a slope, its final state, the symmetries of a square,
// the volume, and the roundness of a flow on a plane, which has no exact answer and cannot fail. --short omits checks of
// more than a few seconds. Prints a table; exit status 1 if a check fails. The expected values come from the formulas and
// the C library here, not from the program's own functions.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

/** A plane that falls to the south. */
static double fall(double x, double y, double slope) {
  (void)x;
  return 1000 + slope * y;
}

static void make(struct scene *s, int64_t rows, int64_t cols, double cell, double slope) {
  make_ground(s, SCIARA_RULE_FV3, rows, cols, cell, fall, slope);
}

// ------------------------------------------------------------------------------------------------------------- cooling

// With one thickness h all the time, T' = T/cbrt(1 + K t T^3/h) step by step is 1/T'^3 = 1/T^3 + K t/h, so that after any
// steps of together t seconds T(t) = T0/cbrt(1 + K t T0^3/h), and T_sol is reached after h/K (1/T_sol^3 - 1/T0^3) seconds.
static void cooling(double h) {
  struct scene s;
  make(&s, 5, 5, 10, 0);
  put_lava(&s, 2, 2, h, 1360);
  const struct sciara_params *p = &s.problem.params;
  const double K = 3 * p->emissivity * 5.67e-8 * p->cooling / (p->density * p->c_v * 10 * 10);
  const double freezing = h / K * (1 / pow(p->T_sol, 3) - 1 / pow(p->T_vent, 3));
  double *T = &s.state->T[12], worst = 0, t = 0;
  uint64_t steps = 0;
  while (s.state->h[12] > 0 && steps < 100000) {
    go_to(&s, ++steps, INFINITY);
    t += s.state->clock;
    const double expected = 1360 / cbrt(1 + K * t * pow(1360, 3) / h);
    if (*T > 0) worst = fmax(worst, fabs(*T - expected) / expected);
  }
  printf("cooling without flow, %4.2f m %5" PRIu64
         " steps, T off by %.1e at most; rock after %.0f s, expected in (%.0f, %.0f]",
         h, steps, worst, t, freezing, freezing + s.state->clock);
  judge(worst <= 1e-12 && t >= freezing && t - s.state->clock < freezing && s.state->z[12] == 1000 + h);
  end(&s);
}

// ------------------------------------------------------------------------------------------------------ critical height

/** The yield law: its logarithm is linear in T. */
static double critical_height(const struct sciara_params *p, double T) {
  const double b = (log(p->hc_vent) - log(p->hc_sol)) / (p->T_vent - p->T_sol);
  return exp(log(p->hc_sol) + b * (T - p->T_sol));
}

/**
 * Lava alone on a slope S: towards the cell below, all of h lies above that cell's surface, the slope of the surface is
 * S + h/(2 w), and it flows if h > hc cos(theta). The largest h that stays solves h sqrt(1 + (S + h/(2 w))^2) = hc.
 */
static double largest_that_stays(double hc, double slope, double cell) {
  double low = 0, high = hc;
  for (int k = 0; k < 200; k++) {
    const double h = (low + high) / 2, q = slope + h / (2 * cell);
    if (h * sqrt(1 + q * q) > hc)
      high = h;
    else
      low = h;
  }
  return (low + high) / 2;
}

static bool flows(double slope, double T, double h) {
  struct scene s;
  make(&s, 7, 7, 10, slope);
  s.problem.params.cooling = 0;
  put_lava(&s, 3, 3, h, T);
  go_to(&s, 1, INFINITY);
  const bool moved = s.state->h[3 * 7 + 3] != h;
  end(&s);
  return moved;
}

/**
 * How close the state is to flowing: the largest he/(hc cos(theta)) of a liquid cell towards a neighbour, without kinetic
 * head. Above 1 it would flow. `front`: the thickest cell above a dry one.
 */
static double unrest(const struct sciara_state *s, double hc, double *front) {
  const struct sciara_grid *g = &s->grid;
  double most = 0;
  *front = 0;
  for (int64_t i = g->cols; i < (g->rows - 1) * g->cols; i++) {
    if (!(s->h[i] > 0)) continue;
    for (int dr = -1; dr <= 1; dr++)
      for (int dc = -1; dc <= 1; dc++) {
        const int64_t n = i + dr * g->cols + dc;
        const double top = (dr && dc ? 1 / sqrt(2) : 1) * (s->z[n] - s->z[i]) + s->h[n];
        if (n == i || s->h[i] <= top) continue;
        const double he = top <= 0 ? s->h[i] : s->h[i] - top;
        const double q = (s->h[i] - he + 0.5 * he - top) / g->cell_size;
        most = fmax(most, he * sqrt(1 + q * q) / hc);
      }
    if (s->h[i + g->cols] == 0) *front = fmax(*front, s->h[i]);
  }
  return most;
}

/** A heap five times too high, released without cooling, until a thousand steps change nothing. Returns the steps. */
static uint64_t settle(struct scene *s, double slope, double T, double h) {
  const size_t bytes = sizeof(double) * 81 * 41;
  double before[81 * 41];
  make(s, 81, 41, 10, slope);
  s->problem.params.cooling = 0;
  put_lava(s, 30, 20, 5 * h, T);
  do {
    memcpy(before, s->state->h, bytes);
    go_to(s, s->state->step + 1000, INFINITY);
  } while (memcmp(before, s->state->h, bytes) != 0 && s->state->step < 1000000);
  return s->state->step - 1000;
}

static void arrest(double degrees, double T) {
  const struct sciara_params p = sciara_params_default();
  const double slope = tan(degrees * acos(-1) / 180), hc = critical_height(&p, T);
  const double expected = largest_that_stays(hc, slope, 10);
  double low = 0, high = 2 * hc;
  for (int k = 0; k < 60; k++) {
    const double h = (low + high) / 2;
    if (flows(slope, T, h))
      high = h;
    else
      low = h;
  }
  const double error = fabs(low - expected) / expected;
  printf("critical height, %2.0f deg, %4.0f K   hc %9.6f m, stays up to %9.6f m, expected %9.6f m: off by %.1e",
         degrees, T, hc, low, expected, error);
  judge(error <= 1e-12);
  struct scene s;
  double front;
  const uint64_t steps = settle(&s, slope, T, expected);
  const double most = unrest(s.state, hc, &front);
  printf("  a heap released           %4" PRIu64 " thousand steps, %3" PRId64
         " cells; largest he/(hc cos) %.6f, thickest front %.6f of it",
         steps / 1000, sciara_state_liquid_cells(s.state), most, front / expected);
  judge(most <= 1 + 1e-12 && front <= expected * (1 + 1e-12) && sciara_state_liquid_cells(s.state) > 1);
  end(&s);
}

// -------------------------------------------------------------------------------------------------- symmetry and volume

/** The largest difference of h and of z between cells that one of the 8 symmetries of the square maps to each other, m. */
static double asymmetry(const struct sciara_state *s) {
  const int64_t n = s->grid.rows;
  double most = 0;
  for (int64_t r = 0; r < n; r++)
    for (int64_t c = 0; c < n; c++) {
      const int64_t i = r * n + c, same[3] = {c * n + r, r * n + n - 1 - c, (n - 1 - r) * n + c}; // they make all eight
      for (int k = 0; k < 3; k++) most = fmax(most, fmax(fabs(s->h[i] - s->h[same[k]]), fabs(s->z[i] - s->z[same[k]])));
    }
  return most;
}

static void symmetry(uint64_t steps) {
  struct scene s;
  make(&s, 101, 101, 10, 0);
  put_vent(&s, 5);
  go_to(&s, steps, INFINITY);
  const double most = asymmetry(s.state);
  printf("symmetry on a plane       %6" PRIu64 " steps, %5" PRId64 " cells: off by %.1e m", s.state->step,
         sciara_state_liquid_cells(s.state), most);
  judge(most <= 1e-12 && sciara_state_liquid_cells(s.state) > 60);
  end(&s);
}

/** The volume that is present, left or was emitted, each summed here. The bound is that of docs/numerics.md. */
static void volume(const char *name, double slope, uint64_t steps) {
  struct scene s;
  make(&s, 61, 61, 10, slope);
  put_vent(&s, 20);
  go_to(&s, steps, INFINITY);
  double there = 0, lost = 0, highest = 0;
  for (int64_t i = 0; i < 61 * 61; i++) {
    there += s.state->h[i] + (s.state->z[i] - s.state->z0[i]);
    lost += s.state->lost[i];
    highest = fmax(highest, fabs(s.state->z[i]));
  }
  const double open = s.state->emitted - 100 * (there + lost);
  const double rounding = (double)s.state->solidifications * 100 * (nextafter(highest, INFINITY) - highest) / 2;
  printf("volume, %-12s      %6" PRIu64 " steps, %.0f m3 out, %.0f m3 lost: residual %.1e m3 (%.1e of it)", name,
         s.state->step, s.state->emitted, 100 * lost, open, fabs(open) / s.state->emitted);
  judge(fabs(open) <= fmax(1e-12 * s.state->emitted, rounding) && (slope == 0) == (lost == 0));
  end(&s);
}

// ------------------------------------------------------------------------------------------------------------- isotropy

enum { SECTORS = 36 };

/** The farthest cell with lava from the centre in each sector of 10 degrees, m; sector 0 is centred on the east. */
static void front_radii(const struct sciara_state *s, double radius[SECTORS]) {
  const int64_t n = s->grid.rows, middle = n / 2;
  for (int k = 0; k < SECTORS; k++) radius[k] = 0;
  for (int64_t i = 0; i < n * n; i++) {
    if (!(s->h[i] + (s->z[i] - s->z0[i]) > 0)) continue;
    const int64_t east = i % n - middle, north = middle - i / n;
    const double x = (double)east, y = (double)north;
    const int k = ((int)floor(atan2(y, x) * SECTORS / (2 * acos(-1)) + 0.5) + SECTORS) % SECTORS;
    radius[k] = fmax(radius[k], s->grid.cell_size * hypot(x, y));
  }
}

/** 5 m3/s for `hours` on a plane. It has no exact answer: a continuous model would give 1. */
static void isotropy(double cell, double hours, bool cools) {
  struct scene s;
  const int64_t half = (int64_t)(600 / cell);
  make(&s, 2 * half + 1, 2 * half + 1, cell, 0);
  if (!cools) s.problem.params.cooling = 0;
  put_vent(&s, 5);
  go_to(&s, UINT64_MAX, 3600 * hours);
  double radius[SECTORS], least = INFINITY, most = 0, mean = 0;
  front_radii(s.state, radius);
  for (int k = 0; k < SECTORS; k++) {
    least = fmin(least, radius[k]);
    most = fmax(most, radius[k]);
    mean += radius[k] / SECTORS;
  }
  printf("isotropy, cells of %2.0f m, %-10s %2.0f h, %7" PRIu64
         " steps: radius %.1f to %.1f m, mean %.1f m, min/max %.3f\n",
         cell, cools ? "cooling," : "no cooling,", hours, s.state->step, least, most, mean, least / most);
  end(&s);
}

int main(int argc, char **argv) {
  static const double slopes[] = {5, 15, 30}, temperatures[] = {1150, 1250, 1360}, thicknesses[] = {0.1, 0.5, 0.9};
  bool brief = false;
  const char *name = "serial";
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--short") == 0) {
      brief = true;
    } else if (strcmp(argv[i], "--engine") == 0 && i + 1 < argc) {
      name = argv[++i];
    } else {
      fprintf(stderr, "usage: sciara_analytic_checks [--short] [--engine NAME]\n");
      return SCIARA_ERR_USAGE;
    }
  }
  must(sciara_engine_find(name, SCIARA_RULE_FV3, SCIARA_DOUBLE, &engine));
  printf("engine %s, double precision, default parameters\n", engine->name);
  for (size_t k = 0; k < sizeof thicknesses / sizeof *thicknesses; k++) cooling(thicknesses[k]);
  for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++)
    for (size_t n = 0; n < sizeof temperatures / sizeof *temperatures; n++) arrest(slopes[k], temperatures[n]);
  symmetry(brief ? 1000 : 10000);
  volume("plane", 0, brief ? 500 : 2000);
  volume("slope", 0.2, brief ? 5000 : 50000);
  for (int k = 0; k < (brief ? 1 : 3); k++)
    for (int cools = 1; cools >= 0; cools--) isotropy(20 / (double)(1 << k), brief ? 6 : 24, cools);
  printf("%d failed\n", failures);
  return failures > 0;
}
