// SPDX-License-Identifier: Apache-2.0
#include "ensemble/footprints.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/share.h"
#include "ensemble/ensemble.h"

// ------------------------------------------------------------------------------------------------------------- visits

/** A visit by several threads. */
struct tour {
  const struct sciara_footprint_source *source;
  sciara_footprint_visit *visit;
  void *context;
};

static enum sciara_status visit_piece(void *context, size_t piece) {
  const struct tour *t = (const struct tour *)context;
  return t->source->read(t->source->context, piece, t->visit, t->context);
}

enum sciara_status sciara_footprints_visit(const struct sciara_footprint_source *source, int threads,
                                           sciara_footprint_visit *visit, void *visit_context) {
  struct tour t = {source, visit, visit_context};
  return sciara_share_pieces(threads, source->pieces, visit_piece, &t);
}

// ------------------------------------------------------------------------------------------------------------ batches

static enum sciara_status path_of(const struct sciara_ensemble *e, size_t batch, char **path) {
  *path = sciara_batch_path(e, batch);
  return *path ? SCIARA_OK : sciara_no_memory("the path of a batch");
}

/** Whether a batch belongs to the ensemble, and holds the members that its plan says. */
static enum sciara_status check_batch(const struct sciara_batches *b, const char *path, size_t batch,
                                      const struct sciara_batch_header *h, const struct sciara_footprint *f,
                                      size_t count) {
  const struct sciara_ensemble *e = b->ensemble;
  const size_t first = sciara_batch_begin(e, batch), expected = sciara_batch_end(e, batch) - first;
  if (h->ensemble_hash != e->hash)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a batch of ensemble %016" PRIx64 ", found one of %016" PRIx64,
                       path, e->hash, h->ensemble_hash);
  if (h->site_hash != e->site_hash)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected results on ground %016" PRIx64 ", found %016" PRIx64, path,
                       e->site_hash, h->site_hash);
  if (h->batch != (int64_t)batch || count != expected)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected batch %zu with %zu members, found %" PRId64 " with %zu", path,
                       batch, expected, h->batch, count);
  if (b->rows && (h->rows != b->rows || h->cols != b->cols))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected a map of %" PRId64 " x %" PRId64 " cells, found %" PRId64 " x %" PRId64, path,
                       b->cols, b->rows, h->cols, h->rows);
  for (size_t k = 0; k < count; k++) {
    const size_t m = first + k;
    if (f[k].id != e->members.id[m] || f[k].row_hash != e->members.hash[m])
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: expected member %" PRId64 " as in members.csv, found member %" PRId64
                         " or another row of it",
                         path, e->members.id[m], f[k].id);
  }
  return SCIARA_OK;
}

/** Takes over what is known of the members of a batch. */
static void take_footprint_members(struct sciara_batches *b, size_t batch, const struct sciara_batch_header *h,
                                   struct sciara_footprint *f, size_t count) {
  b->rows = h->rows;
  b->cols = h->cols;
  b->present[batch] = 1;
  b->batches++;
  for (size_t k = 0; k < count; k++) {
    b->member[sciara_batch_begin(b->ensemble, batch) + k] = f[k];
    b->failed += f[k].failed;
    f[k] = (struct sciara_footprint){0};
  }
}

static enum sciara_status open_batch(struct sciara_batches *b, size_t batch) {
  struct sciara_batch_header h;
  struct sciara_footprint *f = NULL;
  size_t count = 0;
  void *file = NULL;
  char *path;
  SCIARA_TRY(path_of(b->ensemble, batch, &path));
  enum sciara_status status = SCIARA_OK;
  if (access(path, F_OK) != 0) goto cleanup;
  SCIARA_TRY_GOTO(sciara_batch_open(path, &h, &f, &count, &file));
  SCIARA_TRY_GOTO(check_batch(b, path, batch, &h, f, count));
  take_footprint_members(b, batch, &h, f, count);
cleanup:
  sciara_batch_close(file);
  sciara_batch_release(f, count);
  free(path);
  return status;
}

enum sciara_status sciara_batches_open(const struct sciara_ensemble *e, struct sciara_batches *out) {
  enum sciara_status status;
  size_t bad = 0;
  *out = (struct sciara_batches){.ensemble = e};
  SCIARA_TRY_GOTO(SCIARA_NEW(out->member, e->members.count, "the members of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->present, e->batch_count + 1, "the batches of an ensemble"));
  for (size_t m = 0; m < e->members.count; m++) out->member[m].id = -1;
  for (size_t batch = 0; batch < e->batch_count; batch++) {
    status = open_batch(out, batch);
    if (status == SCIARA_OK) continue;
    if (status != SCIARA_ERR_INPUT) goto cleanup;
    sciara_log(SCIARA_LOG_WARNING, "%s", sciara_last_error());
    bad++;
  }
  if (bad == 0) return SCIARA_OK;
  status = sciara_fail(SCIARA_ERR_INPUT,
                       "%s: %zu of its batches %s damaged or of another ensemble; remove what the warnings name, and "
                       "'sciara ensemble run' computes it again",
                       e->folder, bad, sciara_plural(bad, "is", "are"));
cleanup:
  sciara_batches_free(out);
  return status;
}

void sciara_batches_free(struct sciara_batches *b) {
  if (b->member) sciara_batch_release(b->member, b->ensemble->members.count);
  sciara_free(b->present);
  *b = (struct sciara_batches){0};
}

/** A batch whose cells cannot be read: sciara_batches_open has read its table alone. */
static enum sciara_status add_cure(enum sciara_status status, const char *path) {
  if (status != SCIARA_ERR_INPUT) return status;
  return sciara_fail(status, "%s; remove %s, and 'sciara ensemble run' computes its members again", sciara_last_error(),
                     path);
}

/** Lava that enters the sea is gone: a cell of the sea is not one that it reaches. */
static void leave_out_sea(const uint8_t *sea, struct sciara_footprint *f) {
  int64_t kept = 0;
  for (int64_t k = 0; k < f->count; k++) {
    if (sea[f->cell[k]]) continue;
    f->cell[kept] = f->cell[k];
    for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) f->value[v][kept] = f->value[v][k];
    kept++;
  }
  f->count = kept;
}

static enum sciara_status read_footprint_members(const struct sciara_batches *b, size_t batch, const char *path,
                                                 void *file, struct sciara_footprint *f, size_t count,
                                                 sciara_footprint_visit *visit, void *visit_context) {
  for (size_t k = 0; k < count; k++) {
    if (f[k].failed) continue;
    enum sciara_status status = add_cure(sciara_batch_cells(file, k, &f[k]), path);
    if (status == SCIARA_OK && b->sea) leave_out_sea(b->sea, &f[k]);
    if (status == SCIARA_OK) status = visit(visit_context, sciara_batch_begin(b->ensemble, batch) + k, &f[k]);
    sciara_footprint_free_cells(&f[k]);
    SCIARA_TRY(status);
  }
  return SCIARA_OK;
}

static enum sciara_status read_batch(void *context, size_t batch, sciara_footprint_visit *visit, void *visit_context) {
  const struct sciara_batches *b = (const struct sciara_batches *)context;
  struct sciara_batch_header h;
  struct sciara_footprint *f = NULL;
  size_t count = 0;
  void *file = NULL;
  char *path;
  if (!b->present[batch]) return SCIARA_OK;
  SCIARA_TRY(path_of(b->ensemble, batch, &path));
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_batch_open(path, &h, &f, &count, &file));
  SCIARA_TRY_GOTO(check_batch(b, path, batch, &h, f, count)); // it may have been replaced meanwhile
  SCIARA_TRY_GOTO(read_footprint_members(b, batch, path, file, f, count, visit, visit_context));
cleanup:
  sciara_batch_close(file);
  sciara_batch_release(f, count);
  free(path);
  return status;
}

struct sciara_footprint_source sciara_batches_source(const struct sciara_batches *b) {
  return (struct sciara_footprint_source){
      .context = (void *)(uintptr_t)b, .pieces = b->ensemble->batch_count, .read = read_batch};
}

// --------------------------- what the members do at the places, which are reached when lava reaches any of their cells

void sciara_poi_hits_free(struct sciara_poi_hits *h) {
  for (size_t k = 0; h->place && k < h->pois; k++) sciara_poi_cells_free(&h->place[k]);
  sciara_free(h->place);
  sciara_free(h->hit);
  sciara_free(h->reached);
  *h = (struct sciara_poi_hits){0};
}

enum sciara_status sciara_poi_check(const struct sciara_poi *poi, const struct sciara_poi_cells *cells,
                                    const struct sciara_grid *g, const struct sciara_dem_window *window) {
  const int k = sciara_grid_place_decimals(g);
  if (cells->count > 0) return SCIARA_OK;
  if (poi->point_count == 0 || !(cells->size.all > 0))
    return sciara_fail(SCIARA_ERR_INPUT, "site \"%s\": expected points, a length or an area, found none", poi->name);
  const struct sciara_point middle = sciara_poi_middle(poi);
  const bool windowed = sciara_poi_where_of(poi, SCIARA_POI_OUTSIDE, window) == SCIARA_POI_OUTSIDE;
  char outside[SCIARA_POI_REASON];
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "site \"%s\"%s%s: expected a place %s (x from %.*f to %.*f, y from %.*f to %.*f), found %sx %.*f, y %.*f",
      poi->name, windowed ? " " : "", windowed ? sciara_poi_where_reason(poi, SCIARA_POI_OUTSIDE, window, outside) : "",
      windowed ? "in the window" : "on the DEM", k, g->west, k, g->west + g->cell_size * (double)g->cols, k,
      g->north - g->cell_size * (double)g->rows, k, g->north, poi->point_count > 1 ? "its middle " : "", k, middle.x, k,
      middle.y);
}

/** No lava yet. */
static struct sciara_poi_hit untouched(void) {
  struct sciara_poi_hit h = {.covered = 0};
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) h.value[v] = sciara_footprint_values[v].most ? 0 : INFINITY;
  return h;
}

enum sciara_status sciara_poi_hits_make(const struct sciara_poi *pois, size_t count, const struct sciara_grid *grid,
                                        size_t members, struct sciara_poi_hits *out) {
  size_t size, cells = 0;
  enum sciara_status status;
  *out = (struct sciara_poi_hits){.pois = count, .members = members};
  SCIARA_TRY_GOTO(sciara_size_mul(count, members, &size));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->place, count + 1, "the places of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->hit, size + 1, "what members do at places"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->reached, members + 1, "what members do at places"));
  for (size_t k = 0; k < size; k++) out->hit[k] = untouched();
  for (size_t k = 0; k < count; k++) {
    SCIARA_TRY_GOTO(sciara_poi_cells_make(&pois[k], grid, &out->place[k]));
    cells += out->place[k].count;
    if (cells <= SCIARA_POI_HITS_MOST_CELLS) continue;
    status = sciara_fail(SCIARA_ERR_INPUT, "sites: expected at most %d cells in all of them, found more",
                         SCIARA_POI_HITS_MOST_CELLS);
    goto cleanup;
  }
cleanup:
  if (status != SCIARA_OK) sciara_poi_hits_free(out);
  return status;
}

/** Adds cell k of the footprint, in which `amount` of the place lies. */
static void add_cell(struct sciara_poi_hit *h, const struct sciara_footprint *f, int64_t k, double amount) {
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    const float value = f->value[v][k], so_far = h->value[v];
    const bool beyond = sciara_footprint_values[v].most ? value > so_far : value < so_far;
    if (beyond || isnan(value)) h->value[v] = value; // one that is unknown stays
  }
  h->covered += amount;
}

enum sciara_status sciara_poi_hits_visit(void *context, size_t member, const struct sciara_footprint *f) {
  struct sciara_poi_hits *h = (struct sciara_poi_hits *)context;
  h->reached[member] = f->count;
  for (size_t poi = 0; poi < h->pois; poi++) {
    const struct sciara_poi_cells *p = &h->place[poi];
    struct sciara_poi_hit *out = &h->hit[poi * h->members + member];
    *out = untouched();
    int64_t k = 0;
    for (size_t i = 0; i < p->count && k < f->count; i++) {
      if (f->cell[k] < p->cell[i]) k = sciara_lower_bound(f->cell, k, f->count, p->cell[i]);
      if (k < f->count && f->cell[k] == p->cell[i]) add_cell(out, f, k++, p->amount[i]);
    }
  }
  return SCIARA_OK;
}

bool sciara_poi_is_hit(const struct sciara_poi_hit *h, double deposit_m) {
  return isfinite(h->arrival) && (deposit_m == 0 || (double)h->max_deposit > deposit_m);
}

size_t sciara_poi_members(const struct sciara_poi_hits *h, const struct sciara_sample *s, size_t poi, double deposit_m,
                          double until_s, uint32_t *out) {
  size_t count = 0;
  for (size_t m = 0; m < s->count; m++) {
    const struct sciara_poi_hit *hit = sciara_poi_hit(h, poi, m);
    if (s->state[m] == SCIARA_MEMBER_OPEN || s->weight[m] == 0) continue;
    if (sciara_poi_is_hit(hit, deposit_m) && (double)hit->arrival <= until_s) out[count++] = (uint32_t)m;
  }
  return count;
}
