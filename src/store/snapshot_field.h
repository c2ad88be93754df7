// SPDX-License-Identifier: Apache-2.0
// A field of a snapshot, or of all snapshots of a run, on its way into a file.
// Included by this room alone.
#ifndef SCIARA_STORE_SNAPSHOT_FIELD_H
#define SCIARA_STORE_SNAPSHOT_FIELD_H

#include "store/chunk_team.h"
#include "store/snapshot_layout.h"

struct sciara_field_writer {
  const struct sciara_layout *layout;
  enum sciara_field field;
  // What follows is its own.
  hid_t dataset;
  uint64_t sum; ///< of the words of all values that were put
};

/** Attribute of a field of a snapshot: the sum of the words of its values, 16 hexadecimal digits. */
#define SCIARA_FIELD_CHECKSUM "sciara_checksum"

/** Makes the dataset (time, y, x) with so many times; layout and field are set. On failure it is closed. */
enum sciara_status sciara_field_writer_open(struct sciara_field_writer *w, size_t times);

/**
 * Writes time number `time` of the field: the chunks that the team gives next, which must be of the field and of the
 * grid and type of the file. SCIARA_ERR_NUMERIC names a value that cannot be stored.
 */
enum sciara_status sciara_field_writer_put(struct sciara_field_writer *w, size_t time, struct sciara_chunk_team *team);

/** Closes the dataset; returns `status`, or the status of closing if that was SCIARA_OK. */
enum sciara_status sciara_field_writer_close(struct sciara_field_writer *w, enum sciara_status status);

#endif
