// SPDX-License-Identifier: Apache-2.0
#include "sim/end.h"

#include <math.h>
#include <stddef.h>

#include "base/text.h"

/** What an end says about the stop rule of the simulation. */
enum kind { MET, LIMIT, OUTSIDE, STUCK };

static const struct {
  const char *name; ///< in run.json, messages and log.csv
  uint64_t number;  ///< in files of footprints; 0: none
  enum kind kind;
} ends[] = {
#define END(IDENTIFIER, name, number, ...) [SCIARA_STOP_##IDENTIFIER] = {name, number, MET},
    SCIARA_EACH_STOP_RULE(END)
#undef END
        [SCIARA_STOP_TIME] = {"time", 2, MET}, // MET if it is the time of the stop rule, see sciara_end_is_early
    [SCIARA_STOP_STEPS] = {"steps", 4, LIMIT},
    [SCIARA_STOP_STALLED] = {"stalled", 5, STUCK},
    [SCIARA_STOP_THICK] = {"thickness", 6, STUCK},
    [SCIARA_STOP_CANCEL] = {"cancel", 0, OUTSIDE},
};

enum { ENDS = sizeof ends / sizeof *ends };

static bool is_end(enum sciara_stop_reason reason) { return (size_t)reason < ENDS && ends[reason].name; }

const char *sciara_end_name(enum sciara_stop_reason reason) { return is_end(reason) ? ends[reason].name : "none"; }

uint64_t sciara_end_number(enum sciara_stop_reason reason) { return is_end(reason) ? ends[reason].number : 0; }

enum sciara_stop_reason sciara_end_of_number(uint64_t number) {
  for (size_t k = 0; number > 0 && k < ENDS; k++)
    if (ends[k].number == number) return (enum sciara_stop_reason)k;
  return SCIARA_STOP_NONE;
}

bool sciara_end_is_stuck(enum sciara_stop_reason reason) { return is_end(reason) && ends[reason].kind == STUCK; }

bool sciara_end_is_early(enum sciara_stop_reason reason, bool own_time) {
  return is_end(reason) && (ends[reason].kind != MET || (reason == SCIARA_STOP_TIME && !own_time));
}

double sciara_end_not_before(const struct sciara_limits *l, const struct sciara_foreseen *f) {
  switch (l->until) {
    case SCIARA_UNTIL_SOLIDIFIED: return fmax(f->ended, f->changed);
    case SCIARA_UNTIL_FRONT: return fmax(fmax(f->covered, f->changed) + l->rest_s, f->begun);
    case SCIARA_UNTIL_TIME: break;
  }
  return l->until_s;
}

// ------------------------------------------------------------------------------------------------------- front at rest

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
    r->due = fmax(fmax(r->last, r->changed) + r->duration, emitted);
  else
    r->due = s->time < emitted ? emitted : (double)INFINITY; // if no vent emits, nothing will ever be covered
}

void sciara_front_rest_begin(struct sciara_front_rest *r, double duration, double changed,
                             const struct sciara_vents *vents, const struct sciara_state *state) {
  *r = (struct sciara_front_rest){.duration = duration, .changed = changed};
  if (!(duration > 0)) return;
  r->begun = sciara_vents_begun(vents);
  schedule(r, state);
}

bool sciara_front_rest_met(struct sciara_front_rest *r, const struct sciara_state *state) {
  schedule(r, state);
  return r->last >= 0 && state->time >= r->due;
}

enum sciara_status sciara_front_rest_text(const struct sciara_vents *vents, double time, char **out) {
  struct sciara_emission later;
  *out = NULL;
  SCIARA_TRY(sciara_vents_emission(vents, time, INFINITY, &later));
  if (!(later.volume_m3 > 0)) return SCIARA_OK;
  *out = sciara_format(
      "the front is at rest, but the vents emit another %.6g m3 after the end of the run, until simulated "
      "time %s: that lava may cover more cells; expected a longer run.front_at_rest, or run.until "
      "\"solidified\"",
      later.volume_m3, SCIARA_DURATION(later.end_s));
  return *out ? SCIARA_OK : sciara_no_memory("a warning");
}
