// SPDX-License-Identifier: Apache-2.0
// The constants of the transition rule in the precision of the rule, derived once on the host. Passed by value.
#ifndef SCIARA_MODEL_RULE_H
#define SCIARA_MODEL_RULE_H

#include "model/detmath.h"
#include "model/params.h"
#include "model/real.h"

/** See docs/model.md, "Floating point": computed in double, each rounded once to `real`. */
struct sciara_rule {
  real cell_size;                                                   ///< w, m
  real gravity;                                                     ///< g, m/s2
  real clock_max;                                                   ///< t_max, s
  real relaxation;                                                  ///< r
  real T_sol;                                                       ///< K
  real ln_dP_sol, dP_b;                                             ///< dP(T) = exp(ln_dP_sol + dP_b (T - T_sol))
  real ln_hc_sol, hc_b;                                             ///< hc(T) likewise, m
  real cooling;                                                     ///< K = 3 eps sigma delta / (rho c_v w2)
  real gravity_twice;                                               ///< 2 g
  real inverse_gravity_twice, inverse_cell_size, inverse_clock_max; ///< 1/(2 g), 1/w, 1/t_max: for sciara_real_div_by
  real coldest, hottest; ///< limits of the temperature of liquid lava, with a margin, K; see sciara_is_sound
};

/** delta, or with a reference cell of side w_r: delta (w/w_r)2. m2. Host only. */
static inline double sciara_cooling_parameter(const struct sciara_params *p, double cell_size) {
  if (!(p->cooling_reference > 0)) return p->cooling;
  const double ratio = cell_size / p->cooling_reference;
  return p->cooling * (ratio * ratio);
}

/** The constant of cooling K = 3 eps sigma delta / (rho c_v w2) before it is rounded. Host only. */
static inline double sciara_cooling_constant(const struct sciara_params *p, double cell_size) {
  const double sigma = 5.67e-8; // Stefan-Boltzmann, W/(m2 K4)
  return (((3.0 * p->emissivity) * sigma) * sciara_cooling_parameter(p, cell_size)) /
         ((p->density * p->c_v) * (cell_size * cell_size));
}

/** Derives the constants; `cell_size` is the side of a cell in m. Host only. */
static inline struct sciara_rule sciara_rule_make(const struct sciara_params *p, double cell_size) {
  double span = p->T_vent - p->T_sol;
  double ln_dP_sol = sciara_ln(p->dP_sol), ln_hc_sol = sciara_ln(p->hc_sol);
  struct sciara_rule rule;
  rule.cell_size = (real)cell_size;
  rule.gravity = (real)SCIARA_GRAVITY;
  rule.clock_max = (real)p->t_max;
  rule.relaxation = (real)p->relaxation;
  rule.T_sol = (real)p->T_sol;
  rule.ln_dP_sol = (real)ln_dP_sol;
  rule.dP_b = (real)((sciara_ln(p->dP_vent) - ln_dP_sol) / span);
  rule.ln_hc_sol = (real)ln_hc_sol;
  rule.hc_b = (real)((sciara_ln(p->hc_vent) - ln_hc_sol) / span);
  rule.cooling = (real)sciara_cooling_constant(p, cell_size);
  rule.gravity_twice = 2 * rule.gravity;
  rule.inverse_gravity_twice = 1 / rule.gravity_twice;
  rule.inverse_cell_size = 1 / rule.cell_size;
  rule.inverse_clock_max = 1 / rule.clock_max;
  rule.coldest = (real)sciara_coldest(p);
  rule.hottest = (real)sciara_hottest(p);
  return rule;
}

#endif
