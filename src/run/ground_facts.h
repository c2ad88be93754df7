// SPDX-License-Identifier: Apache-2.0
// A ground of small cells that were made of much larger ones: what run.json and dem.tif say of it.
#ifndef SCIARA_RUN_GROUND_FACTS_H
#define SCIARA_RUN_GROUND_FACTS_H

#include "map/map_facts.h"
#include "sim/problem.h"
#include "store/run_json.h"

/** Adds the warning to run.json, unless it has it or the ground needs none. */
enum sciara_status sciara_ground_warn(const struct sciara_problem *problem, struct sciara_run_json *run_json);

/** Adds what dem.tif tells its readers; nothing for any other ground. */
enum sciara_status sciara_ground_facts(const struct sciara_site *site, struct sciara_map_facts *facts);

#endif
