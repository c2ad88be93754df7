// SPDX-License-Identifier: Apache-2.0
// Memory and files of a run, estimated before it is made: what it needs, and the number and size of its snapshots.
#ifndef SCIARA_SETUP_SIZE_ESTIMATE_H
#define SCIARA_SETUP_SIZE_ESTIMATE_H

#include "engine/engine.h"
#include "scenario/scenario.h"

/** All sizes in bytes. */
struct sciara_size_estimate {
  bool made;        ///< false: the scenario was rejected before anything could be estimated
  size_t available; ///< host memory that was free before the DEM was read; 0: unknown

  // Largest use of host memory: the sum of these.
  size_t program; ///< the program, GDAL, PROJ and HDF5
  size_t site;    ///< ground and kinds of the cells, shared by all states; 0: already in memory
  size_t state;   ///< the state on the host, between the engine and the files
  size_t engine;  ///< of the engine, with the largest possible extent of the lava; 0 if unknown
  size_t writing; ///< the largest of dem.tif, a snapshot, a checkpoint and a map, and the states waiting to be written

  size_t checkpoint; ///< part of `writing`: a checkpoint, which a signal may request at any time

  size_t device; ///< GPU memory of the engine; of bands: on each GPU
  int gpus;      ///< that have so much of it

  // For a run on several processes, with equal bands: `engine` is what the band of process 0 takes.
  int ranks, ranks_here; ///< processes, and those on this host; 0: one
  size_t band;           ///< host memory of a process that has only a band; 0: one of them computes all
  bool engine_known;

  double wet; ///< cells that the lava may cover

  // Snapshots.
  double snapshots;            ///< largest number; INFINITY: the run has no given end
  double snapshots_while_vent; ///< smallest number until the last vent stops, unless the run ends before
  size_t snapshot;             ///< typical size once all lava has been emitted
  size_t snapshot_most;        ///< largest size
};

/**
 * Bytes of the states that wait to be written: two, or one of an engine that keeps states itself. `record`: bits of enum
 * sciara_record
 */
size_t sciara_size_estimate_waiting(const struct sciara_grid *grid, unsigned record, bool kept);

/** Total host memory. */
size_t sciara_size_estimate_host(const struct sciara_size_estimate *f);

/** Estimates a run.
 *
 * @param ops NULL: the engine is unknown, its part is left out
 */
struct sciara_size_estimate sciara_size_estimate_make(const struct sciara_scenario_spec *s,
                                                      const struct sciara_grid *grid, const struct sciara_vents *vents,
                                                      const struct sciara_engine_ops *ops, size_t available);

/**
 * Divides what the engine takes among processes with a band each, of which `here` are on this host, with this one. An engine
 * that has several GPUs divides that further.
 */
void sciara_size_estimate_divide(struct sciara_size_estimate *f, const struct sciara_scenario_spec *s,
                                 const struct sciara_grid *grid, const struct sciara_engine_ops *ops, int ranks,
                                 int here);

/** SCIARA_ERR_MEMORY if the run needs more memory than is free; `name` is that of the scenario. */
enum sciara_status sciara_size_estimate_check(const struct sciara_size_estimate *f, const char *name);

#endif
