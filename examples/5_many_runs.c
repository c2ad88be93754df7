// SPDX-License-Identifier: Apache-2.0
// Step 5 of the tutorial: many simulations on one site. The DEM is read once; each thread runs its own simulations.
//
//   cc 5_many_runs.c $(pkg-config --cflags --libs sciara) -lpthread -o 5_many_runs && ./5_many_runs scenario.json
#include <inttypes.h>
#include <pthread.h>
#include <sciara.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, RUNS = 6 };

/** One run: which, and what it found. */
struct job {
  const struct sciara_site *site;
  const char *scenario;
  int first;
  double area_km2[RUNS];
  enum sciara_status status;
  char error[1024]; // sciara_last_error() is that of the thread
};

/** A scenario whose solidification temperature differs from run to run; returns the covered area. */
static enum sciara_status simulate(const struct job *j, int run, double *area_km2) {
  char key[64];
  snprintf(key, sizeof key, "model.T_sol_K=%d", 1120 + 10 * run);
  const char *overrides[] = {key, "run.max_steps=400", "engine.name=serial"};
  struct sciara *s;
  enum sciara_status status = sciara_open_on(j->site, j->scenario, overrides, 3, &s);
  if (status != SCIARA_OK) return status;
  const double *deposit;
  struct sciara_grid_info grid;
  sciara_read_grid(s, &grid);
  status = sciara_run(s);
  if (status == SCIARA_OK) status = sciara_view_field(s, SCIARA_FIELD_DEPOSIT, &deposit);
  int64_t covered = 0;
  for (int64_t i = 0; status == SCIARA_OK && i < grid.rows * grid.cols; i++) covered += deposit[i] > 0;
  *area_km2 = (double)covered * grid.cell_size_m * grid.cell_size_m / 1e6;
  sciara_close(s);
  return status;
}

static void *work(void *context) {
  struct job *j = (struct job *)context;
  for (int run = j->first; run < RUNS && j->status == SCIARA_OK; run += THREADS)
    j->status = simulate(j, run, &j->area_km2[run]);
  if (j->status != SCIARA_OK) snprintf(j->error, sizeof j->error, "%s", sciara_last_error());
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s SCENARIO\n", argv[0]);
    return SCIARA_ERR_USAGE;
  }
  const struct sciara_site *site;
  enum sciara_status status = sciara_site_open(argv[1], NULL, 0, &site);
  if (status != SCIARA_OK) {
    fprintf(stderr, "5_many_runs: %s\n", sciara_last_error());
    return (int)status;
  }
  pthread_t thread[THREADS];
  struct job job[THREADS];
  for (int k = 0; k < THREADS; k++) {
    struct job start = {0};
    start.site = site;
    start.scenario = argv[1];
    start.first = k;
    job[k] = start;
    if (pthread_create(&thread[k], NULL, work, &job[k]) != 0) return SCIARA_ERR_MEMORY;
  }
  for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
  sciara_site_release(site);
  for (int k = 0; k < THREADS; k++) {
    if (job[k].status != SCIARA_OK) {
      fprintf(stderr, "5_many_runs: %s\n", job[k].error);
      return (int)job[k].status;
    }
  }
  for (int run = 0; run < RUNS; run++)
    printf("T_sol %d K: %.4f km2\n", 1120 + 10 * run, job[run % THREADS].area_km2[run]);
  return SCIARA_OK;
}
