// SPDX-License-Identifier: Apache-2.0
// From an ensemble file to the folder of an ensemble.
#ifndef SCIARA_PLAN_PLAN_H
#define SCIARA_PLAN_PLAN_H

#include "base/diagnostics.h"
#include "ensemble/ensemble.h"

/** How long the members of a plan will take, from some of them. */
struct sciara_plan_time {
  bool made;            ///< false: there is no estimate of the time
  size_t probed, whole; ///< members that were probed; of these, computed to their end
  double core_s;        ///< computing and storing all members on one core, s
  double stored_s;      ///< storing alone, one member after another: no number of cores takes less, s
  double low_s, high_s; ///< between these, most probably
  char why[320];        ///< there is no estimate, or no memory; "": it was not asked for
  double member_bytes;  ///< memory of the largest member of a sample; 0: unknown
};

/** What a plan will take. */
struct sciara_ensemble_estimate {
  size_t members, batches;
  struct sciara_plan_time time; ///< and memory
  double bytes;                 ///< of the folder when all members are done
  double free_bytes;            ///< on the disk of the folder; 0: unknown
};

/** How to plan. */
struct sciara_ensemble_plan_options {
  bool overwrite; ///< an ensemble in the folder is replaced
  double probe_s; ///< wall-clock time for the estimate of the time, s; 0: none is made
  const char
      *run_on; ///< engine of a run that follows, "": that of the base; none is made for a GPU. NULL: no run follows
};

/**
 * Finds all problems of an ensemble file and of everything that it names; then writes the folder: dem.tif, members.csv,
 * weights.csv and, last, ensemble.json. An ensemble with the same members that is already in the folder keeps its batches:
 * only its weights and results are replaced. One with other members is SCIARA_ERR_INPUT, and the message names the rows that
 * differ, unless options->overwrite is set. Nothing is written if there is a problem.
 *
 * @param folder NULL: nothing is written
 * @param options, estimate may be NULL
 */
void sciara_ensemble_plan(const char *file, const char *folder, const struct sciara_ensemble_plan_options *options,
                          struct sciara_ensemble_estimate *estimate, struct sciara_diagnostics *diagnostics);

#endif
