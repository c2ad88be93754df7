// SPDX-License-Identifier: Apache-2.0
// The phases of a step of bands (struct sciara_engine_phases): the kernels of a launch, with the host in between. The
// bands of the engine are cut as at the upload.
#ifndef SCIARA_CUDA_BANDS_PHASES_CUH
#define SCIARA_CUDA_BANDS_PHASES_CUH

#include <cmath>

#include "bands_steps.cuh"

namespace sciara_gpu {

inline sciara_status bands_evaluate(void *engine, double thickness, double *t_opt) {
  bands_engine *e = engine_of(engine);
  const sciara_same_device scope;
  sciara_stop never = {};
  never.steps = UINT64_MAX;
  never.time = INFINITY;
  never.thickness = thickness;
  SCIARA_TRY(sciara_step_control_evaluate(&e->control, thickness));
  SCIARA_TRY(try_bands(e, [&never](band *b) { return sciara_device_set_stop(&b->base, &never); }));
  for (bool fit = false; !fit;) { // nothing is done if a list has grown
    SCIARA_TRY(queue_begin(e, 1));
    SCIARA_TRY(queue_patches(e, evaluate_patches<band_border>));
    SCIARA_TRY(queue_report(e));
    SCIARA_TRY(receive_report(e));
    fit = has_room(e);
    SCIARA_TRY(make_room(e));
  }
  *t_opt = INFINITY;
  for (int k = 0; k < e->count; k++) {
    double t = 0;
    memcpy(&t, &e->bands[k]->base.control->clock_bits, sizeof t);
    if (t < *t_opt) *t_opt = t;
  }
  return SCIARA_OK;
}

inline sciara_status bands_move(void *engine, double t_opt, sciara_engine_progress *progress) {
  bands_engine *e = engine_of(engine);
  const sciara_same_device scope;
  SCIARA_TRY(sciara_step_control_move(&e->control, t_opt));
  SCIARA_TRY(try_bands(e, [&t_opt](band *b) {
    return sciara_device_put(&b->base, &b->base.device.control->clock_bits, &t_opt, sizeof t_opt);
  }));
  SCIARA_TRY(queue_movement(e));
  SCIARA_TRY(queue_report(e));
  SCIARA_TRY(receive_report(e));
  SCIARA_TRY(read_totals(e));
  *progress = e->control.now;
  return sciara_step_control_status(&e->control);
}

/** A band that has this own row of the engine's grid. */
inline band *band_of(const bands_engine *e, int64_t row) {
  int k = 0;
  while (k + 1 < e->count && row >= e->bands[k + 1]->first) k++;
  return e->bands[k];
}

inline size_t bands_row_bytes(const void *engine) { return sciara_device_row_bytes(engine); } // of the first band

inline sciara_status bands_pack(void *engine, int64_t row, int64_t count, void *buffer) {
  const bands_engine *e = engine_of(engine);
  SCIARA_TRY(sciara_step_control_between_steps(&e->control));
  SCIARA_TRY(sciara_band_check_pack(&e->setup, &e->grid, row, count));
  for (int64_t r = row; r < row + count; r++) {
    band *b = band_of(e, r);
    char *to = static_cast<char *>(buffer) + (size_t)(r - row) * bands_row_bytes(engine);
    SCIARA_TRY(sciara_device_pack(b, r - top_of(b), 1, to));
  }
  return SCIARA_OK;
}

inline sciara_status bands_unpack(void *engine, int64_t row, int64_t count, const void *buffer) {
  const bands_engine *e = engine_of(engine);
  SCIARA_TRY(sciara_step_control_between_steps(&e->control));
  SCIARA_TRY(sciara_band_check_unpack(&e->setup, &e->grid, row, count));
  band *b = e->bands[row < e->setup.halo_north ? 0 : e->count - 1];
  return sciara_device_unpack(b, row - top_of(b), count, buffer);
}

const sciara_engine_phases bands_phases = {.evaluate = bands_evaluate,
                                           .move = bands_move,
                                           .row_bytes = bands_row_bytes,
                                           .pack = bands_pack,
                                           .unpack = bands_unpack,
                                           .tile_rows = patch_space::HEIGHT};

} // namespace sciara_gpu

#endif
