// SPDX-License-Identifier: Apache-2.0
// Engines with several boxes: two eruptions far apart do not pay for the ground between them. Other engines have nothing
// to show here.
// test_conformance_boxes [ENGINE...]: the engines named, else all that are available.
#include <math.h>
#include <stdio.h>

#include "support/conformance.h"

static double slope(int64_t r, int64_t c, int variant) {
  (void)variant;
  return 1000 - (double)r - 0.5 * (double)c;
}

/** Threads launched for two vents 280 rows and 280 columns apart, with that many boxes; the state at the end. */
static uint64_t launched(enum sciara_precision p, int boxes, struct sciara_state **end) {
  struct scene s;
  scene_make(&s, 401, 401, 0, slope, 0);
  scene_vent(&s, 60, 60, 3600, 1, (const double[]){20});
  scene_vent(&s, 340, 340, 3600, 1, (const double[]){20});
  scene_finish(&s, p);
  const struct sciara_engine_setup setup = {.params = &s.params,
                                            .vents = s.vents,
                                            .boundary = s.boundary,
                                            .options = {.memory = engine_options.memory, .boxes = boxes},
                                            .profile = true};
  struct run r = {.ops = engine_tested[p]};
  ck_assert_msg(r.ops->create(&setup, &r.engine) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_msg(r.ops->upload(r.engine, s.state) == SCIARA_OK, "%s", sciara_last_error());
  run_to_step(&r, 2000);
  struct sciara_engine_profile profile;
  ck_assert_int_eq(r.ops->profile(r.engine, &profile), SCIARA_OK);
  ck_assert_uint_gt(profile.timed_steps, 0);
  ck_assert_uint_ge(profile.launched, r.at.cell_steps); // every liquid cell has a thread
  *end = run_state(&r, s.state);
  run_end(&r);
  scene_free(&s);
  return profile.launched;
}

START_TEST(far_vents) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  if (!(engine_tested[p]->capabilities & SCIARA_CAN_BOXES)) return;
  struct sciara_state *one, *some;
  const uint64_t with_one = launched(p, 1, &one);
  for (int boxes = 2; boxes <= 4; boxes++) {
    const uint64_t with_some = launched(p, boxes, &some);
    printf("%s: %d boxes launch %.4f of the threads of one\n", precision_name(p), boxes,
           (double)with_some / (double)with_one);
    ck_assert_uint_le(2 * with_some, with_one);
    expect_conforms(engine_tested[p], p, one, some, "several boxes beside one");
    sciara_state_destroy(some);
  }
  sciara_state_destroy(one);
}
END_TEST

static Suite *make_suite(void) {
  Suite *suite = suite_create("conformance: boxes");
  TCase *tc = tcase_create("boxes");
  tcase_set_timeout(tc, 0);
  tcase_add_loop_test(tc, far_vents, 0, 2);
  suite_add_tcase(suite, tc);
  return suite;
}

int main(int argc, char **argv) { return conformance_main(argc, argv, make_suite); }
