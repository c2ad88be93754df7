// SPDX-License-Identifier: Apache-2.0
// Faults that a test build (SCIARA_PLANT_FAULTS) plants in engine `checked`, to test that each of them is found and
// named. In every other build there are none.
// Included by this room alone.
#ifndef SCIARA_ENGINE_PLANTED_FAULTS_H
#define SCIARA_ENGINE_PLANTED_FAULTS_H

#include "model/pass.h"

enum sciara_fault {
  SCIARA_FAULT_NONE,
  SCIARA_FAULT_CLOCK,     ///< the minimum omits the cells that determine it
  SCIARA_FAULT_UNWRITTEN, ///< a cell's evaluation is not stored
  SCIARA_FAULT_OUTFLOW,   ///< more leaves than there is
  SCIARA_FAULT_MASS,      ///< the inflow from the northern neighbour is omitted
  SCIARA_FAULT_HEAT,      ///< heat counted twice
  SCIARA_FAULT_DRY,       ///< momentum remains in a cell whose lava solidified
  SCIARA_FAULT_GUARD,     ///< a write beyond the grid
  SCIARA_FAULT_RIM,       ///< lava stays on the rim
  SCIARA_FAULT_ALTITUDE,  ///< the ground rises under liquid lava
  SCIARA_FAULT_ARRIVAL,   ///< the arrival time is written twice
  SCIARA_FAULT_MAXIMUM,   ///< a maximum decreases
  SCIARA_FAULT_EMISSION,  ///< a little more lava appears than was emitted
  SCIARA_FAULT_RESIDUAL,  ///< the residual is a little too large
  SCIARA_FAULT_ROCK,      ///< lava solidifies without raising the ground
  SCIARA_FAULT_LOST,      ///< a little more is lost than has left
  SCIARA_FAULT_LEDGER,    ///< a cell loses a little lava at the end of a step
  SCIARA_FAULT_COUNT
};

#ifdef SCIARA_PLANT_FAULTS
extern enum sciara_fault sciara_planted_fault;
#define SCIARA_PLANTED(fault) (sciara_planted_fault == (fault))

static inline void sciara_plant_faults(const struct sciara_fields *f, int64_t i, enum sciara_outcome outcome) {
  if (SCIARA_PLANTED(SCIARA_FAULT_DRY) && outcome == SCIARA_OUTCOME_ROCK) f->px[i] = 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_GUARD) && outcome == SCIARA_OUTCOME_LIQUID) f->T[0] = 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_RIM) && f->kind[i] == SCIARA_CELL_RIM) f->h[i] = 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_ALTITUDE) && outcome == SCIARA_OUTCOME_LIQUID) f->z[i] = f->z[i] + 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_ARRIVAL) && outcome == SCIARA_OUTCOME_LIQUID) f->arrival[i] = f->arrival[i] + 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_LEDGER) && outcome == SCIARA_OUTCOME_LIQUID)
    f->h[i] *= 1 - 64 * (real)SCIARA_REAL_EPSILON;
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (SCIARA_PLANTED(SCIARA_FAULT_MAXIMUM) && outcome == SCIARA_OUTCOME_LIQUID && f->member) f->member[i] = 0;
#include "model/fields.def"
}
#else
#define SCIARA_PLANTED(fault) 0
static inline void sciara_plant_faults(const struct sciara_fields *f, int64_t i, enum sciara_outcome outcome) {
  (void)f;
  (void)i;
  (void)outcome;
}
#endif

#endif
