// SPDX-License-Identifier: Apache-2.0
// Text in pictures: letters of any size, drawn with a pen of even thickness. Private to io.
#ifndef SCIARA_PICTURE_LETTERING_H
#define SCIARA_PICTURE_LETTERING_H

#include <stdbool.h>

#include "picture/picture.h"

struct sciara_pen {
  double height;  ///< of a capital letter, px
  double weight;  ///< thickness of the strokes, in heights
  double turn;    ///< direction of the text: radians from "to the right", counter-clockwise
  double opacity; ///< 0..1
  uint8_t rgb[3];
};

/**
 * Draws UTF-8 from (x, y), the left end of the line that the letters stand on. Latin letters with accents are drawn with
 * them; ligatures, dashes, quotation marks and the like are spelt with other letters; what has no shape is a hollow box.
 */
void sciara_picture_text(struct sciara_picture *p, double x, double y, const struct sciara_pen *pen, const char *text);

/** Length of a text, px, in letters of this height. */
double sciara_picture_text_width(double height, const char *text);

/** How many bytes of the text fit into `width` px when it is broken between words; at least one letter. */
size_t sciara_picture_text_fit(double height, const char *text, double width);

/** How many letters of the text have no shape. */
size_t sciara_picture_text_unknown(const char *text);

// ---------------------------------------------------------------------------------------- the shapes, lettering_shapes.c

/** Heights are in units of which a capital has 20 and a small letter 14; y goes up from the line of writing. */
enum { SCIARA_CAPITAL = 20, SCIARA_SMALL = 14 };

/**
 * Strokes: "M x y" begins one, "L x y" goes on, "A cx cy rx ry from to" goes on along an ellipse (degrees, counter-clockwise
 * from the east), "a ..." begins one with it.
 */
struct sciara_letter_shape {
  uint32_t code;
  uint8_t width; ///< without the space to the next letter
  const char *path;
};

/** A shape with an accent; `mark` is 0 for none. `base` 0: the accent goes on the letter before. */
struct sciara_letter {
  uint32_t base;
  char mark;
};

enum { SCIARA_LETTERS_MOST = 4 };

/** The letters that a code point is drawn with; 0 of them when there is no way to. */
int sciara_letters_of(uint32_t code, struct sciara_letter letters[SCIARA_LETTERS_MOST]);

/** The shape of a base letter; NULL when there is none. */
const struct sciara_letter_shape *sciara_letter_shape(uint32_t code);

/** The strokes of an accent around x = 0, for a small letter; "" for none. */
const char *sciara_letter_mark(char mark);

#endif
