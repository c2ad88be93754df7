// SPDX-License-Identifier: Apache-2.0
// What the parts of a map's picture share: map_picture.c lays it out, ground, legend and outline draw into it. Private to io.
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

/** Colour of a value; false where there is nothing to show. */
bool sciara_map_colour(const struct sciara_map *map, const struct sciara_colouring *c, double value, uint8_t rgb[3]);

/** Paints ground and values so that the grid fills `part`. */
enum sciara_status sciara_paint_ground(const struct sciara_map_picture *q, const struct sciara_colouring *c,
                                       struct sciara_picture *part);

/** Draws the outline of q->observed over the grid in `part`; `radius` of the line in px. */
void sciara_paint_outline(const struct sciara_map_picture *q, double radius, struct sciara_picture *part);

/** The line of an outline: dark between two light edges, so that it shows on every colour. */
void sciara_paint_cased(struct sciara_picture *p, struct sciara_spot a, struct sciara_spot b, double radius,
                        bool edges);

/** Colour bar with heading and labels, in a box of `width` px whose upper left corner is (x, y). */
void sciara_paint_legend(const struct sciara_map_picture *q, const struct sciara_colouring *c, double letter, double x,
                         double y, double width, struct sciara_picture *p);

/** Scale bar of at most `width` px for `metres_per_px`, its bar at height y; returns its length in px, labels aside. */
double sciara_paint_scale_bar(double metres_per_px, double letter, double x, double y, double width,
                              struct sciara_picture *p);

/** North arrow whose foot is (x, y), `height` px high. */
void sciara_paint_north(double x, double y, double height, struct sciara_picture *p);

/** Text across the map in `part`. */
void sciara_paint_stamp(const char *text, struct sciara_picture *part);

#endif
