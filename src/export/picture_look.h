// SPDX-License-Identifier: Apache-2.0
// Options of pictures, and what has to be read for them.
#ifndef SCIARA_EXPORT_PICTURE_LOOK_H
#define SCIARA_EXPORT_PICTURE_LOOK_H

#include "picture/map_picture.h"

enum sciara_picture_extent {
  SCIARA_PICTURE_OF_LAVA, ///< the bounds of lava, vents and observed extent, with a margin
  SCIARA_PICTURE_OF_DEM,  ///< the whole grid
  SCIARA_PICTURE_OF_BOX,
  SCIARA_PICTURE_OF_DEGREES, ///< a box in degrees
  SCIARA_PICTURE_OF_PLACE    ///< a place that the picture shows, with a margin
};

/** Options of pictures. Texts may be NULL. */
struct sciara_picture_look {
  enum sciara_picture_extent extent;
  double box[4];     ///< west, south, east, north
  const char *place; ///< its name
  enum sciara_language language;
  const char *title; ///< instead of that of the run
  const char *credits, *stamp;
  char issued[32], valid_until[32]; ///< as written; "" for none
  const char *logo, *background;    ///< paths
  const char *const *extra_drivers; ///< GDAL driver names that may read the background, beyond the built-in list
  size_t extra_driver_count;
  bool graticule; ///< lines of equal longitude and latitude
  int64_t width;  ///< px; 0: by the size of what is shown
};

/** What the picture refers to. Zero-initialise; release with sciara_picture_parts_free. */
struct sciara_picture_parts {
  struct sciara_map_window window;
  struct _cairo_surface *logo;
  uint8_t *rgba;
  struct sciara_map_image background;
};

/** SCIARA_ERR_USAGE if the map would be valid until a time before the start, "2006-07-14T23:30:00Z" or NULL. */
enum sciara_status sciara_picture_look_check(const struct sciara_picture_look *look, const char *start);

/**
 * Gives the picture, whose map is set, its look: texts, the part of the grid (which a message states if it is not all),
 * logo and background.
 *
 * @param bounds of what SCIARA_PICTURE_OF_LAVA shows
 */
enum sciara_status sciara_picture_look_apply(const struct sciara_picture_look *look,
                                             const struct sciara_map_bounds *bounds, struct sciara_map_picture *picture,
                                             struct sciara_picture_parts *parts);
void sciara_picture_parts_free(struct sciara_picture_parts *parts);

#endif
