// SPDX-License-Identifier: Apache-2.0
// Included before every test program (tests/CMakeLists.txt), with the usual headers of the C library. A test registers
// itself, in the order of its file:
//
//   TEST(name) { ... }
//   TEST_EACH(name, 3) { ... }     once for each _i from 0 to 2; TEST_FROM(name, 1, 4) from 1 to 3
//   RUN_TESTS(.setup = setup, .teardown = teardown)
//
// CK_RUN_CASE=NAME in the environment runs one of them.
//
// Check writes the location of each successful assertion to a file, so that it can report the last one before a crash.
// In a test with assertions in a loop this takes most of the time. Here only failed assertions are recorded, so after
// a crash Check reports only the test.
#ifndef SCIARA_TESTS_EVERY_TEST_H
#define SCIARA_TESTS_EVERY_TEST_H

#include <check.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define _mark_point(file, line) ((void)0)

/** Asserts that a function of the library succeeds. */
#define expect_ok(call) ck_assert_msg((call) == SCIARA_OK, "%s", sciara_last_error())

/** Asserts that the last error has all these words. */
#define expect_said(...)                                                                           \
  do {                                                                                             \
    const char *const said_words[] = {__VA_ARGS__};                                                \
    for (size_t word_ = 0; word_ < sizeof said_words / sizeof *said_words; word_++)                \
      ck_assert_msg(strstr(sciara_last_error(), said_words[word_]) != NULL, "\"%s\" lacks \"%s\"", \
                    sciara_last_error(), said_words[word_]);                                       \
  } while (0)

/** Asserts that it fails with this status, and with an error that has these words. */
#define expect_error(call, status, ...) \
  do {                                  \
    ck_assert_int_eq(call, status);     \
    expect_said(__VA_ARGS__);           \
  } while (0)

/** Declares a variable that `release`, a function of its address, releases at the end of the block. */
#define OWNED(release) __attribute__((cleanup(release), unused))

/** How the tests of a file are run; 0 and NULL: the usual way. */
struct tests_setting {
  char first;                             ///< of the initialisers; not used
  void (*setup)(void), (*teardown)(void); ///< before and after each test
  double seconds;                         ///< time limit of each test; 0: 60
  bool one_process;                       ///< not a process for each test: quicker, and what one changes stays
};

/** The tests of one source file. */
struct tests {
  struct tests_entry {
    const TTest *test;
    int begin, end;
  } entry[64];
  int count;
};

void tests_add(struct tests *tests, const TTest *test, int begin, int end);
SRunner *tests_runner(const struct tests *tests, const struct tests_setting *setting);
/** Runs them; returns the exit status. */
int tests_run(const struct tests *tests, struct tests_setting setting);
/** Whether this is a build with a sanitizer. */
bool sanitized(void);

static struct tests tests_here __attribute__((unused));

#define TEST_FROM(name, begin, end)                                   \
  static void name##_fn(int _i);                                      \
  __attribute__((constructor)) static void name##_add(void) {         \
    static const TTest test = {#name, name##_fn, __FILE__, __LINE__}; \
    tests_add(&tests_here, &test, (int)(begin), (int)(end));          \
  }                                                                   \
  static void name##_fn(int _i CK_ATTRIBUTE_UNUSED)
#define TEST_EACH(name, count) TEST_FROM(name, 0, count)
#define TEST(name) TEST_FROM(name, 0, 1)
#define RUN_TESTS(...) \
  int main(void) { return tests_run(&tests_here, (struct tests_setting){0, __VA_ARGS__}); }

// In a program of many tests (sciara_add_suite in tests/CMakeLists.txt) the main function of each has a separate name.
#ifdef SCIARA_TEST_MAIN
#define main(...)                \
  SCIARA_TEST_MAIN(__VA_ARGS__); \
  int SCIARA_TEST_MAIN(__VA_ARGS__)
#endif

#endif
