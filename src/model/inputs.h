// SPDX-License-Identifier: Apache-2.0
// What a simulation reads, a hash for each part: the one list that is kept with results which may be continued, and that
// every command which continues them compares.
#ifndef SCIARA_MODEL_INPUTS_H
#define SCIARA_MODEL_INPUTS_H

#include "model/site.h"
#include "model/vents.h"

enum sciara_input {
  SCIARA_INPUT_GROUND, ///< sciara_site_checksum: altitudes
  SCIARA_INPUT_CELLS,  ///< of land, sea and NODATA
  SCIARA_INPUT_EDITS,  ///< sciara_ground_changes_hash; 0: there are none
  SCIARA_INPUT_VENTS,  ///< sciara_vents_hash
  SCIARA_INPUT_LAVA,   ///< of a calibration alone: sciara_state_checksum of the initial lava; 0: there is none
  SCIARA_INPUTS
};

struct sciara_inputs {
  uint64_t hash[SCIARA_INPUTS];
};

struct sciara_input_info {
  const char *name; ///< in a record
  const char *key;  ///< of a scenario
  const char *what; ///< for messages
};

/** The parts, in the order in which differences are reported. */
extern const struct sciara_input_info sciara_input_table[SCIARA_INPUTS];

/** All but the lava. @param ground its checksum */
struct sciara_inputs sciara_inputs_of(const struct sciara_site *site, uint64_t ground,
                                      const struct sciara_vents *vents);

#endif
