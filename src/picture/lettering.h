// SPDX-License-Identifier: Apache-2.0
// Text in pictures, by Pango: any script that an installed font has.
// Included by this room alone.
#ifndef SCIARA_PICTURE_LETTERING_H
#define SCIARA_PICTURE_LETTERING_H

#include <stdbool.h>

#include <pango/pangocairo.h>

#include "picture/picture.h"

/** Zero-initialise; release with sciara_lettering_close. Used by one thread. */
struct sciara_lettering {
  PangoContext *context;     ///< NULL: no font is installed, and nothing is written
  size_t stack;              ///< of threads, to be restored; 0: it was not changed
  enum sciara_status failed; ///< of the text that found no memory first; SCIARA_OK: none did
};

/**
 * Finds the fonts. SCIARA_ERR_MEMORY where a limit of the address space leaves too little for what lies below Pango, which
 * would end the program.
 */
enum sciara_status sciara_lettering_open(struct sciara_lettering *out);
void sciara_lettering_close(struct sciara_lettering *l);

/** How a text is written. */
struct sciara_writing {
  const char *text; ///< never markup; what is no UTF-8 or a control character is replaced
  double capital;   ///< height of a capital letter, px
  bool bold, grey;
  double width; ///< of a line, px; 0: no limit
  int lines;    ///< at most, of such a width; the last one ends in an ellipsis where there is more
};

/** Width and height that a text takes up, px; 0 of nothing. */
struct sciara_box sciara_lettering_measure(struct sciara_lettering *l, const struct sciara_writing *w);

/** How many characters of a text no font has. */
size_t sciara_lettering_unknown(struct sciara_lettering *l, const char *text);

/**
 * Writes in dark letters so that the text lies to the right of (x, y), its first line standing on y; `anchor` 0.5 centres it
 * on x, 1 lets it end there. Returns the height of its lines.
 */
double sciara_picture_write(struct sciara_picture *p, struct sciara_lettering *l, double x, double y, double anchor,
                            const struct sciara_writing *w);

/** Writes upwards: the line stands on x, which is its right side, and is centred on y. */
void sciara_picture_write_up(struct sciara_picture *p, struct sciara_lettering *l, double x, double y,
                             const struct sciara_writing *w);

/** Adds the outlines of a text around (0, 0) of Cairo's coordinates to its path. */
void sciara_picture_text_path(struct sciara_picture *p, struct sciara_lettering *l, const struct sciara_writing *w);

#endif
