// SPDX-License-Identifier: Apache-2.0
// The data on the device between steps: fields, exchange arrays, vents, control. Only pointers and numbers, passed by
// value.
#ifndef SCIARA_CUDA_DEVICE_FIELDS_H
#define SCIARA_CUDA_DEVICE_FIELDS_H

#include "engine/band.h"
#include "engine/stop_rule.h"
#include "model/pass.h"
#include "model/soundness.h"
#include "model/tally.h"

/** A namespace for each precision, so that equal names of several precisions can be linked into one program. */
#define sciara_gpu SCIARA_NAME(sciara_gpu)

/** Means "no cell"; larger than every index. */
#define SCIARA_NO_CELL (~0ull)

/** The clock, totals and errors of a step. There is one on the device; the host reads it between graphs of steps. */
struct sciara_device_control {
  double time;    ///< simulated time, s
  double emitted; ///< m3
  real t;         ///< the clock computed in the last step, s
  unsigned long long step, solidifications, losses, sea_losses, cell_steps;
  unsigned long long reached;  ///< of a slot: cells into which lava has flowed for the first time
  unsigned long long launched; ///< threads launched for time evaluation
  unsigned long long liquid;   ///< cells liquid at the end of the step
  unsigned long long
      clock_bits; ///< smallest t_opt, a double in binary form: positive doubles are ordered like integers
  unsigned long long bad_before; ///< smallest index of a cell with invalid numbers found before the lava moved
  unsigned long long bad_after;  ///< ... and found after
  int thick;                     ///< a cell has more lava than stop.thickness at the end of the step
  int reason;                    ///< enum sciara_stop_reason; if it is not 0, the rest of the graph does nothing
  int failed;                    ///< such a cell was found: see bad_before, bad_after
};

/** struct sciara_vents on the device. */
struct sciara_device_vents {
  int64_t count;
  const int64_t *cell, *first; ///< padded index of each vent; `first` has count + 1 entries
  const double *begin, *end, *rate;
  double *volume; ///< of each vent in the step in progress, m3
  bool of_map;    ///< a band has all vents of the map, also those outside its rows, and counts all of them
};

/** Nine slots per exchanged quantity, for eight neighbours and the residual: no two threads write to the same slot. */
struct sciara_device_slots {
  real *out[SCIARA_MOORE]; ///< out[0]: the residual h0; out[i]: out_i, m
#if !SCIARA_SHEET
  real *speed[SCIARA_MOORE]; ///< vf_i, m/s; entry 0 is NULL
#endif
  real *px, *py;   ///< momentum of the residual, m2/s
  real *heat;      ///< heat of the residual, then that collected in tau2, m K
  unsigned *stamp; ///< the step, counted from 1, in which the cell's slots were written
};

/** The sums to which cells add their outflows with atomics; all 0 between steps. */
struct sciara_device_sums {
  real *h, *px, *py, *heat; ///< of struct sciara_inflow
};

/** Everything that a kernel needs. */
struct sciara_device {
  struct sciara_rule rule;
  struct sciara_fields f;
  struct sciara_device_slots slots; ///< for the engines that gather
  struct sciara_device_sums sums;   ///< for the engines with atomic additions
  struct sciara_device_vents vents;
  struct sciara_device_control *control;
  const struct sciara_stop_rule *stop; ///< written before each `advance`
  int64_t rows, cols;
  struct sciara_band band; ///< own rows, in padded indices
  double cell_size;
  real T_vent;
};

#endif
