// SPDX-License-Identifier: Apache-2.0
// A field of a snapshot, or of all snapshots of a run, on its way into a file. Private to io.
#ifndef SCIARA_IO_SNAPSHOT_FIELD_H
#define SCIARA_IO_SNAPSHOT_FIELD_H

#include "io/snapshot_layout.h"

enum { SCIARA_CHUNK_SIDE = 256 };

struct sciara_field_writer {
  const struct sciara_layout *layout;
  enum sciara_field field;
  void *chunk; ///< scratch of SCIARA_CHUNK_SIDE^2 doubles
  // What follows is its own.
  double fill; ///< what a chunk that is not stored reads as
  hsize_t time;
  const double *values;
  hid_t dataset, space;
};

/** Makes the dataset (time, y, x) with so many times; layout, field and chunk are set. On failure it is closed. */
enum sciara_status sciara_field_writer_open(struct sciara_field_writer *w, size_t times);

/** Writes rows x cols values as time number `time`; SCIARA_ERR_NUMERIC names a value that cannot be stored. */
enum sciara_status sciara_field_writer_put(struct sciara_field_writer *w, size_t time, const double *values);

/** Closes the dataset; returns `status`, or what the closing came to if that was SCIARA_OK. */
enum sciara_status sciara_field_writer_close(struct sciara_field_writer *w, enum sciara_status status);

#endif
