// SPDX-License-Identifier: Apache-2.0
// A communicator: those who compute one eruption together, a band of rows each, and what they tell each other. They are
// called ranks, from 0 to size - 1: processes that a launcher of MPI has started, or, in tests, threads of one process.
//
// Rank 0 has the map, the files and the user. The others wait for its commands (engine/banded.h).
#ifndef SCIARA_COMM_COMM_H
#define SCIARA_COMM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

SCIARA_BEGIN_DECLS

/** Seconds after which a rank that does not answer is taken to have ended; see struct sciara_comm. */
#define SCIARA_COMM_TIMEOUT 300.0

struct sciara_comm;

/** Bytes to a rank, or from one. Messages from one rank to another arrive in the order in which they are sent. */
struct sciara_comm_message {
  int rank;     ///< the other one
  bool receive; ///< from it; else to it
  void *data;   ///< host memory; not written if it is sent
  size_t bytes; ///< equal on both sides
};

/** A typed table of functions. Only one thread of a rank may call them. */
struct sciara_comm_ops {
  const char *name; ///< "null", "mpi"; in tests "threads"
  /**
   * The vote of ranks 0 to `ranks` - 1, each of which calls this and gives its own (comm/vote.h). SCIARA_ERR_DEVICE: see
   * sciara_comm_is_lost.
   */
  enum sciara_status (*vote)(struct sciara_comm *c, int ranks, uint64_t *vote);
  /**
   * Begins to send and receive; the data are not touched until `finish`. One start at a time. The others may start before
   * or after: nothing waits here.
   */
  enum sciara_status (*start)(struct sciara_comm *c, const struct sciara_comm_message *messages, int count);
  /**
   * Waits until all messages of the last `start` have been sent and received, at most `patience` s; INFINITY: as long as
   * the others live. SCIARA_ERR_DEVICE: see sciara_comm_is_lost.
   */
  enum sciara_status (*finish)(struct sciara_comm *c, double patience);
  /** Releases the communicator. If it is lost the launcher is told to end the other ranks. `code`: own exit code. */
  void (*close)(struct sciara_comm *c, int code);
};

/** What every communicator begins with. */
struct sciara_comm {
  const struct sciara_comm_ops *ops;
  int rank, size;
  bool one_process; ///< all ranks are threads of one process
  int on_host;      ///< ranks on its host, itself included
  int neighbours;   ///< of these, those that share its cores, itself included
  double timeout;   ///< patience in a step and for an answer, s
  bool lost;        ///< see sciara_comm_is_lost
};

/** Alone: one rank. Constant memory; closing does nothing. */
struct sciara_comm *sciara_comm_null(void);

/**
 * How many processes a launcher of MPI (mpirun, srun --mpi=pmix) has started with this one; 1: none has. *rank: the number of
 * this one. Loads nothing.
 */
int sciara_comm_launched(int *rank);

/**
 * The communicator of all processes that the launcher has started; loads MPI. To be called once, at the start of all of
 * them. SCIARA_ERR_DEVICE if this program was built without MPI, MPI cannot be loaded, or another version of the program
 * takes part. The environment of rank 0 may set the timeout of all: SCIARA_COMM_TIMEOUT, s; SCIARA_ERR_USAGE, at all ranks,
 * if it is wrong.
 */
enum sciara_status sciara_comm_mpi(struct sciara_comm **out);

/** Version of the MPI library that can be loaded; NULL: none, `why` (of `size` bytes) says why. Starts nothing. */
const char *sciara_comm_mpi_version(char *why, size_t size);

/** Sends and receives, and waits. Each message of one rank is one of the other. */
enum sciara_status sciara_comm_exchange(struct sciara_comm *c, const struct sciara_comm_message *messages, int count);

/** Copies `bytes` of rank 0 to all others. Called by all. */
enum sciara_status sciara_comm_broadcast(struct sciara_comm *c, void *data, size_t bytes);

/** Copies `bytes` of each rank to rank 0: `all`, only there, receives size * bytes. Called by all. */
enum sciara_status sciara_comm_gather(struct sciara_comm *c, void *mine, size_t bytes, void *all);

/**
 * Whether a rank has ended, or has not answered in time: the error of that call names it. Then every further call fails,
 * and what the other ranks computed cannot be had any more.
 */
static inline bool sciara_comm_is_lost(const struct sciara_comm *c) { return c->lost; }

SCIARA_END_DECLS
#endif
