// SPDX-License-Identifier: Apache-2.0
// The course of a run in numbers: one row for each snapshot.
#ifndef SCIARA_ANALYSIS_TIMESERIES_H
#define SCIARA_ANALYSIS_TIMESERIES_H

#include "store/snapshot_hdf5.h"

/**
 * Writes the rows as CSV (docs/formats.md), atomically and durably. A column that does not follow from what the snapshots
 * hold is empty, which is said as a warning.
 *
 * @param paths of the snapshots, ascending in time
 */
enum sciara_status sciara_timeseries_write(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                           const char *path);

#endif
