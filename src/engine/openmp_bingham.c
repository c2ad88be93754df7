// SPDX-License-Identifier: Apache-2.0
// Time evaluation and flow computing of engine `openmp` for rule bingham, in loops that a compiler turns into vector
// instructions: openmp_gang.h. Empty in sources of another rule.
//
// A cell that is not thicker than its plug, or whose surface is level, is quiescent: as long as no thickness and no
// ground around it changes, its slope is the same in every bit, and while its lava cools its plug does not become
// thinner, if the yield strength does not decrease. The statement holds for any rounding, with some slack for that of the
// exponential function.
#include "engine/openmp_gang.h"

#if SCIARA_SHEET
#include "engine/openmp_evaluate.def"

/** Relative slack for the rounding of the plug, much more than it needs. */
#define PLUG_SLACK ((real)(sizeof(real) == sizeof(double) ? 0x1p-36 : 0x1p-12))

PIECE int list_evaluated(struct sciara_part *p, int64_t begin, int count, uint32_t *restrict list) {
  int pending = 0;
  for (int64_t k = begin; k < begin + count; k++) {
    const bool quiescent = p->from[k] > 0 && p->T[k] <= p->from[k] && is_calm(p, p->cell[k]);
    if (!quiescent && p->from[k] > 0) p->from[k] = 0; // seldom: an unconditional store would cause memory traffic
    list[pending] = (uint32_t)k;
    pending += !quiescent;
  }
  return pending;
}

static inline void begin_block(struct sciara_part *p, int64_t begin, int count) { (void)p, (void)begin, (void)count; }

static inline void edges_made(struct sciara_part *p, struct sciara_edges *g) { (void)p, (void)g; }

/** Loads `count` cells, whose entries are in `entry`, into a gang, filled up to whole vectors with the last cell. */
PIECE void load_gang(const struct sciara_part *p, const uint32_t *entry, int count, struct gang *restrict b) {
  b->count = count;
  b->lanes = (count + CHUNK - 1) / CHUNK * CHUNK;
  for (int k = 0; k < b->lanes; k++) {
    const uint32_t from = entry[k < count ? k : count - 1];
    b->entry[k] = from;
    b->cell[k] = p->cell[from];
    b->h[k] = p->h[from];
    b->T[k] = p->T[from];
    b->z[k] = p->f.z[b->cell[k]];
  }
}

/** The ground and the lava of neighbour i, which is a constant for the compiler. */
static inline __attribute__((always_inline)) void load_neighbour(const struct sciara_fields *f, int i,
                                                                 struct gang *restrict b) {
  const int64_t offset = sciara_moore_offset(i, f->stride);
  for (int k = 0; k < b->lanes; k++) {
    b->rise[i][k] = f->z[b->cell[k] + offset] - b->z[k];
    b->around[i][k] = f->h[b->cell[k] + offset];
  }
}

PIECE void load_neighbours(const struct sciara_fields *f, struct gang *b) {
  load_neighbour(f, 1, b);
  load_neighbour(f, 2, b);
  load_neighbour(f, 3, b);
  load_neighbour(f, 4, b);
  load_neighbour(f, 5, b);
  load_neighbour(f, 6, b);
  load_neighbour(f, 7, b);
  load_neighbour(f, 8, b);
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

/** Slopes, plugs and, of the cells that flow, sheets. `time`: what each cell allows, s. `P`, `mobility`: laws. */
PIECE void find_sheets(const struct sciara_rule *rule, struct gang *restrict b, const real *restrict P,
                       const real *restrict mobility, real *restrict time) {
  const real factor = rule->plug_b <= 0 ? 1 - PLUG_SLACK : 0; // 0: the plug may become thinner
  LANES
  for (int k = 0; k < b->lanes; k++) {
    real drop[SCIARA_MOORE];
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) {
      drop[i] = sciara_drop(b->h[k], b->rise[i][k], b->around[i][k]);
      b->drop[i][k] = drop[i];
    }
    const real h = b->h[k], G2 = sciara_slope_squared(rule, drop);
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

/** Where the cells of a gang give lava, and how much at most: to no neighbour if they do not flow. */
PIECE void find_shares(struct sciara_part *p, struct gang *restrict b, struct sciara_given *restrict given) {
  sciara_lane bad[GANG], odd = 0;
  LANES
  for (int k = 0; k < b->lanes; k++) {
    real rate[SCIARA_MOORE];
    const bool flows = b->flows[k] != 0;
    sciara_lane set = 0;
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) rate[i] = b->rate[i][k];
    const real sum = sciara_rates_sum(rate), drain = sciara_drain(b->h[k], sum);
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) {
      const bool gives = flows & (rate[i] > 0);
      const real most = sciara_flux_most(sciara_flux_level(i, b->drop[i][k]), drain, rate[i]);
      set |= gives ? (sciara_lane)1 << i : 0;
      given->rate[i][k] = gives ? rate[i] : 0;
      given->share[i][k] = gives ? most : 0;
    }
    b->set[k] = set;
    given->T[k] = b->T[k];
    bad[k] = (flows & !sciara_is_finite(sum)) ? 1 : 0;
    odd |= bad[k];
  }
  for (int k = 0; odd && k < b->count; k++)
    if (bad[k]) sciara_part_report(p, b->cell[k]);
}

/** The least of the times of a gang. */
PIECE void find_least(struct sciara_part *p, const struct gang *restrict b, const real *restrict time) {
  real least[CHUNK];
  for (int l = 0; l < CHUNK; l++) least[l] = p->rule.clock_max;
  for (int k = 0; k < b->lanes; k += CHUNK)
    for (int l = 0; l < CHUNK; l++) least[l] = time[k + l] < least[l] ? time[k + l] : least[l];
  for (int l = 0; l < CHUNK; l++)
    if (least[l] < p->t_opt) p->t_opt = least[l];
}

static inline void append(struct sciara_edges *restrict g, const struct sciara_part *p, const struct gang *restrict b,
                          int i, const uint16_t *restrict chosen, int count) {
  uint32_t *restrict donor = g->donor + g->count;
  const uint32_t first = (uint32_t)(p->given_count * GANG);
  (void)b, (void)i;
  for (int e = 0; e < count; e++) donor[e] = first + chosen[e];
  g->count += count;
}

/** Notes which cells of a gang are quiescent. */
PIECE void note_quiescent(struct sciara_part *p, const struct gang *restrict b) {
  for (int k = 0; k < b->count; k++)
    if (b->quiescent[k]) p->from[b->entry[k]] = b->T[k];
}

static void evaluate_gang(struct sciara_part *p, const uint32_t *entry, int count, struct gang *b) {
  const struct sciara_rule *rule = &p->rule;
  real time[GANG], mobility[GANG], P[GANG] = {0};
  if (!sciara_given_reserve(p)) {
    p->exhausted = true;
    return;
  }
  struct sciara_given *given = &p->given[p->given_count];
  given->count = count;
  memcpy(given->entry, entry, (size_t)count * sizeof *entry);
  load_gang(p, entry, count, b);
  load_neighbours(&p->f, b);
  find_law(rule, b, rule->ln_mobility_sol, rule->mobility_b, mobility);
  if (rule->yields) find_law(rule, b, rule->ln_plug_sol, rule->plug_b, P);
  find_sheets(rule, b, P, mobility, time);
  find_least(p, b, time);
  find_rates(rule, b);
  find_shares(p, b, given);
  make_all_edges(p, b);
  p->given_count++;
  note_quiescent(p, b);
}

void sciara_part_evaluate(struct sciara_part *p) {
  start_step(p);
  p->given_count = 0;
  evaluate_cells(p);
}

// ----------------------------------------------------------------------------------------------------- flow computing

/** Computes the outflows of a gang, and their sum and components, from which the flux that is recorded is made. */
PIECE void flow_gang(struct sciara_part *p, struct sciara_given *restrict given) {
  real leaving[GANG], east[GANG], north[GANG];
  const real t = p->t;
  sciara_lane nan[GANG], odd = 0;
  const int lanes = (given->count + CHUNK - 1) / CHUNK * CHUNK;
  LANES
  for (int k = 0; k < lanes; k++) {
    real sum = 0, x = 0, y = 0;
    bool bad = false; // for a flow that is NaN the sum is NaN
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) {
      const real out = sciara_flux(given->rate[i][k], given->share[i][k], t, &bad);
      given->share[i][k] = out;
      sum = sum + out; // + 0 changes no bit: the sum is never -0
      sciara_flux_add(i, out, &x, &y);
    }
    leaving[k] = sum;
    east[k] = x;
    north[k] = y;
    nan[k] = sciara_is_nan(sum) ? 1 : 0;
    odd |= nan[k];
  }
  for (int k = 0; k < given->count; k++) {
    const uint32_t entry = given->entry[k];
    p->leaving[entry] = leaving[k];
    p->px[entry] = east[k];
    p->py[entry] = north[k];
  }
  for (int k = 0; odd && k < given->count; k++)
    if (nan[k]) sciara_part_report(p, p->cell[given->entry[k]]);
}

void sciara_part_flow(struct sciara_part *p) {
  const size_t bytes = (size_t)p->count * sizeof(real);
  if (bytes == 0) return;
  memset(p->leaving, 0, bytes);
  memset(p->px, 0, bytes); // the flux of this step takes the place of that of the last
  memset(p->py, 0, bytes);
  for (int64_t k = 0; k < p->given_count; k++) flow_gang(p, &p->given[k]);
}

#endif
