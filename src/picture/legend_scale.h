// SPDX-License-Identifier: Apache-2.0
// Round numbers for the legend and the scale bar of a picture.
// Included by this room alone.
#ifndef SCIARA_PICTURE_LEGEND_SCALE_H
#define SCIARA_PICTURE_LEGEND_SCALE_H

/** A range whose ends and ticks are round numbers in a unit for people. */
struct sciara_legend_scale {
  double low, step; ///< in `unit`
  int steps;        ///< high = low + steps x step
  double factor;    ///< one `unit` in the unit of the values: 3600 for hours of values in seconds
  const char *unit; ///< "m/s"
};

/** The smallest of 1, 2, 5 x 10^n of which at most `most` fit into `span` (> 0, finite). */
double sciara_round_step(double span, int most);

/** The scale of at most `most` + 2 steps that covers low..high of values in `unit` ("m", "s", "m s-1"). */
struct sciara_legend_scale sciara_legend_scale(double low, double high, const char *unit, int most);

/** The ends of the range in the unit of the values. */
static inline double sciara_legend_low(const struct sciara_legend_scale *s) { return s->low * s->factor; }
static inline double sciara_legend_high(const struct sciara_legend_scale *s) {
  return (s->low + s->steps * s->step) * s->factor;
}

#endif
