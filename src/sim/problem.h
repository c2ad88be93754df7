// SPDX-License-Identifier: Apache-2.0
// What is stepped: a state on its ground with vents, and on which terms.
#ifndef SCIARA_SIM_PROBLEM_H
#define SCIARA_SIM_PROBLEM_H

#include "base/log.h"
#include "engine/engine.h"
#include "model/ground_change.h"
#include "model/ledger.h"
#include "model/site.h"
#include "model/terms.h"
#include "model/window.h"

struct sciara_source;

/** Zero-initialise; release with sciara_problem_free. */
struct sciara_problem {
  const struct sciara_site *site; ///< one reference; other problems may share it
  struct sciara_grid grid;        ///< of the site
  struct sciara_vents *vents;
  struct sciara_state *state; ///< at the start of the run
  struct sciara_params params;
  enum sciara_boundary boundary;
  struct sciara_limits run;
  struct sciara_engine_choice engine;  ///< the name belongs to the source
  const struct sciara_engine_ops *ops; ///< an engine in place of the chosen one; NULL: none
  struct sciara_comm *comm;            ///< the ranks that compute bands of it, of which this is 0; NULL: it is alone
  struct sciara_rounding rounding;     ///< its largest effect on the volume of lava in a run
  double last_change_s;                ///< of the ground of the map, if the site is a window and has none; else 0
  int64_t row, col; ///< for messages: if the site is a window (model/window.h), its first cell on the map; else 0
  const struct sciara_notes *notes; ///< receive the messages about it; NULL: the log
  struct sciara_source *source;     ///< where it came from (setup/setup.h); NULL: a program made it
  void (*release)(struct sciara_source *source);
};

void sciara_problem_free(struct sciara_problem *p);

/** Sets p->rounding from its vents and its precision. */
enum sciara_status sciara_problem_make_rounding(struct sciara_problem *p);

/** The clock before the first step, s, in the precision of the run. */
double sciara_problem_first_clock(const struct sciara_problem *p);

/**
 * Replaces the ground of a map by that with its next change, and gives it to a state on it. On failure neither has changed.
 *
 * @param w of the state on the map, in which a boundary is as of sciara_window_site; NULL: its site is the map
 * @param state NULL: there is none, and no effect
 */
enum sciara_status sciara_ground_change(const struct sciara_site **map, const struct sciara_window *w,
                                        enum sciara_boundary boundary, struct sciara_state *state,
                                        struct sciara_ground_effect *effect);

/** Does the changes of the ground that are due at the time of the state, in site and state, and reports them. */
enum sciara_status sciara_problem_change_due(struct sciara_problem *p);

/**
 * Brings the ground to that with which a state of this time, s, was computed, whose part of the checksum is `ground`: with the
 * changes that it has. If none of the grounds up to that time has this checksum, all changes are done. A state becomes bare.
 */
enum sciara_status sciara_problem_match_ground(struct sciara_problem *p, double time, uint64_t ground);

#endif
