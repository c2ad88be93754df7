// SPDX-License-Identifier: Apache-2.0
// The CF-1.8 frame that snapshots, the series over them and maps of hazard share: axes, crs, and the attributes of the file.
// Included by this room alone.
#ifndef SCIARA_STORE_SNAPSHOT_LAYOUT_H
#define SCIARA_STORE_SNAPSHOT_LAYOUT_H

#include "file/hdf5_file.h"
#include "store/chunk.h"
#include "store/snapshot_hdf5.h"

/** Value of the attribute sciara_snapshot_format; another one is refused by the reader. */
enum { SCIARA_SNAPSHOT_FORMAT = 1 };

#define SCIARA_ADDED_ATTRIBUTE "ledger_added_m3"      ///< only where it or the next one is not 0
#define SCIARA_REMOVED_ATTRIBUTE "ledger_removed_m3"  ///< only where it or the previous one is not 0
#define SCIARA_EDITION_ATTRIBUTE "model_rule_edition" ///< only of a later edition of a rule
#define SCIARA_FROM_ATTRIBUTE "emission_from_s"       ///< only of a run that began with the lava of an earlier one
#define SCIARA_SEA_ATTRIBUTE "ledger_sea_m3"          ///< only where the scenario declares a sea

/** A file being laid out. */
struct sciara_layout {
  const char *path; ///< for errors
  const struct sciara_snapshot_context *context;
  const struct sciara_grid *grid;
  hid_t file;
  hid_t axes[3]; ///< the dimension scales time, y, x
};

/** Makes the file in memory with its global attributes, `count` times (0: no such axis), y, x and crs. On failure nothing stays open. */
enum sciara_status sciara_layout_begin(struct sciara_layout *layout, const char *path,
                                       const struct sciara_snapshot_context *context, const struct sciara_grid *grid,
                                       const double *times, size_t count);

/**
 * Writes the finished file as `path`, or discards it if `status` is already a failure; returns the resulting status.
 */
enum sciara_status sciara_layout_end(struct sciara_layout *layout, enum sciara_status status);

/** Attribute of a field of a snapshot: the sum of the words of its values, 16 hexadecimal digits. */
#define SCIARA_FIELD_CHECKSUM "sciara_checksum"

#endif
