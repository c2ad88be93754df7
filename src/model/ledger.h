// SPDX-License-Identifier: Apache-2.0
// Where the lava is: totals formed on the host, row-major, so that they are the same whatever the engine.
#ifndef SCIARA_MODEL_LEDGER_H
#define SCIARA_MODEL_LEDGER_H

#include "model/touched.h"

SCIARA_BEGIN_DECLS

/** Forms the ledger of a state. `precision_epsilon` is DBL_EPSILON or FLT_EPSILON, of the rule that made it. */
void sciara_ledger_form(const struct sciara_state *s, double precision_epsilon, struct sciara_ledger *out);

/** The same, given where lava has been: it costs what the lava covers, not what the map does. */
void sciara_ledger_form_over(const struct sciara_state *s, const struct sciara_touched *touched,
                             double precision_epsilon, struct sciara_ledger *out);

/** Whether |residual| <= bound. */
bool sciara_ledger_closes(const struct sciara_ledger *l);

SCIARA_END_DECLS
#endif
