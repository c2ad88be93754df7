// SPDX-License-Identifier: Apache-2.0
// Included before every test program (tests/CMakeLists.txt). Check writes the place of each assertion that holds to a file,
// so that it can name the last one before a crash; a test that asserts in a loop spends most of its time on that. Here only
// assertions that fail are recorded: after a crash Check names the test alone.
#ifndef SCIARA_TESTS_EVERY_TEST_H
#define SCIARA_TESTS_EVERY_TEST_H

#include <check.h>

#define _mark_point(file, line) ((void)0)

// In a program of many tests (sciara_add_suite in tests/CMakeLists.txt) the main of each has a name of its own.
#ifdef SCIARA_TEST_MAIN
#define main(...)                \
  SCIARA_TEST_MAIN(__VA_ARGS__); \
  int SCIARA_TEST_MAIN(__VA_ARGS__)
#endif

#endif
