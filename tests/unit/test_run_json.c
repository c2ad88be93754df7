// SPDX-License-Identifier: Apache-2.0
// The record of a run: what is written is read back bit by bit, and what is wrong in a file is named.
#include <signal.h>
#include <sys/resource.h>

#include "base/text.h"
#include "file/durable.h"
#include "store/run_json.h"
#include "support/folder.h"
#include "support/owned.h"

static char path[96];

static void setup(void) {
  folder_make();
  snprintf(path, sizeof path, "%s/run.json", folder);
}

/* Awkward numbers on purpose: none of them is preserved by 15 or 16 digits. */
static void fill(struct sciara_run_json *r) {
  memset(r, 0, sizeof *r);
  r->status = SCIARA_RUN_STOPPED;
  expect_ok(sciara_run_json_set(&r->stop_reason, "signal \"2\"\n\t\xc3\xa9"));
  expect_ok(sciara_run_json_set(&r->scenario, "a/b.json"));
  expect_ok(sciara_run_json_set(&r->model_preset, "thesis-etna-2006; changed: cooling"));
  expect_ok(sciara_run_json_set(&r->engine, "openmp"));
  expect_ok(sciara_run_json_set(&r->precision, "double"));
  expect_ok(sciara_run_json_set(&r->program_version, "0.1.0"));
  expect_ok(sciara_run_json_set(&r->hdf5_version, "1.10.8"));
  expect_ok(sciara_run_json_set(&r->parent, "../other"));
  expect_ok(sciara_run_json_resume(r, 77, "serial"));
  r->parent_step = 66;
  r->parent_checksum = UINT64_C(0xabcdef0123456789);
  r->dem_hash = UINT64_C(0xfedcba9876543210);
  r->threads = 7;
  strcpy(r->started_utc, "2006-07-14T23:30:00Z");
  strcpy(r->updated_utc, "2006-07-14T23:31:00Z");
  r->wall_s = 1.0 / 3.0;
  r->compute_s = 0x1.fffffffffffffp-3;
  r->output_wait_s = 1.0 / 49.0;
  r->step = UINT64_C(1) << 53;
  r->time_s = 27858.768582599001;
  r->clock_s = nextafter(1.4276883188, 2);
  r->liquid_cells = 928;
  r->ledger = (struct sciara_ledger){88083.316105900999, 0.1, 5e-324, 1.7976931348623157e308, -0.0, -1e-300, 2.0 / 3.0,
                                     1e7 / 3.0,          0.1, 1.0 / 7};
  r->emission = (struct sciara_emission){4700160.1, 0.1, 1e7 / 3.0, 5e-324, 1.0 / 7};
  r->has_sea = true;
  char words[][7] = {SCIARA_WARNING_DEM, "tower", "coarse", "high"};
  struct sciara_run_warning dem = {.kind = words[0], .height_m = NAN, .coarse_m = 90, .text = words[2]};
  struct sciara_run_warning tower = {words[1], 3, 4, 0.1, 2, .time_s = 59, .height_m = 0.7, .text = words[3]};
  expect_ok(sciara_run_json_warn(r, &dem));
  while (tower.time_s++ < 61) expect_ok(sciara_run_json_warn(r, &tower));
  expect_ok(sciara_run_json_add(r, "snapshots/00000001.nc", 10, 0.1 + 0.2, UINT64_MAX));
  expect_ok(sciara_run_json_add(r, "snapshots/00000002.nc", 20, 0.7, 1));
}

static void assert_same_text(const char *a, const char *b) {
  ck_assert_int_eq(a == NULL, b == NULL);
  if (a) ck_assert_str_eq(a, b);
}

#define IDENTICAL(member) ck_assert_int_eq(memcmp(&a->member, &b->member, sizeof a->member), 0)

static void assert_same(const struct sciara_run_json *a, const struct sciara_run_json *b) {
  ck_assert_int_eq(a->status, b->status);
  char *const texts[][2] = {
      {a->stop_reason, b->stop_reason}, {a->scenario, b->scenario},         {a->model_preset, b->model_preset},
      {a->engine, b->engine},           {a->precision, b->precision},       {a->program_version, b->program_version},
      {a->git_hash, b->git_hash},       {a->hdf5_version, b->hdf5_version}, {a->gdal_version, b->gdal_version}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) assert_same_text(texts[i][0], texts[i][1]);
  ck_assert_str_eq(a->started_utc, b->started_utc);
  ck_assert_str_eq(a->updated_utc, b->updated_utc);
  ck_assert_str_eq(a->ended_utc, b->ended_utc);
  IDENTICAL(dem_hash);
  IDENTICAL(threads);
  IDENTICAL(wall_s);
  IDENTICAL(compute_s);
  IDENTICAL(output_wait_s);
  IDENTICAL(step);
  IDENTICAL(time_s);
  IDENTICAL(clock_s);
  IDENTICAL(liquid_cells);
  IDENTICAL(ledger);
  IDENTICAL(emission);
  ck_assert_uint_eq(a->warning_count, b->warning_count);
  for (size_t i = 0; i < a->warning_count; i++) {
    const struct sciara_run_warning *v = &a->warnings[i], *w = &b->warnings[i];
    ck_assert(strcmp(v->kind, w->kind) == 0 && strcmp(v->text, w->text) == 0);
    ck_assert_mem_eq(&v->row, &w->row,
                     offsetof(struct sciara_run_warning, text) - offsetof(struct sciara_run_warning, row));
  }
  ck_assert_uint_eq(a->snapshot_count, b->snapshot_count);
  for (size_t i = 0; i < a->snapshot_count; i++) {
    ck_assert_str_eq(a->snapshots[i].name, b->snapshots[i].name);
    IDENTICAL(snapshots[i].step);
    IDENTICAL(snapshots[i].time_s);
    IDENTICAL(snapshots[i].checksum);
  }
}

/* A branch that was resumed twice. */
TEST(descent_reads_back) {
  struct sciara_run_json written, read;
  fill(&written);
  expect_ok(sciara_run_json_set(&written.parent, "../other \"run\""));
  written.parent_step = 12345;
  written.parent_checksum = UINT64_C(0xfedcba9876543210);
  expect_ok(sciara_run_json_resume(&written, 20000, "serial"));
  expect_ok(sciara_run_json_resume(&written, 30000, "openmp"));
  const struct sciara_run_barrier barrier = {
      .edit = 3, .cells = 17, .overtopped_s = NAN, .freeboard_m = 0.1, .x = 1, .y = 2};
  expect_ok(sciara_run_json_barrier(&written, &barrier, "dam \"north\""));
  written.ledger.added_m3 = 0; // but some is removed
  expect_ok(sciara_run_json_write(&written, path));
  expect_ok(sciara_run_json_read(path, &read));
  assert_same(&written, &read);
  ck_assert_str_eq(read.parent, written.parent);
  ck_assert(read.parent_step == 12345 && read.parent_checksum == written.parent_checksum);
  ck_assert_uint_eq(read.resumption_count, 3);
  for (size_t k = 0; k < 3; k++) {
    ck_assert_uint_eq(read.resumptions[k].step, written.resumptions[k].step);
    ck_assert_str_eq(read.resumptions[k].engine, written.resumptions[k].engine);
    ck_assert_str_eq(read.resumptions[k].utc, written.resumptions[k].utc);
    ck_assert_uint_eq(strlen(read.resumptions[k].utc), 20);
  }
  ck_assert_uint_eq(read.barrier_count, 1);
  ck_assert_str_eq(read.barriers[0].name, "dam \"north\"");
  ck_assert_uint_eq(read.barriers[0].edit, 3);
  ck_assert_int_eq(read.barriers[0].cells, 17);
  ck_assert_double_nan(read.barriers[0].overtopped_s);
  ck_assert_double_eq(read.barriers[0].freeboard_m, barrier.freeboard_m);
  sciara_run_json_forget(&read, 60); // of the warnings one of the DEM and one of the towers are left
  ck_assert_uint_eq(read.barrier_count, 0);
  ck_assert_uint_eq(read.warning_count, 2);
  ck_assert_double_eq(read.warnings[1].time_s, 60);
  sciara_run_json_cut(&read, 1);
  ck_assert_uint_eq(read.snapshot_count, 1);
  ck_assert_str_eq(read.snapshots[0].name, "snapshots/00000001.nc");
  sciara_run_json_cut(&read, 5);
  ck_assert_uint_eq(read.snapshot_count, 1);
  sciara_run_json_free(&read);
  written.parent_step = UINT64_MAX; // more than a JSON number holds
  ck_assert_int_eq(sciara_run_json_write(&written, path), SCIARA_ERR_INTERNAL);
  sciara_run_json_free(&written);
  ck_assert_ptr_null(written.resumptions);
}

TEST(a_record_reads_back_bit_for_bit) {
  struct sciara_run_json written, read;
  fill(&written);
  for (int s = 0; s < 4; s++) { // also replaces the record of before
    written.status = (enum sciara_run_status)s;
    expect_ok(sciara_run_json_write(&written, path));
    expect_ok(sciara_run_json_read(path, &read));
    assert_same(&written, &read);
    sciara_run_json_free(&read);
  }
  sciara_run_json_free(&written);
  ck_assert_ptr_null(written.snapshots);
}

TEST(an_empty_record_reads_back) {
  struct sciara_run_json written = {.wall_s = NAN, .ledger = {.residual_m3 = INFINITY}}, read;
  expect_ok(sciara_run_json_write(&written, path));
  expect_ok(sciara_run_json_read(path, &read));
  ck_assert(isnan(read.wall_s));
  ck_assert(isnan(read.ledger.residual_m3)); // JSON knows no infinity: both are null
  ck_assert_uint_eq(read.snapshot_count, 0);
  ck_assert_ptr_null(read.engine);
  sciara_run_json_free(&read);
}

TEST(counts_beyond_json_are_refused) {
  OWNED(sciara_run_json_free) struct sciara_run_json record;
  fill(&record);
  record.step++; // 2^53 + 1
  ck_assert_int_eq(sciara_run_json_write(&record, path), SCIARA_ERR_INTERNAL);
  record.step--;
  record.snapshots[1].step = record.step + 1;
  ck_assert_int_eq(sciara_run_json_write(&record, path), SCIARA_ERR_INTERNAL);
  record.snapshots[1].step = 20;
  record.liquid_cells = -1;
  ck_assert_int_eq(sciara_run_json_write(&record, path), SCIARA_ERR_INTERNAL);
  ck_assert_int_ne(access(path, F_OK), 0);
}

/* One word of a good record is replaced; what the diagnostic must name. */
static const struct {
  const char *from, *to, *named;
} damages[] = {
    {"\"format\": 1", "\"format\": 2",
     "format: expected 1: no run record, or one of another version of the program, found 2"},
    {"\"stopped\"", "\"gone\"", "status: expected running, complete, stopped or failed, found \"gone\""},
    {"\"dem_hash\": \"f", "\"dem_hash\": \"g", "dem_hash"},
    {"\"threads\": 7", "\"threads\": 7.5", "engine.threads: expected a whole number from 0 to 2147483647, found 7.5"},
    {"\"openmp\"", "false", "engine.name"},
    {"23:31:00Z", "23:31:00", "timing.updated_utc"},
    {"\"liquid_cells\": 928", "\"liquid_cells\": \"928\"", "state.liquid_cells"},
    {"\"lost_m3\": ", "\"lost_m3\": []  ,  \"x\": ", "ledger.lost_m3"},
    {"\"removed_m3\": ", "\"removed\": ", "ledger.removed_m3"},
    {"snapshots/00000002.nc", "../00000002.nc", "snapshots[1].name"},
    {"snapshots/00000002.nc", "/etc/passwd", "snapshots[1].name"},
    {"snapshots/00000002.nc", "snapshots/..", "snapshots[1].name"},
    {"\"step\": 20", "\"step\": 1e60", "snapshots[1].step"},
    {"\"ffffffffffffffff\"", "\"FFFFFFFFFFFFFFFF\"", "snapshots[0].checksum"},
    {"\"snapshots\": [", "\"snapshots\": [3, ", "snapshots[0]"},
    {"\"threads\": 7", "\"threads\": 7, \"threads\": 8", "threads"},
    {"\"resumed\": [", "\"resumed\": [3, ", "resumed[0]: expected an object, found 3"},
};

/** What is written of a filled record. */
static char *write_filled(size_t *length) {
  struct sciara_run_json record;
  fill(&record);
  expect_ok(sciara_run_json_write(&record, path));
  sciara_run_json_free(&record);
  return read_bytes(path, length);
}

TEST_EACH(damage_is_named, sizeof damages / sizeof damages[0]) {
  struct sciara_run_json record;
  size_t length;
  OWNED(free_memory) char *text = write_filled(&length);
  char *found = strstr(text, damages[_i].from);
  ck_assert_msg(found != NULL, "no %s in %s", damages[_i].from, text);
  OWNED(free_memory)
  char *bad = sciara_format("%.*s%s%s", (int)(found - text), text, damages[_i].to, found + strlen(damages[_i].from));
  expect_ok(sciara_file_replace(path, bad, strlen(bad)));
  expect_error(sciara_run_json_read(path, &record), SCIARA_ERR_INPUT, damages[_i].named, "run.json");
  ck_assert_ptr_null(record.engine);
}

TEST(earlier_versions_wrote_no_height_of_towers) {
  OWNED(sciara_run_json_free) struct sciara_run_json record;
  size_t length;
  OWNED(free_memory) char *text = write_filled(&length);
  for (char *at = text; (at = strstr(at, "height_m"));) memcpy(at, "no_value", 8);
  expect_ok(sciara_file_replace(path, text, length));
  expect_ok(sciara_run_json_read(path, &record));
  ck_assert_double_nan(record.warnings[2].height_m);
}

TEST(no_prefix_of_a_record_is_a_record) {
  struct sciara_run_json record;
  size_t length;
  OWNED(free_memory) char *text = write_filled(&length);
  for (size_t n = 0; n + 2 < length; n += 7) {
    write_bytes(path, text, n);
    ck_assert_int_eq(sciara_run_json_read(path, &record), SCIARA_ERR_INPUT);
  }
}

TEST(a_missing_record_is_an_io_error) {
  struct sciara_run_json record;
  expect_error(sciara_run_json_read(path, &record), SCIARA_ERR_IO, path);
}

TEST(a_hundred_thousand_snapshots) {
  OWNED(sciara_run_json_free) struct sciara_run_json record, read;
  fill(&record);
  char name[64];
  for (uint64_t i = 0; i < 100000; i++) {
    snprintf(name, sizeof name, "snapshots/%08d.nc", (int)i);
    expect_ok(sciara_run_json_add(&record, name, i, (double)i / 3.0, i * UINT64_C(0x9e3779b97f4a7c15)));
  }
  expect_ok(sciara_run_json_write(&record, path));
  expect_ok(sciara_run_json_read(path, &read));
  assert_same(&record, &read);
}

RUN_TESTS(.seconds = 120, .setup = setup, .teardown = folder_remove)
