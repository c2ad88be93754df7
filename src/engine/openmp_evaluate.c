// SPDX-License-Identifier: Apache-2.0
// Time evaluation of engine `openmp` for rule fv3, in loops that a compiler turns into vector instructions:
// openmp_gang.h. Empty in sources of another rule.
#include <string.h>

#include "engine/openmp_gang.h"

#if !SCIARA_SHEET
enum { WORDS = GANG / 64 }; ///< words with a bit for each cell of a gang
#define NO_ENTRY UINT32_MAX ///< the entry of a cell that is not in the list

/** Computes the fraction of its momentum that each cell keeps, for the cells from entry `begin` on. */
PIECE void begin_block(struct sciara_part *p, int64_t begin, int count) {
  const struct sciara_rule *rule = &p->rule;
  const real *restrict T = p->T + begin;
  real *restrict keep = p->keep + begin;
  sciara_lane odd = 0;
  LANES
  for (int k = 0; k < count; k++) {
    const real exponent = sciara_log_of_law(rule, rule->ln_dP_sol, rule->dP_b, T[k]);
    odd |= is_normal_exp(exponent) ? 0 : 1;
    keep[k] = 1 - exp_normal(exponent);
  }
  if (!odd) return;
  for (int k = 0; k < count; k++) keep[k] = 1 - sciara_dissipation(rule, T[k]);
}

/** Lists the cells from entry `begin` on that are not quiescent; returns their number. Also lists subnormal momenta. */
PIECE int list_evaluated(struct sciara_part *p, int64_t begin, int count, uint32_t *restrict list) {
  int pending = 0;
  int64_t subnormal = p->subnormal_count;
  for (int64_t k = begin; k < begin + count; k++) {
    const bool quiescent = p->from[k] > 0 && p->T[k] <= p->from[k] && is_calm(p, p->cell[k]);
    if (!quiescent && p->from[k] > 0) p->from[k] = 0; // seldom: an unconditional store would cause memory traffic
    list[pending] = (uint32_t)k;
    pending += !quiescent;
    p->subnormal[subnormal] = (uint32_t)k;
    subnormal += sciara_is_subnormal(p->px[k]) || sciara_is_subnormal(p->py[k]);
  }
  p->subnormal_count = subnormal;
  return pending;
}

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
    b->px[k] = p->px[from];
    b->py[k] = p->py[from];
    b->z[k] = p->f.z[b->cell[k]];
    b->set[k] = SCIARA_SELF;
    b->top[0][k] = 0;
  }
}

PIECE void find_critical_heights(const struct sciara_rule *rule, struct gang *restrict b) {
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

/** Computes the velocities of a gang and their directions. */
PIECE void find_starts(const struct sciara_rule *rule, struct gang *restrict b) {
  sciara_lane subnormal = 0;
  LANES
  for (int k = 0; k < b->lanes; k++) {
    subnormal |= sciara_is_subnormal(b->px[k]) ? 1 : 0;
    subnormal |= sciara_is_subnormal(b->py[k]) ? 1 : 0;
    b->vx[k] = velocity(b->px[k], b->h[k]);
    b->vy[k] = velocity(b->py[k], b->h[k]);
  }
  b->subnormal = subnormal != 0;
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

/** Evaluates the rule itself to decide whether cell k of a gang is open to neighbour i. */
PIECE void resolve_doubt(const struct sciara_rule *rule, struct gang *restrict b, int i, int k) {
  struct sciara_slope s;
  const real head = b->to[i > 4][k] == i ? b->head[i > 4][k] : 0;
  const bool open = sciara_slope_open_with(rule, b->h[k], b->hc[k], b->top[i][k], head, &s);
  b->set[k] = (b->set[k] & ~((sciara_lane)1 << i)) | (open ? (sciara_lane)1 << i : 0);
}

/** Finds which cells of a gang are open to neighbour i, which is a constant for the compiler. */
static inline __attribute__((always_inline)) void
find_slopes(const struct sciara_rule *rule, const struct sciara_fields *f, int i, struct gang *restrict b) {
  const int64_t offset = sciara_moore_offset(i, f->stride);
  const real *restrict head = b->head[i > 4];
  const sciara_lane *restrict to = b->to[i > 4];
  real *restrict top = b->top[i];
  real zn[GANG], hn[GANG];
  sciara_lane doubt[GANG], any = 0;
  for (int k = 0; k < b->lanes; k++) {
    zn[k] = f->z[b->cell[k] + offset];
    hn[k] = f->h[b->cell[k] + offset];
  }
  LANES
  for (int k = 0; k < b->lanes; k++) {
    top[k] = sciara_top(i, b->z[k], zn[k], hn[k]);
    const struct sciara_shortcut answer =
        sciara_shortcut_open(rule, b->h[k], b->hc[k], top[k], to[k] == i ? head[k] : 0);
    b->set[k] |= answer.open ? (sciara_lane)1 << i : 0;
    doubt[k] = answer.doubt ? 1 : 0;
    any |= doubt[k];
  }
  for (int k = 0; any && k < b->lanes; k++)
    if (doubt[k]) resolve_doubt(rule, b, i, k);
}

PIECE void find_all_slopes(const struct sciara_rule *rule, const struct sciara_fields *f, struct gang *b) {
  find_slopes(rule, f, 1, b);
  find_slopes(rule, f, 2, b);
  find_slopes(rule, f, 3, b);
  find_slopes(rule, f, 4, b);
  find_slopes(rule, f, 5, b);
  find_slopes(rule, f, 6, b);
  find_slopes(rule, f, 7, b);
  find_slopes(rule, f, 8, b);
}

/** Computes the times along the new edges. */
PIECE void find_times(struct sciara_part *p, struct sciara_edges *g) {
  const struct sciara_rule *rule = &p->rule;
  real time[GANG], least[CHUNK];
  for (int l = 0; l < CHUNK; l++) least[l] = rule->clock_max;
  for (; g->timed < g->count; g->timed += GANG) {
    const real *restrict v0 = g->v0 + g->timed;
    real *restrict accel = g->accel + g->timed, *restrict path = g->path + g->timed;
    const uint32_t *restrict donor = g->donor + g->timed;
    const int n = g->count - g->timed < GANG ? (int)(g->count - g->timed) : GANG;
    real h[GANG], keep[GANG];
    sciara_lane nan[GANG], odd = 0;
    for (int k = 0; k < n; k++) {
      h[k] = p->h[donor[k]];
      keep[k] = p->keep[donor[k]];
    }
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
    for (int k = n; k < GANG; k++) time[k] = rule->clock_max;
    for (int k = 0; k < GANG; k += CHUNK)
      for (int l = 0; l < CHUNK; l++) least[l] = time[k + l] < least[l] ? time[k + l] : least[l];
    for (int k = 0; odd && k < n; k++)
      if (nan[k]) sciara_part_report(p, p->cell[donor[k]]);
  }
  g->timed = g->count;
  for (int l = 0; l < CHUNK; l++)
    if (least[l] < p->t_opt) p->t_opt = least[l];
}

/** Computes the initial speeds along the last edges of a list again where the momentum of the donor is subnormal. */
static void correct_speeds(const struct sciara_part *p, struct sciara_edges *g, int i, int last) {
  for (int64_t e = g->count - last; e < g->count; e++) {
    const uint32_t entry = g->donor[e];
    const real px = p->px[entry], py = p->py[entry];
    if (sciara_is_subnormal(px) || sciara_is_subnormal(py))
      g->v0[e] = sciara_initial_speed(i, sciara_velocity(px, p->h[entry]), sciara_velocity(py, p->h[entry]));
  }
}

/** Appends the edges in direction i of some cells of a gang to a list, without their receivers. */
static inline void append(struct sciara_edges *restrict g, const struct sciara_part *p, const struct gang *restrict b,
                          int i, const uint16_t *restrict chosen, int count) {
  uint32_t *donor = g->donor + g->count;
  real *v0 = g->v0 + g->count, *share = g->share + g->count;
  real *accel = g->accel + g->count, *path = g->path + g->count;
  const sciara_lane *restrict towards = b->to[i > 4];
  for (int e = 0; e < count; e++) {
    const uint32_t k = chosen[e];
    const bool along = towards[k] == i;
    donor[e] = b->entry[k];
    v0[e] = along ? b->speed[i > 4][k] : 0;
    share[e] = sciara_share(b->average[k], b->top[i][k]);
    accel[e] = b->top[i][k];
    path[e] = along ? b->head[i > 4][k] : 0;
  }
  g->count += count;
  if (b->subnormal) correct_speeds(p, g, i, count);
}

/** Makes the edges in direction i of a gang; `givers`: a bit for each cell for which neighbour i survives. */
static inline void make_edges(struct sciara_part *p, const struct gang *restrict b, int i,
                              const uint64_t givers[WORDS]) {
  struct sciara_edges *inner = &p->edges[SCIARA_EDGE_INNER][i];
  uint32_t *restrict to = inner->to + inner->count;
  const uint32_t *restrict entry_of = p->entry_of + p->begin;
  const int64_t offset = sciara_moore_offset(i, p->f.stride);
  const uint64_t size = (uint64_t)(p->end - p->begin);
  uint16_t chosen[GANG];
  int count = 0, all = 0;
  for (int w = 0; w < WORDS; w++) {
    all += __builtin_popcountll(givers[w]);
    for (uint64_t m = givers[w]; m; m &= m - 1) {
      const int k = 64 * w + __builtin_ctzll(m);
      const uint64_t cell = (uint64_t)(b->cell[k] + offset - p->begin); // huge if it is below 0
      const uint32_t entry = entry_of[cell < size ? cell : 0] - 1;
      to[count] = entry;
      chosen[count] = (uint16_t)k;
      count += (cell < size) & (entry != NO_ENTRY);
    }
  }
  append(inner, p, b, i, chosen, count);
  for (int w = 0; w < WORDS && count < all; w++) // seldom: dry cells, and cells of other parts
    for (uint64_t m = givers[w]; m; m &= m - 1) {
      const uint16_t k = (uint16_t)(64 * w + __builtin_ctzll(m));
      const int64_t cell = b->cell[k] + offset;
      const bool mine = cell >= p->begin && cell < p->end;
      if (mine && p->entry_of[cell]) continue;
      struct sciara_edges *g = &p->edges[mine ? SCIARA_EDGE_FRESH : SCIARA_EDGE_OUTER][i];
      g->cell[g->count] = cell;
      append(g, p, b, i, &k, 1);
    }
}

/** Reserves room for the edges of a gang in direction i. */
static bool reserve_edges(struct sciara_part *p, int i) {
  bool good = true;
  for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++) {
    const struct sciara_edges *g = &p->edges[kind][i];
    if (g->capacity - g->count < GANG) good = good && sciara_edges_reserve(p, (enum sciara_edge_kind)kind, i, GANG);
  }
  return good;
}

/** Transposes a matrix of 8 x 8 bits, the first row in the lowest byte. */
static inline uint64_t transpose(uint64_t m) {
  uint64_t swap = (m ^ m >> 7) & UINT64_C(0x00aa00aa00aa00aa);
  m ^= swap ^ swap << 7;
  swap = (m ^ m >> 14) & UINT64_C(0x0000cccc0000cccc);
  m ^= swap ^ swap << 14;
  swap = (m ^ m >> 28) & UINT64_C(0x00000000f0f0f0f0);
  return m ^ swap ^ swap << 28;
}

/** Sets bit k of givers[i] where neighbour i of cell k of a gang survives. */
PIECE void find_givers(const struct gang *restrict b, uint64_t givers[SCIARA_MOORE][WORDS]) {
  for (int w = 0; w < WORDS; w++) {
    for (int i = 1; i < SCIARA_MOORE; i++) givers[i][w] = 0;
    for (int c = 0; c < 64 && 64 * w + c < b->lanes; c += 8) {
      uint64_t rows = 0;
      for (int k = 0; k < 8; k++) rows |= (uint64_t)b->set[64 * w + c + k] >> 1 << 8 * k;
      rows = transpose(rows);
      SCIARA_UNROLL
      for (int i = 1; i < SCIARA_MOORE; i++) givers[i][w] |= (rows >> 8 * (i - 1) & 255) << c;
    }
    const int count = b->count - 64 * w;
    const uint64_t mine = count >= 64 ? ~UINT64_C(0) : count > 0 ? (UINT64_C(1) << count) - 1 : 0;
    for (int i = 1; i < SCIARA_MOORE; i++) givers[i][w] &= mine;
  }
}

/** Makes the edges to all survivors of the cells of a gang. */
PIECE void make_all_edges(struct sciara_part *p, const struct gang *restrict b) {
  uint64_t givers[SCIARA_MOORE][WORDS];
  find_givers(b, givers);
  for (int i = 1; i < SCIARA_MOORE; i++) {
    uint64_t any = 0;
    for (int w = 0; w < WORDS; w++) any |= givers[i][w];
    if (!any) continue;
    if (!reserve_edges(p, i)) {
      p->exhausted = true;
      return;
    }
    make_edges(p, b, i, givers[i]);
    struct sciara_edges *inner = &p->edges[SCIARA_EDGE_INNER][i];
    if (inner->count - inner->timed >= GANG) find_times(p, inner);
  }
}

/** Finds which of the cells without outflow are quiescent. */
PIECE void find_quiescent(struct sciara_part *p, const struct gang *restrict b) {
  const struct sciara_rule *rule = &p->rule;
  uint32_t chosen[GANG];
  real h[GANG], limit[GANG], head[GANG], top[GANG];
  sciara_lane quiescent[GANG];
  int count = 0;
  for (int k = 0; k < b->count; k++) {
    chosen[count] = (uint32_t)k;
    count += !(b->set[k] & ~(sciara_lane)SCIARA_SELF) && p->step >= p->test_from[b->entry[k]] && is_calm(p, b->cell[k]);
  }
  if (count == 0) return;
  for (int n = 0; n < count; n++) {
    const uint32_t k = chosen[n];
    h[n] = b->h[k];
    head[n] = sciara_quiescent_head(rule, b->vx[k], b->vy[k]);
    limit[n] = sciara_quiescent_limit(rule, h[n], b->hc[k], head[n]);
    quiescent[n] = 1;
  }
  for (int i = 1; i < SCIARA_MOORE; i++) {
    for (int n = 0; n < count; n++) top[n] = b->top[i][chosen[n]];
    LANES
    for (int n = 0; n < count; n++)
      quiescent[n] &= sciara_quiescent_height(rule, h[n], top[n], head[n]) < limit[n] ? 1 : 0;
  }
  for (int n = 0; n < count; n++) {
    const uint32_t entry = b->entry[chosen[n]];
    p->from[entry] = quiescent[n] ? p->T[entry] : 0;
    p->test_from[entry] = p->step + (quiescent[n] ? 0 : TEST_INTERVAL);
  }
}

/** tau1.6 of all cells of a gang: rounds until none changes a set, a chunk of cells at a time. */
PIECE void minimise(struct gang *restrict b) {
  for (int c = 0; c < b->lanes; c += CHUNK) {
    sciara_lane more = 0;
    for (int k = c; k < c + CHUNK; k++) more |= b->set[k] & ~(sciara_lane)SCIARA_SELF;
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

static void evaluate_gang(struct sciara_part *p, const uint32_t *entry, int count, struct gang *b) {
  load_gang(p, entry, count, b);
  find_critical_heights(&p->rule, b);
  find_starts(&p->rule, b);
  find_all_slopes(&p->rule, &p->f, b);
  minimise(b);
  make_all_edges(p, b);
  find_quiescent(p, b);
}

/** Evaluates the cells of a part that are not quiescent, in gangs. All gangs but the last are full. */
static void evaluate_cells(struct sciara_part *p) {
  struct gang b;
  uint32_t list[GANG + BLOCK];
  int pending = 0;
  p->subnormal_count = p->faded = 0;
  for (int64_t begin = 0; begin < p->count && !p->exhausted; begin += BLOCK) {
    const bool last = p->count - begin <= BLOCK;
    const int count = last ? (int)(p->count - begin) : BLOCK;
    int done = 0;
    pending += list_evaluated(p, begin, count, list + pending);
    begin_block(p, begin, count);
    for (; pending - done >= GANG && !p->exhausted; done += GANG) evaluate_gang(p, list + done, GANG, &b);
    if (last && done < pending && !p->exhausted) evaluate_gang(p, list + done, pending - done, &b);
    pending -= done;
    memmove(list, list + done, (size_t)pending * sizeof *list);
  }
}

void sciara_part_evaluate(struct sciara_part *p) {
  p->t_opt = p->rule.clock_max;
  for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++)
    for (int i = 1; i < SCIARA_MOORE; i++) {
      struct sciara_edges *g = &p->edges[kind][i];
      g->count = g->taken = g->timed = g->flown = 0;
    }
  if (p->checks) report_unsound(p);
  evaluate_cells(p);
  for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++)
    for (int i = 1; i < SCIARA_MOORE; i++) find_times(p, &p->edges[kind][i]);
}

#endif
