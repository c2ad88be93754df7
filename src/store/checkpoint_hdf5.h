// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the exact state of a run and everything that is needed to continue from it (docs/formats.md). Chunks of
// the map that lava has never reached are not stored; nor is the ground, which is in dem.tif of the run folder.
#ifndef SCIARA_STORE_CHECKPOINT_HDF5_H
#define SCIARA_STORE_CHECKPOINT_HDF5_H

#include "file/georef.h"
#include "model/inputs.h"
#include "model/params.h"
#include "model/state.h"

/** Value of the attribute sciara_checkpoint_format; another one is refused by the reader. */
enum { SCIARA_CHECKPOINT_FORMAT = 1 };

/** What a run must have in common with a checkpoint to continue from it. */
struct sciara_checkpoint_identity {
  struct sciara_grid grid;
  struct sciara_inputs inputs; ///< that of the cells is 0 in a file of an earlier version
  struct sciara_params params;
  uint64_t boundary; ///< enum sciara_boundary
  uint64_t record;   ///< maxima that the state holds: bits of enum sciara_record
  char *precision;   ///< "double"; owned
  bool of_member;    ///< of a member of an ensemble: the grid is a window of the map
};

/** A checkpoint without the fields. Zero-initialise; texts are owned (malloc) and may be NULL when unknown. */
struct sciara_checkpoint {
  struct sciara_checkpoint_identity identity;
  struct sciara_georef georef;
  uint64_t dem_hash;
  char *engine;                            ///< that computed it
  char *scenario_path;                     ///< as given
  char *scenario_folder;                   ///< absolute: CSV files of rates are searched there
  char *scenario_json;                     ///< the whole scenario as run
  char *history, *started_utc;             ///< of the run
  char *program_version, *git_hash;        ///< filled in by sciara_checkpoint_write
  uint64_t step, solidifications;          ///< the state's; filled in by sciara_checkpoint_write ...
  double time_s, clock_s;                  ///< ...
  double initial_m3, emitted_m3;           ///< ...
  double added_m3, removed_m3;             ///< ... up to here; 0: the file does not have them
  double emission_from_s;                  ///< as in run.json; 0: the file does not have it
  uint64_t losses;                         ///< times that lava left through a rim cell
  uint64_t snapshots;                      ///< acknowledged so far
  double next_snapshot_s;                  ///< simulated time at which the next one is due; INFINITY: none
  double wall_s, compute_s, output_wait_s; ///< as in run.json
  uint64_t checksum;                       ///< of the state, as in snapshots; filled in by sciara_checkpoint_write
  uint64_t rule_edition;              ///< as in rules.def, filled in likewise; 0: the file does not have it, it is 1
  uint64_t words;                     ///< over the fields as stored, maxima included; likewise
  uint64_t ensemble_hash, row_hash;   ///< of a member: its ensemble and its row; likewise all that follows
  uint64_t site_hash, initial_hash;   ///< of its whole map, and of its initial lava
  uint64_t window_row, window_col;    ///< first cell of the window, on the map
  uint64_t cell_steps;                ///< liquid cells, summed over the steps
  char *vent_warning, *tower_warning; ///< towers that were found (setup/outflow.h); NULL: none
};

/** Releases what it owns and zeroes it. */
void sciara_checkpoint_free(struct sciara_checkpoint *c);

/**
 * Writes the atomic file `path`. The values of the state are put into `c` first. On failure there is no file, or the
 * earlier one, and no path.part. Several processes may write that of a member at the same time.
 */
enum sciara_status sciara_checkpoint_write(struct sciara_checkpoint *c, const struct sciara_state *s, const char *path);

/** Bytes of memory needed for writing, in addition to the file itself, which is made in memory. */
size_t sciara_checkpoint_memory(const struct sciara_grid *grid);

/**
 * Reads the header. SCIARA_ERR_IO if there is no such file; SCIARA_ERR_INPUT if it is not a checkpoint, has another
 * version of the format, or is damaged. On failure `out` is zeroed.
 */
enum sciara_status sciara_checkpoint_read_header(const char *path, struct sciara_checkpoint *out);

/** Reads the header, and every field to check that it is undamaged. */
enum sciara_status sciara_checkpoint_verify(const char *path, struct sciara_checkpoint *out);

/**
 * Puts the fields and totals into a state of the bare ground of the same grid. Maxima that the state does not record
 * are left out. SCIARA_ERR_INPUT, naming the problem, if it is damaged or the ground differs.
 */
enum sciara_status sciara_checkpoint_read_state(const char *path, const struct sciara_checkpoint *c,
                                                struct sciara_state *s);

/**
 * Rejects (SCIARA_ERR_INPUT) a run that cannot continue from a checkpoint: another DEM, parameter, boundary, precision, edits
 * or vents, or a maximum that is not in it. Names what differs and both values.
 *
 * @param may_differ bits 1 << enum sciara_input
 */
enum sciara_status sciara_checkpoint_check(const struct sciara_checkpoint *c, const char *path,
                                           const struct sciara_checkpoint_identity *run, unsigned may_differ);

#endif
