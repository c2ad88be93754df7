// SPDX-License-Identifier: Apache-2.0
// Worker k has slot k / pools of pool k % pools.
#include "member/crew.h"

#include <inttypes.h>
#include <math.h>
#include <sys/statvfs.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/text.h"
#include "engine/device_info.h"
#include "member/footprint.h"

enum { MOST_WORKERS = 4096 };

/** Devices that compute members with this engine, at least 1. */
static int count_devices(const struct sciara_engine_ops *ops) {
  const int devices = ops->capabilities & SCIARA_CAN_DEVICE ? sciara_devices() : 1;
  return devices < 1 ? 1 : devices > SCIARA_CAPACITY_DEVICES ? SCIARA_CAPACITY_DEVICES : devices;
}

/** As many as the devices can use of an engine with slots; otherwise one per GPU or core. */
static enum sciara_status count_workers(const struct sciara_capacity_request *r, int64_t cells, int *workers) {
  const int devices = r->ops->capabilities & SCIARA_CAN_DEVICE ? sciara_devices() : 0;
  int64_t all = r->ops->slots ? 0 : devices > 0 ? devices : sciara_usable_cores();
  size_t bytes;
  for (int k = 0; r->ops->slots && k < count_devices(r->ops); k++) {
    const int slots = r->ops->slots->count(k, cells, &bytes);
    if (slots < 1)
      return sciara_fail(SCIARA_ERR_DEVICE, "engine %s: GPU %d has no room for a window of %" PRId64 " cells",
                         r->ops->name, k, cells);
    all += slots;
  }
  if (r->workers > 0) all = r->workers;
  if (all > MOST_WORKERS) all = MOST_WORKERS;
  *workers = (size_t)all > r->members ? (int)r->members : (int)all;
  return SCIARA_OK;
}

static enum sciara_status check_disk(const struct sciara_capacity_request *r, double bytes) {
  struct statvfs about;
  if (statvfs(r->name, &about) != 0) return SCIARA_OK;
  const double available = (double)about.f_bavail * (double)about.f_frsize;
  if (bytes <= available) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_IO, "%s: the %zu members to be computed need about %s on the disk, %s are free",
                     r->name, r->members, SCIARA_BYTES(bytes), SCIARA_BYTES(available));
}

/** The number of workers for which there is memory. */
static enum sciara_status check_memory(const struct sciara_capacity_request *r, double each, int *workers) {
  const double available = (double)sciara_memory_available();
  if (!(available > 0) || !(each > 0)) return SCIARA_OK;
  const double room = floor(available / each);
  const char *need = SCIARA_BYTES(each), *have = SCIARA_BYTES(available);
  if (room < 1)
    return sciara_fail(SCIARA_ERR_MEMORY, "%s: a member needs about %s of memory, %s are free", r->name, need, have);
  if (room >= *workers) return SCIARA_OK;
  sciara_log(SCIARA_LOG_WARNING, "%s of memory are free, and a member may need %s: %.0f members at a time, not %d",
             have, need, room, *workers);
  *workers = (int)room;
  return SCIARA_OK;
}

/** In slots the first window is large already. */
static void widen_for_slots(const struct sciara_capacity_request *r, struct sciara_member_need *most) {
  const double side = 2 * SCIARA_COST_SLOT_MARGIN + 1, all = (double)sciara_grid_cells(r->grid);
  const double window = fmin(fmax(most->window, side * side), all);
  most->memory += (window - most->window) * sciara_member_bytes_per_cell(r->ops, SCIARA_FOOTPRINT_RECORD);
  most->window = window;
}

enum sciara_status sciara_capacity_find(const struct sciara_capacity_request *r, const struct sciara_member_need *needs,
                                        struct sciara_capacity *out) {
  struct sciara_member_need most = *needs;
  *out = (struct sciara_capacity){.margin = r->ops->slots ? SCIARA_COST_SLOT_MARGIN : 0};
  if (r->ops->slots) widen_for_slots(r, &most);
  out->cells = (int64_t)fmax(most.window, 1);
  SCIARA_TRY(count_workers(r, out->cells, &out->workers));
  SCIARA_TRY(check_memory(r, most.memory, &out->workers));
  // A new checkpoint is written before the old one is replaced.
  SCIARA_TRY(check_disk(r, most.disk + 2.0 * out->workers * most.checkpoint));
  const double left = (double)sciara_memory_available() - most.memory * out->workers;
  out->kept = fmin(left / 2, SCIARA_COST_KEPT);
  return SCIARA_OK;
}

enum sciara_status sciara_crew_make_slots(struct sciara_crew *c, const struct sciara_grid *grid, int64_t cells,
                                          int workers) {
  if (!c->ops->slots) return SCIARA_OK;
  const int64_t all = sciara_grid_cells(grid);
  const int wanted = count_devices(c->ops), count = wanted < workers ? wanted : workers;
  for (int k = 0; k < count; k++) {
    const struct sciara_slots_setup setup = {
        .boundary = SCIARA_BOUNDARY_OPEN, // as in every window
        .device = k,
        .slots = (workers + count - 1 - k) / count,
        .record = SCIARA_FOOTPRINT_RECORD,
        .cells = SCIARA_COST_SLOT_ROOM * cells < all ? SCIARA_COST_SLOT_ROOM * cells : all,
        .options = c->options};
    SCIARA_TRY(sciara_pool_create(c->ops->slots, &setup, &c->pools[k]));
    c->pool_count++;
  }
  return SCIARA_OK;
}

struct sciara_pool_slot *sciara_crew_slot(const struct sciara_crew *c, int worker) {
  return c->pool_count > 0 ? sciara_pool_slot(c->pools[worker % c->pool_count], worker / c->pool_count) : NULL;
}

int sciara_crew_device(const struct sciara_crew *c, int worker) {
  const int devices = c->ops->capabilities & SCIARA_CAN_DEVICE ? sciara_devices() : 0;
  return devices > 0 ? worker % devices : -1;
}

// -------------------------------------------------------------------------------------------------------------- queue

struct sciara_crew_worker {
  struct sciara_crew *crew;
  int number;
  pthread_t thread;
};

void sciara_crew_init(struct sciara_crew *c, const struct sciara_crew_queue *queue) {
  *c = (struct sciara_crew){.queue = *queue};
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->called, NULL);
}

bool sciara_crew_is_halted(const struct sciara_crew *c) { return __atomic_load_n(&c->halt, __ATOMIC_RELAXED) != 0; }

void sciara_crew_call(struct sciara_crew *c) { pthread_cond_broadcast(&c->called); }

void sciara_crew_halt(struct sciara_crew *c, enum sciara_cancel how) {
  int none = 0;
  if (how == SCIARA_CANCEL_DROP)
    __atomic_store_n(&c->halt, (int)how, __ATOMIC_RELAXED);
  else
    __atomic_compare_exchange_n(&c->halt, &none, (int)how, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&c->called);
}

/** Waits for a task; false: there will be none. With the lock. */
static bool take_task(const struct sciara_crew_worker *me, struct sciara_crew_task *task) {
  struct sciara_crew *c = me->crew;
  struct sciara_pool_slot *const slot = sciara_crew_slot(c, me->number);
  for (;;) {
    bool last = false;
    const enum sciara_crew_next next =
        sciara_crew_is_halted(c) ? SCIARA_CREW_NONE : c->queue.take(c->queue.context, task, &last);
    if (slot && next == SCIARA_CREW_TASK) sciara_pool_reserve(slot); // before another worker drains the pools
    if (slot && next == SCIARA_CREW_NONE) sciara_pool_release(slot);
    for (int k = 0; last && k < c->pool_count; k++) sciara_pool_drain(c->pools[k]);
    if (next != SCIARA_CREW_WAIT) return next == SCIARA_CREW_TASK;
    pthread_cond_wait(&c->called, &c->lock);
  }
}

static void *run_worker(void *context) {
  const struct sciara_crew_worker *me = (const struct sciara_crew_worker *)context;
  struct sciara_crew *c = me->crew;
  struct sciara_crew_task task;
  pthread_mutex_lock(&c->lock);
  while (take_task(me, &task)) {
    pthread_mutex_unlock(&c->lock);
    const enum sciara_status status = c->queue.work(c->queue.context, me->number, &task);
    pthread_mutex_lock(&c->lock);
    sciara_failure_keep(&c->failed, status);
    if (status != SCIARA_OK) sciara_crew_halt(c, c->queue.on_error);
  }
  c->running--;
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

enum sciara_status sciara_crew_start(struct sciara_crew *c, int workers) {
  enum sciara_status status;
  pthread_mutex_lock(&c->lock);
  SCIARA_TRY_GOTO(SCIARA_NEW(c->workers, workers, "workers"));
  for (; c->count < workers; c->count++) {
    struct sciara_crew_worker *w = &c->workers[c->count];
    *w = (struct sciara_crew_worker){.crew = c, .number = c->count};
    if (pthread_create(&w->thread, NULL, run_worker, w) != 0) break;
  }
  c->running = c->count;
  if (c->count == 0) status = sciara_fail(SCIARA_ERR_MEMORY, "cannot start a thread");
cleanup:
  pthread_mutex_unlock(&c->lock);
  return status;
}

enum sciara_status sciara_crew_join(struct sciara_crew *c) {
  for (; c->count > 0; c->count--) pthread_join(c->workers[c->count - 1].thread, NULL);
  for (; c->pool_count > 0; c->pool_count--) sciara_pool_destroy(c->pools[c->pool_count - 1]);
  return sciara_failure_status(&c->failed);
}

void sciara_crew_free(struct sciara_crew *c) {
  sciara_crew_join(c);
  pthread_mutex_destroy(&c->lock);
  pthread_cond_destroy(&c->called);
  sciara_failure_free(&c->failed);
  sciara_free(c->workers);
  *c = (struct sciara_crew){0};
}
