// SPDX-License-Identifier: Apache-2.0
#include "picture/map_picture.h"

#include <cairo.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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

/** Cairo multiplies colours by their opacity; the result has them as they were. */
static void unpack(uint32_t pixel, uint8_t *rgba) {
  const uint32_t alpha = pixel >> 24;
  for (int k = 0; k < 3; k++) {
    const uint32_t part = pixel >> (16 - 8 * k) & 0xFF;
    rgba[k] = (uint8_t)(alpha ? (part * 255 + alpha / 2) / alpha : 0);
  }
  rgba[3] = (uint8_t)alpha;
}

/** Draws the image, of whatever pixel format, on one of 32 bits and takes its pixels. */
static enum sciara_status collect(cairo_surface_t *image, const char *path, struct sciara_logo *out) {
  const int width = cairo_image_surface_get_width(image), height = cairo_image_surface_get_height(image);
  cairo_surface_t *plain = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *c = cairo_create(plain);
  cairo_set_source_surface(c, image, 0, 0);
  cairo_paint(c);
  enum sciara_status status = SCIARA_OK;
  if (cairo_status(c) != CAIRO_STATUS_SUCCESS)
    status = sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a logo", path);
  if (status == SCIARA_OK) status = SCIARA_NEW(out->rgba, 4 * width * height, "a logo");
  cairo_surface_flush(plain);
  for (int y = 0; y < height && status == SCIARA_OK; y++)
    for (int x = 0; x < width; x++) {
      uint32_t pixel;
      memcpy(&pixel, cairo_image_surface_get_data(plain) + (ptrdiff_t)y * cairo_image_surface_get_stride(plain) + 4 * x,
             sizeof pixel);
      unpack(pixel, out->rgba + 4 * ((size_t)y * (size_t)width + (size_t)x));
    }
  out->image = (struct sciara_map_image){out->rgba, width, height};
  cairo_destroy(c);
  cairo_surface_destroy(plain);
  return status;
}

enum sciara_status sciara_logo_read(const char *path, struct sciara_logo *out) {
  char *bytes = NULL;
  size_t count = 0;
  *out = (struct sciara_logo){0};
  SCIARA_TRY(sciara_file_read(path, SCIARA_LOGO_BYTES, &bytes, &count));
  enum sciara_status status = check_header(path, bytes, count);
  if (status == SCIARA_OK) {
    struct remainder rest = {bytes, count};
    cairo_surface_t *image = cairo_image_surface_create_from_png_stream(take, &rest);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) // Cairo reports any error of libpng as a lack of memory
      status = sciara_fail(SCIARA_ERR_INPUT, "%s: cannot be read as PNG: it is damaged or cut short", path);
    else
      status = collect(image, path, out);
    cairo_surface_destroy(image);
  }
  free(bytes);
  return status;
}

void sciara_logo_free(struct sciara_logo *logo) {
  sciara_free(logo->rgba);
  *logo = (struct sciara_logo){0};
}
