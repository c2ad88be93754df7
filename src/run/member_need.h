// SPDX-License-Identifier: Apache-2.0
// What a member is expected to need, from the volume and the duration of its emission.
#ifndef SCIARA_RUN_MEMBER_NEED_H
#define SCIARA_RUN_MEMBER_NEED_H

#include "engine/engine.h"
#include "run/problem.h"

struct sciara_member_need {
  double length;     ///< volume times duration of its emission
  double lava_cells; ///< cells that its lava may cover
  double window;     ///< cells of its largest window
  double disk;       ///< bytes
  double checkpoint; ///< bytes on the disk while it is in work, twice while they are replaced
  double memory;     ///< bytes, in addition to the site, which members share
};

enum { SCIARA_MEMBER_BYTES = 6 << 10 }; ///< on the disk, without cells

/** Bytes of a state, its copy and an engine, for one cell of a window. */
double sciara_member_bytes_per_cell(const struct sciara_engine_ops *ops);

/** @param p a member that has been placed; without a state it has no initial lava */
struct sciara_member_need sciara_member_need_of(const struct sciara_problem *p, double bytes_per_cell);

#endif
