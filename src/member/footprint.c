// SPDX-License-Identifier: Apache-2.0
#include "member/footprint.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

_Static_assert(sizeof((struct sciara_footprint){0}.value) == SCIARA_FOOTPRINT_VALUES * sizeof(float *),
               "one array each");

enum { DAMAGED, UNKNOWN };
enum { LEAST, MOST };

const struct sciara_footprint_value_info sciara_footprint_values[SCIARA_FOOTPRINT_VALUES] = {
#define SCIARA_FOOTPRINT_VALUE(name, NAME, unit, FILL, RECORD, PLACE, value, meaning) \
  {#name, unit, meaning, (FILL) == UNKNOWN, (PLACE) == MOST},
#include "member/footprint.def"
};

enum sciara_status sciara_footprint_make_cells(struct sciara_footprint *f, int64_t count) {
  SCIARA_TRY(SCIARA_NEW(f->cell, count, "the cells of a member"));
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    SCIARA_TRY(SCIARA_NEW(f->value[v], count, "the values of the cells of a member"));
    for (int64_t i = 0; i < count && sciara_footprint_values[v].unknown; i++) f->value[v][i] = NAN;
  }
  return SCIARA_OK;
}

void sciara_footprint_free_cells(struct sciara_footprint *f) {
  sciara_free(f->cell);
  f->cell = NULL;
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    sciara_free(f->value[v]);
    f->value[v] = NULL;
  }
}

void sciara_footprint_free(struct sciara_footprint *f) {
  sciara_footprint_free_cells(f);
  free(f->error);
  free(f->warnings);
  *f = (struct sciara_footprint){0};
}
