// SPDX-License-Identifier: Apache-2.0
// An RGB picture in memory: pixels, rectangles, small text. Private to io.
#ifndef SCIARA_IO_PICTURE_H
#define SCIARA_IO_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** `rgb` holds height x width x 3 bytes, row-major from the top. */
struct sciara_picture {
  int64_t width, height;
  uint8_t *rgb;
};

/** Fills the rectangle, cut at the borders. */
void sciara_picture_fill(struct sciara_picture *p, int64_t x, int64_t y, int64_t width, int64_t height,
                         const uint8_t rgb[3]);

/** Letters are 5 x 7 dots of `scale` pixels in steps of 6; those without a shape here are left blank. */
void sciara_picture_text(struct sciara_picture *p, int64_t x, int64_t y, int64_t scale, const char *text,
                         const uint8_t rgb[3]);

/** Writes the picture as a file, atomically. */
enum sciara_status sciara_picture_write_png(const struct sciara_picture *p, const char *path);

/** Width of a text, pixels. */
int64_t sciara_picture_text_width(int64_t scale, const char *text);

#endif
