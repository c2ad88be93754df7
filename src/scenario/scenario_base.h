// SPDX-License-Identifier: Apache-2.0
// A base scenario, parsed once, and members that change some of its keys. A member costs what it changes.
#ifndef SCIARA_SCENARIO_SCENARIO_BASE_H
#define SCIARA_SCENARIO_SCENARIO_BASE_H

#include "file/json_strict.h"
#include "scenario/scenario.h"

/** Constant until it is freed; members of it may be read in several threads. */
struct sciara_scenario_base;

/**
 * Takes over the tree of a scenario, also on failure. The options of the engines must have been declared. A base that is
 * no valid scenario by itself is none of the errors: its members may be valid.
 */
enum sciara_status sciara_scenario_base_make(cJSON *tree, struct sciara_scenario_base **out);
void sciara_scenario_base_free(struct sciara_scenario_base *b);

/** Its own values, as of sciara_scenario_parse alone. */
const struct sciara_scenario_spec *sciara_scenario_base_values(const struct sciara_scenario_base *b);

/** A scenario that differs from its base in some keys. */
struct sciara_scenario_member {
  const struct sciara_scenario_base *base;
  const char *name;         ///< in messages, in place of a file
  const char *const *key;   ///< "vents.0.x"
  const char *const *value; ///< of each key, as of an override; "": that of the base
  size_t key_count;
};

/**
 * The values of a member, and all its problems: equal to those that sciara_scenario_parse, or with `alone`
 * sciara_scenario_parse alone, finds in the text of the member. out->json is NULL; `notes` become out->notes.
 * Release `out` in any case.
 */
void sciara_scenario_member_read(const struct sciara_scenario_member *m, bool alone, const struct sciara_notes *notes,
                                 struct sciara_scenario_spec *out, struct sciara_diagnostics *diagnostics);

/** sciara_scenario_member_read; the first problem alone. */
enum sciara_status sciara_scenario_member_values(const struct sciara_scenario_member *m, bool alone,
                                                 const struct sciara_notes *notes, struct sciara_scenario_spec *out);

/** Appends the text of a member. */
enum sciara_status sciara_scenario_member_print(const struct sciara_scenario_member *m, struct sciara_text *out);

#endif
