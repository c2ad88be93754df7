// SPDX-License-Identifier: Apache-2.0
// Checks the stored chunks of an HDF5 dataset before HDF5 reads them. HDF5 1.10 trusts what a file states about a
// chunk: it reads beyond the end of a chunk whose filters are marked as left out, or that inflates to too few bytes.
#ifndef SCIARA_FILE_CHUNK_GUARD_H
#define SCIARA_FILE_CHUNK_GUARD_H

#include <stdbool.h>

#include "file/hdf5_util.h"

enum {
  SCIARA_GUARD_RANK = 3,
  SCIARA_GUARD_DEFLATE = 1, ///< position of deflate among the filters, between shuffle and fletcher32
};

/** A dataset, and the memory to check one of its chunks. */
struct sciara_chunk_guard {
  hid_t dataset;
  const char *path, *name; ///< for errors
  int rank;
  hsize_t dims[SCIARA_GUARD_RANK], side[SCIARA_GUARD_RANK]; ///< of the dataset, of a chunk
  size_t bytes;                                             ///< of a chunk without filters
  size_t room;                                              ///< largest size of a stored chunk
  unsigned char *stored;                                    ///< `room` bytes
};

/**
 * Takes the shape of a dataset of at most SCIARA_GUARD_RANK dimensions that was opened as SCIARA_HDF5_IN_CHUNKS. Its
 * chunks must have the lengths `side`; NULL: any. SCIARA_ERR_INPUT if no version of this program writes such a dataset.
 * To be closed, also after a failure.
 */
enum sciara_status sciara_chunk_guard_open(struct sciara_chunk_guard *g, hid_t dataset, const char *path,
                                           const char *name, const hsize_t *side);

/**
 * Checks the chunk whose first value is at `start`, `rank` numbers; *stored is whether it is stored. SCIARA_ERR_INPUT
 * names a chunk with the wrong number of bytes. A chunk that does not inflate is left to HDF5, which detects that.
 */
enum sciara_status sciara_chunk_guard_look(const struct sciara_chunk_guard *g, const hsize_t *start, bool *stored);

/** Checks every chunk. */
enum sciara_status sciara_chunk_guard_look_at_all(const struct sciara_chunk_guard *g);

void sciara_chunk_guard_close(struct sciara_chunk_guard *g);

#endif
