// SPDX-License-Identifier: Apache-2.0
// The scenarios of a calibration file, as they are and with the values that its searches give them.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_CALIBRATION_SCENARIOS_H
#define SCIARA_CALIBRATE_CALIBRATION_SCENARIOS_H

#include "calibrate/calibration_file.h"

/**
 * Reads the scenarios of a file as they are, with the model of each search, and in the middle of its bounds, which must be
 * valid; sets their hashes and the rules of the searches. Problems are added to `diagnostics`.
 */
void sciara_calibration_scenarios_check(struct sciara_calibration_file *f, struct sciara_diagnostics *diagnostics);

/** Reads scenario `n` again. SCIARA_ERR_INPUT if its text or its rates have changed. */
enum sciara_status sciara_calibration_scenario(const struct sciara_calibration_file *f, size_t n,
                                               struct sciara_scenario_spec *out);

#endif
