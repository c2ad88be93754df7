// SPDX-License-Identifier: Apache-2.0
// What an ensemble assumes, in words: eruptions, vents, rates, what varies, the ground, and what was observed.
#ifndef SCIARA_HAZARD_ASSUMED_H
#define SCIARA_HAZARD_ASSUMED_H

#include "hazard/reduction.h"

/** Appends a line, which maps and pages show. */
enum sciara_status sciara_hazard_assumed(const struct sciara_reduction *r, enum sciara_language language,
                                         struct sciara_text *out);

#endif
