// SPDX-License-Identifier: Apache-2.0
#include "model/tower.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "geometry/moore.h"

// A column of height H on flat ground: q = H/(2 w), path w sqrt(1 + q^2), and H/9 for each of 8 neighbours.

static const double GRAVITY = SCIARA_GRAVITY;

/** Velocity that a column keeps at the temperature of the vent. */
static double kept(const struct sciara_params *p) { return 1 - p->dP_vent; }

double sciara_tower_clock(const struct sciara_params *p, double cell_size) {
  const double crossing = sqrt(4 * cell_size / (GRAVITY * kept(p))); // at q = 1
  return p->relaxation * fmin(crossing, p->t_max);
}

double sciara_tower_load(const struct sciara_params *p, double cell_size, double rate) {
  const double sheds = 8.0 / 9.0 * GRAVITY * kept(p) * sciara_tower_clock(p, cell_size); // m/s, for large q
  return rate / (cell_size * cell_size) / sheds;
}

double sciara_tower_height(double cell_size, double x) {
  return x < 1 ? 2 * cell_size * sqrt(x / (1 - x)) : (double)INFINITY;
}

static const double PER_PERIMETER = 0.875; ///< measured for discs on a flat plane, per cell of their perimeter

double sciara_tower_carries(double cell_size, double cells, double perimeter) {
  return fmax(1, fmin(cells, PER_PERIMETER * perimeter / cell_size));
}

static const double TURN = 6.283185307179586; ///< 2 pi

/** Number of cells at the distance sqrt(square) from a cell, in cells. */
static int cells_at(int square) {
  int count = 0;
  for (int i = 0; i * i <= square; i++) {
    const int j = (int)lround(sqrt((double)(square - i * i)));
    if (i * i + j * j == square) count += (i ? 2 : 1) * (j ? 2 : 1);
  }
  return count;
}

double sciara_tower_radius(double cell_size, double x) {
  enum { MOST = 178 * 178 }; // radii of at most SCIARA_VENT_AREA_MOST cells
  const double carries = x / SCIARA_TOWER_AIM;
  int cells = 0;
  for (int square = 0; square <= MOST; square++) {
    const double radius = cell_size * sqrt((double)square);
    cells += cells_at(square);
    if (sciara_tower_carries(cell_size, cells, TURN * radius) >= carries) return radius;
  }
  return INFINITY;
}

double sciara_tower_width(double cell_size, double x, double length) {
  const double carries = x / SCIARA_TOWER_AIM, cells = length / cell_size;
  // Along a row of cells a width of b cells has the centres of at least b - 1 rows in it.
  return cell_size * fmax(1, fmax(carries / (2 * PER_PERIMETER) - cells, carries / cells + 1));
}

double sciara_tower_cell_size(double cell_size, double x) {
  return cell_size * pow(x / SCIARA_TOWER_AIM, 0.4); // the load is proportional to cell_size^-2.5
}

// ------------------------------------------------------------------------------------------------- towers of a state

double sciara_tower_least(const struct sciara_params *p, double cell_size) { return 2 * cell_size + 2 * p->hc_vent; }

static double surface(const struct sciara_state *s, int64_t i) { return s->z[i] + s->h[i]; }

/** The highest surface among the neighbours of interior cell i, m. */
static double highest_around(const struct sciara_state *s, int64_t i) {
  double highest = -INFINITY;
  for (int n = 1; n < SCIARA_MOORE; n++) highest = fmax(highest, surface(s, i + sciara_moore_offset(n, s->grid.cols)));
  return highest;
}

bool sciara_tower_find(const struct sciara_state *s, const struct sciara_touched *touched, double least,
                       struct sciara_tower *out) {
  const int64_t cols = s->grid.cols;
  double most = least;
  bool found = false;
  for (int64_t row = 0; row < s->grid.rows; row++)
    for (int64_t col = touched->rows[row].begin; col < touched->rows[row].end; col++) {
      const int64_t i = row * cols + col;
      if (!(s->h[i] > least)) continue; // cells with lava are interior: they have 8 neighbours
      const double height = surface(s, i) - highest_around(s, i);
      if (!(height > most)) continue;
      most = height;
      found = true;
      *out = (struct sciara_tower){.row = row, .col = col, .height = height};
    }
  return found;
}

/** The highest surface among the neighbours of these cells, sorted, that are none of them. */
static double highest_outside(const struct sciara_state *s, const int64_t *cell, size_t count) {
  double highest = -INFINITY;
  for (size_t k = 0; k < count; k++)
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int64_t j = cell[k] + sciara_moore_offset(n, s->grid.cols);
      if (!bsearch(&j, cell, count, sizeof *cell, sciara_cells_ascending)) highest = fmax(highest, surface(s, j));
    }
  return highest;
}

enum sciara_status sciara_tower_find_vent(const struct sciara_state *s, const struct sciara_vents *v, int64_t first,
                                          int64_t count, double least, bool *found, struct sciara_tower *out) {
  int64_t *cell, lowest = -1;
  *found = false;
  for (int64_t k = first; k < first + count; k++) {
    const int64_t i = v->row[k] * s->grid.cols + v->col[k];
    if (!(s->h[i] > least)) return SCIARA_OK;
    if (lowest < 0 || surface(s, i) < surface(s, lowest)) lowest = i;
  }
  if (lowest < 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(cell, count, "the cells of a vent"));
  for (int64_t k = 0; k < count; k++) cell[k] = v->row[first + k] * s->grid.cols + v->col[first + k];
  qsort(cell, (size_t)count, sizeof *cell, sciara_cells_ascending);
  const double height = surface(s, lowest) - highest_outside(s, cell, (size_t)count);
  sciara_free(cell);
  *found = height > least;
  *out = (struct sciara_tower){.row = lowest / s->grid.cols, .col = lowest % s->grid.cols, .height = height};
  return SCIARA_OK;
}
