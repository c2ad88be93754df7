// SPDX-License-Identifier: Apache-2.0
// The workers that compute members at the same time: how many a machine can have, and with what each computes: a slot, a
// GPU or a core.
#ifndef SCIARA_MEMBER_CREW_H
#define SCIARA_MEMBER_CREW_H

#include "engine/engine.h"
#include "member/pool.h"
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

/**
 * How many members are computed at a time. Says so if there is memory for fewer than are wanted.
 *
 * @param needs of all members together, or the largest of one (sciara_tasks_estimate)
 * @return SCIARA_ERR_MEMORY, SCIARA_ERR_IO and SCIARA_ERR_DEVICE: memory, disk or a GPU has no room for one
 */
enum sciara_status sciara_capacity_find(const struct sciara_capacity_request *r, const struct sciara_member_need *needs,
                                        struct sciara_capacity *out);

/** Zero-initialise, set ops and options, release with sciara_crew_free. */
struct sciara_crew {
  const struct sciara_engine_ops *ops;
  struct sciara_engine_options options;
  struct sciara_pool *pools[SCIARA_CAPACITY_DEVICES]; ///< one for each GPU, if the engine computes batches
  int pool_count;
};

/**
 * Makes the slots of the workers, if the engine computes batches; else nothing.
 *
 * @param grid  of the site, or the largest of several
 * @param cells of the largest window that is expected
 */
enum sciara_status sciara_crew_make_slots(struct sciara_crew *c, const struct sciara_grid *grid, int64_t cells,
                                          int workers);

/** The slot of worker 0, 1, ...; NULL: its members have engines of their own. */
struct sciara_pool_slot *sciara_crew_slot(const struct sciara_crew *c, int worker);

/** The number of its GPU; -1: that of the scenario. */
int sciara_crew_device(const struct sciara_crew *c, int worker);

/** No slot will be reserved any more for another member (sciara_pool_drain). */
void sciara_crew_drain(const struct sciara_crew *c);

/** No slot may have an engine any more. */
void sciara_crew_free(struct sciara_crew *c);

#endif
