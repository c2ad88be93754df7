// SPDX-License-Identifier: Apache-2.0
// Opening HDF5 files from untrusted sources. An HDF5 file can refer to others: by external and user-defined links,
// external storage and virtual datasets. Reading such a file would read those too, so it is rejected before anything is
// read (docs/security.md). Every reader of HDF5 uses these functions, and every raster is checked before GDAL opens it.
// Call within a session.
#ifndef SCIARA_FILE_HDF5_OPEN_H
#define SCIARA_FILE_HDF5_OPEN_H

#include <stdbool.h>

#include "file/hdf5_util.h"

/** How the values of a dataset are stored in its file. */
enum sciara_hdf5_storage {
  SCIARA_HDF5_IN_ONE_PIECE, ///< axes and scalars
  SCIARA_HDF5_IN_CHUNKS,    ///< fields: with the filters shuffle, deflate and fletcher32, in this order
};

/**
 * Opens a file for reading after checking its complete contents: every link in it is a hard link, and no dataset has
 * external storage, values of another file, a filter of a plugin or references to other files. Loads no plugin.
 * SCIARA_ERR_IO: it does not exist or cannot be read; SCIARA_ERR_INPUT: it is not HDF5, is damaged, or refers to
 * something else (named).
 */
enum sciara_status sciara_hdf5_file_open(const char *path, hid_t *file);

/** Opens a dataset of the root group, which must be stored in this way. SCIARA_ERR_INPUT names file and dataset. */
enum sciara_status sciara_hdf5_dataset_open(hid_t file, const char *path, const char *name,
                                            enum sciara_hdf5_storage storage, hid_t *dataset);

/** Whether the virtual dataset `name` may take values from dataset `source` of the file `file`. */
typedef bool sciara_hdf5_source_rule(const char *name, const char *file, const char *source);

/**
 * Opens a file like sciara_hdf5_file_open; datasets of its root group may be virtual if the rule allows all sources.
 */
enum sciara_status sciara_hdf5_series_open(const char *path, sciara_hdf5_source_rule *rule, hid_t *file);

/** Checks a file that another library will open. A file that is not HDF5 passes. Call outside a session. */
enum sciara_status sciara_hdf5_check_foreign(const char *path);

// The stored chunks of a dataset are checked before HDF5 reads them. HDF5 1.10 trusts what a file states about a chunk: it
// reads beyond the end of a chunk whose filters are marked as left out, or that inflates to too few bytes.

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
