// SPDX-License-Identifier: Apache-2.0
// What members that are to be computed need: time, memory, disk.
#ifndef SCIARA_ENSEMBLE_TASK_ESTIMATE_H
#define SCIARA_ENSEMBLE_TASK_ESTIMATE_H

#include "ensemble/ensemble.h"
#include "ensemble/task_list.h"
#include "member/compute.h"
#include "sim/cost.h"

struct sciara_task_estimate {
  const struct sciara_ensemble *ensemble;
  const struct sciara_compute_setup *setup;
  double bytes_per_cell; ///< sciara_member_bytes_per_cell
  int threads;           ///< of sciara_tasks_estimate; each places a member
  const int *cancel;     ///< not 0: the estimates are not completed; NULL: never
};

/** What one member needs; with problems of its scenario in *d, nothing but a place in its batch. */
void sciara_member_estimate(const struct sciara_task_estimate *how, size_t member, struct sciara_member_need *out,
                            struct sciara_diagnostics *d);

/**
 * Fills in the lengths of `count` tasks. A member whose scenario is invalid needs nothing: it will fail.
 *
 * @param all all 0; receives the sum of their needs on the disk, and the largest of one member besides
 */
enum sciara_status sciara_tasks_estimate(const struct sciara_task_estimate *how, struct sciara_task *tasks,
                                         size_t count, struct sciara_member_need *all);

#endif
