// SPDX-License-Identifier: Apache-2.0
// What `sciara bench` measures: the cases, how each becomes a problem, and the engines with their options.
#ifndef SCIARA_APP_BENCH_SUITE_H
#define SCIARA_APP_BENCH_SUITE_H

#include "bench/bench.h"
#include "bench/bench_report.h"

enum sciara_bench_source {
  SCIARA_BENCH_ETNA,     ///< the files that SCIARA_ETNA2006 names
  SCIARA_BENCH_BUNDLED,  ///< a scenario that comes with the program
  SCIARA_BENCH_SCENARIO, ///< a scenario that was given
  SCIARA_BENCH_DENSE,
  SCIARA_BENCH_SPARSE,
  SCIARA_BENCH_TIGHT,
};

struct sciara_suite_case {
  const char *name;
  enum sciara_bench_source source;
  const char *file;                 ///< file of a scenario
  const char *const *extra_drivers; ///< that may read the rasters of a scenario that was given
  size_t extra_driver_count;
  int64_t size;   ///< size of a scene
  uint64_t start; ///< steps before anything is measured
  uint64_t warm_up, steps;
  uint64_t every; ///< the steps that are multiples of it are recorded
};

enum { SCIARA_SUITE_CASES = 6 };

struct sciara_bench_suite {
  const char *name;
  unsigned without;      ///< engines with one of these capabilities are not among `all`
  unsigned needs;        ///< at least one engine with this capability must be available
  double seconds;        ///< no engine is started that would end later; 0: no limit
  double engine_seconds; ///< limit for all repetitions of an engine, if the results are recorded; 0: no limit
  struct sciara_suite_case cases[SCIARA_SUITE_CASES];
};

/** SCIARA_ERR_USAGE for an unknown name; the closest one is suggested. */
enum sciara_status sciara_bench_suite_find(const char *name, const struct sciara_bench_suite **out);
enum sciara_status sciara_suite_case_find(const struct sciara_bench_suite *suite, const char *name,
                                          const struct sciara_suite_case **out);

/**
 * Makes the problem of a case, at the step where the measurement starts. *left_out (malloc'd) is the reason if there is
 * none: a file of the suite is missing, or there is not enough memory for the states (sciara_bench_fits), which is
 * checked before any is allocated.
 */
enum sciara_status sciara_suite_case_open(const struct sciara_suite_case *suite_case, enum sciara_precision precision,
                                          int states, const struct sciara_bench_candidate *candidate, size_t count,
                                          struct sciara_problem *out, char **left_out);

/** The file of records that comes with the program, malloc'd; NULL if it is not installed. */
enum sciara_status sciara_bench_bundled_records(char **path);

struct sciara_bench_engines {
  struct sciara_bench_candidate candidate[SCIARA_BENCH_MOST_ENGINES];
  size_t count;
};

/**
 * Reads --engines (NULL: all) and --threads (NULL: 0). With `all`, engines that are not available are listed in the
 * report; an engine that is named must be available.
 */
enum sciara_status sciara_bench_engines_choose(struct sciara_bench_engines *e, const char *list, const char *threads,
                                               const struct sciara_bench_suite *suite,
                                               struct sciara_bench_report *report);

#endif
