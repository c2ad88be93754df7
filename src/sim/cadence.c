// SPDX-License-Identifier: Apache-2.0
#include "sim/cadence.h"

#include <math.h>

double sciara_next_multiple(double every, double time) {
  if (!(every > 0)) return INFINITY;
  double k = floor(time / every); // may be 1 too large or too small, because the quotient is rounded
  if (k * every > time) k--;
  if ((k + 1) * every <= time) k++;
  const double next = (k + 1) * every;
  return next > time && next < INFINITY ? next : nextafter(time, INFINITY);
}
