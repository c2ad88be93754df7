// SPDX-License-Identifier: Apache-2.0
#include "model/soundness.h"

#include <inttypes.h>
#include <math.h>

/** The name of the invalid quantity of a cell, with its value in *value; NULL if the cell is valid. */
static const char *fault_of(const struct sciara_state *s, const struct sciara_params *params, int64_t i,
                            double *value) {
  const struct {
    const char *name;
    double value;
    bool sound;
  } quantities[] = {
      {"thickness", s->h[i], s->h[i] >= 0},
      {"temperature", s->T[i],
       s->h[i] > 0 ? s->T[i] >= sciara_coldest(params) && s->T[i] <= sciara_hottest(params) : true},
      {"momentum eastward", s->px[i], true},
      {"momentum northward", s->py[i], true},
      {"altitude", s->z[i], s->z[i] >= s->z0[i]},
      {"lava lost", s->lost[i], s->lost[i] >= 0},
  };
  for (size_t k = 0; k < sizeof quantities / sizeof *quantities; k++)
    if (!isfinite(quantities[k].value) || !quantities[k].sound) {
      *value = quantities[k].value;
      return quantities[k].name;
    }
  return NULL;
}

enum sciara_status sciara_state_check_sound(const struct sciara_state *s, const struct sciara_params *params) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  double value = 0;
  if (!isfinite(s->time) || !isfinite(s->clock) || !isfinite(s->emitted))
    return sciara_fail(SCIARA_ERR_NUMERIC, "step %" PRIu64 ": time %g s, clock %g s, emitted %g m3", s->step, s->time,
                       s->clock, s->emitted);
  for (int64_t i = 0; i < cells; i++) {
    const bool bare = s->h[i] == 0 && s->z[i] == s->z0[i] && s->T[i] == 0 && s->px[i] == 0 && s->py[i] == 0 &&
                      s->lost[i] == 0; // most cells
    const char *fault = bare ? NULL : fault_of(s, params, i, &value);
    if (fault)
      return sciara_fail(SCIARA_ERR_NUMERIC, "step %" PRIu64 ": row %" PRId64 ", column %" PRId64 ": %s is %g", s->step,
                         i / s->grid.cols, i % s->grid.cols, fault, value);
  }
  return SCIARA_OK;
}
