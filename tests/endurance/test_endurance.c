// SPDX-License-Identifier: Apache-2.0
// Through the public interface alone: many steps, many runs in one process, and two simulations at once. The memory of the
// process stays as it is, the ledger within its bound, the bits those of one simulation alone.
// With SCIARA_TORTURE set the long form: three million steps, ten thousand runs.
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sciara.h"

enum { ENGINES = 3 };

static const char *const engines[ENGINES] = {"serial", "openmp", "cuda-fused"};
static char folder[] = "/tmp/sciara-endurance-XXXXXX", scenario[64];

static bool is_long(void) { return getenv("SCIARA_TORTURE") != NULL; }

/** Resident memory of the process, KiB. */
static long resident_kib(void) {
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  ck_assert(f && fscanf(f, "%*s %ld", &pages) == 1);
  fclose(f);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/** Sanitizers keep what was freed, to see whether it is used. */
static bool memory_tells(void) { return getenv("SCIARA_SANITIZE") == NULL || !*getenv("SCIARA_SANITIZE"); }

/** A map of 23 x 43 cells with two vents that emit for ever; lava cools, solidifies, and leaves at the rim. */
static void setup(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(scenario, sizeof scenario, "%s/bowl.json", folder);
  FILE *f = fopen(scenario, "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f,
          "{\"dem\": {\"path\": \"%s/tests/golden/bowl.asc\"}, \n"
          " \"vents\": [{\"row\": 11, \"col\": 3, \"effusion\": {\"slot\": \"9000 d\", \"rates_m3_s\": [0.05]}},\n"
          "             {\"row\": 4, \"col\": 30, \"effusion\": {\"slot\": \"9000 d\", \"rates_m3_s\": [0.4]}}],\n"
          " \"run\": {\"until\": \"9000 d\"}}\n",
          SCIARA_SOURCE_DIR);
  ck_assert_int_eq(fclose(f), 0);
}

static void teardown(void) {
  unlink(scenario);
  rmdir(folder);
}

/** NULL where the engine is not available; why is told. */
static struct sciara *open_with(const char *engine, const char *rate) {
  char name[64];
  snprintf(name, sizeof name, "engine.name=%s", engine);
  const char *const overrides[] = {name, rate};
  struct sciara *s = NULL;
  const enum sciara_status status = sciara_open(scenario, overrides, rate ? 2 : 1, &s);
  if (status == SCIARA_ERR_DEVICE)
    printf("skipped: %s: %s\n", engine, sciara_last_error());
  else
    ck_assert_msg(status == SCIARA_OK, "%s", sciara_last_error());
  return s;
}

static void expect_closed_ledger(struct sciara *s) {
  struct sciara_ledger l;
  ck_assert_int_eq(sciara_read_ledger(s, &l), SCIARA_OK);
  ck_assert_double_gt(l.emitted_m3, 0);
  ck_assert_msg(fabs(l.residual_m3) <= l.bound_m3, "the ledger is open by %g m3, rounding explains %g m3",
                l.residual_m3, l.bound_m3);
}

START_TEST(many_steps) {
  const uint64_t parts = 50, steps = is_long() ? 3000000 : 20000;
  struct sciara *s = open_with(engines[_i], NULL);
  if (!s) return;
  long begin = 0;
  for (uint64_t part = 1; part <= parts; part++) {
    ck_assert_msg(sciara_step(s, steps / parts) == SCIARA_OK, "%s", sciara_last_error());
    expect_closed_ledger(s);
    if (part == parts / 10) begin = resident_kib();
  }
  struct sciara_progress now;
  sciara_read_progress(s, &now);
  ck_assert_uint_eq(now.step, steps);
  ck_assert_int_gt(now.liquid_cells, 5);
  if (memory_tells()) ck_assert_int_le(resident_kib() - begin, 256);
  sciara_close(s);
}
END_TEST

START_TEST(many_runs) {
  const int runs = is_long() ? 10000 : 200;
  long begin = 0;
  uint64_t first = 0;
  for (int run = 0; run < runs; run++) {
    struct sciara *s = open_with(engines[_i], NULL);
    if (!s) return;
    ck_assert_int_eq(sciara_step(s, 30), SCIARA_OK);
    uint64_t checksum = 0;
    ck_assert_int_eq(sciara_checksum(s, &checksum), SCIARA_OK);
    if (run == 0) first = checksum;
    ck_assert_uint_eq(checksum, first);
    sciara_close(s);
    if (run == runs / 5) begin = resident_kib();
  }
  if (memory_tells()) ck_assert_int_le(resident_kib() - begin, 512);
}
END_TEST

struct job {
  struct sciara *simulation;
  uint64_t checksum;
  enum sciara_status status;
};

static void *work(void *context) {
  struct job *job = (struct job *)context;
  for (int k = 0; k < 10 && job->status == SCIARA_OK; k++) job->status = sciara_step(job->simulation, 100);
  if (job->status == SCIARA_OK) job->status = sciara_checksum(job->simulation, &job->checksum);
  return NULL;
}

// Two threads, two simulations that differ, one process, and one GPU where there is one.
START_TEST(two_at_once) {
  static const char *const rates[] = {"vents.0.effusion.rates_m3_s=[2]", "vents.0.effusion.rates_m3_s=[3]"};
  struct job alone[2] = {{.status = SCIARA_OK}}, together[2] = {{.status = SCIARA_OK}};
  pthread_t thread[2];
  for (int k = 0; k < 2; k++) {
    alone[k].simulation = open_with(engines[_i], rates[k]);
    if (!alone[k].simulation) return;
    work(&alone[k]);
    ck_assert_int_eq(alone[k].status, SCIARA_OK);
    sciara_close(alone[k].simulation);
    together[k].simulation = open_with(engines[_i], rates[k]);
  }
  ck_assert_uint_ne(alone[0].checksum, alone[1].checksum);
  for (int k = 0; k < 2; k++) ck_assert_int_eq(pthread_create(&thread[k], NULL, work, &together[k]), 0);
  for (int k = 0; k < 2; k++) {
    pthread_join(thread[k], NULL);
    ck_assert_int_eq(together[k].status, SCIARA_OK);
    ck_assert_uint_eq(together[k].checksum, alone[k].checksum);
    sciara_close(together[k].simulation);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("endurance");
  TCase *tc = tcase_create("endurance");
  tcase_add_unchecked_fixture(tc, setup, teardown);
  tcase_set_timeout(tc, 0);
  tcase_add_loop_test(tc, many_steps, 0, ENGINES);
  tcase_add_loop_test(tc, many_runs, 0, ENGINES);
  tcase_add_loop_test(tc, two_at_once, 0, ENGINES);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK); // CUDA does not survive a fork, and the memory is that of this process
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
