// SPDX-License-Identifier: Apache-2.0
#include "setup/scenario_site.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "terrain/dem_gdal.h"

// --------------------------------------------------------------------------------------------------------- identity

/** What decides a ground, in the order in which differences are reported: the keys of "dem", and the precision. */
enum key { PATH, BAND, WINDOW, XY, LONLAT, MARGIN, CRS, CELL_SIZE, NODATA, SEA, EDITS, ERROR, PRECISION };

static const char *const names[] = {
    [PATH] = "dem.path",
    [BAND] = "dem.band",
    [WINDOW] = "dem.window",
    [XY] = "dem.window_xy",
    [CRS] = "dem.crs",
    [LONLAT] = "dem.window_lonlat",
    [NODATA] = "dem.nodata",
    [MARGIN] = "dem.window_margin_m",
    [SEA] = "dem.sea",
    [CELL_SIZE] = "dem.cell_size_m",
    [EDITS] = "dem.edits",
    [ERROR] = "dem.error",
    [PRECISION] = "engine.precision",
};

/** Makes the name of a file independent of the current folder. Only its folder is resolved: the file may be gone. */
static enum sciara_status make_absolute(char **path) {
  if (!*path) return SCIARA_OK;
  char *folder = sciara_path_folder(*path), *real = folder ? realpath(folder, NULL) : NULL, *joined = NULL;
  enum sciara_status status = folder ? SCIARA_OK : sciara_no_memory("a path");
  if (real) status = sciara_path_in(real, sciara_path_name(*path), &joined);
  if (joined) {
    free(*path);
    *path = joined;
  }
  free(real);
  free(folder);
  return status;
}

/** The identity of a scenario, whose texts and edits it shares: only its points are to be released. */
static enum sciara_status look_at(const struct sciara_scenario_spec *s, struct sciara_site_identity *out) {
  size_t most = 0;
  *out = (struct sciara_site_identity){.dem = s->dem, .single_precision = s->engine.single_precision};
  if (!(s->dem.margin_m > 0)) return SCIARA_OK;
  for (size_t k = 0; k < s->vent_count; k++) most += s->vents[k].point_count;
  SCIARA_TRY(SCIARA_NEW(out->around, most + 1, "the points of the vents"));
  for (size_t k = 0; k < s->vent_count; k++)
    for (size_t n = 0; n < s->vents[k].point_count; n++) out->around[out->around_count++] = s->vents[k].points[n];
  return SCIARA_OK;
}

/** look_at with absolute paths and texts of its own. Release it in any case. */
static enum sciara_status identify(const struct sciara_scenario_spec *s, struct sciara_site_identity *out) {
  struct sciara_site_identity seen;
  *out = (struct sciara_site_identity){0};
  SCIARA_TRY(look_at(s, &seen));
  enum sciara_status status = sciara_site_identity_copy(&seen, out);
  sciara_free(seen.around);
  if (status == SCIARA_OK) status = make_absolute(&out->dem.path);
  if (status == SCIARA_OK) status = make_absolute(&out->dem.sea.path);
  for (size_t k = 0; k < out->dem.edit_count && status == SCIARA_OK; k++) {
    status = make_absolute(&out->dem.edits[k].path);
    if (status == SCIARA_OK) status = make_absolute(&out->dem.edits[k].raster);
  }
  return status;
}

static bool has(const struct sciara_site_identity *i, enum key key) {
  const struct sciara_dem_spec *d = &i->dem;
  switch (key) {
    case WINDOW: return d->has_window;
    case XY: return d->has_box && !d->box_is_lonlat;
    case LONLAT: return d->has_box && d->box_is_lonlat;
    case MARGIN: return d->margin_m > 0;
    case CRS: return d->crs != NULL;
    case CELL_SIZE: return d->cell_size_m > 0;
    case NODATA: return d->has_nodata;
    case SEA: return d->sea.rule != SCIARA_SEA_NONE;
    case EDITS: return d->edit_count > 0;
    case ERROR: return d->error.sd_m > 0;
    default: return true;
  }
}

static bool is_same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/** Whether two names are those of one file; `known` is absolute. */
static bool is_same_file(const char *path, const char *known) {
  if (is_same_text(path, known)) return true;
  if (!path || !known) return false;
  char *name = strdup(path);
  const bool same = name && make_absolute(&name) == SCIARA_OK && strcmp(name, known) == 0;
  free(name);
  return same;
}

static bool are_same_points(const struct sciara_point *a, size_t count, const struct sciara_point *b, size_t others) {
  bool same = count == others;
  for (size_t k = 0; k < count && same; k++) same = a[k].x == b[k].x && a[k].y == b[k].y;
  return same;
}

static bool is_same_edit(const struct sciara_edit *a, const struct sciara_edit *known) {
  bool same = is_same_text(a->name, known->name) && is_same_file(a->path, known->path) &&
              is_same_file(a->raster, known->raster) && a->from_s == known->from_s &&
              is_same_text(a->place, known->place) && a->lonlat == known->lonlat &&
              is_same_text(a->layer, known->layer) && a->closed == known->closed &&
              are_same_points(a->points, a->point_count, known->points, known->point_count);
  for (int k = 0; k < SCIARA_EDIT_VALUES; k++)
    same &= isnan(a->value[k]) ? isnan(known->value[k]) : a->value[k] == known->value[k];
  return same;
}

static bool are_same_edits(const struct sciara_dem_spec *a, const struct sciara_dem_spec *known) {
  bool same = a->edit_count == known->edit_count;
  for (size_t k = 0; k < a->edit_count && same; k++) same = is_same_edit(&a->edits[k], &known->edits[k]);
  return same;
}

static bool is_same(const struct sciara_site_identity *i, const struct sciara_site_identity *known, enum key key) {
  const struct sciara_dem_spec *a = &i->dem, *b = &known->dem;
  if (!has(i, key) || !has(known, key)) return has(i, key) == has(known, key);
  switch (key) {
    case PATH: return is_same_file(a->path, b->path);
    case BAND: return a->band == b->band;
    case WINDOW: return memcmp(a->window, b->window, sizeof a->window) == 0;
    case XY:
    case LONLAT:
      return a->box[0] == b->box[0] && a->box[1] == b->box[1] && a->box[2] == b->box[2] && a->box[3] == b->box[3];
    case MARGIN:
      return a->margin_m == b->margin_m &&
             (a->margin_of_others || are_same_points(i->around, i->around_count, known->around, known->around_count));
    case CRS: return strcmp(a->crs, b->crs) == 0;
    case CELL_SIZE: return a->cell_size_m == b->cell_size_m;
    case NODATA: return a->nodata == b->nodata || (isnan(a->nodata) && isnan(b->nodata));
    case SEA:
      return a->sea.rule == b->sea.rule && a->sea.level == b->sea.level && is_same_file(a->sea.path, b->sea.path);
    case EDITS: return are_same_edits(a, b);
    case ERROR:
      return a->error.sd_m == b->error.sd_m && a->error.correlation_m == b->error.correlation_m &&
             a->error.seed == b->error.seed;
    case PRECISION: return i->single_precision == known->single_precision;
  }
  return true;
}

static enum sciara_status append_sea(const struct sciara_sea *sea, struct sciara_text *out) {
  if (sea->rule == SCIARA_SEA_LEVEL) return sciara_text_append(out, "%.17g", sea->level);
  return sciara_text_append_json(out, sea->rule == SCIARA_SEA_FILE ? sea->path : "nodata");
}

/** The value of a key as JSON. */
static enum sciara_status append_value(const struct sciara_site_identity *i, enum key key, struct sciara_text *out) {
  const struct sciara_dem_spec *d = &i->dem;
  const int64_t *w = d->window;
  if (!has(i, key)) return sciara_text_append(out, "null");
  switch (key) {
    case PATH: return sciara_text_append_json(out, d->path);
    case BAND: return sciara_text_append(out, "%d", d->band);
    case WINDOW:
      return sciara_text_append(out, "[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]", w[0], w[1], w[2], w[3]);
    case XY:
    case LONLAT:
      return sciara_text_append(out, "[%.17g, %.17g, %.17g, %.17g]", d->box[0], d->box[1], d->box[2], d->box[3]);
    case MARGIN: return sciara_text_append(out, "%.17g", d->margin_m);
    case CRS: return sciara_text_append_json(out, d->crs);
    case CELL_SIZE: return sciara_text_append(out, "%.17g", d->cell_size_m);
    case NODATA: return sciara_text_append(out, "%.17g", d->nodata);
    case SEA: return append_sea(&d->sea, out);
    case EDITS: return sciara_text_append(out, "%s", d->edits_json);
    case ERROR:
      return sciara_text_append(out, "{\"sd_m\": %.17g, \"correlation_m\": %.17g, \"seed\": %" PRIu64 "}",
                                d->error.sd_m, d->error.correlation_m, d->error.seed);
    case PRECISION: return sciara_text_append_json(out, i->single_precision ? "single" : "double");
  }
  return SCIARA_OK;
}

/** For messages: a margin with the points that it is around. */
static enum sciara_status describe_identity(const struct sciara_site_identity *i, enum key key,
                                            struct sciara_text *out) {
  SCIARA_TRY(append_value(i, key, out));
  if (key == MARGIN && i->around_count > 0) SCIARA_TRY(sciara_text_append(out, " around"));
  for (size_t k = 0; key == MARGIN && k < i->around_count; k++)
    SCIARA_TRY(sciara_text_append(out, " %.17g,%.17g", i->around[k].x, i->around[k].y));
  return SCIARA_OK;
}

static enum sciara_status refuse(const struct sciara_scenario_spec *s, const struct sciara_site_identity *known,
                                 enum key key) {
  struct sciara_site_identity own;
  struct sciara_text found = {0}, expected = {0};
  enum sciara_status status = identify(s, &own);
  if (status == SCIARA_OK) status = describe_identity(&own, key, &found);
  if (status == SCIARA_OK) status = describe_identity(known, key, &expected);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %s, as when the shared site was read; found %s", s->path,
                         names[key], expected.data, found.data);
  sciara_text_free(&found);
  sciara_text_free(&expected);
  sciara_site_identity_free(&own);
  return status;
}

/** A DEM in memory is neither cut nor warped. */
static enum sciara_status check_memory(const struct sciara_scenario_spec *s, const struct sciara_site_identity *own) {
  for (enum key key = WINDOW; key <= NODATA; key++)
    if (has(own, key))
      return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected only with a DEM that is a file, found a DEM in memory",
                         s->path, names[key]);
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_site_check(const struct sciara_scenario_spec *s, const struct sciara_site *site) {
  const struct sciara_site_identity *known = site->origin.identity;
  struct sciara_site_identity own;
  if (!known) return sciara_fail(SCIARA_ERR_USAGE, "%s: the shared site was not read from a DEM", s->path);
  SCIARA_TRY(look_at(s, &own));
  enum sciara_status status =
      known->of_memory && sciara_path_is_of_memory(s->dem.path) ? check_memory(s, &own) : SCIARA_OK;
  for (enum key key = known->of_memory ? PRECISION : PATH; key <= PRECISION && status == SCIARA_OK; key++) {
    if (key == ERROR && !has(known, ERROR)) continue; // errors can be added
    if (!is_same(&own, known, key)) status = refuse(s, known, key);
  }
  sciara_free(own.around);
  return status;
}

enum sciara_status sciara_site_append_dem(const struct sciara_site *site, struct sciara_text *out) {
  const struct sciara_site_identity *i = site->origin.identity;
  const size_t before = strlen("dem.");
  if (!i) return sciara_fail(SCIARA_ERR_USAGE, "a site that was not read from a DEM has no key \"dem\"");
  if (i->of_memory) return sciara_text_append(out, "{\"path\": \"" SCIARA_MEMORY_LAYER "\"}");
  for (enum key key = PATH; key < PRECISION; key++) {
    if (!has(i, key)) continue;
    SCIARA_TRY(sciara_text_append(out, "%s\"%s\": ", key == PATH ? "{" : ", ", names[key] + before));
    SCIARA_TRY(append_value(i, key, out));
  }
  return sciara_text_append(out, "}");
}

// ---------------------------------------------------------------------------------------------------------- reading

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
  SCIARA_TRY(sciara_copy(known->georef->crs_wkt, "a CRS", &dem->georef.crs_wkt));
  return sciara_copy(known->georef->crs_name, "a CRS", &dem->georef.crs_name);
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
                                                     s->vents[k].lonlat || s->vents[k].place == SCIARA_VENT_LONLAT};
  return SCIARA_OK;
}

/** Adds the edits and the sea of the scenario; `shaped`: the DEM has them, but for the edits at simulated times. */
static enum sciara_status shape_ground(const struct sciara_scenario_spec *s,
                                       const struct sciara_problem_options *options, bool shaped,
                                       struct sciara_dem *dem) {
  const struct sciara_ground_request request = {.edits = s->dem.edits,
                                                .edit_count = s->dem.edit_count,
                                                .sea = &s->dem.sea,
                                                .extra_drivers = options->extra_drivers,
                                                .extra_driver_count = options->extra_driver_count,
                                                .notes = s->notes};
  return shaped ? sciara_dem_plan_changes(&request, dem) : sciara_dem_shape_ground(&request, dem);
}

/** Adds the errors of the scenario; in single precision to altitudes that are rounded already, as those of a shared site. */
static enum sciara_status add_error(const struct sciara_scenario_spec *s, struct sciara_dem *dem) {
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
      s->notes, SCIARA_LOG_INFO,
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
                                             .extra_driver_count = options->extra_driver_count,
                                             .notes = s->notes};
  const struct sciara_dem_request again = {
      .path = options->ground ? options->ground->dem : NULL, .band = 1, .own = true, .marked = true, .notes = s->notes};
  enum sciara_status status = sciara_dem_read(options->ground ? &again : &request, dem);
  sciara_free(points);
  if (status == SCIARA_OK && options->ground) status = restore_place(options->ground, dem);
  if (status == SCIARA_OK) status = shape_ground(s, options, options->ground != NULL, dem);
  if (status == SCIARA_OK && !options->ground) status = add_error(s, dem);
  if (status == SCIARA_ERR_USAGE) return status; // of an option, not of the scenario
  return sciara_fail_context(status, "%s", s->path);
}

/** A site of a DEM, whose altitudes it takes over. */
static enum sciara_status make_site(struct sciara_dem *dem, const struct sciara_site_identity *identity,
                                    const struct sciara_site **out) {
  if (identity->single_precision)
    for (int64_t i = 0; i < sciara_grid_cells(&dem->grid); i++) dem->altitude[i] = (double)(float)dem->altitude[i];
  const struct sciara_site_origin origin = {.hash = dem->hash,
                                            .crs_wkt = dem->georef.crs_wkt,
                                            .crs_name = dem->georef.crs_name,
                                            .identity = identity,
                                            .sea = dem->sea,
                                            .edit = dem->edit,
                                            .coarse_m = dem->coarse_m,
                                            .window = dem->window,
                                            .changes = &dem->changes};
  dem->changes.single_precision = identity->single_precision;
  return sciara_site_adopt(&dem->grid, &dem->altitude, dem->valid, &origin, out);
}

enum sciara_status sciara_scenario_site_read(const struct sciara_scenario_spec *s,
                                             const struct sciara_problem_options *options,
                                             const struct sciara_site **out) {
  enum sciara_status status;
  struct sciara_dem dem = {0};
  struct sciara_site_identity identity = {0};
  *out = NULL;
  SCIARA_TRY_GOTO(read_dem(s, options, &dem));
  SCIARA_TRY_GOTO(identify(s, &identity));
  SCIARA_TRY_GOTO(make_site(&dem, &identity, out));
cleanup:
  sciara_site_identity_free(&identity);
  sciara_dem_free(&dem);
  return status;
}

enum sciara_status sciara_memory_site_make(const struct sciara_grid *grid, const char *crs, const double *altitude,
                                           bool single_precision, const struct sciara_site **out) {
  const struct sciara_site_identity identity = {.of_memory = true, .single_precision = single_precision};
  struct sciara_dem dem = {0};
  *out = NULL;
  enum sciara_status status = sciara_dem_from_values(grid, crs, altitude, &dem);
  if (status == SCIARA_OK) status = make_site(&dem, &identity, out);
  sciara_dem_free(&dem);
  return status;
}

/** A copy of the ground of a site as a DEM; `shaped`: with its sea and its edits. */
static enum sciara_status copy_ground(const struct sciara_site *site, bool shaped, struct sciara_dem *dem) {
  const size_t cells = (size_t)sciara_grid_cells(&site->grid);
  *dem = (struct sciara_dem){.grid = site->grid};
  SCIARA_TRY(sciara_copy(site->origin.crs_wkt, "a CRS", &dem->georef.crs_wkt));
  SCIARA_TRY(sciara_copy(site->origin.crs_name, "a CRS", &dem->georef.crs_name));
  SCIARA_TRY(SCIARA_NEW(dem->altitude, cells, "altitudes of a DEM"));
  SCIARA_TRY(SCIARA_NEW(dem->valid, cells, "mask of a DEM"));
  memcpy(dem->altitude, site->z0, cells * sizeof *dem->altitude);
  for (size_t i = 0; i < cells; i++) dem->valid[i] = site->kind[i] != SCIARA_CELL_NODATA;
  if (shaped && site->sea_cells > 0) SCIARA_TRY(SCIARA_NEW(dem->sea, cells, "the sea"));
  for (size_t i = 0; i < cells && dem->sea; i++) dem->sea[i] = site->kind[i] == SCIARA_CELL_SEA;
  if (shaped) SCIARA_TRY(sciara_ground_changes_copy(site->changes, &dem->changes));
  if (!shaped || !site->origin.edit) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(dem->edit, cells, "edits of the ground"));
  memcpy(dem->edit, site->origin.edit, cells * sizeof *dem->edit);
  return SCIARA_OK;
}

enum sciara_status sciara_site_hash(const struct sciara_site *site, uint64_t *out) {
  struct sciara_dem dem;
  const enum sciara_status status = copy_ground(sciara_site_unchanged(site), true, &dem);
  if (status == SCIARA_OK) *out = sciara_dem_hash(&dem);
  sciara_dem_free(&dem);
  return status;
}

/** What a scenario adds to a shared site. */
static enum sciara_status change_site_ground(const struct sciara_scenario_spec *s,
                                             const struct sciara_problem_options *options, bool shape, bool error,
                                             struct sciara_dem *dem) {
  if (shape) SCIARA_TRY(shape_ground(s, options, false, dem));
  return error ? add_error(s, dem) : SCIARA_OK;
}

enum sciara_status sciara_scenario_site_share(const struct sciara_scenario_spec *s,
                                              const struct sciara_problem_options *options,
                                              const struct sciara_site **out) {
  const struct sciara_site *site = options->site;
  const bool of_memory = sciara_site_is_of_memory(site);
  const bool shape = of_memory && (s->dem.sea.rule != SCIARA_SEA_NONE || s->dem.edit_count > 0);
  const bool error = s->dem.error.sd_m > 0 && !has(site->origin.identity, ERROR) && !options->stateless;
  if (!shape && !error) {
    *out = sciara_site_retain(site);
    return SCIARA_OK;
  }
  struct sciara_dem dem;
  struct sciara_site_identity own = {0}, changed = *site->origin.identity;
  enum sciara_status status = copy_ground(site, !shape, &dem);
  if (status == SCIARA_OK) status = change_site_ground(s, options, shape, error, &dem);
  if (status != SCIARA_OK && status != SCIARA_ERR_USAGE) status = sciara_fail_context(status, "%s", s->path);
  if (status == SCIARA_OK && !of_memory) status = identify(s, &own);
  changed.dem.error = s->dem.error;
  if (status == SCIARA_OK) status = make_site(&dem, of_memory ? &changed : &own, out);
  sciara_site_identity_free(&own);
  sciara_dem_free(&dem);
  return status;
}

bool sciara_path_is_of_memory(const char *path) {
  return path && strcmp(sciara_path_name(path), SCIARA_MEMORY_LAYER) == 0;
}

bool sciara_site_is_of_memory(const struct sciara_site *site) {
  return site->origin.identity && site->origin.identity->of_memory;
}
