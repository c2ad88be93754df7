// SPDX-License-Identifier: Apache-2.0
#include "picture/lettering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { GAP = 5, POINTS_MOST = 320, ARC_STEP = 9, RAISE = SCIARA_CAPITAL - SCIARA_SMALL };

/** The next code point of UTF-8; a byte that is none is U+FFFD. */
static uint32_t next_code(const char **text) {
  uint32_t code;
  const size_t length = sciara_utf8_next(*text, &code);
  *text += length ? length : 1;
  return length ? code : 0xFFFD;
}

static const struct sciara_letter_shape hollow_box = {0, 10, "M0 0 L10 0 L10 20 L0 20 L0 0"};

/** What is drawn next: a shape, and an accent on it. */
struct glyph {
  const struct sciara_letter_shape *shape;
  char mark;
};

/** The glyphs of a code point; 1 hollow box where there are none. An accent alone has no shape. */
static int glyphs_of(uint32_t code, struct glyph glyphs[SCIARA_LETTERS_MOST]) {
  struct sciara_letter letters[SCIARA_LETTERS_MOST];
  const int count = sciara_letters_of(code, letters);
  for (int k = 0; k < count; k++)
    glyphs[k] = (struct glyph){letters[k].base ? sciara_letter_shape(letters[k].base) : NULL, letters[k].mark};
  if (count > 0) return count;
  glyphs[0] = (struct glyph){.shape = &hollow_box};
  return 1;
}

/** From the units of a shape to the picture. */
struct place {
  double x, y, scale, cosine, sine;
};

struct strokes {
  struct sciara_spot points[POINTS_MOST];
  uint8_t lift[POINTS_MOST];
  size_t count;
};

static void add_point(struct strokes *s, const struct place *at, double x, double y, bool lift) {
  if (s->count == POINTS_MOST) return;
  x *= at->scale;
  y *= at->scale;
  s->points[s->count] =
      (struct sciara_spot){at->x + x * at->cosine - y * at->sine, at->y - x * at->sine - y * at->cosine};
  s->lift[s->count++] = lift;
}

/** Follows a path that is moved by (dx, dy) units. */
static void trace(struct strokes *s, const struct place *at, const char *path, double dx, double dy) {
  const double degree = 3.14159265358979323846 / 180;
  while (*path) {
    const char what = *path++;
    long number[6] = {0};
    char *end;
    const int count = what == 'M' || what == 'L' ? 2 : 6;
    for (int k = 0; k < count; k++, path = end) number[k] = strtol(path, &end, 10);
    while (*path == ' ') path++;
    if (count == 2) {
      add_point(s, at, (double)number[0] + dx, (double)number[1] + dy, what == 'M');
      continue;
    }
    const long from = number[4], to = number[5], steps = (labs(to - from) + ARC_STEP - 1) / ARC_STEP;
    for (long k = 0; k <= steps; k++) {
      const double angle = (double)from + (double)(to - from) * (double)k / (double)steps;
      add_point(s, at, (double)number[0] + dx + (double)number[2] * cos(angle * degree),
                (double)number[1] + dy + (double)number[3] * sin(angle * degree), what == 'a' && k == 0);
    }
  }
}

/** Draws a letter whose left end is `at` units along the line; accents go on the letter at `under`, `width` wide. */
static void draw_glyph(struct sciara_picture *p, const struct sciara_pen *pen, const struct place *at,
                       const struct glyph *glyph, double along, const struct sciara_letter_shape *under,
                       double under_along) {
  struct strokes s = {.count = 0};
  if (glyph->shape) trace(&s, at, glyph->shape->path, along, 0);
  if (glyph->mark && under) {
    const bool capital = under->code >= 'A' && under->code <= 'Z';
    const bool stays = strchr(",;/\\=th", glyph->mark) != NULL;
    trace(&s, at, sciara_letter_mark(glyph->mark), under_along + under->width / 2.0, capital && !stays ? RAISE : 0);
  }
  if (s.count)
    sciara_picture_stroke(p, s.points, s.lift, s.count, 0.5 * pen->weight * pen->height, pen->opacity, pen->rgb);
}

void sciara_picture_text(struct sciara_picture *p, double x, double y, const struct sciara_pen *pen, const char *text) {
  const struct place at = {x, y, pen->height / SCIARA_CAPITAL, cos(pen->turn), sin(pen->turn)};
  const struct sciara_letter_shape *last = NULL;
  double along = 0, last_along = 0;
  while (*text) {
    struct glyph glyphs[SCIARA_LETTERS_MOST];
    const int count = glyphs_of(next_code(&text), glyphs);
    for (int k = 0; k < count; k++) {
      if (glyphs[k].shape) {
        last = glyphs[k].shape;
        last_along = along;
        along += last->width + GAP;
      }
      draw_glyph(p, pen, &at, &glyphs[k], last_along, last, last_along);
    }
  }
}

double sciara_picture_text_width(double height, const char *text) {
  double units = 0;
  while (*text) {
    struct glyph glyphs[SCIARA_LETTERS_MOST];
    const int count = glyphs_of(next_code(&text), glyphs);
    for (int k = 0; k < count; k++)
      if (glyphs[k].shape) units += glyphs[k].shape->width + GAP;
  }
  return units > 0 ? (units - GAP) * height / SCIARA_CAPITAL : 0;
}

size_t sciara_picture_text_fit(double height, const char *text, double width) {
  const char *here = text;
  size_t whole_words = 0, letters = 0;
  double units = 0;
  while (*here) {
    struct glyph glyphs[SCIARA_LETTERS_MOST];
    if (*here == ' ') whole_words = (size_t)(here - text);
    const int count = glyphs_of(next_code(&here), glyphs);
    for (int k = 0; k < count; k++)
      if (glyphs[k].shape) units += glyphs[k].shape->width + GAP;
    if ((units - GAP) * height / SCIARA_CAPITAL > width)
      return whole_words ? whole_words : letters ? letters : (size_t)(here - text);
    letters = (size_t)(here - text);
  }
  return letters;
}

size_t sciara_picture_text_unknown(const char *text) {
  size_t count = 0;
  while (*text) {
    struct sciara_letter letters[SCIARA_LETTERS_MOST];
    count += sciara_letters_of(next_code(&text), letters) == 0;
  }
  return count;
}
