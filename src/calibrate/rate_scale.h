// SPDX-License-Identifier: Apache-2.0
// "rate_scale" among changed keys: a factor of all effusion rates, which becomes the effusion of every vent.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_RATE_SCALE_H
#define SCIARA_CALIBRATE_RATE_SCALE_H

#include "scenario/scenario.h"

#define SCIARA_RATE_SCALE "rate_scale"
#define SCIARA_RATE_SCALE_MAX 1e6

/** Keys and values as overrides of a scenario take them. Zero-initialise; release with sciara_key_set_free. */
struct sciara_key_set {
  char **key, **value;
  size_t count;
};

/**
 * Copies keys and values; in place of "rate_scale" come "vents.N.start" and "vents.N.effusion" of each vent.
 *
 * @param scenario without the changes: the rates that are scaled
 * @return SCIARA_ERR_INPUT: the scale is no number in its range, or another key changes rates too
 */
enum sciara_status sciara_key_set_make(const char *const *key, const char *const *value, size_t count,
                                       const struct sciara_scenario_spec *scenario, struct sciara_key_set *out);
void sciara_key_set_free(struct sciara_key_set *s);

#endif
