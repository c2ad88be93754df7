// SPDX-License-Identifier: Apache-2.0
// What an ensemble assumes, in words: eruptions, vents, rates, what varies, the ground, and what was observed.
#ifndef SCIARA_HAZARD_ASSUMED_H
#define SCIARA_HAZARD_ASSUMED_H

#include "hazard/reduction.h"

/** Appends a line, which maps and pages show. */
enum sciara_status sciara_hazard_assumed(const struct sciara_reduction *r, enum sciara_language language,
                                         struct sciara_text *out);

/** What every number is conditional on. */
enum sciara_word sciara_hazard_condition(const struct sciara_reduction *r);

/** Appends the title: that of the ensemble, of a forecast else that of its base; with its edits of the ground. */
enum sciara_status sciara_hazard_title(const struct sciara_reduction *r, enum sciara_language language,
                                       struct sciara_text *out);

#endif
