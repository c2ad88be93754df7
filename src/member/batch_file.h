// SPDX-License-Identifier: Apache-2.0
// Files of footprints, one batch each (docs/formats.md, "Batches").
#ifndef SCIARA_MEMBER_BATCH_FILE_H
#define SCIARA_MEMBER_BATCH_FILE_H

#include "member/footprint.h"

/** The version of the format that is written and read. */
enum { SCIARA_BATCH_FORMAT = 1 };

/** Members in a file at most. */
enum { SCIARA_BATCH_MEMBERS_MOST = 65536 };

/** What identifies a file. */
struct sciara_batch_header {
  uint64_t ensemble_hash, site_hash;
  int64_t rows, cols; ///< of the site
  int64_t batch;      ///< number of the batch
};

/**
 * Writes a batch, whole or not at all; other processes may write the same file.
 *
 * @param f      `count` footprints with ascending ids; texts may be NULL, which is ""
 * @param synced it is on the disk when this returns; else it may be lost when the machine loses power
 */
enum sciara_status sciara_batch_write(const char *path, const struct sciara_batch_header *h,
                                      const struct sciara_footprint *f, size_t count, bool synced);

/**
 * Opens a batch. All members are read and checked but not their cells: the arrays are NULL.
 *
 * @param f, count receive an array from sciara_alloc; to be released with sciara_batch_release
 * @param file     receives the open file, to be closed with sciara_batch_close
 * @return SCIARA_ERR_INPUT for a file that is damaged, or no batch of this version; SCIARA_ERR_IO
 */
enum sciara_status sciara_batch_open(const char *path, struct sciara_batch_header *h, struct sciara_footprint **f,
                                     size_t *count, void **file);

/**
 * Reads the cells of the k-th member into f[k], as sciara_batch_open has returned it; the caller releases them with
 * sciara_footprint_free_cells. Fastest in ascending order. For one thread at a time with one file.
 */
enum sciara_status sciara_batch_cells(void *file, size_t k, struct sciara_footprint *f);

/** Closes a file; NULL is allowed. */
void sciara_batch_close(void *file);

/** Releases an array of sciara_batch_open. */
void sciara_batch_release(struct sciara_footprint *f, size_t count);

#endif
