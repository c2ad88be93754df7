// SPDX-License-Identifier: Apache-2.0
// The functions of MPI that the program uses. They are in a plugin of their own, sciara-comm/mpi.so beside the library, which
// is compiled against the MPI of the machine and loaded if a launcher of MPI has started the program.
// Included by this room alone.
#ifndef SCIARA_COMM_MPI_PLUGIN_H
#define SCIARA_COMM_MPI_PLUGIN_H

#include "comm/comm.h"

/** Messages of different kinds overtake each other. */
enum sciara_mpi_kind { SCIARA_MPI_MESSAGE, SCIARA_MPI_VOTE };

/** Results are 0, or an error of MPI. */
struct sciara_mpi {
  const char *version; ///< of the program that it belongs to
  /** Starts MPI. */
  int (*begin)(int *rank, int *size);
  /** Begins to send and receive. All that was begun before has ended. */
  int (*post)(const struct sciara_comm_message *messages, int count, enum sciara_mpi_kind kind);
  /** *done: all that `post` has begun has ended. */
  int (*test)(bool *done);
  /** Ends MPI; all ranks do. */
  int (*end)(void);
  /** Ends all ranks, this one too. */
  void (*end_all)(int code);
  void (*explain)(int error, char *text, size_t size);
  /** The name and version of the library; without `begin` too. */
  void (*library)(char *text, size_t size);
};

/** The name of the table in the plugin. */
#define SCIARA_MPI_TABLE "sciara_mpi_table"

#endif
