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

/** One that is made of others. */
static double made_of(const struct sciara_state *s, enum sciara_field field, int64_t i) {
  switch (field) {
    case SCIARA_FIELD_SOLID_THICKNESS: return s->z[i] - s->z0[i];
    case SCIARA_FIELD_DEPOSIT: return s->h[i] + (s->z[i] - s->z0[i]);
    case SCIARA_FIELD_SPEED: return s->h[i] > 0 ? sqrt(s->px[i] * s->px[i] + s->py[i] * s->py[i]) / s->h[i] : 0;
    case SCIARA_FIELD_MAX_THICKNESS: // not recorded
    case SCIARA_FIELD_MAX_SPEED: return 0;
    default: return SCIARA_NODATA_ALTITUDE;
  }
}

void sciara_field_derive(const struct sciara_state *s, enum sciara_field field, double *out) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  const double *array = array_of(s, field);
  if (array)
    for (int64_t i = 0; i < cells; i++) out[i] = s->kind[i] == SCIARA_CELL_NODATA ? SCIARA_NODATA_ALTITUDE : array[i];
  else
    for (int64_t i = 0; i < cells; i++)
      out[i] = s->kind[i] == SCIARA_CELL_NODATA ? SCIARA_NODATA_ALTITUDE : made_of(s, field, i);
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
