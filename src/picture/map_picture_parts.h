// SPDX-License-Identifier: Apache-2.0
// What the parts of a map's picture share: map_picture.c lays it out; ground, marks and key draw into it.
// Included by this room alone.
#ifndef SCIARA_PICTURE_MAP_PICTURE_PARTS_H
#define SCIARA_PICTURE_MAP_PICTURE_PARTS_H

#include <math.h>

#include "map/colour_ramp.h"
#include "picture/map_picture.h"
#include "picture/picture.h"

/** A range whose ends and ticks are round numbers in a unit for people. */
struct sciara_legend_scale {
  double low, step; ///< in `unit`
  int steps;        ///< high = low + steps x step
  double factor;    ///< one `unit` in the unit of the values: 3600 for hours of values in seconds
  const char *unit; ///< "m/s"
};

/** The smallest of 1, 2, 5 x 10^n of which at most `most` fit into `span` (> 0, finite). */
double sciara_round_step(double span, int most);

/** The scale of at most `most` + 2 steps that covers low..high of values in `unit` ("m", "s", "m s-1"). */
struct sciara_legend_scale sciara_legend_scale(double low, double high, const char *unit, int most);

/** The ends of the range in the unit of the values. */
static inline double sciara_legend_low(const struct sciara_legend_scale *s) { return s->low * s->factor; }
static inline double sciara_legend_high(const struct sciara_legend_scale *s) {
  return (s->low + s->steps * s->step) * s->factor;
}

/** How values become colours. */
struct sciara_colouring {
  const struct sciara_ramp *ramp;
  struct sciara_legend_scale scale;
  double low, high; ///< the ends of the scale in the unit of the values
  bool beyond;      ///< some values are larger
};

/** Where the map itself is, px. */
struct sciara_map_place {
  int64_t x, y, width, height;
};

/** A picture that is being drawn. */
struct sciara_map_drawing {
  const struct sciara_map_picture *q;
  struct sciara_map_window window; ///< the cells that are shown
  struct sciara_grid grid;         ///< of the window: its rows, columns and position
  struct sciara_lettering lettering;
  struct sciara_picture picture;
  struct sciara_map_place map;
  double letter; ///< height of a capital, px
  int32_t front; ///< number of the zone whose front is drawn
};

/** Lays a picture out and draws it. Zero-initialise; release with sciara_map_drawing_free. */
enum sciara_status sciara_map_draw(const struct sciara_map_picture *q, const char *path,
                                   struct sciara_map_drawing *out);
void sciara_map_drawing_free(struct sciara_map_drawing *d);

/** The number of a cell of the window in the arrays of the picture. */
static inline int64_t sciara_map_cell(const struct sciara_map_drawing *d, int64_t r, int64_t c) {
  return (d->window.row + r) * d->q->map->grid->cols + d->window.col + c;
}

/** Whether a cell of the window is sea. */
static inline bool sciara_map_is_sea(const struct sciara_map_drawing *d, int64_t r, int64_t c) {
  return d->q->sea && d->q->sea[sciara_map_cell(d, r, c)];
}

/** Where a point of the map lies in the picture, px. */
static inline struct sciara_point sciara_map_point(const struct sciara_map_drawing *d, struct sciara_point p) {
  const struct sciara_grid *g = &d->grid;
  const double right = (p.x - g->west) / g->cell_size / (double)g->cols;
  const double down = (g->north - p.y) / g->cell_size / (double)g->rows;
  return (struct sciara_point){(double)d->map.x + right * (double)d->map.width,
                               (double)d->map.y + down * (double)d->map.height};
}

/** Whether Cairo can draw there; a file may name any coordinates. */
static inline bool sciara_map_is_near(const struct sciara_map_drawing *d, struct sciara_point p) {
  return fabs(p.x) < 4.0 * (double)d->picture.width && fabs(p.y) < 4.0 * (double)d->picture.height;
}

/** Paints ground and values. */
enum sciara_status sciara_paint_ground(struct sciara_map_drawing *d, const struct sciara_colouring *c);

/** Places, vents and run-out point on the map. */
void sciara_paint_marks(struct sciara_map_drawing *d);

/** Writes a text centred on a point, turned by an angle, with a white border of `line` px and `opacity`, so that it is legible everywhere. */
void sciara_write_bordered(struct sciara_map_drawing *d, const struct sciara_writing *w, struct sciara_point middle,
                           double angle, double line, double opacity, const uint8_t rgb[3]);

/** The key of what is drawn on the map, in lines of `width` px from (x, y) on. Returns its height; it is only measured
 *  unless `paint`. */
double sciara_map_key(struct sciara_map_drawing *d, double x, double y, double width, bool paint);

/** The colours of what is no ground. */
extern const uint8_t sciara_map_sea[3], sciara_map_no_data[3];

/** Lines of text under the key: volumes that left, the note, validity; as sciara_map_key. */
double sciara_map_lines(struct sciara_map_drawing *d, double x, double y, double width, bool paint);

/** Clips what is drawn next to the map; cairo_restore ends it. */
void sciara_clip_to_map(struct sciara_map_drawing *d);

/** What has an outline. */
enum sciara_map_outline { SCIARA_OUTLINE_OBSERVED, SCIARA_OUTLINE_EDITS, SCIARA_OUTLINE_FRONT };

/** Draws the outline of the observed extent, of the edits of the ground, or of the lava at the end of the zone d->front. */
void sciara_paint_outline(struct sciara_map_drawing *d, enum sciara_map_outline what);

#endif
