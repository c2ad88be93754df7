// SPDX-License-Identifier: Apache-2.0
// Claims about scenario/rates_csv.h: what is read, and that each diagnostic names file, line, expected and found value.
#include "base/log.h"
#include "scenario/rates_csv.h"
#include "support/folder.h"
#include "support/owned.h"

static char path[96];

static void setup(void) {
  folder_make();
  snprintf(path, sizeof path, "%s/rates.csv", folder);
}

static enum sciara_status read_table(const char *bytes, size_t count, struct sciara_rate_table *table) {
  write_bytes(path, bytes, count);
  return sciara_rates_csv_read(path, NULL, table);
}

/** Times and rates in turn, then the end. */
static const char *print_table(const struct sciara_rate_table *table) {
  static char text[256];
  int n = 0;
  for (size_t k = 0; k < table->count; k++)
    n += snprintf(text + n, sizeof text - (size_t)n, "%.12g %.12g ", table->edges[k], table->rates[k]);
  snprintf(text + n, sizeof text - (size_t)n, "%.12g", table->edges[table->count]);
  return text;
}

static void check_table(const char *text, const char *expected) {
  struct sciara_rate_table table;
  expect_ok(read_table(text, strlen(text), &table));
  ck_assert_str_eq(print_table(&table), expected);
  sciara_rate_table_free(&table);
  ck_assert_ptr_null(table.edges);
}

TEST(test_table) {
  static const char expected[] = "0 1.5 21600 2.25 259200";
  check_table("time_s,rate_m3_s\n0,1.5\n6 h,2.25\n3 d,0\n", expected);
  check_table("time_s,rate_m3_s\r\n0,1.5\r\n21600,2.25\r\n259200,0\r\n\r\n  \r\n", expected); // CRLF, blank end
  check_table("# from the observatory\ntime_s,rate_m3_s\n0 , 1.5\n# note\n\t6 h,2.25e0\n3 d,0",
              expected); // no end of line
  check_table("\xEF\xBB\xBFtime_s,rate_m3_s\n0,1.5\n6 h,2.25\n3 d,0.0\n# end\n\n", expected);
}

TEST(test_gap_and_late_begin) { // a zero in the middle is a pause; the first time need not be 0
  check_table("time_s,rate_m3_s\n10,1\n20,0\n30,1e6\n40,0\n", "10 1 20 0 30 1000000 40");
}

/** A file that is refused, and what its diagnostic must say after the path. */
struct rejection {
  const char *text, *message;
  struct sciara_rates_options options;
};

static void check_rejection(const struct rejection *x) {
  struct sciara_rate_table table;
  char expected[512];
  write_text(path, x->text);
  snprintf(expected, sizeof expected, "%s%s", path, x->message);
  ck_assert_int_eq(sciara_rates_csv_read(path, &x->options, &table), SCIARA_ERR_INPUT);
  ck_assert_msg(strncmp(sciara_last_error(), expected, strlen(expected)) == 0, "\"%s\" is not \"%s\"",
                sciara_last_error(), expected);
  ck_assert(!table.edges && !table.rates);
}

static const struct rejection diagnostics[] = {
    {.text = "",
     .message = ": expected a header such as \"time_s,rate_m3_s\" and rows of time and rate; found no rows"},
    {.text = "# only a comment\n",
     .message = ": expected a header such as \"time_s,rate_m3_s\" and rows of time and rate; found no rows"},
    {.text = "0,1\n1,0\n",
     .message = ":1: expected a header such as \"time_s,rate_m3_s\" or \"date;TADR [m3/s]\", found no column of times"},
    {.text = "time_s,quality\n0,1\n1,0\n",
     .message = ":1: expected a header such as \"time_s,rate_m3_s\" or \"date;TADR [m3/s]\", found no column of "
                "effusion rates"},
    {.text = "time_s,rate_m3_s\n", .message = ": expected at least 2 rows (the last one ends the table), found 0"},
    {.text = "time_s,rate_m3_s\n0,\n5,\n", .message = ": expected effusion rates, found rows without any"},
    {.text = "time_s,rate_m3_s\n0,\n5,0\n", .message = ": expected a rate before the last row, found none"},
    {.text = "time_s,rate_m3_s\n0,1\n0,0\n",
     .message = ":3: expected a time after that of the previous row, 0 s; found 0 s"},
    {.text = "time_s,rate_m3_s\n# c\n10,1\n5,2\n20,0\n",
     .message = ":4: expected a time after that of the previous row, 10 s; found 5 s"},
    {.text = "time_s,rate_m3_s\n-1,1\n5,0\n", .message = ":2: expected a time of 0 s or more, found \"-1\""},
    {.text = "time_s,rate_m3_s\nsoon,1\n5,0\n",
     .message =
         ":2: expected a time: seconds, text such as 6 h or 3 d, or a date such as 2006-07-14T23:30, found \"soon\""},
    {.text = "time_s,rate_m3_s\n0,-2\n5,0\n", .message = ":2: expected a rate of 0 to 1e6 m3/s, found \"-2\""},
    {.text = "time_s,rate_m3_s\n0,1000001\n5,0\n",
     .message = ":2: expected a rate of 0 to 1e6 m3/s, found \"1000001\""},
    {.text = "time_s,rate_m3_s\n0\n5,0\n",
     .message = ":2: expected 2 values separated by commas, as in the header; found 1"},
    {.text = "time_s,rate_m3_s\n0,1\n\n5,0\n", .message = ":3: blank lines are allowed only at the end of the file"},
    {.text = "time_s,rate_m3_s\n\x1b[2J,1\n5,0\n",
     .message =
         ":2: expected a time: seconds, text such as 6 h or 3 d, or a date such as 2006-07-14T23:30, found \"?[2J\""},
};

TEST_EACH(test_refused, sizeof diagnostics / sizeof *diagnostics) { check_rejection(&diagnostics[_i]); }

/** Names of columns with a word before the unit that may be a factor, and that word. */
static const struct {
  const char *name, *word;
} factors[] = {{"rate (1000 m3/h)", "1000"},
               {"rate (10**3 m3/h)", "3"},
               {"rate (10E3 m3/h)", "10e3"},
               {"rate x1000 m3/h", "x1000"},
               {"rate (thousand m3/h)", "thousand"},
               {"rate (k m3/h)", "k"},
               {"rate (million m3/h)", "million"},
               {"rate (10^-3 m3/h)", "10-3"},
               {"rate (2 x 10^3 m3/h)", "2"},
               {"low rate (100 m3/h)", "100"},
               {"log10 rate (m3/s)", "log10"},
               {"rate (10^9 m3/d)", "109"},
               {"VRP (1e8 W)", "1e8"},
               {"VRP (x10^8 W)", "x108"},
               {"VRP (10 MW)", "10"},
               {"log VRP (W)", "log"}};

TEST_EACH(test_factor_is_never_dropped, sizeof factors / sizeof *factors) {
  struct sciara_rate_table table;
  char text[96], found[160];
  snprintf(text, sizeof text, "time_h,%s\n0,36\n1,0\n", factors[_i].name);
  snprintf(found, sizeof found, "; found \"%s\", where \"%s\" before ", factors[_i].name, factors[_i].word);
  expect_error(read_table(text, strlen(text), &table), SCIARA_ERR_INPUT, found);
}

/** A file that is not like that of test_table, the table that it becomes as print_table prints it, and messages. */
struct reading {
  const char *text, *table;
  const char *said[4]; ///< parts of the messages; NULL: no more
  struct sciara_rates_options options;
};

static char said[8192];

static void remember(void *context, enum sciara_log_level level, const char *message) {
  const size_t used = strlen(said);
  (void)context;
  snprintf(said + used, sizeof said - used, "%s%s\n", level == SCIARA_LOG_WARNING ? "warning: " : "", message);
}

static void check_reading(const struct reading *x) {
  OWNED(sciara_rate_table_free) struct sciara_rate_table table;
  write_text(path, x->text);
  said[0] = '\0';
  sciara_log_set_sink(remember, NULL);
  const enum sciara_status status = sciara_rates_csv_read(path, &x->options, &table);
  sciara_log_set_sink(NULL, NULL);
  ck_assert_msg(status == SCIARA_OK, "%s: %s", x->text, sciara_last_error());
  ck_assert_msg(strcmp(print_table(&table), x->table) == 0, "%s: %s", x->text, print_table(&table));
  for (size_t k = 0; k < 4 && x->said[k]; k++)
    ck_assert_msg(strstr(said, x->said[k]) != NULL, "%s: \"%s\" is not in:\n%s", x->text, x->said[k], said);
}

/** Separators, units and names of columns. */
static const struct reading headers[] = {
    {.text = "Time [h];TADR (m\xC2\xB3/s)\n0;1,5\n6;2,25\n72;0\n",
     .table = "0 1.5 21600 2.25 259200",
     .said = {"\"Time [h]\" is the time in h, \"TADR (m\xC2\xB3/s)\" is the effusion rate in m3/s; separated by "
              "semicolons, "
              "decimal commas; 2 rates from 0 s to 259200 s, each until the next one (at most 237600 s), at most 2.25 "
              "m3/s, "
              "567000 m3 in all"}},
    {.text = "hours\tMOR [m3 s-1]\n0\t1,5\n0,5\t2\n1,5 h\t0\n",
     .table = "0 1.5 1800 2 5400",
     .said = {"\"hours\" is the time in h", "decimal commas"}},
    {.text = "\"days\",\"Mean output rate, m3/d\"\n0,86400\n\"2\",\"172800\"\n3,0\n",
     .table = "0 1 172800 2 259200",
     .said = {"separated by commas; 2 rates",
              "259200 s, each until the next one (at most 172800 s), at most 2 m3/s, 345600"}},
    {.text = "time_s,rate_m3_s\n0.5,1\n1.25,0\n", .table = "0.5 1 1.25"},
    {.text = "t rate\n0 3\n10 0\n",
     .table = "0 3 10",
     .said = {"\"t\" names no unit: numbers are taken as seconds", "\"rate\" names no unit: m3/s is assumed",
              "separated by blanks"}},
    {.text = "station;t [min];effusion rate [m3/h];delay [h]\nx;0;3600;1\ny;1;0;2\n\n;;;\n",
     .table = "0 1 60",
     .said = {"columns that are not used: \"station\", \"delay [h]\""}},
    // 43200 m3 in half a day are 1 m3/s; 0.4 Mm3 in a day 400000/86400, 5000 l/s 5 m3/s
    {.text = "time (d),rate (Mm3/d)\n0,0.4\n1,0.2\n2,0\n",
     .table = "0 4.62962962963 86400 2.31481481481 172800",
     .said = {"\"rate (Mm3/d)\" is the effusion rate in Mm3/d;", "at most 4.62963 m3/s, 600000 m3 in all"}},
    {.text = "time (h),rate [km3/day]\n0,0.000864\n1,0\n", .table = "0 10 3600"},
    {.text = "time (min),rate (l/s)\n0,5000\n60,3000\n120,0\n",
     .table = "0 5 3600 3 7200",
     .said = {"is the effusion rate in l/s;", "28800 m3 in all"}},
    {.text = "time_h,Q (10^3 m3 d-1)\n0,43.2\n1,0\n", .table = "0 0.5 3600"},
    {.text = "time_h,rate (\xC3\x97"
             "10\xC2\xB3 m3/h)\n0,7.2\n1,0\n",
     .table = "0 2 3600"},
    {.text = "Days since onset,TADR (m3/s)\n0,5\n1.5,0\n",
     .table = "0 5 129600",
     .said = {"\"Days since onset\" is the time in d, "}},
    {.text =
         "time (h),TADR (m3/s),error (m3/s),\xC2\xB1 (m3/s),TADR +/- (m3/s),uncertainty\n0,5,1,2,3,4\n1,0,0,0,0,0\n",
     .table = "0 5 3600",
     .said =
         {"columns that are not used: \"error (m3/s)\", \"\xC2\xB1 (m3/s)\", \"TADR +/- (m3/s)\", \"uncertainty\""}},
    {.text = "\"time\n(h)\",\" rate \"\"Q\"\" [m3/s]\"\n 0 , \"5\" \n1,0\n", .table = "0 5 3600"},
    // nothing about times in them: an empty end, a zone beside no date, ratios, numbers, words
    {.text = "time_h,rate,end,tz,scale,end member,n,sensor,orbit,ora,note\n"
             "0,5,,CEST,1:25000,3,5e10,VIIRS,12/7,14,14:30 smoke\n1,0,-,+02:00,1:5000,4,3x10,MODIS,-7,4,2006-07-14 "
             "flight\n",
     .table = "0 5 3600",
     .said = {"not used: \"end\", \"tz\", \"scale\", \"end member\", \"n\", \"sensor\", \"orbit\", \"ora\", \"note\""}},
};

TEST_EACH(test_headers, sizeof headers / sizeof *headers) { check_reading(&headers[_i]); }

#define DENSE(name)                                                                                            \
  {                                                                                                            \
    .text = "time_h;" name ";note\n0;5;1\n1;0;2\n", .table = "0 5 3600", .said = {                             \
      "warning: ",                                                                                             \
      "\"" name                                                                                                \
      "\" is of dense rock, and is taken as it is; lava of the simulation has its volume on the ground, with " \
      "vesicles: divide the rates by 1 - vesicularity"                                                         \
    }                                                                                                          \
  }
/** Rates of rock without vesicles. */
static const struct reading dense[] = {DENSE("TADR_DRE [m3/s]"), DENSE("DRE m3/s"), DENSE("TADR (m3/s DRE)"),
                                       DENSE("dense-rock rate, m3/s")};

TEST_EACH(test_dense_rock, sizeof dense / sizeof *dense) { check_reading(&dense[_i]); }

TEST(test_dense_rock_that_is_not_used) { // nor that next to the same rate with vesicles, in either order
  static const char *const files[] = {"time_h,rate (m3/s),DRE (Mm3)\n0,5,1\n1,0,2\n",
                                      "time_h,TADR (m3/s),TADR (m3/s DRE)\n0,5,4\n1,0,0\n",
                                      "time_h,TADR_DRE (m3/s),TADR (m3/s)\n0,4,5\n1,0,0\n"};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    check_reading(&(struct reading){.text = files[k], .table = "0 5 3600", .said = {"columns that are not used: "}});
    ck_assert_msg(!strstr(said, "warning"), "%s", said);
  }
}

/** Several estimates of the rate for each time. */
#define BAND "time_s,TADR low [m3/s],TADR high [m3/s]\n0,1,4\n10,2,3\n20,0,0\n"
#define BAND_AND_BEST "time_s,min,max,mean\n0,1,4,2\n10,0,0,0\n"
static const struct reading bands[] = {
    {.text = BAND,
     .table = "0 2.5 10 2.5 20",
     .said =
         {"\"TADR low [m3/s]\" is the lowest effusion rate in m3/s, \"TADR high [m3/s]\" is the highest effusion rate "
          "in m3/s, the mean of both is taken"}},
    {.text = BAND, .table = "0 1 10 2 20", .options = {.choice = SCIARA_RATES_TAKE_LOW}},
    {.text = BAND, .table = "0 4 10 3 20", .options = {.choice = SCIARA_RATES_TAKE_HIGH}},
    // at the start 2 and 8, 20 minutes later 1 and 3 m3/s: 5 m3/s x 1200 s + 2 m3/s x 600 s
    {.text = "date;min;max\n2006-07-14 00:00;2;8\n2006-07-14 00:20;1;3\n2006-07-14 00:30;0;0\n",
     .table = "0 5 1200 2 1800",
     .said = {"\"min\" is the lowest effusion rate in m3/s, \"max\" is the highest effusion rate in m3/s",
              "7200 m3 in all"},
     .options = {.run_start = "2006-07-14T00:00:00Z"}},
    {.text = BAND_AND_BEST, .table = "0 2 10"},
    {.text = "time_s,low,high\n0,1,3\n10,1,\n20,0,0\n",
     .table = "0 2 20",
     .said = {"warning: ", ":3: 1 row has no rate: the rate before it is taken"}},
};

TEST_EACH(test_bands, sizeof bands / sizeof *bands) { check_reading(&bands[_i]); }

#define FROM .options = {.run_start = "2006-07-14T23:30:00Z"}
/** Dates, which are counted from the start of the run. */
static const struct reading dates[] = {
    {.text = "date;rate m3/s\n2006-07-14T23:30Z;1\n2006-07-15;2\n2006-07-15 06:30:00.5Z;0\n",
     .table = "0 1 1800 2 25200.5",
     .said = {"dates without a zone are taken as UTC", "\"date\" is a date, ",
              "from 2006-07-14T23:30:00Z to 2006-07-15T06:30:00Z"},
     FROM},
    {.text = "time (UTC),rate_m3_s\n2006-07-15T02:00:00+02:00,1\n2006-07-14T23:00:00-02:00,0\n",
     .table = "1800 1 5400",
     FROM},
    {.text = "Date,Time,TADR\n2006-07-14,23:31,1\n2006-07-15,00:00:30,0\n",
     .table = "60 1 1830",
     .said = {"\"Date\" is the date, \"Time\" is the time of day"},
     FROM},
    {.text = "date;time (UTC);rate\n20060715;00:30;1\n20060715;01:00;0\n", .table = "3600 1 5400", FROM},
    {.text = "date,rate_m3_s\n2008-02-29,1\n2008-03-01,0\n",
     .table = "86400 1 172800",
     .options = {.run_start = "2008-02-28T00:00:00Z"}},
};

TEST_EACH(test_dates, sizeof dates / sizeof *dates) { check_reading(&dates[_i]); }

/** What a file does not say is assumed, and reported. */
static const struct reading assumed[] = {
    {.text = "time_s,rate_m3_s\n0,1\n10,2\n# c\n\n",
     .table = "0 1 10 2 20",
     .said = {"warning: ",
              "the last rate, 2 m3/s from 10 s on, has no end: it is assumed to last as long as the row before "
              "it, 10 s, until 20 s; a last row with the rate 0 says when"}},
    {.text = "time_s,rate_m3_s\n0,1\n10,nan\n25,2\n",
     .table = "0 1 25 2 40",
     .said = {":3: 1 row has no rate: the rate before it is taken", "15 s, until 40 s"}},
    {.text = "time_s,rate_m3_s\n0,1\n10,2\n30, N/A\n",
     .table = "0 1 10 2 30",
     .said = {"the last row has no rate: it is taken as the end"}},
    {.text = "time_s,rate_m3_s\n0,1\n10,nan\n15,\n25,2\n30,nan\n",
     .table = "0 1 25 2 30",
     .said = {":3: 2 rows have no rate: the rate before them is taken", "the last row has no rate"}},
    {.text = "time_s,rate_m3_s\n0,1\n10,2\n20,3\n50,4\n60,5\n70,6\n100,7\n110,0\n",
     .table = "0 1 10 2 20 3 50 4 60 5 70 6 100 7 110",
     .said =
         {"warning: ",
          "rows are 10 s apart, but there is none between 20 s and 50 s, the first of 2 gaps: the rate before a gap "
          "lasts until its end"}},
};

TEST_EACH(test_assumed, sizeof assumed / sizeof *assumed) { check_reading(&assumed[_i]); }

TEST(test_nothing_assumed) { // regular, irregular, and with an end: no warning
  static const struct reading plain[] = {
      {.text = "time_s,rate_m3_s\n0,1\n10,2\n20,3\n30,0\n", .table = "0 1 10 2 20 3 30"},
      {.text = "time_s,rate_m3_s\n0,1\n10,2\n25,3\n70,4\n71,0\n", .table = "0 1 10 2 25 3 70 4 71"},
      {.text = "time_s,rate_m3_s\n0,1\n10,2\n25,0\n", .table = "0 1 10 2 25"},
      // the closing row may come later than the step
      {.text = "time_s,rate_m3_s\n0,20\n10,15\n20,10\n30,6\n120,0\n", .table = "0 20 10 15 20 10 30 6 120"}};
  for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
    check_reading(&plain[k]);
    ck_assert_msg(!strstr(said, "warning") && strchr(said, '\n') == said + strlen(said) - 1, "%s", said);
  }
}

#define BASALT .options = {.run_start = "2001-09-09T01:46:40Z", .radiant_density = 2e8, .background = 0.5}
#define ALERT(time, b21) time " T 2001 09 09 01 46 15.0 37.7 " b21 " 2.1 1.0 9.0 8.0 10 20 30 40 5 6 -0.5 7 1 300 0\n"
/** Radiative power, and radiances of MODVOLC. */
static const struct reading powers[] = {
    {.text = "time_s,VRP [MW]\n0,1000\n60,0\n",
     .table = "0 5 60",
     .said = {"\"VRP [MW]\" is the radiative power in MW, rate = power / (2e+08 J/m3) (Coppola et al. 2013)"},
     .options = {.radiant_density = 2e8}},
    {.text = "time_s,rate_m3_s,VRP (W)\n0,1,7\n60,0,0\n", .table = "0 1 60"},
    {.text = ALERT("1000000000", "10.5") ALERT("1000000000", "20.5") ALERT("1000003600", "0.25"),
     .table = "0 2.835 3600",
     .said = {"alerts of MODVOLC, 3 pixels, 1 of them not above 0.5 W/(m2 sr um); rate = sum of 18.9e6 m2 sr um x "
              "(band 21 - "
              "background) / (2e+08 J/m3)"},
     BASALT},
    {.text =
         "UNIX_Time Sat Year Mo Dy Hr Mn Longitude Latitude B21 B22 B6 B31 B32 SatZen SatAzi SunZen SunAzi Line Samp "
         "Ratio Glint Excess Temp Err\n" ALERT("1000000060", "10.5") ALERT("1000003660", "10.5"),
     .table = "60 0.945 3660 0.945 7260",
     .said = {"has no end"},
     BASALT},
};

TEST_EACH(test_powers, sizeof powers / sizeof *powers) { check_reading(&powers[_i]); }

/** What is refused with the options of a scenario. */
static const struct rejection rejections[] = {
    {.text = "date,rate_m3_s\n2006-07-14,1\n2006-07-15,0\n",
     .message = ":2: has dates: expected run.start in the scenario, the date from which they are counted; found none "
                "(the first "
                "date is "
                "\"2006-07-14\")"},
    {.text = "date,rate_m3_s\n2006-07-14,1\n2006-07-15,0\n",
     .message = ":2: expected a date from 2006-07-14T00:00:01Z (run.start) on, found \"2006-07-14\"",
     .options = {.run_start = "2006-07-14T00:00:01Z"}},
    {.text = "date,rate_m3_s\n2006-07-14,1\n20 h,0\n",
     .message = ":3: expected a date, as in the row before, found \"20 h\"",
     .options = {.run_start = "2006-07-14T00:00:00Z"}},
    {.text = "time_s,rate_m3_s\n0,1\n2006-07-14,0\n",
     .message = ":3: expected a duration, as in the row before, found \"2006-07-14\"",
     .options = {.run_start = "2006-07-14T00:00:00Z"}},
#define COLUMN_OF_DATES(name)                                                  \
  ":2: \"" name "\" is a column of dates: expected one such as 2006-07-14 or " \
  "2006-07-14T23:30:00Z, found the number "
    {.text = "date;rate_m3_s\n38912;1\n38913;0\n",
     .message = COLUMN_OF_DATES("date") "38912, perhaps a day number of Excel, 2006-07-14T00:00:00Z; name a column",
     .options = {.run_start = "2006-01-01T00:00:00Z"}},
    {.text = "date,rate_m3_s\n732872.5,1\n732873,0\n",
     .message = COLUMN_OF_DATES("date") "732872.5, perhaps a day number of Matlab, 2006-07-14T12:00:00Z; name"},
    {.text = "Date (days),rate_m3_s\n2453931,1\n2453932,0\n",
     .message = COLUMN_OF_DATES("Date (days)") "2453931, perhaps a Julian date, 2006-07-14T12:00:00Z; name"},
    {.text = "date,rate_m3_s\n2006.53,1\n2006.54,0\n",
     .message = COLUMN_OF_DATES("date") "2006.53, perhaps a decimal year; name"},
    {.text = "timestamp,rate_m3_s\n1152912600,1\n1152912700,0\n",
     .message = COLUMN_OF_DATES("timestamp") "1152912600, perhaps a Unix time, 2006-07-14T21:30:00Z; name"},
    {.text = "timestamp,rate_m3_s\n1152912600000,1\n1152912700000,0\n",
     .message = COLUMN_OF_DATES("timestamp") "1152912600000, perhaps a Unix time in ms, 2006-07-14T21:30:00Z; name"},
#define FROM_ELSEWHERE(name, found)                                                                          \
  ":2: \"" name "\": expected times since the start, the first at most 10 years (315576000 s), found " found \
  "; write dates such as 2006-07-14T23:30:00Z, or subtract the time of the start"
    {.text = "time,rate_m3_s\n1152912600,1\n1152912700,0\n",
     .message = FROM_ELSEWHERE("time", "\"1152912600\", perhaps a Unix time, 2006-07-14T21:30:00Z")},
    {.text = "t (s);rate_m3_s\n449051400,5;1\n449052000;0\n",
     .message = FROM_ELSEWHERE("t (s)", "\"449051400,5\", perhaps a Unix time, 1984-03-25T08:30:00Z"),
     .options = {.run_start = "1984-03-25T00:00:00Z"}},
    {.text = "time (d),rate_m3_s\n38912,1\n38913,0\n",
     .message = FROM_ELSEWHERE("time (d)", "\"38912\", perhaps a day number of Excel, 2006-07-14T00:00:00Z")},
    {.text = "time,rate_m3_s\n5000 d,1\n5001 d,0\n", .message = FROM_ELSEWHERE("time", "\"5000 d\"")},
    {.text = "time,rate\n00:00:00,1\n01:00:00,0\n",
     .message = ":2: expected a time since the start, such as 90 min or a number"},
#define PARTS                                                                                                     \
  ":1: expected whole dates such as 2006-07-14T20:00 in a column \"date\", or times since the start in one such " \
  "as \"time (h)\"; found parts of dates, "
    {.text = "year,doy,hour,rate\n2006,195,20,5\n2006,195,21,0\n", .message = PARTS "\"year\", \"doy\", \"hour\""},
#define NO_RATES(names)                                                                                               \
  ":1: expected a header such as \"time_s,rate_m3_s\" or \"date;TADR [m3/s]\", found no column of effusion rates in " \
  "\"time_s\", " names "; "
#define OF_MASS(name, unit, times)                                                                                 \
  {                                                                                                                \
    .text = "time_s," name "\n0,1\n1,0\n",                                                                         \
    .message =                                                                                                     \
        NO_RATES("\"" name "\"") "\"" name "\" is a rate of mass in " unit ": write one in m3/s, its values" times \
                                 " divided by the density of the lava with its vesicles, kg/m3"                    \
  }
    OF_MASS("rate (kg/s)", "kg/s", ""),
    OF_MASS("MER kg s-1", "kg/s", ""),
    OF_MASS("t/s", "t/s", " times 1000"),
    OF_MASS("mass flux [t per day]", "t/d", " times 0.0115741"),
#define NOT_UNDERSTOOD \
  "has words or a unit that are not understood: expected at its end a volume (m3, l, dm3, Mm3, km3)"
    {.text = "time_s,rate error (m3/s),rate [ft3/s]\n0,1,1\n1,0,0\n",
     .message = NO_RATES("\"rate error (m3/s)\", \"rate [ft3/s]\"") "\"rate [ft3/s]\" " NOT_UNDERSTOOD},
    {.text = "time_s,TADR_DRE\n0,1\n1,0\n", .message = NO_RATES("\"TADR_DRE\"") "\"TADR_DRE\" " NOT_UNDERSTOOD},
    {.text = "sep=x\ntime_sxrate\n0x1\n",
     .message = ":1: expected a comma, a semicolon, a tab or a blank after \"sep=\", found \"x\""},
    {.text = "time_s,rate\n0,\"1\n5,0\n", .message = ":2: expected a closing \", found a value without an end"},
    {.text = "\n<!DOCTYPE html><html>",
     .message = ": expected a table, found an HTML page, perhaps of a login, instead of the file"},
    {.text = "PK\x03\x04...", .message = ": expected a table, found a ZIP archive, such as a spreadsheet in .xlsx"},
    {.text = "date,rate_m3_s\n2006-02-29,1\n2006-07-15,0\n",
     .message =
         ":2: expected a date such as 2006-07-14, 2006-07-14T23:30 or 2006-07-14T23:30:00Z, found \"2006-02-29\"",
     .options = {.run_start = "2006-01-01T00:00:00Z"}},
    {.text = "date,rate_m3_s\n2006-07-15,1\n2006-07-14,0\n",
     .message = ":3: expected a date after that of the previous row, 2006-07-15T00:00:00Z, for times ascend, found "
                "\"2006-07-14\"",
     .options = {.run_start = "2006-07-14T00:00:00Z"}},
    {.text = "time_s;rate_m3_s\n0;1,5\n1;2.5\n2;0\n",
     .message = ":3: expected a decimal comma, as before, found \"2.5\""},
    {.text = "time_s;rate_m3_s\n0;1.000,5\n1;0\n",
     .message = ":2: expected a number without marks between thousands, found \"1.000,5\""},
    {.text = "time_s,rate a m3/s,rate b m3/s\n0,1,2\n1,0,0\n",
     .message = ":1: expected one column of effusion rates, found two, \"rate a m3/s\" and \"rate b m3/s\""},
    {.text = "time_s,rate_m3_s\n0,1\n1,0\n",
     .message = ":1: expected a column of low rates, as \"choose\" says; found none",
     .options = {.choice = SCIARA_RATES_TAKE_LOW}},
    {.text = "time_s,VRP\n0,1\n1,0\n",
     .message = ":1: expected the unit of the power in the header, such as",
     .options = {.radiant_density = 2e8}},
    {.text = "time_s,VRP [W]\n0,1\n1,0\n",
     .message = ":1: \"VRP [W]\" is a radiative power: expected radiant_density_J_m3 next to \"csv\""},
    {.text = ALERT("1000000000", "10.5"),
     .message =
         ": is a list of MODVOLC's alerts, which holds radiances: expected radiant_density_J_m3 and "
         "background_radiance_W_m2_sr_um next to \"csv\", with which they become effusion rates; found the first only",
     .options = {.run_start = "2001-09-09T01:46:40Z", .radiant_density = 2e8}},
    {.text = ALERT("1000000000", "10.5"),
     .message = ":1: has dates: expected run.start",
     .options = {.radiant_density = 2e8, .background = 0.5}},
    {.text = ALERT("1000000000", "10.5") ALERT("999999999", "10.5"),
     .message = ":2: expected a time after that of the previous row",
     .options = {.run_start = "2001-09-09T00:00:00Z", .radiant_density = 2e8, .background = 0.5}},
    {.text = ALERT("1000000000", "9") "1000000600 A 2001\n",
     .message = ":2: expected a line of MODVOLC, 14 or more values separated by blanks, found \"1000000600\"",
     .options = {.run_start = "2001-09-09T00:00:00Z", .radiant_density = 2e8, .background = 0.5}},
};

/** Columns that are not used and say when lava is emitted: header, first row, and what is found. */
static const struct {
  const char *header, *row, *column, *found;
} times_unused[] = {
#define DAYTIME(header, value) \
  { "date;" header ";rate", "2006-07-14;" value ";5", header, "a time of day, \"" value "\"" }
    DAYTIME("time (CEST)", "14:30"),
    DAYTIME("\xE6\x99\x82\xE5\x88\xBB", "14:30 CEST"),
    DAYTIME("hh:mm", "1430"),
    {"date;time;tz;rate", "2006-07-14;14:30;+02:00;5", "tz", "a zone, \"+02:00\""},
    {"date;x;rate", "2006-07-14 14:30;CEST;5", "x", "a zone, \"CEST\""},
    {"start date;end date;rate", "2006-07-14;20060716;5", "end date", "an end or a duration, \"20060716\""},
    {"date;x;rate", "2006-07-14;2006-07-16T12:00;5", "x", "a date, \"2006-07-16T12:00\""},
    {"date;x;rate", "2006-07-14;16/07/2006;5", "x", "a date, \"16/07/2006\""},
    {"date;end;rate", "2006-07-14 14:30;18;5", "end", "an end or a duration, \"18\""},
    {"time_h;time_end_h;rate", "0;6;5", "time_end_h", "an end or a duration, \"6\""},
    {"time_h;dur\xC3\xA9"
     "e;rate",
     "0;6;5",
     "dur\xC3\xA9"
     "e",
     "an end or a duration, \"6\""},
    {"time_h;x;rate", "0;6 h;5", "x", "a duration, \"6 h\""},
};

TEST_EACH(test_times_unused, sizeof times_unused / sizeof *times_unused) {
  const struct sciara_rates_options options = {.run_start = "2006-07-14T00:00:00Z"};
  struct sciara_rate_table table;
  char text[256], expected[512];
  snprintf(text, sizeof text, "%s\n%s\n", times_unused[_i].header, times_unused[_i].row);
  snprintf(expected, sizeof expected, "%s:2: \"%s\" is not used: expected nothing in it about times, found %s; ", path,
           times_unused[_i].column, times_unused[_i].found);
  write_text(path, text);
  ck_assert_int_eq(sciara_rates_csv_read(path, &options, &table), SCIARA_ERR_INPUT);
  ck_assert_msg(strncmp(sciara_last_error(), expected, strlen(expected)) == 0, "\"%s\" is not \"%s\"",
                sciara_last_error(), expected);
}

TEST_EACH(test_refused_with_options, sizeof rejections / sizeof *rejections) { check_rejection(&rejections[_i]); }

TEST(test_first_date) {
  static const struct {
    const char *text, *date;
  } files[] = {{"date,rate_m3_s\n2006-07-14T23:30:59.9,1\n2006-07-15,0\n", "2006-07-14T23:30:59Z"},
               {"# c\nrate_m3_s,date\n# c\n1,2006-07-14\n", "2006-07-14T00:00:00Z"},
               {"Date;Time;TADR\n2006-07-14;23:31;1\n", "2006-07-14T23:31:00Z"},
               {ALERT("1000000000", "10.5"), "2001-09-09T01:46:40Z"},
               {"UNIX_Time Sat B21\n" ALERT("1000000001", "10.5"), "2001-09-09T01:46:41Z"},
               {"time_s,rate_m3_s\n0,1\n1,0\n", ""},
               {"time_s,rate_m3_s\n", ""},
               {"14 July\n", ""},
               {"", ""}};
  char date[SCIARA_DATE_SIZE];
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    write_text(path, files[k].text);
    sciara_rates_csv_first_date(path, date);
    ck_assert_str_eq(date, files[k].date);
  }
}

// The same table; each byte of "time [h],TADR [m³/s]" and of its rows becomes one or two others.
TEST(test_encodings) {
  static const unsigned char text[] = "time [h],TADR [m\xB3/s]\r\n0,5\r\n1,2.5\r\n3,0\r\n"; // Latin-1
  enum { LENGTH = sizeof text - 1 };
  char wide[2 * LENGTH + 2];
  for (int form = 0; form < 3; form++) { // Latin-1, UTF-16 with the low, with the high byte first
    OWNED(sciara_rate_table_free) struct sciara_rate_table table;
    const bool big = form == 2;
    for (size_t k = 0; k <= LENGTH; k++) {
      const unsigned unit = k ? text[k - 1] : 0xFEFF;
      wide[2 * k + big] = (char)(unit & 0xFF);
      wide[2 * k + !big] = (char)(unit >> 8);
    }
    said[0] = '\0';
    sciara_log_set_sink(remember, NULL);
    const enum sciara_status status =
        form ? read_table(wide, sizeof wide, &table) : read_table((const char *)text, LENGTH, &table);
    sciara_log_set_sink(NULL, NULL);
    expect_ok(status);
    ck_assert_str_eq(print_table(&table), "0 5 3600 2.5 10800");
    ck_assert_msg(
        strstr(said, form ? "is in UTF-16, which is read as UTF-8" : "is not in UTF-8: it is read as Latin-1") &&
            strstr(said, "\"TADR [m\xC2\xB3/s]\" is the effusion rate in m3/s"),
        "%s", said);
  }
  struct sciara_rate_table table;
  ck_assert_int_eq(read_table(wide, sizeof wide - 1, &table), SCIARA_ERR_INPUT); // half a unit
  expect_said("UTF-16 that is damaged");
  expect_error(read_table("time_s,\x80\n0,1\n1,0\n", 17, &table), SCIARA_ERR_INPUT,
               "expected text in UTF-8, UTF-16 or Latin-1, found bytes of another");
}

TEST(test_separators) { // each form of one table: 1.5 m3/s for a minute, 2 m3/s for another
  static const char *const forms[] = {
      "sep=;\r\ntime_s;rate_m3_s\r\n0;1,5\r\n60;2\r\n120;0\r\n",
      "\"SEP=\t\"\ntime, s\trate; m3/s\n0\t1,5\n60\t2\n120\t0\n", "sep=,\ntime; s,rate\n0,1.5\n60,2\n120,0\n",
      "time_s,rate_m3_s\r0,1.5\r60,2\r120,0\r", "\n\n# a\n\ntime_s  rate_m3_s \n 0\t1,5\n60 2  \n  120  0\n \n"};
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) check_table(forms[k], "0 1.5 60 2 120");
}

TEST(test_nul_byte) {
  static const char text[] = "time_s,rate_m3_s\n0,1\0\n5,0\n";
  struct sciara_rate_table table;
  expect_error(read_table(text, sizeof text - 1, &table), SCIARA_ERR_INPUT, "found a NUL byte");
}

TEST(test_missing) {
  struct sciara_rate_table table;
  expect_error(sciara_rates_csv_read(path, NULL, &table), SCIARA_ERR_IO, path);
}

TEST(test_row_limit) {
  size_t rows = SCIARA_RATES_MAX_ROWS, capacity = 17 + (rows + 1) * 11 + 1;
  OWNED(free_memory) char *text = malloc(capacity);
  ck_assert_ptr_nonnull(text);
  size_t length = (size_t)snprintf(text, capacity, "time_s,rate_m3_s\n");
  for (size_t i = 0; i < rows; i++) length += (size_t)snprintf(text + length, capacity - length, "%zu,0\n", i);
  struct sciara_rate_table table;
  expect_ok(read_table(text, length, &table));
  ck_assert_uint_eq(table.count, rows - 1);
  sciara_rate_table_free(&table);
  length += (size_t)snprintf(text + length, capacity - length, "%zu,0\n", rows);
  expect_error(read_table(text, length, &table), SCIARA_ERR_INPUT,
               ":1000002: expected at most 1000000 rows, found more");
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
