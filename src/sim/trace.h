// SPDX-License-Identifier: Apache-2.0
// What a run of engine `serial` came to, every so many steps: recorded once, on any machine, and held against others.
#ifndef SCIARA_SIM_TRACE_H
#define SCIARA_SIM_TRACE_H

#include "engine/engine.h"
#include "sim/problem.h"

struct sciara_trace_row {
  uint64_t step;
  double time, clock, emitted; ///< s, s, m3
  int64_t liquid_cells;
  double residual; ///< of the ledger, m3
  uint64_t checksum;
};

struct sciara_trace {
  uint64_t dem, start, parameters, vents; ///< what was computed: hashes of the DEM, the first state and the rest
  char precision[24];
  struct sciara_trace_row *row;
  size_t count;
};

/** Says what is computed; without rows. Release with sciara_trace_free. */
void sciara_trace_begin(const struct sciara_problem *p, enum sciara_precision precision, struct sciara_trace *out);

/** Adds the state of an engine. */
enum sciara_status sciara_trace_add(struct sciara_trace *t, const struct sciara_state *s,
                                    const struct sciara_ledger *ledger);

/** SCIARA_ERR_INPUT, naming the difference, when two traces do not tell of the same computation. */
enum sciara_status sciara_trace_same(const struct sciara_trace *mine, const struct sciara_trace *file, const char *path);

/** Writes a trace as JSON, whole or not at all. */
enum sciara_status sciara_trace_write(const struct sciara_trace *t, const char *path);

/** Reads one; SCIARA_ERR_INPUT names the place of what is wrong. */
enum sciara_status sciara_trace_read(const char *path, struct sciara_trace *out);
void sciara_trace_free(struct sciara_trace *t);

#endif
