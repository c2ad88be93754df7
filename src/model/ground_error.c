// SPDX-License-Identifier: Apache-2.0
#include "model/ground_edit.h"

#include <inttypes.h>
#include <math.h>

#include "base/detmath.h"
#include "base/mem.h"
#include "model/random.h"

/** Smoothing first along the rows, then along the columns; only the rows that the kernel covers are in memory. */
struct smoothing {
  const struct sciara_ground_error *error;
  int64_t cols, reach; ///< reach: cells on each side of the middle of the kernel
  double *kernel;      ///< 2 reach + 1; the sum of its squares is 1, so the variance stays
  double *noise;       ///< of one row, `reach` cells more on each side
  double *smooth;      ///< 2 reach + 1 rows, smoothed along the row; row r is at r modulo their number
};

static double noise_at(uint64_t seed, int64_t row, int64_t col) {
  const struct sciara_draw draw = {
      .seed = seed, .stream = SCIARA_STREAM_GROUND, .design = (uint32_t)row, .index = (uint64_t)col};
  return sciara_normal_quantile(sciara_unit(sciara_draw_bits(draw)));
}

static enum sciara_status prepare(const struct sciara_ground_error *e, const struct sciara_grid *g,
                                  struct smoothing *s) {
  const double width =
      0.5 * e->correlation_m / g->cell_size; // the correlation of smoothed noise is exp(-d^2 / 4 width^2)
  double squares = 0;
  *s = (struct smoothing){.error = e, .cols = g->cols, .reach = (int64_t)ceil(3 * width)};
  const int64_t count = 2 * s->reach + 1;
  SCIARA_TRY(SCIARA_NEW(s->kernel, (size_t)count, "errors of altitudes"));
  SCIARA_TRY(SCIARA_NEW(s->noise, (size_t)(g->cols + 2 * s->reach), "errors of altitudes"));
  SCIARA_TRY(SCIARA_NEW(s->smooth, (size_t)(g->cols * count), "errors of altitudes"));
  for (int64_t k = 0; k < count; k++) {
    const double x = s->reach > 0 ? (double)(k - s->reach) / width : 0;
    s->kernel[k] = sciara_exp(-0.5 * x * x);
    squares += s->kernel[k] * s->kernel[k];
  }
  for (int64_t k = 0; k < count; k++) s->kernel[k] /= sciara_sqrt(squares);
  return SCIARA_OK;
}

static double *smooth_row(const struct smoothing *s, int64_t row) {
  const int64_t count = 2 * s->reach + 1;
  return s->smooth + (row + count) % count * s->cols; // row >= -reach
}

/** Makes the noise of a row and smooths it along the row. */
static void smooth_noise_row(const struct smoothing *s, int64_t row) {
  double *out = smooth_row(s, row);
  for (int64_t c = 0; c < s->cols + 2 * s->reach; c++) s->noise[c] = noise_at(s->error->seed, row, c - s->reach);
  for (int64_t c = 0; c < s->cols; c++) {
    double sum = 0;
    for (int64_t k = 0; k <= 2 * s->reach; k++) sum += s->kernel[k] * s->noise[c + k];
    out[c] = sum;
  }
}

/** The errors of a row, whose neighbours within reach have been smoothed; they replace the noise. */
static const double *finish_row(const struct smoothing *s, int64_t row) {
  for (int64_t c = 0; c < s->cols; c++) s->noise[c] = 0;
  for (int64_t k = 0; k <= 2 * s->reach; k++) {
    const double *part = smooth_row(s, row + k - s->reach), weight = s->kernel[k];
    for (int64_t c = 0; c < s->cols; c++) s->noise[c] += weight * part[c];
  }
  return s->noise;
}

static enum sciara_status check(const struct sciara_ground_error *e, const struct sciara_grid *g) {
  const double most = SCIARA_GROUND_ERROR_MOST_CELLS * g->cell_size;
  if (e->correlation_m <= most) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "dem.error.correlation_m: expected at most %.6g m on cells of %.6g m, found %.6g", most,
                     g->cell_size, e->correlation_m);
}

enum sciara_status sciara_ground_error_add(const struct sciara_ground_error *e, const struct sciara_grid *grid,
                                           const uint8_t *land, double *altitude) {
  struct smoothing s;
  enum sciara_status status;
  if (!(e->sd_m > 0)) return SCIARA_OK;
  SCIARA_TRY(check(e, grid));
  SCIARA_TRY_GOTO(prepare(e, grid, &s));
  for (int64_t row = -s.reach; row < s.reach; row++) smooth_noise_row(&s, row);
  for (int64_t row = 0; row < grid->rows; row++) {
    smooth_noise_row(&s, row + s.reach);
    const double *error = finish_row(&s, row);
    for (int64_t c = 0; c < grid->cols; c++) {
      const int64_t i = row * grid->cols + c;
      if (!land[i]) continue;
      altitude[i] += e->sd_m * error[c];
      if (altitude[i] >= SCIARA_ALTITUDE_MIN && altitude[i] <= SCIARA_ALTITUDE_MAX) continue;
      status =
          sciara_fail(SCIARA_ERR_INPUT,
                      "dem.error: row %" PRId64 ", column %" PRId64 ": expected an altitude of %g to %g m, found %g",
                      row, c, (double)SCIARA_ALTITUDE_MIN, (double)SCIARA_ALTITUDE_MAX, altitude[i]);
      goto cleanup;
    }
  }
cleanup:
  sciara_free(s.kernel);
  sciara_free(s.noise);
  sciara_free(s.smooth);
  return status;
}
