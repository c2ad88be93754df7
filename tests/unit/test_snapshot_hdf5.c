// SPDX-License-Identifier: Apache-2.0
// Snapshots and the series over them: what is written is read back, by our reader and by other tools.
#include "snapshot_case.h"
#include "store/snapshot_hdf5.h"
#include "support/owned.h"

static const struct { int64_t rows, cols; } sizes[] = {{1, 1}, {3, 3}, {5, 300}, {256, 256}, {257, 255}, {31, 513}};

TEST_EACH(fields_read_back, 2 * sizeof sizes / sizeof sizes[0]) {
  struct sciara_state *s = make_state(sizes[_i / 2].rows, sizes[_i / 2].cols);
  struct sciara_snapshot_context c = context_of_test();
  c.as_double = _i % 2;
  WRITES(&c, s, path);
  assert_fields_read_back(s, path, c.as_double);
}

TEST(attributes_read_back) {
  struct sciara_state *s = make_state(30, 40);
  struct sciara_snapshot_context c = context_of_test();
  OWNED(free_memory) char *json = malloc(300001); // beyond the 64 KiB that an attribute of old HDF5 files may have
  memset(json, 'x', 300000);
  json[300000] = '\0';
  c.scenario_json = json;
  struct sciara_ledger ledger;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &ledger);
  WRITES(&c, s, path);
  struct sciara_snapshot r;
  expect_ok(sciara_snapshot_open(path, &r));
  ck_assert_int_eq(memcmp(&r.grid, &s->grid, sizeof r.grid), 0);
  ck_assert_int_eq(memcmp(&r.ledger, &ledger, sizeof ledger), 0);
  ck_assert_uint_eq(r.fields, ALL_FIELDS);
  ck_assert_double_eq(r.time_s, s->time);
  ck_assert_double_eq(r.clock_s, s->clock);
  ck_assert_uint_eq(r.step, 123);
  ck_assert_uint_eq(r.checksum, sciara_state_checksum(s));
  ck_assert_uint_eq(r.dem_hash, c.dem_hash);
  ck_assert_int_eq(r.liquid_cells, sciara_state_liquid_cells(s));
  ck_assert_str_eq(r.title, c.title);
  ck_assert_str_eq(r.start, c.start);
  ck_assert_str_eq(r.scenario_json, json);
  ck_assert_str_eq(r.engine, "serial");
  ck_assert_str_eq(r.precision, "double");
  ck_assert_str_eq(r.georef.crs_wkt, wkt);
  ck_assert_str_eq(r.georef.crs_name, crs_name);
  ck_assert_ptr_nonnull(strstr(r.source, "sciara"));
  sciara_snapshot_close(&r);
  sciara_snapshot_close(&r);
}

TEST(a_subset_without_crs_date_and_texts) {
  struct sciara_state *s = make_state(30, 40);
  struct sciara_snapshot_context c = {.fields = 1u << SCIARA_FIELD_DEPOSIT};
  WRITES(&c, s, path);
  struct sciara_snapshot r;
  double v[1200];
  expect_ok(sciara_snapshot_open(path, &r));
  ck_assert_uint_eq(r.fields, 1u << SCIARA_FIELD_DEPOSIT);
  ck_assert_ptr_null(r.georef.crs_wkt);
  ck_assert_ptr_null(r.start);
  expect_ok(sciara_snapshot_read(&r, SCIARA_FIELD_DEPOSIT, v));
  expect_error(sciara_snapshot_read(&r, SCIARA_FIELD_THICKNESS, v), SCIARA_ERR_USAGE, "thickness");
  sciara_snapshot_close(&r);
  c.fields = 0;
  ck_assert_int_eq(write_state(&c, s, path), SCIARA_ERR_USAGE);
  python("import xarray as xr, subprocess, json\n"
         "d = xr.open_dataset('00000123.nc')\n"
         "assert d.time.values[0] == 3600.5 and d.time.attrs['units'] == 's'\n"
         "g = json.loads(subprocess.check_output(['gdalinfo', '-json', '00000123.nc']))\n"
         "assert g['geoTransform'] == [500000, 10, 0, 4180000, 0, -10], g['geoTransform']\n");
}

TEST(same_state_same_bytes) {
  struct sciara_state *s = make_state(40, 300);
  struct sciara_snapshot_context c = context_of_test();
  const char *other = in_folder("other.nc");
  WRITES(&c, s, path);
  sleep(1); // a time stamp would differ now
  WRITES(&c, s, other);
  expect_same_bytes(path, other);
}

TEST_FROM(same_bytes_from_any_number_of_threads, 1, 4) {
  struct sciara_state *s = make_state(300, 520);
  struct sciara_snapshot_context c = context_of_test();
  const char *other = in_folder("other.nc");
  WRITES(&c, s, path);
  c.threads = 1 << _i;
  WRITES(&c, s, other);
  assert_fields_read_back(s, other, false);
  expect_same_bytes(path, other);
}

/* Everywhere valid, lava in the first of 3 x 3 chunks only. */
TEST(chunks_without_lava_are_not_stored_and_read_as_zero) {
  struct sciara_state *s = new_state(19, 10); // too small for a corner outside the DEM
  sciara_state_destroy(s);
  const struct sciara_grid grid = {.rows = 600, .cols = 600, .cell_size = 5, .west = 1, .north = 2};
  OWNED(free_memory) double *altitude = calloc(360000, sizeof *altitude);
  OWNED(free_memory) uint8_t *valid = malloc(360000);
  memset(valid, 1, 360000);
  for (int i = 0; i < 360000; i++) altitude[i] = 7 + i % 3;
  expect_ok(sciara_state_create(&grid, altitude, valid, 0, &s));
  s->h[10] = 2.5;
  s->arrival[10] = 1;
  struct sciara_snapshot_context c = context_of_test();
  WRITES(&c, s, path);
  assert_fields_read_back(s, path, false);
  python("import subprocess\n"
         "import h5py, numpy as np, xarray as xr\n"
         "f = h5py.File('00000123.nc', 'r')\n"
         "chunks = {n: f[n].id.get_num_chunks() for n in f if f[n].ndim == 3}\n"
         "assert chunks == {n: 9 if n == 'altitude' else 1 if n in ('thickness', 'deposit', 'arrival_time') else 0\n"
         "                  for n in chunks}, chunks\n"
         "assert f['thickness'].fillvalue == 0 and f['thickness'].attrs['_FillValue'].shape == (1,)\n"
         "assert f['thickness'].attrs['_FillValue'].dtype == f['thickness'].dtype\n"
         "a = f['thickness'][0]\n"
         "assert a[0, 10] == 2.5 and a.sum() == 2.5\n"
         "d = xr.open_dataset('00000123.nc')\n"
         "assert (d.thickness.values == a).all() and (d.speed.values == 0).all()\n"
         "assert np.isnan(d.arrival_time.values).sum() == 359999\n"
         "dump = subprocess.check_output(['ncdump', '-v', 'speed', '00000123.nc'], text=True).split('speed =')[1]\n"
         "assert dump.count('0') == 360000 and '_' not in dump\n"
         "subprocess.check_call(['gdal_translate', '-q', '-of', 'ENVI', 'NETCDF:00000123.nc:thickness', 'g.bin'])\n"
         "assert (np.fromfile('g.bin', 'f4').reshape(600, 600) == a).all()\n");
  sciara_state_destroy(s);
}

/* A chunk that holds nothing but zeros is still stored if one of them is negative. */
TEST_EACH(negative_zeros_are_kept, 2) {
  struct sciara_state *s = make_state(12, 10);
  memset(s->px, 0, 120 * sizeof *s->px);
  s->px[77] = -0.0;
  struct sciara_snapshot_context c = context_of_test();
  c.as_double = _i;
  WRITES(&c, s, path);
  assert_fields_read_back(s, path, _i);
}

/* A derived field is available only when all fields that it needs are. */
/* Only snapshots of the same grid are merged into one file: each of its numbers is checked. */
TEST(snapshots_of_other_grids_are_not_merged) {
  struct sciara_state *s = make_state(30, 40);
  const struct sciara_grid grid = s->grid;
  struct sciara_snapshot_context c = context_of_test();
  OWNED(free_memory)
  char *later = sciara_path_join(folder, "later.nc"), *merged = sciara_path_join(folder, "merged.nc");
  const char *const paths[] = {path, later};
  WRITES(&c, s, path);
  s->time += 60;
  WRITES(&c, s, later);
  expect_ok(sciara_series_merge(paths, 2, SCIARA_CHECKSUM_REQUIRED, merged));
  const struct sciara_grid others[] = {
      {30, 40, 10, 500000, 4180010}, {30, 40, 10, 500010, 4180000}, {30, 39, 10, 500000, 4180000}};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    s->grid = others[k];
    WRITES(&c, s, later);
    expect_error(sciara_series_merge(paths, 2, SCIARA_CHECKSUM_REQUIRED, merged), SCIARA_ERR_INPUT,
                 "have different grids");
  }
  s->grid = grid;
  c.as_double = true;
  WRITES(&c, s, later);
  ck_assert_int_eq(sciara_series_merge(paths, 2, SCIARA_CHECKSUM_REQUIRED, merged), SCIARA_ERR_INPUT);
}

/* Three snapshots and their series, in folder/snapshots and folder/series.nc. */
static void write_series(const struct sciara_snapshot_context *c) {
  struct sciara_state *s = make_state(40, 60);
  const char *names[] = {"snapshots/00000001.nc", "snapshots/00000002.nc", "snapshots/50%b3.nc"};
  double times[3];
  char *snapshots = sciara_path_join(folder, "snapshots");
  expect_ok(sciara_folder_make(snapshots));
  free(snapshots);
  for (int i = 0; i < 3; i++) {
    times[i] = s->time = 60.0 * i;
    s->h[20 * 60 + 30] = 1 + i;
    OWNED(free_memory) char *to = sciara_path_join(folder, names[i]);
    WRITES(c, s, to);
  }
  expect_ok(sciara_series_write(c, &s->grid, folder, names, times, 3));
  ck_assert_int_eq(sciara_series_write(c, &s->grid, folder, names, times, 0), SCIARA_ERR_USAGE);
}

TEST_EACH(a_series_opens_as_one, 2) {
  struct sciara_snapshot_context c = context_of_test();
  c.as_double = _i;
  write_series(&c);
  python(
      "import json, os, subprocess\n"
      "import numpy as np, xarray as xr\n"
      "os.rename('snapshots', 'kept'); os.mkdir('moved'); os.rename('kept', 'moved/snapshots')\n"
      "os.rename('series.nc', 'moved/series.nc'); os.chdir('/') # names are relative to the file, not to anything "
      "else\n"
      "name = os.path.dirname(os.path.abspath(__file__)) + '/moved/series.nc'\n"
      "d = xr.open_dataset(name)\n"
      "assert (d.time.values == np.datetime64('2006-07-14T23:30') + 60 * np.arange(3) * np.timedelta64(1, 's')).all()\n"
      "assert (d.thickness.values[:, 20, 30] == [1, 2, 3]).all()\n"
      "assert [n for n in d.data_vars if n != 'crs'][0] == 'thickness' and len(d.data_vars) == 13\n"
      "raw = xr.open_dataset(name, mask_and_scale=False).thickness.values\n"
      "assert (raw[:, 0, 0] == -9999).all() and not np.isnan(raw).any()\n"
      "g = json.loads(subprocess.check_output(['gdalinfo', '-json', 'NETCDF:\"%s\":thickness' % name]))\n"
      "assert len(g['bands']) == 3 and g['geoTransform'] == [500000, 10, 0, 4180000, 0, -10]\n"
      "assert 'ID[\"EPSG\",32633]' in g['coordinateSystem']['wkt']\n"
      "h = subprocess.check_output(['ncdump', '-h', name], text=True)\n"
      "assert 'time = 3 ;' in h and 'thickness(time, y, x) ;' in h\n");
  python("import numpy as np, os, xarray as xr\n"
         "os.remove('moved/snapshots/00000002.nc')\n"
         "raw = xr.open_dataset('moved/series.nc', mask_and_scale=False).thickness.values\n"
         "assert np.isnan(raw[1]).all() and not np.isnan(raw[::2]).any() and (raw[::2, 20, 30] == [1, 3]).all()\n");
}

int main(void) {
  python_start();
  return tests_run(&tests_here, (struct tests_setting){.seconds = 120, .setup = setup, .teardown = teardown});
}
