// SPDX-License-Identifier: Apache-2.0
// The attributes of a checkpoint.
// Included by this room alone.
#ifndef SCIARA_STORE_CHECKPOINT_HEADER_H
#define SCIARA_STORE_CHECKPOINT_HEADER_H

#include "file/hdf5_file.h"
#include "store/checkpoint_hdf5.h"

/** Writes all attributes, and a checksum over them. */
enum sciara_status sciara_checkpoint_header_put(hid_t file, const char *path, const struct sciara_checkpoint *c);

/** Reads and checks them. On failure `out` is zeroed. */
enum sciara_status sciara_checkpoint_header_get(hid_t file, const char *path, struct sciara_checkpoint *out);

#endif
