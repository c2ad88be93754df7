// SPDX-License-Identifier: Apache-2.0
// `lock` guards what the pool knows. While the slots advance, the lock is open; threads load, download and empty other
// slots meanwhile, one at a time (`calls`). A slot that is ready takes part in the next call of `advance`, which is short
// while threads are at work.
#include "member/crew.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wallclock.h"
#include "engine/step_control.h"

// How long the slots advance at a time, ms: a slot waits about so long after it has been filled.
enum { WALL_MS = 50, SHORT_MS = 10 };

struct sciara_pool_slot {
  struct sciara_pool *pool;
  int number;
  unsigned sides;
  bool reserved, loaded, advancing, stays;
  struct sciara_stop stop;
  double due;          ///< for its thread, see sciara_pool_set_due
  pthread_cond_t done; ///< `advancing` has become false
  struct sciara_params params;
  const struct sciara_vents *vents;
  struct sciara_engine_progress progress;
};

struct sciara_pool {
  const struct sciara_engine_slots *table;
  void *device_slots;
  int count, reserved, loaded, advancing; ///< slots
  struct sciara_pool_slot *slots;
  bool *takes_part; ///< in `advance`, with stops and progress
  struct sciara_stop *stops;
  struct sciara_engine_progress *progress; ///< what the engine writes
  int64_t *liquid;                         ///< of the members that are left
  pthread_mutex_t calls;                   ///< for load, download and clear; taken before `lock`
  pthread_mutex_t lock;
  pthread_cond_t changed; ///< for the thread of the pool
  pthread_cond_t free;    ///< a slot is empty
  pthread_t thread;
  int at_work; ///< atomic: threads that load or download, or wait for that
  bool ends, drains;
  struct sciara_failure failed; ///< of all slots
};

static _Thread_local struct sciara_pool_slot *entered;

void sciara_pool_enter(struct sciara_pool_slot *slot) { entered = slot; }

void sciara_pool_stay(struct sciara_pool_slot *slot) { slot->stays = true; }

const char *sciara_pool_successor(const struct sciara_pool_slot *slot) { return slot->pool->table->successor; }

bool sciara_pool_fits(const struct sciara_pool_slot *slot, enum sciara_rule_kind rule, bool single_precision) {
  return slot->pool->table->rule == rule && slot->pool->table->single_precision == single_precision;
}

void sciara_pool_set_due(struct sciara_pool_slot *slot, double wallclock) { slot->due = wallclock; }

void sciara_pool_set_sides(struct sciara_pool_slot *slot, unsigned sides) { slot->sides = sides; }

struct sciara_pool_slot *sciara_pool_slot(struct sciara_pool *pool, int number) {
  return &pool->slots[number];
}

// ------------------------------------------------------------------------------------------------------------- advance

/** Chooses the slots that advance next. */
static void choose_slots(struct sciara_pool *p) {
  for (int k = 0; k < p->count; k++) {
    p->takes_part[k] = p->slots[k].advancing;
    if (!p->takes_part[k]) continue;
    p->stops[k] = p->slots[k].stop;
    p->stops[k].max_wall_ms = __atomic_load_n(&p->at_work, __ATOMIC_RELAXED) > 0 ? SHORT_MS : WALL_MS;
  }
}

/** Whether a slot needs its thread. */
static bool has_stopped(const struct sciara_pool_slot *s) {
  return s->progress.bad.step != 0 || s->progress.reason != SCIARA_STOP_WALL || sciara_wallclock() >= s->due;
}

/** Whether the members that are left are to leave their slots. */
static bool is_outgrown(const struct sciara_pool *p) {
  int count = 0;
  if (!p->drains || !p->table->outgrown || p->failed.status != SCIARA_OK || p->reserved != p->advancing) return false;
  for (int k = 0; k < p->count; k++) {
    if (!p->slots[k].advancing) continue;
    if (p->slots[k].stays || !p->takes_part[k]) return false; // or its progress is not known yet
    p->liquid[count++] = p->progress[k].liquid_cells;
  }
  return count > 0 && p->table->outgrown(p->device_slots, p->liquid, count);
}

/** Gives the threads of the slots that have stopped their results. */
static void hand_out(struct sciara_pool *p) {
  const bool outgrown = is_outgrown(p);
  for (int k = 0; k < p->count; k++) {
    struct sciara_pool_slot *s = &p->slots[k];
    if (!p->takes_part[k]) continue;
    if (p->failed.status == SCIARA_OK) s->progress = p->progress[k];
    if (p->failed.status == SCIARA_OK && !has_stopped(s)) {
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
    while (!p->ends && p->advancing == 0) pthread_cond_wait(&p->changed, &p->lock);
    if (p->ends) break;
    choose_slots(p);
    pthread_mutex_unlock(&p->lock);
    const enum sciara_status status = p->table->advance(p->device_slots, p->takes_part, p->stops, p->progress);
    pthread_mutex_lock(&p->lock);
    sciara_failure_keep(&p->failed, status);
    hand_out(p);
    if (p->failed.status != SCIARA_OK) pthread_cond_broadcast(&p->free);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/** Before a call for a slot that does not advance. */
static void begin_call(struct sciara_pool *p) {
  __atomic_add_fetch(&p->at_work, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&p->calls);
}

static void end_call(struct sciara_pool *p) {
  pthread_mutex_unlock(&p->calls);
  __atomic_sub_fetch(&p->at_work, 1, __ATOMIC_RELAXED);
}

/** The first failure; the caller has the lock. */
static enum sciara_status failure(const struct sciara_pool *p) { return sciara_failure_status(&p->failed); }

static enum sciara_status find_failure(struct sciara_pool *p) {
  pthread_mutex_lock(&p->lock);
  const enum sciara_status status = failure(p);
  pthread_mutex_unlock(&p->lock);
  return status;
}

// ---------------------------------------------------------------------------------------------------- slots as engines

static void set_reserved(struct sciara_pool_slot *s, bool reserved) {
  struct sciara_pool *p = s->pool;
  pthread_mutex_lock(&p->lock);
  p->reserved += reserved - s->reserved;
  s->reserved = reserved;
  pthread_mutex_unlock(&p->lock);
}

void sciara_pool_reserve(struct sciara_pool_slot *slot) { set_reserved(slot, true); }

void sciara_pool_release(struct sciara_pool_slot *slot) { set_reserved(slot, false); }

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

/** Notes whether a slot is loaded. */
static void set_loaded(struct sciara_pool_slot *s, bool loaded) {
  struct sciara_pool *p = s->pool;
  pthread_mutex_lock(&p->lock);
  p->loaded += loaded - s->loaded;
  s->loaded = loaded;
  if (!loaded) pthread_cond_broadcast(&p->free);
  pthread_mutex_unlock(&p->lock);
}

static void empty(struct sciara_pool_slot *s) {
  struct sciara_pool *p = s->pool;
  if (!s->loaded) return;
  begin_call(p);
  p->table->clear(p->device_slots, s->number);
  end_call(p);
  set_loaded(s, false);
}

static void slot_destroy(void *engine) { empty((struct sciara_pool_slot *)engine); }

/** Waits until fewer than `count` slots are loaded; false: there is none, so it would wait for ever. */
static bool wait_for_room(struct sciara_pool *p, int count) {
  pthread_mutex_lock(&p->lock);
  while (count > 0 && p->loaded >= count && p->failed.status == SCIARA_OK) pthread_cond_wait(&p->free, &p->lock);
  pthread_mutex_unlock(&p->lock);
  return count > 0;
}

static int count_loaded(struct sciara_pool *p) {
  pthread_mutex_lock(&p->lock);
  const int count = p->loaded;
  pthread_mutex_unlock(&p->lock);
  return count;
}

static enum sciara_status slot_upload(void *engine, const struct sciara_state *state) {
  struct sciara_pool_slot *s = (struct sciara_pool_slot *)engine;
  struct sciara_pool *p = s->pool;
  enum sciara_status status;
  int others;
  empty(s);
  do {
    SCIARA_TRY(find_failure(p));
    begin_call(p);
    others = count_loaded(p);
    status = p->table->load(p->device_slots, s->number, &s->params, s->vents, state, s->sides);
    if (status == SCIARA_OK) set_loaded(s, true);
    end_call(p);
  } while (status == SCIARA_ERR_MEMORY && wait_for_room(p, others));
  return status;
}

static enum sciara_status slot_download(void *engine, struct sciara_state *state) {
  struct sciara_pool_slot *s = (struct sciara_pool_slot *)engine;
  struct sciara_pool *p = s->pool;
  SCIARA_TRY(find_failure(p));
  begin_call(p);
  const enum sciara_status status = p->table->download(p->device_slots, s->number, state);
  end_call(p);
  return status;
}

static enum sciara_status slot_advance(void *engine, const struct sciara_stop *stop,
                                       struct sciara_engine_progress *progress) {
  struct sciara_pool_slot *s = (struct sciara_pool_slot *)engine;
  struct sciara_pool *p = s->pool;
  pthread_mutex_lock(&p->lock);
  enum sciara_status status = failure(p);
  if (status == SCIARA_OK) {
    s->stop = *stop;
    s->advancing = true;
    p->advancing++;
    pthread_cond_signal(&p->changed);
    while (s->advancing) pthread_cond_wait(&s->done, &p->lock);
    *progress = s->progress;
    status = failure(p);
  }
  pthread_mutex_unlock(&p->lock);
  if (status != SCIARA_OK) return status;
  const struct sciara_step_control ended = {.now = *progress};
  return sciara_step_control_status(&ended);
}

const struct sciara_engine_ops sciara_pool_engine = {.name = "slot",
                                                     .summary = "a slot of another engine",
                                                     .determinism = SCIARA_EXACT,
                                                     .create = slot_create,
                                                     .destroy = slot_destroy,
                                                     .upload = slot_upload,
                                                     .download = slot_download,
                                                     .advance = slot_advance};

// ---------------------------------------------------------------------------------------------------------------- pool

static void pool_free(struct sciara_pool *p) {
  if (p->device_slots) p->table->destroy(p->device_slots);
  for (int k = 0; p->slots && k < p->count; k++) pthread_cond_destroy(&p->slots[k].done);
  pthread_cond_destroy(&p->changed);
  pthread_cond_destroy(&p->free);
  pthread_mutex_destroy(&p->lock);
  pthread_mutex_destroy(&p->calls);
  sciara_free(p->slots);
  sciara_free(p->takes_part);
  sciara_free(p->stops);
  sciara_free(p->progress);
  sciara_free(p->liquid);
  sciara_failure_free(&p->failed);
  sciara_free(p);
}

void sciara_pool_destroy(struct sciara_pool *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->ends = true;
  pthread_cond_signal(&p->changed);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  pool_free(p);
}

enum sciara_status sciara_pool_create(const struct sciara_engine_slots *table, const struct sciara_slots_setup *setup,
                                      struct sciara_pool **out) {
  struct sciara_pool *p;
  enum sciara_status status;
  *out = NULL;
  SCIARA_TRY(SCIARA_NEW(p, 1, "a pool"));
  p->table = table;
  p->count = setup->slots;
  pthread_mutex_init(&p->calls, NULL);
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
  SCIARA_TRY_GOTO(SCIARA_NEW(p->takes_part, p->count, "the slots of a pool"));
  SCIARA_TRY_GOTO(SCIARA_NEW(p->stops, p->count, "the slots of a pool"));
  SCIARA_TRY_GOTO(SCIARA_NEW(p->progress, p->count, "the slots of a pool"));
  SCIARA_TRY_GOTO(SCIARA_NEW(p->liquid, p->count, "the slots of a pool"));
  SCIARA_TRY_GOTO(table->create(setup, &p->device_slots));
  if (pthread_create(&p->thread, NULL, run_pool, p) != 0)
    SCIARA_TRY_GOTO(sciara_fail(SCIARA_ERR_MEMORY, "cannot start a thread"));
  *out = p;
  return SCIARA_OK;
cleanup:
  pool_free(p);
  return status;
}
