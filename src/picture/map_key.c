// SPDX-License-Identifier: Apache-2.0
// What is marked on a map (places, outlines, vents, run-out point), its key, and the lines of text below it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"
#include "picture/map_picture_parts.h"

// Points, lines and zones on a map, with their names.
static const uint8_t ink[3] = {30, 30, 30}, white[3] = {255, 255, 255}, vent_colour[3] = {0, 200, 215},
                     run_out_colour[3] = {255, 240, 90}, place_colour[3] = {11, 87, 208};

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
  static const uint8_t green[3] = {0, 60, 40};
  for (size_t k = d->q->fronts->count; k-- > 0;) {
    const struct sciara_writing w = {.text = d->q->fronts->zone[k].label, .capital = 0.7 * d->letter, .lines = 1};
    const double width = sciara_lettering_measure(&d->lettering, &w).width;
    struct sciara_point tried[TRIES] = {{0, 0}};
    for (int t = 0; t < TRIES && d->q->fronts->zone[k].cells > 0 && *count < MOST_NAMES / 2; t++)
      if (!farthest(d, (int32_t)k + 1, width, tried, t, &tried[t]) ||
          put_beside(d, &w, width, tried[t], green, box, count))
        break;
  }
}

/** Draws the path as the outline of a place of that kind; a zone is tinted. */
static void stroke_place(struct sciara_map_drawing *d, enum sciara_poi_kind kind) {
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

/** Places with their names. */
static void paint_places(struct sciara_map_drawing *d) {
  const struct sciara_map_picture *q = d->q;
  struct sciara_box box[MOST_NAMES];
  size_t names = 0;
  for (size_t k = 0; k < q->poi_count; k++)
    if (trace_place(d, &q->pois[k])) stroke_place(d, q->pois[k].kind);
  if (q->fronts) name_fronts(d, box, &names);
  for (size_t k = 0; k < q->poi_count; k++)
    if (q->pois[k].point_count > 0) write_name(d, &q->pois[k], box, &names);
}

static const char *word(const struct sciara_map_drawing *d, enum sciara_word w) {
  return sciara_word(d->q->language, w);
}

// ------------------------------------------------------------------------------------------------------------ outlines

/** Whole pixels: sharp wherever the borders of cells are. */
static double outline_width(const struct sciara_map_drawing *d) { return fmax(1, round(0.14 * d->letter)); }

static double sharp(const struct sciara_map_drawing *d, double v) {
  return round(v) + (fmod(outline_width(d), 2) > 0 ? 0.5 : 0);
}

/** Draws the path as the line of an outline: its light edges, or itself. */
static void stroke_outline(struct sciara_map_drawing *d, enum sciara_map_outline what, bool edges) {
  static const uint8_t colour[][3] = {[SCIARA_OUTLINE_OBSERVED] = {30, 30, 30},
                                      [SCIARA_OUTLINE_EDITS] = {140, 0, 160},
                                      [SCIARA_OUTLINE_FRONT] = {0, 90, 60}};
  const double line = outline_width(d), edge = fmax(1, round(0.5 * line));
  cairo_set_line_cap(d->picture.cairo, CAIRO_LINE_CAP_SQUARE);
  cairo_set_line_width(d->picture.cairo, edges ? line + 2 * edge : line);
  sciara_picture_colour(&d->picture, edges ? white : colour[what], 1);
  cairo_stroke(d->picture.cairo);
}

/** Whether the extent covers a cell of the window, or next to it; beyond the grid it covers nothing. */
static bool covered(const struct sciara_map_drawing *d, enum sciara_map_outline what, int64_t r, int64_t c) {
  const struct sciara_grid *g = d->q->map->grid;
  const int64_t row = d->window.row + r, col = d->window.col + c;
  if (row < 0 || col < 0 || row >= g->rows || col >= g->cols) return false;
  const int64_t i = row * g->cols + col;
  if (what == SCIARA_OUTLINE_FRONT) return d->q->fronts->member[i] > 0 && d->q->fronts->member[i] <= d->front;
  return what == SCIARA_OUTLINE_EDITS ? d->q->edits[i] : d->q->observed[i];
}

/** Whether some of it lies on the map. */
static bool has_outline(const struct sciara_map_drawing *d, enum sciara_map_outline what) {
  for (int64_t r = 0; r < d->grid.rows; r++)
    for (int64_t c = 0; c < d->grid.cols; c++)
      if (covered(d, what, r, c)) return true;
  return false;
}

/** Adds the borders between two rows (or columns, `across`) of cells to the path, each run of them as one line. */
static void trace_borders(struct sciara_map_drawing *d, enum sciara_map_outline what, bool across, int64_t line) {
  const struct sciara_grid *g = &d->grid;
  const double down = (double)d->map.height / (double)g->rows, right = (double)d->map.width / (double)g->cols;
  bool drawing = false;
  for (int64_t k = 0; k <= (across ? g->rows : g->cols); k++) {
    const bool border = across ? covered(d, what, k, line) != covered(d, what, k, line - 1)
                               : covered(d, what, line, k) != covered(d, what, line - 1, k);
    if (border == drawing) continue;
    const double x = sharp(d, (double)d->map.x + right * (double)(across ? line : k));
    const double y = sharp(d, (double)d->map.y + down * (double)(across ? k : line));
    if (border)
      cairo_move_to(d->picture.cairo, x, y);
    else
      cairo_line_to(d->picture.cairo, x, y);
    drawing = border;
  }
}

void sciara_clip_to_map(struct sciara_map_drawing *d) {
  cairo_save(d->picture.cairo);
  cairo_rectangle(d->picture.cairo, (double)d->map.x, (double)d->map.y, (double)d->map.width, (double)d->map.height);
  cairo_clip(d->picture.cairo);
}

void sciara_paint_outline(struct sciara_map_drawing *d, enum sciara_map_outline what) {
  const struct sciara_grid *g = &d->grid;
  sciara_clip_to_map(d);
  for (int edges = 1; edges >= 0; edges--) // the light edges of all first
    for (int across = 0; across <= 1; across++)
      for (int64_t k = 0; k <= (across ? g->cols : g->rows); k++) {
        trace_borders(d, what, across, k);
        stroke_outline(d, what, edges);
      }
  cairo_restore(d->picture.cairo);
}

// -------------------------------------------------------------------------------------------------------------- marks

/** Fills the path with a colour; a white edge and a dark line make it visible on every ground. */
static void finish_mark(struct sciara_map_drawing *d, const uint8_t fill[3]) {
  cairo_t *c = d->picture.cairo;
  const double line = fmax(1, d->letter / 9);
  cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width(c, 3 * line);
  sciara_picture_colour(&d->picture, white, 1);
  cairo_stroke_preserve(c);
  sciara_picture_colour(&d->picture, fill, 1);
  cairo_fill_preserve(c);
  cairo_set_line_width(c, line);
  sciara_picture_colour(&d->picture, ink, 1);
  cairo_stroke(c);
}

/** A triangle whose middle is the vent. */
static void draw_vent(struct sciara_map_drawing *d, double x, double y) {
  const double r = 0.7 * d->letter;
  cairo_move_to(d->picture.cairo, x, y - r);
  cairo_line_to(d->picture.cairo, x + 0.87 * r, y + 0.5 * r);
  cairo_line_to(d->picture.cairo, x - 0.87 * r, y + 0.5 * r);
  cairo_close_path(d->picture.cairo);
  finish_mark(d, vent_colour);
}

enum { FEW_VENTS = 40 }; ///< of more, the circles are smaller

/** A circle whose area is the weight of the vent. */
static void draw_weight(struct sciara_map_drawing *d, double x, double y, double weight) {
  cairo_t *c = d->picture.cairo;
  const double largest = 0.6 * d->letter * fmin(1, sqrt((double)FEW_VENTS / (double)d->q->vents));
  cairo_new_sub_path(c);
  cairo_arc(c, x, y, fmax(1, largest * sqrt(weight)), 0, 6.283185307179586);
  sciara_picture_colour(&d->picture, vent_colour, 1);
  cairo_fill_preserve(c);
  cairo_set_line_width(c, fmax(0.5, largest / 8));
  sciara_picture_colour(&d->picture, ink, 1);
  cairo_stroke(c);
}

static void draw_heaviest(struct sciara_map_drawing *d, double x, double y) { draw_weight(d, x, y, 1); }

static void draw_run_out(struct sciara_map_drawing *d, double x, double y) {
  cairo_new_sub_path(d->picture.cairo);
  cairo_arc(d->picture.cairo, x, y, 0.5 * d->letter, 0, 6.283185307179586);
  finish_mark(d, run_out_colour);
}

/** Draws the path as a fissure. */
static void stroke_fissure(struct sciara_map_drawing *d, double weight) {
  cairo_t *c = d->picture.cairo;
  const double line = fmax(1.5, 0.3 * d->letter * (d->q->weighted ? sqrt(weight) : 1));
  cairo_set_line_cap(c, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width(c, 2 * line);
  sciara_picture_colour(&d->picture, ink, 1);
  cairo_stroke_preserve(c);
  cairo_set_line_width(c, line);
  sciara_picture_colour(&d->picture, vent_colour, 1);
  cairo_stroke(c);
}

static void draw_fissure(struct sciara_map_drawing *d, const struct sciara_map_vent *v) {
  cairo_t *c = d->picture.cairo;
  bool drawing = false;
  for (size_t k = 0; k < v->count; k++) {
    const struct sciara_point p = sciara_map_point(d, v->points[k]);
    if (sciara_map_is_near(d, p) && drawing)
      cairo_line_to(c, p.x, p.y);
    else if (sciara_map_is_near(d, p))
      cairo_move_to(c, p.x, p.y);
    drawing = sciara_map_is_near(d, p);
  }
  stroke_fissure(d, v->weight);
}

void sciara_paint_marks(struct sciara_map_drawing *d) {
  const struct sciara_map_picture *q = d->q;
  sciara_clip_to_map(d);
  paint_places(d);
  for (size_t k = 0; k < q->vents; k++) {
    const struct sciara_point p = sciara_map_point(d, q->vent[k].points[0]);
    if (q->vent[k].count > 1)
      draw_fissure(d, &q->vent[k]);
    else if (q->weighted && sciara_map_is_near(d, p))
      draw_weight(d, p.x, p.y, q->vent[k].weight);
    else if (sciara_map_is_near(d, p))
      draw_vent(d, p.x, p.y);
  }
  if (q->run_out) {
    const struct sciara_point p = sciara_map_point(d, q->run_out->at);
    if (sciara_map_is_near(d, p)) draw_run_out(d, p.x, p.y);
  }
  cairo_restore(d->picture.cairo);
}

// ---------------------------------------------------------------------------------------------------------------- key

/** An entry of the key, and where the next one goes. */
struct key {
  struct sciara_map_drawing *d;
  double left, width, x, y; ///< y: upper side of the line
  bool paint, any;
};

/** Makes room for a symbol and a text; `longest` is the longest text that may stand there. */
static struct sciara_point next_entry(struct key *k, double symbol, const char *longest) {
  const struct sciara_writing w = {.text = longest, .capital = k->d->letter};
  const double letter = k->d->letter;
  const double length = fmin(symbol + letter + sciara_lettering_measure(&k->d->lettering, &w).width, k->width);
  if (k->any && k->x + length > k->left + k->width) {
    k->x = k->left;
    k->y += 2.2 * letter;
  }
  const struct sciara_point at = {k->x, k->y};
  k->x += length + 2.5 * letter;
  k->any = true;
  return at;
}

static void label(struct key *k, struct sciara_point at, double symbol, const char *text) {
  const double letter = k->d->letter;
  struct sciara_writing w = {.text = text, .capital = letter, .lines = 1};
  w.width = k->left + k->width - at.x - symbol - letter;
  sciara_picture_write(&k->d->picture, &k->d->lettering, at.x + symbol + letter, at.y + 1.2 * letter, 0, &w);
}

static void claim(struct key *k, struct sciara_point at, double width) {
  sciara_picture_claim(&k->d->picture, (struct sciara_box){at.x, at.y, width, 1.4 * k->d->letter});
}

/** @param after what stands behind the name; "": nothing */
static void put_outline(struct key *k, enum sciara_map_outline what, enum sciara_word name, const char *after) {
  const double letter = k->d->letter, length = 3 * letter;
  char text[192];
  snprintf(text, sizeof text, "%.120s%s", word(k->d, name), after);
  const struct sciara_point at = next_entry(k, length, text);
  if (!k->paint) return;
  const double y = round(at.y + 0.7 * letter) + 0.5;
  cairo_move_to(k->d->picture.cairo, at.x, y);
  cairo_line_to(k->d->picture.cairo, at.x + length, y);
  stroke_outline(k->d, what, false);
  sciara_picture_claim(&k->d->picture, (struct sciara_box){at.x, y - 1, length, 2});
  label(k, at, length, text);
}

static void put_mark(struct key *k, void (*mark)(struct sciara_map_drawing *, double, double), const char *text,
                     const char *longest) {
  const double side = 1.5 * k->d->letter;
  const struct sciara_point at = next_entry(k, side, longest);
  if (!k->paint) return;
  mark(k->d, at.x + 0.5 * side, at.y + 0.5 * side);
  claim(k, at, side);
  label(k, at, side, text);
}

static void put_run_out(struct key *k) {
  char text[192], longest[192], of[80] = ""; // of one width in every frame of a film
  const char *name = word(k->d, SCIARA_WORD_RUN_OUT);
  const char *colon = word(k->d, SCIARA_WORD_COLON);
  if (k->d->q->run_out_of) sciara_fit(of, sizeof of, " (%.70s)", k->d->q->run_out_of);
  snprintf(text, sizeof text, "%s%s%s%.*f m", name, of, colon, sciara_grid_decimals(&k->d->grid),
           k->d->q->run_out->metres);
  sciara_word_numbers(k->d->q->language, text);
  snprintf(longest, sizeof longest, "%s%s%s888888 m", name, of, colon);
  put_mark(k, draw_run_out, text, longest);
}

static void put_colour(struct key *k, const uint8_t rgb[3], enum sciara_word name) {
  const double side = round(1.4 * k->d->letter);
  const struct sciara_point at = next_entry(k, side, word(k->d, name));
  if (!k->paint) return;
  const double x = round(at.x), y = round(at.y);
  sciara_picture_fill(&k->d->picture, x, y, side, side, ink);
  sciara_picture_fill(&k->d->picture, x + 1, y + 1, side - 2, side - 2, rgb);
  sciara_picture_claim(&k->d->picture, (struct sciara_box){x, y, side, side});
  label(k, at, side, word(k->d, name));
}

static bool any_cell(const struct sciara_map_drawing *d,
                     bool (*is)(const struct sciara_map_drawing *, int64_t, int64_t)) {
  for (int64_t r = 0; r < d->grid.rows; r++)
    for (int64_t c = 0; c < d->grid.cols; c++)
      if (is(d, r, c)) return true;
  return false;
}

/** A point, a line or a zone as it is drawn. */
static void put_place(struct key *k, enum sciara_poi_kind kind, enum sciara_word name) {
  cairo_t *c = k->d->picture.cairo;
  const double letter = k->d->letter, length = (kind == SCIARA_POI_POINT  ? 1.4
                                                : kind == SCIARA_POI_LINE ? 3
                                                                          : 2) *
                                               letter;
  const struct sciara_point at = next_entry(k, length, word(k->d, name));
  if (!k->paint) return;
  const double y = round(at.y + 0.7 * letter) + 0.5;
  if (kind == SCIARA_POI_POINT) {
    cairo_new_sub_path(c);
    cairo_arc(c, at.x + 0.5 * length, y, 0.4 * letter, 0, 6.283185307179586);
  } else if (kind == SCIARA_POI_LINE) {
    cairo_move_to(c, at.x, y);
    cairo_line_to(c, at.x + length, y);
  } else {
    cairo_rectangle(c, at.x, y - 0.6 * letter, length, 1.2 * letter);
  }
  stroke_place(k->d, kind);
  claim(k, at, length);
  label(k, at, length, word(k->d, name));
}

static void put_fissure(struct key *k) {
  const double letter = k->d->letter, length = 2.4 * letter;
  const struct sciara_point at = next_entry(k, length, word(k->d, SCIARA_WORD_FISSURE));
  if (!k->paint) return;
  const double y = round(at.y + 0.7 * letter) + 0.5;
  cairo_move_to(k->d->picture.cairo, at.x + 0.3 * letter, y);
  cairo_line_to(k->d->picture.cairo, at.x + length - 0.3 * letter, y);
  stroke_fissure(k->d, 1);
  claim(k, at, length);
  label(k, at, length, word(k->d, SCIARA_WORD_FISSURE));
}

/** Whether points, or what lies between them, may be on the map: by the box around them. */
static bool is_in_sight(const struct sciara_map_drawing *d, const struct sciara_point *points, size_t count) {
  const struct sciara_grid *g = &d->grid;
  double box[4];
  sciara_points_box(points, count, box);
  return box[0] <= sciara_grid_east(g) && box[2] >= g->west && box[1] <= g->north && box[3] >= sciara_grid_south(g);
}

/** Vents and fissures, each if there is one on the map. */
static void put_vents(struct key *k) {
  const struct sciara_map_picture *q = k->d->q;
  const enum sciara_word vent = q->weighted ? SCIARA_WORD_VENT_WEIGHTED : SCIARA_WORD_VENT;
  bool points = false, lines = false;
  for (size_t n = 0; n < q->vents; n++) {
    if (!is_in_sight(k->d, q->vent[n].points, q->vent[n].count)) continue;
    points |= q->vent[n].count == 1;
    lines |= q->vent[n].count > 1;
  }
  if (points) put_mark(k, q->weighted ? draw_heaviest : draw_vent, word(k->d, vent), word(k->d, vent));
  if (lines) put_fissure(k);
}

/** Points, lines and zones, each if there is one on the map. */
static void put_places(struct key *k) {
  static const enum sciara_word name[] = {[SCIARA_POI_POINT] = SCIARA_WORD_PLACE_POINT,
                                          [SCIARA_POI_LINE] = SCIARA_WORD_PLACE_LINE,
                                          [SCIARA_POI_ZONE] = SCIARA_WORD_PLACE_ZONE};
  const struct sciara_map_picture *q = k->d->q;
  for (size_t kind = 0; kind < sizeof name / sizeof *name; kind++) {
    size_t n = 0;
    while (n < q->poi_count && (q->pois[n].kind != (enum sciara_poi_kind)kind ||
                                !is_in_sight(k->d, q->pois[n].points, q->pois[n].point_count)))
      n++;
    if (n < q->poi_count) put_place(k, (enum sciara_poi_kind)kind, name[kind]);
  }
}

static bool map_is_outside(const struct sciara_map_drawing *d, int64_t r, int64_t c) {
  return d->q->altitude[sciara_map_cell(d, r, c)] == SCIARA_NODATA_ALTITUDE && !sciara_map_is_sea(d, r, c);
}

double sciara_map_key(struct sciara_map_drawing *d, double x, double y, double width, bool paint) {
  const struct sciara_map_picture *q = d->q;
  struct key k = {.d = d, .left = x, .width = width, .x = x, .y = y, .paint = paint};
  char after[SCIARA_MINUTE_SIZE] = "";
  if (q->observed_s) sciara_append_minute(q->start, *q->observed_s, after, sizeof after);
  if (q->observed && has_outline(d, SCIARA_OUTLINE_OBSERVED))
    put_outline(&k, SCIARA_OUTLINE_OBSERVED, SCIARA_WORD_OBSERVED, after);
  if (q->fronts && q->start) snprintf(after, sizeof after, " (%s)", sciara_shown_zone_name());
  if (q->fronts) put_outline(&k, SCIARA_OUTLINE_FRONT, SCIARA_WORD_FRONT_AT, q->start ? after : "");
  if (q->edits && has_outline(d, SCIARA_OUTLINE_EDITS)) put_outline(&k, SCIARA_OUTLINE_EDITS, SCIARA_WORD_EDITS, "");
  put_vents(&k);
  if (q->run_out) put_run_out(&k);
  put_places(&k);
  if (any_cell(d, sciara_map_is_sea)) put_colour(&k, sciara_map_sea, SCIARA_WORD_SEA);
  if (any_cell(d, map_is_outside)) put_colour(&k, sciara_map_no_data, SCIARA_WORD_NO_DATA);
  return k.any ? k.y - y + 2.5 * d->letter : 0;
}

// -------------------------------------------------------------------------------------------------------------- lines

/** Lines of text that follow each other. */
struct lines {
  struct sciara_map_drawing *d;
  double x, y, width;
  bool paint;
};

enum { LINES_OF_A_TEXT = 6 };

static void put_text(struct lines *l, const char *text, bool bold) {
  const struct sciara_writing w = {
      .text = text, .capital = 0.9 * l->d->letter, .bold = bold, .width = l->width, .lines = LINES_OF_A_TEXT};
  const double height = sciara_lettering_measure(&l->d->lettering, &w).height;
  if (l->paint) sciara_picture_write(&l->d->picture, &l->d->lettering, l->x, l->y + 1.1 * w.capital, 0, &w);
  l->y += fmax(height, 1.4 * w.capital) + 0.5 * l->d->letter;
}

static void put_line(struct lines *l, const char *text) { put_text(l, text, false); }

/** The line of sciara_word_lava, with room for its longest form: frames of a film are of one size. */
static void put_lava(struct lines *l, const char *text) {
  char longest[SCIARA_WORD_LAVA_SIZE];
  struct lines room = *l;
  room.paint = false;
  sciara_word_lava(l->d->q->language, 123456, 0.00123, 100, longest);
  put_line(&room, longest);
  put_line(l, text);
  l->y = fmax(l->y, room.y);
}

/** Each line of a text. */
static void put_lines(struct lines *l, const char *text) {
  char line[1024];
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = strchr(text, '\n');
    if (!end) end = text + strlen(text);
    snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
    put_line(l, line);
  }
}

/** "Lava that left the map: 1234 m3 (3.4 % of the emitted volume)" */
static void put_volume(struct lines *l, enum sciara_word name, double volume) {
  char text[256], number[48], share[96];
  const struct sciara_map_volumes *v = l->d->q->volumes;
  const bool large = volume >= 1e6;
  sciara_word_share(l->d->q->language, volume, v->emitted, v->other, share, sizeof share);
  snprintf(number, sizeof number,
           large         ? "%.3f\u00A0\u00D7\u00A010\u2076"
           : volume < 10 ? "%.3g"
                         : "%.0f",
           large ? 1e-6 * volume : volume);
  snprintf(text, sizeof text, "%s%s%s\u00A0m\u00B3%s", word(l->d, name), word(l->d, SCIARA_WORD_COLON), number, share);
  sciara_word_numbers(l->d->q->language, text);
  put_line(l, text);
}

/** Says that the cells of the DEM were made of much larger ones. */
static void put_coarse(struct lines *l) {
  struct sciara_text text = {0};
  const struct sciara_map_picture *q = l->d->q;
  if (sciara_word_coarse(&text, q->language, q->coarse_m, q->map->grid->cell_size) == SCIARA_OK)
    put_text(l, text.data, true);
  sciara_text_free(&text);
}

static void put_validity(struct lines *l) {
  const struct sciara_map_picture *q = l->d->q;
  char text[256];
  const char *issued = q->issued ? q->issued : "", *until = q->valid_until ? q->valid_until : "";
  snprintf(text, sizeof text, "%s%s%s%s%s%s%s", q->issued ? word(l->d, SCIARA_WORD_ISSUED) : "", q->issued ? " " : "",
           issued, q->issued && q->valid_until ? ". " : "", q->valid_until ? word(l->d, SCIARA_WORD_VALID_UNTIL) : "",
           q->valid_until ? " " : "", until);
  put_line(l, text);
}

double sciara_map_lines(struct sciara_map_drawing *d, double x, double y, double width, bool paint) {
  const struct sciara_map_picture *q = d->q;
  const struct sciara_map_volumes *v = q->volumes;
  struct lines l = {.d = d, .x = x, .y = y, .width = width, .paint = paint};
  if (q->warning) put_text(&l, word(d, SCIARA_WORD_WARNING), true);
  if (q->coarse_m > 0) put_coarse(&l);
  if (v && *v->lava) put_lava(&l, v->lava);
  if (v && (v->left_map > 0 || v->always_left_map)) put_volume(&l, SCIARA_WORD_LEFT_MAP, v->left_map);
  if (v && (v->entered_sea > 0 || v->always_entered_sea)) put_volume(&l, SCIARA_WORD_ENTERED_SEA, v->entered_sea);
  if (v && v->added > 0) put_volume(&l, SCIARA_WORD_ADDED, v->added);
  if (v && v->removed > 0) put_volume(&l, SCIARA_WORD_REMOVED, v->removed);
  if (q->note) put_lines(&l, q->note);
  if (q->issued || q->valid_until) put_validity(&l);
  return l.y - y;
}
