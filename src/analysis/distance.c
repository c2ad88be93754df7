// SPDX-License-Identifier: Apache-2.0
#include "analysis/distance.h"

#include "base/mem.h"

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
