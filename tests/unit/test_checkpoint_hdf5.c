// SPDX-License-Identifier: Apache-2.0
// Checkpoints: every bit is read back, little is stored where there was never lava, and what is damaged or belongs to
// another run is refused by name.
#include <hdf5.h>
#include <sys/stat.h>

#include "model/vents.h"
#include "snapshot_case.h"
#include "store/checkpoint_hdf5.h"
#include "support/every_field.h"
#include "support/owned.h"
#include "support/writable.h"

// HDF5 1.10 does not release all of its memory when it finds a damaged file.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

enum { ROWS = 300, COLS = 520 };

static struct sciara_state *state;

/** Bits that only an exact copy preserves: -0, a subnormal number, a NaN with a payload, the last bit of a third. */
static void set_odd_bits(struct sciara_state *s) {
  const uint64_t payload = UINT64_C(0x7ff8000000abcdef);
  const int64_t i = s->grid.cols * (s->grid.rows / 2) + s->grid.cols / 2;
  s->px[i] = -0.0;
  s->py[i] = 4.9e-324;
  memcpy(&s->T[i], &payload, sizeof payload);
  s->z[i] = nextafter(s->z[i], INFINITY);
  s->arrival[i] = 1.0 / 3;
  s->max_speed[s->grid.cols * s->grid.rows - 1] = 1e300;
}

static void begin(void) {
  setup();
  snprintf(path, sizeof path, "%s/00000123.h5", folder);
  state = new_state(ROWS, COLS);
  set_odd_bits(state);
  state->step = 123;
  state->time = 4567.125;
  state->clock = 1.0 / 7;
  state->initial = 0.1;
  state->emitted = 12345.678;
  state->solidifications = 9;
}

static void end(void) {
  sciara_state_destroy(state);
  folder_remove();
}

static struct sciara_checkpoint header(const struct sciara_state *s) {
  const struct sciara_checkpoint c = {.identity = {.grid = s->grid,
                                                   .inputs = {{sciara_state_checksum_of_ground(s), 75, 76, 77}},
                                                   .params = sciara_params_default(),
                                                   .record = sciara_state_record(s),
                                                   .precision = strdup("double")},
                                      .georef = {.crs_wkt = strdup(wkt), .crs_name = strdup(crs_name)},
                                      .dem_hash = UINT64_C(0xfedcba9876543210),
                                      .engine = strdup("serial"),
                                      .scenario_path = strdup("x.json"),
                                      .scenario_folder = strdup("/somewhere"),
                                      .scenario_json = strdup("{\"title\": \"\xc3\xa9ruption\"}"),
                                      .history = strdup("sciara run x.json\nsciara resume x.out"),
                                      .losses = 5,
                                      .snapshots = 6,
                                      .next_snapshot_s = INFINITY,
                                      .wall_s = 1.5,
                                      .compute_s = 1.25,
                                      .output_wait_s = 0.125};
  return c;
}

static void write_it(const struct sciara_state *s) {
  OWNED(sciara_checkpoint_free) struct sciara_checkpoint c = header(s);
  expect_ok(sciara_checkpoint_write(&c, s, path));
}

/** The bare ground of a state, onto which a checkpoint is restored. */
static struct sciara_state *ground_of(const struct sciara_state *s, unsigned record) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  OWNED(free_memory) uint8_t *valid = malloc((size_t)cells);
  struct sciara_state *bare;
  ck_assert_ptr_nonnull(valid);
  for (int64_t i = 0; i < cells; i++) valid[i] = s->kind[i] != SCIARA_CELL_NODATA;
  expect_ok(sciara_state_create(&s->grid, s->z0, valid, record, &bare));
  return bare;
}

static void assert_identical(const struct sciara_state *a, const struct sciara_state *b) {
  const size_t bytes = (size_t)sciara_grid_cells(&a->grid) * sizeof(double);
  ck_assert_mem_eq(a->z0, b->z0, bytes);
  for (int k = 0; k < EVERY_FIELD; k++) {
    if (!every_field(b, k)) continue;
    ck_assert_msg(memcmp(every_field(a, k), every_field(b, k), bytes) == 0, "%s", every_field_name(k));
  }
  ck_assert(a->time == b->time && a->clock == b->clock && a->initial == b->initial && a->emitted == b->emitted);
  ck_assert_uint_eq(a->step, b->step);
  ck_assert_uint_eq(a->solidifications, b->solidifications);
}

TEST(every_bit_is_read_back) {
  write_it(state);
  OWNED(sciara_checkpoint_free) struct sciara_checkpoint c;
  expect_ok(sciara_checkpoint_verify(path, &c));
  OWNED(destroy_state) struct sciara_state *back = ground_of(state, SCIARA_RECORD_EVERYTHING);
  expect_ok(sciara_checkpoint_read_state(path, &c, back));
  assert_identical(state, back);
  ck_assert_uint_eq(c.checksum, sciara_state_checksum(state));
  OWNED(sciara_checkpoint_free) struct sciara_checkpoint was = header(state);
  ck_assert_str_eq(c.scenario_json, was.scenario_json);
  ck_assert_str_eq(c.scenario_path, was.scenario_path);
  ck_assert_str_eq(c.scenario_folder, was.scenario_folder);
  ck_assert_str_eq(c.history, was.history);
  ck_assert_str_eq(c.engine, was.engine);
  ck_assert_str_eq(c.georef.crs_wkt, was.georef.crs_wkt);
  ck_assert_str_eq(c.program_version, sciara_version());
  ck_assert_ptr_null(c.started_utc);
  ck_assert_mem_eq(&c.identity.params, &was.identity.params, sizeof was.identity.params);
  ck_assert(c.dem_hash == was.dem_hash && c.losses == 5 && c.snapshots == 6 && isinf(c.next_snapshot_s));
  ck_assert(c.wall_s == 1.5 && c.compute_s == 1.25 && c.output_wait_s == 0.125);
  expect_ok(sciara_checkpoint_check(&c, path, &was.identity, 0));
}

TEST(maxima_that_are_not_recorded_are_left_out) {
  write_it(state);
  OWNED(sciara_checkpoint_free) struct sciara_checkpoint c;
  expect_ok(sciara_checkpoint_read_header(path, &c));
  OWNED(destroy_state) struct sciara_state *back = ground_of(state, 0);
  expect_ok(sciara_checkpoint_read_state(path, &c, back));
  assert_identical(state, back);
}

TEST(a_map_without_lava_takes_nothing) {
  OWNED(destroy_state) struct sciara_state *bare = ground_of(state, SCIARA_RECORD_EVERYTHING);
  struct stat with, without;
  write_it(state);
  ck_assert_int_eq(stat(path, &with), 0);
  write_it(bare);
  ck_assert_int_eq(stat(path, &without), 0);
  ck_assert_int_lt(without.st_size, 48 << 10);
  ck_assert_int_gt(with.st_size, without.st_size);
  ck_assert_int_lt(with.st_size, without.st_size + EVERY_FIELD * (7 << 10)); // of more than 1 MB each
}

/** A damaged file is refused, or everything that is read from it is unchanged. */
static bool is_noticed(const struct sciara_checkpoint *whole) {
  struct sciara_checkpoint c;
  const enum sciara_status status = sciara_checkpoint_verify(path, &c);
  if (status != SCIARA_OK) {
    ck_assert_msg(status == SCIARA_ERR_INPUT || status == SCIARA_ERR_MEMORY, "%s", sciara_last_error());
    expect_said("00000123.h5");
    return true;
  }
  struct sciara_state *back = ground_of(state, SCIARA_RECORD_EVERYTHING);
  expect_ok(sciara_checkpoint_read_state(path, &c, back));
  assert_identical(state, back);
  expect_ok(sciara_checkpoint_check(&c, path, &whole->identity, 0));
  ck_assert_str_eq(c.scenario_json, whole->scenario_json);
  ck_assert(c.snapshots == whole->snapshots && c.losses == whole->losses && isinf(c.next_snapshot_s));
  sciara_state_destroy(back);
  sciara_checkpoint_free(&c);
  return false;
}

/** How many random cases are tried; SCIARA_TORTURE=1 (tools/torture): twenty times as many. */
static int rounds(void) { return getenv("SCIARA_TORTURE") ? 4000 : 200; }

/** Instead of the large state: still several chunks a field, and the lists of chunks, which have no checksum in HDF5. */
static void take_a_low_state(void) {
  sciara_state_destroy(state);
  state = new_state(24, COLS);
  set_odd_bits(state);
}

TEST(flipped_bytes_are_noticed_or_do_no_harm) {
  uint64_t x = UINT64_C(88172645463325252);
  take_a_low_state();
  write_it(state);
  OWNED(sciara_checkpoint_free) struct sciara_checkpoint whole;
  expect_ok(sciara_checkpoint_verify(path, &whole));
  size_t count;
  OWNED(free_memory) unsigned char *bytes = (unsigned char *)read_bytes(path, &count);
  int noticed = 0;
  for (int k = 0; k < rounds(); k++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    const size_t at = (size_t)(x % count);
    const unsigned char kept = bytes[at];
    bytes[at] ^= (unsigned char)(1 + (x >> 40) % 255);
    write_bytes(path, bytes, count);
    noticed += is_noticed(&whole);
    bytes[at] = kept;
  }
  printf("torture: flips of a checkpoint | %d | 0 (%d refused)\n", rounds(), noticed);
  ck_assert_int_gt(noticed, rounds() / 10);
}

TEST(a_file_cut_short_is_refused) {
  enum { CUTS = 200 };
  take_a_low_state();
  write_it(state);
  struct sciara_checkpoint c;
  size_t count;
  OWNED(free_memory) unsigned char *bytes = (unsigned char *)read_bytes(path, &count);
  for (size_t k = 0; k < CUTS; k++) {
    write_bytes(path, bytes, k * (count - 1) / (CUTS - 1));
    ck_assert_int_eq(sciara_checkpoint_verify(path, &c), SCIARA_ERR_INPUT);
    ck_assert_ptr_null(c.scenario_json);
  }
  unlink(path);
  ck_assert_int_eq(sciara_checkpoint_verify(path, &c), SCIARA_ERR_IO);
}

/** Changes one attribute of the file through HDF5 itself, so that only the program's own checksums can detect it. */
static void change_attribute(const char *name, hid_t type, const void *value) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), attribute = H5Aopen(file, name, H5P_DEFAULT);
  ck_assert(file >= 0 && attribute >= 0);
  ck_assert_int_ge(H5Awrite(attribute, type, value), 0);
  H5Aclose(attribute);
  H5Fclose(file);
}

/** Changes one word of a field in the same way. */
static void change_word(const char *field, uint64_t value) {
  const hsize_t start[2] = {ROWS / 2, COLS / 2}, one[2] = {1, 1};
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, field, H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(2, one, NULL);
  ck_assert_int_ge(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL), 0);
  ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, &value), 0);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
}

static void expect_refused(const char *message) {
  struct sciara_checkpoint c;
  expect_error(sciara_checkpoint_verify(path, &c), SCIARA_ERR_INPUT, message);
}

TEST(what_was_changed_through_hdf5_is_refused) {
  const int64_t number = 2;
  const double seconds = 17;
  write_it(state);
  change_attribute("sciara_checkpoint_format", H5T_NATIVE_INT64, &number);
  expect_refused("sciara_checkpoint_format: expected 1, found 2: another version of the program wrote it");
  static const char *const counts[] = {"step", "snapshots", "losses", "solidifications", "boundary", "record", "rows"};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    write_it(state);
    change_attribute(counts[k], H5T_NATIVE_INT64, &number);
    expect_refused("damaged: the checksum of its header is");
  }
  static const char *const numbers[] = {"time_s",      "clock_s",         "emitted_m3",    "initial_m3",
                                        "cell_size_m", "next_snapshot_s", "model.cooling", "wall_s"};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    write_it(state);
    change_attribute(numbers[k], H5T_NATIVE_DOUBLE, &seconds);
    expect_refused("damaged: the checksum of its header is");
  }
  for (int k = 0; k < EVERY_FIELD; k++) {
    write_it(state);
    change_word(every_field_name(k), 12345);
    expect_refused("damaged: its fields have the checksum");
  }
}

/** Replaces the first stored chunk of a field by these bytes, as if they had passed all filters but those of `mask`. */
static void change_chunk(const char *field, uint32_t mask, const void *bytes, size_t count) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, field, H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  hsize_t start[2];
  ck_assert_int_ge(H5Dget_chunk_info(dataset, space, 0, start, NULL, NULL, NULL), 0);
  ck_assert_int_ge(H5Dwrite_chunk(dataset, H5P_DEFAULT, mask, start, count, bytes), 0);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
}

// HDF5 itself reads beyond the end of the first two. The third: HDF5 left out deflate, which makes nothing shorter.
TEST(invalid_chunks_are_refused) {
  static const unsigned char nothing[256 * 256 * 8 + 4];
  write_it(state);
  change_chunk("h", 7, nothing, 100);
  expect_refused("h is damaged: a chunk leaves out its checksum");
  write_it(state);
  change_chunk("h", 2, nothing, 100);
  expect_refused("h is damaged: a chunk does not hold the bytes of a chunk");
  write_it(state);
  change_chunk("h", 2, nothing, sizeof nothing);
  expect_refused("damaged: its fields have the checksum");
}

// Their position is checked.
TEST(chunks_of_another_size_are_refused) {
  const hsize_t dims[2] = {ROWS, COLS}, chunk[2] = {10, 10};
  write_it(state);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(2, dims, NULL);
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  ck_assert(H5Pset_chunk(plist, 2, chunk) >= 0 && H5Pset_shuffle(plist) >= 0 && H5Pset_deflate(plist, 1) >= 0);
  ck_assert(H5Pset_fletcher32(plist) >= 0 && H5Ldelete(file, "h", H5P_DEFAULT) >= 0);
  H5Dclose(H5Dcreate2(file, "h", H5T_STD_U64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
  H5Pclose(plist);
  H5Sclose(space);
  H5Fclose(file);
  expect_refused("h is damaged: its chunks have another size");
}

// The same words in exchanged positions make another state.
TEST(fields_cannot_be_exchanged) {
  const int64_t i = COLS * (ROWS / 2) + COLS / 2;
  uint64_t px, py;
  memcpy(&px, &state->px[i], sizeof px);
  memcpy(&py, &state->py[i], sizeof py);
  ck_assert_uint_ne(px, py);
  write_it(state);
  change_word("px", py);
  change_word("py", px);
  expect_refused("damaged: its fields have the checksum");
}

TEST(another_ground_is_refused) {
  write_it(state);
  OWNED(sciara_checkpoint_free) struct sciara_checkpoint c;
  expect_ok(sciara_checkpoint_verify(path, &c));
  struct sciara_state *other = ground_of(state, SCIARA_RECORD_EVERYTHING);
  writable_ground(other)[7777] += 1;
  other->z[7777] += 1;
  expect_error(sciara_checkpoint_read_state(path, &c, other), SCIARA_ERR_INPUT, "the state has the checksum");
  sciara_state_destroy(other);
  other = new_state(30, 40);
  expect_error(sciara_checkpoint_read_state(path, &c, other), SCIARA_ERR_INPUT,
               "another DEM: expected 300 rows x 520 columns, found 30 x 40");
  sciara_state_destroy(other);
}

static void differ_rows(struct sciara_checkpoint_identity *i) { i->grid.rows++; }
static void differ_place(struct sciara_checkpoint_identity *i) { i->grid.north += 10; }
static void differ_cell(struct sciara_checkpoint_identity *i) { i->grid.cell_size = 5; }
static void differ_ground(struct sciara_checkpoint_identity *i) { i->inputs.hash[SCIARA_INPUT_GROUND] ^= 1; }
static void differ_params(struct sciara_checkpoint_identity *i) { i->params.T_sol += 1; }
static void differ_boundary(struct sciara_checkpoint_identity *i) { i->boundary = SCIARA_BOUNDARY_CLOSED; }
static void differ_precision(struct sciara_checkpoint_identity *i) { memcpy(i->precision, "single", 6); }
static void differ_cells(struct sciara_checkpoint_identity *i) { i->inputs.hash[SCIARA_INPUT_CELLS] ^= 1; }
static void differ_edits(struct sciara_checkpoint_identity *i) { i->inputs.hash[SCIARA_INPUT_EDITS] ^= 1; }
static void differ_vents(struct sciara_checkpoint_identity *i) { i->inputs.hash[SCIARA_INPUT_VENTS] = 78; }
static void fewer_maxima(struct sciara_checkpoint_identity *i) { i->record = 0; }

static const struct {
  void (*change)(struct sciara_checkpoint_identity *i);
  const char *message; ///< NULL: they belong together
} differences[] = {
    {differ_rows, "as in the checkpoint; found 301 x 520 of 10 m"},
    {differ_place, "another DEM: expected 300 rows x 520 columns of 10 m"},
    {differ_cell, "as in the checkpoint; found 300 x 520 of 5 m"},
    {differ_ground, "another DEM: expected altitudes with the checksum"},
    {differ_params, "the checkpoint was computed with 1143"},
    {differ_boundary, "boundary: found closed, the checkpoint was computed with open"},
    {differ_precision, "precision: found single, the checkpoint was computed in double"},
    {differ_cells, "00000123.h5: dem.sea: expected the cells of land, sea and NODATA with the hash"},
    {differ_edits, "00000123.h5: dem.edits: expected the edits of the ground at simulated times with the hash"},
    {differ_vents, "has a file changed? A branch (--output) may have other vents"},
    {fewer_maxima, NULL},
};

TEST_EACH(another_run_is_refused, sizeof differences / sizeof *differences) {
  OWNED(sciara_checkpoint_free) struct sciara_checkpoint c = header(state), run = header(state);
  differences[_i].change(&run.identity);
  const enum sciara_status status = sciara_checkpoint_check(&c, path, &run.identity, 0);
  if (differences[_i].message) {
    expect_error(status, SCIARA_ERR_INPUT, differences[_i].message);
  } else {
    ck_assert_int_eq(status, SCIARA_OK);
  }
  const bool vents = differences[_i].change == differ_vents;
  if (vents) expect_ok(sciara_checkpoint_check(&c, path, &run.identity, 1u << SCIARA_INPUT_VENTS));
  c.identity.record = 0;
  run.identity.record = SCIARA_RECORD_MAX_SPEED;
  if (vents)
    ck_assert_int_eq(sciara_checkpoint_check(&c, path, &run.identity, 1u << SCIARA_INPUT_VENTS), SCIARA_ERR_INPUT);
}

TEST(a_failed_write_leaves_the_earlier_file) {
  write_it(state);
  OWNED(free_memory) char *part = sciara_format("%s.part", path);
  ck_assert_int_eq(mkdir(part, 0777), 0); // nothing can be written there
  struct sciara_checkpoint c = header(state);
  state->step = 999;
  ck_assert_int_eq(sciara_checkpoint_write(&c, state, path), SCIARA_ERR_IO);
  sciara_checkpoint_free(&c);
  expect_ok(sciara_checkpoint_verify(path, &c));
  ck_assert_uint_eq(c.step, 123);
  sciara_checkpoint_free(&c);
}

TEST(vents_are_distinguished) {
  const double edges[] = {0, 10, 20}, rates[] = {1, 2}, other[] = {1, 3};
  OWNED(destroy_vents) struct sciara_vents *a = sciara_vents_create(), *b = sciara_vents_create();
  ck_assert_uint_eq(sciara_vents_hash(a), sciara_vents_hash(b));
  expect_ok(sciara_vents_add(a, 1, 2, 2, edges, rates));
  ck_assert_uint_ne(sciara_vents_hash(a), sciara_vents_hash(b));
  expect_ok(sciara_vents_add(b, 1, 2, 2, edges, other));
  ck_assert_uint_ne(sciara_vents_hash(a), sciara_vents_hash(b));
  b->rate[1] = 2;
  ck_assert_uint_eq(sciara_vents_hash(a), sciara_vents_hash(b));
  b->col[0] = 3;
  ck_assert_uint_ne(sciara_vents_hash(a), sciara_vents_hash(b));
}

int main(void) {
  H5dont_atexit(); // a damaged file cannot always be closed
  return tests_run(&tests_here, (struct tests_setting){
                                    .seconds = getenv("SCIARA_TORTURE") ? 3600 : 60, .setup = begin, .teardown = end});
}
