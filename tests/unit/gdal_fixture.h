// SPDX-License-Identifier: Apache-2.0
// For the tests of rasters: a temporary folder, small rasters written with GDAL itself, the messages that were logged, the
// output of a tool.
#ifndef SCIARA_TESTS_GDAL_FIXTURE_H
#define SCIARA_TESTS_GDAL_FIXTURE_H

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_srs_api.h>

#include "base/log.h"
#include "base/status.h"
#include "support/folder.h"

static char logged[65536];

static void keep_log(void *context, enum sciara_log_level level, const char *message) {
  (void)context;
  size_t used = strlen(logged);
  snprintf(logged + used, sizeof logged - used, "%s%s\n", level == SCIARA_LOG_WARNING ? "WARNING " : "", message);
}

static void setup(void) {
  folder_make();
  logged[0] = '\0';
  sciara_log_set_sink(keep_log, NULL);
  GDALAllRegister();
}

/** What a command prints, stderr included; its exit status must be 0. Release with free. */
static inline char *output_of(const char *format, const char *path) {
  char command[4096], *text = (char *)calloc(1, 1 << 20);
  snprintf(command, sizeof command, format, path);
  strncat(command, " 2>&1", sizeof command - strlen(command) - 1);
  FILE *pipe = popen(command, "r");
  ck_assert_ptr_nonnull(pipe);
  size_t n = fread(text, 1, (1 << 20) - 1, pipe);
  text[n] = '\0';
  ck_assert_msg(pclose(pipe) == 0, "%s: %s", command, text);
  return text;
}

static inline void assert_contains(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is not in: %s", part, text);
}

/** A raster to write; zeros mean: GTiff, Float64, 4 x 5 cells of 10 m in EPSG:32633, values from formula(). */
struct raster {
  const char *driver;
  GDALDataType type;
  int rows, cols, bands;
  const double *transform; ///< 6 numbers
  int epsg;                ///< -1: none
  const double *values;    ///< rows x cols of the first band
  const double *nodata;
  const char *unit;
  const char *option;
  double scale, offset;
  bool unplaced, masked; ///< no geotransform; a mask that hides the first cell
};

/** Altitude of a sloping plane at a place. */
static double plane(double x, double y) { return 1000 + 0.25 * (x - 500000) - 0.125 * (y - 4178000); }

static const double metric[6] = {500000, 10, 0, 4178000, 0, -10};

static void mask_first_cell(GDALDatasetH d, int rows, int cols) {
  unsigned char *mask = (unsigned char *)malloc((size_t)(rows * cols));
  memset(mask, 255, (size_t)(rows * cols));
  mask[0] = 0;
  ck_assert_int_eq(GDALCreateDatasetMaskBand(d, GMF_PER_DATASET), CE_None);
  ck_assert_int_eq(GDALRasterIO(GDALGetMaskBand(GDALGetRasterBand(d, 1)), GF_Write, 0, 0, cols, rows, mask, cols, rows,
                                GDT_Byte, 0, 0),
                   CE_None);
  free(mask);
}

static void fill(GDALDatasetH d, const struct raster *r, int rows, int cols, const double *t) {
  double *line = (double *)calloc((size_t)cols, sizeof *line);
  for (int b = 1; b <= GDALGetRasterCount(d); b++)
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++)
        line[j] = b > 1 ? 100 * b
                  : r->values
                      ? r->values[i * cols + j]
                      : plane(t[0] + (j + 0.5) * t[1] + (i + 0.5) * t[2], t[3] + (j + 0.5) * t[4] + (i + 0.5) * t[5]);
      ck_assert_int_eq(GDALRasterIO(GDALGetRasterBand(d, b), GF_Write, 0, i, cols, 1, line, cols, 1, GDT_Float64, 0, 0),
                       CE_None);
    }
  free(line);
}

/** Writes through memory, so that drivers that only copy can be used too. Returns the path. */
__attribute__((unused)) static const char *make_raster(const char *name, struct raster r) {
  int rows = r.rows ? r.rows : 4, cols = r.cols ? r.cols : 5;
  const double *t = r.transform ? r.transform : metric;
  GDALDatasetH d = GDALCreate(GDALGetDriverByName("MEM"), "", cols, rows, r.bands ? r.bands : 1,
                              r.type ? r.type : GDT_Float64, NULL);
  if (!r.unplaced) GDALSetGeoTransform(d, (double *)(uintptr_t)t);
  if (r.epsg >= 0) {
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    ck_assert_int_eq(OSRImportFromEPSG(srs, r.epsg ? r.epsg : 32633), OGRERR_NONE);
    GDALSetSpatialRef(d, srs);
    OSRRelease(srs);
  }
  fill(d, &r, rows, cols, t);
  GDALRasterBandH band = GDALGetRasterBand(d, 1);
  if (r.nodata) GDALSetRasterNoDataValue(band, *r.nodata);
  if (r.unit) GDALSetRasterUnitType(band, r.unit);
  if (r.scale != 0) GDALSetRasterScale(band, r.scale);
  if (r.offset != 0) GDALSetRasterOffset(band, r.offset);
  if (r.masked) mask_first_cell(d, rows, cols);
  const char *path = in_folder(name);
  char **options = r.option ? CSLAddString(NULL, r.option) : NULL;
  CPLPushErrorHandler(CPLQuietErrorHandler);
  GDALDatasetH copy =
      GDALCreateCopy(GDALGetDriverByName(r.driver ? r.driver : "GTiff"), path, d, FALSE, options, NULL, NULL);
  ck_assert_msg(copy != NULL, "%s: %s", name, CPLGetLastErrorMsg());
  GDALClose(copy);
  CPLPopErrorHandler();
  CSLDestroy(options);
  GDALClose(d);
  return path;
}

#endif
