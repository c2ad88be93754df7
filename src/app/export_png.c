// SPDX-License-Identifier: Apache-2.0
#include "app/export.h"
#include "base/mem.h"

static enum sciara_status write(const struct sciara_export_job *job, const char *path) {
  struct sciara_map map;
  double *values, *altitude = NULL;
  SCIARA_TRY(sciara_export_read_map(job, &map, &values));
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_export_read_ground(job->target, &altitude));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(sciara_map_write_png(&map, altitude, path));
cleanup:
  sciara_free(values);
  sciara_free(altitude);
  return status;
}

const struct sciara_export_format sciara_export_png = {
    .name = "png",
    .suffix = "png",
    .summary = "picture of a field over the shaded ground",
    .options = (const char *const[]){"field", NULL},
    .write = write,
};
