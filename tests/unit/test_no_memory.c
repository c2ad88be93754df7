// SPDX-License-Identifier: Apache-2.0
// Each request for memory of the library's own code fails once: the operation reports it and releases what it had.
// The linker puts the functions below in place of the C library's (--wrap, tests/CMakeLists.txt), for the code of the
// project alone: the behaviour of GDAL and HDF5 without memory is not tested.
#include <pthread.h>

#include "analysis/timeseries.h"
#include "bench/bench_report.h"
#include "file/gdal_support.h"
#include "file/json_strict.h"
#include "run/run.h"
#include "sciara.h"
#include "store/run_json.h"
#include "store/snapshot_hdf5.h"
#include "support/folder.h"

enum { BLOCKS = 1 << 16 }; ///< a power of two, far above what is held at once

static struct {
  bool watching;
  uint64_t refused, requests; ///< the number of the request that fails; 0: none fails
  void *block[BLOCKS];        ///< blocks that were allocated and not freed: a hash table with open addressing
  int64_t held;
  uint64_t engine_from, engine_to; ///< the requests made while the engine was created
} memory;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);
int __wrap_fsync(int fd);

static size_t place_of(const void *p) {
  size_t k = ((uintptr_t)p >> 4) * 0x9e3779b1u % BLOCKS;
  while (memory.block[k] && memory.block[k] != p) k = (k + 1) % BLOCKS;
  return k;
}

static void *note(void *p) {
  if (!p) return p;
  pthread_mutex_lock(&one_at_a_time);
  if (memory.watching) {
    memory.block[place_of(p)] = p;
    memory.held++;
  }
  pthread_mutex_unlock(&one_at_a_time);
  return p;
}

/** Blocks allocated by a library (realpath, GDAL) are not in the table. */
static void forget(const void *p) {
  pthread_mutex_lock(&one_at_a_time);
  size_t k = place_of(p);
  if (p && memory.block[k]) {
    memory.block[k] = NULL;
    memory.held--;
    for (k = (k + 1) % BLOCKS; memory.block[k]; k = (k + 1) % BLOCKS) { // those behind it must still be found
      void *moved = memory.block[k];
      memory.block[k] = NULL;
      memory.block[place_of(moved)] = moved;
    }
  }
  pthread_mutex_unlock(&one_at_a_time);
}

static bool refuses(void) {
  pthread_mutex_lock(&one_at_a_time);
  const bool refused = memory.watching && ++memory.requests == memory.refused;
  pthread_mutex_unlock(&one_at_a_time);
  if (refused) errno = ENOMEM;
  return refused;
}

void *__wrap_malloc(size_t size) { return refuses() ? NULL : note(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return refuses() ? NULL : note(__real_calloc(count, size)); }

void *__wrap_realloc(void *p, size_t size) {
  if (refuses()) return NULL;
  forget(p);
  return note(__real_realloc(p, size));
}

/** The test does not wait for a disk. */
int __wrap_fsync(int fd) {
  (void)fd;
  return 0;
}

void __wrap_free(void *p) {
  forget(p);
  __real_free(p);
}

// -------------------------------------------------------------------------------------------------------- operations

static void write_dem(void) {
  FILE *f = fopen(in_folder("dem.asc"), "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f, "ncols 40\nnrows 30\nxllcorner 500000\nyllcorner 4177000\ncellsize 10\nNODATA_value -9999\n");
  for (int k = 0; k < 30 * 40; k++) fprintf(f, "%g\n", 1000 - 3 * (k / 40) - 0.5 * (k % 40) + k * 7 % 5 * 0.25);
  ck_assert_int_eq(fclose(f), 0);
}

static void setup(void) {
  folder_make();
  write_dem();
  write_text(in_folder("rates.csv"), "time_s,rate_m3_s\n0,5\n3600,0\n");
  write_text(in_folder("s.json"),
             "{\"dem\": {\"path\": \"dem.asc\", \"crs\": \"EPSG:32633\"}, \"run\": {\"max_steps\": 12},"
             " \"title\": \"none\", \"vents\": [{\"row\": 8, \"col\": 20, \"name\": \"a\","
             " \"effusion\": {\"csv\": \"rates.csv\"}},"
             " {\"line\": [[500100, 4177100], [500200, 4177150]], \"effusion\": {\"slot\": \"1 h\","
             " \"rates_m3_s\": [5]}}], \"output\": {\"folder\": \"out\", \"every\": \"6 s\"}}");
  write_text(in_folder("o.json"),
             "{\"type\": \"Polygon\", \"crs\": {\"type\": \"name\", \"properties\": {\"name\": \"EPSG:32633\"}}, "
             "\"coordinates\": [[[500100, 4177050], [500300, 4177050], [500300, 4177250],"
             " [500100, 4177050]]]}");
  write_text(in_folder("fit.json"),
             "{\"pairs\": [{\"scenario\": \"s.json\", \"observed\": \"o.json\"}], \"budget\": 9, \"unknowns\":"
             " [{\"key\": \"model.relaxation\", \"min\": 0.1, \"max\": 1}, {\"key\": \"rate_scale\","
             " \"min\": 0.5, \"max\": 2, \"log\": true}]}");
}

static enum sciara_status run_with(const char *engine, const char *maps) {
  char override[64];
  snprintf(override, sizeof override, "engine.name=%s", engine);
  const char *const overrides[] = {override, "engine.threads=1", maps};
  const struct sciara_problem_options how = {.overrides = overrides, .override_count = maps ? 3 : 2};
  const struct sciara_run_options options = {.overwrite = true, .history = "test"};
  struct sciara_problem problem;
  struct sciara_simulation *simulation;
  struct sciara_run_result result;
  SCIARA_TRY(sciara_problem_open(in_folder("s.json"), &how, &problem));
  memory.engine_from = memory.requests;
  enum sciara_status status =
      sciara_simulation_create(&problem, sciara_scenario_writes_on_the_way(&problem.source->scenario), &simulation);
  memory.engine_to = memory.requests;
  if (status == SCIARA_OK) {
    status = sciara_run_to_end(simulation, &options, &result);
    sciara_simulation_destroy(simulation);
  }
  sciara_problem_free(&problem);
  return status;
}

static enum sciara_status run_serial(void) { return run_with("serial", NULL); }
static enum sciara_status run_openmp(void) { return run_with("openmp", NULL); }
static enum sciara_status run_checked(void) { return run_with("checked", NULL); }
static enum sciara_status run_with_maps(void) { return run_with("serial", "output.maps=[\"deposit\"]"); }

static enum sciara_status read_run(void) {
  struct sciara_run_json record;
  struct sciara_snapshot s;
  double values[30 * 40];
  SCIARA_TRY(sciara_run_json_read(in_folder("out/run.json"), &record));
  char *path = NULL;
  enum sciara_status status = SCIARA_OK;
  if (record.snapshot_count > 0) path = sciara_format("%s/out/%s", folder, record.snapshots[0].name);
  if (!path) status = sciara_fail(SCIARA_ERR_MEMORY, "no memory for the test");
  sciara_run_json_free(&record);
  if (status == SCIARA_OK) status = sciara_snapshot_open(path, &s);
  if (status == SCIARA_OK) {
    status = sciara_snapshot_read(&s, SCIARA_FIELD_THICKNESS, values);
    if (status == SCIARA_OK) status = sciara_snapshot_obtain(&s, SCIARA_FIELD_DEPOSIT, values);
    sciara_snapshot_close(&s);
  }
  const char *const paths[] = {path, path};
  if (status == SCIARA_OK) status = sciara_series_merge(paths, 1, SCIARA_CHECKSUM_REQUIRED, in_folder("merged.nc"));
  if (status == SCIARA_OK)
    status = sciara_timeseries_write(paths, 1, SCIARA_CHECKSUM_REQUIRED, in_folder("course.csv"));
  free(path);
  return status;
}

/** A report of cases that were skipped, long enough for its text to grow several times. */
static enum sciara_status print_bench(enum sciara_status (*print)(const struct sciara_bench_report *,
                                                                  struct sciara_text *)) {
  static struct sciara_bench_report report = {.suite = "quick", .count = SCIARA_BENCH_MOST_CASES};
  static char why[] = "a reason that takes some room, so that a few of them take more than the text has";
  for (size_t k = 0; k < report.count; k++) report.entry[k] = (struct sciara_bench_entry){.left_out = why};
  for (size_t k = 0; k < report.count; k++) report.entry[k].measured.name = "dense";
  struct sciara_text text = {0};
  const enum sciara_status status = print(&report, &text);
  sciara_text_free(&text);
  return status;
}

static enum sciara_status print_bench_csv(void) { return print_bench(sciara_bench_csv); }
static enum sciara_status print_bench_json(void) { return print_bench(sciara_bench_json); }

static enum sciara_status check_netcdf(void) {
  return sciara_netcdf_check_header(SCIARA_SOURCE_DIR "/tests/fuzz/corpus/netcdf/offset.nc");
}

/** A calibration up to its first evaluation. */
static enum sciara_status begin_calibration(void) {
  static const double middle[2] = {0.5, 0.5};
  const struct sciara_calibration_setup setup = {.file = in_folder("fit.json"), .engine = "serial", .workers = 1};
  struct sciara_calibration *c;
  const char *said;
  double values[2];
  SCIARA_TRY(sciara_calibration_open(&setup, &c));
  enum sciara_status status = sciara_calibration_describe(c, &said);
  if (status == SCIARA_OK) status = sciara_calibration_begin(c, 0, &said);
  if (status == SCIARA_OK) status = sciara_calibration_values(c, 0, middle, 1, values);
  if (status == SCIARA_OK) status = sciara_calibration_write_best(c, 0, values, folder);
  if (status == SCIARA_OK) status = sciara_calibration_write_sets(c, 0, (const size_t[]){0}, values, 1, folder);
  sciara_calibration_close(c);
  return status;
}

static const struct {
  const char *name;
  enum sciara_status (*act)(void);
  uint64_t least;  ///< the least number of requests that it makes
  bool like_first; ///< most of its requests are the same as in the first
} acts[] = {{"run with serial", run_serial, 200, false},
            {"run with openmp", run_openmp, 200, true},
            {"run with checked", run_checked, 200, true},
            {"run with maps", run_with_maps, 200, true},
            {"read a run", read_run, 20, false},
            {"CSV of bench", print_bench_csv, 2, false},
            {"JSON of bench", print_bench_json, 2, false},
            {"check NetCDF", check_netcdf, 1, false},
            {"begin a calibration", begin_calibration, 100, false}};

/** How many requests at the end of a run may belong to its maps. */
enum { AT_THE_END = 30 };

/** Whether request k of `count` is refused. For a run much like the first one: those of its engine, the last ones, and
 * each fifth of the others; with SCIARA_TORTURE in the environment all of them. */
static bool is_tried(int act, uint64_t k, uint64_t count, uint64_t engine_from, uint64_t engine_to) {
  if (!acts[act].like_first || getenv("SCIARA_TORTURE")) return true;
  return (k > engine_from && k <= engine_to) || k + AT_THE_END > count || k % 5 == (uint64_t)act;
}

static enum sciara_status attempt(enum sciara_status (*act)(void), uint64_t refused) {
  pthread_mutex_lock(&one_at_a_time);
  memory.watching = true;
  memory.refused = refused;
  memory.requests = 0;
  pthread_mutex_unlock(&one_at_a_time);
  const enum sciara_status status = act();
  pthread_mutex_lock(&one_at_a_time);
  memory.watching = false;
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}

TEST_EACH(each_request_fails_once, sizeof acts / sizeof *acts) {
  const char *name = acts[_i].name;
  expect_ok(run_serial());
  ck_assert_msg(attempt(acts[_i].act, 0) == SCIARA_OK, "%s: %s", name, sciara_last_error());
  ck_assert_msg(memory.held == 0, "%s: keeps %lld blocks", name, (long long)memory.held);
  const uint64_t requests = memory.requests, from = memory.engine_from, to = memory.engine_to;
  ck_assert_uint_ge(requests, acts[_i].least);
  for (uint64_t k = 1; k <= requests; k++) {
    if (!is_tried(_i, k, requests, from, to)) continue;
    sciara_error_clear();
    const enum sciara_status status = attempt(acts[_i].act, k);
    if (memory.requests < k) continue; // how many snapshots wait for another differs between runs
    ck_assert_msg(status == SCIARA_ERR_MEMORY, "%s, request %llu: status %d, %s", name, (unsigned long long)k, status,
                  sciara_last_error());
    ck_assert_msg(strstr(sciara_last_error(), "memory") != NULL, "%s, request %llu: %s", name, (unsigned long long)k,
                  sciara_last_error());
    ck_assert_msg(memory.held == 0, "%s, request %llu: keeps %lld blocks; %s", name, (unsigned long long)k,
                  (long long)memory.held, sciara_last_error());
  }
}

static struct {
  cJSON *tree;
  struct sciara_text text;
} printed;

static enum sciara_status print_file(void) {
  SCIARA_TRY(sciara_json_print(printed.tree, &printed.text));
  return sciara_text_append(&printed.text, "\n");
}

/** The number of requests of a run must not depend on the digits of its time: the tests refuse requests by number. */
TEST(json_of_any_length_makes_one_request) {
  char text[2100] = "";
  for (size_t length = 0; length < sizeof text - 1; length++) {
    printed.tree = cJSON_CreateObject();
    ck_assert_ptr_nonnull(cJSON_AddStringToObject(cJSON_AddObjectToObject(printed.tree, "a"), "b", text));
    expect_ok(attempt(print_file, 0));
    ck_assert_uint_eq(memory.requests, 1);
    sciara_text_free(&printed.text);
    cJSON_Delete(printed.tree);
    text[length] = 'x';
  }
}

RUN_TESTS(.seconds = 100, .setup = setup, .teardown = folder_remove)
