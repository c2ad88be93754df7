// SPDX-License-Identifier: Apache-2.0
// The golden cases of tests/golden: exact output of an independent implementation (tests/golden/README.md).
#ifndef SCIARA_TESTS_GOLDEN_H
#define SCIARA_TESTS_GOLDEN_H

#include "support/conformance.h"

/** Loads the case of a rule; ends the program with a message if a file is missing or malformed. */
void golden_load(const char *name, enum sciara_rule_kind rule, unsigned record, struct scene *out);

/** Reads NAME_STEPS_what.f64; *count is the number of doubles. The result is from malloc. */
double *golden_read(const char *name, enum sciara_rule_kind rule, int steps, const char *what, size_t *count);

#endif
