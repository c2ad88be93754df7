// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/messages.h"
#include "app/target.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/dem_gdal.h"
#include "io/durable.h"
#include "io/raster_gdal.h"
#include "model/field.h"
#include "sim/run_folder.h"

static const struct sciara_option options[] = {
    {"format", 'f', "cog|png",
     "cog: cloud-optimised GeoTIFF with a QGIS style beside it; png: picture over the hillshade"},
    {"field", 0, "F", "what to map (default: deposit if the snapshot holds it, else thickness)"},
    {"output", 'o', "FILE", "where to (default: maps/FIELD.tif or .png in the run folder, or beside a lone snapshot)"},
    {"overwrite", 0, NULL, "replace FILE if it is there"},
    {0},
};

/** Altitude under the lava: dem.tif of the run, else the snapshot's own altitude, else none. */
static enum sciara_status read_ground(struct sciara_target *t, double *altitude, bool *found) {
  const struct sciara_grid *grid = &t->snapshot.grid;
  *found = true;
  if (t->folder) {
    char *path = sciara_path_join(t->folder, SCIARA_RUN_DEM);
    if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a path");
    if (access(path, R_OK) == 0) {
      struct sciara_dem dem;
      const enum sciara_status status = sciara_dem_read(&(struct sciara_dem_request){.path = path, .band = 1}, &dem);
      const bool fits = status == SCIARA_OK && dem.grid.rows == grid->rows && dem.grid.cols == grid->cols;
      if (fits) memcpy(altitude, dem.altitude, (size_t)sciara_grid_cells(grid) * sizeof *altitude);
      if (status == SCIARA_OK) sciara_dem_free(&dem);
      free(path);
      if (fits || status != SCIARA_OK) return status;
    } else {
      free(path);
    }
  }
  if (t->snapshot.fields >> SCIARA_FIELD_ALTITUDE & 1u)
    return sciara_snapshot_read(&t->snapshot, SCIARA_FIELD_ALTITUDE, altitude);
  *found = false;
  return SCIARA_OK;
}

/** NODATA where there is nothing to show; `thickness` may be NULL. */
static void mask_empty(enum sciara_field field, const double *thickness, double *values, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (sciara_field_is_empty(field, values[i], thickness ? thickness[i] : values[i]))
      values[i] = SCIARA_NODATA_ALTITUDE;
}

static char *default_output(const struct sciara_target *t, enum sciara_field field, const char *suffix) {
  const char *name = sciara_field_name(field);
  if (t->folder) return sciara_format("%s/maps/%s.%s", t->folder, name, suffix);
  const size_t stem =
      strlen(t->path) - (strlen(t->path) > 3 && strcmp(t->path + strlen(t->path) - 3, ".nc") == 0 ? 3 : 0);
  return sciara_format("%.*s.%s.%s", (int)stem, t->path, name, suffix);
}

static enum sciara_status refuse_existing(const char *path, bool overwrite) {
  if (overwrite || access(path, F_OK) != 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: is there already; --overwrite replaces it", path);
}

/** Neither the map nor the style beside it replaces a file unasked. */
static enum sciara_status prepare_output(const char *path, bool png, bool overwrite) {
  SCIARA_TRY(refuse_existing(path, overwrite));
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  char *style = sciara_format("%.*s.qml", dot ? (int)(dot - path) : (int)strlen(path), path);
  char *folder = sciara_path_folder(path);
  enum sciara_status status = SCIARA_OK;
  if (!style || !folder)
    status = sciara_fail(SCIARA_ERR_MEMORY, "no memory for the name of a file");
  else if (!png)
    status = refuse_existing(style, overwrite);
  if (status == SCIARA_OK) status = sciara_folder_make(folder);
  free(style);
  free(folder);
  return status;
}

static enum sciara_status write_map(struct sciara_target *t, enum sciara_field field, bool png, const char *path,
                                    bool overwrite) {
  const struct sciara_field_info *info = sciara_field_describe(field);
  const struct sciara_grid *grid = &t->snapshot.grid;
  const int64_t cells = sciara_grid_cells(grid);
  double *values = NULL, *altitude = NULL, *thickness = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(values, cells, "a map"));
  SCIARA_TRY_GOTO(sciara_target_read(t, field, values));
  if (t->snapshot.fields >> SCIARA_FIELD_THICKNESS & 1u) {
    SCIARA_TRY_GOTO(SCIARA_NEW(thickness, cells, "a map"));
    SCIARA_TRY_GOTO(sciara_target_read(t, SCIARA_FIELD_THICKNESS, thickness));
  }
  mask_empty(field, thickness, values, cells);
  const struct sciara_map map = {.grid = grid,
                                 .georef = &t->snapshot.georef,
                                 .values = values,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = info->name,
                                 .unit = info->unit,
                                 .title = t->snapshot.title};
  if (png) {
    bool found;
    SCIARA_TRY_GOTO(SCIARA_NEW(altitude, cells, "the ground of a map"));
    SCIARA_TRY_GOTO(read_ground(t, altitude, &found));
    if (!found)
      sciara_log(SCIARA_LOG_WARNING,
                 "%s: no altitude is at hand (no dem.tif of the run, no field \"altitude\"): the ground is drawn flat",
                 t->path);
  }
  SCIARA_TRY_GOTO(prepare_output(path, png, overwrite));
  SCIARA_TRY_GOTO(png ? sciara_map_write_png(&map, altitude, path) : sciara_map_write_cog(&map, path));
  printf("%s\n", path);
cleanup:
  sciara_free(values);
  sciara_free(altitude);
  sciara_free(thickness);
  return status;
}

static enum sciara_status execute(const struct sciara_arguments *a) {
  const char *format = sciara_argument(a, "format"), *name = sciara_argument(a, "field"),
             *output = sciara_argument(a, "output");
  if (!format) return sciara_fail(SCIARA_ERR_USAGE, "--format is missing, allowed cog or png");
  const bool png = strcmp(format, "png") == 0;
  if (!png && strcmp(format, "cog") != 0)
    return sciara_fail(SCIARA_ERR_USAGE, "--format: found \"%s\", allowed cog or png", format);
  enum sciara_field field = SCIARA_FIELD_COUNT;
  if (name) SCIARA_TRY(sciara_field_parse(name, &field));
  struct sciara_target target;
  SCIARA_TRY(sciara_target_open(a->operand[0], &target));
  if (!name) {
    field = target.snapshot.fields >> SCIARA_FIELD_DEPOSIT & 1u ? SCIARA_FIELD_DEPOSIT : SCIARA_FIELD_THICKNESS;
    sciara_log(SCIARA_LOG_INFO, "no --field given: %s", sciara_field_name(field));
  }
  char *path = output ? sciara_format("%s", output) : default_output(&target, field, png ? "png" : "tif");
  const enum sciara_status status = path ? write_map(&target, field, png, path, sciara_argument_given(a, "overwrite"))
                                         : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a path");
  free(path);
  sciara_target_free(&target);
  return status;
}

static int run(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  const int code = sciara_arguments_parse(command, argc, argv, &arguments);
  return code < 0 ? sciara_report(execute(&arguments)) : code;
}

const struct sciara_command sciara_cmd_export = {
    .name = "export",
    .summary = "make a map of a run or a snapshot",
    .operands = "RUN|SNAPSHOT",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "Of a run folder the last snapshot is taken. Cells without lava are NODATA (-9999). Prints the path of "
               "the map.\n",
    .run = run,
};
