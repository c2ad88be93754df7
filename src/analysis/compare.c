// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

struct sciara_difference sciara_compare_values(const double *a, const double *b, size_t count, double tolerance) {
  struct sciara_difference d = {.first = count};
  size_t both = 0, any = 0;
  for (size_t i = 0; i < count; i++) {
    both += a[i] > 0 && b[i] > 0;
    any += a[i] > 0 || b[i] > 0;
    if (memcmp(&a[i], &b[i], sizeof a[i]) == 0) continue;
    if (d.differing++ == 0) d.first = i;
    if (isnan(a[i]) || isnan(b[i])) {
      const bool one = !(isnan(a[i]) && isnan(b[i]));
      d.one += one;
      d.beyond += one;
      continue;
    }
    const double absolute = fabs(a[i] - b[i]), larger = fmax(fabs(a[i]), fabs(b[i]));
    d.max_absolute = fmax(d.max_absolute, absolute);
    if (larger > 0) d.max_relative = fmax(d.max_relative, absolute / larger);
    d.beyond += absolute > tolerance * fmax(1, fabs(a[i]));
  }
  d.jaccard = sciara_jaccard((int64_t)both, (int64_t)any);
  return d;
}

// ------------------------------------------------------------------------------------------------------------- distance

/** A parabola of a row's lower envelope: its column, and the first column where it is the lowest. */
struct piece {
  int64_t at, from;
};

/** out[i]: distance within the column to the nearest cell of the set, `far` where the column has none. */
static void scan_columns(int64_t rows, int64_t cols, const uint8_t *set, int64_t far, int64_t *out) {
  for (int64_t i = 0; i < rows * cols; i++) {
    const int64_t above = i >= cols ? out[i - cols] : far;
    out[i] = set[i] ? 0 : above < far ? above + 1 : far;
  }
  for (int64_t i = rows * cols - cols - 1; i >= 0; i--)
    if (out[i + cols] < out[i]) out[i] = out[i + cols] + 1;
}

static int64_t squared(int64_t x, int64_t at, const int64_t *column) {
  return (x - at) * (x - at) + column[at] * column[at];
}

/** The largest x where the parabola of column a is not above that of column b > a; there is one at or east of column 0. */
static int64_t bisector(int64_t a, int64_t b, const int64_t *column) {
  const int64_t top = b * b - a * a + column[b] * column[b] - column[a] * column[a], bottom = 2 * (b - a);
  return top / bottom;
}

/** The squared distances of a row from what its columns hold. */
static void scan_row(int64_t cols, const int64_t *column, struct piece *piece, int64_t *out) {
  int64_t last = 0;
  piece[0] = (struct piece){0, 0};
  for (int64_t c = 1; c < cols; c++) {
    while (last >= 0 && squared(piece[last].from, piece[last].at, column) > squared(piece[last].from, c, column))
      last--;
    if (last < 0) {
      piece[++last] = (struct piece){c, 0};
      continue;
    }
    const int64_t from = bisector(piece[last].at, c, column) + 1;
    if (from < cols) piece[++last] = (struct piece){c, from};
  }
  for (int64_t c = cols - 1; c >= 0; c--) {
    out[c] = squared(c, piece[last].at, column);
    if (c == piece[last].from) last--;
  }
}

enum sciara_status sciara_distance_squared(int64_t rows, int64_t cols, const uint8_t *set, int64_t *out) {
  const int64_t far = rows + cols; // farther than any two cells, and its square is a number
  bool any = false;
  for (int64_t i = 0; i < rows * cols && !any; i++) any = set[i] != 0;
  for (int64_t i = 0; i < rows * cols && !any; i++) out[i] = INT64_MAX;
  if (!any) return SCIARA_OK;
  struct piece *piece = NULL;
  int64_t *column = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(piece, cols, "the pieces of a row"));
  SCIARA_TRY_GOTO(SCIARA_NEW(column, cols, "a row of distances"));
  scan_columns(rows, cols, set, far, out);
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t c = 0; c < cols; c++) column[c] = out[r * cols + c];
    scan_row(cols, column, piece, out + r * cols);
  }
cleanup:
  sciara_free(piece);
  sciara_free(column);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- scores

static double share(double part, double whole) { return whole > 0 ? part / whole : (double)NAN; }

static void count_cells(const struct sciara_extents *e, struct sciara_extent_scores *out) {
  for (int64_t i = 0; i < sciara_grid_cells(e->grid); i++) {
    out->hits += e->run[i] && e->observed[i];
    out->misses += !e->run[i] && e->observed[i];
    out->excess += e->run[i] && !e->observed[i];
  }
  const double hits = (double)out->hits, misses = (double)out->misses, excess = (double)out->excess;
  const int64_t either = out->hits + out->misses + out->excess;
  out->jaccard = either > 0 ? sciara_jaccard(out->hits, either) : (double)NAN;
  out->e1 = sqrt(out->jaccard);
  out->tpr = share(hits, hits + misses);
  out->ppv = share(hits, hits + excess);
  out->f1 = share(2 * hits, 2 * hits + misses + excess);
  out->area_ratio = share(hits + excess, hits + misses);
}

/** The greatest of the distances on the cells of the mask, m; NAN when there is none. */
static double greatest(const struct sciara_grid *g, const uint8_t *mask, const int64_t *squared) {
  int64_t most = -1;
  for (int64_t i = 0; i < sciara_grid_cells(g); i++)
    if (mask[i] && squared[i] > most) most = squared[i];
  return most < 0 || most == INT64_MAX ? (double)NAN : g->cell_size * sqrt((double)most);
}

static enum sciara_status measure_distances(const struct sciara_extents *e, struct sciara_extent_scores *out) {
  const struct sciara_grid *g = e->grid;
  int64_t *squared = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(squared, sciara_grid_cells(g), "distances"));
  SCIARA_TRY_GOTO(sciara_distance_squared(g->rows, g->cols, e->observed, squared));
  const double of_run = greatest(g, e->run, squared);
  SCIARA_TRY_GOTO(sciara_distance_squared(g->rows, g->cols, e->run, squared));
  const double of_observed = greatest(g, e->observed, squared);
  if (!isnan(of_run) && !isnan(of_observed)) out->hausdorff_m = fmax(of_run, of_observed);
  if (!e->vents) goto cleanup;
  SCIARA_TRY_GOTO(sciara_distance_squared(g->rows, g->cols, e->vents, squared));
  out->run_out_m = greatest(g, e->run, squared);
  out->observed_run_out_m = greatest(g, e->observed, squared);
  out->run_out_ratio = share(out->run_out_m, out->observed_run_out_m);
cleanup:
  sciara_free(squared);
  return status;
}

static void add_error(struct sciara_thickness_error *sum, double error) {
  sum->cells++;
  sum->mean_m += error;
  sum->rmse_m += error * error;
}

static void finish_error(struct sciara_thickness_error *sum) {
  sum->mean_m = share(sum->mean_m, (double)sum->cells);
  sum->rmse_m = sqrt(share(sum->rmse_m, (double)sum->cells));
}

static void measure_thickness(const struct sciara_extents *e, struct sciara_extent_scores *out) {
  for (int64_t i = 0; i < sciara_grid_cells(e->grid) && e->run_thickness && e->observed_thickness; i++) {
    const double error = e->run_thickness[i] - e->observed_thickness[i];
    if (e->run[i] && e->observed[i]) add_error(&out->both, error);
    if (e->run[i] || e->observed[i]) add_error(&out->any, error);
  }
  finish_error(&out->both);
  finish_error(&out->any);
}

enum sciara_status sciara_extents_score(const struct sciara_extents *e, struct sciara_extent_scores *out) {
  *out = (struct sciara_extent_scores){
      .run_out_m = NAN, .observed_run_out_m = NAN, .run_out_ratio = NAN, .hausdorff_m = NAN};
  count_cells(e, out);
  measure_thickness(e, out);
  return measure_distances(e, out);
}
