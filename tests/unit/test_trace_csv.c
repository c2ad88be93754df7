// SPDX-License-Identifier: Apache-2.0
// Claims about verify/trace_csv.h: a trace is read as it was written, and errors in a file are named.
#include "verify/trace_csv.h"

#include "support/folder.h"

static char path[96];

static void setup(void) {
  folder_make();
  snprintf(path, sizeof path, "%s/t.csv", folder);
}

TEST(what_was_written_is_read) {
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
  expect_ok(sciara_trace_write(&t, path));
  expect_ok(sciara_trace_read(path, &back));
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

#define HASH "0123456789abcdef"
#define NAMES "precision,dem,start,parameters,vents,step,time_s,clock_s,emitted_m3,liquid_cells,residual_m3,checksum\n"
#define HEAD "double," HASH "," HASH "," HASH "," HASH ","
#define ROW(step, cells) HEAD step ",1,1,1," cells ",0," HASH "\n"

/** The format of versions before the tables. */
TEST(traces_in_json_are_read) {
  write_text(path, "{\n  \"format\": \"sciara trace\",\n  \"version\": 1,\n  \"precision\": \"single\",\n"
                   "  \"dem\": \"00000000000000aa\",\n  \"start\": \"0123456789abcdef\",\n"
                   "  \"parameters\": \"ffffffffffffffff\",\n  \"vents\": \"0000000000000000\",\n"
                   "  \"columns\": \"step, time s, clock s, emitted m3, liquid cells, residual m3, checksum\",\n"
                   "  \"rows\": [\n    [1000000, 1e6, 0.1, 2.5, 3, -1e-17, \"00000000deadbeef\"],\n"
                   "    [9007199254740992, 333333333.3333333, 60, 1e-300, 0, 0, \"ffffffffffffffff\"]\n  ]\n}\n");
  OWNED(sciara_trace_free) struct sciara_trace t;
  expect_ok(sciara_trace_read(path, &t));
  ck_assert_str_eq(t.precision, "single");
  ck_assert(t.dem == 0xaa && t.start == UINT64_C(0x0123456789abcdef) && t.parameters == UINT64_MAX && t.vents == 0);
  ck_assert_uint_eq(t.count, 2);
  ck_assert(t.row[0].step == 1000000 && t.row[0].time == 1e6 && t.row[0].clock == 0.1 && t.row[0].emitted == 2.5);
  ck_assert(t.row[0].liquid_cells == 3 && t.row[0].residual == -1e-17 && t.row[0].checksum == 0xdeadbeef);
  ck_assert(t.row[1].step == UINT64_C(1) << 53 && t.row[1].time == 333333333.3333333);
  ck_assert(t.row[1].emitted == 1e-300 && t.row[1].checksum == UINT64_MAX);
}

#define OLD "{\"version\": 1, \"precision\": \"double\", \"dem\": \"" HASH "\", \"start\": \"" HASH "\", "

static const struct {
  const char *text, *found;
} faults[] = {
    {"", ":1: expected the header "
         "\"precision,dem,start,parameters,vents,step,time_s,clock_s,emitted_m3,liquid_cells,residual_m3,checksum\", "
         "found another first line"},
    {"step,time_s\n", ":1: expected the header "},
    {NAMES, ": expected one or more rows, found none"},
    {NAMES HEAD "1,1,1,1,1,0\n", ":2: expected 12 values, found 11"},
    {NAMES HEAD "1,1,1,1,1,0," HASH ",\n", ":2: expected 12 values, found 13"},
    {NAMES "," HASH "," HASH "," HASH "," HASH ",1,1,1,1,1,0," HASH "\n", ":2: expected a precision, found \"\""},
    {NAMES "double,0123456789abcdeg," HASH "," HASH "," HASH ",1,1,1,1,1,0," HASH "\n",
     ":2: expected 16 hexadecimal digits, found \"0123456789abcdeg\""},
    {NAMES "double," HASH ",0123456789abcde," HASH "," HASH ",1,1,1,1,1,0," HASH "\n", "found \"0123456789abcde\""},
    {NAMES "double," HASH "," HASH ",x," HASH ",1,1,1,1,1,0," HASH "\n", "expected 16 hexadecimal digits, found \"x\""},
    {NAMES "double," HASH "," HASH "," HASH ",x,1,1,1,1,1,0," HASH "\n", "expected 16 hexadecimal digits, found \"x\""},
    {NAMES HEAD "1,nan,1,1,1,0," HASH "\n", "expected a time, found \"nan\""},
    {NAMES HEAD "1,1,,1,1,0," HASH "\n", "expected a clock, found \"\""},
    {NAMES HEAD "1,1,1,1 m3,1,0," HASH "\n", "expected a volume, found \"1 m3\""},
    {NAMES HEAD "1,1,1,1,1,1e999," HASH "\n", "expected a residual, found \"1e999\""},
    {NAMES HEAD "1,1,1,1,1,0,0123456789ABCDEF\n", "expected 16 hexadecimal digits, found \"0123456789ABCDEF\""},
    {NAMES ROW("-1", "1"), "expected steps that ascend, found \"-1\""},
    {NAMES ROW("10.5", "1"), "found \"10.5\""},
    {NAMES ROW("1", "1e17"), "expected a whole number of cells, found \"1e17\""},
    {NAMES ROW("1", "1") ROW("1", "1"), ":3: expected steps that ascend, found \"1\""},
    {NAMES ROW("2", "1") ROW("1", "1"), ":3: expected steps that ascend, found \"1\""},
    {NAMES ROW("1", "1") "single," HASH "," HASH "," HASH "," HASH ",2,1,1,1,1,0," HASH "\n",
     ":3: expected those of the first row, found \"another precision or hash\""},
    {NAMES ROW("1", "1") "double," HASH "," HASH "," HASH ",0000000000000000,2,1,1,1,1,0," HASH "\n",
     ":3: expected those of the first row, found \"another precision or hash\""},
    {"{}", "expected a table that begins with "
           "\"precision,dem,start,parameters,vents,step,time_s,clock_s,emitted_m3,liquid_cells,residual_m3,checksum\""},
    {"{\"version\": 2}",
     "t.csv: is not a trace: expected a table that begins with "
     "\"precision,dem,start,parameters,vents,step,time_s,clock_s,emitted_m3,liquid_cells,residual_m3,checksum\""},
    {OLD "\"vents\": \"" HASH "\"}", "expected one or more rows, found none"}, // and no parameters
    {OLD "\"vents\": \"" HASH "\", \"rows\": [[1, 1, 1, 1, 1, 0, \"" HASH "\"]]}",
     ":2: expected 16 hexadecimal digits, found \"\""},
    {OLD "\"parameters\": \"" HASH "\", \"vents\": \"" HASH "\", \"rows\": [[1, 1, 1, 1, 1, \"" HASH "\"]]}",
     ":2: expected 12 values, found 11"},
    {OLD "\"parameters\": \"" HASH "\", \"vents\": \"" HASH "\", \"rows\": [[1, null, 1, 1, 1, 0, \"" HASH "\"]]}",
     ":2: expected a time, found \"\""},
};

TEST_EACH(faults_are_named, sizeof faults / sizeof *faults) {
  write_text(path, faults[_i].text);
  struct sciara_trace t;
  ck_assert_msg(sciara_trace_read(path, &t) == SCIARA_ERR_INPUT, "fault %d was accepted", _i);
  const char *error = sciara_last_error();
  ck_assert_msg(strstr(error, faults[_i].found) && strstr(error, path), "\"%s\" lacks \"%s\"", error, faults[_i].found);
  ck_assert(t.row == NULL && t.count == 0);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
