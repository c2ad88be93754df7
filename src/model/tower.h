// SPDX-License-Identifier: Apache-2.0
// Towers: where SCIARA-fv3 lets lava pile up because a cell cannot pass on what its vent emits (docs/model.md). Estimates
// before a run, and finding towers in a state. Nothing here changes a step.
#ifndef SCIARA_MODEL_TOWER_H
#define SCIARA_MODEL_TOWER_H

#include "model/params.h"
#include "model/state.h"
#include "model/vents.h"

#define SCIARA_TOWER_AIM 0.2 ///< a load up to which a vent stands no higher than one cell is wide

/** Whether the rule of the parameters lets lava pile up as towers. The estimates below are meant for such a rule alone. */
static inline bool sciara_has_towers(const struct sciara_params *p) { return !sciara_is_sheet(p->rule); }

/**
 * The clock that the fastest column of lava allows, s: it starts from rest, and crosses its path in the shortest time
 * where the slope is 1.
 */
double sciara_tower_clock(const struct sciara_params *p, double cell_size);

/**
 * The load x of one vent cell: `rate` m3/s over the rate at which its column can shed lava at most. From 1 on it grows
 * without bound.
 */
double sciara_tower_load(const struct sciara_params *p, double cell_size, double rate);

/** Height at which a column of load x stands above its neighbours on flat ground, m; INFINITY: it never stands. */
double sciara_tower_height(double cell_size, double x);

/** How many times the rate of one cell an area of `cells` cells with this perimeter, m, can carry: at least 1. */
double sciara_tower_carries(double cell_size, double cells, double perimeter);

// What brings the load of a vent to SCIARA_TOWER_AIM; x: the load if one cell emits the whole rate.

/** Radius of a vent at a point, m; 0: one cell is enough; INFINITY: more than SCIARA_VENT_AREA_MOST cells. */
double sciara_tower_radius(double cell_size, double x);

/** Width of a fissure of this length, m. */
double sciara_tower_width(double cell_size, double x, double length);

/** Side of the cells, m, for the load x of a vent cell of this side. */
double sciara_tower_cell_size(double cell_size, double x);

/** A cell that stands out. */
struct sciara_tower {
  int64_t row, col;
  double height; ///< of its surface above the highest cell around it, m
};

/** From this height on a column is a tower, m: twice the side of a cell and twice the critical height at the vent. */
double sciara_tower_least(const struct sciara_params *p, double cell_size);

/**
 * The cell that stands highest above all its neighbours. Only cells with more than `least` m of liquid lava count: steep
 * ground is no tower. False: no cell stands more than `least` m above them.
 */
bool sciara_tower_find(const struct sciara_state *s, const struct sciara_touched *touched, double least,
                       struct sciara_tower *out);

/**
 * Whether the lowest of the vent cells first .. first + count - 1, which all have more than `least` m of liquid lava,
 * stands more than `least` m above the highest cell around them.
 *
 * @param found set to whether it does, and then *out to that cell
 */
enum sciara_status sciara_tower_find_vent(const struct sciara_state *s, const struct sciara_vents *v, int64_t first,
                                          int64_t count, double least, bool *found, struct sciara_tower *out);

#endif
