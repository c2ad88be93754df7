// SPDX-License-Identifier: Apache-2.0
// The fields of a state that a run may change, in the order of src/model/fields.def: those of the checksum, then the
// recorded ones.
#ifndef SCIARA_TESTS_EVERY_FIELD_H
#define SCIARA_TESTS_EVERY_FIELD_H

#include "model/state.h"

enum {
#define SCIARA_REAL_FIELD(member) +1
#define SCIARA_DOUBLE_FIELD(member) +1
  SUMMED_FIELDS = 0
#include "model/fields.def"
  ,
  EVERY_FIELD = SUMMED_FIELDS + (int)SCIARA_RECORDED_FIELDS
};

/** The k-th of them; NULL if it is not recorded. */
static inline double *every_field(const struct sciara_state *s, int k) {
#define SCIARA_REAL_FIELD(member) s->member,
#define SCIARA_DOUBLE_FIELD(member) s->member,
#define SCIARA_RECORDED_FIELD(member, NAME, ...) s->member,
  double *const all[EVERY_FIELD] = {
#include "model/fields.def"
  };
  return all[k];
}

static inline const char *every_field_name(int k) {
#define SCIARA_REAL_FIELD(member) #member,
#define SCIARA_DOUBLE_FIELD(member) #member,
#define SCIARA_RECORDED_FIELD(member, NAME, ...) #member,
  static const char *const all[EVERY_FIELD] = {
#include "model/fields.def"
  };
  return all[k];
}

#endif
