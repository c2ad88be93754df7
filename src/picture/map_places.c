// SPDX-License-Identifier: Apache-2.0
// Points, lines and zones on a map, with their names.
#include <math.h>

#include "picture/map_picture_parts.h"

static const uint8_t white[3] = {255, 255, 255}, place_colour[3] = {11, 87, 208};

/** The parts of a place as a path: lines, closed rings, or circles. False: nothing of it is near. */
static bool trace_place(struct sciara_map_drawing *d, const struct sciara_poi *poi) {
  cairo_t *c = d->picture.cairo;
  bool any = false;
  for (size_t part = 0, begin = 0; part < sciara_poi_parts(poi); part++) {
    const size_t end = sciara_poi_end(poi, part);
    bool drawing = false;
    for (size_t k = begin; k < end; k++) {
      const struct sciara_point p = sciara_map_point(d, poi->points[k]);
      const bool near = sciara_map_is_near(d, p);
      any |= near;
      if (near && poi->kind == SCIARA_POI_POINT) {
        cairo_new_sub_path(c);
        cairo_arc(c, p.x, p.y, 0.4 * d->letter, 0, 6.283185307179586);
      } else if (near && drawing) {
        cairo_line_to(c, p.x, p.y);
      } else if (near) {
        cairo_move_to(c, p.x, p.y);
      }
      drawing = near;
    }
    if (poi->kind == SCIARA_POI_ZONE && drawing) cairo_close_path(c);
    begin = end;
  }
  return any;
}

/** Whether a box overlaps one of those before it. */
static bool is_taken(const struct sciara_box *box, size_t count, struct sciara_box b) {
  for (size_t k = 0; k < count; k++)
    if (b.x < box[k].x + box[k].width && box[k].x < b.x + b.width && b.y < box[k].y + box[k].height &&
        box[k].y < b.y + b.height)
      return true;
  return false;
}

enum { MOST_NAMES = 300 };

/** Whether a point of the picture lies on the map. */
static bool is_on_map(const struct sciara_map_drawing *d, double x, double y) {
  return x >= (double)d->map.x && y >= (double)d->map.y && x <= (double)(d->map.x + d->map.width) &&
         y <= (double)(d->map.y + d->map.height);
}

void sciara_write_bordered(struct sciara_map_drawing *d, const struct sciara_writing *w, struct sciara_point middle,
                           double angle, double line, double opacity, const uint8_t rgb[3]) {
  cairo_t *c = d->picture.cairo;
  cairo_save(c);
  cairo_translate(c, middle.x, middle.y);
  cairo_rotate(c, angle);
  sciara_picture_text_path(&d->picture, &d->lettering, w);
  cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width(c, line);
  sciara_picture_colour(&d->picture, white, opacity);
  cairo_stroke_preserve(c);
  sciara_picture_colour(&d->picture, rgb, 1);
  cairo_fill(c);
  cairo_restore(c);
}

/** Where a name stands: the middle of its text, and its direction. */
struct name_place {
  struct sciara_point middle;
  double angle;
};

/** Writes a name there, unless it would leave the map or hide another name. */
static bool put_name(struct sciara_map_drawing *d, const struct sciara_writing *w, double width,
                     const struct name_place *at, const uint8_t rgb[3], struct sciara_box *box, size_t *count) {
  const double across = fabs(cos(at->angle)), up = fabs(sin(at->angle)), height = 1.6 * w->capital;
  const double wide = width * across + height * up, tall = width * up + height * across;
  const struct sciara_box b = {at->middle.x - 0.5 * wide, at->middle.y - 0.5 * tall, wide, tall};
  if (!is_on_map(d, b.x, b.y) || !is_on_map(d, b.x + b.width, b.y + b.height) || is_taken(box, *count, b)) return false;
  box[(*count)++] = b;
  sciara_write_bordered(d, w, at->middle, at->angle, fmax(2, 0.3 * d->letter), 0.85, rgb);
  return true;
}

/** Where a name stands along the longest piece of a line on the map that is long enough, above the line. */
static bool along_line(const struct sciara_map_drawing *d, const struct sciara_poi *poi, double width, double above,
                       struct name_place *out) {
  double longest = width;
  for (size_t part = 0, begin = 0; part < sciara_poi_parts(poi); begin = sciara_poi_end(poi, part++))
    for (size_t k = begin + 1; k < sciara_poi_end(poi, part); k++) {
      const struct sciara_point a = sciara_map_point(d, poi->points[k - 1]), b = sciara_map_point(d, poi->points[k]);
      const double length = hypot(b.x - a.x, b.y - a.y);
      if (length < longest || !is_on_map(d, a.x, a.y) || !is_on_map(d, b.x, b.y)) continue;
      const bool right = b.x >= a.x; // text is read from left to right
      const double dx = (right ? b.x - a.x : a.x - b.x) / length, dy = (right ? b.y - a.y : a.y - b.y) / length;
      longest = length;
      out->middle = (struct sciara_point){0.5 * (a.x + b.x) + dy * above, 0.5 * (a.y + b.y) - dx * above};
      out->angle = atan2(dy, dx);
    }
  return longest > width;
}

/** Writes a name right or left of a point, above or below it, where there is room. */
static bool put_beside(struct sciara_map_drawing *d, const struct sciara_writing *w, double width,
                       struct sciara_point p, const uint8_t rgb[3], struct sciara_box *box, size_t *count) {
  static const struct sciara_point sides[] = {{1, 0}, {-1, 0}, {0, -1}, {0, 1}};
  for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
    const double across = 0.8 * d->letter + 0.5 * width, up = 1.3 * d->letter;
    const struct name_place at = {{p.x + sides[k].x * across, p.y + sides[k].y * up}, 0};
    if (put_name(d, w, width, &at, rgb, box, count)) return true;
  }
  return false;
}

/**
 * Writes the name of a place: along a line, in the middle of a zone, else right or left of its first point on the map, above
 * or below it, where there is room.
 */
static void write_name(struct sciara_map_drawing *d, const struct sciara_poi *poi, struct sciara_box box[MOST_NAMES],
                       size_t *count) {
  const struct sciara_writing w = {.text = poi->name, .capital = 0.8 * d->letter, .lines = 1};
  struct sciara_point p = {0, 0};
  struct name_place at;
  size_t k = 0;
  while (k < poi->point_count && (p = sciara_map_point(d, poi->points[k]), !is_on_map(d, p.x, p.y))) k++;
  if (k == poi->point_count || *count == MOST_NAMES) return;
  const double width = sciara_lettering_measure(&d->lettering, &w).width;
  if (poi->kind == SCIARA_POI_LINE && along_line(d, poi, width, 1.1 * d->letter, &at) &&
      put_name(d, &w, width, &at, place_colour, box, count))
    return;
  at = (struct name_place){sciara_map_point(d, sciara_poi_middle(poi)), 0};
  if (poi->kind == SCIARA_POI_ZONE && put_name(d, &w, width, &at, place_colour, box, count)) return;
  put_beside(d, &w, width, p, place_colour, box, count);
}

/** The cell of the zone that is farthest from all vents, of those that are not near the cells tried before; false: none. */
static bool farthest(const struct sciara_map_drawing *d, int32_t zone, double apart, const struct sciara_point *tried,
                     int tries, struct sciara_point *out) {
  enum { VENTS = 40 }; // of more, the first ones tell what is far
  double most = -1;
  for (int64_t r = 0; r < d->grid.rows; r++)
    for (int64_t c = 0; c < d->grid.cols; c++) {
      if (d->q->fronts->member[sciara_map_cell(d, r, c)] != zone) continue;
      const struct sciara_point at = sciara_cell_centre(&d->grid, r, c), p = sciara_map_point(d, at);
      double least = INFINITY;
      for (size_t v = 0; v < d->q->vents && v < VENTS; v++)
        least = fmin(least, hypot(at.x - d->q->vent[v].points[0].x, at.y - d->q->vent[v].points[0].y));
      for (int k = 0; k < tries; k++)
        if (hypot(p.x - tried[k].x, p.y - tried[k].y) < apart) least = -1;
      if (!(least > most)) continue;
      most = least;
      *out = p;
    }
  return most >= 0;
}

/** Writes the time of a front where lava came last and farthest until then; the latest fronts first. */
static void name_fronts(struct sciara_map_drawing *d, struct sciara_box box[MOST_NAMES], size_t *count) {
  enum { TRIES = 8 };
  static const uint8_t ink[3] = {0, 60, 40};
  for (size_t k = d->q->fronts->count; k-- > 0;) {
    const struct sciara_writing w = {.text = d->q->fronts->zone[k].label, .capital = 0.7 * d->letter, .lines = 1};
    const double width = sciara_lettering_measure(&d->lettering, &w).width;
    struct sciara_point tried[TRIES] = {{0, 0}};
    for (int t = 0; t < TRIES && d->q->fronts->zone[k].cells > 0 && *count < MOST_NAMES / 2; t++)
      if (!farthest(d, (int32_t)k + 1, width, tried, t, &tried[t]) ||
          put_beside(d, &w, width, tried[t], ink, box, count))
        break;
  }
}

void sciara_stroke_place(struct sciara_map_drawing *d, enum sciara_poi_kind kind) {
  cairo_t *c = d->picture.cairo;
  if (kind == SCIARA_POI_ZONE) {
    sciara_picture_colour(&d->picture, place_colour, 0.12);
    cairo_fill_preserve(c);
  }
  cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width(c, fmax(3, 0.35 * d->letter));
  sciara_picture_colour(&d->picture, white, 0.8);
  cairo_stroke_preserve(c);
  cairo_set_line_width(c, fmax(1.2, 0.15 * d->letter));
  sciara_picture_colour(&d->picture, place_colour, 1);
  cairo_stroke(c);
}

void sciara_paint_places(struct sciara_map_drawing *d) {
  const struct sciara_map_picture *q = d->q;
  struct sciara_box box[MOST_NAMES];
  size_t names = 0;
  for (size_t k = 0; k < q->poi_count; k++)
    if (trace_place(d, &q->pois[k])) sciara_stroke_place(d, q->pois[k].kind);
  if (q->fronts) name_fronts(d, box, &names);
  for (size_t k = 0; k < q->poi_count; k++)
    if (q->pois[k].point_count > 0) write_name(d, &q->pois[k], box, &names);
}
