// SPDX-License-Identifier: Apache-2.0
// A resumed run: the contents of run.json and series.nc before its first step and after its last, how the times of both
// parts add up, and which dem.tif it uses.
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/wallclock.h"
#include "map/raster_gdal.h"
#include "run/checkpoints.h"
#include "run/run.h"
#include "run_case.h"
#include "terrain/dem_gdal.h"

static const char long_ago[] = "2001-02-03T04:05:06Z";

int __wrap_fsync(int fd);
int __wrap_fsync(int fd) { // in place of the C library's, by the linker: loss of power is not tested here
  (void)fd;
  return 0;
}

static void setup(void) { run_case_make("\"every\": \"15 s\", \"checkpoint_every\": \"40 s\""); }

/** `spy` is called once, before the first step of a simulation that was given to `watch_first_step`. */
static struct sciara_engine_ops spied;
static enum sciara_status (*real_advance)(void *, const struct sciara_stop *, struct sciara_engine_progress *);
static void (*spy)(void);

static enum sciara_status advance(void *engine, const struct sciara_stop *stop, struct sciara_engine_progress *p) {
  void (*const now)(void) = spy;
  spy = NULL;
  if (now) now();
  return real_advance(engine, stop, p);
}

static void watch_first_step(struct sciara_simulation *s, void (*observer)(void)) {
  spied = *s->ops;
  real_advance = spied.advance;
  spied.advance = advance;
  spy = observer;
  s->ops = &spied;
}

static struct sciara_run_result run(struct sciara_simulation *s, struct sciara_resume *resume) {
  struct sciara_run_result result;
  const struct sciara_run_options how = {.history = "a test", .resume = resume};
  ck_assert_msg(sciara_run_to_end(s, &how, &result) == SCIARA_OK, "%s", sciara_last_error());
  sciara_simulation_destroy(s);
  return result;
}

static void set_times(const char *text, struct sciara_run_json *r) {
  snprintf(r->started_utc, sizeof r->started_utc, "%s", text);
  snprintf(r->updated_utc, sizeof r->updated_utc, "%s", text);
  snprintf(r->ended_utc, sizeof r->ended_utc, "%s", text);
}

/** A run that was stopped long ago at that step; its newest checkpoint is of that step. */
static void end_at(uint64_t step) {
  struct sciara_simulation *s = run_case_open("serial");
  s->until_step = step;
  run(s, NULL);
  struct sciara_run_json r = run_case_record(out);
  char *path = sciara_path_join(out, SCIARA_RUN_JSON);
  r.status = SCIARA_RUN_STOPPED;
  set_times(long_ago, &r);
  ck_assert_int_eq(sciara_run_json_set(&r.stop_reason, "cancel"), SCIARA_OK);
  ck_assert_int_eq(sciara_run_json_write(&r, path), SCIARA_OK);
  sciara_run_json_free(&r);
  free(path);
}

/** The same without its newest checkpoint, so that it is resumed from an earlier step. */
static void stopped_run(uint64_t step) {
  end_at(step);
  char *checkpoints = sciara_path_join(out, SCIARA_CHECKPOINT_FOLDER);
  char *newest = sciara_checkpoint_path(checkpoints, step);
  ck_assert_int_eq(unlink(newest), 0);
  free(newest);
  free(checkpoints);
}

/** series.nc of the run in `out` contains the times of these snapshots, and refers to them. */
static void expect_series(const struct sciara_run_json *r, size_t count) {
  double times[64];
  char *path = sciara_path_join(out, "series.nc"), name[128];
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  ck_assert_int_ge(file, 0);
  const hid_t axis = H5Dopen2(file, "time", H5P_DEFAULT), field = H5Dopen2(file, "thickness", H5P_DEFAULT);
  const hid_t space = H5Dget_space(axis), plist = H5Dget_create_plist(field);
  size_t sources;
  ck_assert_int_eq(H5Sget_simple_extent_npoints(space), (int)count);
  ck_assert_int_ge(H5Dread(axis, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times), 0);
  ck_assert_int_ge(H5Pget_virtual_count(plist, &sources), 0);
  ck_assert_uint_eq(sources, count);
  for (size_t k = 0; k < count; k++) {
    ck_assert_int_gt(H5Pget_virtual_filename(plist, k, name, sizeof name), 0);
    ck_assert_str_eq(name, r->snapshots[k].name);
    ck_assert_double_eq(times[k], r->snapshots[k].time_s);
  }
  H5Pclose(plist);
  H5Sclose(space);
  H5Dclose(field);
  H5Dclose(axis);
  H5Fclose(file);
  free(path);
}

static struct sciara_resume resumed; ///< the run under test, for `spy`
static char begin_utc[SCIARA_DATE_SIZE];

static void expect_between(const char *first, const char *text, const char *last) {
  ck_assert_msg(strcmp(first, text) <= 0 && strcmp(text, last) <= 0, "%s is not between %s and %s", text, first, last);
}

/** Before the first step the folder shows the state at the checkpoint. */
static void check_before_first_step(void) {
  struct sciara_run_json r = run_case_record(out);
  const struct sciara_checkpoint *c = &resumed.from;
  char now[SCIARA_DATE_SIZE];
  sciara_date_now(now);
  ck_assert_int_eq(r.status, SCIARA_RUN_RUNNING);
  ck_assert_ptr_null(r.stop_reason);
  ck_assert_str_eq(r.started_utc, long_ago);
  ck_assert_str_eq(r.ended_utc, "");
  expect_between(begin_utc, r.updated_utc, now);
  ck_assert_uint_eq(r.snapshot_count, c->snapshots);
  ck_assert_uint_eq(r.step, c->step);
  ck_assert_double_eq(r.time_s, c->time_s);
  ck_assert_double_eq(r.clock_s, c->clock_s);
  ck_assert_double_eq(r.ledger.emitted_m3, c->emitted_m3);
  ck_assert_double_ge(r.wall_s, c->wall_s);
  ck_assert_double_eq(r.compute_s, c->compute_s);
  ck_assert_double_eq(r.output_wait_s, c->output_wait_s);
  ck_assert_uint_eq(r.resumption_count, 1);
  expect_series(&r, r.snapshot_count);
  sciara_run_json_free(&r);
}

TEST(it_starts_at_the_checkpoint) {
  stopped_run(90);
  struct sciara_run_json before = run_case_record(out);
  expect_series(&before, before.snapshot_count);
  run_case_find(false, &resumed);
  ck_assert_uint_lt(resumed.from.snapshots, before.snapshot_count); // some are written again
  ck_assert_uint_gt(resumed.from.snapshots, 0);
  sciara_date_now(begin_utc);
  struct sciara_simulation *s = run_case_resume(&resumed, "serial", NULL);
  watch_first_step(s, check_before_first_step);
  run(s, &resumed);
  ck_assert_msg(!spy, "there was no step");
  struct sciara_run_json r = run_case_record(out);
  ck_assert_int_eq(r.status, SCIARA_RUN_COMPLETE);
  ck_assert_uint_gt(r.snapshot_count, before.snapshot_count);
  for (size_t k = 0; k + 1 < before.snapshot_count;
       k++) // the last one was that of the step at which the run was stopped
    ck_assert_uint_eq(r.snapshots[k].step, before.snapshots[k].step);
  expect_series(&r, r.snapshot_count);
  sciara_run_json_free(&before);
  sciara_run_json_free(&r);
  sciara_resume_close(&resumed);
}

/** Times as if the part before the checkpoint had taken hours. */
static void pretend_hours(struct sciara_checkpoint *c) {
  c->wall_s = 36000;
  c->compute_s = 7200;
  c->output_wait_s = 1800;
}

static struct sciara_checkpoint newest_checkpoint(const char *run_folder) {
  struct sciara_checkpoint c;
  char *where = sciara_path_join(run_folder, SCIARA_CHECKPOINT_FOLDER);
  uint64_t *steps;
  size_t count;
  ck_assert_int_eq(sciara_checkpoints_list(where, &steps, &count), SCIARA_OK);
  ck_assert_uint_gt(count, 0);
  char *path = sciara_checkpoint_path(where, steps[0]);
  ck_assert_msg(sciara_checkpoint_verify(path, &c) == SCIARA_OK, "%s", sciara_last_error());
  free(path);
  free(steps);
  free(where);
  return c;
}

TEST(the_times_of_both_parts_add_up) {
  char now[SCIARA_DATE_SIZE];
  stopped_run(90);
  const double begin = sciara_wallclock();
  sciara_date_now(begin_utc);
  run_case_find(false, &resumed);
  pretend_hours(&resumed.from);
  const struct sciara_run_result result = run(run_case_resume(&resumed, "checked", NULL), &resumed);
  const double seconds = sciara_wallclock() - begin;
  sciara_date_now(now);
  struct sciara_run_json r = run_case_record(out);
  struct sciara_checkpoint c = newest_checkpoint(out);
  ck_assert_str_eq(r.started_utc, long_ago);
  ck_assert_str_eq(c.started_utc, long_ago);
  expect_between(begin_utc, r.ended_utc, now);
  expect_between(begin_utc, r.updated_utc, now);
  const double wall[] = {r.wall_s, c.wall_s, result.wall_s}, compute[] = {r.compute_s, c.compute_s},
               wait[] = {r.output_wait_s, c.output_wait_s};
  for (int k = 0; k < 3; k++) ck_assert(wall[k] > 36000 && wall[k] <= 36000 + seconds);
  for (int k = 0; k < 2; k++) ck_assert(compute[k] > 7200 && compute[k] <= 7200 + seconds);
  for (int k = 0; k < 2; k++) ck_assert(wait[k] > 1800 && wait[k] <= 1800 + seconds);
  sciara_checkpoint_free(&c);
  sciara_run_json_free(&r);
  sciara_resume_close(&resumed);
}

// A branch is a run of its own: the times of its parent are not added.
TEST(the_times_of_a_branch_are_its_own) {
  char branch[128], now[SCIARA_DATE_SIZE];
  snprintf(branch, sizeof branch, "%s/branch", folder);
  stopped_run(90);
  const double begin = sciara_wallclock();
  sciara_date_now(begin_utc);
  run_case_find(true, &resumed);
  pretend_hours(&resumed.from);
  run(run_case_resume(&resumed, "serial", branch), &resumed);
  const double seconds = sciara_wallclock() - begin;
  sciara_date_now(now);
  struct sciara_run_json r = run_case_record(branch), parent = run_case_record(out);
  expect_between(begin_utc, r.started_utc, r.ended_utc);
  expect_between(r.started_utc, r.ended_utc, now);
  ck_assert(r.wall_s <= seconds && r.compute_s <= seconds && r.output_wait_s <= seconds);
  ck_assert_str_eq(r.parent, out);
  ck_assert_uint_eq(r.parent_step, resumed.from.step);
  ck_assert_uint_eq(r.parent_checksum, resumed.from.checksum);
  ck_assert_uint_eq(r.resumption_count, 0);
  ck_assert_uint_gt(r.snapshots[0].step, resumed.from.step);
  ck_assert_str_eq(parent.ended_utc, long_ago);
  sciara_run_json_free(&parent);
  sciara_run_json_free(&r);
  sciara_resume_close(&resumed);
}

/** Resumes the run up to that step. */
static void resume_until(const char *engine, uint64_t until) {
  run_case_find(false, &resumed);
  struct sciara_simulation *s = run_case_resume(&resumed, engine, NULL);
  s->until_step = until;
  run(s, &resumed);
  sciara_resume_close(&resumed);
}

TEST(every_time_is_recorded) {
  static const char *const engine[] = {"checked", "serial", "openmp"};
  static const uint64_t until[] = {85, 100, 120};
  stopped_run(70);
  run_case_find(false, &resumed);
  const uint64_t from[] = {resumed.from.step, 85, 100};
  sciara_resume_close(&resumed);
  sciara_date_now(begin_utc);
  for (int k = 0; k < 3; k++) resume_until(engine[k], until[k]);
  struct sciara_run_json r = run_case_record(out);
  ck_assert_str_eq(r.engine, engine[2]);
  ck_assert_uint_eq(r.resumption_count, 3);
  for (int k = 0; k < 3; k++) {
    ck_assert_str_eq(r.resumptions[k].engine, engine[k]);
    ck_assert_uint_eq(r.resumptions[k].step, from[k]);
    expect_between(k ? r.resumptions[k - 1].utc : begin_utc, r.resumptions[k].utc, r.ended_utc);
  }
  sciara_run_json_free(&r);
}

// What was written after the checkpoint stays until it has been written again: a run that is resumed and stopped before
// that can be resumed again.
TEST(stopped_at_once_it_loses_nothing) {
  stopped_run(90);
  struct sciara_run_json before = run_case_record(out);
  const int cancel = 1;
  struct sciara_run_result result;
  run_case_find(false, &resumed);
  struct sciara_simulation *s = run_case_resume(&resumed, "serial", NULL);
  const struct sciara_run_options how = {.history = "a test", .resume = &resumed, .cancel = &cancel};
  ck_assert_msg(sciara_run_to_end(s, &how, &result) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_int_eq(result.end.reason, SCIARA_STOP_CANCEL);
  sciara_simulation_destroy(s);
  struct sciara_run_json after = run_case_record(out);
  ck_assert_uint_lt(after.snapshot_count, before.snapshot_count);
  for (size_t k = 0; k < before.snapshot_count; k++) {
    char *path = sciara_path_join(out, before.snapshots[k].name);
    ck_assert_msg(access(path, R_OK) == 0, "%s is gone", path);
    free(path);
  }
  sciara_resume_close(&resumed);
  run_case_find(false, &resumed); // now to the end
  run(run_case_resume(&resumed, "serial", NULL), &resumed);
  sciara_run_json_free(&after);
  after = run_case_record(out);
  ck_assert_uint_gt(after.snapshot_count, before.snapshot_count);
  sciara_run_json_free(&before);
  sciara_run_json_free(&after);
  sciara_resume_close(&resumed);
}

// -------------------------------------------------------------------------------------------------------------- dem.tif

static const struct {
  const char *name;
  double west, north, cell_size; ///< difference, m
  bool fits;
} moved[] = {{"as it was", 0, 0, 0, true},        {"rounded", 1e-9, -1e-9, 1e-10, true},
             {"other cells", 0, 0, 1e-5, false},  {"smaller cells", 0, 0, -1e-5, false},
             {"further east", 1e-3, 0, 0, false}, {"further south", 0, -1e-3, 0, false}};

TEST_EACH(dem_tif_must_not_move, sizeof moved / sizeof *moved) {
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_problem problem;
  struct sciara_dem dem;
  const struct sciara_problem_options options = {.override_count = 0};
  stopped_run(60);
  char *path = sciara_path_join(out, SCIARA_RUN_DEM);
  ck_assert_int_eq(sciara_dem_read(&(struct sciara_dem_request){.path = path, .band = 1}, &dem), SCIARA_OK);
  dem.grid.west += moved[_i].west;
  dem.grid.north += moved[_i].north;
  dem.grid.cell_size += moved[_i].cell_size;
  const struct sciara_map map = {.grid = &dem.grid,
                                 .georef = &dem.georef,
                                 .values = dem.altitude,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = "altitude",
                                 .unit = "m"};
  ck_assert_msg(sciara_map_write_geotiff(&map, true, path) == SCIARA_OK, "%s", sciara_last_error());
  run_case_find(false, &resumed);
  sciara_resume_problem(&resumed, &options, &problem, &diagnostics);
  ck_assert_msg((diagnostics.count == 0) == moved[_i].fits, "%s: %s", moved[_i].name, sciara_last_error());
  if (moved[_i].fits)
    ck_assert_int_eq(memcmp(&problem.grid, &resumed.from.identity.grid, sizeof problem.grid), 0);
  else
    ck_assert_msg(strstr(diagnostics.sentence[0], "another DEM: expected 30 rows x 40 columns"), "%s",
                  diagnostics.sentence[0]);
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  sciara_resume_close(&resumed);
  sciara_dem_free(&dem);
  free(path);
}

// The state of the checkpoint takes the place of initial lava, whose file may be gone: in the run folder and on a site.
TEST(initial_lava_is_not_read_again) {
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_problem problem;
  struct sciara_problem_options options = {0};
  folder_remove();
  run_case_make("\"checkpoint_every\": \"40 s\"}, \"initial\": {\"thickness\": \"h.asc\"");
  char *raster = sciara_path_join(folder, "h.asc"), *scenario = sciara_path_join(folder, "s.json");
  FILE *f = fopen(raster, "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f, "ncols 40\nnrows 30\nxllcorner 500000\nyllcorner 4177000\ncellsize 10\n");
  for (int i = 0; i < 30 * 40; i++) fprintf(f, "%d ", i == 10 * 40 + 20 ? 3 : 0);
  ck_assert_int_eq(fclose(f), 0);
  stopped_run(90);
  ck_assert_int_eq(unlink(raster), 0);
  ck_assert_int_eq(sciara_site_open(scenario, NULL, 0, &options.site), SCIARA_OK);
  for (int on_site = 0; on_site < 2; on_site++) {
    const struct sciara_problem_options none = {0};
    run_case_find(true, &resumed);
    sciara_resume_problem(&resumed, on_site ? &options : &none, &problem, &diagnostics);
    ck_assert_msg(diagnostics.count == 0, "%s", sciara_last_error());
    ck_assert(problem.state->initial == 300 && problem.state->step == resumed.from.step);
    sciara_problem_free(&problem);
    sciara_resume_close(&resumed);
  }
  sciara_site_release(options.site);
  free(raster);
  free(scenario);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
