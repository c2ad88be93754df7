// SPDX-License-Identifier: Apache-2.0
// The public interface beyond files: terrain and scenarios from memory, a loop of the caller's own, rates that change, files
// of the current state, scores, messages. What is built from memory is bit-identical to what is read from files.
#include "sciara.h"

#include <pthread.h>

#include "api/api.h"
#include "run/run.h"
#include "run_case.h"
#include "support/owned.h"

enum { ROWS = 30, COLS = 40, CELLS = ROWS * COLS };

static const struct sciara_grid_info grid = {
    .rows = ROWS, .cols = COLS, .cell_size_m = 10, .west_m = 500000, .north_m = 4177300};
static const double vent_place[] = {20, 8}, one_day[] = {0, 86400}, five[] = {5};
static const struct sciara_vent vent = {.place = SCIARA_VENT_ROWCOL,
                                        .points = vent_place,
                                        .point_count = 1,
                                        .times_s = one_day,
                                        .rates_m3_s = five,
                                        .rate_count = 1};

static void setup(void) { run_case_make("\"fields\": [\"thickness\", \"deposit\", \"max_thickness\"]"); }

static uint64_t checksum_of(struct sciara *s) {
  uint64_t sum;
  expect_ok(sciara_checksum(s, &sum));
  return sum;
}

/** s.json, on the site if there is one, with one override. */
static struct sciara *open_file(const struct sciara_site *site, const char *override) {
  const char *const overrides[] = {"engine.name=serial", override};
  struct sciara *s;
  const size_t count = override ? 2 : 1;
  expect_ok(site ? sciara_open_on(site, in_folder("s.json"), overrides, count, &s)
                 : sciara_open(in_folder("s.json"), overrides, count, &s));
  return s;
}

/** Altitudes as in dem.asc. */
static void fill(double *altitude) {
  for (int row = 0; row < ROWS; row++)
    for (int col = 0; col < COLS; col++)
      altitude[row * COLS + col] = 1000 - 3 * row - 0.5 * col + (row * 7 + col * 3) % 5 * 0.25;
}

static const struct sciara_site *memory_site(bool single_precision) {
  double altitude[CELLS];
  const struct sciara_site *site;
  fill(altitude);
  expect_ok(sciara_site_from_array(&grid, "EPSG:32633", altitude, single_precision, &site));
  return site;
}

/** The scenario of s.json by calls. */
static struct sciara_scenario *built(void) {
  struct sciara_scenario *c;
  expect_ok(sciara_scenario_create(&c));
  expect_ok(sciara_scenario_add_vent(c, &vent));
  expect_ok(sciara_scenario_set(c, "engine.name", "serial"));
  expect_ok(sciara_scenario_set_number(c, "run.max_steps", 120));
  expect_ok(sciara_scenario_set(c, "output.fields", "[\"thickness\", \"deposit\", \"max_thickness\"]"));
  return c;
}

static struct sciara *create(const struct sciara_scenario *c, const struct sciara_site *site) {
  struct sciara *s;
  expect_ok(sciara_create(c, site, &s));
  return s;
}

// ------------------------------------------------------------------------------------------------------- from memory

// Text, file and calls are one scenario; the DEM by its path is that of the scenario.
static const char BARRIER[] =
    "[{\"line\": [[500050, 4177100], [500300, 4177050]], \"width_m\": 20, \"height_m\": 7}, "
    "{\"polygon\": [[500100, 4177210], [500180, 4177200], [500150, 4177120]], \"level_m\": 940}]";

// A sea and edits on an array: the same state and ledger as from the file. Other simulations on the site do not have them.
TEST_EACH(ground_from_memory_as_from_files, 3) {
  static const char *const seas[] = {"962", "\"nodata\"", "null"};
  const char *edits = _i < 2 ? "[]" : BARRIER;
  char sea[64], edit[400];
  snprintf(sea, sizeof sea, "dem.sea=%s", seas[_i]);
  snprintf(edit, sizeof edit, "dem.edits=%s", edits);
  const char *const overrides[] = {"engine.name=serial", sea, edit, "run.max_steps=120"};
  OWNED(release_site) const struct sciara_site *site = memory_site(false);
  OWNED(close_scenario) struct sciara_scenario *c = built();
  OWNED(close_run) struct sciara *plain = create(c, site), *files, *memory, *again;
  expect_ok(sciara_scenario_set(c, "dem.sea", seas[_i]));
  expect_ok(sciara_scenario_set(c, "dem.edits", edits));
  memory = create(c, site);
  expect_ok(sciara_open(in_folder("s.json"), overrides, 4, &files));
  ck_assert_uint_eq(checksum_of(memory), checksum_of(files));
  if (_i == 2) ck_assert_uint_ne(checksum_of(memory), checksum_of(plain));
  expect_ok(sciara_step(memory, 60));
  expect_ok(sciara_write_checkpoint(memory, in_folder("sea.h5")));
  expect_ok(sciara_open_checkpoint(in_folder("sea.h5"), site, NULL, 0, &again));
  expect_ok(sciara_step(files, 120));
  expect_ok(sciara_step(memory, 60));
  expect_ok(sciara_step(again, 60));
  ck_assert_uint_eq(checksum_of(memory), checksum_of(files));
  ck_assert_uint_eq(checksum_of(again), checksum_of(files));
  struct sciara_ledger a, b;
  expect_ok(sciara_read_ledger(files, &a));
  expect_ok(sciara_read_ledger(memory, &b));
  ck_assert(memcmp(&a, &b, sizeof a) == 0);
  ck_assert((a.sea_m3 > 0) == (_i == 0));
  expect_ok(sciara_scenario_set(c, "dem.cell_size_m", "5"));
  struct sciara *none;
  expect_error(sciara_create(c, site, &none), SCIARA_ERR_INPUT,
               "dem.cell_size_m: expected only with a DEM that is a file");
  expect_ok(sciara_scenario_set(c, "dem.path", "dem.asc"));
  expect_error(sciara_create(c, site, &none), SCIARA_ERR_INPUT, "dem.path: expected none");
}

TEST(scenarios_from_text_and_file) {
  OWNED(close_scenario) struct sciara_scenario *file, *text, *calls = built();
  OWNED(release_site) const struct sciara_site *site;
  const char *json;
  expect_ok(sciara_scenario_open(in_folder("s.json"), &file));
  expect_ok(sciara_scenario_set(file, "engine.name", "serial"));
  expect_ok(sciara_scenario_json(file, &json));
  expect_ok(sciara_scenario_from_json(json, folder, &text));
  expect_ok(sciara_site_from_dem(in_folder("dem.asc"), "EPSG:32633", 0, false, &site));
  struct sciara *s[] = {create(file, NULL), create(text, NULL), create(text, site), create(calls, site)};
  uint64_t expected = 0;
  for (size_t k = 0; k < sizeof s / sizeof *s; k++) {
    expect_ok(sciara_run(s[k]));
    if (k == 0) expected = checksum_of(s[k]);
    ck_assert_uint_eq(checksum_of(s[k]), expected);
    sciara_close(s[k]);
  }
  sciara_scenario_close(NULL);
}

static int64_t covered(struct sciara *s) {
  static double arrival[CELLS];
  int64_t count = 0;
  expect_ok(sciara_read_field(s, SCIARA_FIELD_ARRIVAL_TIME, arrival, CELLS));
  for (int i = 0; i < CELLS; i++) count += arrival[i] >= 0;
  return count;
}

// A vent with an area emits the rate of the whole vent, also after a change of its rate.
TEST(vents_with_an_area) {
  static const double line[] = {500155, 4177215, 500255, 4177205};
  OWNED(close_scenario) struct sciara_scenario *c;
  struct sciara_vent v = vent;
  struct sciara_ledger ledger;
  OWNED(release_site) const struct sciara_site *site = memory_site(false);
  const struct sciara_advance_options first = {.step = 1}, second = {.time_s = 300};
  expect_ok(sciara_scenario_create(&c));
  expect_ok(sciara_scenario_set(c, "engine.name", "serial"));
  v.radius_m = 20;
  expect_ok(sciara_scenario_add_vent(c, &v));
  v.place = SCIARA_VENT_LINE;
  v.points = line;
  v.point_count = 2;
  v.radius_m = 0;
  v.width_m = 30;
  v.name = "fissure";
  expect_ok(sciara_scenario_add_vent(c, &v));
  OWNED(close_run) struct sciara *s = create(c, site);
  expect_ok(sciara_advance(s, &first));
  expect_ok(sciara_read_ledger(s, &ledger));
  ck_assert_double_eq_tol(ledger.emitted_m3, 2 * 5 * 1.0, 1e-12 * 10); // the first clock is 1 s
  ck_assert_int_ge(covered(s), 13 + 22); // a disc, and a strip of two or three rows over 11 columns
  expect_ok(sciara_set_rate(s, "fissure", 7, 100));
  expect_ok(sciara_advance(s, &second));
  expect_ok(sciara_read_ledger(s, &ledger));
  const double time = progress_of(s).time_s, expected = 5 * time + 5 + 7 * 99;
  ck_assert_double_eq_tol(ledger.emitted_m3, expected, 1e-12 * expected);
  ck_assert_double_le(fabs(ledger.residual_m3), ledger.bound_m3);
}

// What is wrong is named, and nothing is made.
TEST(what_memory_must_not_hold) {
  double altitude[CELLS];
  const struct sciara_site *site;
  fill(altitude);
  altitude[3 * COLS + 7] = 2e5;
  expect_error(sciara_site_from_array(&grid, NULL, altitude, false, &site), SCIARA_ERR_INPUT,
               "row 3, column 7: expected -12000 to 100000 m, or NaN outside the DEM; found 200000 m");
  ck_assert_ptr_null(site);
  altitude[3 * COLS + 7] = INFINITY;
  expect_error(sciara_site_from_array(&grid, NULL, altitude, false, &site), SCIARA_ERR_INPUT, "found inf m");
  for (int i = 0; i < CELLS; i++) altitude[i] = NAN;
  expect_error(sciara_site_from_array(&grid, NULL, altitude, false, &site), SCIARA_ERR_INPUT,
               "expected altitudes, found NaN or -9999 in every cell");
  fill(altitude);
  struct sciara_grid_info g = grid;
  g.cell_size_m = 0;
  expect_error(sciara_site_from_array(&g, NULL, altitude, false, &site), SCIARA_ERR_INPUT,
               "side of its cells: expected above 0 to 1e6 m, found 0 m");
  g.cell_size_m = NAN;
  expect_error(sciara_site_from_array(&g, NULL, altitude, false, &site), SCIARA_ERR_INPUT, "found nan m");
  g = grid;
  g.rows = 2;
  expect_error(sciara_site_from_array(&g, NULL, altitude, false, &site), SCIARA_ERR_INPUT, "the array of altitudes");
  g.rows = -1;
  expect_error(sciara_site_from_array(&g, NULL, altitude, false, &site), SCIARA_ERR_INPUT, "the array of altitudes");
  g.rows = INT64_MAX;
  expect_error(sciara_site_from_array(&g, NULL, altitude, false, &site), SCIARA_ERR_INPUT,
               "expected at most 2147483647 rows and columns, found 9223372036854775807 rows and 40 columns");
  g = grid;
  g.north_m = NAN;
  expect_error(sciara_site_from_array(&g, NULL, altitude, false, &site), SCIARA_ERR_INPUT, "north-western corner");
  expect_error(sciara_site_from_array(&grid, "EPSG:4326", altitude, false, &site), SCIARA_ERR_INPUT,
               "not a projected CRS in metres");
  expect_error(sciara_site_from_array(&grid, "EPSG:3857", altitude, false, &site), SCIARA_ERR_INPUT,
               "expected a CRS in which 1 m on the ground is 0.995 to 1.005 m, found \"EPSG:3857\"");
  expect_error(sciara_site_from_dem(in_folder("none.tif"), NULL, 0, false, &site), SCIARA_ERR_IO, "none.tif");
  expect_error(sciara_site_from_dem(in_folder("dem.asc"), NULL, -1, false, &site), SCIARA_ERR_USAGE,
               "cell_size_m: expected 0 m or more, found -1 m");
}

// ------------------------------------------------------------------------------------------------------ initial lava

/** Lava 2 to 4 m thick in some cells; temperatures there. NaN and -9999 elsewhere. */
static void fill_lava(double *thickness, double *temperature) {
  for (int i = 0; i < CELLS; i++) {
    const int row = i / COLS, col = i % COLS;
    const bool lava = row >= 5 && row < 9 && col >= 10 && col < 16;
    thickness[i] = lava ? 2 + 0.1 * (row + col % 7) : i % 2 ? (double)NAN : -9999;
    temperature[i] = lava ? 1200 + col : (double)NAN;
  }
}

/** A raster on the grid; NaN becomes NODATA. */
static void write_raster(const char *name, const double *values) {
  FILE *f = fopen(in_folder(name), "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f, "ncols 40\nnrows 30\nxllcorner 500000\nyllcorner 4177000\ncellsize 10\nNODATA_value -9999\n");
  for (int i = 0; i < CELLS; i++) fprintf(f, "%.17g ", isnan(values[i]) ? -9999 : values[i]);
  ck_assert_int_eq(fclose(f), 0);
}

static double initial_m3(struct sciara *s) {
  struct sciara_ledger ledger;
  expect_ok(sciara_read_ledger(s, &ledger));
  return ledger.initial_m3;
}

// A run of initial lava alone, without a vent; its checkpoint needs neither the array nor the raster again.
TEST(initial_lava_and_checkpoints) {
  double h[CELLS], T[CELLS];
  OWNED(release_site) const struct sciara_site *site = memory_site(false);
  struct sciara_scenario *c;
  struct sciara *s, *again;
  const char *json;
  fill_lava(h, T);
  write_raster("h.asc", h);
  for (int from_file = 0; from_file < 2; from_file++) {
    expect_ok(sciara_scenario_create(&c));
    expect_ok(sciara_scenario_set(c, "engine.name", "serial"));
    if (from_file)
      expect_ok(sciara_scenario_set(c, "initial.thickness", in_folder("h.asc")));
    else
      expect_ok(sciara_scenario_set_initial_lava(c, ROWS, COLS, h, T));
    expect_ok(sciara_scenario_json(c, &json));
    ck_assert((strstr(json, "\"temperature\": \"memory\"") != NULL) == !from_file);
    s = create(c, site);
    ck_assert_double_gt(initial_m3(s), 0);
    expect_ok(sciara_step(s, 20));
    expect_ok(sciara_write_checkpoint(s, in_folder("lava.h5")));
    ck_assert(!from_file || unlink(in_folder("h.asc")) == 0);
    expect_ok(sciara_open_checkpoint(in_folder("lava.h5"), site, NULL, 0, &again));
    ck_assert(initial_m3(s) == initial_m3(again));
    expect_ok(sciara_step(s, 20));
    expect_ok(sciara_step(again, 20));
    ck_assert_uint_eq(checksum_of(s), checksum_of(again));
    sciara_close(s);
    sciara_close(again);
    sciara_scenario_close(c);
  }
}

// -------------------------------------------------------------------------------------------------------- own loop

// A DEM that is read has the requested cell size and precision.
TEST(sites_from_files) {
  OWNED(release_site) const struct sciara_site *site;
  struct sciara_grid_info g;
  OWNED(close_run) struct sciara *s;
  expect_ok(sciara_site_from_dem(in_folder("dem.asc"), "EPSG:32633", 20, true, &site));
  sciara_site_read_grid(site, &g);
  ck_assert(g.cell_size_m == 20 && g.rows == ROWS / 2 && g.cols == COLS / 2);
  OWNED(close_scenario) struct sciara_scenario *c = built();
  expect_error(sciara_create(c, site, &s), SCIARA_ERR_INPUT, "engine.precision: expected \"single\"");
  expect_ok(sciara_scenario_set(c, "engine.precision", "single"));
  expect_ok(sciara_scenario_set(c, "vents.0.row", "4"));
  expect_ok(sciara_scenario_set(c, "vents.0.col", "10"));
  s = create(c, site);
  expect_ok(sciara_step(s, 2));
}

static bool until_step_30(void *context, const struct sciara_progress *now) {
  (*(int *)context)++;
  return now->step < 30;
}

static void keep_message(void *context, enum sciara_message kind, const char *text) {
  if (kind == SCIARA_MESSAGE_INFO) snprintf((char *)context, 256, "%s", text);
}

// A time, a step or the caller end an advance; the run continues from there as if it had not stopped.
TEST(advances) {
  OWNED(close_run) struct sciara *whole = open_file(NULL, NULL), *s = open_file(NULL, NULL);
  int calls = 0;
  struct sciara_advance_options options = {.step = 20};
  expect_ok(sciara_advance(s, &options));
  ck_assert_uint_eq(progress_of(s).step, 20);
  expect_ok(sciara_advance(s, &options)); // is there
  ck_assert_uint_eq(progress_of(s).step, 20);
  char heard[256] = "";
  sciara_set_log(keep_message, heard);
  expect_ok(sciara_advance(s, &(struct sciara_advance_options){.step = 19})); // in the past: nothing, and a message
  ck_assert_uint_eq(progress_of(s).step, 20);
  ck_assert_msg(strstr(heard, "the step is 20 already, found the limit 19"), "%s", heard);
  expect_ok(sciara_advance(s, &(struct sciara_advance_options){.time_s = 0.5}));
  ck_assert_uint_eq(progress_of(s).step, 20);
  ck_assert_msg(strstr(heard, "already, found the limit 0.5 s"), "%s", heard);
  sciara_set_log(NULL, NULL);
  options = (struct sciara_advance_options){.time_s = progress_of(s).time_s + 10};
  expect_ok(sciara_advance(s, &options));
  ck_assert(progress_of(s).time_s >= options.time_s && progress_of(s).step > 20 && !progress_of(s).finished);
  options = (struct sciara_advance_options){.step = 100, .progress = until_step_30, .context = &calls};
  expect_ok(sciara_advance(s, &options));
  ck_assert_int_gt(calls, 0);
  expect_error(sciara_advance(s, &(struct sciara_advance_options){.time_s = NAN}), SCIARA_ERR_USAGE,
               "time_s: expected 0 s (no limit) or more, found nan s");
  sciara_cancel(s);
  const uint64_t before = progress_of(s).step;
  expect_ok(sciara_run(s)); // cancelled before it began: at most one step
  ck_assert_uint_le(progress_of(s).step, before + 1);
  ck_assert(!progress_of(s).finished);
  expect_ok(sciara_step(s, UINT64_MAX)); // as many as the stop rule allows
  ck_assert(progress_of(s).finished);
  expect_ok(sciara_advance(s, NULL));
  expect_ok(sciara_run(whole));
  ck_assert(progress_of(s).finished);
  ck_assert_uint_eq(checksum_of(s), checksum_of(whole));
}

// A time that no longer grows ends no run: each further call reports it. Times in scenarios are too small for a real one.
TEST(a_run_that_stands_still) {
  OWNED(close_run) struct sciara *s = open_file(NULL, NULL);
  expect_ok(sciara_step(s, 10));
  s->simulation->finished = SCIARA_STOP_STALLED;
  ck_assert(!progress_of(s).finished && !progress_of(s).solidified);
  s->simulation->finished = SCIARA_STOP_STEPS;
  ck_assert(progress_of(s).finished && !progress_of(s).solidified);
}

static void *cancel_soon(void *context) {
  usleep(50000);
  sciara_cancel((struct sciara *)context);
  return NULL;
}

TEST(cancelled_by_another_thread) {
  OWNED(close_run) struct sciara *s = open_file(NULL, "run={\"until\": \"1000 d\"}");
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, s), 0);
  expect_ok(sciara_run(s));
  pthread_join(thread, NULL);
  ck_assert(!progress_of(s).finished);
}

// A view is the field, stays where it is, and follows the steps.
TEST(views) {
  OWNED(close_run) struct sciara *s = open_file(NULL, NULL);
  const double *view, *again;
  double copy[CELLS];
  expect_ok(sciara_step(s, 50));
  expect_ok(sciara_view_field(s, SCIARA_FIELD_DEPOSIT, &view));
  expect_ok(sciara_read_field(s, SCIARA_FIELD_DEPOSIT, copy, CELLS));
  ck_assert(memcmp(view, copy, sizeof copy) == 0);
  expect_ok(sciara_view_field(s, SCIARA_FIELD_DEPOSIT, &again));
  ck_assert_ptr_eq(view, again);
  expect_ok(sciara_step(s, 50));
  expect_ok(sciara_view_field(s, SCIARA_FIELD_DEPOSIT, &again));
  ck_assert(memcmp(again, copy, sizeof copy) != 0);
  expect_ok(sciara_read_field(s, SCIARA_FIELD_DEPOSIT, copy, CELLS));
  ck_assert(memcmp(again, copy, sizeof copy) == 0);
  expect_error(sciara_view_field(s, SCIARA_FIELD_MAX_SPEED, &view), SCIARA_ERR_USAGE,
               "expected a recorded field, found max_speed");
  ck_assert_ptr_null(view);
  char text[64];
  snprintf(text, sizeof text, "expected a field from 0 to %d, found %d", SCIARA_FIELD_COUNT - 1, SCIARA_FIELD_COUNT);
  expect_error(sciara_view_field(s, SCIARA_FIELD_COUNT, &view), SCIARA_ERR_USAGE, text);
  double one[1];
  expect_error(sciara_read_field(s, SCIARA_FIELD_DEPOSIT, one, 1), SCIARA_ERR_USAGE,
               "expected room for 1200 values, found 1");
}

static double rate_of(const struct sciara *s) {
  double rate;
  expect_ok(sciara_read_rate(s, 0, &rate));
  return rate;
}

// The present rate is that of the table at the present time: from each of its times on, 0 before and after.
TEST(rates_at_a_time) {
  struct sciara *s = open_file(NULL, "vents.0={\"row\": 8, \"col\": 20, \"start\": 30, \"effusion\": {\"slot\": 30, "
                                     "\"rates_m3_s\": [5, 0, 7]}}");
  double rate;
  ck_assert(rate_of(s) == 0);
  for (struct sciara_progress p = progress_of(s); !p.finished; p = progress_of(s)) {
    const double t = p.time_s;
    ck_assert(rate_of(s) == (t < 30 || t >= 120 ? 0 : t < 60 ? 5 : t < 90 ? 0 : 7));
    expect_ok(sciara_step(s, 1));
  }
  ck_assert_double_gt(progress_of(s).time_s, 120);
  expect_error(sciara_read_rate(s, 1, &rate), SCIARA_ERR_USAGE,
               "sciara_read_rate: expected one of 1 vents, from 0; found vent 1");
  expect_error(sciara_read_rate(s, 0, NULL), SCIARA_ERR_USAGE, "expected rate_m3_s, found NULL");
  sciara_close(s);
  s = open_file(NULL, "vents.0={\"line\": [[500155, 4177215], [500255, 4177205]], \"effusion\": {\"slot\": 30, "
                      "\"rates_m3_s\": [6]}}");
  ck_assert(rate_of(s) == 6); // of the whole fissure
  sciara_close(s);
}

/** The scenario that a checkpoint holds, on that site, from its start. */
static struct sciara *stored_scenario(const char *name, const struct sciara_site *site) {
  OWNED(sciara_checkpoint_free) struct sciara_checkpoint header;
  OWNED(close_scenario) struct sciara_scenario *c;
  expect_ok(sciara_checkpoint_read_header(in_folder(name), &header));
  expect_ok(sciara_scenario_from_json(header.scenario_json, folder, &c));
  struct sciara *s = create(c, site);
  return s;
}

// The same rate from now on changes no bit; another one is that of a scenario that said so from the start.
TEST(rates_that_change) {
  OWNED(close_run)
  struct sciara *plain = open_file(NULL, NULL), *same = open_file(NULL, NULL), *other = open_file(NULL, NULL);
  char table[128];
  expect_ok(sciara_step(same, 40));
  expect_ok(sciara_set_rate(same, "vent 1", 5, 86400));
  expect_ok(sciara_step(same, 40));
  expect_ok(sciara_run(plain));
  expect_ok(sciara_run(same));
  ck_assert_uint_eq(checksum_of(same), checksum_of(plain));
  expect_ok(sciara_step(other, 40));
  const double now = progress_of(other).time_s;
  expect_ok(sciara_set_rate(other, "vent 1", 12.5, now + 100));
  const char *name;
  double end;
  expect_ok(sciara_read_vent(other, 0, &name, &end));
  ck_assert_double_eq(end, now + 100);
  ck_assert(rate_of(other) == 12.5 && rate_of(plain) == 5);
  expect_ok(sciara_run(other));
  ck_assert_uint_ne(checksum_of(other), checksum_of(plain));
  snprintf(table, sizeof table, "vents.0.effusion={\"table\": [[0, 5], [%.17g, 12.5], [%.17g, 0]]}", now, now + 100);
  OWNED(close_run) struct sciara *known = open_file(NULL, table);
  expect_ok(sciara_run(known));
  ck_assert_uint_eq(checksum_of(other), checksum_of(known));
  struct sciara_ledger ledger;
  expect_ok(sciara_read_ledger(other, &ledger));
  ck_assert(fabs(ledger.residual_m3) <= ledger.bound_m3);
}

// After the end of all vents a new rate starts the flow again; a run that was solid is not finished any more.
TEST(a_vent_that_opens_again) {
  OWNED(close_run) struct sciara *s = open_file(NULL, "vents.0.effusion={\"table\": [[0, 5], [60, 0]]}");
  const struct sciara_advance_options until = {.time_s = 90};
  struct sciara_ledger ledger;
  expect_ok(sciara_advance(s, &until));
  const double now = progress_of(s).time_s;
  ck_assert(rate_of(s) == 0);
  expect_ok(sciara_set_rate(s, "vent 1", 7, now + 30));
  ck_assert(rate_of(s) == 7);
  expect_ok(sciara_write_checkpoint(s, in_folder("gap.h5")));
  expect_ok(sciara_run(s));
  expect_ok(sciara_read_ledger(s, &ledger));
  ck_assert_double_eq_tol(ledger.emitted_m3, 5 * 60 + 7 * 30, 1e-9);
  // The stored scenario closes the vent in between: run from its start it emits as much.
  OWNED(close_run) struct sciara *stored = stored_scenario("gap.h5", NULL);
  expect_ok(sciara_run(stored));
  expect_ok(sciara_read_ledger(stored, &ledger));
  ck_assert_double_eq_tol(ledger.emitted_m3, 5 * 60 + 7 * 30, 1e-9);
}

// What is solid flows again from a vent that opens.
TEST(a_run_that_was_solid) {
  static const char *const overrides[] = {"engine.name=serial", "model.cooling=1e5", "run.max_steps=null",
                                          "vents.0.effusion={\"table\": [[0, 5], [10, 0]]}"};
  OWNED(close_run) struct sciara *s;
  struct sciara_ledger ledger;
  expect_ok(sciara_open(in_folder("s.json"), overrides, 4, &s));
  expect_ok(sciara_run(s));
  ck_assert(progress_of(s).solidified && progress_of(s).finished);
  const double now = progress_of(s).time_s;
  expect_ok(sciara_set_rate(s, "vent 1", 7, now + 30));
  ck_assert(!progress_of(s).solidified && !progress_of(s).finished);
  expect_ok(sciara_run(s));
  ck_assert(progress_of(s).solidified && progress_of(s).time_s > now + 29);
  expect_ok(sciara_read_ledger(s, &ledger));
  ck_assert_double_eq_tol(ledger.emitted_m3, 5 * 10 + 7 * 30, 1e-9);
}

/** Times that lava left the domain, as a checkpoint says. */
static uint64_t losses_in(const char *name) {
  OWNED(sciara_checkpoint_free) struct sciara_checkpoint header;
  expect_ok(sciara_checkpoint_read_header(in_folder(name), &header));
  const uint64_t losses = header.losses;
  return losses;
}

// A checkpoint has the rates that were set, counted from the start of the run, and all losses.
TEST(checkpoints_after_a_change) {
  static const char *const overrides[] = {"engine.name=serial",
                                          "vents.0={\"row\": 28, \"col\": 20, \"start\": 20, \"effusion\": {\"slot\": "
                                          "86400, \"rates_m3_s\": [50]}}"};
  OWNED(close_run) struct sciara *s, *again;
  const char *name;
  double end;
  expect_ok(sciara_open(in_folder("s.json"), overrides, 2, &s));
  expect_ok(sciara_step(s, 60));
  expect_ok(sciara_write_checkpoint(s, in_folder("before.h5")));
  const uint64_t before = losses_in("before.h5");
  ck_assert_uint_gt(before, 0);
  expect_ok(sciara_set_rate(s, "vent 1", 9, 5000));
  expect_ok(sciara_step(s, 20));
  expect_ok(sciara_write_checkpoint(s, in_folder("after.h5")));
  ck_assert_uint_gt(losses_in("after.h5"), before);
  expect_ok(sciara_open_checkpoint(in_folder("after.h5"), NULL, NULL, 0, &again));
  expect_ok(sciara_read_vent(again, 0, &name, &end));
  ck_assert_double_eq(end, 5000);
  expect_ok(sciara_run(s));
  expect_ok(sciara_run(again));
  ck_assert_uint_eq(checksum_of(s), checksum_of(again));
}

TEST(vents_that_are_refused) {
  struct sciara_scenario *c = built();
  const double times[] = {0, NAN}, same[] = {0, 10, 10}, rates[] = {1, 2};
  struct sciara_vent v = vent;
  v.times_s = times;
  expect_error(sciara_scenario_add_vent(c, &v), SCIARA_ERR_USAGE, "time 1: expected ascending times, found nan s");
  v.times_s = same;
  v.rates_m3_s = rates;
  v.rate_count = 2;
  expect_error(sciara_scenario_add_vent(c, &v), SCIARA_ERR_USAGE, "time 2: expected ascending times, found 10 s");
  v = vent;
  v.place = (enum sciara_vent_place)7; // NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange)
  expect_error(sciara_scenario_add_vent(c, &v), SCIARA_ERR_USAGE, "expected a place from 0 to 3, found 7");
  sciara_scenario_close(c);
}

TEST(rates_that_are_refused) {
  OWNED(close_run) struct sciara *s = open_file(NULL, NULL), *plain = open_file(NULL, NULL);
  expect_ok(sciara_step(s, 20));
  const double now = progress_of(s).time_s;
  expect_error(sciara_set_rate(s, "summit", 5, now + 1), SCIARA_ERR_USAGE,
               "expected the name of a vent: \"vent 1\"; found \"summit\"");
  expect_error(sciara_set_rate(s, "vent 1", -1, now + 1), SCIARA_ERR_USAGE,
               "rate: expected 0 to 1e6 m3/s, found -1 m3/s");
  expect_error(sciara_set_rate(s, "vent 1", NAN, now + 1), SCIARA_ERR_USAGE, "found nan m3/s");
  expect_error(sciara_set_rate(s, "vent 1", 5, now), SCIARA_ERR_USAGE, "end of the rate");
  expect_error(sciara_set_rate(s, "vent 1", 5, INFINITY), SCIARA_ERR_USAGE, "(now) to 1e12 s, found inf s");
  expect_error(sciara_set_rate(s, "vent 1", 1e-300, now + 1), SCIARA_ERR_INPUT,
               "vents[0].effusion"); // no normal number
  const char *name;
  double end;
  expect_ok(sciara_read_vent(s, 0, &name, &end));
  ck_assert_double_eq(end, 86400); // as before
  expect_ok(sciara_run(s));
  expect_ok(sciara_run(plain));
  ck_assert_uint_eq(checksum_of(s), checksum_of(plain)); // nothing was changed by any of them
}

// ----------------------------------------------------------------------------------------------------------- outputs

// A checkpoint continues bit by bit: on a site, on the DEM of its scenario, and with a rate that was changed before.
TEST(checkpoints) {
  struct sciara *s = open_file(NULL, NULL), *again;
  OWNED(release_site) const struct sciara_site *site = memory_site(false);
  expect_ok(sciara_step(s, 40));
  expect_ok(sciara_set_rate(s, "vent 1", 9, 5000));
  expect_ok(sciara_step(s, 10));
  expect_ok(sciara_write_checkpoint(s, in_folder("state.h5")));
  expect_ok(sciara_run(s));
  for (int k = 0; k < 2; k++) {
    expect_ok(sciara_open_checkpoint(in_folder("state.h5"), k ? site : NULL, NULL, 0, &again));
    ck_assert_uint_eq(progress_of(again).step, 50);
    expect_ok(sciara_run(again));
    ck_assert_uint_eq(checksum_of(again), checksum_of(s));
    sciara_close(again);
  }
  const char *later[] = {"run.max_steps=200"};
  expect_ok(sciara_open_checkpoint(in_folder("state.h5"), site, later, 1, &again));
  expect_ok(sciara_run(again));
  ck_assert_uint_eq(progress_of(again).step, 200);
  sciara_close(again);
  double altitude[CELLS];
  OWNED(release_site) const struct sciara_site *other;
  fill(altitude);
  altitude[17] += 1e-9;
  expect_ok(sciara_site_from_array(&grid, "EPSG:32633", altitude, false, &other));
  expect_error(sciara_open_checkpoint(in_folder("state.h5"), other, NULL, 0, &again), SCIARA_ERR_INPUT, "state.h5");
  ck_assert_ptr_null(again);
  expect_error(sciara_open_checkpoint(in_folder("none.h5"), site, NULL, 0, &again), SCIARA_ERR_IO, "none.h5");
  expect_error(sciara_open_checkpoint(in_folder("s.json"), site, NULL, 0, &again), SCIARA_ERR_INPUT, "s.json");
  sciara_close(s);
  OWNED(close_scenario) struct sciara_scenario *c = built();
  s = create(c, site);
  expect_ok(sciara_write_checkpoint(s, in_folder("memory.h5")));
  expect_error(sciara_open_checkpoint(in_folder("memory.h5"), NULL, NULL, 0, &again), SCIARA_ERR_INPUT,
               "had a DEM in memory");
  expect_ok(sciara_open_checkpoint(in_folder("memory.h5"), site, NULL, 0, &again));
  sciara_close(again);
  sciara_close(s);
}

// ------------------------------------------------------------------------------------------------------------- rest

static char messages[8192];

static void note(void *context, enum sciara_message kind, const char *text) {
  (void)context;
  snprintf(messages + strlen(messages), sizeof messages - strlen(messages), "%d %s\n", (int)kind, text);
}

TEST(messages_go_to_the_caller) {
  double altitude[CELLS];
  const struct sciara_site *site;
  fill(altitude);
  messages[0] = '\0';
  sciara_set_log(note, NULL);
  expect_ok(sciara_site_from_array(&grid, NULL, altitude, false, &site));
  sciara_site_release(site);
  ck_assert_msg(strstr(messages, "2 the array of altitudes: no CRS is given") != NULL, "%s", messages);
  sciara_set_log(NULL, NULL);
  messages[0] = '\0';
  expect_ok(sciara_site_from_array(&grid, NULL, altitude, false, &site));
  sciara_site_release(site);
  ck_assert_str_eq(messages, "");
}

/** Resident memory of this process, bytes. */
static long resident(void) {
  long size, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  ck_assert(f && fscanf(f, "%ld %ld", &size, &pages) == 2);
  fclose(f);
  return pages * sysconf(_SC_PAGESIZE);
}

// A thousand runs from memory in one process, each with a view, a changed rate and an error: memory does not grow.
TEST(a_thousand_runs) {
  long before = 0;
  for (int k = 0; k < 1000; k++) {
    const struct sciara_site *site = memory_site(k % 2);
    struct sciara_scenario *c = built();
    const double *view;
    if (k % 2) expect_ok(sciara_scenario_set(c, "engine.precision", "single"));
    struct sciara *s = create(c, site);
    expect_ok(sciara_step(s, 3));
    expect_ok(sciara_set_rate(s, "vent 1", 4, 1000));
    expect_ok(sciara_step(s, 3));
    expect_ok(sciara_view_field(s, SCIARA_FIELD_THICKNESS, &view));
    expect_error(sciara_set_rate(s, "none", 4, 1000), SCIARA_ERR_USAGE, "found \"none\"");
    sciara_close(s);
    sciara_scenario_close(c);
    sciara_site_release(site);
    if (k == 199) before = resident();
  }
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  const bool watched = true;
#else
  const bool watched = getenv("SCIARA_WATCHED") != NULL; // by valgrind
#endif
  const long most = watched ? INT64_MAX / 2 : 2000000; // the memory of what watches grows
  ck_assert_msg(resident() - before < most, "%ld bytes more after 800 more runs", resident() - before);
}

// NULL in any place is an error that names the function, or has no effect.
TEST(null_is_refused) {
  struct sciara_scenario *c;
  struct sciara *s;
  struct sciara_progress p;
  struct sciara_grid_info g;
  struct sciara_scores score;
  const struct sciara_site *site;
  const double *view;
  double values[1];
  const enum sciara_status found[] = {sciara_scenario_open(NULL, &c),
                                      sciara_scenario_open("x", NULL),
                                      sciara_scenario_from_json(NULL, NULL, &c),
                                      sciara_scenario_from_json("{}", NULL, NULL),
                                      sciara_scenario_create(NULL),
                                      sciara_scenario_set(NULL, "a", "b"),
                                      sciara_scenario_set_number(NULL, "a", 1),
                                      sciara_scenario_add_vent(NULL, &vent),
                                      sciara_scenario_json(NULL, NULL),
                                      sciara_scenario_set_initial_lava(NULL, 1, 1, values, NULL),
                                      sciara_site_open(NULL, NULL, 0, &site),
                                      sciara_site_from_dem(NULL, NULL, 0, false, &site),
                                      sciara_site_from_array(NULL, NULL, values, false, &site),
                                      sciara_site_from_array(&grid, NULL, NULL, false, &site),
                                      sciara_site_from_array(&grid, NULL, values, false, NULL),
                                      sciara_create(NULL, NULL, &s),
                                      sciara_open_run(NULL, NULL, 0, &s),
                                      sciara_open_run("x", (const char *const[]){NULL}, 1, &s),
                                      sciara_open_checkpoint(NULL, NULL, NULL, 0, &s),
                                      sciara_step(NULL, 1),
                                      sciara_run(NULL),
                                      sciara_advance(NULL, NULL),
                                      sciara_set_rate(NULL, "a", 1, 1),
                                      sciara_read_vent(NULL, 0, NULL, NULL),
                                      sciara_read_rate(NULL, 0, values),
                                      sciara_read_field(NULL, SCIARA_FIELD_DEPOSIT, values, 1),
                                      sciara_view_field(NULL, SCIARA_FIELD_DEPOSIT, &view),
                                      sciara_read_ledger(NULL, NULL),
                                      sciara_checksum(NULL, NULL),
                                      sciara_write_snapshot(NULL, "x.nc"),
                                      sciara_write_checkpoint(NULL, "x"),
                                      sciara_write_map(NULL, SCIARA_FIELD_DEPOSIT, "x.tif"),
                                      sciara_score(NULL, "x", NULL, 0, &score),
                                      sciara_read_engine(0, NULL)};
  for (size_t k = 0; k < sizeof found / sizeof *found; k++)
    ck_assert_msg(found[k] == SCIARA_ERR_USAGE, "call %zu gave %d", k, found[k]);
  sciara_read_progress(NULL, &p);
  sciara_read_grid(NULL, &g);
  sciara_site_read_grid(NULL, &g);
  sciara_read_crs(NULL, NULL, NULL);
  const char *text = "";
  sciara_site_read_crs(NULL, &text, NULL);
  ck_assert_ptr_null(text);
  sciara_cancel(NULL);
  sciara_close(NULL);
  ck_assert(p.step == 0 && g.rows == 0);
  ck_assert_str_eq(sciara_read_engine_name(NULL), "");
  ck_assert_str_eq(sciara_read_rule_name(NULL), "");
  ck_assert(isinf(sciara_read_end_time(NULL)));
  ck_assert_ptr_null(sciara_field_unit(SCIARA_FIELD_COUNT));
  ck_assert_str_eq(sciara_field_unit(SCIARA_FIELD_SPEED), "m s-1");
  ck_assert_ptr_null(sciara_field_description(SCIARA_FIELD_COUNT));
  ck_assert_str_eq(sciara_field_description(SCIARA_FIELD_SPEED), "speed of liquid lava");
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
