// SPDX-License-Identifier: Apache-2.0
// The mass balance: totals formed on the host in row-major order, so that they do not depend on the engine.
#ifndef SCIARA_MODEL_LEDGER_H
#define SCIARA_MODEL_LEDGER_H

#include "model/state.h"
#include "model/vents.h"

/** The effect that rounding may have on the volume of lava: docs/numerics.md, "Mass balance". */
struct sciara_rounding {
  double epsilon;  ///< of the rule: DBL_EPSILON or FLT_EPSILON
  double per_step; ///< largest rounding error of a step, in half epsilons of all lava; 0: only the usual bound
};

/** The usual bound, for runs in which most rounding errors cancel. Tests apply it to engines. */
static inline struct sciara_rounding sciara_rounding_usual(double epsilon) {
  const struct sciara_rounding rounding = {epsilon, 0};
  return rounding;
}

/** The bound that no run with these vents exceeds. */
enum sciara_status sciara_rounding_of(const struct sciara_vents *vents, double epsilon, struct sciara_rounding *out);

/** The volume that lies somewhere: initial and emitted lava, and what a correction added and removed, m3. */
static inline double sciara_ledger_given(const struct sciara_ledger *l) {
  return (l->initial_m3 + l->emitted_m3) + (l->added_m3 - l->removed_m3);
}

/** Forms the ledger of a state. */
void sciara_ledger_form(const struct sciara_state *s, struct sciara_rounding rounding, struct sciara_ledger *out);

/** sciara_ledger_form, given where lava has been: the cost depends on the area of the lava, not on that of the map. */
void sciara_ledger_form_over(const struct sciara_state *s, const struct sciara_touched *touched,
                             struct sciara_rounding rounding, struct sciara_ledger *out);

/**
 * When lava first left through cells of a kind, RIM or SEA: simulated time, s; NAN: it has not.
 *
 * @param cell receives the index of the first of these cells, if there is one; may be NULL
 */
double sciara_lost_from(const struct sciara_state *s, enum sciara_cell_kind kind, int64_t *cell);

/** Whether |residual| <= bound. */
bool sciara_ledger_closes(const struct sciara_ledger *l);

/** |residual| divided by the volume of lava so far, sciara_ledger_given; 0 as long as there is none. */
double sciara_ledger_drift(const struct sciara_ledger *l);

#endif
