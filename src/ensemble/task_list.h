// SPDX-License-Identifier: Apache-2.0
// The order in which members are computed, so that no worker waits long for another one at the end.
#ifndef SCIARA_ENSEMBLE_TASK_LIST_H
#define SCIARA_ENSEMBLE_TASK_LIST_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
