// SPDX-License-Identifier: Apache-2.0
// No CUDA engine writes outside its arrays: the bands between them are still 0 after a run, and the check that says so sees
// a single byte.
#include "cuda_check.h"
#include "device_engine.h"

extern "C" {
#include "support/conformance.h"
}

#include <cstdio>
#include <cstring>

namespace {

const enum sciara_precision precision = sizeof(real) == sizeof(double) ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;

/** Whether the bands are whole after `steps` steps of the case, and a planted byte is found. */
bool stays_inside(const sciara_engine_ops *ops, const char *name, const sciara_engine_options *options, uint64_t steps) {
  struct scene s;
  conformance_build(name, precision, SCIARA_RECORD_MAX_THICKNESS | SCIARA_RECORD_MAX_SPEED, &s);
  sciara_engine_setup setup = {};
  setup.params = &s.params;
  setup.vents = s.vents;
  setup.boundary = s.boundary;
  setup.options = *options;
  sciara_stop stop = {};
  stop.steps = steps;
  stop.time = 1e300;
  stop.max_wall_ms = 600000;
  sciara_engine_progress progress = {};
  void *engine = nullptr;
  sciara_status status = ops->create(&setup, &engine);
  if (status == SCIARA_OK) status = ops->upload(engine, s.state);
  if (status == SCIARA_OK) status = ops->advance(engine, &stop, &progress);
  if (status == SCIARA_OK) status = sciara_device_check_guards(engine);
  bool passed = status == SCIARA_OK && progress.step == steps;
  if (!passed) printf("%s, %s: %s\n", ops->name, name, sciara_last_error());
  if (passed) {
    const sciara_carver &c = static_cast<sciara_device_engine *>(engine)->carver;
    cudaMemset(c.base + c.guard[c.pieces / 2] + SCIARA_GUARD - 1, 1, 1);
    passed = sciara_device_check_guards(engine) == SCIARA_ERR_INTERNAL;
    if (!passed) printf("%s, %s: a planted byte was not seen\n", ops->name, name);
  }
  ops->destroy(engine);
  scene_free(&s);
  return passed;
}

} // namespace

int main() {
  const char *why = sciara_device_probe();
  if (why) {
    printf("skipped: %s\n", why);
    return 77;
  }
  size_t count, cases;
  const sciara_engine_entry *list = sciara_engine_list(&count);
  const conformance_case *scene = conformance_cases(&cases);
  int runs = 0, failed = 0;
  for (size_t k = 0; k < count; k++) {
    const sciara_engine_ops *ops = list[k].ops[precision];
    if (!ops || !(ops->capabilities & SCIARA_CAN_DEVICE)) continue;
    for (size_t n = 0; n < cases; n++)
      for (int shared = 0; shared < 2; shared++) {
        sciara_engine_options options = {};
        options.memory = shared ? SCIARA_MEMORY_SHARED : SCIARA_MEMORY_GLOBAL;
        options.sort_every = ops->capabilities & SCIARA_CAN_SORT ? 7 : 0;
        if (sciara_engine_options_check(ops, &options) != SCIARA_OK) continue;
        failed += !stays_inside(ops, scene[n].name, &options, 100);
        runs++;
      }
  }
  printf("%d runs, %d failed\n", runs, failed);
  return failed || runs == 0 ? 1 : 0;
}
