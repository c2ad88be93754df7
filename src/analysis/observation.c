// SPDX-License-Identifier: Apache-2.0
#include "analysis/observation.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/observation_parts.h"
#include "base/mem.h"
#include "file/hdf5_file.h"
#include "terrain/dem_source.h"

enum sciara_status sciara_observation_refuse(const struct sciara_observation_request *q, const char *key,
                                             const char *format, ...) {
  const char *option = strcmp(key, "layer") == 0 ? "--observed-layer" : "--dates";
  char text[1024];
  va_list values;
  va_start(values, format);
  sciara_vprint(text, sizeof text, format, values);
  va_end(values);
  if (!q->json_path) return sciara_fail(SCIARA_ERR_USAGE, "%s: %s", option, text);
  return sciara_fail(SCIARA_ERR_INPUT, "%s.%s: %s", q->json_path, key, text);
}

/** What GDAL may open, before it does. */
static enum sciara_status check_file(const struct sciara_observation_request *request) {
  SCIARA_TRY(sciara_source_check_file(request->path));
  SCIARA_TRY(sciara_hdf5_check_foreign(request->path));
  for (size_t i = 0; i < request->extra_driver_count; i++)
    SCIARA_TRY(sciara_source_check_driver(request->extra_drivers[i]));
  return SCIARA_OK;
}

enum sciara_status sciara_observation_read(const struct sciara_observation_request *request,
                                           struct sciara_observation *out) {
  *out = (struct sciara_observation){0};
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status;
  bool is_vector = false;
  SCIARA_TRY_GOTO(check_file(request));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->covered, sciara_grid_cells(request->grid), "the observed extent"));
  SCIARA_TRY_GOTO(sciara_observation_read_vector(&scope, request, &is_vector, out, NULL));
  if (!is_vector && request->layer)
    status = sciara_observation_refuse(request, "layer", "%s is a raster and has no layers", request->path);
  else if (!is_vector)
    status = sciara_observation_read_raster(&scope, request, out);
cleanup:
  if (status != SCIARA_OK) sciara_observation_free(out);
  sciara_gdal_leave(&scope);
  return status;
}

void sciara_observation_free(struct sciara_observation *o) {
  sciara_free(o->covered);
  sciara_free(o->thickness);
  free(o->driver);
  *o = (struct sciara_observation){0};
}

enum sciara_status sciara_observation_dates_read(const struct sciara_observation_request *request,
                                                 struct sciara_observation_dates *out) {
  struct sciara_gdal_scope scope;
  bool is_vector = false;
  *out = (struct sciara_observation_dates){0};
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = check_file(request);
  if (status == SCIARA_OK) status = sciara_observation_read_vector(&scope, request, &is_vector, NULL, out);
  if (status == SCIARA_OK && !is_vector && !request->dates_optional)
    status = sciara_observation_refuse(request, "dates", "%s is a raster and has no dates", request->path);
  if (status != SCIARA_OK) sciara_observation_dates_free(out);
  sciara_gdal_leave(&scope);
  return status;
}

void sciara_observation_dates_free(struct sciara_observation_dates *d) {
  free(d->field);
  sciara_free(d->date);
  *d = (struct sciara_observation_dates){0};
}
