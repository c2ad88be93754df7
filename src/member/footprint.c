// SPDX-License-Identifier: Apache-2.0
#include "member/footprint.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/field.h"

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

enum sciara_status sciara_footprint_take_cells(struct sciara_footprint *f, const struct sciara_state *s,
                                               const struct sciara_window *window, int64_t map_cols, double time_zero) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  for (int64_t i = 0; i < cells; i++) f->count += s->arrival[i] >= 0;
  SCIARA_TRY(sciara_footprint_make_cells(f, f->count));
  int64_t n = 0;
  for (int64_t r = 0; r < s->grid.rows; r++)
    for (int64_t c = 0; c < s->grid.cols; c++) {
      const int64_t i = r * s->grid.cols + c;
      if (!(s->arrival[i] >= 0)) continue;
      f->cell[n] = (window->row + r) * map_cols + window->col + c;
#define SCIARA_FOOTPRINT_VALUE(name, NAME, unit, FILL, RECORD, PLACE, value, meaning) f->name[n] = (float)(value);
#include "member/footprint.def"
      n++;
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
