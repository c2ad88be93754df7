// SPDX-License-Identifier: Apache-2.0
// Snapshots in which bits were flipped or whose end is missing: each is refused with a message, or read as it was written.
// No crash, and no wrong number that goes unnoticed.
#include "file/libraries.h"
#include "snapshot_case.h"
#include "support/owned.h"
#include "support/random.h"

// HDF5 1.10 does not release all of its memory when it finds a damaged file.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

enum { ROWS = 24, COLS = 300, CELLS = ROWS * COLS }; // two chunks a field

/** Everything that a reader takes from a snapshot. */
struct content {
  uint64_t step, checksum, dem_hash;
  int64_t liquid_cells, rows, cols;
  double time, clock, west, north, cell_size;
  struct sciara_ledger ledger;
  unsigned fields;
  char *texts;
  double *values; ///< of the fields, one after the other
};

static void free_content(struct content *c) {
  free(c->texts);
  free(c->values);
  *c = (struct content){0};
}

static const char *or_nothing(const char *text) { return text ? text : "(nothing)"; }

static enum sciara_status read_content(struct content *c) {
  struct sciara_snapshot s;
  *c = (struct content){0};
  SCIARA_TRY(sciara_snapshot_open(path, &s));
  const struct sciara_grid *g = &s.grid;
  *c = (struct content){.step = s.step,
                        .checksum = s.checksum,
                        .dem_hash = s.dem_hash,
                        .liquid_cells = s.liquid_cells,
                        .rows = g->rows,
                        .cols = g->cols,
                        .time = s.time_s,
                        .clock = s.clock_s,
                        .west = g->west,
                        .north = g->north,
                        .cell_size = g->cell_size,
                        .ledger = s.ledger,
                        .fields = s.fields};
  c->texts = sciara_format("%s|%s|%s|%s|%s|%s|%s", or_nothing(s.title), or_nothing(s.start), or_nothing(s.source),
                           or_nothing(s.engine), or_nothing(s.precision), or_nothing(s.scenario_json),
                           or_nothing(s.georef.crs_wkt));
  enum sciara_status status = SCIARA_OK;
  c->values = (double *)calloc((size_t)SCIARA_FIELD_COUNT * CELLS, sizeof(double));
  ck_assert(c->texts && c->values);
  for (int f = 0; f < SCIARA_FIELD_COUNT && status == SCIARA_OK && g->rows * g->cols == CELLS; f++)
    if (s.fields >> f & 1u) status = sciara_snapshot_read(&s, (enum sciara_field)f, c->values + (size_t)f * CELLS);
  sciara_snapshot_close(&s);
  if (status != SCIARA_OK) free_content(c);
  return status;
}

/** What differs, or NULL. */
static const char *difference(const struct content *a, const struct content *b) {
  if (a->step != b->step || a->checksum != b->checksum || a->dem_hash != b->dem_hash) return "step or checksum";
  if (a->rows != b->rows || a->cols != b->cols) return "shape";
  if (a->liquid_cells != b->liquid_cells) return "liquid cells";
  if (a->time != b->time) return "time";
  if (a->clock != b->clock) return "clock";
  if (a->west != b->west || a->north != b->north || a->cell_size != b->cell_size) return "place";
  if (memcmp(&a->ledger, &b->ledger, sizeof a->ledger) != 0) return "ledger";
  if (a->fields != b->fields) return "the fields that are there";
  if (strcmp(a->texts, b->texts) != 0) return "texts";
  return memcmp(a->values, b->values, (size_t)SCIARA_FIELD_COUNT * CELLS * sizeof(double)) != 0 ? "values" : NULL;
}

/** Writes a snapshot; returns its bytes and what a reader gets from it. */
static char *make_snapshot(bool as_double, size_t *count, struct content *whole) {
  OWNED(destroy_state) struct sciara_state *s = new_state(ROWS, COLS);
  struct sciara_snapshot_context c = context_of_test();
  c.as_double = as_double;
  WRITES(&c, s, path);
  char *bytes = read_bytes(path, count);
  expect_ok(read_content(whole));
  return bytes;
}

/** Reads the file damaged in the way `how`; returns whether it was refused. */
static bool try_damaged(const struct content *whole, const char *how, size_t at) {
  struct content found;
  sciara_error_clear();
  const enum sciara_status status = read_content(&found);
  if (status != SCIARA_OK) {
    ck_assert_msg(status == SCIARA_ERR_INPUT || status == SCIARA_ERR_MEMORY, "%s at %zu: status %d, %s", how, at,
                  status, sciara_last_error());
    ck_assert_msg(strstr(sciara_last_error(), path) != NULL, "%s at %zu: %s", how, at, sciara_last_error());
    return true;
  }
  const char *what = difference(whole, &found);
  ck_assert_msg(!what, "%s at byte %zu was not noticed, and changed this: %s", how, at, what);
  free_content(&found);
  return false;
}

static int rounds(void) { return getenv("SCIARA_TORTURE") ? 20000 : 200; }

TEST_EACH(flipped_bytes, 2) {
  size_t count;
  struct content whole;
  OWNED(free_memory) char *bytes = make_snapshot(_i, &count, &whole);
  seed = 7 + (uint64_t)_i;
  int refused = 0;
  for (int k = 0; k < rounds(); k++) {
    const size_t at = (size_t)(random_bits() % count);
    const char kept = bytes[at];
    bytes[at] = (char)(bytes[at] ^ (1 + (int)(random_bits() % 255)));
    write_bytes(path, bytes, count);
    refused += try_damaged(&whole, "a flip", at);
    bytes[at] = kept;
  }
  printf("torture: flips of a snapshot, float%d | %d | 0 (%d refused)\n", _i ? 64 : 32, rounds(), refused);
  ck_assert_int_gt(refused, rounds() / 10);
  free_content(&whole);
}

/** Metadata is a small part of a file, which random flips would seldom hit: here each of its bytes is flipped. */
TEST(flipped_bytes_of_the_metadata) {
  size_t count;
  struct content whole;
  OWNED(free_memory) char *bytes = make_snapshot(false, &count, &whole);
  const size_t step = getenv("SCIARA_TORTURE") ? 1 : 67;
  for (size_t at = 0; at < count; at += step) {
    bytes[at] = (char)(bytes[at] ^ 0x10);
    write_bytes(path, bytes, count);
    try_damaged(&whole, "a flip", at);
    bytes[at] = (char)(bytes[at] ^ 0x10);
  }
  free_content(&whole);
}

int main(void) {
  sciara_hdf5_no_atexit(); // as the program does: HDF5 fails at objects that it could not close
  return tests_run(&tests_here, (struct tests_setting){.seconds = getenv("SCIARA_TORTURE") ? 3600 : 100,
                                                       .setup = setup,
                                                       .teardown = folder_remove});
}
