// SPDX-License-Identifier: Apache-2.0
// The profile of an engine: its numbers are plausible, and profiling changes no bit.
// test_conformance_profile [ENGINE...]: the engines named, else all that are available.
#include "base/wallclock.h"
#include "support/conformance.h"

static const char case_name[] = "initial lava and vents";
enum { STEPS = 300 };

static double start(struct run *r, const struct sciara_engine_ops *ops, const struct scene *s, int threads) {
  const struct sciara_engine_setup setup = {
      .params = &s->params, .vents = s->vents, .boundary = s->boundary, .threads = threads, .profile = true};
  *r = (struct run){.ops = ops};
  expect_ok(ops->create(&setup, &r->engine));
  expect_ok(ops->upload(r->engine, s->state));
  return sciara_wallclock();
}

static struct sciara_engine_profile profile_of(const struct run *r) {
  struct sciara_engine_profile p;
  expect_ok(r->ops->profile(r->engine, &p));
  return p;
}

/** No number may decrease from `before` to `now`; returns the seconds of all processes in `now`. */
static double expect_grown(const struct sciara_engine_profile *before, const struct sciara_engine_profile *now,
                           const struct run *r, const char *context) {
  double sum = 0;
  for (int k = 0; k < SCIARA_PROCESSES; k++) {
    ck_assert_msg(now->seconds[k] >= before->seconds[k], "%s: process %d: %g s after %g s", context, k, now->seconds[k],
                  before->seconds[k]);
    sum += now->seconds[k];
  }
  ck_assert_uint_ge(now->timed_steps, before->timed_steps);
  ck_assert_msg(now->timed_steps <= r->at.step, "%s: %llu of %llu steps are timed", context,
                (unsigned long long)now->timed_steps, (unsigned long long)r->at.step);
  if (r->ops->capabilities & SCIARA_CAN_DEVICE) // every liquid cell has a thread of its own
    ck_assert_msg(now->launched >= r->at.cell_steps, "%s: %llu threads for %llu cells", context,
                  (unsigned long long)now->launched, (unsigned long long)r->at.cell_steps);
  else
    ck_assert_uint_eq(now->launched, 0);
  return sum;
}

static void expect_zero(const struct run *r) {
  const struct sciara_engine_profile p = profile_of(r);
  for (int k = 0; k < SCIARA_PROCESSES; k++) ck_assert_double_eq(p.seconds[k], 0);
  ck_assert(p.timed_steps == 0 && p.launched == 0);
}

TEST_EACH(profile, 2 * 2) {
  const enum sciara_precision p = (enum sciara_precision)(_i % 2);
  const int threads = _i / 2 ? 3 : 1;
  const struct sciara_engine_ops *ops = engine_tested[p];
  if (!ops->profile) return; // the engine has no profile
  char context[96];
  snprintf(context, sizeof context, "%s, %s, %d threads", ops->name, precision_name(p), threads);
  struct pair both = {.precision = p};
  struct scene *s = &both.scene;
  struct run *r = &both.tested;
  conformance_build(case_name, p, 0, s);
  run_start(&both.serial, engine_serial(p), s, 1);
  run_to_step(&both.serial, STEPS);
  const double begin = start(r, ops, s, threads);
  expect_zero(r);
  struct sciara_engine_profile before = profile_of(r);
  for (uint64_t step = STEPS / 3; step <= STEPS; step += STEPS / 3) {
    run_to_step(r, step);
    const struct sciara_engine_profile now = profile_of(r);
    const double sum = expect_grown(&before, &now, r, context), passed = sciara_wallclock() - begin;
    ck_assert_msg(sum > 0 && sum <= passed, "%s: %g s of %g s", context, sum, passed);
    before = now;
  }
  ck_assert_uint_gt(before.timed_steps, 0);
  pair_conforms(&both, context);
  expect_ok(ops->upload(r->engine, s->state));
  expect_zero(r); // counts begin at the upload
  pair_end(&both);
}

/** Eight times as many cells receive lava as are liquid: their inflows need room too. */
TEST_EACH(scattered_piles, 2) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  if (!engine_tested[p]->profile) return;
  struct pair both = {.precision = p};
  struct scene *s = &both.scene;
  struct run *r = &both.tested;
  scene_make(s, 200, 200, 0, relief_flat, 0);
  for (int64_t row = 2; row < 198; row += 4)
    for (int64_t col = 2; col < 198; col += 4) scene_lava(s, row, col, 30, 1300);
  scene_finish(s, p);
  run_start(&both.serial, engine_serial(p), s, 1);
  start(r, engine_tested[p], s, 3);
  for (uint64_t step = 1; step <= 4; step++) {
    pair_to_step(&both, step);
    pair_conforms(&both, "scattered piles");
  }
  ck_assert_int_gt(r->at.liquid_cells, 8 * 49 * 49); // more cells than at the start
  pair_end(&both);
}

TEST_EACH(not_requested, 2) { // then nothing is timed
  const enum sciara_precision p = (enum sciara_precision)_i;
  if (!engine_tested[p]->profile) return;
  struct scene s;
  struct run r;
  conformance_build(case_name, p, 0, &s);
  run_start(&r, engine_tested[p], &s, 1);
  run_to_step(&r, 10);
  ck_assert_uint_eq(profile_of(&r).timed_steps, 0);
  run_end(&r);
  scene_free(&s);
}

int main(int argc, char **argv) { return conformance_main(argc, argv, &tests_here); }
