// SPDX-License-Identifier: Apache-2.0
// What the parts of a map's picture share: map_picture.c lays it out, ground, legend and outline draw into it. Private to
// picture.
#ifndef SCIARA_PICTURE_MAP_PICTURE_PARTS_H
#define SCIARA_PICTURE_MAP_PICTURE_PARTS_H

#include "map/colour_ramp.h"
#include "picture/legend_scale.h"
#include "picture/lettering.h"
#include "picture/map_picture.h"

/** How values become colours. */
struct sciara_colouring {
  const struct sciara_ramp *ramp;
  struct sciara_legend_scale scale;
  double low, high; ///< the ends of the scale in the unit of the values
};

/** Where the map itself is, px. */
struct sciara_map_place {
  int64_t x, y, width, height;
};

/** A picture that is being drawn. */
struct sciara_map_drawing {
  const struct sciara_map_picture *q;
  struct sciara_lettering lettering;
  struct sciara_picture picture;
  struct sciara_map_place map;
  double letter; ///< height of a capital, px
};

/** Lays a picture out and draws it. Zero-initialise; release with sciara_map_drawing_free. */
enum sciara_status sciara_map_draw(const struct sciara_map_picture *q, const char *path,
                                   struct sciara_map_drawing *out);
void sciara_map_drawing_free(struct sciara_map_drawing *d);

/** Colour of a value; false where there is nothing to show. */
bool sciara_map_colour(const struct sciara_map_picture *q, const struct sciara_colouring *c, double value,
                       uint8_t rgb[3]);

/** Paints ground and values. */
enum sciara_status sciara_paint_ground(struct sciara_map_drawing *d, const struct sciara_colouring *c);

/** Draws the outline of the observed extent. */
void sciara_paint_outline(struct sciara_map_drawing *d);

/** Draws the path as the line of an outline: its light edges, or itself. */
void sciara_stroke_outline(struct sciara_map_drawing *d, bool edges);

/** Text across the map. */
void sciara_paint_stamp(struct sciara_map_drawing *d);

/** Colour bar with heading and labels, or the kinds, in a box of `width` px with its upper left corner at (x, y). Returns how far
 *  it reaches to the right. */
double sciara_paint_legend(struct sciara_map_drawing *d, const struct sciara_colouring *c, double x, double y,
                           double width);

/** Scale bar between x and `right`, its upper side at y. */
void sciara_paint_scale_bar(struct sciara_map_drawing *d, double x, double y, double right);

/** North arrow of `height` px whose right end is x and whose foot is y. Returns its width. */
double sciara_paint_north(struct sciara_map_drawing *d, double x, double y, double height);

#endif
