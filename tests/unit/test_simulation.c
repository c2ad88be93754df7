// SPDX-License-Identifier: Apache-2.0
// What a simulation does with the reports of its engine: the warning of lava at the rim, once in a run and at the right
// moment; losses, the stop rule and the seconds, slice by slice. The engine follows a script.
#include "base/log.h"
#include "run_case.h"
#include "support/owned.h"

static int warnings;
static char warning[256];

static void keep_log(void *context, enum sciara_log_level level, const char *message) {
  (void)context;
  if (level != SCIARA_LOG_WARNING) return;
  warnings++;
  snprintf(warning, sizeof warning, "%s", message);
}

static void setup(void) {
  run_case_make("\"every\": null");
  warnings = 0;
  warning[0] = '\0';
  sciara_log_set_sink(keep_log, NULL);
}

/** The results of `advance`, one slice after the other. */
struct slice {
  double time;
  uint64_t losses; ///< of this engine
  enum sciara_stop_reason reason;
};

static const struct slice *script;
static struct sciara_engine_ops scripted;

static enum sciara_status advance(void *engine, const struct sciara_stop *stop, struct sciara_engine_progress *p) {
  (void)engine, (void)stop;
  *p = (struct sciara_engine_progress){
      .step = p->step + 1, .time = script->time, .losses = script->losses, .reason = script->reason};
  script++;
  return SCIARA_OK;
}

static struct sciara_simulation *open_scripted(const struct slice *slices) {
  struct sciara_simulation *s = run_case_open("serial");
  scripted = *s->ops;
  scripted.advance = advance;
  s->ops = &scripted;
  script = slices;
  return s;
}

static bool count_tick(void *context, const struct sciara_simulation *s) {
  (void)s;
  ++*(int *)context;
  return false;
}

static void advance_once(struct sciara_simulation *s, int slices) {
  int ticks = 0;
  const struct sciara_advance_limit limit = {
      .time = INFINITY, .step = UINT64_MAX, .tick = count_tick, .tick_context = &ticks};
  expect_ok(sciara_simulation_advance(s, &limit));
  ck_assert_int_eq(ticks, slices);
}

TEST(lava_at_the_rim_is_reported_once) {
  static const struct slice slices[] = {
      {10, 0, SCIARA_STOP_WALL},   {20, 0, SCIARA_STOP_TIME}, {30, 0, SCIARA_STOP_WALL},
      {41, 1, SCIARA_STOP_WALL},   {50, 1, SCIARA_STOP_WALL}, {60, 5, SCIARA_STOP_TIME},
      {70, 5, SCIARA_STOP_CANCEL}, {80, 9, SCIARA_STOP_WALL}, {90, 9, SCIARA_STOP_STEPS}};
  OWNED(destroy_simulation) struct sciara_simulation *s = open_scripted(slices);
  advance_once(s, 2);
  ck_assert_int_eq(warnings, 0);
  advance_once(s, 4);
  ck_assert_int_eq(warnings, 1);
  ck_assert_msg(strstr(warning, "reached the rim of the DEM") && strstr(warning, "(by simulated time 41 s)"), "%s",
                warning);
  ck_assert_uint_eq(s->progress.losses, 5);
  advance_once(s, 1);
  advance_once(s, 2);
  ck_assert_int_eq(warnings, 1);
  ck_assert_uint_eq(s->progress.losses, 9);
}

// The engine counts from the upload on, the run from its beginning: nothing is reported a second time after a checkpoint.
TEST(losses_before_a_checkpoint_are_not_reported_again) {
  static const struct slice slices[] = {
      {10, 0, SCIARA_STOP_WALL}, {20, 2, SCIARA_STOP_TIME}, {30, 2, SCIARA_STOP_WALL}, {40, 4, SCIARA_STOP_TIME}};
  OWNED(destroy_simulation) struct sciara_simulation *s = open_scripted(slices);
  s->losses_before = s->progress.losses = 7;
  advance_once(s, 2);
  ck_assert_uint_eq(s->progress.losses, 9);
  advance_once(s, 2);
  ck_assert_uint_eq(s->progress.losses, 11);
  ck_assert_int_eq(warnings, 0);
}

TEST(without_losses_nothing_is_reported) {
  static const struct slice slices[] = {{10, 0, SCIARA_STOP_WALL}, {20, 0, SCIARA_STOP_TIME}};
  OWNED(destroy_simulation) struct sciara_simulation *s = open_scripted(slices);
  advance_once(s, 2);
  ck_assert_int_eq(warnings, 0);
}

// Which part of the stop rule ended the run; an advance limit alone does not end it.
TEST(the_stop_rule) {
  static const struct slice slices[] = {{10, 0, SCIARA_STOP_TIME},
                                        {99.9, 0, SCIARA_STOP_CANCEL},
                                        {100, 0, SCIARA_STOP_TIME},
                                        {200, 0, SCIARA_STOP_STEPS},
                                        {300, 0, SCIARA_STOP_SOLIDIFIED}};
  OWNED(destroy_simulation) struct sciara_simulation *s = open_scripted(slices);
  const enum sciara_stop_reason finished[] = {SCIARA_STOP_NONE, SCIARA_STOP_NONE, SCIARA_STOP_TIME, SCIARA_STOP_STEPS,
                                              SCIARA_STOP_SOLIDIFIED};
  for (int k = 0; k < 5; k++) {
    s->until_time = k < 3 ? 100 : INFINITY;
    s->until_step = k < 4 ? 4 : 5;
    advance_once(s, 1);
    ck_assert_int_eq(s->finished, finished[k]);
  }
}

static struct sciara_stop asked;
static enum sciara_status note_stop(void *engine, const struct sciara_stop *stop, struct sciara_engine_progress *p) {
  asked = *stop;
  return advance(engine, stop, p);
}

// The engine gets the earlier of the limit and the stop rule, and must always end when nothing can happen any more.
TEST(limits_given_to_the_engine) {
  static const struct slice slices[] = {{1, 0, SCIARA_STOP_TIME}, {2, 0, SCIARA_STOP_TIME}};
  OWNED(destroy_simulation) struct sciara_simulation *s = open_scripted(slices);
  const int cancel = 0;
  scripted.advance = note_stop;
  s->until_time = 50;
  s->until_step = 70;
  const struct sciara_advance_limit early = {.time = 40, .step = 60, .cancel = &cancel},
                                    late = {.time = 51, .step = 71};
  expect_ok(sciara_simulation_advance(s, &early));
  ck_assert(asked.time == 40 && asked.steps == 60 && asked.solidified && asked.cancel == &cancel);
  expect_ok(sciara_simulation_advance(s, &late));
  ck_assert(asked.time == 50 && asked.steps == 70 && asked.solidified && !asked.cancel);
}

static enum sciara_status planted_failure(void *engine, const struct sciara_stop *stop,
                                          struct sciara_engine_progress *p) {
  (void)engine, (void)stop, (void)p;
  return sciara_fail(SCIARA_ERR_NUMERIC, "planted");
}

// After a failed step the state is neither used nor read.
TEST(a_failed_state_is_not_used) {
  static const struct slice slices[] = {{1, 0, SCIARA_STOP_TIME}};
  OWNED(destroy_simulation) struct sciara_simulation *s = open_scripted(slices);
  const struct sciara_advance_limit limit = {.time = INFINITY, .step = UINT64_MAX};
  struct sciara_ledger ledger;
  scripted.advance = planted_failure;
  ck_assert_int_eq(sciara_simulation_advance(s, &limit), SCIARA_ERR_NUMERIC);
  ck_assert_str_eq(sciara_last_error(), "planted");
  scripted.advance = advance;
  ck_assert_int_eq(sciara_simulation_advance(s, &limit), SCIARA_ERR_NUMERIC);
  ck_assert_int_eq(sciara_simulation_sync(s), SCIARA_ERR_NUMERIC);
  ck_assert_int_eq(sciara_simulation_keep(s, 0, s->problem.state), SCIARA_ERR_NUMERIC);
  ck_assert_int_eq(sciara_simulation_ledger(s, &ledger), SCIARA_ERR_NUMERIC);
  ck_assert_ptr_eq(script, slices); // not called
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
