// SPDX-License-Identifier: Apache-2.0
// Time evaluation of engine `openmp`, in loops that a compiler turns into vector instructions: openmp_batch.h.
#include "engine/openmp_batch.h"

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
    odd |= is_normal_exp(exponent) ? 0 : 1;
    keep[k] = 1 - exp_normal(exponent);
    vx[k] = sciara_real_div(sciara_is_faint(px[k]) ? 0 : px[k], h[k]);
    vy[k] = sciara_real_div(sciara_is_faint(py[k]) ? 0 : py[k], h[k]);
    leaving[k] = 0;
  }
  if (!odd) return;
  for (int64_t k = 0; k < count; k++) keep[k] = 1 - sciara_dissipation(rule, T[k]);
}

/** Whether neither cell i nor a neighbour changed in the last step. One column more is looked at: it fills a vector. */
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
    faint += sciara_is_faint(p->px[k]) || sciara_is_faint(p->py[k]);
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
    odd |= is_normal_exp(exponent) ? 0 : 1;
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
  if (sciara_is_faint(px) || sciara_is_faint(py))
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

/** Blames the cells that hold what is no lava. */
static void blame_unsound(struct sciara_part *p) {
  for (int64_t k = 0; k < p->count; k++)
    if (!sciara_is_sound(&p->rule, p->f.z[p->cell[k]], p->h[k], p->T[k], p->px[k], p->py[k]))
      sciara_part_blame(p, p->cell[k]);
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

void sciara_part_evaluate(struct sciara_part *p) {
  struct batch b;
  p->t_opt = p->rule.clock_max;
  for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++)
    for (int i = 1; i < SCIARA_MOORE; i++) {
      struct sciara_edges *g = &p->edges[kind][i];
      g->count = g->timed = g->flown = g->taken = 0;
    }
  if (p->looks) blame_unsound(p);
  const int64_t awake = list_awake(p);
  find_velocities(p);
  for (int64_t k = 0; k < awake && !p->exhausted; k += BATCH)
    evaluate_batch(p, p->list + k, awake - k < BATCH ? (int)(awake - k) : BATCH, &b);
  for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++)
    for (int i = 1; i < SCIARA_MOORE; i++) find_times(p, &p->edges[kind][i]);
}
