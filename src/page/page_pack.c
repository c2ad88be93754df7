// SPDX-License-Identifier: Apache-2.0
// Numbers as text that a browser can unpack: zlib is its DecompressionStream("deflate").
#include <cpl_conv.h>
#include <cpl_string.h>
#include <limits.h>

#include "base/mem.h"
#include "page/page_html.h"

enum { BEST = 9 };

enum sciara_status sciara_page_pack(struct sciara_text *out, const void *bytes, size_t count) {
  size_t length = 0;
  void *packed = CPLZLibDeflate(bytes, count, BEST, NULL, 0, &length);
  if (!packed || length > INT_MAX / 2) {
    VSIFree(packed);
    return sciara_fail(SCIARA_ERR_MEMORY, "%zu bytes of a page cannot be compressed", count);
  }
  char *text = CPLBase64Encode((int)length, (const GByte *)packed);
  const enum sciara_status status = sciara_text_append(out, "%s", text);
  CPLFree(text);
  VSIFree(packed);
  return status;
}

enum sciara_status sciara_page_pack_levels(struct sciara_text *out, const uint16_t *levels, const uint16_t *like,
                                           int64_t frames, int64_t cells) {
  const int64_t count = frames * cells;
  uint8_t *planes = NULL;
  SCIARA_TRY(SCIARA_NEW(planes, 2 * count, "frames of a page"));
  for (int64_t i = 0; i < count; i++) {
    unsigned left = levels[i];
    if (like) left -= like[i];
    if (i >= cells) left -= levels[i - cells];
    if (like && i >= cells) left += like[i - cells];
    const unsigned folded = left << 1 ^ (left & 0x8000u ? 0xffffu : 0);
    planes[i] = (uint8_t)(folded & 0xffu);
    planes[count + i] = (uint8_t)(folded >> 8 & 0xffu);
  }
  const enum sciara_status status = sciara_page_pack(out, planes, (size_t)(2 * count));
  sciara_free(planes);
  return status;
}
