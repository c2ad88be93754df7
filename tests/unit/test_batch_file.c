// SPDX-License-Identifier: Apache-2.0
// Batches: every value is read back, an equal batch has equal bytes, and what is damaged is refused or read as written.
#include "member/batch_file.h"

#include <hdf5.h>
#include <sys/stat.h>

#include "file/durable.h"
#include "file/libraries.h"
#include "support/folder.h"
#include "support/owned.h"
#include "support/random.h"

// HDF5 1.10 does not release all of its memory when it finds a damaged file.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

enum { MEMBERS = 5, ROWS = 4000, COLS = 3000, CELLS = 21000 };

static char path[96];
static struct sciara_footprint members[MEMBERS];
static const struct sciara_batch_header header = {
    .ensemble_hash = UINT64_C(0xfedcba9876543210), .site_hash = 7, .rows = ROWS, .cols = COLS, .batch = 12};

static void fill_cells(struct sciara_footprint *f, int64_t count) {
  f->count = count;
  expect_ok(sciara_footprint_make_cells(f, count));
  for (int64_t i = 0; i < count; i++) {
    f->cell[i] = (i == 0 ? 0 : f->cell[i - 1] + 1) + (int64_t)(random_bits() % 400);
    f->arrival[i] = (float)uniform(0, 1e5);
    f->max_deposit[i] = (float)uniform(0, 9);
    for (int v = SCIARA_FOOTPRINT_VALUE_DEPOSIT; v < SCIARA_FOOTPRINT_VALUES; v++)
      f->value[v][i] = f->max_deposit[i] / 2;
  }
}

static void begin(void) {
  seed = 1; // the same members in each test, also where tests share a process
  folder_make();
  snprintf(path, sizeof path, "%s/000012.h5", folder);
  for (int k = 0; k < MEMBERS; k++) {
    members[k] = (struct sciara_footprint){.id = 100 + 3 * k,
                                           .row_hash = UINT64_C(0x8000000000000001) * (uint64_t)(k + 1),
                                           .stop = SCIARA_STOP_SOLIDIFIED,
                                           .end_s = 1234.5 + k,
                                           .steps = 1000,
                                           .cell_steps = 99999,
                                           .checksum = ~(uint64_t)k,
                                           .ledger = {.emitted_m3 = 1.0 / 3, .residual_m3 = -1e-9, .sea_m3 = 4},
                                           .seconds = 0.25};
    fill_cells(&members[k], k == 1 ? 0 : CELLS - k);
  }
  members[1].stop = SCIARA_STOP_NONE;
  members[1].failed = true;
  members[1].error = strdup("step 7: row 1, column 2: not a number");
  members[3].stop = SCIARA_STOP_STEPS;
  members[3].censored = true;
  members[3].warnings = strdup("a tower\nanother \xc3\xa9");
}

static void end(void) {
  for (int k = 0; k < MEMBERS; k++) sciara_footprint_free(&members[k]);
  folder_remove();
}

/** The batch that was opened last. */
static struct {
  struct sciara_batch_header header;
  struct sciara_footprint *f;
  size_t count;
  void *file;
} batch;

static enum sciara_status open_it(void) {
  return sciara_batch_open(path, &batch.header, &batch.f, &batch.count, &batch.file);
}

static void close_it(void) {
  sciara_batch_close(batch.file);
  sciara_batch_release(batch.f, batch.count);
}

static void write_it(void) { expect_ok(sciara_batch_write(path, &header, members, MEMBERS, true)); }

static void assert_same_cells(const struct sciara_footprint *a, const struct sciara_footprint *b) {
  const size_t count = (size_t)a->count;
  ck_assert_int_eq(a->count, b->count);
  if (count == 0) return;
  ck_assert_mem_eq(a->cell, b->cell, count * sizeof *a->cell);
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) ck_assert_mem_eq(a->value[v], b->value[v], count * sizeof(float));
}

static void assert_same(const struct sciara_footprint *a, const struct sciara_footprint *b) {
  ck_assert_int_eq(a->id, b->id);
  ck_assert_uint_eq(a->row_hash, b->row_hash);
  ck_assert_int_eq(a->stop, b->stop);
  ck_assert_int_eq(a->failed, b->failed);
  ck_assert_int_eq(a->censored, b->censored);
  ck_assert_double_eq(a->end_s, b->end_s);
  ck_assert_double_eq(a->seconds, b->seconds);
  ck_assert_uint_eq(a->steps, b->steps);
  ck_assert_uint_eq(a->cell_steps, b->cell_steps);
  ck_assert_uint_eq(a->checksum, b->checksum);
  ck_assert_mem_eq(&a->ledger, &b->ledger, sizeof a->ledger);
  ck_assert_str_eq(a->error ? a->error : "", b->error);
  ck_assert_str_eq(a->warnings ? a->warnings : "", b->warnings);
}

TEST(every_value_is_read_back) {
  write_it();
  expect_ok(open_it());
  ck_assert_mem_eq(&batch.header, &header, sizeof header);
  ck_assert_uint_eq(batch.count, MEMBERS);
  for (int turn = 0; turn < 2; turn++) // in order, then in reverse
    for (size_t n = 0; n < batch.count; n++) {
      const size_t k = turn == 0 ? n : batch.count - 1 - n;
      assert_same(&members[k], &batch.f[k]);
      expect_ok(sciara_batch_cells(batch.file, k, &batch.f[k]));
      assert_same_cells(&members[k], &batch.f[k]);
      sciara_footprint_free_cells(&batch.f[k]);
    }
  close_it();
}

TEST(equal_batches_have_equal_bytes) {
  write_it();
  const char *other = in_folder("other.h5");
  expect_ok(sciara_batch_write(other, &header, members, MEMBERS, false));
  expect_same_bytes(path, other);
}

TEST(a_batch_without_any_cell_is_valid) {
  expect_ok(sciara_batch_write(path, &header, &members[1], 1, true));
  expect_ok(open_it());
  assert_same(&members[1], &batch.f[0]);
  expect_ok(sciara_batch_cells(batch.file, 0, &batch.f[0]));
  close_it();
}

static const char *open_fails(void) {
  ck_assert_int_ne(open_it(), SCIARA_OK);
  ck_assert_ptr_null(batch.f);
  ck_assert_ptr_null(batch.file);
  return sciara_last_error();
}

TEST(invalid_members_are_refused) {
  members[2].id = members[0].id;
  write_it();
  ck_assert_ptr_nonnull(strstr(open_fails(), "ids that do not ascend"));
  members[2].id = members[1].id;
  write_it();
  ck_assert_ptr_nonnull(strstr(open_fails(), "ids that do not ascend"));
  members[2].id = 106;
  members[4].end_s = NAN;
  write_it();
  ck_assert_ptr_nonnull(strstr(open_fails(), "not finite"));
  members[4].end_s = 1;
  members[4].stop = SCIARA_STOP_NONE;
  write_it();
  ck_assert_ptr_nonnull(strstr(open_fails(), "stop reason"));
}

/** The error of reading the cells of member 2 after one of them was changed before writing. */
static const char *cells_fail(void) {
  write_it();
  expect_ok(open_it());
  expect_ok(sciara_batch_cells(batch.file, 0, &batch.f[0]));
  ck_assert_int_eq(sciara_batch_cells(batch.file, 2, &batch.f[2]), SCIARA_ERR_INPUT);
  ck_assert_ptr_null(batch.f[2].cell);
  close_it();
  return sciara_last_error();
}

TEST(invalid_cells_are_refused) {
  struct sciara_footprint *f = &members[2];
  const int64_t last = f->cell[f->count - 1];
  f->cell[f->count - 1] = (int64_t)ROWS * COLS;
  ck_assert_ptr_nonnull(strstr(cells_fail(), "cells of the map in ascending order"));
  f->cell[f->count - 1] = f->cell[f->count - 2];
  ck_assert_ptr_nonnull(strstr(cells_fail(), "cells of the map in ascending order"));
  f->cell[f->count - 1] = last;
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    const struct sciara_footprint_value_info *value = &sciara_footprint_values[v];
    const float bad[] = {-1, INFINITY, NAN};
    char text[64];
    snprintf(text, sizeof text, "value 7 of %s: expected a number from 0 on", value->name);
    for (int k = 0; k < (value->unknown ? 2 : 3); k++) {
      f->value[v][7] = bad[k];
      ck_assert_ptr_nonnull(strstr(cells_fail(), text));
    }
    f->value[v][7] = 1;
  }
}

/** docs/formats.md has the table of the values. */
TEST(values_are_documented) {
  char *page, row[256];
  size_t size;
  expect_ok(sciara_file_read(SCIARA_SOURCE_DIR "/docs/formats.md", 1 << 24, &page, &size));
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    const struct sciara_footprint_value_info *value = &sciara_footprint_values[v];
    snprintf(row, sizeof row, "| `%s` | %s | %s |\n", value->name, value->unit, value->meaning);
    ck_assert_msg(strstr(page, row) != NULL, "docs/formats.md: expected the row %s", row);
  }
  free(page);
}

/** A value that a batch does not have is damage, unless earlier versions did not write it. */
TEST(a_value_that_is_missing_is_damage_or_unknown) {
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    write_it();
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    ck_assert_int_ge(H5Ldelete(file, sciara_footprint_values[v].name, H5P_DEFAULT), 0);
    H5Fclose(file);
    const enum sciara_status status = open_it();
    unlink(path);
    if (!sciara_footprint_values[v].unknown) {
      expect_error(status, SCIARA_ERR_INPUT, sciara_footprint_values[v].name);
      continue;
    }
    ck_assert_int_eq(status, SCIARA_OK);
    expect_ok(sciara_batch_cells(batch.file, 0, &batch.f[0]));
    for (int other = 0; other < SCIARA_FOOTPRINT_VALUES; other++)
      for (int64_t i = 0; i < batch.f[0].count; i++)
        ck_assert(other == v ? isnan(batch.f[0].value[v][i])
                             : batch.f[0].value[other][i] == members[0].value[other][i]);
    close_it();
  }
}

/** A file with a column of another length than the others. */
TEST(a_column_of_another_length_is_refused) {
  static const char *const columns[] = {"id", "row_hash", "end_s", "seconds"};
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
    for (hsize_t size = MEMBERS - 1; size <= 2 * MEMBERS; size += MEMBERS + 1) {
      write_it();
      const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), old = H5Dopen2(file, columns[k], H5P_DEFAULT);
      const hid_t type = H5Dget_type(old), space = H5Screate_simple(1, &size, NULL);
      ck_assert_int_ge(type, 0);
      H5Dclose(old);
      ck_assert_int_ge(H5Ldelete(file, columns[k], H5P_DEFAULT), 0);
      const hid_t changed = H5Dcreate2(file, columns[k], type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      ck_assert_int_ge(changed, 0);
      H5Dclose(changed);
      H5Sclose(space);
      H5Tclose(type);
      H5Fclose(file);
      ck_assert_int_eq(open_it(), SCIARA_ERR_INPUT);
      ck_assert_ptr_null(batch.f);
      unlink(path);
    }
  }
}

static bool is_same_text(const char *written, const char *read) { return strcmp(written ? written : "", read) == 0; }

/** Whether all but the cells is as it was written. */
static bool is_same_row(const struct sciara_footprint *a, const struct sciara_footprint *b) {
  return a->id == b->id && a->row_hash == b->row_hash && a->count == b->count && a->stop == b->stop &&
         a->failed == b->failed && a->censored == b->censored && a->end_s == b->end_s && a->steps == b->steps &&
         a->cell_steps == b->cell_steps && a->checksum == b->checksum && a->seconds == b->seconds &&
         memcmp(&a->ledger, &b->ledger, sizeof a->ledger) == 0 && is_same_text(a->error, b->error) &&
         is_same_text(a->warnings, b->warnings);
}

/** Whether the file is refused, or reads as it was written. */
static bool refused_or_unchanged(void) {
  if (open_it() != SCIARA_OK) return true;
  bool fine = memcmp(&batch.header, &header, sizeof header) == 0 && batch.count == MEMBERS;
  for (size_t k = 0; fine && k < batch.count; k++) {
    fine = is_same_row(&members[k], &batch.f[k]);
    if (!fine || sciara_batch_cells(batch.file, k, &batch.f[k]) != SCIARA_OK) break;
    for (int64_t i = 0; i < batch.f[k].count; i++) fine &= batch.f[k].cell[i] == members[k].cell[i];
    for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++)
      for (int64_t i = 0; i < batch.f[k].count; i++) fine &= batch.f[k].value[v][i] == members[k].value[v][i];
  }
  close_it();
  return fine;
}

TEST(a_damaged_file_is_never_read_as_another) {
  OWNED(free_memory) char *bytes;
  size_t size;
  for (int k = 0; k < MEMBERS; k++) members[k].count = members[k].count > 300 ? 300 : members[k].count;
  write_it();
  expect_ok(sciara_file_read(path, 1 << 24, &bytes, &size));
  for (int turn = 0; turn < 400; turn++) {
    const size_t at = random_bits() % size;
    const int bit = (int)(random_bits() % 8);
    bytes[at] = (char)(bytes[at] ^ (1 << bit));
    expect_ok(sciara_file_replace_shared(path, bytes, size, false));
    ck_assert_msg(refused_or_unchanged(), "bit %d of byte %zu", bit, at);
    bytes[at] = (char)(bytes[at] ^ (1 << bit));
  }
  for (size_t length = 0; length < size; length += size / 40) {
    expect_ok(sciara_file_replace_shared(path, bytes, length, false));
    ck_assert_msg(refused_or_unchanged(), "the first %zu bytes", length);
  }
}

TEST(a_member_takes_little_room) {
  struct stat about;
  struct sciara_footprint *f = &members[0]; // 100 x 100 cells as lava leaves them: neighbours are similar
  f->count = 10000;
  for (int64_t i = 0; i < f->count; i++) {
    f->cell[i] = 500 * COLS + i / 100 * COLS + i % 100;
    f->arrival[i] = (float)(1000.0 * (double)(i / 100) + (double)uniform(0, 300));
    f->max_deposit[i] = (float)uniform(1, 5);
    f->deposit[i] = (float)uniform(0.5, 4.5);
    for (int v = SCIARA_FOOTPRINT_VALUE_DEPOSIT + 1; v < SCIARA_FOOTPRINT_VALUES; v++) f->value[v][i] = 0;
  }
  expect_ok(sciara_batch_write(path, &header, f, 1, true));
  ck_assert_int_eq(stat(path, &about), 0);
  ck_assert_int_lt(about.st_size, 110000);
}

int main(void) {
  sciara_hdf5_no_atexit(); // HDF5 fails at objects that it could not close
  return tests_run(&tests_here, (struct tests_setting){.setup = begin, .teardown = end});
}
