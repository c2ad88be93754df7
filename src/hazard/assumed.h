// SPDX-License-Identifier: Apache-2.0
// What an ensemble assumes, in words: eruptions, vents, rates, what varies, the ground, and what was observed.
#ifndef SCIARA_HAZARD_ASSUMED_H
#define SCIARA_HAZARD_ASSUMED_H

#include "base/date.h"
#include "hazard/reduction.h"

/** Appends a line, which maps and pages show. */
enum sciara_status sciara_hazard_assumed(const struct sciara_reduction *r, enum sciara_language language,
                                         struct sciara_text *out);

/** The date at which its members start; "" if the base has no run.start. */
void sciara_hazard_start(const struct sciara_reduction *r, char date[SCIARA_DATE_SIZE]);

#endif
