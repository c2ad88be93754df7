// SPDX-License-Identifier: Apache-2.0
#include "model/field.h"

#include <string.h>

#include "model/cell.h"

static const struct sciara_field_info table[SCIARA_FIELD_COUNT] = {
#define SCIARA_OUTPUT_FIELD(NAME, member, QUANTITY, name_, unit_, long_name_, standard_name_) \
  [SCIARA_FIELD_##NAME] = {.name = name_,                                                     \
                           .unit = unit_,                                                     \
                           .long_name = long_name_,                                           \
                           .standard_name = standard_name_,                                   \
                           .quantity = SCIARA_QUANTITY_##QUANTITY},
#include "model/fields.def"
};

enum {
#define SCIARA_OUTPUT_FIELD(NAME, ...) +1
  ROWS = 0
#include "model/fields.def"
};
_Static_assert((int)ROWS == (int)SCIARA_FIELD_COUNT, "fields.def has a row for each field of sciara.h");

const struct sciara_field_info *sciara_field_describe(enum sciara_field field) {
  return (unsigned)field < SCIARA_FIELD_COUNT ? &table[field] : NULL;
}

const char *sciara_field_name(enum sciara_field field) {
  return (unsigned)field < SCIARA_FIELD_COUNT ? table[field].name : NULL;
}

const char *sciara_field_unit(enum sciara_field field) {
  const struct sciara_field_info *info = sciara_field_describe(field);
  return info ? info->unit : NULL;
}

const char *sciara_field_description(enum sciara_field field) {
  const struct sciara_field_info *info = sciara_field_describe(field);
  return info ? info->long_name : NULL;
}

enum sciara_field sciara_field_find(const char *name) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    if (strcmp(name, table[f].name) == 0) return (enum sciara_field)f;
  return SCIARA_FIELD_COUNT;
}

const double *sciara_field_array(const struct sciara_state *s, enum sciara_field field) {
  const struct { // a derived field is not a member of the state
    const double *NONE;
#define SCIARA_REAL_FIELD(member) const double *member;
#define SCIARA_DOUBLE_FIELD(member) const double *member;
#define SCIARA_RECORDED_FIELD(member, NAME, ...) const double *member;
#include "model/fields.def"
  } stored = {
#define SCIARA_REAL_FIELD(member_) .member_ = s->member_,
#define SCIARA_DOUBLE_FIELD(member_) .member_ = s->member_,
#define SCIARA_RECORDED_FIELD(member_, NAME, ...) .member_ = s->member_,
#include "model/fields.def"
  };
  const double *const array[SCIARA_FIELD_COUNT] = {
#define SCIARA_OUTPUT_FIELD(NAME, member, ...) [SCIARA_FIELD_##NAME] = stored.member,
#include "model/fields.def"
  };
  return array[field];
}

unsigned sciara_field_record(enum sciara_field field) {
  static const unsigned record[SCIARA_FIELD_COUNT] = {
#define SCIARA_RECORDED_FIELD(member, NAME, ...) [SCIARA_FIELD_##NAME] = SCIARA_RECORD_##NAME,
#include "model/fields.def"
  };
  return record[field];
}

/** The loops have conditions on values only, so that the compiler can use vector instructions. */
static void derive_all(const struct sciara_state *s, enum sciara_field field, int64_t first, int64_t count,
                       double *out) {
  const double *array = sciara_field_array(s, field);
  const double *z = s->z + first, *z0 = s->z0 + first, *h = s->h + first, *px = s->px + first, *py = s->py + first;
  if (array)
    memcpy(out, array + first, (size_t)count * sizeof *out);
  else if (field == SCIARA_FIELD_SOLID_THICKNESS)
    for (int64_t i = 0; i < count; i++) out[i] = z[i] - z0[i];
  else if (field == SCIARA_FIELD_DEPOSIT)
    for (int64_t i = 0; i < count; i++) out[i] = sciara_deposit(h[i], z[i], z0[i]);
  else if (field == SCIARA_FIELD_SPEED)
    for (int64_t i = 0; i < count; i++) out[i] = h[i] > 0 ? sciara_speed(h[i], px[i], py[i]) : 0;
  else // a maximum that is not recorded
    memset(out, 0, (size_t)count * sizeof *out);
}

void sciara_field_derive_cells(const struct sciara_state *s, enum sciara_field field, int64_t first, int64_t count,
                               double *out) {
  const uint8_t *kind = s->kind + first;
  derive_all(s, field, first, count, out);
  if (field == SCIARA_FIELD_ARRIVAL_TIME) // a state marks such cells with SCIARA_NEVER, which its checksum includes
    for (int64_t i = 0; i < count; i++) out[i] = out[i] == SCIARA_NEVER ? SCIARA_NODATA_ALTITUDE : out[i];
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
    case SCIARA_FIELD_MOMENTUM_X: // 0 where lava does not move
    case SCIARA_FIELD_MOMENTUM_Y:
    case SCIARA_FIELD_SPEED: return !(thickness > 0);
    default: return value == 0;
  }
}
