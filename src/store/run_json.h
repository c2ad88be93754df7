// SPDX-License-Identifier: Apache-2.0
// run.json, the account of a run folder, replaced completely each time something is acknowledged.
#ifndef SCIARA_STORE_RUN_JSON_H
#define SCIARA_STORE_RUN_JSON_H

#include "base/date.h"
#include "base/status.h"
#include "model/vents.h"

/** Value of the key "format"; another one is refused by the reader. */
enum { SCIARA_RUN_FORMAT = 1 };

/** The status of a run. A file with the status "running" without such a process was interrupted. */
enum sciara_run_status {
  SCIARA_RUN_RUNNING,  ///< "running"
  SCIARA_RUN_COMPLETE, ///< "complete": its own stop rule was met
  SCIARA_RUN_STOPPED,  ///< "stopped": from outside, by a signal
  SCIARA_RUN_FAILED,   ///< "failed": the reason is stop_reason
};

/** A snapshot that is on the disk under its name. */
struct sciara_run_snapshot {
  char *name; ///< relative to the run folder: "snapshots/00000123.nc"
  uint64_t step;
  double time_s;
  uint64_t checksum;
};

/** A resumption of a run. */
struct sciara_run_resumption {
  char utc[SCIARA_DATE_SIZE]; ///< when, "2006-07-14T23:30:00Z"
  uint64_t step;              ///< of the checkpoint
  char *engine;               ///< engine that continued; owned
};

/** A barrier at the end of a run. */
struct sciara_run_barrier {
  char *name;
  size_t edit;         ///< its index in dem.edits
  int64_t cells;       ///< that it changed
  double overtopped_s; ///< simulated time from which lava is on it; NAN: never
  double freeboard_m;  ///< from its crest down to the lava beside it at the end; NAN: there is none
  double x, y;         ///< where it was overtopped first, or the freeboard is least; NAN: nowhere
};

#define SCIARA_WARNING_DEM "dem"           ///< kind of a warning about a DEM of cells made of much larger ones
#define SCIARA_WARNING_CELLS "cells"       ///< about cells to which the parameters do not belong
#define SCIARA_WARNING_OBSERVED "observed" ///< about the thickness of the lava of initial.observed
#define SCIARA_WARNING_EFFUSION "effusion" ///< about lava that vents emit after the end of the run

/**
 * Something that a run noticed and that makes its results doubtful. One about the DEM has kind, text and coarse_m alone, those
 * about the size of the cells, observed lava and later effusion kind and text.
 */
struct sciara_run_warning {
  char *kind; ///< "vent", "tower", "dem", "cells", "observed", "effusion"; owned
  int64_t row, col;
  double x, y;     ///< centre of the cell, in the CRS of the DEM, m
  double time_s;   ///< simulated time of the state in which it was noticed
  double height_m; ///< of the lava above the cells around it; NAN in files of versions without it
  double coarse_m; ///< as of struct sciara_site_origin
  char *text;      ///< a sentence; owned
};

/**
 * The contents of run.json. Zero-initialise, release with sciara_run_json_free; texts are owned and may be NULL when
 * unknown. A double that is not finite is written as null and read back as NAN.
 */
struct sciara_run_json {
  enum sciara_run_status status;
  char *stop_reason; ///< "solidified"; NULL while running
  char *scenario;    ///< path of the scenario as given
  uint64_t dem_hash;
  char *model_rule;         ///< "fv3", "bingham"; NULL in files of earlier versions, which are of fv3
  int64_t rule_edition;     ///< of the rule; 0: 1, not in the file
  char *model_preset;       ///< set of parameters, and which of them were changed; NULL in files of earlier versions
  char *engine, *precision; ///< "openmp", "double"
  int threads;
  char *program_version, *git_hash, *hdf5_version, *gdal_version;
  char started_utc[SCIARA_DATE_SIZE], updated_utc[SCIARA_DATE_SIZE]; ///< "" when unset
  char ended_utc[SCIARA_DATE_SIZE];                                  ///< "" while running
  double wall_s;                                                     ///< since the start, files included
  double compute_s;                                                  ///< of it, in the engine
  double output_wait_s; ///< of it, steps waiting for snapshots; NAN in files of versions without it
  uint64_t step;
  double time_s, clock_s;
  int64_t liquid_cells;
  struct sciara_ledger ledger;
  double lost_from_s; ///< when lava first left the map; NAN: not known, or it has not. Of a run that has ended
  struct sciara_emission emission; ///< as planned; not known in files of earlier versions
  bool has_sea;                    ///< its scenario declares a sea
  char *parent;                    ///< of a branch: folder of the run it left, as given; NULL: it is none
  uint64_t parent_step;            ///< of the checkpoint that it began with
  uint64_t parent_checksum;        ///< of its state
  struct sciara_run_resumption *resumptions;
  size_t resumption_count;
  struct sciara_run_warning *warnings; ///< in the order in which they were noticed; not in the file if there are none
  size_t warning_count;
  struct sciara_run_barrier *barriers; ///< at the end of the run
  size_t barrier_count;
  struct sciara_run_snapshot *snapshots; ///< in the order in which they were acknowledged
  size_t snapshot_count;
};

/** Releases what it owns and zeroes it. */
void sciara_run_json_free(struct sciara_run_json *run_json);

/** Replaces an owned text by a copy of `text` (NULL allowed). */
enum sciara_status sciara_run_json_set(char **held, const char *text);

/** Appends a snapshot; takes constant time on average. */
enum sciara_status sciara_run_json_add(struct sciara_run_json *run_json, const char *name, uint64_t step, double time_s,
                                       uint64_t checksum);

/** Appends a copy of a warning. */
enum sciara_status sciara_run_json_warn(struct sciara_run_json *run_json, const struct sciara_run_warning *warning);

/** Whether a warning is about a cell at a time: it has the members for both. */
bool sciara_run_warning_has_cell(const struct sciara_run_warning *warning);

/** Appends a barrier, whose name is copied. */
enum sciara_status sciara_run_json_barrier(struct sciara_run_json *run_json, const struct sciara_run_barrier *barrier,
                                           const char *name);

/** Forgets the warnings of states after this simulated time, s, and the barriers. */
void sciara_run_json_forget(struct sciara_run_json *run_json, double time_s);

/** Forgets all snapshots but the first `count`. */
void sciara_run_json_cut(struct sciara_run_json *run_json, size_t count);

/** Records that the run continues from a checkpoint of this step; the time is now. */
enum sciara_status sciara_run_json_resume(struct sciara_run_json *run_json, uint64_t step, const char *engine);

/** Writes the atomic file `path`; an earlier one is intact on failure. */
enum sciara_status sciara_run_json_write(const struct sciara_run_json *run_json, const char *path);

/**
 * Reads a file. Every diagnostic is SCIARA_ERR_INPUT and names the file, the JSON path, what is expected and what was
 * found (SCIARA_ERR_IO: it cannot be opened or read). Unknown keys are ignored, because later versions may add some. On
 * failure `out` is zeroed.
 */
enum sciara_status sciara_run_json_read(const char *path, struct sciara_run_json *out);

/** The word of a status ("running"), or NULL for a number that is none. */
const char *sciara_run_status_name(enum sciara_run_status status);

#endif
