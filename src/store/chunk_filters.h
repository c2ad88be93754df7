// SPDX-License-Identifier: Apache-2.0
// HDF5's filters shuffle, deflate and fletcher32, for chunks that are written with H5Dwrite_chunk. HDF5 itself works with
// one thread at a time; these functions may be called by several.
#ifndef SCIARA_STORE_CHUNK_FILTERS_H
#define SCIARA_STORE_CHUNK_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** The checksum of HDF5's filter fletcher32. */
uint32_t sciara_fletcher32(const unsigned char *bytes, size_t count);

/** Appends a number of 4 bytes; returns the end. */
unsigned char *sciara_put_bytes(unsigned char *to, uint32_t number, bool little_endian);

/** Bytes that a chunk of so many bytes takes at most in a file. */
size_t sciara_filtered_room(size_t bytes);

/**
 * A chunk as stored in a file: its values little-endian, shuffled, deflated, and with a checksum.
 *
 * @param values   `count` numbers of `item` bytes, 4 or 8
 * @param level    of deflate, 1 to 9
 * @param shuffled room for the values
 * @param to       room for sciara_filtered_room(count * item) bytes
 * @param size     receives the number of bytes in `to`
 * @return SCIARA_ERR_MEMORY if zlib has no memory
 */
enum sciara_status sciara_filter_chunk(const void *values, size_t count, size_t item, int level,
                                       unsigned char *shuffled, unsigned char *to, size_t *size);

#endif
