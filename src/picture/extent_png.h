// SPDX-License-Identifier: Apache-2.0
// A picture of two extents over the shaded ground: where they agree and where they do not.
#ifndef SCIARA_PICTURE_EXTENT_PNG_H
#define SCIARA_PICTURE_EXTENT_PNG_H

#include "file/georef.h"
#include "model/grid.h"

/** What is drawn. */
struct sciara_extent_picture {
  const struct sciara_grid *grid;
  const struct sciara_georef *georef;
  const double *altitude;        ///< rows x cols; SCIARA_NODATA_ALTITUDE outside
  const uint8_t *run, *observed; ///< rows x cols, 0 or not
  const char *title;             ///< may be NULL
  const char *start;             ///< of the run, may be NULL
  double time_s;
};

/** Draws hits (both) yellow, misses (the observed alone) blue, excess (the run alone) red, laid out as other maps are. */
enum sciara_status sciara_extent_write_png(const struct sciara_extent_picture *e, const char *path);

#endif
