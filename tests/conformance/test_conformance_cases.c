// SPDX-License-Identifier: Apache-2.0
// Every case of support/conformance_cases.c, in both precisions and with every number of threads: the engine compared
// with `serial`. First NaN, then the ledger, then equality in every bit (or, for tolerance engines, the tolerance).
// test_conformance_cases [ENGINE...]: the engines named, else all that are available.
#include "support/conformance.h"
#include "support/owned.h"

/** Numbers of threads to test; *count of them. A sanitizer sees the same lines with each number: one is enough for it. */
static const int *thread_counts(const struct sciara_engine_ops *ops, int *count) {
  static const int some[] = {3, 1, 2, 7, 0}; // 0: as many as are worthwhile
  const char *sanitizer = getenv("SCIARA_SANITIZE");
  *count = ops->capabilities & SCIARA_CAN_THREADS && !(sanitizer && *sanitizer) ? 5 : 1;
  return some;
}

/** Prints the first step, field and cell in which the engine differs from `serial`, one step at a time. */
static void explain(const struct sciara_engine_ops *ops, enum sciara_precision p, const struct scene *s, int threads,
                    uint64_t steps) {
  struct run reference, tested;
  run_start(&reference, engine_serial(p), s, 1);
  run_start(&tested, ops, s, threads);
  char text[256];
  bool differ = false;
  for (uint64_t k = 1; k <= steps && !differ; k++) {
    run_to_step(&reference, k);
    run_to_step(&tested, k);
    OWNED(destroy_state) struct sciara_state *a = run_state(&reference, s->state), *b = run_state(&tested, s->state);
    differ = states_differ(a, b, text, sizeof text);
    if (differ) printf("first difference, in step %d: %s\n", (int)k, text);
  }
  if (!differ) printf("no difference one step at a time\n");
  fflush(stdout);
  run_end(&reference);
  run_end(&tested);
}

/** Runs a case and compares the engine with the states of `serial` after steps[0], steps[1]... */
static void run_compared(const struct conformance_case *c, enum sciara_precision p, int threads, const struct scene *s,
                         struct sciara_state *const serial[4], const struct sciara_engine_progress *at) {
  const struct sciara_engine_ops *ops = engine_tested[p];
  struct run r;
  run_start(&r, ops, s, threads);
  for (int k = 0; k < 4 && c->steps[k]; k++) {
    char context[160], text[256];
    snprintf(context, sizeof context, "%s, %s, %s, %d threads, after %d steps", ops->name, precision_name(p), c->name,
             threads, (int)c->steps[k]);
    run_to_step(&r, c->steps[k]);
    OWNED(destroy_state) struct sciara_state *found = run_state(&r, s->state);
    if (ops->determinism == SCIARA_EXACT && states_differ(serial[k], found, text, sizeof text))
      explain(ops, p, s, threads, c->steps[k]);
    expect_conforms(ops, p, serial[k], found, context);
  }
  if (ops->determinism == SCIARA_EXACT) {
    ck_assert_uint_eq(r.at.losses, at->losses);
    ck_assert_uint_eq(r.at.sea_losses, at->sea_losses);
  }
  run_end(&r);
}

static void run_case(const struct conformance_case *c, enum sciara_precision p) {
  const unsigned record = SCIARA_RECORD_EVERYTHING;
  OWNED(scene_free) struct scene s;
  c->build(&s, c->variant, record);
  scene_finish(&s, p);
  struct sciara_state *serial[4] = {NULL}, *last = NULL;
  struct run reference;
  run_start(&reference, engine_serial(p), &s, 1);
  for (int k = 0; k < 4 && c->steps[k]; k++) {
    run_to_step(&reference, c->steps[k]);
    last = serial[k] = run_state(&reference, s.state);
  }
  run_end(&reference);
  c->claim(&s, last, c->variant);
  int count;
  const int *threads = thread_counts(engine_tested[p], &count);
  for (int k = 0; k < count; k++) run_compared(c, p, threads[k], &s, serial, &reference.at);
  for (int k = 0; k < 4; k++) sciara_state_destroy(serial[k]);
}

TEST_EACH(in_double, conformance_case_count()) {
  size_t count;
  run_case(&conformance_cases(&count)[_i], SCIARA_DOUBLE);
}

TEST_EACH(in_single, conformance_case_count()) {
  size_t count;
  run_case(&conformance_cases(&count)[_i], SCIARA_SINGLE_PRECISION);
}

static struct sciara_state *state_after(const char *name, enum sciara_precision p, unsigned record, uint64_t steps) {
  OWNED(scene_free) struct scene s;
  OWNED(run_end) struct run r;
  conformance_build(name, p, record, &s);
  run_start(&r, engine_tested[p], &s, 2);
  run_to_step(&r, steps);
  struct sciara_state *state = run_state(&r, s.state);
  return state;
}

// Recorded fields change neither the substates nor the other recorded fields.
TEST(recording) {
  for (int p = 0; p < 2; p++) {
    OWNED(destroy_state)
    struct sciara_state *full = state_after("31 x 37", (enum sciara_precision)p, SCIARA_RECORD_EVERYTHING, 300);
    ck_assert(full->max_h && full->max_speed);
    double highest = 0, fastest = 0;
    for (int64_t i = 0; i < sciara_grid_cells(&full->grid); i++) {
      highest = fmax(highest, full->max_h[i]);
      fastest = fmax(fastest, full->max_speed[i]);
      ck_assert_double_ge(full->max_h[i], full->h[i]);
    }
    ck_assert(highest > 0 && fastest > 0);
    for (unsigned record = 0; record < SCIARA_RECORD_EVERYTHING; record++) {
      OWNED(destroy_state) struct sciara_state *less = state_after("31 x 37", (enum sciara_precision)p, record, 300);
      ck_assert_uint_eq(sciara_state_record(less), record);
      char context[100];
      snprintf(context, sizeof context, "%s, %s, record %u", engine_tested[p]->name,
               precision_name((enum sciara_precision)p), record);
      expect_conforms(engine_tested[p], (enum sciara_precision)p, full, less, context);
    }
  }
}

int main(int argc, char **argv) { return conformance_main(argc, argv, &tests_here); }
