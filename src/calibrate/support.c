// SPDX-License-Identifier: Apache-2.0
// What the accepted sets of a space-filling design say of the unknowns: how wide they lie, and which go together.
#include "calibrate/calibration_file.h"
#include "calibrate/calibration_record.h"

#include <math.h>
#include <stdlib.h>

#include "base/detmath.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "calibrate/sensitivity.h"

/** The coordinate of a value between the bounds of its unknown, 0 to 1. */
static double coordinate_of(const struct sciara_unknown *u, double value) {
  if (!u->log) return (value - u->min) / (u->max - u->min);
  const double low = sciara_ln(u->min), high = sciara_ln(u->max);
  return (sciara_ln(value) - low) / (high - low);
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

/** The spread of the coordinates of all points of a design, which fill a disc, or are drawn from a prior. */
static enum sciara_status spread_of_all(const struct sciara_calibration_record *r, size_t unknown, double *out) {
  const size_t rows = r->table->count, n = r->search->unknown_count;
  double *x;
  SCIARA_TRY(SCIARA_NEW(x, rows, "the points of a design"));
  for (size_t row = 0; row < rows; row++)
    x[row] = coordinate_of(&r->search->unknown[unknown], r->table->value[row * n + unknown]);
  *out = centre(x, rows) / sqrt((double)(rows - 1));
  sciara_free(x);
  return SCIARA_OK;
}

static enum sciara_identifiable verdict_of(double spread) {
  return spread < 0.5 ? SCIARA_IDENTIFIABLE : spread < 0.9 ? SCIARA_WEAKLY_IDENTIFIABLE : SCIARA_NOT_IDENTIFIABLE;
}

/** `x`: count coordinates for each unknown, one unknown after the other, which become deviations. */
static enum sciara_status make_support(const struct sciara_calibration_record *r, double *x, double *sorted,
                                       size_t count, struct sciara_supported *out) {
  const struct sciara_calibration_search *s = r->search;
  const size_t n = s->unknown_count;
  double length[SCIARA_UNKNOWNS_MOST];
  for (size_t k = 0; k < n; k++) {
    const struct sciara_unknown *u = &s->unknown[k];
    double *own = x + k * count, even = EVEN;
    if (u->disc || u->of_prior) SCIARA_TRY(spread_of_all(r, k, &even));
    for (size_t i = 0; i < count; i++) sorted[i] = own[i];
    qsort(sorted, count, sizeof *sorted, sciara_ascending);
    length[k] = centre(own, count);
    const double spread = length[k] / sqrt((double)(count - 1)) / even;
    out->unknown[k] = (struct sciara_support){.median = sciara_unknown_value(u, sciara_percentile(sorted, count, 0.5)),
                                              .low = sciara_unknown_value(u, sciara_percentile(sorted, count, 0.05)),
                                              .high = sciara_unknown_value(u, sciara_percentile(sorted, count, 0.95)),
                                              .spread = spread,
                                              .identifiable = verdict_of(spread)};
  }
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      double sum = 0;
      for (size_t i = 0; i < count; i++) sum += x[a * count + i] * x[b * count + i];
      out->correlation[a][b] = sum / (length[a] * length[b]); // NAN of one value
    }
  return SCIARA_OK;
}

enum sciara_status sciara_support_make(const struct sciara_calibration_record *r, struct sciara_supported *out) {
  const struct sciara_calibration_search *s = r->search;
  const bool even = s->file->design == SCIARA_DESIGN_LHS || s->file->design == SCIARA_DESIGN_SOBOL;
  const size_t n = s->unknown_count, rows = even ? r->table->count : 0;
  size_t count = 0;
  double *x = NULL, *sorted = NULL;
  enum sciara_status status;
  for (size_t k = 0; k < n; k++) {
    out->unknown[k] = (struct sciara_support){.median = NAN, .low = NAN, .high = NAN, .spread = NAN};
    for (size_t i = 0; i < n; i++) out->correlation[k][i] = NAN;
  }
  for (size_t row = 0; row < rows; row++) count += sciara_calibration_is_accepted(r, row);
  out->accepted = count;
  if (count < SCIARA_SUPPORT_LEAST) return SCIARA_OK;
  SCIARA_TRY_GOTO(SCIARA_NEW(x, n * count, "the accepted sets"));
  SCIARA_TRY_GOTO(SCIARA_NEW(sorted, count, "the accepted sets"));
  for (size_t row = 0, at = 0; row < rows; row++) {
    if (!sciara_calibration_is_accepted(r, row)) continue;
    for (size_t k = 0; k < n; k++) x[k * count + at] = coordinate_of(&s->unknown[k], r->table->value[row * n + k]);
    at++;
  }
  status = make_support(r, x, sorted, count, out);
cleanup:
  sciara_free(x);
  sciara_free(sorted);
  return status;
}

enum sciara_status sciara_support_log(const struct sciara_calibration_record *r, const struct sciara_supported *s) {
  static const char *const words[] = {[SCIARA_IDENTIFIABLE] = "identifiable",
                                      [SCIARA_WEAKLY_IDENTIFIABLE] = "weakly identifiable",
                                      [SCIARA_NOT_IDENTIFIABLE] = "not identifiable"};
  const struct sciara_unknown *u = r->search->unknown;
  struct sciara_text text = {0};
  if (s->accepted < SCIARA_SUPPORT_LEAST) {
    sciara_log(SCIARA_LOG_INFO, "%s: %zu accepted %s; which unknowns are identifiable is said from %d on", r->folder,
               s->accepted, sciara_plural(s->accepted, "set", "sets"), SCIARA_SUPPORT_LEAST);
    return SCIARA_OK;
  }
  for (size_t word = 0; word < sizeof words / sizeof *words; word++) {
    const char *before = words[word];
    for (size_t k = 0; k < r->search->unknown_count; k++)
      if (s->unknown[k].identifiable == (enum sciara_identifiable)word) {
        sciara_text_append(&text, before == words[word] ? "; %s: %s" : "%s%s", before, u[k].key);
        before = ", ";
      }
  }
  for (size_t a = 0; a < r->search->unknown_count; a++)
    for (size_t b = a + 1; b < r->search->unknown_count; b++)
      if (fabs(s->correlation[a][b]) >= SCIARA_SUPPORT_TOGETHER)
        sciara_text_append(&text, "; neither of %s and %s without the other (correlation %.2f)", u[a].key, u[b].key,
                           s->correlation[a][b]);
  const enum sciara_status status = text.failed;
  if (status == SCIARA_OK) sciara_log(SCIARA_LOG_INFO, "%s: %zu accepted sets%s", r->folder, s->accepted, text.data);
  sciara_text_free(&text);
  return status;
}
