// SPDX-License-Identifier: Apache-2.0
// Ticks and coordinates along the frame of a map, in the units of its CRS.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "picture/legend_scale.h"
#include "picture/map_picture_parts.h"

enum { TICKS_MOST = 8 };
static const double small = 0.75; // capitals of the coordinates, of those of other text

/** One side: `from` at its first pixel, `per_px` for each. */
struct side {
  bool up;              ///< the left one, which runs from the bottom to the top
  double from, per_px;  ///< coordinate
  double begin, length; ///< px along the side
};

static struct sciara_writing words(const struct sciara_map_drawing *d, const char *text) {
  return (struct sciara_writing){.text = text, .capital = fmax(6, small * d->letter)};
}

/** "745000 m E", "4052400 m N" in the letters of the language; without a CRS only the unit. */
static void label_of(const struct sciara_map_drawing *d, bool up, double value, double step, char *text,
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
  label_of(d, up, value, step, text, sizeof text);
  const struct sciara_writing w = words(d, text);
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
  static const uint8_t ink[3] = {30, 30, 30};
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
  label_of(d, s->up, value, step, text, sizeof text);
  const struct sciara_writing w = words(d, text);
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

void sciara_paint_coordinates(struct sciara_map_drawing *d) {
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

double sciara_map_margin(double letter) {
  return ceil(fmax(1, round(letter / 12)) + 0.75 * letter + fmax(6, small * letter));
}
