// SPDX-License-Identifier: Apache-2.0
// The workers that compute members at the same time: how many a machine can have, with what each computes (a slot, a GPU or a
// core), and the queue from which they take their tasks.
#ifndef SCIARA_MEMBER_CREW_H
#define SCIARA_MEMBER_CREW_H

#include <pthread.h>

#include "engine/engine.h"
#include "member/compute.h"
#include "setup/cost.h"

struct sciara_pool;
struct sciara_crew_worker;

enum { SCIARA_CAPACITY_DEVICES = 64 }; ///< GPUs that are used at most

struct sciara_capacity_request {
  const char *name;               ///< of what is computed, for errors: the folder of the results, if there is one
  const struct sciara_grid *grid; ///< of the site
  const struct sciara_engine_ops *ops;
  int workers;    ///< members at a time that are wanted; 0: one per core or GPU, or as many as GPUs have slots for
  size_t members; ///< to be computed
};

struct sciara_capacity {
  int workers;    ///< members at a time
  int64_t cells;  ///< of the largest window that is expected
  int64_t margin; ///< cells of the first window around vents and initial lava; 0: the default
  double kept;    ///< bytes for footprints that wait for their batch: half of the memory that the workers leave
};

/**
 * How many members are computed at a time. Says so if there is memory for fewer than are wanted.
 *
 * @param needs of all members together, or the largest of one (sciara_tasks_estimate)
 * @return SCIARA_ERR_MEMORY, SCIARA_ERR_IO and SCIARA_ERR_DEVICE: memory, disk or a GPU has no room for one
 */
enum sciara_status sciara_capacity_find(const struct sciara_capacity_request *r, const struct sciara_member_need *needs,
                                        struct sciara_capacity *out);

/** What a worker is to do; only its owner knows what it means. */
struct sciara_crew_task {
  void *item;
  size_t number;
};

enum sciara_crew_next {
  SCIARA_CREW_NONE, ///< there is no task, and none will follow
  SCIARA_CREW_WAIT, ///< there is none at present (sciara_crew_call)
  SCIARA_CREW_TASK,
};

/** Tasks, of the same kind for all workers. */
struct sciara_crew_queue {
  /**
   * Takes the next task, with the lock of the crew.
   *
   * @param last set to whether no other task will follow: members that are left in slots may continue in faster engines
   */
  enum sciara_crew_next (*take)(void *context, struct sciara_crew_task *task, bool *last);
  /** Does it, without the lock. After an error, of which the first one is kept, the crew is halted. */
  enum sciara_status (*work)(void *context, int worker, const struct sciara_crew_task *task);
  enum sciara_cancel on_error; ///< what happens to the members in work then
  void *context;
};

/** Release with sciara_crew_free. */
struct sciara_crew {
  const struct sciara_engine_ops *ops;
  struct sciara_engine_options options;
  struct sciara_pool *pools[SCIARA_CAPACITY_DEVICES]; ///< one for each GPU, if the engine has slots
  int pool_count;
  pthread_mutex_t lock; ///< for what follows, and for the tasks
  pthread_cond_t called;
  struct sciara_crew_queue queue;
  struct sciara_crew_worker *workers;
  int count, running; ///< workers that were started; that have not ended
  int halt;           ///< enum sciara_cancel, atomic: no task is taken any more
  struct sciara_failure failed;
};

/** Before all else; then set ops and options. */
void sciara_crew_init(struct sciara_crew *c, const struct sciara_crew_queue *queue);

/**
 * Makes the slots of the workers, if the engine has slots; else nothing.
 *
 * @param grid  of the site, or the largest of several
 * @param cells of the largest window that is expected
 */
enum sciara_status sciara_crew_make_slots(struct sciara_crew *c, const struct sciara_grid *grid, int64_t cells,
                                          int workers);

/** The slot of worker 0, 1, ...; NULL: its members have engines of their own. */
struct sciara_pool_slot *sciara_crew_slot(const struct sciara_crew *c, int worker);

/** The number of its GPU; -1: that of the scenario. */
int sciara_crew_device(const struct sciara_crew *c, int worker);

/** Starts workers, fewer if there are no more threads. SCIARA_ERR_MEMORY: not even one. */
enum sciara_status sciara_crew_start(struct sciara_crew *c, int workers);

/** There may be tasks, or they have ended: for workers that wait. With the lock. */
void sciara_crew_call(struct sciara_crew *c);

/**
 * Ends all members in work: SCIARA_CANCEL_DROP replaces SCIARA_CANCEL_STORE. No task is taken any more. With the lock, if
 * workers may wait.
 */
void sciara_crew_halt(struct sciara_crew *c, enum sciara_cancel how);
bool sciara_crew_is_halted(const struct sciara_crew *c);

/** Waits until all workers have ended, and gives back their slots. Returns the first error. */
enum sciara_status sciara_crew_join(struct sciara_crew *c);

/** Also does what sciara_crew_join does. */
void sciara_crew_free(struct sciara_crew *c);

// ---------------------------------------------------------------------------------------------------- slots, in pool.c

// Members in the slots of an engine (engine/engine.h). A thread of the pool advances all slots; each slot is fed by a
// thread of its own, for which the slot is an engine like any other.

/** Starts a pool with setup->slots slots. `table` must outlive it. */
enum sciara_status sciara_pool_create(const struct sciara_engine_slots *table, const struct sciara_slots_setup *setup,
                                      struct sciara_pool **out);

/** No slot may have an engine any more. */
void sciara_pool_destroy(struct sciara_pool *pool);

struct sciara_pool_slot *sciara_pool_slot(struct sciara_pool *pool, int number);

/**
 * The engine that a slot is: `create` is for the slot that the calling thread has entered (NULL: none). A state that
 * does not fit the memory of the device waits until another slot is empty; SCIARA_ERR_MEMORY if there is no other member.
 * An error that is not of one slot is one of each, from then on.
 */
extern const struct sciara_engine_ops sciara_pool_engine;
void sciara_pool_enter(struct sciara_pool_slot *slot);

/** A member needs the slot from now on, also while it is prepared, waits for room or is between two windows. */
void sciara_pool_reserve(struct sciara_pool_slot *slot);

/** No member needs the slot. */
void sciara_pool_release(struct sciara_pool_slot *slot);

/**
 * No slot will be reserved any more for another member than its present one. As soon as the members for which slots are
 * reserved all advance, and would end sooner in engines of the kind `successor` of the table, their slots stop with
 * SCIARA_STOP_OUTGROWN.
 */
void sciara_pool_drain(struct sciara_pool *pool);

/** The name of that engine; NULL: none. */
const char *sciara_pool_successor(const struct sciara_pool_slot *slot);

/** Whether members with this rule and precision can have the slot. */
bool sciara_pool_fits(const struct sciara_pool_slot *slot, enum sciara_rule_kind rule, bool single_precision);

/** The member of the slot is not to leave it. */
void sciara_pool_stay(struct sciara_pool_slot *slot);

/**
 * From this time on (sciara_wallclock; INFINITY: never) the slot stops soon after each start, with SCIARA_STOP_WALL, so that
 * its thread can read the state.
 */
void sciara_pool_set_due(struct sciara_pool_slot *slot, double wallclock);

/** The sides (struct sciara_engine_slots) of the states that the slot is given from now on. */
void sciara_pool_set_sides(struct sciara_pool_slot *slot, unsigned sides);

#endif
