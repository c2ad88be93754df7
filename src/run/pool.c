// SPDX-License-Identifier: Apache-2.0
// One lock guards everything, also the calls of the batch, which one thread at a time may use. While the batch advances
// the lock is open and `busy` is set: threads with a new member wait, and the batch waits for them before it continues, so
// that a free slot is filled at once.
#include "run/pool.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "engine/step_control.h"

enum { WALL_MS = 20 }; // a slot that was filled waits at most so long for its first step

struct sciara_pool_slot {
  struct sciara_pool *pool;
  int number;
  unsigned frame;
  bool loaded, advancing, stays;
  double due;          ///< for its thread, see sciara_pool_set_due
  pthread_cond_t done; ///< `advancing` has become false
  struct sciara_params params;
  const struct sciara_vents *vents;
  struct sciara_engine_progress progress;
};

struct sciara_pool {
  const struct sciara_engine_batch *table;
  void *batch;
  int count, loaded, advancing;
  struct sciara_pool_slot *slots;
  struct sciara_stop *stops;
  struct sciara_engine_progress *progress; ///< what the batch writes
  int64_t *liquid;                         ///< of the members that are left
  pthread_mutex_t lock;
  pthread_cond_t changed; ///< for the thread of the pool
  pthread_cond_t free;    ///< the batch may be called, or a slot is empty
  pthread_t thread;
  int waiting; ///< threads that wait for the batch
  bool busy, ends, drains;
  enum sciara_status failed; ///< of the batch
  char *error;
};

static _Thread_local struct sciara_pool_slot *entered;

void sciara_pool_enter(struct sciara_pool_slot *slot) { entered = slot; }

void sciara_pool_stay(struct sciara_pool_slot *slot) { slot->stays = true; }

const char *sciara_pool_successor(const struct sciara_pool_slot *slot) { return slot->pool->table->successor; }

void sciara_pool_set_due(struct sciara_pool_slot *slot, double wallclock) { slot->due = wallclock; }

void sciara_pool_set_frame(struct sciara_pool_slot *slot, unsigned frame) { slot->frame = frame; }

struct sciara_pool_slot *sciara_pool_slot(struct sciara_pool *pool, int number) {
  return &pool->slots[number];
}

// ------------------------------------------------------------------------------------------------------------- advance

/** Slots whose thread does something else stay where they are. */
static void set_stops(struct sciara_pool *p) {
  for (int k = 0; k < p->count; k++)
    if (!p->slots[k].advancing) p->stops[k] = (struct sciara_stop){.time = 0, .max_wall_ms = 1};
}

/** Whether a slot needs its thread. */
static bool has_stopped(const struct sciara_pool_slot *s) {
  return s->progress.bad.step != 0 || s->progress.reason != SCIARA_STOP_WALL || sciara_wallclock() >= s->due;
}

/** Whether the members that are left are to leave their slots. */
static bool is_outgrown(const struct sciara_pool *p) {
  int count = 0;
  if (!p->drains || !p->table->outgrown || p->failed != SCIARA_OK || p->loaded != p->advancing) return false;
  for (int k = 0; k < p->count; k++) {
    if (!p->slots[k].advancing) continue;
    if (p->slots[k].stays) return false;
    p->liquid[count++] = p->progress[k].liquid_cells;
  }
  return count > 0 && p->table->outgrown(p->liquid, count);
}

/** Gives the threads of the slots that have stopped their results. */
static void hand_out(struct sciara_pool *p) {
  const bool outgrown = is_outgrown(p);
  for (int k = 0; k < p->count; k++) {
    struct sciara_pool_slot *s = &p->slots[k];
    if (!s->advancing) continue;
    if (p->failed == SCIARA_OK) s->progress = p->progress[k];
    if (p->failed == SCIARA_OK && !has_stopped(s)) {
      if (!outgrown) continue;
      s->progress.reason = SCIARA_STOP_OUTGROWN;
    }
    s->advancing = false;
    p->advancing--;
    pthread_cond_signal(&s->done);
  }
}

static void *run_pool(void *context) {
  struct sciara_pool *p = (struct sciara_pool *)context;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (!p->ends && (p->waiting > 0 || p->advancing == 0)) pthread_cond_wait(&p->changed, &p->lock);
    if (p->ends) break;
    set_stops(p);
    p->busy = true;
    pthread_mutex_unlock(&p->lock);
    const enum sciara_status status = p->table->advance(p->batch, p->stops, p->progress);
    pthread_mutex_lock(&p->lock);
    p->busy = false;
    if (status != SCIARA_OK && p->failed == SCIARA_OK) {
      p->failed = status;
      p->error = strdup(sciara_last_error());
    }
    hand_out(p);
    pthread_cond_broadcast(&p->free);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/** Locks the pool when the batch may be called. */
static void take(struct sciara_pool *p) {
  pthread_mutex_lock(&p->lock);
  p->waiting++;
  while (p->busy) pthread_cond_wait(&p->free, &p->lock);
  p->waiting--;
}

static void release(struct sciara_pool *p) {
  pthread_cond_signal(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

static enum sciara_status failure(const struct sciara_pool *p) {
  return p->failed == SCIARA_OK ? SCIARA_OK : sciara_fail(p->failed, "%s", p->error ? p->error : "no memory");
}

// ---------------------------------------------------------------------------------------------------- slots as engines

void sciara_pool_drain(struct sciara_pool *p) {
  pthread_mutex_lock(&p->lock);
  p->drains = true;
  pthread_mutex_unlock(&p->lock);
}

static enum sciara_status slot_create(const struct sciara_engine_setup *setup, void **engine) {
  *engine = entered;
  if (!entered) return sciara_fail(SCIARA_ERR_INTERNAL, "an engine for a slot in a thread without one");
  entered->params = *setup->params;
  entered->vents = setup->vents;
  return SCIARA_OK;
}

static void empty(struct sciara_pool_slot *s) {
  struct sciara_pool *p = s->pool;
  if (s->loaded) p->table->clear(p->batch, s->number);
  p->loaded -= s->loaded;
  s->loaded = false;
  pthread_cond_broadcast(&p->free);
}

static void slot_destroy(void *engine) {
  struct sciara_pool_slot *s = (struct sciara_pool_slot *)engine;
  take(s->pool);
  empty(s);
  release(s->pool);
}

static enum sciara_status slot_upload(void *engine, const struct sciara_state *state) {
  struct sciara_pool_slot *s = (struct sciara_pool_slot *)engine;
  struct sciara_pool *p = s->pool;
  enum sciara_status status;
  take(p);
  empty(s);
  while ((status = failure(p)) == SCIARA_OK) {
    status = p->table->load(p->batch, s->number, &s->params, s->vents, state, s->frame);
    if (status != SCIARA_ERR_MEMORY || p->loaded == 0) break;
    const int before = p->loaded;
    pthread_cond_signal(&p->changed);
    while (p->busy || (p->loaded >= before && p->failed == SCIARA_OK)) pthread_cond_wait(&p->free, &p->lock);
  }
  s->loaded = status == SCIARA_OK;
  p->loaded += s->loaded;
  release(p);
  return status;
}

static enum sciara_status slot_download(void *engine, struct sciara_state *state) {
  struct sciara_pool_slot *s = (struct sciara_pool_slot *)engine;
  take(s->pool);
  enum sciara_status status = failure(s->pool);
  if (status == SCIARA_OK) status = s->pool->table->download(s->pool->batch, s->number, state);
  release(s->pool);
  return status;
}

static enum sciara_status slot_advance(void *engine, const struct sciara_stop *stop,
                                       struct sciara_engine_progress *progress) {
  struct sciara_pool_slot *s = (struct sciara_pool_slot *)engine;
  struct sciara_pool *p = s->pool;
  take(p);
  enum sciara_status status = failure(p);
  if (status == SCIARA_OK) {
    p->stops[s->number] = *stop;
    p->stops[s->number].max_wall_ms = WALL_MS;
    s->advancing = true;
    p->advancing++;
    pthread_cond_signal(&p->changed);
    while (s->advancing) pthread_cond_wait(&s->done, &p->lock);
    *progress = s->progress;
    status = failure(p);
  }
  release(p);
  if (status != SCIARA_OK) return status;
  const struct sciara_step_control ended = {.now = *progress};
  return sciara_step_control_status(&ended);
}

const struct sciara_engine_ops sciara_pool_engine = {.name = "slot",
                                                     .summary = "a slot of a batch",
                                                     .determinism = SCIARA_EXACT,
                                                     .create = slot_create,
                                                     .destroy = slot_destroy,
                                                     .upload = slot_upload,
                                                     .download = slot_download,
                                                     .advance = slot_advance};

// ---------------------------------------------------------------------------------------------------------------- pool

static void pool_free(struct sciara_pool *p) {
  if (p->batch) p->table->destroy(p->batch);
  for (int k = 0; p->slots && k < p->count; k++) pthread_cond_destroy(&p->slots[k].done);
  pthread_cond_destroy(&p->changed);
  pthread_cond_destroy(&p->free);
  pthread_mutex_destroy(&p->lock);
  sciara_free(p->slots);
  sciara_free(p->stops);
  sciara_free(p->progress);
  sciara_free(p->liquid);
  free(p->error);
  sciara_free(p);
}

void sciara_pool_destroy(struct sciara_pool *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->ends = true;
  release(p);
  pthread_join(p->thread, NULL);
  pool_free(p);
}

enum sciara_status sciara_pool_create(const struct sciara_engine_batch *table, const struct sciara_batch_setup *setup,
                                      struct sciara_pool **out) {
  struct sciara_pool *p;
  enum sciara_status status;
  *out = NULL;
  SCIARA_TRY(SCIARA_NEW(p, 1, "a pool"));
  p->table = table;
  p->count = setup->slots;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->changed, NULL);
  pthread_cond_init(&p->free, NULL);
  SCIARA_TRY_GOTO(SCIARA_NEW(p->slots, p->count, "the slots of a pool"));
  for (int k = 0; k < p->count; k++) {
    p->slots[k].pool = p;
    p->slots[k].number = k;
    p->slots[k].due = (double)INFINITY;
    pthread_cond_init(&p->slots[k].done, NULL);
  }
  SCIARA_TRY_GOTO(SCIARA_NEW(p->stops, p->count, "the slots of a pool"));
  SCIARA_TRY_GOTO(SCIARA_NEW(p->progress, p->count, "the slots of a pool"));
  SCIARA_TRY_GOTO(SCIARA_NEW(p->liquid, p->count, "the slots of a pool"));
  SCIARA_TRY_GOTO(table->create(setup, &p->batch));
  if (pthread_create(&p->thread, NULL, run_pool, p) != 0)
    SCIARA_TRY_GOTO(sciara_fail(SCIARA_ERR_MEMORY, "cannot start a thread"));
  *out = p;
  return SCIARA_OK;
cleanup:
  pool_free(p);
  return status;
}
