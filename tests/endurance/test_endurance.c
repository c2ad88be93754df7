// SPDX-License-Identifier: Apache-2.0
// Uses only the public interface: many steps, many runs in one process, and two simulations at the same time. The
// memory of the process and of the GPU must not grow, the residual of the ledger must stay within its bound, and
// results must be bit-identical to those of a single simulation. test_endurance [--steps N] [--runs N] [ENGINE...]:
// these engines, else serial, openmp and cuda-fused; 77: skipped. If SCIARA_TORTURE is set, the defaults of N are three
// million steps and ten thousand runs.
#include <pthread.h>

#include "engine/device_info.h"
#include "engine/engine.h"
#include "sciara.h"

enum { MOST_ENGINES = 16 };

/**
 * Engines that run together with the tested one, which also runs with itself; at least one of the CPU and one of the
 * GPU.
 */
static const char *const partners[] = {"serial", "openmp", "cuda-fused", "cuda-rbb"};

static const char *engines[MOST_ENGINES];
static int engine_count;
static uint64_t step_count = 20000, run_count = 200;
static char folder[] = "/tmp/sciara-endurance-XXXXXX", scenario[64];

/** Memory in use at a moment, KiB. */
struct held {
  long resident, device;
};

static bool is_of_gpu(const char *engine) {
  const struct sciara_engine_ops *ops;
  return sciara_engine_find(engine, SCIARA_RULE_FV3, SCIARA_DOUBLE, &ops) == SCIARA_OK &&
         ops->capabilities & SCIARA_CAN_DEVICE;
}

/** Resident memory of the process, and used memory of the GPU; no other program may run there. */
static struct held measure(const char *engine) {
  struct held now = {0};
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  ck_assert(f && fscanf(f, "%*s %ld", &pages) == 1);
  fclose(f);
  now.resident = pages * (sysconf(_SC_PAGESIZE) / 1024);
  struct sciara_device_info gpu;
  if (is_of_gpu(engine) && sciara_device_describe(0, &gpu)) now.device = (long)((gpu.memory - gpu.free_memory) >> 10);
  return now;
}

/** Whether memory can be compared: sanitizers do not reuse freed memory, so that they can detect its use. */
static bool memory_is_comparable(void) { return getenv("SCIARA_SANITIZE") == NULL || !*getenv("SCIARA_SANITIZE"); }

/**
 * The memory of the process must not have grown by more than `most_kib`. CUDA allocates device memory in pieces of 2
 * MiB.
 */
static void expect_flat(const char *engine, const struct held *begin, long most_kib, const char *what) {
  const struct held end = measure(engine);
  const long resident = end.resident - begin->resident, device = end.device - begin->device;
  printf("%s, %s: %ld KiB more of the process, %ld KiB more of the GPU\n", engine, what, resident, device);
  if (!memory_is_comparable()) return;
  ck_assert_msg(resident <= most_kib, "%s, %s: the process has grown by %ld KiB", engine, what, resident);
  ck_assert_msg(device <= 2048, "%s, %s: the GPU has %ld KiB less", engine, what, device);
}

/** A map of 23 x 43 cells with two vents that never stop; lava cools, solidifies, and leaves at the rim. */
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

static enum sciara_status open_with(const char *engine, const char *rate, struct sciara **s) {
  char name[64];
  snprintf(name, sizeof name, "engine.name=%s", engine);
  const char *const overrides[] = {name, rate};
  return sciara_open(scenario, overrides, rate ? 2 : 1, s);
}

static struct sciara *must_open(const char *engine) {
  struct sciara *s;
  expect_ok(open_with(engine, NULL, &s));
  return s;
}

static void expect_closed_ledger(struct sciara *s) {
  struct sciara_ledger l;
  expect_ok(sciara_read_ledger(s, &l));
  ck_assert_double_gt(l.emitted_m3, 0);
  ck_assert_msg(fabs(l.residual_m3) <= l.bound_m3, "the residual of the ledger is %g m3, rounding explains %g m3",
                l.residual_m3, l.bound_m3);
}

START_TEST(many_steps) {
  const char *engine = engines[_i];
  const uint64_t parts = 50, steps = step_count / parts * parts;
  struct sciara *s = must_open(engine);
  struct held begin = {0};
  for (uint64_t part = 1; part <= parts; part++) {
    expect_ok(sciara_step(s, steps / parts));
    expect_closed_ledger(s);
    if (part == parts / 10) begin = measure(engine);
  }
  struct sciara_progress now;
  sciara_read_progress(s, &now);
  ck_assert_uint_eq(now.step, steps);
  ck_assert_int_gt(now.liquid_cells, 5);
  char what[64];
  snprintf(what, sizeof what, "%" PRIu64 " steps", steps);
  expect_flat(engine, &begin, 256, what);
  sciara_close(s);
}
END_TEST

START_TEST(many_runs) {
  const char *engine = engines[_i];
  struct held begin = {0};
  uint64_t first = 0;
  for (uint64_t run = 0; run < run_count; run++) {
    struct sciara *s = must_open(engine);
    expect_ok(sciara_step(s, 30));
    uint64_t checksum = 0;
    expect_ok(sciara_checksum(s, &checksum));
    if (run == 0) first = checksum;
    ck_assert_uint_eq(checksum, first);
    sciara_close(s);
    if (run == run_count / 5) begin = measure(engine);
  }
  char what[64];
  snprintf(what, sizeof what, "%" PRIu64 " runs", run_count);
  expect_flat(engine, &begin, 512, what);
}
END_TEST

/** The runs of a thread, one after the other, each from opening to closing. */
struct job {
  const char *engine, *rate;
  int runs;
  uint64_t checksum[3]; ///< of each run
  enum sciara_status status;
  char error[256];
};

static void *work(void *context) {
  struct job *job = (struct job *)context;
  for (int run = 0; run < job->runs && job->status == SCIARA_OK; run++) {
    struct sciara *s;
    job->status = open_with(job->engine, job->rate, &s);
    for (int k = 0; k < 10 && job->status == SCIARA_OK; k++) job->status = sciara_step(s, 100);
    if (job->status == SCIARA_OK) job->status = sciara_checksum(s, &job->checksum[run]);
    if (job->status != SCIARA_OK) snprintf(job->error, sizeof job->error, "%s", sciara_last_error());
    sciara_close(s);
  }
  return NULL;
}

static void expect_done(const struct job *job) {
  ck_assert_msg(job->status == SCIARA_OK, "%s: %s", job->engine, job->error);
}

/** Two threads with different simulations in one process, on the same GPU if they use one. */
static void run_two(const char *a, const char *b) {
  static const char *const rates[] = {"vents.0.effusion.rates_m3_s=[2]", "vents.0.effusion.rates_m3_s=[3]"};
  const char *const engine[] = {a, b};
  struct job alone[2], together[2];
  pthread_t thread[2];
  for (int k = 0; k < 2; k++) {
    alone[k] = (struct job){.engine = engine[k], .rate = rates[k], .runs = 1, .status = SCIARA_OK};
    together[k] = (struct job){.engine = engine[k], .rate = rates[k], .runs = 3, .status = SCIARA_OK};
    work(&alone[k]);
    expect_done(&alone[k]);
  }
  ck_assert_uint_ne(alone[0].checksum[0], alone[1].checksum[0]);
  for (int k = 0; k < 2; k++) ck_assert_int_eq(pthread_create(&thread[k], NULL, work, &together[k]), 0);
  for (int k = 0; k < 2; k++) ck_assert_int_eq(pthread_join(thread[k], NULL), 0);
  for (int k = 0; k < 2; k++) {
    expect_done(&together[k]);
    for (int run = 0; run < together[k].runs; run++)
      ck_assert_msg(together[k].checksum[run] == alone[k].checksum[0], "%s with %s: run %d differs from one alone",
                    engine[k], engine[1 - k], run);
  }
  printf("%s and %s at the same time: each is bit-identical to a single run\n", a, b);
}

START_TEST(two_at_once) {
  const struct sciara_engine_ops *ops;
  run_two(engines[_i], engines[_i]);
  for (size_t k = 0; k < sizeof partners / sizeof *partners; k++)
    if (strcmp(partners[k], engines[_i]) != 0 &&
        sciara_engine_find(partners[k], SCIARA_RULE_FV3, SCIARA_DOUBLE, &ops) == SCIARA_OK)
      run_two(engines[_i], partners[k]);
}
END_TEST

/** Adds an engine, or reports why it is not available here. False: there is no such engine, or there are too many. */
static bool choose(const char *engine) {
  const struct sciara_engine_ops *ops;
  const enum sciara_status status = sciara_engine_find(engine, SCIARA_RULE_FV3, SCIARA_DOUBLE, &ops);
  if (status == SCIARA_OK && ops->determinism != SCIARA_EXACT) {
    printf("skipped: results of %s are not reproducible bit by bit\n", engine);
    return true;
  }
  if (status == SCIARA_OK && engine_count < MOST_ENGINES) {
    engines[engine_count++] = engine;
    return true;
  }
  if (status == SCIARA_ERR_DEVICE)
    printf("skipped: %s\n", sciara_last_error());
  else
    fprintf(stderr, "test_endurance: %s\n", status == SCIARA_OK ? "too many engines" : sciara_last_error());
  return status == SCIARA_ERR_DEVICE;
}

static int usage(void) {
  fprintf(stderr, "usage: test_endurance [--steps N] [--runs N] [ENGINE...]; N: at least 100\n");
  return 2;
}

/** Reads the options, then the engines. False: they are not valid. */
static bool read_arguments(int argc, char **argv) {
  if (getenv("SCIARA_TORTURE")) step_count = 3000000, run_count = 10000;
  int k = 1;
  for (; k < argc && strncmp(argv[k], "--", 2) == 0; k += 2) {
    uint64_t *to = strcmp(argv[k], "--steps") == 0 ? &step_count : strcmp(argv[k], "--runs") == 0 ? &run_count : NULL;
    if (!to || k + 1 >= argc || sscanf(argv[k + 1], "%" SCNu64, to) != 1 || *to < 100) return false;
  }
  if (k == argc) return choose("serial") && choose("openmp") && choose("cuda-fused");
  for (; k < argc; k++)
    if (!choose(argv[k])) return false;
  return true;
}

int main(int argc, char **argv) {
  if (!read_arguments(argc, argv)) return usage();
  if (engine_count == 0) return 77;
  Suite *suite = suite_create("endurance");
  TCase *tc = tcase_create("endurance");
  tcase_add_unchecked_fixture(tc, setup, teardown);
  tcase_set_timeout(tc, 0);
  tcase_add_loop_test(tc, many_steps, 0, engine_count);
  tcase_add_loop_test(tc, many_runs, 0, engine_count);
  tcase_add_loop_test(tc, two_at_once, 0, engine_count);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner,
                          CK_NOFORK); // CUDA does not work after a fork, and the memory of this process is measured
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
