// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario_site.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "terrain/dem_gdal.h"
#include "terrain/dem_ground.h"

// ------------------------------------------------------------------------------------------------------------- keys

/** "key: value", where the value is a JSON text or null. */
static enum sciara_status describe_text(const char *key, const char *value, struct sciara_text *out) {
  if (!value) return sciara_text_append(out, "%s: null\n", key);
  SCIARA_TRY(sciara_text_append(out, "%s: \"", key));
  SCIARA_TRY(sciara_text_append_json(out, value));
  return sciara_text_append(out, "\"\n");
}

/**
 * The absolute name of a file, independent of the current folder. Only its folder is resolved, because the file may no
 * longer exist.
 */
static enum sciara_status describe_path(const char *path, struct sciara_text *out) {
  char *folder = sciara_path_folder(path), *real = folder ? realpath(folder, NULL) : NULL;
  const char *slash = strrchr(path, '/');
  char *name = real ? sciara_path_join(real, slash ? slash + 1 : path) : NULL;
  const bool no_memory = !folder || (real && !name);
  const enum sciara_status status = no_memory ? sciara_fail(SCIARA_ERR_MEMORY, "no memory for a path")
                                              : describe_text("dem.path", name ? name : path, out);
  free(name);
  free(real);
  free(folder);
  return status;
}

static enum sciara_status describe_precision(bool single_precision, struct sciara_text *out) {
  return describe_text("engine.precision", single_precision ? "single" : "double", out);
}

/** The part of the DEM by coordinates; with a margin it depends on the vents. */
static enum sciara_status describe_box(const struct sciara_scenario_spec *s, struct sciara_text *out) {
  const double *b = s->dem.box;
  if (s->dem.has_box)
    SCIARA_TRY(sciara_text_append(out, "dem.window_%s: [%.17g, %.17g, %.17g, %.17g]\n",
                                  s->dem.box_is_lonlat ? "lonlat" : "xy", b[0], b[1], b[2], b[3]));
  else
    SCIARA_TRY(sciara_text_append(out, "dem.window_xy: null\n"));
  SCIARA_TRY(sciara_text_append(out, "dem.window_margin_m: "));
  if (!(s->dem.margin_m > 0)) return sciara_text_append(out, "null\n");
  SCIARA_TRY(sciara_text_append(out, "%.17g around", s->dem.margin_m));
  for (size_t k = 0; k < s->vent_count; k++)
    for (size_t n = 0; n < s->vents[k].point_count; n++)
      SCIARA_TRY(sciara_text_append(out, " %.17g,%.17g", s->vents[k].points[n].x, s->vents[k].points[n].y));
  return sciara_text_append(out, "\n");
}

/** The key "dem.sea" as JSON, its path absolute. */
static enum sciara_status append_sea(const struct sciara_sea *sea, struct sciara_text *out) {
  if (sea->rule == SCIARA_SEA_LEVEL) return sciara_text_append(out, "%.17g", sea->level);
  if (sea->rule != SCIARA_SEA_FILE) return sciara_text_append(out, sea->rule ? "\"nodata\"" : "null");
  char *path = realpath(sea->path, NULL);
  enum sciara_status status = sciara_text_append(out, "\"");
  if (status == SCIARA_OK) status = sciara_text_append_json(out, path ? path : sea->path);
  free(path);
  return status == SCIARA_OK ? sciara_text_append(out, "\"") : status;
}

/** The key "dem.error" as JSON. */
static enum sciara_status append_error(const struct sciara_ground_error *e, struct sciara_text *out) {
  if (!(e->sd_m > 0)) return sciara_text_append(out, "null");
  return sciara_text_append(out, "{\"sd_m\": %.17g, \"correlation_m\": %.17g, \"seed\": %" PRIu64 "}", e->sd_m,
                            e->correlation_m, e->seed);
}

static enum sciara_status describe(const struct sciara_scenario_spec *s, bool with_error, struct sciara_text *out) {
  const int64_t *w = s->dem.window;
  SCIARA_TRY(describe_path(s->dem.path, out));
  SCIARA_TRY(sciara_text_append(out, "dem.band: %d\n", s->dem.band));
  if (s->dem.has_window)
    SCIARA_TRY(sciara_text_append(out, "dem.window: [%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]\n", w[0], w[1],
                                  w[2], w[3]));
  else
    SCIARA_TRY(sciara_text_append(out, "dem.window: null\n"));
  SCIARA_TRY(describe_box(s, out));
  SCIARA_TRY(describe_text("dem.crs", s->dem.crs, out));
  if (s->dem.cell_size_m > 0)
    SCIARA_TRY(sciara_text_append(out, "dem.cell_size_m: %.17g\n", s->dem.cell_size_m));
  else
    SCIARA_TRY(sciara_text_append(out, "dem.cell_size_m: null\n"));
  if (s->dem.has_nodata)
    SCIARA_TRY(sciara_text_append(out, "dem.nodata: %.17g\n", s->dem.nodata));
  else
    SCIARA_TRY(sciara_text_append(out, "dem.nodata: null\n"));
  SCIARA_TRY(sciara_text_append(out, "dem.sea: "));
  SCIARA_TRY(append_sea(&s->dem.sea, out));
  SCIARA_TRY(sciara_text_append(out, "\ndem.edits: %s\ndem.error: ", s->dem.edits_json ? s->dem.edits_json : "null"));
  SCIARA_TRY(append_error(with_error ? &s->dem.error : &(const struct sciara_ground_error){0}, out));
  SCIARA_TRY(sciara_text_append(out, "\n"));
  return describe_precision(s->engine.single_precision, out);
}

/** The key "dem" of a scenario as JSON, its path absolute: another scenario may lie in another folder. */
static enum sciara_status describe_dem(const struct sciara_scenario_spec *s, struct sciara_text *out) {
  const int64_t *w = s->dem.window;
  char *path = realpath(s->dem.path, NULL);
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_text_append(out, "{\"path\": \""));
  SCIARA_TRY_GOTO(sciara_text_append_json(out, path ? path : s->dem.path));
  SCIARA_TRY_GOTO(sciara_text_append(out, "\", \"band\": %d", s->dem.band));
  if (s->dem.has_window)
    SCIARA_TRY_GOTO(sciara_text_append(out, ", \"window\": [%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]", w[0],
                                       w[1], w[2], w[3]));
  if (s->dem.has_box)
    SCIARA_TRY_GOTO(sciara_text_append(out, ", \"window_%s\": [%.17g, %.17g, %.17g, %.17g]",
                                       s->dem.box_is_lonlat ? "lonlat" : "xy", s->dem.box[0], s->dem.box[1],
                                       s->dem.box[2], s->dem.box[3]));
  if (s->dem.margin_m > 0) SCIARA_TRY_GOTO(sciara_text_append(out, ", \"window_margin_m\": %.17g", s->dem.margin_m));
  if (s->dem.crs) {
    SCIARA_TRY_GOTO(sciara_text_append(out, ", \"crs\": \""));
    SCIARA_TRY_GOTO(sciara_text_append_json(out, s->dem.crs));
    SCIARA_TRY_GOTO(sciara_text_append(out, "\""));
  }
  if (s->dem.cell_size_m > 0) SCIARA_TRY_GOTO(sciara_text_append(out, ", \"cell_size_m\": %.17g", s->dem.cell_size_m));
  if (s->dem.has_nodata) SCIARA_TRY_GOTO(sciara_text_append(out, ", \"nodata\": %.17g", s->dem.nodata));
  if (s->dem.sea.rule != SCIARA_SEA_NONE) {
    SCIARA_TRY_GOTO(sciara_text_append(out, ", \"sea\": "));
    SCIARA_TRY_GOTO(append_sea(&s->dem.sea, out));
  }
  if (s->dem.edits_json) SCIARA_TRY_GOTO(sciara_text_append(out, ", \"edits\": %s", s->dem.edits_json));
  if (s->dem.error.sd_m > 0) {
    SCIARA_TRY_GOTO(sciara_text_append(out, ", \"error\": "));
    SCIARA_TRY_GOTO(append_error(&s->dem.error, out));
  }
  SCIARA_TRY_GOTO(sciara_text_append(out, "}"));
cleanup:
  free(path);
  return status;
}

/** Rejects the first line in which they differ. */
static enum sciara_status compare(const char *path, const char *found, const char *expected) {
  while (*found) {
    const size_t n = strcspn(found, "\n"), m = strcspn(expected, "\n"), key = strcspn(found, ":");
    if (n != m || strncmp(found, expected, n) != 0)
      return sciara_fail(SCIARA_ERR_INPUT, "%s: %.*s: expected %.*s, as when the shared site was read; found %.*s",
                         path, (int)key, found, (int)(m - key - 2), expected + key + 2, (int)(n - key - 2),
                         found + key + 2);
    found += n + 1;
    expected += m + 1;
  }
  return SCIARA_OK;
}

/** A DEM in memory is neither cut nor warped. */
static enum sciara_status check_memory(const struct sciara_scenario_spec *s) {
  const char *key = s->dem.has_window        ? "window"
                    : s->dem.has_box         ? (s->dem.box_is_lonlat ? "window_lonlat" : "window_xy")
                    : s->dem.margin_m > 0    ? "window_margin_m"
                    : s->dem.crs             ? "crs"
                    : s->dem.cell_size_m > 0 ? "cell_size_m"
                    : s->dem.has_nodata      ? "nodata"
                                             : NULL;
  if (!key) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: dem.%s: expected only with a DEM that is a file, found a DEM in memory",
                     s->path, key);
}

enum sciara_status sciara_scenario_site_check(const struct sciara_scenario_spec *s, const struct sciara_site *site) {
  if (!site->origin.keys) return sciara_fail(SCIARA_ERR_USAGE, "%s: the shared site was not read from a DEM", s->path);
  if (sciara_site_is_of_memory(site) && sciara_scenario_is_of_memory(s)) SCIARA_TRY(check_memory(s));
  struct sciara_text keys = {0};
  enum sciara_status status =
      sciara_site_is_of_memory(site)
          ? describe_precision(s->engine.single_precision, &keys)
          : describe(s, sciara_site_has_error(site), &keys); // errors can be added to a site without them
  if (status == SCIARA_OK) status = compare(s->path, keys.data, site->origin.keys);
  sciara_text_free(&keys);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- reading

static enum sciara_status copy_text(const char *text, char **out) {
  *out = text ? strdup(text) : NULL;
  return text && !*out ? sciara_fail(SCIARA_ERR_MEMORY, "no memory for a CRS") : SCIARA_OK;
}

/** Replaces position, CRS and hash as read from dem.tif by those with which the run was started. */
static enum sciara_status restore_place(const struct sciara_problem_ground *known, struct sciara_dem *dem) {
  const struct sciara_grid *a = known->grid, *b = &dem->grid;
  const double slack = 1e-6 * a->cell_size;
  if (a->rows == b->rows && a->cols == b->cols &&
      fabs(a->cell_size - b->cell_size) * (double)(a->rows + a->cols) <= slack && fabs(a->west - b->west) <= slack &&
      fabs(a->north - b->north) <= slack)
    dem->grid = *a;
  sciara_georef_free(&dem->georef);
  dem->hash = known->dem_hash;
  SCIARA_TRY(copy_text(known->georef->crs_wkt, &dem->georef.crs_wkt));
  return copy_text(known->georef->crs_name, &dem->georef.crs_name);
}

/** The points of the vents, around which a window is taken. */
static enum sciara_status points_of_vents(const struct sciara_scenario_spec *s, struct sciara_dem_point **out,
                                          size_t *count) {
  size_t most = 0;
  for (size_t k = 0; k < s->vent_count; k++) {
    most += s->vents[k].point_count;
    if (s->vents[k].point_count > 0 && s->vents[k].place == SCIARA_VENT_ROWCOL)
      return sciara_fail(
          SCIARA_ERR_INPUT,
          "%s: vents[%zu]: expected x,y, lon,lat or a line with dem.window_margin_m, found row,col, which "
          "depend on the window",
          s->path, k);
  }
  SCIARA_TRY(SCIARA_NEW(*out, most + 1, "the points of the vents"));
  for (size_t k = 0; k < s->vent_count; k++)
    for (size_t n = 0; n < s->vents[k].point_count; n++)
      (*out)[(*count)++] = (struct sciara_dem_point){s->vents[k].points[n].x, s->vents[k].points[n].y,
                                                     s->vents[k].place == SCIARA_VENT_LONLAT};
  return SCIARA_OK;
}

/** Adds the edits and the sea of the scenario. */
static enum sciara_status shape_ground(const struct sciara_scenario_spec *s,
                                       const struct sciara_problem_options *options, struct sciara_dem *dem) {
  const struct sciara_ground_request request = {.edits = s->dem.edits,
                                                .edit_count = s->dem.edit_count,
                                                .sea = &s->dem.sea,
                                                .extra_drivers = options->extra_drivers,
                                                .extra_driver_count = options->extra_driver_count};
  return sciara_dem_shape_ground(&request, dem);
}

/** Adds the errors of the scenario; in single precision to altitudes that are rounded already, as those of a shared site. */
static enum sciara_status add_error(const struct sciara_scenario_spec *s, const struct sciara_notes *notes,
                                    struct sciara_dem *dem) {
  const size_t cells = (size_t)sciara_grid_cells(&dem->grid);
  uint8_t *land;
  if (!(s->dem.error.sd_m > 0)) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(land, cells, "errors of altitudes"));
  for (size_t i = 0; i < cells; i++) {
    land[i] = dem->valid[i] && !(dem->sea && dem->sea[i]);
    if (s->engine.single_precision) dem->altitude[i] = (double)(float)dem->altitude[i];
  }
  const enum sciara_status status = sciara_ground_error_add(&s->dem.error, &dem->grid, land, dem->altitude);
  sciara_free(land);
  SCIARA_TRY(status);
  dem->hash = sciara_dem_hash(dem);
  sciara_note(
      notes, SCIARA_LOG_INFO,
      "dem.error: random errors are added to the altitudes: standard deviation %g m, correlation length %g m, seed "
      "%" PRIu64,
      s->dem.error.sd_m, s->dem.error.correlation_m, s->dem.error.seed);
  return SCIARA_OK;
}

static enum sciara_status read_dem(const struct sciara_scenario_spec *s, const struct sciara_problem_options *options,
                                   struct sciara_dem *dem) {
  struct sciara_dem_point *points = NULL;
  size_t count = 0;
  if (s->dem.margin_m > 0) SCIARA_TRY(points_of_vents(s, &points, &count));
  const struct sciara_dem_request request = {.path = s->dem.path,
                                             .band = s->dem.band,
                                             .window = s->dem.has_window ? s->dem.window : NULL,
                                             .box = s->dem.has_box ? s->dem.box : NULL,
                                             .box_is_lonlat = s->dem.box_is_lonlat,
                                             .margin_m = s->dem.margin_m,
                                             .points = points,
                                             .point_count = count,
                                             .crs = s->dem.crs,
                                             .cell_size_m = s->dem.cell_size_m,
                                             .nodata = s->dem.nodata,
                                             .has_nodata = s->dem.has_nodata,
                                             .extra_drivers = options->extra_drivers,
                                             .extra_driver_count = options->extra_driver_count};
  const struct sciara_dem_request again = {
      .path = options->ground ? options->ground->dem : NULL, .band = 1, .own = true, .marked = true};
  enum sciara_status status = sciara_dem_read(options->ground ? &again : &request, dem);
  sciara_free(points);
  if (status == SCIARA_OK && options->ground)
    status = restore_place(options->ground, dem);
  else if (status == SCIARA_OK)
    status = shape_ground(s, options, dem);
  if (status == SCIARA_OK && !options->ground) status = add_error(s, options->notes, dem);
  if (status == SCIARA_ERR_USAGE) return status; // of an option, not of the scenario
  return status == SCIARA_OK ? SCIARA_OK : sciara_fail_context(status, "%s", s->path);
}

/** A site of a DEM, whose altitudes it takes over. */
static enum sciara_status make_site(struct sciara_dem *dem, bool single_precision, bool has_error, const char *keys,
                                    const char *json, const struct sciara_site **out) {
  if (single_precision)
    for (int64_t i = 0; i < sciara_grid_cells(&dem->grid); i++) dem->altitude[i] = (double)(float)dem->altitude[i];
  const struct sciara_site_origin origin = {.hash = dem->hash,
                                            .crs_wkt = dem->georef.crs_wkt,
                                            .crs_name = dem->georef.crs_name,
                                            .keys = keys,
                                            .has_error = has_error,
                                            .dem = json,
                                            .sea = dem->sea,
                                            .edit = dem->edit};
  return sciara_site_adopt(&dem->grid, &dem->altitude, dem->valid, &origin, out);
}

enum sciara_status sciara_scenario_site_read(const struct sciara_scenario_spec *s,
                                             const struct sciara_problem_options *options,
                                             const struct sciara_site **out) {
  enum sciara_status status;
  struct sciara_dem dem = {0};
  struct sciara_text keys = {0}, json = {0};
  *out = NULL;
  SCIARA_TRY_GOTO(read_dem(s, options, &dem));
  SCIARA_TRY_GOTO(describe(s, true, &keys));
  SCIARA_TRY_GOTO(describe_dem(s, &json));
  SCIARA_TRY_GOTO(make_site(&dem, s->engine.single_precision, s->dem.error.sd_m > 0, keys.data, json.data, out));
cleanup:
  sciara_text_free(&keys);
  sciara_text_free(&json);
  sciara_dem_free(&dem);
  return status;
}

static const char MEMORY_DEM[] = "{\"path\": \"" SCIARA_MEMORY_LAYER "\"}";

enum sciara_status sciara_memory_site_make(const struct sciara_grid *grid, const char *crs, const double *altitude,
                                           bool single_precision, const struct sciara_site **out) {
  enum sciara_status status;
  struct sciara_dem dem = {0};
  struct sciara_text keys = {0};
  *out = NULL;
  SCIARA_TRY_GOTO(sciara_dem_from_values(grid, crs, altitude, &dem));
  SCIARA_TRY_GOTO(describe_precision(single_precision, &keys));
  SCIARA_TRY_GOTO(make_site(&dem, single_precision, false, keys.data, MEMORY_DEM, out));
cleanup:
  sciara_text_free(&keys);
  sciara_dem_free(&dem);
  return status;
}

bool sciara_site_has_error(const struct sciara_site *site) { return site->origin.has_error; }

/** A copy of the ground of a site as a DEM; `shaped`: with its sea and its edits. */
static enum sciara_status copy_ground(const struct sciara_site *site, bool shaped, struct sciara_dem *dem) {
  const size_t cells = (size_t)sciara_grid_cells(&site->grid);
  *dem = (struct sciara_dem){.grid = site->grid};
  SCIARA_TRY(copy_text(site->origin.crs_wkt, &dem->georef.crs_wkt));
  SCIARA_TRY(copy_text(site->origin.crs_name, &dem->georef.crs_name));
  SCIARA_TRY(SCIARA_NEW(dem->altitude, cells, "altitudes of a DEM"));
  SCIARA_TRY(SCIARA_NEW(dem->valid, cells, "mask of a DEM"));
  memcpy(dem->altitude, site->z0, cells * sizeof *dem->altitude);
  for (size_t i = 0; i < cells; i++) dem->valid[i] = site->kind[i] != SCIARA_CELL_NODATA;
  if (shaped && site->sea_cells > 0) SCIARA_TRY(SCIARA_NEW(dem->sea, cells, "the sea"));
  for (size_t i = 0; i < cells && dem->sea; i++) dem->sea[i] = site->kind[i] == SCIARA_CELL_SEA;
  if (!shaped || !site->origin.edit) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(dem->edit, cells, "edits of the ground"));
  memcpy(dem->edit, site->origin.edit, cells * sizeof *dem->edit);
  return SCIARA_OK;
}

/** What a scenario adds to a shared site. */
static enum sciara_status change_ground(const struct sciara_scenario_spec *s,
                                        const struct sciara_problem_options *options, bool shape, bool error,
                                        struct sciara_dem *dem) {
  if (shape) SCIARA_TRY(shape_ground(s, options, dem));
  return error ? add_error(s, options->notes, dem) : SCIARA_OK;
}

enum sciara_status sciara_scenario_site_share(const struct sciara_scenario_spec *s,
                                              const struct sciara_problem_options *options,
                                              const struct sciara_site **out) {
  const struct sciara_site *site = options->site;
  const bool of_memory = sciara_site_is_of_memory(site);
  const bool shape = of_memory && (s->dem.sea.rule != SCIARA_SEA_NONE || s->dem.edit_count > 0);
  const bool error = s->dem.error.sd_m > 0 && !sciara_site_has_error(site) && !options->stateless;
  if (!shape && !error) {
    *out = sciara_site_retain(site);
    return SCIARA_OK;
  }
  struct sciara_dem dem;
  struct sciara_text keys = {0}, json = {0};
  enum sciara_status status = copy_ground(site, !shape, &dem);
  if (status == SCIARA_OK) status = change_ground(s, options, shape, error, &dem);
  if (status != SCIARA_OK && status != SCIARA_ERR_USAGE) status = sciara_fail_context(status, "%s", s->path);
  if (status == SCIARA_OK && !of_memory) status = describe(s, true, &keys);
  if (status == SCIARA_OK && !of_memory) status = describe_dem(s, &json);
  if (status == SCIARA_OK)
    status = make_site(&dem, s->engine.single_precision, s->dem.error.sd_m > 0,
                       of_memory ? site->origin.keys : keys.data, of_memory ? site->origin.dem : json.data, out);
  sciara_text_free(&keys);
  sciara_text_free(&json);
  sciara_dem_free(&dem);
  return status;
}

bool sciara_path_is_of_memory(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return path && strcmp(slash ? slash + 1 : path, SCIARA_MEMORY_LAYER) == 0;
}

bool sciara_scenario_is_of_memory(const struct sciara_scenario_spec *s) {
  return sciara_path_is_of_memory(s->dem.path);
}

bool sciara_site_is_of_memory(const struct sciara_site *site) {
  return site->origin.dem && strcmp(site->origin.dem, MEMORY_DEM) == 0;
}
