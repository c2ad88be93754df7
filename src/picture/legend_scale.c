// SPDX-License-Identifier: Apache-2.0
#include "picture/legend_scale.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

double sciara_round_step(double span, int most) {
  double power = pow(10, floor(log10(span / most)) - 1); // at least one power too small
  while (power > 0 && isfinite(power)) {
    static const double leads[] = {1, 2, 5};
    for (int k = 0; k < 3; k++)
      if (span <= leads[k] * power * most * (1 + 1e-9)) return leads[k] * power;
    power *= 10;
  }
  return 1; // of a span that is none
}

/** The smallest of a list of which at most `most` fit; beyond the list 1, 2, 5 x 10^n of its last. */
static double listed_step(double span, int most, const double *list, int count) {
  for (int k = 0; k < count; k++)
    if (span <= list[k] * most * (1 + 1e-9)) return list[k];
  return list[count - 1] * sciara_round_step(span / list[count - 1], most);
}

static double time_step(double span, int most, const char *unit) {
  static const double minutes[] = {1, 2, 5, 10, 15, 30}, hours[] = {1, 2, 3, 6, 12, 24};
  if (strcmp(unit, "min") == 0) return listed_step(span, most, minutes, 6);
  if (strcmp(unit, "h") == 0) return listed_step(span, most, hours, 6);
  return sciara_round_step(span, most);
}

struct sciara_legend_scale sciara_legend_scale(double low, double high, const char *unit, int most) {
  struct sciara_legend_scale s = {.factor = 1, .unit = unit};
  if (strcmp(unit, "m s-1") == 0) s.unit = "m/s";
  if (strcmp(unit, "m2 s-1") == 0) s.unit = "m\302\262/s";
  if (strcmp(unit, "s") == 0 && high >= 120) {
    s.factor = high >= 2 * 86400 ? 86400 : high >= 7200 ? 3600 : 60;
    s.unit = high >= 2 * 86400 ? "d" : high >= 7200 ? "h" : "min";
  }
  const double span = (high - low) / s.factor;
  s.step = time_step(span, most, s.unit);
  const double first = floor(low / s.factor / s.step + 1e-9), last = ceil(high / s.factor / s.step - 1e-9);
  s.low = first * s.step;
  s.steps = (int)(last - first);
  if (s.steps < 1) s.steps = 1;
  return s;
}
