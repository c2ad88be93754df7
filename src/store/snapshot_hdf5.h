// SPDX-License-Identifier: Apache-2.0
// Snapshots: CF-1.8 NetCDF-4 files written with HDF5 (docs/formats.md), and the series file over them.
#ifndef SCIARA_STORE_SNAPSHOT_HDF5_H
#define SCIARA_STORE_SNAPSHOT_HDF5_H

#include "file/georef.h"
#include "model/state.h"

/** Sets of fields are bits (1u << enum sciara_field). */
typedef unsigned sciara_field_set;

/** The common properties of all snapshots of a run. Strings may be NULL if unknown. */
struct sciara_snapshot_context {
  const struct sciara_georef *georef;
  sciara_field_set fields; ///< which to write; thickness always first
  bool as_double;          ///< float64, else float32
  const char *title;
  const char *start;         ///< ISO 8601 UTC start of the eruption ("2006-07-14T23:30:00Z"), or NULL
  const char *scenario_json; ///< the whole scenario as run
  const char *model_rule;    ///< name of the rule, or names of several; NULL: unknown, of a file of an earlier version
  const char *model_preset;  ///< set of parameters, and which of them were changed
  const char *history;       ///< command line and date
  const char *engine;        ///< "serial"
  const char *precision;     ///< "double"
  uint64_t dem_hash;
  int64_t rule_edition;   ///< of the rules; at most 1: the file does not have it
  double emission_from_s; ///< as in run.json; 0: the file does not have it
  int threads; ///< that may work at a snapshot, the caller's among them; 0: that one alone. The bytes are the same.
};

/**
 * Writes the atomic file `path` (ending in .nc): on return it is on the disk under its name. On failure there is no
 * file, or the earlier one, and no path.part. SCIARA_ERR_NUMERIC names field and cell of a value that is not finite or
 * does not fit float32; SCIARA_ERR_INPUT a `start` that is not a date; SCIARA_ERR_IO the error of the disk.
 *
 * @param touched of this state
 */
enum sciara_status sciara_snapshot_write(const struct sciara_snapshot_context *context, const struct sciara_state *s,
                                         const struct sciara_touched *touched, const struct sciara_ledger *ledger,
                                         uint64_t checksum, const char *path);

/** Bytes of memory needed to write a snapshot, in addition to the file itself, which is made in memory; `threads` as in
 * the context. */
size_t sciara_snapshot_memory(const struct sciara_grid *grid, bool as_double, int threads);

/**
 * Whether a field without its checksum is read: files of version 0.1.0 have none, and damage to them is not noticed.
 */
enum sciara_checksum_rule { SCIARA_CHECKSUM_REQUIRED, SCIARA_CHECKSUM_OPTIONAL };

/** The metadata of a snapshot, and its fields on demand. */
struct sciara_snapshot {
  struct sciara_grid grid;
  struct sciara_georef georef;
  sciara_field_set fields, unchecked; ///< the second: those of them that have no checksum
  enum sciara_checksum_rule rule;
  bool as_double;
  int64_t rule_edition; ///< of the rules
  double time_s, clock_s, emission_from_s;
  uint64_t step, checksum, dem_hash;
  int64_t liquid_cells;
  struct sciara_ledger ledger;
  bool has_sea; ///< its scenario declares a sea
  char *title, *start, *scenario_json, *model_rule, *model_preset, *source, *engine, *precision; ///< owned; may be NULL
  char *path;   ///< owned; for messages
  int64_t file; ///< HDF5 handle
};

/**
 * Opens and checks a snapshot: attributes, axes, and storage, type and shape of every field. SCIARA_ERR_IO when there
 * is no such file, SCIARA_ERR_INPUT when it is no snapshot, is damaged, or refers to another file. On failure nothing
 * is left to close.
 */
enum sciara_status sciara_snapshot_open(const char *path, struct sciara_snapshot *out);

/** sciara_snapshot_open by another rule; sciara_snapshot_open requires the checksums. */
enum sciara_status sciara_snapshot_open_as(const char *path, enum sciara_checksum_rule rule,
                                           struct sciara_snapshot *out);

/**
 * Reads a field into out[rows*cols] as double, as stored: -9999 outside the DEM, and for arrival_time where lava never
 * was. SCIARA_ERR_USAGE when the snapshot does not hold it; SCIARA_ERR_INPUT, naming file and field, when its checksums
 * fail.
 */
enum sciara_status sciara_snapshot_read(struct sciara_snapshot *s, enum sciara_field field, double *out);

/**
 * Whether the field is there or follows from those that are: deposit and solid_thickness from each other with
 * thickness, speed from thickness and momentum.
 */
bool sciara_snapshot_has(const struct sciara_snapshot *s, enum sciara_field field);

/** Like sciara_snapshot_read, also for a field that follows from others, as far as those are rounded in the file. */
enum sciara_status sciara_snapshot_obtain(struct sciara_snapshot *s, enum sciara_field field, double *out);

/** Releases what sciara_snapshot_open gave; a second call does nothing. */
void sciara_snapshot_close(struct sciara_snapshot *s);

#define SCIARA_SERIES_NAME "series.nc"

/**
 * Writes folder/series.nc: an HDF5 Virtual Dataset (time, y, x) per field over the named snapshots (relative names),
 * fill NaN for a missing source; an atomic file. The snapshots are not opened.
 *
 * @param names relative to `folder`, ascending in time: "snapshots/00000123.nc"
 * @param times simulated time of each, s
 * @param count at least 1, else SCIARA_ERR_USAGE
 */
enum sciara_status sciara_series_write(const struct sciara_snapshot_context *context, const struct sciara_grid *grid,
                                       const char *folder, const char *const *names, const double *times, size_t count);

/** Checks that a series refers only to snapshots/NNNNNNNN.nc in its folder; SCIARA_ERR_INPUT names any other reference.
 * The snapshots are not opened.
 */
enum sciara_status sciara_series_check(const char *path);

/**
 * All snapshots of a run in one ordinary NetCDF file, which refers to no other: writes their fields, (time, y, x) in the
 * layout of a snapshot, as one atomic file. The snapshots must have the same grid, fields and type, and ascend in time
 * (SCIARA_ERR_INPUT names the first that differs). The file is made in memory; SCIARA_ERR_MEMORY, before anything is
 * allocated, if the free memory is less than the size of the snapshots on the disk.
 *
 * @param paths of the snapshots, `count` of them, at least 1
 */
enum sciara_status sciara_series_merge(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                       const char *path);

#endif
