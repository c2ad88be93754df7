// SPDX-License-Identifier: Apache-2.0
// Members that are to be computed: what they need, time, memory and disk; their order, so that no worker waits long for another
// one at the end.
#ifndef SCIARA_ENSEMBLE_TASK_LIST_H
#define SCIARA_ENSEMBLE_TASK_LIST_H

#include "ensemble/ensemble.h"
#include "member/compute.h"
#include "setup/cost.h"

/** A member to be computed. */
struct sciara_task {
  size_t member;
  double length; ///< how long it is expected to take, in any unit
  size_t group;  ///< set by sciara_tasks_order; groups follow one another
};

/**
 * Sorts tasks into groups that follow one another: the very long members; batch after batch; and as one group the batches
 * of the last members, one for each worker. In each group the longest come first.
 *
 * @param tasks in the order of their members
 * @param at_a_time members that are computed at a time
 * @param in_batches no member comes before its batch: for a stop rule, which is tested for whole batches
 */
void sciara_tasks_order(struct sciara_task *tasks, size_t count, size_t batch_size, size_t at_a_time, bool in_batches);

struct sciara_task_estimate {
  const struct sciara_ensemble *ensemble;
  const struct sciara_compute_setup *setup;
  double bytes_per_cell; ///< sciara_member_bytes_per_cell
  int threads;           ///< of sciara_tasks_estimate; each places a member
  const int *cancel;     ///< not 0: the estimates are not completed; NULL: never
};

/** What one member needs; with problems of its scenario in *d, nothing but a row in its batch. */
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
