// SPDX-License-Identifier: Apache-2.0
#include "model/ledger.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct sums {
  double liquid, solid, deposit, lost, sea; // m, sums over all cells
  double highest;                           // m, largest |altitude| where lava has been
  int64_t covered;                          // cells that hold lava or rock
};

static void add_cells(const struct sciara_state *s, int64_t first, int64_t end, struct sums *sums) {
  for (int64_t i = first; i < end; i++) {
    if (s->kind[i] == SCIARA_CELL_NODATA) continue;
    const double rock = s->z[i] - s->z0[i];
    sums->liquid += s->h[i];
    sums->solid += rock;
    sums->deposit += s->h[i] + rock;
    *(s->kind[i] == SCIARA_CELL_SEA ? &sums->sea : &sums->lost) += s->lost[i];
    sums->covered += s->h[i] > 0 || rock != 0;
    // Cells with rock so thin that the altitude stays the same count too.
    if (s->arrival[i] >= 0) sums->highest = fmax(sums->highest, fmax(fabs(s->z[i]), fabs(s->z0[i])));
  }
}

/** At most half the distance from x > 0 to the next number; 0 for 0. */
static double half_ulp(double x, double epsilon) { return x > 0 ? 0.5 * epsilon * exp2(floor(log2(x))) : 0; }

static void form(const struct sciara_state *s, const struct sums *sums, struct sciara_rounding rounding,
                 struct sciara_ledger *out) {
  const double area = s->grid.cell_size * s->grid.cell_size;
  out->initial_m3 = s->initial;
  out->emitted_m3 = s->emitted;
  out->added_m3 = s->added;
  out->removed_m3 = s->removed;
  out->liquid_m3 = area * sums->liquid;
  out->solid_m3 = area * sums->solid;
  out->lost_m3 = area * sums->lost;
  out->sea_m3 = area * sums->sea;
  const double given = sciara_ledger_given(out);
  out->residual_m3 = given - ((area * sums->deposit + out->lost_m3) + out->sea_m3);
  const double all = given + s->removed; // every volume that was rounded
  // docs/model.md "Mass balance": 1e-12 relative (1e-5 in single precision), or half an ulp of z per solidification.
  const double relative = (rounding.epsilon > DBL_EPSILON ? 1e-5 : 1e-12) * all;
  const double altitudes = (double)s->solidifications * half_ulp(sums->highest, rounding.epsilon) * area;
  const double steps = 0.5 * rounding.epsilon * (rounding.per_step * (double)s->step) * all;
  const double summed = rounding.per_step > 0 ? 0.5 * DBL_EPSILON * (double)sums->covered * all : 0;
  out->bound_m3 = fmax(relative, altitudes + steps + summed);
}

void sciara_ledger_form(const struct sciara_state *s, struct sciara_rounding rounding, struct sciara_ledger *out) {
  struct sums sums = {0};
  add_cells(s, 0, sciara_grid_cells(&s->grid), &sums);
  form(s, &sums, rounding, out);
}

// Elsewhere every term is 0, and adding 0 changes no bit.
void sciara_ledger_form_over(const struct sciara_state *s, const struct sciara_touched *touched,
                             struct sciara_rounding rounding, struct sciara_ledger *out) {
  struct sums sums = {0};
  for (int64_t r = 0; r < s->grid.rows; r++)
    add_cells(s, r * s->grid.cols + touched->rows[r].begin, r * s->grid.cols + touched->rows[r].end, &sums);
  form(s, &sums, rounding, out);
}

/** The largest number of vents in one cell. */
static int64_t most_together(const int64_t *cells, int64_t count) {
  int64_t most = 0, together = 0;
  for (int64_t k = 0; k < count; k++) {
    together = k > 0 && cells[k] == cells[k - 1] ? together + 1 : 1;
    if (together > most) most = together;
  }
  return most;
}

// In units of half an epsilon, each relative to the volume of all lava. Flows: 7 sums of outflows and 1 difference of a
// donor, 8 sums of a receiver. Totals: V / (w w) and the sums `emitted` and `lost`, at most 4. To these comes the sum
// h + V / (w w) of each vent of a cell.
enum { ROUNDINGS_OF_FLOWS = 16, ROUNDINGS_OF_TOTALS = 4 };

enum sciara_status sciara_rounding_of(const struct sciara_vents *vents, double epsilon, struct sciara_rounding *out) {
  int64_t *cells;
  SCIARA_TRY(SCIARA_NEW(cells, vents->count + 1, "the cells of the vents"));
  for (int64_t k = 0; k < vents->count; k++) cells[k] = vents->row[k] * INT32_MAX + vents->col[k];
  qsort(cells, (size_t)vents->count, sizeof *cells, sciara_cells_ascending);
  *out = (struct sciara_rounding){.epsilon = epsilon,
                                  .per_step = ROUNDINGS_OF_FLOWS + ROUNDINGS_OF_TOTALS +
                                              (double)most_together(cells, vents->count)};
  sciara_free(cells);
  return SCIARA_OK;
}

double sciara_lost_from(const struct sciara_state *s, enum sciara_cell_kind kind, int64_t *cell) {
  double first = NAN;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    if (s->kind[i] != kind || !(s->lost[i] > 0) || s->arrival[i] >= first) continue; // nothing is after NAN
    first = s->arrival[i];
    if (cell) *cell = i;
  }
  return first;
}

bool sciara_ledger_closes(const struct sciara_ledger *l) { return fabs(l->residual_m3) <= l->bound_m3; }

double sciara_ledger_drift(const struct sciara_ledger *l) {
  const double given = sciara_ledger_given(l);
  return given > 0 ? fabs(l->residual_m3) / given : 0;
}
