// SPDX-License-Identifier: Apache-2.0
// The workers that compute members at the same time, as to what each computes with: a slot, a GPU or a core.
#ifndef SCIARA_MEMBER_CREW_H
#define SCIARA_MEMBER_CREW_H

#include "member/capacity.h"
#include "member/pool.h"

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
