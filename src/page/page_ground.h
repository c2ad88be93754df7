// SPDX-License-Identifier: Apache-2.0
// The ground of a page: its grid, the part of it that is shown, light, altitudes, longitude and latitude.
// Included by this room alone.
#ifndef SCIARA_PAGE_PAGE_GROUND_H
#define SCIARA_PAGE_PAGE_GROUND_H

#include "page/page_html.h"

/** The part of the grid that is shown: the box of the frames with half its length around it; all of it without a box. */
void sciara_page_window(const struct sciara_page_frames *f, int64_t window[4]);

/** Appends the keys of the ground, each with a comma after it. */
enum sciara_status sciara_page_ground_print(struct sciara_text *t, const struct sciara_page *p);

#endif
