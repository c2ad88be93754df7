// SPDX-License-Identifier: Apache-2.0
// Claims about how a scenario gets its engine: precision, options, and who reports invalid options.
#include "setup/setup.h"
#include "sim/choose_engine.h"

#define PLANE SCIARA_SOURCE_DIR "/config/plane.json"

/** config/plane.json with overrides; a NULL ends them. */
static struct sciara_scenario_spec plane(const char *const *overrides) {
  struct sciara_scenario_spec s;
  size_t count = 0;
  while (overrides[count]) count++;
  expect_ok(sciara_scenario_read(PLANE, overrides, count, NULL, &s));
  return s;
}

TEST(precisions) {
  const struct {
    const char *const overrides[3];
    enum sciara_precision precision;
  } cases[] = {{{NULL}, SCIARA_DOUBLE},
               {{"engine.precision=single", NULL}, SCIARA_SINGLE_PRECISION},
               {{"engine.precision=single", "engine.math=fast", NULL}, SCIARA_FAST_MATH}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    OWNED(sciara_scenario_free) struct sciara_scenario_spec s = plane(cases[k].overrides);
    ck_assert_int_eq(sciara_chosen_precision(&s.engine), cases[k].precision);
  }
}

TEST(options) {
  const char *const overrides[] = {
      "engine.memory=shared", "engine.block_width=16", "engine.block_height=8", "engine.boxes=4",
      "engine.refit_every=5", "engine.sort_every=6",   "engine.isa=v3",         NULL};
  OWNED(sciara_scenario_free) struct sciara_scenario_spec s = plane(overrides);
  const struct sciara_engine_options o = sciara_chosen_options(&s.engine);
  ck_assert(o.memory == SCIARA_MEMORY_SHARED && o.block_width == 16 && o.block_height == 8);
  ck_assert(o.boxes == 4 && o.refit_every == 5 && o.sort_every == 6 && o.isa == SCIARA_ISA_V3);
}

/** The same invalid option, in the scenario and by an override. */
TEST(where_it_is_reported) {
  static const char *const name[] = {"engine.name=seriel", NULL},
                           *const boxes[] = {"engine.name=serial", "engine.boxes=2", NULL},
                           *const math[] = {"engine.math=fast", NULL};
  static const char no_name[] = "engine.name: there is no engine \"seriel\"",
                    no_boxes[] = "engine: engine \"serial\" has no option boxes",
                    not_fast[] = "engine.math: \"fast\" requires engine.precision \"single\", found \"double\"";
  const struct {
    const char *const *overrides, *found;
    bool name_overridden, overridden; ///< assumed, instead of what the reader found
    enum sciara_status status;
  } cases[] = {
      {name, no_name, true, true, SCIARA_ERR_USAGE},     {name, no_name, false, true, SCIARA_ERR_INPUT},
      {boxes, no_boxes, true, true, SCIARA_ERR_USAGE},   {boxes, no_boxes, false, true, SCIARA_ERR_USAGE},
      {boxes, no_boxes, false, false, SCIARA_ERR_INPUT}, {math, not_fast, false, true, SCIARA_ERR_USAGE},
      {math, not_fast, false, false, SCIARA_ERR_INPUT},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    OWNED(sciara_scenario_free) struct sciara_scenario_spec s = plane(cases[k].overrides);
    const struct sciara_engine_ops *ops;
    s.engine.name_overridden = cases[k].name_overridden;
    s.engine.overridden = cases[k].overridden;
    ck_assert_int_eq(sciara_engine_choose(&s.engine, s.params.rule, s.notes, &ops), cases[k].status);
    expect_said(cases[k].found);
  }
}

TEST(what_was_overridden) {
  const struct {
    const char *const overrides[2];
    bool name, any;
  } cases[] = {{{NULL}, false, false},
               {{"engine.threads=2", NULL}, false, false},
               {{"run.max_steps=2", NULL}, false, false},
               {{"engine.precision=single", NULL}, false, true},
               {{"engine.name=serial", NULL}, true, true},
               {{"engine={\"threads\": 2}", NULL}, true, true}}; // the keys in the file are replaced
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    OWNED(sciara_scenario_free) struct sciara_scenario_spec s = plane(cases[k].overrides);
    ck_assert_msg(s.engine.name_overridden == cases[k].name && s.engine.overridden == cases[k].any, "%s",
                  cases[k].overrides[0] ? cases[k].overrides[0] : "none");
  }
}

/** An engine writes at the cells of the vents: a vent in an invalid cell never reaches it. */
TEST(vents_of_a_problem_made_by_hand) {
  const struct sciara_problem_options none = {0};
  struct sciara_problem p;
  struct sciara_simulation *s;
  expect_ok(sciara_problem_open(PLANE, &none, &p));
  p.vents->row[0] = 0;
  expect_error(sciara_simulation_create(&p, false, &s), SCIARA_ERR_INPUT, "vent 0 lies in row 0");
  ck_assert_ptr_null(s);
}

int main(void) {
  sciara_scenario_declare_options(sciara_engine_settings());
  return tests_run(&tests_here, (struct tests_setting){.one_process = true});
}
