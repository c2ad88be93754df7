// SPDX-License-Identifier: Apache-2.0
#include "analysis/observation.h"

#include <stdlib.h>

#include "analysis/observation_parts.h"
#include "base/mem.h"
#include "file/hdf5_open.h"
#include "terrain/dem_source.h"

enum sciara_status sciara_observation_read(const struct sciara_observation_request *request,
                                           struct sciara_observation *out) {
  *out = (struct sciara_observation){0};
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status;
  bool is_vector = false;
  SCIARA_TRY_GOTO(sciara_source_check_file(request->path));
  SCIARA_TRY_GOTO(sciara_hdf5_check_foreign(request->path));
  for (size_t i = 0; i < request->extra_driver_count; i++)
    SCIARA_TRY_GOTO(sciara_source_check_driver(request->extra_drivers[i]));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->covered, sciara_grid_cells(request->grid), "the observed extent"));
  SCIARA_TRY_GOTO(sciara_observation_read_vector(&scope, request, &is_vector, out));
  if (!is_vector && request->layer)
    status =
        sciara_fail(request->layer_key ? SCIARA_ERR_INPUT : SCIARA_ERR_USAGE, "%s: %s is a raster and has no layers",
                    request->layer_key ? request->layer_key : "--observed-layer", request->path);
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
