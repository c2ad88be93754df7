// SPDX-License-Identifier: Apache-2.0
#include "run/run_maps.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "file/durable.h"
#include "model/field.h"
#include "picture/map_picture.h"
#include "run/run_folder.h"

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the name of a file"); }

/** Writes maps/NAME.tif with its style, or maps/NAME.png, and reports it. */
static enum sciara_status write_map_file(const struct sciara_run_place *r, const struct sciara_map *map,
                                         bool as_picture) {
  const struct sciara_problem *p = &r->simulation->problem;
  const struct sciara_map_picture picture = {
      .map = map, .altitude = p->state->z0, .time_s = &r->simulation->progress.time, .start = p->scenario.run.start};
  char name[64];
  snprintf(name, sizeof name, "maps/%s.%s", map->name, as_picture ? "png" : "tif");
  char *path = sciara_path_join(r->folder, name);
  if (!path) return no_memory();
  const enum sciara_status status = as_picture ? sciara_map_write_png(&picture, path) : sciara_map_write_cog(map, path);
  if (status == SCIARA_OK && r->observer->written) r->observer->written(r->observer->context, path);
  free(path);
  return status;
}

/** One map of the current state, for GIS and as a picture; cells without lava are NODATA. */
static enum sciara_status write_map(const struct sciara_run_place *r, enum sciara_field field, double *values) {
  const struct sciara_problem *p = &r->simulation->problem;
  const struct sciara_field_info *info = sciara_field_describe(field);
  sciara_field_derive(p->state, field, values);
  for (int64_t i = 0; i < sciara_grid_cells(&p->state->grid); i++)
    if (sciara_field_is_empty(field, values[i], p->state->h[i])) values[i] = SCIARA_NODATA_ALTITUDE;
  const struct sciara_map map = {.grid = &p->state->grid,
                                 .georef = &p->georef,
                                 .values = values,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = info->name,
                                 .unit = info->unit,
                                 .title = p->scenario.title};
  SCIARA_TRY(write_map_file(r, &map, false));
  return write_map_file(r, &map, true);
}

enum sciara_status sciara_run_write_maps(const struct sciara_run_place *r) {
  const unsigned maps = r->simulation->problem.scenario.output.maps;
  if (!maps) return SCIARA_OK;
  double *values = NULL;
  char *folder = sciara_path_join(r->folder, "maps");
  enum sciara_status status = folder ? sciara_folder_make(folder) : no_memory();
  if (status != SCIARA_OK) goto cleanup;
  SCIARA_TRY_GOTO(SCIARA_NEW(values, sciara_grid_cells(&r->simulation->problem.state->grid), "a map"));
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    if (maps >> f & 1u) SCIARA_TRY_GOTO(write_map(r, (enum sciara_field)f, values));
cleanup:
  sciara_free(values);
  free(folder);
  return status;
}

enum sciara_status sciara_run_write_dem(const struct sciara_run_place *r) {
  const struct sciara_problem *p = &r->simulation->problem;
  const struct sciara_map map = {.grid = &p->state->grid,
                                 .georef = &p->georef,
                                 .values = p->state->z0,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = "altitude before the eruption",
                                 .unit = "m",
                                 .title = p->scenario.title};
  char *path = sciara_path_join(r->folder, SCIARA_RUN_DEM);
  if (!path) return no_memory();
  const enum sciara_status status = sciara_map_write_geotiff(&map, true, path);
  free(path);
  return status;
}
