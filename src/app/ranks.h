// SPDX-License-Identifier: Apache-2.0
// The processes that a launcher of MPI (mpirun, srun) has started for one command.
#ifndef SCIARA_APP_RANKS_H
#define SCIARA_APP_RANKS_H

#include "app/command.h"
#include "comm/comm.h"
#include "setup/setup.h"

/**
 * To be called before a command. -1: this process carries it out, with the others as sciara_ranks says. Else the exit code: this
 * process has served another one, had nothing to do, or the command refuses several processes.
 */
int sciara_ranks_begin(const struct sciara_command *command);

/** All processes of the command, of which this one is rank 0; NULL: it is alone. */
struct sciara_comm *sciara_ranks(void);

/** The options of a problem that these processes will compute. */
struct sciara_problem_options sciara_ranks_options(struct sciara_problem_options of_one);

/** Lets the others go; returns the exit code. Does not return if one of them was lost: the launcher then ends all. */
int sciara_ranks_end(int code);

#endif
