// SPDX-License-Identifier: Apache-2.0
#include "support/comm_threads.h"

#include <pthread.h>

#include "base/mem.h"
#include "base/wallclock.h"
#include "comm/vote.h"

/** A message that was started. */
struct pending {
  struct sciara_comm_message message;
  bool taken;           ///< sent: the receiver has copied it
  struct pending *next; ///< the next one from this rank to the same other one
};

struct first_and_last {
  struct pending *first, *last;
};

/** What all threads share; everything below `lock`. */
struct shared {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int size, open; ///< ranks; those that have not been closed
  int left;       ///< a rank that was closed while others need it, or -1
  int voted;      ///< votes in `merged`
  uint64_t merged, result, votes;
  struct first_and_last *sent; ///< of rank a to rank b: [a * size + b]
};

struct thread_comm {
  struct sciara_comm base;
  struct shared *shared;
  struct pending *pending;
  int count, room;
};

/** Waits for a change, with the lock; `since`: of the whole wait, on sciara_wallclock. */
static enum sciara_status wait_for_change(struct thread_comm *c, double since, double patience) {
  struct shared *s = c->shared;
  const double until = since + patience;
  if (s->left >= 0) {
    c->base.lost = true;
    return sciara_fail(SCIARA_ERR_DEVICE, "rank %d of %d has ended", s->left, s->size);
  }
  if (isinf(patience)) {
    pthread_cond_wait(&s->changed, &s->lock);
    return SCIARA_OK;
  }
  if (sciara_wallclock() >= until) {
    c->base.lost = true;
    return sciara_fail(SCIARA_ERR_DEVICE, "another of %d ranks has not answered for %g s", s->size, patience);
  }
  const struct timespec at = {.tv_sec = (time_t)until, .tv_nsec = (long)(1e9 * (until - floor(until)))};
  pthread_cond_timedwait(&s->changed, &s->lock, &at);
  return SCIARA_OK;
}

static enum sciara_status vote(struct sciara_comm *base, int ranks, uint64_t *vote) {
  struct thread_comm *c = (struct thread_comm *)base;
  struct shared *s = c->shared;
  const double since = sciara_wallclock();
  enum sciara_status status = SCIARA_OK;
  pthread_mutex_lock(&s->lock);
  const uint64_t number = s->votes;
  s->merged = s->voted == 0 ? *vote : sciara_vote_merge(s->merged, *vote);
  if (++s->voted == ranks) { // the last one; the next vote needs these ranks, so `result` is read before it changes
    s->result = s->merged;
    s->voted = 0;
    s->votes++;
    pthread_cond_broadcast(&s->changed);
  }
  while (status == SCIARA_OK && s->votes == number) status = wait_for_change(c, since, base->timeout);
  *vote = s->result;
  pthread_mutex_unlock(&s->lock);
  return status;
}

static enum sciara_status start(struct sciara_comm *base, const struct sciara_comm_message *messages, int count) {
  struct thread_comm *c = (struct thread_comm *)base;
  struct shared *s = c->shared;
  if (count > c->room) {
    sciara_free(c->pending);
    c->room = c->count = 0;
    SCIARA_TRY(SCIARA_NEW(c->pending, count, "messages"));
    c->room = count;
  }
  c->count = count;
  pthread_mutex_lock(&s->lock);
  for (int k = 0; k < count; k++) {
    struct pending *p = &c->pending[k];
    *p = (struct pending){.message = messages[k]};
    if (p->message.receive) continue;
    struct first_and_last *to = &s->sent[base->rank * s->size + p->message.rank];
    if (to->first)
      to->last->next = p;
    else
      to->first = p;
    to->last = p;
  }
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  return SCIARA_OK;
}

/** Waits for a message and copies it, with the lock, which is released meanwhile. */
static enum sciara_status receive(struct thread_comm *c, const struct sciara_comm_message *m, double since,
                                  double patience) {
  struct shared *s = c->shared;
  struct first_and_last *from = &s->sent[m->rank * s->size + c->base.rank];
  while (!from->first || s->left >= 0) SCIARA_TRY(wait_for_change(c, since, patience));
  struct pending *p = from->first;
  if (p->message.bytes != m->bytes)
    return sciara_fail(SCIARA_ERR_INTERNAL, "rank %d sends %zu bytes to rank %d, which expects %zu", m->rank,
                       p->message.bytes, c->base.rank, m->bytes);
  from->first = p->next;
  pthread_mutex_unlock(&s->lock);
  memcpy(m->data, p->message.data, m->bytes);
  pthread_mutex_lock(&s->lock);
  p->taken = true;
  pthread_cond_broadcast(&s->changed);
  return SCIARA_OK;
}

static enum sciara_status finish(struct sciara_comm *base, double patience) {
  struct thread_comm *c = (struct thread_comm *)base;
  const double since = sciara_wallclock();
  enum sciara_status status = SCIARA_OK;
  pthread_mutex_lock(&c->shared->lock);
  for (int k = 0; k < c->count && status == SCIARA_OK; k++)
    if (c->pending[k].message.receive) status = receive(c, &c->pending[k].message, since, patience);
  for (int k = 0; k < c->count && status == SCIARA_OK; k++)
    while (status == SCIARA_OK && !c->pending[k].message.receive && !c->pending[k].taken)
      status = wait_for_change(c, since, patience);
  pthread_mutex_unlock(&c->shared->lock);
  return status;
}

static void close_thread(struct sciara_comm *base, int code) {
  struct thread_comm *c = (struct thread_comm *)base;
  struct shared *s = c->shared;
  pthread_mutex_lock(&s->lock);
  if (code != 0 || base->lost) s->left = base->rank;
  const bool last = --s->open == 0;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  sciara_free(c->pending);
  sciara_free(c);
  if (!last) return;
  pthread_cond_destroy(&s->changed);
  pthread_mutex_destroy(&s->lock);
  sciara_free(s->sent);
  sciara_free(s);
}

static const struct sciara_comm_ops ops = {"threads", vote, start, finish, close_thread};

static enum sciara_status make_shared(int size, struct shared **out) {
  pthread_condattr_t attributes;
  struct shared *s;
  SCIARA_TRY(SCIARA_NEW(s, 1, "ranks"));
  const enum sciara_status status = SCIARA_NEW(s->sent, (size_t)size * (size_t)size, "messages between ranks");
  if (status != SCIARA_OK) {
    sciara_free(s);
    return status;
  }
  s->size = s->open = size;
  s->left = -1;
  pthread_mutex_init(&s->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); // that of sciara_wallclock
  pthread_cond_init(&s->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  *out = s;
  return SCIARA_OK;
}

enum sciara_status comm_threads(int size, struct sciara_comm *out[]) {
  struct shared *shared = NULL;
  enum sciara_status status = SCIARA_OK;
  for (int k = 0; k < size; k++) out[k] = NULL;
  for (int k = 0; k < size && status == SCIARA_OK; k++) {
    struct thread_comm *c;
    status = SCIARA_NEW(c, 1, "a rank");
    if (status == SCIARA_OK) out[k] = &c->base;
  }
  if (status == SCIARA_OK) status = make_shared(size, &shared);
  for (int k = 0; k < size; k++) {
    struct thread_comm *c = (struct thread_comm *)out[k];
    if (status != SCIARA_OK) {
      sciara_free(c);
      out[k] = NULL;
      continue;
    }
    c->shared = shared;
    c->base = (struct sciara_comm){.ops = &ops,
                                   .rank = k,
                                   .size = size,
                                   .one_process = true,
                                   .on_host = size,
                                   .neighbours = size,
                                   .timeout = SCIARA_COMM_TIMEOUT};
  }
  return status;
}
