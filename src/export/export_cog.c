// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "export/export.h"
#include "file/durable.h"

/** The style of the map must not replace a file without --overwrite either. */
static enum sciara_status refuse_style(const char *path, bool overwrite) {
  char *style = sciara_format("%.*s.qml", (int)sciara_path_stem(path), path);
  if (!style) return sciara_no_memory("the name of a file");
  const enum sciara_status status = sciara_refuse_existing(style, overwrite);
  free(style);
  return status;
}

enum sciara_status sciara_export_cog(const struct sciara_export_job *job, const char *path) {
  struct sciara_map map;
  double *values;
  SCIARA_TRY(refuse_style(path, job->overwrite));
  SCIARA_TRY(sciara_export_read_map(job, &map, &values));
  struct sciara_map_facts facts = {0};
  enum sciara_status status = sciara_export_facts(&job->target->snapshot, job->field, NULL, &facts);
  map.facts = &facts;
  if (status == SCIARA_OK) status = sciara_export_make_folder(path);
  if (status == SCIARA_OK) status = sciara_map_write_cog(&map, path);
  sciara_map_facts_free(&facts);
  sciara_free(values);
  return status;
}
