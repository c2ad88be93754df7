// SPDX-License-Identifier: Apache-2.0
// Which keys of the base scenario a member may set: those that leave the site and the way of computing as they are.
#ifndef SCIARA_ENSEMBLE_MEMBER_KEYS_H
#define SCIARA_ENSEMBLE_MEMBER_KEYS_H

#include "scenario/scenario_keys.h"

/**
 * The entry of the table of scenario keys for a key as an override names it: "vents.0.x" or "vents[0].x" is that of
 * "vents[].x". SCIARA_ERR_INPUT, with the closest name, if there is none, or if a member must not set it: keys of the
 * site ("dem.path") and of the output, the engine or the boundary. The message has no context.
 *
 * @param entry may be NULL
 */
enum sciara_status sciara_member_key_check(const char *key, const struct sciara_scenario_key **entry);

/** The text in which all names of a value are the same: "vents.0.x" of "vents[00].x"; false if it is too long. */
bool sciara_member_key_plain(const char *key, char *out, size_t capacity);

/** Whether two keys name the same value: "vents.0.x" and "vents[0].x" do. */
bool sciara_member_key_same(const char *a, const char *b);

#endif
