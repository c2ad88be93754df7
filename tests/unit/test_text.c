// SPDX-License-Identifier: Apache-2.0
// Claims about base/text.h and base/status.h: numbers and durations as people type them, suggestions for names, errors.
#include <locale.h>

#include "base/text.h"

struct number {
  const char *text;
  double value;
};

static void expect_numbers(bool (*parse)(const char *text, double *value), const struct number *good, size_t goods,
                           const char *const *bad, size_t bads) {
  for (size_t k = 0; k < goods; k++) {
    double v = NAN;
    ck_assert_msg(parse(good[k].text, &v), "\"%s\" was refused", good[k].text);
    ck_assert_msg(v == good[k].value, "\"%s\" is %.17g", good[k].text, v);
  }
  for (size_t k = 0; k < bads; k++) {
    double v = 42;
    ck_assert_msg(!parse(bad[k], &v) && v == 42, "\"%s\" was taken as %g", bad[k], v);
  }
}

TEST(durations) {
  const struct number good[] = {
      {"6 h", 21600},        {"3 d", 259200},  {"90 min", 5400},       {"30 s", 30},
      {"12.5", 12.5},        {"0", 0},         {"1.5h", 5400},         {" 2 d", 172800},
      {"2  d", 172800},      {"1e3 s", 1000},  {".5 h", 1800},         {"-1 h", -3600},
      {"+4 min", 240},       {"7 ", 7},        {"13 d 18 h", 1188000}, {"1 d 2 h 3 min", 93780},
      {"59 min 59 s", 3599}, {"1d12h", 129600}};
  const char *const bad[] = {"",        " ",       "h",       "6 hours", "6 H",      "6 h 3", "6 h ",  "1 2",
                             "nan",     "inf s",   "1e999 s", "1e308 d", "0x10 s",   "six h", "--3 s", "3;d",
                             "6 h 3 d", "6 h 3 h", "1 d 5",   "5 1 h",   "1 d -2 h", "1 d  ", "1 dh"};
  expect_numbers(sciara_parse_duration, good, sizeof good / sizeof *good, bad, sizeof bad / sizeof *bad);
}

TEST(doubles) {
  const struct number good[] = {
      {"0", 0},  {"-0.5", -0.5}, {"1e-3", 1e-3}, {".25", 0.25},
      {"+7", 7}, {"007", 7},     {"5.", 5},      {"1.7976931348623157e308", 1.7976931348623157e308}};
  const char *const bad[] = {"",      " 1",    "1 ", "1,5", "nan", "inf", "-inf", "infinity", "1e999",
                             "0x1p3", "-0x10", "1e", "e5",  ".",   "+",   "1 2",  "12abc"};
  expect_numbers(sciara_parse_double, good, sizeof good / sizeof *good, bad, sizeof bad / sizeof *bad);
}

/** Decimals of few and many digits are rounded as strtod rounds them. */
TEST(doubles_as_strtod) {
  uint64_t bits = 1;
  for (int k = 0; k < 100000; k++) {
    char text[80];
    bits = 6364136223846793005u * bits + 1442695040888963407u;
    const uint64_t number = bits >> (bits >> 3) % 64;
    const int power = (int)(bits >> 40 & 127) - 60;
    if (k % 4 == 0) snprintf(text, sizeof text, "%" PRIu64, number);
    if (k % 4 == 1) snprintf(text, sizeof text, "-%" PRIu64 ".%" PRIu64, number >> 30, number & 0xfff);
    if (k % 4 == 2) snprintf(text, sizeof text, "%" PRIu64 "e%d", number, power);
    if (k % 4 == 3) snprintf(text, sizeof text, ".0%" PRIu64 "E%+03d", number, power);
    double v = NAN;
    const double expected = strtod(text, NULL);
    ck_assert_msg(sciara_parse_double(text, &v) && memcmp(&v, &expected, sizeof v) == 0, "%s: %a, strtod: %a", text, v,
                  expected);
  }
}

TEST(other_locale) { // a decimal comma in the locale changes nothing
  const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "it_IT.UTF-8"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (setlocale(LC_NUMERIC, names[k])) break; // where none is installed this repeats the test above
  double v = 0;
  ck_assert(sciara_parse_double("2.5", &v) && v == 2.5);
  ck_assert(!sciara_parse_double("2,5", &v));
  ck_assert(sciara_parse_duration("2.5 h", &v) && v == 9000);
  setlocale(LC_NUMERIC, "C");
}

TEST(printed_numbers_of_estimates) {
  static const struct {
    const char *(*print)(double, char *, size_t);
    double value;
    const char *text;
  } cases[] = {{sciara_print_about, 0.0028, "0.0028 s"}, {sciara_print_about, 1, "1.0 s"},
               {sciara_print_about, 97, "97 s"},         {sciara_print_about, 119.6, "120 s"},
               {sciara_print_about, 235, "3.9 min"},     {sciara_print_about, 1500, "25 min"},
               {sciara_print_about, 90000, "25 h"},      {sciara_print_about, 3e7, "347 d"},
               {sciara_print_bytes, 871e3, "871 kB"},    {sciara_print_bytes, 4.427e6, "4.43 MB"},
               {sciara_print_bytes, 7.84e10, "78.4 GB"}, {sciara_print_bytes, 999.6e6, "1.00 GB"},
               {sciara_print_bytes, 0, "0 bytes"},       {sciara_print_bytes, 2.5e15, "2500 TB"}};
  char text[48];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ck_assert_ptr_eq(cases[k].print(cases[k].value, text, sizeof text), text);
    ck_assert_str_eq(text, cases[k].text);
  }
}

TEST(printed_durations) {
  const struct {
    double seconds;
    const char *text;
  } cases[] = {
      {0, "0 s"},           {0.25, "0.25 s"},         {1, "1 s"},          {59.9, "59 s"},         {60, "1 min"},
      {754, "12 min 34 s"}, {3599.9, "59 min 59 s"},  {3661, "1 h 1 min"}, {45723, "12 h 42 min"}, {86399, "1 d"},
      {86400, "1 d"},       {273905, "3 d 4 h 5 min"}};
  char text[48];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    sciara_print_duration(cases[k].seconds, text, sizeof text);
    ck_assert_str_eq(text, cases[k].text);
  }
  const double odd[] = {NAN, INFINITY, -1, 1e300, 1e15};
  for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
    memset(text, 'x', sizeof text);
    sciara_print_duration(odd[k], text, sizeof text);
    ck_assert_msg(memchr(text, 0, sizeof text) != NULL, "%g is not terminated", odd[k]);
  }
}

TEST(parts_of_paths) {
  const struct {
    const char *path, *name, *stem;
  } cases[] = {{"dem.tif", "dem.tif", "dem"},
               {"/a.b/dem.tif", "dem.tif", "/a.b/dem"},
               {"a.b/dem", "dem", "a.b/dem"},
               {"a/.tif", ".tif", "a/.tif"},
               {"a/b.tar.gz", "b.tar.gz", "a/b.tar"},
               {"a/", "", "a/"},
               {"", "", ""},
               {"a.b/", "", "a.b/"},
               {"dem.", "dem.", "dem"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ck_assert_str_eq(sciara_path_name(cases[k].path), cases[k].name);
    ck_assert_uint_eq(sciara_path_stem(cases[k].path), strlen(cases[k].stem));
  }
}

TEST(closest) {
  const char *const names[] = {"serial", "openmp", "checked", "thickness"};
  const struct {
    const char *typed, *meant;
  } cases[] = {{"serial", "serial"},
               {"seriel", "serial"},
               {"SERIAL", "serial"},
               {"opemp", "openmp"},
               {"chekced", "checked"},
               {"thicknes", "thickness"},
               {"thikness", "thickness"},
               {"xyzzy", NULL},
               {"", NULL},
               {"s", NULL},
               {"openacc", NULL}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const char *found = sciara_closest_name(cases[k].typed, names, 4);
    ck_assert_msg(found == cases[k].meant || (found && cases[k].meant && strcmp(found, cases[k].meant) == 0),
                  "\"%s\": %s", cases[k].typed, found ? found : "nothing");
  }
  const char *const alike[] = {"ab1", "ab2", "abc"};
  ck_assert_str_eq(sciara_closest_name("abc", alike, 3), "abc"); // the exact name wins over an earlier similar one
  ck_assert_ptr_null(sciara_closest_name("abc", alike, 0));
  char endless[5000]; // longer than any name
  memset(endless, 'a', sizeof endless);
  endless[sizeof endless - 1] = '\0';
  ck_assert_ptr_null(sciara_closest_name(endless, names, 4));
}

TEST(growing) {
  struct sciara_text t = {0};
  char expected[40000] = "";
  size_t length = 0;
  for (int k = 0; k < 5000; k++) {
    expect_ok(sciara_text_append(&t, "%d,", k));
    length += (size_t)snprintf(expected + length, sizeof expected - length, "%d,", k);
  }
  ck_assert_uint_eq(t.length, length);
  ck_assert_str_eq(t.data, expected);
  expect_ok(sciara_text_append_bytes(&t, "a\0b", 3));
  ck_assert_uint_eq(t.length, length + 3);
  ck_assert_mem_eq(t.data + length, "a\0b\0", 4);
  ck_assert_int_eq(sciara_text_append_bytes(&t, NULL, SIZE_MAX - 4), SCIARA_ERR_MEMORY); // before it is read
  ck_assert_uint_eq(t.length, length + 3);
  sciara_text_free(&t);
  ck_assert(!t.data && t.length == 0 && t.capacity == 0);
  char longest[1000], *text = sciara_format("%s-%03d", "cell", 7);
  ck_assert_str_eq(text, "cell-007");
  free(text);
  for (size_t n = 1; n < sizeof longest; n++) {
    memset(longest, 'x', n);
    longest[n] = '\0';
    text = sciara_format("%s", longest);
    ck_assert_str_eq(text, longest);
    free(text);
  }
}

// A text never has a gap: after a part that found no room, nothing more is appended.
TEST(no_gaps) {
  struct sciara_text t = {0};
  expect_ok(sciara_text_append(&t, "a"));
  ck_assert_int_eq(sciara_text_reserve(&t, SIZE_MAX), SCIARA_ERR_MEMORY);
  ck_assert_int_eq(sciara_text_append(&t, "c"), SCIARA_ERR_MEMORY);
  ck_assert_int_eq(sciara_text_append_bytes(&t, "c", 1), SCIARA_ERR_MEMORY);
  ck_assert_int_eq(sciara_text_append_json(&t, "c"), SCIARA_ERR_MEMORY);
  ck_assert_int_eq(sciara_text_reserve(&t, 0), SCIARA_ERR_MEMORY);
  ck_assert_str_eq(sciara_last_error(), "no memory for a part of a text");
  ck_assert_str_eq(t.data, "a");
  sciara_text_free(&t);
  expect_ok(sciara_text_append(&t, "b")); // a new text
  ck_assert_str_eq(t.data, "b");
  sciara_text_free(&t);
}

TEST(json) {
  const struct {
    const char *text, *escaped;
    bool utf8;
  } cases[] = {
      {"", "", true},
      {"lava/a b.json", "lava/a b.json", true},
      {"a\"b\\c", "a\\\"b\\\\c", true},
      {"1\n\t\x01\x1f\x7f", "1\\u000a\\u0009\\u0001\\u001f\\u007f", true},
      {"\xc2\x9b \xe2\x80\xae", "\\u009b \\u202e", true},
      {"\xc3\x84tna \xe5\x9c\xb0 \xf0\x9f\x8c\x8b", "\xc3\x84tna \xe5\x9c\xb0 \xf0\x9f\x8c\x8b", true},
      {"a\xff", "a\\ufffd", false},                                // not UTF-8
      {"\xc3", "\\ufffd", false},                                  // truncated
      {"\xc0\xaf", "\\ufffd\\ufffd", false},                       // overlong
      {"\xe0\x80\xaf", "\\ufffd\\ufffd\\ufffd", false},            // overlong
      {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd", false},            // a surrogate
      {"\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd", false}, // beyond Unicode
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    OWNED(sciara_text_free) struct sciara_text t = {0};
    expect_ok(sciara_text_append(&t, "x"));
    expect_ok(sciara_text_append_json(&t, cases[k].text));
    char expected[64];
    snprintf(expected, sizeof expected, "x\"%s\"", cases[k].escaped);
    ck_assert_str_eq(t.data, expected);
    ck_assert(sciara_is_utf8(cases[k].text) == cases[k].utf8);
  }
}

static enum sciara_status inner(void) { return sciara_fail(SCIARA_ERR_IO, "%s is gone", "disk"); }

static enum sciara_status outer(void) {
  SCIARA_TRY(inner());
  return SCIARA_OK;
}

/** The remaining text is valid in XML 1.0 and in a picture. */
TEST(plain_text_has_no_controls) {
  static const struct {
    const char *text, *plain;
  } cases[] = {{"", ""},
               {"Etna \u706B\u5C71 \U0001F30B", "Etna \u706B\u5C71 \U0001F30B"},
               {"a\tb\nc\rd\x1b[31m\x7f", "a b c d [31m "},
               {"\xC2\x80"
                "a\xC2\x9F"
                "b\u00A0",
                " a b\u00A0"},
               {"\uFFFDa\uFFFEb\uFFFF", "\uFFFDa b "},
               {"a\xFF"
                "b\xE2\x80",
                "a\uFFFDb\uFFFD\uFFFD"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    OWNED(sciara_text_free) struct sciara_text t = {0};
    sciara_text_append(&t, "|");
    expect_ok(sciara_text_append_plain(&t, cases[k].text));
    ck_assert_str_eq(t.data + 1, cases[k].plain);
  }
}

TEST(text_in_xml) {
  OWNED(sciara_text_free) struct sciara_text t = {0};
  expect_ok(sciara_text_append_xml(&t, "<\xC3\x88 & \"x\">\x01'\xFF"));
  ck_assert_str_eq(t.data, "&lt;\xC3\x88 &amp; &quot;x&quot;&gt; '\xEF\xBF\xBD");
}

TEST(errors) {
  sciara_error_clear();
  ck_assert_str_eq(sciara_last_error(), "");
  ck_assert_int_eq(outer(), SCIARA_ERR_IO);
  ck_assert_str_eq(sciara_last_error(), "disk is gone");
  ck_assert_int_eq(sciara_fail_context(SCIARA_ERR_IO, "snapshot %d", 3), SCIARA_ERR_IO);
  ck_assert_str_eq(sciara_last_error(), "snapshot 3: disk is gone");
  (void)sciara_fail(SCIARA_ERR_IO, "again: %s", sciara_last_error()); // an argument may be the message itself
  ck_assert_str_eq(sciara_last_error(), "again: snapshot 3: disk is gone");
  char *longer = malloc(20000);
  memset(longer, 'y', 20000);
  longer[19999] = '\0';
  (void)sciara_fail(SCIARA_ERR_IO, "%s", longer); // truncated, and terminated
  ck_assert_uint_gt(strlen(sciara_last_error()), 1000);
  ck_assert_uint_lt(strlen(sciara_last_error()), 19999);
  (void)sciara_fail_context(SCIARA_ERR_IO, "%s", longer);
  ck_assert_uint_lt(strlen(sciara_last_error()), 19999);
  free(longer);
  sciara_error_clear();
}

RUN_TESTS(.one_process = true)
