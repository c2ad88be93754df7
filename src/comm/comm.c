// SPDX-License-Identifier: Apache-2.0
// What is made of the functions of every communicator, and the communicator of one rank.
#include "comm/comm.h"

#include <string.h>

#include "base/mem.h"

enum sciara_status sciara_comm_exchange(struct sciara_comm *c, const struct sciara_comm_message *messages, int count) {
  SCIARA_TRY(c->ops->start(c, messages, count));
  return c->ops->finish(c, c->timeout);
}

/** Exchanges `bytes` between rank 0 and each of the others. */
static enum sciara_status with_all(struct sciara_comm *c, bool to_root, char *data, size_t bytes, size_t stride) {
  if (bytes == 0) return SCIARA_OK;
  struct sciara_comm_message *m, own = {.rank = 0, .receive = !to_root, .data = data, .bytes = bytes};
  if (c->rank > 0) return sciara_comm_exchange(c, &own, 1);
  SCIARA_TRY(SCIARA_NEW(m, c->size, "messages"));
  for (int k = 1; k < c->size; k++)
    m[k - 1] =
        (struct sciara_comm_message){.rank = k, .receive = to_root, .data = data + (size_t)k * stride, .bytes = bytes};
  const enum sciara_status status = sciara_comm_exchange(c, m, c->size - 1);
  sciara_free(m);
  return status;
}

enum sciara_status sciara_comm_broadcast(struct sciara_comm *c, void *data, size_t bytes) {
  return with_all(c, false, (char *)data, bytes, 0);
}

enum sciara_status sciara_comm_gather(struct sciara_comm *c, void *mine, size_t bytes, void *all) {
  if (c->rank > 0) return with_all(c, true, (char *)mine, bytes, 0);
  memcpy(all, mine, bytes);
  return with_all(c, true, (char *)all, bytes, bytes);
}

// ---------------------------------------------------------------------------------------------------------------- null

static enum sciara_status vote_alone(struct sciara_comm *c, int ranks, uint64_t *vote) {
  (void)c, (void)ranks, (void)vote;
  return SCIARA_OK;
}

static enum sciara_status start_alone(struct sciara_comm *c, const struct sciara_comm_message *messages, int count) {
  (void)c, (void)messages;
  return count == 0 ? SCIARA_OK : sciara_fail(SCIARA_ERR_INTERNAL, "a message, but there is only one rank");
}

static enum sciara_status finish_alone(struct sciara_comm *c, double patience) {
  (void)c, (void)patience;
  return SCIARA_OK;
}

static void close_alone(struct sciara_comm *c, int code) { (void)c, (void)code; }

struct sciara_comm *sciara_comm_null(void) {
  static const struct sciara_comm_ops ops = {"null", vote_alone, start_alone, finish_alone, close_alone};
  static struct sciara_comm alone = {.ops = &ops, .size = 1, .one_process = true, .on_host = 1, .neighbours = 1};
  return &alone;
}
