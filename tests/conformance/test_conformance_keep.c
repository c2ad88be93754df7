// SPDX-License-Identifier: Apache-2.0
// Kept states: each is the state of its step, whatever is computed and kept before it is collected, and keeping a state
// changes no bit of later results. For an engine without this function the test uses download, as the simulation does.
// test_conformance_keep [ENGINE...]: the engines named, else all that are available.
#include <pthread.h>

#include "support/conformance.h"

enum { MAXIMA = SCIARA_RECORD_EVERYTHING };

/** `serial` and the engine under test, which keeps states, on the same scene. */
struct keeper {
  struct pair both;
  struct sciara_state *found[SCIARA_BUFFERS];    ///< the collected states
  struct sciara_state *expected[SCIARA_BUFFERS]; ///< the states of `serial`
};

static void keeper_start(struct keeper *p, const char *name, int precision, unsigned record) {
  p->both.precision = (enum sciara_precision)precision;
  conformance_build(name, p->both.precision, record, &p->both.scene);
  run_start(&p->both.serial, engine_serial(p->both.precision), &p->both.scene, 1);
  const struct sciara_engine_setup setup = {.params = &p->both.scene.params,
                                            .vents = p->both.scene.vents,
                                            .boundary = p->both.scene.boundary,
                                            .threads = 3,
                                            .options = engine_options,
                                            .keeps = true};
  p->both.tested = (struct run){.ops = engine_tested[precision]};
  expect_ok(p->both.tested.ops->create(&setup, &p->both.tested.engine));
  expect_ok(p->both.tested.ops->upload(p->both.tested.engine, p->both.scene.state));
  for (int k = 0; k < SCIARA_BUFFERS; k++) {
    expect_ok(sciara_state_clone(p->both.scene.state, &p->found[k]));
    p->expected[k] = NULL;
  }
}

static void keeper_end(struct keeper *p) {
  for (int k = 0; k < SCIARA_BUFFERS; k++) {
    sciara_state_destroy(p->found[k]);
    sciara_state_destroy(p->expected[k]);
  }
  pair_end(&p->both);
}

/** The engine under test keeps its state; `serial` does nothing. */
static void keep_alone(struct keeper *p, int buffer) {
  const struct sciara_engine_ops *ops = p->both.tested.ops;
  const enum sciara_status status =
      ops->keep ? ops->keep(p->both.tested.engine, buffer) : ops->download(p->both.tested.engine, p->found[buffer]);
  expect_ok(status);
}

/** Runs `serial` to that step, and stores the state that is expected in the buffer. */
static void expect_in_buffer(struct keeper *p, int buffer, uint64_t step) {
  run_until(&p->both.serial, (struct sciara_stop){.steps = step, .time = INFINITY});
  sciara_state_destroy(p->expected[buffer]);
  p->expected[buffer] = run_state(&p->both.serial, p->both.scene.state);
}

static void keep(struct keeper *p, int buffer) {
  keep_alone(p, buffer);
  expect_in_buffer(p, buffer, p->both.tested.at.step);
}

static enum sciara_status collect(const struct keeper *p, int buffer) {
  const struct sciara_engine_ops *ops = p->both.tested.ops;
  return ops->keep ? ops->collect(p->both.tested.engine, buffer, p->found[buffer]) : SCIARA_OK;
}

static void expect(const struct keeper *p, int buffer, const char *when) {
  char context[128];
  snprintf(context, sizeof context, "%s, %s, step %llu, %s", p->both.tested.ops->name,
           precision_name(p->both.precision), (unsigned long long)p->expected[buffer]->step, when);
  ck_assert_uint_eq(p->found[buffer]->step, p->expected[buffer]->step);
  expect_conforms(p->both.tested.ops, p->both.precision, p->expected[buffer], p->found[buffer], context);
}

static void continue_to(struct keeper *p, uint64_t steps) {
  run_until(&p->both.tested, (struct sciara_stop){.steps = p->both.tested.at.step + steps, .time = INFINITY});
}

/** The current state of the engine must be that of `serial` after the same number of steps. */
static void expect_undisturbed(struct keeper *p) {
  run_until(&p->both.serial, (struct sciara_stop){.steps = p->both.tested.at.step, .time = INFINITY});
  pair_conforms(&p->both, "after all states were kept");
}

// Steps follow before a state is collected; the buffers are used many times.
TEST_EACH(steps_follow, 6) {
  static const char *const scenes[] = {"ramp", "fissure", "hole"};
  OWNED(keeper_end) struct keeper p;
  keeper_start(&p, scenes[_i / 2], _i % 2, _i % 4 < 2 ? MAXIMA : 0);
  for (int round = 0; round < 6; round++) {
    continue_to(&p, 5);
    keep(&p, 0);
    continue_to(&p, 1); // before the first state can have left the device
    keep(&p, 1);
    continue_to(&p, round % 2 ? 40 : 400);
    for (int k = 0; k < SCIARA_BUFFERS; k++) {
      const int buffer = round % 3 ? k : SCIARA_BUFFERS - 1 - k; // in either order
      expect_ok(collect(&p, buffer));
      expect(&p, buffer, "collected after steps");
    }
  }
  expect_undisturbed(&p);
}

// A large grid with little lava, which lies near the end of the transferred arrays: the transfer takes longer than the
// next step, and is not complete when the next state is kept. So `serial` runs afterwards.
static double slope(int64_t row, int64_t col, int variant) {
  (void)variant;
  return 3000 - 2 * (double)row + (double)((row * 7 + col * 3) % 5) * 0.25;
}

TEST_EACH(large_grid, 2) {
  OWNED(keeper_end) struct keeper p = {.both.precision = (enum sciara_precision)_i};
  const int64_t side = engine_tested[_i]->capabilities & SCIARA_CAN_DEVICE ? 1100 : 220;
  scene_make(&p.both.scene, side + 100, side, MAXIMA, slope, 0);
  for (int64_t at = side - 60; at < side - 10; at += 7) scene_lava(&p.both.scene, at + 60, at, 2, 1340);
  scene_finish(&p.both.scene, p.both.precision);
  const struct scene made = p.both.scene;
  run_start(&p.both.serial, engine_serial(p.both.precision), &made, 1);
  const struct sciara_engine_setup setup = {.params = &p.both.scene.params,
                                            .vents = p.both.scene.vents,
                                            .boundary = p.both.scene.boundary,
                                            .options = engine_options,
                                            .keeps = true};
  p.both.tested.ops = engine_tested[_i];
  expect_ok(p.both.tested.ops->create(&setup, &p.both.tested.engine));
  expect_ok(p.both.tested.ops->upload(p.both.tested.engine, p.both.scene.state));
  for (int k = 0; k < SCIARA_BUFFERS; k++) expect_ok(sciara_state_clone(p.both.scene.state, &p.found[k]));
  uint64_t step[SCIARA_BUFFERS];
  for (int k = 0; k < SCIARA_BUFFERS; k++) {
    continue_to(&p, 1);
    keep_alone(&p, k);
    step[k] = p.both.tested.at.step;
  }
  continue_to(&p, 1);
  for (int k = 0; k < SCIARA_BUFFERS; k++) expect_ok(collect(&p, k));
  for (int k = 0; k < SCIARA_BUFFERS; k++) {
    expect_in_buffer(&p, k, step[k]);
    expect(&p, k, "of a large grid");
  }
}

/** The task of the thread that collects. */
struct errand {
  const struct keeper *keeper;
  int buffer;
  enum sciara_status status;
  char why[256];
};

static void *fetch(void *context) {
  struct errand *e = (struct errand *)context;
  e->status = collect(e->keeper, e->buffer);
  if (e->status != SCIARA_OK) snprintf(e->why, sizeof e->why, "%s", sciara_last_error());
  return NULL;
}

// Another thread collects during steps and while the next state is kept, as the writer of snapshots does.
TEST_EACH(by_another_thread, 2) {
  OWNED(keeper_end) struct keeper p;
  pthread_t thread[SCIARA_BUFFERS];
  struct errand errand[SCIARA_BUFFERS];
  keeper_start(&p, "31 x 37", _i, MAXIMA);
  for (int n = 0; n < 40; n++) {
    const int buffer = n % SCIARA_BUFFERS;
    if (n >= SCIARA_BUFFERS) {
      pthread_join(thread[buffer], NULL);
      ck_assert_msg(errand[buffer].status == SCIARA_OK, "%s", errand[buffer].why);
      expect(&p, buffer, "collected by another thread");
    }
    continue_to(&p, n % 7 ? 3 : 90);
    keep(&p, buffer);
    errand[buffer] = (struct errand){.keeper = &p, .buffer = buffer};
    ck_assert_int_eq(pthread_create(&thread[buffer], NULL, fetch, &errand[buffer]), 0);
  }
  for (int k = 0; k < SCIARA_BUFFERS; k++) {
    pthread_join(thread[k], NULL);
    expect(&p, k, "the last ones");
  }
  expect_undisturbed(&p);
}

// A state that is never collected causes no problem: another state can be uploaded, and the engine can be destroyed.
TEST_EACH(never_collected, 2) {
  OWNED(keeper_end) struct keeper p;
  keeper_start(&p, "ramp", _i, 0);
  continue_to(&p, 20);
  keep(&p, 0);
  keep(&p, 1);
  expect_ok(p.both.tested.ops->upload(p.both.tested.engine, p.both.scene.state));
  p.both.tested.at = (struct sciara_engine_progress){.step = 0};
  expect_ok(p.both.serial.ops->upload(p.both.serial.engine, p.both.scene.state));
  continue_to(&p, 30);
  keep(&p, 0);
  expect_ok(collect(&p, 0));
  expect(&p, 0, "after another upload");
  keep(&p, 1);
}

// An engine without setup.keeps reports an error; one that can keep states has all three functions, and states their
// memory.
TEST_EACH(contract, 2) {
  const struct sciara_engine_ops *ops = engine_tested[_i];
  const struct sciara_grid small = {.rows = 100, .cols = 100, .cell_size = 10},
                           large = {.rows = 1000, .cols = 1000, .cell_size = 10};
  ck_assert_int_eq(!ops->keep, !ops->collect);
  ck_assert_int_eq(!ops->keep, !ops->keep_memory);
  ck_assert(ops->keep || !(ops->capabilities & SCIARA_CAN_DEVICE));
  if (!ops->keep) return;
  size_t host[3], device[3];
  ops->keep_memory(&small, 0, &host[0], &device[0]);
  ops->keep_memory(&large, 0, &host[1], &device[1]);
  ops->keep_memory(&large, MAXIMA, &host[2], &device[2]);
  const size_t real_size = _i == 0 ? sizeof(double) : sizeof(float), cells = 1000000;
  ck_assert_uint_ge(host[1], SCIARA_BUFFERS * cells * (5 * real_size + 2 * sizeof(double)));
  ck_assert_uint_ge(host[1], 50 * host[0]);
  ck_assert_uint_ge(host[2], host[1] + SCIARA_BUFFERS * cells * 2 * real_size);
  ck_assert_int_eq(device[1] > 0, (ops->capabilities & SCIARA_CAN_DEVICE) != 0);
  struct scene scene;
  struct run r;
  conformance_build("ramp", (enum sciara_precision)_i, 0, &scene);
  run_start(&r, ops, &scene, 1);
  ck_assert_int_eq(ops->keep(r.engine, 0), SCIARA_ERR_INTERNAL);
  run_end(&r);
  scene_free(&scene);
}

int main(int argc, char **argv) { return conformance_main(argc, argv, &tests_here); }
