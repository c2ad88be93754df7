// SPDX-License-Identifier: Apache-2.0
// Names, units and meanings of the fields: one table for snapshots, maps, scenario keys and help.
#ifndef SCIARA_MODEL_FIELD_H
#define SCIARA_MODEL_FIELD_H

#include "model/state.h"

/** What a field measures; fields of one quantity share colours and the range of a style. */
enum sciara_quantity {
  SCIARA_QUANTITY_THICKNESS, ///< of lava, m
  SCIARA_QUANTITY_ALTITUDE,
  SCIARA_QUANTITY_TEMPERATURE,
  SCIARA_QUANTITY_MOMENTUM,
  SCIARA_QUANTITY_TIME,
  SCIARA_QUANTITY_SPEED,
  SCIARA_QUANTITY_COUNT
};

struct sciara_field_info {
  const char *name;          ///< "thickness"
  const char *unit;          ///< as CF requires it: "m", "K", "m s-1"
  const char *long_name;     ///< for people
  const char *standard_name; ///< CF standard name, or NULL
  enum sciara_quantity quantity;
};

/** The table entry of a field; NULL if the number is not that of a field. */
const struct sciara_field_info *sciara_field_describe(enum sciara_field field);

/** The field of that name, or SCIARA_FIELD_COUNT. */
enum sciara_field sciara_field_find(const char *name);

/** Liquid and solidified lava, m. */
static inline double sciara_deposit(double h, double z, double z0) { return h + (z - z0); }

/** The array of a field that the state stores; NULL for a derived field, and for one that is not recorded. */
const double *sciara_field_array(const struct sciara_state *s, enum sciara_field field);

/** The bit of enum sciara_record of a field that is recorded on request; 0 for the others. */
unsigned sciara_field_record(enum sciara_field field);

/**
 * Derives a field of a state into out[rows*cols]. It is SCIARA_NODATA_ALTITUDE outside the DEM; so is the arrival time
 * in cells that lava never reached. A maximum that was not recorded is 0.
 */
void sciara_field_derive(const struct sciara_state *s, enum sciara_field field, double *out);

/** sciara_field_derive for `count` cells, beginning with cell `first`, into out[count]. */
void sciara_field_derive_cells(const struct sciara_state *s, enum sciara_field field, int64_t first, int64_t count,
                               double *out);

/** Whether a map of the field has nothing to show in a cell with this value and this liquid thickness. */
bool sciara_field_is_empty(enum sciara_field field, double value, double thickness);

#endif
