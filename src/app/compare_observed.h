// SPDX-License-Identifier: Apache-2.0
// sciara compare RUN --observed FILE.
#ifndef SCIARA_APP_COMPARE_OBSERVED_H
#define SCIARA_APP_COMPARE_OBSERVED_H

#include "app/command.h"
#include "base/status.h"

/** Compares the run or snapshot operand[0] with what was observed; prints scores, or JSON. */
enum sciara_status sciara_compare_observed(const struct sciara_arguments *arguments);

#endif
