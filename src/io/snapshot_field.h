// SPDX-License-Identifier: Apache-2.0
// A field of a snapshot, or of all snapshots of a run, on its way into a file. Private to io.
#ifndef SCIARA_IO_SNAPSHOT_FIELD_H
#define SCIARA_IO_SNAPSHOT_FIELD_H

#include <string.h>

#include "base/mix.h"
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
  uint64_t sum; ///< of the words of all values that were put
};

/** What a chunk that is not stored reads as. */
double sciara_field_fill(enum sciara_field field);

/** Attribute of a field of a snapshot: the sum of the words of its values, 16 hexadecimal digits. */
#define SCIARA_FIELD_CHECKSUM "sciara_checksum"

/** What a value as stored adds to the checksum of its field; nothing if it is the fill value. */
static inline uint64_t sciara_field_word(int64_t cell, double value, double fill) {
  uint64_t bits, bare;
  memcpy(&bits, &value, sizeof bits);
  memcpy(&bare, &fill, sizeof bare);
  return bits == bare ? 0 : sciara_mix(bits + sciara_mix((uint64_t)cell + 1));
}

/** Makes the dataset (time, y, x) with so many times; layout, field and chunk are set. On failure it is closed. */
enum sciara_status sciara_field_writer_open(struct sciara_field_writer *w, size_t times);

/** Writes rows x cols values as time number `time`; SCIARA_ERR_NUMERIC names a value that cannot be stored. */
enum sciara_status sciara_field_writer_put(struct sciara_field_writer *w, size_t time, const double *values);

/** Closes the dataset; returns `status`, or what the closing came to if that was SCIARA_OK. */
enum sciara_status sciara_field_writer_close(struct sciara_field_writer *w, enum sciara_status status);

#endif
