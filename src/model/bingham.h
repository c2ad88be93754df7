// SPDX-License-Identifier: Apache-2.0
// Rule bingham: lava moves as a sheet of a Bingham fluid, driven by the slope of its surface. Empty in sources of another
// rule.
//
// Source of the flux: steady sheet flow with a plug, as in MAGFLOW (Vicari et al. 2007; Del Negro et al. 2008). The
// slope, the weights of the neighbours and the cap by the minimisation are described in docs/model.md.
#include "model/cell.h" // which includes this header after what it uses

#if defined SCIARA_BINGHAM && !defined SCIARA_MODEL_BINGHAM_H
#define SCIARA_MODEL_BINGHAM_H

/** Height of neighbour i's lava surface above this cell's ground, m. */
SCIARA_HD real sciara_top(int i, real z, real z_i, real h_i) {
  (void)i;
  return (z_i - z) + h_i;
}

SCIARA_HD real sciara_larger(real a, real b) { return a < b ? b : a; }

/** Slope of the surface G from the drops to the neighbours, m: by axes or by diagonals, whichever is steeper. */
SCIARA_HD real sciara_surface_slope(const struct sciara_rule *rule, const real drop[SCIARA_MOORE]) {
  const real w = rule->cell_size, d = rule->diagonal, by_w = rule->inverse_cell_size, by_d = rule->inverse_diagonal;
  const real gx = sciara_real_div_by(sciara_max0(sciara_larger(drop[2], drop[3])), w, by_w);
  const real gy = sciara_real_div_by(sciara_max0(sciara_larger(drop[1], drop[4])), w, by_w);
  const real ga = sciara_real_div_by(sciara_max0(sciara_larger(drop[5], drop[7])), d, by_d);
  const real gb = sciara_real_div_by(sciara_max0(sciara_larger(drop[6], drop[8])), d, by_d);
  return sciara_real_sqrt(sciara_larger(gx * gx + gy * gy, ga * ga + gb * gb));
}

/** Yield strength at temperature T, K; Pa. */
SCIARA_HD real sciara_yield_strength(const struct sciara_rule *rule, real T) {
  return rule->yields ? sciara_log_linear(rule, rule->ln_yield_sol, rule->yield_b, T) : (real)0;
}

/** Viscosity at temperature T, K; Pa s. */
SCIARA_HD real sciara_viscosity(const struct sciara_rule *rule, real T) {
  return sciara_log_linear(rule, rule->ln_viscosity_sol, rule->viscosity_b, T);
}

/** Thickness of the plug of a sheet on the slope G > 0, m; `root` is sqrt(1 + G G). No thinner lava moves. */
SCIARA_HD real sciara_plug(const struct sciara_rule *rule, real yield_strength, real G, real root) {
  return sciara_real_div(yield_strength * root, rule->weight * G);
}

/** Mean speed of a sheet of thickness h > plug on the slope G, m/s: the viscous one, limited by friction. */
SCIARA_HD real sciara_sheet_speed(const struct sciara_rule *rule, real viscosity, real h, real plug, real G,
                                  real root) {
  const real s = sciara_real_div(G, root), m = h - plug;
  const real factor = sciara_real_div(rule->weight, 3 * viscosity);
  const real viscous = sciara_real_div(((factor * s) * (m * m)) * (h + (real)0.5 * plug), h);
  const real limit = sciara_real_sqrt(sciara_real_div((rule->gravity * h) * s, rule->friction));
  const real sum = viscous + limit;
  return sum == 0 ? (real)0 : sciara_real_div(viscous * limit, sum); // of a film whose speeds are below all numbers
}

/** Weight of neighbour i in the flux: those of the isotropic nine-point scheme. */
SCIARA_HD real sciara_flux_weight(int i) { return i < 5 ? (real)(2.0 / 3) : (real)(1.0 / 6); }

/** Thickness that flows to neighbour i per second, m/s, for a mobility M, m2/s. */
SCIARA_HD real sciara_flux_rate(const struct sciara_rule *rule, int i, real mobility, real drop) {
  return sciara_real_div_by((mobility * drop) * sciara_flux_weight(i), rule->cell_area, rule->inverse_cell_area);
}

/** How the sheet of a cell moves. */
struct sciara_sheet {
  real mobility; ///< M, m2/s
  real time;     ///< s: to cross the cell, at most t_max
};

/**
 * tau1.1-3: whether the sheet of a cell with thickness h > 0 at temperature T, K, moves; `drop`: from its surface to those
 * of the neighbours, m.
 *
 * @param sheet set if it moves
 * @param bad   set if a NaN is found
 */
SCIARA_HD bool sciara_sheet_moves(const struct sciara_rule *rule, real h, real T, const real drop[SCIARA_MOORE],
                                  struct sciara_sheet *sheet, bool *bad) {
  const real G = sciara_surface_slope(rule, drop);
  if (G == 0) return false;
  const real root = sciara_real_sqrt(1 + G * G);
  const real plug = sciara_plug(rule, sciara_yield_strength(rule, T), G, root);
  if (h <= plug) return false;
  const real v = sciara_sheet_speed(rule, sciara_viscosity(rule, T), h, plug, G, root);
  if (sciara_is_nan(v)) *bad = true;
  const real t = sciara_real_div(rule->cell_size, v);
  sheet->mobility = sciara_real_div(v * h, G);
  sheet->time = t < rule->clock_max ? t : rule->clock_max;
  return true;
}

/** The result of time evaluation for a liquid cell: its flows, except that they need the new clock. */
struct sciara_evaluation {
  unsigned survivors;       ///< bit i: lava will flow to neighbour i
  real share[SCIARA_MOORE]; ///< phi_i, m: what levels the surfaces; valid for survivors
  real rate[SCIARA_MOORE];  ///< m/s; valid for survivors
  real cell_size, diagonal; ///< distances to the neighbours, m
};

/**
 * tau1, time evaluation of a cell with h > 0.
 *
 * @param z, h, T of the cell; its momentum (px, py) has no effect
 * @param zn, hn  of the neighbours 1..8 (entry 0 unused)
 * @param p       everything that flow computing needs later
 * @param bad     set if a NaN is found
 * @return t_opt, s: the time this cell allows, at most t_max
 */
SCIARA_HD real sciara_cell_evaluate(const struct sciara_rule *rule, real z, real h, real T, real px, real py,
                                    const real zn[SCIARA_MOORE], const real hn[SCIARA_MOORE],
                                    struct sciara_evaluation *p, bool *bad) {
  (void)px, (void)py;
  real top[SCIARA_MOORE], drop[SCIARA_MOORE];
  top[0] = drop[0] = 0;
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    top[i] = sciara_top(i, z, zn[i], hn[i]);
    drop[i] = h - top[i];
  }
  p->survivors = 0;
  p->cell_size = rule->cell_size;
  p->diagonal = rule->diagonal;
  struct sciara_sheet sheet;
  if (!sciara_sheet_moves(rule, h, T, drop, &sheet, bad)) return rule->clock_max;
  // Walls are eliminated by the first round, for their tops are far above the average: no closed rim cell survives.
  real average = 0;
  p->survivors = sciara_minimise((1u << SCIARA_MOORE) - 1, h, top, &average) & ~(unsigned)SCIARA_SELF;
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    p->share[i] = sciara_share(average, top[i]);
    p->rate[i] = sciara_flux_rate(rule, i, sheet.mobility, drop[i]);
  }
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

/** Flux of a step of `t` s to a neighbour at `distance`, m, which takes `thickness` m; m2/s. `inverse`: 1/t. */
SCIARA_HD real sciara_mean_flux(real thickness, real distance, real t, real inverse) {
  return sciara_real_div_by(thickness * distance, t, inverse);
}

/** Adds a flux to neighbour i, m2/s, to a momentum. */
SCIARA_HD void sciara_flux_add(int i, real flux, real *px, real *py) {
  *px = *px + flux * sciara_unit_x(i);
  *py = *py + flux * sciara_unit_y(i);
}

/** Adds to a momentum the flux of a step of `t` s to neighbour i, which takes `thickness` m. `inverse`: 1/t. */
SCIARA_HD void sciara_flux_record(int i, real thickness, real distance, real t, real inverse, real *px, real *py) {
  sciara_flux_add(i, sciara_mean_flux(thickness, distance, t, inverse), px, py);
}

/**
 * tau2: the start of the sum for a liquid cell whose lava flowed as `f` in a step of `t` s; `h0`: what sciara_cell_flow
 * left. The momentum is the flux of the step, which is recorded only.
 */
SCIARA_HD struct sciara_inflow sciara_cell_stays(const struct sciara_evaluation *p, const struct sciara_outflows *f,
                                                 real h0, real t, real T) {
  const real inverse = sciara_real_div(1, t);
  struct sciara_inflow inflow = {h0, 0, 0, h0 * T};
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    SCIARA_SKIP_IF(!(p->survivors >> i & 1u)); // + 0 changes no bit: the sum is never -0
    const real distance = i < 5 ? p->cell_size : p->diagonal;
    sciara_flux_record(i, f->to[i].thickness, distance, t, inverse, &inflow.px, &inflow.py);
  }
  return inflow;
}

/** tau2: adds the outflow of neighbour i (temperature T_i, K) towards this cell; call for i = 1..8 in order. */
SCIARA_HD void sciara_inflow_add(struct sciara_inflow *inflow, int i, struct sciara_outflow out, real T_i) {
  (void)i;
  const bool flows = out.thickness != 0;
  SCIARA_LEAVE_IF(!flows, );
  const struct sciara_inflow sum = {inflow->h + out.thickness, inflow->px, inflow->py,
                                    inflow->heat + out.thickness * T_i};
  if (flows) *inflow = sum;
}

#endif
