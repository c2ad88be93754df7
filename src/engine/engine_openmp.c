// SPDX-License-Identifier: Apache-2.0
// The step of `serial` with its loops shared out to a team of threads that stays together for the whole of `advance`. What a
// cell computes, and in which order, is the same; only the order of the list differs, on which nothing depends.
//
// Much of a lava flow is at rest (model/rest.h): such a cell is evaluated again only when something around it has stirred.
// A cell gathers only when something comes.
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/mem.h"
#include "engine/active.h"
#include "engine/team.h"
#include "model/rest.h"

/** What became of a thread's part of the list, on a cache line of its own. */
struct tally {
  int64_t liquid, rock, lost;
  char padding[SCIARA_ALIGNMENT - 3 * sizeof(int64_t)];
};

/** What is known of cell i of the padded arrays from one step to the next. */
struct memory {
  uint32_t reached; ///< the last step in which lava came from a neighbour
  uint32_t ask;     ///< from this step on it is worth asking whether it rests
  real from;        ///< it has been at rest since it had this temperature, K; 0: it is not at rest
};

enum { FIRST_STEP = 2, ASK_AGAIN = 16 };

struct openmp {
  struct sciara_active active;
  struct memory *memory; ///< by padded index
  uint32_t
      *stirred;  ///< by padded index: the last step in which its thickness or its ground changed, from FIRST_STEP on
  uint32_t step; ///< the step in progress
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
  sciara_free(e->memory);
  sciara_free(e->stirred);
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
  struct openmp *e = (struct openmp *)engine;
  SCIARA_TRY(sciara_active_upload(&e->active, state));
  sciara_free(e->memory);
  sciara_free(e->stirred);
  e->memory = NULL;
  e->stirred = NULL;
  SCIARA_TRY(SCIARA_NEW(e->stirred, e->active.hf.count, "what engine openmp knows of the cells"));
  SCIARA_TRY(SCIARA_NEW(e->memory, e->active.hf.count, "what engine openmp knows of the cells"));
  e->step = FIRST_STEP;
  return SCIARA_OK;
}

static void memory(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device) {
  sciara_active_memory(grid, record, host, device);
  *host += (size_t)(grid->rows + 2) * (size_t)(grid->cols + 2) * (sizeof(struct memory) + sizeof(uint32_t));
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

/** Marks the cells that receive from the k-th liquid cell and lists the dry ones; the first thread to mark one lists it. */
static void list_receivers(struct openmp *e, int64_t k) {
  struct sciara_active *a = &e->active;
  for (int i = 1; i < SCIARA_MOORE; i++) {
    if (!(a->donor[k].out.to[i].thickness > 0)) continue;
    const int64_t j = a->cell[k] + sciara_moore_offset(i, a->hf.f.stride);
    __atomic_store_n(&e->memory[j].reached, e->step, __ATOMIC_RELAXED);
    if (__atomic_load_n(&a->slot[j], __ATOMIC_RELAXED)) continue;
    uint32_t unlisted = 0;
    if (__atomic_compare_exchange_n(&a->slot[j], &unlisted, SCIARA_RECEIVER, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      a->cell[__atomic_fetch_add(&a->listed, 1, __ATOMIC_RELAXED)] = j;
  }
}

/** Whether neither cell i nor a neighbour has changed in the last step. */
static bool is_calm(const struct openmp *e, int64_t i) {
  const uint32_t last = e->step - 1;
  bool stirred = false;
  for (int n = 0; n < SCIARA_MOORE; n++)
    stirred |= e->stirred[i + sciara_moore_offset(n, e->active.hf.f.stride)] >= last;
  return !stirred;
}

/** Notes whether cell i, from which nothing flows, is at rest. */
static void look_for_rest(const struct openmp *e, int64_t i) {
  const struct sciara_fields *f = &e->active.hf.f;
  real zn[SCIARA_MOORE], hn[SCIARA_MOORE];
  for (int n = 1; n < SCIARA_MOORE; n++) {
    zn[n] = f->z[i + sciara_moore_offset(n, f->stride)];
    hn[n] = f->h[i + sciara_moore_offset(n, f->stride)];
  }
  if (sciara_rests(&e->active.rule, f->z[i], f->h[i], f->T[i], f->px[i], f->py[i], zn, hn))
    e->memory[i].from = f->T[i];
  else
    e->memory[i].ask = e->step + ASK_AGAIN;
}

/** tau1, time evaluation of the k-th liquid cell, unless it is at rest. */
static real evaluate_cell(struct openmp *e, int64_t k) {
  struct sciara_active *a = &e->active;
  const int64_t i = a->cell[k];
  struct sciara_prospect *p = &a->donor[k].prospect;
  struct memory *m = &e->memory[i];
  const real T = a->hf.f.T[i];
  const bool calm = is_calm(e, i);
  bool bad = false;
  a->donor[k].rests = calm && T <= m->from;
  if (a->donor[k].rests) {
    p->survivors = 0;
    return a->rule.clock_max;
  }
  m->from = 0;
  const real t = sciara_pass_evaluate(&a->rule, &a->hf.f, i, p, &bad);
  if (bad) poison(e, i);
  if (calm && !p->survivors && e->step >= m->ask) look_for_rest(e, i);
  return t;
}

/** tau1, time evaluation of this thread's liquid cells. */
static void evaluate(struct openmp *e, int me) {
  struct sciara_active *a = &e->active;
  real mine = a->rule.clock_max;
  int64_t begin, end;
  share(e, me, a->liquid, &begin, &end);
  for (int64_t k = begin; k < end; k++) {
    const real t = evaluate_cell(e, k);
    if (t < mine) mine = t;
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
    if (!a->donor[k].prospect.survivors) continue; // it keeps all it has
    sciara_active_flow(a, k, &bad);
    if (bad) poison(e, a->cell[k]);
    list_receivers(e, k);
  }
}

/** tau2 of the k-th listed cell. Donors without a survivor have no outflows on record. */
static struct sciara_parcel gather(const struct openmp *e, int64_t k) {
  const struct sciara_active *a = &e->active;
  const int64_t i = a->cell[k];
  const struct sciara_fields *f = &a->hf.f;
  struct sciara_parcel parcel = {0, 0, 0, 0};
  if (k < a->liquid) {
    const struct sciara_donor *r = &a->donor[k];
    const struct sciara_prospect *p = &r->prospect;
    if (p->survivors)
      parcel = sciara_parcel_residual(r->residual, p->vx, p->vy, p->keep, r->T);
    else if (!r->rests)
      parcel = sciara_parcel_residual(f->h[i], p->vx, p->vy, p->keep, f->T[i]);
    else if (f->px[i] == 0 && f->py[i] == 0)
      parcel = (struct sciara_parcel){f->h[i], f->px[i], f->py[i], f->h[i] * f->T[i]};
    else
      parcel = sciara_parcel_residual(f->h[i], sciara_real_div(f->px[i], f->h[i]), sciara_real_div(f->py[i], f->h[i]),
                                      1 - sciara_dissipation(&a->rule, f->T[i]), f->T[i]);
  }
  if (e->memory[i].reached != e->step) return parcel;
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const uint32_t donor = a->slot[i + sciara_moore_offset(n, f->stride)];
    if (donor == 0 || donor == SCIARA_RECEIVER || !a->donor[donor - 1].prospect.survivors) continue;
    const struct sciara_donor *r = &a->donor[donor - 1];
    sciara_parcel_add(&parcel, n, r->out.to[sciara_moore_reverse(n)], r->T);
  }
  return parcel;
}

/** Rim and tau3 of the k-th listed cell, which has gathered its parcel. */
static inline void settle_cell(struct openmp *e, int64_t k, struct sciara_parcel parcel, struct tally *mine) {
  struct sciara_active *a = &e->active;
  const int64_t i = a->cell[k];
  const real before = a->hf.f.h[i];
  bool bad = false;
  const enum sciara_fate fate = sciara_pass_settle(&a->rule, &a->hf.f, i, parcel, a->t, a->clockwork.now.time, &bad);
  if (a->hf.f.h[i] != before) e->stirred[i] = e->step; // rock: the lava has become ground
  mine->liquid += fate == SCIARA_FATE_LIQUID;
  mine->rock += fate == SCIARA_FATE_ROCK;
  mine->lost += fate == SCIARA_FATE_LOST;
  if (bad) blame(a, i);
}

/** tau2, rim and tau3 of this thread's part of the list. */
static void settle(struct openmp *e, int me) {
  struct sciara_active *a = &e->active;
  struct tally mine = {0};
  int64_t begin, end;
  share(e, me, a->listed, &begin, &end);
  for (int64_t k = begin; k < end; k++) settle_cell(e, k, gather(e, k), &mine);
  e->tally[me] = mine;
}

/** The same one after the other, so that each can be timed. */
static void settle_timed(struct openmp *e, int me) {
  struct sciara_active *a = &e->active;
  struct tally mine = {0};
  int64_t begin, end;
  share(e, me, a->listed, &begin, &end);
  for (int64_t k = begin; k < end; k++) a->parcel[k] = gather(e, k);
  sciara_team_wait(&e->team);
  lap(e, me, SCIARA_PROCESS_MASS_AND_MOMENTUM);
  for (int64_t k = begin; k < end; k++) settle_cell(e, k, a->parcel[k], &mine);
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
  const struct sciara_vents *v = e->active.setup.vents;
  for (int64_t k = 0; k < v->count; k++) e->stirred[sciara_host_index(&e->active.hf, v->row[k], v->col[k])] = e->step;
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
  e->step++;
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
  e->status = SCIARA_OK;
  e->done = !sciara_clockwork_begin(clockwork, stop);
  e->team = (struct sciara_team){.size = 1};
  if (!e->done && e->threads == 1) {
    work(e, 0, stop);
  } else if (!e->done) {
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
    .memory = memory,
    .profile = profile,
};
