// SPDX-License-Identifier: Apache-2.0
// The chunks of a snapshot as stored in the file: values of one field in the type of the file, shuffled, deflated and with a
// checksum, exactly as by HDF5's own filters of these names. HDF5 itself works with one thread at a time; these functions may
// be called by several.
#ifndef SCIARA_STORE_CHUNK_H
#define SCIARA_STORE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/detmath.h"
#include "base/hash.h"
#include "base/status.h"
#include "model/field.h"
#include "model/state.h"

enum { SCIARA_CHUNK_SIDE = 256 };

/** The data to be divided into chunks: the fields of a state, or one existing field. */
struct sciara_chunk_source {
  const struct sciara_grid *grid;
  const struct sciara_state *state;     ///< of this grid, or NULL
  const struct sciara_touched *touched; ///< of the state
  const double *values;                 ///< rows x cols, as sciara_field_derive gives them, if there is no state
  bool as_double;                       ///< float64, else float32
};

/** One chunk of a field, and the result of its encoding. */
struct sciara_chunk {
  enum sciara_field field;
  int64_t row, col; ///< its first cell
  bool plain;       ///< all values are the fill value: it need not be stored
  uint64_t sum;     ///< of the words of its values
  bool misfit;      ///< a value is not finite or too large for float32: that one stands here, and no bytes
  int64_t misfit_row, misfit_col;
  double misfit_value;
  bool failed;          ///< zlib did not do it: there are no bytes
  unsigned char *bytes; ///< room for sciara_chunk_room
  size_t count;         ///< bytes in the file
};

/** What a field reads as in a chunk that is not stored. */
double sciara_chunk_fill(enum sciara_field field);

/**
 * What a value as stored adds to the checksum of its field, `cell` in row-major order; nothing if it is the fill value.
 */
static inline uint64_t sciara_chunk_word(int64_t cell, double value, double fill) {
  const uint64_t bits = sciara_double_bits(value);
  return bits == sciara_double_bits(fill) ? 0 : sciara_hash_mix(bits + sciara_hash_mix((uint64_t)cell + 1));
}

/** Rows and columns of the chunks of a grid: those at its far ends go beyond it, and hold the fill value there. */
int64_t sciara_chunk_rows(const struct sciara_grid *grid);
int64_t sciara_chunk_cols(const struct sciara_grid *grid);

/** Bytes that an encoded chunk takes at most. */
size_t sciara_chunk_room(const struct sciara_grid *grid, bool as_double);

// Threads that encode the chunks of a snapshot, and one, the caller, that takes them in order. The caller also encodes
// if the next chunk has not been started, so it works with any number of threads, also none, with the same result.

struct sciara_chunk_team;

/**
 * Begins with all chunks of the fields (bits 1u << enum sciara_field) of `source`, which has to last until the end.
 *
 * @param threads that work at it, the caller included; at most SCIARA_CHUNK_THREADS, and no more than there are chunks
 */
enum sciara_status sciara_chunk_team_create(const struct sciara_chunk_source *source, unsigned fields, int threads,
                                            struct sciara_chunk_team **out);

/** The next chunk, by field, row and column; it is the caller's until the next call. There must be one. */
const struct sciara_chunk *sciara_chunk_team_next(struct sciara_chunk_team *t);

/** Ends the threads, with chunks left or not. */
void sciara_chunk_team_destroy(struct sciara_chunk_team *t);

enum { SCIARA_CHUNK_THREADS = 8 };

/** Chunks of one field. */
int64_t sciara_chunks_of(const struct sciara_grid *grid);

/** Bytes of memory that a team of so many threads takes at most. */
size_t sciara_chunk_team_memory(const struct sciara_grid *grid, bool as_double, int threads);

// --------------------------------------------------------------------------------------------------------- the filters

// HDF5's shuffle, deflate and fletcher32, for chunks of any file that are written with H5Dwrite_chunk.

/** Bytes that a chunk of so many bytes takes at most in a file. */
size_t sciara_filtered_room(size_t bytes);

/**
 * A chunk as stored in a file: its values little-endian, shuffled, deflated, and with a checksum.
 *
 * @param values   `count` numbers of `item` bytes, 4 or 8
 * @param level    of deflate, 1 to 9
 * @param shuffled room for the values
 * @param to       room for sciara_filtered_room(count * item) bytes
 * @param size     receives the number of bytes in `to`
 * @return SCIARA_ERR_MEMORY if zlib has no memory
 */
enum sciara_status sciara_filter_chunk(const void *values, size_t count, size_t item, int level,
                                       unsigned char *shuffled, unsigned char *to, size_t *size);

#endif
