// SPDX-License-Identifier: Apache-2.0
// The course of a run in numbers: one row for each snapshot.
#ifndef SCIARA_ANALYSIS_TIMESERIES_H
#define SCIARA_ANALYSIS_TIMESERIES_H

#include "store/snapshot_hdf5.h"

/**
 * Writes the rows as an atomic CSV file (docs/formats.md). A column that cannot be computed from the snapshots is
 * empty, which a warning reports.
 *
 * @param paths of the snapshots, ascending in time
 */
enum sciara_status sciara_timeseries_write(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                           const char *path);

#endif
