// SPDX-License-Identifier: Apache-2.0
#include "run/writer.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/** The k-th output is in buffer k % SCIARA_BUFFERS; reported <= done <= given <= reported + SCIARA_BUFFERS. */
struct sciara_writer {
  struct sciara_writer_work work;
  struct sciara_output buffer[SCIARA_BUFFERS];
  pthread_t thread;
  bool running;
  pthread_mutex_t mutex; ///< protects everything below
  pthread_cond_t changed;
  uint64_t given, done; ///< outputs
  uint64_t reported;    ///< used by the caller only
  bool closing;
  enum sciara_status status; ///< of the first failed `write`; nothing is written after it
  char *why;
};

static struct sciara_output *output(struct sciara_writer *w, uint64_t number) {
  return &w->buffer[number % SCIARA_BUFFERS];
}

/** One output, without the mutex: it belongs to the thread while it is given and not done. */
static void write_next(struct sciara_writer *w) {
  const bool skip = w->status != SCIARA_OK;
  struct sciara_output *next = output(w, w->done);
  pthread_mutex_unlock(&w->mutex);
  enum sciara_status status = skip ? SCIARA_OK : w->work.write(w->work.context, next);
  char *why = status != SCIARA_OK ? sciara_format("%s", sciara_last_error()) : NULL;
  pthread_mutex_lock(&w->mutex);
  if (status != SCIARA_OK) {
    w->status = status;
    w->why = why;
  }
  w->done++;
  pthread_cond_broadcast(&w->changed);
}

static void *work(void *context) {
  struct sciara_writer *w = (struct sciara_writer *)context;
  pthread_mutex_lock(&w->mutex);
  for (;;) {
    if (w->done < w->given)
      write_next(w);
    else if (w->closing)
      break;
    else
      pthread_cond_wait(&w->changed, &w->mutex);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

/** Starts the thread with signals blocked: they are for the thread of the caller. */
static int start_thread(struct sciara_writer *w) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&w->thread, NULL, work, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

enum sciara_status sciara_writer_start(const struct sciara_state *like, const struct sciara_writer_work *work_to_do,
                                       struct sciara_writer **out) {
  struct sciara_writer *w;
  enum sciara_status status;
  SCIARA_TRY(SCIARA_NEW(w, 1, "the writer"));
  w->work = *work_to_do;
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->changed, NULL);
  for (int k = 0; k < SCIARA_BUFFERS; k++) {
    w->buffer[k].buffer = k;
    if (k > 0 && w->work.fetches)
      w->buffer[k].state = w->buffer[0].state;
    else
      SCIARA_TRY_GOTO(sciara_state_clone(like, &w->buffer[k].state));
  }
  const int error = start_thread(w);
  if (error != 0) {
    status = sciara_fail(SCIARA_ERR_MEMORY, "no thread for the writer: %s", strerror(error));
    goto cleanup;
  }
  w->running = true;
  *out = w;
  return SCIARA_OK;
cleanup:
  sciara_writer_stop(w);
  return status;
}

/** Reports the outputs before `end` that were written. */
static void report(struct sciara_writer *w, uint64_t end) {
  for (; w->reported < end; w->reported++) {
    struct sciara_output *o = output(w, w->reported);
    if (o->path && w->work.written) w->work.written(w->work.context, o);
    free(o->path);
    o->path = NULL;
  }
}

/** Waits until fewer than `most` outputs are pending, and reports those that are written. */
static enum sciara_status wait_for(struct sciara_writer *w, uint64_t most) {
  pthread_mutex_lock(&w->mutex);
  while (w->given - w->done >= most) pthread_cond_wait(&w->changed, &w->mutex);
  const uint64_t done = w->done;
  enum sciara_status status = w->status;
  if (status != SCIARA_OK) status = sciara_fail(status, "%s", w->why ? w->why : "a state could not be written");
  pthread_mutex_unlock(&w->mutex);
  report(w, done);
  return status;
}

enum sciara_status sciara_writer_borrow(struct sciara_writer *w, struct sciara_output **out) {
  SCIARA_TRY(wait_for(w, SCIARA_BUFFERS));
  *out = output(w, w->given); // only the caller changes `given`
  return SCIARA_OK;
}

void sciara_writer_give(struct sciara_writer *w) {
  pthread_mutex_lock(&w->mutex);
  w->given++;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->mutex);
}

bool sciara_writer_is_behind(struct sciara_writer *w) {
  bool behind = false;
  pthread_mutex_lock(&w->mutex);
  for (uint64_t k = w->done + 1; k < w->given; k++) behind |= output(w, k)->due.snapshot;
  pthread_mutex_unlock(&w->mutex);
  return behind;
}

bool sciara_writer_poll(struct sciara_writer *w) { return wait_for(w, UINT64_MAX) == SCIARA_OK; }

enum sciara_status sciara_writer_flush(struct sciara_writer *w) { return wait_for(w, 1); }

void sciara_writer_stop(struct sciara_writer *w) {
  if (!w) return;
  if (w->running) {
    pthread_mutex_lock(&w->mutex);
    w->closing = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
    report(w, w->done);
  }
  for (int k = 0; k < SCIARA_BUFFERS; k++) {
    if (k == 0 || !w->work.fetches) sciara_state_destroy(w->buffer[k].state);
    free(w->buffer[k].path);
  }
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->mutex);
  free(w->why);
  sciara_free(w);
}
