// SPDX-License-Identifier: Apache-2.0
// Chunks as they are encoded, decoded again by zlib and by the definitions of HDF5's filters; and the same bytes from any
// number of threads, even when threads cannot be started.
#include <pthread.h>
#include <zlib.h>

#include "snapshot_case.h"
#include "store/chunk.h"
#include "support/owned.h"

static bool no_threads; ///< pthread_create fails; the linker puts it in place of the real one

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *argument) {
  return no_threads ? EAGAIN : __real_pthread_create(thread, how, start, argument);
}

/** HDF5's Fletcher-32 by its definition: two sums modulo 65535, of words of 16 bits with the high byte first. */
static uint32_t fletcher(const unsigned char *bytes, size_t count) {
  uint64_t a = 0, b = 0;
  for (size_t k = 0; k < count; k += 2) {
    a = (a + bytes[k] * 256u + (k + 1 < count ? bytes[k + 1] : 0u)) % 65535;
    b = (b + a) % 65535;
  }
  return (uint32_t)((b ? b : 65535) << 16 | (a ? a : 65535)); // the sums are never 0 here: they end as 65535
}

/** The expected values of a chunk: 256 x 256 values, or the whole of a smaller grid; the fill value beyond its end. */
static void expect_values(const struct sciara_state *s, const struct sciara_chunk *chunk, bool as_double) {
  const int64_t rows = sciara_chunk_rows(&s->grid), cols = sciara_chunk_cols(&s->grid);
  const size_t values = (size_t)(rows * cols), item = as_double ? 8 : 4;
  OWNED(free_memory) unsigned char *shuffled = malloc(values * item);
  uLongf length = values * item;
  const unsigned char *end = chunk->bytes + chunk->count - 4;
  ck_assert_int_eq(uncompress(shuffled, &length, chunk->bytes, chunk->count - 4), Z_OK);
  ck_assert_uint_eq(length, values * item);
  ck_assert_uint_eq((uint32_t)end[0] | (uint32_t)end[1] << 8 | (uint32_t)end[2] << 16 | (uint32_t)end[3] << 24,
                    fletcher(chunk->bytes, chunk->count - 4));
  OWNED(free_memory) double *expected = expected_field(s, chunk->field, as_double);
  for (int64_t k = 0; k < rows * cols; k++) {
    const int64_t row = chunk->row + k / cols, col = chunk->col + k % cols;
    unsigned char bytes[8];
    double found;
    for (size_t b = 0; b < item; b++) bytes[b] = shuffled[b * values + (size_t)k];
    if (as_double)
      memcpy(&found, bytes, 8);
    else {
      float narrow;
      memcpy(&narrow, bytes, 4);
      found = (double)narrow;
    }
    const double here =
        row < s->grid.rows && col < s->grid.cols ? expected[row * s->grid.cols + col] : sciara_chunk_fill(chunk->field);
    if (memcmp(&found, &here, sizeof here) != 0) // an assertion of Check is slow
      ck_abort_msg("row %d, column %d: %g, expected %g", (int)row, (int)col, found, here);
  }
}

/** Every value of the chunk is the fill value, bit by bit. */
static void expect_plain(const struct sciara_state *s, const struct sciara_chunk *chunk, bool as_double) {
  const double fill = sciara_chunk_fill(chunk->field);
  OWNED(free_memory) double *expected = expected_field(s, chunk->field, as_double);
  for (int64_t r = chunk->row; r < chunk->row + SCIARA_CHUNK_SIDE && r < s->grid.rows; r++)
    for (int64_t c = chunk->col; c < chunk->col + SCIARA_CHUNK_SIDE && c < s->grid.cols; c++)
      if (memcmp(&expected[r * s->grid.cols + c], &fill, sizeof fill) != 0)
        ck_abort_msg("row %d, column %d is not the fill value", (int)r, (int)c);
}

static const struct { int64_t rows, cols; } sizes[] = {{1, 1}, {3, 7}, {5, 300}, {256, 256}, {257, 255}, {300, 520}};

TEST_EACH(chunks_hold_the_values, 2 * sizeof sizes / sizeof sizes[0]) {
  const bool as_double = _i % 2;
  struct sciara_state *s = make_state(sizes[_i / 2].rows, sizes[_i / 2].cols);
  struct sciara_chunk_source source = {.grid = &s->grid, .state = s, .as_double = as_double};
  OWNED(sciara_touched_release) struct sciara_touched touched;
  struct sciara_chunk_team *team;
  expect_ok(sciara_touched_find(s, 1, &touched));
  source.touched = &touched;
  expect_ok(sciara_chunk_team_create(&source, ALL_FIELDS, 1, &team));
  int plain = 0;
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    for (int64_t r = 0; r < s->grid.rows; r += SCIARA_CHUNK_SIDE)
      for (int64_t c = 0; c < s->grid.cols; c += SCIARA_CHUNK_SIDE) {
        const struct sciara_chunk *chunk = sciara_chunk_team_next(team);
        ck_assert(chunk->field == (enum sciara_field)f && chunk->row == r && chunk->col == c && !chunk->misfit);
        ck_assert_uint_le(chunk->count, sciara_chunk_room(&s->grid, as_double));
        plain += chunk->plain;
        if (chunk->plain)
          expect_plain(s, chunk, as_double);
        else
          expect_values(s, chunk, as_double);
      }
  if (s->grid.cols > SCIARA_CHUNK_SIDE) ck_assert_int_gt(plain, 0);
  sciara_chunk_team_destroy(team);
}

// There must be room for numbers that do not deflate at all, and for a number of bytes that is odd for Fletcher-32.
TEST_EACH(noise_fits, 2) {
  struct sciara_state *s = make_state(256, 256);
  uint64_t seed = 88172645463325252u;
  for (int64_t i = 0; i < 256 * 256; i++) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    const uint64_t bits = (seed & 0x800fffffffffffffu) | (0x3c0u + (seed >> 52 & 0x3f)) << 52;
    memcpy(&s->px[i], &bits, sizeof bits);
  }
  OWNED(sciara_touched_release) struct sciara_touched touched;
  struct sciara_chunk_team *team;
  expect_ok(sciara_touched_find(s, 1, &touched));
  const struct sciara_chunk_source source = {.grid = &s->grid, .state = s, .touched = &touched, .as_double = _i};
  expect_ok(sciara_chunk_team_create(&source, 1u << SCIARA_FIELD_MOMENTUM_X, 1, &team));
  const struct sciara_chunk *chunk = sciara_chunk_team_next(team);
  ck_assert_uint_gt(chunk->count, 256 * 256 * (_i ? 6 : 3));
  ck_assert_uint_le(chunk->count, sciara_chunk_room(&s->grid, _i));
  expect_values(s, chunk, _i);
  sciara_chunk_team_destroy(team);
}

/** All chunks of all fields, one after the other. */
static unsigned char *all_chunks(const struct sciara_state *s, int threads, bool slow, size_t *count) {
  OWNED(sciara_touched_release) struct sciara_touched touched;
  struct sciara_chunk_team *team;
  expect_ok(sciara_touched_find(s, 1, &touched));
  const struct sciara_chunk_source source = {.grid = &s->grid, .state = s, .touched = &touched};
  expect_ok(sciara_chunk_team_create(&source, ALL_FIELDS, threads, &team));
  const int64_t chunks = SCIARA_FIELD_COUNT * sciara_chunks_of(&s->grid);
  unsigned char *all = malloc((size_t)chunks * sciara_chunk_room(&s->grid, false));
  *count = 0;
  for (int64_t k = 0; k < chunks; k++) {
    if (slow) usleep(500); // all slots are taken by then
    const struct sciara_chunk *chunk = sciara_chunk_team_next(team);
    memcpy(all + *count, chunk->bytes, chunk->count);
    *count += chunk->count;
  }
  sciara_chunk_team_destroy(team);
  return all;
}

TEST_EACH(same_bytes_from_any_number_of_threads, SCIARA_CHUNK_THREADS + 2) {
  struct sciara_state *s = make_state(300, 520);
  size_t expected_count, count;
  OWNED(free_memory) unsigned char *expected = all_chunks(s, 1, false, &expected_count);
  for (int turn = 0; turn < 3; turn++) {
    no_threads = turn == 2;
    OWNED(free_memory) unsigned char *found = all_chunks(s, _i, turn == 1, &count);
    no_threads = false;
    ck_assert_uint_eq(count, expected_count);
    ck_assert_int_eq(memcmp(found, expected, count), 0);
  }
}

// From a field that already exists come the same bytes as from its state.
TEST_FROM(same_bytes_from_values, 1, 4) {
  struct sciara_state *s = make_state(300, 520);
  size_t expected_count, count = 0;
  OWNED(free_memory) unsigned char *expected = all_chunks(s, 1, false, &expected_count);
  OWNED(free_memory) double *values = malloc((size_t)sciara_grid_cells(&s->grid) * sizeof *values);
  const struct sciara_chunk_source source = {.grid = &s->grid, .values = values};
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    struct sciara_chunk_team *team;
    sciara_field_derive(s, (enum sciara_field)f, values);
    expect_ok(sciara_chunk_team_create(&source, 1u << f, _i, &team));
    for (int64_t k = 0; k < sciara_chunks_of(&s->grid); k++) {
      const struct sciara_chunk *chunk = sciara_chunk_team_next(team);
      ck_assert(chunk->field == (enum sciara_field)f && count + chunk->count <= expected_count);
      ck_assert_int_eq(memcmp(chunk->bytes, expected + count, chunk->count), 0);
      count += chunk->count;
    }
    sciara_chunk_team_destroy(team);
  }
  ck_assert_uint_eq(count, expected_count);
}

// A caller that takes no more chunks ends both the threads that wait for a slot and those that work.
TEST_FROM(an_early_end, 1, 5) {
  struct sciara_state *s = make_state(300, 520);
  OWNED(sciara_touched_release) struct sciara_touched touched;
  struct sciara_chunk_team *team;
  expect_ok(sciara_touched_find(s, 1, &touched));
  const struct sciara_chunk_source source = {.grid = &s->grid, .state = s, .touched = &touched};
  for (int taken = 0; taken < 12; taken++) {
    expect_ok(sciara_chunk_team_create(&source, ALL_FIELDS, _i, &team));
    for (int k = 0; k < taken; k++) sciara_chunk_team_next(team);
    if (taken % 3 == 0) usleep(1000);
    sciara_chunk_team_destroy(team);
  }
}

RUN_TESTS(.seconds = 120, .setup = setup, .teardown = teardown)
