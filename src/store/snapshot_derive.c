// SPDX-License-Identifier: Apache-2.0
// Fields that a snapshot does not hold but that follow from those it holds.
#include <string.h>

#include "base/mem.h"
#include "geometry/grid.h"
#include "model/cell.h"
#include "store/snapshot_hdf5.h"

enum { SOURCES = 3 };

/** What a field follows from; unused entries repeat the first. */
struct recipe {
  enum sciara_field field, from[SOURCES];
};

static const struct recipe recipes[] = {
    {SCIARA_FIELD_DEPOSIT, {SCIARA_FIELD_THICKNESS, SCIARA_FIELD_SOLID_THICKNESS, SCIARA_FIELD_THICKNESS}},
    {SCIARA_FIELD_SOLID_THICKNESS, {SCIARA_FIELD_DEPOSIT, SCIARA_FIELD_THICKNESS, SCIARA_FIELD_DEPOSIT}},
    {SCIARA_FIELD_SPEED, {SCIARA_FIELD_THICKNESS, SCIARA_FIELD_MOMENTUM_X, SCIARA_FIELD_MOMENTUM_Y}},
};

static const struct recipe *find_recipe(const struct sciara_snapshot *s, enum sciara_field field) {
  for (size_t k = 0; k < sizeof recipes / sizeof *recipes; k++) {
    const struct recipe *r = &recipes[k];
    bool held = r->field == field;
    for (int i = 0; i < SOURCES; i++) held = held && (s->fields >> r->from[i] & 1u);
    if (held) return r;
  }
  return NULL;
}

static double follow(enum sciara_field field, double a, double b, double c) {
  if (field == SCIARA_FIELD_DEPOSIT) return a + b;
  if (field == SCIARA_FIELD_SOLID_THICKNESS) return a - b;
  return a > 0 ? sciara_speed(a, b, c) : 0;
}

bool sciara_snapshot_has(const struct sciara_snapshot *s, enum sciara_field field) {
  return (s->fields >> field & 1u) || find_recipe(s, field);
}

enum sciara_status sciara_snapshot_obtain(struct sciara_snapshot *s, enum sciara_field field, double *out) {
  const struct recipe *r = s->fields >> field & 1u ? NULL : find_recipe(s, field);
  if (!r) return sciara_snapshot_read(s, field, out);
  const int64_t cells = sciara_grid_cells(&s->grid);
  double *from[SOURCES] = {NULL};
  enum sciara_status status;
  for (int i = 0; i < SOURCES; i++) {
    SCIARA_TRY_GOTO(SCIARA_NEW(from[i], cells, "a field to derive another from"));
    SCIARA_TRY_GOTO(sciara_snapshot_read(s, r->from[i], from[i]));
  }
  for (int64_t i = 0; i < cells; i++)
    out[i] = from[0][i] == SCIARA_NODATA_ALTITUDE ? SCIARA_NODATA_ALTITUDE
                                                  : follow(field, from[0][i], from[1][i], from[2][i]);
cleanup:
  for (int i = 0; i < SOURCES; i++) sciara_free(from[i]);
  return status;
}
