// SPDX-License-Identifier: Apache-2.0
// Writes a scene of `sciara bench`, which is made in memory there, as files that `sciara run` reads: dem.tif, thickness.tif,
// temperature.tif and scenario.json. The same values, so the same state. Prints its checksum.
//   sciara_scene_files dense|sparse SIZE FOLDER
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bench/bench_scenes.h"
#include "file/durable.h"
#include "map/raster_gdal.h"
#include "setup/setup.h"

static const char scenario[] =
    "{\n  \"title\": \"%s\",\n  \"dem\": { \"path\": \"dem.tif\" },\n  \"vents\": [],\n"
    "  \"initial\": { \"thickness\": \"thickness.tif\", \"temperature\": \"temperature.tif\" },\n"
    "  \"run\": { \"until\": \"solidified\" }\n}\n";

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the name of a file"); }

static enum sciara_status write_layer(const char *folder, const char *file, struct sciara_map map,
                                      const double *values) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, file, &path));
  map.values = values;
  const enum sciara_status status = sciara_map_write_geotiff(&map, false, path); // the values are exact in float
  free(path);
  return status;
}

static enum sciara_status write_scenario(const char *folder, const char *title) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, "scenario.json", &path));
  char *text = sciara_format(scenario, title);
  const enum sciara_status status = text ? sciara_file_replace(path, text, strlen(text)) : no_memory();
  free(path);
  free(text);
  return status;
}

static enum sciara_status write_scene(const struct sciara_problem *p, const char *folder) {
  struct sciara_georef georef = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_folder_make(folder));
  SCIARA_TRY_GOTO(sciara_georef_from_name("EPSG:32633", &georef));
  const struct sciara_map altitude = {.grid = &p->grid,
                                      .georef = &georef,
                                      .nodata = SCIARA_NODATA_ALTITUDE,
                                      .name = "altitude",
                                      .unit = "m",
                                      .title = p->source->scenario.path};
  struct sciara_map thickness = altitude, temperature = altitude;
  thickness.name = "thickness";
  temperature.name = "temperature";
  temperature.unit = "K";
  SCIARA_TRY_GOTO(write_layer(folder, "dem.tif", altitude, p->state->z));
  SCIARA_TRY_GOTO(write_layer(folder, "thickness.tif", thickness, p->state->h));
  SCIARA_TRY_GOTO(write_layer(folder, "temperature.tif", temperature, p->state->T));
  SCIARA_TRY_GOTO(write_scenario(folder, p->source->scenario.path));
cleanup:
  sciara_georef_free(&georef);
  return status;
}

int main(int argc, char **argv) {
  const bool dense = argc > 1 && strcmp(argv[1], "dense") == 0, sparse = argc > 1 && strcmp(argv[1], "sparse") == 0;
  double size;
  if (argc != 4 || !(dense || sparse) || !sciara_parse_double(argv[2], &size) || size != (double)(int64_t)size) {
    fprintf(stderr, "usage: sciara_scene_files dense|sparse SIZE FOLDER\n");
    return SCIARA_ERR_USAGE;
  }
  struct sciara_problem p;
  enum sciara_status status =
      sciara_scene_make(dense ? SCIARA_SCENE_DENSE : SCIARA_SCENE_SPARSE, (int64_t)size, SCIARA_DOUBLE, &p);
  if (status == SCIARA_OK) {
    status = write_scene(&p, argv[3]);
    if (status == SCIARA_OK) printf("%016" PRIx64 "\n", sciara_state_checksum(p.state));
    sciara_problem_free(&p);
  }
  if (status != SCIARA_OK) fprintf(stderr, "sciara_scene_files: %s\n", sciara_last_error());
  return (int)status;
}
