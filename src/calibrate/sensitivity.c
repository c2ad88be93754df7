// SPDX-License-Identifier: Apache-2.0
#include "calibrate/sensitivity.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/random.h"

static uint64_t bits_of(uint64_t seed, enum sciara_stream stream, uint64_t index) {
  return sciara_draw_bits((struct sciara_draw){.seed = seed, .stream = stream, .index = index});
}

/** Whether a group has all its scores. */
static bool is_whole_group(const double *score, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (isnan(score[k])) return false;
  return true;
}

// -------------------------------------------------------------------------------------------------------------- Morris

/** How many unknowns move before unknown `k` does: they move in the order of random numbers. */
static size_t rank_of(const uint64_t *seed, size_t group, size_t n, size_t k) {
  const uint64_t own = bits_of(seed[k], SCIARA_STREAM_SHUFFLE, group);
  size_t rank = 0;
  for (size_t i = 0; i < n; i++) {
    const uint64_t other = bits_of(seed[i], SCIARA_STREAM_SHUFFLE, group);
    rank += other < own || (other == own && i < k);
  }
  return rank;
}

void sciara_morris_points(const uint64_t *seed, size_t groups, size_t n, double *points) {
  const unsigned half = SCIARA_MORRIS_LEVELS / 2, top = SCIARA_MORRIS_LEVELS - 1;
  for (size_t g = 0; g < groups; g++)
    for (size_t k = 0; k < n; k++) {
      const unsigned before = (unsigned)(bits_of(seed[k], SCIARA_STREAM_DRAW, g) % SCIARA_MORRIS_LEVELS);
      const unsigned after = before < half ? before + half : before - half;
      const size_t rank = rank_of(seed, g, n, k);
      for (size_t row = 0; row <= n; row++)
        points[(g * (n + 1) + row) * n + k] = (double)(row <= rank ? before : after) / top;
    }
}

/** The elementary effect of unknown `k` in a trajectory. */
static double effect_of(const double *points, const double *score, size_t n, size_t k) {
  size_t row = 1;
  while (points[row * n + k] == points[k]) row++;
  return (score[row] - score[row - 1]) / (points[row * n + k] - points[k]);
}

void sciara_morris_effects(const double *points, const double *score, size_t groups, size_t n,
                           struct sciara_morris_effect *effect, size_t *used) {
  *used = 0;
  for (size_t g = 0; g < groups; g++) *used += is_whole_group(score + g * (n + 1), n + 1);
  const double count = (double)*used;
  for (size_t k = 0; k < n; k++) {
    double sum = 0, sizes = 0, squares = 0;
    effect[k] = (struct sciara_morris_effect){(double)NAN, (double)NAN, (double)NAN};
    if (*used < SCIARA_MORRIS_LEAST) continue;
    for (int pass = 0; pass < 2; pass++)
      for (size_t g = 0; g < groups; g++) {
        const double *own = score + g * (n + 1);
        if (!is_whole_group(own, n + 1)) continue;
        const double value = effect_of(points + g * (n + 1) * n, own, n, k);
        if (pass == 0) {
          sum += value;
          sizes += fabs(value);
        } else
          squares += (value - sum / count) * (value - sum / count);
      }
    effect[k] = (struct sciara_morris_effect){sum / count, sizes / count, sqrt(squares / (count - 1))};
  }
}

// ------------------------------------------------------------------------------------------------------------ Saltelli

enum { A, B, CHANGED }; // columns of a row of scores; from CHANGED on those of A with one unknown from B

enum sciara_status sciara_saltelli_points(const uint64_t *seed, size_t groups, size_t n, double *points) {
  uint64_t both[2 * SCIARA_SALTELLI_UNKNOWNS];
  double *sobol;
  if (n > SCIARA_SALTELLI_UNKNOWNS)
    return sciara_fail(SCIARA_ERR_INPUT, "expected at most %d unknowns, found %zu", SCIARA_SALTELLI_UNKNOWNS, n);
  for (size_t k = 0; k < n; k++) {
    both[k] = seed[k];
    both[n + k] = sciara_hash_mix(~seed[k]);
  }
  SCIARA_TRY(SCIARA_NEW(sobol, groups * 2 * n, "Sobol' points"));
  const enum sciara_status status = sciara_points_make(SCIARA_SAMPLE_SOBOL, both, 0, groups, 2 * n, sobol);
  for (size_t g = 0; g < groups && status == SCIARA_OK; g++) {
    const double *a = sobol + g * 2 * n, *b = a + n;
    double *const own = points + g * (n + 2) * n;
    for (size_t row = 0; row < n + 2; row++) memcpy(own + row * n, row == B ? b : a, n * sizeof *own);
    for (size_t k = 0; k < n; k++) own[(CHANGED + k) * n + k] = b[k];
  }
  sciara_free(sobol);
  return status;
}

/** Both indices of each unknown, from the rows with the numbers in `row`; NAN if all scores of A and B are equal. */
static void estimate(const double *score, const size_t *row, size_t rows, size_t n, double *first, double *total) {
  double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
  for (size_t k = 0; k < n; k++) first[k] = total[k] = 0;
  for (size_t r = 0; r < rows; r++) {
    const double *own = score + row[r] * (n + 2);
    sum += own[A] + own[B];
    least = fmin(least, fmin(own[A], own[B]));
    most = fmax(most, fmax(own[A], own[B]));
  }
  const double count = (double)rows, mean = sum / (2 * count);
  for (size_t r = 0; r < rows; r++) {
    const double *own = score + row[r] * (n + 2), a = own[A] - mean, b = own[B] - mean;
    squares += a * a + b * b;
    for (size_t k = 0; k < n; k++) {
      const double change = own[CHANGED + k] - own[A];
      first[k] += b * change;
      total[k] += change * change;
    }
  }
  const double variance = least < most ? squares / (2 * count) : (double)NAN;
  for (size_t k = 0; k < n; k++) {
    first[k] = first[k] / count / variance;
    total[k] = total[k] / (2 * count) / variance;
  }
}

int sciara_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double sciara_percentile(const double *sorted, size_t count, double part) {
  const double at = part * (double)(count - 1);
  const size_t below = (size_t)at;
  return below + 1 < count ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]) : sorted[below];
}

/** The ends of an interval. */
static void set_ends(const double *resampled, size_t n, size_t k, struct sciara_sobol_index *out) {
  double values[SCIARA_RESAMPLES];
  for (size_t i = 0; i < SCIARA_RESAMPLES; i++) values[i] = resampled[i * n + k];
  out->low = out->high = (double)NAN;
  if (!is_whole_group(values, SCIARA_RESAMPLES)) return;
  qsort(values, SCIARA_RESAMPLES, sizeof *values, sciara_ascending);
  out->low = sciara_percentile(values, SCIARA_RESAMPLES, 0.025);
  out->high = sciara_percentile(values, SCIARA_RESAMPLES, 0.975);
}

enum sciara_status sciara_saltelli_indices(const double *score, size_t groups, size_t n, uint64_t seed,
                                           struct sciara_sobol_index *first, struct sciara_sobol_index *total,
                                           size_t *used) {
  size_t *whole = NULL, *drawn = NULL, count = 0;
  double *firsts = NULL, *totals = NULL;
  enum sciara_status status = SCIARA_NEW(whole, groups, "the rows of a design");
  if (status == SCIARA_OK) status = SCIARA_NEW(drawn, groups, "the rows of a design");
  if (status == SCIARA_OK) status = SCIARA_NEW(firsts, SCIARA_RESAMPLES * n, "the resampled indices");
  if (status == SCIARA_OK) status = SCIARA_NEW(totals, SCIARA_RESAMPLES * n, "the resampled indices");
  if (status != SCIARA_OK) goto cleanup;
  for (size_t g = 0; g < groups; g++)
    if (is_whole_group(score + g * (n + 2), n + 2)) whole[count++] = g;
  *used = count;
  for (size_t k = 0; k < n; k++)
    first[k] = total[k] = (struct sciara_sobol_index){(double)NAN, (double)NAN, (double)NAN};
  if (count < SCIARA_SALTELLI_LEAST) goto cleanup;
  estimate(score, whole, count, n, firsts, totals);
  for (size_t k = 0; k < n; k++) {
    first[k].value = firsts[k];
    total[k].value = totals[k];
  }
  for (size_t i = 0; i < SCIARA_RESAMPLES; i++) {
    for (size_t r = 0; r < count; r++) drawn[r] = whole[bits_of(seed, SCIARA_STREAM_RESAMPLE, i * count + r) % count];
    estimate(score, drawn, count, n, firsts + i * n, totals + i * n);
  }
  for (size_t k = 0; k < n; k++) {
    set_ends(firsts, n, k, &first[k]);
    set_ends(totals, n, k, &total[k]);
  }
cleanup:
  sciara_free(whole);
  sciara_free(drawn);
  sciara_free(firsts);
  sciara_free(totals);
  return status;
}
