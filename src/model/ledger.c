// SPDX-License-Identifier: Apache-2.0
#include "model/ledger.h"

#include <float.h>
#include <math.h>

struct sums {
  double liquid, solid, deposit, lost; // m of all cells
  double highest;                      // m, of what rock has raised
};

static void add_cells(const struct sciara_state *s, int64_t first, int64_t end, struct sums *sums) {
  for (int64_t i = first; i < end; i++) {
    if (s->kind[i] == SCIARA_CELL_NODATA) continue;
    const double rock = s->z[i] - s->z0[i];
    sums->liquid += s->h[i];
    sums->solid += rock;
    sums->deposit += s->h[i] + rock;
    sums->lost += s->lost[i];
    if (rock > 0) sums->highest = fmax(sums->highest, fabs(s->z[i]));
  }
}

static void form(const struct sciara_state *s, const struct sums *sums, double precision_epsilon,
                 struct sciara_ledger *out) {
  const double area = s->grid.cell_size * s->grid.cell_size;
  out->initial_m3 = s->initial;
  out->emitted_m3 = s->emitted;
  out->liquid_m3 = area * sums->liquid;
  out->solid_m3 = area * sums->solid;
  out->lost_m3 = area * sums->lost;
  const double given = s->initial + s->emitted;
  out->residual_m3 = given - (area * sums->deposit + out->lost_m3);
  // docs/model.md "Ledger": 1e-12 relative (1e-5 in single precision), or half an ulp of z per solidification.
  const double relative = (precision_epsilon > DBL_EPSILON ? 1e-5 : 1e-12) * given;
  const double half_ulp = 0.5 * precision_epsilon * exp2(sums->highest > 0 ? floor(log2(sums->highest)) : 0);
  out->bound_m3 = fmax(relative, (double)s->solidifications * half_ulp * area);
}

void sciara_ledger_form(const struct sciara_state *s, double precision_epsilon, struct sciara_ledger *out) {
  struct sums sums = {0};
  add_cells(s, 0, sciara_grid_cells(&s->grid), &sums);
  form(s, &sums, precision_epsilon, out);
}

// Elsewhere every term is 0, and to add it changes no bit.
void sciara_ledger_form_over(const struct sciara_state *s, const struct sciara_touched *touched,
                             double precision_epsilon, struct sciara_ledger *out) {
  struct sums sums = {0};
  for (int64_t r = 0; r < s->grid.rows; r++)
    add_cells(s, r * s->grid.cols + touched->rows[r].begin, r * s->grid.cols + touched->rows[r].end, &sums);
  form(s, &sums, precision_epsilon, out);
}

bool sciara_ledger_closes(const struct sciara_ledger *l) { return fabs(l->residual_m3) <= l->bound_m3; }
