// SPDX-License-Identifier: Apache-2.0
#include "member/kept_footprints.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"

/** Of a member. */
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
  for (size_t m = 0; m < kept->count; m++)
    if (kept->member[m].footprint) sciara_batch_release(kept->member[m].footprint, 1);
  pthread_mutex_destroy(&kept->lock);
  sciara_free(kept->member);
  sciara_free(kept);
}
