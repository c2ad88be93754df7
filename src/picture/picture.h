// SPDX-License-Identifier: Apache-2.0
// A picture that Cairo draws on, text in it by Pango, in any script that an installed font has, and how it becomes a PNG
// file.
// Included by this room alone.
#ifndef SCIARA_PICTURE_PICTURE_H
#define SCIARA_PICTURE_PICTURE_H

#include <cairo.h>
#include <pango/pangocairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct sciara_map_facts;

enum {
  SCIARA_PICTURE_LONGEST = 32767, ///< px each way that Cairo draws on
  SCIARA_PICTURE_BOXES = 128
};

/** A rectangle: x to the right, y down, px. */
struct sciara_box {
  double x, y, width, height;
};

/** Zero-initialise; release with sciara_picture_free. */
struct sciara_picture {
  int64_t width, height;
  uint32_t *pixels; ///< rows of `width` from the top, 0x00RRGGBB; sciara_picture_touched after they were changed
  cairo_t *cairo;
  struct sciara_box box[SCIARA_PICTURE_BOXES]; ///< the elements around the map, which must not overlap
  int boxes;
};

/**
 * Makes white paper. SCIARA_ERR_INPUT beyond SCIARA_PICTURE_LONGEST, SCIARA_ERR_MEMORY when it takes more than is free.
 *
 * @param path of the file that it is to become, for errors
 */
enum sciara_status sciara_picture_begin(struct sciara_picture *p, int64_t width, int64_t height, const char *path);

/** Before pixels are changed without Cairo, and after it. */
void sciara_picture_touch(struct sciara_picture *p);
void sciara_picture_touched(struct sciara_picture *p);

/** What is drawn next has this colour. */
void sciara_picture_colour(struct sciara_picture *p, const uint8_t rgb[3], double opacity);

/** Fills a rectangle. */
void sciara_picture_fill(struct sciara_picture *p, double x, double y, double width, double height,
                         const uint8_t rgb[3]);

/** Records an element at that position. */
void sciara_picture_claim(struct sciara_picture *p, struct sciara_box box);

/** Writes the picture as a file, atomically, with the facts, which may be NULL, as text chunks. */
enum sciara_status sciara_picture_write_png(struct sciara_picture *p, const struct sciara_map_facts *facts,
                                            const char *path);
void sciara_picture_free(struct sciara_picture *p);

// ---------------------------------------------------------------------------------------------------------------- text

/** Zero-initialise; release with sciara_lettering_close. Used by one thread. */
struct sciara_lettering {
  PangoContext *context;     ///< NULL: no font is installed, and nothing is written
  size_t stack;              ///< of threads, to be restored; 0: it was not changed
  size_t unknown;            ///< characters written so far that no font has
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
