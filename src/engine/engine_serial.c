// SPDX-License-Identifier: Apache-2.0
// The reference: a step of SCIARA-fv3 as in the specification, for the liquid cells and those that receive lava from
// them.
#include <stdlib.h>

#include "base/mem.h"
#include "engine/active.h"
#include "model/tally.h"

// -------------------------------------------------------------------------------------------------------- active cells

static enum sciara_status create_serial(const struct sciara_engine_setup *setup, void **engine) {
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

static void destroy_serial(void *engine) {
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

static enum sciara_status upload_serial(void *engine, const struct sciara_state *state) {
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

static enum sciara_status download_serial(void *engine, struct sciara_state *state) {
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

/**
 * gamma, then s = s + t. Afterwards there is an entry for every liquid cell, room in the list for every possible
 * receiver of this step and, with setup.profile, for the inflows.
 */
static enum sciara_status emit_serial(struct sciara_active *a) {
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

static enum sciara_status profile_serial(void *engine, struct sciara_engine_profile *out) {
  *out = ((const struct sciara_active *)engine)->watch.sum;
  return SCIARA_OK;
}

/** The bytes that the engine needs before any lava flows. */
static void serial_memory(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device) {
  *host =
      sciara_host_fields_memory(grid, record) + (size_t)(grid->rows + 2) * (size_t)(grid->cols + 2) * sizeof(uint32_t);
  *device = 0;
}

/** The bytes for each liquid cell: its entry, and its index in the list. */
static size_t serial_memory_of_lava(unsigned record) {
  (void)record;
  return sizeof(struct sciara_donor) + sizeof(int64_t);
}

// ---------------------------------------------------------------------------------------------------------------- step

/** Checks all lava. This is a separate pass: inside the next one it would slow down the steps without a check. */
static void check_lava(struct sciara_active *a) {
  for (int64_t k = 0; k < a->liquid; k++)
    if (!sciara_pass_is_sound(&a->rule, &a->hf.f, a->cell[k])) sciara_active_report(a, a->cell[k]);
}

/** tau1, time evaluation: t_opt. */
static real evaluate_serial(struct sciara_active *a) {
  if (sciara_step_control_is_check(&a->control)) check_lava(a);
  real t_opt = a->rule.clock_max;
  for (int64_t k = 0; k < a->liquid; k++) {
    bool bad = false;
    const real t = sciara_pass_evaluate(&a->rule, &a->hf.f, a->cell[k], &a->donor[k].evaluation, &bad);
    if (t < t_opt) t_opt = t;
    if (bad) sciara_active_report(a, a->cell[k]);
  }
  return t_opt;
}

/** tau1, flow computing. */
static void flow_serial(struct sciara_active *a) {
  for (int64_t k = 0; k < a->liquid; k++) {
    bool bad = false;
    sciara_active_flow(a, k, &bad);
    if (bad) sciara_active_report(a, a->cell[k]);
  }
}

/** Lists the dry cells that receive lava in this step. */
static void list_receivers(struct sciara_active *a) {
  for (int64_t k = 0; k < a->liquid; k++)
    for (int i = 1; i < SCIARA_MOORE; i++) {
      const int64_t j = a->cell[k] + sciara_moore_offset(i, a->hf.f.stride);
      if (!(a->donor[k].out.to[i].thickness > 0) || a->entry_of[j]) continue;
      if (!sciara_cells_have(a->band.own, j)) continue;
      a->entry_of[j] = SCIARA_RECEIVER;
      a->cell[a->listed++] = j;
    }
}

/** Rim and tau3 of the k-th listed cell with its inflow. */
static inline void settle_cell(struct sciara_active *a, int64_t k, struct sciara_inflow inflow,
                               struct sciara_tally *tally) {
  bool bad = false;
  sciara_tally_count(tally,
                     sciara_pass_settle(&a->rule, &a->hf.f, a->cell[k], inflow, a->t, a->control.now.time, &bad));
  if (bad) sciara_active_report(a, a->cell[k]);
}

/** tau2, rim and tau3 of every listed cell in the own rows of the band. */
static void settle_serial(struct sciara_active *a) {
  struct sciara_tally tally = {0, 0, 0};
  for (int64_t k = 0; k < a->listed; k++)
    if (!sciara_active_is_in_halo(a, k)) settle_cell(a, k, sciara_active_gather(a, k), &tally);
  sciara_step_control_add(&a->control, &tally);
}

/** settle in two passes, so that each can be timed. tau2 reads only the donors, which tau3 does not change. */
static void settle_timed(struct sciara_active *a) {
  struct sciara_tally tally = {0, 0, 0};
  for (int64_t k = 0; k < a->listed; k++) a->inflow[k] = sciara_active_gather(a, k);
  sciara_stopwatch_lap(&a->watch, SCIARA_PROCESS_MASS_AND_MOMENTUM);
  for (int64_t k = 0; k < a->listed; k++)
    if (!sciara_active_is_in_halo(a, k)) settle_cell(a, k, a->inflow[k], &tally);
  sciara_step_control_add(&a->control, &tally);
  sciara_stopwatch_lap(&a->watch, SCIARA_PROCESS_TEMPERATURE);
}

/** Removes all cells from the list except the liquid cells of the band. */
static void compact(struct sciara_active *a) {
  int64_t liquid = 0;
  for (int64_t k = 0; k < a->listed; k++) {
    const int64_t i = a->cell[k];
    a->entry_of[i] = 0;
    if (!(a->hf.f.h[i] > 0) || sciara_active_is_in_halo(a, k)) continue;
    a->cell[liquid++] = i;
    a->entry_of[i] = (uint32_t)liquid;
  }
  a->liquid = a->listed = a->control.now.liquid_cells = liquid;
}

/** Whether a cell is thicker than this `advance` allows. */
static bool is_serial_thick(const struct sciara_active *a) {
  bool thick = false;
  for (int64_t k = 0; k < a->liquid; k++)
    thick |= sciara_step_control_is_thick(&a->control, (double)a->hf.f.h[a->cell[k]]);
  return thick;
}

/** The step up to t_opt, s, the smallest time of the liquid cells. */
static enum sciara_status first_serial_half(struct sciara_active *a, real *t_opt) {
  sciara_stopwatch_start(&a->watch);
  SCIARA_TRY(emit_serial(a));
  sciara_stopwatch_lap(&a->watch, SCIARA_PROCESS_VENTS);
  *t_opt = evaluate_serial(a);
  sciara_stopwatch_lap(&a->watch, SCIARA_PROCESS_TIME_EVALUATION);
  return SCIARA_OK;
}

/** The rest of the step, with the smallest time of all cells, s. */
static enum sciara_status second_serial_half(struct sciara_active *a, real t_opt) {
  a->t = sciara_clock(&a->rule, t_opt);
  flow_serial(a);
  sciara_stopwatch_lap(&a->watch, SCIARA_PROCESS_FLOWS);
  SCIARA_TRY(sciara_step_control_status(&a->control)); // before a NaN spreads
  list_receivers(a);
  sciara_stopwatch_lap(&a->watch, SCIARA_PROCESS_OTHER);
  a->watch.on ? settle_timed(a) : settle_serial(a);
  compact(a);
  if (sciara_step_control_limits(&a->control)) a->control.now.thick = is_serial_thick(a);
  sciara_stopwatch_stop(&a->watch, SCIARA_PROCESS_OTHER);
  SCIARA_TRY(sciara_step_control_status(&a->control));
  a->control.now.clock = (double)a->t;
  a->control.now.step++;
  return SCIARA_OK;
}

static enum sciara_status step_serial(void *engine) {
  struct sciara_active *a = (struct sciara_active *)engine;
  real t_opt;
  SCIARA_TRY(first_serial_half(a, &t_opt));
  return second_serial_half(a, t_opt);
}

static enum sciara_status advance_serial(void *engine, const struct sciara_stop *stop,
                                         struct sciara_engine_progress *progress) {
  struct sciara_active *a = (struct sciara_active *)engine;
  SCIARA_TRY(sciara_band_check_whole(&a->setup));
  SCIARA_TRY(sciara_step_control_between_steps(&a->control));
  return sciara_step_control_run(&a->control, stop, step_serial, engine, progress);
}

// -------------------------------------------------------------------- phases: a step in two halves, for a band of a map

static enum sciara_status evaluate_phase(void *engine, double thickness, double *t_opt) {
  struct sciara_active *a = (struct sciara_active *)engine;
  real mine;
  SCIARA_TRY(sciara_step_control_evaluate(&a->control, thickness));
  SCIARA_TRY(first_serial_half(a, &mine));
  *t_opt = (double)mine;
  return SCIARA_OK;
}

static enum sciara_status move_phase(void *engine, double t_opt, struct sciara_engine_progress *progress) {
  struct sciara_active *a = (struct sciara_active *)engine;
  SCIARA_TRY(sciara_step_control_move(&a->control, t_opt));
  sciara_stopwatch_start(&a->watch);
  const enum sciara_status status = second_serial_half(a, (real)t_opt);
  *progress = a->control.now;
  return status;
}

static size_t row_phase_bytes(const void *engine) {
  return sciara_host_fields_row_bytes(&((const struct sciara_active *)engine)->hf);
}

static enum sciara_status pack_phase(void *engine, int64_t row, int64_t count, void *buffer) {
  const struct sciara_active *a = (const struct sciara_active *)engine;
  SCIARA_TRY(sciara_step_control_between_steps(&a->control));
  SCIARA_TRY(sciara_band_check_pack(&a->setup, &a->hf.grid, row, count));
  sciara_host_fields_pack(&a->hf, row, count, buffer);
  return SCIARA_OK;
}

static enum sciara_status unpack_phase(void *engine, int64_t row, int64_t count, const void *buffer) {
  const struct sciara_active *a = (const struct sciara_active *)engine;
  SCIARA_TRY(sciara_step_control_between_steps(&a->control));
  SCIARA_TRY(sciara_band_check_unpack(&a->setup, &a->hf.grid, row, count));
  sciara_host_fields_unpack(&a->hf, row, count, buffer); // the next step lists its lava
  return SCIARA_OK;
}

static const struct sciara_engine_phases phases_serial = {evaluate_phase, move_phase,   row_phase_bytes,
                                                          pack_phase,     unpack_phase, .tile_rows = 1};

const struct sciara_engine_ops SCIARA_NAME(sciara_engine_serial) = {
    .name = "serial",
    .summary = "the reference: one thread, list of active cells",
    .capabilities = 0,
    .determinism = SCIARA_EXACT,
    .create = create_serial,
    .destroy = destroy_serial,
    .upload = upload_serial,
    .download = download_serial,
    .advance = advance_serial,
    .memory = serial_memory,
    .memory_of_lava = serial_memory_of_lava,
    .profile = profile_serial,
    .phases = &phases_serial,
};
