// SPDX-License-Identifier: Apache-2.0
// What stands around and over a map: legend, scale bar, north arrow, stamp.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
static void frame(struct sciara_map_drawing *d, double x, double y, double width, double height) {
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
  frame(d, x, y, width, height);
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
  frame(d, left, top, block * (double)(q->edge_count + 1), height);
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
    frame(d, round(x), top, side, side);
    struct sciara_writing w = legend_words(d, d->q->kind[k].name);
    w.width = width - side - letter;
    w.lines = 1;
    sciara_picture_write(&d->picture, &d->lettering, x + side + letter, top + 0.5 * (side + letter), 0, &w);
    right = fmax(right, x + side + letter + fmin(w.width, sciara_lettering_measure(&d->lettering, &w).width));
  }
  return right;
}

double sciara_paint_legend(struct sciara_map_drawing *d, const struct sciara_colouring *c, double x, double y,
                           double width) {
  return d->q->kind    ? paint_kinds(d, x, y, width)
         : d->q->edges ? paint_classes(d, c, x, y, width)
                       : paint_scale(d, c, x, y, width);
}

// ----------------------------------------------------------------------------------------------- scale bar, north arrow

void sciara_paint_scale_bar(struct sciara_map_drawing *d, double x, double y, double right) {
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
  frame(d, left, top, length, height);
  const double label = width_of(d, text);
  if (length - 0.5 * label > 0.5 * width_of(d, "0") + letter) {
    write_at(d, left, top - 0.8 * letter, 0.5, "0");
    write_at(d, left + length, top - 0.8 * letter, 0.5, text);
  } else {
    write_at(d, left + 0.5 * length, top - 0.8 * letter, 0.5, text); // two would touch
  }
}

double sciara_paint_north(struct sciara_map_drawing *d, double x, double y, double height) {
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

void sciara_paint_stamp(struct sciara_map_drawing *d, double x, double y, double width) {
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
