// SPDX-License-Identifier: Apache-2.0
// What simulations cost, estimated before they are made: memory of an engine, time, and the needs of a member. All constants
// are in setup/cost.def. What a run needs and writes is in setup/size_estimate.h.
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

/**
 * Host memory of an engine, bytes, with lava on `wet` cells; 0 if unknown. @param device receives the GPU memory; may
 * be NULL
 */
size_t sciara_size_estimate_engine(const struct sciara_engine_ops *ops, const struct sciara_grid *grid, unsigned record,
                                   double wet, size_t *device);

/** Which optional fields of the state a scenario records: bits of enum sciara_record. */
unsigned sciara_scenario_record(const struct sciara_scenario_spec *s);

/** Thickness below which lava fresh from the vent no longer flows, m. */
double sciara_thin_lava(const struct sciara_params *params);

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
 * Executes steps for about `seconds` of wall-clock time, to the end of the run at most, and extrapolates. The problem is used
 * up, but is still to be freed.
 *
 * @return the error of an engine that cannot run, or of the run; `out` is then zero
 */
enum sciara_status sciara_time_estimate_make(struct sciara_problem *p, double seconds,
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
