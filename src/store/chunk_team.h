// SPDX-License-Identifier: Apache-2.0
// Threads that encode the chunks of a snapshot, and one, the caller, that takes them in order. The caller also encodes
// if the next chunk has not been started, so it works with any number of threads, also none, with the same result.
// Included by this room alone.
#ifndef SCIARA_STORE_CHUNK_TEAM_H
#define SCIARA_STORE_CHUNK_TEAM_H

#include "store/chunk.h"

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

#endif
