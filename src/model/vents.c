// SPDX-License-Identifier: Apache-2.0
#include "model/vents.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/text.h"

/** An array of a list of vents. */
struct part {
  void **array;
  size_t count, size; ///< of entries, of one of them
};

enum { PARTS = 6 };

/** The arrays for so many vents and slots. */
static void parts_of(struct sciara_vents *v, int64_t vents, int64_t slots, struct part parts[PARTS]) {
  const size_t n = (size_t)vents, m = (size_t)slots;
  const struct part all[PARTS] = {
      {(void **)&v->row, n, sizeof *v->row},         {(void **)&v->col, n, sizeof *v->col},
      {(void **)&v->first, n + 1, sizeof *v->first}, {(void **)&v->begin, m, sizeof *v->begin},
      {(void **)&v->end, m, sizeof *v->end},         {(void **)&v->rate, m, sizeof *v->rate}};
  memcpy(parts, all, sizeof all);
}

struct sciara_vents *sciara_vents_create(void) {
  struct sciara_vents *v = (struct sciara_vents *)calloc(1, sizeof *v);
  if (v) v->first = (int64_t *)calloc(1, sizeof *v->first);
  if (v && !v->first) {
    free(v);
    v = NULL;
  }
  if (!v) sciara_no_memory("the list of vents");
  return v;
}

void sciara_vents_destroy(struct sciara_vents *v) {
  if (!v) return;
  struct part parts[PARTS];
  parts_of(v, 0, 0, parts);
  for (int k = 0; k < PARTS; k++) free(*parts[k].array);
  free(v);
}

static enum sciara_status grow(struct sciara_vents *v, int64_t vents, int64_t slots) {
  struct part parts[PARTS];
  parts_of(v, vents, slots, parts);
  for (int k = 0; k < PARTS; k++) {
    size_t bytes;
    SCIARA_TRY(sciara_size_mul(parts[k].count, parts[k].size, &bytes));
    if (bytes == 0) continue;
    void *bigger = realloc(*parts[k].array, bytes);
    if (!bigger)
      return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %zu entries of the list of vents", parts[k].count);
    *parts[k].array = bigger;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_vents_add(struct sciara_vents *v, int64_t row, int64_t col, int64_t n, const double *edges,
                                    const double *rates) {
  SCIARA_TRY(grow(v, v->count + 1, v->slots + n));
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
  const enum sciara_status status = grow(v, count, slots);
  if (status != SCIARA_OK) {
    sciara_vents_destroy(v);
    return status;
  }
  v->count = count;
  v->slots = slots;
  *out = v;
  return SCIARA_OK;
}

static void copy_array(void *to, const void *from, size_t bytes) {
  if (bytes > 0) memcpy(to, from, bytes);
}

enum sciara_status sciara_vents_clone(const struct sciara_vents *v, struct sciara_vents **out) {
  SCIARA_TRY(sciara_vents_make(v->count, v->slots, out));
  struct sciara_vents from = *v;
  struct part source[PARTS], target[PARTS];
  parts_of(&from, v->count, v->slots, source);
  parts_of(*out, v->count, v->slots, target);
  for (int k = 0; k < PARTS; k++) copy_array(*target[k].array, *source[k].array, source[k].count * source[k].size);
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
  copy_array(v->begin + at, other->begin + first, (size_t)slots * sizeof *v->begin);
  copy_array(v->end + at, other->end + first, (size_t)slots * sizeof *v->end);
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

enum sciara_status sciara_vents_emission(const struct sciara_vents *v, double from, double until,
                                         struct sciara_emission *out) {
  double *time;
  size_t count = 0;
  *out = (struct sciara_emission){.begin_s = INFINITY};
  SCIARA_TRY(SCIARA_NEW(time, (size_t)v->slots + 1, "the rates of vents"));
  for (int64_t k = 0; k < v->slots; k++) {
    const double begin = fmax(v->begin[k], from), end = fmin(v->end[k], until);
    if (!(v->rate[k] > 0 && begin < end)) continue;
    time[count++] = begin;
    out->volume_m3 += v->rate[k] * (end - begin);
    out->begin_s = fmin(out->begin_s, begin);
    out->end_s = fmax(out->end_s, end);
  }
  qsort(time, count, sizeof *time, sciara_ascending);
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
  struct sciara_vents from = *v;
  struct part parts[PARTS];
  parts_of(&from, v->count, v->slots, parts);
  uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, &v->count, sizeof v->count);
  for (int k = 0; k < PARTS; k++) hash = sciara_hash_bytes(hash, *parts[k].array, parts[k].count * parts[k].size);
  return hash;
}
