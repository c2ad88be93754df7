// SPDX-License-Identifier: Apache-2.0
// What the tests of snapshots share: a folder of their own, a state to write, and the values that must be read back.
#ifndef SCIARA_TESTS_SNAPSHOT_CASE_H
#define SCIARA_TESTS_SNAPSHOT_CASE_H

#include "base/text.h"
#include "file/durable.h"
#include "model/field.h"
#include "model/ledger.h"
#include "store/snapshot_hdf5.h"
#include "support/every_field.h"
#include "support/folder.h"
#include "support/python.h"

enum { ALL_FIELDS = (1 << SCIARA_FIELD_COUNT) - 1 };

static char wkt[] =
    "PROJCS[\"WGS 84 / UTM zone 33N\",GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,"
    "AUTHORITY[\"EPSG\",\"7030\"]],AUTHORITY[\"EPSG\",\"6326\"]],PRIMEM[\"Greenwich\",0,AUTHORITY[\"EPSG\",\"8901\"]],"
    "UNIT[\"degree\",0.0174532925199433,AUTHORITY[\"EPSG\",\"9122\"]],AUTHORITY[\"EPSG\",\"4326\"]],"
    "PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"latitude_of_origin\",0],PARAMETER[\"central_meridian\",15],"
    "PARAMETER[\"scale_factor\",0.9996],PARAMETER[\"false_easting\",500000],PARAMETER[\"false_northing\",0],"
    "UNIT[\"metre\",1,AUTHORITY[\"EPSG\",\"9001\"]],AXIS[\"Easting\",EAST],AXIS[\"Northing\",NORTH],"
    "AUTHORITY[\"EPSG\",\"32633\"]]";
static char crs_name[] = "WGS 84 / UTM zone 33N (EPSG:32633)";
static const struct sciara_georef utm33 = {.crs_wkt = wkt, .crs_name = crs_name};

static char path[96];

static inline void setup(void) {
  folder_make();
  snprintf(path, sizeof path, "%s/00000123.nc", folder);
}

static inline struct sciara_snapshot_context context_of_test(void) {
  return (struct sciara_snapshot_context){.georef = &utm33,
                                          .fields = ALL_FIELDS,
                                          .as_double = false,
                                          .title = "Etna, \xc3\xa9ruption",
                                          .start = "2006-07-14T23:30:00Z",
                                          .scenario_json = "{\"title\": \"x\"}",
                                          .history = "sciara run x.json",
                                          .engine = "serial",
                                          .precision = "double",
                                          .dem_hash = UINT64_C(0xfedcba9876543210)};
}

/*
 * A state with a corner outside the DEM (where the grid is large enough for one) and a patch of lava near the
 * north-western end, every number different, none of them round.
 */
static inline struct sciara_state *new_state(int64_t rows, int64_t cols) {
  const struct sciara_grid grid = {.rows = rows, .cols = cols, .cell_size = 10, .west = 500000, .north = 4180000};
  const size_t cells = (size_t)(rows * cols);
  double *altitude = calloc(cells, sizeof *altitude);
  uint8_t *valid = calloc(cells, 1);
  ck_assert(altitude && valid);
  for (int64_t i = 0; i < (int64_t)cells; i++) {
    altitude[i] = 1000 + 0.1 * (double)(i % cols) + (double)(i / cols) / 3;
    valid[i] = rows < 20 || i / cols >= 5 || i % cols >= 7;
  }
  struct sciara_state *s;
  expect_ok(sciara_state_create(&grid, altitude, valid, SCIARA_RECORD_EVERYTHING, &s));
  free(altitude);
  free(valid);
  for (int64_t i = 0; i < (int64_t)cells; i++) {
    if (!s->kind[i] || i / cols < rows / 3 || i / cols > rows / 3 + 9 || i % cols < cols / 4 ||
        i % cols > cols / 4 + 12)
      continue;
    const double v = (double)i / 7;
    s->h[i] = i % 5 ? 1 + fmod(v, 3) : 0;
    s->T[i] = s->h[i] > 0 ? 1143 + fmod(v, 200) : 0;
    s->px[i] = s->h[i] > 0 ? -v / 1e5 : 0;
    s->py[i] = s->h[i] > 0 ? v / 1e6 : 0;
    s->arrival[i] = v;
    for (int k = SUMMED_FIELDS; k < EVERY_FIELD; k++) every_field(s, k)[i] = v / 1e3 / (k + 1);
    s->z[i] += i % 5 ? 0 : 0.3;
  }
  s->time = 3600.5;
  s->clock = 1.0 / 3.0;
  s->step = 123;
  s->emitted = 8.1;
  return s;
}

static struct sciara_state *states_made[8]; ///< by make_state, in this test
static size_t made_count;

/* new_state; destroyed at the end of the test. */
static inline struct sciara_state *make_state(int64_t rows, int64_t cols) {
  ck_assert_uint_lt(made_count, sizeof states_made / sizeof *states_made);
  return states_made[made_count++] = new_state(rows, cols);
}

static inline void teardown(void) {
  while (made_count > 0) sciara_state_destroy(states_made[--made_count]);
  folder_remove();
}

static inline enum sciara_status write_state(const struct sciara_snapshot_context *c, const struct sciara_state *s,
                                             const char *to) {
  struct sciara_ledger ledger;
  struct sciara_touched touched;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &ledger);
  expect_ok(sciara_touched_find(s, 1, &touched));
  const enum sciara_status status = sciara_snapshot_write(c, s, &touched, &ledger, sciara_state_checksum(s), to);
  sciara_touched_release(&touched);
  return status;
}

#define WRITES(context, state, to) expect_ok(write_state(context, state, to))

/* The field as a reader must give it back. */
static inline double *expected_field(const struct sciara_state *s, enum sciara_field field, bool as_double) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  double *v = malloc((size_t)cells * sizeof *v);
  ck_assert_ptr_nonnull(v);
  sciara_field_derive(s, field, v);
  for (int64_t i = 0; i < cells; i++) {
    if (!as_double) v[i] = (double)(float)v[i];
  }
  return v;
}

static inline void assert_fields_read_back(const struct sciara_state *s, const char *from, bool as_double) {
  const size_t bytes = (size_t)sciara_grid_cells(&s->grid) * sizeof(double);
  struct sciara_snapshot snapshot;
  expect_ok(sciara_snapshot_open(from, &snapshot));
  ck_assert_int_eq(snapshot.as_double, as_double);
  double *read = malloc(bytes);
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    double *expected = expected_field(s, (enum sciara_field)f, as_double);
    expect_ok(sciara_snapshot_read(&snapshot, (enum sciara_field)f, read));
    ck_assert_msg(memcmp(read, expected, bytes) == 0, "%s differs", sciara_field_describe((enum sciara_field)f)->name);
    free(expected);
  }
  free(read);
  sciara_snapshot_close(&snapshot);
}

/* Runs a script in the test's folder; it asserts. */
static inline void python(const char *script) {
  ck_assert_msg(python_run(folder, script) == 0, "the script failed:\n%s", script);
}

#endif
