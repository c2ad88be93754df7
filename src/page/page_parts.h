// SPDX-License-Identifier: Apache-2.0
// The text around the data of a page: src/page as one text, made when the program is built (cmake/EmbedPage.cmake).
// Included by this room alone.
#ifndef SCIARA_PAGE_PAGE_PARTS_H
#define SCIARA_PAGE_PAGE_PARTS_H

#include <stddef.h>

/** A page before and after its data, with the scripts of its kind. */
struct sciara_page_skeleton {
  const unsigned char *head;
  size_t head_size;
  const unsigned char *tail;
  size_t tail_size;
};

extern const struct sciara_page_skeleton sciara_page_skeleton_run, sciara_page_skeleton_ensemble,
    sciara_page_skeleton_calibration;

#endif
