// SPDX-License-Identifier: Apache-2.0
// What run.json and dem.tif say of a ground: that its small cells were made of much larger ones, and its window.
#ifndef SCIARA_RUN_GROUND_FACTS_H
#define SCIARA_RUN_GROUND_FACTS_H

#include "map/map_facts.h"
#include "sim/problem.h"
#include "store/run_json.h"

/** Adds the warning about its cells to run.json, unless it has it or the ground needs none. */
enum sciara_status sciara_ground_warn(const struct sciara_problem *problem, struct sciara_run_json *run_json);

/** Adds what dem.tif tells its readers. */
enum sciara_status sciara_ground_facts(const struct sciara_site *site, struct sciara_map_facts *facts);

#endif
