// SPDX-License-Identifier: Apache-2.0
// The pieces of a step of engine `openmp`, in loops over cells and over edges that a compiler turns into vector
// instructions. Compiled once per precision and kind of processor: SCIARA_KERNEL is the name that this one gets. Nothing
// here but that table may be seen from outside, for it may hold instructions that another processor lacks.
//
// A loop takes the arithmetic of cell.h as it stands, all lanes alike (SCIARA_BRANCHLESS). What a lane must not decide
// for itself, for it calls for the rare half of a function, a NaN or a change of the list, is noted and done after the
// loop by the same functions that `serial` calls.
#ifndef SCIARA_BRANCHLESS
#define SCIARA_BRANCHLESS
#endif
#define SCIARA_VECTOR_LOOPS
#include "engine/openmp_batch.h"

// ------------------------------------------------------------------------------------------------------ time evaluation

/** Velocity and dissipation of all cells; 0 for a faint momentum, whose head is 0 in any case. */
PIECE void find_velocities(struct sciara_part *p) {
  const struct sciara_rule *rule = &p->rule;
  const real *restrict h = p->h, *restrict T = p->T, *restrict px = p->px, *restrict py = p->py;
  real *restrict vx = p->vx, *restrict vy = p->vy, *restrict keep = p->keep, *restrict leaving = p->leaving;
  const int64_t count = p->count;
  sciara_lane odd = 0;
  LANES
  for (int64_t k = 0; k < count; k++) {
    const real exponent = sciara_log_of_law(rule, rule->ln_dP_sol, rule->dP_b, T[k]);
    odd |= (exponent >= -EXP_NORMAL) & (exponent <= EXP_NORMAL) ? 0 : 1;
    keep[k] = 1 - exp_normal(exponent);
    vx[k] = sciara_real_div(sciara_is_faint(px[k]) ? 0 : px[k], h[k]);
    vy[k] = sciara_real_div(sciara_is_faint(py[k]) ? 0 : py[k], h[k]);
    leaving[k] = 0;
  }
  if (!odd) return;
  for (int64_t k = 0; k < count; k++) keep[k] = 1 - sciara_dissipation(rule, T[k]);
}

/** Whether neither cell i nor a neighbour has changed in the last step. One column more is looked at: it fills a vector. */
static inline bool is_calm(const struct sciara_part *p, int64_t i) {
  const uint32_t *row = p->stirred + i - 1;
  const int64_t stride = p->f.stride;
  uint32_t last[4], latest = 0;
  for (int c = 0; c < 4; c++) {
    const uint32_t north = row[c - stride], south = row[c + stride];
    const uint32_t later = north > south ? north : south;
    last[c] = later > row[c] ? later : row[c];
  }
  for (int c = 0; c < 4; c++) latest = last[c] > latest ? last[c] : latest;
  return latest < p->step - 1;
}

/** The places of the cells that are not at rest; returns how many. And those of faint momenta. */
PIECE int64_t list_awake(struct sciara_part *p) {
  int64_t awake = 0, faint = 0;
  for (int64_t k = 0; k < p->count; k++) {
    const bool rests = p->from[k] > 0 && p->T[k] <= p->from[k] && is_calm(p, p->cell[k]);
    p->from[k] = rests ? p->from[k] : 0;
    p->list[awake] = (uint32_t)k;
    awake += !rests;
    p->faint[faint] = (uint32_t)k;
    faint += sciara_is_faint(p->px[k]) | sciara_is_faint(p->py[k]);
  }
  p->faint_count = faint;
  p->faded = 0;
  return awake;
}

/** Takes `count` cells, whose places are in `place`, into a batch, rounded up to whole vectors with the last one. */
PIECE void load_batch(const struct sciara_part *p, const uint32_t *place, int count, struct batch *restrict b) {
  b->count = count;
  b->lanes = (count + CHUNK - 1) / CHUNK * CHUNK;
  for (int k = 0; k < b->lanes; k++) {
    const uint32_t from = place[k < count ? k : count - 1];
    b->place[k] = from;
    b->cell[k] = p->cell[from];
    b->h[k] = p->h[from];
    b->T[k] = p->T[from];
    b->vx[k] = p->vx[from];
    b->vy[k] = p->vy[from];
    b->z[k] = p->f.z[b->cell[k]];
    b->set[k] = SCIARA_SELF;
    b->top[0][k] = 0;
  }
}

PIECE void find_critical_heights(const struct sciara_rule *rule, struct batch *restrict b) {
  sciara_lane odd = 0;
  LANES
  for (int k = 0; k < b->lanes; k++) {
    const real exponent = sciara_log_of_law(rule, rule->ln_hc_sol, rule->hc_b, b->T[k]);
    odd |= (exponent >= -EXP_NORMAL) & (exponent <= EXP_NORMAL) ? 0 : 1;
    b->hc[k] = exp_normal(exponent);
  }
  if (!odd) return;
  for (int k = 0; k < b->lanes; k++) b->hc[k] = sciara_critical_height(rule, b->T[k]);
}

/** Where the velocities of a batch point to. */
PIECE void find_starts(const struct sciara_rule *rule, struct batch *restrict b) {
  LANES
  for (int k = 0; k < b->lanes; k++) {
    const struct sciara_start start = sciara_start_of(b->vx[k], b->vy[k]);
    b->to[0][k] = start.axis;
    b->to[1][k] = start.diagonal;
    b->speed[0][k] = start.speed_on_axis;
    b->speed[1][k] = start.speed_on_diagonal;
    for (int n = 0; n < 2; n++)
      b->head[n][k] = sciara_head(rule, b->speed[n][k] < SPEED_WITHOUT_HEAD ? 0 : b->speed[n][k]);
  }
}

/** Asks the rule itself whether cell k of a batch is open to neighbour i. */
PIECE void resolve_doubt(const struct sciara_rule *rule, struct batch *restrict b, int i, int k) {
  struct sciara_slope s;
  const real head = b->to[i > 4][k] == i ? b->head[i > 4][k] : 0;
  const bool open = sciara_slope_open_with(rule, b->h[k], b->hc[k], b->top[i][k], head, &s);
  b->set[k] = (b->set[k] & ~((sciara_lane)1 << i)) | (open ? (sciara_lane)1 << i : 0);
}

/** Which cells of a batch are open to neighbour i, a constant to the compiler. */
static inline __attribute__((always_inline)) void
find_slopes(const struct sciara_rule *rule, const struct sciara_fields *f, int i, struct batch *restrict b) {
  const int64_t offset = sciara_moore_offset(i, f->stride);
  const real *restrict head = b->head[i > 4];
  const sciara_lane *restrict to = b->to[i > 4];
  real *restrict top = b->top[i];
  real zn[BATCH], hn[BATCH];
  sciara_lane doubt[BATCH], any = 0;
  for (int k = 0; k < b->lanes; k++) {
    zn[k] = f->z[b->cell[k] + offset];
    hn[k] = f->h[b->cell[k] + offset];
  }
  LANES
  for (int k = 0; k < b->lanes; k++) {
    top[k] = sciara_top(i, b->z[k], zn[k], hn[k]);
    const struct sciara_quick quick = sciara_quick_open(rule, b->h[k], b->hc[k], top[k], to[k] == i ? head[k] : 0);
    b->set[k] |= quick.open ? (sciara_lane)1 << i : 0;
    doubt[k] = quick.doubt ? 1 : 0;
    any |= doubt[k];
  }
  for (int k = 0; any && k < b->lanes; k++)
    if (doubt[k]) resolve_doubt(rule, b, i, k);
}

PIECE void find_all_slopes(const struct sciara_rule *rule, const struct sciara_fields *f, struct batch *b) {
  find_slopes(rule, f, 1, b);
  find_slopes(rule, f, 2, b);
  find_slopes(rule, f, 3, b);
  find_slopes(rule, f, 4, b);
  find_slopes(rule, f, 5, b);
  find_slopes(rule, f, 6, b);
  find_slopes(rule, f, 7, b);
  find_slopes(rule, f, 8, b);
}

/** tau1.6 of all cells of a batch: rounds until none changes a set, a chunk of cells at a time. */
PIECE void minimise(struct batch *restrict b) {
  for (int c = 0; c < b->lanes; c += CHUNK) {
    sciara_lane more = 0;
    for (int k = c; k < c + CHUNK; k++) more |= b->set[k] ^ SCIARA_SELF;
    while (more) {
      more = 0;
      LANES
      for (int k = c; k < c + CHUNK; k++) {
        real top[SCIARA_MOORE], average;
        SCIARA_UNROLL
        for (int i = 0; i < SCIARA_MOORE; i++) top[i] = b->top[i][k];
        const sciara_lane left = (sciara_lane)sciara_minimise_once((unsigned)b->set[k], b->h[k], top, &average);
        more |= left ^ b->set[k];
        b->set[k] = left;
        b->average[k] = average;
      }
    }
  }
}

/** The time along the edges that have not been asked yet. */
PIECE void find_times(struct sciara_part *p, struct sciara_edges *g) {
  const struct sciara_rule *rule = &p->rule;
  real time[BATCH], least[CHUNK];
  for (int l = 0; l < CHUNK; l++) least[l] = rule->clock_max;
  for (; g->timed < g->count; g->timed += BATCH) {
    const real *restrict v0 = g->v0 + g->timed, *restrict h = g->h + g->timed, *restrict keep = g->keep + g->timed;
    real *restrict accel = g->accel + g->timed, *restrict path = g->path + g->timed;
    const int n = g->count - g->timed < BATCH ? (int)(g->count - g->timed) : BATCH;
    sciara_lane nan[BATCH], odd = 0;
    LANES
    for (int k = 0; k < n; k++) {
      struct sciara_slope s;
      (void)sciara_slope_open_with(rule, h[k], 0, accel[k], path[k], &s);
      accel[k] = s.accel;
      path[k] = s.path;
    }
    LANES
    for (int k = 0; k < n; k++) {
      const struct sciara_slope s = {.v0 = v0[k], .accel = accel[k], .path = path[k]};
      bool bad = false;
      time[k] = sciara_slope_time(rule, &s, keep[k], &bad);
      nan[k] = bad ? 1 : 0;
      odd |= nan[k];
    }
    for (int k = n; k < BATCH; k++) time[k] = rule->clock_max;
    for (int k = 0; k < BATCH; k += CHUNK)
      for (int l = 0; l < CHUNK; l++) least[l] = time[k + l] < least[l] ? time[k + l] : least[l];
    for (int k = 0; odd && k < n; k++)
      if (nan[k]) sciara_part_blame(p, p->cell[g->donor[g->timed + k]]);
  }
  g->timed = g->count;
  for (int l = 0; l < CHUNK; l++)
    if (least[l] < p->t_opt) p->t_opt = least[l];
}

/** The initial speed of cell k of a batch towards neighbour i. */
static inline real initial_speed(const struct sciara_part *p, const struct batch *b, int i, uint32_t k) {
  const uint32_t place = b->place[k];
  const real px = p->px[place], py = p->py[place];
  if (sciara_is_faint(px) | sciara_is_faint(py))
    return sciara_initial_speed(i, sciara_real_div(px, p->h[place]), sciara_real_div(py, p->h[place]));
  return b->to[i > 4][k] == i ? b->speed[i > 4][k] : 0;
}

/** Makes edges in direction i of the survivors among some cells of a batch. */
static inline void harvest(struct sciara_part *p, const struct batch *restrict b, int i, const uint32_t *giver,
                           int givers) {
  uint32_t chosen[BATCH];
  int count = 0;
  for (int n = 0; n < givers; n++) {
    chosen[count] = giver[n];
    count += (int)(b->set[giver[n]] >> i & 1);
  }
  const int64_t offset = sciara_moore_offset(i, p->f.stride);
  for (int e = 0; e < count; e++) {
    const uint32_t k = chosen[e];
    const int64_t to = b->cell[k] + offset;
    const bool mine = to >= p->begin && to < p->end;
    const uint32_t slot = mine ? p->slot[to] : 0;
    struct sciara_edges *g = &p->edges[slot ? SCIARA_EDGE_INNER : mine ? SCIARA_EDGE_FRESH : SCIARA_EDGE_OUTER][i];
    const int64_t at = g->count++;
    g->to[at] = slot ? (int64_t)slot - 1 : to;
    g->donor[at] = b->place[k];
    g->v0[at] = initial_speed(p, b, i, k);
    g->share[at] = sciara_share(b->average[k], b->top[i][k]);
    g->accel[at] = b->top[i][k];
    g->path[at] = b->to[i > 4][k] == i ? b->head[i > 4][k] : 0;
    g->keep[at] = p->keep[b->place[k]];
    g->h[at] = b->h[k];
  }
}

/** Room for what a batch can give in direction i. */
static bool reserve(struct sciara_part *p, int i) {
  bool good = true;
  for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++) {
    struct sciara_edges *g = &p->edges[kind][i];
    if (g->capacity - g->count < BATCH) good = good && sciara_edges_reserve(g, BATCH);
  }
  return good;
}

/** Makes edges of all survivors of a batch. */
PIECE void harvest_all(struct sciara_part *p, const struct batch *restrict b) {
  uint32_t giver[BATCH];
  int givers = 0;
  for (int k = 0; k < b->count; k++) {
    giver[givers] = (uint32_t)k;
    givers += (b->set[k] & ~(sciara_lane)SCIARA_SELF) != 0;
  }
  for (int i = 1; givers && i < SCIARA_MOORE; i++) {
    if (!reserve(p, i)) {
      p->exhausted = true;
      return;
    }
    harvest(p, b, i, giver, givers);
    struct sciara_edges *g = &p->edges[SCIARA_EDGE_INNER][i];
    if (g->count - g->timed >= BATCH) find_times(p, g);
  }
}

/** Notes which of the cells from which nothing flows are at rest. */
PIECE void find_rest(struct sciara_part *p, const struct batch *restrict b) {
  const struct sciara_rule *rule = &p->rule;
  uint32_t chosen[BATCH];
  real h[BATCH], limit[BATCH], head[BATCH], top[BATCH];
  sciara_lane rests[BATCH];
  int count = 0;
  for (int k = 0; k < b->count; k++) {
    chosen[count] = (uint32_t)k;
    count += !(b->set[k] & ~(sciara_lane)SCIARA_SELF) && p->step >= p->ask[b->place[k]] && is_calm(p, b->cell[k]);
  }
  if (count == 0) return;
  for (int n = 0; n < count; n++) {
    const uint32_t k = chosen[n];
    h[n] = b->h[k];
    head[n] = sciara_rest_head(rule, b->vx[k], b->vy[k]);
    limit[n] = sciara_rest_limit(rule, h[n], b->hc[k], head[n]);
    rests[n] = 1;
  }
  for (int i = 1; i < SCIARA_MOORE; i++) {
    for (int n = 0; n < count; n++) top[n] = b->top[i][chosen[n]];
    LANES
    for (int n = 0; n < count; n++) rests[n] &= sciara_rest_height(rule, h[n], top[n], head[n]) < limit[n] ? 1 : 0;
  }
  for (int n = 0; n < count; n++) {
    const uint32_t place = b->place[chosen[n]];
    p->from[place] = rests[n] ? p->T[place] : 0;
    p->ask[place] = p->step + (rests[n] ? 0 : ASK_AGAIN);
  }
}

static void evaluate_batch(struct sciara_part *p, const uint32_t *place, int count, struct batch *b) {
  load_batch(p, place, count, b);
  find_critical_heights(&p->rule, b);
  find_starts(&p->rule, b);
  find_all_slopes(&p->rule, &p->f, b);
  minimise(b);
  harvest_all(p, b);
  find_rest(p, b);
}

static void evaluate(struct sciara_part *p) {
  struct batch b;
  p->t_opt = p->rule.clock_max;
  for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++)
    for (int i = 1; i < SCIARA_MOORE; i++) {
      struct sciara_edges *g = &p->edges[kind][i];
      g->count = g->timed = g->flown = g->taken = 0;
    }
  const int64_t awake = list_awake(p);
  find_velocities(p);
  for (int64_t k = 0; k < awake && !p->exhausted; k += BATCH)
    evaluate_batch(p, p->list + k, awake - k < BATCH ? (int)(awake - k) : BATCH, &b);
  for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++)
    for (int i = 1; i < SCIARA_MOORE; i++) find_times(p, &p->edges[kind][i]);
}

// -------------------------------------------------------------------------------------------------------- flow computing

/** What flows along the edges first..first + count, count <= BATCH, and what leaves the donors. */
PIECE void flow_batch(struct sciara_part *p, struct sciara_edges *g, int64_t first, int count) {
  real *restrict v0 = g->v0 + first, *restrict share = g->share + first, *restrict keep = g->keep + first;
  const real *restrict accel = g->accel + first, *restrict path = g->path + first;
  const uint32_t *restrict donor = g->donor + first;
  const real t = p->t;
  sciara_lane nan[BATCH], odd = 0;
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
    keep[e] = p->T[donor[e]];
  }
  for (int e = 0; odd && e < count; e++)
    if (nan[e]) sciara_part_blame(p, p->cell[donor[e]]);
}

/** The same of all edges of the donors before place `end`. */
PIECE void flow_along(struct sciara_part *p, struct sciara_edges *g, int64_t end) {
  while (g->flown < g->count && g->donor[g->flown] < end) {
    int count = 1;
    while (count < BATCH && g->flown + count < g->count && g->donor[g->flown + count] < end) count++;
    flow_batch(p, g, g->flown, count);
    g->flown += count;
  }
}

static void flow(struct sciara_part *p) {
  for (int64_t begin = 0; begin < p->count; begin += BLOCK)
    for (int i = 1; i < SCIARA_MOORE; i++)
      for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++) flow_along(p, &p->edges[kind][i], begin + BLOCK);
}

// ---------------------------------------------------------------------------------------------- mass, momentum and heat

/** The cells from place `begin` on start with what stays. */
PIECE void keep_residuals(const struct sciara_part *p, int64_t begin, int count, struct parcels *restrict q) {
  const real *restrict h = p->h + begin, *restrict T = p->T + begin, *restrict leaving = p->leaving + begin;
  const real *restrict vx = p->vx + begin, *restrict vy = p->vy + begin, *restrict keep = p->keep + begin;
  LANES
  for (int k = 0; k < count; k++) {
    const struct sciara_parcel parcel =
        sciara_parcel_residual(sciara_residual(h[k], leaving[k]), vx[k], vy[k], keep[k], T[k]);
    q->h[k] = parcel.h;
    q->px[k] = parcel.px;
    q->py[k] = parcel.py;
    q->heat[k] = parcel.heat;
  }
}

/** What stays of the faint momenta among them. */
PIECE void fade(struct sciara_part *p, int64_t begin, int count, struct parcels *q) {
  for (; p->faded < p->faint_count && p->faint[p->faded] < begin + count; p->faded++) {
    const int64_t k = p->faint[p->faded], n = k - begin;
    if (sciara_is_faint(p->px[k])) q->px[n] = sciara_fade_faint(p->px[k], p->h[k], q->h[n], p->keep[k]);
    if (sciara_is_faint(p->py[k])) q->py[n] = sciara_fade_faint(p->py[k], p->h[k], q->h[n], p->keep[k]);
  }
}

static inline void add(struct parcels *q, int64_t k, int n, struct sciara_outflow out, real T) {
  struct sciara_parcel parcel = {q->h[k], q->px[k], q->py[k], q->heat[k]};
  sciara_parcel_add(&parcel, n, out, T);
  q->h[k] = parcel.h;
  q->px[k] = parcel.px;
  q->py[k] = parcel.py;
  q->heat[k] = parcel.heat;
}

/** Adds what comes from neighbour n, a constant to the compiler, to the cells from place `begin` on. */
static inline __attribute__((always_inline)) void gather(struct sciara_part *p, int n, int64_t begin, int count,
                                                         struct parcels *q) {
  struct sciara_edges *g = &p->edges[SCIARA_EDGE_INNER][sciara_moore_reverse(n)];
  int64_t e = g->taken;
  for (; e < g->count && g->to[e] < begin + count; e++)
    add(q, g->to[e] - begin, n, (struct sciara_outflow){.thickness = g->share[e], .speed = g->v0[e]}, g->keep[e]);
  g->taken = e;
  struct sciara_arrivals *a = &p->inner[n];
  for (; a->taken < a->count && a->list[a->taken].cell < begin + count; a->taken++)
    add(q, a->list[a->taken].cell - begin, n, a->list[a->taken].out, a->list[a->taken].T);
}

PIECE void gather_all(struct sciara_part *p, int64_t begin, int count, struct parcels *q) {
  gather(p, 1, begin, count, q);
  gather(p, 2, begin, count, q);
  gather(p, 3, begin, count, q);
  gather(p, 4, begin, count, q);
  gather(p, 5, begin, count, q);
  gather(p, 6, begin, count, q);
  gather(p, 7, begin, count, q);
  gather(p, 8, begin, count, q);
}

/** Cools the lava of the cells from place `begin` on; `usual` tells where it stays liquid and all is in range. */
PIECE void cool(const struct sciara_part *p, int count, const struct parcels *restrict q, real *restrict T,
                sciara_lane *restrict usual) {
  const struct sciara_rule *rule = &p->rule;
  const real t = p->t;
  LANES
  for (int k = 0; k < count; k++) {
    const real mixed = sciara_real_div(q->heat[k], q->h[k]);
    const real ratio = sciara_cooling(rule, t, q->h[k], mixed);
    const bool normal = (ratio >= 1) & (ratio <= REAL_MOST);
    const real cooled = sciara_real_div(mixed, cbrt_normal(ratio));
    const bool liquid = (q->h[k] > 0) & (cooled > rule->T_sol);
    T[k] = cooled;
    usual[k] = liquid & normal ? 1 : 0;
  }
}

/** Records the maxima of the cells from place `begin` on that stay liquid as usual. */
PIECE void record(struct sciara_part *p, int64_t begin, int count, const struct parcels *restrict q,
                  const sciara_lane *restrict usual) {
  real *restrict max_h = p->max_h + begin, *restrict max_speed = p->max_speed + begin;
  if (p->f.max_h) LANES
  for (int k = 0; k < count; k++) max_h[k] = (usual[k] != 0) & (q->h[k] > max_h[k]) ? q->h[k] : max_h[k];
  if (p->f.max_speed) LANES
  for (int k = 0; k < count; k++) {
    const real speed = sciara_speed(q->h[k], q->px[k], q->py[k]);
    max_speed[k] = (usual[k] != 0) & (speed > max_speed[k]) ? speed : max_speed[k];
  }
}

/** Rim and tau3 of a cell that may not stay liquid. */
PIECE void settle_one(struct sciara_part *p, int64_t k, struct sciara_parcel parcel) {
  const struct sciara_fields *f = &p->f;
  const int64_t i = p->cell[k];
  const real before = p->h[k];
  bool bad = false;
  sciara_part_store(p, k);
  const enum sciara_fate fate = sciara_pass_settle(&p->rule, f, i, parcel, p->t, p->time, &bad);
  if (bad) sciara_part_blame(p, i);
  if (f->h[i] != before) p->stirred[i] = p->step; // rock: the lava has become ground
  p->rock += fate == SCIARA_FATE_ROCK;
  p->lost += fate == SCIARA_FATE_LOST;
  p->h[k] = f->h[i];
  p->T[k] = f->T[i];
  p->px[k] = f->px[i];
  p->py[k] = f->py[i];
  if (f->max_h) p->max_h[k] = f->max_h[i];
  if (f->max_speed) p->max_speed[k] = f->max_speed[i];
  if (fate != SCIARA_FATE_LIQUID) p->list[p->dead++] = (uint32_t)k;
}

/** Stores the new state of the cells from place `begin` on. */
PIECE void store(struct sciara_part *p, int64_t begin, int count, const struct parcels *restrict q,
                 const real *restrict T, const sciara_lane *restrict usual) {
  uint32_t changed[BLOCK], other[BLOCK];
  int changes = 0, others = 0;
  for (int k = 0; k < count; k++) {
    changed[changes] = other[others] = (uint32_t)k;
    changes += usual[k] && q->h[k] != p->h[begin + k];
    others += !usual[k] || p->first;
  }
  for (int n = 0; n < changes; n++) {
    const int64_t i = p->cell[begin + changed[n]];
    p->f.h[i] = q->h[changed[n]];
    p->stirred[i] = p->step;
  }
  for (int n = 0; n < others; n++) {
    const uint32_t k = other[n];
    settle_one(p, begin + k, (struct sciara_parcel){q->h[k], q->px[k], q->py[k], q->heat[k]});
  }
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
  struct parcels q;
  real T[BLOCK];
  sciara_lane usual[BLOCK];
  keep_residuals(p, begin, count, &q);
  fade(p, begin, count, &q);
  gather_all(p, begin, count, &q);
  if (p->watch) sciara_stopwatch_lap(p->watch, SCIARA_PROCESS_MASS_AND_MOMENTUM);
  cool(p, count, &q, T, usual);
  record(p, begin, count, &q, usual);
  store(p, begin, count, &q, T, usual);
  if (p->watch) sciara_stopwatch_lap(p->watch, SCIARA_PROCESS_TEMPERATURE);
}

static void settle(struct sciara_part *p) {
  p->dead = 0;
  for (int64_t begin = 0; begin < p->count; begin += BLOCK)
    settle_block(p, begin, p->count - begin < BLOCK ? (int)(p->count - begin) : BLOCK);
}

extern const struct sciara_part_kernel SCIARA_NAME(SCIARA_KERNEL);
const struct sciara_part_kernel SCIARA_NAME(SCIARA_KERNEL) = {.evaluate = evaluate, .flow = flow, .settle = settle};
