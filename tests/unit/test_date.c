// SPDX-License-Identifier: Apache-2.0
// Claims about base/date.h: dates are read as ISO 8601 says, and printed dates are read back.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/date.h"

static double seconds_of(const char *text) {
  double seconds;
  bool zoned;
  ck_assert_msg(sciara_parse_date(text, &seconds, &zoned), "%s", text);
  return seconds;
}

TEST(forms) {
  static const struct {
    const char *text;
    double seconds;
    bool zoned;
  } dates[] = {{"1970-01-01", 0, false},
               {"1970-01-01T00:00:00Z", 0, true},
               {"1969-12-31T23:59:59.25Z", -0.75, true},
               {"2001-09-09 01:46:40", 1e9, false},
               {"2001-09-09T01:46:40 UTC", 1e9, true},
               {"2001-09-09 01:46:40 GMT", 1e9, true},
               {"2001-09-09T03:46:40+02:00", 1e9, true},
               {"2001-09-08 15:46:40 -10:00", 1e9, true},
               {"2001-09-08T23:16:40-0230", 1e9, true},
               {"2001-09-09 03:46:40+02", 1e9, true},
               {"2001-09-09 01:46:40+00", 1e9, true},
               {"2000-02-29", 951782400, false},
               {"2004-12-31T23:59", 1104537540, false},
               {"0001-01-01", -62135596800, false},
               {"9999-12-31T23:59:59Z", 253402300799, true}};
  for (size_t k = 0; k < sizeof dates / sizeof *dates; k++) {
    double seconds;
    bool zoned;
    ck_assert_msg(sciara_parse_date(dates[k].text, &seconds, &zoned), "%s", dates[k].text);
    ck_assert_msg(seconds == dates[k].seconds && zoned == dates[k].zoned, "%s: %.17g", dates[k].text, seconds);
  }
}

TEST(to_the_minute) {
  static const struct {
    double seconds;
    const char *text;
  } dates[] = {{0, "2026-05-10 04:00 UTC"},          {59.9, "2026-05-10 04:00 UTC"},
               {3599.9, "2026-05-10 04:59 UTC"},     {3629, "2026-05-10 05:00 UTC"},
               {3630, "2026-05-10 05:01 UTC"},       {86399, "2026-05-11 04:00 UTC"},
               {7.5 * 3600, "2026-05-10 11:30 UTC"}, {1e15, ""}};
  char text[SCIARA_MINUTE_SIZE], longer[64] = "6 h";
  for (size_t k = 0; k < sizeof dates / sizeof *dates; k++) {
    ck_assert_int_eq(sciara_minute_after("2026-05-10T04:00", dates[k].seconds, text), *dates[k].text != '\0');
    ck_assert_str_eq(text, dates[k].text);
  }
  sciara_append_minute(NULL, 6 * 3600.0, longer, sizeof longer);
  sciara_append_minute("", 6 * 3600.0, longer, sizeof longer);
  ck_assert_str_eq(longer, "6 h");
  sciara_append_minute("2026-05-10T04:00", 6 * 3600.0, longer, sizeof longer);
  ck_assert_str_eq(longer, "6 h (2026-05-10 10:00 UTC)");
  ck_assert(sciara_show_zone("-10:30") == SCIARA_OK && sciara_show_zone("Europe/Rome") == SCIARA_ERR_USAGE);
  sciara_append_minute("2026-05-10T04:00", 6 * 3600.0, longer, sizeof longer);
  ck_assert_str_eq(longer, "6 h (2026-05-10 10:00 UTC) (2026-05-09 23:30 UTC-10:30)");
  expect_ok(sciara_show_zone("UTC"));
}

TEST(refused) {
  char texts[] =
      "|2006|2006-07|2006-7-14|06-07-14|14-07-2006|2006-07-14T|2006-07-14T2|2006-07-14T24:00|2006-07-14T23:60|"
      "2006-07-14T23:30:60|2006-07-14T23:30:00.|2006-07-14T23:30ZZ|2006-07-14Z|2006-07-14T23:30+2|"
      "2006-07-14T23:30+02:|2006-07-14T23:30+02:3|2006-07-14T23:30+15|2006-07-14T23:30+15:00|"
      "2006-07-14T23:30+02:60|2006-07-14T23:30+02:00 |2006-07-14T23:30 |2006-07-14T23:30 HST|2006-07-14T23:30  "
      "+02:00|2006-07-14T23:30 PM|"
      "2006-02-29|1900-02-29|2006-04-31|2006-00-10|2006-13-10|"
      "2006-07-00|2006-07-32|0000-01-01| 2006-07-14|2006-07-14T23.30|2006/07/14|-006-07-14|2006-07-14x";
  double seconds;
  bool zoned;
  for (char *rest = texts, *text; (text = strsep(&rest, "|"));)
    ck_assert_msg(!sciara_parse_date(text, &seconds, &zoned), "%s", text);
}

TEST(printed) {
  char text[SCIARA_DATE_SIZE], expected[80];
  for (int64_t day = -719162; day <= 2932896; day += 97) { // years 1 to 9999
    const time_t at = (time_t)(day * 86400 + (day * 7919 % 86400 + 86400) % 86400);
    struct tm t;
    ck_assert_ptr_nonnull(gmtime_r(&at, &t));
    snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02dZ", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
             t.tm_hour, t.tm_min, t.tm_sec);
    sciara_print_date((double)at + 0.5, text);
    ck_assert_str_eq(text, expected);
    ck_assert_double_eq(seconds_of(text), (double)at);
  }
  static const double outside[] = {-62135596801, 253402300800, 1e300, -1e300};
  for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
    sciara_print_date(outside[k], text);
    ck_assert_str_eq(text, "");
  }
}

TEST(after) {
  static const struct {
    const char *start;
    double seconds;
    const char *date;
  } cases[] = {{"2006-07-14T23:30:00Z", 0, "2006-07-14T23:30:00Z"},
               {"2006-07-14T23:30:00Z", 1800.9, "2006-07-15T00:00:00Z"}, // the fraction is cut off
               {"2006-07-14T23:30:00+02:00", 60, "2006-07-14T21:31:00Z"},
               {"2004-02-28", 86400, "2004-02-29T00:00:00Z"},
               {"1970-01-01", -1, "1969-12-31T23:59:59Z"},
               {"9999-12-31", 86400, ""},
               {"2006-07-14", NAN, ""},
               {"2006-07-14", INFINITY, ""},
               {"yesterday", 0, ""},
               {NULL, 0, ""}};
  char text[SCIARA_DATE_SIZE];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ck_assert_int_eq(sciara_date_after(cases[k].start, cases[k].seconds, text), cases[k].date[0] != '\0');
    ck_assert_str_eq(text, cases[k].date);
  }
}

TEST(now) {
  char text[SCIARA_DATE_SIZE];
  const time_t before = time(NULL);
  sciara_date_now(text);
  ck_assert_double_ge(seconds_of(text), (double)before);
  ck_assert_double_le(seconds_of(text), (double)time(NULL));
}

RUN_TESTS()
