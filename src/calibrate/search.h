// SPDX-License-Identifier: Apache-2.0
// A search at work: what it asks for, the rows of its evaluations, the best one.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_SEARCH_H
#define SCIARA_CALIBRATE_SEARCH_H

#include <pthread.h>

#include "base/status.h"
#include "calibrate/calibration_record.h"

/** Zero-initialise but for the first three, `best` (SIZE_MAX) and table.fd (-1); release with sciara_search_free. */
struct sciara_search {
  const struct sciara_calibration_search *asked;
  const int *cancel;     ///< not 0: end
  pthread_mutex_t *lock; ///< of new rows, `best` and `failed`
  char *folder;          ///< of its results; malloc'd
  struct sciara_evaluator *evaluator;
  struct sciara_inputs *inputs;         ///< of the scenarios
  uint64_t *cells;                      ///< hashes of the extents
  struct sciara_evaluation_table table; ///< of its folder
  size_t earlier;                       ///< rows of earlier processes
  struct sciara_cmaes *optimiser;       ///< NULL: `points`
  double *points;                       ///< budget x unknowns
  struct sciara_calibration_restart *restart;
  size_t restart_count, best, failed; ///< best: row, SIZE_MAX: none; failed: rows without a score
  double least;                       ///< below which runs of the present generation end early; 0: none does
  struct sciara_failure failure;      ///< of writing a row
  struct sciara_footprint *map;       ///< of each scenario with the best values, after sciara_search_map
  struct sciara_effects effects;      ///< of a whole design of sensitivity that has a score; count 0: there are none
};

/** Makes what it asks for first. SCIARA_ERR_INPUT: its budget is less than a generation. */
enum sciara_status sciara_search_begin(struct sciara_search *s);

/** Counts a row of an earlier process. */
void sciara_search_count(struct sciara_search *s, size_t row);

/** Has the evaluations made, with `evaluator`; fewer are there than the budget if it was cancelled. */
enum sciara_status sciara_search_run(struct sciara_search *s);

/** Computes the best set again, for its maps. */
enum sciara_status sciara_search_map(struct sciara_search *s);

/** Takes a result of the evaluator. @param context the search */
bool sciara_search_take(void *context, const struct sciara_evaluation *result);

void sciara_search_free(struct sciara_search *s);

#endif
