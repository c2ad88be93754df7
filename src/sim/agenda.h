// SPDX-License-Identifier: Apache-2.0
// What is due when while a simulation continues, for runs and members: snapshots, checkpoints, tests for towers, and the
// end from outside. What is due never changes a step.
//
// Towers are tested for in two ways. A run samples certain steps, at whose end a cell has as much liquid lava as a tower.
// The engine notices that in this step alone, so that others take no longer, and only then is its state copied. A member
// is tested at equal intervals of simulated time. All these steps are the same on every exact engine, so the warnings are
// too.
#ifndef SCIARA_SIM_AGENDA_H
#define SCIARA_SIM_AGENDA_H

#include "sim/simulation.h"

/** The outputs that are due. */
struct sciara_due {
  bool snapshot, checkpoint;
  bool request; ///< the checkpoint was requested
};

/** Set what is wanted, then call sciara_agenda_begin. Zero: nothing. */
struct sciara_agenda {
  // What is wanted.
  double snapshot_every, checkpoint_every; ///< simulated time between two, s
  double checkpoint_wall;                  ///< wall-clock time between two, s
  const int *cancel;                       ///< set (atomically) to end the simulation; may be NULL
  int *request;                            ///< set (atomically) to request a checkpoint; reset to 0; may be NULL

  // What is next.
  double snapshot, checkpoint; ///< simulated time, s; INFINITY: none
  double wall;                 ///< of the next checkpoint, on the monotonic clock, s; INFINITY: none
  double stored;               ///< of the last checkpoint or the start, on that clock
  bool stop;                   ///< the simulation ends from outside
  bool asked;                  ///< for a checkpoint
  struct {
    double thickness; ///< of the liquid lava that a sample looks for, m
    uint64_t sample;  ///< the step at whose end it is looked for next; UINT64_MAX: none
    uint64_t not_before;
    bool over;    ///< no samples any more
    double until; ///< tests at equal intervals end at this simulated time, s
    int tests;    ///< done
  } tower;
};

/**
 * The first of the rounded products k * every (k = 1, 2, ...) after `time`, or the next number if the products are
 * closer together than floating-point numbers; INFINITY if `every` is not above 0. All in s.
 */
double sciara_next_multiple(double every, double time);

/** The intervals begin at this simulated time, s, and at the current wall-clock time. No tests for towers. */
void sciara_agenda_begin(struct sciara_agenda *a, double time);

/**
 * Samples for towers from the step after `step` on, at the powers of 2 from 64 and the multiples of 4096.
 *
 * @param thickness sciara_tower_least
 */
void sciara_agenda_sample_towers(struct sciara_agenda *a, double thickness, uint64_t step);

/** Tests for towers at equal intervals of simulated time up to `until`, s. */
void sciara_agenda_test_towers(struct sciara_agenda *a, double until);

/** Up to where the simulation may continue from `step`; its tick is not set. */
struct sciara_advance_limit sciara_agenda_next(const struct sciara_agenda *a, uint64_t step);

/** Between slices of work: notices a request and the end from outside. Whether the steps are to be interrupted. */
bool sciara_agenda_interrupts(struct sciara_agenda *a);

/** The outputs that are due, which are then no longer so. */
struct sciara_due sciara_agenda_take(struct sciara_agenda *a, double time);

/** Whether the steps end here that a request or an end from outside has interrupted. */
bool sciara_agenda_is_over(const struct sciara_agenda *a, const struct sciara_engine_progress *now);

/** Whether the state is to be tested for towers. */
bool sciara_agenda_towers_due(const struct sciara_agenda *a, const struct sciara_engine_progress *now);

/** The test was made, or was not due. @param deep a sample had much lava, but no tower: the next one comes much later */
void sciara_agenda_towers_done(struct sciara_agenda *a, const struct sciara_engine_progress *now, bool deep);

/** Whether a checkpoint by wall-clock time is due; `leaving`: what was done since the last one would be lost otherwise. */
bool sciara_agenda_wall_due(const struct sciara_agenda *a, bool leaving);

/** A checkpoint was written at this simulated time, s, or could not be. */
void sciara_agenda_checkpoint_done(struct sciara_agenda *a, double time, bool written);

/** Whether there are checkpoints at intervals. */
bool sciara_agenda_has_checkpoints(const struct sciara_agenda *a);

#endif
