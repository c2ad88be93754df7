// SPDX-License-Identifier: Apache-2.0
#include "model/site.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void sciara_dem_spec_free(struct sciara_dem_spec *spec) {
  for (size_t k = 0; k < spec->edit_count; k++) sciara_edit_free(&spec->edits[k]);
  sciara_free(spec->edits);
  free(spec->path);
  free(spec->crs);
  free(spec->sea.path);
  free(spec->edits_json);
  *spec = (struct sciara_dem_spec){0};
}

void sciara_site_identity_free(struct sciara_site_identity *identity) {
  sciara_dem_spec_free(&identity->dem);
  sciara_free(identity->around);
  *identity = (struct sciara_site_identity){0};
}

static enum sciara_status copy_points(const struct sciara_point *from, size_t count, struct sciara_point **to) {
  *to = NULL;
  if (count == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(*to, count, "points that decide the ground"));
  memcpy(*to, from, count * sizeof *from);
  return SCIARA_OK;
}

/** `to` is a copy of the members of `from`. */
static enum sciara_status copy_edit(const struct sciara_edit *from, struct sciara_edit *to) {
  to->name = to->path = to->raster = to->layer = to->place = NULL;
  to->points = NULL;
  SCIARA_TRY(sciara_copy(from->name, "the texts of a site", &to->name));
  SCIARA_TRY(sciara_copy(from->path, "the texts of a site", &to->path));
  SCIARA_TRY(sciara_copy(from->raster, "the texts of a site", &to->raster));
  SCIARA_TRY(sciara_copy(from->layer, "the texts of a site", &to->layer));
  SCIARA_TRY(sciara_copy(from->place, "the texts of a site", &to->place));
  return copy_points(from->points, from->point_count, &to->points);
}

/** `to` is a copy of the members of `from`; its texts and edits become its own. */
static enum sciara_status copy_dem(const struct sciara_dem_spec *from, struct sciara_dem_spec *to) {
  to->path = to->crs = to->sea.path = to->edits_json = NULL;
  to->edits = NULL;
  to->edit_count = 0;
  SCIARA_TRY(sciara_copy(from->path, "the texts of a site", &to->path));
  SCIARA_TRY(sciara_copy(from->crs, "the texts of a site", &to->crs));
  SCIARA_TRY(sciara_copy(from->sea.path, "the texts of a site", &to->sea.path));
  SCIARA_TRY(sciara_copy(from->edits_json, "the texts of a site", &to->edits_json));
  if (from->edit_count > 0) SCIARA_TRY(SCIARA_NEW(to->edits, from->edit_count, "the edits of the ground"));
  for (size_t k = 0; k < from->edit_count; k++) {
    to->edits[to->edit_count++] = from->edits[k];
    SCIARA_TRY(copy_edit(&from->edits[k], &to->edits[k]));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_site_identity_copy(const struct sciara_site_identity *from, struct sciara_site_identity *to) {
  *to = *from;
  to->around = NULL;
  SCIARA_TRY(copy_dem(&from->dem, &to->dem));
  return copy_points(from->around, from->around_count, &to->around);
}
