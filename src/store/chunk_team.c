// SPDX-License-Identifier: Apache-2.0
#include "store/chunk.h"

#include <pthread.h>
#include <signal.h>

#include "base/mem.h"

/** The k-th chunk is in buffer k % buffers; passed <= begun <= passed + buffers. */
struct sciara_chunk_team {
  struct sciara_chunk_source source;
  enum sciara_field fields[SCIARA_FIELD_COUNT];
  int64_t per_field, total; ///< chunks
  struct buffer {
    struct sciara_chunk chunk;
    bool done;
  } * buffer;
  int64_t buffers;
  unsigned char *room;
  int encoders, threads; ///< threads: those that were started, which is one less than encoders, or fewer
  struct member {
    struct sciara_chunk_team *team;
    struct sciara_chunk_encoder *encoder;
    pthread_t thread;
  } member[SCIARA_CHUNK_THREADS]; ///< the caller is the first
  pthread_mutex_t mutex;          ///< protects everything below, and `done`
  pthread_cond_t changed;
  int64_t begun;  ///< chunks that a thread has started to encode
  int64_t passed; ///< chunks that the caller has finished
  bool closing;
  int64_t handed; ///< chunks given to the caller; of the caller alone
};

static int64_t across(int64_t cells, int64_t chunk) { return (cells + chunk - 1) / chunk; }

int64_t sciara_chunks_of(const struct sciara_grid *g) {
  return across(g->rows, sciara_chunk_rows(g)) * across(g->cols, sciara_chunk_cols(g));
}

static struct buffer *buffer_of(const struct sciara_chunk_team *t, int64_t number) {
  return &t->buffer[number % t->buffers];
}

/** Encodes the next chunk that no thread has started; without the mutex meanwhile. */
static void encode_next(struct sciara_chunk_team *t, struct member *by) {
  const int64_t number = t->begun++, in_field = number % t->per_field;
  const int64_t in_a_row = across(t->source.grid->cols, sciara_chunk_cols(t->source.grid));
  struct buffer *buffer = buffer_of(t, number);
  pthread_mutex_unlock(&t->mutex);
  buffer->chunk.field = t->fields[number / t->per_field];
  buffer->chunk.row = in_field / in_a_row * SCIARA_CHUNK_SIDE;
  buffer->chunk.col = in_field % in_a_row * SCIARA_CHUNK_SIDE;
  sciara_chunk_encode(by->encoder, &buffer->chunk);
  pthread_mutex_lock(&t->mutex);
  buffer->done = true;
  pthread_cond_broadcast(&t->changed);
}

static void *work(void *argument) {
  struct member *me = (struct member *)argument;
  struct sciara_chunk_team *t = me->team;
  pthread_mutex_lock(&t->mutex);
  while (!t->closing && t->begun < t->total)
    if (t->begun < t->passed + t->buffers)
      encode_next(t, me);
    else
      pthread_cond_wait(&t->changed, &t->mutex);
  pthread_mutex_unlock(&t->mutex);
  return NULL;
}

/** As many as there are; signals are for other threads. */
static void start_threads(struct sciara_chunk_team *t) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int k = 1; k < t->encoders; k++) {
    if (pthread_create(&t->member[k].thread, NULL, work, &t->member[k]) != 0) break;
    t->threads++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int64_t buffers_for(int threads) { return threads > 1 ? 2 * (int64_t)threads : 1; }

enum sciara_status sciara_chunk_team_create(const struct sciara_chunk_source *source, unsigned fields, int threads,
                                            struct sciara_chunk_team **out) {
  const struct sciara_grid *g = source->grid;
  struct sciara_chunk_team *t;
  enum sciara_status status;
  SCIARA_TRY(SCIARA_NEW(t, 1, "the threads of a snapshot"));
  t->source = *source;
  t->per_field = sciara_chunks_of(g);
  int count = 0;
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    if (fields & (1u << f)) t->fields[count++] = (enum sciara_field)f;
  t->total = count * t->per_field;
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->changed, NULL);
  if (threads > SCIARA_CHUNK_THREADS) threads = SCIARA_CHUNK_THREADS;
  if (threads > t->total) threads = (int)t->total;
  if (threads < 1) threads = 1;
  t->buffers = buffers_for(threads);
  const size_t room = sciara_chunk_room(g, source->as_double);
  SCIARA_TRY_GOTO(SCIARA_NEW(t->buffer, t->buffers, "chunks to write"));
  SCIARA_TRY_GOTO(SCIARA_NEW(t->room, (size_t)t->buffers * room, "chunks to write"));
  for (int64_t k = 0; k < t->buffers; k++) t->buffer[k].chunk.bytes = t->room + (size_t)k * room;
  for (; t->encoders < threads; t->encoders++) {
    t->member[t->encoders].team = t;
    SCIARA_TRY_GOTO(sciara_chunk_encoder_create(&t->source, &t->member[t->encoders].encoder));
  }
  start_threads(t);
  *out = t;
  return SCIARA_OK;
cleanup:
  sciara_chunk_team_destroy(t);
  return status;
}

const struct sciara_chunk *sciara_chunk_team_next(struct sciara_chunk_team *t) {
  const int64_t number = t->handed++;
  struct buffer *buffer = buffer_of(t, number);
  pthread_mutex_lock(&t->mutex);
  if (number > 0) buffer_of(t, number - 1)->done = false;
  t->passed = number;
  pthread_cond_broadcast(&t->changed);
  if (t->begun == number) encode_next(t, &t->member[0]);
  while (!buffer->done) pthread_cond_wait(&t->changed, &t->mutex);
  pthread_mutex_unlock(&t->mutex);
  return &buffer->chunk;
}

void sciara_chunk_team_destroy(struct sciara_chunk_team *t) {
  if (!t) return;
  pthread_mutex_lock(&t->mutex);
  t->closing = true;
  pthread_cond_broadcast(&t->changed);
  pthread_mutex_unlock(&t->mutex);
  for (int k = 1; k <= t->threads; k++) pthread_join(t->member[k].thread, NULL);
  for (int k = 0; k < SCIARA_CHUNK_THREADS; k++) sciara_chunk_encoder_destroy(t->member[k].encoder);
  pthread_cond_destroy(&t->changed);
  pthread_mutex_destroy(&t->mutex);
  sciara_free(t->buffer);
  sciara_free(t->room);
  sciara_free(t);
}

size_t sciara_chunk_team_memory(const struct sciara_grid *g, bool as_double, int threads) {
  return (size_t)threads * sciara_chunk_encoder_memory(g, as_double) +
         (size_t)buffers_for(threads) * (sizeof(struct buffer) + sciara_chunk_room(g, as_double)) +
         sizeof(struct sciara_chunk_team);
}
