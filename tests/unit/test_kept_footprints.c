// SPDX-License-Identifier: Apache-2.0
// Footprints that wait in memory for their batch: within a number of bytes, and instead of the files of members.
#include "member/footprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "ensemble/batch_folder.h"

enum {
  MEMBERS = 3,
  CELLS = 10,
  TEXTS = sizeof "" + sizeof "a warning",
  BYTES = sizeof(struct sciara_footprint) + TEXTS + CELLS * (8 + 4 * SCIARA_FOOTPRINT_VALUES), // of a footprint
  LIST = MEMBERS * sizeof(void *)
};

static struct sciara_footprint make(int64_t id, int64_t count) {
  struct sciara_footprint f = {.id = id, .row_hash = (uint64_t)id + 1, .count = count, .stop = SCIARA_STOP_TIME};
  ck_assert_int_eq(sciara_footprint_make_cells(&f, count), SCIARA_OK);
  for (int64_t i = 0; i < count; i++) f.cell[i] = 10 * id + i;
  f.error = strdup("");
  f.warnings = strdup("a warning");
  return f;
}

static struct sciara_kept_footprints *room_for(size_t bytes) {
  struct sciara_kept_footprints *kept = sciara_kept_create(MEMBERS, (double)(LIST + bytes));
  ck_assert_ptr_nonnull(kept);
  return kept;
}

static bool put(struct sciara_kept_footprints *kept, size_t member, int64_t count) {
  struct sciara_footprint f = make((int64_t)member, count);
  sciara_kept_put(kept, member, &f);
  const bool moved = f.cell == NULL;
  sciara_footprint_free(&f);
  return moved;
}

TEST(a_footprint_is_kept_until_it_is_taken) {
  struct sciara_kept_footprints *kept = room_for(1 << 20);
  struct sciara_footprint f = {0};
  ck_assert(put(kept, 1, CELLS));
  ck_assert(!sciara_kept_take(kept, 0, &f));
  ck_assert(sciara_kept_take(kept, 1, &f));
  ck_assert_int_eq(f.id, 1);
  ck_assert_int_eq(f.cell[CELLS - 1], 10 + CELLS - 1);
  ck_assert_str_eq(f.warnings, "a warning");
  sciara_footprint_free(&f);
  ck_assert(!sciara_kept_take(kept, 1, &f));
  ck_assert(put(kept, 2, CELLS)); // released with the others
  sciara_kept_destroy(kept);
}

TEST(no_more_bytes_are_kept_than_there_is_room_for) {
  struct sciara_kept_footprints *kept = room_for(2 * BYTES);
  struct sciara_footprint f = {0};
  ck_assert(put(kept, 0, CELLS));
  ck_assert(!put(kept, 1, CELLS + 1));
  ck_assert(put(kept, 1, CELLS));
  ck_assert(!put(kept, 2, 1));
  ck_assert(sciara_kept_take(kept, 0, &f)); // makes room
  sciara_footprint_free(&f);
  ck_assert(put(kept, 2, CELLS));
  sciara_kept_destroy(kept);
}

TEST(a_member_is_kept_once) {
  struct sciara_kept_footprints *kept = room_for(1 << 20);
  ck_assert(put(kept, 0, CELLS));
  ck_assert(!put(kept, 0, CELLS));
  sciara_kept_destroy(kept);
}

TEST(nothing_is_kept_without_a_place) {
  struct sciara_footprint f = {0};
  ck_assert_ptr_null(sciara_kept_create(MEMBERS, LIST));
  ck_assert_ptr_null(sciara_kept_create(MEMBERS, -1));
  ck_assert(!put(NULL, 0, CELLS));
  ck_assert(!sciara_kept_take(NULL, 0, &f));
  sciara_kept_destroy(NULL);
}

/** Writes the files of all members but the last one, which is kept only; a damaged file does not matter if it is kept. */
TEST(a_batch_is_made_of_kept_members_and_of_files) {
  int64_t ids[MEMBERS] = {0, 1, 2};
  uint64_t hashes[MEMBERS] = {1, 2, 3};
  char root[] = "/tmp/sciara-kept-XXXXXX", path[128];
  ck_assert_ptr_nonnull(mkdtemp(root));
  struct sciara_ensemble e = {.folder = root, .hash = 5, .site_hash = 6, .batch_size = MEMBERS, .batch_count = 1};
  e.members.count = MEMBERS;
  e.members.id = ids;
  e.members.hash = hashes;
  struct sciara_batch_folder to = {.ensemble = &e, .rows = 20, .cols = 20, .kept = room_for(1 << 20)};
  const char *const folders[] = {"batches", "members"};
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/%s", root, folders[k]);
    ck_assert_int_eq(mkdir(path, 0777), 0);
  }
  for (size_t m = 0; m < 2; m++) {
    struct sciara_footprint f = make((int64_t)m, CELLS);
    ck_assert_msg(sciara_member_store(&to, m, &f) == SCIARA_OK, "%s", sciara_last_error());
    sciara_footprint_free(&f);
  }
  size_t missing = 0;
  ck_assert_int_eq(sciara_batch_join(&to, 0, &missing), SCIARA_OK);
  ck_assert_uint_eq(missing, 2);
  snprintf(path, sizeof path, "%s/members/000000/1.h5", root);
  ck_assert_int_eq(truncate(path, 100), 0);
  ck_assert(put(to.kept, 1, CELLS));
  ck_assert(put(to.kept, 2, CELLS));
  ck_assert_msg(sciara_batch_join(&to, 0, &missing) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_uint_eq(missing, SIZE_MAX);
  ck_assert_int_ne(access(path, F_OK), 0);

  struct sciara_batch_header h;
  struct sciara_footprint *f = NULL, none = {0};
  size_t count = 0;
  void *file = NULL;
  snprintf(path, sizeof path, "%s/batches/000000.h5", root);
  ck_assert_msg(sciara_batch_open(path, &h, &f, &count, &file) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_uint_eq(count, MEMBERS);
  for (size_t m = 0; m < count; m++) {
    ck_assert_int_eq(sciara_batch_cells(file, m, &f[m]), SCIARA_OK);
    ck_assert_int_eq(f[m].id, (int64_t)m);
    ck_assert_int_eq(f[m].count, CELLS);
    ck_assert_int_eq(f[m].cell[CELLS - 1], 10 * (int64_t)m + CELLS - 1);
    ck_assert_str_eq(f[m].warnings, "a warning");
  }
  sciara_batch_close(file);
  sciara_batch_release(f, count);
  // A batch that another process has made: what is kept of it is released.
  ck_assert(put(to.kept, 0, CELLS));
  ck_assert_int_eq(sciara_batch_join(&to, 0, &missing), SCIARA_OK);
  ck_assert(!sciara_kept_take(to.kept, 0, &none));
  sciara_kept_destroy(to.kept);
  unlink(path);
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/%s", root, folders[k]);
    ck_assert_int_eq(rmdir(path), 0);
  }
  ck_assert_int_eq(rmdir(root), 0);
}

RUN_TESTS()
