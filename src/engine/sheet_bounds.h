// SPDX-License-Identifier: Apache-2.0
// What limits the flows of a cell with rule bingham, and whether they exceed it, for engine `checked`: found from fields and
// parameters in double precision, by other formulas than those of model/bingham.h.
//
// - The slope and the drops are those of surfaces, by their distance.
// - The yield strength is compared with the shear stress at the base, in place of the thickness with that of the plug.
// - The mean speed is that of a velocity profile: a parabola, and the plug on it, whose share of the thickness is the ratio
//   of the yield strength to that stress.
// - The level is what h metres of lava reach if they fill the cells from the lowest one.
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
  double steepest;           ///< the largest drop, m; if it is not above 0, no neighbour is lower
  double stress, yield;      ///< at most, at least: shear stress at the base, yield strength, Pa
  double speed;              ///< at least: mean speed of the sheet, m/s; 0 if it may rest
  double drop[SCIARA_MOORE]; ///< at most: from the surface of the cell to that of the neighbour, m
  double fill[SCIARA_MOORE]; ///< at most: what raises the neighbour to the common level, m
  double rate[SCIARA_MOORE]; ///< at most: what the sheet carries to the neighbour, m/s
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

/** The level, above the ground of a cell, that h metres of its lava reach in it and its neighbours. */
static inline double sciara_sheet_level(double h, const double top[SCIARA_MOORE]) {
  double sorted[SCIARA_MOORE] = {0};
  for (int n = 0; n < SCIARA_MOORE; n++) {
    int k = n;
    for (; k > 0 && sorted[k - 1] > top[n]; k--) sorted[k] = sorted[k - 1];
    sorted[k] = top[n];
  }
  double sum = h + sorted[0];
  int n = 1;
  while (n < SCIARA_MOORE && sorted[n] < sum / n) sum += sorted[n++];
  return sum / n;
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

/** The mean speed of a sheet of thickness h on a slope G, m/s; `ratio`: of the yield strength to the stress at the base. */
static inline double sciara_sheet_mean_speed(const struct sciara_params *p, double viscosity, double h, double G,
                                             double ratio) {
  if (!(G > 0) || ratio >= 1) return 0;
  const double sine = G / sciara_sqrt(1 + G * G), stress = p->density * SCIARA_GRAVITY * h * sine;
  const double sheared = 1 - ratio, top = stress * h / (2 * viscosity) * (sheared * sheared); // m/s: of the plug
  const double viscous = top * ratio + top * 2 / 3 * sheared;
  const double limit = sciara_sqrt(SCIARA_GRAVITY * h * sine / p->friction);
  return viscous > 0 ? viscous / (1 + viscous / limit) : 0; // both may be below all numbers
}

/** Finds the limits of liquid cell i on cells of `w` m. */
static inline void sciara_sheet_bounds_find(const struct sciara_params *p, double w, const struct sciara_fields *f,
                                            int64_t i, struct sciara_sheet_bounds *b) {
  const double unit = SCIARA_SHEET_UNIT, h = (double)f->h[i];
  double top[SCIARA_MOORE], drop[SCIARA_MOORE], error[SCIARA_MOORE], reach = 0;
  top[0] = b->drop[0] = 0;
  b->steepest = -INFINITY;
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const int64_t j = i + sciara_moore_offset(n, f->stride);
    const double rise = (double)f->z[j] - (double)f->z[i], above = (double)f->h[j];
    top[n] = rise + above;
    drop[n] = (h - above) - rise;
    error[n] = 4 * unit * (fabs(rise) + above + h);
    b->drop[n] = drop[n] + error[n];
    b->steepest = fmax(b->steepest, b->drop[n]);
    if (b->drop[n] > 0) reach = fmax(reach, fabs(rise) + above);
  }
  const double G_least = (1 - 8 * unit) * sciara_sheet_slope(drop, error, -1, w);
  const double G_most = (1 + 8 * unit) * sciara_sheet_slope(drop, error, 1, w);

  double yield_error, viscosity_error;
  const double yield = sciara_sheet_law(p, p->yield_sol, p->yield_vent, (double)f->T[i], &yield_error);
  const double viscosity = sciara_sheet_law(p, p->viscosity_sol, p->viscosity_vent, (double)f->T[i], &viscosity_error);
  const double weight = p->density * SCIARA_GRAVITY * h;
  const double least = (1 - 16 * unit) * weight * (G_least / sciara_sqrt(1 + G_least * G_least));
  b->stress = (1 + 16 * unit) * weight * (G_most / sciara_sqrt(1 + G_most * G_most));
  b->yield = (1 - yield_error) * yield;

  const double fastest =
      sciara_sheet_mean_speed(p, (1 - viscosity_error) * viscosity, h, G_most, yield > 0 ? b->yield / b->stress : 0);
  b->speed = (1 - 32 * unit) * sciara_sheet_mean_speed(p, (1 + viscosity_error) * viscosity, h, G_least,
                                                       yield > 0 ? (1 + yield_error) * yield / least : 0);
  const double level = sciara_sheet_level(h, top);
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const double weight_of = (n < 5 ? 4.0 : 1.0) / 6;
    b->fill[n] = fmax(0, level - top[n]) + 32 * unit * (h + reach);
    b->rate[n] =
        G_least > 0 ? (1 + 32 * unit) * (fastest * h / G_least) * b->drop[n] * weight_of / (w * w) : (double)INFINITY;
  }
}

#ifdef SCIARA_BINGHAM
/** The limit that a flow of `out` m to neighbour n of a cell in t s exceeds, or NULL; the lava of the cell does not rest. */
static inline const char *sciara_sheet_flux_exceeds(const struct sciara_sheet_bounds *b, int n, double out, double t,
                                                    char detail[SCIARA_SHEET_DETAIL]) {
  const double carried = b->rate[n] * t + SCIARA_SHEET_LEAST;
  const char *limit = NULL;
  if (b->drop[n] <= 0) {
    limit = SCIARA_LEFT_OUT(SCIARA_FAULT_UPHILL) ? NULL : "uphill";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%g m flow to neighbour %d, whose surface is %g m higher", out, n,
             -b->drop[n]);
  } else if (!(out <= b->fill[n]) && !SCIARA_LEFT_OUT(SCIARA_FAULT_LEVEL)) {
    limit = "level";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%.17g m flow to neighbour %d, %.17g m level the surfaces", out, n,
             b->fill[n]);
  } else if (!(out <= carried) && !SCIARA_LEFT_OUT(SCIARA_FAULT_RATE)) {
    limit = "rate";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%.17g m flow to neighbour %d, the sheet carries %.17g m", out, n, carried);
  }
  return limit;
}
#endif

/** The limit that the flows of liquid cell i in t s exceed, and by how much, or NULL. */
static inline const char *sciara_sheet_exceeds(const struct sciara_params *p, double w, const struct sciara_fields *f,
                                               int64_t i, const struct sciara_outflows *flows, double t,
                                               char detail[SCIARA_SHEET_DETAIL]) {
#ifdef SCIARA_BINGHAM
  struct sciara_sheet_bounds b;
  const char *limit = NULL;
  sciara_sheet_bounds_find(p, w, f, i, &b);
  const double most = p->relaxation * w * (1 + 8 * SCIARA_SHEET_UNIT);
  if (!(b.speed * t <= most) && !SCIARA_LEFT_OUT(SCIARA_FAULT_CROSSING)) {
    limit = "crossing";
    snprintf(detail, SCIARA_SHEET_DETAIL, "%.17g m in %g s, at most %g m of a cell are allowed", b.speed * t, t, most);
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
