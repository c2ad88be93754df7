// SPDX-License-Identifier: Apache-2.0
// Memory on the device. No CUDA engine writes outside its arrays: the guard bands between them are still 0 after a run,
// and the check of the bands detects a single byte. The memory of an engine is predicted; if it is not available, the
// engine reports an error.
#include "cuda_check.h"
#include "device_engine.h"
#include "suite.h"

#include <cstdio>
#include <cstring>

namespace {

const enum sciara_precision precision = sizeof(real) == sizeof(double) ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;

double level(int64_t, int64_t, int) { return 100; }

/** Runs steps of a case: the guard bands must be unchanged, and a planted byte must be found. */
void stays_inside(const sciara_engine_ops *ops, const char *name, const sciara_engine_options *options) {
  struct scene s;
  conformance_build(name, precision, SCIARA_RECORD_EVERYTHING, &s);
  sciara_engine_setup setup = setup_of(&s);
  setup.options = *options;
  setup.keeps = true;
  sciara_stop stop = {};
  stop.steps = 100;
  stop.time = 1e300;
  stop.max_wall_ms = 600000;
  sciara_engine_progress progress = {};
  void *engine = nullptr;
  ck_assert_msg(ops->create(&setup, &engine) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_msg(ops->upload(engine, s.state) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_msg(ops->advance(engine, &stop, &progress) == SCIARA_OK, "%s", sciara_last_error());
  for (int buffer = 0; buffer < SCIARA_BUFFERS; buffer++)
    ck_assert_msg(ops->keep(engine, buffer) == SCIARA_OK, "%s", sciara_last_error());
  for (int buffer = 0; buffer < SCIARA_BUFFERS; buffer++)
    ck_assert_msg(ops->collect(engine, buffer, s.state) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_uint_eq(s.state->step, stop.steps);
  ck_assert_msg(sciara_device_check_guards(engine) == SCIARA_OK, "%s: %s", name, sciara_last_error());
  ck_assert_uint_eq(progress.step, stop.steps);
  const sciara_arena &c = static_cast<sciara_device_engine *>(engine)->arena;
  ck_assert_int_gt(c.pieces, 10);
  cudaMemset(c.base + c.guard[c.pieces / 2] + SCIARA_GUARD - 1, 1, 1);
  ck_assert_int_eq(sciara_device_check_guards(engine), SCIARA_ERR_INTERNAL);
  ops->destroy(engine);
  scene_free(&s);
}

START_TEST(guards) {
  size_t count, cases;
  const sciara_engine_entry *list = sciara_engine_list(&count);
  const conformance_case *scene = conformance_cases(&cases);
  int runs = 0;
  for (size_t k = 0; k < count; k++) {
    const sciara_engine_ops *ops = list[k].ops[SCIARA_RULE_FV3][precision];
    if (!ops || !(ops->capabilities & SCIARA_CAN_DEVICE)) continue;
    for (int shared = 0; shared < 2; shared++) {
      sciara_engine_options options = {};
      options.memory = shared ? SCIARA_MEMORY_SHARED : SCIARA_MEMORY_GLOBAL;
      options.sort_every = sciara_engine_follows(ops, "sort_every") ? 7 : 0;
      options.gpus = sciara_engine_follows(ops, "gpus") ? 1 : 0; // all memory is on one GPU
      if (sciara_engine_options_check(ops, &options) != SCIARA_OK) continue;
      for (size_t n = 0; n < cases; n++, runs++)
        if (scene[n].steps[0] >= 100 || scene[n].steps[1] >= 100) stays_inside(ops, scene[n].name, &options);
    }
  }
  printf("%d runs\n", runs);
  ck_assert_int_gt(runs, 100);
}
END_TEST

/**
 * The predicted memory is the allocated memory, except for the vents, and is checked before the allocation. The second
 * run of the test is for an engine that keeps states.
 */
START_TEST(memory) {
  size_t count;
  const sciara_engine_entry *list = sciara_engine_list(&count);
  for (size_t k = 0; k < count; k++) {
    const sciara_engine_ops *ops = list[k].ops[SCIARA_RULE_FV3][precision];
    if (!ops || !(ops->capabilities & SCIARA_CAN_DEVICE)) continue;
    struct scene s;
    scene_make(&s, 1500, 1700, 0, level, 0);
    scene_lava(&s, 700, 700, 1, 1300);
    scene_finish(&s, precision);
    sciara_engine_setup setup = setup_of(&s);
    setup.keeps = _i == 1;
    setup.options.gpus = sciara_engine_follows(ops, "gpus") ? 1 : 0;
    void *engine = nullptr;
    size_t host, predicted, free_bytes, total, kept_host = 0, kept = 0;
    ops->memory(&s.state->grid, 0, &host, &predicted);
    if (setup.keeps) ops->keep_memory(&s.state->grid, 0, &kept_host, &kept);
    ck_assert_uint_eq(kept_host, SCIARA_BUFFERS * kept); // twice on the host, once on the device
    predicted += kept;
    ck_assert_msg(ops->create(&setup, &engine) == SCIARA_OK, "%s", sciara_last_error());
    ck_assert_int_eq(ops->upload(engine, s.state), SCIARA_OK);
    const sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
    const size_t taken = e->arena.used + (e->strategy->scratch ? e->strategy->scratch(engine) : 0);
    ck_assert_msg(taken >= predicted && (double)taken <= 1.001 * (double)predicted, "%s: %zu predicted, %zu taken",
                  ops->name, predicted, taken);
    ops->destroy(engine);
    void *ballast = nullptr; // leaves too little memory for a second engine
    ck_assert_int_eq(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
    ck_assert_int_eq(cudaMalloc(&ballast, free_bytes - predicted * 3 / 4), cudaSuccess);
    ck_assert_msg(ops->create(&setup, &engine) == SCIARA_OK, "%s", sciara_last_error());
    ck_assert_int_eq(ops->upload(engine, s.state), SCIARA_ERR_MEMORY);
    ck_assert_ptr_nonnull(strstr(sciara_last_error(), "MiB of device memory"));
    char part[64];
    snprintf(part, sizeof part, "(%zu MiB of it for snapshots", kept >> 20);
    ck_assert_ptr_nonnull(strstr(sciara_last_error(), part));
    cudaFree(ballast);
    ck_assert_msg(ops->upload(engine, s.state) == SCIARA_OK, "%s", sciara_last_error()); // and the engine still works
    ops->destroy(engine);
    scene_free(&s);
  }
}
END_TEST

void add(TCase *tc) {
  tcase_add_test(tc, guards);
  tcase_add_loop_test(tc, memory, 0, 2);
}

} // namespace

int main() { return run_on_device("device: memory", add); }
