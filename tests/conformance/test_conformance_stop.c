// SPDX-License-Identifier: Apache-2.0
// The stop rule; and the division of a run changes no bit: slices, wall-clock limit, cancel, upload and download.
// test_conformance_stop [ENGINE...]: the engines named, else all that are available.
#include <pthread.h>
#include <time.h>

#include "sim/end.h"
#include "support/conformance.h"
#include "support/every_field.h"
#include "support/owned.h"

static const struct sciara_stop never = {.steps = UINT64_MAX, .time = INFINITY};

static struct sciara_stop at_step(uint64_t steps) {
  return (struct sciara_stop){.steps = steps, .time = INFINITY, .max_wall_ms = 60000};
}

static struct sciara_stop at_time(double time) {
  return (struct sciara_stop){.steps = UINT64_MAX, .time = time, .max_wall_ms = 60000};
}

static void begin(struct pair *p, const char *name, int precision) {
  conformance_build(name, (enum sciara_precision)precision, SCIARA_RECORD_MAX_THICKNESS, &p->scene);
  pair_start(p, (enum sciara_precision)precision, NULL, NULL, 3);
}

static bool exact(const struct pair *p) { return p->tested.ops->determinism == SCIARA_EXACT; }

/** Both must be at the same step with the same state. */
static void expect_same(struct pair *p, struct run *tested, const char *what) {
  char context[128];
  snprintf(context, sizeof context, "%s, %s, %s", tested->ops->name, precision_name(p->precision), what);
  OWNED(destroy_state)
  struct sciara_state *a = run_state(&p->serial, p->scene.state), *b = run_state(tested, p->scene.state);
  expect_conforms(p->tested.ops, p->precision, a, b, context);
}

// --------------------------------------------------------------------------------------------------------- stop rule

TEST_EACH(by_steps, 2) {
  OWNED(pair_end) struct pair p;
  begin(&p, "ramp", _i);
  for (int twice = 0; twice < 2; twice++) { // the second time it applies at once
    run_until(&p.tested, at_step(37));
    ck_assert_uint_eq(p.tested.at.step, 37);
    ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_STEPS);
  }
  run_until(&p.tested, at_step(36)); // a step in the past
  ck_assert_uint_eq(p.tested.at.step, 37);
  ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_STEPS);
  run_to_step(&p.serial, 37);
  expect_same(&p, &p.tested, "by steps");
}

TEST_EACH(by_time, 2) {
  OWNED(pair_end) struct pair p;
  begin(&p, "ramp", _i);
  const double times[] = {0.5, 1.0, 60.9, 61.0, 61.1, 150, 151, 400};
  for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
    while (p.serial.at.time < times[k]) run_to_step(&p.serial, p.serial.at.step + 1);
    run_until(&p.tested, at_time(times[k]));
    ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_TIME);
    ck_assert_double_ge(p.tested.at.time, times[k]);
    if (exact(&p)) { // the first step with s >= T, its clock not shortened
      ck_assert_uint_eq(p.tested.at.step, p.serial.at.step);
      ck_assert_double_eq(p.tested.at.time, p.serial.at.time);
      ck_assert_double_eq(p.tested.at.clock, p.serial.at.clock);
    }
  }
  const double here = p.tested.at.time; // s = T exactly: the rule applies
  const uint64_t step = p.tested.at.step;
  run_until(&p.tested, at_time(here));
  ck_assert_uint_eq(p.tested.at.step, step);
  run_until(&p.tested, at_time(nextafter(here, INFINITY)));
  ck_assert_uint_eq(p.tested.at.step, step + 1);
  run_to_step(&p.serial, step + 1);
  expect_same(&p, &p.tested, "by time");
}

TEST_EACH(solidified, 2) {
  OWNED(pair_end) struct pair p;
  begin(&p, "rate gap", _i);
  const struct sciara_stop when = {.steps = UINT64_MAX, .time = INFINITY, .solidified = true, .max_wall_ms = 60000};
  run_until(&p.tested, when);
  ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_SOLIDIFIED);
  ck_assert_int_eq(p.tested.at.liquid_cells, 0);
  ck_assert_uint_gt(p.tested.at.solidifications, 0);
  int dry = 0; // steps in the gap, in which nothing was liquid
  while (!(p.serial.at.liquid_cells == 0 && p.serial.at.time >= sciara_vents_end(p.scene.vents))) {
    run_until(&p.serial, at_step(p.serial.at.step + 1));
    dry += p.serial.at.liquid_cells == 0;
  }
  ck_assert_int_gt(dry, 2);
  expect_same(&p, &p.tested, "solidified");
  const uint64_t step = p.tested.at.step;
  run_until(&p.tested, when); // applies at once
  ck_assert_uint_eq(p.tested.at.step, step);
  run_until(&p.tested, at_step(step + 5)); // without this rule the run continues, with the largest clock
  ck_assert_uint_eq(p.tested.at.step, step + 5);
  ck_assert_double_eq(p.tested.at.clock, p.scene.params.relaxation * p.scene.params.t_max);
  run_until(&p.serial, at_step(step + 5));
  expect_same(&p, &p.tested, "after it solidified");
}

static double slope(int64_t row, int64_t col, int variant) {
  (void)variant;
  return 100 - 2 * (double)row - (double)col;
}

/** Calls advance() until the time no longer grows; returns the step of the error. */
static uint64_t expect_stall(struct run *r) {
  enum sciara_status status;
  do status = r->ops->advance(r->engine, &never, &r->at);
  while (status == SCIARA_OK && r->at.reason == SCIARA_STOP_WALL);
  ck_assert_msg(status == SCIARA_ERR_NUMERIC, "%s returned status %d, reason %d, at step %llu", r->ops->name,
                (int)status, (int)r->at.reason, (unsigned long long)r->at.step);
  ck_assert_int_eq(r->at.reason, SCIARA_STOP_STALLED);
  ck_assert_uint_eq(r->at.bad.step, 0);
  expect_said("no longer grows");
  return r->at.step;
}

// At the time `start`, s, the distance between two numbers is `spacing`. A clock of 60 s lets the time grow; the clock
// of flowing lava, a few seconds, does not. The lava is emitted more than ten steps after the start.
TEST_EACH(time_that_stands_still, 2) {
  const double start = 0x1p57, spacing = 32, rate = 5;
  const double edges[] = {start + 20 * spacing, start + 4000 * spacing};
  OWNED(pair_end) struct pair p = {.precision = (enum sciara_precision)_i};
  scene_make(&p.scene, 21, 23, SCIARA_RECORD_MAX_THICKNESS, slope, 0);
  expect_ok(sciara_vents_add(p.scene.vents, 7, 9, 1, edges, &rate));
  p.scene.params.t_first = p.scene.params.relaxation * p.scene.params.t_max;
  p.scene.state->time = start;
  scene_finish(&p.scene, p.precision);
  run_start(&p.serial, engine_serial(p.precision), &p.scene, 1);
  run_start(&p.tested, engine_tested[_i], &p.scene, 3);
  const uint64_t step = expect_stall(&p.serial);
  ck_assert_uint_gt(step, 10);
  ck_assert_double_lt(p.serial.at.clock, spacing / 2);
  ck_assert_int_gt(p.serial.at.liquid_cells, 0);
  ck_assert_uint_eq(expect_stall(&p.tested), step);
  expect_same(&p, &p.tested, "where the time stands still"); // the state is valid
  ck_assert_uint_eq(expect_stall(&p.tested), step);          // and remains valid
  run_until(&p.tested, at_step(step));                       // the stop rule comes first
  ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_STEPS);
}

static double thickest(const struct sciara_state *s) {
  double h = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) h = fmax(h, s->h[i]);
  return h;
}

static double last_arrival(const struct sciara_state *s) {
  double last = SCIARA_NEVER;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) last = fmax(last, s->arrival[i]);
  return last;
}

// The limit of thickness, tested at the end of each step: `serial` step by step, each state examined, gives the step. The
// vents emit all the time, so lava that an engine emits ahead for the next step would show.
TEST_EACH(by_thickness, 10) {
  static const struct {
    const char *scene;
    double part; ///< of the largest thickness in the first 200 steps
  } cases[] = {{"ramp", 0.3}, {"ramp", 0.999}, {"31 x 37", 0.5}, {"initial lava and vents", 0.97}, {"fissure", 0.6}};
  enum { STEPS = 200 };
  double h[STEPS + 1], most = 0;
  uint64_t step = 1;
  OWNED(pair_end) struct pair p;
  begin(&p, cases[_i / 2].scene, _i % 2);
  for (uint64_t k = 1; k <= STEPS; k++) {
    run_until(&p.serial, at_step(k));
    OWNED(destroy_state) struct sciara_state *state = run_state(&p.serial, p.scene.state);
    h[k] = thickest(state);
    most = fmax(most, h[k]);
  }
  const double limit = cases[_i / 2].part * most;
  while (!(h[step] > limit)) step++;
  run_end(&p.serial);
  run_start(&p.serial, engine_serial(p.precision), &p.scene, 1);
  struct sciara_stop stop = at_step(STEPS);
  stop.thickness = limit;
  stop.max_wall_ms = 1; // where `advance` returns in between does not matter
  run_until(&p.serial, stop);
  ck_assert_uint_eq(p.serial.at.step, step);
  run_until(&p.tested, stop);
  for (struct run *r = &p.serial; r; r = r == &p.serial ? &p.tested : NULL) {
    ck_assert_int_eq(r->at.reason, SCIARA_STOP_THICK);
    ck_assert(r->at.thick);
    if (r->ops->determinism == SCIARA_EXACT) ck_assert_uint_eq(r->at.step, step);
  }
  if (exact(&p)) expect_same(&p, &p.tested, "by thickness");
  run_until(&p.tested, at_step(p.tested.at.step)); // a limit that no longer applies leaves no trace
  ck_assert(p.tested.at.reason == SCIARA_STOP_STEPS && !p.tested.at.thick);
  run_until(&p.tested, at_step(STEPS));
  run_until(&p.serial, at_step(STEPS));
  ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_STEPS);
  expect_same(&p, &p.tested, "after the limit of thickness");
}

/** Runs until the rule of the front is met; false if all lava solidifies before. With `divide` the run is cut into such parts. */
static bool run_to_rest(struct run *r, const struct scene *scene, double duration, uint64_t divide) {
  struct sciara_front_rest rest;
  struct sciara_state *state = run_state(r, scene->state);
  sciara_front_rest_begin(&rest, duration, 0, scene->vents, state);
  for (;;) {
    const struct sciara_stop stop = {
        .steps = divide ? r->at.step + divide : UINT64_MAX, .time = rest.due, .solidified = true, .max_wall_ms = 60000};
    sciara_state_destroy(state);
    run_until(r, stop);
    state = run_state(r, scene->state);
    const bool met = r->at.time >= rest.due && sciara_front_rest_met(&rest, state);
    if (met || r->at.reason == SCIARA_STOP_SOLIDIFIED) {
      sciara_state_destroy(state);
      return met;
    }
    if (divide) sciara_front_rest_begin(&rest, duration, 0, scene->vents, state); // as after a resume
  }
}

// "Front at rest", taken literally: after each step of `serial`, the time since lava last arrived in a new cell.
TEST_EACH(front_at_rest, 14) {
  static const struct {
    const char *scene;
    double duration;
  } cases[] = {{"ramp", 10},
               {"ramp", 60},
               {"ramp", 400},
               {"rate gap", 60},
               {"fissure", 30},
               {"flat pool", 20},
               {"initial lava and vents", 15}};
  const double duration = cases[_i / 2].duration;
  bool literal = false;
  OWNED(pair_end) struct pair p;
  begin(&p, cases[_i / 2].scene, _i % 2);
  const double begun = sciara_vents_begun(p.scene.vents);
  for (uint64_t k = 1; !literal && k < 3000; k++) {
    run_to_step(&p.serial, k);
    struct sciara_state *state = run_state(&p.serial, p.scene.state);
    const double last = last_arrival(state);
    literal = last >= 0 && state->time >= last + duration && state->time > begun;
    sciara_state_destroy(state);
    if (p.serial.at.reason == SCIARA_STOP_SOLIDIFIED) break;
  }
  ck_assert_uint_lt(p.serial.at.step, 2999);
  for (uint64_t divide = 0; divide <= 7; divide += 7) {
    OWNED(run_end) struct run r;
    run_start(&r, p.tested.ops, &p.scene, 3);
    ck_assert_int_eq(run_to_rest(&r, &p.scene, duration, divide), literal);
    if (exact(&p)) {
      ck_assert_uint_eq(r.at.step, p.serial.at.step);
      expect_same(&p, &r, "front at rest");
    }
  }
}

// A vent that starts later: the run does not end before it has emitted.
TEST_EACH(front_at_rest_waits_for_all_vents, 2) {
  OWNED(pair_end) struct pair p = {.precision = (enum sciara_precision)_i};
  const double edges[] = {900, 1200}, rate = 5;
  scene_make(&p.scene, 21, 23, SCIARA_RECORD_NOTHING, slope, 0);
  scene_vent(&p.scene, 7, 9, 30, 1, &rate);
  expect_ok(sciara_vents_add(p.scene.vents, 4, 4, 1, edges, &rate));
  scene_finish(&p.scene, p.precision);
  run_start(&p.serial, engine_serial(p.precision), &p.scene, 1);
  run_start(&p.tested, engine_tested[_i], &p.scene, 3);
  ck_assert_double_eq(sciara_vents_begun(p.scene.vents), 900);
  ck_assert(run_to_rest(&p.serial, &p.scene, 100, 0) && run_to_rest(&p.tested, &p.scene, 100, 0));
  ck_assert_double_gt(p.tested.at.time, 900);
  if (exact(&p)) expect_same(&p, &p.tested, "front at rest, two vents");
}

TEST_EACH(met_at_entry, 2) {
  OWNED(pair_end) struct pair p;
  const int cancel = 1;
  begin(&p, "initial lava and vents", _i);
  const struct {
    struct sciara_stop stop;
    enum sciara_stop_reason reason;
  } met[] = {{at_step(0), SCIARA_STOP_STEPS},
             {at_time(0), SCIARA_STOP_TIME},
             {at_time(-1), SCIARA_STOP_TIME},
             {{.steps = 9, .time = INFINITY, .cancel = &cancel}, SCIARA_STOP_CANCEL}};
  for (size_t k = 0; k < sizeof met / sizeof *met; k++) {
    run_until(&p.tested, met[k].stop);
    ck_assert_uint_eq(p.tested.at.step, 0);
    ck_assert_int_eq(p.tested.at.reason, met[k].reason);
    ck_assert_double_eq(p.tested.at.clock, p.scene.params.t_first);
    expect_same(&p, &p.tested, "nothing done");
  }
}

// The rule is tested at the end of a step: without lava and vents there is exactly one.
TEST_EACH(nothing_to_do, 2) {
  OWNED(pair_end) struct pair p;
  const struct sciara_stop when = {.steps = 50, .time = INFINITY, .solidified = true};
  begin(&p, "no vent", _i);
  for (int k = 0; k < 2; k++) {
    run_until(&p.tested, when);
    ck_assert_uint_eq(p.tested.at.step, 1);
    ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_SOLIDIFIED);
  }
  OWNED(destroy_state) struct sciara_state *state = run_state(&p.tested, p.scene.state);
  OWNED(run_end) struct run other;
  run_start(&other, engine_tested[_i], &p.scene, 3);
  expect_ok(other.ops->upload(other.engine, state));
  run_until(&other, when);
  ck_assert_uint_eq(other.at.step, 1); // it has done its step
  ck_assert_int_eq(other.at.reason, SCIARA_STOP_SOLIDIFIED);
}

// ------------------------------------------------------------------------------------------------------------ slices

TEST_EACH(snapshot_cadence, 2) {
  OWNED(pair_end) struct pair p;
  begin(&p, "fissure", _i);
  run_to_step(&p.serial, 150);
  const double cadence[] = {1e-3, 1.7, 29, 1000};
  for (size_t k = 0; k < sizeof cadence / sizeof *cadence; k++) {
    OWNED(run_end) struct run r;
    run_start(&r, engine_tested[_i], &p.scene, 3);
    for (int n = 1; r.at.step < 150; n++) {
      run_until(&r, (struct sciara_stop){.steps = 150, .time = n * cadence[k], .max_wall_ms = 60000});
      while (r.at.time >= (n + 1) * cadence[k]) n++;
      sciara_state_destroy(run_state(&r, p.scene.state));
    }
    expect_same(&p, &r, "in slices of time");
  }
}

TEST_EACH(wall_clock, 2) {
  OWNED(pair_end) struct pair p;
  begin(&p, "ramp", _i);
  const struct sciara_stop stop = {.steps = 3000, .time = INFINITY, .max_wall_ms = 1, .thickness = 1e6}; // of two votes
  const int pauses = run_until(&p.tested, stop);
  ck_assert_msg(pauses > 0, "3000 steps were done within a millisecond");
  ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_STEPS);
  run_until(&p.serial, at_step(3000));
  expect_same(&p, &p.tested, "with max_wall_ms = 1");
  expect_ok(p.tested.ops->advance(p.tested.engine, &never, &p.tested.at)); // 0: returns automatically too
  ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_WALL);
  ck_assert_uint_gt(p.tested.at.step, 3000);
}

static void *set_soon(void *flag) {
  const struct timespec soon = {.tv_nsec = 5000000};
  nanosleep(&soon, NULL);
  __atomic_store_n((int *)flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

TEST_EACH(cancelled, 2) {
  OWNED(pair_end) struct pair p;
  int cancel = 0;
  begin(&p, "31 x 37", _i);
  struct sciara_stop stop = never;
  stop.cancel = &cancel;
  stop.max_wall_ms = 600000;
  for (int k = 0; k < 3; k++) {
    pthread_t thread;
    stop.thickness = k == 1 ? 1e6 : 0; // bands agree on it once more in a step
    ck_assert_int_eq(pthread_create(&thread, NULL, set_soon, &cancel), 0);
    run_until(&p.tested, stop);
    ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_CANCEL);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    run_until(&p.serial, at_step(p.tested.at.step));
    expect_same(&p, &p.tested, "cancelled");
    const uint64_t step = p.tested.at.step;
    run_until(&p.tested, stop); // still set: nothing is done
    ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_CANCEL);
    ck_assert_uint_eq(p.tested.at.step, step);
    __atomic_store_n(&cancel, 0, __ATOMIC_RELAXED);
  }
  stop.steps = p.tested.at.step + 100;
  run_until(&p.tested, stop);
  ck_assert_int_eq(p.tested.at.reason, SCIARA_STOP_STEPS);
  run_until(&p.serial, at_step(stop.steps));
  expect_same(&p, &p.tested, "continued after cancel");
}

// ---------------------------------------------------------------------------------------------- upload and download

/** Uploads `state` into the engine of `r` and runs to step 400. */
static void continue_to(struct run *r, const struct sciara_state *state) {
  expect_ok(r->ops->upload(r->engine, state));
  run_until(r, at_step(400));
}

TEST_EACH(round_trip, 4) {
  OWNED(pair_end) struct pair p;
  begin(&p, _i % 2 ? "31 x 37" : "slots shorter than a step", _i / 2);
  run_until(&p.tested, at_step(23));
  run_until(&p.serial, at_step(23));
  OWNED(destroy_state)
  struct sciara_state *own = run_state(&p.tested, p.scene.state), *reference = run_state(&p.serial, p.scene.state);
  OWNED(run_end) struct run fresh, serial;
  run_start(&fresh, p.tested.ops, &p.scene, 2);
  run_start(&serial, p.serial.ops, &p.scene, 1);
  run_until(&p.serial, at_step(400));
  continue_to(&p.tested, own); // into the same engine
  expect_same(&p, &p.tested, "down and up again");
  continue_to(&p.tested, reference); // again, from serial
  expect_same(&p, &p.tested, "taken over from serial");
  continue_to(&fresh, own);
  expect_same(&p, &fresh, "taken over by a new engine");
  continue_to(&serial, own);
  expect_same(&p, &serial, "taken over by serial");
  continue_to(&fresh, p.scene.state); // and from the start
  expect_same(&p, &fresh, "started again");
}

/** A state in which all fields and all totals of the engine have different values, where possible. */
static struct sciara_state *full_state(const struct sciara_state *like, enum sciara_precision precision) {
  struct sciara_state *s;
  expect_ok(sciara_state_clone(like, &s));
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    if (s->kind[i] == SCIARA_CELL_NODATA) continue;
    s->arrival[i] = (double)i / 7;
    if (s->kind[i] == SCIARA_CELL_RIM) s->lost[i] = 1 + (double)i / 3;
    if (s->kind[i] != SCIARA_CELL_INTERIOR) continue;
    s->z[i] += 1 + i % 3;
    s->h[i] = i % 4 ? 1 + (double)i / 1000 : 0;
    s->T[i] = s->h[i] > 0 ? 1200 + (double)(i % 100) / 3 : 0;
    s->px[i] = s->h[i] > 0 ? -(double)i / 11 : 0;
    s->py[i] = s->h[i] > 0 ? (double)i / 13 : 0;
    for (int k = SUMMED_FIELDS; k < EVERY_FIELD; k++) every_field(s, k)[i] = k + (double)i / (17 + 2 * k);
    for (int k = 0; precision == SCIARA_SINGLE_PRECISION && k < EVERY_FIELD; k++) {
      double *value = &every_field(s, k)[i];
      if (value != &s->lost[i] && value != &s->arrival[i]) *value = (double)(float)*value;
    }
  }
  s->step = 77;
  s->time = 1234.5;
  s->clock = 2.25;
  s->emitted = 1e4 + 1.0 / 3;
  s->solidifications = 99;
  return s;
}

// Upload and download transfer all of a state.
TEST_EACH(all_of_a_state_goes_up_and_down, 2) {
  OWNED(scene_free) struct scene scene;
  OWNED(run_end) struct run r;
  char text[256];
  conformance_build("hole", (enum sciara_precision)_i, SCIARA_RECORD_EVERYTHING, &scene);
  OWNED(destroy_state) struct sciara_state *full = full_state(scene.state, (enum sciara_precision)_i);
  run_start(&r, engine_tested[_i], &scene, 3);
  expect_ok(r.ops->upload(r.engine, full));
  OWNED(destroy_state) struct sciara_state *back = run_state(&r, scene.state);
  ck_assert_msg(!states_differ(full, back, text, sizeof text), "uploaded and downloaded: %s", text);
  expect_ok(r.ops->upload(r.engine, scene.state)); // and nothing of it remains after the next upload
  expect_ok(r.ops->download(r.engine, back));
  ck_assert_msg(!states_differ(scene.state, back, text, sizeof text), "uploaded after another: %s", text);
}

enum { COMPANY = 6, ROUNDS = 6 };

/** One of several threads that use the engine at the same time, independently. */
struct member {
  const struct pair *pair;
  struct sciara_state *end;
  enum sciara_status status;
  char why[256];
};

/** Repeatedly creates an engine, uploads a state and runs it in slices of a few steps. */
static enum sciara_status drive(const struct pair *p, struct sciara_state *end) {
  const struct sciara_engine_setup setup = {.params = &p->scene.params,
                                            .vents = p->scene.vents,
                                            .boundary = p->scene.boundary,
                                            .threads = 2,
                                            .options = engine_options};
  const struct sciara_engine_ops *ops = p->tested.ops;
  struct sciara_engine_progress at = {.step = 0};
  void *engine;
  enum sciara_status status = ops->create(&setup, &engine);
  if (status != SCIARA_OK) return status;
  status = ops->upload(engine, p->scene.state);
  for (uint64_t step = 1; status == SCIARA_OK && step <= 100; step += 3) {
    const struct sciara_stop stop = at_step(step);
    status = ops->advance(engine, &stop, &at);
  }
  if (status == SCIARA_OK) status = ops->download(engine, end);
  ops->destroy(engine);
  return status;
}

static void *take_part(void *context) {
  struct member *m = (struct member *)context;
  m->status = drive(m->pair, m->end);
  if (m->status != SCIARA_OK) snprintf(m->why, sizeof m->why, "%s", sciara_last_error());
  return NULL;
}

// Several engines in one process at the same time do not affect each other.
TEST_EACH(in_company, 2) {
  OWNED(pair_end) struct pair p;
  struct member member[COMPANY];
  pthread_t thread[COMPANY];
  begin(&p, "31 x 37", _i);
  run_until(&p.serial, at_step(100));
  OWNED(destroy_state) struct sciara_state *expected = run_state(&p.serial, p.scene.state);
  for (int round = 0; round < ROUNDS; round++) {
    for (int k = 0; k < COMPANY; k++) {
      member[k] = (struct member){.pair = &p};
      expect_ok(sciara_state_clone(p.scene.state, &member[k].end));
      ck_assert_int_eq(pthread_create(&thread[k], NULL, take_part, &member[k]), 0);
    }
    for (int k = 0; k < COMPANY; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < COMPANY; k++) {
      char context[128];
      snprintf(context, sizeof context, "%s, %s, number %d in round %d", p.tested.ops->name,
               precision_name(p.precision), k, round);
      ck_assert_msg(member[k].status == SCIARA_OK, "%s: %s", context, member[k].why);
      expect_conforms(p.tested.ops, p.precision, expected, member[k].end, context);
      sciara_state_destroy(member[k].end);
    }
  }
}

int main(int argc, char **argv) { return conformance_main(argc, argv, &tests_here); }
