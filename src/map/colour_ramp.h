// SPDX-License-Identifier: Apache-2.0
// Colours of the fields on maps.
#ifndef SCIARA_MAP_COLOUR_RAMP_H
#define SCIARA_MAP_COLOUR_RAMP_H

#include "base/text.h"

enum { SCIARA_RAMP_STOPS = 5 };

/** Colours at equal distances over the range of a field. */
struct sciara_ramp {
  bool from_zero;                      ///< the range begins at 0, not at the smallest value
  uint8_t stops[SCIARA_RAMP_STOPS][3]; ///< red, green, blue
};

/** The ramp of the field of that name, of "probability", of "difference" (0 in the middle), or of any other map; never NULL. */
const struct sciara_ramp *sciara_ramp_for(const char *field);

/** Colour at t in 0..1 (clamped) of the range. */
void sciara_ramp_colour(const struct sciara_ramp *ramp, double t, uint8_t rgb[3]);

/** Range of the values that are finite and not `nodata`; 0..1 when there are none; never empty. */
void sciara_ramp_range(const struct sciara_ramp *ramp, const double *values, int64_t count, double nodata, double *low,
                       double *high);

/** Appends a QGIS style (.qml): one band in pseudocolour. */
enum sciara_status sciara_ramp_qml(const struct sciara_ramp *ramp, double low, double high, const char *unit,
                                   struct sciara_text *out);

/** The same with one colour per class: classes end at the ascending `edges` below `high`; the last one has no end. */
enum sciara_status sciara_ramp_classes_qml(const struct sciara_ramp *ramp, const double *edges, size_t count,
                                           const char *unit, struct sciara_text *out);

#endif
