// SPDX-License-Identifier: Apache-2.0
// Where the lava is: totals formed on the host, row-major, so that they are the same whatever the engine.
#ifndef SCIARA_MODEL_LEDGER_H
#define SCIARA_MODEL_LEDGER_H

#include "model/touched.h"
#include "model/vents.h"

SCIARA_BEGIN_DECLS

/** What rounding may do to the volume of lava: docs/numerics.md, "Mass balance". */
struct sciara_rounding {
  double epsilon;  ///< DBL_EPSILON or FLT_EPSILON, of the rule
  double per_step; ///< roundings of half an epsilon of all lava that a step may add up to; 0: the usual bound alone
};

/** The usual bound, of a run whose roundings cancel: what tests hold engines to. */
static inline struct sciara_rounding sciara_rounding_usual(double epsilon) {
  const struct sciara_rounding rounding = {epsilon, 0};
  return rounding;
}

/** The bound that no run with these vents exceeds. */
enum sciara_status sciara_rounding_of(const struct sciara_vents *vents, double epsilon, struct sciara_rounding *out);

/** Forms the ledger of a state. */
void sciara_ledger_form(const struct sciara_state *s, struct sciara_rounding rounding, struct sciara_ledger *out);

/** The same, given where lava has been: it costs what the lava covers, not what the map does. */
void sciara_ledger_form_over(const struct sciara_state *s, const struct sciara_touched *touched,
                             struct sciara_rounding rounding, struct sciara_ledger *out);

/** Whether |residual| <= bound. */
bool sciara_ledger_closes(const struct sciara_ledger *l);

/** |residual| over the lava given so far; 0 as long as there is none. */
double sciara_ledger_drift(const struct sciara_ledger *l);

SCIARA_END_DECLS
#endif
