// SPDX-License-Identifier: Apache-2.0
// All snapshots of a run in one ordinary NetCDF file, which refers to no other.
#ifndef SCIARA_STORE_SERIES_MERGE_H
#define SCIARA_STORE_SERIES_MERGE_H

#include "store/snapshot_hdf5.h"

/**
 * Writes the fields of the snapshots, (time, y, x) in the layout of a snapshot, as one atomic file. The
 * snapshots must have the same grid, fields and type, and ascend in time (SCIARA_ERR_INPUT names the first that
 * differs). The file is made in memory; SCIARA_ERR_MEMORY, before anything is allocated, if the free memory is less
 * than the size of the snapshots on the disk.
 *
 * @param paths of the snapshots, `count` of them, at least 1
 */
enum sciara_status sciara_series_merge(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                       const char *path);

#endif
