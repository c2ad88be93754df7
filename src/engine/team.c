// SPDX-License-Identifier: Apache-2.0
#include "engine/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/text.h"

static bool forked; ///< since the first team

static void note_fork(void) { forked = true; }

static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }

struct call {
  void (*work)(void *context);
  void *context;
  char *why; ///< the error of the thread; NULL: none, or no memory for it
};

static void *do_call(void *argument) {
  struct call *c = (struct call *)argument;
  c->work(c->context);
  if (*sciara_last_error()) c->why = sciara_format("%s", sciara_last_error());
  return NULL;
}

bool sciara_team_call(void (*work)(void *context), void *context) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  if (!forked) {
    work(context);
    return true;
  }
  struct call c = {.work = work, .context = context};
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // the new thread handles no signals
  const bool started = pthread_create(&thread, NULL, do_call, &c) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!started) return false;
  pthread_join(thread, NULL);
  if (c.why) sciara_fail(SCIARA_OK, "%s", c.why);
  free(c.why);
  return true;
}
