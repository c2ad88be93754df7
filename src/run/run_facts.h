// SPDX-License-Identifier: Apache-2.0
// What the maps of a run say of themselves, and what they assume, in words.
#ifndef SCIARA_RUN_RUN_FACTS_H
#define SCIARA_RUN_RUN_FACTS_H

#include "map/map_facts.h"
#include "map/words.h"
#include "scenario/scenario.h"
#include "store/run_json.h"

/** The moment that a map shows. Texts may be NULL. */
struct sciara_run_moment {
  const char *title, *start; ///< of the run
  const char *source;        ///< the program that computed it; NULL: this one
  double time_s;
  uint64_t step;
};

/**
 * Title, Software, Field, Unit, Start, Date (that of the map), SimulatedTime_s, Step, and, if the scenario is known,
 * Rule and Parameters of the model as "key=value key=value".
 *
 * @param scenario may be NULL
 */
enum sciara_status sciara_run_facts_make(const struct sciara_run_moment *moment,
                                         const struct sciara_scenario_spec *scenario, enum sciara_field field,
                                         struct sciara_map_facts *out);

/**
 * Appends what the maps assume, two or three lines: effusion, ground, rule and parameters, start; and one for each edit of the
 * ground.
 *
 * @param run its emission, and what became of its barriers. NULL, or an emission that is not known: that of the
 *            scenario, if it has all rates itself
 */
enum sciara_status sciara_run_assumed(const struct sciara_scenario_spec *scenario, const struct sciara_run_json *run,
                                      const struct sciara_grid *grid, enum sciara_language language,
                                      struct sciara_text *out);

#endif
