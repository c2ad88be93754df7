// SPDX-License-Identifier: Apache-2.0
// What the constants of the rules are derived from, in double precision. Host only.
#ifndef SCIARA_MODEL_RULE_H
#define SCIARA_MODEL_RULE_H

#include <stdbool.h>

#include "base/detmath.h"
#include "base/real.h"
#include "model/params.h"

// The constants that every rule has, computed in double, each rounded once to `real` (docs/model.md, "Floating point"): w, m;
// g, m/s2; t_max, s; r; T_sol, K; K of tau3, see sciara_cooling_constant; the limits of the temperature of liquid lava, with some
// slack, K, see sciara_is_sound.
#define SCIARA_EVERY_RULE real cell_size, gravity, clock_max, relaxation, T_sol, cooling, coldest, hottest;

// Weights of the neighbours in the flux of a sheet, those of the isotropic nine-point scheme: 1..4, 5..8.
#define SCIARA_WEIGHT_AXIS (2.0 / 3)
#define SCIARA_WEIGHT_DIAGONAL (1.0 / 6)

/** delta, or with a reference cell of side w_r: delta (w/w_r)2. m2. Host only. */
static inline double sciara_cooling_parameter(const struct sciara_params *p, double cell_size) {
  if (!(p->cooling_reference > 0)) return p->cooling;
  const double ratio = cell_size / p->cooling_reference;
  return p->cooling * (ratio * ratio);
}

/**
 * The constant of cooling before it is rounded: K = 3 eps sigma delta / (rho c_v w2), for a sheet
 * 3 eps sigma c / (rho c_v). Host only.
 */
static inline double sciara_cooling_constant(const struct sciara_params *p, double cell_size) {
  const double sigma = 5.67e-8; // Stefan-Boltzmann, W/(m2 K4)
  if (sciara_is_sheet(p->rule)) return (((3.0 * p->emissivity) * sigma) * p->radiating) / (p->density * p->c_v);
  return (((3.0 * p->emissivity) * sigma) * sciara_cooling_parameter(p, cell_size)) /
         ((p->density * p->c_v) * (cell_size * cell_size));
}

/** Thickness of the plug of a sheet for a yield strength, Pa, on a slope G, m: no thinner lava moves. Host only. */
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

#endif
