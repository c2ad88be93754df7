// SPDX-License-Identifier: Apache-2.0
// The exchange of a step without the step: what the ranks of a communicator cost.
#include <string.h>

#include "base/mem.h"
#include "base/wallclock.h"
#include "comm/vote.h"
#include "engine/banded_part.h"

/** `count` votes; the smallest time is that of rank 0. */
static enum sciara_status votes(struct sciara_banded_part *p, int count) {
  struct sciara_comm *c = p->comm;
  for (int n = 0; n < count; n++) {
    uint64_t vote = sciara_vote_make(1.0 + n + c->rank, c->rank == c->size - 1 ? SCIARA_VOTE_LIQUID : 0);
    SCIARA_TRY(c->ops->vote(c, c->size, &vote));
    if (vote != sciara_vote_make(1.0 + n, SCIARA_VOTE_LIQUID))
      sciara_banded_note(p, sciara_fail(SCIARA_ERR_NUMERIC, "a vote is %g s", sciara_vote_time(vote)));
  }
  return SCIARA_OK;
}

/** `count` exchanges with both neighbours. data: sent and received, of two sides. */
static enum sciara_status messages(struct sciara_banded_part *p, char *data, size_t bytes, int count) {
  struct sciara_comm *c = p->comm;
  struct sciara_comm_message m[4];
  int messages = 0;
  for (int side = 0; side < 2; side++) {
    const int other = c->rank + (side == 0 ? -1 : 1);
    char *out = data + 2 * (size_t)side * bytes;
    if (other < 0 || other >= c->size) continue;
    m[messages++] = (struct sciara_comm_message){.rank = other, .data = out, .bytes = bytes};
    m[messages++] = (struct sciara_comm_message){.rank = other, .receive = true, .data = out + bytes, .bytes = bytes};
  }
  for (int n = 0; n < count; n++) {
    memset(data, c->rank + n, bytes);
    memset(data + 2 * bytes, c->rank + n, bytes);
    SCIARA_TRY(sciara_comm_exchange(c, m, messages));
    for (int k = 1; k < messages; k += 2) {
      const char *in = (const char *)m[k].data, expected = (char)(m[k].rank + n);
      if (in[0] != expected || in[bytes - 1] != expected)
        sciara_banded_note(p, sciara_fail(SCIARA_ERR_NUMERIC, "a message of %zu bytes is not what was sent", bytes));
    }
  }
  return SCIARA_OK;
}

enum sciara_status sciara_banded_exchange(struct sciara_banded_part *p, const struct sciara_banded_command *command) {
  char *data = NULL;
  bool well = command->bytes == 0 || sciara_alloc((void **)&data, 4, command->bytes, "messages") == SCIARA_OK;
  if (!well) sciara_banded_note(p, SCIARA_ERR_MEMORY);
  uint64_t vote = sciara_vote_make(1, well ? 0 : SCIARA_VOTE_ERROR); // all begin together, or none
  enum sciara_status lost = p->comm->ops->vote(p->comm, p->comm->size, &vote);
  const double begin = sciara_wallclock();
  if (lost == SCIARA_OK && !(vote & SCIARA_VOTE_ERROR))
    lost = command->bytes == 0 ? votes(p, command->count) : messages(p, data, command->bytes, command->count);
  p->report.seconds = command->count > 0 ? (sciara_wallclock() - begin) / command->count : 0;
  sciara_free(data);
  return lost;
}
