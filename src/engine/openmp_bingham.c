// SPDX-License-Identifier: Apache-2.0
// Time evaluation and flow computing of engine `openmp` for rule bingham, in loops that a compiler turns into vector
// instructions: openmp_gang.h. Empty in sources of another rule.
//
// A cell that is not thicker than its plug, or whose surface is level, is quiescent: as long as no thickness and no
// ground around it changes, its slope is the same in every bit, and while its lava cools its plug does not become
// thinner, if the yield strength does not decrease. The statement holds for any rounding, with some slack for that of the
// exponential function.
#include <string.h>

#include "engine/openmp_gang.h"

#if SCIARA_SHEET

/** Relative slack for the rounding of the plug, much more than it needs. */
#define PLUG_SLACK ((real)(sizeof(real) == sizeof(double) ? 0x1p-36 : 0x1p-12))

/**
 * Loads what is around cells that stand side by side in the map, from padded index i on, into a gang from lane k on, and finds
 * the slopes; `lanes`: lanes_of_run of their number.
 */
static inline void load_run(const struct sciara_part *p, int64_t i, int k, int lanes, struct gang *restrict b) {
  const real *restrict z = p->f.z + i, *restrict around = p->f.h + i;
  const int64_t stride = p->f.stride;
  LANES
  for (int l = 0; l < lanes; l++) {
    real drop[SCIARA_MOORE];
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int64_t offset = sciara_moore_offset(n, stride);
      const real rise = z[offset + l] - z[l], lava = around[offset + l];
      drop[n] = sciara_drop(b->h[k + l], rise, lava);
      b->rise[n][k + l] = rise;
      b->around[n][k + l] = lava;
      b->drop[n][k + l] = drop[n];
    }
    b->G2[k + l] = sciara_slope_squared(&p->rule, drop);
  }
}

/** Loads `count` cells from entry `begin` on into a gang, and finds the slopes. */
PIECE void load_gang(const struct sciara_part *p, int64_t begin, int count, struct gang *restrict b) {
  b->count = count;
  b->lanes = lanes_of(count);
  memcpy(b->h, p->h + begin, (size_t)count * sizeof(real));
  memcpy(b->T, p->T + begin, (size_t)count * sizeof(real));
  for (int k = count; k < b->lanes; k++) {
    b->h[k] = b->h[count - 1];
    b->T[k] = b->T[count - 1];
  }
  const int64_t *cell = p->cell + begin;
  for (int k = 0, run; k < count; k += run) { // what a vector loads too much, the next one replaces
    run = run_of(cell + k, count - k);
    load_run(p, cell[k], k, lanes_of_run(run), b);
  }
}

/** A log-linear law of the temperatures of a gang. */
PIECE void find_law(const struct sciara_rule *rule, const struct gang *restrict gang, real ln_sol, real b,
                    real *restrict value) {
  sciara_lane odd = 0;
  LANES
  for (int k = 0; k < gang->lanes; k++) {
    const real exponent = sciara_log_of_law(rule, ln_sol, b, gang->T[k]);
    odd |= is_normal_exp(exponent) ? 0 : 1;
    value[k] = exp_normal(exponent);
  }
  for (int k = 0; odd && k < gang->lanes; k++) value[k] = sciara_log_linear(rule, ln_sol, b, gang->T[k]);
}

/** Plugs and, of the cells that flow, sheets. `time`: what each cell allows, s. `P`, `mobility`: laws. */
PIECE void find_sheets(const struct sciara_rule *rule, struct gang *restrict b, const real *restrict P,
                       const real *restrict mobility, real *restrict time) {
  const real factor = rule->plug_b <= 0 ? 1 - PLUG_SLACK : 0; // 0: the plug may become thinner
  LANES
  for (int k = 0; k < b->lanes; k++) {
    const real h = b->h[k], G2 = b->G2[k];
    const struct sciara_incline incline = sciara_incline_of(G2);
    const real plug = P[k] * incline.thickness_of_plug;
    struct sciara_sheet sheet;
    const bool moves = sciara_sheet_make(rule, incline, h, mobility[k], plug, &sheet);
    const bool flows = (G2 != 0) & !(h <= plug) & moves;
    b->plug[k] = plug;
    b->conductance[k] = sheet.conductance;
    b->flows[k] = flows ? 1 : 0;
    b->quiescent[k] = ((G2 == 0) | (h < plug * factor)) ? 1 : 0;
    time[k] = flows ? sheet.time : rule->clock_max;
  }
}

/** The rates to neighbour i, which is a constant for the compiler, and to the opposite one. */
static inline __attribute__((always_inline)) void find_two_rates(const struct sciara_rule *rule, int i,
                                                                 struct gang *restrict b) {
  const int o = sciara_moore_reverse(i);
  LANES
  for (int k = 0; k < b->lanes; k++) {
    const struct sciara_sheet sheet = {b->plug[k], b->conductance[k], 0};
    const real h = b->h[k], half_slope = sciara_half_slope(h, b->around[i][k], b->around[o][k]);
    const real sill =
        sciara_sill(i, b->rise[i][k], b->rise[sciara_beside_in_column(i)][k], b->rise[sciara_beside_in_row(i)][k]);
    const real opposite =
        sciara_sill(o, b->rise[o][k], b->rise[sciara_beside_in_column(o)][k], b->rise[sciara_beside_in_row(o)][k]);
    b->rate[i][k] = sciara_sheet_rate(rule, &sheet, i, h, half_slope, sill, b->drop[i][k]);
    b->rate[o][k] = sciara_sheet_rate(rule, &sheet, o, h, -half_slope, opposite, b->drop[o][k]);
  }
}

PIECE void find_rates(const struct sciara_rule *rule, struct gang *restrict b) {
  find_two_rates(rule, 1, b);
  find_two_rates(rule, 2, b);
  find_two_rates(rule, 5, b);
  find_two_rates(rule, 6, b);
}

/** Notes how much cell k, a lane of a gang, gives at most, m; sum: S, m/s. */
static void limit(struct sciara_part *p, int64_t k, const struct gang *b, int lane, real sum) {
  struct sciara_limited *to = &p->limited[p->limited_count++];
  const real drain = sciara_drain(b->h[lane], sum);
  if (!sciara_is_finite(sum)) sciara_part_report(p, p->cell[k]); // such a sum is not certain to be small
  to->cell = p->cell[k];
  for (int i = 1; i < SCIARA_MOORE; i++)
    to->share[i] = sciara_flux_most(sciara_flux_level(i, b->drop[i][lane]), drain, b->rate[i][lane]);
}

/** Lists the dry neighbours to which cell k of a gang gives. */
static void list_reached(struct sciara_part *p, int64_t i, const struct gang *b, int lane) {
  for (int n = 1; n < SCIARA_MOORE; n++)
    if (b->rate[n][lane] > 0 && b->around[n][lane] == 0)
      p->reached.cell[p->reached.count++] = i + sciara_moore_offset(n, p->f.stride);
}

/**
 * Where the cells of a gang give lava: to no neighbour if they do not flow. As the clock is at most that of the least time
 * found so far, nearly all flows are surely rate t; the other cells are limited.
 */
PIECE void find_flows(struct sciara_part *p, int64_t begin, struct gang *restrict b) {
  const real most = sciara_clock(&p->rule, p->t_opt);
  real limited[GANG], reaches[GANG], sums[GANG]; // > 0: of a cell that is limited, that gives to a dry cell
  sciara_lane odd = 0;
  LANES
  for (int k = 0; k < b->lanes; k++) {
    const bool flows = b->flows[k] != 0;
    real rate[SCIARA_MOORE], over = 0, reach = 0;
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) {
      rate[i] = b->rate[i][k];
      const real gives = (flows & (rate[i] > 0)) ? rate[i] : 0;
      over = gives * most <= sciara_max0(sciara_flux_level(i, b->drop[i][k])) ? over : 1;
      reach = b->around[i][k] == 0 ? reach + gives : reach;
      b->rate[i][k] = gives;
    }
    const real sum =
        sciara_rates_sum(rate); // the time h/sum is longer than the clock if this is certain of their product
    over = most * sum + REAL_LEAST <= b->h[k] * (1 - PLUG_SLACK) ? over : 1;
    over = flows ? over : 0;
    limited[k] = over;
    reaches[k] = reach;
    sums[k] = sum;
    odd |= over + reach != 0 ? 1 : 0;
  }
  if (!odd) return;
  p->exhausted |= !sciara_limited_reserve(p, GANG) || !sciara_cell_list_reserve(&p->reached, SCIARA_MOORE * GANG);
  for (int k = 0; k < b->count && !p->exhausted; k++) {
    if (limited[k] > 0) limit(p, begin + k, b, k, sums[k]);
    if (reaches[k] > 0) list_reached(p, p->cell[begin + k], b, k);
  }
}

/** Copies `count` numbers, at least `width`, which is a constant for the compiler: the last vector may overlap another one. */
static inline __attribute__((always_inline)) void store_by(int width, real *restrict to, const real *restrict from,
                                                           int count) {
  for (int k = 0; k < count; k += width) {
    const int at = k + width <= count ? k : count - width;
    memcpy(to + at, from + at, (size_t)width * sizeof(real));
  }
}

static inline __attribute__((always_inline)) void store_all_by(int width, const struct sciara_given *g, int64_t i,
                                                               const struct gang *restrict b, int k, int count) {
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) store_by(width, g->rate[n] + i, b->rate[n] + k, count);
  store_by(width, g->T + i, b->T + k, count);
}

/** Stores what the cells of a gang give for those that receive it. */
PIECE void store_flows(struct sciara_part *p, int64_t begin, const struct gang *restrict b) {
  const struct sciara_given *g = &p->given;
  const int64_t *cell = p->cell + begin;
  for (int k = 0, run; k < b->count; k += run) {
    run = run_of(cell + k, b->count - k);
    if (run >= CHUNK)
      store_all_by(CHUNK, g, cell[k], b, k, run);
    else if (run >= CHUNK / 4)
      store_all_by(CHUNK / 4, g, cell[k], b, k, run);
    else
      store_all_by(1, g, cell[k], b, k, run);
  }
}

/** The least of the times of a gang. */
PIECE void find_least(struct sciara_part *p, const struct gang *restrict b, real *restrict time) {
  real least[CHUNK];
  for (int l = 0; l < CHUNK; l++) least[l] = p->rule.clock_max;
  for (int k = b->count; k < b->lanes; k++) time[k] = p->rule.clock_max;
  for (int k = 0; k < b->lanes; k += CHUNK)
    for (int l = 0; l < CHUNK; l++) least[l] = time[k + l] < least[l] ? time[k + l] : least[l];
  for (int l = 0; l < CHUNK; l++)
    if (least[l] < p->t_opt) p->t_opt = least[l];
}

/** Notes which cells of a gang are quiescent. */
PIECE void note_quiescent(struct sciara_part *p, int64_t begin, const struct gang *restrict b) {
  real *restrict from = p->from + begin;
  LANES
  for (int k = 0; k < b->count; k++) from[k] = b->quiescent[k] ? b->T[k] : 0;
}

static void evaluate_gang(struct sciara_part *p, int64_t begin, int count, struct gang *b) {
  const struct sciara_rule *rule = &p->rule;
  real time[GANG], mobility[GANG], P[GANG] = {0};
  load_gang(p, begin, count, b);
  find_law(rule, b, rule->ln_mobility_sol, rule->mobility_b, mobility);
  if (rule->yields) find_law(rule, b, rule->ln_plug_sol, rule->plug_b, P);
  find_sheets(rule, b, P, mobility, time);
  find_least(p, b, time);
  find_rates(rule, b);
  find_flows(p, begin, b);
  store_flows(p, begin, b);
  note_quiescent(p, begin, b);
}

/** Whether all of `count` cells from entry `begin` on are quiescent: they give nothing, as when they were evaluated. */
static bool is_quiet(const struct sciara_part *p, int64_t begin, int64_t count) {
  for (int64_t k = begin; k < begin + count; k++)
    if (!(p->from[k] > 0)) return false;
  for (int64_t k = begin; k < begin + count; k++)
    if (!(p->T[k] <= p->from[k] && is_calm(p, p->cell[k]))) return false;
  return true;
}

void sciara_part_evaluate(struct sciara_part *p) {
  struct gang b;
  int64_t begin = 0; // of the cells that are evaluated together
  p->t_opt = p->rule.clock_max;
  p->limited_count = p->reached.count = 0;
  if (p->checks) report_unsound(p);
  for (int64_t k = 0, next; k < p->count && !p->exhausted; k = next) {
    next = k + CHUNK < p->count ? k + CHUNK : p->count;
    const bool quiet = is_quiet(p, k, next - k);
    const int64_t end = quiet ? k : next;
    if (end > begin && (quiet || next == p->count || end - begin == GANG)) {
      evaluate_gang(p, begin, (int)(end - begin), &b);
      begin = end;
    }
    if (quiet) begin = next;
  }
}

// ----------------------------------------------------------------------------------------------------- flow computing

/** The flows that are less than rate t. */
void sciara_part_flow(struct sciara_part *p) {
  for (int64_t k = 0; k < p->limited_count; k++) {
    const struct sciara_limited *from = &p->limited[k];
    for (int i = 1; i < SCIARA_MOORE; i++) {
      real *rate = &p->given.rate[i][from->cell];
      bool bad = false;
      const real out = *rate > 0 ? sciara_flux(*rate, from->share[i], p->t, &bad) : 0;
      if (bad) sciara_part_report(p, from->cell);
      if (out != *rate * p->t) *rate = -out;
    }
  }
}

#endif
