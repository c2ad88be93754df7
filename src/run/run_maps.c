// SPDX-License-Identifier: Apache-2.0
#include "run/run_maps.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "file/durable.h"
#include "map/raster_gdal.h"
#include "model/field.h"
#include "run/ground_facts.h"
#include "run/run_folder.h"
#include "run/state_files.h"
#include "terrain/dem_gdal.h"

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the name of a file"); }

/** Writes maps/NAME.tif with its style, or maps/NAME.png, and reports it. */
static enum sciara_status write_map(const struct sciara_run_place *r, enum sciara_field field, bool as_picture) {
  char name[64];
  snprintf(name, sizeof name, "maps/%s.%s", sciara_field_describe(field)->name, as_picture ? "png" : "tif");
  char *path = sciara_path_join(r->folder, name);
  if (!path) return no_memory();
  const enum sciara_status status = sciara_simulation_write_map(r->simulation, field, as_picture, path);
  if (status == SCIARA_OK && r->observer->written) r->observer->written(r->observer->context, path);
  free(path);
  return status;
}

enum sciara_status sciara_run_write_maps(const struct sciara_run_place *r) {
  const unsigned maps = r->simulation->problem.scenario.output.maps;
  if (!maps) return SCIARA_OK;
  char *folder = sciara_path_join(r->folder, "maps");
  enum sciara_status status = folder ? sciara_folder_make(folder) : no_memory();
  if (status != SCIARA_OK) goto cleanup;
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    for (int form = 0; form < 2 && maps >> f & 1u; form++)
      SCIARA_TRY_GOTO(write_map(r, (enum sciara_field)f, form == 1));
cleanup:
  free(folder);
  return status;
}

enum sciara_status sciara_run_write_dem(const struct sciara_run_place *r) {
  const struct sciara_problem *p = &r->simulation->problem;
  struct sciara_map_mark marks[3];
  struct sciara_map_facts facts = {0};
  struct sciara_map map = {.grid = &p->state->grid,
                           .georef = &p->georef,
                           .values = sciara_site_unchanged(p->site)->z0,
                           .nodata = SCIARA_NODATA_ALTITUDE,
                           .name = "altitude before the eruption",
                           .unit = "m",
                           .title = p->scenario.title,
                           .facts = &facts,
                           .marks = marks};
  enum sciara_status status = SCIARA_OK;
  uint8_t *sea = NULL;
  char *path = sciara_path_join(r->folder, SCIARA_RUN_DEM);
  if (!path) return no_memory();
  SCIARA_TRY_GOTO(sciara_site_sea(p->site, &sea));
  if (sea) marks[map.mark_count++] = (struct sciara_map_mark){.name = SCIARA_DEM_SEA, .bytes = sea};
  if (p->site->origin.edit)
    marks[map.mark_count++] = (struct sciara_map_mark){.name = SCIARA_DEM_EDIT, .words = p->site->origin.edit};
  if (p->observed)
    marks[map.mark_count++] = (struct sciara_map_mark){.name = SCIARA_DEM_OBSERVED, .bytes = p->observed};
  SCIARA_TRY_GOTO(sciara_ground_facts(p->site, &facts));
  SCIARA_TRY_GOTO(sciara_map_write_geotiff(&map, true, path));
cleanup:
  sciara_map_facts_free(&facts);
  sciara_free(sea);
  free(path);
  return status;
}
