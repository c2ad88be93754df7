// SPDX-License-Identifier: Apache-2.0
#include "plan/curve.h"

#include "model/detmath.h"

/** The integral of u^2 (3 - 2 u) from 0 to u, divided by its value for u = 1, which is 1/2. */
static double smooth_share(double u) { return u * u * u * (2 - u); }

static double bell_share(double peak, double x) {
  if (x < peak) return peak * smooth_share(x / peak);
  return peak < 1 ? 1 - (1 - peak) * smooth_share((1 - x) / (1 - peak)) : peak;
}

/** The integral of exp(-t / decay) from 0 to t, divided by decay. */
static double decayed(double decay, double t) { return 1 - sciara_exp(-t / decay); }

static double waning_share(double peak, double decay, double x) {
  const double rise = 0.5 * peak, all = rise + decay * decayed(decay, 1 - peak);
  if (x < peak) return 0.5 * x * (x / peak) / all;
  return (rise + decay * decayed(decay, x - peak)) / all;
}

static double table_share(const struct sciara_curve *c, double x) {
  const double begin = c->edges[0], time = begin + x * (c->edges[c->count] - begin);
  double before = 0, all = 0;
  for (size_t k = 0; k < c->count; k++) {
    const double from = c->edges[k], to = c->edges[k + 1];
    all += c->rates[k] * (to - from);
    if (time > from) before += c->rates[k] * ((time < to ? time : to) - from);
  }
  return before / all;
}

double sciara_curve_share(const struct sciara_curve *c, double x) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  switch (c->kind) {
    case SCIARA_CURVE_BELL: return bell_share(c->peak, x);
    case SCIARA_CURVE_EXPONENTIAL: return decayed(c->decay, x) / decayed(c->decay, 1);
    case SCIARA_CURVE_WANING: return waning_share(c->peak, c->decay, x);
    case SCIARA_CURVE_TABLE: return table_share(c, x);
    case SCIARA_CURVE_CONSTANT: break;
  }
  return x;
}

void sciara_curve_rates(const struct sciara_curve *c, double volume_m3, double duration_s, size_t slots,
                        double *rates_m3_s) {
  const double slot = duration_s / (double)slots;
  double before = 0;
  for (size_t k = 0; k < slots; k++) {
    const double until = sciara_curve_share(c, (double)(k + 1) / (double)slots), part = until - before;
    rates_m3_s[k] = part > 0 ? volume_m3 * part / slot : 0;
    before = until;
  }
}
