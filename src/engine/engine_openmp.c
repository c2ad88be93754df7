// SPDX-License-Identifier: Apache-2.0
// The step of `serial` with its loops shared out to a team of threads that stays together for the whole of `advance`; one
// thread alone does the step of `serial` itself. What a cell computes, and in which order, is the same; only the order of
// the list differs, on which nothing depends.
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/mem.h"
#include "engine/active.h"
#include "engine/team.h"

/** What became of a thread's part of the list, on a cache line of its own. */
struct tally {
  int64_t liquid, rock, lost;
  char padding[SCIARA_ALIGNMENT - 3 * sizeof(int64_t)];
};

struct openmp {
  struct sciara_active active;
  int threads;
  int64_t *next; ///< the list of the next step, and its capacity
  int64_t next_capacity;
  struct tally *tally; ///< by thread
  struct sciara_team team;
  real t_opt;                ///< smallest time of this step, of all threads
  bool poisoned;             ///< a NaN was found before the lava moved
  enum sciara_status status; ///< of the step, set by the leader
  bool done;                 ///< `advance` comes back
};

static int thread_number(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

static int thread_count(int wanted) {
#ifdef _OPENMP
  return wanted > 0 ? wanted : omp_get_num_procs();
#else
  (void)wanted;
  return 1;
#endif
}

static void destroy(void *engine) {
  struct openmp *e = (struct openmp *)engine;
  if (!e) return;
  sciara_active_release(&e->active);
  free(e->next);
  sciara_free(e->tally);
  sciara_free(e);
}

static enum sciara_status create(const struct sciara_engine_setup *setup, void **engine) {
  struct openmp *e;
  SCIARA_TRY(SCIARA_NEW(e, 1, "engine openmp"));
  e->active.setup = *setup;
  e->threads = thread_count(setup->threads);
  const enum sciara_status status = SCIARA_NEW(e->tally, e->threads, "threads of engine openmp");
  if (status != SCIARA_OK) {
    destroy(e);
    return status;
  }
  *engine = e;
  return SCIARA_OK;
}

static enum sciara_status upload(void *engine, const struct sciara_state *state) {
  return sciara_active_upload(&((struct openmp *)engine)->active, state);
}

static enum sciara_status download(void *engine, struct sciara_state *state) {
  sciara_active_download(&((const struct openmp *)engine)->active, state);
  return SCIARA_OK;
}

static void blame(struct sciara_active *a, int64_t i) {
#pragma omp critical(sciara_blame)
  sciara_active_blame(a, i);
}

/** Like blame, for what is found before the lava moves: the step then goes no further. */
static void poison(struct openmp *e, int64_t i) {
  blame(&e->active, i);
  __atomic_store_n(&e->poisoned, true, __ATOMIC_RELAXED);
}

/** Thread `me`'s part [*begin, *end) of `count`. */
static void share(const struct openmp *e, int me, int64_t count, int64_t *begin, int64_t *end) {
  *begin = count * me / e->team.size;
  *end = count * (me + 1) / e->team.size;
}

/** Thread 0 keeps the time of the team: from barrier to barrier. */
static void lap(struct openmp *e, int me, enum sciara_process process) {
  if (me == 0) sciara_stopwatch_lap(&e->active.watch, process);
}

/** Lists the dry cells that receive from the k-th liquid cell; the first thread to mark a cell lists it. */
static void list_receivers(struct sciara_active *a, int64_t k) {
  for (int i = 1; i < SCIARA_MOORE; i++) {
    if (!(a->donor[k].out.to[i].thickness > 0)) continue;
    const int64_t j = a->cell[k] + sciara_moore_offset(i, a->hf.f.stride);
    if (__atomic_load_n(&a->slot[j], __ATOMIC_RELAXED)) continue;
    uint32_t unlisted = 0;
    if (__atomic_compare_exchange_n(&a->slot[j], &unlisted, SCIARA_RECEIVER, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      a->cell[__atomic_fetch_add(&a->listed, 1, __ATOMIC_RELAXED)] = j;
  }
}

/** tau1, time evaluation of this thread's liquid cells. */
static void evaluate(struct openmp *e, int me) {
  struct sciara_active *a = &e->active;
  real mine = a->rule.clock_max;
  int64_t begin, end;
  share(e, me, a->liquid, &begin, &end);
  for (int64_t k = begin; k < end; k++) {
    bool bad = false;
    const real t = sciara_pass_evaluate(&a->rule, &a->hf.f, a->cell[k], &a->donor[k].prospect, &bad);
    if (t < mine) mine = t;
    if (bad) poison(e, a->cell[k]);
  }
#pragma omp critical(sciara_clock)
  if (mine < e->t_opt) e->t_opt = mine; // exact in any order
}

/** tau1, flow computing of this thread's liquid cells. */
static void flow(struct openmp *e, int me) {
  struct sciara_active *a = &e->active;
  int64_t begin, end;
  share(e, me, a->liquid, &begin, &end);
  for (int64_t k = begin; k < end; k++) {
    bool bad = false;
    sciara_active_flow(a, k, &bad);
    if (bad) poison(e, a->cell[k]);
    list_receivers(a, k);
  }
}

/** Rim and tau3 of the k-th listed cell, which has gathered its parcel. */
static inline void settle_cell(struct sciara_active *a, int64_t k, struct sciara_parcel parcel, struct tally *mine) {
  bool bad = false;
  const enum sciara_fate fate =
      sciara_pass_settle(&a->rule, &a->hf.f, a->cell[k], parcel, a->t, a->clockwork.now.time, &bad);
  mine->liquid += fate == SCIARA_FATE_LIQUID;
  mine->rock += fate == SCIARA_FATE_ROCK;
  mine->lost += fate == SCIARA_FATE_LOST;
  if (bad) blame(a, a->cell[k]);
}

/** tau2, rim and tau3 of this thread's part of the list. */
static void settle(struct openmp *e, int me) {
  struct sciara_active *a = &e->active;
  struct tally mine = {0};
  int64_t begin, end;
  share(e, me, a->listed, &begin, &end);
  for (int64_t k = begin; k < end; k++) settle_cell(a, k, sciara_active_gather(a, k), &mine);
  e->tally[me] = mine;
}

/** The same one after the other, so that each can be timed. */
static void settle_timed(struct openmp *e, int me) {
  struct sciara_active *a = &e->active;
  struct tally mine = {0};
  int64_t begin, end;
  share(e, me, a->listed, &begin, &end);
  for (int64_t k = begin; k < end; k++) a->parcel[k] = sciara_active_gather(a, k);
  sciara_team_wait(&e->team);
  lap(e, me, SCIARA_PROCESS_MASS_AND_MOMENTUM);
  for (int64_t k = begin; k < end; k++) settle_cell(a, k, a->parcel[k], &mine);
  e->tally[me] = mine;
}

/** The liquid cells of this thread's part go to `next`, behind those of the threads before it. */
static void compact(struct openmp *e, int me) {
  struct sciara_active *a = &e->active;
  int64_t begin, end, place = 0;
  share(e, me, a->listed, &begin, &end);
  for (int before = 0; before < me; before++) place += e->tally[before].liquid;
  for (int64_t k = begin; k < end; k++) {
    const int64_t i = a->cell[k];
    a->slot[i] = 0;
    if (!(a->hf.f.h[i] > 0)) continue;
    e->next[place++] = i;
    a->slot[i] = (uint32_t)place;
  }
}

static enum sciara_status reserve_next(struct openmp *e) {
  if (e->next_capacity == e->active.cell_capacity) return SCIARA_OK;
  void *bigger = realloc(e->next, (size_t)e->active.cell_capacity * sizeof *e->next);
  if (!bigger)
    return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %lld active cells", (long long)e->active.cell_capacity);
  e->next = (int64_t *)bigger;
  e->next_capacity = e->active.cell_capacity;
  return SCIARA_OK;
}

/** Leader, before a step: vents, room in the lists. */
static enum sciara_status begin_step(struct openmp *e) {
  sciara_stopwatch_start(&e->active.watch);
  SCIARA_TRY(sciara_active_emit(&e->active));
  sciara_stopwatch_lap(&e->active.watch, SCIARA_PROCESS_VENTS);
  SCIARA_TRY(reserve_next(e));
  e->t_opt = e->active.rule.clock_max;
  e->poisoned = false;
  return SCIARA_OK;
}

/** Leader, after a step: the new list, totals, verdict. */
static enum sciara_status end_step(struct openmp *e) {
  struct sciara_active *a = &e->active;
  SCIARA_TRY(sciara_clockwork_verdict(&a->clockwork));
  int64_t *list = a->cell;
  a->cell = e->next;
  e->next = list;
  a->liquid = 0;
  for (int k = 0; k < e->team.size; k++) {
    a->liquid += e->tally[k].liquid;
    a->clockwork.now.solidifications += (uint64_t)e->tally[k].rock;
    a->clockwork.now.losses += (uint64_t)e->tally[k].lost;
  }
  a->listed = a->clockwork.now.liquid_cells = a->liquid;
  SCIARA_TRY(sciara_clockwork_verdict(&a->clockwork));
  a->clockwork.now.clock = (double)a->t;
  a->clockwork.now.step++;
  sciara_stopwatch_stop(&a->watch, SCIARA_PROCESS_OTHER);
  return SCIARA_OK;
}

/** What each thread of the team does until `advance` comes back; thread 0 leads. */
static void work(struct openmp *e, int me, const struct sciara_stop *stop) {
  if (me == 0) e->status = begin_step(e);
  sciara_team_wait(&e->team);
  while (e->status == SCIARA_OK && !e->done) {
    lap(e, me, SCIARA_PROCESS_OTHER);
    evaluate(e, me);
    sciara_team_wait(&e->team);
    if (me == 0) e->active.t = e->active.rule.relaxation * e->t_opt;
    sciara_team_wait(&e->team);
    lap(e, me, SCIARA_PROCESS_TIME_EVALUATION);
    flow(e, me);
    sciara_team_wait(&e->team);
    lap(e, me, SCIARA_PROCESS_FLOWS);
    if (!e->poisoned) { // else the NaN would spread; every thread sees the same here
      e->active.setup.profile ? settle_timed(e, me) : settle(e, me);
      sciara_team_wait(&e->team);
      lap(e, me, SCIARA_PROCESS_TEMPERATURE);
      compact(e, me);
      sciara_team_wait(&e->team);
    }
    if (me == 0) {
      e->status = end_step(e);
      e->done = sciara_clockwork_stop(&e->active.clockwork, stop);
      if (e->status == SCIARA_OK && !e->done) e->status = begin_step(e);
    }
    sciara_team_wait(&e->team);
  }
}

static enum sciara_status advance(void *engine, const struct sciara_stop *stop,
                                  struct sciara_engine_progress *progress) {
  struct openmp *e = (struct openmp *)engine;
  struct sciara_clockwork *clockwork = &e->active.clockwork;
  if (e->threads == 1) return sciara_clockwork_run(clockwork, stop, sciara_serial_step, &e->active, progress);
  e->status = SCIARA_OK;
  e->done = !sciara_clockwork_begin(clockwork, stop);
  e->team = (struct sciara_team){.size = 1};
  if (!e->done) {
#pragma omp parallel num_threads(e->threads)
    {
#ifdef _OPENMP
#pragma omp single
      e->team.size = omp_get_num_threads(); // the runtime may give fewer than asked
#endif
      work(e, thread_number(), stop);
    }
  }
  *progress = clockwork->now;
  return e->status;
}

static enum sciara_status profile(void *engine, struct sciara_engine_profile *out) {
  sciara_active_profile(&((const struct openmp *)engine)->active, out);
  return SCIARA_OK;
}

const struct sciara_engine_ops SCIARA_NAME(sciara_engine_openmp) = {
    .name = "openmp",
    .summary = "list of active cells, shared out to threads",
    .capabilities = SCIARA_CAN_THREADS,
    .determinism = SCIARA_EXACT,
    .create = create,
    .destroy = destroy,
    .upload = upload,
    .download = download,
    .advance = advance,
    .memory = sciara_active_memory,
    .profile = profile,
};
