// SPDX-License-Identifier: Apache-2.0
#include "base/share.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

int sciara_usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN), most = 1024;
  return online < 1 ? 1 : (int)(online < most ? online : most);
}

int sciara_free_cores(int threads) {
  const int left = sciara_usable_cores() - threads;
  return left > 1 ? left : 1;
}

struct part {
  void (*work)(void *context, int64_t begin, int64_t end);
  void *context;
  int64_t begin, end;
  pthread_t thread;
};

static void *do_part(void *argument) {
  const struct part *p = (const struct part *)argument;
  p->work(p->context, p->begin, p->end);
  return NULL;
}

void sciara_share(int threads, int64_t count, void (*work)(void *context, int64_t begin, int64_t end), void *context) {
  struct part part[SCIARA_SHARE_THREADS];
  sigset_t all, before;
  if (threads > SCIARA_SHARE_THREADS) threads = SCIARA_SHARE_THREADS;
  if (threads > count) threads = (int)count;
  int started = 0;
  int64_t begin = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // these threads handle no signals
  for (; started < threads - 1; started++) {
    struct part *p = &part[started];
    *p = (struct part){.work = work, .context = context, .begin = begin, .end = begin + count / threads};
    if (pthread_create(&p->thread, NULL, do_part, p) != 0) break;
    begin = p->end;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  work(context, begin, count);
  for (int k = 0; k < started; k++) pthread_join(part[k].thread, NULL);
}

/** Pieces that threads take, and the first error. */
struct pieces {
  enum sciara_status (*work)(void *context, size_t piece);
  void *context;
  size_t count;
  atomic_size_t next;
  pthread_mutex_t lock; ///< for what follows
  size_t failed_piece;
  struct sciara_failure failed;
};

static void do_pieces(void *context, int64_t begin, int64_t end) {
  struct pieces *p = (struct pieces *)context;
  (void)begin;
  (void)end;
  for (size_t piece; (piece = atomic_fetch_add(&p->next, 1)) < p->count;) {
    const enum sciara_status status = p->work(p->context, piece);
    if (status == SCIARA_OK) continue;
    atomic_store(&p->next, p->count); // no other is begun; those before this one were
    pthread_mutex_lock(&p->lock);
    if (p->failed.status == SCIARA_OK || piece < p->failed_piece) {
      sciara_failure_free(&p->failed);
      sciara_failure_keep(&p->failed, status);
      p->failed_piece = piece;
    }
    pthread_mutex_unlock(&p->lock);
  }
}

enum sciara_status sciara_share_pieces(int threads, size_t count,
                                       enum sciara_status (*work)(void *context, size_t piece), void *context) {
  struct pieces p = {.work = work, .context = context, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
  sciara_share(threads, (int64_t)count, do_pieces, &p);
  const enum sciara_status status = sciara_failure_status(&p.failed);
  sciara_failure_free(&p.failed);
  return status;
}
