// SPDX-License-Identifier: Apache-2.0
#include "legacy/legacy_sciara.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "file/gdal_support.h"
#include "legacy/legacy_read.h"
#include "map/raster_gdal.h"
#include "terrain/dem_gdal.h"

/** How the files of a set are called, after what all their paths begin with. */
struct layout {
  const char *cfg, *ground, *vents, *rates, *observed; ///< observed NULL: such a set has none
};

static const struct layout newer = {.cfg = ".cfg",
                                    .ground = "_Morphology.stt",
                                    .vents = "_Vents.stt",
                                    .rates = "_EmissionRate.txt",
                                    .observed = "_RealEvent.stt"};
static const struct layout older = {
    .cfg = SCIARA_LEGACY_OLDER_CFG, .ground = "MORPHOLOGY.stt", .vents = "VENTS.stt", .rates = "EMISSIONS_RATE.stt"};

/** The files of a set as read. */
struct legacy {
  const struct layout *layout;
  char *older_observed;                              ///< older layout: path of the observed extent; NULL: there is none
  char *base;                                        ///< what the paths begin with: .../NAME, or the folder with its /
  char *name;                                        ///< NAME, or the name of the folder
  struct sciara_text title;                          ///< `name` as it can be shown: a name of a file may be anything
  const double *corner;                              ///< that the user gave; NULL: none
  struct sciara_legacy_grid known;                   ///< what PARAMETERS.cfg says of the grids; older layout only
  struct sciara_legacy_grid ground, vents, observed; ///< observed.values NULL: there is none
  struct sciara_legacy_rates rates;
  struct sciara_georef georef;
};

static void legacy_free(struct legacy *l) {
  sciara_legacy_grid_free(&l->ground);
  sciara_legacy_grid_free(&l->vents);
  sciara_legacy_grid_free(&l->observed);
  sciara_legacy_rates_free(&l->rates);
  sciara_georef_free(&l->georef);
  free(l->older_observed);
  free(l->base);
  free(l->name);
  sciara_text_free(&l->title);
}

/** The set takes the name of its folder. */
static enum sciara_status split_older(const char *cfg_path, struct legacy *l) {
  char *folder = sciara_path_folder(cfg_path), *real = folder ? realpath(folder, NULL) : NULL;
  const char *name = real ? sciara_path_name(real) : "";
  l->layout = &older;
  l->base = sciara_format("%.*s", (int)(strlen(cfg_path) - strlen(SCIARA_LEGACY_OLDER_CFG)), cfg_path);
  l->name = sciara_format("%s", *name ? name : "older SCIARA files");
  free(real);
  free(folder);
  return l->base && l->name ? SCIARA_OK : sciara_no_memory("the import of legacy files");
}

static enum sciara_status split_name(const char *cfg_path, struct legacy *l) {
  if (sciara_legacy_is_older(cfg_path)) return split_older(cfg_path, l);
  l->layout = &newer;
  size_t length = strlen(cfg_path);
  const char *name = sciara_path_name(cfg_path);
  if (strlen(name) < 5 || strcmp(cfg_path + length - 4, ".cfg") != 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected NAME.cfg, in the same folder as NAME_Morphology.stt and the other files "
                       "(or PARAMETERS.cfg, in the same folder as MORPHOLOGY.stt and the other files)",
                       cfg_path);
  l->base = sciara_format("%.*s", (int)(length - 4), cfg_path);
  l->name = sciara_format("%.*s", (int)(strlen(name) - 4), name);
  return l->base && l->name ? SCIARA_OK : sciara_no_memory("the import of legacy files");
}

/** The absent file of the set; names a file that differs from it in its extension only. */
static enum sciara_status fail_absent(const char *path, const char *holds) {
  static const char *const extensions[] = {"asc", "ASC", "STT", "txt", "dat", "grd", "csv"};
  const int cause = errno;
  const char *dot = strrchr(path, '.');
  for (size_t k = 0; dot && k < sizeof extensions / sizeof *extensions; k++) {
    char *other = sciara_format("%.*s.%s", (int)(dot - path), path, extensions[k]);
    if (!other) return sciara_no_memory("the import of legacy files");
    enum sciara_status status = SCIARA_OK;
    if (access(other, F_OK) == 0)
      status = sciara_fail(SCIARA_ERR_IO, "%s: %s; it holds %s. There is %s: rename it if it is this file", path,
                           strerror(cause), holds, other);
    free(other);
    if (status != SCIARA_OK) return status;
  }
  return sciara_fail(SCIARA_ERR_IO, "%s: %s; it holds %s", path, strerror(cause), holds);
}

/** Path of a file of the set; *out is NULL when it is absent and may be. Release with free. */
static enum sciara_status find_file(const struct legacy *l, const char *suffix, const char *holds, bool needed,
                                    char **out) {
  *out = sciara_format("%s%s", l->base, suffix);
  if (!*out) return sciara_no_memory("the import of legacy files");
  if (access(*out, F_OK) == 0) return SCIARA_OK;
  enum sciara_status status = SCIARA_OK;
  if (needed) status = fail_absent(*out, holds);
  free(*out);
  *out = NULL;
  return status;
}

/** Every other grid has the cells of the DEM. */
static enum sciara_status compare_place(const struct legacy *l, const char *path, const struct sciara_legacy_grid *x) {
  const struct sciara_legacy_grid *g = &l->ground;
  const double slack = 1e-6 * g->cell_size;
  if (x->rows == g->rows && x->cols == g->cols && !(fabs(x->west - g->west) > slack) &&
      !(fabs(x->south - g->south) > slack) &&
      !(fabs(x->cell_size - g->cell_size) * (double)(g->rows + g->cols) > slack))
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: %" PRId64 " x %" PRId64 " cells of %.10g from %.12g, %.12g; the DEM has %" PRId64
                     " x %" PRId64 " of %.10g from %.12g, %.12g",
                     path, x->rows, x->cols, x->cell_size, x->west, x->south, g->rows, g->cols, g->cell_size, g->west,
                     g->south);
}

static enum sciara_status read_grid(const struct legacy *l, const char *suffix, const char *holds, bool needed,
                                    struct sciara_legacy_grid *out) {
  char *path;
  SCIARA_TRY(find_file(l, suffix, holds, needed, &path));
  if (!path) return SCIARA_OK;
  enum sciara_status status = sciara_legacy_grid_read(path, l->layout == &older ? &l->known : NULL, out);
  if (status == SCIARA_OK && out != &l->ground) status = compare_place(l, path, out);
  free(path);
  return status;
}

static bool is_nodata(const struct sciara_legacy_grid *g, int64_t i) {
  return g->has_nodata && g->values[i] == g->nodata;
}

static struct sciara_legacy_vent *vent_of_id(struct legacy *l, double id) {
  for (size_t k = 0; k < l->rates.count; k++)
    if ((double)l->rates.vents[k].id == id) return &l->rates.vents[k];
  return NULL;
}

/** Gives the vents their cells: one cell for each id, rates for each cell. */
static enum sciara_status place_vents(struct legacy *l) {
  for (int64_t i = 0; i < l->vents.rows * l->vents.cols; i++) {
    double id = l->vents.values[i];
    int64_t row = i / l->vents.cols, col = i % l->vents.cols;
    if (id == 0 || is_nodata(&l->vents, i)) continue;
    struct sciara_legacy_vent *vent = vent_of_id(l, id);
    if (!vent)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s%s: vent %.10g at row %" PRId64 ", column %" PRId64 " has no rates in %s%s", l->base,
                         l->layout->vents, id, row, col, l->base, l->layout->rates);
    if (vent->row >= 0)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s%s: vent %" PRId64 " stands at row %" PRId64 ", column %" PRId64 " and at row %" PRId64
                         ", column %" PRId64 "; one cell for each id is allowed",
                         l->base, l->layout->vents, vent->id, vent->row, vent->col, row, col);
    if (is_nodata(&l->ground, i))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s%s: vent %" PRId64 " at row %" PRId64 ", column %" PRId64 " lies where the DEM is NODATA",
                         l->base, l->layout->vents, vent->id, row, col);
    vent->row = row;
    vent->col = col;
  }
  for (size_t k = 0; k < l->rates.count; k++)
    if (l->rates.vents[k].row < 0)
      return sciara_fail(SCIARA_ERR_INPUT, "%s%s:%" PRId64 ": vent %" PRId64 " has no cell in %s%s", l->base,
                         l->layout->rates, l->rates.vents[k].line, l->rates.vents[k].id, l->base, l->layout->vents);
  return SCIARA_OK;
}

static enum sciara_status read_parameters(const char *cfg_path, struct legacy *l, struct sciara_text *parameters) {
  char *path;
  SCIARA_TRY(find_file(l, l->layout->cfg, "the parameters", true, &path));
  enum sciara_status status = sciara_legacy_parameters_list(path, parameters);
  free(path);
  if (status == SCIARA_OK && l->layout == &older)
    status = sciara_legacy_older_size(cfg_path, parameters->data, l->corner, &l->known);
  return status;
}

/** The observed extent of the older layout, which may name the corner of the other grids; read before them. */
static enum sciara_status read_older_observed(const char *cfg_path, struct legacy *l) {
  struct sciara_legacy_grid *g = &l->observed;
  SCIARA_TRY(sciara_legacy_older_observed(cfg_path, &l->older_observed));
  if (!l->older_observed) return SCIARA_OK;
  SCIARA_TRY(sciara_legacy_grid_read(l->older_observed, &l->known, g));
  if (!g->has_header) return SCIARA_OK;
  const double slack = 1e-6 * g->cell_size;
  if (l->corner && (fabs(l->corner[0] - g->west) > slack || fabs(l->corner[1] - g->south) > slack))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: its header names the corner %.12g, %.12g; --corner says %.12g, %.12g",
                       l->older_observed, g->west, g->south, l->corner[0], l->corner[1]);
  l->known.west = g->west;
  l->known.south = g->south;
  return SCIARA_OK;
}

/** The corner comes from the header or from the user, and from one of them only. */
static enum sciara_status check_corner(const struct legacy *l) {
  if (isnan(l->ground.west))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s%s: has no header that names the lower left corner of the grid, and there is no *_RealEvent.stt with one; "
        "give it with --corner X,Y (m)",
        l->base, l->layout->ground);
  if (l->ground.has_header && l->corner)
    return sciara_fail(SCIARA_ERR_INPUT, "%s%s: its header names the corner %.12g, %.12g: --corner is not allowed",
                       l->base, l->layout->ground, l->ground.west, l->ground.south);
  return SCIARA_OK;
}

static struct sciara_grid grid_of(const struct legacy *l) {
  const struct sciara_legacy_grid *g = &l->ground;
  return (struct sciara_grid){.rows = g->rows,
                              .cols = g->cols,
                              .cell_size = g->cell_size,
                              .west = g->west,
                              .north = g->south + (double)g->rows * g->cell_size};
}

/** As for a DEM: the program would refuse what it has imported. */
static enum sciara_status check_scale(const char *crs, const struct legacy *l) {
  const struct sciara_grid g = grid_of(l);
  const double bounds[4] = {g.west, sciara_grid_south(&g), sciara_grid_east(&g), g.north};
  OGRSpatialReferenceH srs;
  double scale;
  SCIARA_TRY(sciara_srs_parse(crs, &srs));
  const enum sciara_status status = sciara_crs_scale(srs, bounds, &scale);
  OSRRelease(srs);
  if (status != SCIARA_OK) return sciara_fail_context(status, "--crs");
  if (sciara_crs_scale_is_sound(scale)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "--crs: expected a CRS in which 1 m on the ground is %g to %g m (UTM zones: EPSG:326zz north, "
                     "327zz south); found \"%s\", in which it is %.4g m at the DEM",
                     1 - SCIARA_CRS_SCALE_SLACK, 1 + SCIARA_CRS_SCALE_SLACK, crs, scale);
}

static enum sciara_status read_all(const struct sciara_legacy_request *q, struct legacy *l,
                                   struct sciara_text *parameters) {
  char *path;
  SCIARA_TRY(split_name(q->cfg_path, l));
  SCIARA_TRY(sciara_text_show(&l->title, l->name));
  SCIARA_TRY(read_parameters(q->cfg_path, l, parameters));
  if (l->layout == &older) SCIARA_TRY(read_older_observed(q->cfg_path, l));
  if (q->crs) SCIARA_TRY(sciara_georef_from_name(q->crs, &l->georef));
  SCIARA_TRY(read_grid(l, l->layout->ground, "the altitudes", true, &l->ground));
  SCIARA_TRY(check_corner(l));
  if (q->crs) SCIARA_TRY(check_scale(q->crs, l));
  SCIARA_TRY(read_grid(l, l->layout->vents, "the ids of the vents on the grid", true, &l->vents));
  if (l->layout->observed) SCIARA_TRY(read_grid(l, l->layout->observed, "the observed extent", false, &l->observed));
  if (l->older_observed) SCIARA_TRY(compare_place(l, l->older_observed, &l->observed));
  SCIARA_TRY(find_file(l, l->layout->rates, "the effusion rates", true, &path));
  const enum sciara_status status = sciara_legacy_rates_read(path, &l->rates);
  free(path);
  return status == SCIARA_OK ? place_vents(l) : status;
}

/** Whether the reader of DEMs will take it. */
static bool is_altitude(double z) {
  return z >= SCIARA_ALTITUDE_MIN && z <= SCIARA_ALTITUDE_MAX && z != SCIARA_NODATA_ALTITUDE;
}

/** Refuses altitudes that mark cells without altitude: the DEM that is written could not be read. */
static enum sciara_status check_marks(const struct legacy *l) {
  enum sciara_status status;
  const struct sciara_grid grid = grid_of(l);
  const int64_t cells = l->ground.rows * l->ground.cols;
  struct sciara_text path = {0};
  uint8_t *valid = NULL;
  SCIARA_TRY_GOTO(SCIARA_NEW(valid, cells, "a mask of altitudes"));
  for (int64_t i = 0; i < cells; i++) valid[i] = l->ground.values[i] != SCIARA_NODATA_ALTITUDE;
  SCIARA_TRY_GOTO(sciara_text_append(&path, "%s%s", l->base, l->layout->ground));
  SCIARA_TRY_GOTO(sciara_altitudes_check(path.data, &grid, l->ground.values, valid));
cleanup:
  sciara_text_free(&path);
  sciara_free(valid);
  return status;
}

/** Altitudes with this program's NODATA, the extent as 0 and 1; counts both. */
static enum sciara_status convert_grids(struct legacy *l, struct sciara_legacy_report *report) {
  int64_t cells = l->ground.rows * l->ground.cols;
  report->rows = l->ground.rows;
  report->cols = l->ground.cols;
  report->observed_cells = l->observed.values ? 0 : -1;
  for (int64_t i = 0; i < cells; i++) {
    if (is_nodata(&l->ground, i)) {
      l->ground.values[i] = SCIARA_NODATA_ALTITUDE;
      report->nodata_cells++;
    } else if (!is_altitude(l->ground.values[i])) {
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s%s: expected an altitude from %g to %g m other than %g, or the NODATA_value of the header; "
                         "found %.10g at row %" PRId64 ", column %" PRId64,
                         l->base, l->layout->ground, SCIARA_ALTITUDE_MIN, SCIARA_ALTITUDE_MAX, SCIARA_NODATA_ALTITUDE,
                         l->ground.values[i], i / l->ground.cols, i % l->ground.cols);
    }
    if (!l->observed.values) continue;
    l->observed.values[i] = l->observed.values[i] > 0 && !is_nodata(&l->observed, i);
    report->observed_cells += l->observed.values[i] > 0;
  }
  if (report->nodata_cells == cells)
    return sciara_fail(SCIARA_ERR_INPUT, "%s%s: every cell is NODATA", l->base, l->layout->ground);
  return check_marks(l);
}

static bool add_vent(cJSON *list, const struct legacy *l, const struct sciara_legacy_vent *v) {
  struct sciara_grid g = grid_of(l);
  char text[64];
  cJSON *vent = cJSON_CreateObject();
  if (!cJSON_AddItemToArray(list, vent)) return false;
  snprintf(text, sizeof text, "vent %" PRId64, v->id);
  bool good = cJSON_AddStringToObject(vent, "name", text);
  good = good && cJSON_AddNumberToObject(vent, "x", g.west + ((double)v->col + 0.5) * g.cell_size);
  good = good && cJSON_AddNumberToObject(vent, "y", g.north - ((double)v->row + 0.5) * g.cell_size);
  good = good && cJSON_AddStringToObject(vent, "start", "0 s");
  cJSON *effusion = good ? cJSON_AddObjectToObject(vent, "effusion") : NULL;
  snprintf(text, sizeof text, "%.17g s", l->rates.slot);
  cJSON *rates = effusion && cJSON_AddStringToObject(effusion, "slot", text)
                     ? cJSON_AddArrayToObject(effusion, "rates_m3_s")
                     : NULL;
  good = rates != NULL;
  for (size_t k = 0; k < v->count && good; k++) good = cJSON_AddItemToArray(rates, cJSON_CreateNumber(v->rates[k]));
  return good;
}

/** The scenario as text; release with free. NULL when memory is out. */
static char *scenario_text(const struct legacy *l) {
  cJSON *root = cJSON_CreateObject();
  bool good = cJSON_AddStringToObject(root, "title", l->title.data);
  cJSON *dem = good ? cJSON_AddObjectToObject(root, "dem") : NULL;
  good = dem && cJSON_AddStringToObject(dem, "path", "dem.tif");
  cJSON *vents = good ? cJSON_AddArrayToObject(root, "vents") : NULL;
  good = vents != NULL;
  for (size_t k = 0; k < l->rates.count && good; k++) good = add_vent(vents, l, &l->rates.vents[k]);
  cJSON *run = good ? cJSON_AddObjectToObject(root, "run") : NULL;
  good = run && cJSON_AddStringToObject(run, "until", "solidified");
  char *text = good ? cJSON_Print(root) : NULL;
  cJSON_Delete(root);
  return text;
}

static enum sciara_status prepare_folder(const char *folder, bool overwrite) {
  bool exists, empty;
  SCIARA_TRY(sciara_folder_is_empty(folder, &exists, &empty));
  if (exists && !empty && !overwrite)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: is not empty; give another folder, or --overwrite", folder);
  return sciara_folder_make(folder);
}

/** A file of the output folder. */
static enum sciara_status write_raster(const struct legacy *l, const char *folder, const char *name, bool observed) {
  struct sciara_grid grid = grid_of(l);
  struct sciara_map map = {
      .grid = &grid, .georef = &l->georef, .nodata = SCIARA_NODATA_ALTITUDE, .title = l->title.data};
  map.values = observed ? l->observed.values : l->ground.values;
  map.name = observed ? "observed" : "altitude";
  map.unit = observed ? "" : "m";
  char *path;
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  enum sciara_status status = observed ? sciara_map_write_mask(&map, path) : sciara_map_write_geotiff(&map, true, path);
  free(path);
  return status;
}

static enum sciara_status write_all(const struct legacy *l, const char *folder, bool overwrite) {
  SCIARA_TRY(prepare_folder(folder, overwrite));
  char *scenario = NULL, *extent = NULL, *text = scenario_text(l);
  enum sciara_status status;
  if (!text) return sciara_no_memory("the import of legacy files");
  SCIARA_TRY_GOTO(sciara_path_in(folder, "scenario.json", &scenario));
  SCIARA_TRY_GOTO(sciara_path_in(folder, "observed.tif", &extent));
  // Files of an earlier import must not be taken for a part of this one if this one fails.
  unlink(scenario);
  unlink(extent);
  SCIARA_TRY_GOTO(write_raster(l, folder, "dem.tif", false));
  if (l->observed.values) SCIARA_TRY_GOTO(write_raster(l, folder, "observed.tif", true));
  SCIARA_TRY_GOTO(sciara_file_replace(scenario, text, strlen(text)));
cleanup:
  cJSON_free(text);
  free(extent);
  free(scenario);
  return status;
}

static double volume(const struct sciara_legacy_rates *r, const struct sciara_legacy_vent *v) {
  double sum = 0;
  for (size_t k = 0; k < v->count; k++) sum += v->rates[k] * r->slot;
  return sum;
}

static enum sciara_status describe(const struct legacy *l, const struct sciara_legacy_request *q,
                                   const struct sciara_text *parameters, struct sciara_legacy_report *report) {
  struct sciara_text *t = &report->text;
  SCIARA_TRY(sciara_text_showf(t, "%s imported to %s\n", l->name, q->output_folder));
  SCIARA_TRY(sciara_text_showf(t,
                               "  dem.tif: %" PRId64 " rows x %" PRId64 " columns of %.10g m, %" PRId64 " %s NODATA\n",
                               report->rows, report->cols, l->ground.cell_size, report->nodata_cells,
                               sciara_plural((uint64_t)report->nodata_cells, "cell", "cells")));
  if (l->ground.has_nodata && l->ground.nodata == 0)
    SCIARA_TRY(sciara_text_showf(t, "    the file declares 0 as NODATA: cells at altitude 0 are outside the DEM\n"));
  if (!l->ground.has_header)
    SCIARA_TRY(sciara_text_showf(t, "    the file declares no NODATA: %g counts as such, 0 as an altitude\n",
                                 SCIARA_LEGACY_OLDER_NODATA));
  SCIARA_TRY(sciara_text_showf(
      t, "    CRS: %s\n", q->crs ? l->georef.crs_name : "none, the files name no CRS; give one with --crs EPSG:CODE"));
  if (report->observed_cells >= 0)
    SCIARA_TRY(sciara_text_showf(t, "  observed.tif: %" PRId64 " %s covered\n", report->observed_cells,
                                 sciara_plural((uint64_t)report->observed_cells, "cell", "cells")));
  if (l->older_observed && l->observed.has_header && !l->ground.has_header)
    SCIARA_TRY(sciara_text_showf(t, "    the corner of the grids is that in the header of %s\n", l->older_observed));
  if (report->observed_cells < 0 && l->layout->observed)
    SCIARA_TRY(sciara_text_showf(t, "  no observed extent: %s%s is absent\n", l->name, l->layout->observed));
  SCIARA_TRY(sciara_text_showf(t, "  scenario.json: %" PRId64 " %s, %.10g m3 in all\n", report->vents,
                               sciara_plural((uint64_t)report->vents, "vent", "vents"), report->volume_m3));
  for (size_t k = 0; k < l->rates.count; k++) {
    const struct sciara_legacy_vent *v = &l->rates.vents[k];
    SCIARA_TRY(sciara_text_showf(
        t, "    vent %" PRId64 ": row %" PRId64 ", column %" PRId64 ", %zu %s of %.10g s, %.10g m3\n", v->id, v->row,
        v->col, v->count, sciara_plural(v->count, "slot", "slots"), l->rates.slot, volume(&l->rates, v)));
  }
  SCIARA_TRY(
      sciara_text_append(t, "  ignored, since they belong to another model (SCIARA-fv3 takes its own defaults):\n"));
  for (const char *line = parameters->data, *end; *line; line = end + 1) { // each ends with a newline
    end = strchr(line, '\n');
    SCIARA_TRY(sciara_text_showf(t, "%.*s\n", (int)(end - line), line));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_legacy_import(const struct sciara_legacy_request *request,
                                        struct sciara_legacy_report *report) {
  *report = (struct sciara_legacy_report){0};
  struct legacy l = {.corner = request->corner};
  struct sciara_text parameters = {0};
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY_GOTO(read_all(request, &l, &parameters));
  SCIARA_TRY_GOTO(convert_grids(&l, report));
  report->vents = (int64_t)l.rates.count;
  for (size_t k = 0; k < l.rates.count; k++) report->volume_m3 += volume(&l.rates, &l.rates.vents[k]);
  SCIARA_TRY_GOTO(write_all(&l, request->output_folder, request->overwrite));
  status = describe(&l, request, &parameters, report);
cleanup:
  if (status != SCIARA_OK) sciara_legacy_report_free(report);
  sciara_text_free(&parameters);
  legacy_free(&l);
  return status;
}

void sciara_legacy_report_free(struct sciara_legacy_report *report) {
  sciara_text_free(&report->text);
  *report = (struct sciara_legacy_report){0};
}
