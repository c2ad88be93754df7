// SPDX-License-Identifier: Apache-2.0
// The reference: a step of SCIARA-fv3 as in the specification, for the liquid cells and those that receive lava from
// them.
#include "engine/active.h"
#include "model/tally.h"

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

enum sciara_status sciara_serial_first_half(struct sciara_active *a, real *t_opt) {
  sciara_stopwatch_start(&a->watch);
  SCIARA_TRY(sciara_active_emit(a));
  sciara_stopwatch_lap(&a->watch, SCIARA_PROCESS_VENTS);
  *t_opt = evaluate_serial(a);
  sciara_stopwatch_lap(&a->watch, SCIARA_PROCESS_TIME_EVALUATION);
  return SCIARA_OK;
}

enum sciara_status sciara_serial_second_half(struct sciara_active *a, real t_opt) {
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
  SCIARA_TRY(sciara_serial_first_half(a, &t_opt));
  return sciara_serial_second_half(a, t_opt);
}

static enum sciara_status advance_serial(void *engine, const struct sciara_stop *stop,
                                         struct sciara_engine_progress *progress) {
  struct sciara_active *a = (struct sciara_active *)engine;
  SCIARA_TRY(sciara_band_check_whole(&a->setup));
  SCIARA_TRY(sciara_step_control_between_steps(&a->control));
  return sciara_step_control_run(&a->control, stop, step_serial, engine, progress);
}

const struct sciara_engine_ops SCIARA_NAME(sciara_engine_serial) = {
    .name = "serial",
    .summary = "the reference: one thread, list of active cells",
    .capabilities = 0,
    .determinism = SCIARA_EXACT,
    .create = sciara_active_create,
    .destroy = sciara_active_destroy,
    .upload = sciara_active_upload,
    .download = sciara_active_download,
    .advance = advance_serial,
    .memory = sciara_active_memory,
    .memory_of_lava = sciara_active_memory_of_lava,
    .profile = sciara_active_profile,
    .phases = &sciara_serial_phases,
};
