// SPDX-License-Identifier: Apache-2.0
// A thread that writes states while the simulation continues. There are two buffers: while one is written, the next
// state can be put into the other; a third one must wait. So a slow disk slows down the simulation and loses nothing.
// If the engine captures states (engine.h), a buffer stands for one there, and the thread itself fetches the state.
#ifndef SCIARA_RUN_WRITER_H
#define SCIARA_RUN_WRITER_H

#include "engine/engine.h"
#include "sim/agenda.h"

/** A state to be written, and the progress of the simulation. */
struct sciara_output {
  struct sciara_state *state;
  struct sciara_due due;
  double next_snapshot_s; ///< simulated time at which the next snapshot is due
  int buffer;             ///< number of the buffer, 0 or 1
  struct sciara_engine_progress progress;
  double wall_s;               ///< wall-clock seconds of the run up to then
  double compute_s;            ///< of these, in the engine
  double output_wait_s;        ///< of these, in which the steps waited for outputs
  struct sciara_ledger ledger; ///< filled in by `write`
  char *path;                  ///< set by `write`; owned by the output
  char notice[1024];           ///< set by `write`: a warning that the state gave rise to; "" if there is none
};

struct sciara_writer_work {
  void *context;
  bool fetches; ///< `write` fills the state of its output: one state is enough for all buffers
  /** Writes an output to the disk. Called by the thread of the writer, in the order in which outputs were given. */
  enum sciara_status (*write)(void *context, struct sciara_output *output);
  /** Reports an output that was written. Called by the thread that calls the functions below. */
  void (*written)(void *context, const struct sciara_output *output);
};

struct sciara_writer;

/** Allocates two states like `like`, or one if `write` fetches it, and starts the thread. */
enum sciara_status sciara_writer_start(const struct sciara_state *like, const struct sciara_writer_work *work,
                                       struct sciara_writer **out);

/** Gives a buffer to be filled; waits until one is free. Returns the error of a failed `write`, if there was one. */
enum sciara_status sciara_writer_borrow(struct sciara_writer *w, struct sciara_output **out);

/** Hands the buffer that was borrowed last to the thread. */
void sciara_writer_give(struct sciara_writer *w);

/** Whether a snapshot waits behind the output that is being written. May be called by any thread, also in `write`. */
bool sciara_writer_is_behind(struct sciara_writer *w);

/** Reports what was written since the last call. False if a `write` has failed: the run must stop. */
bool sciara_writer_poll(struct sciara_writer *w);

/** Waits until everything is written. Returns the error of a failed `write`; later outputs are not written. */
enum sciara_status sciara_writer_flush(struct sciara_writer *w);

/** Waits in the same way, ends the thread and frees everything; NULL: nothing to do. */
void sciara_writer_stop(struct sciara_writer *w);

#endif
