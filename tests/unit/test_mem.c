// SPDX-License-Identifier: Apache-2.0
// Claims about base/mem.h: sizes that do not fit are refused, memory is zeroed and aligned.
#include <pthread.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "support/owned.h"

// Sanitizers end a program that requests too much memory, unless an option prevents it.
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
const char *__tsan_default_options(void) { return "allocator_may_return_null=1"; }

TEST(products) {
  size_t out = 0;
  expect_ok(sciara_size_mul(517, 378, &out));
  ck_assert_uint_eq(out, 517 * 378);
  expect_ok(sciara_size_mul(0, SIZE_MAX, &out));
  ck_assert_uint_eq(out, 0);
  expect_ok(sciara_size_mul(SIZE_MAX, 0, &out));
  ck_assert_uint_eq(out, 0);
  expect_ok(sciara_size_mul((size_t)INT64_MAX, 1, &out));
  ck_assert_uint_eq(out, (size_t)INT64_MAX);
  const size_t bad[][2] = {
      {(size_t)INT64_MAX, 2},     {2, (size_t)INT64_MAX},     {(size_t)1 << 32, (size_t)1 << 32}, {SIZE_MAX, SIZE_MAX},
      {(size_t)INT64_MAX + 1, 1}, {1, (size_t)INT64_MAX + 1}, {(size_t)1 << 32, (size_t)1 << 31}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    out = 42;
    ck_assert_msg(sciara_size_mul(bad[k][0], bad[k][1], &out) == SCIARA_ERR_MEMORY, "%zu x %zu passed", bad[k][0],
                  bad[k][1]);
    ck_assert_uint_eq(out, 42);
  }
}

TEST(allocation) {
  for (size_t bytes = 1; bytes < 3000; bytes = bytes * 3 / 2 + 1) {
    OWNED(free_aligned) unsigned char *p;
    expect_ok(sciara_alloc((void **)&p, bytes, 1, "some bytes"));
    ck_assert_uint_eq((uintptr_t)p % SCIARA_ALIGNMENT, 0);
    for (size_t i = 0; i < bytes; i++) ck_assert_uint_eq(p[i], 0);
    memset(p, 0xff, bytes);
  }
  OWNED(free_aligned) double *d;
  expect_ok(SCIARA_NEW(d, 10, "ten numbers"));
  d[9] = 1;
  sciara_free(NULL);
}

static void fill(unsigned char *p, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) p[i] = (unsigned char)(i * 7 + i / 251);
}

static void expect_filled(const unsigned char *p, size_t to) {
  size_t i = 0;
  while (i < to && p[i] == (unsigned char)(i * 7 + i / 251)) i++;
  ck_assert_uint_eq(i, to);
}

// The content of a block stays when the block grows, wherever it is moved; now and then other blocks lie behind it.
TEST(more_room) {
  unsigned char *p = NULL;
  void *between[40] = {NULL};
  size_t used = 0;
  int k = 0;
  for (size_t bytes = 1; bytes < (size_t)100 << 20; bytes = bytes * 3 / 2 + 1) {
    expect_ok(sciara_resize((void **)&p, used, bytes, 1, "some bytes"));
    ck_assert_uint_eq((uintptr_t)p % SCIARA_ALIGNMENT, 0);
    expect_filled(p, used);
    fill(p, used, bytes);
    used = bytes;
    if (bytes < 10000) expect_ok(sciara_alloc(&between[k++], bytes, 1, "others"));
  }
  void *before = p;
  ck_assert_int_eq(sciara_resize((void **)&p, used, (size_t)INT64_MAX / 2, 4, "too much"), SCIARA_ERR_MEMORY);
  ck_assert_int_eq(sciara_resize((void **)&p, used, (size_t)INT64_MAX / 2, 1, "too much"), SCIARA_ERR_MEMORY);
  ck_assert_ptr_eq(p, before);
  expect_filled(p, used);
  expect_ok(sciara_resize((void **)&p, 100, 100, 1, "less"));
  expect_filled(p, 100);
  expect_ok(sciara_resize((void **)&p, 0, 0, 1, "nothing"));
  ck_assert_ptr_null(p);
  for (k = 0; k < 40; k++) sciara_free(between[k]);
}

// realloc keeps the alignment of a block to 16 bytes, not to the 128 of an array: its content has to be moved.
TEST(more_room_elsewhere) {
  int moved = 0;
  void *between[200];
  for (size_t k = 0; k < 200; k++) {
    OWNED(free_aligned) unsigned char *p;
    expect_ok(sciara_alloc((void **)&p, 300, 1, "some bytes"));
    fill(p, 0, 300);
    const uintptr_t was = (uintptr_t)p;
    expect_ok(sciara_alloc(&between[k], 1 + k * 16, 1, "others"));
    expect_ok(sciara_resize((void **)&p, 300, 5000, 1, "more bytes"));
    ck_assert_uint_eq((uintptr_t)p % SCIARA_ALIGNMENT, 0);
    expect_filled(p, 300);
    moved += (uintptr_t)p != was;
  }
  ck_assert_int_gt(moved, 0);
  for (size_t k = 0; k < 200; k++) sciara_free(between[k]);
}

TEST(nothing) {
  void *p = &p;
  expect_ok(sciara_alloc(&p, 0, 8, "nothing"));
  ck_assert_ptr_null(p);
}

TEST(too_much) {
  const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8, (size_t)INT64_MAX, (size_t)INT64_MAX / 8, (size_t)1 << 58};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    void *p = &p;
    ck_assert_int_eq(sciara_alloc(&p, counts[k], 8, "thickness of the grid"), SCIARA_ERR_MEMORY);
    ck_assert_ptr_null(p);
    expect_said("thickness of the grid");
  }
}

TEST(available) { // of this machine, in bytes: more than a megabyte, less than an exabyte
  const size_t bytes = sciara_memory_available();
  ck_assert(bytes == 0 || (bytes > (size_t)1 << 20 && bytes < (size_t)1 << 60));
}

/** Bytes of the address space that the process has taken. */
static size_t address_space(void) {
  size_t pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  ck_assert(f && fscanf(f, "%zu", &pages) == 1);
  fclose(f);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// A limit of the address space counts like a lack of memory.
TEST(limited) {
  if (address_space() > (size_t)1 << 36) {
    printf("skipped: a sanitizer has reserved more than any limit\n");
    return;
  }
  ck_assert_uint_eq(sciara_address_space_left(), SIZE_MAX);
  ck_assert_int_eq(sciara_threads_with_room(1000000), 1000000);
  size_t stack;
  pthread_attr_t attributes;
  ck_assert(pthread_attr_init(&attributes) == 0 && pthread_attr_getstacksize(&attributes, &stack) == 0);
  struct rlimit before, limit;
  ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
  limit = before;
  limit.rlim_cur = (rlim_t)1 << 40; // more than the test has
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
  const size_t wide = sciara_address_space_left();
  limit.rlim_cur = (rlim_t)100 << 20;
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
  const size_t narrow = sciara_address_space_left(), free_now = sciara_memory_available();
  const int alone = sciara_threads_with_room(64);
  limit.rlim_cur = (rlim_t)(address_space() + SCIARA_ADDRESS_SPACE_RESERVE + 41 * stack);
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
  const int some = sciara_threads_with_room(64), few = sciara_threads_with_room(7), one = sciara_threads_with_room(1);
  setrlimit(RLIMIT_AS, &before);
  ck_assert(wide > (size_t)1 << 39 && wide < (size_t)1 << 40);
  ck_assert_uint_lt(narrow, (size_t)100 << 20);
  const size_t reserve = SCIARA_ADDRESS_SPACE_RESERVE;
  ck_assert_uint_eq(free_now, narrow > reserve ? narrow - reserve : 1);
  ck_assert_int_eq(alone, narrow > reserve ? (int)((narrow - reserve) / (stack + 4096)) + 1 : 1);
  ck_assert(some >= 39 && some <= 42 && few == 7 && one == 1); // each stack has a page before it
}

RUN_TESTS(.one_process = true)
