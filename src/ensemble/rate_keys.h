// SPDX-License-Identifier: Apache-2.0
// "rate_scale" and "rate_shape" among changed keys of a scenario: they become the effusion of every vent.
#ifndef SCIARA_ENSEMBLE_RATE_KEYS_H
#define SCIARA_ENSEMBLE_RATE_KEYS_H

#include "scenario/scenario.h"

struct sciara_scenario_key;

#define SCIARA_RATE_SCALE "rate_scale" ///< a factor of all effusion rates
/**
 * g, by which the rates of each vent change with time at the same volume: at the share x of the time between its first and
 * its last lava, 0 to 1, the rate is multiplied by c g^x, with x in the middle of the interval of the rate, and c such
 * that the volume stays.
 */
#define SCIARA_RATE_SHAPE "rate_shape"

/** The range of "rate_scale" or "rate_shape"; NULL: `key` is neither. */
const struct sciara_scenario_key *sciara_rate_key(const char *key);

/** Keys and values as overrides of a scenario take them. Zero-initialise; release with sciara_key_set_free. */
struct sciara_key_set {
  char **key, **value;
  size_t count;
};

/**
 * Copies keys and values; in place of "rate_scale" and "rate_shape" come "vents.N.start" and "vents.N.effusion" of each vent.
 *
 * @param scenario without the changes: it has the rates; NULL: "rate_scale" and "rate_shape" are left out
 * @return SCIARA_ERR_INPUT: a value is no number in its range, no vent has rates of which "rate_shape" could change the
 *         shape, or another key changes rates too
 */
enum sciara_status sciara_key_set_make(const char *const *key, const char *const *value, size_t count,
                                       const struct sciara_scenario_spec *scenario, struct sciara_key_set *out);
void sciara_key_set_free(struct sciara_key_set *s);

/** Whether a key is one of the rates of vents, or holds them. @param whole set to whether it has all of a vent */
bool sciara_key_has_rates(const char *key, bool *whole);

#endif
