// SPDX-License-Identifier: Apache-2.0
// Work divided among threads is done once, whatever the number of threads.
#include <pthread.h>

#include "base/share.h"

enum { MOST = 100 };

static int done[MOST]; // each by one thread
static int calls;      // atomic

static void do_them(void *context, int64_t begin, int64_t end) {
  ck_assert_ptr_eq(context, done);
  for (int64_t k = begin; k < end; k++) done[k]++;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

TEST_FROM(each_is_done_once, -1, 20) {
  for (int64_t count = 0; count < MOST; count++) {
    memset(done, 0, sizeof done);
    calls = 0;
    sciara_share(_i, count, do_them, done);
    for (int64_t k = 0; k < MOST; k++) ck_assert_int_eq(done[k], k < count);
    int expected = _i < SCIARA_SHARE_THREADS ? _i : SCIARA_SHARE_THREADS;
    if (expected > count) expected = (int)count;
    ck_assert_int_eq(calls, expected < 1 ? 1 : expected);
  }
}

static bool elsewhere;

static void where(void *context, int64_t begin, int64_t end) {
  (void)begin;
  (void)end;
  elsewhere = !pthread_equal(pthread_self(), *(const pthread_t *)context);
}

TEST(one_thread_is_the_callers) {
  pthread_t caller = pthread_self();
  sciara_share(1, MOST, where, &caller);
  ck_assert(!elsewhere);
}

/** Pieces from *context on fail; each says which it is. */
static enum sciara_status work_on(void *context, size_t piece) {
  const size_t bad = *(const size_t *)context;
  __atomic_fetch_add(&done[piece], 1, __ATOMIC_RELAXED);
  return piece < bad ? SCIARA_OK : sciara_fail(SCIARA_ERR_INPUT, "piece %zu", piece);
}

TEST_FROM(pieces_end_with_the_first_that_fails, 0, 20) {
  for (size_t bad = 0; bad <= MOST; bad++) {
    char expected[32];
    memset(done, 0, sizeof done);
    const enum sciara_status status = sciara_share_pieces(_i, MOST, work_on, &bad);
    ck_assert_int_eq(status, bad < MOST ? SCIARA_ERR_INPUT : SCIARA_OK);
    for (size_t k = 0; k < MOST; k++) ck_assert_int_le(done[k], 1);
    for (size_t k = 0; k < bad; k++) ck_assert_int_eq(done[k], 1);
    if (bad == MOST) continue;
    snprintf(expected, sizeof expected, "piece %zu", bad);
    ck_assert_str_eq(sciara_last_error(), expected);
    if (_i < 2) ck_assert_int_eq(done[MOST - 1], bad == MOST - 1);
  }
}

RUN_TESTS()
