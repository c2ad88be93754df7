// SPDX-License-Identifier: Apache-2.0
// The page around its data: src/page as one text, made when the program is built (cmake/EmbedPage.cmake).
// Included by this room alone.
#ifndef SCIARA_PAGE_PAGE_SKELETON_H
#define SCIARA_PAGE_PAGE_SKELETON_H

#include <stddef.h>

extern const unsigned char sciara_page_skeleton_head[], sciara_page_skeleton_tail[];
extern const size_t sciara_page_skeleton_head_size, sciara_page_skeleton_tail_size;

#endif
