// SPDX-License-Identifier: Apache-2.0
// Worker k has slot k / pools of pool k % pools.
#include "member/crew.h"

#include "engine/device_info.h"
#include "member/footprint.h"

enum sciara_status sciara_crew_make_slots(struct sciara_crew *c, const struct sciara_grid *grid, int64_t cells,
                                          int workers) {
  if (!c->ops->batch) return SCIARA_OK;
  const int64_t all = sciara_grid_cells(grid);
  const int wanted = sciara_capacity_devices(c->ops), count = wanted < workers ? wanted : workers;
  for (int k = 0; k < count; k++) {
    const struct sciara_batch_setup setup = {
        .boundary = SCIARA_BOUNDARY_OPEN, // as in every window
        .device = k,
        .slots = (workers + count - 1 - k) / count,
        .record = SCIARA_FOOTPRINT_RECORD,
        .cells = SCIARA_COST_SLOT_ROOM * cells < all ? SCIARA_COST_SLOT_ROOM * cells : all,
        .options = c->options};
    SCIARA_TRY(sciara_pool_create(c->ops->batch, &setup, &c->pools[k]));
    c->pool_count++;
  }
  return SCIARA_OK;
}

struct sciara_pool_slot *sciara_crew_slot(const struct sciara_crew *c, int worker) {
  return c->pool_count > 0 ? sciara_pool_slot(c->pools[worker % c->pool_count], worker / c->pool_count) : NULL;
}

int sciara_crew_device(const struct sciara_crew *c, int worker) {
  const int devices = c->ops->capabilities & SCIARA_CAN_DEVICE ? sciara_devices() : 0;
  return devices > 0 ? worker % devices : -1;
}

void sciara_crew_drain(const struct sciara_crew *c) {
  for (int k = 0; k < c->pool_count; k++) sciara_pool_drain(c->pools[k]);
}

void sciara_crew_free(struct sciara_crew *c) {
  for (int k = 0; k < c->pool_count; k++) sciara_pool_destroy(c->pools[k]);
  *c = (struct sciara_crew){0};
}
