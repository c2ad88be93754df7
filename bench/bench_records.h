// SPDX-License-Identifier: Apache-2.0
// Results of `serial` in the cases of a measurement, recorded once, so that engines can be verified when serial would
// take too long. A file of rows (docs/formats.md).
#ifndef SCIARA_BENCH_BENCH_RECORDS_H
#define SCIARA_BENCH_BENCH_RECORDS_H

#include "engine/engine.h"
#include "model/ledger.h"
#include "sim/problem.h"

/** The state of serial after a step. */
struct sciara_bench_record {
  char name[24]; ///< of the case, for people
  int64_t rows, cols;
  uint64_t start; ///< step at which the measurement begins
  enum sciara_precision precision;
  uint64_t problem;          ///< sciara_bench_fingerprint
  uint64_t step, cell_steps; ///< steps since the scenario's start; cell-steps since `start`
  double clock;              ///< s
  int64_t liquid_cells;
  double residual; ///< of the ledger, m3
  uint64_t checksum;
};

/** Zero-initialise; release with sciara_bench_records_free. */
struct sciara_bench_records {
  struct sciara_bench_record *row;
  size_t count;
};

/**
 * A hash of 64 bits over everything that determines a measurement: the model, its parameters, the vents, the initial
 * state.
 */
uint64_t sciara_bench_fingerprint(const struct sciara_problem *p, enum sciara_precision precision);

/** The row of a problem after a step; NULL: there is none. */
const struct sciara_bench_record *sciara_bench_record_find(const struct sciara_bench_records *r, uint64_t problem,
                                                           enum sciara_precision precision, uint64_t step);

enum sciara_status sciara_bench_record_add(struct sciara_bench_records *r, const struct sciara_bench_record *row);

/** Removes the rows of a case: those with the name, size, start and precision of `like`. */
void sciara_bench_records_drop(struct sciara_bench_records *r, const struct sciara_bench_record *like);

/** Reads a file; SCIARA_ERR_INPUT names the line, what is expected and what was found. */
enum sciara_status sciara_bench_records_read(const char *path, struct sciara_bench_records *out);

/** Writes all rows, sorted, completely or not at all. */
enum sciara_status sciara_bench_records_write(struct sciara_bench_records *r, const char *path);
void sciara_bench_records_free(struct sciara_bench_records *r);

#endif
