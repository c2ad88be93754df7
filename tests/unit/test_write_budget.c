// SPDX-License-Identifier: Apache-2.0
// Writers of files: small ones at a time, as far as their bytes fit; a large one alone; all of them in the end.
#include "file/hdf5_file.h"

#include <pthread.h>
#include <time.h>

enum { WRITERS = 12, ROUNDS = 50 };

static size_t inside; // bytes of the writers that have entered
static int writers, most_writers;
static size_t most_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(size_t bytes) {
  pthread_mutex_lock(&lock);
  inside += bytes;
  writers++;
  if (inside > most_bytes && writers > 1) most_bytes = inside;
  if (writers > most_writers) most_writers = writers;
  pthread_mutex_unlock(&lock);
  const struct timespec pause = {.tv_nsec = 200000};
  nanosleep(&pause, NULL);
  pthread_mutex_lock(&lock);
  inside -= bytes;
  writers--;
  pthread_mutex_unlock(&lock);
}

/** `argument`: bytes of each file. */
static void *write_some(void *argument) {
  const size_t bytes = *(const size_t *)argument;
  for (int k = 0; k < ROUNDS; k++) {
    sciara_write_enter(bytes);
    note(bytes);
    sciara_write_leave(bytes);
  }
  return NULL;
}

/** WRITERS threads; the k-th writes files of bytes[k % count] bytes. */
static void run(size_t *bytes, size_t count) {
  pthread_t thread[WRITERS];
  inside = most_bytes = 0;
  writers = most_writers = 0;
  for (size_t k = 0; k < WRITERS; k++)
    ck_assert_int_eq(pthread_create(&thread[k], NULL, write_some, &bytes[k % count]), 0);
  for (size_t k = 0; k < WRITERS; k++) pthread_join(thread[k], NULL);
  ck_assert_int_eq(writers, 0);
}

TEST(together_they_stay_within_the_budget) {
  size_t bytes[] = {SCIARA_WRITE_BUDGET / 3, SCIARA_WRITE_BUDGET / 2, SCIARA_WRITE_BUDGET / 5};
  run(bytes, 3);
  ck_assert_uint_le(most_bytes, SCIARA_WRITE_BUDGET);
  ck_assert_int_gt(most_writers, 1);
}

TEST(a_large_file_is_written_alone) {
  size_t bytes[] = {(size_t)SCIARA_WRITE_BUDGET + 1, SIZE_MAX / 2, 1};
  run(bytes, 2);
  ck_assert_int_eq(most_writers, 1);
  run(bytes, 3); // with small ones between them
  ck_assert_uint_le(most_bytes, SCIARA_WRITE_BUDGET);
}

TEST(many_small_files_are_written_at_a_time) {
  size_t bytes[] = {1000};
  run(bytes, 1);
  ck_assert_int_gt(most_writers, 4);
}

RUN_TESTS()
