// SPDX-License-Identifier: Apache-2.0
#include "export/export_picture.h"

static enum sciara_status write(const struct sciara_export_job *job, const char *path) {
  struct sciara_export_picture p = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_export_picture_prepare(job, &p));
  SCIARA_TRY_GOTO(sciara_export_picture_read(job, &job->target->snapshot, &p));
  SCIARA_TRY_GOTO(sciara_export_picture_look(job, &p));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(sciara_map_write_png(&p.picture, path));
cleanup:
  sciara_export_picture_free(&p);
  return status;
}

const struct sciara_export_format sciara_export_png = {
    .name = "png",
    .extensions = (const char *const[]){"png", NULL},
    .summary =
        "picture for a report: the lava over the hillshade, coordinates, legend, scale, north, vents, title, time",
    .options = sciara_export_picture_options,
    .write = write,
};
