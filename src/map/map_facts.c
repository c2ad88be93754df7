// SPDX-License-Identifier: Apache-2.0
#include "map/raster_gdal.h"

#include <stdlib.h>

enum sciara_status sciara_map_facts_add(struct sciara_map_facts *f, const char *name, const char *text) {
  struct sciara_text plain = {0};
  if (!text || !text[0]) return SCIARA_OK;
  if (f->count == SCIARA_MAP_FACTS) return sciara_fail(SCIARA_ERR_INTERNAL, "too many facts of a map");
  const enum sciara_status status = sciara_text_append_plain(&plain, text);
  if (status != SCIARA_OK) return status;
  f->fact[f->count].name = name;
  f->fact[f->count].text = sciara_format("%s", plain.data);
  sciara_text_free(&plain);
  if (!f->fact[f->count].text) return sciara_no_memory("the facts of a map");
  f->count++;
  return SCIARA_OK;
}

void sciara_map_facts_free(struct sciara_map_facts *f) {
  for (size_t k = 0; k < f->count; k++) free(f->fact[k].text);
  *f = (struct sciara_map_facts){0};
}
