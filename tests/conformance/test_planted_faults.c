// SPDX-License-Identifier: Apache-2.0
// Engine `checked`, built with SCIARA_PLANT_FAULTS: every planted fault must be found within the case, and reported
// with its invariant, cell and step. Without a fault nothing must be found.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/planted_faults.h"
#include "support/golden.h"

enum sciara_fault sciara_planted_fault;
extern const struct sciara_engine_ops sciara_engine_checked_f64;

static const char *const invariant[SCIARA_FAULT_COUNT] = {
    [SCIARA_FAULT_NONE] = NULL,
    [SCIARA_FAULT_CLOCK] = "clock",
    [SCIARA_FAULT_UNWRITTEN] = "unwritten memory",
    [SCIARA_FAULT_OUTFLOW] = "outflow",
    [SCIARA_FAULT_MASS] = "mass",
    [SCIARA_FAULT_HEAT] = "temperature",
    [SCIARA_FAULT_DRY] = "dry cell",
    [SCIARA_FAULT_GUARD] = "guard",
    [SCIARA_FAULT_RIM] = "rim",
    [SCIARA_FAULT_ALTITUDE] = "altitude",
    [SCIARA_FAULT_ARRIVAL] = "arrival",
    [SCIARA_FAULT_MAXIMUM] = "maximum",
    [SCIARA_FAULT_EMISSION] = "emission",
    [SCIARA_FAULT_RESIDUAL] = "residual",
    [SCIARA_FAULT_ROCK] = "altitude",
    [SCIARA_FAULT_LOST] = "lost",
    [SCIARA_FAULT_LEDGER] = "ledger",
};

static void expect_found(enum sciara_fault fault, unsigned record) {
  sciara_planted_fault = fault;
  struct golden_case c;
  const bool rim = fault == SCIARA_FAULT_LOST; // in this case lava leaves the map, late in the run
  golden_load(rim ? "hill" : "freeze", SCIARA_RULE_FV3, record, &c);
  const struct sciara_engine_setup setup = {.params = &c.params, .vents = c.vents, .boundary = c.boundary};
  const struct sciara_engine_ops *ops = &sciara_engine_checked_f64;
  void *engine;
  ck_assert_int_eq(ops->create(&setup, &engine), SCIARA_OK);
  ck_assert_int_eq(ops->upload(engine, c.state), SCIARA_OK);
  struct sciara_engine_progress p;
  const struct sciara_stop stop = {.steps = rim ? 3400 : 200, .time = INFINITY, .max_wall_ms = 600000};
  const enum sciara_status status = ops->advance(engine, &stop, &p);
  if (!invariant[fault]) {
    ck_assert_msg(status == SCIARA_OK, "%s", sciara_last_error());
  } else {
    char named[64];
    snprintf(named, sizeof named, ": %s: ", invariant[fault]);
    ck_assert_int_eq(status, SCIARA_ERR_NUMERIC);
    ck_assert_msg(strstr(sciara_last_error(), named) != NULL, "fault %d, expected \"%s\", found \"%s\"", (int)fault,
                  named, sciara_last_error());
    ck_assert_uint_gt(p.bad.step, 0);
    ck_assert_uint_eq(p.bad.step, p.step + 1);
    if (fault != SCIARA_FAULT_LEDGER) // this one concerns the whole grid
      ck_assert(strstr(sciara_last_error(), "row") && strstr(sciara_last_error(), "column"));
  }
  ops->destroy(engine);
  golden_free(&c);
}

START_TEST(each_fault) {
  const enum sciara_fault fault = (enum sciara_fault)_i;
  expect_found(fault,
               fault == SCIARA_FAULT_LEDGER ? 0 : SCIARA_RECORD_EVERYTHING); // else a maximum would be reported first
}
END_TEST

START_TEST(each_maximum_alone) { expect_found(SCIARA_FAULT_MAXIMUM, 1u << _i); }
END_TEST

int main(void) {
  Suite *suite = suite_create("planted faults");
  TCase *tc = tcase_create("faults");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, each_fault, 0, SCIARA_FAULT_COUNT);
  tcase_add_loop_test(tc, each_maximum_alone, 0, SCIARA_RECORDED_FIELDS);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
