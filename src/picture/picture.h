// SPDX-License-Identifier: Apache-2.0
// An RGB picture in memory: pixels, rectangles, lines, filled shapes with smooth edges. Private to io.
#ifndef SCIARA_PICTURE_PICTURE_H
#define SCIARA_PICTURE_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** Rows of `width` pixels of 3 bytes from the top, `stride` pixels apart. Pixel (i, j) covers [i, i+1) x [j, j+1). */
struct sciara_picture {
  int64_t width, height, stride;
  uint8_t *rgb;
};

/** A point of a picture: x to the right, y down, px. */
struct sciara_spot {
  double x, y;
};

/** The part of a picture that lies in the rectangle: what is drawn there is cut at its borders. */
struct sciara_picture sciara_picture_part(const struct sciara_picture *p, int64_t x, int64_t y, int64_t width,
                                          int64_t height);

/** Fills the rectangle, cut at the borders. */
void sciara_picture_fill(struct sciara_picture *p, int64_t x, int64_t y, int64_t width, int64_t height,
                         const uint8_t rgb[3]);

/** Mixes a colour into a pixel of the picture: share 0 leaves it, 1 replaces it. */
void sciara_picture_mix(struct sciara_picture *p, int64_t x, int64_t y, double share, const uint8_t rgb[3]);

/**
 * Draws `count` points as one stroke with round ends, `radius` px to each side; a point that follows `lift[k]` != 0 begins
 * anew. Where strokes cross nothing is drawn twice. `lift` may be NULL.
 */
void sciara_picture_stroke(struct sciara_picture *p, const struct sciara_spot *points, const uint8_t *lift,
                           size_t count, double radius, double opacity, const uint8_t rgb[3]);

/** Fills a convex shape whose corners go round clockwise as one looks at it. */
void sciara_picture_convex(struct sciara_picture *p, const struct sciara_spot *corners, size_t count,
                           const uint8_t rgb[3]);

/** Writes the picture as a file, atomically. */
enum sciara_status sciara_picture_write_png(const struct sciara_picture *p, const char *path);

#endif
