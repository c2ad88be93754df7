// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/share.h"
#include "base/wallclock.h"

int sciara_usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : online < SCIARA_MOST_THREADS ? (int)online : SCIARA_MOST_THREADS;
}

int sciara_engine_threads(const struct sciara_engine_ops *ops, int requested) {
  return ops && ops->threads ? ops->threads(requested) : 1;
}

bool sciara_threads_by_environment(const struct sciara_engine_ops *ops, int requested) {
  const char *set = getenv("OMP_NUM_THREADS"); // may be a list: "4,2"
  return set && requested == 0 && ops && ops->threads && atoi(set) == ops->threads(0);
}

int sciara_snapshot_threads(int engine_threads) {
  const int free_cores = sciara_usable_cores() - engine_threads;
  return free_cores > 1 ? free_cores : 1;
}

// -------------------------------------------------------------------------------------------------------------- states

struct states_work {
  const struct sciara_state *state;
  uint64_t sum; ///< summed atomically
  struct sciara_touched *touched;
};

static int worth(int threads, int64_t cells, int64_t cells_a_thread) {
  const int64_t most = cells / cells_a_thread + 1;
  return threads < most ? threads : (int)most;
}

static void add_up(void *context, int64_t begin, int64_t end) {
  struct states_work *w = (struct states_work *)context;
  __atomic_fetch_add(&w->sum, sciara_state_checksum_cells(w->state, begin, end - begin), __ATOMIC_RELAXED);
}

uint64_t sciara_checksum_in_parallel(const struct sciara_state *s) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  struct states_work w = {.state = s, .sum = sciara_state_checksum_rest(s)};
  sciara_share(worth(sciara_usable_cores(), cells, 1 << 20), cells, add_up, &w);
  return w.sum;
}

static void add_rows(void *context, int64_t begin, int64_t end) {
  struct states_work *w = (struct states_work *)context;
  sciara_touched_add(w->touched, w->state, begin, end);
}

enum sciara_status sciara_touched_in_parallel(const struct sciara_state *s, int threads, struct sciara_touched *out) {
  struct states_work w = {.state = s, .touched = out};
  SCIARA_TRY(sciara_touched_make(&s->grid, out));
  sciara_share(worth(threads, sciara_grid_cells(&s->grid), 1 << 15), s->grid.rows, add_rows, &w);
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------- register loop

enum { CHAINS = 12, ROUND = 4096, RUNS = 5 }; // 12 numbers and two constants in 16 registers
static const double loop_seconds = 0.04;

/** All threads start together; each one stops when the time is over and stores its number of rounds. */
struct loop {
  pthread_t thread;
  const int *go; ///< read atomically; -1: do not start
  double seed;
  uint64_t rounds;
  double result, seconds;
};

/** CHAINS independent numbers: repeated multiplications and additions of each. */
static double one_round(double x) {
  double chain[CHAINS];
  for (int k = 0; k < CHAINS; k++) chain[k] = x + k;
  for (int n = 0; n < ROUND; n++)
    for (int k = 0; k < CHAINS; k++) chain[k] = chain[k] * 0.999999 + 1e-7;
  double sum = 0;
  for (int k = 0; k < CHAINS; k++) sum += chain[k];
  return sum;
}

static void *spin(void *argument) {
  struct loop *l = (struct loop *)argument;
  int go;
  while ((go = __atomic_load_n(l->go, __ATOMIC_ACQUIRE)) == 0) sched_yield();
  const double begin = sciara_wallclock();
  l->seconds = 0;
  for (l->rounds = 0; go > 0 && l->seconds < loop_seconds; l->rounds++) {
    l->result = one_round(l->seed += 1e-3); // stored, so that it is computed
    l->seconds = sciara_wallclock() - begin;
  }
  return NULL;
}

static enum sciara_status run_once(struct loop *loop, int threads, double *rate) {
  int started = 0, go = 0;
  for (; started < threads; started++) {
    loop[started].go = &go;
    loop[started].seed = started;
    if (pthread_create(&loop[started].thread, NULL, spin, &loop[started]) != 0) break;
  }
  __atomic_store_n(&go, started == threads ? 1 : -1, __ATOMIC_RELEASE);
  *rate = 0;
  for (int k = 0; k < started; k++) {
    pthread_join(loop[k].thread, NULL);
    if (started == threads) *rate += (double)loop[k].rounds * ROUND * CHAINS * 2 / loop[k].seconds;
  }
  if (started == threads) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_MEMORY, "only %d of %d threads could be started", started, threads);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum sciara_status sciara_register_loop(int threads, double *operations_per_s) {
  struct loop *loop = NULL;
  double rate[RUNS];
  enum sciara_status status;
  if (threads <= 0) threads = sciara_usable_cores();
  SCIARA_TRY_GOTO(SCIARA_NEW(loop, threads, "threads of a loop"));
  for (int n = 0; n < RUNS; n++) SCIARA_TRY_GOTO(run_once(loop, threads, &rate[n]));
  qsort(rate, RUNS, sizeof *rate, ascending);
  *operations_per_s = rate[RUNS / 2];
cleanup:
  sciara_free(loop);
  return status;
}
