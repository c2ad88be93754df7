// SPDX-License-Identifier: Apache-2.0
// Changes of the ground at simulated times: edits of a scenario with "from". What they make of the ground does not depend on
// lava, so the ground at any time follows from that at the start. Rock stays on ground that is raised or lowered; where an
// edit sets an altitude it replaces rock below that.
#ifndef SCIARA_MODEL_GROUND_CHANGE_H
#define SCIARA_MODEL_GROUND_CHANGE_H

#include "model/ground_edit.h"
#include "model/state.h"

/** One cell of a change. */
struct sciara_ground_op {
  int64_t cell;                ///< row-major, on the map
  enum sciara_edit_value what; ///< one that decides what an edit does
  double value;                ///< m
};

/** What is done at one time. */
struct sciara_ground_change {
  double from_s;
  char *name;         ///< of the edit; from malloc
  size_t number;      ///< index of the edit in the scenario
  int64_t first, end; ///< its ops
};

/** The changes of a scenario, in the order in which they are done: from_s does not descend. */
struct sciara_ground_changes {
  size_t count;
  struct sciara_ground_change *change;
  int64_t ops, room;
  struct sciara_ground_op *op;
  bool single_precision; ///< altitudes are rounded to float
};

/** Begins another change, which has the ops that are added next. The name is copied. */
enum sciara_status sciara_ground_changes_begin(struct sciara_ground_changes *c, double from_s, const char *name,
                                               size_t number);
enum sciara_status sciara_ground_changes_add(struct sciara_ground_changes *c, struct sciara_ground_op op);
/** Adds copies of all changes. @param from NULL: none */
enum sciara_status sciara_ground_changes_copy(const struct sciara_ground_changes *from,
                                              struct sciara_ground_changes *to);
void sciara_ground_changes_free(struct sciara_ground_changes *c);

/** 64 bits over times and ops; 0: there are none. */
uint64_t sciara_ground_changes_hash(const struct sciara_ground_changes *c);

/** Simulated time of the next change of a site, s; INFINITY: none. */
double sciara_site_next_change(const struct sciara_site *site);

/** Simulated time of the last change of a site, s; 0: it has none. */
double sciara_site_last_change(const struct sciara_site *site);

/** The site after its next change, with one reference. The site must have one. */
enum sciara_status sciara_site_change(const struct sciara_site *site, const struct sciara_site **out);

/** What a change did to a state. */
struct sciara_ground_effect {
  int64_t cells, with_lava; ///< cells with another altitude; those of them with liquid lava
  double low, high;         ///< of the changes of altitude, m
  double volume_m3;         ///< their sum
  double rock_m3;           ///< that was replaced: also in s->removed
};

/**
 * Moves a state to the site after change `k`. Its cell (0, 0) is (row, col) of a map of `cols` columns. Liquid lava is lifted or
 * lowered with the ground.
 */
enum sciara_status sciara_state_change_ground(struct sciara_state *s, const struct sciara_site *site,
                                              const struct sciara_ground_changes *c, size_t k, int64_t row, int64_t col,
                                              int64_t cols, struct sciara_ground_effect *effect);

#endif
