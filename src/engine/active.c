// SPDX-License-Identifier: Apache-2.0
#include "engine/active.h"

#include <stdlib.h>

#include "base/mem.h"

enum sciara_status sciara_active_create(const struct sciara_engine_setup *setup, void **engine) {
  struct sciara_active *a;
  SCIARA_TRY(SCIARA_NEW(a, 1, "an engine with active cells"));
  a->setup = *setup;
  *engine = a;
  return SCIARA_OK;
}

static void release_active(struct sciara_active *a) {
  sciara_host_fields_destroy(&a->hf);
  sciara_free(a->entry_of);
  free(a->cell);
  free(a->donor);
  free(a->inflow);
  *a = (struct sciara_active){.setup = a->setup};
}

void sciara_active_destroy(void *engine) {
  if (!engine) return;
  release_active((struct sciara_active *)engine);
  sciara_free(engine);
}

static enum sciara_status reserve(void **array, int64_t *capacity, int64_t need, size_t size) {
  if (need <= *capacity) return SCIARA_OK;
  int64_t bigger = *capacity ? *capacity : 256;
  while (bigger < need) bigger += bigger / 2;
  size_t bytes = 0;
  SCIARA_TRY(sciara_size_mul((size_t)bigger, size, &bytes));
  void *moved = realloc(*array, bytes);
  if (!moved) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %lld active cells", (long long)bigger);
  *array = moved;
  *capacity = bigger;
  return SCIARA_OK;
}

static void list(struct sciara_active *a, int64_t i) {
  a->cell[a->listed++] = i;
  a->entry_of[i] = (uint32_t)a->listed;
}

static enum sciara_status reserve_cells(struct sciara_active *a, int64_t need) {
  if (need >= (int64_t)SCIARA_RECEIVER)
    return sciara_fail(SCIARA_ERR_MEMORY, "more than %u active cells are not supported", SCIARA_RECEIVER);
  return reserve((void **)&a->cell, &a->cell_capacity, need, sizeof *a->cell);
}

/** Lists the cells with lava among `cells`, with memory for `room` entries per listed cell. */
static enum sciara_status list_active_lava(struct sciara_active *a, struct sciara_cells cells, int64_t room) {
  for (int64_t i = cells.begin; i < cells.end; i++) {
    if (a->hf.f.h[i] == 0) continue; // invalid thicknesses are listed too, so that the first step finds them
    SCIARA_TRY(reserve_cells(a, room * (a->listed + 1)));
    list(a, i);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_active_upload(void *engine, const struct sciara_state *state) {
  struct sciara_active *a = (struct sciara_active *)engine;
  release_active(a);
  SCIARA_TRY(sciara_band_check(&a->setup, &state->grid));
  SCIARA_TRY(sciara_host_fields_create(&a->hf, state));
  SCIARA_TRY(SCIARA_NEW(a->entry_of, a->hf.count, "list of active cells"));
  a->rule = sciara_rule_make(a->setup.params, state->grid.cell_size);
  a->t = (real)state->clock;
  a->watch.on = a->setup.profile;
  sciara_step_control_load(&a->control, state, a->setup.vents);
  a->band = sciara_band_of(&a->setup, state->grid.rows, a->hf.f.stride);
  sciara_host_fields_upload(&a->hf, state, a->setup.boundary);
  SCIARA_TRY(list_active_lava(a, a->band.own, 1));
  a->liquid = a->listed;
  return SCIARA_OK;
}

enum sciara_status sciara_active_download(void *engine, struct sciara_state *state) {
  const struct sciara_active *a = (const struct sciara_active *)engine;
  sciara_host_fields_download(&a->hf, state);
  sciara_step_control_store(&a->control, state);
  return SCIARA_OK;
}

/** Lists the lava of the halo rows next to the own rows. It flows in this step, and leaves the list after it. */
static enum sciara_status list_active_halo_lava(struct sciara_active *a) {
  a->own = a->listed;
  for (int side = 0; side < 2; side++) SCIARA_TRY(list_active_lava(a, a->band.adjacent[side], SCIARA_MOORE));
  a->liquid = a->listed;
  return SCIARA_OK;
}

enum sciara_status sciara_active_emit(struct sciara_active *a) {
  const struct sciara_vents *v = a->setup.vents;
  struct sciara_engine_progress *now = &a->control.now;
  const double t = (double)a->t;
  SCIARA_TRY(reserve_cells(a, SCIARA_MOORE * (a->listed + v->count)));
  for (int64_t k = 0; k < v->count; k++) {
    const double volume = sciara_vent_volume(v->begin, v->end, v->rate, v->first[k], v->first[k + 1], now->time, t);
    if (!(volume > 0)) continue;
    const int64_t i = sciara_host_index(&a->hf, v->row[k], v->col[k]);
    sciara_pass_emit(&a->hf.f, i, volume, a->hf.grid.cell_size, (real)a->setup.params->T_vent, now->time);
    if (!sciara_cells_have(a->band.own, i)) continue; // it belongs to another band
    if (!a->entry_of[i]) list(a, i);
    now->emitted = now->emitted + volume;
  }
  a->liquid = a->listed;
  now->cell_steps += (uint64_t)a->liquid;
  now->time = now->time + t;
  SCIARA_TRY(list_active_halo_lava(a));
  if (a->setup.profile)
    SCIARA_TRY(reserve((void **)&a->inflow, &a->inflow_capacity, a->cell_capacity, sizeof *a->inflow));
  return reserve((void **)&a->donor, &a->donor_capacity, a->liquid, sizeof *a->donor);
}

enum sciara_status sciara_active_profile(void *engine, struct sciara_engine_profile *out) {
  *out = ((const struct sciara_active *)engine)->watch.sum;
  return SCIARA_OK;
}

void sciara_active_memory(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device) {
  *host =
      sciara_host_fields_memory(grid, record) + (size_t)(grid->rows + 2) * (size_t)(grid->cols + 2) * sizeof(uint32_t);
  *device = 0;
}

size_t sciara_active_memory_of_lava(unsigned record) {
  (void)record;
  return sizeof(struct sciara_donor) + sizeof(int64_t);
}
