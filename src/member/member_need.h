// SPDX-License-Identifier: Apache-2.0
// What a member is expected to need, from the volume that it emits and its parameters.
#ifndef SCIARA_MEMBER_MEMBER_NEED_H
#define SCIARA_MEMBER_MEMBER_NEED_H

#include "engine/engine.h"
#include "sim/problem.h"

struct sciara_member_need {
  double liquid_s; ///< seconds in which its lava cools, summed over cells; in a run it is liquid for a multiple of that
  double length;   ///< liquid_s divided by the relaxation, with which the clock grows: a measure of the cell-steps
  double window;   ///< cells of its largest window
  double disk;     ///< bytes
  double checkpoint; ///< bytes on the disk while it is in work, twice while they are replaced
  double memory;     ///< bytes, in addition to the site, which members share
};

/** Cells that the lava of a member covers in the end: at most about so many. @param volume that it emits, m3 */
double sciara_member_footprint(const struct sciara_params *params, double volume, const struct sciara_grid *grid);

/** Bytes on the disk of so many members, which cover `footprints` cells together. */
double sciara_member_disk(double members, double footprints);

/** Bytes of a state, its copy and an engine, for one cell of a window. */
double sciara_member_bytes_per_cell(const struct sciara_engine_ops *ops);

/** @param p a member that has been placed; without a state it has no initial lava */
struct sciara_member_need sciara_member_need_of(const struct sciara_problem *p, double bytes_per_cell);

#endif
