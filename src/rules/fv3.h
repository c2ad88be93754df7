// SPDX-License-Identifier: Apache-2.0
// Rule fv3: how lava moves in SCIARA-fv3.
#ifndef SCIARA_RULES_FV3_H
#define SCIARA_RULES_FV3_H

#include "model/rule.h"

#define SCIARA_RULE_HERE SCIARA_RULE_FV3
#define SCIARA_SHEET 0
#define SCIARA_HEAT_FROM ((real)0)

/** The constants, derived once on the host. Passed by value. */
struct sciara_rule {
  SCIARA_EVERY_RULE
  real ln_dP_sol, dP_b;                                             ///< dP(T) = exp(ln_dP_sol + dP_b (T - T_sol))
  real ln_hc_sol, hc_b;                                             ///< hc(T) likewise, m
  real gravity_twice;                                               ///< 2 g
  real inverse_gravity_twice, inverse_cell_size, inverse_clock_max; ///< 1/(2 g), 1/w, 1/t_max: for sciara_real_div_by
};

#include "model/lava.h"

/** Derives the constants; `cell_size` is the side of a cell in m. Host only. */
static inline struct sciara_rule sciara_rule_make(const struct sciara_params *p, double cell_size) {
  struct sciara_rule rule;
  sciara_rule_begin(p, cell_size, &rule);
  sciara_law_make(p, p->dP_sol, p->dP_vent, &rule.ln_dP_sol, &rule.dP_b);
  const double factor = sciara_critical_height_factor(p, cell_size);
  sciara_law_make(p, p->hc_sol * factor, p->hc_vent * factor, &rule.ln_hc_sol, &rule.hc_b);
  rule.gravity_twice = 2 * rule.gravity;
  rule.inverse_gravity_twice = 1 / rule.gravity_twice;
  rule.inverse_cell_size = 1 / rule.cell_size;
  rule.inverse_clock_max = 1 / rule.clock_max;
  return rule;
}

// ------------------------------------------------------------------------------------------ ordered minimisation

/** Sum of h and the tops of the cells in `set`, in index order, divided by the number of these cells (top[0] is 0). */
SCIARA_HD real sciara_average(unsigned set, real h, const real top[SCIARA_MOORE]) {
  real sum = h;
  int n = 0;
  SCIARA_UNROLL
  for (int i = 0; i < SCIARA_MOORE; i++) n += set >> i & 1u ? 1 : 0;
  const real inverse = sciara_real_div(1, (real)n); // does not wait for the sum
  SCIARA_UNROLL
  for (int i = 0; i < SCIARA_MOORE; i++)
    if (set >> i & 1u) sum = sum + top[i];
  return sciara_real_div_by(sum, (real)n, inverse);
}

/** One round of sciara_minimise: returns what remains of `set`, which is `set` itself when the minimisation is done. */
SCIARA_HD unsigned sciara_minimise_once(unsigned set, real h, const real top[SCIARA_MOORE], real *average) {
  const real mean = sciara_average(set, h, top);
  unsigned out = 0;
  SCIARA_UNROLL
  for (int i = 0; i < SCIARA_MOORE; i++) out |= top[i] >= mean ? 1u << i : 0u;
  *average = mean;
  return set & ~out;
}

/**
 * tau1.6: minimisation of the differences. `set`: bit 0: the cell itself; bit i: neighbour i, if it is not eliminated.
 * Each round removes all cells whose top is not below the average, until a round removes none.
 *
 * @param average set to the last average if a cell survives
 * @return the survivors
 */
SCIARA_HD unsigned sciara_minimise(unsigned set, real h, const real top[SCIARA_MOORE], real *average) {
  while (set) {
    const unsigned left = sciara_minimise_once(set, h, top, average);
    if (left == set) break;
    set = left;
  }
  return set;
}

/** phi_i, m: how far a survivor lies below the average. */
SCIARA_HD real sciara_share(real average, real top) { return average - top; }

// ------------------------------------------------------------------------------------------------------- one direction

/** East component of the unit vector towards neighbour i. */
SCIARA_HD real sciara_unit_x(int i) { return (real)sciara_moore_col(i) * (i < 5 ? (real)1 : SCIARA_SQRT1_2); }

/** North component of the unit vector towards neighbour i. */
SCIARA_HD real sciara_unit_y(int i) { return (real)-sciara_moore_row(i) * (i < 5 ? (real)1 : SCIARA_SQRT1_2); }

/** A component of the velocity, m/s, of lava of thickness h > 0 with this component of the momentum. */
SCIARA_HD real sciara_velocity(real momentum, real h) { return sciara_real_div(momentum, h); }

/**
 * tau1.1: the part of the velocity (vx, vy), m/s, that points to neighbour i. The velocity is split into two parts
 * along the two directions that enclose it, so at most two of the eight parts are not 0. All are >= 0.
 */
SCIARA_HD real sciara_initial_speed(int i, real vx, real vy) {
  const bool east = vx >= 0, north = vy >= 0;
  const real ax = vx < 0 ? -vx : vx, ay = vy < 0 ? -vy : vy;
  const bool along_x = ax >= ay;
  const real larger = along_x ? ax : ay, smaller = along_x ? ay : ax;
  const int x = sciara_moore_col(i), y = -sciara_moore_row(i); // position of neighbour i: east, north
  const bool mine = (x == 0 || (x > 0) == east) && (y == 0 || (y > 0) == north) && (i >= 5 || (x != 0) == along_x);
  SCIARA_LEAVE_IF(!mine, 0);
  const real speed = i < 5 ? larger - smaller : SCIARA_SQRT2 * smaller;
  return mine ? speed : (real)0;
}

/** tau1.1: both parts of the velocity at once, with their directions. sciara_initial_speed is 0 in all others. */
struct sciara_start {
  int axis, diagonal;                    ///< neighbours that the parts point to: 1..4, 5..8
  real speed_on_axis, speed_on_diagonal; ///< m/s
};

SCIARA_HD struct sciara_start sciara_start_of(real vx, real vy) {
  const real ax = vx < 0 ? -vx : vx, ay = vy < 0 ? -vy : vy;
  const bool along_x = ax >= ay;
  const int x = vx >= 0 ? 3 : 2, y = vy >= 0 ? 1 : 4; // E or W, N or S
  const int north = vx >= 0 ? 8 : 5, south = vx >= 0 ? 7 : 6;
  const real larger = along_x ? ax : ay, smaller = along_x ? ay : ax;
  const struct sciara_start start = {along_x ? x : y, vy >= 0 ? north : south, larger - smaller,
                                     SCIARA_SQRT2 * smaller};
  return start;
}

/** tau1.2: height of neighbour i's lava surface above this cell's ground, m. */
SCIARA_HD real sciara_top(int i, real z, real z_i, real h_i) {
  const real rise = z_i - z;
  return (i < 5 ? rise : SCIARA_SQRT1_2 * rise) + h_i;
}

/** The slope from a cell to one neighbour. */
struct sciara_slope {
  real v0;    ///< initial speed, m/s
  real accel; ///< a_i, m/s2
  real path;  ///< w_i, m
};

/** Kinetic head hk of an initial speed, m. */
SCIARA_HD real sciara_head(const struct sciara_rule *rule, real v0) {
  return sciara_real_div_by(v0 * v0, rule->gravity_twice, rule->inverse_gravity_twice);
}

/** tau1.3: whether lava cannot climb to a neighbour at any critical height. */
SCIARA_HD bool sciara_is_blocked(real h, real top, real head) { return head + h <= top; } // he = 0 <= hc cos(theta)

/**
 * tau1.3-5: effective and apparent height, slope, path and acceleration towards a neighbour.
 *
 * @param h    liquid thickness of the cell, m
 * @param hc   critical height, m
 * @param top  sciara_top of the neighbour, m
 * @param head sciara_head of s->v0, m
 * @param s    accel and path are set if the result is true
 * @return whether lava may flow there (false: the neighbour is eliminated)
 */
SCIARA_HD bool sciara_slope_open_with(const struct sciara_rule *rule, real h, real hc, real top, real head,
                                      struct sciara_slope *s) {
  const real reach = head + h;
  const bool blocked = sciara_is_blocked(h, top, head);
  SCIARA_LEAVE_IF(blocked, false);
  real effective = h, apparent = 0;
  if (!(top <= head)) {
    effective = reach - top;
    apparent = h - effective;
  }
  const real q = sciara_real_div_by((apparent + (real)0.5 * effective) - top, rule->cell_size, rule->inverse_cell_size);
  const real root = sciara_real_sqrt(1 + q * q);
  const real cosine = sciara_real_div(1, root);
  const real sine = q * cosine;
  s->path = rule->cell_size * root;
  s->accel = rule->gravity * sine;
  return !blocked && !(effective <= hc * cosine);
}

/** sciara_slope_open_with, with the head of s->v0. */
SCIARA_HD bool sciara_slope_open(const struct sciara_rule *rule, real h, real hc, real top, struct sciara_slope *s) {
  return sciara_slope_open_with(rule, h, hc, top, sciara_head(rule, s->v0), s);
}

/**
 * tau1.7: time to reach neighbour i, at most t_max, s.
 *
 * @param keep k = 1 - dP(T)
 * @param bad  set if a NaN is found
 */
SCIARA_HD real sciara_slope_time(const struct sciara_rule *rule, const struct sciara_slope *s, real keep, bool *bad) {
  const real t = rule->clock_max;
  const real vf = (s->v0 + s->accel * t) * keep;
  const real mean = sciara_real_div_by(vf - s->v0, t, rule->inverse_clock_max);
  const real distance = s->v0 * t + (((real)0.5 * mean) * t) * t;
  if (sciara_is_nan(distance)) *bad = true;
  const bool arrives = distance > s->path;
  SCIARA_LEAVE_IF(!arrives, t);
  const real radicand = s->v0 * s->v0 + (2 * mean) * s->path;
  if (arrives && sciara_is_nan(radicand)) *bad = true;
  const real arrival = sciara_real_div(2 * s->path, s->v0 + sciara_real_sqrt(sciara_max0(radicand)));
  return arrives ? arrival : t;
}

/** tau1, flow computing: the outflow to one neighbour. */
struct sciara_outflow {
  real thickness; ///< out_i, m
  real speed;     ///< vf_i, m/s
};

/** tau1, flow computing: the outflow with the new clock `t`, s; `share` is phi_i, m. */
SCIARA_HD struct sciara_outflow sciara_slope_flow(const struct sciara_slope *s, real share, real keep, real t,
                                                  bool *bad) {
  struct sciara_outflow f;
  f.speed = (s->v0 + s->accel * t) * keep;
  const real distance = s->v0 * t + ((real)0.5 * (f.speed - s->v0)) * t;
  if (sciara_is_nan(distance)) *bad = true;
  const real part = sciara_real_div(distance, s->path);
  f.thickness = share * (part < 0 ? (real)0 : part > 1 ? (real)1 : part);
  return f;
}

// ------------------------------------------------------------------------------------------------------------ one cell

/** Velocity dissipation factor at temperature T, K. */
SCIARA_HD real sciara_dissipation(const struct sciara_rule *rule, real T) {
  return sciara_log_linear(rule, rule->ln_dP_sol, rule->dP_b, T);
}

/** Critical height, m, at temperature T, K. */
SCIARA_HD real sciara_critical_height(const struct sciara_rule *rule, real T) {
  return sciara_log_linear(rule, rule->ln_hc_sol, rule->hc_b, T);
}

/** The result of time evaluation for a liquid cell: its flows, except that they need the new clock. */
struct sciara_evaluation {
  unsigned survivors;                      ///< bit i: lava will flow to neighbour i
  real keep;                               ///< k = 1 - dP(T)
  real vx, vy;                             ///< m/s
  real share[SCIARA_MOORE];                ///< phi_i, m; valid for survivors
  struct sciara_slope slope[SCIARA_MOORE]; ///< valid for survivors
};

/**
 * tau1, time evaluation of a cell with h > 0.
 *
 * @param z, h, T, px, py of the cell
 * @param zn, hn          of the neighbours 1..8 (entry 0 unused)
 * @param p               everything that flow computing needs later
 * @param bad             set if a NaN is found
 * @return t_opt, s: the time this cell allows, at most t_max
 */
SCIARA_HD real sciara_cell_evaluate(const struct sciara_rule *rule, real z, real h, real T, real px, real py,
                                    const real zn[SCIARA_MOORE], const real hn[SCIARA_MOORE],
                                    struct sciara_evaluation *p, bool *bad) {
  const real hc = sciara_critical_height(rule, T);
  p->keep = 1 - sciara_dissipation(rule, T);
  p->vx = sciara_velocity(px, h);
  p->vy = sciara_velocity(py, h);
  real top[SCIARA_MOORE];
  unsigned set = SCIARA_SELF;
  top[0] = 0;
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    top[i] = sciara_top(i, z, zn[i], hn[i]);
    p->slope[i].v0 = sciara_initial_speed(i, p->vx, p->vy);
    if (sciara_slope_open(rule, h, hc, top[i], &p->slope[i])) set |= 1u << i;
  }
  real average = 0;
  p->survivors = sciara_minimise(set, h, top, &average) & ~(unsigned)SCIARA_SELF;
  real t_opt = rule->clock_max;
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    const bool survives = p->survivors >> i & 1u;
    SCIARA_SKIP_IF(!survives);
    bool nan = false;
    p->share[i] = sciara_share(average, top[i]);
    const real t = sciara_slope_time(rule, &p->slope[i], p->keep, &nan);
    if (survives && nan) *bad = true;
    if (survives && t < t_opt) t_opt = t;
  }
  return t_opt;
}

/** The outflows of a cell in this step. Entry 0 is unused; those to neighbours that receive nothing are 0. */
struct sciara_outflows {
  struct sciara_outflow to[SCIARA_MOORE];
};

/** tau1, flow computing of a liquid cell with the new clock `t`, s. Returns the residual h0 >= 0, m. */
SCIARA_HD real sciara_cell_flow(const struct sciara_evaluation *p, real h, real t, struct sciara_outflows *f,
                                bool *bad) {
  real leaving = 0;
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) {
    const bool survives = p->survivors >> i & 1u;
    f->to[i].thickness = f->to[i].speed = 0;
    SCIARA_SKIP_IF(!survives);
    bool nan = false;
    const struct sciara_outflow out = sciara_slope_flow(&p->slope[i], p->share[i], p->keep, t, &nan);
    if (survives && nan) *bad = true;
    if (survives) f->to[i] = out;
    leaving = leaving + f->to[i].thickness; // + 0 changes no bit: the sum is never -0
  }
  return sciara_residual(h, leaving);
}

// --------------------------------------------------------------------------------------------------- mass and momentum

/** tau2: the start of the sum, the residual h0 of the cell. It keeps the velocity times k. All 0 for a dry cell. */
SCIARA_HD struct sciara_inflow sciara_inflow_residual(real h0, real vx, real vy, real keep, real T) {
  const struct sciara_inflow inflow = {h0, (h0 * vx) * keep, (h0 * vy) * keep, h0 * T};
  return inflow;
}

/** tau2: adds the outflow of neighbour i (temperature T_i, K) towards this cell; call for i = 1..8 in order. */
SCIARA_HD void sciara_inflow_add(struct sciara_inflow *inflow, int i, struct sciara_outflow out, real T_i) {
  const bool flows = out.thickness != 0;
  SCIARA_LEAVE_IF(!flows, );
  const int heading = sciara_moore_reverse(i); // from the donor to this cell
  const real momentum = out.thickness * out.speed;
  const struct sciara_inflow sum = {inflow->h + out.thickness, inflow->px + momentum * sciara_unit_x(heading),
                                    inflow->py + momentum * sciara_unit_y(heading), inflow->heat + out.thickness * T_i};
  if (flows) *inflow = sum;
}

/** tau2: the start of the sum for a liquid cell whose lava flowed as `f` in a step of `t` s; `h0`: what sciara_cell_flow left. */
SCIARA_HD struct sciara_inflow sciara_cell_stays(const struct sciara_evaluation *p, const struct sciara_outflows *f,
                                                 real h0, real t, real T) {
  (void)f, (void)t;
  return sciara_inflow_residual(h0, p->vx, p->vy, p->keep, T);
}

#endif
