// SPDX-License-Identifier: Apache-2.0
#include "store/chunk.h"

#include <string.h>
#include <zlib.h>

enum { FLETCHER = 4 }; // bytes of the checksum

uint32_t sciara_fletcher32(const unsigned char *bytes, size_t count) {
  enum { FEW = 720 }; // the sums of so many bytes fit 32 bits
  uint32_t a = 0, b = 0;
  for (size_t begin = 0; begin < count; begin += FEW) { // 16 bits at a time, high byte first, and 0 behind an odd end
    const size_t end = begin + FEW < count ? begin + FEW : count;
    for (size_t k = begin; k < end; k += 2) {
      a += (uint32_t)bytes[k] << 8 | (k + 1 < end ? bytes[k + 1] : 0u);
      b += a;
    }
    a = (a & 0xffff) + (a >> 16);
    b = (b & 0xffff) + (b >> 16);
  }
  a = (a & 0xffff) + (a >> 16);
  b = (b & 0xffff) + (b >> 16);
  return b << 16 | a;
}

unsigned char *sciara_put_bytes(unsigned char *to, uint32_t number, bool little_endian) {
  for (int k = 0; k < 4; k++) to[k] = (unsigned char)(number >> 8 * (little_endian ? k : 3 - k));
  return to + 4;
}

size_t sciara_filtered_room(size_t bytes) { return compressBound(bytes) + FLETCHER; }

/** Byte 0 of every number, then byte 1 of every number ... */
static void shuffle_bytes(const void *values, size_t count, size_t item, unsigned char *to) {
  const char *from = (const char *)values;
  for (size_t k = 0; k < count; k++, from += item) {
    uint64_t bits = 0;
    if (item == sizeof(uint32_t)) {
      uint32_t narrow;
      memcpy(&narrow, from, sizeof narrow);
      bits = narrow;
    } else {
      memcpy(&bits, from, sizeof bits);
    }
    for (size_t b = 0; b < item; b++) to[b * count + k] = (unsigned char)(bits >> 8 * b);
  }
}

enum sciara_status sciara_filter_chunk(const void *values, size_t count, size_t item, int level,
                                       unsigned char *shuffled, unsigned char *to, size_t *size) {
  uLongf length = compressBound(count * item);
  shuffle_bytes(values, count, item, shuffled);
  if (compress2(to, &length, shuffled, count * item, level) != Z_OK)
    return sciara_fail(SCIARA_ERR_MEMORY, "no memory to deflate a chunk");
  *size = (size_t)(sciara_put_bytes(to + length, sciara_fletcher32(to, length), true) - to);
  return SCIARA_OK;
}
