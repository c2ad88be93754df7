// SPDX-License-Identifier: Apache-2.0
// Engine `checked`, built with SCIARA_PLANT_FAULTS, with each rule: every planted fault must be found within the case, and
// reported with its invariant, cell and step. Without a fault nothing must be found. What rule bingham forbids is found by
// one check only: without it nothing is.
#include "engine/planted_faults.h"
#include "support/golden.h"

enum sciara_fault sciara_planted_fault;
bool sciara_left_out;
extern const struct sciara_engine_ops sciara_engine_checked_fv3_f64, sciara_engine_checked_bingham_f64;

static const struct sciara_engine_ops *const engine_of[SCIARA_RULES] = {
    [SCIARA_RULE_FV3] = &sciara_engine_checked_fv3_f64,
    [SCIARA_RULE_BINGHAM] = &sciara_engine_checked_bingham_f64,
};

/** A case in which the fault shows, and the invariant that is then reported. */
static const struct {
  const char *invariant, *name;
  uint64_t steps;
} expected[SCIARA_FAULT_COUNT] = {
    [SCIARA_FAULT_NONE] = {NULL, "freeze", 200},
    [SCIARA_FAULT_CLOCK] = {"clock", "freeze", 200},
    [SCIARA_FAULT_UNWRITTEN] = {"unwritten memory", "freeze", 200},
    [SCIARA_FAULT_OUTFLOW] = {"outflow", "freeze", 200},
    [SCIARA_FAULT_MASS] = {"mass", "freeze", 200},
    [SCIARA_FAULT_HEAT] = {"temperature", "freeze", 200},
    [SCIARA_FAULT_DRY] = {"dry cell", "freeze", 200},
    [SCIARA_FAULT_GUARD] = {"guard", "freeze", 200},
    [SCIARA_FAULT_RIM] = {"rim", "freeze", 200},
    [SCIARA_FAULT_ALTITUDE] = {"altitude", "freeze", 200},
    [SCIARA_FAULT_ARRIVAL] = {"arrival", "freeze", 200},
    [SCIARA_FAULT_MAXIMUM] = {"maximum", "freeze", 200},
    [SCIARA_FAULT_EMISSION] = {"emission", "freeze", 200},
    [SCIARA_FAULT_RESIDUAL] = {"residual", "freeze", 200},
    [SCIARA_FAULT_ROCK] = {"altitude", "freeze", 200},
    [SCIARA_FAULT_LOST] = {"lost", "hill", 3400},     // lava leaves the map late in the run
    [SCIARA_FAULT_LEDGER] = {"ledger", "plane", 200}, // no lava solidifies, so roundings explain little
    [SCIARA_FAULT_CROSSING] = {"crossing", "freeze", 200},
    [SCIARA_FAULT_LEVELLING] = {"levelling", "plane", 200},
    [SCIARA_FAULT_FLAT] = {"slope", "bowl", 200},
    [SCIARA_FAULT_PLUG] = {"plug", "freeze", 200},
    [SCIARA_FAULT_UPHILL] = {"uphill", "freeze", 200},
    [SCIARA_FAULT_BARRIER] = {"barrier", "wall", 200},
    [SCIARA_FAULT_SIDE] = {"side", "hill", 200},
    [SCIARA_FAULT_LEVEL] = {"level", "plane", 200},
    [SCIARA_FAULT_RATE] = {"rate", "freeze", 200},
};

/** Executes the case of the planted fault; `invariant`: what must be reported, NULL: nothing. */
static void expect_found(enum sciara_rule_kind rule, unsigned record, const char *invariant) {
  const enum sciara_fault fault = sciara_planted_fault;
  struct scene c;
  golden_load(expected[fault].name, rule, record, &c);
  const struct sciara_engine_setup setup = {.params = &c.params, .vents = c.vents, .boundary = c.boundary};
  const struct sciara_engine_ops *ops = engine_of[rule];
  void *engine;
  expect_ok(ops->create(&setup, &engine));
  expect_ok(ops->upload(engine, c.state));
  struct sciara_engine_progress p;
  const struct sciara_stop stop = {.steps = expected[fault].steps, .time = INFINITY, .max_wall_ms = 600000};
  const enum sciara_status status = ops->advance(engine, &stop, &p);
  if (!invariant) {
    ck_assert_msg(status == SCIARA_OK, "fault %d: %s", (int)fault, sciara_last_error());
  } else {
    char named[64];
    snprintf(named, sizeof named, ": %s: ", invariant);
    ck_assert_msg(status == SCIARA_ERR_NUMERIC, "%s, fault %d is not found", sciara_rule_name(rule), (int)fault);
    ck_assert_msg(strstr(sciara_last_error(), named) != NULL, "%s, fault %d, expected \"%s\", found \"%s\"",
                  sciara_rule_name(rule), (int)fault, named, sciara_last_error());
    ck_assert_uint_gt(p.bad.step, 0);
    ck_assert_uint_eq(p.bad.step, p.step + 1);
    if (fault != SCIARA_FAULT_LEDGER) // this one concerns the whole grid
      expect_said("row", "column");
  }
  ops->destroy(engine);
  scene_free(&c);
}

static void expect_each(enum sciara_rule_kind rule, enum sciara_fault fault) {
  sciara_planted_fault = fault;
  sciara_left_out = false;
  expect_found(rule,
               fault == SCIARA_FAULT_LEDGER ? 0 : SCIARA_RECORD_EVERYTHING, // else a maximum would be reported first
               expected[fault].invariant);
}

TEST_EACH(each_fault, SCIARA_FAULT_OF_BINGHAM) { expect_each(SCIARA_RULE_FV3, (enum sciara_fault)_i); }

TEST_EACH(each_fault_with_bingham, SCIARA_FAULT_COUNT) { expect_each(SCIARA_RULE_BINGHAM, (enum sciara_fault)_i); }

TEST_FROM(nothing_else_finds_it, SCIARA_FAULT_OF_BINGHAM, SCIARA_FAULT_COUNT) {
  sciara_planted_fault = (enum sciara_fault)_i;
  sciara_left_out = true;
  expect_found(SCIARA_RULE_BINGHAM, SCIARA_RECORD_EVERYTHING, NULL);
}

TEST_EACH(each_maximum_alone, SCIARA_RECORDED_FIELDS) {
  sciara_planted_fault = SCIARA_FAULT_MAXIMUM;
  sciara_left_out = false;
  for (int rule = 0; rule < SCIARA_RULES; rule++)
    expect_found((enum sciara_rule_kind)rule, 1u << _i, expected[SCIARA_FAULT_MAXIMUM].invariant);
}

RUN_TESTS(.seconds = 120, .one_process = true)
