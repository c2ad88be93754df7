// SPDX-License-Identifier: Apache-2.0
// A picture that Cairo draws on, and how it becomes a PNG file.
// Included by this room alone.
#ifndef SCIARA_PICTURE_PICTURE_H
#define SCIARA_PICTURE_PICTURE_H

#include <cairo.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "map/raster_gdal.h"

enum {
  SCIARA_PICTURE_LONGEST = 32767, ///< px each way that Cairo draws on
  SCIARA_PICTURE_BOXES = 128
};

/** A rectangle: x to the right, y down, px. */
struct sciara_box {
  double x, y, width, height;
};

/** Zero-initialise; release with sciara_picture_free. */
struct sciara_picture {
  int64_t width, height;
  uint32_t *pixels; ///< rows of `width` from the top, 0x00RRGGBB; sciara_picture_touched after they were changed
  cairo_t *cairo;
  struct sciara_box box[SCIARA_PICTURE_BOXES]; ///< the elements around the map, which must not overlap
  int boxes;
};

/**
 * Makes white paper. SCIARA_ERR_INPUT beyond SCIARA_PICTURE_LONGEST, SCIARA_ERR_MEMORY when it takes more than is free.
 *
 * @param path of the file that it is to become, for errors
 */
enum sciara_status sciara_picture_begin(struct sciara_picture *p, int64_t width, int64_t height, const char *path);

/** Before pixels are changed without Cairo, and after it. */
void sciara_picture_touch(struct sciara_picture *p);
void sciara_picture_touched(struct sciara_picture *p);

/** What is drawn next has this colour. */
void sciara_picture_colour(struct sciara_picture *p, const uint8_t rgb[3], double opacity);

/** Fills a rectangle. */
void sciara_picture_fill(struct sciara_picture *p, double x, double y, double width, double height,
                         const uint8_t rgb[3]);

/** Records an element at that position. */
void sciara_picture_claim(struct sciara_picture *p, struct sciara_box box);

/** Writes the picture as a file, atomically, with the facts, which may be NULL, as text chunks. */
enum sciara_status sciara_picture_write_png(struct sciara_picture *p, const struct sciara_map_facts *facts,
                                            const char *path);
void sciara_picture_free(struct sciara_picture *p);

#endif
