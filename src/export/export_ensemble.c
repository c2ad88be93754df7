// SPDX-License-Identifier: Apache-2.0
// The formats of ensembles: pictures, KML, GeoJSON; the page has a file of its own.
#include <string.h>

#include "export/export.h"
#include "hazard/hazard_picture.h"
#include "hazard/products.h"
#include "hazard/reduction.h"

static enum sciara_status write_kml(const struct sciara_reduction *r, const struct sciara_export_job *job,
                                    const char *path) {
  (void)job;
  return sciara_products_kml(r, path);
}

static enum sciara_status write_geojson(const struct sciara_reduction *r, const struct sciara_export_job *job,
                                        const char *path) {
  return sciara_products_geojson(r, job->layer, path);
}

/** The layer of that name; SCIARA_ERR_USAGE, with the names, if there is none that is drawn. */
static enum sciara_status find_layer(const struct sciara_reduction *r, const char *name, size_t *out) {
  struct sciara_text names = {0};
  for (*out = 0; *out < r->layers.count; (*out)++) {
    const struct sciara_layer *l = &r->layers.layer[*out];
    if (l->kind == SCIARA_LAYER_FRONT) continue;
    if (strcmp(l->name, name) == 0) break;
    if (l->part == SCIARA_PART_VALUE) sciara_text_append(&names, "%s%s", names.length ? ", " : "", l->name);
  }
  enum sciara_status status = SCIARA_OK;
  if (*out == r->layers.count)
    status = sciara_fail(SCIARA_ERR_USAGE,
                         "--layer: expected %s, or one of them with _low, _high or _error; found \"%.80s\"",
                         names.data ? names.data : "a map", name);
  sciara_text_free(&names);
  return status;
}

static enum sciara_status write_png(const struct sciara_reduction *r, const struct sciara_export_job *job,
                                    const char *path) {
  struct sciara_hazard_picture p = {0};
  struct sciara_picture_parts parts = {0};
  size_t layer = 0;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_picture_look_check(&job->look, *r->start ? r->start : NULL));
  SCIARA_TRY_GOTO(find_layer(r, job->layer, &layer));
  SCIARA_TRY_GOTO(sciara_hazard_picture_make(r, layer, job->look.language, job->look.title, &p));
  SCIARA_TRY_GOTO(sciara_picture_look_apply(&job->look, &p.bounds, &p.picture, &parts));
  SCIARA_TRY_GOTO(sciara_map_write_png(&p.picture, path));
cleanup:
  sciara_picture_parts_free(&parts);
  sciara_hazard_picture_free(&p);
  return status;
}

enum sciara_status sciara_export_reduction(const struct sciara_export_job *job,
                                           enum sciara_status (*writer)(const struct sciara_reduction *,
                                                                        const struct sciara_export_job *, const char *),
                                           const char *path) {
  const struct sciara_reduction_options options = {
      .threads = sciara_reduction_threads(0), .bytes = SCIARA_REDUCTION_BYTES, .all = job->all};
  struct sciara_reduction r;
  enum sciara_status status;
  SCIARA_TRY(sciara_reduction_open(job->source, &options, &r));
  SCIARA_TRY_GOTO(sciara_reduction_make_maps(&r, &options));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(writer(&r, job, path));
cleanup:
  sciara_reduction_free(&r);
  return status;
}

enum sciara_status sciara_export_ensemble_png(const struct sciara_export_job *job, const char *path) {
  return sciara_export_reduction(job, write_png, path);
}

enum sciara_status sciara_export_ensemble_kml(const struct sciara_export_job *job, const char *path) {
  return sciara_export_reduction(job, write_kml, path);
}

enum sciara_status sciara_export_ensemble_geojson(const struct sciara_export_job *job, const char *path) {
  return sciara_export_reduction(job, write_geojson, path);
}
