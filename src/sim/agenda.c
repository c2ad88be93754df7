// SPDX-License-Identifier: Apache-2.0
#include "sim/agenda.h"

#include <math.h>

#include "base/wallclock.h"

enum {
  FIRST_SAMPLE = 64,
  SAMPLES_APART = 4096,
  LATER = 4,     // times as many steps until the next sample, where the lava is deep
  TESTS = 8,     // for towers, by simulated time
  LITTLE_S = 10, // a simulation with less work since its last checkpoint is not stored when it is left
};

double sciara_next_multiple(double every, double time) {
  if (!(every > 0)) return INFINITY;
  double k = floor(time / every); // may be 1 too large or too small, because the quotient is rounded
  if (k * every > time) k--;
  if ((k + 1) * every <= time) k++;
  const double next = (k + 1) * every;
  return next > time && next < INFINITY ? next : nextafter(time, INFINITY);
}

void sciara_agenda_begin(struct sciara_agenda *a, double time) {
  a->snapshot = sciara_next_multiple(a->snapshot_every, time);
  sciara_agenda_checkpoint_done(a, time, true);
  a->tower.sample = UINT64_MAX;
  a->tower.over = true;
  a->tower.tests = TESTS;
}

struct sciara_due sciara_agenda_take(struct sciara_agenda *a, double time) {
  const struct sciara_due due = {
      .snapshot = time >= a->snapshot,
      .checkpoint = a->asked || time >= a->checkpoint || sciara_agenda_wall_due(a, false),
      .request = a->asked,
  };
  a->asked = false;
  if (due.snapshot) a->snapshot = sciara_next_multiple(a->snapshot_every, time);
  if (due.checkpoint) sciara_agenda_checkpoint_done(a, time, true);
  return due;
}

// ------------------------------------------------------------------------------------------------------ checkpoints

bool sciara_agenda_wall_due(const struct sciara_agenda *a, bool leaving) {
  const double due = leaving ? fmin(a->stored + LITTLE_S, a->wall) : a->wall;
  return isfinite(due) && sciara_wallclock() >= due;
}

void sciara_agenda_checkpoint_done(struct sciara_agenda *a, double time, bool written) {
  const double now = sciara_wallclock();
  if (written) a->stored = now;
  a->wall = a->checkpoint_wall > 0 ? now + a->checkpoint_wall : (double)INFINITY;
  a->checkpoint = sciara_next_multiple(a->checkpoint_every, time);
}

bool sciara_agenda_has_checkpoints(const struct sciara_agenda *a) {
  return isfinite(a->checkpoint) || isfinite(a->wall);
}

// ----------------------------------------------------------------------------------------------------------- towers

/** Sets the first sample after `step`. */
static void schedule_sample(struct sciara_agenda *a, uint64_t step) {
  const uint64_t apart = SAMPLES_APART, not_before = a->tower.not_before;
  uint64_t next = FIRST_SAMPLE;
  while (next <= step && next < apart) next *= 2;
  if (next <= step) next = step / apart * apart + apart;
  while (next < not_before) next = next < apart ? 2 * next : next + (not_before - next + apart - 1) / apart * apart;
  a->tower.sample = a->tower.over ? UINT64_MAX : next;
}

void sciara_agenda_sample_towers(struct sciara_agenda *a, double thickness, uint64_t step) {
  a->tower.thickness = thickness;
  a->tower.over = false;
  schedule_sample(a, step);
}

/** Simulated time of the next test, s; INFINITY: none. */
static double next_test(const struct sciara_agenda *a) {
  return a->tower.tests < TESTS ? a->tower.until * (a->tower.tests + 1) / TESTS : (double)INFINITY;
}

void sciara_agenda_test_towers(struct sciara_agenda *a, double until) {
  a->tower.until = until;
  a->tower.tests = 0;
}

bool sciara_agenda_towers_due(const struct sciara_agenda *a, const struct sciara_engine_progress *now) {
  return now->time >= next_test(a) || (now->step >= a->tower.sample && now->reason == SCIARA_STOP_THICK);
}

void sciara_agenda_towers_done(struct sciara_agenda *a, const struct sciara_engine_progress *now, bool deep) {
  if (deep) a->tower.not_before = LATER * now->step;
  if (now->step >= a->tower.sample) schedule_sample(a, now->step);
  while (now->time >= next_test(a)) a->tower.tests++;
}

// ------------------------------------------------------------------------------------------------------------ steps

struct sciara_advance_limit sciara_agenda_next(const struct sciara_agenda *a, uint64_t step) {
  const bool sample = step + 1 == a->tower.sample, none = a->tower.sample == UINT64_MAX;
  return (struct sciara_advance_limit){
      .time = fmin(fmin(a->snapshot, a->checkpoint), next_test(a)),
      .step =
          a->tower.sample - (sample || none ? 0 : 1), // without a sample in this step: advance up to the step before it
      .thickness = sample ? a->tower.thickness : 0,
      .due = a->wall,
      .cancel = a->cancel};
}

bool sciara_agenda_interrupts(struct sciara_agenda *a) {
  if (a->cancel && __atomic_load_n(a->cancel, __ATOMIC_RELAXED)) a->stop = true;
  if (a->request && __atomic_exchange_n(a->request, 0, __ATOMIC_RELAXED)) a->asked = true;
  return a->stop || a->asked;
}

bool sciara_agenda_is_over(const struct sciara_agenda *a, const struct sciara_engine_progress *now) {
  return a->stop && (now->reason == SCIARA_STOP_CANCEL || now->reason == SCIARA_STOP_WALL);
}
