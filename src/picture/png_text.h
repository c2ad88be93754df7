// SPDX-License-Identifier: Apache-2.0
// Text chunks of PNG files.
// Included by this room alone.
#ifndef SCIARA_PICTURE_PNG_TEXT_H
#define SCIARA_PICTURE_PNG_TEXT_H

#include "map/map_facts.h"

/**
 * Appends a chunk for each fact: tEXt where the text is ASCII, else iTXt, which holds UTF-8. They belong behind the first
 * SCIARA_PNG_HEADER bytes of a file.
 */
enum { SCIARA_PNG_HEADER = 33 };
enum sciara_status sciara_png_append_facts(const struct sciara_map_facts *facts, struct sciara_text *out);

#endif
