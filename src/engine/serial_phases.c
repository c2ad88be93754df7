// SPDX-License-Identifier: Apache-2.0
// The phases of engine `serial`: a step in two halves, and the exchange of halo rows between them and other bands.
#include "engine/active.h"

static enum sciara_status evaluate_phase(void *engine, double thickness, double *t_opt) {
  struct sciara_active *a = (struct sciara_active *)engine;
  real mine;
  SCIARA_TRY(sciara_step_control_evaluate(&a->control, thickness));
  SCIARA_TRY(sciara_serial_first_half(a, &mine));
  *t_opt = (double)mine;
  return SCIARA_OK;
}

static enum sciara_status move_phase(void *engine, double t_opt, struct sciara_engine_progress *progress) {
  struct sciara_active *a = (struct sciara_active *)engine;
  SCIARA_TRY(sciara_step_control_move(&a->control, t_opt));
  sciara_stopwatch_start(&a->watch);
  const enum sciara_status status = sciara_serial_second_half(a, (real)t_opt);
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

const struct sciara_engine_phases sciara_serial_phases = {evaluate_phase, move_phase,   row_phase_bytes,
                                                          pack_phase,     unpack_phase, .tile_rows = 1};
