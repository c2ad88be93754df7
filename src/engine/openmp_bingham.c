// SPDX-License-Identifier: Apache-2.0
// Time evaluation and flow computing of engine `openmp` for rule bingham, in loops that a compiler turns into vector
// instructions: openmp_gang.h. Empty in sources of another rule.
//
// A cell that is not thicker than its plug, or whose surface is level, is quiescent: as long as no thickness and no
// ground around it changes, its slope is the same in every bit, and while its lava cools its plug does not become
// thinner, if the yield strength does not decrease. The statement holds for any rounding, with some slack for that of the
// exponential function.
#include "engine/openmp_gang.h"

#ifdef SCIARA_BINGHAM
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
    b->top[0][k] = 0;
  }
}

/** The tops of neighbour i, which is a constant for the compiler. */
static inline __attribute__((always_inline)) void find_tops(const struct sciara_fields *f, int i,
                                                            struct gang *restrict b) {
  const int64_t offset = sciara_moore_offset(i, f->stride);
  for (int k = 0; k < b->lanes; k++)
    b->top[i][k] = sciara_top(i, b->z[k], f->z[b->cell[k] + offset], f->h[b->cell[k] + offset]);
}

PIECE void find_all_tops(const struct sciara_fields *f, struct gang *b) {
  find_tops(f, 1, b);
  find_tops(f, 2, b);
  find_tops(f, 3, b);
  find_tops(f, 4, b);
  find_tops(f, 5, b);
  find_tops(f, 6, b);
  find_tops(f, 7, b);
  find_tops(f, 8, b);
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

/** Slopes, plugs and, of the cells that flow, speeds and mobilities. `time`: what each cell allows, s. */
PIECE void find_speeds(struct sciara_part *p, struct gang *restrict b, const real *restrict yield,
                       const real *restrict viscosity, real *restrict time) {
  const struct sciara_rule *rule = &p->rule;
  const real factor = rule->yield_b <= 0 ? 1 - PLUG_SLACK : 0; // 0: the plug may become thinner
  sciara_lane nan[GANG], odd = 0;
  LANES
  for (int k = 0; k < b->lanes; k++) {
    real drop[SCIARA_MOORE];
    drop[0] = 0;
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) drop[i] = b->h[k] - b->top[i][k];
    const real G = sciara_surface_slope(rule, drop);
    const real root = sciara_real_sqrt(1 + G * G);
    const real plug = sciara_plug(rule, yield[k], G, root);
    const bool flows = (G != 0) & !(b->h[k] <= plug);
    const real v = sciara_sheet_speed(rule, viscosity[k], b->h[k], plug, G, root);
    const real t = sciara_real_div(rule->cell_size, v);
    nan[k] = (flows & sciara_is_nan(v)) ? 1 : 0;
    odd |= nan[k];
    b->mobility[k] = sciara_real_div(v * b->h[k], G);
    b->flows[k] = flows ? 1 : 0;
    b->quiescent[k] = ((G == 0) | (b->h[k] < plug * factor)) ? 1 : 0;
    time[k] = (flows & (t < rule->clock_max)) ? t : rule->clock_max;
  }
  for (int k = 0; odd && k < b->count; k++)
    if (nan[k]) sciara_part_report(p, b->cell[k]);
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
  uint32_t *donor = g->donor + g->count;
  real *restrict rate = g->rate + g->count, *restrict share = g->share + g->count;
  real mobility[GANG];
  for (int e = 0; e < count; e++) {
    const uint32_t k = chosen[e];
    const real top = b->top[i][k];
    donor[e] = b->entry[k];
    share[e] = sciara_share(b->average[k], top);
    rate[e] = b->h[k] - top; // the drop
    mobility[e] = b->mobility[k];
  }
  LANES
  for (int e = 0; e < count; e++) rate[e] = sciara_flux_rate(&p->rule, i, mobility[e], rate[e]);
  g->count += count;
}

static inline struct sciara_level next_level(const struct gang *restrict b, int k, struct sciara_level level) {
  real top[SCIARA_MOORE];
  SCIARA_UNROLL
  for (int i = 0; i < SCIARA_MOORE; i++) top[i] = b->top[i][k];
  return sciara_level_next(level, b->h[k], top);
}

static inline struct sciara_level first_level(const struct gang *restrict b, int k) {
  real top[SCIARA_MOORE];
  SCIARA_UNROLL
  for (int i = 0; i < SCIARA_MOORE; i++) top[i] = b->top[i][k];
  return sciara_level_first(b->h[k], top);
}

/**
 * tau1.6 of all cells of a gang. Nearly all need three or four rounds: four without a question, so that the processor
 * computes several vectors at a time; then more until no count of a chunk of cells changes. Cells that do not flow get
 * no survivors.
 */
PIECE void minimise(struct gang *restrict b) {
  real count[GANG], limit[GANG];
  sciara_lane more[GANG];
  LANES
  for (int k = 0; k < b->lanes; k++) {
    const struct sciara_level third = next_level(b, k, next_level(b, k, first_level(b, k)));
    const struct sciara_level fourth = next_level(b, k, third);
    count[k] = fourth.count;
    limit[k] = fourth.limit;
    b->average[k] = fourth.average;
    more[k] = fourth.count != third.count ? 1 : 0;
  }
  for (int c = 0; c < b->lanes; c += CHUNK) {
    sciara_lane any = 0;
    for (int k = c; k < c + CHUNK; k++) any |= more[k];
    while (any) {
      any = 0;
      LANES
      for (int k = c; k < c + CHUNK; k++) {
        const struct sciara_level last = {count[k], b->average[k], limit[k]}, next = next_level(b, k, last);
        any |= next.count != last.count ? 1 : 0;
        count[k] = next.count;
        limit[k] = next.limit;
        b->average[k] = next.average;
      }
    }
  }
  LANES
  for (int k = 0; k < b->lanes; k++) {
    const struct sciara_level level = {count[k], b->average[k], limit[k]};
    sciara_lane set = 0;
    SCIARA_UNROLL
    for (int i = 0; i < SCIARA_MOORE; i++) set |= sciara_level_keeps(level, b->top[i][k]) ? (sciara_lane)1 << i : 0;
    b->set[k] = b->flows[k] ? set : 0;
  }
}

/** Notes which cells of a gang are quiescent. */
PIECE void note_quiescent(struct sciara_part *p, const struct gang *restrict b) {
  for (int k = 0; k < b->count; k++)
    if (b->quiescent[k]) p->from[b->entry[k]] = b->T[k];
}

static void evaluate_gang(struct sciara_part *p, const uint32_t *entry, int count, struct gang *b) {
  const struct sciara_rule *rule = &p->rule;
  real time[GANG], viscosity[GANG], yield[GANG] = {0};
  load_gang(p, entry, count, b);
  find_all_tops(&p->f, b);
  find_law(rule, b, rule->ln_viscosity_sol, rule->viscosity_b, viscosity);
  if (rule->yields) find_law(rule, b, rule->ln_yield_sol, rule->yield_b, yield);
  find_speeds(p, b, yield, viscosity, time);
  find_least(p, b, time);
  minimise(b);
  make_all_edges(p, b);
  note_quiescent(p, b);
}

void sciara_part_evaluate(struct sciara_part *p) {
  start_step(p);
  evaluate_cells(p);
}

// ----------------------------------------------------------------------------------------------------- flow computing

/**
 * Computes the flows along the edges first..first + count, count <= GANG, in direction i, and adds them to the outflow
 * of the donors and to the flux that is recorded.
 */
PIECE void flow_gang(struct sciara_part *p, struct sciara_edges *g, int i, int64_t first, int count) {
  real *restrict share = g->share + first, *restrict T = g->T + first;
  const real *restrict rate = g->rate + first;
  const uint32_t *restrict donor = g->donor + first;
  const real t = p->t, distance = i < 5 ? p->rule.cell_size : p->rule.diagonal;
  const real inverse = sciara_real_div(1, t);
  real flux[GANG];
  sciara_lane nan[GANG], odd = 0;
  LANES
  for (int e = 0; e < count; e++) {
    bool bad = false;
    const real out = sciara_flux(rate[e], share[e], t, &bad);
    nan[e] = bad ? 1 : 0;
    odd |= nan[e];
    share[e] = out;
    flux[e] = sciara_mean_flux(out, distance, t, inverse);
  }
  for (int e = 0; e < count; e++) {
    const uint32_t k = donor[e];
    p->leaving[k] = p->leaving[k] + share[e];
    sciara_flux_add(i, flux[e], &p->px[k], &p->py[k]);
    T[e] = p->T[k];
  }
  for (int e = 0; odd && e < count; e++)
    if (nan[e]) sciara_part_report(p, p->cell[donor[e]]);
}

/** The same for all edges whose donors lie before entry `end`. */
PIECE void flow_along(struct sciara_part *p, struct sciara_edges *g, int i, int64_t end) {
  while (g->flown < g->count && g->donor[g->flown] < end) {
    int count = 1;
    while (count < GANG && g->flown + count < g->count && g->donor[g->flown + count] < end) count++;
    flow_gang(p, g, i, g->flown, count);
    g->flown += count;
  }
}

void sciara_part_flow(struct sciara_part *p) {
  for (int64_t begin = 0; begin < p->count; begin += BLOCK) {
    const int64_t end = begin + BLOCK < p->count ? begin + BLOCK : p->count;
    const size_t bytes = (size_t)(end - begin) * sizeof(real);
    memset(p->leaving + begin, 0, bytes);
    memset(p->px + begin, 0, bytes); // the flux of this step takes the place of that of the last
    memset(p->py + begin, 0, bytes);
    for (int i = 1; i < SCIARA_MOORE; i++)
      for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++) flow_along(p, &p->edges[kind][i], i, end);
  }
}

#endif
