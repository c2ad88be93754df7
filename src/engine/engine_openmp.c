// SPDX-License-Identifier: Apache-2.0
// The step of `serial` with vector instructions, divided among a team of threads that exists during a whole `advance`.
// Each thread has a partition: a contiguous part of the padded arrays, with a list of the liquid cells there
// (openmp_part.h). The operations of a cell and their order are those of `serial`. docs/decisions/simd.md explains the
// optimisations.
//
// Most cells of a lava flow are quiescent (model/quiescent.h, openmp_bingham.c): they are evaluated again only after something around
// them has changed.
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/log.h"
#include "base/mem.h"
#include "engine/openmp_part.h"
#include "engine/step_control.h"
#include "engine/stopwatch.h"
#include "engine/team.h"
#include "engine/thread_trial.h"
#include "model/tally.h"

enum {
  FIRST_STEP = 2,     ///< `changed` of cells that have never changed is 0; this must differ from the previous step
  BALANCE_EVERY = 64, ///< steps between two checks of how the work is distributed
  LINE = 16, ///< consecutive cells that always belong to one thread, so that no two threads write to one cache line
  WORK_EVALUATED = 4, ///< cost of a cell that is evaluated; that of a quiescent cell is 1
  MOST_UNEVEN = 110,  ///< largest work of a thread, in per cent of the mean
  WORTHWHILE = 1024,  ///< least work for a further thread at first: about 15 microseconds, more than its waiting costs
};

struct openmp {
  struct sciara_engine_setup setup;
  struct sciara_step_control control;
  struct sciara_host_fields hf;
  struct sciara_band band;
  struct sciara_stopwatch watch;
  struct sciara_part_kernel kernel;
  uint32_t *entry_of, *changed; ///< of all parts
#if SCIARA_SHEET
  struct sciara_given given; ///< of all parts
#endif
  real t;        ///< the clock, s
  uint32_t step; ///< the step in progress
  int threads;   ///< largest number of threads
  int used;      ///< parts in use, which may hold cells: `threads`, or as many as are worthwhile
  bool fits;     ///< no number was requested: `used` is the fastest one of trials
  struct sciara_thread_trial trial;
  uint32_t tried;             ///< the step of the last look at the trial
  double spent;               ///< time of all steps, s, before `since`
  double since;               ///< wall-clock time of the present steps' beginning, s
  struct sciara_part *part;   ///< one per thread; together they cover the own rows
  struct sciara_part halo[2]; ///< lava of the halo, north and south: only donors, listed in each step
  struct sciara_team team;
  int requested;             ///< requested size of the team
  int room;                  ///< threads that can be started; if one cannot, the OpenMP runtime would end the program
  enum sciara_status status; ///< of the step, set by the leader
  bool done;                 ///< `advance` returns
  bool regroup;              ///< the team ends, and a team of another size starts
};

static int thread_number(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

/** The default is that of the OpenMP runtime, which reads OMP_NUM_THREADS. */
static int threads(int requested) {
#ifdef _OPENMP
  enum { MOST = 1024 };
  const char *set = getenv("OMP_NUM_THREADS");
  const int most = set && *set ? omp_get_max_threads() : omp_get_num_procs();
  return requested > 0 ? requested : most < MOST ? most : MOST;
#else
  (void)requested;
  return 1;
#endif
}

// --------------------------------------------------------------------------------------------------- memory and parts

/** Allocates the arrays of the grid that hold what cells give. */
static enum sciara_status create_given(struct openmp *e) {
#if SCIARA_SHEET
  const size_t count = (size_t)e->hf.count + SCIARA_HOST_SLACK;
  for (int i = 1; i < SCIARA_MOORE; i++) SCIARA_TRY(SCIARA_NEW(e->given.rate[i], count, "flows of the cells"));
  SCIARA_TRY(SCIARA_NEW(e->given.T, count, "temperatures of the flows"));
#else
  (void)e;
#endif
  return SCIARA_OK;
}

static void release_given(struct openmp *e) {
#if SCIARA_SHEET
  for (int i = 1; i < SCIARA_MOORE; i++) sciara_free(e->given.rate[i]);
  sciara_free(e->given.T);
  e->given = (struct sciara_given){0};
#else
  (void)e;
#endif
}

static void release_openmp(struct openmp *e) {
  for (int k = 0; k < e->threads && e->part; k++) sciara_part_release(&e->part[k]);
  for (int side = 0; side < 2; side++) sciara_part_release(&e->halo[side]);
  sciara_host_fields_destroy(&e->hf);
  release_given(e);
  sciara_free(e->entry_of);
  sciara_free(e->changed);
  e->entry_of = e->changed = NULL;
}

static void destroy_openmp(void *engine) {
  struct openmp *e = (struct openmp *)engine;
  if (!e) return;
  release_openmp(e);
  sciara_free(e->part);
  sciara_free(e);
}

static enum sciara_status create_openmp(const struct sciara_engine_setup *setup, void **engine) {
  struct openmp *e;
  SCIARA_TRY(SCIARA_NEW(e, 1, "engine openmp"));
  e->setup = *setup;
  e->kernel = sciara_part_kernel_find((enum sciara_isa)setup->options.isa);
  e->threads = e->used = threads(setup->threads);
  e->fits = setup->threads == 0;
  const enum sciara_status status = SCIARA_NEW(e->part, e->threads, "threads of engine openmp");
  if (status != SCIARA_OK) {
    destroy_openmp(e);
    return status;
  }
  *engine = e;
  return SCIARA_OK;
}

/** The part that own cell i belongs to. */
static struct sciara_part *part_of(const struct openmp *e, int64_t i) {
  int k = 0;
  while (i >= e->part[k].end) k++;
  return &e->part[k];
}

static int64_t liquid_cells(const struct openmp *e) {
  int64_t count = 0;
  for (int k = 0; k < e->threads; k++) count += e->part[k].count;
  return count;
}

static void prepare(const struct openmp *e, struct sciara_part *p, const struct sciara_rule *rule,
                    struct sciara_cells cells) {
  p->rule = *rule;
  p->f = e->hf.f;
  p->entry_of = e->entry_of;
  p->changed = e->changed;
#if SCIARA_SHEET
  p->given = e->given;
#endif
  p->begin = cells.begin;
  p->end = cells.end;
}

/** Lists all liquid cells of the own rows in the first part. */
static enum sciara_status list_cells(struct openmp *e, const struct sciara_rule *rule) {
  const struct sciara_cells own = e->band.own, none = {own.end, own.end};
  for (int k = 0; k < e->threads; k++) prepare(e, &e->part[k], rule, k == 0 ? own : none);
  for (int side = 0; side < 2; side++) prepare(e, &e->halo[side], rule, e->band.adjacent[side]);
  e->part[0].watch = e->setup.profile ? &e->watch : NULL;
  return sciara_part_list_lava(&e->part[0]);
}

static int64_t work_of(const struct sciara_part *p, int64_t k) { return p->from[k] > 0 ? 1 : WORK_EVALUATED; }

/** The work of all threads together, and in *most that of the thread with most work. */
static int64_t work_of_all(const struct openmp *e, int64_t *most) {
  int64_t all = 0;
  *most = 0;
  for (int n = 0; n < e->threads; n++) {
    int64_t work = 0;
    for (int64_t k = 0; k < e->part[n].count; k++) work += work_of(&e->part[n], k);
    all += work;
    if (work > *most) *most = work;
  }
  return all;
}

static void start_clock(struct openmp *e) { e->since = sciara_wallclock(); }

/** Time spent in steps, s. */
static double clock_of_steps(const struct openmp *e) { return e->spent + sciara_wallclock() - e->since; }

static void stop_clock(struct openmp *e) { e->spent = clock_of_steps(e); }

/** Number of threads for this work before anything is measured. */
static int worthwhile(const struct openmp *e, int64_t work) {
  const int64_t enough = work / WORTHWHILE;
  return enough >= e->threads ? e->threads : enough > 1 ? (int)enough : 1;
}

/** Number of threads for the next steps; `work`: of one step. */
static int fastest(struct openmp *e, int64_t work) {
  if (!e->fits) return e->used;
  if (e->step == FIRST_STEP) sciara_thread_trial_begin(&e->trial, worthwhile(e, work), e->threads); // that of `upload`
  const uint32_t steps = e->step - e->tried;
  e->tried = e->step;
  return sciara_thread_trial_next(&e->trial, clock_of_steps(e), steps);
}

/**
 * Redistributes the cells so that all parts in use have about the same work. The parts are in ascending order. They keep their memory,
 * but not from one number of threads to another: each would keep the most that it ever had.
 */
static enum sciara_status distribute(struct openmp *e, int64_t all, int used) {
  int64_t work = 0, end = 0;
  struct sciara_part *old;
  SCIARA_TRY(SCIARA_NEW(old, e->threads, "threads of engine openmp"));
  enum sciara_status status = SCIARA_OK;
  int to = 0;
  for (int n = 0; n < e->threads; n++) sciara_part_give_cells(&e->part[n], used == e->used, &old[n]);
  e->used = used;
  for (int n = 0; n < e->threads; n++)
    for (int64_t k = 0; k < old[n].count && status == SCIARA_OK; k++) {
      while (to + 1 < e->used && work * e->used >= all * (to + 1) && old[n].cell[k] >= end) {
        e->part[to].end = e->part[to + 1].begin = old[n].cell[k] / LINE * LINE; // all earlier cells are below it
        to++;
      }
      status = sciara_part_take(&e->part[to], &old[n], k);
      work += work_of(&old[n], k);
      end = (old[n].cell[k] / LINE + 1) * LINE;
    }
  for (; to + 1 < e->threads; to++) e->part[to].end = e->part[to + 1].begin = e->band.own.end;
  e->part[to].end = e->band.own.end;
  for (int n = 0; n < e->threads; n++) sciara_part_release(&old[n]);
  sciara_free(old);
  return status;
}

static bool is_late(const struct openmp *e) {
  return e->fits && sciara_thread_trial_is_late(&e->trial, clock_of_steps(e));
}

/** Checks whether the work is balanced and the number of threads is right, and redistributes the cells if not. */
static enum sciara_status balance(struct openmp *e) {
  int64_t most;
  if (e->threads == 1) return SCIARA_OK;
  const int64_t all = work_of_all(e, &most);
  const int used = fastest(e, all);
  if (used == e->used && most * used * 100 <= all * MOST_UNEVEN) return SCIARA_OK;
  return distribute(e, all, used);
}

/** Finds how many threads can be started. If these are fewer than parts, some threads work on several parts. */
static void limit_team(struct openmp *e) {
  e->room = sciara_threads_with_room(e->threads);
  if (e->room < e->threads)
    sciara_log(SCIARA_LOG_WARNING,
               "engine openmp: a limit of the address space (ulimit -v) has room for %d threads of %d", e->room,
               e->threads);
}

static enum sciara_status upload_openmp(void *engine, const struct sciara_state *state) {
  struct openmp *e = (struct openmp *)engine;
  release_openmp(e);
  SCIARA_TRY(sciara_band_check(&e->setup, &state->grid));
  SCIARA_TRY(sciara_host_fields_create(&e->hf, state));
  SCIARA_TRY(SCIARA_NEW(e->entry_of, e->hf.count, "list of active cells"));
  SCIARA_TRY(SCIARA_NEW(e->changed, e->hf.count, "last changes of the cells"));
  SCIARA_TRY(create_given(e));
  e->t = (real)state->clock;
  e->step = e->tried = FIRST_STEP;
  start_clock(e);
  e->watch = (struct sciara_stopwatch){.on = e->setup.profile};
  sciara_step_control_load(&e->control, state, e->setup.vents);
  e->band = sciara_band_of(&e->setup, state->grid.rows, e->hf.f.stride);
  sciara_host_fields_upload(&e->hf, state, e->setup.boundary);
  const struct sciara_rule rule = sciara_rule_make(e->setup.params, state->grid.cell_size);
  SCIARA_TRY(list_cells(e, &rule));
  limit_team(e);
  return balance(e);
}

static enum sciara_status download_openmp(void *engine, struct sciara_state *state) {
  const struct openmp *e = (const struct openmp *)engine;
  for (int n = 0; n < e->threads; n++)
    for (int64_t k = 0; k < e->part[n].count; k++) sciara_part_store(&e->part[n], k);
  sciara_host_fields_download(&e->hf, state);
  sciara_step_control_store(&e->control, state);
  return SCIARA_OK;
}

/** `entry_of` and `changed` are zeros that occupy no memory where lava never was: they count as memory of the lava. */
static void memory_openmp(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device) {
  *host = sciara_host_fields_memory(grid, record);
  *device = 0;
}

// -------------------------------------------------------------------------------------------------------------- a step

/** Leader: gamma, then s = s + t. */
static enum sciara_status emit_openmp(struct openmp *e) {
  const struct sciara_vents *v = e->setup.vents;
  struct sciara_engine_progress *now = &e->control.now;
  const double t = (double)e->t;
  for (int64_t n = 0; n < v->count; n++) {
    const double volume = sciara_vent_volume(v->begin, v->end, v->rate, v->first[n], v->first[n + 1], now->time, t);
    if (!(volume > 0)) continue;
    const int64_t i = sciara_host_index(&e->hf, v->row[n], v->col[n]);
    sciara_pass_emit(&e->hf.f, i, volume, e->hf.grid.cell_size, (real)e->setup.params->T_vent, now->time);
    e->changed[i] = e->step;
    if (!sciara_cells_have(e->band.own, i)) continue; // it belongs to another band
    struct sciara_part *p = part_of(e, i);
    if (!e->entry_of[i]) SCIARA_TRY(sciara_part_insert(p, i));
    p->h[e->entry_of[i] - 1] = e->hf.f.h[i];
    p->T[e->entry_of[i] - 1] = e->hf.f.T[i];
    now->emitted = now->emitted + volume;
  }
  now->cell_steps += (uint64_t)liquid_cells(e);
  now->time = now->time + t;
  return SCIARA_OK;
}

static void begin_part(const struct openmp *e, struct sciara_part *p) {
  p->step = e->step;
  p->first = e->step == FIRST_STEP;
  p->checks = sciara_step_control_is_check(&e->control);
  p->time = e->control.now.time;
  p->bad = INT64_MAX;
  p->tally = (struct sciara_tally){0, 0, 0};
}

/** Leader, before a step. */
static enum sciara_status begin_step(struct openmp *e) {
  sciara_stopwatch_start(&e->watch);
  SCIARA_TRY(emit_openmp(e));
  sciara_stopwatch_lap(&e->watch, SCIARA_PROCESS_VENTS);
  if (e->step % BALANCE_EVERY == 0 || is_late(e)) SCIARA_TRY(balance(e));
  for (int n = 0; n < e->threads; n++) begin_part(e, &e->part[n]);
  for (int side = 0; side < 2; side++) begin_part(e, &e->halo[side]);
  sciara_stopwatch_lap(&e->watch, SCIARA_PROCESS_OTHER);
  return SCIARA_OK;
}

/** t_opt of all parts. Every thread computes it; a minimum does not depend on the order. */
static real find_t_opt(const struct openmp *e) {
  real t_opt = e->part[0].rule.clock_max;
  for (int n = 0; n < e->used; n++)
    if (e->part[n].t_opt < t_opt) t_opt = e->part[n].t_opt;
  return t_opt;
}

/** Whether the step must end here: invalid numbers were found before the lava moved, or there was no memory. */
static bool is_aborted(const struct openmp *e) {
  bool aborted = false;
  for (int n = 0; n < e->used; n++) aborted |= e->part[n].aborted;
  return aborted || e->halo[0].aborted || e->halo[1].aborted;
}

/** The n-th part in ascending order, from -1 to `used`; the first and the last are the halo. */
static const struct sciara_part *part_in_order(const struct openmp *e, int n) {
  return n < 0 ? &e->halo[0] : n < e->used ? &e->part[n] : &e->halo[1];
}

#if SCIARA_SHEET

/** Lists the dry cells of part `me` that lava reaches. */
static bool receive_all(const struct openmp *e, int me) {
  struct sciara_part *p = &e->part[me];
  p->fresh.count = 0;
  for (int n = -1; n <= e->used; n++) {
    const struct sciara_cell_list *l = &part_in_order(e, n)->reached;
    if (!sciara_cell_list_reserve(&p->fresh, l->count)) return false;
    for (int64_t k = 0; k < l->count; k++)
      if (l->cell[k] >= p->begin && l->cell[k] < p->end) p->fresh.cell[p->fresh.count++] = l->cell[k];
  }
  return true;
}

#else

/** Adds an outflow from another part, or one to a dry cell, to the arrivals of p. */
static bool receive(struct sciara_part *p, const struct sciara_edges *g, int64_t k, int n) {
  const int64_t i = g->cell[k];
  const uint32_t entry = p->entry_of[i];
  struct sciara_arrivals *to = entry ? &p->inner[n] : &p->fresh;
  if (!sciara_arrivals_reserve(to, 1)) return false;
  to->list[to->count++] = (struct sciara_arrival){.cell = entry ? (int64_t)entry - 1 : i,
                                                  .direction = n,
                                                  .out = {.thickness = g->share[k], .speed = g->v0[k]},
                                                  .T = g->accel[k]};
  return true;
}

/** Collects the lava that flows to part `me` from other parts, or to dry cells of part `me`. */
static bool receive_all(const struct openmp *e, int me) {
  struct sciara_part *p = &e->part[me];
  p->fresh.count = 0;
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const int i = sciara_moore_reverse(n);
    p->inner[n].count = p->inner[n].taken = 0;
    const struct sciara_edges *g = &p->edges[SCIARA_EDGE_FRESH][i];
    for (int64_t k = 0; k < g->count; k++)
      if (!receive(p, g, k, n)) return false;
    for (int other = -1; other <= e->used; other++) { // in ascending order, so the arrivals are too
      g = &part_in_order(e, other)->edges[SCIARA_EDGE_OUTER][i];
      if (other == me) continue;
      for (int64_t k = 0; k < g->count; k++)
        if (g->cell[k] >= p->begin && g->cell[k] < p->end && !receive(p, g, k, n)) return false;
    }
  }
  return true;
}

#endif

/** tau2, rim and tau3 of the cells of part `me`, and its list for the next step. */
static void settle_openmp(struct openmp *e, int me) {
  struct sciara_part *p = &e->part[me];
  if (!receive_all(e, me)) {
    p->exhausted = true;
    return;
  }
  e->kernel.settle(p);
  p->exhausted = sciara_part_settle_dry(p) != SCIARA_OK;
}

/** Leader: the error of this step, or SCIARA_OK. */
static enum sciara_status result_openmp(struct openmp *e) {
  for (int n = -1; n <= e->used; n++) {
    const struct sciara_part *p = part_in_order(e, n);
    int64_t row, col;
    if (p->exhausted) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the active cells");
    if (p->bad == INT64_MAX) continue;
    sciara_host_cell(&e->hf, p->bad, &row, &col);
    sciara_step_control_report(&e->control, row, col);
  }
  return sciara_step_control_status(&e->control);
}

/** Leader: whether a cell is thicker than this `advance` allows. */
static bool is_openmp_thick(const struct openmp *e) {
  bool thick = false;
  for (int n = 0; n < e->used; n++)
    for (int64_t k = 0; k < e->part[n].count; k++)
      thick |= sciara_step_control_is_thick(&e->control, (double)e->part[n].h[k]);
  return thick;
}

/** Leader, after a step: totals, result. */
static enum sciara_status end_step(struct openmp *e) {
  SCIARA_TRY(result_openmp(e));
  for (int n = 0; n < e->used; n++) {
    sciara_step_control_add(&e->control, &e->part[n].tally);
#if SCIARA_SHEET
    sciara_part_forget_gone(&e->part[n]);
#endif
  }
  e->control.now.liquid_cells = liquid_cells(e);
  if (sciara_step_control_limits(&e->control)) e->control.now.thick = is_openmp_thick(e);
  e->t = e->part[0].t;
  e->control.now.clock = (double)e->t;
  e->control.now.step++;
  e->step++;
  sciara_stopwatch_stop(&e->watch, SCIARA_PROCESS_OTHER);
  return SCIARA_OK;
}

/** A barrier of the team. Thread 0 measures the time from barrier to barrier. */
static void wait_for_team(struct openmp *e, int me, enum sciara_process process) {
  sciara_team_wait(&e->team);
  if (me == 0) sciara_stopwatch_lap(&e->watch, process);
}

/** Whether halo part p has cells: there may be no halo on its side. */
static bool has_cells(const struct sciara_part *p) { return p->end > p->begin; }

/** The step of thread `me` up to t_opt. */
static void first_half(struct openmp *e, int me) {
  const int size = e->team.size;
  for (int n = me; n < e->used; n += size) e->kernel.evaluate(&e->part[n]);
  for (int side = me; side < 2; side += size)
    if (has_cells(&e->halo[side])) e->kernel.evaluate(&e->halo[side]);
  wait_for_team(e, me, SCIARA_PROCESS_TIME_EVALUATION);
}

static void flow_openmp(struct openmp *e, struct sciara_part *p, real t) {
  p->t = t;
  e->kernel.flow(p);
  p->aborted = p->exhausted || p->bad != INT64_MAX;
}

/** The rest of the step of thread `me`. */
static void second_half(struct openmp *e, int me, real t_opt) {
  const int size = e->team.size;
  const real t = sciara_clock(&e->part[0].rule, t_opt);
  for (int n = me; n < e->used; n += size) flow_openmp(e, &e->part[n], t);
  for (int side = me; side < 2; side += size)
    if (has_cells(&e->halo[side])) flow_openmp(e, &e->halo[side], t);
  wait_for_team(e, me, SCIARA_PROCESS_FLOWS);
  if (is_aborted(e)) return; // invalid numbers would spread; all threads get the same result here
  for (int n = me; n < e->used; n += size) settle_openmp(e, n);
  wait_for_team(e, me, SCIARA_PROCESS_TEMPERATURE);
}

/** One step of thread `me`. */
static void step_openmp(struct openmp *e, int me) {
  first_half(e, me);
  second_half(e, me, find_t_opt(e));
}

/** The work of each thread of the team until `advance` returns or the team ends; thread 0 is the leader. */
static void work(struct openmp *e, int me, const void *of_stop) {
  const struct sciara_stop *stop = (const struct sciara_stop *)of_stop;
  if (me == 0) e->status = begin_step(e);
  sciara_team_wait(&e->team);
  while (e->status == SCIARA_OK && !e->done && !e->regroup) {
    step_openmp(e, me);
    if (me == 0) {
      e->status = end_step(e);
      e->done = sciara_step_control_stop(&e->control, stop);
      e->regroup = e->used != e->requested;
      if (e->status == SCIARA_OK && !e->done && !e->regroup) e->status = begin_step(e);
    }
    sciara_team_wait(&e->team);
  }
}

/** A job for every thread of a team. */
struct team_job {
  struct openmp *e;
  void (*run)(struct openmp *e, int me, const void *argument);
  const void *argument;
};

static void form_team(void *context) {
  const struct team_job *job = (const struct team_job *)context;
  struct openmp *e = job->e;
#pragma omp parallel num_threads(e->requested < e->room ? e->requested : e->room)
  {
#ifdef _OPENMP
#pragma omp single
    e->team.size = omp_get_num_threads(); // may be fewer than requested: then a thread works on several parts
#endif
    job->run(e, thread_number(), job->argument);
  }
}

/** Runs a team with as many threads as parts in use; each calls run(e, its number, argument). */
static void work_together(struct openmp *e, void (*run)(struct openmp *e, int me, const void *argument),
                          const void *argument) {
  struct team_job job = {.e = e, .run = run, .argument = argument};
  e->team = (struct sciara_team){.size = 1};
  e->requested = e->used;
  e->regroup = false;
  if (e->requested == 1 || !sciara_team_call(form_team, &job)) run(e, 0, argument);
}

static enum sciara_status advance_openmp(void *engine, const struct sciara_stop *stop,
                                         struct sciara_engine_progress *progress) {
  struct openmp *e = (struct openmp *)engine;
  SCIARA_TRY(sciara_band_check_whole(&e->setup));
  SCIARA_TRY(sciara_step_control_between_steps(&e->control));
  e->status = SCIARA_OK;
  e->done = !sciara_step_control_begin(&e->control, stop);
  start_clock(e);
  while (e->status == SCIARA_OK && !e->done) work_together(e, work, stop);
  stop_clock(e);
  *progress = e->control.now;
  return e->status == SCIARA_OK ? sciara_step_control_status(&e->control) : e->status;
}

// -------------------------------------------------------------------------------------------------------------- phases

/** Lists the lava of the halo rows next to the own rows: that of `unpack` and that emitted by vents there. */
static enum sciara_status list_openmp_halo_lava(struct openmp *e) {
  for (int side = 0; side < 2; side++) {
    struct sciara_part *p = &e->halo[side];
    if (!has_cells(p)) continue;
    const size_t cells = (size_t)(p->end - p->begin);
    memset(p->entry_of + p->begin, 0, cells * sizeof *p->entry_of);
#if SCIARA_SHEET
    for (int i = 1; i < SCIARA_MOORE; i++) memset(p->given.rate[i] + p->begin, 0, cells * sizeof(real));
#endif
    p->count = 0;
    SCIARA_TRY(sciara_part_list_lava(p));
  }
  return SCIARA_OK;
}

static void evaluate_job(struct openmp *e, int me, const void *nothing) {
  (void)nothing;
  first_half(e, me);
}

static void move_job(struct openmp *e, int me, const void *t_opt) { second_half(e, me, *(const real *)t_opt); }

static enum sciara_status evaluate_openmp(void *engine, double thickness, double *t_opt) {
  struct openmp *e = (struct openmp *)engine;
  SCIARA_TRY(sciara_step_control_evaluate(&e->control, thickness));
  start_clock(e);
  SCIARA_TRY(begin_step(e));
  SCIARA_TRY(list_openmp_halo_lava(e));
  work_together(e, evaluate_job, NULL);
  stop_clock(e);
  *t_opt = (double)find_t_opt(e);
  return SCIARA_OK;
}

static enum sciara_status move_openmp(void *engine, double t_opt, struct sciara_engine_progress *progress) {
  struct openmp *e = (struct openmp *)engine;
  const real smallest = (real)t_opt;
  SCIARA_TRY(sciara_step_control_move(&e->control, t_opt));
  sciara_stopwatch_start(&e->watch);
  start_clock(e);
  work_together(e, move_job, &smallest);
  stop_clock(e);
  const enum sciara_status status = end_step(e);
  *progress = e->control.now;
  return status;
}

static size_t row_openmp_bytes(const void *engine) {
  return sciara_host_fields_row_bytes(&((const struct openmp *)engine)->hf);
}

/** Writes the cells of part p in these rows to the arrays of the grid. */
static void store_rows(const struct sciara_part *p, struct sciara_cells rows) {
  for (int64_t k = 0; k < p->count && p->cell[k] < rows.end; k++)
    if (p->cell[k] >= rows.begin) sciara_part_store(p, k);
}

static enum sciara_status pack_openmp(void *engine, int64_t row, int64_t count, void *buffer) {
  const struct openmp *e = (const struct openmp *)engine;
  SCIARA_TRY(sciara_step_control_between_steps(&e->control));
  SCIARA_TRY(sciara_band_check_pack(&e->setup, &e->hf.grid, row, count));
  const int64_t stride = e->hf.f.stride;
  const struct sciara_cells rows = {(row + 1) * stride, (row + 1 + count) * stride};
  for (int n = 0; n < e->threads; n++)
    if (e->part[n].begin < rows.end && rows.begin < e->part[n].end) store_rows(&e->part[n], rows);
  sciara_host_fields_pack(&e->hf, row, count, buffer);
  return SCIARA_OK;
}

/**
 * Marks the cells of a row whose ground or lava differs from the packed row as changed; returns the next packed row.
 */
static const real *mark_changed_row(struct openmp *e, int64_t row, const real *packed) {
  const struct sciara_fields *f = &e->hf.f;
  const int64_t first = sciara_host_index(&e->hf, row, 0), cols = e->hf.grid.cols;
#define SCIARA_REAL_FIELD(member)                                                \
  for (int64_t c = 0; (f->member == f->z || f->member == f->h) && c < cols; c++) \
    if (f->member[first + c] != packed[c]) e->changed[first + c] = e->step;      \
  packed += cols;
#include "model/fields.def"
  return packed;
}

static enum sciara_status unpack_openmp(void *engine, int64_t row, int64_t count, const void *buffer) {
  struct openmp *e = (struct openmp *)engine;
  const real *packed = (const real *)buffer;
  SCIARA_TRY(sciara_step_control_between_steps(&e->control));
  SCIARA_TRY(sciara_band_check_unpack(&e->setup, &e->hf.grid, row, count));
  for (int64_t r = row; r < row + count; r++) packed = mark_changed_row(e, r, packed);
  sciara_host_fields_unpack(&e->hf, row, count, buffer);
  return SCIARA_OK;
}

static const struct sciara_engine_phases phases = {evaluate_openmp, move_openmp,   row_openmp_bytes,
                                                   pack_openmp,     unpack_openmp, .tile_rows = 1};

static enum sciara_status profile(void *engine, struct sciara_engine_profile *out) {
  *out = ((const struct openmp *)engine)->watch.sum;
  return SCIARA_OK;
}

const struct sciara_engine_ops SCIARA_NAME(sciara_engine_openmp) = {
    .name = "openmp",
    .summary = "vector instructions over the active cells, divided among threads",
    .capabilities = SCIARA_CAN_THREADS,
    .options = "isa",
    .determinism = SCIARA_EXACT,
    .create = create_openmp,
    .destroy = destroy_openmp,
    .upload = upload_openmp,
    .download = download_openmp,
    .advance = advance_openmp,
    .threads = threads,
    .memory = memory_openmp,
    .memory_of_lava = sciara_part_memory_of_lava,
    .profile = profile,
    .phases = &phases,
};
