// SPDX-License-Identifier: Apache-2.0
#include "member/footprint.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/field.h"

_Static_assert(sizeof((struct sciara_footprint){0}.value) == SCIARA_FOOTPRINT_VALUES * sizeof(float *),
               "one array each");

enum { DAMAGED, UNKNOWN };
enum { LEAST, MOST };

const struct sciara_footprint_value_info sciara_footprint_values[SCIARA_FOOTPRINT_VALUES] = {
#define SCIARA_FOOTPRINT_VALUE(name, NAME, unit, FILL, RECORD, PLACE, value, meaning) \
  {#name, unit, meaning, (FILL) == UNKNOWN, (PLACE) == MOST},
#include "member/footprint.def"
};

enum sciara_status sciara_footprint_make_cells(struct sciara_footprint *f, int64_t count) {
  SCIARA_TRY(SCIARA_NEW(f->cell, count, "the cells of a member"));
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    SCIARA_TRY(SCIARA_NEW(f->value[v], count, "the values of the cells of a member"));
    for (int64_t i = 0; i < count && sciara_footprint_values[v].unknown; i++) f->value[v][i] = NAN;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_footprint_take_cells(struct sciara_footprint *f, const struct sciara_state *s,
                                               const struct sciara_window *window, int64_t map_cols, double time_zero) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  for (int64_t i = 0; i < cells; i++) f->count += s->arrival[i] >= 0;
  SCIARA_TRY(sciara_footprint_make_cells(f, f->count));
  int64_t n = 0;
  for (int64_t r = 0; r < s->grid.rows; r++)
    for (int64_t c = 0; c < s->grid.cols; c++) {
      const int64_t i = r * s->grid.cols + c;
      if (!(s->arrival[i] >= 0)) continue;
      f->cell[n] = (window->row + r) * map_cols + window->col + c;
#define SCIARA_FOOTPRINT_VALUE(name, NAME, unit, FILL, RECORD, PLACE, value, meaning) f->name[n] = (float)(value);
#include "member/footprint.def"
      n++;
    }
  return SCIARA_OK;
}

void sciara_footprint_free_cells(struct sciara_footprint *f) {
  sciara_free(f->cell);
  f->cell = NULL;
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    sciara_free(f->value[v]);
    f->value[v] = NULL;
  }
}

void sciara_footprint_free(struct sciara_footprint *f) {
  sciara_footprint_free_cells(f);
  free(f->error);
  free(f->warnings);
  *f = (struct sciara_footprint){0};
}

// ------------------------------------------------------------------------------------------------------- kept in memory

/** What is known of a member. */
struct entry {
  struct sciara_footprint *footprint; ///< NULL: it is not here
};

struct sciara_kept_footprints {
  size_t count, most, used; ///< members; bytes
  struct entry *member;
  pthread_mutex_t lock;
};

static size_t length_of(const char *text) { return text ? strlen(text) + 1 : 0; }

static size_t bytes_of(const struct sciara_footprint *f) {
  return sizeof *f + (size_t)f->count * SCIARA_FOOTPRINT_CELL + length_of(f->error) + length_of(f->warnings);
}

struct sciara_kept_footprints *sciara_kept_create(size_t count, double most) {
  struct sciara_kept_footprints *kept = NULL;
  const double list = (double)count * sizeof *kept->member;
  if (most <= list || SCIARA_NEW(kept, 1, "the footprints of members") != SCIARA_OK) return NULL;
  if (SCIARA_NEW(kept->member, count, "the footprints of members") != SCIARA_OK) {
    sciara_free(kept);
    return NULL;
  }
  pthread_mutex_init(&kept->lock, NULL);
  kept->count = count;
  kept->most = (size_t)(most - list);
  return kept;
}

void sciara_kept_put(struct sciara_kept_footprints *kept, size_t member, struct sciara_footprint *f) {
  struct sciara_footprint *own;
  if (!kept || SCIARA_NEW(own, 1, "a footprint") != SCIARA_OK) return;
  pthread_mutex_lock(&kept->lock);
  if (!kept->member[member].footprint && bytes_of(f) <= kept->most - kept->used) {
    kept->used += bytes_of(f);
    *own = *f;
    *f = (struct sciara_footprint){0};
    kept->member[member].footprint = own;
    own = NULL;
  }
  pthread_mutex_unlock(&kept->lock);
  sciara_free(own);
}

bool sciara_kept_take(struct sciara_kept_footprints *kept, size_t member, struct sciara_footprint *f) {
  if (!kept) return false;
  pthread_mutex_lock(&kept->lock);
  struct sciara_footprint *const own = kept->member[member].footprint;
  if (own) {
    *f = *own;
    kept->used -= bytes_of(f);
    kept->member[member].footprint = NULL;
  }
  pthread_mutex_unlock(&kept->lock);
  sciara_free(own);
  return own != NULL;
}

void sciara_kept_destroy(struct sciara_kept_footprints *kept) {
  if (!kept) return;
  for (size_t m = 0; m < kept->count; m++) {
    if (kept->member[m].footprint) sciara_footprint_free(kept->member[m].footprint);
    sciara_free(kept->member[m].footprint);
  }
  pthread_mutex_destroy(&kept->lock);
  sciara_free(kept->member);
  sciara_free(kept);
}
