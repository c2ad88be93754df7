// SPDX-License-Identifier: Apache-2.0
// The cost of GPU engines depends only on the lava: several boxes leave out the ground between two distant eruptions,
// and rock costs nothing. For CPU engines there is nothing to test here. test_conformance_boxes [ENGINE...]: the
// engines named, else all that are available.
#include "support/conformance.h"

static double slope(int64_t r, int64_t c, int variant) {
  (void)variant;
  return 1000 - (double)r - 0.5 * (double)c;
}

/** Threads launched for two vents 280 rows and 280 columns apart, with this number of boxes; *end: the final state. */
static uint64_t launched(enum sciara_precision p, int boxes, struct sciara_state **end) {
  OWNED(scene_free) struct scene s;
  scene_make(&s, 401, 401, 0, slope, 0);
  scene_vent(&s, 60, 60, 3600, 1, (const double[]){20});
  scene_vent(&s, 340, 340, 3600, 1, (const double[]){20});
  scene_finish(&s, p);
  const struct sciara_engine_setup setup = {.params = &s.params,
                                            .vents = s.vents,
                                            .boundary = s.boundary,
                                            .options = {.memory = engine_options.memory, .boxes = boxes},
                                            .profile = true};
  OWNED(run_end) struct run r = {.ops = engine_tested[p]};
  expect_ok(r.ops->create(&setup, &r.engine));
  expect_ok(r.ops->upload(r.engine, s.state));
  run_to_step(&r, 2000);
  struct sciara_engine_profile profile;
  expect_ok(r.ops->profile(r.engine, &profile));
  ck_assert_uint_gt(profile.timed_steps, 0);
  ck_assert_uint_ge(profile.launched, r.at.cell_steps); // every liquid cell has a thread
  *end = run_state(&r, s.state);
  return profile.launched;
}

TEST_EACH(far_vents, 2) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  if (!sciara_engine_follows(engine_tested[p], "boxes")) return;
  struct sciara_state *one, *some;
  const uint64_t with_one = launched(p, 1, &one);
  for (int boxes = 2; boxes <= 4; boxes++) {
    const uint64_t with_some = launched(p, boxes, &some);
    printf("%s: %d boxes launch %.4f of the threads of one\n", precision_name(p), boxes,
           (double)with_some / (double)with_one);
    ck_assert_uint_le(2 * with_some, with_one);
    expect_conforms(engine_tested[p], p, one, some, "several boxes compared with one");
    sciara_state_destroy(some);
  }
  sciara_state_destroy(one);
}

/** Threads per step in the next `steps` steps. */
static double launched_in(struct run *r, uint64_t steps) {
  struct sciara_engine_profile before, after;
  expect_ok(r->ops->profile(r->engine, &before));
  run_to_step(r, r->at.step + steps);
  expect_ok(r->ops->profile(r->engine, &after));
  return (double)(after.launched - before.launched) / (double)steps;
}

/** A run of a slope on which lava of a rate flows from one vent and becomes rock; another vent emits later. */
static void start_on_slope(struct run *r, struct scene *s, const struct sciara_engine_ops *ops, enum sciara_precision p,
                           double rate) {
  scene_make(s, 201, 203, 0, slope, 0);
  scene_cooling(s, 60);
  scene_vent(s, 60, 60, 3000, 1, (const double[]){rate});
  scene_vent(s, 150, 150, 9e6, 2, (const double[]){0, 1e-3}); // so that the run continues
  scene_finish(s, p);
  const struct sciara_engine_setup setup = {
      .params = &s->params, .vents = s->vents, .boundary = s->boundary, .options = engine_options, .profile = true};
  *r = (struct run){.ops = ops};
  expect_ok(ops->create(&setup, &r->engine));
  expect_ok(ops->upload(r->engine, s->state));
}

/**
 * Rock needs no work: half of that of lava at most, or no more than ground without lava, where vents and borders of bands need
 * most. With several bands on so small a map the borders are nearly all. Engines that work on the whole grid are exempt.
 */
TEST_EACH(rock_costs_nothing, 2) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  const struct sciara_engine_ops *ops = engine_tested[p];
  if (!(ops->capabilities & SCIARA_CAN_DEVICE) || !ops->profile) return; // CPU engines launch no threads
  const uint64_t cold = (uint64_t)by_rule(2600, 1300);
  struct scene s;
  struct run r;
  start_on_slope(&r, &s, ops, p, 0);
  run_to_step(&r, cold);
  const double as_ground = launched_in(&r, 64);
  run_end(&r);
  scene_free(&s);
  start_on_slope(&r, &s, ops, p, 30);
  run_to_step(&r, cold / 2);
  ck_assert_int_gt(r.at.liquid_cells, 100);
  const double flowing = launched_in(&r, 64);
  ck_assert_double_ge(flowing, 0.5 * (double)r.at.liquid_cells); // cuda-batch launches none for a quiescent cell
  run_to_step(&r, cold);
  ck_assert_int_eq(r.at.liquid_cells, 0);
  const double as_rock = launched_in(&r, 64);
  printf("%s, %s: %.0f threads a step on ground without lava, %.0f while lava flows, %.0f when it is rock\n", ops->name,
         precision_name(p), as_ground, flowing, as_rock);
  ck_assert_msg(flowing >= 201 * 203 || 2 * as_rock <= flowing || as_rock <= as_ground,
                "%.0f threads a step on ground without lava, %.0f while lava flows, %.0f when it is rock", as_ground,
                flowing, as_rock);
  run_end(&r);
  scene_free(&s);
}

int main(int argc, char **argv) { return conformance_main(argc, argv, &tests_here); }
