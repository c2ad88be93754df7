// SPDX-License-Identifier: Apache-2.0
#include "model/vents.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

struct sciara_vents *sciara_vents_create(void) {
  struct sciara_vents *v = (struct sciara_vents *)calloc(1, sizeof *v);
  if (v) v->first = (int64_t *)calloc(1, sizeof *v->first);
  if (v && !v->first) {
    free(v);
    v = NULL;
  }
  if (!v) sciara_fail(SCIARA_ERR_MEMORY, "no memory for the list of vents");
  return v;
}

void sciara_vents_destroy(struct sciara_vents *v) {
  if (!v) return;
  free(v->row);
  free(v->col);
  free(v->first);
  free(v->begin);
  free(v->end);
  free(v->rate);
  free(v);
}

static enum sciara_status grow(void **array, size_t count, size_t size) {
  size_t bytes;
  SCIARA_TRY(sciara_size_mul(count, size, &bytes));
  void *bigger = realloc(*array, bytes);
  if (!bigger) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %zu entries of the list of vents", count);
  *array = bigger;
  return SCIARA_OK;
}

enum sciara_status sciara_vents_add(struct sciara_vents *v, int64_t row, int64_t col, int64_t n, const double *edges,
                                    const double *rates) {
  const size_t vents = (size_t)v->count + 1, slots = (size_t)(v->slots + n);
  SCIARA_TRY(grow((void **)&v->row, vents, sizeof *v->row));
  SCIARA_TRY(grow((void **)&v->col, vents, sizeof *v->col));
  SCIARA_TRY(grow((void **)&v->first, vents + 1, sizeof *v->first));
  if (slots > 0) {
    SCIARA_TRY(grow((void **)&v->begin, slots, sizeof *v->begin));
    SCIARA_TRY(grow((void **)&v->end, slots, sizeof *v->end));
    SCIARA_TRY(grow((void **)&v->rate, slots, sizeof *v->rate));
  }
  v->row[v->count] = row;
  v->col[v->count] = col;
  for (int64_t k = 0; k < n; k++) {
    v->begin[v->slots + k] = edges[k];
    v->end[v->slots + k] = edges[k + 1];
    v->rate[v->slots + k] = rates[k];
  }
  v->slots += n;
  v->count++;
  v->first[v->count] = v->slots;
  return SCIARA_OK;
}

enum sciara_status sciara_vents_make(int64_t count, int64_t slots, struct sciara_vents **out) {
  struct sciara_vents *v = sciara_vents_create();
  if (!v) return SCIARA_ERR_MEMORY;
  const struct {
    void **to;
    int64_t count;
    size_t size;
  } parts[] = {{(void **)&v->row, count, sizeof *v->row},         {(void **)&v->col, count, sizeof *v->col},
               {(void **)&v->first, count + 1, sizeof *v->first}, {(void **)&v->begin, slots, sizeof *v->begin},
               {(void **)&v->end, slots, sizeof *v->end},         {(void **)&v->rate, slots, sizeof *v->rate}};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    if (parts[k].count == 0) continue;
    const enum sciara_status status = grow(parts[k].to, (size_t)parts[k].count, parts[k].size);
    if (status != SCIARA_OK) {
      sciara_vents_destroy(v);
      return status;
    }
  }
  v->count = count;
  v->slots = slots;
  *out = v;
  return SCIARA_OK;
}

static void copy_array(void *to, const void *from, int64_t count, size_t size) {
  if (count > 0) memcpy(to, from, (size_t)count * size);
}

enum sciara_status sciara_vents_clone(const struct sciara_vents *v, struct sciara_vents **out) {
  SCIARA_TRY(sciara_vents_make(v->count, v->slots, out));
  copy_array((*out)->row, v->row, v->count, sizeof *v->row);
  copy_array((*out)->col, v->col, v->count, sizeof *v->col);
  copy_array((*out)->first, v->first, v->count + 1, sizeof *v->first);
  copy_array((*out)->begin, v->begin, v->slots, sizeof *v->begin);
  copy_array((*out)->end, v->end, v->slots, sizeof *v->end);
  copy_array((*out)->rate, v->rate, v->slots, sizeof *v->rate);
  return SCIARA_OK;
}

enum sciara_status sciara_vents_add_of(struct sciara_vents *v, const struct sciara_vents *other, int64_t k,
                                       int64_t rows) {
  const int64_t first = other->first[k], slots = other->first[k + 1] - first, at = v->slots;
  double *edges;
  SCIARA_TRY(SCIARA_NEW(edges, slots + 1, "the slots of a vent"));
  const enum sciara_status status =
      sciara_vents_add(v, other->row[k] + rows, other->col[k], slots, edges, other->rate + first);
  sciara_free(edges);
  SCIARA_TRY(status);
  copy_array(v->begin + at, other->begin + first, slots, sizeof *v->begin);
  copy_array(v->end + at, other->end + first, slots, sizeof *v->end);
  return SCIARA_OK;
}

enum sciara_status sciara_vents_check(const struct sciara_vents *v, const struct sciara_grid *grid,
                                      const uint8_t *kind) {
  for (int64_t k = 0; k < v->count; k++) {
    const int64_t r = v->row[k], c = v->col[k];
    if (r < 0 || c < 0 || r >= grid->rows || c >= grid->cols)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "vent %" PRId64 " lies in row %" PRId64 ", column %" PRId64 ", outside the DEM of %" PRId64
                         " rows and %" PRId64 " columns",
                         k, r, c, grid->rows, grid->cols);
    const uint8_t what = kind[r * grid->cols + c];
    if (what != SCIARA_CELL_INTERIOR)
      return sciara_fail(
          SCIARA_ERR_INPUT,
          "vent %" PRId64 " lies in row %" PRId64 ", column %" PRId64 ", %s; a vent needs 8 valid neighbours", k, r, c,
          what == SCIARA_CELL_RIM   ? "on the rim of the domain"
          : what == SCIARA_CELL_SEA ? "in the sea"
                                    : "on a NODATA cell");
  }
  return SCIARA_OK;
}

double sciara_vents_end(const struct sciara_vents *v) {
  double end = 0;
  for (int64_t k = 0; k < v->slots; k++)
    if (v->rate[k] > 0 && v->end[k] > end) end = v->end[k];
  return end;
}

double sciara_vents_begun(const struct sciara_vents *v) {
  double begun = -INFINITY;
  for (int64_t n = 0; n < v->count; n++) {
    int64_t k = v->first[n];
    while (k < v->first[n + 1] && !(v->rate[k] > 0)) k++;
    if (k < v->first[n + 1] && v->begin[k] > begun) begun = v->begin[k];
  }
  return begun;
}

double sciara_vents_total(const struct sciara_vents *v) {
  double total = 0;
  for (int64_t k = 0; k < v->slots; k++) total += v->rate[k] * (v->end[k] - v->begin[k]);
  return total;
}

static int by_time(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/** The rate of a vent at a time. */
static double rate_at(const struct sciara_vents *v, int64_t vent, double time) {
  int64_t low = v->first[vent], high = v->first[vent + 1]; // the first slot that ends after it
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (v->end[middle] > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low < v->first[vent + 1] && v->begin[low] <= time ? v->rate[low] : 0;
}

double sciara_vents_first(const struct sciara_vents *v, int64_t k) {
  for (int64_t n = v->first[k]; n < v->first[k + 1]; n++)
    if (v->rate[n] > 0) return v->begin[n];
  return INFINITY;
}

enum sciara_status sciara_vents_emission(const struct sciara_vents *v, struct sciara_emission *out) {
  double *time;
  size_t count = 0;
  *out = (struct sciara_emission){.volume_m3 = sciara_vents_total(v), .begin_s = INFINITY, .end_s = 0, .peak_m3_s = 0};
  SCIARA_TRY(SCIARA_NEW(time, (size_t)v->slots + 1, "the rates of vents"));
  for (int64_t k = 0; k < v->slots; k++) {
    if (!(v->rate[k] > 0)) continue;
    time[count++] = v->begin[k];
    out->begin_s = fmin(out->begin_s, v->begin[k]);
    out->end_s = fmax(out->end_s, v->end[k]);
  }
  qsort(time, count, sizeof *time, by_time);
  for (size_t k = 0; k < count; k++) {
    double rate = 0;
    for (int64_t n = 0; (k == 0 || time[k] > time[k - 1]) && n < v->count; n++) rate += rate_at(v, n, time[k]);
    out->peak_m3_s = fmax(out->peak_m3_s, rate);
  }
  if (count == 0) out->begin_s = 0;
  sciara_free(time);
  return SCIARA_OK;
}

uint64_t sciara_vents_hash(const struct sciara_vents *v) {
  const size_t count = (size_t)v->count, slots = (size_t)v->slots;
  const struct {
    const void *bytes;
    size_t size;
  } parts[] = {{&v->count, sizeof v->count},         {v->row, count * sizeof *v->row},
               {v->col, count * sizeof *v->col},     {v->first, (count + 1) * sizeof *v->first},
               {v->begin, slots * sizeof *v->begin}, {v->end, slots * sizeof *v->end},
               {v->rate, slots * sizeof *v->rate}};
  uint64_t hash = SCIARA_HASH_BEGIN;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    hash = sciara_hash_bytes(hash, parts[k].bytes, parts[k].size);
  return hash;
}
