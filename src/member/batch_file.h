// SPDX-License-Identifier: Apache-2.0
// Footprints: what an ensemble keeps of its members, in files of one batch each (docs/formats.md, "Batches").
#ifndef SCIARA_MEMBER_BATCH_FILE_H
#define SCIARA_MEMBER_BATCH_FILE_H

#include "base/status.h"
#include "sim/end.h"

/** The version of the format that is written and read. */
enum { SCIARA_BATCH_FORMAT = 1 };

/** Members in a file at most. */
enum { SCIARA_BATCH_MEMBERS_MOST = 65536 };

/** What is kept of one member. Zero-initialise; release with sciara_footprint_free. */
struct sciara_footprint {
  int64_t id;                   ///< of members.csv, >= 0
  uint64_t row_hash;            ///< of its row there
  int64_t count;                ///< cells that lava has reached
  int64_t *cell;                ///< row-major index on the grid of the whole site, ascending
  float *arrival;               ///< simulated time, s
  float *max_deposit, *deposit; ///< largest and last thickness of liquid and solidified lava, m
  enum sciara_stop_reason stop; ///< SCIARA_STOP_NONE: it has failed
  bool failed;                  ///< it has no result: `error` says why, and count is 0
  char *error;                  ///< "" unless it has failed
  bool censored;                ///< it ended before its own stop rule, or has a tower: its footprint may be too small
  double end_s;                 ///< simulated time reached; 0 if it has failed
  uint64_t steps;               ///< if it has failed: the number of the step that failed, or 0
  uint64_t cell_steps;          ///< 0 if it has failed
  uint64_t checksum;            ///< of its state, as sciara_state_checksum of the whole map
  struct sciara_ledger ledger;
  double seconds; ///< wall-clock time of its computation
  char *warnings; ///< "" or lines
};

/** What identifies a file. */
struct sciara_batch_header {
  uint64_t ensemble_hash, site_hash;
  int64_t rows, cols; ///< of the site
  int64_t batch;      ///< number of the batch
};

void sciara_footprint_free(struct sciara_footprint *f);

/**
 * Writes a batch, whole or not at all, on the disk when it returns; other processes may write the same file.
 *
 * @param f `count` footprints with ascending ids; texts may be NULL, which is ""
 */
enum sciara_status sciara_batch_write(const char *path, const struct sciara_batch_header *h,
                                      const struct sciara_footprint *f, size_t count);

/** The same for a file that may be lost when the machine loses power: it is not synced. */
enum sciara_status sciara_batch_write_unsynced(const char *path, const struct sciara_batch_header *h,
                                               const struct sciara_footprint *f, size_t count);

/**
 * Opens a batch. All members are read and checked but not their cells: cell, arrival, max_deposit and deposit are NULL.
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

/** Releases the four arrays of cells. */
void sciara_footprint_free_cells(struct sciara_footprint *f);

/** Closes a file; NULL is allowed. */
void sciara_batch_close(void *file);

/** Releases an array of sciara_batch_open. */
void sciara_batch_release(struct sciara_footprint *f, size_t count);

#endif
