// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a run: when they are due, which two are kept, what is never kept, and resuming from them. Killing
// programs is tested in tests/cli/checkpoint_kill.py.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "file/durable.h"
#include "run/checkpoints.h"
#include "run/run.h"
#include "run/run_folder.h"
#include "run_case.h"

static char where[128];

static void setup(void) {
  run_case_make("\"every\": \"45 s\", \"checkpoint_every\": \"60 s\", \"fields\": [\"thickness\", \"max_speed\"]");
  snprintf(where, sizeof where, "%s/%s", out, SCIARA_CHECKPOINT_FOLDER);
}

static struct sciara_checkpoints begin_checkpoints(const struct sciara_simulation *s) {
  struct sciara_checkpoints c;
  ck_assert_int_eq(sciara_checkpoints_begin(&c, s, out, sciara_state_checksum_of_ground(s->problem.state), "a test",
                                            "2026-11-21T00:00:00Z"),
                   SCIARA_OK);
  return c;
}

/** The steps of the existing checkpoints, newest first, are a and b (0: none). */
static void expect_files(uint64_t a, uint64_t b) {
  uint64_t *steps;
  size_t count;
  ck_assert_int_eq(sciara_checkpoints_list(where, &steps, &count), SCIARA_OK);
  ck_assert_uint_eq(count, (a != 0) + (b != 0));
  if (a) ck_assert_uint_eq(steps[0], a);
  if (b) ck_assert_uint_eq(steps[1], b);
  free(steps);
}

static enum sciara_status write_step(struct sciara_checkpoints *c, const struct sciara_simulation *s, uint64_t step) {
  s->problem.state->step = step;
  const struct sciara_output o = {.state = s->problem.state, .next_snapshot_s = 45};
  return sciara_checkpoints_write(c, &o, 0);
}

TEST(the_newest_two_are_kept) {
  struct sciara_simulation *s = run_case_open("serial");
  struct sciara_checkpoints c = begin_checkpoints(s);
  expect_files(0, 0);
  ck_assert_int_eq(write_step(&c, s, 10), SCIARA_OK);
  expect_files(10, 0);
  ck_assert_int_eq(write_step(&c, s, 20), SCIARA_OK);
  expect_files(20, 10);
  ck_assert_int_eq(write_step(&c, s, 20), SCIARA_OK); // again: the one before it is not removed
  expect_files(20, 10);
  ck_assert_int_eq(write_step(&c, s, 1234567890), SCIARA_OK);
  expect_files(1234567890, 20);
  char *part = sciara_format("%s/00000040.h5.part", where);
  ck_assert_int_eq(mkdir(part, 0777), 0); // so that it cannot be written
  ck_assert_int_eq(write_step(&c, s, 40), SCIARA_ERR_IO);
  expect_files(1234567890, 20);                       // an old one is removed only when the new one exists
  ck_assert_int_eq(write_step(&c, s, 30), SCIARA_OK); // as after resuming from the older one
  expect_files(1234567890, 30);
  free(part);
  sciara_checkpoints_end(&c);
  sciara_simulation_destroy(s);
}

// Two exist, the newer is damaged, and the run was resumed from the older: that one must outlive the next.
TEST(a_damaged_one_goes_first) {
  struct sciara_simulation *s = run_case_open("serial");
  struct sciara_checkpoints c = begin_checkpoints(s);
  ck_assert_int_eq(write_step(&c, s, 10), SCIARA_OK);
  ck_assert_int_eq(write_step(&c, s, 90), SCIARA_OK);
  sciara_checkpoints_end(&c);
  c = begin_checkpoints(s);
  ck_assert_int_eq(sciara_checkpoints_found(&c, 10), SCIARA_OK);
  ck_assert_int_eq(write_step(&c, s, 20), SCIARA_OK);
  expect_files(20, 10);
  sciara_checkpoints_end(&c);
  sciara_simulation_destroy(s);
}

/** Resumes from `from` among the files of `first` and `second` (0: none) and writes `next`: `a` and `b` are left. */
static void expect_left(uint64_t first, uint64_t second, uint64_t from, uint64_t next, uint64_t a, uint64_t b) {
  struct sciara_simulation *s = run_case_open("serial");
  struct sciara_checkpoints c = begin_checkpoints(s);
  if (first) ck_assert_int_eq(write_step(&c, s, first), SCIARA_OK);
  if (second) ck_assert_int_eq(write_step(&c, s, second), SCIARA_OK);
  sciara_checkpoints_end(&c);
  c = begin_checkpoints(s);
  ck_assert_int_eq(sciara_checkpoints_found(&c, from), SCIARA_OK);
  ck_assert_int_eq(write_step(&c, s, next), SCIARA_OK);
  expect_files(a, b);
  sciara_checkpoints_end(&c);
  sciara_simulation_destroy(s);
}

// A resumed run that does no step writes its first checkpoint once more.
TEST(two_are_left_where_nothing_is_done) { expect_left(10, 20, 20, 20, 20, 10); }

TEST(one_is_left_where_one_was) { expect_left(10, 0, 10, 10, 10, 0); }

TEST(one_step_more_pushes_out_the_oldest) { expect_left(10, 20, 20, 30, 30, 20); }

TEST(what_lies_after_the_start_is_removed) { // it was found to be damaged
  expect_left(10, 20, 10, 10, 10, 0);
}

TEST(only_checkpoints_are_listed) {
  static const char *const names[] = {"00000001.h5", "123456789.h5", "1.h5", "00000002.h5.part", "00000003.nc", "x"};
  static const bool is_one[] = {true, true, false, true, false, false};
  ck_assert_int_eq(sciara_folder_make(where), SCIARA_OK);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    char *path = sciara_path_join(where, names[k]);
    ck_assert_int_eq(sciara_file_replace(path, "x", 1), SCIARA_OK);
    ck_assert_int_eq(sciara_is_checkpoint_name(names[k]), is_one[k]);
    free(path);
  }
  expect_files(123456789, 1);
}

// ------------------------------------------------------------------------------------------------------- bad numbers

enum { ROW = 12, COL = 17, CELL = ROW * 40 + COL };

static const struct {
  const char *name; ///< as in the message; NULL: sound
  size_t field;     ///< of struct sciara_state
  double value;
  bool dry; ///< there is no lava
} values[] = {
    {NULL, offsetof(struct sciara_state, h), 2.5, false},
    {"thickness is nan", offsetof(struct sciara_state, h), NAN, false},
    {"thickness is inf", offsetof(struct sciara_state, h), INFINITY, false},
    {"thickness is -0.001", offsetof(struct sciara_state, h), -0.001, false},
    {"temperature is nan", offsetof(struct sciara_state, T), NAN, false},
    {"temperature is 1000", offsetof(struct sciara_state, T), 1000, false},
    {"temperature is 1400", offsetof(struct sciara_state, T), 1400, false},
    {"momentum eastward is -inf", offsetof(struct sciara_state, px), -INFINITY, false},
    {"momentum northward is nan", offsetof(struct sciara_state, py), NAN, false},
    {"momentum eastward is inf", offsetof(struct sciara_state, px), INFINITY, true},
    {"temperature is nan", offsetof(struct sciara_state, T), NAN, true},
    {"altitude is nan", offsetof(struct sciara_state, z), NAN, false},
    {"altitude is 7", offsetof(struct sciara_state, z), 7, false},
    {"lava lost is -1", offsetof(struct sciara_state, lost), -1, false},
};

TEST_EACH(bad_numbers_make_no_checkpoint, sizeof values / sizeof *values) {
  struct sciara_simulation *s = run_case_open("serial");
  struct sciara_state *state = s->problem.state;
  struct sciara_checkpoints c = begin_checkpoints(s);
  char *expected = sciara_format("step 20: row %d, column %d: %s", ROW, COL, values[_i].name ? values[_i].name : "");
  state->h[CELL] = values[_i].dry ? 0 : 1;
  state->T[CELL] = values[_i].dry ? 0 : 1300;
  ck_assert_msg(write_step(&c, s, 10) == SCIARA_OK, "%s", sciara_last_error());
  double *field;
  memcpy(&field, (const char *)state + values[_i].field, sizeof field);
  field[CELL] = values[_i].value;
  const enum sciara_status status = write_step(&c, s, 20);
  if (!values[_i].name) {
    ck_assert_int_eq(status, SCIARA_OK);
  } else {
    ck_assert_int_eq(status, SCIARA_ERR_NUMERIC);
    ck_assert_str_eq(sciara_last_error(), expected);
    expect_files(10, 0);
    expect_error(sciara_checkpoints_attribute(&c, status), SCIARA_ERR_NUMERIC, "; the last valid checkpoint is ",
                 "out/checkpoints/00000010.h5");
  }
  free(expected);
  sciara_checkpoints_end(&c);
  sciara_simulation_destroy(s);
}

static const char *const engines[] = {"serial", "checked"}; // states that are copied at once, and states that are kept

static uint64_t last_checksum(const char *run_folder) {
  struct sciara_run_json r = run_case_record(run_folder);
  const uint64_t checksum = r.snapshots[r.snapshot_count - 1].checksum;
  ck_assert_int_eq(r.status, SCIARA_RUN_COMPLETE);
  sciara_run_json_free(&r);
  return checksum;
}

/** Resumes in the folder; the result is that of the run. */
static enum sciara_status resume_run(const char *engine) {
  struct sciara_resume resume;
  struct sciara_run_result result;
  run_case_find(false, &resume);
  struct sciara_simulation *s = run_case_resume(&resume, engine, NULL);
  const struct sciara_run_options how = {.history = resume.from.history, .resume = &resume};
  const enum sciara_status status = sciara_run_to_end(s, &how, &result);
  sciara_simulation_destroy(s);
  sciara_resume_close(&resume);
  return status;
}

// A run that fails names the checkpoint from which it can be resumed; the resumed run ends as if nothing had happened.
TEST_EACH(a_failed_run_names_the_last_good_one, 2) {
  struct sciara_run_result result;
  struct sciara_simulation *s = run_case_open(engines[_i]);
  const struct sciara_run_options how = {.history = "a test"};
  ck_assert_msg(sciara_run_to_end(s, &how, &result) == SCIARA_OK, "%s", sciara_last_error());
  sciara_simulation_destroy(s);
  const uint64_t whole = last_checksum(out);
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", out);
  ck_assert_int_eq(system(command), 0);

  s = run_case_open(engines[_i]);
  run_case_fail(s, false, 1);
  ck_assert_int_eq(sciara_run_to_end(s, &how, &result), SCIARA_ERR_NUMERIC);
  ck_assert_str_eq(sciara_last_error(), "step 1: planted; there is no checkpoint");
  sciara_simulation_destroy(s);
  ck_assert_int_eq(system(command), 0);

  s = run_case_open(engines[_i]);
  run_case_fail(s, false, 110);
  ck_assert_int_eq(sciara_run_to_end(s, &how, &result), SCIARA_ERR_NUMERIC);
  uint64_t *steps;
  size_t count;
  ck_assert_int_eq(sciara_checkpoints_list(where, &steps, &count), SCIARA_OK);
  ck_assert_uint_eq(count, 2);
  char *path = sciara_checkpoint_path(where, steps[0]);
  char *expected = sciara_format("step 110: planted; the last valid checkpoint is %s", path);
  ck_assert_str_eq(sciara_last_error(), expected);
  sciara_simulation_destroy(s);
  ck_assert_msg(resume_run(engines[1 - _i]) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_uint_eq(last_checksum(out), whole);
  free(expected);
  free(path);
  free(steps);
}

// What left the map before the checkpoint is counted too: in the next checkpoint, and so that it is reported once.
TEST(losses_are_kept_on_resume) {
  struct sciara_simulation *s = run_case_open("serial");
  s->losses_before = 7;
  const struct sciara_advance_limit limit = {.time = INFINITY, .step = 5};
  ck_assert_int_eq(sciara_simulation_advance(s, &limit), SCIARA_OK);
  ck_assert_uint_eq(s->progress.losses, 7);
  sciara_simulation_destroy(s);
}

/** Requests a checkpoint at the first tick. */
static int request;
static void on_tick(void *context, const struct sciara_simulation *s) {
  (void)s;
  if (!*(bool *)context) __atomic_store_n(&request, 1, __ATOMIC_RELAXED);
  *(bool *)context = true;
}

// On request, in a run that would write none: with and without a writer thread.
TEST_EACH(one_on_request, 4) {
  struct sciara_run_result result;
  struct sciara_simulation *s = run_case_open(engines[_i % 2]);
  bool asked = false;
  s->problem.source->scenario.output.checkpoint_every_s = 0;
  if (_i >= 2) s->problem.source->scenario.output.every_s = 0;
  if (_i >= 2) s->keeps = false;
  s->until_step = 121; // so that there is a step after the first slice
  run_case_fail(s, false, UINT64_MAX);
  const struct sciara_run_options how = {
      .history = "a test", .checkpoint = &request, .observer = {.context = &asked, .tick = on_tick}};
  ck_assert_msg(sciara_run_to_end(s, &how, &result) == SCIARA_OK, "%s", sciara_last_error());
  uint64_t *steps;
  size_t count;
  ck_assert_int_eq(sciara_checkpoints_list(where, &steps, &count), SCIARA_OK);
  ck_assert_uint_le(count, 1); // the run may have ended with that very slice
  if (_i < 2) ck_assert_uint_eq(count, 1);
  if (_i < 2) ck_assert_int_eq(request, 0);
  free(steps);
  sciara_simulation_destroy(s);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
