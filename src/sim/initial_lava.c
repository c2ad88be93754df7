// SPDX-License-Identifier: Apache-2.0
#include "sim/initial_lava.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"

static uint64_t term(uint64_t field, int64_t cell, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return sciara_hash_word(field, (uint64_t)cell, bits);
}

uint64_t sciara_initial_lava_hash(const struct sciara_problem *p) {
  const bool thickness = p->scenario.initial_thickness.path, temperature = p->scenario.initial_temperature.path;
  const struct sciara_state *s = p->state;
  uint64_t sum = 0;
  if (p->observed_hash) return p->observed_hash;
  if (!s || (!thickness && !temperature)) return 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    if (!(s->h[i] > 0)) continue;
    if (thickness) sum += term(0, i, s->h[i]);
    if (temperature) sum += term(1, i, s->T[i]); // otherwise it depends on the parameters of a member
  }
  return sum ? sum : 1;
}

enum sciara_status sciara_initial_lava_check(const struct sciara_problem *p, uint64_t expected) {
  const char *outline = p->scenario.observed.outline;
  const char *thickness = outline ? outline : p->scenario.initial_thickness.path;
  const char *temperature = outline ? "initial.observed" : p->scenario.initial_temperature.path;
  const uint64_t found = expected ? sciara_initial_lava_hash(p) : 0;
  if (found == expected) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s%s%s: expected the initial lava %016" PRIx64 " of the plan, found %016" PRIx64
                     ": a file has changed since it was planned",
                     thickness ? thickness : "", thickness && temperature ? ", " : "", temperature ? temperature : "",
                     expected, found);
}

bool sciara_scenario_has_initial_lava(const struct sciara_scenario_spec *s) {
  return s->initial_thickness.given || s->initial_thickness.path || s->initial_checkpoint || s->observed.outline;
}
