// SPDX-License-Identifier: Apache-2.0
#include "sim/front_rest.h"

#include <math.h>

double sciara_last_arrival(const struct sciara_state *s) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  double last = SCIARA_NEVER;
  for (int64_t i = 0; i < cells; i++)
    if (s->arrival[i] > last) last = s->arrival[i];
  return last;
}

static void schedule(struct sciara_front_rest *r, const struct sciara_state *s) {
  const double emitted = nextafter(r->begun, INFINITY); // lava has been emitted up to a time after `begun`
  r->last = sciara_last_arrival(s);
  if (r->last >= 0)
    r->due = fmax(r->last + r->duration, emitted);
  else
    r->due = s->time < emitted ? emitted : (double)INFINITY; // if no vent emits, nothing will ever be covered
}

void sciara_front_rest_begin(struct sciara_front_rest *r, double duration, const struct sciara_vents *vents,
                             const struct sciara_state *state) {
  *r = (struct sciara_front_rest){.duration = duration};
  if (!(duration > 0)) return;
  r->begun = sciara_vents_begun(vents);
  schedule(r, state);
}

bool sciara_front_rest_met(struct sciara_front_rest *r, const struct sciara_state *state) {
  schedule(r, state);
  return r->last >= 0 && state->time >= r->due;
}
