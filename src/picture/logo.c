// SPDX-License-Identifier: Apache-2.0
#include "picture/map_picture.h"

#include <cairo.h>
#include <stdlib.h>
#include <string.h>

#include "file/durable.h"

/** The part of a file that has not been read yet. */
struct remainder {
  const char *bytes;
  size_t count;
};

static cairo_status_t take(void *from, unsigned char *out, unsigned int count) {
  struct remainder *r = (struct remainder *)from;
  if (count > r->count) return CAIRO_STATUS_READ_ERROR;
  memcpy(out, r->bytes, count);
  r->bytes += count;
  r->count -= count;
  return CAIRO_STATUS_SUCCESS;
}

static uint32_t big_endian(const char *bytes) {
  uint32_t value = 0;
  for (int k = 0; k < 4; k++) value = value << 8 | (uint8_t)bytes[k];
  return value;
}

/** Signature and size, before libpng takes memory for them. */
static enum sciara_status check_header(const char *path, const char *bytes, size_t count) {
  static const char begin[16] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
  if (count < 33 || memcmp(bytes, begin, sizeof begin) != 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a PNG file as logo", path);
  const uint32_t width = big_endian(bytes + 16), height = big_endian(bytes + 20);
  if (width >= 1 && height >= 1 && width <= SCIARA_LOGO_LONGEST && height <= SCIARA_LOGO_LONGEST) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a logo of at most %d x %d pixels, found %u x %u", path,
                     SCIARA_LOGO_LONGEST, SCIARA_LOGO_LONGEST, width, height);
}

enum sciara_status sciara_logo_read(const char *path, cairo_surface_t **out) {
  char *bytes = NULL;
  size_t count = 0;
  *out = NULL;
  SCIARA_TRY(sciara_file_read(path, SCIARA_LOGO_BYTES, &bytes, &count));
  enum sciara_status status = check_header(path, bytes, count);
  if (status == SCIARA_OK) {
    struct remainder rest = {bytes, count};
    *out = cairo_image_surface_create_from_png_stream(take, &rest);
    if (cairo_surface_status(*out) != CAIRO_STATUS_SUCCESS) { // Cairo reports any error of libpng as a lack of memory
      status = sciara_fail(SCIARA_ERR_INPUT, "%s: cannot be read as PNG: it is damaged or cut short", path);
      sciara_logo_free(*out);
      *out = NULL;
    }
  }
  free(bytes);
  return status;
}

void sciara_logo_free(cairo_surface_t *logo) {
  if (logo) cairo_surface_destroy(logo);
}
