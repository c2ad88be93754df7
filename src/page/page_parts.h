// SPDX-License-Identifier: Apache-2.0
// What a page is made of: the text around its data, which is src/page as one text, made when the program is built
// (cmake/EmbedPage.cmake); and its ground, in page_ground.c: grid, shown part, light, altitudes, longitude and latitude.
// Included by this room alone.
#ifndef SCIARA_PAGE_PAGE_PARTS_H
#define SCIARA_PAGE_PAGE_PARTS_H

#include "page/page_html.h"

/** A page before and after its data, with the scripts of its kind. */
struct sciara_page_skeleton {
  const unsigned char *head;
  size_t head_size;
  const unsigned char *tail;
  size_t tail_size;
};

extern const struct sciara_page_skeleton sciara_page_skeleton_run, sciara_page_skeleton_ensemble,
    sciara_page_skeleton_calibration;

/** The part of the grid that is shown: the box of the frames with half its length around it; all of it without a box. */
void sciara_page_window(const struct sciara_page_frames *f, int64_t window[4]);

/** Appends the keys of the ground, each with a comma after it. */
enum sciara_status sciara_page_ground_print(struct sciara_text *t, const struct sciara_page *p);

#endif
