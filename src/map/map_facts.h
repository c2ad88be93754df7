// SPDX-License-Identifier: Apache-2.0
// What a map says of itself in its file: names and texts, which GeoTIFF holds as metadata and PNG as text chunks.
#ifndef SCIARA_MAP_MAP_FACTS_H
#define SCIARA_MAP_MAP_FACTS_H

#include "base/text.h"

enum { SCIARA_MAP_FACTS = 16 };

/** Zero-initialise; release with sciara_map_facts_free. */
struct sciara_map_facts {
  struct {
    const char *name; ///< letters, digits and _
    char *text;       ///< UTF-8
  } fact[SCIARA_MAP_FACTS];
  size_t count;
};

/** Adds a text; NULL and "" are left out. */
enum sciara_status sciara_map_facts_add(struct sciara_map_facts *f, const char *name, const char *text);
void sciara_map_facts_free(struct sciara_map_facts *f);

#endif
