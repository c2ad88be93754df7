// SPDX-License-Identifier: Apache-2.0
// Where the footprints of an ensemble come from: the batches of its folder, or a test.
#ifndef SCIARA_ENSEMBLE_FOOTPRINTS_H
#define SCIARA_ENSEMBLE_FOOTPRINTS_H

#include "ensemble/ensemble.h"
#include "member/batch_file.h"

/** Takes a footprint with its cells; `member` is its index in the table. Any thread may call it, several at a time. */
typedef enum sciara_status sciara_footprint_visit(void *context, size_t member, const struct sciara_footprint *f);

struct sciara_footprint_source {
  void *context;
  size_t pieces; ///< parts that may be read at the same time
  /** Visits the members of one piece that are not failed. */
  enum sciara_status (*read)(void *context, size_t piece, sciara_footprint_visit *visit, void *visit_context);
};

/**
 * Visits all members, in any order. If it fails, the error is that of the first piece that fails.
 *
 * @param threads at most
 */
enum sciara_status sciara_footprints_visit(const struct sciara_footprint_source *source, int threads,
                                           sciara_footprint_visit *visit, void *visit_context);

/** What the batches of an ensemble hold, without cells. Zero-initialise; release with sciara_batches_free. */
struct sciara_batches {
  const struct sciara_ensemble *ensemble;
  struct sciara_footprint *member; ///< of members.count: without cells; id -1: there is none yet
  uint8_t *present;                ///< of batch_count: the batch is there
  int64_t rows, cols;              ///< of the site; 0 while there is no batch
  size_t batches, failed;          ///< batches that are there, members that failed
};

/**
 * Reads all batches that are there, but no cells. A batch that is damaged, or belongs to another ensemble, is
 * SCIARA_ERR_INPUT, and all of them are named in a warning each; one that is not there is no error.
 */
enum sciara_status sciara_batches_open(const struct sciara_ensemble *e, struct sciara_batches *out);
void sciara_batches_free(struct sciara_batches *b);

/** The cells of the batches. The source refers to `b`. */
struct sciara_footprint_source sciara_batches_source(const struct sciara_batches *b);

#endif
