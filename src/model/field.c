// SPDX-License-Identifier: Apache-2.0
#include "model/field.h"

#include <math.h>
#include <string.h>

static const struct sciara_field_info table[SCIARA_FIELD_COUNT] = {
    [SCIARA_FIELD_THICKNESS] = {"thickness", "m", "thickness of liquid lava", NULL},
    [SCIARA_FIELD_ALTITUDE] = {"altitude", "m", "altitude of the ground, solidified lava included", "surface_altitude"},
    [SCIARA_FIELD_TEMPERATURE] = {"temperature", "K", "temperature of liquid lava", NULL},
    [SCIARA_FIELD_MOMENTUM_X] = {"momentum_x", "m2 s-1", "eastward momentum per unit area and density", NULL},
    [SCIARA_FIELD_MOMENTUM_Y] = {"momentum_y", "m2 s-1", "northward momentum per unit area and density", NULL},
    [SCIARA_FIELD_SOLID_THICKNESS] = {"solid_thickness", "m", "thickness of solidified lava", NULL},
    [SCIARA_FIELD_DEPOSIT] = {"deposit", "m", "thickness of liquid and solidified lava", NULL},
    [SCIARA_FIELD_ARRIVAL_TIME] = {"arrival_time", "s", "simulated time at which lava first arrived", NULL},
    [SCIARA_FIELD_MAX_THICKNESS] = {"max_thickness", "m", "largest thickness of liquid lava so far", NULL},
    [SCIARA_FIELD_MAX_SPEED] = {"max_speed", "m s-1", "largest speed so far", NULL},
    [SCIARA_FIELD_SPEED] = {"speed", "m s-1", "speed of liquid lava", NULL},
};

const struct sciara_field_info *sciara_field_describe(enum sciara_field field) {
  return (unsigned)field < SCIARA_FIELD_COUNT ? &table[field] : NULL;
}

const char *sciara_field_name(enum sciara_field field) {
  return (unsigned)field < SCIARA_FIELD_COUNT ? table[field].name : NULL;
}

enum sciara_field sciara_field_find(const char *name) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    if (strcmp(name, table[f].name) == 0) return (enum sciara_field)f;
  return SCIARA_FIELD_COUNT;
}

/** The array of a field that is stored as it is, else NULL. */
static const double *array_of(const struct sciara_state *s, enum sciara_field field) {
  switch (field) {
    case SCIARA_FIELD_THICKNESS: return s->h;
    case SCIARA_FIELD_ALTITUDE: return s->z;
    case SCIARA_FIELD_TEMPERATURE: return s->T;
    case SCIARA_FIELD_MOMENTUM_X: return s->px;
    case SCIARA_FIELD_MOMENTUM_Y: return s->py;
    case SCIARA_FIELD_ARRIVAL_TIME: return s->arrival;
    case SCIARA_FIELD_MAX_THICKNESS: return s->max_h;
    case SCIARA_FIELD_MAX_SPEED: return s->max_speed;
    default: return NULL;
  }
}

/** Loops without a condition but on the values: the compiler makes vector instructions of them. */
static void derive_all(const struct sciara_state *s, enum sciara_field field, int64_t first, int64_t count,
                       double *out) {
  const double *array = array_of(s, field);
  const double *z = s->z + first, *z0 = s->z0 + first, *h = s->h + first, *px = s->px + first, *py = s->py + first;
  if (array)
    memcpy(out, array + first, (size_t)count * sizeof *out);
  else if (field == SCIARA_FIELD_SOLID_THICKNESS)
    for (int64_t i = 0; i < count; i++) out[i] = z[i] - z0[i];
  else if (field == SCIARA_FIELD_DEPOSIT)
    for (int64_t i = 0; i < count; i++) out[i] = h[i] + (z[i] - z0[i]);
  else if (field == SCIARA_FIELD_SPEED)
    for (int64_t i = 0; i < count; i++) out[i] = h[i] > 0 ? sqrt(px[i] * px[i] + py[i] * py[i]) / h[i] : 0;
  else // a maximum that is not recorded
    memset(out, 0, (size_t)count * sizeof *out);
}

void sciara_field_derive_cells(const struct sciara_state *s, enum sciara_field field, int64_t first, int64_t count,
                               double *out) {
  const uint8_t *kind = s->kind + first;
  derive_all(s, field, first, count, out);
  if (!memchr(kind, SCIARA_CELL_NODATA, (size_t)count)) return;
  for (int64_t i = 0; i < count; i++)
    if (kind[i] == SCIARA_CELL_NODATA) out[i] = SCIARA_NODATA_ALTITUDE;
}

void sciara_field_derive(const struct sciara_state *s, enum sciara_field field, double *out) {
  sciara_field_derive_cells(s, field, 0, sciara_grid_cells(&s->grid), out);
}

bool sciara_field_is_empty(enum sciara_field field, double value, double thickness) {
  switch (field) {
    case SCIARA_FIELD_ALTITUDE: return false;
    case SCIARA_FIELD_ARRIVAL_TIME: return value < 0;
    case SCIARA_FIELD_MOMENTUM_X: // 0 where lava stands still
    case SCIARA_FIELD_MOMENTUM_Y:
    case SCIARA_FIELD_SPEED: return !(thickness > 0);
    default: return value == 0;
  }
}
