// SPDX-License-Identifier: Apache-2.0
#include "model/ledger.h"

#include <float.h>
#include <math.h>

void sciara_ledger_form(const struct sciara_state *s, double precision_epsilon, struct sciara_ledger *out) {
  const double area = s->grid.cell_size * s->grid.cell_size;
  const int64_t cells = sciara_grid_cells(&s->grid);
  double liquid = 0, solid = 0, deposit = 0, lost = 0, highest = 0;
  for (int64_t i = 0; i < cells; i++) {
    if (s->kind[i] == SCIARA_CELL_NODATA) continue;
    const double rock = s->z[i] - s->z0[i];
    liquid += s->h[i];
    solid += rock;
    deposit += s->h[i] + rock;
    lost += s->lost[i];
    if (rock > 0) highest = fmax(highest, fabs(s->z[i]));
  }
  out->initial_m3 = s->initial;
  out->emitted_m3 = s->emitted;
  out->liquid_m3 = area * liquid;
  out->solid_m3 = area * solid;
  out->lost_m3 = area * lost;
  const double given = s->initial + s->emitted;
  out->residual_m3 = given - (area * deposit + out->lost_m3);
  // docs/model.md "Ledger": 1e-12 relative (1e-5 in single precision), or half an ulp of z per solidification.
  const double relative = (precision_epsilon > DBL_EPSILON ? 1e-5 : 1e-12) * given;
  const double half_ulp = 0.5 * precision_epsilon * exp2(highest > 0 ? floor(log2(highest)) : 0);
  out->bound_m3 = fmax(relative, (double)s->solidifications * half_ulp * area);
}

bool sciara_ledger_closes(const struct sciara_ledger *l) { return fabs(l->residual_m3) <= l->bound_m3; }
