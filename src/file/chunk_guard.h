// SPDX-License-Identifier: Apache-2.0
// A look at the stored chunks of an HDF5 dataset before HDF5 reads them. HDF5 1.10 believes what a file says of a chunk: one
// whose filters are said to be left out, or that inflates to fewer bytes than it should, is read beyond its end.
#ifndef SCIARA_FILE_CHUNK_GUARD_H
#define SCIARA_FILE_CHUNK_GUARD_H

#include <stdbool.h>

#include "file/hdf5_util.h"

enum {
  SCIARA_GUARD_RANK = 3,
  SCIARA_GUARD_DEFLATE = 1, ///< place of deflate among the filters, between shuffle and fletcher32
};

/** A dataset, and the memory to look at one of its chunks. */
struct sciara_chunk_guard {
  hid_t dataset;
  const char *path, *name; ///< for errors
  int rank;
  hsize_t dims[SCIARA_GUARD_RANK], side[SCIARA_GUARD_RANK]; ///< of the dataset, of a chunk
  size_t bytes;                                             ///< of a chunk without filters
  size_t room;                                              ///< the most that a stored chunk may take
  unsigned char *stored;                                    ///< `room` bytes
};

/**
 * Takes the shape of a dataset of at most SCIARA_GUARD_RANK dimensions that was opened as SCIARA_HDF5_IN_CHUNKS. Its chunks must have
 * the lengths `side`, or NULL: any. SCIARA_ERR_INPUT: no version of this program wrote such. To be closed, also then.
 */
enum sciara_status sciara_chunk_guard_open(struct sciara_chunk_guard *g, hid_t dataset, const char *path,
                                           const char *name, const hsize_t *side);

/**
 * Looks at the chunk whose first value is at `start`, `rank` numbers; *stored tells whether there is one.
 * SCIARA_ERR_INPUT names a chunk that has not the bytes of a chunk. One that does not inflate is left to HDF5, which finds that.
 */
enum sciara_status sciara_chunk_guard_look(const struct sciara_chunk_guard *g, const hsize_t *start, bool *stored);

/** Looks at every chunk. */
enum sciara_status sciara_chunk_guard_look_at_all(const struct sciara_chunk_guard *g);

void sciara_chunk_guard_close(struct sciara_chunk_guard *g);

#endif
