// SPDX-License-Identifier: Apache-2.0
// The file of a trace (docs/formats.md): results of a run of engine `serial` at regular intervals of steps.
#ifndef SCIARA_VERIFY_TRACE_CSV_H
#define SCIARA_VERIFY_TRACE_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
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
  uint64_t dem, start, parameters,
      vents; ///< the computation: hashes of the DEM, the initial state, the parameters and the vents
  char precision[24];
  struct sciara_trace_row *row;
  size_t count;
};

/** Writes a trace as a table of comma-separated values, completely or not at all. */
enum sciara_status sciara_trace_write(const struct sciara_trace *t, const char *path);

/**
 * Reads one, also one in the JSON of version 1; SCIARA_ERR_INPUT names the position of an error. Release with
 * sciara_trace_free.
 */
enum sciara_status sciara_trace_read(const char *path, struct sciara_trace *out);
void sciara_trace_free(struct sciara_trace *t);

/** Sets the description of the computation, without rows. Release with sciara_trace_free. */
void sciara_trace_begin(const struct sciara_problem *p, enum sciara_precision precision, struct sciara_trace *out);

/** Adds the state of an engine. */
enum sciara_status sciara_trace_add(struct sciara_trace *t, const struct sciara_state *s,
                                    const struct sciara_ledger *ledger);

#endif
