// SPDX-License-Identifier: Apache-2.0
// How many members a machine computes at a time.
#ifndef SCIARA_MEMBER_CAPACITY_H
#define SCIARA_MEMBER_CAPACITY_H

#include "engine/engine.h"
#include "sim/cost.h"

enum { SCIARA_CAPACITY_DEVICES = 64 }; ///< GPUs that are used at most

struct sciara_capacity_request {
  const char *name;               ///< of what is computed, for errors: the folder of the results, if there is one
  const struct sciara_grid *grid; ///< of the site
  const struct sciara_engine_ops *ops;
  int workers;    ///< members at a time that are wanted; 0: one per core or GPU, or as many as GPUs have slots for
  size_t members; ///< to be computed
};

struct sciara_capacity {
  int workers;    ///< members at a time
  int64_t cells;  ///< of the largest window that is expected
  int64_t margin; ///< cells of the first window around vents and initial lava; 0: the default
  double kept;    ///< bytes for footprints that wait for their batch: half of the memory that the workers leave
};

/** Devices that compute members with this engine, at least 1. */
int sciara_capacity_devices(const struct sciara_engine_ops *ops);

/**
 * How many members are computed at a time. Says so if there is memory for fewer than are wanted.
 *
 * @param needs of all members together, or the largest of one (sciara_tasks_estimate)
 * @return SCIARA_ERR_MEMORY, SCIARA_ERR_IO and SCIARA_ERR_DEVICE: memory, disk or a GPU has no room for one
 */
enum sciara_status sciara_capacity_find(const struct sciara_capacity_request *r, const struct sciara_member_need *needs,
                                        struct sciara_capacity *out);

#endif
