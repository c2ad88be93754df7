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
  const struct sciara_engine_ops *checked;
  OWNED(pair_end) struct pair both;
  char context[160];
  c->build(&both.scene, c->variant, 3);
  scene_finish(&both.scene, p);
  expect_ok(sciara_engine_find("checked", SCIARA_RULE_FV3, p, &checked));
  pair_start(&both, p, NULL, checked, 1);
  snprintf(context, sizeof context, "%s, %s", c->name, precision_name(p));
  for (int k = 0; k < 4 && c->steps[k]; k++) {
    pair_to_step(&both, c->steps[k]);
    pair_is_equal(&both, context);
  }
}

RUN_TESTS(.one_process = true)
