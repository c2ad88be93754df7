// SPDX-License-Identifier: Apache-2.0
// Simulations on a common site: the DEM is read once, the ground is in memory once, the results are bit-identical to those
// of separate simulations, and the site stays as long as anything uses it.
#include "model/site.h"

#include <pthread.h>

#include "run_case.h"
#include "support/owned.h"
#include "terrain/dem_gdal.h"

enum { CELLS = 30 * 40, MANY = 8 };

// ------------------------------------------------------------------------------------------- what is read and taken

static int dems_read;
static size_t arrays; ///< bytes of arrays with one value for each cell

enum sciara_status __real_sciara_dem_read(const struct sciara_dem_request *request, struct sciara_dem *dem);
enum sciara_status __wrap_sciara_dem_read(const struct sciara_dem_request *request, struct sciara_dem *dem);
enum sciara_status __real_sciara_alloc(void **block, size_t count, size_t size, const char *what);
enum sciara_status __wrap_sciara_alloc(void **block, size_t count, size_t size, const char *what);

enum sciara_status __wrap_sciara_dem_read(const struct sciara_dem_request *request, struct sciara_dem *dem) {
  __atomic_fetch_add(&dems_read, 1, __ATOMIC_RELAXED);
  return __real_sciara_dem_read(request, dem);
}

enum sciara_status __wrap_sciara_alloc(void **block, size_t count, size_t size, const char *what) {
  if (count == CELLS) __atomic_fetch_add(&arrays, count * size, __ATOMIC_RELAXED);
  return __real_sciara_alloc(block, count, size, what);
}

static void setup(void) {
  run_case_make("\"fields\": [\"thickness\"]");
  dems_read = 0;
}

static const char *inside(const char *name) {
  static char path[96];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/** From here on the DEM does not exist. */
static void remove_dem(void) { ck_assert_int_eq(remove(inside("dem.asc")), 0); }

static const struct sciara_site *open_site(const char *override) {
  const struct sciara_site *site;
  expect_ok(sciara_site_open(inside("s.json"), &override, override ? 1 : 0, &site));
  return site;
}

/** A simulation by engine serial with one more override; site NULL: it reads the DEM. */
static enum sciara_status open_with(const struct sciara_site *site, const char *override, struct sciara **s) {
  char path[96];
  snprintf(path, sizeof path, "%s/s.json", folder);
  const char *const overrides[] = {"engine.name=serial", override};
  const size_t count = override ? 2 : 1;
  return site ? sciara_open_on(site, path, overrides, count, s) : sciara_open(path, overrides, count, s);
}

static struct sciara *open_case(const struct sciara_site *site, const char *override) {
  struct sciara *s;
  expect_ok(open_with(site, override, &s));
  return s;
}

/** The checksum at the end of the run, which is then closed. */
static uint64_t checksum_at_end(struct sciara *s) {
  uint64_t checksum;
  expect_ok(sciara_run(s));
  expect_ok(sciara_checksum(s, &checksum));
  sciara_close(s);
  return checksum;
}

/** What distinguishes the runs. */
static const char *const rates[] = {
    NULL,
    "vents.0.row=9",
    "vents.0.effusion.rates_m3_s=[7]",
    "model.emissivity=0.8",
    "run.max_steps=90",
    "initial={\"thickness\": 1}",
    "vents.0.col=21",
    "output.fields=[\"max_thickness\"]",
};

// ------------------------------------------------------------------------------------------------------ on their own

TEST_EACH(two_share_what_one_reads, 2) {
  const char *precision = _i ? "engine.precision=single" : NULL;
  const uint64_t alone = checksum_at_end(open_case(NULL, precision));
  ck_assert_int_eq(dems_read, 1);
  OWNED(release_site) const struct sciara_site *site = open_site(precision);
  ck_assert_int_eq(dems_read, 2);
  remove_dem();
  struct sciara *none;
  ck_assert_int_eq(open_with(NULL, precision, &none), SCIARA_ERR_IO); // the DEM is really gone
  ck_assert_int_eq(dems_read, 3);
  struct sciara *a = open_case(site, precision), *b = open_case(site, precision);
  expect_ok(sciara_step(a, 60)); // neither affects the other
  ck_assert_uint_eq(checksum_at_end(b), alone);
  ck_assert_uint_eq(checksum_at_end(a), alone);
  ck_assert_int_eq(dems_read, 3);
}

TEST(the_ground_is_in_memory_once) {
  const struct sciara_problem_options none = {.override_count = 0};
  struct sciara_problem first, second;
  expect_ok(sciara_problem_open(inside("s.json"), &none, &first));
  ck_assert_uint_eq(first.source->size.site, sciara_site_memory(&first.grid));
  const struct sciara_problem_options shared = {.site = first.site};
  arrays = 0;
  expect_ok(sciara_problem_open(inside("s.json"), &shared, &second));
  ck_assert_uint_eq(arrays, sciara_state_memory(&first.grid, 0)); // the state, and no ground
  ck_assert_ptr_eq(second.site, first.site);
  ck_assert_ptr_eq(second.state->z0, first.state->z0);
  ck_assert_ptr_eq(second.state->kind, first.state->kind);
  ck_assert_ptr_ne(second.state->z, first.state->z);
  ck_assert_ptr_eq(second.source->georef.crs_wkt, first.source->georef.crs_wkt);
  ck_assert_uint_eq(second.source->size.site, 0);
  ck_assert_uint_eq(second.source->size.state, first.source->size.state);
  ck_assert_uint_le(sciara_size_estimate_host(&second.source->size), sciara_size_estimate_host(&first.source->size));
  OWNED(destroy_state) struct sciara_state *clone;
  arrays = 0;
  expect_ok(sciara_state_clone(second.state, &clone));
  ck_assert_uint_eq(arrays, sciara_state_memory(&first.grid, 0));
  ck_assert_ptr_eq(clone->site, first.site);
  sciara_problem_free(&first);
  sciara_problem_free(&second);
  ck_assert_double_eq(clone->z0[0], clone->z[0]);
}

// ---------------------------------------------------------------------------------------------------------- threads

struct member {
  pthread_t thread;
  const struct sciara_site *site;
  const char *override;
  enum sciara_status status;
  uint64_t checksum;
  char message[256];
};

static enum sciara_status simulate(struct member *m) {
  struct sciara *s;
  enum sciara_status status = open_with(m->site, m->override, &s);
  if (status != SCIARA_OK) return status;
  status = sciara_run(s);
  if (status == SCIARA_OK) status = sciara_checksum(s, &m->checksum);
  sciara_close(s);
  return status;
}

static void *work(void *context) {
  struct member *m = context;
  m->status = simulate(m);
  snprintf(m->message, sizeof m->message, "%s", sciara_last_error());
  return NULL;
}

TEST(eight_threads) {
  struct member alone[MANY], member[MANY];
  for (int k = 0; k < MANY; k++) {
    alone[k] = (struct member){.override = rates[k]};
    work(&alone[k]);
    ck_assert_msg(alone[k].status == SCIARA_OK, "%s", alone[k].message);
    for (int other = 0; other < k && k != 7; other++) // what is recorded is not part of the checksum
      ck_assert_msg(alone[k].checksum != alone[other].checksum, "%s", rates[k]);
  }
  OWNED(release_site) const struct sciara_site *site = open_site(NULL);
  remove_dem();
  dems_read = 0;
  for (int k = 0; k < MANY; k++) {
    member[k] = (struct member){.site = site, .override = rates[k]};
    ck_assert_int_eq(pthread_create(&member[k].thread, NULL, work, &member[k]), 0);
  }
  for (int k = 0; k < MANY; k++) {
    ck_assert_int_eq(pthread_join(member[k].thread, NULL), 0);
    ck_assert_msg(member[k].status == SCIARA_OK, "%s", member[k].message);
    ck_assert_uint_eq(member[k].checksum, alone[k].checksum);
  }
  ck_assert_int_eq(dems_read, 0);
}

/** Takes and releases many references, perhaps the last one. */
static void *take_and_give(void *context) {
  OWNED(release_site) const struct sciara_site *site = context;
  for (int k = 0; k < 20000; k++) sciara_site_release(sciara_site_retain(site));
  return NULL;
}

TEST(no_reference_is_lost) {
  const struct sciara_grid grid = {.rows = 1, .cols = 2, .cell_size = 10};
  const double altitude[] = {1, 2};
  const uint8_t valid[] = {1, 1};
  OWNED(release_site) const struct sciara_site *site;
  pthread_t thread[MANY];
  expect_ok(sciara_site_create(&grid, altitude, valid, NULL, &site));
  for (int k = 0; k < MANY; k++)
    ck_assert_int_eq(pthread_create(&thread[k], NULL, take_and_give, (void *)sciara_site_retain(site)), 0);
  for (int k = 0; k < MANY; k++) ck_assert_int_eq(pthread_join(thread[k], NULL), 0);
  ck_assert_double_eq(site->z0[1], 2); // the one reference that is left
}

// ------------------------------------------------------------------------------------------------- what is refused

#define DAM(width, height) \
  "[{\"line\": [[500050, 4177100], [500200, 4177100]], \"width_m\": " width ", \"height_m\": " height "}]"
#define TURNED_DAM "[{\"height_m\": 3, \"width_m\": 9, \"line\": [[500050, 4177100], [500200, 4177100]]}]"
#define ERROR(seed) "{\"sd_m\": 2, \"correlation_m\": 30, \"seed\": " seed "}"

TEST_EACH(other_ground_is_refused, 23) {
  static const struct {
    const char *site, *override, *message; ///< message NULL: allowed
  } cases[] = {
      {NULL, "engine.precision=single",
       "s.json: engine.precision: expected \"double\", as when the shared site was read; found \"single\""},
      {"engine.precision=single", NULL,
       "s.json: engine.precision: expected \"single\", as when the shared site was read; found \"double\""},
      {NULL, "dem.path=other.asc", "/dem.asc\", as when the shared site was read; found \"/"},
      {NULL, "dem.path=./dem.asc", NULL}, // the same file
      {NULL, "dem.band=2", "s.json: dem.band: expected 1, as when the shared site was read; found 2"},
      {NULL, "dem.window=[0, 0, 29, 40]",
       "s.json: dem.window: expected null, as when the shared site was read; found [0, 0, 29, 40]"},
      {"dem.window=[0, 0, 29, 40]", "dem.window=[1, 0, 29, 40]",
       "s.json: dem.window: expected [0, 0, 29, 40], as when the shared site was read; found [1, 0, 29, 40]"},
      {"dem.window=[0, 0, 29, 40]", "dem.window=[0, 0, 29, 40]", NULL},
      {NULL, "dem.crs=EPSG:32634",
       "s.json: dem.crs: expected \"EPSG:32633\", as when the shared site was read; found \"EPSG:32634\""},
      {NULL, "dem.cell_size_m=9", "s.json: dem.cell_size_m: expected null, as when the shared site was read; found 9"},
      {"dem.cell_size_m=9", "dem.cell_size_m=9", NULL},
      {"dem.nodata=5", NULL, "s.json: dem.nodata: expected 5, as when the shared site was read; found null"},
      {NULL, "dem.window_margin_m=60", "s.json: dem.window_margin_m: expected null, as when the shared site was read"},
      {"dem.sea=-4000", "dem.sea=-4000.0", NULL},
      {"dem.sea=-4000", "dem.sea=\"nodata\"", "s.json: dem.sea: expected -4000, as when the shared site was read"},
      {"dem.edits=" DAM("9", "3"), "dem.edits=" DAM("9", "3.0"), NULL}, // the same numbers
      {"dem.edits=" DAM("9", "3"), "dem.edits=" TURNED_DAM, NULL},
      {"dem.edits=" DAM("9", "3"), "dem.edits=" DAM("8", "3"), "s.json: dem.edits: expected [{ "},
      {"dem.edits=" DAM("9", "3"), "dem.edits=" DAM("9", "3, \"lonlat\": true"), "s.json: dem.edits: expected [{ "},
      {"dem.error=" ERROR("1"), "dem.error=" ERROR("1"), NULL},
      {"dem.error=" ERROR("1"), "dem.error=" ERROR("2"),
       "s.json: dem.error: expected {\"sd_m\": 2, \"correlation_m\": 30, \"seed\": 1}, as when"},
      {"dem.error=" ERROR("1"), NULL, "found null"},
      {NULL, "dem.error=" ERROR("1"), NULL}, // added
  };
  const struct sciara_site *site = open_site(cases[_i].site);
  struct sciara *s;
  const char *override = cases[_i].override;
  if (!override) override = "engine.name=serial";
  const enum sciara_status status = open_with(site, override, &s);
  if (cases[_i].message) {
    expect_error(status, SCIARA_ERR_INPUT, cases[_i].message);
    ck_assert_ptr_null(s);
  } else {
    expect_ok(status);
    sciara_close(s);
  }
  ck_assert_int_eq(dems_read, 1);
  sciara_site_release(site);
}

TEST(calls_that_are_refused) {
  OWNED(release_site) const struct sciara_site *site;
  struct sciara *s;
  const char *path = inside("s.json");
  ck_assert_int_eq(sciara_site_open(NULL, NULL, 0, &site), SCIARA_ERR_USAGE);
  ck_assert_ptr_null(site);
  ck_assert_int_eq(sciara_site_open(path, NULL, 1, &site), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_site_open(path, NULL, 0, NULL), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_site_open("/none.json", NULL, 0, &site), SCIARA_ERR_IO);
  ck_assert_ptr_null(site);
  const char *const none[] = {"dem.path=none.asc"};
  ck_assert_int_eq(sciara_site_open(path, none, 1, &site), SCIARA_ERR_IO);
  ck_assert_ptr_null(site);
  ck_assert_int_eq(sciara_open_on(NULL, path, NULL, 0, &s), SCIARA_ERR_USAGE);
  ck_assert_ptr_null(s);
  site = open_site(NULL);
  ck_assert_int_eq(sciara_open_on(site, path, NULL, 0, NULL), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_open_on(site, NULL, NULL, 0, &s), SCIARA_ERR_USAGE);
  ck_assert_ptr_null(s);
}

// ------------------------------------------------------------------------------------------------------- the site

TEST(what_a_site_holds) {
  const struct sciara_grid grid = {.rows = 3, .cols = 3, .cell_size = 10, .west = 1, .north = 2};
  const double altitude[] = {1, 2, 3, 4, 5, 6, 7, 8, 99};
  const uint8_t all[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, but_one[] = {1, 1, 1, 1, 1, 1, 1, 1, 0};
  char wkt[] = "LOCAL_CS[]", name[] = "none", path[] = "/a.tif", edit[] = "a dam";
  struct sciara_point line[] = {{1, 2}, {3, 4}};
  struct sciara_edit edits[] = {{.name = edit, .points = line, .point_count = 2}};
  const struct sciara_site_identity identity = {.dem = {.path = path, .edits = edits, .edit_count = 1}};
  const struct sciara_site_origin origin = {.hash = 17, .crs_wkt = wkt, .crs_name = name, .identity = &identity};
  const struct sciara_site *site;
  expect_ok(sciara_site_create(&grid, altitude, all, &origin, &site));
  ck_assert_mem_eq(&site->grid, &grid, sizeof grid);
  ck_assert_mem_eq(site->z0, altitude, sizeof altitude);
  ck_assert_uint_eq(site->kind[4], SCIARA_CELL_INTERIOR);
  ck_assert_uint_eq(site->kind[0], SCIARA_CELL_RIM);
  wkt[0] = name[0] = path[0] = edit[0] = 'x'; // copies
  line[1].x = 5;
  ck_assert_str_eq(site->origin.crs_wkt, "LOCAL_CS[]");
  ck_assert_str_eq(site->origin.crs_name, "none");
  ck_assert_str_eq(site->origin.identity->dem.path, "/a.tif");
  ck_assert_str_eq(site->origin.identity->dem.edits[0].name, "a dam");
  ck_assert_double_eq(site->origin.identity->dem.edits[0].points[1].x, 3);
  ck_assert_uint_eq(site->origin.hash, 17);
  sciara_site_release(site);
  expect_ok(sciara_site_create(&grid, altitude, but_one, NULL, &site));
  ck_assert_double_eq(site->z0[8], SCIARA_NODATA_ALTITUDE);
  ck_assert_uint_eq(site->kind[8], SCIARA_CELL_NODATA);
  ck_assert_uint_eq(site->kind[4], SCIARA_CELL_RIM);
  ck_assert(site->origin.hash == 0 && !site->origin.crs_wkt && !site->origin.identity);
  sciara_site_release(site);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
