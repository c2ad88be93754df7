// SPDX-License-Identifier: Apache-2.0
// Flow computing (fv3), mass, momentum, heat and solidification of engine `openmp`, in loops that a compiler turns into
// vector instructions: openmp_gang.h.
#include <string.h>

#include "engine/openmp_gang.h"

#if !SCIARA_SHEET

/**
 * Computes the flows along the edges first..first + count, count <= GANG, and adds them to the outflow of the donors.
 */
PIECE void flow_gang(struct sciara_part *p, struct sciara_edges *g, int64_t first, int count) {
  real *restrict v0 = g->v0 + first, *restrict share = g->share + first, *restrict accel = g->accel + first;
  const real *restrict path = g->path + first;
  const uint32_t *restrict donor = g->donor + first;
  const real t = p->t;
  real keep[GANG];
  sciara_lane nan[GANG], odd = 0;
  for (int e = 0; e < count; e++) keep[e] = p->keep[donor[e]];
  LANES
  for (int e = 0; e < count; e++) {
    const struct sciara_slope s = {.v0 = v0[e], .accel = accel[e], .path = path[e]};
    bool bad = false;
    const struct sciara_outflow out = sciara_slope_flow(&s, share[e], keep[e], t, &bad);
    nan[e] = bad ? 1 : 0;
    odd |= nan[e];
    v0[e] = out.speed;
    share[e] = out.thickness;
  }
  for (int e = 0; e < count; e++) {
    p->leaving[donor[e]] = p->leaving[donor[e]] + share[e];
    accel[e] = p->T[donor[e]];
  }
  for (int e = 0; odd && e < count; e++)
    if (nan[e]) sciara_part_report(p, p->cell[donor[e]]);
}

/** Takes the flows of all edges whose donors lie before entry `end`. */
PIECE void flow_along(struct sciara_part *p, struct sciara_edges *g, int64_t end) {
  while (g->flown < g->count && g->donor[g->flown] < end) {
    int count = 1;
    while (count < GANG && g->flown + count < g->count && g->donor[g->flown + count] < end) count++;
    flow_gang(p, g, g->flown, count);
    g->flown += count;
  }
}

void sciara_part_flow(struct sciara_part *p) {
  for (int64_t begin = 0; begin < p->count; begin += BLOCK) {
    const int64_t end = begin + BLOCK < p->count ? begin + BLOCK : p->count;
    memset(p->leaving + begin, 0, (size_t)(end - begin) * sizeof *p->leaving);
    for (int i = 1; i < SCIARA_MOORE; i++)
      for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++) flow_along(p, &p->edges[kind][i], end);
  }
}

#endif

// -------------------------------------------------------------------------------------- mass, momentum and heat

#if SCIARA_SHEET

/**
 * What the cells from entry k on, side by side in the map from padded index i on, collect; `lanes`: lanes_of_run of their
 * number.
 */
static inline void collect_run(const struct sciara_part *p, int64_t k, int64_t i, int lanes, real *restrict q_h,
                               real *restrict q_px, real *restrict q_py, real *restrict q_heat) {
  const struct sciara_given *g = &p->given;
  const real *restrict h = p->h + k, *restrict T = p->T + k, *restrict from_T = g->T + i;
  const int64_t stride = p->f.stride;
  const real t = p->t, pace = sciara_flux_pace(p->rule.cell_size, t);
  LANES
  for (int l = 0; l < lanes; l++) {
    real leaving = 0, east = 0, north = 0;
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const real out = sciara_given_out(g->rate[n][i + l], t);
      leaving = leaving + out; // + 0 changes no bit: the sum is never -0
      sciara_flux_add(n, out, &east, &north);
    }
    const real stays = sciara_residual(h[l], leaving);
    struct sciara_inflow inflow = {stays, east * pace, north * pace, sciara_heat(stays, T[l])};
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int64_t offset = sciara_moore_offset(n, stride);
      const real out = sciara_given_out(g->rate[sciara_moore_reverse(n)][i + offset + l], t);
      sciara_inflow_add(&inflow, n, (struct sciara_outflow){.thickness = out}, from_T[offset + l]);
    }
    q_h[l] = inflow.h;
    q_px[l] = inflow.px;
    q_py[l] = inflow.py;
    q_heat[l] = inflow.heat;
  }
}

/** What the cells from entry `begin` on collect. */
PIECE void collect_inflows(const struct sciara_part *p, int64_t begin, int count, struct inflow_gang *restrict q) {
  const int64_t *cell = p->cell + begin;
  for (int k = 0, run; k < count; k += run) { // what a vector computes too much, the next one replaces
    run = run_of(cell + k, count - k);
    collect_run(p, begin + k, cell[k], lanes_of_run(run), q->h + k, q->px + k, q->py + k, q->heat + k);
  }
}

#else

/** Starts the inflow sums of the cells from entry `begin` on with their residuals. */
PIECE void keep_residuals(const struct sciara_part *p, int64_t begin, int count, struct inflow_gang *restrict q) {
  const real *restrict h = p->h + begin, *restrict T = p->T + begin, *restrict leaving = p->leaving + begin;
  const real *restrict px = p->px + begin, *restrict py = p->py + begin, *restrict keep = p->keep + begin;
  LANES
  for (int k = 0; k < count; k++) {
    const struct sciara_inflow inflow = sciara_inflow_residual(sciara_residual(h[k], leaving[k]), velocity(px[k], h[k]),
                                                               velocity(py[k], h[k]), keep[k], T[k]);
    q->h[k] = inflow.h;
    q->px[k] = inflow.px;
    q->py[k] = inflow.py;
    q->heat[k] = inflow.heat;
  }
}

/** Computes the residuals of subnormal momenta among these cells. */
PIECE void fade(struct sciara_part *p, int64_t begin, int count, struct inflow_gang *q) {
  for (; p->faded < p->subnormal_count && p->subnormal[p->faded] < begin + count; p->faded++) {
    const int64_t k = p->subnormal[p->faded], n = k - begin;
    if (sciara_is_subnormal(p->px[k])) q->px[n] = sciara_fade_subnormal(p->px[k], p->h[k], q->h[n], p->keep[k]);
    if (sciara_is_subnormal(p->py[k])) q->py[n] = sciara_fade_subnormal(p->py[k], p->h[k], q->h[n], p->keep[k]);
  }
}

static inline void add_settling(struct inflow_gang *q, int64_t k, int n, struct sciara_outflow out, real T) {
  struct sciara_inflow inflow = {q->h[k], q->px[k], q->py[k], q->heat[k]};
  sciara_inflow_add(&inflow, n, out, T);
  q->h[k] = inflow.h;
  q->px[k] = inflow.px;
  q->py[k] = inflow.py;
  q->heat[k] = inflow.heat;
}

/** Adds the inflow from neighbour n, a constant for the compiler, to the cells from entry `begin` on. */
static inline __attribute__((always_inline)) void gather_inflow(struct sciara_part *p, int n, int64_t begin, int count,
                                                                struct inflow_gang *q) {
  struct sciara_edges *g = &p->edges[SCIARA_EDGE_INNER][sciara_moore_reverse(n)];
  int64_t e = g->taken;
  for (; e < g->count && g->to[e] < begin + count; e++)
    add_settling(q, g->to[e] - begin, n, (struct sciara_outflow){.thickness = g->share[e], .speed = g->v0[e]},
                 g->accel[e]);
  g->taken = e;
  struct sciara_arrivals *a = &p->inner[n];
  for (; a->taken < a->count && a->list[a->taken].cell < begin + count; a->taken++)
    add_settling(q, a->list[a->taken].cell - begin, n, a->list[a->taken].out, a->list[a->taken].T);
}

PIECE void gather_all(struct sciara_part *p, int64_t begin, int count, struct inflow_gang *q) {
  gather_inflow(p, 1, begin, count, q);
  gather_inflow(p, 2, begin, count, q);
  gather_inflow(p, 3, begin, count, q);
  gather_inflow(p, 4, begin, count, q);
  gather_inflow(p, 5, begin, count, q);
  gather_inflow(p, 6, begin, count, q);
  gather_inflow(p, 7, begin, count, q);
  gather_inflow(p, 8, begin, count, q);
}

/** What the cells from entry `begin` on collect. */
static void collect_inflows(struct sciara_part *p, int64_t begin, int count, struct inflow_gang *q) {
  keep_residuals(p, begin, count, q);
  fade(p, begin, count, q);
  gather_all(p, begin, count, q);
}

#endif

/** Cools the lava of a block of cells; `usual` marks the cells that stay liquid and whose values are in range. */
PIECE void cool(const struct sciara_part *p, int count, const struct inflow_gang *restrict q, real *restrict T,
                sciara_lane *restrict usual) {
  const struct sciara_rule *rule = &p->rule;
  const real t = p->t;
  LANES
  for (int k = 0; k < count; k++) {
    const real mixed = sciara_mixed(q->heat[k], q->h[k]);
    const real ratio = sciara_cooling(rule, t, q->h[k], mixed);
    const bool normal = (ratio >= 1) & (ratio <= REAL_MOST);
    const real cooled = sciara_real_div(mixed, cbrt_normal(ratio));
    const bool liquid = (q->h[k] > 0) & (cooled > rule->T_sol);
    T[k] = cooled;
    usual[k] = (liquid & normal) ? 1 : 0;
  }
}

// For each recorded field: the maxima of those of `count` cells that `usual` marks. `solid` is read only OF GROUND.
#define SCIARA_RECORDED_FIELD(member, NAME, OF, value)                                                         \
  PIECE void record_##member(real *restrict most, int count, const struct inflow_gang *restrict q,             \
                             const real *restrict solid, const sciara_lane *restrict usual) {                  \
    LANES                                                                                                      \
    for (int k = 0; k < count; k++) {                                                                          \
      const real now =                                                                                         \
          sciara_recorded_##member(q->h[k], q->px[k], q->py[k], SCIARA_IS_OF_GROUND(OF) ? solid[k] : (real)0); \
      most[k] = ((usual[k] != 0) & (now > most[k])) ? now : most[k];                                           \
    }                                                                                                          \
  }
#include "model/fields.def"

/** Records the maxima of the cells from entry `begin` on that `usual` marks. */
static void record(struct sciara_part *p, int64_t begin, int count, const struct inflow_gang *q,
                   const sciara_lane *usual) {
  const real *solid = p->f.z0 ? p->solid + begin : NULL;
#define SCIARA_RECORDED_FIELD(member, NAME, OF, value) \
  if (p->f.member && (solid || !SCIARA_IS_OF_GROUND(OF))) record_##member(p->member + begin, count, q, solid, usual);
#include "model/fields.def"
}

/** Rim and tau3 of a single cell that `usual` does not mark. */
PIECE void settle_one(struct sciara_part *p, int64_t k, struct sciara_inflow inflow) {
  const struct sciara_fields *f = &p->f;
  const int64_t i = p->cell[k];
  const real before = p->h[k];
  bool bad = false;
  sciara_part_store(p, k);
  const enum sciara_outcome outcome = sciara_pass_settle(&p->rule, f, i, inflow, p->t, p->time, &bad);
  if (bad) sciara_part_report(p, i);
  if (f->h[i] != before) p->changed[i] = p->step; // solidified: the lava is now part of the ground
  sciara_tally_count(&p->tally, outcome);
  p->h[k] = f->h[i];
  p->T[k] = f->T[i];
  p->px[k] = f->px[i];
  p->py[k] = f->py[i];
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (f->member) p->member[k] = f->member[i];
#include "model/fields.def"
  if (outcome != SCIARA_OUTCOME_LIQUID) p->list[p->removed++] = (uint32_t)k;
}

#if SCIARA_SHEET

/** Stores the thickness of the cells from entry `begin` on in the map, and notes which change. */
PIECE void store_map(struct sciara_part *p, int64_t begin, int count, const struct inflow_gang *restrict q,
                     const sciara_lane *restrict usual) {
  const int64_t *cell = p->cell + begin;
  const uint32_t step = p->step;
  for (int k = 0, run; k < count; k += run) {
    run = run_of(cell + k, count - k);
    const real *restrict was = p->h + begin + k, *restrict is = q->h + k;
    const sciara_lane *restrict takes = usual + k;
    real *restrict h = p->f.h + cell[k];
    uint32_t *restrict changed = p->changed + cell[k];
    LANES
    for (int l = 0; l < run; l++) {
      const real now = takes[l] ? is[l] : was[l];
      changed[l] = now != was[l] ? step : changed[l];
      h[l] = now;
    }
  }
}

#else

PIECE void store_map(struct sciara_part *p, int64_t begin, int count, const struct inflow_gang *restrict q,
                     const sciara_lane *restrict usual) {
  uint32_t changed[BLOCK];
  int changes = 0;
  for (int k = 0; k < count; k++) {
    changed[changes] = (uint32_t)k;
    changes += usual[k] && q->h[k] != p->h[begin + k];
  }
  for (int n = 0; n < changes; n++) {
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the loop above has filled them
    const int64_t i = p->cell[begin + changed[n]];
    p->f.h[i] = q->h[changed[n]];
    p->changed[i] = p->step;
  }
}

#endif

/** Stores the new state of the cells from entry `begin` on. */
PIECE void store(struct sciara_part *p, int64_t begin, int count, const struct inflow_gang *restrict q,
                 const real *restrict T, const sciara_lane *restrict usual) {
  const bool first = p->first;
  store_map(p, begin, count, q, usual);
  for (int k = 0; k < count; k++)
    if (!usual[k] || first) settle_one(p, begin + k, (struct sciara_inflow){q->h[k], q->px[k], q->py[k], q->heat[k]});
  real *restrict h = p->h + begin, *restrict px = p->px + begin, *restrict py = p->py + begin;
  real *restrict T_new = p->T + begin;
  LANES
  for (int k = 0; k < count; k++) {
    h[k] = usual[k] ? q->h[k] : h[k];
    px[k] = usual[k] ? q->px[k] : px[k];
    py[k] = usual[k] ? q->py[k] : py[k];
    T_new[k] = usual[k] ? T[k] : T_new[k];
  }
}

static void settle_block(struct sciara_part *p, int64_t begin, int count) {
  struct inflow_gang q;
  real T[BLOCK];
  sciara_lane usual[BLOCK];
  collect_inflows(p, begin, count, &q);
  if (p->watch) sciara_stopwatch_lap(p->watch, SCIARA_PROCESS_MASS_AND_MOMENTUM);
  cool(p, count, &q, T, usual);
  record(p, begin, count, &q, usual);
  store(p, begin, count, &q, T, usual);
  if (p->watch) sciara_stopwatch_lap(p->watch, SCIARA_PROCESS_TEMPERATURE);
}

void sciara_part_settle(struct sciara_part *p) {
  p->removed = 0;
  for (int64_t begin = 0; begin < p->count; begin += BLOCK)
    settle_block(p, begin, p->count - begin < BLOCK ? (int)(p->count - begin) : BLOCK);
}
