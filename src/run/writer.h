// SPDX-License-Identifier: Apache-2.0
// A thread that writes states while the simulation goes on. There are two buffers: while one is written the next state can
// be put into the other; whoever wants a third waits. So a slow disk slows the simulation and loses nothing. Where the
// engine keeps states (engine.h) a buffer stands for a place there, and the thread itself fetches the state.
#ifndef SCIARA_RUN_WRITER_H
#define SCIARA_RUN_WRITER_H

#include "engine/engine.h"
#include "model/ledger.h"

/** What is to be written of a state. */
struct sciara_wanted {
  bool snapshot, checkpoint;
  bool request; ///< somebody waits for the checkpoint
};

/** A state on its way to the disk, and where the simulation stood. */
struct sciara_output {
  struct sciara_state *state;
  struct sciara_wanted wanted;
  double next_snapshot_s; ///< simulated time at which the next snapshot is due
  int place;              ///< number of the buffer, 0 or 1
  struct sciara_engine_progress progress;
  double wall_s;               ///< seconds of the run up to then
  double compute_s;            ///< of these, in the engine
  double output_wait_s;        ///< of these, in which the steps waited for outputs
  struct sciara_ledger ledger; ///< filled in by `write`
  char *path;                  ///< set by `write`; owned by the output
};

struct sciara_writer_work {
  void *context;
  bool fetches; ///< `write` fills the state of its output: one is enough for all buffers
  /** Puts an output on the disk. Called by the writer's thread, one after the other in the order they were given. */
  enum sciara_status (*write)(void *context, struct sciara_output *output);
  /** Tells of an output that is written. Called by whoever calls the functions below. */
  void (*written)(void *context, const struct sciara_output *output);
};

struct sciara_writer;

/** Takes memory for two states like `like`, or for one if `write` fetches it, and starts the thread. */
enum sciara_status sciara_writer_start(const struct sciara_state *like, const struct sciara_writer_work *work,
                                       struct sciara_writer **out);

/** Bytes of the states. `record`: bits of enum sciara_record. */
size_t sciara_writer_memory(const struct sciara_grid *grid, unsigned record, bool fetches);

/** A buffer to be filled; waits until there is one. The error of a failed `write`, when there was one. */
enum sciara_status sciara_writer_borrow(struct sciara_writer *w, struct sciara_output **out);

/** Hands the buffer that was borrowed last to the thread. */
void sciara_writer_give(struct sciara_writer *w);

/** Whether a snapshot waits behind the output that is written now. Any thread may ask, `write` too. */
bool sciara_writer_is_behind(struct sciara_writer *w);

/** Tells of what was written since. False when a `write` has failed: it is time to stop. */
bool sciara_writer_poll(struct sciara_writer *w);

/** Waits until all is written. The error of a failed `write`; what was given after it is not written. */
enum sciara_status sciara_writer_flush(struct sciara_writer *w);

/** Waits likewise, ends the thread and frees everything; NULL: nothing to do. */
void sciara_writer_stop(struct sciara_writer *w);

#endif
