// SPDX-License-Identifier: Apache-2.0
#include "map/raster_gdal.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file/durable.h"
#include "file/gdal_support.h"

/** Writes `memory` as a file of GDAL's file system in memory. */
static enum sciara_status encode(struct sciara_gdal_scope *scope, GDALDatasetH memory, const char *driver,
                                 const char *const *options, const char *name, const char *path) {
  GDALDriverH format = GDALGetDriverByName(driver);
  if (!format) return sciara_fail(SCIARA_ERR_IO, "%s: this GDAL cannot write %s", path, driver);
  sciara_gdal_reset(scope);
  GDALDatasetH copy = GDALCreateCopy(format, name, memory, FALSE, (char **)(uintptr_t)options, NULL, NULL);
  bool made = copy != NULL;
  if (copy) GDALClose(copy); // returns no status: a failure shows only in the errors raised meanwhile
  if (made && !scope->failed) return SCIARA_OK;
  return sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_IO), "%s: cannot be written: %s", path,
                     sciara_gdal_message(scope));
}

/**
 * Encodes `memory` in the driver's format, in memory, and writes it as an atomic file. Not directly to the disk: GDAL
 * reports no error if the last bytes of a file do not fit there. Requires a writing scope.
 */
static enum sciara_status publish(struct sciara_gdal_scope *scope, GDALDatasetH memory, const char *driver,
                                  const char *const *options, const char *path) {
  char *name = sciara_format("/vsimem/sciara-%p/raster", (void *)scope); // two threads, two names
  if (!name) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", path);
  enum sciara_status status = encode(scope, memory, driver, options, name, path);
  if (status == SCIARA_OK) {
    vsi_l_offset size = 0;
    const GByte *bytes = VSIGetMemFileBuffer(name, &size, FALSE);
    status = bytes ? sciara_file_replace(path, bytes, (size_t)size)
                   : sciara_fail(SCIARA_ERR_IO, "%s: GDAL made no file", path);
  }
  VSIUnlink(name);
  free(name);
  return status;
}

static bool set_georef(GDALDatasetH d, const struct sciara_map *map, OGRSpatialReferenceH srs) {
  const struct sciara_grid *g = map->grid;
  double t[6] = {g->west, g->cell_size, 0, g->north, 0, -g->cell_size};
  return GDALSetGeoTransform(d, t) == CE_None && (!srs || GDALSetSpatialRef(d, srs) == CE_None);
}

static bool add_facts(GDALDatasetH d, const struct sciara_map_facts *facts) {
  for (size_t k = 0; facts && k < facts->count; k++)
    if (GDALSetMetadataItem(d, facts->fact[k].name, facts->fact[k].text, NULL) != CE_None) return false;
  return true;
}

static bool describe(GDALDatasetH d, GDALRasterBandH band, const struct sciara_map *map) {
  GDALSetDescription(band, map->name);
  return GDALSetRasterUnitType(band, map->unit) == CE_None && add_facts(d, map->facts) &&
         GDALSetMetadataItem(d, "TIFFTAG_SOFTWARE", "sciara", NULL) == CE_None &&
         (!map->title || GDALSetMetadataItem(d, "TIFFTAG_IMAGEDESCRIPTION", map->title, NULL) == CE_None);
}

static bool write_marks(GDALDatasetH d, const struct sciara_map *map, GDALDataType type) {
  const int cols = (int)map->grid->cols, rows = (int)map->grid->rows;
  for (int k = 0; k < map->mark_count; k++) {
    const struct sciara_map_mark *m = &map->marks[k];
    if (GDALAddBand(d, type, NULL) != CE_None) return false;
    GDALRasterBandH band = GDALGetRasterBand(d, 2 + k);
    const void *values = m->bytes ? (const void *)m->bytes : m->words;
    GDALSetDescription(band, m->name);
    if (GDALRasterIO(band, GF_Write, 0, 0, cols, rows, (void *)(uintptr_t)values, cols, rows,
                     m->bytes ? GDT_Byte : GDT_UInt16, 0, 0) != CE_None)
      return false;
  }
  return true;
}

/** The band with the values of a map; those of doubles are not copied. */
static GDALRasterBandH add_values(GDALDatasetH d, const struct sciara_map *map, GDALDataType type) {
  const int cols = (int)map->grid->cols, rows = (int)map->grid->rows;
  char pointer[64] = "DATAPOINTER=", *options[] = {pointer, NULL};
  const size_t name = strlen(pointer);
  const bool copied = type != GDT_Float64;
  pointer[name + (size_t)CPLPrintPointer(pointer + name, (void *)(uintptr_t)map->values,
                                         (int)(sizeof pointer - name - 1))] = 0;
  if (GDALAddBand(d, type, copied ? NULL : options) != CE_None) return NULL;
  GDALRasterBandH band = GDALGetRasterBand(d, 1);
  if (copied && GDALRasterIO(band, GF_Write, 0, 0, cols, rows, (void *)(uintptr_t)map->values, cols, rows, GDT_Float64,
                             0, 0) != CE_None)
    return NULL;
  return band;
}

/** The map as a dataset in memory, for as long as its values are there; for bytes without NODATA. */
static enum sciara_status map_dataset(struct sciara_gdal_scope *scope, const struct sciara_map *map, GDALDataType type,
                                      const char *path, GDALDatasetH *out) {
  const struct sciara_grid *g = map->grid;
  *out = NULL;
  if (g->rows > INT_MAX || g->cols > INT_MAX)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: a map has at most %d rows and columns", path, INT_MAX);
  OGRSpatialReferenceH srs = NULL;
  if (map->georef && map->georef->crs_wkt) SCIARA_TRY(sciara_srs_parse(map->georef->crs_wkt, &srs));
  GDALDatasetH d = GDALCreate(GDALGetDriverByName("MEM"), "", (int)g->cols, (int)g->rows, 0, type, NULL);
  GDALRasterBandH band = d ? add_values(d, map, type) : NULL;
  const bool made = band && set_georef(d, map, srs) && describe(d, band, map) &&
                    (type == GDT_Byte || GDALSetRasterNoDataValue(band, map->nodata) == CE_None) &&
                    write_marks(d, map, type);
  OSRRelease(srs);
  if (made) {
    *out = d;
    return SCIARA_OK;
  }
  if (d) GDALClose(d);
  return sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_IO), "%s: the map cannot be prepared: %s", path,
                     sciara_gdal_message(scope));
}

static enum sciara_status write_map(const struct sciara_map *map, GDALDataType type, const char *driver,
                                    const char *const *options, const char *path) {
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, true);
  GDALDatasetH memory;
  enum sciara_status status = map_dataset(&scope, map, type, path, &memory);
  if (status == SCIARA_OK) status = publish(&scope, memory, driver, options, path);
  if (memory) GDALClose(memory);
  sciara_gdal_leave(&scope);
  return status;
}

const struct sciara_ramp *sciara_map_ramp(const struct sciara_map *map) {
  return sciara_ramp_for(map->ramp ? map->ramp : map->name);
}

/** The style that QGIS loads automatically: the name of the map with the extension .qml. */
static enum sciara_status write_style(const struct sciara_map *map, const char *path) {
  char *style = sciara_format("%.*s.qml", (int)sciara_path_stem(path), path);
  if (!style) return sciara_no_memory("the path of a style");
  struct sciara_text text = {0};
  double low, high;
  const struct sciara_ramp *ramp = sciara_map_ramp(map);
  sciara_ramp_range(ramp, map->values, sciara_grid_cells(map->grid), map->nodata, &low, &high);
  enum sciara_status status = sciara_ramp_qml(ramp, low, high, map->unit, &text);
  status = sciara_text_write(style, status, &text);
  free(style);
  return status;
}

enum sciara_status sciara_map_write_cog(const struct sciara_map *map, const char *path) {
  static const char *const options[] = {"COMPRESS=DEFLATE", "PREDICTOR=YES", "OVERVIEW_RESAMPLING=AVERAGE", NULL};
  SCIARA_TRY(write_style(map, path)); // first: a map that is there has its style
  return write_map(map, GDT_Float32, "COG", options, path);
}

size_t sciara_map_cog_memory(const struct sciara_grid *grid) {
  const size_t dataset = (size_t)sciara_grid_cells(grid) * sizeof(float);
  return 2 * dataset + dataset / 3; // GDAL's cache holds the tiles again, and overviews of a quarter, a sixteenth ...
}

enum sciara_status sciara_map_write_geotiff(const struct sciara_map *map, bool as_double, const char *path) {
  static const char *const options[] = {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3", "BIGTIFF=IF_SAFER", NULL};
  return write_map(map, as_double ? GDT_Float64 : GDT_Float32, "GTiff", options, path);
}

size_t sciara_map_geotiff_memory(const struct sciara_grid *grid, int marks) {
  enum { TILE = 256 }; // what GDAL chooses
  const size_t bands = 1 + (size_t)marks, band = (size_t)sciara_grid_cells(grid) * sizeof(double);
  const size_t tiles_down = (size_t)(grid->rows + TILE - 1) / TILE,
               tiles_across = (size_t)(grid->cols + TILE - 1) / TILE;
  const size_t tiles = bands * tiles_down * tiles_across * TILE * TILE * sizeof(double);
  const size_t cache = (size_t)GDALGetCacheMax64();
  // Marks are copied; the file is compressed: altitudes are floats.
  return (size_t)marks * band + (tiles < cache ? tiles : cache) + band / 2;
}

enum sciara_status sciara_map_write_mask(const struct sciara_map *map, const char *path) {
  static const char *const options[] = {"TILED=YES", "COMPRESS=DEFLATE", NULL};
  return write_map(map, GDT_Byte, "GTiff", options, path);
}

// ------------------------------------------------------------------------------------------- what a map says of itself

enum sciara_status sciara_map_facts_add(struct sciara_map_facts *f, const char *name, const char *text) {
  struct sciara_text plain = {0};
  if (!text || !text[0]) return SCIARA_OK;
  if (f->count == SCIARA_MAP_FACTS) return sciara_fail(SCIARA_ERR_INTERNAL, "too many facts of a map");
  const enum sciara_status status = sciara_text_append_plain(&plain, text);
  if (status != SCIARA_OK) return status;
  f->fact[f->count].name = name;
  f->fact[f->count].text = sciara_format("%s", plain.data);
  sciara_text_free(&plain);
  if (!f->fact[f->count].text) return sciara_no_memory("the facts of a map");
  f->count++;
  return SCIARA_OK;
}

void sciara_map_facts_free(struct sciara_map_facts *f) {
  for (size_t k = 0; k < f->count; k++) free(f->fact[k].text);
  *f = (struct sciara_map_facts){0};
}
