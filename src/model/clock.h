// SPDX-License-Identifier: Apache-2.0
// The clock of a step.
#ifndef SCIARA_MODEL_CLOCK_H
#define SCIARA_MODEL_CLOCK_H

#include "base/portable.h"
#include "model/rule.h"

/** The clock of a step in which `t_opt` is the smallest time of all cells, s: r t_opt. */
SCIARA_HD real sciara_clock(const struct sciara_rule *rule, real t_opt) { return rule->relaxation * t_opt; }

#endif
