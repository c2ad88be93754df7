// SPDX-License-Identifier: Apache-2.0
// What limits the flows of a cell with rule bingham, and whether they exceed it, for engine `checked`: found from fields and
// parameters in double precision, by other formulas than those of rules/bingham.h.
//
// - The slope and the drops are those of surfaces, by their distance.
// - The yield strength is compared with the shear stress at the base, of the cell and of each side, in place of the
//   thickness with that of the plug.
// - Speeds and fluxes are those of a velocity profile: a parabola, and the plug on it.
// - Surfaces and barriers are compared as heights, and the difference over a cell is limited by the sides it has.
//
// Each limit includes the roundings of the rule in its precision, so none is ever exceeded by a step that follows the rule.
// Included by this room alone.
#ifndef SCIARA_ENGINE_SHEET_BOUNDS_H
#define SCIARA_ENGINE_SHEET_BOUNDS_H

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "engine/planted_faults.h"

/** The limits of a liquid cell. */
struct sciara_sheet_bounds {
  double steepest;                  ///< the largest drop, m; if it is not above 0, no neighbour is lower
  double stress, yield;             ///< at most, at least: shear stress at the base, yield strength, Pa
  double speed;                     ///< at least: mean speed of the sheet, m/s; 0 if it may rest
  double spread;                    ///< at least: how fast the surface levels, m2/s; 0 if the sheet may rest
  double reach;                     ///< at most: the distance over which it has to level, squared, m2
  double drop[SCIARA_MOORE];        ///< at most: from the surface of the cell to that of the neighbour, m
  double above[SCIARA_MOORE];       ///< at most: of the lava, what stands above the ground or the corner there, m
  double side_stress[SCIARA_MOORE]; ///< at most: shear stress at the base of what flows to the neighbour, Pa
  double level[SCIARA_MOORE];       ///< at most: what levels the two surfaces, m
  double rate[SCIARA_MOORE];        ///< at most: what the sheet carries to the neighbour, m/s
};

enum { SCIARA_SHEET_DETAIL = 256 }; ///< bytes

/** Half an ulp of 1: the largest relative error of one operation of the rule. */
#define SCIARA_SHEET_UNIT (0.5 * SCIARA_REAL_EPSILON)

/** More than the absolute error of an operation whose result is subnormal, m. */
#ifdef SCIARA_SINGLE
#define SCIARA_SHEET_LEAST ((double)FLT_MIN)
#else
#define SCIARA_SHEET_LEAST DBL_MIN
#endif

/** The slope of the surface by the drops to the neighbours, each higher by `more` of its error, m. */
static inline double sciara_sheet_slope(const double drop[SCIARA_MOORE], const double error[SCIARA_MOORE], double more,
                                        double w) {
  static const int half[4] = {1, 2, 5, 6}; // the other neighbours are opposite to these
  double squares[2] = {0, 0};              // of the components along the axes, along the diagonals
  for (int k = 0; k < 4; k++) {
    const int n = half[k], m = sciara_moore_reverse(n);
    const double fall = fmax(0, fmax(drop[n] + more * error[n], drop[m] + more * error[m])) / w;
    const int row = sciara_moore_row(n), col = sciara_moore_col(n);
    squares[k / 2] += fall * fall / (row * row + col * col);
  }
  return sciara_sqrt(fmax(squares[0], squares[1]));
}

/**
 * A law of the temperature T, K, from its values at T_sol and T_vent: the geometric mean with the weights of the arithmetic
 * mean that T is. *error: what rounding may change in the rule, relative.
 */
static inline double sciara_sheet_law(const struct sciara_params *p, double at_sol, double at_vent, double T,
                                      double *error) {
  *error = 0;
  if (at_sol == 0) return 0;
  const double range = p->T_vent - p->T_sol, x = (T - p->T_sol) / range;
  const double sol = sciara_ln(at_sol), vent = sciara_ln(at_vent);
  *error = SCIARA_SHEET_UNIT * (8 + 2 * fabs(sol) + 4 * fabs(vent - sol) * (1 + p->T_vent / range));
  return sciara_exp((1 - x) * sol + x * vent);
}

/**
 * The flux of a sheet of thickness h on a slope G without friction, m2/s: of a parabola of speeds, and of the plug on it.
 *
 * @param ratio of the yield strength to the stress at the base
 */
static inline double sciara_sheet_flux(const struct sciara_params *p, double viscosity, double h, double G,
                                       double ratio) {
  if (!(G > 0) || ratio >= 1) return 0;
  const double stress = p->density * SCIARA_GRAVITY * h * (G / sciara_sqrt(1 + G * G)), sheared = 1 - ratio;
  const double top = stress * h / (2 * viscosity) * (sheared * sheared); // m/s: speed of the plug
  return h * (top * ratio + top * 2 / 3 * sheared);
}

/** The flux that friction allows a sheet of thickness h on a slope G, m2/s. */
static inline double sciara_sheet_limit(const struct sciara_params *p, double h, double G) {
  return h * sciara_sqrt(SCIARA_GRAVITY * h * (G / sciara_sqrt(1 + G * G)) / p->friction);
}

/** Half of the limited difference of the thickness over a cell towards one neighbour and away from the opposite one, m. */
static inline double sciara_sheet_half_slope(double h, double ahead, double behind) {
  const double a = ahead - h, b = h - behind;
  if (!(a > 0 && b > 0) && !(a < 0 && b < 0)) return 0;
  const double least = fmin(fmin(fabs(a), fabs(b)), fabs(ahead - behind) / 4);
  return a > 0 ? least : -least;
}

/** Finds the limits of liquid cell i on cells of `w` m. */
static inline void sciara_sheet_bounds_find(const struct sciara_params *p, double w, const struct sciara_fields *f,
                                            int64_t i, struct sciara_sheet_bounds *b) {
  const double unit = SCIARA_SHEET_UNIT, h = (double)f->h[i], z = (double)f->z[i];
  double drop[SCIARA_MOORE], error[SCIARA_MOORE], side[SCIARA_MOORE];
  b->drop[0] = 0;
  b->steepest = -INFINITY;
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const int row = sciara_moore_row(n), col = sciara_moore_col(n);
    const int64_t j = i + row * f->stride + col, behind = i - row * f->stride - col;
    const double rise = (double)f->z[j] - z, lava = (double)f->h[j];
    const double shoulder = fmin((double)f->z[i + row * f->stride], (double)f->z[i + col]) - z;
    const double sill = row != 0 && col != 0 ? fmax(rise, shoulder) : rise;
    drop[n] = (h - lava) - rise;
    error[n] = 4 * unit * (fabs(rise) + lava + h);
    b->drop[n] = drop[n] + error[n];
    b->steepest = fmax(b->steepest, b->drop[n]);
    b->above[n] = h - sill + 4 * unit * (fabs(sill) + h);
    side[n] = fmin(b->above[n], h + sciara_sheet_half_slope(h, lava, (double)f->h[behind]) +
                                    8 * unit * (h + lava + (double)f->h[behind]));
  }
  const double G_least = (1 - 8 * unit) * sciara_sheet_slope(drop, error, -1, w);
  const double G_most = (1 + 8 * unit) * sciara_sheet_slope(drop, error, 1, w);

  double yield_error, viscosity_error;
  const double yield = sciara_sheet_law(p, p->yield_sol, p->yield_vent, (double)f->T[i], &yield_error);
  const double viscosity = sciara_sheet_law(p, p->viscosity_sol, p->viscosity_vent, (double)f->T[i], &viscosity_error);
  const double thin = (1 - viscosity_error) * viscosity, thick = (1 + viscosity_error) * viscosity;
  const double weight = p->density * SCIARA_GRAVITY;
  const double least = (1 - 16 * unit) * weight * (G_least / sciara_sqrt(1 + G_least * G_least)); // Pa/m
  const double most = (1 + 16 * unit) * weight * (G_most / sciara_sqrt(1 + G_most * G_most));
  b->stress = h * most;
  b->yield = (1 - yield_error) * yield;

  const double ratio = yield > 0 ? (1 + yield_error) * yield / (h * least) : 0;
  const double slow = sciara_sheet_flux(p, thick, h, G_least, ratio), slow_limit = sciara_sheet_limit(p, h, G_least);
  const double fast = sciara_sheet_flux(p, thin, h, G_most, yield > 0 ? b->yield / b->stress : 0);
  b->speed = slow > 0 ? (1 - 32 * unit) * slow / (1 + slow / slow_limit) / h : 0; // both may be below all numbers
  b->spread = slow > 0 ? (1 - 64 * unit) * weight * (h * h * h) / (3 * thick) * (1 - ratio * ratio * ratio) /
                             sciara_sqrt(1 + G_most * G_most) / (1 + fast / slow_limit)
                       : 0;
  b->reach = G_least > 0 ? (1 + 32 * unit) * 2 * w * (w + h / (20 * G_least)) : (double)INFINITY;
  const double friction = 1 / (1 + slow / sciara_sheet_limit(p, h, G_most)); // at most
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const double weight_of = (n < 5 ? 4.0 : 1.0) / 6;
    b->level[n] = (1 + 8 * unit) * weight_of / 4 * b->drop[n];
    b->side_stress[n] = fmax(0, side[n]) * most;
    const double flux = sciara_sheet_flux(p, thin, side[n], G_most, yield > 0 ? b->yield / b->side_stress[n] : 0);
    b->rate[n] =
        G_least > 0 ? (1 + 64 * unit) * flux * friction / G_least * b->drop[n] * weight_of / (w * w) : (double)INFINITY;
  }
}

#if SCIARA_SHEET
/** The limit that a flow of `out` m to neighbour n of a cell in t s exceeds, or NULL; the lava of the cell does not rest. */
static inline const char *sciara_sheet_flux_exceeds(const struct sciara_sheet_bounds *b, int n, double out, double t,
                                                    char detail[SCIARA_SHEET_DETAIL]) {
  const double carried = b->rate[n] * t + SCIARA_SHEET_LEAST;
  const char *limit = NULL;
  if (b->drop[n] <= 0) {
    limit = SCIARA_LEFT_OUT(SCIARA_FAULT_UPHILL) ? NULL : "uphill";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%g m flow to neighbour %d, whose surface is %g m higher", out, n,
             -b->drop[n]);
  } else if (b->above[n] <= 0) {
    limit = SCIARA_LEFT_OUT(SCIARA_FAULT_BARRIER) ? NULL : "barrier";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%g m flow to neighbour %d over what stands %g m above the lava", out, n,
             -b->above[n]);
  } else if (b->side_stress[n] <= b->yield) {
    limit = SCIARA_LEFT_OUT(SCIARA_FAULT_SIDE) ? NULL : "side";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%g m flow to neighbour %d at a stress of %g Pa below %g Pa", out, n,
             b->side_stress[n], b->yield);
  } else if (!(out <= b->level[n]) && !SCIARA_LEFT_OUT(SCIARA_FAULT_LEVEL)) {
    limit = "level";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%.17g m flow to neighbour %d, %.17g m level the surfaces", out, n,
             b->level[n]);
  } else if (!(out <= carried) && !SCIARA_LEFT_OUT(SCIARA_FAULT_RATE)) {
    limit = "rate";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%.17g m flow to neighbour %d, the sheet carries %.17g m", out, n, carried);
  }
  return limit;
}
#endif

/** Whether the time to cross liquid cell i, rather than that to level over it, limits the clock. */
static inline bool sciara_sheet_crosses(const struct sciara_params *p, double w, const struct sciara_fields *f,
                                        int64_t i) {
  struct sciara_sheet_bounds b;
  sciara_sheet_bounds_find(p, w, f, i, &b);
  return b.speed / w > b.spread / b.reach;
}

/** Whether liquid cell i is surely no thicker than its plug. */
static inline bool sciara_sheet_rests(const struct sciara_params *p, double w, const struct sciara_fields *f,
                                      int64_t i) {
  struct sciara_sheet_bounds b;
  sciara_sheet_bounds_find(p, w, f, i, &b);
  return b.stress <= b.yield;
}

/**
 * By how much roundings of the outflows to `survivors` may let more leave cell i than it holds, m. In fv3 outflows are
 * differences from an average: there are up to 9 survivors, with tops at most `reach` m above or below the ground of this
 * cell, and 9 sums, a quotient, 8 differences and 8 sums are rounded. In bingham they are parts of the cell's lava: 3 sums,
 * a quotient, a product and 8 sums are rounded.
 */
static inline double sciara_leaving_error(const struct sciara_fields *f, int64_t i, unsigned survivors) {
  const double h = (double)f->h[i];
#if SCIARA_SHEET
  (void)survivors;
  return 16 * SCIARA_SHEET_UNIT * h;
#else
  double reach = 0;
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const int64_t j = i + sciara_moore_offset(n, f->stride);
    if (survivors >> n & 1u) reach = fmax(reach, fabs((double)sciara_top(n, f->z[i], f->z[j], f->h[j])));
  }
  return SCIARA_SHEET_UNIT * (40 * h + 220 * reach);
#endif
}

/** The limit that the flows of liquid cell i in t s exceed, and by how much, or NULL. */
static inline const char *sciara_sheet_exceeds(const struct sciara_params *p, double w, const struct sciara_fields *f,
                                               int64_t i, const struct sciara_outflows *flows, double t,
                                               char detail[SCIARA_SHEET_DETAIL]) {
#if SCIARA_SHEET
  struct sciara_sheet_bounds b;
  const char *limit = NULL;
  sciara_sheet_bounds_find(p, w, f, i, &b);
  const double most = p->relaxation * w * (1 + 8 * SCIARA_SHEET_UNIT);
  if (!(b.speed * t <= most) && !SCIARA_LEFT_OUT(SCIARA_FAULT_CROSSING)) {
    limit = "crossing";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%.17g m in %g s, at most %g m of a cell are allowed", b.speed * t, t, most);
  } else if (!(b.spread * t <= p->relaxation * b.reach) && !SCIARA_LEFT_OUT(SCIARA_FAULT_LEVELLING)) {
    limit = "levelling";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%.17g m2 in %g s, at most %g m2 are allowed", b.spread * t, t,
             p->relaxation * b.reach);
  }
  for (int n = 1; n < SCIARA_MOORE && !limit; n++) {
    const double out = (double)flows->to[n].thickness;
    if (out == 0) continue;
    if (b.steepest <= 0) {
      limit = SCIARA_LEFT_OUT(SCIARA_FAULT_FLAT) ? NULL : "slope";
      snprintf(detail, SCIARA_SHEET_DETAIL, "%g m flow to neighbour %d, none is lower", out, n);
    } else if (b.stress <= b.yield) {
      limit = SCIARA_LEFT_OUT(SCIARA_FAULT_PLUG) ? NULL : "plug";
      snprintf(detail, SCIARA_SHEET_DETAIL, "%g m flow to neighbour %d at a stress of %g Pa below %g Pa", out, n,
               b.stress, b.yield);
    } else {
      limit = sciara_sheet_flux_exceeds(&b, n, out, t, detail);
    }
  }
  return limit;
#else
  (void)p, (void)w, (void)f, (void)i, (void)flows, (void)t, (void)detail;
  return NULL;
#endif
}

#endif
