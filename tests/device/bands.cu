// SPDX-License-Identifier: Apache-2.0
// A map on several GPUs: what cannot be had is refused with what can, and an uneven map is cut again.
#include "comm/nccl.h"
#include "cuda_check.h"
#include "device_engine.h"
#include "engine/device_info.h"
#include "suite.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const enum sciara_precision precision = sizeof(real) == sizeof(double) ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;

const sciara_engine_ops *bands() {
  const sciara_engine_ops *ops = nullptr;
  ck_assert_msg(sciara_engine_find("cuda-bands", SCIARA_RULE_FV3, precision, &ops) == SCIARA_OK, "%s",
                sciara_last_error());
  return ops;
}

double slope(int64_t row, int64_t, int) { return 1000 - (double)row; }

void expect_refused(const sciara_engine_setup *setup, sciara_status status, const char *part) {
  void *engine = nullptr;
  ck_assert_int_eq(bands()->create(setup, &engine), status);
  ck_assert_ptr_null(engine);
  ck_assert_msg(strstr(sciara_last_error(), part), "expected \"%s\" in: %s", part, sciara_last_error());
}

START_TEST(refused) {
  struct scene s;
  char part[64];
  conformance_build("ramp", precision, 0, &s);
  sciara_engine_setup setup = setup_of(&s);
  setup.options.gpus = sciara_devices() + 1;
  snprintf(part, sizeof part, "found %d", setup.options.gpus);
  expect_refused(&setup, SCIARA_ERR_DEVICE, part);
  setup.options.gpus = 1;
  setup.device = sciara_devices() - 1; // the last one
  setup.options.bands = 2;
  void *engine = nullptr;
  ck_assert_msg(bands()->create(&setup, &engine) == SCIARA_OK, "%s", sciara_last_error());
  bands()->destroy(engine);
  if (sciara_devices() > 1) {
    setup.device = 0;
    setup.options.gpus = 2;
    setup.options.bands = 1;
    expect_refused(&setup, SCIARA_ERR_USAGE, "expected at least 2");
  }
  setup.device = 0;
  setup.options.gpus = 1;
  setup.options.bands = 2;
  setup.options.exchange = SCIARA_EXCHANGE_NCCL;
  expect_refused(&setup, SCIARA_ERR_USAGE, "expected 1, one for each GPU, because NCCL knows no other; found 2");
  setup.options.bands = 1;
  setenv("SCIARA_NCCL", "/nowhere/libnccl.so", 1);
  expect_refused(&setup, SCIARA_ERR_DEVICE, "exchange=nccl: /nowhere/libnccl.so");
  unsetenv("SCIARA_NCCL");
  scene_free(&s);
}
END_TEST

/** Own rows of the first band: the engine is its first band. */
int64_t rows_of_first(const void *engine) {
  const sciara_device_engine *e = static_cast<const sciara_device_engine *>(engine);
  return e->hf.grid.rows - e->setup.halo_south;
}

// Lava that flows down from the northern band into the southern one: the border follows it, and no bit changes. Not while
// a kept state, which has the rows of the old bands, has not been collected.
START_TEST(follows_lava) {
  const int64_t rows = 400, cols = 90;
  struct scene s;
  scene_make(&s, rows, cols, 0, slope, 0);
  for (int64_t r = 5; r < 45; r++)
    for (int64_t c = 5; c < cols - 5; c++) scene_lava(&s, r, c, 30, 1350);
  scene_finish(&s, precision);
  sciara_engine_setup setup = setup_of(&s);
  setup.options.gpus = 1;
  setup.options.bands = 2;
  setup.options.exchange = _i;
  setup.keeps = true;
  struct run serial, tested = {.ops = bands(), .engine = nullptr, .at = {}};
  ck_assert_msg(tested.ops->create(&setup, &tested.engine) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_msg(tested.ops->upload(tested.engine, s.state) == SCIARA_OK, "%s", sciara_last_error());
  run_start(&serial, engine_serial(precision), &s, 1);
  const int64_t first = rows_of_first(tested.engine);
  ck_assert_int_eq(tested.ops->keep(tested.engine, 0), SCIARA_OK);
  run_to_step(&tested, 100);
  ck_assert_int_eq(rows_of_first(tested.engine), first);
  struct sciara_state *kept = run_state(&serial, s.state), *a, *b;
  ck_assert_int_eq(tested.ops->collect(tested.engine, 0, kept), SCIARA_OK);
  char text[256];
  ck_assert_msg(!states_differ(s.state, kept, text, sizeof text), "%s", text);
  run_to_step(&tested, 300);
  run_to_step(&serial, 300);
  ck_assert_int_gt(rows_of_first(tested.engine), first + 5);
  a = run_state(&serial, s.state);
  b = run_state(&tested, s.state);
  ck_assert_msg(!states_differ(a, b, text, sizeof text), "%s", text);
  sciara_state_destroy(kept);
  sciara_state_destroy(a);
  sciara_state_destroy(b);
  run_end(&serial);
  run_end(&tested);
  scene_free(&s);
}
END_TEST

// On all GPUs, whatever they exchange with. On one there is nobody to exchange with, but NCCL is called.
START_TEST(exchanges) {
  const char *names[] = {"", "peer", "nccl", "host"};
  char why[512], text[256];
  struct scene s;
  if (_i == SCIARA_EXCHANGE_NCCL && !sciara_nccl_load(why, sizeof why)) {
    printf("not tested with NCCL: %s\n", why);
    return;
  }
  scene_make(&s, 300, 90, 0, slope, 0);
  for (int64_t r = 5; r < 295; r++)
    for (int64_t c = 5; c < 85; c++) scene_lava(&s, r, c, 1 + (double)(r % 7), 1350);
  scene_vent(&s, 150, 40, 4000, 1, (const double[]){60});
  scene_finish(&s, precision);
  sciara_engine_setup setup = setup_of(&s);
  setup.options.gpus = sciara_devices();
  setup.options.exchange = _i;
  struct run serial, tested = {.ops = bands(), .engine = nullptr, .at = {}};
  ck_assert_msg(tested.ops->create(&setup, &tested.engine) == SCIARA_OK, "%s: %s", names[_i], sciara_last_error());
  ck_assert_msg(tested.ops->upload(tested.engine, s.state) == SCIARA_OK, "%s: %s", names[_i], sciara_last_error());
  run_start(&serial, engine_serial(precision), &s, 1);
  for (uint64_t step = 40; step <= 200; step += 40) {
    run_to_step(&serial, step);
    run_to_step(&tested, step);
    struct sciara_state *a = run_state(&serial, s.state), *b = run_state(&tested, s.state);
    ck_assert_msg(!states_differ(a, b, text, sizeof text), "%s, step %d: %s", names[_i], (int)step, text);
    sciara_state_destroy(a);
    sciara_state_destroy(b);
  }
  run_end(&serial);
  run_end(&tested);
  scene_free(&s);
}
END_TEST

void add(TCase *tc) {
  tcase_add_test(tc, refused);
  tcase_add_loop_test(tc, follows_lava, SCIARA_EXCHANGE_DEFAULT, SCIARA_EXCHANGE_DEFAULT + 1);
  tcase_add_loop_test(tc, follows_lava, SCIARA_EXCHANGE_HOST, SCIARA_EXCHANGE_HOST + 1);
  tcase_add_loop_test(tc, exchanges, SCIARA_EXCHANGE_DEFAULT, SCIARA_EXCHANGE_DEFAULT + 1);
  tcase_add_loop_test(tc, exchanges, SCIARA_EXCHANGE_NCCL, SCIARA_EXCHANGE_HOST + 1);
}

} // namespace

int main() { return run_on_device("device: bands", add); }
