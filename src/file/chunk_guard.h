// SPDX-License-Identifier: Apache-2.0
// A look at the stored chunks of an HDF5 dataset before HDF5 reads them. HDF5 1.10 believes what a file says of a chunk: one
// whose filters are said to be left out, or that inflates to fewer bytes than it should, is read beyond its end.
#ifndef SCIARA_FILE_CHUNK_GUARD_H
#define SCIARA_FILE_CHUNK_GUARD_H

#include <stdbool.h>

#include "file/hdf5_util.h"

enum { SCIARA_GUARD_RANK = 3, SCIARA_GUARD_FILTERS = 4 };

/** A dataset, and the memory to look at one of its chunks. */
struct sciara_chunk_guard {
  hid_t dataset;
  const char *path, *name; ///< for errors
  int rank;
  hsize_t dims[SCIARA_GUARD_RANK], side[SCIARA_GUARD_RANK]; ///< of the dataset, of a chunk
  bool contiguous;                                          ///< there are no chunks, and nothing to look at
  size_t bytes;                                             ///< of a chunk without filters
  size_t room;                                              ///< the most that a stored chunk may take
  int filters;
  H5Z_filter_t filter[SCIARA_GUARD_FILTERS]; ///< in the order of writing
  unsigned char *stored;                     ///< `room` bytes
};

/**
 * Takes the shape of a dataset of at most SCIARA_GUARD_RANK dimensions, whose chunks must have the lengths `side`, or NULL: any,
 * or none. SCIARA_ERR_INPUT: it is stored in a way that no version of this program wrote. To be closed, also then.
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
