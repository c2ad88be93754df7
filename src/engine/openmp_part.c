// SPDX-License-Identifier: Apache-2.0
#include "engine/openmp_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/** Resizes an array to `capacity` entries of `size` bytes; the first `used` entries are preserved. */
static bool resize(void **array, int64_t used, int64_t capacity, size_t size) {
  return sciara_resize(array, (size_t)used, (size_t)capacity, size, "active cells") == SCIARA_OK;
}

static int64_t grown(int64_t capacity, int64_t need) {
  int64_t bigger = capacity ? capacity : 256;
  while (bigger < need) bigger += bigger / 2;
  return (bigger + 63) / 64 * 64;
}

/** Reserves room for `more` entries after the first `count` ones of a list. */
static bool reserve_more(void **list, size_t size, int64_t count, int64_t more, int64_t *capacity) {
  if (count + more <= *capacity) return true;
  const int64_t larger = grown(*capacity, count + more);
  if (!resize(list, count, larger, size)) return false;
  *capacity = larger;
  return true;
}

bool sciara_cell_list_reserve(struct sciara_cell_list *l, int64_t more) {
  return reserve_more((void **)&l->cell, sizeof *l->cell, l->count, more, &l->capacity);
}

static enum sciara_status add_cell(struct sciara_cell_list *l, int64_t i) {
  if (!sciara_cell_list_reserve(l, 1)) return SCIARA_ERR_MEMORY;
  l->cell[l->count++] = i;
  return SCIARA_OK;
}

#if SCIARA_SHEET

enum { STEP_REALS = 0 };

bool sciara_limited_reserve(struct sciara_part *p, int64_t more) {
  return reserve_more((void **)&p->limited, sizeof *p->limited, p->limited_count, more, &p->limited_capacity);
}

static void release_flows(struct sciara_part *p) {
  sciara_free(p->limited);
  sciara_free(p->reached.cell);
  sciara_free(p->fresh.cell);
  sciara_free(p->gone.cell);
}

#else

enum { STEP_REALS = 2, EDGE_REALS = 4 };

/** The arrays of reals of edges. */
struct edge_reals {
  real **reals[EDGE_REALS];
};

static struct edge_reals edge_reals_of(struct sciara_edges *g) {
  return (struct edge_reals){{&g->v0, &g->accel, &g->path, &g->share}};
}

bool sciara_edges_reserve(struct sciara_part *p, enum sciara_edge_kind kind, int direction, int64_t more) {
  struct sciara_edges *g = &p->edges[kind][direction];
  if (g->count + more <= g->capacity) return true;
  const int64_t capacity = grown(g->capacity, g->count + more);
  bool good = kind == SCIARA_EDGE_INNER ? resize((void **)&g->to, g->count, capacity, sizeof *g->to)
                                        : resize((void **)&g->cell, g->count, capacity, sizeof *g->cell);
  good = good && resize((void **)&g->donor, g->count, capacity, sizeof *g->donor);
  const struct edge_reals all = edge_reals_of(g);
  for (int k = 0; k < EDGE_REALS; k++) good = good && resize((void **)all.reals[k], g->count, capacity, sizeof(real));
  if (good) g->capacity = capacity;
  return good;
}

bool sciara_arrivals_reserve(struct sciara_arrivals *a, int64_t more) {
  return reserve_more((void **)&a->list, sizeof *a->list, a->count, more, &a->capacity);
}

static void release_edges(struct sciara_edges *g) {
  sciara_free(g->to);
  sciara_free(g->cell);
  sciara_free(g->donor);
  const struct edge_reals all = edge_reals_of(g);
  for (int k = 0; k < EDGE_REALS; k++) sciara_free(*all.reals[k]);
}

static void release_flows(struct sciara_part *p) {
  sciara_free(p->subnormal);
  sciara_free(p->fresh.list);
  for (int i = 0; i < SCIARA_MOORE; i++) {
    sciara_free(p->inner[i].list);
    for (int kind = 0; kind < SCIARA_EDGE_KINDS; kind++) release_edges(&p->edges[kind][i]);
  }
}

#endif

/**
 * A part and its arrays of reals that are in use: first `lasting` ones that are preserved between steps, then the
 * others.
 */
struct table {
  struct sciara_part *part;
  real **reals[5 + 1 + (int)SCIARA_RECORDED_FIELDS + STEP_REALS];
  int lasting, count;
};

static struct table table_of(struct sciara_part *p) {
  struct table t = {.part = p, .reals = {&p->h, &p->T, &p->px, &p->py, &p->from}, .lasting = 5};
  if (p->f.z0) t.reals[t.lasting++] = &p->solid;
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (p->f.member) t.reals[t.lasting++] = &p->member;
#include "model/fields.def"
  t.count = t.lasting;
#if !SCIARA_SHEET
  t.reals[t.count++] = &p->keep;
  t.reals[t.count++] = &p->leaving;
#endif
  return t;
}

void sciara_part_release(struct sciara_part *p) {
  const struct table all = table_of(p);
  for (int k = 0; k < all.count; k++) sciara_free(*all.reals[k]);
  sciara_free(p->cell);
  sciara_free(p->test_from);
  sciara_free(p->list);
  sciara_free(p->created.cell);
  release_flows(p);
  *p = (struct sciara_part){0};
}

/** Releases the memory of a part and makes it empty; its range of cells stays. */
static void clear(struct sciara_part *p) {
  const struct sciara_part empty = {
    .rule = p->rule,
    .f = p->f,
    .entry_of = p->entry_of,
    .changed = p->changed,
#if SCIARA_SHEET
    .given = p->given,
#endif
    .begin = p->begin,
    .end = p->end,
    .first = p->first,
    .watch = p->watch
  };
  sciara_part_release(p);
  *p = empty;
}

void sciara_part_give_cells(struct sciara_part *p, bool lasting, struct sciara_part *to) {
  *to = (struct sciara_part){
      .f = p->f, .count = p->count, .capacity = p->capacity, .cell = p->cell, .test_from = p->test_from};
  const struct table mine = table_of(p), theirs = table_of(to);
  for (int k = 0; k < mine.lasting; k++) {
    *theirs.reals[k] = *mine.reals[k];
    *mine.reals[k] = NULL;
  }
  p->cell = NULL;
  p->test_from = NULL;
  p->count = p->capacity = 0;
  if (!lasting) clear(p);
}

/** Reserves room for so many cells. */
static enum sciara_status make_room(struct sciara_part *p, int64_t cells) {
  const int64_t need = cells + CHUNK; // a vector may begin at any cell
  if (need <= p->capacity) return SCIARA_OK;
  if (need >= (int64_t)UINT32_MAX)
    return sciara_fail(SCIARA_ERR_MEMORY, "more than %u active cells are not supported", UINT32_MAX);
  const int64_t capacity = grown(p->capacity, need);
  bool good = resize((void **)&p->cell, p->count, capacity, sizeof *p->cell) &&
              resize((void **)&p->test_from, p->count, capacity, sizeof *p->test_from) &&
              resize((void **)&p->list, 0, capacity, sizeof *p->list);
#if !SCIARA_SHEET
  good = good && resize((void **)&p->subnormal, 0, capacity, sizeof *p->subnormal);
#endif
  const struct table all = table_of(p);
  for (int k = 0; k < all.count; k++) good = good && resize((void **)all.reals[k], p->count, capacity, sizeof(real));
  if (!good) return SCIARA_ERR_MEMORY;
  p->capacity = capacity;
  return SCIARA_OK;
}

size_t sciara_part_memory_of_lava(unsigned record) {
  const struct sciara_part *p = NULL;
  const size_t reals = 5 + STEP_REALS + sciara_record_count(record) + (record & SCIARA_RECORD_OF_GROUND ? 1 : 0);
  const size_t cell = sizeof *p->cell + sizeof *p->test_from + sizeof *p->list + reals * sizeof(real);
  const size_t of_grid = sizeof *p->entry_of + sizeof *p->changed; // elsewhere these are zeros that occupy no memory
#if SCIARA_SHEET
  return cell + of_grid + sizeof p->given / sizeof(real *) * sizeof(real);
#else
  // Edges: measured on rough slopes, where a cell has two outflows on average.
  enum { EDGES = 2 };
  const struct sciara_edges *g = NULL;
  const size_t edge = sizeof *g->to + sizeof *g->donor + EDGE_REALS * sizeof(real);
  return cell + sizeof *p->subnormal + of_grid + EDGES * edge;
#endif
}

/** Loads cell i from the arrays of the grid into entry k. */
static void load(struct sciara_part *p, int64_t k, int64_t i) {
  const struct sciara_fields *f = &p->f;
  p->cell[k] = i;
  p->h[k] = f->h[i];
  p->T[k] = f->T[i];
  p->px[k] = f->px[i];
  p->py[k] = f->py[i];
  p->from[k] = 0;
  p->test_from[k] = 0;
  if (f->z0) p->solid[k] = sciara_solid(f->z[i], f->z0[i]); // a cell whose lava solidifies leaves the list
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (f->member) p->member[k] = f->member[i];
#include "model/fields.def"
  p->entry_of[i] = (uint32_t)(k + 1);
}

enum sciara_status sciara_part_list_lava(struct sciara_part *p) {
  int64_t liquid = 0;
  for (int64_t i = p->begin; i < p->end; i++) liquid += p->f.h[i] != 0; // invalid values too: the first step finds them
  SCIARA_TRY(make_room(p, liquid));
  for (int64_t i = p->begin; i < p->end; i++)
    if (p->f.h[i] != 0) load(p, p->count++, i);
  return SCIARA_OK;
}

void sciara_part_store(const struct sciara_part *p, int64_t k) {
  const struct sciara_fields *f = &p->f;
  const int64_t i = p->cell[k];
  f->h[i] = p->h[k];
  f->T[i] = p->T[k];
  f->px[i] = p->px[k];
  f->py[i] = p->py[k];
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (f->member) f->member[i] = p->member[k];
#include "model/fields.def"
}

/** Copies a cell from an entry of the same or another part to entry `k` of a part. */
static void copy(const struct table *to, int64_t k, const struct table *from, int64_t entry) {
  to->part->cell[k] = from->part->cell[entry];
  to->part->test_from[k] = from->part->test_from[entry];
  for (int n = 0; n < to->lasting; n++) (*to->reals[n])[k] = (*from->reals[n])[entry];
  to->part->entry_of[to->part->cell[k]] = (uint32_t)(k + 1);
}

enum sciara_status sciara_part_take(struct sciara_part *p, struct sciara_part *from, int64_t k) {
  SCIARA_TRY(make_room(p, p->count + 1));
  const struct table mine = table_of(p), theirs = table_of(from);
  copy(&mine, p->count++, &theirs, k);
  return SCIARA_OK;
}

/** Removes the cells at the entries list[0..removed), which are in ascending order. */
static enum sciara_status remove_dry(struct sciara_part *p) {
  const struct table all = table_of(p);
  int64_t entry = p->removed ? p->list[0] : p->count;
  int64_t next = 0;
  for (int64_t k = entry; k < p->count; k++) {
    if (next < p->removed && p->list[next] == k) {
      p->entry_of[p->cell[k]] = 0;
#if SCIARA_SHEET
      SCIARA_TRY(add_cell(&p->gone, p->cell[k]));
#endif
      next++;
      continue;
    }
    copy(&all, entry++, &all, k);
  }
  p->count = entry;
  p->removed = 0;
  return SCIARA_OK;
}

/** Removes the cells that have become dry, and inserts those that have become liquid. */
static enum sciara_status update(struct sciara_part *p) {
  struct sciara_cell_list *created = &p->created;
  SCIARA_TRY(remove_dry(p));
  SCIARA_TRY(make_room(p, p->count + created->count));
  const struct table all = table_of(p);
  int64_t k = p->count - 1, entry = p->count + created->count - 1;
  for (int64_t b = created->count - 1; b >= 0; b--) {
    for (; k >= 0 && p->cell[k] > created->cell[b]; k--) copy(&all, entry--, &all, k);
    load(p, entry--, created->cell[b]);
  }
  p->count += created->count;
  created->count = 0;
  return SCIARA_OK;
}

enum sciara_status sciara_part_insert(struct sciara_part *p, int64_t i) {
  SCIARA_TRY(add_cell(&p->created, i));
  return update(p);
}

/** tau2, rim and tau3 of dry cell i of a part, which collected `inflow`. */
static enum sciara_status settle_dry_cell(struct sciara_part *p, int64_t i, struct sciara_inflow inflow) {
  if (inflow.h == 0) return SCIARA_OK;
  bool bad = false;
  const enum sciara_outcome outcome = sciara_pass_settle(&p->rule, &p->f, i, inflow, p->t, p->time, &bad);
  if (bad) sciara_part_report(p, i);
  sciara_tally_count(&p->tally, outcome);
  if (outcome == SCIARA_OUTCOME_LIQUID || outcome == SCIARA_OUTCOME_ROCK) p->changed[i] = p->step;
  return outcome == SCIARA_OUTCOME_LIQUID ? add_cell(&p->created, i) : SCIARA_OK;
}

#if SCIARA_SHEET

static int by_cell(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/** What dry cell i receives from its neighbours. */
static struct sciara_inflow gather_dry(const struct sciara_part *p, int64_t i) {
  struct sciara_inflow inflow = {0, 0, 0, 0};
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const int64_t from = i + sciara_moore_offset(n, p->f.stride);
    const real out = sciara_given_out(p->given.rate[sciara_moore_reverse(n)][from], p->t);
    sciara_inflow_add(&inflow, n, (struct sciara_outflow){.thickness = out}, p->given.T[from]);
  }
  return inflow;
}

enum sciara_status sciara_part_settle_dry(struct sciara_part *p) {
  struct sciara_cell_list *l = &p->fresh;
  if (l->count > 1) qsort(l->cell, (size_t)l->count, sizeof *l->cell, by_cell);
  for (int64_t k = 0; k < l->count; k++)
    if (k == 0 || l->cell[k] != l->cell[k - 1]) SCIARA_TRY(settle_dry_cell(p, l->cell[k], gather_dry(p, l->cell[k])));
  return update(p);
}

void sciara_part_forget_gone(struct sciara_part *p) {
  for (int64_t k = 0; k < p->gone.count; k++)
    for (int i = 1; i < SCIARA_MOORE; i++) p->given.rate[i][p->gone.cell[k]] = 0;
  p->gone.count = 0;
}

#else

static int by_cell(const void *a, const void *b) {
  const struct sciara_arrival *x = (const struct sciara_arrival *)a, *y = (const struct sciara_arrival *)b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  return x->direction - y->direction;
}

enum sciara_status sciara_part_settle_dry(struct sciara_part *p) {
  struct sciara_arrivals *a = &p->fresh;
  if (a->count > 1) qsort(a->list, (size_t)a->count, sizeof *a->list, by_cell);
  for (int64_t k = 0; k < a->count;) {
    const int64_t i = a->list[k].cell;
    struct sciara_inflow inflow = {0, 0, 0, 0};
    for (; k < a->count && a->list[k].cell == i; k++)
      sciara_inflow_add(&inflow, a->list[k].direction, a->list[k].out, a->list[k].T);
    SCIARA_TRY(settle_dry_cell(p, i, inflow));
  }
  a->count = 0;
  return update(p);
}

#endif
