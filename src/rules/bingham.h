// SPDX-License-Identifier: Apache-2.0
// Rule bingham: lava moves as a sheet of a Bingham fluid, driven by the slope of its surface.
//
// Source of the flux: steady sheet flow with a plug, as in MAGFLOW (Vicari et al. 2007; Del Negro et al. 2008). Limited
// slope: van Leer 1977 (monotonized central). Thickness above the higher ground: Audusse et al. 2004. See docs/model.md.
#ifndef SCIARA_RULES_BINGHAM_H
#define SCIARA_RULES_BINGHAM_H

#include "model/rule.h"

#define SCIARA_RULE_HERE SCIARA_RULE_BINGHAM
#define SCIARA_SHEET 1

/**
 * The temperature from which heat counts, K. In single precision thick lava does not grow by a thin inflow that is below half a
 * unit in the last place, but gains its heat: counted from 0 K, that heats lava by percents in 100,000 steps.
 */
#ifdef SCIARA_SINGLE
#define SCIARA_HEAT_FROM ((real)1300)
#else
#define SCIARA_HEAT_FROM ((real)0)
#endif

/** The constants, derived once on the host. Passed by value. */
struct sciara_rule {
  SCIARA_EVERY_RULE
  real inverse_area, twice_area;    ///< 1/w2, 2 w2
  real flux_axis, flux_diagonal;    ///< weights of the neighbours in the flux, by 1/w2
  real levelling;                   ///< 0.05/w
  real friction_limit;              ///< g/C_f, m/s2
  real ln_mobility_sol, mobility_b; ///< M(T) = rho g/(3 eta) = exp(ln_mobility_sol + mobility_b (T - T_sol)), 1/(m s)
  real ln_plug_sol, plug_b;         ///< P(T) = tau_y/(rho g) likewise, m
  bool yields;                      ///< false: P is 0 at every temperature
};

#include "model/lava.h"

/** Derives the constants; `cell_size` is the side of a cell in m. Host only. */
static inline struct sciara_rule sciara_rule_make(const struct sciara_params *p, double cell_size) {
  struct sciara_rule rule;
  sciara_rule_begin(p, cell_size, &rule);
  const double area = cell_size * cell_size, weight = p->density * SCIARA_GRAVITY;
  rule.inverse_area = (real)(1 / area);
  rule.twice_area = (real)(2 * area);
  rule.flux_axis = (real)(SCIARA_WEIGHT_AXIS / area);
  rule.flux_diagonal = (real)(SCIARA_WEIGHT_DIAGONAL / area);
  rule.levelling = (real)(0.05 / cell_size);
  rule.friction_limit = (real)(SCIARA_GRAVITY / p->friction);
  rule.yields = p->yield_sol > 0;
  sciara_law_make(p, weight / (3 * p->viscosity_sol), weight / (3 * p->viscosity_vent), &rule.ln_mobility_sol,
                  &rule.mobility_b);
  rule.ln_plug_sol = rule.plug_b = 0;
  if (rule.yields) sciara_law_make(p, p->yield_sol / weight, p->yield_vent / weight, &rule.ln_plug_sol, &rule.plug_b);
  return rule;
}

SCIARA_HD real sciara_larger(real a, real b) { return a < b ? b : a; }
SCIARA_HD real sciara_smaller(real a, real b) { return b < a ? b : a; }

// -------------------------------------------------------------------------------------------------- one sheet, one side

/** From the surface of a cell with lava of thickness h to that of a neighbour, whose ground is `rise` higher, m. */
SCIARA_HD real sciara_drop(real h, real rise, real h_i) { return h - (rise + h_i); }

/** G2, the square of the slope of the surface, from the drops, m: by axes or by diagonals, whichever is steeper. */
SCIARA_HD real sciara_slope_squared(const struct sciara_rule *rule, const real drop[SCIARA_MOORE]) {
  const real x = sciara_max0(sciara_larger(drop[2], drop[3])), y = sciara_max0(sciara_larger(drop[1], drop[4]));
  const real a = sciara_max0(sciara_larger(drop[5], drop[7])), b = sciara_max0(sciara_larger(drop[6], drop[8]));
  return sciara_larger(x * x + y * y, (real)0.5 * (a * a + b * b)) * rule->inverse_area;
}

/** M(T) = rho g / (3 eta), 1/(m s), at temperature T, K. */
SCIARA_HD real sciara_mobility_law(const struct sciara_rule *rule, real T) {
  return sciara_log_linear(rule, rule->ln_mobility_sol, rule->mobility_b, T);
}

/** P(T) = tau_y / (rho g), m, at temperature T, K. */
SCIARA_HD real sciara_plug_law(const struct sciara_rule *rule, real T) {
  return rule->yields ? sciara_log_linear(rule, rule->ln_plug_sol, rule->plug_b, T) : (real)0;
}

/** What depends on the slope G > 0 of the surface alone, with R = sqrt(1 + G2). */
struct sciara_incline {
  real sine;              ///< G/R
  real cosine;            ///< 1/R
  real inverse;           ///< 1/G
  real thickness_of_plug; ///< R/G, for P = 1
};

/** One quotient for all of them. */
SCIARA_HD struct sciara_incline sciara_incline_of(real G2) {
  const real R2 = 1 + G2, G = sciara_real_sqrt(G2), R = sciara_real_sqrt(R2);
  const real x = sciara_real_div(1, G * R);
  const struct sciara_incline incline = {G2 * x, G * x, R * x, R2 * x};
  return incline;
}

/** How the sheet of a cell moves. */
struct sciara_sheet {
  real plug;        ///< thickness of the plug, m: no thinner lava moves
  real conductance; ///< C, 1/(m s): the flux through a side for thickness, plug and slope 1
  real time;        ///< s: to cross the cell and to level over it, at most t_max
};

/**
 * tau1.3 and 6: the sheet of a cell with lava of thickness h > plug. False: a film whose fluxes are below all numbers
 * rests.
 *
 * @param mobility M(T)
 */
SCIARA_HD bool sciara_sheet_make(const struct sciara_rule *rule, struct sciara_incline incline, real h, real mobility,
                                 real plug, struct sciara_sheet *sheet) {
  const real m = h - plug;
  const real viscous = (mobility * incline.sine) * ((m * m) * (h + (real)0.5 * plug)); // m2/s, as all fluxes
  const real limit = h * sciara_real_sqrt((rule->friction_limit * h) * incline.sine);
  const real sum = viscous + limit;
  const real part = sciara_real_div(limit, sum);
  const real flux = viscous * part;
  sheet->plug = plug;
  sheet->conductance = (mobility * incline.cosine) * part;
  const real spread = sheet->conductance * (m * (h * (h + plug) + plug * plug));
  const real crossing = rule->cell_size * h;                                               // by flux: the time to cross
  const real levelling = rule->twice_area * (1 + (rule->levelling * h) * incline.inverse); // by spread
  const bool crosses = crossing * spread < levelling * flux; // the smaller of the two times, with one quotient
  const real t = sciara_real_div(crosses ? crossing : levelling, crosses ? flux : spread);
  sheet->time = t < rule->clock_max ? t : rule->clock_max;
  return sum != 0;
}

/** Half of the limited difference over a cell of thickness h between a neighbour, h_i, and the opposite one, h_o; m. */
SCIARA_HD real sciara_half_slope(real h, real h_i, real h_o) {
  const real a = h_i - h, b = h - h_o, mean = (real)0.25 * (a + b);
  const real least = sciara_smaller(sciara_larger(a, b), 0), most = sciara_larger(sciara_smaller(a, b), 0);
  return sciara_smaller(sciara_larger(mean, least), most);
}

/** For a diagonal i: the neighbour beside it in the same column as the cell, and that in the same row. */
SCIARA_HD int sciara_beside_in_column(int i) { return i == 5 || i == 8 ? 1 : 4; }
SCIARA_HD int sciara_beside_in_row(int i) { return i < 7 ? 2 : 3; }

/**
 * What lava must stand above to flow to neighbour i, m above the ground of the cell: its ground and, for a diagonal, the
 * lower shoulder of the corner.
 */
SCIARA_HD real sciara_sill(int i, real rise, real rise_in_column, real rise_in_row) {
  const real shoulder = sciara_smaller(rise_in_column, rise_in_row);
  return i < 5 ? rise : sciara_larger(rise, shoulder);
}

/** rate_i, m/s: the thickness that flows per second to neighbour i over a sill, m; 0 where nothing flows. */
SCIARA_HD real sciara_sheet_rate(const struct sciara_rule *rule, const struct sciara_sheet *sheet, int i, real h,
                                 real half_slope, real sill, real drop) {
  const real side = sciara_smaller(h + half_slope, h - sill), e = sciara_max0(side - sheet->plug);
  const real factor = sheet->conductance * (i < 5 ? rule->flux_axis : rule->flux_diagonal);
  return (factor * sciara_max0(drop)) * ((e * e) * (side + (real)0.5 * sheet->plug));
}

/** S, m/s, by pairs. */
SCIARA_HD real sciara_rates_sum(const real rate[SCIARA_MOORE]) {
  return ((rate[1] + rate[2]) + (rate[3] + rate[4])) + ((rate[5] + rate[6]) + (rate[7] + rate[8]));
}

/** h/S, s: the time in which a cell would run dry. */
SCIARA_HD real sciara_drain(real h, real sum) { return sciara_real_div(h, sum); }

/** What levels the surfaces of a cell and of neighbour i, m. */
SCIARA_HD real sciara_flux_level(int i, real drop) {
  return drop * (real)((i < 5 ? SCIARA_WEIGHT_AXIS : SCIARA_WEIGHT_DIAGONAL) / 4);
}

/** phi_i, m, if lava flows to neighbour i: never more than what levels the two surfaces, nor than there is. */
SCIARA_HD real sciara_flux_most(real level, real drain, real rate) { return sciara_smaller(level, drain * rate); }

// ------------------------------------------------------------------------------------------------------------ one cell

/**
 * tau1.2-3: whether the sheet of a cell with thickness h > 0 at temperature T, K, moves; G2: square of the slope of the
 * surface. The sheet is set if it does.
 */
SCIARA_HD bool sciara_sheet_moves_on(const struct sciara_rule *rule, real h, real T, real G2,
                                     struct sciara_sheet *sheet) {
  if (G2 == 0) return false;
  const struct sciara_incline incline = sciara_incline_of(G2);
  const real plug = sciara_plug_law(rule, T) * incline.thickness_of_plug;
  if (h <= plug) return false;
  return sciara_sheet_make(rule, incline, h, sciara_mobility_law(rule, T), plug, sheet);
}

/** tau1.1-3: the same, from the drops to the surfaces of the neighbours, m. */
SCIARA_HD bool sciara_sheet_moves(const struct sciara_rule *rule, real h, real T, const real drop[SCIARA_MOORE],
                                  struct sciara_sheet *sheet) {
  return sciara_sheet_moves_on(rule, h, T, sciara_slope_squared(rule, drop), sheet);
}

/** tau1.4 in all directions: the rates of a sheet that moves, m/s, and their sum S, from what is around the cell. */
SCIARA_HD real sciara_sheet_rates(const struct sciara_rule *rule, const struct sciara_sheet *sheet, real h,
                                  const real rise[SCIARA_MOORE], const real hn[SCIARA_MOORE],
                                  const real drop[SCIARA_MOORE], real rate[SCIARA_MOORE]) {
  real half_slope[SCIARA_MOORE];
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    const int opposite = sciara_moore_reverse(i); // whose slope is the same, with the other sign, in every bit
    half_slope[i] = opposite < i ? -half_slope[opposite] : sciara_half_slope(h, hn[i], hn[opposite]);
  }
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    const real sill = sciara_sill(i, rise[i], rise[sciara_beside_in_column(i)], rise[sciara_beside_in_row(i)]);
    rate[i] = sciara_sheet_rate(rule, sheet, i, h, half_slope[i], sill, drop[i]);
  }
  return sciara_rates_sum(rate);
}

/** The neighbours to which lava flows, bit i: those with a rate above 0. */
SCIARA_HD unsigned sciara_survivors_of(const real rate[SCIARA_MOORE]) {
  unsigned survivors = 0;
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) survivors |= rate[i] > 0 ? 1u << i : 0u;
  return survivors;
}

/** The result of time evaluation for a liquid cell: its flows, except that they need the new clock. */
struct sciara_evaluation {
  unsigned survivors;       ///< bit i: lava will flow to neighbour i
  real share[SCIARA_MOORE]; ///< phi_i, m; valid for survivors
  real rate[SCIARA_MOORE];  ///< m/s; valid for survivors
  real cell_size;           ///< w, m
};

/**
 * tau1, time evaluation of a cell with h > 0.
 *
 * @param z, h, T of the cell; its momentum (px, py) has no effect
 * @param zn, hn  of the neighbours 1..8 (entry 0 unused)
 * @param p       everything that flow computing needs later
 * @param bad     set if a NaN or an infinite rate is found
 * @return t_opt, s: the time this cell allows, at most t_max
 */
SCIARA_HD real sciara_cell_evaluate(const struct sciara_rule *rule, real z, real h, real T, real px, real py,
                                    const real zn[SCIARA_MOORE], const real hn[SCIARA_MOORE],
                                    struct sciara_evaluation *p, bool *bad) {
  (void)px, (void)py;
  real rise[SCIARA_MOORE], drop[SCIARA_MOORE];
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    rise[i] = zn[i] - z;
    drop[i] = sciara_drop(h, rise[i], hn[i]);
  }
  p->survivors = 0;
  p->cell_size = rule->cell_size;
  struct sciara_sheet sheet;
  if (!sciara_sheet_moves(rule, h, T, drop, &sheet)) return rule->clock_max;
  const real sum = sciara_sheet_rates(rule, &sheet, h, rise, hn, drop, p->rate), drain = sciara_drain(h, sum);
  if (!sciara_is_finite(sum)) *bad = true;
  p->survivors = sciara_survivors_of(p->rate);
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++)
    p->share[i] = sciara_flux_most(sciara_flux_level(i, drop[i]), drain, p->rate[i]);
  return sheet.time;
}

/** tau1, flow computing: the outflow to one neighbour. */
struct sciara_outflow {
  real thickness; ///< out_i, m
};

/** The outflows of a cell in this step. Entry 0 is unused; those to neighbours that receive nothing are 0. */
struct sciara_outflows {
  struct sciara_outflow to[SCIARA_MOORE];
};

/** tau1, flow computing: the thickness that flows at `rate`, m/s, in `t` s, at most `share`, m. */
SCIARA_HD real sciara_flux(real rate, real share, real t, bool *bad) {
  const real flux = rate * t;
  if (sciara_is_nan(flux) || sciara_is_nan(share)) *bad = true;
  return flux < share ? flux : share;
}

/** tau1, flow computing of a liquid cell with the new clock `t`, s. Returns the residual h0 >= 0, m. */
SCIARA_HD real sciara_cell_flow(const struct sciara_evaluation *p, real h, real t, struct sciara_outflows *f,
                                bool *bad) {
  real leaving = 0;
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    const bool survives = p->survivors >> i & 1u;
    bool nan = false;
    f->to[i].thickness = survives ? sciara_flux(p->rate[i], p->share[i], t, &nan) : (real)0;
    if (survives && nan) *bad = true;
    leaving = leaving + f->to[i].thickness; // + 0 changes no bit: the sum is never -0
  }
  return sciara_residual(h, leaving);
}

/** Adds the thickness that flows to neighbour i, m, to a sum of its components to the east and to the north, m. */
SCIARA_HD void sciara_flux_add(int i, real thickness, real *east, real *north) {
  const int x = sciara_moore_col(i), y = -sciara_moore_row(i);
  if (x != 0) *east = *east + (x < 0 ? -thickness : thickness);
  if (y != 0) *north = *north + (y < 0 ? -thickness : thickness);
}

/** The factor, m/s, that makes of such a sum the flux of a step of `t` s, m2/s: neighbours are cells of `w` m away. */
SCIARA_HD real sciara_flux_pace(real w, real t) { return sciara_real_div(w, t); }

/**
 * tau2: the start of the sum for a liquid cell whose lava flowed as `f` in a step of `t` s; `h0`: what sciara_cell_flow
 * left. The momentum is the flux of the step, which is recorded only.
 */
SCIARA_HD struct sciara_inflow sciara_cell_stays(const struct sciara_evaluation *p, const struct sciara_outflows *f,
                                                 real h0, real t, real T) {
  real east = 0, north = 0;
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++)
    sciara_flux_add(i, f->to[i].thickness, &east, &north); // + 0 changes no bit: the sum is never -0
  const real pace = sciara_flux_pace(p->cell_size, t);
  const struct sciara_inflow inflow = {h0, east * pace, north * pace, sciara_heat(h0, T)};
  return inflow;
}

/** tau2: adds the outflow of neighbour i (temperature T_i, K) towards this cell; call for i = 1..8 in order. */
SCIARA_HD void sciara_inflow_add(struct sciara_inflow *inflow, int i, struct sciara_outflow out, real T_i) {
  (void)i;
  const bool flows = out.thickness != 0;
  SCIARA_LEAVE_IF(!flows, );
  const struct sciara_inflow sum = {inflow->h + out.thickness, inflow->px, inflow->py,
                                    inflow->heat + sciara_heat(out.thickness, T_i)};
  if (flows) *inflow = sum;
}

#endif
