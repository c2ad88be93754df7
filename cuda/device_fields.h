// SPDX-License-Identifier: Apache-2.0
// What lies on the device between steps: fields, what cells exchange, vents, control. Only pointers and numbers, passed
// by value.
#ifndef SCIARA_CUDA_DEVICE_FIELDS_H
#define SCIARA_CUDA_DEVICE_FIELDS_H

#include "engine/band.h"
#include "engine/stop_rule.h"
#include "model/pass.h"
#include "model/soundness.h"

/** A namespace for each precision: what is in it has the same names in all, and one linker sees them together. */
#define sciara_gpu SCIARA_NAME(sciara_gpu)

/** No cell: larger than every index. */
#define SCIARA_NO_CELL (~0ull)

/** A step's clock, totals and findings. One lies on the device; the host reads it between batches of steps. */
struct sciara_device_control {
  double time;              ///< simulated time, s
  double emitted;           ///< m3
  real t;                   ///< the clock found in the last step, s
  unsigned long long first; ///< step at which the state was uploaded
  unsigned long long step, solidifications, losses, cell_steps;
  unsigned long long launched;   ///< threads given to time evaluation
  unsigned long long liquid;     ///< cells liquid at the end of the step
  unsigned long long clock_bits; ///< bits of the smallest t_opt as a double: positive doubles order like integers
  unsigned long long bad_before; ///< smallest index of a cell found to hold what is no lava before it moved
  unsigned long long bad_after;  ///< ... and after
  int reason;                    ///< enum sciara_stop_reason; unless it is 0 the rest of the batch does nothing
  int failed;                    ///< such a cell was found: see bad_before, bad_after
};

/** struct sciara_vents on the device. */
struct sciara_device_vents {
  int64_t count;
  const int64_t *cell, *first; ///< padded index of each vent; count + 1 places
  const double *begin, *end, *rate;
  double *volume; ///< of each vent in the step in progress, m3
};

/** Nine slots per exchanged quantity, eight neighbours and the residual: no two threads write one place. */
struct sciara_device_slots {
  real *out[SCIARA_MOORE];   ///< out[0]: the residual h0; out[i]: out_i, m
  real *speed[SCIARA_MOORE]; ///< speed[0]: k = 1 - dP(T); speed[i]: vf_i, m/s
  real *heat;                ///< gathered, m K
  unsigned *stamp;           ///< the step, counted from 1, in which the cell's slots were written
};

/** Where cells add what they send with atomics; all 0 between steps. */
struct sciara_device_sums {
  real *h, *px, *py, *heat; ///< of struct sciara_inflow
};

/** All that a kernel needs. */
struct sciara_device {
  struct sciara_rule rule;
  struct sciara_fields f;
  struct sciara_device_slots slots; ///< of the engines that gather
  struct sciara_device_sums sums;   ///< of those that add
  struct sciara_device_vents vents;
  struct sciara_device_control *control;
  const struct sciara_stop_rule *stop; ///< written before each `advance`
  int64_t rows, cols;
  struct sciara_band band; ///< own rows, in padded indices
  double cell_size;
  real T_vent;
};

#endif
