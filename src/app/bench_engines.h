// SPDX-License-Identifier: Apache-2.0
// Which engines `sciara bench` measures, and with which options.
#ifndef SCIARA_APP_BENCH_ENGINES_H
#define SCIARA_APP_BENCH_ENGINES_H

#include "app/bench_suite.h"
#include "bench/bench_report.h"

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
