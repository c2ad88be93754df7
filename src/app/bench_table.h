// SPDX-License-Identifier: Apache-2.0
// What `sciara bench` prints for people: a line for each engine once it is verified, and ratios at the end.
#ifndef SCIARA_APP_BENCH_TABLE_H
#define SCIARA_APP_BENCH_TABLE_H

#include "bench/bench_report.h"

/** Prints a row of a case, and the heading before the first; used as `done` of a case. */
void sciara_bench_print_row(void *context, const struct sciara_bench_case *c, const struct sciara_bench_row *row);

/**
 * The time of one case compared with another, and of several threads compared with one; prints nothing if neither was
 * measured.
 */
void sciara_bench_print_ratios(const struct sciara_bench_report *r);

#endif
