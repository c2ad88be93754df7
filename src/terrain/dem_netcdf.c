// SPDX-License-Identifier: Apache-2.0
// GDAL takes the last dimension of a NetCDF variable for x and the one before for y, whatever they are, and places the
// cells only if attributes say which is which. So the dimensions are looked at here.
#include <cpl_string.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "terrain/dem_source.h"

/** A dimension of the variable: 'x', 'y', or 0 where nothing says which. */
struct axis {
  char name[64], unit[32];
  char is;
};

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list; list++)
    if (strcasecmp(word, *list) == 0) return true;
  return false;
}

static void describe_axis(GDALDimensionH dimension, struct axis *out) {
  static const char *const xs[] = {"x", "lon", "longitude", "easting", "eastings", "col", "column", "cols", NULL};
  static const char *const ys[] = {"y", "lat", "latitude", "northing", "northings", "row", "rows", NULL};
  const char *type = GDALDimensionGetType(dimension);
  GDALMDArrayH values = GDALDimensionGetIndexingVariable(dimension);
  *out = (struct axis){0};
  snprintf(out->name, sizeof out->name, "%s", GDALDimensionGetName(dimension));
  if (values) snprintf(out->unit, sizeof out->unit, "%s", GDALMDArrayGetUnit(values));
  if (strcmp(type, GDAL_DIM_TYPE_HORIZONTAL_X) == 0 || is_one_of(out->name, xs)) out->is = 'x';
  if (strcmp(type, GDAL_DIM_TYPE_HORIZONTAL_Y) == 0 || (!out->is && is_one_of(out->name, ys))) out->is = 'y';
  if (values) GDALMDArrayRelease(values);
}

/** The last two dimensions of the variable; returns how many it has, or 0 if they are not known. */
static size_t find_axes(const struct sciara_source *s, const char *variable, struct axis *y, struct axis *x) {
  static const char *const drivers[] = {"netCDF", NULL};
  const unsigned how = GDAL_OF_MULTIDIM_RASTER | GDAL_OF_READONLY;
  char *plain = sciara_gdal_plain_path(s->path);
  GDALDatasetH data = plain ? GDALOpenEx(plain, how, drivers, NULL, NULL) : NULL;
  GDALGroupH root = data ? GDALDatasetGetRootGroup(data) : NULL;
  GDALMDArrayH array = root ? *variable == '/' ? GDALGroupOpenMDArrayFromFullname(root, variable, NULL)
                                               : GDALGroupOpenMDArray(root, variable, NULL)
                            : NULL;
  size_t count = 0;
  GDALDimensionH *dimensions = array ? GDALMDArrayGetDimensions(array, &count) : NULL;
  if (count >= 2) {
    describe_axis(dimensions[count - 2], y);
    describe_axis(dimensions[count - 1], x);
  }
  GDALReleaseDimensions(dimensions, count);
  if (array) GDALMDArrayRelease(array);
  if (root) GDALGroupRelease(root);
  if (data) GDALClose(data);
  free(plain);
  return count >= 2 ? count : 0;
}

static enum sciara_status refuse_order(const struct sciara_source *s, const char *variable, size_t count,
                                       const struct axis *y, const struct axis *x) {
  struct sciara_text path = {0}, exchange = {0}, quoted = {0};
  enum sciara_status status;
  if (count != 2)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the last dimensions of %s in the order y, x; found %s, %s",
                       s->path, variable, y->name, x->name);
  SCIARA_TRY_GOTO(sciara_shell_quote(&path, s->path));
  SCIARA_TRY_GOTO(sciara_text_append(&exchange, "name=%s,transpose=[1,0]", variable));
  SCIARA_TRY_GOTO(sciara_shell_quote(&quoted, exchange.data)); // the name is the file's: it may hold quotes
  status = sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected the dimensions of %s in the order y, x; found %s, %s. Exchange them with: "
                       "gdalmdimtranslate -array %s %s exchanged.tif",
                       s->path, variable, y->name, x->name, quoted.data, path.data);
cleanup:
  sciara_text_free(&path);
  sciara_text_free(&exchange);
  sciara_text_free(&quoted);
  return status;
}

static enum sciara_status refuse_unplaced(const struct sciara_source *s, const struct axis *y, const struct axis *x) {
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: has no geotransform: its cells have no size and no place. Its axes %s and %s need the "
                     "attribute standard_name, \"projection_y_coordinate\" and \"projection_x_coordinate\" (in m) or "
                     "\"latitude\" and \"longitude\", and equal steps; or place it with: gdal_translate -a_ullr WEST "
                     "NORTH EAST SOUTH",
                     s->path, y->name, x->name);
}

/** A CRS in km has such a unit itself; without a CRS the numbers would be taken to be metres. */
static enum sciara_status refuse_km(const struct sciara_source *s, const struct axis *x, const double t[6]) {
  struct sciara_text path = {0};
  const double m = 1000;
  enum sciara_status status = sciara_shell_quote(&path, s->path);
  if (status == SCIARA_OK)
    status =
        sciara_fail(SCIARA_ERR_INPUT,
                    "%s: its axis %s is in \"%s\", expected m; convert it with: gdal_translate -a_ullr %.10g %.10g "
                    "%.10g %.10g %s in-metres.tif",
                    s->path, x->name, x->unit, t[0] * m, t[3] * m, (t[0] + t[1] * (double)s->cols) * m,
                    (t[3] + t[5] * (double)s->rows) * m, path.data);
  sciara_text_free(&path);
  return status;
}

enum sciara_status sciara_netcdf_check_axes(struct sciara_gdal_scope *scope, const struct sciara_source *s) {
  static const char *const km[] = {"km", "kilometre", "kilometres", "kilometer", "kilometers", NULL};
  const char *variable = GDALGetMetadataItem(s->band, "NETCDF_VARNAME", NULL);
  struct axis y = {0}, x = {0};
  double t[6];
  const size_t count = variable ? find_axes(s, variable, &y, &x) : 0;
  sciara_gdal_reset(scope); // what the other view of the file lacks is no failure of this one
  if (count == 0) return SCIARA_OK;
  if (y.is == 'x' || x.is == 'y') return refuse_order(s, variable, count, &y, &x);
  if (GDALGetGeoTransform(s->dataset, t) != CE_None) return refuse_unplaced(s, &y, &x);
  return !s->srs && is_one_of(x.unit, km) ? refuse_km(s, &x, t) : SCIARA_OK;
}
