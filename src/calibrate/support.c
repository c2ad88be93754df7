// SPDX-License-Identifier: Apache-2.0
#include "calibrate/support.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/detmath.h"

/** The coordinate of a value between the bounds of its unknown, 0 to 1. */
static double coordinate_of(const struct sciara_unknown *u, double value) {
  if (!u->log) return (value - u->min) / (u->max - u->min);
  const double low = sciara_ln(u->min), high = sciara_ln(u->max);
  return (sciara_ln(value) - low) / (high - low);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/** A percentile of sorted values, between two of them in proportion. */
static double percentile(const double *sorted, size_t count, double part) {
  const double at = part * (double)(count - 1);
  const size_t below = (size_t)at;
  return below + 1 < count ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]) : sorted[below];
}

/** The standard deviation of values that fill 0 to 1 evenly. */
static const double EVEN = 0.28867513459481287; // sqrt(1 / 12)

/** Mean and root of the sum of the squares of the deviations. */
static double centre(double *x, size_t count) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += x[i];
  for (size_t i = 0; i < count; i++) x[i] -= sum / (double)count;
  for (size_t i = 0; i < count; i++) squares += x[i] * x[i];
  return sqrt(squares);
}

/** `x`: count coordinates for each unknown, one unknown after the other, which become deviations. */
static void make(const struct sciara_calibration_search *s, double *x, double *sorted, size_t count,
                 struct sciara_support *support, double *correlation) {
  const size_t n = s->unknown_count;
  double length[SCIARA_UNKNOWNS_MOST];
  for (size_t k = 0; k < n; k++) {
    double *own = x + k * count;
    for (size_t i = 0; i < count; i++) sorted[i] = own[i];
    qsort(sorted, count, sizeof *sorted, compare);
    length[k] = centre(own, count);
    support[k] = (struct sciara_support){.median = sciara_unknown_value(&s->unknown[k], percentile(sorted, count, 0.5)),
                                         .low = sciara_unknown_value(&s->unknown[k], percentile(sorted, count, 0.05)),
                                         .high = sciara_unknown_value(&s->unknown[k], percentile(sorted, count, 0.95)),
                                         .spread = length[k] / sqrt((double)(count - 1)) / EVEN};
  }
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      double sum = 0;
      for (size_t i = 0; i < count; i++) sum += x[a * count + i] * x[b * count + i];
      correlation[a * n + b] = sum / (length[a] * length[b]); // NAN of one value
    }
}

enum sciara_status sciara_support_make(const struct sciara_calibration_search *s, const double *value,
                                       const bool *accepted, size_t rows, struct sciara_support *support,
                                       double *correlation) {
  const size_t n = s->unknown_count;
  size_t count = 0;
  double *x = NULL, *sorted = NULL;
  enum sciara_status status;
  for (size_t k = 0; k < n; k++) support[k] = (struct sciara_support){NAN, NAN, NAN, NAN};
  for (size_t k = 0; k < n * n; k++) correlation[k] = NAN;
  for (size_t row = 0; row < rows; row++) count += accepted[row];
  if (count < SCIARA_SUPPORT_LEAST) return SCIARA_OK;
  SCIARA_TRY_GOTO(SCIARA_NEW(x, n * count, "the accepted sets"));
  SCIARA_TRY_GOTO(SCIARA_NEW(sorted, count, "the accepted sets"));
  for (size_t row = 0, at = 0; row < rows; row++) {
    if (!accepted[row]) continue;
    for (size_t k = 0; k < n; k++) x[k * count + at] = coordinate_of(&s->unknown[k], value[row * n + k]);
    at++;
  }
  make(s, x, sorted, count, support, correlation);
cleanup:
  sciara_free(x);
  sciara_free(sorted);
  return status;
}
