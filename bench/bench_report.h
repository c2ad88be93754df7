// SPDX-License-Identifier: Apache-2.0
// The results of a measurement as CSV and as JSON (docs/formats.md).
#ifndef SCIARA_BENCH_BENCH_REPORT_H
#define SCIARA_BENCH_BENCH_REPORT_H

#include "base/text.h"
#include "bench/bench.h"
#include "bench/machine.h"

enum { SCIARA_BENCH_MOST_CASES = 32, SCIARA_BENCH_MOST_ENGINES = 64 };

/** A case, or why it was left out. */
struct sciara_bench_entry {
  struct sciara_bench_case measured; ///< `name` and the numbers of the problem; `problem` may be freed
  char *left_out;                    ///< owned; NULL: it was measured
};

/** An engine that is not available here. */
struct sciara_bench_absent {
  const char *engine;
  char *why; ///< owned
};

struct sciara_bench_report {
  const char *suite;
  enum sciara_precision precision;
  int repeats;
  struct sciara_machine machine;
  struct sciara_bench_absent absent[SCIARA_BENCH_MOST_ENGINES];
  size_t absent_count;
  struct sciara_bench_entry entry[SCIARA_BENCH_MOST_CASES];
  size_t count;
};

void sciara_bench_report_free(struct sciara_bench_report *r);

/** "verified", "FAILED" or "left out". */
const char *sciara_bench_result_name(enum sciara_bench_result result);

/** A case that was measured; NULL if it was not. */
const struct sciara_bench_case *sciara_bench_case_find(const struct sciara_bench_report *r, const char *name);

/** Time of a cell-step in a row of the case `sparse`, divided by that of the same engine in `tight`; 0: unknown. */
double sciara_bench_sparse_over_tight(const struct sciara_bench_report *r, const struct sciara_bench_row *row);

/** Append the complete report. */
enum sciara_status sciara_bench_csv(const struct sciara_bench_report *r, struct sciara_text *out);
enum sciara_status sciara_bench_json(const struct sciara_bench_report *r, struct sciara_text *out);

#endif
