// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel.h"

#include <sched.h>
#include <unistd.h>

#include "base/share.h"

int sciara_usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : online < SCIARA_MOST_THREADS ? (int)online : SCIARA_MOST_THREADS;
}

int sciara_engine_threads(const struct sciara_engine_ops *ops, int requested) {
  return ops && ops->threads ? ops->threads(requested) : 1;
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
