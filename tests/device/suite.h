// SPDX-License-Identifier: Apache-2.0
// A suite of tests on a GPU, in one process: CUDA does not survive a fork.
#ifndef SCIARA_TESTS_DEVICE_SUITE_H
#define SCIARA_TESTS_DEVICE_SUITE_H

#include <check.h>
#include <stdio.h>

#include "device_engine.h"

extern "C" {
#include "support/conformance.h"
}

/** What an engine is created with for a scene, which keeps it. */
static inline sciara_engine_setup setup_of(const struct scene *s) {
  sciara_engine_setup setup = {};
  setup.params = &s->params;
  setup.vents = s->vents;
  setup.boundary = s->boundary;
  return setup;
}

/** Runs the tests that `add` adds. Returns the exit status: 77 without a GPU. */
static int run_on_device(const char *name, void (*add)(TCase *tc)) {
  const char *why = sciara_device_probe();
  if (why) return printf("skipped: %s\n", why), 77;
  Suite *suite = suite_create(name);
  TCase *tc = tcase_create(name);
  tcase_set_timeout(tc, 0);
  add(tc);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}

#endif
