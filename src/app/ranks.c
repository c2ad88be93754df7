// SPDX-License-Identifier: Apache-2.0
#include "app/ranks.h"

#include <signal.h>
#include <unistd.h>

#include "app/messages.h"
#include "engine/banded.h"

static struct sciara_comm *comm; // of the command in work

struct sciara_comm *sciara_ranks(void) {
  return comm;
}

/** Rank 0 decides what a signal means; the others serve it until it lets them go. */
static void leave_signals_to_root(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
  for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) signal(signals[k], SIG_IGN);
}

/** The life of a rank other than 0. If it loses another one it ends last, so that rank 0 can say why the run failed. */
static int serve(void) {
  enum { PATIENCE_WITH_ROOT = 10 }; // s
  const int code = sciara_report(sciara_banded_serve(comm));
  if (sciara_comm_is_lost(comm)) sleep(PATIENCE_WITH_ROOT);
  comm->ops->close(comm, code);
  comm = NULL;
  return code;
}

int sciara_ranks_begin(const struct sciara_command *command) {
  int rank;
  const int size = sciara_comm_launched(&rank);
  if (size == 1) return -1;
  if (command->ranks == SCIARA_RANK_0) return rank == 0 ? -1 : SCIARA_OK;
  if (command->ranks == SCIARA_NO_RANKS) {
    if (rank == 0)
      sciara_error("'sciara %s' is one process, and was started as %d by a launcher of MPI; expected one: it uses the "
                   "cores and GPUs of its host itself. Of an ensemble each process can compute a part (--part)",
                   command->name, size);
    return rank == 0 ? SCIARA_ERR_USAGE : SCIARA_OK; // the launcher ends all when one of them fails
  }
  if (rank > 0) leave_signals_to_root();
  const enum sciara_status status = sciara_comm_mpi(&comm);
  if (status == SCIARA_ERR_USAGE && rank > 0) return SCIARA_OK; // rank 0 says what is wrong
  const int code = sciara_report(status);
  if (code != SCIARA_OK) return code;
  return rank == 0 ? -1 : serve();
}

struct sciara_problem_options sciara_ranks_options(struct sciara_problem_options of_one) {
  struct sciara_problem_options how = of_one;
  if (!comm) return how;
  how.ranks = comm->size;
  how.ranks_here = comm->on_host;
  return how;
}

int sciara_ranks_end(int code) {
  if (!comm) return code;
  const int dismissed = sciara_report(sciara_banded_dismiss(comm));
  comm->ops->close(comm, code != 0 ? code : dismissed);
  comm = NULL;
  return code != 0 ? code : dismissed;
}
