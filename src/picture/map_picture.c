// SPDX-License-Identifier: Apache-2.0
// The layout of a map's picture: title and time above the map; coordinates, legend, scale bar, north arrow, key and text
// below it.
#include "picture/map_picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/log.h"
#include "base/text.h"
#include "file/georef.h"
#include "picture/map_picture_parts.h"

static const uint8_t ink[3] = {30, 30, 30}, white[3] = {255, 255, 255};

static struct sciara_writing legend_words(const struct sciara_map_drawing *d, const char *text) {
  return (struct sciara_writing){.text = text, .capital = d->letter};
}

static double width_of(struct sciara_map_drawing *d, const char *text) {
  const struct sciara_writing w = legend_words(d, text);
  return sciara_lettering_measure(&d->lettering, &w).width;
}

static void write_at(struct sciara_map_drawing *d, double x, double y, double anchor, const char *text) {
  const struct sciara_writing w = legend_words(d, text);
  sciara_picture_write(&d->picture, &d->lettering, x, y, anchor, &w);
}

/** Thickness of a thin line. */
static double thin(const struct sciara_map_drawing *d) { return fmax(1, round(d->letter / 12)); }

/** A thin frame around a rectangle of whole pixels, which is noted as taken. */
static void paint_frame(struct sciara_map_drawing *d, double x, double y, double width, double height) {
  const double line = thin(d);
  sciara_picture_colour(&d->picture, ink, 1);
  cairo_set_line_width(d->picture.cairo, line);
  cairo_rectangle(d->picture.cairo, x - 0.5 * line, y - 0.5 * line, width + line, height + line);
  cairo_stroke(d->picture.cairo);
  sciara_picture_claim(&d->picture, (struct sciara_box){x - line, y - line, width + 2 * line, height + 2 * line});
}

// ------------------------------------------------------------------------------------------------------------- legend

/** "Arrival time (h)" of "arrival_time". */
static void heading(const struct sciara_map_drawing *d, const char *unit, char *text, size_t capacity) {
  const char *name = d->q->map->name, *word = sciara_word_of_field(d->q->language, name);
  const char *ramp = d->q->map->ramp; // of what is no field; its long name stands above the map
  if (!word && ramp) word = sciara_word_of_field(d->q->language, ramp);
  if (!word && ramp && strcmp(ramp, "probability") == 0) word = sciara_word(d->q->language, SCIARA_WORD_HAZARD_CHANCE);
  snprintf(text, capacity, "%s (%s)", word ? word : ramp ? ramp : name, unit);
}

/** The label of a tick; the step decides how many decimals all of them have. */
static void label_of_tick(const struct sciara_map_drawing *d, const struct sciara_legend_scale *s, int tick, char *text,
                          size_t capacity) {
  const double value = s->low + tick * s->step, size = fmax(fabs(s->low), fabs(s->low + s->steps * s->step));
  const double decimals = -floor(log10(s->step) + 1e-9), shown = fabs(value) < 1e-9 * size ? 0 : value;
  if (size < 1e6 && decimals <= 4)
    snprintf(text, capacity, "%s%.*f", shown < 0 ? "\u2212" : "", decimals > 0 ? (int)decimals : 0, fabs(shown));
  else
    snprintf(text, capacity, "%s%.5g", shown < 0 ? "\u2212" : "", fabs(shown));
  sciara_word_numbers(d->q->language, text);
}

static double widest_label(struct sciara_map_drawing *d, const struct sciara_legend_scale *s) {
  double widest = 0;
  char text[40];
  for (int k = 0; k <= s->steps; k++) {
    label_of_tick(d, s, k, text, sizeof text);
    widest = fmax(widest, width_of(d, text));
  }
  return widest;
}

static void paint_bar(struct sciara_map_drawing *d, const struct sciara_ramp *ramp, double x, double y, double width,
                      double height) {
  cairo_pattern_t *colours = cairo_pattern_create_linear(x, 0, x + width, 0);
  for (int k = 0; k < SCIARA_RAMP_STOPS; k++)
    cairo_pattern_add_color_stop_rgb(colours, (double)k / (SCIARA_RAMP_STOPS - 1), ramp->stops[k][0] / 255.0,
                                     ramp->stops[k][1] / 255.0, ramp->stops[k][2] / 255.0);
  cairo_set_source(d->picture.cairo, colours);
  cairo_pattern_destroy(colours);
  cairo_rectangle(d->picture.cairo, x, y, width, height);
  cairo_fill(d->picture.cairo);
  paint_frame(d, x, y, width, height);
}

/** What a scale is of, on one line. */
static void write_heading(struct sciara_map_drawing *d, const char *unit, double x, double y, double width) {
  char text[96];
  heading(d, unit, text, sizeof text);
  struct sciara_writing w = legend_words(d, text);
  w.width = width;
  w.lines = 1;
  sciara_picture_write(&d->picture, &d->lettering, x, y + d->letter, 0, &w);
}

/** The bar is as wide as `width` lets it be with half a label beyond each end. */
static double paint_scale(struct sciara_map_drawing *d, const struct sciara_colouring *c, double x, double y,
                          double width) {
  const double letter = d->letter, widest = widest_label(d, &c->scale);
  const double inset = fmax(0, ceil(0.5 * widest - letter)), left = round(x) + inset, bar = round(width - 2 * inset);
  const double top = round(y + 1.9 * letter), height = round(1.3 * letter);
  char text[96];
  write_heading(d, c->scale.unit, x, y, width);
  paint_bar(d, c->ramp, left, top, bar, height);
  int stride = 1;
  while (stride < c->scale.steps && bar * stride / c->scale.steps < widest + 0.8 * letter) stride++;
  for (int k = 0; k <= c->scale.steps; k++) {
    const double at = round(left + bar * k / c->scale.steps - 0.5 * thin(d));
    const bool labelled = k % stride == 0;
    sciara_picture_fill(&d->picture, at, top + height, thin(d), round((labelled ? 0.5 : 0.3) * letter), ink);
    if (!labelled) continue;
    const char *beyond = c->beyond && k == c->scale.steps ? "\u2265" : ""; // "≥12"
    snprintf(text, sizeof text, "%s", beyond);
    label_of_tick(d, &c->scale, k, text + strlen(beyond), sizeof text - strlen(beyond));
    write_at(d, at + 0.5 * thin(d), top + height + 2 * letter, 0.5, text);
  }
  return left + bar + 0.5 * widest;
}

/** Blocks of equal width, one for each class, with its edges between them. */
static double paint_classes(struct sciara_map_drawing *d, const struct sciara_colouring *c, double x, double y,
                            double width) {
  const struct sciara_map_picture *q = d->q;
  const double letter = d->letter, left = round(x), top = round(y + 1.9 * letter), height = round(1.3 * letter);
  const double block = floor(width / (double)(q->edge_count + 1));
  char text[96];
  write_heading(d, c->scale.unit, x, y, width);
  for (size_t k = 0; k <= q->edge_count; k++) {
    uint8_t rgb[3];
    sciara_ramp_colour(c->ramp, ((double)k + 0.5) / (double)(q->edge_count + 1), rgb);
    sciara_picture_fill(&d->picture, left + block * (double)k, top, block, height, rgb);
  }
  paint_frame(d, left, top, block * (double)(q->edge_count + 1), height);
  for (size_t k = 0; k < q->edge_count; k++) {
    const double at = left + block * (double)(k + 1);
    sciara_picture_fill(&d->picture, round(at - 0.5 * thin(d)), top, thin(d), height + round(0.5 * letter), ink);
    snprintf(text, sizeof text, "%.4g", q->edges[k] / c->scale.factor);
    sciara_word_numbers(q->language, text);
    write_at(d, at, top + height + 2 * letter, 0.5, text);
  }
  return left + block * (double)(q->edge_count + 1);
}

static double paint_kinds(struct sciara_map_drawing *d, double x, double y, double width) {
  const double letter = d->letter, side = round(1.4 * letter);
  double right = x;
  for (int k = 0; k < d->q->kinds; k++) {
    const double top = round(y + 2 * k * letter);
    sciara_picture_fill(&d->picture, round(x), top, side, side, d->q->kind[k].rgb);
    paint_frame(d, round(x), top, side, side);
    struct sciara_writing w = legend_words(d, d->q->kind[k].name);
    w.width = width - side - letter;
    w.lines = 1;
    sciara_picture_write(&d->picture, &d->lettering, x + side + letter, top + 0.5 * (side + letter), 0, &w);
    right = fmax(right, x + side + letter + fmin(w.width, sciara_lettering_measure(&d->lettering, &w).width));
  }
  return right;
}

/** Colour bar with heading and labels, or the kinds, in a box of `width` px with its upper left corner at (x, y). Returns how far
 *  it reaches to the right. */
static double paint_legend(struct sciara_map_drawing *d, const struct sciara_colouring *c, double x, double y,
                           double width) {
  return d->q->kind    ? paint_kinds(d, x, y, width)
         : d->q->edges ? paint_classes(d, c, x, y, width)
                       : paint_scale(d, c, x, y, width);
}

// ----------------------------------------------------------------------------------------------- scale bar, north arrow

/** Scale bar between x and `right`, its upper side at y. */
static void paint_scale_bar(struct sciara_map_drawing *d, double x, double y, double right) {
  const struct sciara_grid *g = &d->grid;
  const double letter = d->letter, metres_per_px = g->cell_size * (double)g->cols / (double)d->map.width;
  const double room = right - x;
  double metres = sciara_round_step(room * metres_per_px, 1); // at least as long as there is room
  while (metres > room * metres_per_px * (1 + 1e-9)) metres = sciara_round_step(metres / 2.51, 1);
  char text[48];
  const bool long_one = metres >= 1000;
  snprintf(text, sizeof text, long_one ? "%.6g km" : "%.6g m", long_one ? metres / 1000 : metres);
  sciara_word_numbers(d->q->language, text);
  const double length = round(metres / metres_per_px), height = round(0.55 * letter), left = round(x), top = round(y);
  sciara_picture_fill(&d->picture, left, top, length, height, white);
  for (int k = 0; k < 4; k += 2) {
    const double from = round(left + length * k / 4), to = round(left + length * (k + 1) / 4);
    sciara_picture_fill(&d->picture, from, top, to - from, height, ink);
  }
  paint_frame(d, left, top, length, height);
  const double label = width_of(d, text);
  if (length - 0.5 * label > 0.5 * width_of(d, "0") + letter) {
    write_at(d, left, top - 0.8 * letter, 0.5, "0");
    write_at(d, left + length, top - 0.8 * letter, 0.5, text);
  } else {
    write_at(d, left + 0.5 * length, top - 0.8 * letter, 0.5, text); // two would touch
  }
}

/** North arrow of `height` px whose right end is x and whose foot is y. Returns its width. */
static double paint_north(struct sciara_map_drawing *d, double x, double y, double height) {
  cairo_t *cairo = d->picture.cairo;
  const double letter = 0.3 * height, half = 0.2 * height, tip = y - height + 1.4 * letter,
               line = fmax(1.2, height / 40);
  const double middle = x - half - line;
  for (int right = 0; right <= 1; right++) {
    cairo_move_to(cairo, middle, tip);
    cairo_line_to(cairo, middle, y - 0.2 * height);
    cairo_line_to(cairo, middle + (right ? half : -half), y);
    cairo_close_path(cairo);
    sciara_picture_colour(&d->picture, right ? white : ink, 1);
    cairo_fill_preserve(cairo);
    sciara_picture_colour(&d->picture, ink, 1);
    cairo_set_line_width(cairo, line);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(cairo);
  }
  sciara_picture_claim(&d->picture,
                       (struct sciara_box){middle - half - line, tip - line, 2 * (half + line), y - tip + 2 * line});
  const struct sciara_writing w = {.text = "N", .capital = letter, .bold = true};
  sciara_picture_write(&d->picture, &d->lettering, middle, tip - line - 0.25 * letter, 0.5, &w);
  return 2 * (half + line);
}

// --------------------------------------------------------------------------------------------------------------- stamp

/** The stamp in a frame, its upper left corner at (x, y), at most `width` px wide. */
static void paint_stamp(struct sciara_map_drawing *d, double x, double y, double width) {
  static const uint8_t red[3] = {150, 0, 30};
  cairo_t *c = d->picture.cairo;
  struct sciara_writing w = {.text = d->q->stamp, .capital = 1.3 * d->letter, .bold = true};
  const double high = 2.4 * d->letter, line = fmax(1, round(d->letter / 5)), room = width - 2 * d->letter;
  double length = sciara_lettering_measure(&d->lettering, &w).width;
  if (length > room) {
    w.capital *= room / length;
    length = room;
  }
  const struct sciara_box box = {x, y, length + 2 * d->letter, high};
  sciara_picture_claim(&d->picture, box);
  sciara_picture_colour(&d->picture, red, 1);
  cairo_set_line_width(c, line);
  cairo_rectangle(c, x + 0.5 * line, y + 0.5 * line, box.width - line, high - line);
  cairo_stroke(c);
  cairo_save(c);
  cairo_translate(c, x + 0.5 * box.width, y + 0.5 * high);
  sciara_picture_text_path(&d->picture, &d->lettering, &w);
  sciara_picture_colour(&d->picture, red, 1);
  cairo_fill(c);
  cairo_restore(c);
}

// ------------------------------------------------------------------------------------------------------- round numbers

double sciara_round_step(double span, int most) {
  double power = pow(10, floor(log10(span / most)) - 1); // at least one power too small
  while (power > 0 && isfinite(power)) {
    static const double leads[] = {1, 2, 5};
    for (int k = 0; k < 3; k++)
      if (span <= leads[k] * power * most * (1 + 1e-9)) return leads[k] * power;
    power *= 10;
  }
  return 1; // of a span that is none
}

/** The smallest of a list of which at most `most` fit; beyond the list 1, 2, 5 x 10^n of its last. */
static double listed_step(double span, int most, const double *list, int count) {
  for (int k = 0; k < count; k++)
    if (span <= list[k] * most * (1 + 1e-9)) return list[k];
  return list[count - 1] * sciara_round_step(span / list[count - 1], most);
}

static double time_step(double span, int most, const char *unit) {
  static const double minutes[] = {1, 2, 5, 10, 15, 30}, hours[] = {1, 2, 3, 6, 12, 24};
  if (strcmp(unit, "min") == 0) return listed_step(span, most, minutes, 6);
  if (strcmp(unit, "h") == 0) return listed_step(span, most, hours, 6);
  return sciara_round_step(span, most);
}

struct sciara_legend_scale sciara_legend_scale(double low, double high, const char *unit, int most) {
  struct sciara_legend_scale s = {.factor = 1, .unit = unit};
  if (strcmp(unit, "m s-1") == 0) s.unit = "m/s";
  if (strcmp(unit, "m2 s-1") == 0) s.unit = "m\302\262/s";
  if (strcmp(unit, "s") == 0 && high >= 120) {
    s.factor = high >= 2 * 86400 ? 86400 : high >= 7200 ? 3600 : 60;
    s.unit = high >= 2 * 86400 ? "d" : high >= 7200 ? "h" : "min";
  }
  const double span = (high - low) / s.factor;
  s.step = time_step(span, most, s.unit);
  const double first = floor(low / s.factor / s.step + 1e-9), last = ceil(high / s.factor / s.step - 1e-9);
  s.low = first * s.step;
  s.steps = (int)(last - first);
  if (s.steps < 1) s.steps = 1;
  return s;
}

// --------------------------------------------------------------------------------------------------------- coordinates

enum { TICKS_MOST = 8 };
static const double small = 0.75; // capitals of the coordinates, of those of other text

/** One side: `from` at its first pixel, `per_px` for each. */
struct side {
  bool up;              ///< the left one, which runs from the bottom to the top
  double from, per_px;  ///< coordinate
  double begin, length; ///< px along the side
};

static struct sciara_writing map_words(const struct sciara_map_drawing *d, const char *text) {
  return (struct sciara_writing){.text = text, .capital = fmax(6, small * d->letter)};
}

/** "745000 m E", "4052400 m N" in the letters of the language; without a CRS only the unit. */
static void label_of_grid_line(const struct sciara_map_drawing *d, bool up, double value, double step, char *text,
                               size_t capacity) {
  const struct sciara_georef *georef = d->q->map->georef;
  const char *compass = sciara_word(d->q->language, SCIARA_WORD_PAGE_COMPASS); // four letters of one byte each
  const bool placed = georef && georef->crs_wkt && *georef->crs_wkt;
  const double decimals = -floor(log10(step) + 1e-9), shown = fabs(value) < 1e-9 * step ? 0 : value;
  snprintf(text, capacity, "%s%.*f\u00A0m%s%.*s", shown < 0 ? "\u2212" : "", decimals > 0 ? (int)fmin(decimals, 9) : 0,
           fabs(shown), placed ? "\u00A0" : "", placed ? 1 : 0, compass + (up ? 0 : 1));
  sciara_word_numbers(d->q->language, text);
}

static double length_of(struct sciara_map_drawing *d, bool up, double value, double step) {
  char text[64];
  label_of_grid_line(d, up, value, step, text, sizeof text);
  const struct sciara_writing w = map_words(d, text);
  return sciara_lettering_measure(&d->lettering, &w).width;
}

/** The smallest round step whose labels leave room between them. */
static double step_of(struct sciara_map_drawing *d, const struct side *s) {
  const double span = s->length * s->per_px;
  for (int most = TICKS_MOST; most > 1; most--) {
    const double step = sciara_round_step(span, most);
    const double longest = fmax(length_of(d, s->up, s->from, step), length_of(d, s->up, s->from + span, step));
    if (step / s->per_px >= longest + 1.5 * d->letter) return step;
  }
  return sciara_round_step(span, 1);
}

static void paint_tick(struct sciara_map_drawing *d, const struct side *s, double at, double value, double step) {
  const double line = fmax(1, round(d->letter / 12)), tick = round(0.4 * d->letter), gap = 0.35 * d->letter;
  const double left = (double)d->map.x - line, bottom = (double)(d->map.y + d->map.height) + line;
  const double half = 0.5 * length_of(d, s->up, value, step), start = round(at - 0.5 * line);
  char text[64];
  if (s->up)
    sciara_picture_fill(&d->picture, left - tick, start, tick, line, ink);
  else
    sciara_picture_fill(&d->picture, start, bottom, line, tick, ink);
  const double first = s->up ? (double)d->map.y : (double)d->map.x;
  if (at - half < first || at + half > first + s->length) return; // its label would pass the corner
  label_of_grid_line(d, s->up, value, step, text, sizeof text);
  const struct sciara_writing w = map_words(d, text);
  if (s->up)
    sciara_picture_write_up(&d->picture, &d->lettering, left - tick - gap, at, &w);
  else
    sciara_picture_write(&d->picture, &d->lettering, at, bottom + tick + gap + w.capital, 0.5, &w);
}

static void paint_side(struct sciara_map_drawing *d, const struct side *s) {
  const double step = step_of(d, s), last = s->from + s->length * s->per_px;
  double first = ceil(s->from / step - 1e-9);
  if (!(fabs(first) < 1e15) || !((last - s->from) / step < 1000)) return; // farther off than a double can say
  for (; first * step <= last + 1e-9 * step; first++) {
    const double px = (first * step - s->from) / s->per_px;
    paint_tick(d, s, s->up ? s->begin - px : s->begin + px, first * step, step);
  }
}

/** Ticks and coordinates along the left and lower edge of the map; they take up map_margin below and left of it. */
static void paint_coordinates(struct sciara_map_drawing *d) {
  const struct sciara_grid *g = &d->grid;
  const double wide = (double)d->map.width, high = (double)d->map.height;
  const struct side below = {
      .from = g->west, .per_px = (double)g->cols * g->cell_size / wide, .begin = (double)d->map.x, .length = wide};
  const struct side at_left = {.up = true,
                               .from = sciara_grid_south(g),
                               .per_px = (double)g->rows * g->cell_size / high,
                               .begin = (double)d->map.y + high,
                               .length = high};
  paint_side(d, &below);
  paint_side(d, &at_left);
}

static double map_margin(double letter) {
  return ceil(fmax(1, round(letter / 12)) + 0.75 * letter + fmax(6, small * letter));
}

// ---------------------------------------------------------------------------------------------- longitude and latitude

static const uint8_t grid_colour[3] = {60, 90, 130};

enum { PARTS = 24, LINES_MOST = 6 }; ///< points of a line, lines in each direction

/** The smallest of the usual steps of degrees and minutes with which at most LINES_MOST lines cross a span. */
static double degree_step(double span) {
  static const double minutes[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600};
  enum { COUNT = sizeof minutes / sizeof *minutes };
  int k = 0;
  while (k + 1 < COUNT && span * 60 > LINES_MOST * minutes[k]) k++;
  return minutes[k] / 60;
}

/** "14°25.5′E"; longitudes may lie up to one turn beyond 180 degrees. */
static void name_degrees(const struct sciara_map_drawing *d, double value, bool east, double step, char *text,
                         size_t capacity) {
  if (east && fabs(value) > 180) value -= copysign(360, value);
  const double all = round(fabs(value) * 600) / 10, degrees = floor(all / 60 + 1e-9), minutes = all - 60 * degrees;
  const char *end = east ? (value < 0 ? "W" : "E") : value < 0 ? "S" : "N";
  if (step >= 1)
    snprintf(text, capacity, "%.0f°%s", degrees, end);
  else
    snprintf(text, capacity, step * 60 < 1 ? "%.0f°%04.1f′%s" : "%.0f°%02.0f′%s", degrees, fabs(minutes), end);
  sciara_word_numbers(d->q->language, text);
}

/** Longitudes and latitudes along the edges of the map: their ranges. Across the meridian of 180 degrees longitudes go on. */
static bool find_range(const struct sciara_map_drawing *d, double low[2], double high[2]) {
  double x[4 * PARTS], y[4 * PARTS];
  const struct sciara_grid *g = &d->grid;
  const double wide = (double)g->cols * g->cell_size, tall = (double)g->rows * g->cell_size;
  for (int k = 0; k < PARTS; k++) {
    const double t = (double)k / PARTS;
    const double corner[4][2] = {{t, 0}, {1, t}, {1 - t, 1}, {0, 1 - t}};
    for (int side = 0; side < 4; side++) {
      x[4 * k + side] = g->west + corner[side][0] * wide;
      y[4 * k + side] = g->north - corner[side][1] * tall;
    }
  }
  if (sciara_georef_to_lonlat(d->q->map->georef->crs_wkt, 4 * PARTS, x, y) != SCIARA_OK) return false;
  low[0] = low[1] = INFINITY;
  high[0] = high[1] = -INFINITY;
  for (int k = 0; k < 4 * PARTS; k++) {
    if (fabs(x[k] - x[0]) > 180) x[k] += copysign(360, x[0] - x[k]);
    low[0] = fmin(low[0], x[k]);
    high[0] = fmax(high[0], x[k]);
    low[1] = fmin(low[1], y[k]);
    high[1] = fmax(high[1], y[k]);
  }
  return isfinite(low[0]) && isfinite(high[0]) && isfinite(low[1]) && isfinite(high[1]) && high[0] - low[0] < 180;
}

/** A line of equal longitude (`meridian`) or latitude, with its name where it enters the map. */
static void draw_degree(struct sciara_map_drawing *d, bool meridian, double value, const double low[2],
                        const double high[2], double step) {
  cairo_t *c = d->picture.cairo;
  const double capital = fmax(6, 0.7 * d->letter), line = fmax(1, round(d->letter / 14));
  const int other = meridian;
  bool named = false;
  struct sciara_point label = {0, 0};
  for (int k = 0; k <= PARTS; k++) {
    const double along = low[other] + (high[other] - low[other]) * k / PARTS;
    struct sciara_point p;
    if (sciara_georef_from_lonlat(d->q->map->georef->crs_wkt, meridian ? value : along, meridian ? along : value, &p.x,
                                  &p.y) != SCIARA_OK)
      break;
    p = sciara_map_point(d, p);
    if (!sciara_map_is_near(d, p)) continue;
    cairo_line_to(c, p.x, p.y);
    if (!meridian && !named && p.x > (double)d->map.x) {
      named = true;
      label = (struct sciara_point){(double)d->map.x + 4 * capital, p.y};
    }
    if (meridian && !named && p.y < (double)(d->map.y + d->map.height)) {
      named = true;
      label = (struct sciara_point){p.x, (double)(d->map.y + d->map.height) - 1.2 * capital};
    }
  }
  cairo_set_line_width(c, line);
  sciara_picture_colour(&d->picture, grid_colour, 0.45);
  cairo_stroke(c);
  char text[48];
  name_degrees(d, value, meridian, step, text, sizeof text);
  const struct sciara_writing w = {.text = text, .capital = capital};
  if (named) sciara_write_bordered(d, &w, label, 0, 0.35 * capital, 0.9, grid_colour);
}

/** Lines of equal longitude and latitude with their degrees; nothing without a CRS. */
static void paint_graticule(struct sciara_map_drawing *d) {
  double low[2], high[2];
  if (!d->q->map->georef || !d->q->map->georef->crs_wkt) return;
  if (!find_range(d, low, high)) {
    sciara_error_clear();
    return;
  }
  sciara_clip_to_map(d);
  for (int axis = 0; axis < 2; axis++) {
    const double step = degree_step(high[axis] - low[axis]);
    for (double n = ceil(low[axis] / step); n * step <= high[axis]; n++)
      draw_degree(d, axis == 0, n * step, low, high, step);
  }
  cairo_restore(d->picture.cairo);
}

enum {
  MAP_SMALLEST = 1000, // longest side of the map, px: small grids are enlarged to it,
  MAP_LARGEST = 4000,  // large ones reduced
  LEAST_WIDTH = 720,   // of a picture without a requested width
  STEPS_MOST = 8,      // of the legend
  TITLE_LINES = 3,
  FOOT_LINES = 3,
  MARGIN = 3, // letters: next to the map, with the coordinates
  LINE_MOST = 512
};

/** What is written, and where everything is, px. */
struct layout {
  double letter;       ///< height of a capital
  double margin, room; ///< between the edges of the picture and what is written; width between both
  struct sciara_map_place map;
  int64_t width, height;
  char about[LINE_MOST], time[LINE_MOST], date[LINE_MOST], foot[LINE_MOST]; ///< "" for a line that there is not
  struct sciara_writing title;
  double head, title_height, logo_width, key_height, lines_height, foot_height;
};

enum { LEGEND_LETTERS = 7, LOGO_HEIGHT = 5, LOGO_WIDTH = 14 }; // in letters

/** The width of a logo in a box of `width` x `height` px. */
static double logo_width(cairo_surface_t *logo, double width, double height) {
  return fmin(width, height * cairo_image_surface_get_width(logo) / cairo_image_surface_get_height(logo));
}

static int64_t even(double v) { return 2 * (int64_t)ceil(0.5 * v); }

/** Size of the map for the requested width, or for its grid. */
static void size_map(const struct sciara_grid *g, int64_t asked, struct layout *l) {
  const double rows = (double)g->rows, cols = (double)g->cols, longest = fmax(rows, cols);
  double zoom = longest < MAP_SMALLEST ? ceil(MAP_SMALLEST / longest) : fmin(1, MAP_LARGEST / longest);
  if (asked) {
    l->width = asked + asked % 2;
    l->letter = fmax(8, (double)l->width / 92);
    l->margin = MARGIN * l->letter;
    zoom = ((double)l->width - 2 * l->margin) / cols;
    zoom = fmin(zoom, 1.6 * (double)l->width / rows); // a long valley does not make a scroll
  } else {
    l->letter = fmax(8, fmax(LEAST_WIDTH, cols * zoom) / 86);
    l->margin = MARGIN * l->letter;
    l->width = even(fmax(LEAST_WIDTH, cols * zoom + 2 * l->margin));
  }
  l->room = (double)l->width - 2 * l->margin;
  l->map.width = (int64_t)fmax(1, floor(cols * zoom + 1e-6));
  l->map.height = (int64_t)fmax(1, floor(rows * zoom + 1e-6));
  l->map.x = (l->width - l->map.width) / 2;
}

// ----------------------------------------------------------------------------------------------------- what is written

static struct sciara_map_window window_of(const struct sciara_map_picture *q) {
  return q->window ? *q->window : (struct sciara_map_window){0, 0, q->map->grid->rows, q->map->grid->cols};
}

static bool is_blank(const struct sciara_map *map) {
  for (int64_t i = 0; i < sciara_grid_cells(map->grid); i++)
    if (isfinite(map->values[i]) && map->values[i] != map->nodata) return false;
  return true;
}

/** "Simulated time 1 d 6 h" and "2026-05-11 04:00 UTC" */
static void describe_time(const struct sciara_map_picture *q, struct layout *l) {
  char duration[48];
  sciara_word_duration(q->language, *q->time_s, duration, sizeof duration);
  snprintf(l->time, sizeof l->time, "%s %s", sciara_word(q->language, SCIARA_WORD_SIMULATED_TIME), duration);
  sciara_minute_after(q->start, *q->time_s, l->date);
}

/** Time and date are one line where the longest one has room: frames of a film are of one size. */
static void join_time(const struct sciara_map_picture *q, struct sciara_lettering *letters, struct layout *l) {
  char longest[LINE_MOST];
  snprintf(longest, sizeof longest, "%s 9999 d 23 h 59 min, 2026-05-11 04:00 %s",
           sciara_word(q->language, SCIARA_WORD_SIMULATED_TIME), sciara_shown_zone_name());
  const struct sciara_writing w = {.text = longest, .capital = l->letter};
  if (!l->date[0] || sciara_lettering_measure(letters, &w).width > l->head) return;
  const size_t used = strlen(l->time);
  snprintf(l->time + used, sizeof l->time - used, ", %s", l->date);
  l->date[0] = '\0';
}

/** Cell size, CRS, program, credits. */
static void describe_foot(const struct sciara_map_picture *q, struct layout *l) {
  const char *crs = q->map->georef && q->map->georef->crs_name ? q->map->georef->crs_name
                                                               : sciara_word(q->language, SCIARA_WORD_NO_CRS);
  const unsigned rules = q->rules ? q->rules : SCIARA_RULES_FV3;
  char cell[64], names[SCIARA_RULES_TEXT];
  snprintf(cell, sizeof cell, "%.6g", q->map->grid->cell_size);
  sciara_word_numbers(q->language, cell);
  sciara_fit(l->foot, sizeof l->foot, "%s %s m, %s. %s sciara " SCIARA_VERSION " (SCIARA%s%s)%s%s",
             sciara_word(q->language, SCIARA_WORD_CELLS_OF), cell, crs, sciara_word(q->language, SCIARA_WORD_MADE_WITH),
             rules == SCIARA_RULES_FV3 ? "-" : ", ", sciara_rules_name(rules, names), q->credits ? ". " : "",
             q->credits ? q->credits : "");
}

static void describe(const struct sciara_map_picture *q, struct sciara_lettering *letters, struct layout *l) {
  const char *name = sciara_word_of_field_long(q->language, q->map->name);
  if (!name) name = q->map->long_name ? q->map->long_name : q->map->name;
  snprintf(l->about, sizeof l->about, "%s%s%s", name,
           is_blank(q->map) ? sciara_word(q->language, SCIARA_WORD_COLON) : "",
           !is_blank(q->map) ? ""
           : q->blank        ? q->blank
                             : sciara_word(q->language, SCIARA_WORD_NO_LAVA));
  if (q->logo) l->logo_width = logo_width(q->logo, LOGO_WIDTH * l->letter, LOGO_HEIGHT * l->letter);
  l->head = l->room - (q->logo ? l->logo_width + 1.5 * l->letter : 0);
  l->title = (struct sciara_writing){.text = q->map->title ? q->map->title : "",
                                     .capital = 1.5 * l->letter,
                                     .bold = true,
                                     .width = l->head,
                                     .lines = TITLE_LINES};
  describe_foot(q, l);
  if (q->time_s) describe_time(q, l);
  join_time(q, letters, l);
}

// -------------------------------------------------------------------------------------------------------------- layout

static struct sciara_writing foot_of(const struct layout *l) {
  return (struct sciara_writing){
      .text = l->foot, .capital = fmax(7, 0.75 * l->letter), .grey = true, .width = l->room, .lines = FOOT_LINES};
}

/** Upper side of the legend, below the coordinates. */
static double legend_top(const struct layout *l) {
  return (double)(l->map.y + l->map.height) + map_margin(l->letter) + 1.4 * l->letter;
}

static void lay_out_map(struct sciara_map_drawing *d, struct layout *l) {
  const struct sciara_map_picture *q = d->q;
  size_map(&d->grid, q->width, l);
  d->letter = l->letter;
  describe(q, &d->lettering, l);
  const struct sciara_writing foot = foot_of(l);
  l->foot_height = sciara_lettering_measure(&d->lettering, &foot).height;
  l->title_height = l->title.text[0] ? sciara_lettering_measure(&d->lettering, &l->title).height + 0.9 * l->letter : 0;
  const int lines = 1 + (l->time[0] != '\0') + (l->date[0] != '\0');
  double head = l->title_height + (2.1 * lines + (q->stamp ? 3.2 : 0)) * l->letter;
  if (q->logo) head = fmax(head, (LOGO_HEIGHT + 1) * l->letter);
  l->map.y = (int64_t)lround(l->margin + head);
  l->key_height = sciara_map_key(d, 0, 0, l->room, false);
  l->lines_height = sciara_map_lines(d, 0, 0, l->room, false);
  l->height = even(legend_top(l) + LEGEND_LETTERS * l->letter + l->key_height + l->lines_height + l->foot_height +
                   1.3 * l->letter);
}

static void paint_line(struct sciara_map_drawing *d, const struct layout *l, const char *text, double *y) {
  const struct sciara_writing w = {.text = text, .capital = l->letter, .width = l->head, .lines = 1};
  if (!text[0]) return;
  sciara_picture_write(&d->picture, &d->lettering, l->margin, *y + l->letter, 0, &w);
  *y += 2.1 * l->letter;
}

/** Draws the logo, its upper right corner at (right, y), into a box of `width` x `height` px. Returns its width. */
static double paint_logo(struct sciara_map_drawing *d, double right, double y, double width, double height) {
  cairo_surface_t *logo = d->q->logo;
  cairo_t *c = d->picture.cairo;
  const double wide = logo_width(logo, width, height), zoom = wide / cairo_image_surface_get_width(logo);
  cairo_save(c);
  cairo_translate(c, right - wide, y);
  cairo_scale(c, zoom, zoom);
  cairo_set_source_surface(c, logo, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(c), CAIRO_FILTER_GOOD);
  cairo_paint(c);
  cairo_restore(c);
  const double high = zoom * cairo_image_surface_get_height(logo);
  sciara_picture_claim(&d->picture, (struct sciara_box){right - wide, y, wide, high});
  return wide;
}

static void paint_head(struct sciara_map_drawing *d, const struct layout *l) {
  double y = l->margin;
  if (d->q->logo) paint_logo(d, (double)l->width - l->margin, l->margin, l->logo_width, LOGO_HEIGHT * l->letter);
  if (l->title.text[0]) sciara_picture_write(&d->picture, &d->lettering, l->margin, y + l->title.capital, 0, &l->title);
  y += l->title_height;
  paint_line(d, l, l->about, &y);
  paint_line(d, l, l->time, &y);
  paint_line(d, l, l->date, &y);
  if (d->q->stamp) paint_stamp(d, l->margin, y, l->head);
}

static void paint_below(struct sciara_map_drawing *d, const struct sciara_colouring *c, const struct layout *l) {
  const double letter = l->letter, y = legend_top(l);
  const double right = (double)l->width - l->margin, north = 5.2 * letter;
  const double legend = paint_legend(d, c, l->margin, y, fmin(0.52 * l->room, 42 * letter));
  const double arrow = paint_north(d, right, y + north, north);
  const double left = legend + 2 * letter, end = fmin(right - arrow - 4 * letter, left + 22 * letter);
  paint_scale_bar(d, left, y + 0.6 * north, end);
  const double key = y + LEGEND_LETTERS * letter;
  sciara_map_key(d, l->margin, key, l->room, true);
  sciara_map_lines(d, l->margin, key + l->key_height, l->room, true);
  const struct sciara_writing foot = foot_of(l);
  const double top = (double)l->height - 1.3 * letter - l->foot_height;
  sciara_picture_write(&d->picture, &d->lettering, l->margin, top + foot.capital, 0, &foot);
}

static struct sciara_colouring colouring_of(const struct sciara_map_picture *q) {
  struct sciara_colouring c = {.ramp = sciara_map_ramp(q->map)};
  double low = q->low, high = q->high;
  if (q->kind) return c;
  if (q->edges) {
    low = 0;
    high = q->edges[q->edge_count - 1];
  }
  if (!(low < high))
    sciara_ramp_range(c.ramp, q->map->values, sciara_grid_cells(q->map->grid), q->map->nodata, &low, &high);
  c.scale = sciara_legend_scale(low, high, q->map->unit, STEPS_MOST);
  c.low = sciara_legend_low(&c.scale);
  c.high = sciara_legend_high(&c.scale);
  for (int64_t i = 0; i < sciara_grid_cells(q->map->grid) && !q->edges && !c.beyond; i++)
    c.beyond = q->map->values[i] != q->map->nodata && q->map->values[i] > c.high;
  return c;
}

// ----------------------------------------------------------------------------------------------------------- the whole

static void warn_of_letters(struct sciara_map_drawing *d, const char *path) {
  const char *const texts[] = {d->q->map->title, d->q->stamp, d->q->credits};
  static const char *const names[] = {"title", "stamp", "credits"};
  if (!d->lettering.context)
    sciara_log(SCIARA_LOG_WARNING, "%s: has no text, because no font is installed; install one such as DejaVu Sans",
               path);
  for (int k = 0; k < 3; k++) {
    const size_t count = texts[k] ? sciara_lettering_unknown(&d->lettering, texts[k]) : 0;
    if (count)
      sciara_log(SCIARA_LOG_WARNING,
                 "%s: no installed font has %zu of the characters of the %s; they are drawn as boxes", path, count,
                 names[k]);
  }
}

/** Warns of names of places, vents and the like. @param written characters that no font has, but for those of the title and the stamp */
static void warn_of_names(struct sciara_map_drawing *d, size_t written, const char *path) {
  const size_t credits = d->q->credits ? sciara_lettering_unknown(&d->lettering, d->q->credits) : 0;
  if (written > credits)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: no installed font has %zu of the characters of the names; they are drawn as boxes", path,
               written - credits);
}

static enum sciara_status paint(struct sciara_map_drawing *d, const struct layout *l, const char *path) {
  const struct sciara_colouring c = colouring_of(d->q);
  const double line = fmax(1, round(l->letter / 12));
  const struct sciara_box around = {(double)l->map.x - line, (double)l->map.y - line, (double)l->map.width + 2 * line,
                                    (double)l->map.height + 2 * line};
  sciara_picture_fill(&d->picture, around.x, around.y, around.width, around.height, ink);
  sciara_picture_claim(&d->picture, around);
  SCIARA_TRY(sciara_paint_ground(d, &c));
  if (d->q->edits) sciara_paint_outline(d, SCIARA_OUTLINE_EDITS);
  for (size_t k = 0; d->q->fronts && k < d->q->fronts->count; k++) {
    d->front = (int32_t)k + 1;
    if (d->q->fronts->zone[k].cells > 0) sciara_paint_outline(d, SCIARA_OUTLINE_FRONT);
  }
  if (d->q->observed) sciara_paint_outline(d, SCIARA_OUTLINE_OBSERVED);
  if (d->q->graticule) paint_graticule(d);
  d->lettering.unknown = 0;
  sciara_paint_marks(d);
  paint_coordinates(d);
  const size_t before = d->lettering.unknown;
  paint_head(d, l);
  const size_t title = d->lettering.unknown - before;
  paint_below(d, &c, l);
  warn_of_names(d, d->lettering.unknown - title, path);
  return d->lettering.failed;
}

enum sciara_status sciara_map_draw(const struct sciara_map_picture *q, const char *path,
                                   struct sciara_map_drawing *out) {
  struct layout l = {0};
  if (q->width && (q->width < SCIARA_PICTURE_NARROWEST || q->width > SCIARA_PICTURE_WIDEST))
    return sciara_fail(SCIARA_ERR_USAGE, "expected a picture %d to %d pixels wide, found %" PRId64,
                       SCIARA_PICTURE_NARROWEST, SCIARA_PICTURE_WIDEST, q->width);
  out->q = q;
  out->window = window_of(q);
  out->grid = sciara_map_window_grid(&out->window, q->map->grid);
  SCIARA_TRY(sciara_lettering_open(&out->lettering));
  lay_out_map(out, &l);
  out->map = l.map;
  SCIARA_TRY(sciara_picture_begin(&out->picture, l.width, l.height, path));
  warn_of_letters(out, path);
  return paint(out, &l, path);
}

void sciara_map_drawing_free(struct sciara_map_drawing *d) {
  sciara_picture_free(&d->picture);
  sciara_lettering_close(&d->lettering);
}

enum sciara_status sciara_map_write_png(const struct sciara_map_picture *q, const char *path) {
  struct sciara_map_drawing d = {0};
  enum sciara_status status = sciara_map_draw(q, path, &d);
  if (status == SCIARA_OK) status = sciara_picture_write_png(&d.picture, q->map->facts, path);
  sciara_map_drawing_free(&d);
  return status;
}

void sciara_map_picture_pixels(const struct sciara_map_picture *q, int64_t *width, int64_t *height) {
  struct layout l = {0};
  const struct sciara_map_window window = window_of(q);
  const struct sciara_grid grid = sciara_map_window_grid(&window, q->map->grid);
  size_map(&grid, q->width, &l);
  *width = l.map.width;
  *height = l.map.height;
}

size_t sciara_map_picture_memory(const struct sciara_grid *grid) {
  struct layout l = {0};
  size_map(grid, 0, &l);
  const size_t pixels = (size_t)l.width * (size_t)(l.map.height + (int64_t)(40 * l.letter));
  return (size_t)sciara_grid_cells(grid) * (sizeof(float) + sizeof(int32_t)) +
         2 * sizeof(uint32_t) * pixels; // the picture, and its file
}

// ------------------------------------------------------------------------------------------- what is shown of the grid

static void add_cell(struct sciara_map_bounds *b, int64_t r, int64_t c) {
  if (!b->any) *b = (struct sciara_map_bounds){true, r, c, r, c};
  if (r < b->top) b->top = r;
  if (r > b->bottom) b->bottom = r;
  if (c < b->left) b->left = c;
  if (c > b->right) b->right = c;
}

void sciara_map_bounds_add_values(struct sciara_map_bounds *b, const struct sciara_grid *g, const double *values) {
  for (int64_t r = 0; r < g->rows; r++)
    for (int64_t c = 0; c < g->cols; c++)
      if (values[r * g->cols + c] > 0) add_cell(b, r, c);
}

void sciara_map_bounds_add_mask(struct sciara_map_bounds *b, const struct sciara_grid *g, const uint8_t *mask) {
  for (int64_t r = 0; r < g->rows; r++)
    for (int64_t c = 0; c < g->cols; c++)
      if (mask[r * g->cols + c]) add_cell(b, r, c);
}

void sciara_map_bounds_add_point(struct sciara_map_bounds *b, const struct sciara_grid *g, struct sciara_point p) {
  int64_t r, c;
  if (sciara_grid_cell_of(g, p, &r, &c)) add_cell(b, r, c);
}

/** `length` cells from `first` grow to `target` around their middle, within 0..size. */
static void widen(int64_t *first, int64_t *length, int64_t target, int64_t size) {
  if (target > size) target = size;
  if (target <= *length) return;
  *first -= (target - *length) / 2;
  *length = target;
  if (*first < 0) *first = 0;
  if (*first + target > size) *first = size - target;
}

/** Adds a margin at both ends, as far as there are cells. */
static void pad(int64_t *first, int64_t *length, int64_t margin, int64_t size) {
  const int64_t low = *first > margin ? *first - margin : 0;
  const int64_t high = size - (*first + *length) > margin ? *first + *length + margin : size;
  *first = low;
  *length = high - low;
}

struct sciara_map_window sciara_map_window_around(const struct sciara_map_bounds *b, const struct sciara_grid *g) {
  if (!b->any) return (struct sciara_map_window){0, 0, g->rows, g->cols};
  struct sciara_map_window w = {b->top, b->left, b->bottom - b->top + 1, b->right - b->left + 1};
  const int64_t longer = w.rows > w.cols ? w.rows : w.cols;
  const int64_t margin = longer / 10 > SCIARA_MAP_MARGIN ? longer / 10 : SCIARA_MAP_MARGIN;
  pad(&w.row, &w.rows, margin, g->rows);
  pad(&w.col, &w.cols, margin, g->cols);
  widen(&w.row, &w.rows, (w.cols + 1) / 2, g->rows);
  widen(&w.col, &w.cols, (w.rows + 1) / 2, g->cols);
  return w;
}

enum sciara_status sciara_map_window_of_box(const double box[4], const struct sciara_grid *g,
                                            struct sciara_map_window *out) {
  const double east = sciara_grid_east(g), south = sciara_grid_south(g);
  if (!(box[0] < box[2]) || !(box[1] < box[3]))
    return sciara_fail(SCIARA_ERR_USAGE, "extent: expected x0 < x1 and y0 < y1, found %.10g,%.10g,%.10g,%.10g", box[0],
                       box[1], box[2], box[3]);
  if (!(box[0] < east && box[2] > g->west && box[1] < g->north && box[3] > south))
    return sciara_fail(
        SCIARA_ERR_USAGE,
        "extent: %.10g,%.10g,%.10g,%.10g lies outside the map, which covers x %.10g to %.10g and y %.10g "
        "to %.10g",
        box[0], box[1], box[2], box[3], g->west, east, south, g->north);
  const double top = floor((g->north - box[3]) / g->cell_size), left = floor((box[0] - g->west) / g->cell_size);
  const double bottom = ceil((g->north - box[1]) / g->cell_size), right = ceil((box[2] - g->west) / g->cell_size);
  const int64_t r0 = top > 0 ? (int64_t)top : 0, c0 = left > 0 ? (int64_t)left : 0;
  const int64_t r1 = bottom < (double)g->rows ? (int64_t)bottom : g->rows;
  const int64_t c1 = right < (double)g->cols ? (int64_t)right : g->cols;
  *out = (struct sciara_map_window){r0, c0, r1 - r0, c1 - c0};
  return SCIARA_OK;
}

struct sciara_grid sciara_map_window_grid(const struct sciara_map_window *w, const struct sciara_grid *g) {
  return (struct sciara_grid){.rows = w->rows,
                              .cols = w->cols,
                              .cell_size = g->cell_size,
                              .west = g->west + (double)w->col * g->cell_size,
                              .north = g->north - (double)w->row * g->cell_size};
}
