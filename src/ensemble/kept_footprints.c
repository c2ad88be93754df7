// SPDX-License-Identifier: Apache-2.0
#include "ensemble/kept_footprints.h"

#include <pthread.h>

#include "base/mem.h"

struct sciara_kept_footprints {
  size_t count, most, used; ///< members; bytes
  struct sciara_footprint *footprints;
  bool *here;
  pthread_mutex_t lock;
};

static size_t bytes_of(const struct sciara_footprint *f) {
  return (size_t)f->count * (sizeof *f->cell + sizeof *f->arrival + sizeof *f->max_deposit + sizeof *f->deposit);
}

enum sciara_status sciara_kept_create(size_t count, size_t most, struct sciara_kept_footprints **out) {
  struct sciara_kept_footprints *kept;
  enum sciara_status status;
  SCIARA_TRY(SCIARA_NEW(kept, 1, "the footprints of members"));
  pthread_mutex_init(&kept->lock, NULL);
  kept->most = most;
  SCIARA_TRY_GOTO(SCIARA_NEW(kept->footprints, count, "the footprints of members"));
  SCIARA_TRY_GOTO(SCIARA_NEW(kept->here, count, "the footprints of members"));
  kept->count = count;
  *out = kept;
  return SCIARA_OK;
cleanup:
  sciara_kept_destroy(kept);
  return status;
}

void sciara_kept_put(struct sciara_kept_footprints *kept, size_t member, struct sciara_footprint *f) {
  if (!kept) return;
  pthread_mutex_lock(&kept->lock);
  if (!kept->here[member] && bytes_of(f) <= kept->most - kept->used) {
    kept->used += bytes_of(f);
    kept->footprints[member] = *f;
    kept->here[member] = true;
    *f = (struct sciara_footprint){0};
  }
  pthread_mutex_unlock(&kept->lock);
}

bool sciara_kept_take(struct sciara_kept_footprints *kept, size_t member, struct sciara_footprint *f) {
  if (!kept) return false;
  pthread_mutex_lock(&kept->lock);
  const bool here = kept->here[member];
  if (here) {
    *f = kept->footprints[member];
    kept->used -= bytes_of(f);
    kept->footprints[member] = (struct sciara_footprint){0};
    kept->here[member] = false;
  }
  pthread_mutex_unlock(&kept->lock);
  return here;
}

void sciara_kept_destroy(struct sciara_kept_footprints *kept) {
  if (!kept) return;
  for (size_t m = 0; m < kept->count; m++) sciara_footprint_free(&kept->footprints[m]);
  pthread_mutex_destroy(&kept->lock);
  sciara_free(kept->footprints);
  sciara_free(kept->here);
  sciara_free(kept);
}
