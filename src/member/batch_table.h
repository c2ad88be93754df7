// SPDX-License-Identifier: Apache-2.0
// The table of a batch: one value per member in each of its columns, and the texts.
// Included by this room alone.
#ifndef SCIARA_MEMBER_BATCH_TABLE_H
#define SCIARA_MEMBER_BATCH_TABLE_H

#include <hdf5.h>

#include "member/batch_file.h"

/** Of a file that is written or read. */
struct sciara_batch_table {
  const char *path;
  hid_t file;
  size_t count; ///< members
};

/** Writes columns and texts. *hash, of what the checksum covers before them, becomes that with them. */
enum sciara_status sciara_batch_table_write(const struct sciara_batch_table *t, const struct sciara_footprint *f,
                                            uint64_t *hash);

/**
 * Reads them.
 *
 * @param f, t->count receive an array from sciara_alloc, also after an error
 */
enum sciara_status sciara_batch_table_read(struct sciara_batch_table *t, struct sciara_footprint **f, uint64_t *hash);

/** The length of a dataset with one dimension; SCIARA_ERR_INPUT: it has another shape or type. */
enum sciara_status sciara_batch_column_length(const char *path, const char *name, hid_t dataset, hid_t type,
                                              size_t *count);

#endif
