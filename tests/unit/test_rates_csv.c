// SPDX-License-Identifier: Apache-2.0
// Claims about scenario/rates_csv.h: what is read, and that each diagnostic names file, line, expected and found value.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario/rates_csv.h"

static char folder[64], path[96];

static void setup(void) {
  snprintf(folder, sizeof folder, "/tmp/sciara-rates-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/rates.csv", folder);
}

static void teardown(void) {
  unlink(path);
  ck_assert_int_eq(rmdir(folder), 0);
}

static enum sciara_status read_bytes(const char *bytes, size_t count, struct sciara_rate_table *table) {
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
  ck_assert_int_eq(fclose(file), 0);
  return sciara_rates_csv_read(path, table);
}

static void check_table(const char *text, size_t count, const double *edges, const double *rates) {
  struct sciara_rate_table table;
  ck_assert_msg(read_bytes(text, strlen(text), &table) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_uint_eq(table.count, count);
  for (size_t k = 0; k <= count; k++) ck_assert_double_eq(table.edges[k], edges[k]);
  for (size_t k = 0; k < count; k++) ck_assert_double_eq(table.rates[k], rates[k]);
  sciara_rate_table_free(&table);
  ck_assert_ptr_null(table.edges);
}

START_TEST(test_table) {
  const double edges[] = {0, 21600, 259200}, rates[] = {1.5, 2.25};
  check_table("time_s,rate_m3_s\n0,1.5\n6 h,2.25\n3 d,0\n", 2, edges, rates);
  check_table("time_s,rate_m3_s\r\n0,1.5\r\n21600,2.25\r\n259200,0\r\n\r\n  \r\n", 2, edges, rates); // CRLF, blank end
  check_table("# from the observatory\ntime_s,rate_m3_s\n0 , 1.5\n# note\n\t6 h,2.25e0\n3 d,0", 2, edges,
              rates); // no end of line
  check_table("\xEF\xBB\xBFtime_s,rate_m3_s\n0,1.5\n6 h,2.25\n3 d,0.0\n# end\n\n", 2, edges, rates);
}
END_TEST

START_TEST(test_gap_and_late_begin) { // a zero in the middle is a pause; the first time need not be 0
  const double edges[] = {10, 20, 30, 40}, rates[] = {1, 0, 1e6};
  check_table("time_s,rate_m3_s\n10,1\n20,0\n30,1e6\n40,0\n", 3, edges, rates);
}
END_TEST

/** A file, and what its diagnostic must say after the path. */
static const struct {
  const char *text, *message;
} diagnostics[] = {
    {"", ": expected the header \"time_s,rate_m3_s\" and rows of time and rate; found no rows"},
    {"# only a comment\n", ": expected the header \"time_s,rate_m3_s\" and rows of time and rate; found no rows"},
    {"0,1\n1,0\n", ":1: expected the header \"time_s,rate_m3_s\", found \"0,1\""},
    {"time_s;rate_m3_s\n0;1\n1;0\n", ":1: expected the header \"time_s,rate_m3_s\", found \"time_s;rate_m3_s\""},
    {"time_s,rate_m3_s\n", ": expected at least 2 rows (the last one ends the table), found 0"},
    {"time_s,rate_m3_s\n0,0\n", ": expected at least 2 rows (the last one ends the table), found 1"},
    {"time_s,rate_m3_s\n0,1\n10,2\n", ":3: expected the rate 0 in the last row, which ends the table; found 2"},
    {"time_s,rate_m3_s\n0,1\n10,2\n# c\n\n", ":3: expected the rate 0 in the last row, which ends the table; found 2"},
    {"time_s,rate_m3_s\n0,1\n0,0\n", ":3: expected a time after that of the previous row, 0 s; found 0 s"},
    {"time_s,rate_m3_s\n# c\n10,1\n5,2\n20,0\n", ":4: expected a time after that of the previous row, 10 s; found 5 s"},
    {"time_s,rate_m3_s\n-1,1\n5,0\n", ":2: expected a time of 0 s or more, found \"-1\""},
    {"time_s,rate_m3_s\nsoon,1\n5,0\n", ":2: expected a time: seconds, or text such as 6 h or 3 d, found \"soon\""},
    {"time_s,rate_m3_s\n1e999,1\n5,0\n", ":2: expected a time: seconds, or text such as 6 h or 3 d, found \"1e999\""},
    {"time_s,rate_m3_s\n0,-2\n5,0\n", ":2: expected a rate of 0 to 1e6 m3/s, found \"-2\""},
    {"time_s,rate_m3_s\n0,1000001\n5,0\n", ":2: expected a rate of 0 to 1e6 m3/s, found \"1000001\""},
    {"time_s,rate_m3_s\n0,nan\n5,0\n", ":2: expected a rate of 0 to 1e6 m3/s, found \"nan\""},
    {"time_s,rate_m3_s\n0,inf\n5,0\n", ":2: expected a rate of 0 to 1e6 m3/s, found \"inf\""},
    {"time_s,rate_m3_s\n0,0x1\n5,0\n", ":2: expected a rate of 0 to 1e6 m3/s, found \"0x1\""},
    {"time_s,rate_m3_s\n0,\n5,0\n", ":2: expected a rate of 0 to 1e6 m3/s, found \"\""},
    {"time_s,rate_m3_s\n0,1 2\n5,0\n", ":2: expected a rate of 0 to 1e6 m3/s, found \"1 2\""},
    {"time_s,rate_m3_s\n0\n5,0\n", ":2: expected two values, time and rate, separated by one comma, found \"0\""},
    {"time_s,rate_m3_s\n0,1,5\n5,0\n",
     ":2: expected two values, time and rate, separated by one comma, found \"0,1,5\""},
    {"time_s,rate_m3_s\n0,1\n\n5,0\n", ":3: blank lines are allowed only at the end of the file"},
    {"time_s,rate_m3_s\n\x1b[2J,1\n5,0\n", ":2: expected a time: seconds, or text such as 6 h or 3 d, found \"?[2J\""},
};

START_TEST(test_refused) {
  struct sciara_rate_table table;
  char expected[256];
  snprintf(expected, sizeof expected, "%s%s", path, diagnostics[_i].message);
  ck_assert_int_eq(read_bytes(diagnostics[_i].text, strlen(diagnostics[_i].text), &table), SCIARA_ERR_INPUT);
  ck_assert_msg(strncmp(sciara_last_error(), expected, strlen(expected)) == 0, "\"%s\" is not \"%s\"",
                sciara_last_error(), expected);
  ck_assert_ptr_null(table.edges);
  ck_assert_ptr_null(table.rates);
}
END_TEST

START_TEST(test_nul_byte) {
  static const char text[] = "time_s,rate_m3_s\n0,1\0\n5,0\n";
  struct sciara_rate_table table;
  ck_assert_int_eq(read_bytes(text, sizeof text - 1, &table), SCIARA_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), "found a NUL byte"));
}
END_TEST

START_TEST(test_missing) {
  struct sciara_rate_table table;
  ck_assert_int_eq(sciara_rates_csv_read(path, &table), SCIARA_ERR_IO);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), path));
}
END_TEST

START_TEST(test_row_limit) {
  size_t rows = SCIARA_RATES_MAX_ROWS, length = 17, capacity = 17 + (rows + 1) * 11 + 1;
  char *text = malloc(capacity);
  ck_assert_ptr_nonnull(text);
  memcpy(text, "time_s,rate_m3_s\n", 17);
  for (size_t i = 0; i < rows; i++) length += (size_t)snprintf(text + length, capacity - length, "%zu,0\n", i);
  struct sciara_rate_table table;
  ck_assert_msg(read_bytes(text, length, &table) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_uint_eq(table.count, rows - 1);
  sciara_rate_table_free(&table);
  length += (size_t)snprintf(text + length, capacity - length, "%zu,0\n", rows);
  ck_assert_int_eq(read_bytes(text, length, &table), SCIARA_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), ":1000002: expected at most 1000000 rows, found more"));
  free(text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rates_csv");
  TCase *tests = tcase_create("all");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, test_table);
  tcase_add_test(tests, test_gap_and_late_begin);
  tcase_add_loop_test(tests, test_refused, 0, (int)(sizeof diagnostics / sizeof *diagnostics));
  tcase_add_test(tests, test_nul_byte);
  tcase_add_test(tests, test_missing);
  tcase_add_test(tests, test_row_limit);
  tcase_set_timeout(tests, 60);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
