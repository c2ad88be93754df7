// SPDX-License-Identifier: Apache-2.0
// A run or a snapshot that something is made of: its folder or its file.
#ifndef SCIARA_EXPORT_TARGET_H
#define SCIARA_EXPORT_TARGET_H

#include "geometry/dem_window.h"
#include "picture/map_picture.h"
#include "store/run_json.h"
#include "store/snapshot_hdf5.h"

/** A snapshot, and the run it belongs to where there is one. Release with sciara_target_free. */
struct sciara_target {
  char *folder;                    ///< of the run; NULL for a snapshot that lies alone
  struct sciara_run_json run_json; ///< of a snapshot that lies alone only what it says of its emission
  char *path;                      ///< of the snapshot: the given one, or the last of the run
  struct sciara_snapshot snapshot; ///< open
};

/**
 * Opens a run folder with its first snapshot at or after a simulated time, s. SCIARA_ERR_USAGE: it is no folder;
 * SCIARA_ERR_INPUT: the run ends before.
 */
enum sciara_status sciara_target_open_at(const char *folder, double at_s, enum sciara_checksum_rule rule,
                                         struct sciara_target *out);

/** Opens a run folder (its last snapshot) or a snapshot file. */
enum sciara_status sciara_target_open(const char *path, enum sciara_checksum_rule rule, struct sciara_target *out);
void sciara_target_free(struct sciara_target *t);

/**
 * The simulated time of the outline or checkpoint with which its run begins, s: "after the outline" counts from it; 0: there is none.
 */
enum sciara_status sciara_target_begin(const struct sciara_target *t, double *time_s);

/** Has a picture say that run.json has warnings. */
void sciara_target_warn(const struct sciara_target *t, struct sciara_map_picture *picture);

/** The window of its DEM: that of dem.tif; a whole raster where there is none, or it does not say. */
enum sciara_status sciara_target_window(const struct sciara_target *t, struct sciara_dem_window *out);

/**
 * The snapshot's field, or one that follows from those it holds, which is said; else the error lists those. `values` has
 * rows x cols doubles.
 */
enum sciara_status sciara_target_read(struct sciara_target *t, enum sciara_field field, double *values);

/**
 * Altitude under the lava, rows x cols: dem.tif of the run, else the snapshot's own altitude; if there is neither,
 * zeros and a warning. Release with sciara_free.
 */
enum sciara_status sciara_target_read_ground(struct sciara_target *t, double **altitude);

#endif
