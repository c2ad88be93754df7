// SPDX-License-Identifier: Apache-2.0
// Results of a run of engine `serial` at regular intervals of steps: recorded once, on any machine, and compared with
// other runs.
#ifndef SCIARA_VERIFY_TRACE_H
#define SCIARA_VERIFY_TRACE_H

#include "engine/engine.h"
#include "sim/problem.h"
#include "verify/trace_csv.h"

/** Sets the description of the computation, without rows. Release with sciara_trace_free. */
void sciara_trace_begin(const struct sciara_problem *p, enum sciara_precision precision, struct sciara_trace *out);

/** Adds the state of an engine. */
enum sciara_status sciara_trace_add(struct sciara_trace *t, const struct sciara_state *s,
                                    const struct sciara_ledger *ledger);

/** SCIARA_ERR_INPUT, naming the difference, if two traces are of different computations. */
enum sciara_status sciara_trace_same(const struct sciara_trace *mine, const struct sciara_trace *file,
                                     const char *path);

#endif
