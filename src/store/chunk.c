// SPDX-License-Identifier: Apache-2.0
// Bytes of a chunk: byte 0 of every value, then byte 1 of every value ... (HDF5's shuffle), as a zlib stream, and the
// Fletcher-32 of that. The stream consists of independent pieces (Z_FULL_FLUSH): most repeat a single byte, and those
// are deflated once. Z_RLE, because in shuffled numbers only neighbouring bytes repeat.
#include "store/chunk.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

enum {
  PIECE = 32768,                              // bytes; zlib's window, which then never moves
  ROOM = PIECE + PIECE / 8 + PIECE / 64 + 64, // of a deflated piece; zlib's deflateBound, and a flush
  HEADER = 2,                                 // of a zlib stream
  TRAILER = 2 + 4 + 4,                        // an empty last block, Adler-32, Fletcher-32
  EVEN_ROOM = 192                             // of a deflated piece of one byte
};

/** A deflated piece of PIECE times the same byte. */
struct even_piece {
  size_t count; ///< 0: not deflated yet
  uLong adler;
  unsigned char bytes[EVEN_ROOM];
};

/** The memory of one thread that encodes chunks. */
struct encoder {
  const struct sciara_chunk_source *source;
  int64_t rows, cols;  // of a chunk
  size_t values, item; // in a chunk; bytes of each
  z_stream deflater;
  bool deflates;
  unsigned char *shuffled;
  struct even_piece even[256];
};

double sciara_chunk_fill(enum sciara_field field) {
  // 0 is "no lava", and most of the grid has none. Lava that never came is the missing value of arrival_time.
  return field == SCIARA_FIELD_ARRIVAL_TIME ? SCIARA_NODATA_ALTITUDE : 0.0;
}

int64_t sciara_chunk_rows(const struct sciara_grid *g) {
  return g->rows < SCIARA_CHUNK_SIDE ? g->rows : SCIARA_CHUNK_SIDE;
}
int64_t sciara_chunk_cols(const struct sciara_grid *g) {
  return g->cols < SCIARA_CHUNK_SIDE ? g->cols : SCIARA_CHUNK_SIDE;
}

static size_t raw_bytes(const struct sciara_grid *g, bool as_double) {
  return (size_t)(sciara_chunk_rows(g) * sciara_chunk_cols(g)) * (as_double ? sizeof(double) : sizeof(float));
}

size_t sciara_chunk_room(const struct sciara_grid *g, bool as_double) {
  return HEADER + (raw_bytes(g, as_double) + PIECE - 1) / PIECE * ROOM + TRAILER;
}

static size_t encoder_memory(const struct sciara_grid *g, bool as_double) {
  enum { ZLIB = (1 << 17) + (1 << 17) + 8192 }; // zconf.h
  return sizeof(struct encoder) + raw_bytes(g, as_double) + ZLIB;
}

static void encoder_destroy(struct encoder *e) {
  if (!e) return;
  if (e->deflates) deflateEnd(&e->deflater);
  sciara_free(e->shuffled);
  sciara_free(e);
}

static enum sciara_status encoder_create(const struct sciara_chunk_source *source, struct encoder **out) {
  const struct sciara_grid *g = source->grid;
  struct encoder *e = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(e, 1, "an encoder of chunks"));
  e->source = source;
  e->rows = sciara_chunk_rows(g);
  e->cols = sciara_chunk_cols(g);
  e->values = (size_t)(e->rows * e->cols);
  e->item = source->as_double ? sizeof(double) : sizeof(float);
  SCIARA_TRY_GOTO(SCIARA_NEW(e->shuffled, raw_bytes(g, source->as_double), "a chunk to write"));
  e->deflates = deflateInit2(&e->deflater, 1, Z_DEFLATED, -MAX_WBITS, 8, Z_RLE) == Z_OK;
  if (!e->deflates) {
    status = sciara_fail(SCIARA_ERR_MEMORY, "no memory to deflate a chunk");
    goto cleanup;
  }
  *out = e;
  return SCIARA_OK;
cleanup:
  encoder_destroy(e);
  return status;
}

// ----------------------------------------------------------------------------------------------------------- shuffled

/** A value as bits of the type of the file. */
static uint64_t file_bits(const struct encoder *e, double value) {
  return e->source->as_double ? sciara_double_bits(value) : sciara_float_bits((float)value);
}

static void fill_all(const struct encoder *e, uint64_t fill) {
  for (size_t b = 0; b < e->item; b++) memset(e->shuffled + b * e->values, (int)(fill >> 8 * b & 0xff), e->values);
}

/** Whether any of the values cannot be stored; *differs: whether any is not the fill value. */
static bool look_at(const struct encoder *e, const double *value, int64_t cols, uint64_t fill, bool *differs) {
  uint64_t other = 0;
  int misfits = 0;
  if (e->source->as_double)
    for (int64_t c = 0; c < cols; c++) {
      other |= sciara_double_bits(value[c]) ^ fill;
      misfits |= (sciara_double_bits(value[c]) & 0x7ff0000000000000u) == 0x7ff0000000000000u;
    }
  else
    for (int64_t c = 0; c < cols; c++) {
      const uint32_t bits = sciara_float_bits((float)value[c]);
      other |= bits ^ (uint32_t)fill;
      misfits |= (bits & 0x7f800000u) == 0x7f800000u;
    }
  *differs = other != 0;
  return misfits != 0;
}

static void shuffle_row(const struct encoder *e, const double *value, int64_t cols, unsigned char *to) {
  uint32_t narrow[SCIARA_CHUNK_SIDE];
  if (e->source->as_double) {
    for (size_t b = 0; b < sizeof(double); b++, to += e->values)
      for (int64_t c = 0; c < cols; c++) to[c] = (unsigned char)(sciara_double_bits(value[c]) >> 8 * b);
    return;
  }
  for (int64_t c = 0; c < cols; c++) narrow[c] = sciara_float_bits((float)value[c]);
  for (size_t b = 0; b < sizeof(float); b++, to += e->values)
    for (int64_t c = 0; c < cols; c++) to[c] = (unsigned char)(narrow[c] >> 8 * b);
}

static void report_misfit(const struct encoder *e, const double *value, int64_t row, struct sciara_chunk *chunk) {
  int64_t c = 0;
  const uint64_t infinity = e->source->as_double ? 0x7ff0000000000000u : 0x7f800000u;
  while ((file_bits(e, value[c]) & infinity) != infinity) c++;
  chunk->misfit = true;
  chunk->misfit_row = row;
  chunk->misfit_col = chunk->col + c;
  chunk->misfit_value = value[c];
}

/** Whether this part of a row has only the fill value: lava has never reached it, and it is within the DEM. */
static bool is_bare(const struct encoder *e, enum sciara_field field, int64_t row, int64_t col, int64_t cols) {
  const struct sciara_state *s = e->source->state;
  if (!s) return false;
  const struct sciara_span *span = &e->source->touched->rows[row];
  if (field == SCIARA_FIELD_ALTITUDE || (span->begin < col + cols && col < span->end)) return false;
  return !memchr(s->kind + row * s->grid.cols + col, SCIARA_CELL_NODATA, (size_t)cols);
}

/** Some values of a row, as in the file except for their type. */
static void fetch_values(const struct encoder *e, enum sciara_field field, int64_t first, int64_t cols, double *value) {
  if (e->source->state)
    sciara_field_derive_cells(e->source->state, field, first, cols, value);
  else
    memcpy(value, e->source->values + first, (size_t)cols * sizeof *value);
}

/** The words of some values of a row, from `cell` on. */
static uint64_t sum_words(const struct encoder *e, enum sciara_field field, int64_t cell, int64_t cols,
                          const double *value) {
  const double fill = sciara_chunk_fill(field);
  uint64_t sum = 0;
  for (int64_t c = 0; c < cols; c++)
    sum += sciara_chunk_word(cell + c, e->source->as_double ? value[c] : (double)(float)value[c], fill);
  return sum;
}

/** Lays the values out in e->shuffled, or finds that there is nothing to store, or that something cannot be. */
static void shuffle_chunk(struct encoder *e, struct sciara_chunk *chunk) {
  const struct sciara_grid *g = e->source->grid;
  const uint64_t fill = file_bits(e, sciara_chunk_fill(chunk->field));
  const int64_t rows = g->rows - chunk->row < e->rows ? g->rows - chunk->row : e->rows;
  const int64_t cols = g->cols - chunk->col < e->cols ? g->cols - chunk->col : e->cols;
  chunk->plain = true;
  chunk->misfit = false;
  chunk->sum = 0;
  for (int64_t r = 0; r < rows; r++) {
    double value[SCIARA_CHUNK_SIDE];
    bool differs;
    const int64_t row = chunk->row + r;
    if (is_bare(e, chunk->field, row, chunk->col, cols)) continue;
    fetch_values(e, chunk->field, row * g->cols + chunk->col, cols, value);
    if (look_at(e, value, cols, fill, &differs)) {
      report_misfit(e, value, row, chunk);
      return;
    }
    if (!differs) continue;
    if (chunk->plain) fill_all(e, fill);
    chunk->plain = false;
    chunk->sum += sum_words(e, chunk->field, row * g->cols + chunk->col, cols, value);
    shuffle_row(e, value, cols, e->shuffled + r * e->cols);
  }
}

// ----------------------------------------------------------------------------------------------------------- deflated

/** Deflates a piece to `to`, which has ROOM bytes; returns how many it takes, 0 if zlib does not do it. */
static size_t deflate_piece(struct encoder *e, const unsigned char *from, size_t count, unsigned char *to) {
  z_stream *z = &e->deflater;
  z->next_in = (z_const Bytef *)from;
  z->avail_in = (uInt)count;
  z->next_out = to;
  z->avail_out = ROOM;
  // A flush that exactly fills the buffer may be incomplete.
  if (deflateReset(z) != Z_OK || deflate(z, Z_FULL_FLUSH) != Z_OK || z->avail_in > 0 || z->avail_out == 0) return 0;
  return ROOM - z->avail_out;
}

static bool is_even(const unsigned char *bytes, size_t count) {
  return count == PIECE && memcmp(bytes, bytes + 1, count - 1) == 0;
}

/** Encodes a piece that repeats one byte: it is deflated once. */
static size_t deflate_even(struct encoder *e, const unsigned char *from, unsigned char *to) {
  struct even_piece *even = &e->even[*from];
  if (even->count > 0) {
    memcpy(to, even->bytes, even->count);
    return even->count;
  }
  const size_t count = deflate_piece(e, from, PIECE, to);
  if (count > 0 && count <= EVEN_ROOM) {
    even->count = count;
    even->adler = adler32(1, from, PIECE);
    memcpy(even->bytes, to, count);
  }
  return count;
}

/** The checksum of HDF5's filter fletcher32. */
static uint32_t fletcher32(const unsigned char *bytes, size_t count) {
  enum { FEW = 720 }; // the sums of so many bytes fit 32 bits
  uint32_t a = 0, b = 0;
  for (size_t begin = 0; begin < count; begin += FEW) { // 16 bits at a time, high byte first, and 0 behind an odd end
    const size_t end = begin + FEW < count ? begin + FEW : count;
    for (size_t k = begin; k < end; k += 2) {
      a += (uint32_t)bytes[k] << 8 | (k + 1 < end ? bytes[k + 1] : 0u);
      b += a;
    }
    a = (a & 0xffff) + (a >> 16);
    b = (b & 0xffff) + (b >> 16);
  }
  a = (a & 0xffff) + (a >> 16);
  b = (b & 0xffff) + (b >> 16);
  return b << 16 | a;
}

/** Appends a number of 4 bytes; returns the end. */
static unsigned char *put_bytes(unsigned char *to, uint32_t number, bool little_endian) {
  for (int k = 0; k < 4; k++) to[k] = (unsigned char)(number >> 8 * (little_endian ? k : 3 - k));
  return to + 4;
}

static bool deflate_all(struct encoder *e, struct sciara_chunk *chunk) {
  const size_t raw = e->values * e->item;
  unsigned char *to = chunk->bytes;
  uLong adler = adler32(0, Z_NULL, 0);
  *to++ = 0x78; // deflate with a window of 32 KiB
  *to++ = 0x01; // fastest compression
  for (size_t at = 0; at < raw; at += PIECE) {
    const unsigned char *from = e->shuffled + at;
    const size_t count = raw - at < PIECE ? raw - at : PIECE;
    const bool even = is_even(from, count);
    const size_t packed = even ? deflate_even(e, from, to) : deflate_piece(e, from, count, to);
    if (packed == 0) return false;
    to += packed;
    if (even && e->even[*from].count > 0)
      adler = adler32_combine(adler, e->even[*from].adler, PIECE);
    else
      adler = adler32(adler, from, (uInt)count);
  }
  *to++ = 0x03; // a last block, empty
  *to++ = 0x00;
  to = put_bytes(to, (uint32_t)adler, false);
  to = put_bytes(to, fletcher32(chunk->bytes, (size_t)(to - chunk->bytes)), true);
  chunk->count = (size_t)(to - chunk->bytes);
  return true;
}

/** Fills in the chunk at (chunk->row, chunk->col) of chunk->field. The bytes depend on the values alone. */
static void encode_chunk(struct encoder *e, struct sciara_chunk *chunk) {
  chunk->count = 0;
  shuffle_chunk(e, chunk);
  chunk->failed = !chunk->plain && !chunk->misfit && !deflate_all(e, chunk);
}

// ------------------------------------------------------------------------------------------------------------ threads

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
    struct encoder *encoder;
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
  encode_chunk(by->encoder, &buffer->chunk);
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
    SCIARA_TRY_GOTO(encoder_create(&t->source, &t->member[t->encoders].encoder));
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
  for (int k = 0; k < SCIARA_CHUNK_THREADS; k++) encoder_destroy(t->member[k].encoder);
  pthread_cond_destroy(&t->changed);
  pthread_mutex_destroy(&t->mutex);
  sciara_free(t->buffer);
  sciara_free(t->room);
  sciara_free(t);
}

size_t sciara_chunk_team_memory(const struct sciara_grid *g, bool as_double, int threads) {
  return (size_t)threads * encoder_memory(g, as_double) +
         (size_t)buffers_for(threads) * (sizeof(struct buffer) + sciara_chunk_room(g, as_double)) +
         sizeof(struct sciara_chunk_team);
}

// ------------------------------------------------------------------------------------------------------------- filters

enum { FLETCHER = 4 }; // bytes of the checksum

size_t sciara_filtered_room(size_t bytes) { return compressBound(bytes) + FLETCHER; }

/** Byte 0 of every number, then byte 1 of every number ... */
static void shuffle_bytes(const void *values, size_t count, size_t item, unsigned char *to) {
  const char *from = (const char *)values;
  for (size_t k = 0; k < count; k++, from += item) {
    uint64_t bits = 0;
    if (item == sizeof(uint32_t)) {
      uint32_t narrow;
      memcpy(&narrow, from, sizeof narrow);
      bits = narrow;
    } else {
      memcpy(&bits, from, sizeof bits);
    }
    for (size_t b = 0; b < item; b++) to[b * count + k] = (unsigned char)(bits >> 8 * b);
  }
}

enum sciara_status sciara_filter_chunk(const void *values, size_t count, size_t item, int level,
                                       unsigned char *shuffled, unsigned char *to, size_t *size) {
  uLongf length = compressBound(count * item);
  shuffle_bytes(values, count, item, shuffled);
  if (compress2(to, &length, shuffled, count * item, level) != Z_OK)
    return sciara_fail(SCIARA_ERR_MEMORY, "no memory to deflate a chunk");
  *size = (size_t)(put_bytes(to + length, fletcher32(to, length), true) - to);
  return SCIARA_OK;
}
