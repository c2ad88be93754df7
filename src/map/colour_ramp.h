// SPDX-License-Identifier: Apache-2.0
// Colours of maps: those of the fields, and the light on the ground under them.
#ifndef SCIARA_MAP_COLOUR_RAMP_H
#define SCIARA_MAP_COLOUR_RAMP_H

#include "base/text.h"

struct sciara_grid;

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

/** A style with one colour per class: classes end at the ascending `edges` below `high`; the last one has no end. */
enum sciara_status sciara_ramp_classes_qml(const struct sciara_ramp *ramp, const double *edges, size_t count,
                                           const char *unit, struct sciara_text *out);

// ---------------------------------------------------------------------- the shaded ground under maps that are pictures

/**
 * Light of a sun in the north-west (azimuth 315), 45 degrees high, on the slope of Horn (1981) in a cell: 0..1.
 *
 * @param z altitudes, rows x cols; SCIARA_NODATA_ALTITUDE where there is none, which the cell itself must not be
 */
double sciara_hillshade(const struct sciara_grid *g, const double *z, int64_t r, int64_t c);

#endif
