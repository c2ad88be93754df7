// SPDX-License-Identifier: Apache-2.0
// Included before every test program (tests/CMakeLists.txt). Check writes the location of each successful assertion to
// a file, so that it can report the last one before a crash. In a test with assertions in a loop this takes most of the
// time. Here only failed assertions are recorded, so after a crash Check reports only the test.
#ifndef SCIARA_TESTS_EVERY_TEST_H
#define SCIARA_TESTS_EVERY_TEST_H

#include <check.h>

#define _mark_point(file, line) ((void)0)

// In a program of many tests (sciara_add_suite in tests/CMakeLists.txt) the main function of each has a separate name.
#ifdef SCIARA_TEST_MAIN
#define main(...)                \
  SCIARA_TEST_MAIN(__VA_ARGS__); \
  int SCIARA_TEST_MAIN(__VA_ARGS__)
#endif

#endif
