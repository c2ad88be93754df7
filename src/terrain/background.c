// SPDX-License-Identifier: Apache-2.0
#include "terrain/background.h"

#include <cpl_string.h>
#include <gdal_utils.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "terrain/dem_source.h"

static enum sciara_status check_bands(const struct sciara_source *s) {
  const int count = GDALGetRasterCount(s->dataset);
  for (int k = 1; k <= count; k++)
    if (GDALGetRasterDataType(GDALGetRasterBand(s->dataset, k)) != GDT_Byte)
      return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a picture with 8 bits per channel, found %s in band %d",
                         s->path, GDALGetDataTypeName(GDALGetRasterDataType(GDALGetRasterBand(s->dataset, k))), k);
  if (count <= 4) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a picture of 1 to 4 bands, found %d", s->path, count);
}

static bool has_palette(const struct sciara_source *s) { return GDALGetRasterColorTable(s->band) != NULL; }

/** The arguments of gdalwarp; release with CSLDestroy. NULL: no memory. */
static char **arguments(const struct sciara_background_request *q, const struct sciara_source *s, char *grid_wkt) {
  const struct sciara_grid *g = q->area;
  char *words = sciara_format("-of MEM -te %.17g %.17g %.17g %.17g -ts %" PRId64 " %" PRId64 " -r %s -dstalpha",
                              g->west, sciara_grid_south(g), sciara_grid_east(g), g->north, q->width, q->height,
                              has_palette(s) ? "near" : "bilinear");
  char **a = words ? CSLTokenizeString2(words, " ", 0) : NULL;
  free(words);
  if (a && grid_wkt) {
    a = CSLAddString(a, "-t_srs");
    a = CSLAddString(a, grid_wkt);
    if (!s->srs) a = CSLAddString(a, "-s_srs");
    if (!s->srs) a = CSLAddString(a, grid_wkt);
  }
  return a;
}

/** The raster on the pixels of the request, with an opacity as last band; NULL on failure. */
static GDALDatasetH warp(const struct sciara_background_request *q, const struct sciara_source *s) {
  char **list = arguments(q, s, s->srs && !q->crs_wkt ? NULL : (char *)(uintptr_t)q->crs_wkt);
  GDALWarpAppOptions *options = list ? GDALWarpAppOptionsNew(list, NULL) : NULL;
  GDALDatasetH source = s->dataset;
  GDALDatasetH made = options ? GDALWarp("", NULL, 1, &source, options, NULL) : NULL;
  GDALWarpAppOptionsFree(options);
  CSLDestroy(list);
  return made;
}

/** The value of a palette as red, green and blue. */
static void look_up(GDALColorTableH palette, uint8_t *pixel) {
  const GDALColorEntry *e = GDALGetColorEntry(palette, pixel[0]);
  const short colour[4] = {e ? e->c1 : 0, e ? e->c2 : 0, e ? e->c3 : 0, e ? e->c4 : 0};
  for (int k = 0; k < 3; k++) pixel[k] = (uint8_t)colour[k];
  if (colour[3] == 0) pixel[3] = 0;
}

static bool collect_background(const struct sciara_background_request *q, const struct sciara_source *s,
                               GDALDatasetH from, uint8_t *rgba) {
  const int bands = GDALGetRasterCount(from), width = (int)q->width, height = (int)q->height;
  bool good = bands >= 2;
  for (int k = 0; k < 4 && good; k++) {
    const int band = k == 3 ? bands : bands == 4 ? k + 1 : 1;
    good = GDALRasterIO(GDALGetRasterBand(from, band), GF_Read, 0, 0, width, height, rgba + k, width, height, GDT_Byte,
                        4, 4 * width) == CE_None;
  }
  for (int64_t i = 0; i < q->width * q->height && good && has_palette(s); i++)
    look_up(GDALGetRasterColorTable(s->band), rgba + 4 * i);
  return good;
}

static bool is_empty(const uint8_t *rgba, int64_t pixels) {
  for (int64_t i = 0; i < pixels; i++)
    if (rgba[4 * i + 3] >= 128) return false;
  return true;
}

enum sciara_status sciara_background_read(const struct sciara_background_request *q, uint8_t **rgba) {
  struct sciara_gdal_scope scope;
  struct sciara_source source = {0};
  GDALDatasetH warped = NULL;
  enum sciara_status status;
  *rgba = NULL;
  sciara_gdal_enter(&scope, false);
  SCIARA_TRY_GOTO(sciara_source_open_image(&scope, q->path, q->extra_drivers, q->extra_driver_count, &source));
  SCIARA_TRY_GOTO(check_bands(&source));
  SCIARA_TRY_GOTO(SCIARA_NEW(*rgba, 4 * q->width * q->height, "the background of a picture"));
  if (!source.srs || !q->crs_wkt)
    sciara_log(SCIARA_LOG_INFO, "%s: taken to be in the coordinates of the map, because %s names no CRS", q->path,
               source.srs ? "the map" : "it");
  sciara_gdal_reset(&scope);
  warped = warp(q, &source);
  if (!warped || !collect_background(q, &source, warped, *rgba) || scope.failed)
    status = sciara_fail(sciara_gdal_status(&scope, SCIARA_ERR_INPUT), "%s: cannot be brought to the map: %s", q->path,
                         sciara_gdal_message(&scope));
  else if (is_empty(*rgba, q->width * q->height))
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s: expected a picture of the part that is shown, found one elsewhere", q->path);
cleanup:
  if (warped) GDALClose(warped);
  sciara_source_close(&source);
  sciara_gdal_leave(&scope);
  if (status != SCIARA_OK) {
    sciara_free(*rgba);
    *rgba = NULL;
  }
  return status;
}
