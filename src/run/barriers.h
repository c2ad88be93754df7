// SPDX-License-Identifier: Apache-2.0
// What became of the barriers of a run: whether and when lava overtopped them, or how much of their height is left.
#ifndef SCIARA_RUN_BARRIERS_H
#define SCIARA_RUN_BARRIERS_H

#include "sim/problem.h"
#include "store/run_json.h"

/** Adds the barriers of a problem to run.json, as barriers_report, without messages. */
enum sciara_status sciara_barriers_find(const struct sciara_problem *p, struct sciara_run_json *run_json);

enum { SCIARA_BARRIER_TEXT = 208 };

/** What became of a barrier, for people. @param start of the run; NULL: unknown */
void sciara_barrier_describe(const struct sciara_run_barrier *barrier, const char *start,
                             char text[SCIARA_BARRIER_TEXT]);

#endif
