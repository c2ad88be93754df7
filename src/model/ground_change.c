// SPDX-License-Identifier: Apache-2.0
#include "model/ground_change.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"

void sciara_ground_changes_free(struct sciara_ground_changes *c) {
  for (size_t k = 0; k < c->count; k++) free(c->change[k].name);
  free(c->change);
  free(c->op);
  *c = (struct sciara_ground_changes){0};
}

enum sciara_status sciara_ground_changes_begin(struct sciara_ground_changes *c, double from_s, const char *name,
                                               size_t number) {
  struct sciara_ground_change *more = realloc(c->change, (c->count + 1) * sizeof *more);
  if (!more) return sciara_no_memory("changes of the ground");
  c->change = more;
  c->change[c->count] = (struct sciara_ground_change){from_s, strdup(name), number, c->ops, c->ops};
  if (!c->change[c->count].name) return sciara_no_memory("changes of the ground");
  c->count++;
  return SCIARA_OK;
}

enum sciara_status sciara_ground_changes_add(struct sciara_ground_changes *c, struct sciara_ground_op op) {
  if (c->ops == c->room) {
    const int64_t room = c->room ? 2 * c->room : 1024;
    size_t bytes;
    SCIARA_TRY(sciara_size_mul((size_t)room, sizeof op, &bytes));
    struct sciara_ground_op *more = realloc(c->op, bytes);
    if (!more) return sciara_no_memory("changes of the ground");
    c->op = more;
    c->room = room;
  }
  c->op[c->ops++] = op;
  c->change[c->count - 1].end = c->ops;
  return SCIARA_OK;
}

enum sciara_status sciara_ground_changes_copy(const struct sciara_ground_changes *from,
                                              struct sciara_ground_changes *to) {
  for (size_t k = 0; from && k < from->count; k++) {
    const struct sciara_ground_change *change = &from->change[k];
    SCIARA_TRY(sciara_ground_changes_begin(to, change->from_s, change->name, change->number));
    for (int64_t i = change->first; i < change->end; i++) SCIARA_TRY(sciara_ground_changes_add(to, from->op[i]));
  }
  return SCIARA_OK;
}

uint64_t sciara_ground_changes_hash(const struct sciara_ground_changes *c) {
  uint64_t hash = SCIARA_HASH_BEGIN;
  if (!c || c->count == 0) return 0;
  for (size_t k = 0; k < c->count; k++) {
    const int64_t count = c->change[k].end - c->change[k].first;
    hash = sciara_hash_bytes(hash, &c->change[k].from_s, sizeof c->change[k].from_s);
    hash = sciara_hash_bytes(hash, &count, sizeof count);
  }
  for (int64_t i = 0; i < c->ops; i++) {
    const int64_t whole[2] = {c->op[i].cell, (int64_t)c->op[i].what};
    hash = sciara_hash_bytes(hash, whole, sizeof whole);
    hash = sciara_hash_bytes(hash, &c->op[i].value, sizeof c->op[i].value);
  }
  return hash ? hash : 1;
}

double sciara_site_next_change(const struct sciara_site *site) {
  const struct sciara_ground_changes *c = site->changes;
  return c && site->changes_done < c->count ? c->change[site->changes_done].from_s : (double)INFINITY;
}

double sciara_site_last_change(const struct sciara_site *site) {
  const struct sciara_ground_changes *c = site->changes;
  return c && c->count > 0 ? c->change[c->count - 1].from_s : 0;
}

static double apply(const struct sciara_ground_changes *c, const struct sciara_ground_op *op, double altitude) {
  const double after = sciara_edit_apply(op->what, op->value, altitude);
  return c->single_precision ? (double)(float)after : after;
}

enum sciara_status sciara_site_change(const struct sciara_site *site, const struct sciara_site **out) {
  double *z0;
  const struct sciara_ground_changes *c = site->changes;
  const struct sciara_ground_change *change = &c->change[site->changes_done];
  SCIARA_TRY(sciara_site_copy(site, &z0, out));
  for (int64_t i = change->first; i < change->end; i++) z0[c->op[i].cell] = apply(c, &c->op[i], z0[c->op[i].cell]);
  return SCIARA_OK;
}

/** The surface of the rock of a state, after a change. */
static void change_surface(struct sciara_state *s, const struct sciara_ground_changes *c, size_t k, int64_t row,
                           int64_t col, int64_t cols) {
  for (int64_t i = c->change[k].first; i < c->change[k].end; i++) {
    const int64_t at_row = c->op[i].cell / cols - row, at_col = c->op[i].cell % cols - col;
    if (at_row < 0 || at_col < 0 || at_row >= s->grid.rows || at_col >= s->grid.cols) continue;
    double *z = &s->z[at_row * s->grid.cols + at_col];
    *z = apply(c, &c->op[i], *z);
  }
}

/** Counts what has changed in a cell whose surface was `before`, and whose rock was that thick, m. */
static void count_cell(struct sciara_state *s, int64_t i, double before, double rock, double epsilon,
                       struct sciara_ground_effect *e) {
  enum { ROUNDINGS = 8 }; // of z, z0 and their differences
  const double change = s->z[i] - before, less = rock - (s->z[i] - s->z0[i]);
  if (change != 0) {
    e->cells++;
    e->with_lava += s->h[i] > 0;
    e->low = fmin(e->low, change);
    e->high = fmax(e->high, change);
    e->volume_m3 += change;
  }
  if (rock == 0) return;
  if (less > ROUNDINGS * epsilon * fmax(fabs(before), fabs(s->z[i]))) e->rock_m3 += less;
  s->solidifications += ROUNDINGS; // for the bound of the mass balance
}

enum sciara_status sciara_state_change_ground(struct sciara_state *s, const struct sciara_site *site,
                                              const struct sciara_ground_changes *c, size_t k, int64_t row, int64_t col,
                                              int64_t cols, struct sciara_ground_effect *e) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  const double area = s->grid.cell_size * s->grid.cell_size;
  const double epsilon = c->single_precision ? (double)FLT_EPSILON : DBL_EPSILON, *z0 = s->z0;
  double *before;
  *e = (struct sciara_ground_effect){.low = INFINITY, .high = -INFINITY};
  SCIARA_TRY(SCIARA_NEW(before, (size_t)cells, "a change of the ground"));
  memcpy(before, s->z, (size_t)cells * sizeof *before);
  const struct sciara_site *old = s->site;
  change_surface(s, c, k, row, col, cols);
  s->site = sciara_site_retain(site);
  s->kind = site->kind;
  s->z0 = site->z0;
  for (int64_t i = 0; i < cells; i++)
    if (s->z[i] != before[i] || s->z0[i] != z0[i]) count_cell(s, i, before[i], before[i] - z0[i], epsilon, e);
  sciara_site_release(old);
  sciara_free(before);
  e->volume_m3 *= area;
  e->rock_m3 *= area;
  s->removed += e->rock_m3;
  return SCIARA_OK;
}
