// SPDX-License-Identifier: Apache-2.0
#include "base/share.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
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
