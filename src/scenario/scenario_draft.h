// SPDX-License-Identifier: Apache-2.0
// A scenario that a program builds (sciara.h): a tree of JSON, checked only when a simulation is made of it.
#ifndef SCIARA_SCENARIO_SCENARIO_DRAFT_H
#define SCIARA_SCENARIO_SCENARIO_DRAFT_H

#include "base/text.h"
#include "scenario/scenario.h"
#include "sciara.h"

/** As if it lay in a file; see sciara_scenario_open and its sisters. */
struct sciara_scenario {
  char *path;                         ///< "scenario" in the current folder when it was not read from a file
  void *root;                         ///< a tree of cJSON: the values as given
  struct sciara_text print;           ///< what sciara_scenario_json returned last
  struct sciara_initial_lava initial; ///< what sciara_scenario_set_initial_lava received last; owned
};

/**
 * Appends the scenario as text.
 *
 * @param dem for a scenario whose DEM has no path: the value of the key "dem" as JSON text, of which only the path is taken
 *            if the scenario has the key; NULL: none is added
 */
enum sciara_status sciara_scenario_draft_text(const struct sciara_scenario *s, const char *dem,
                                              struct sciara_text *out);

/** Whether it has the key "dem". */
bool sciara_scenario_draft_has_dem(const struct sciara_scenario *s);

/** Whether it names the file of its DEM. */
bool sciara_scenario_draft_names_dem(const struct sciara_scenario *s);

#endif
