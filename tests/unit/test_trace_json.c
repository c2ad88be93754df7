// SPDX-License-Identifier: Apache-2.0
// Claims about verify/trace_json.h: a trace is read as it was written, and what is wrong with a file is named.
#include "verify/trace_json.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], path[96];

static void setup(void) {
  snprintf(folder, sizeof folder, "/tmp/sciara-trace-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.json", folder);
}

static void teardown(void) {
  unlink(path);
  ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(what_was_written_is_read) {
  struct sciara_trace_row rows[] = {{10, 1.1, 0.1, 2.5, 3, -1e-17, UINT64_C(0x00000000deadbeef)},
                                    {UINT64_C(1) << 53, 1e9 / 3, 60, 1e-300, 0, 0, UINT64_MAX}};
  const struct sciara_trace t = {.dem = 1,
                                 .start = UINT64_MAX,
                                 .parameters = UINT64_C(0x0123456789abcdef),
                                 .vents = 0,
                                 .precision = "double",
                                 .row = rows,
                                 .count = 2};
  struct sciara_trace back;
  ck_assert_msg(sciara_trace_write(&t, path) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_msg(sciara_trace_read(path, &back) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert(back.dem == t.dem && back.start == t.start && back.parameters == t.parameters && back.vents == t.vents);
  ck_assert_str_eq(back.precision, "double");
  ck_assert_uint_eq(back.count, 2);
  for (int k = 0; k < 2; k++) {
    const struct sciara_trace_row *a = &rows[k], *b = &back.row[k];
    ck_assert(a->step == b->step && a->liquid_cells == b->liquid_cells && a->checksum == b->checksum);
    ck_assert(a->time == b->time && a->clock == b->clock && a->emitted == b->emitted && a->residual == b->residual);
  }
  sciara_trace_free(&back);
  ck_assert_ptr_null(back.row);
}
END_TEST

#define HASH "\"0123456789abcdef\""
#define HEAD                                                                                                      \
  "{\"format\": \"sciara trace\", \"version\": 1, \"precision\": \"double\", \"dem\": " HASH ", \"start\": " HASH \
  ", \"parameters\": " HASH ", \"vents\": " HASH
#define ROWS(rows) HEAD ", \"rows\": [" rows "]}"
#define ROW(step, cells) "[" step ", 1, 1, 1, " cells ", 0, " HASH "]"

static const struct {
  const char *text, *found;
} faults[] = {
    {"[]", "format: found nothing"},
    {"{\"format\": \"trace\"}", "format: found \"trace\", allowed \"sciara trace\""},
    {"{\"format\": \"sciara trace\", \"version\": \"1\"}", "version: found \"1\", allowed 1"},
    {"{\"format\": \"sciara trace\", \"version\": 1, \"precision\": 2}", "precision: found 2, allowed a text"},
    {"{\"format\": \"sciara trace\", \"version\": 1, \"precision\": \"double\", \"dem\": \"0123456789abcdeg\"}",
     "dem: found \"0123456789abcdeg\", allowed 16 hexadecimal digits"},
    {"{\"format\": \"sciara trace\", \"version\": 1, \"precision\": \"double\", \"dem\": \"0123456789abcde\"}",
     "dem: found \"0123456789abcde\""},
    {HEAD "}", "rows: found nothing"},
    {ROWS(""), "rows: found an array of 0, allowed an array of rows"},
    {ROWS(ROW("1", "1") ", 7"), "rows[1]: found 7, allowed six numbers and 16 hexadecimal digits"},
    {ROWS("[1, 1, 1, 1, 1, " HASH "]"), "rows[0]: found"},
    {ROWS("[1, 1, 1, 1, 1, 0, " HASH ", 0]"), "rows[0]: found"},
    {ROWS("[1, 1, \"1\", 1, 1, 0, " HASH "]"), "rows[0]: found"},
    {ROWS("[1, 1, 1, 1, 1, 0, \"0123456789ABCDEF\"]"), "rows[0]: found"},
    {ROWS(ROW("-1", "1")), "rows[0]: found"},
    {ROWS(ROW("10.5", "1")), "rows[0]: found"},
    {ROWS(ROW("1e17", "1")), "rows[0]: found"},
    {ROWS(ROW("1", "1e17")), "rows[0]: found"},
    {ROWS(ROW("1", "1") ", " ROW("1", "1")), "rows[1]: found 1, allowed steps that ascend"},
    {ROWS(ROW("2", "1") ", " ROW("1", "1")), "rows[1]: found 1, allowed steps that ascend"},
};

START_TEST(faults_are_named) {
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(faults[_i].text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
  struct sciara_trace t;
  ck_assert_msg(sciara_trace_read(path, &t) == SCIARA_ERR_INPUT, "fault %d was accepted", _i);
  const char *error = sciara_last_error();
  ck_assert_msg(strstr(error, faults[_i].found) && strstr(error, path), "\"%s\" lacks \"%s\"", error, faults[_i].found);
  ck_assert(t.row == NULL && t.count == 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("trace_json");
  TCase *tests = tcase_create("trace_json");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, what_was_written_is_read);
  tcase_add_loop_test(tests, faults_are_named, 0, (int)(sizeof faults / sizeof *faults));
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
