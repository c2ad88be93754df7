// SPDX-License-Identifier: Apache-2.0
// The constants of a rule in its precision, derived once on the host. Passed by value. Sources that use a rule are
// compiled once for each: SCIARA_BINGHAM is defined for rule bingham.
#ifndef SCIARA_MODEL_RULE_H
#define SCIARA_MODEL_RULE_H

#include "base/detmath.h"
#include "base/real.h"
#include "model/params.h"

/** The rule that is compiled here. */
#ifdef SCIARA_BINGHAM
#define SCIARA_RULE_HERE SCIARA_RULE_BINGHAM
#else
#define SCIARA_RULE_HERE SCIARA_RULE_FV3
#endif

// Weights of the neighbours in the flux of rule bingham, those of the isotropic nine-point scheme: 1..4, 5..8.
#define SCIARA_WEIGHT_AXIS (2.0 / 3)
#define SCIARA_WEIGHT_DIAGONAL (1.0 / 6)

/** See docs/model.md, "Floating point": computed in double, each rounded once to `real`. */
struct sciara_rule {
  real cell_size;        ///< w, m
  real gravity;          ///< g, m/s2
  real clock_max;        ///< t_max, s
  real relaxation;       ///< r
  real T_sol;            ///< K
  real cooling;          ///< K of tau3, see sciara_cooling_constant
  real coldest, hottest; ///< limits of the temperature of liquid lava, with some slack, K; see sciara_is_sound
#ifdef SCIARA_BINGHAM
  real inverse_area, twice_area;    ///< 1/w2, 2 w2
  real flux_axis, flux_diagonal;    ///< weights of the neighbours in the flux, by 1/w2
  real levelling;                   ///< 0.05/w
  real friction_limit;              ///< g/C_f, m/s2
  real ln_mobility_sol, mobility_b; ///< M(T) = rho g/(3 eta) = exp(ln_mobility_sol + mobility_b (T - T_sol)), 1/(m s)
  real ln_plug_sol, plug_b;         ///< P(T) = tau_y/(rho g) likewise, m
  bool yields;                      ///< false: P is 0 at every temperature
#else
  real ln_dP_sol, dP_b;                                             ///< dP(T) = exp(ln_dP_sol + dP_b (T - T_sol))
  real ln_hc_sol, hc_b;                                             ///< hc(T) likewise, m
  real gravity_twice;                                               ///< 2 g
  real inverse_gravity_twice, inverse_cell_size, inverse_clock_max; ///< 1/(2 g), 1/w, 1/t_max: for sciara_real_div_by
#endif
};

/** delta, or with a reference cell of side w_r: delta (w/w_r)2. m2. Host only. */
static inline double sciara_cooling_parameter(const struct sciara_params *p, double cell_size) {
  if (!(p->cooling_reference > 0)) return p->cooling;
  const double ratio = cell_size / p->cooling_reference;
  return p->cooling * (ratio * ratio);
}

/**
 * The constant of cooling before it is rounded: K = 3 eps sigma delta / (rho c_v w2), for bingham
 * 3 eps sigma c / (rho c_v). Host only.
 */
static inline double sciara_cooling_constant(const struct sciara_params *p, double cell_size) {
  const double sigma = 5.67e-8; // Stefan-Boltzmann, W/(m2 K4)
  if (p->rule == SCIARA_RULE_BINGHAM) return (((3.0 * p->emissivity) * sigma) * p->radiating) / (p->density * p->c_v);
  return (((3.0 * p->emissivity) * sigma) * sciara_cooling_parameter(p, cell_size)) /
         ((p->density * p->c_v) * (cell_size * cell_size));
}

/** Thickness of the plug of rule bingham for a yield strength, Pa, on a slope G, m: no thinner lava moves. Host only. */
static inline double sciara_plug_thickness(const struct sciara_params *p, double yield_strength, double slope) {
  return yield_strength * sqrt(1 + slope * slope) / (p->density * SCIARA_GRAVITY * slope);
}

/** The factor of both critical heights: 1, or on cells smaller than a reference cell of side w_r, w/w_r. Host only. */
static inline double sciara_critical_height_factor(const struct sciara_params *p, double cell_size) {
  const double reference = p->critical_height_reference;
  return reference > 0 && cell_size < reference ? cell_size / reference : 1;
}

/** The two constants of a log-linear law of the temperature from its values at T_sol and T_vent, both above 0. Host only. */
static inline void sciara_law_make(const struct sciara_params *p, double at_sol, double at_vent, real *ln_sol,
                                   real *b) {
  const double ln = sciara_ln(at_sol);
  *ln_sol = (real)ln;
  *b = (real)((sciara_ln(at_vent) - ln) / (p->T_vent - p->T_sol));
}

/** Derives the constants; `cell_size` is the side of a cell in m. Host only. */
static inline struct sciara_rule sciara_rule_make(const struct sciara_params *p, double cell_size) {
  struct sciara_rule rule;
  rule.cell_size = (real)cell_size;
  rule.gravity = (real)SCIARA_GRAVITY;
  rule.clock_max = (real)p->t_max;
  rule.relaxation = (real)p->relaxation;
  rule.T_sol = (real)p->T_sol;
  rule.cooling = (real)sciara_cooling_constant(p, cell_size);
  rule.coldest = (real)sciara_coldest(p);
  rule.hottest = (real)sciara_hottest(p);
#ifdef SCIARA_BINGHAM
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
#else
  sciara_law_make(p, p->dP_sol, p->dP_vent, &rule.ln_dP_sol, &rule.dP_b);
  const double factor = sciara_critical_height_factor(p, cell_size);
  sciara_law_make(p, p->hc_sol * factor, p->hc_vent * factor, &rule.ln_hc_sol, &rule.hc_b);
  rule.gravity_twice = 2 * rule.gravity;
  rule.inverse_gravity_twice = 1 / rule.gravity_twice;
  rule.inverse_cell_size = 1 / rule.cell_size;
  rule.inverse_clock_max = 1 / rule.clock_max;
#endif
  return rule;
}

#endif
