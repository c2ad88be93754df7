// SPDX-License-Identifier: Apache-2.0
// The rule without early exits (SCIARA_BRANCHLESS) gives bit-identical results. Here engine `serial` is compiled
// without them, and engine `checked` with them.

#include "support/conformance.h"

#ifndef SCIARA_BRANCHLESS
#error compile me with SCIARA_BRANCHLESS
#endif

TEST_EACH(bit_identical, 2 * conformance_case_count()) {
  size_t count;
  const struct conformance_case *c = &conformance_cases(&count)[_i / 2];
  const enum sciara_precision p = (enum sciara_precision)(_i % 2);
  struct scene s;
  c->build(&s, c->variant, 3);
  scene_finish(&s, p);
  const struct sciara_engine_ops *checked;
  expect_ok(sciara_engine_find("checked", SCIARA_RULE_FV3, p, &checked));
  struct run branchless, ordinary;
  run_start(&branchless, engine_serial(p), &s, 1);
  run_start(&ordinary, checked, &s, 1);
  for (int k = 0; k < 4 && c->steps[k]; k++) {
    char text[256];
    run_to_step(&branchless, c->steps[k]);
    run_to_step(&ordinary, c->steps[k]);
    struct sciara_state *a = run_state(&branchless, s.state), *b = run_state(&ordinary, s.state);
    ck_assert_msg(!states_differ(a, b, text, sizeof text), "%s, %s: %s", c->name, precision_name(p), text);
    sciara_state_destroy(a);
    sciara_state_destroy(b);
  }
  run_end(&branchless);
  run_end(&ordinary);
  scene_free(&s);
}

RUN_TESTS(.one_process = true)
