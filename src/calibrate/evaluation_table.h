// SPDX-License-Identifier: Apache-2.0
// The table evaluations.csv: a row is appended when an evaluation is answered, and read again to resume.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_EVALUATION_TABLE_H
#define SCIARA_CALIBRATE_EVALUATION_TABLE_H

#include "calibrate/calibration_file.h"

#define SCIARA_EVALUATIONS_CSV "evaluations.csv"

/** Zero-initialise; release with sciara_evaluation_table_close. Arrays have a row for each evaluation of the budget. */
struct sciara_evaluation_table {
  char *path;
  int fd;       ///< held by a lock; -1: not open
  size_t count; ///< rows so far
  size_t unknown_count, pair_count;
  double *value;   ///< budget x unknown_count
  double *jaccard; ///< budget x pair_count; NAN unless OK or RESTED
  double *run_out; ///< budget x pair_count: ratios; NAN as J, and where they are undefined
  bool shorter;    ///< the file has no run-out ratios: an earlier version began it
  double *score;   ///< budget; of STOPPED a bound; NAN if FAILED or INVALID
  enum sciara_evaluate_status *status;
};

/** Memory for the budget of a search, without a file. */
enum sciara_status sciara_evaluation_table_make(const struct sciara_calibration_search *s,
                                                struct sciara_evaluation_table *out);

/**
 * Opens or makes the file, reads its whole rows and cuts off half a row at its end.
 *
 * @return SCIARA_ERR_INPUT: it is the table of another calibration, is damaged, or another process writes it
 */
enum sciara_status sciara_evaluation_table_open(struct sciara_evaluation_table *t, const char *path,
                                                const struct sciara_calibration_search *s);

/** Appends row `t->count`, whose entries in the arrays are set: it survives the end of the process. */
enum sciara_status sciara_evaluation_table_add(struct sciara_evaluation_table *t);

/** The rows survive the end of the machine. */
enum sciara_status sciara_evaluation_table_sync(const struct sciara_evaluation_table *t);
void sciara_evaluation_table_close(struct sciara_evaluation_table *t);

#endif
