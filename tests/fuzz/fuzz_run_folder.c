// SPDX-License-Identifier: Apache-2.0
// The input is a script of changes to a run folder (README.md). Whatever the folder contains then, reading it opens no file
// outside of it, and the contents of those files do not appear anywhere.
#include "fuzz_run_folder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "analysis/timeseries.h"
#include "file/durable.h"
#include "fuzz.h"
#include "fuzz_hdf5.h"
#include "model/field.h"
#include "page/page_html.h"
#include "run/checkpoints.h"
#include "run/resume.h"
#include "run/run_folder.h"
#include "store/snapshot_hdf5.h"
#include "terrain/dem_gdal.h"

enum { MOST_CELLS = 1 << 16, MOST_SNAPSHOTS = 16 };

/** Reports when a file outside of the run folder is opened. */
static int watch = -1;

static void watch_outside(void) {
  static const char *const outside[] = {"secret", "secret.nc", "secret.tif", "secret.csv", "secret.json"};
  watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  FUZZ_REQUIRE(watch >= 0);
  for (size_t k = 0; k < sizeof outside / sizeof *outside; k++)
    FUZZ_REQUIRE(inotify_add_watch(watch, fuzz_path(outside[k]), IN_OPEN) >= 0);
}

/** What has been opened so far was opened to make the run folder: HDF5 follows a link when it creates one of the same name. */
static void begin_watching(void) {
  char events[4096];
  while (read(watch, events, sizeof events) > 0) {
  }
  FUZZ_REQUIRE(errno == EAGAIN);
}

static void check_outside(void) {
  char events[4096];
  FUZZ_REQUIRE(read(watch, events, sizeof events) < 0 && errno == EAGAIN);
}

static void check_values(const double *values, int64_t count) {
  for (int64_t i = 0; i < count; i++) FUZZ_REQUIRE(fabs(values[i] - FUZZ_SECRET) > 0.01);
}

/** A product that was made, or none; it is removed. */
static void check_product(const char *path) {
  char *bytes = NULL;
  size_t count = 0;
  if (access(path, F_OK) != 0) return;
  FUZZ_REQUIRE(sciara_file_read(path, 1 << 26, &bytes, &count) == SCIARA_OK);
  FUZZ_REQUIRE(!memmem(bytes, count, FUZZ_SECRET_TEXT, sizeof FUZZ_SECRET_TEXT - 1));
  FUZZ_REQUIRE(!memmem(bytes, count, "31415.92", 8));
  free(bytes);
  unlink(path);
}

static bool is_small(const struct sciara_grid *g) {
  return g->rows <= MOST_CELLS && g->cols <= MOST_CELLS && g->rows * g->cols <= MOST_CELLS;
}

/** Reads one as `sciara info SNAPSHOT` does. */
static void read_snapshot(const char *path) {
  struct sciara_snapshot s;
  const enum sciara_status status = sciara_snapshot_open_as(path, SCIARA_CHECKSUM_OPTIONAL, &s);
  fuzz_check_status(status);
  if (status != SCIARA_OK) return;
  const int64_t cells = is_small(&s.grid) ? sciara_grid_cells(&s.grid) : 0;
  double *values = cells ? (double *)malloc((size_t)cells * sizeof *values) : NULL;
  for (int f = 0; values && f < SCIARA_FIELD_COUNT; f++) {
    if (!(s.fields >> f & 1u)) continue;
    const enum sciara_status read = sciara_snapshot_read(&s, (enum sciara_field)f, values);
    fuzz_check_status(read);
    if (read == SCIARA_OK) check_values(values, cells);
  }
  free(values);
  sciara_snapshot_close(&s);
}

/** Makes products of all snapshots as `sciara export` does: NetCDF, CSV, and HTML for some. */
static void export_all(char *const *paths, size_t count, bool html) {
  const char *const *all = (const char *const *)paths;
  const char *nc = fuzz_path("made.nc"), *csv = fuzz_path("made.csv");
  static const enum sciara_field fields[] = {SCIARA_FIELD_DEPOSIT, SCIARA_FIELD_THICKNESS};
  struct sciara_page_frames frames = {0};
  fuzz_check_status(sciara_series_merge(all, count, SCIARA_CHECKSUM_OPTIONAL, nc));
  check_product(nc);
  fuzz_check_status(sciara_timeseries_write(all, count, SCIARA_CHECKSUM_OPTIONAL, csv));
  check_product(csv);
  if (!html) return;
  fuzz_check_status(sciara_page_frames_read(all, count, SCIARA_CHECKSUM_REQUIRED, fields, 2, &frames));
  for (size_t f = 0; frames.frames && f < frames.field_count; f++)
    FUZZ_REQUIRE(!(fabs(frames.fields[f].high - FUZZ_SECRET) < 1));
  sciara_page_frames_free(&frames);
}

/** Reads a snapshot as a DEM, which is allowed. */
static void read_raster(const char *path) {
  struct sciara_dem dem;
  const enum sciara_status status = sciara_dem_read(&(struct sciara_dem_request){.path = path, .band = 1}, &dem);
  fuzz_check_status(status);
  if (status == SCIARA_OK) check_values(dem.altitude, sciara_grid_cells(&dem.grid));
  sciara_dem_free(&dem);
}

static void read_ground(const char *run) {
  char *path;
  const enum sciara_status status = sciara_run_file(run, SCIARA_RUN_DEM, &path);
  fuzz_check_status(status);
  if (status == SCIARA_OK) read_raster(path);
  free(path);
}

static void read_snapshots(const char *run, const struct sciara_run_json *record, bool html) {
  char *paths[MOST_SNAPSHOTS];
  size_t count = 0;
  for (size_t k = 0; k < record->snapshot_count && count < MOST_SNAPSHOTS; k++) {
    const enum sciara_status status = sciara_run_file(run, record->snapshots[k].name, &paths[count]);
    fuzz_check_status(status);
    if (status != SCIARA_OK) continue;
    read_snapshot(paths[count]);
    if (count++ == 0) read_raster(paths[0]);
  }
  if (count > 0) export_all(paths, count, html);
  for (size_t k = 0; k < count; k++) free(paths[k]);
}

static void read_series(const char *run) {
  char *path;
  const enum sciara_status status = sciara_run_file(run, SCIARA_SERIES_NAME, &path);
  fuzz_check_status(status);
  if (status != SCIARA_OK) return;
  fuzz_check_status(sciara_series_check(path));
  free(path);
}

/** As `sciara resume --output`, up to the first step. */
static void resume(const char *run) {
  struct sciara_resume r;
  enum sciara_status status = sciara_resume_open(run, true, &r);
  fuzz_check_status(status);
  if (status != SCIARA_OK) return;
  status = sciara_resume_find(&r);
  fuzz_check_status(status);
  if (status == SCIARA_OK && is_small(&r.from.identity.grid)) {
    const struct sciara_problem_options options = {.any_engine = true};
    struct sciara_problem problem;
    struct sciara_diagnostics diagnostics = {0};
    sciara_resume_problem(&r, &options, &problem, &diagnostics);
    if (diagnostics.count == 0 && problem.state)
      check_values(problem.state->z, sciara_grid_cells(&problem.state->grid));
    sciara_diagnostics_free(&diagnostics);
    sciara_problem_free(&problem);
  }
  sciara_resume_close(&r);
}

static size_t free_memory = (size_t)1 << 32;
size_t __wrap_sciara_memory_available(void); // in place of the real one, by the linker (CMakeLists.txt)
size_t __wrap_sciara_memory_available(void) { return free_memory; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool made;
  if (!made) {
    setenv("PROJ_NETWORK", "OFF", 1);
    fuzz_run_make();
    watch_outside();
    free_memory = 16 << 20; // headers that declare much data are refused
    made = true;
  }
  fuzz_run_edit(data, size);
  begin_watching();
  const char *run = strdup(fuzz_path("run"));
  FUZZ_REQUIRE(run != NULL);
  struct sciara_run_json record;
  const enum sciara_status status = sciara_run_file_json(run, &record);
  fuzz_check_status(status);
  if (status == SCIARA_OK) {
    read_snapshots(run, &record, size % 2 == 1);
    sciara_run_json_free(&record);
  }
  read_series(run);
  read_ground(run);
  resume(run);
  check_outside();
  fuzz_check_hdf5_closed();
  fuzz_run_restore();
  free((char *)run);
  return 0;
}
