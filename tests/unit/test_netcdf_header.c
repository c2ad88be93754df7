// SPDX-License-Identifier: Apache-2.0
// Which headers of classic NetCDF files are accepted (file/gdal_support.h). The files were written by the package netCDF4
// for Python; the places of the numbers in them were taken from the specification of the format by a program of its own.

#include "base/status.h"
#include "file/gdal_support.h"
#include "support/folder.h"

#define CORPUS SCIARA_SOURCE_DIR "/tests/fuzz/corpus/netcdf/"

static char path[96];
static unsigned char content[8192];
static size_t length;

static void setup(void) {
  folder_make();
  snprintf(path, sizeof path, "%s/header.nc", folder);
}

static void load(const char *name) {
  char from[512];
  snprintf(from, sizeof from, CORPUS "%s", name);
  FILE *f = fopen(from, "rb");
  ck_assert_msg(f != NULL, "%s", from);
  memset(content, 0, sizeof content);
  length = fread(content, 1, sizeof content, f);
  ck_assert(length > 0 && length < sizeof content);
  fclose(f);
}

static enum sciara_status check(void) {
  write_bytes(path, content, length);
  sciara_error_clear();
  return sciara_netcdf_check_header(path);
}

/** Replaces a number of `bytes` bytes, which must have been `before`. */
static void put(size_t at, int bytes, uint64_t before, uint64_t after) {
  uint64_t found = 0;
  for (int k = 0; k < bytes; k++) found = found << 8 | content[at + (size_t)k];
  ck_assert_uint_eq(found, before);
  for (int k = bytes - 1; k >= 0; k--, after >>= 8) content[at + (size_t)k] = (unsigned char)after;
}

static void assert_refused(size_t at, const char *part) {
  char place[32];
  snprintf(place, sizeof place, ", byte %zu, ", at);
  const enum sciara_status status = check();
  const char *message = sciara_last_error();
  ck_assert_msg(status == SCIARA_ERR_INPUT && strstr(message, path) && strstr(message, place) && strstr(message, part),
                "byte %zu: expected \"%s\", found %d: %s", at, part, (int)status, message);
}

static void assert_accepted(void) { expect_ok(check()); }

/** Files whose values end where the file ends. */
static const char *const whole[] = {"bare.nc",   "good.nc",          "classic-record.nc", "classic-short.nc",
                                    "offset.nc", "offset-record.nc", "data.nc",           "data-record.nc"};

TEST_EACH(files_of_every_format_pass_and_no_part_of_one, sizeof whole / sizeof *whole) {
  load(whole[_i]);
  const size_t all = length;
  length += 5;
  assert_accepted();
  length = all;
  assert_accepted();
  for (size_t part = all - 1; part >= 4; part--) {
    ck_assert_int_eq(truncate(path, (off_t)part), 0);
    ck_assert_msg(sciara_netcdf_check_header(path) == SCIARA_ERR_INPUT, "%s: %zu of %zu bytes", whole[_i], part, all);
  }
}

TEST(a_file_without_records_passes) {
  load("classic-norec.nc");
  assert_accepted();
}

TEST(other_files_pass) {
  const char *const others[] = {"", "CDF", "CDF\3", "cdf\1", "\211HDF\r\n\032\n", "ncols 3\nnrows 3\n"};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    length = strlen(others[k]);
    memcpy(content, others[k], length);
    assert_accepted();
  }
  ck_assert_int_eq(sciara_netcdf_check_header("/nowhere/a.nc"), SCIARA_ERR_IO);
}

/** One number of a file, replaced by one that the format or the file does not allow. */
static const struct damage {
  const char *file;
  size_t at;
  int bytes;
  uint64_t before, after;
  const char *expected;
} damages[] = {
    {"offset.nc", 8, 4, 10, 11, "dimensions: expected the tag 10 (or 0 and no elements), found 11 and 2"},
    {"offset.nc", 8, 4, 10, 0, "expected the tag 10 (or 0 and no elements), found 0 and 2"},
    {"offset.nc", 40, 4, 12, 10, "attributes: expected the tag 12"},
    {"offset.nc", 100, 4, 12, 0, "attributes of variable 1: expected the tag 12"},
    {"offset.nc", 76, 4, 11, 12, "variables: expected the tag 11"},
    // 600 - 16 bytes left, 12 for each dimension at least: length of the name, name, length
    {"offset.nc", 12, 4, 2, 49, "dimensions: expected a number of elements up to 48"},
    {"offset.nc", 12, 4, 2, 0xffffffff, "found 4294967295"},
    // 860 - 24 bytes left, 20 for each
    {"data.nc", 16, 8, 2, 38, "dimensions: expected a number of elements up to"},
    {"data.nc", 16, 8, 2, UINT64_MAX, "found 18446744073709551615"},
    {"offset.nc", 44, 4, 1, 35, "attributes: expected a number of elements up to 34"}, // 552 / 16
    {"offset.nc", 104, 4, 2, 0x10000000, "attributes of variable 1: expected a number of elements up to 30"},
    {"offset.nc", 80, 4, 3, 15, "variables: expected a number of elements up to 14"},         // 516 / 36
    {"classic-record.nc", 92, 4, 4, 18, "variables: expected a number of elements up to 17"}, // 556 / 32
    {"offset.nc", 16, 4, 1, 0, "dimension 1: expected a name of 1 to 256 bytes, found 0"},
    {"offset.nc", 16, 4, 1, 257, "dimension 1: expected a name of 1 to 256 bytes, found 257"},
    {"offset.nc", 344, 4, 5, 253, "attribute 1 of variable 3: expected a length of the name up to 252"},
    {"offset.nc", 48, 4, 5, 0, "attribute 1: expected a name of 1"},
    {"offset.nc", 316, 4, 1, 0, "variable 3: expected a name of 1"},
    {"offset.nc", 20, 1, 'y', 0, "dimension 1: expected a name without zero bytes"},
    {"classic-record.nc", 36, 4, 4, 0, "dimension 2: expected at most one record dimension"},
    {"data.nc", 36 + 20, 8, 5, 1ull << 63,
     "dimension 2: expected a length of at most 2^63 - 1, found 9223372036854775808"},
    {"offset.nc", 60, 4, 2, 0, "attribute 1: expected a type from 1 to 6, found 0"},
    {"offset.nc", 60, 4, 2, 7, "attribute 1: expected a type from 1 to 6, found 7"},
    {"offset.nc", 184, 4, 6, 7, "variable 1: expected a type from 1 to 6, found 7"},
    {"classic-record.nc", 196, 4, 6, 0xffffffff, "variable 1: expected a type from 1 to 6"},
    {"data-record.nc", 276, 4, 6, 12, "variable 1: expected a type from 1 to 11, found 12"},
    {"offset.nc", 64, 4, 7, 533, "attribute 1: expected a number of values up to 532"},
    {"offset.nc", 388, 4, 2, 53, "attribute 2 of variable 3: expected a number of values up to 52"}, // 208 / 4
    {"offset.nc", 324, 4, 2, 69, "variable 3: expected a number of dimensions up to 68"},            // 272 / 4
    {"offset.nc", 332, 4, 1, 2, "variable 3: expected a dimension below 2, found 2"},
    {"offset.nc", 332, 4, 1, 0xffffffff, "variable 3: expected a dimension below 2"},
    {"data-record.nc", 484, 8, 2, 1ull << 32, "variable 3: expected a dimension below 3, found 4294967296"},
    {"classic-record.nc", 340, 4, 2, 0, "variable 3: expected the record dimension first, found it as dimension 3"},
    {"offset.nc", 440, 8, 520, 447,
     "variable 3: expected values after the header, from byte 448, found them at byte 447"},
    {"offset.nc", 440, 8, 520, 521, "variable 3: expected values to byte 601, found a file of 600 bytes"},
    {"offset.nc", 440, 8, 520, UINT64_MAX - 3,
     "variable 3: expected values in the 600 bytes of the file, found too many"},
    {"classic-record.nc", 204, 4, 484, 0xffffffff, "variable 1: expected values to byte 4294967327"},
    {"classic-record.nc", 4, 4, 2, 3, "number of records: expected values to byte 700"}, // 604 + 2 (40 + 8)
    {"classic-short.nc", 4, 4, 2, 3, "number of records: expected values to byte 557"},  // 512 + 3 15, not padded
    {"data-record.nc", 4, 8, 2, 1ull << 62, "number of records: expected values in the 860 bytes"},
    {"classic-record.nc", 4, 4, 2, 0xffffffff, "number of records: expected a number of records, found the mark"},
    {"data-record.nc", 4, 8, 2, UINT64_MAX, "number of records: expected a number of records, found the mark"},
};
enum { DAMAGES = sizeof damages / sizeof *damages };

TEST_EACH(a_damaged_number_is_refused, DAMAGES) {
  const struct damage *d = &damages[_i];
  load(d->file);
  put(d->at, d->bytes, d->before, d->after);
  assert_refused(d->at, d->expected);
}

TEST(sizes_that_overflow_are_refused) {
  load("data.nc");
  put(36, 8, 4, INT64_MAX);
  put(56, 8, 5, INT64_MAX);
  check();
  expect_said("found too many");
  load("data-record.nc"); // the size of a record
  put(56, 8, 4, INT64_MAX);
  put(76, 8, 5, INT64_MAX);
  put(164, 8, 1, 0); // the axes become record variables
  put(316, 8, 2, 0);
  expect_error(check(), SCIARA_ERR_INPUT, "number of records: expected values in the 860 bytes");
}

TEST(a_variable_has_at_most_1024_dimensions) {
  load("offset.nc");
  length = sizeof content;
  put(324, 4, 2, 1025);
  assert_refused(324, "variable 3: expected at most 1024 dimensions, found 1025");
}

/** What the format or its libraries allow. */
static const struct damage oddities[] = {
    {"offset.nc", 436, 4, 80, 0xffffffff, "size of a variable above 4 GiB"},
    {"offset.nc", 436, 4, 80, 7, "size that libraries ignore"},
    {"offset.nc", 4, 4, 0, 0xffffffff, "unknown number of records, and no record variable"},
    {"offset.nc", 4, 4, 0, 1000, "records of no variable"},
    {"offset.nc", 21, 1, 0, 'x', "padding of a name that is not 0"},
    {"offset.nc", 75, 1, 0, 'x', "padding of an attribute that is not 0"},
    {"classic-record.nc", 464, 4, 0, 12, "list of attributes without any"},
    {"classic-record.nc", 4, 4, 2, 0, "fewer records than there are"},
    {"data-record.nc", 612, 4, 3, 8, "type of CDF-5"},
    {"offset.nc", 440, 8, 520, 448, "values in an unusual order"},
};
enum { ODDITIES = sizeof oddities / sizeof *oddities };

TEST_EACH(an_oddity_is_accepted, ODDITIES) {
  const struct damage *d = &oddities[_i];
  load(d->file);
  put(d->at, d->bytes, d->before, d->after);
  ck_assert_msg(check() == SCIARA_OK, "%s: %s", d->expected, sciara_last_error());
}

/** 65,536 x 65,536 values of 4 bytes from byte 520: more than its field of 32 bits can state. */
TEST(a_variable_of_16_gibibytes_is_accepted) {
  const off_t all = 520 + (1ll << 34);
  load("offset.nc");
  put(24, 4, 4, 65536);
  put(36, 4, 5, 65536);
  put(436, 4, 80, 0xffffffff);
  assert_refused(192, "variable 1: expected values to byte 524736, found a file of 600 bytes");
  ck_assert_int_eq(truncate(path, all), 0);
  expect_ok(sciara_netcdf_check_header(path));
  ck_assert_int_eq(truncate(path, all - 1), 0);
  ck_assert_int_eq(sciara_netcdf_check_header(path), SCIARA_ERR_INPUT);
}

/** A title of 4007 characters; what follows lies on both sides of the first 4096 bytes that are read. */
TEST(a_long_header_is_read_in_parts) {
  const size_t more = 4000;
  load("offset.nc");
  memmove(content + 76 + more, content + 76, length - 76);
  length += more;
  put(64, 4, 7, 7 + more);
  put(192 + more, 8, 448, 448 + more);
  put(308 + more, 8, 480, 480 + more);
  put(440 + more, 8, 520, 520 + more);
  assert_accepted();
  put(432 + more, 4, 5, 7);
  assert_refused(432 + more, "variable 3: expected a type from 1 to 6, found 7");
}

TEST(gdal_gets_no_damaged_file) {
  char *name = NULL;
  load("offset.nc");
  put(12, 4, 2, 0x10000000);
  assert_refused(12, "dimensions");
  ck_assert_int_eq(sciara_gdal_files_allow(path, &name), SCIARA_ERR_INPUT);
  ck_assert_ptr_null(name);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
