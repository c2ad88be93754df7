// SPDX-License-Identifier: Apache-2.0
// Claims about the errors of altitudes (model/ground_edit.h): variance, correlation, the same on any map, limits.
#include "base/mem.h"
#include "model/ground_edit.h"
#include "support/owned.h"

static struct sciara_grid grid_of(int64_t rows, int64_t cols) {
  return (struct sciara_grid){.rows = rows, .cols = cols, .cell_size = 5, .west = 1000, .north = 2000};
}

/** The errors on a map without sea; release with sciara_free. */
static double *errors(const struct sciara_ground_error *e, const struct sciara_grid *g) {
  const size_t cells = (size_t)sciara_grid_cells(g);
  double *z;
  OWNED(free_aligned) uint8_t *land;
  expect_ok(SCIARA_NEW(z, cells, "test"));
  expect_ok(SCIARA_NEW(land, cells, "test"));
  memset(land, 1, cells);
  expect_ok(sciara_ground_error_add(e, g, land, z));
  return z;
}

/** The mean of the products of cells that are so many rows and columns apart. */
static double covariance(const double *z, const struct sciara_grid *g, int64_t rows, int64_t cols) {
  double sum = 0;
  for (int64_t r = 0; r + rows < g->rows; r++)
    for (int64_t c = 0; c + cols < g->cols; c++) sum += z[r * g->cols + c] * z[(r + rows) * g->cols + c + cols];
  return sum / (double)((g->rows - rows) * (g->cols - cols));
}

// 600 x 700 cells hold about 600 x 700 / (pi 6^2 / 2) = 7000 independent errors: the relative error of a variance is 2 %.
TEST(test_statistics) {
  const struct sciara_ground_error e = {.sd_m = 2.5, .correlation_m = 30, .seed = 7};
  const struct sciara_grid g = grid_of(600, 700);
  double *z = errors(&e, &g), sum = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&g); i++) sum += z[i];
  ck_assert_double_lt(fabs(sum / (double)sciara_grid_cells(&g)), 4 * 2.5 / sqrt(7000));
  ck_assert_double_lt(fabs(covariance(z, &g, 0, 0) / 6.25 - 1), 0.06);
  const int64_t lag[][2] = {{1, 0}, {0, 1}, {3, 0}, {0, 3}, {6, 0}, {0, 6}, {4, 4}, {10, 0}, {20, 20}};
  for (size_t k = 0; k < sizeof lag / sizeof *lag; k++) {
    const double d2 = 25 * (double)(lag[k][0] * lag[k][0] + lag[k][1] * lag[k][1]);
    ck_assert_double_lt(fabs(covariance(z, &g, lag[k][0], lag[k][1]) / 6.25 - exp(-d2 / 900)), 0.06);
  }
  sciara_free(z);
}

TEST(test_independent_cells) {
  const struct sciara_ground_error e = {.sd_m = 1, .correlation_m = 0, .seed = 3};
  const struct sciara_grid g = grid_of(300, 300);
  OWNED(free_aligned) double *z = errors(&e, &g);
  int64_t beyond = 0;
  for (int64_t i = 0; i < 90000; i++) beyond += fabs(z[i]) > 1.959963985;
  ck_assert_double_lt(fabs((double)beyond - 4500), 4 * sqrt(90000 * 0.05 * 0.95));
  ck_assert_double_lt(fabs(covariance(z, &g, 0, 0) - 1), 4 * sqrt(2.0 / 90000));
  ck_assert_double_lt(fabs(covariance(z, &g, 0, 1)), 4 / sqrt(90000));
  ck_assert_double_lt(fabs(covariance(z, &g, 1, 0)), 4 / sqrt(90000));
}

TEST(test_place_alone) { // a part of a larger map is bit-identical; another seed differs in every cell
  const struct sciara_ground_error e = {.sd_m = 3, .correlation_m = 22, .seed = 9007199254740991},
                                   other = {.sd_m = 3, .correlation_m = 22, .seed = 1};
  const struct sciara_grid small = grid_of(17, 23), large = grid_of(60, 41);
  double *a = errors(&e, &small), *b = errors(&e, &large), *c = errors(&other, &small);
  for (int64_t row = 0; row < 17; row++) {
    ck_assert(memcmp(a + row * 23, b + row * 41, 23 * sizeof *a) == 0);
    for (int64_t col = 0; col < 23; col++) ck_assert_double_ne(a[row * 23 + col], c[row * 23 + col]);
  }
  sciara_free(a);
  sciara_free(b);
  sciara_free(c);
}

TEST(test_only_land) {
  const struct sciara_ground_error e = {.sd_m = 3, .correlation_m = 10, .seed = 2};
  const struct sciara_grid g = grid_of(4, 4);
  double z[16];
  uint8_t land[16];
  for (int i = 0; i < 16; i++) z[i] = 100, land[i] = i % 3 != 0;
  expect_ok(sciara_ground_error_add(&e, &g, land, z));
  for (int i = 0; i < 16; i++) ck_assert((z[i] != 100) == (land[i] != 0));
}

TEST(test_limits) {
  const struct sciara_ground_error none = {.sd_m = 0, .correlation_m = 1e6}, far = {.sd_m = 1, .correlation_m = 2501},
                                   high = {.sd_m = 1000, .correlation_m = 10, .seed = 1};
  const struct sciara_grid g = grid_of(30, 30);
  double z[900];
  uint8_t land[900];
  for (int i = 0; i < 900; i++) z[i] = SCIARA_ALTITUDE_MAX, land[i] = 1;
  expect_ok(sciara_ground_error_add(&none, &g, land, z));
  for (int i = 0; i < 900; i++) ck_assert(z[i] == SCIARA_ALTITUDE_MAX);
  expect_error(sciara_ground_error_add(&far, &g, land, z), SCIARA_ERR_INPUT,
               "expected at most 2500 m on cells of 5 m, found 2501");
  expect_error(sciara_ground_error_add(&high, &g, land, z), SCIARA_ERR_INPUT, "dem.error: row ");
}

RUN_TESTS()
