// SPDX-License-Identifier: Apache-2.0
// What stands around and over a map: legend, scale bar, north arrow, outline, stamp.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "picture/map_picture_parts.h"

static const uint8_t ink[3] = {30, 30, 30}, white[3] = {255, 255, 255};

static void write(struct sciara_picture *p, double x, double y, double letter, const char *text) {
  const struct sciara_pen pen = {.height = letter, .weight = 0.12, .opacity = 1, .rgb = {30, 30, 30}};
  sciara_picture_text(p, x, y, &pen, text);
}

static void write_centred(struct sciara_picture *p, double x, double y, double letter, const char *text) {
  write(p, x - 0.5 * sciara_picture_text_width(letter, text), y, letter, text);
}

static int64_t px(double v) { return (int64_t)lround(v); }

static void outline_box(struct sciara_picture *p, int64_t x, int64_t y, int64_t width, int64_t height, int64_t line) {
  sciara_picture_fill(p, x - line, y - line, width + 2 * line, line, ink);
  sciara_picture_fill(p, x - line, y + height, width + 2 * line, line, ink);
  sciara_picture_fill(p, x - line, y, line, height, ink);
  sciara_picture_fill(p, x + width, y, line, height, ink);
}

/** "Arrival time (h)" of "arrival_time". */
static void heading(const char *name, const char *unit, char *text, size_t capacity) {
  snprintf(text, capacity, "%s (%s)", name, unit);
  for (char *c = text; *c; c++)
    if (*c == '_') *c = ' ';
  text[0] = (char)toupper((unsigned char)text[0]);
}

/** The label of a tick; the step decides how many decimals all of them have. */
static void label_of(const struct sciara_legend_scale *s, int tick, char *text, size_t capacity) {
  const double value = s->low + tick * s->step, size = fmax(fabs(s->low), fabs(s->low + s->steps * s->step));
  const double decimals = -floor(log10(s->step) + 1e-9);
  if (size < 1e6 && decimals <= 4)
    snprintf(text, capacity, "%.*f", decimals > 0 ? (int)decimals : 0, fabs(value) < 1e-9 * size ? 0 : value);
  else
    snprintf(text, capacity, "%.5g", fabs(value) < 1e-9 * size ? 0 : value);
}

/** How many steps there are from label to label, so that none touches the next. */
static int label_stride(const struct sciara_legend_scale *s, double letter, double width) {
  double widest = 0;
  char text[32];
  for (int k = 0; k <= s->steps; k++) {
    label_of(s, k, text, sizeof text);
    widest = fmax(widest, sciara_picture_text_width(letter, text));
  }
  int stride = 1;
  while (stride < s->steps && width * stride / s->steps < widest + 0.8 * letter) stride++;
  return stride;
}

void sciara_paint_legend(const struct sciara_map_picture *q, const struct sciara_colouring *c, double letter, double x,
                         double y, double width, struct sciara_picture *p) {
  char text[96];
  heading(q->map->name, c->scale.unit, text, sizeof text);
  write(p, x, y + letter, letter, text);
  const int64_t left = px(x), top = px(y + 1.8 * letter), bar = px(width), height = px(1.3 * letter);
  const int64_t line = px(fmax(1, letter / 12));
  for (int64_t i = 0; i < bar; i++) {
    uint8_t rgb[3];
    sciara_ramp_colour(c->ramp, ((double)i + 0.5) / (double)bar, rgb);
    sciara_picture_fill(p, left + i, top, 1, height, rgb);
  }
  outline_box(p, left, top, bar, height, line);
  const int stride = label_stride(&c->scale, letter, width);
  for (int k = 0; k <= c->scale.steps; k++) {
    const double at = x + width * k / c->scale.steps;
    const bool labelled = k % stride == 0;
    sciara_picture_fill(p, px(at - 0.5 * (double)line), top + height, line, px((labelled ? 0.5 : 0.3) * letter), ink);
    label_of(&c->scale, k, text, sizeof text);
    if (labelled) write_centred(p, at, (double)(top + height) + 1.9 * letter, letter, text);
  }
}

double sciara_paint_scale_bar(double metres_per_px, double letter, double x, double y, double width,
                              struct sciara_picture *p) {
  double metres = sciara_round_step(width * metres_per_px, 1); // at least as long as there is room
  while (metres > width * metres_per_px * (1 + 1e-9)) metres = sciara_round_step(metres / 2.51, 1);
  const double length = metres / metres_per_px;
  char text[48];
  if (metres >= 1000)
    snprintf(text, sizeof text, "%.6g km", metres / 1000);
  else
    snprintf(text, sizeof text, "%.6g m", metres);
  const int64_t height = px(0.55 * letter), line = px(fmax(1, letter / 12));
  sciara_picture_fill(p, px(x), px(y), px(length), height, white);
  for (int k = 0; k < 4; k += 2) sciara_picture_fill(p, px(x + length * k / 4), px(y), px(length / 4), height, ink);
  outline_box(p, px(x), px(y), px(length), height, line);
  write_centred(p, x, y - 0.7 * letter, letter, "0");
  write_centred(p, x + length, y - 0.7 * letter, letter, text);
  return length;
}

void sciara_paint_north(double x, double y, double height, struct sciara_picture *p) {
  const double letter = 0.3 * height, half = 0.2 * height, tip = y - height + 1.4 * letter;
  const struct sciara_spot dark[] = {{x, tip}, {x, y - 0.2 * height}, {x - half, y}};
  const struct sciara_spot light[] = {{x, tip}, {x + half, y}, {x, y - 0.2 * height}};
  const struct sciara_spot edge[] = {{x, tip}, {x + half, y}, {x, y - 0.2 * height}, {x - half, y}, {x, tip}};
  const struct sciara_pen pen = {.height = letter, .weight = 0.17, .opacity = 1, .rgb = {30, 30, 30}};
  sciara_picture_convex(p, light, 3, white);
  sciara_picture_stroke(p, edge, NULL, 5, fmax(0.6, height / 80), 1, ink);
  const struct sciara_spot left[] = {dark[0], dark[1], dark[2]};
  sciara_picture_convex(p, left, 3, ink);
  sciara_picture_text(p, x - 0.5 * sciara_picture_text_width(letter, "N"), y - height + letter, &pen, "N");
}

void sciara_paint_cased(struct sciara_picture *p, struct sciara_spot a, struct sciara_spot b, double radius,
                        bool edges) {
  const struct sciara_spot line[] = {a, b};
  sciara_picture_stroke(p, line, NULL, 2, edges ? 2.6 * radius : radius, 1, edges ? white : ink);
}

/** Whether the extent covers a cell; beyond the grid it covers nothing. */
static bool covered(const struct sciara_map_picture *q, int64_t r, int64_t c) {
  const struct sciara_grid *g = q->map->grid;
  return r >= 0 && c >= 0 && r < g->rows && c < g->cols && q->observed[r * g->cols + c];
}

void sciara_paint_outline(const struct sciara_map_picture *q, double radius, struct sciara_picture *part) {
  const struct sciara_grid *g = q->map->grid;
  const double down = (double)part->height / (double)g->rows, right = (double)part->width / (double)g->cols;
  for (int edges = 1; edges >= 0; edges--) // the light edges of all first
    for (int64_t r = 0; r <= g->rows; r++)
      for (int64_t c = 0; c <= g->cols; c++) {
        const struct sciara_spot here = {(double)c * right, (double)r * down};
        if (covered(q, r, c) != covered(q, r - 1, c))
          sciara_paint_cased(part, here, (struct sciara_spot){here.x + right, here.y}, radius, edges);
        if (covered(q, r, c) != covered(q, r, c - 1))
          sciara_paint_cased(part, here, (struct sciara_spot){here.x, here.y + down}, radius, edges);
      }
}

void sciara_paint_stamp(const char *text, struct sciara_picture *part) {
  const double width = (double)part->width, height = (double)part->height, turn = atan2(height, width);
  const double length = sciara_picture_text_width(1, text) + 1; // in heights; half a letter of room at each end
  double letter = 0.8 * hypot(width, height) / length;
  letter = fmin(letter, 0.3 * fmin(width, height));
  const double x = 0.5 * width - 0.5 * (length - 1) * letter * cos(turn) + 0.5 * letter * sin(turn);
  const double y = 0.5 * height + 0.5 * (length - 1) * letter * sin(turn) + 0.5 * letter * cos(turn);
  struct sciara_pen pen = {.height = letter, .weight = 0.2, .turn = turn, .opacity = 0.4, .rgb = {255, 255, 255}};
  sciara_picture_text(part, x, y, &pen, text);
  pen = (struct sciara_pen){.height = letter, .weight = 0.12, .turn = turn, .opacity = 0.5, .rgb = {150, 0, 30}};
  sciara_picture_text(part, x, y, &pen, text);
}
