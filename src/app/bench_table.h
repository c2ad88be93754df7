// SPDX-License-Identifier: Apache-2.0
// What `sciara bench` prints for people: a line an engine as it is verified, and ratios at the end.
#ifndef SCIARA_APP_BENCH_TABLE_H
#define SCIARA_APP_BENCH_TABLE_H

#include "verify/bench_report.h"

/** A row of a case, the head before the first; as `done` of a case. */
void sciara_bench_print_row(void *context, const struct sciara_bench_case *c, const struct sciara_bench_row *row);

/** What one case takes beside another, and threads beside one: nothing if there is nothing of that. */
void sciara_bench_print_ratios(const struct sciara_bench_report *r);

#endif
