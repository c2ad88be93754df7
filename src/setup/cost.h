// SPDX-License-Identifier: Apache-2.0
// What simulations cost, estimated before they are made: memory, number and size of snapshots, time, and the needs of a
// member. All constants are in setup/cost.def.
#ifndef SCIARA_SIM_COST_H
#define SCIARA_SIM_COST_H

#include "engine/engine.h"
#include "scenario/scenario.h"

struct sciara_problem;

enum {
#define BYTES(name, value, meaning) SCIARA_COST_##name = (value), ///< bytes
#define COUNT(name, value, meaning) SCIARA_COST_##name = (value),
#define FACTOR(name, value, meaning)
#include "setup/cost.def"
#undef BYTES
#undef COUNT
#undef FACTOR
};

#define BYTES(name, value, meaning)
#define COUNT(name, value, meaning)
#define FACTOR(name, value, meaning) static const double SCIARA_COST_##name = (value);
#include "setup/cost.def"
#undef BYTES
#undef COUNT
#undef FACTOR

// ------------------------------------------------------------------------------------------------- memory and files

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

/**
 * Host memory of an engine, bytes, with lava on `wet` cells; 0 if unknown. @param device receives the GPU memory; may
 * be NULL
 */
size_t sciara_size_estimate_engine(const struct sciara_engine_ops *ops, const struct sciara_grid *grid, unsigned record,
                                   double wet, size_t *device);

/** Which optional fields of the state a scenario records: bits of enum sciara_record. */
unsigned sciara_scenario_record(const struct sciara_scenario_spec *s);

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

// ------------------------------------------------------------------------------------------------------------- time

/** Until when the time of computing is estimated. */
enum sciara_estimate_until {
  SCIARA_ESTIMATE_NOTHING, ///< nothing is known that is still to come
  SCIARA_ESTIMATE_END,     ///< the end of the run, by its time
  SCIARA_ESTIMATE_STEPS,   ///< the end of the run, by its steps
  SCIARA_ESTIMATE_VENTS,   ///< the end of the emission
  SCIARA_ESTIMATE_GROUND   ///< the last change of the ground
};

/** What is known of a run after some of its steps. Zero: there is no estimate. */
struct sciara_time_estimate {
  bool made;
  bool whole;        ///< these steps were the whole run
  uint64_t steps;    ///< executed
  double time, wall; ///< simulated and wall-clock time of all steps, s
  double per_second; ///< wall-clock time of a simulated second in the later half, s
  double per_step;   ///< wall-clock time of a step in the later half, s
  int threads;
  enum sciara_estimate_until until;
  double until_s;      ///< simulated time of that, s
  double until_wall_s; ///< wall-clock time from the first step to that, s, at the speed of the later half
};

/** Extrapolates what is known to the end of the run or, if that has no time, to the last thing that is known to come. */
void sciara_time_estimate_extend(const struct sciara_problem *p, struct sciara_time_estimate *e);

/**
 * Executes steps for at most `seconds` of wall-clock time, and extrapolates. The problem is not changed.
 *
 * @return the error of an engine that cannot run; `out` is then zero
 */
enum sciara_status sciara_time_estimate_make(const struct sciara_problem *p, double seconds,
                                             struct sciara_time_estimate *out);

// ---------------------------------------------------------------------------------------------------------- members

/** What a member is expected to need, from the volume that it emits and its parameters. */
struct sciara_member_need {
  double liquid_s; ///< seconds in which its lava cools, summed over cells; in a run it is liquid for a multiple of that
  double length;   ///< liquid_s divided by the relaxation, with which the clock grows: a measure of the cell-steps
  double window;   ///< cells of its largest window
  double disk;     ///< bytes
  double checkpoint; ///< bytes on the disk while it is in work, twice while they are replaced
  double memory;     ///< bytes, in addition to the site, which members share
};

/** Cells that the lava of a member covers in the end: at most about so many. @param volume that it emits, m3 */
double sciara_member_covered(const struct sciara_params *params, double volume, const struct sciara_grid *grid);

/** Bytes on the disk of so many members, which cover `covered` cells together. */
double sciara_member_disk(double members, double covered);

/** Bytes of a state that has these recorded fields, of its copy and of an engine, for one cell of a window. */
double sciara_member_bytes_per_cell(const struct sciara_engine_ops *ops, unsigned record);

/**
 * @param p a member that has been placed; without a state it has no initial lava
 * @param record the recorded fields of its state, bits SCIARA_RECORD_...
 */
struct sciara_member_need sciara_member_need_of(const struct sciara_problem *p, unsigned record, double bytes_per_cell);

#endif
