// SPDX-License-Identifier: Apache-2.0
// The totals in progress, compared with engine `checked`, which visits every cell and counts independently.
// test_conformance_totals [ENGINE...]: the engines named, else all that are available.
#include "support/conformance.h"

static void expect_same_progress(const struct sciara_engine_progress *checked,
                                 const struct sciara_engine_progress *found, const char *context) {
  const struct {
    const char *name;
    uint64_t checked, found;
  } counts[] = {{"step", checked->step, found->step},
                {"liquid_cells", (uint64_t)checked->liquid_cells, (uint64_t)found->liquid_cells},
                {"solidifications", checked->solidifications, found->solidifications},
                {"losses", checked->losses, found->losses},
                {"sea_losses", checked->sea_losses, found->sea_losses},
                {"cell_steps", checked->cell_steps, found->cell_steps}};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    ck_assert_msg(counts[k].found == counts[k].checked, "%s: %s is %llu, checked has %llu", context, counts[k].name,
                  (unsigned long long)counts[k].found, (unsigned long long)counts[k].checked);
  ck_assert_double_eq(found->time, checked->time);
  ck_assert_double_eq(found->clock, checked->clock);
  ck_assert_double_eq(found->emitted, checked->emitted);
}

TEST_EACH(progress, 6 * 2) {
  static const char *const names[] = {"ramp",     "vent next to the rim",   "31 x 37",
                                      "rate gap", "initial lava and vents", "sea and rim"};
  const enum sciara_precision p = (enum sciara_precision)(_i % 2);
  const char *name = names[_i / 2];
  const struct sciara_engine_ops *ops;
  if (engine_tested[p]->determinism != SCIARA_EXACT) return; // other clocks, other counts
  expect_ok(sciara_engine_find("checked", rule_tested, p, &ops));
  struct pair both;
  conformance_build(name, p, 0, &both.scene);
  pair_start(&both, p, ops, NULL, 3);
  for (uint64_t step = 0; step <= 240; step += 60) {
    char context[160];
    pair_to_step(&both, step);
    snprintf(context, sizeof context, "%s, %s, %s, after %d steps", both.tested.ops->name, precision_name(p), name,
             (int)step);
    expect_same_progress(&both.serial.at, &both.tested.at, context);
  }
  ck_assert_uint_gt(both.tested.at.cell_steps, (uint64_t)both.tested.at.liquid_cells);
  pair_end(&both);
}

// Hundreds of cells that each flow to eight dry ones in the first step: lists must grow for the receivers too.
TEST_EACH(scattered_piles, 2) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  const struct sciara_engine_ops *ops;
  expect_ok(sciara_engine_find("checked", rule_tested, p, &ops));
  OWNED(pair_end) struct pair both;
  struct scene *s = &both.scene;
  scene_make(s, 100, 100, 0, relief_flat, 0);
  for (int64_t r = 2; r < 98; r += 4)
    for (int64_t c = 2; c < 98; c += 4) scene_lava(s, r, c, 30, 1300);
  scene_finish(s, p);
  pair_start(&both, p, ops, NULL, 3);
  pair_to_step(&both, 4);
  ck_assert_int_gt(both.serial.at.liquid_cells, 8 * 24 * 24); // more cells than at the start
  pair_conforms(&both, "scattered piles");
  ck_assert_uint_eq(both.tested.at.cell_steps,
                    both.serial.at.cell_steps); // after four steps tolerance engines have the same counts too
}

// More liquid cells than a GPU has threads at the same time, so that some threads have several cells, and more than its
// blocks process together. The cell that determines the clock is among the first.
TEST_EACH(lake, 2 * 2) {
  const enum sciara_precision p = (enum sciara_precision)(_i % 2);
  const int64_t side = _i / 2 ? 422 : 182;
  OWNED(pair_end) struct pair both;
  struct scene *s = &both.scene;
  scene_make(s, side, side, 0, relief_flat, 0);
  for (int64_t r = 1; r < side - 1; r++)
    for (int64_t c = 1; c < side - 1; c++) scene_lava(s, r, c, 2 + 0.001 * (double)((r * 7 + c * 3) % 97), 1300);
  scene_lava(s, 1, 1, 60, 1360);
  scene_finish(s, p);
  pair_start(&both, p, NULL, NULL, 2);
  pair_to_step(&both, 2);
  ck_assert_int_gt(both.serial.at.liquid_cells, (side - 2) * (side - 2) * 9 / 10);
  ck_assert_double_lt(both.serial.at.clock, s->params.relaxation * s->params.t_max);
  pair_conforms(&both, "lake");
}

static double ramp(int64_t r, int64_t c, int variant) {
  (void)variant;
  return 500 - 3 * (double)r + (double)(c % 5);
}

/**
 * A fissure of 150 cells with two vents each, some of which pause: they emit in file order, more than a block has
 * threads.
 */
TEST_EACH(fissure, 2) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  OWNED(pair_end) struct pair both;
  struct scene *s = &both.scene;
  scene_make(s, 60, 170, SCIARA_RECORD_EVERYTHING, ramp, 0);
  for (int half = 0; half < 2; half++)
    for (int64_t c = 10; c < 160; c++) {
      const double rates[] = {1 + 0.01 * (double)c, half ? 0 : 2, 0, 3 + half};
      scene_vent(s, 10, c, 60 + 1.5 * half, 4, rates);
    }
  scene_finish(s, p);
  pair_start(&both, p, NULL, NULL, 2);
  for (uint64_t step = 1; step <= 400; step = step * 2 + 1) {
    pair_to_step(&both, step);
    pair_conforms(&both, "fissure");
  }
  ck_assert_double_gt(both.serial.at.time, 260); // all slots have ended
}

int main(int argc, char **argv) { return conformance_main(argc, argv, &tests_here); }
