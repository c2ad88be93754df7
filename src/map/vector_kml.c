// SPDX-License-Identifier: Apache-2.0
#include <cpl_conv.h>
#include <cpl_string.h>
#include <math.h>

#include "base/mem.h"
#include "file/durable.h"
#include "map/colour_ramp.h"
#include "map/polygonize.h"
#include "map/vector_ogr.h"

static enum sciara_status append_escaped(struct sciara_text *out, const char *text) {
  char *escaped = CPLEscapeString(text, -1, CPLES_XML);
  const enum sciara_status status = sciara_text_append(out, "%s", escaped);
  CPLFree(escaped);
  return status;
}

/** Colours of zone k as KML has them: opacity, blue, green, red. */
static enum sciara_status append_style(struct sciara_text *out, const struct sciara_zones *z, size_t k) {
  if (!z->ramp)
    return sciara_text_append(out, "<Style><LineStyle><color>ff1414c8</color><width>2</width></LineStyle>"
                                   "<PolyStyle><fill>0</fill></PolyStyle></Style>\n");
  uint8_t rgb[3];
  sciara_ramp_colour(sciara_ramp_for(z->ramp), ((double)k + 0.5) / (double)z->count, rgb);
  return sciara_text_append(out,
                            "<Style><LineStyle><color>ff%02x%02x%02x</color><width>1</width></LineStyle>"
                            "<PolyStyle><color>b0%02x%02x%02x</color></PolyStyle></Style>\n",
                            rgb[2] / 2, rgb[1] / 2, rgb[0] / 2, rgb[2], rgb[1], rgb[0]);
}

static enum sciara_status append_value(struct sciara_text *out, const char *name, double value) {
  if (!name || !isfinite(value)) return SCIARA_OK;
  return sciara_text_append(out, "<Data name=\"%s\"><value>%.15g</value></Data>", name, value);
}

static enum sciara_status append_placemark(struct sciara_text *out, const struct sciara_polygons *p,
                                           const struct sciara_zones *z, size_t k, OGRGeometryH polygons) {
  const struct sciara_zone *zone = &z->zone[k];
  SCIARA_TRY(sciara_text_append(out, "<Placemark><name>"));
  SCIARA_TRY(append_escaped(out, zone->label));
  SCIARA_TRY(sciara_text_append(out, "</name>\n"));
  SCIARA_TRY(append_style(out, z, k));
  SCIARA_TRY(sciara_text_append(out, "<ExtendedData>"));
  SCIARA_TRY(append_value(out, z->lower, zone->lower));
  SCIARA_TRY(append_value(out, z->upper, zone->upper));
  SCIARA_TRY(append_value(out, "area_m2", (double)zone->cells * p->grid->cell_size * p->grid->cell_size));
  SCIARA_TRY(append_value(out, "cells", (double)zone->cells));
  SCIARA_TRY(sciara_text_append(out, "</ExtendedData>\n"));
  char *shape = OGR_G_ExportToKML(polygons, NULL);
  const enum sciara_status status =
      shape ? sciara_text_append(out, "%s\n</Placemark>\n", shape)
            : sciara_fail(SCIARA_ERR_INTERNAL, "the polygons of zone %s cannot be told as KML", zone->label);
  CPLFree(shape);
  return status;
}

static enum sciara_status append_layer(struct sciara_text *out, struct sciara_gdal_scope *scope,
                                       const struct sciara_polygons *p, const struct sciara_zones *z,
                                       OGRCoordinateTransformationH to_wgs84, const char *path) {
  OGRGeometryH *polygons = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(polygons, z->count + 1, "the polygons of a layer"));
  SCIARA_TRY_GOTO(sciara_polygonize(scope, p->grid, z, path, polygons));
  SCIARA_TRY_GOTO(sciara_text_append(out, "<Folder><name>%s</name>\n", z->name));
  for (size_t k = 0; k < z->count; k++) {
    if (!polygons[k]) continue;
    if (OGR_G_Transform(polygons[k], to_wgs84) != OGRERR_NONE) {
      status = sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT),
                           "%s: the polygons cannot be placed in WGS 84: %s", path, sciara_gdal_message(scope));
      goto cleanup;
    }
    SCIARA_TRY_GOTO(append_placemark(out, p, z, k, polygons[k]));
  }
  SCIARA_TRY_GOTO(sciara_text_append(out, "</Folder>\n"));
cleanup:
  if (polygons) sciara_polygons_free(polygons, z->count);
  sciara_free(polygons);
  return status;
}

static enum sciara_status append_document(struct sciara_text *out, struct sciara_gdal_scope *scope,
                                          const struct sciara_polygons *p, const char *path) {
  OGRSpatialReferenceH from = NULL, to = NULL;
  OGRCoordinateTransformationH change = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_srs_parse(p->georef->crs_wkt, &from));
  SCIARA_TRY_GOTO(sciara_srs_parse("EPSG:4326", &to)); // x is the longitude, see sciara_srs_parse
  change = OCTNewCoordinateTransformation(from, to);
  if (!change) {
    status = sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT), "%s: the CRS cannot be changed to WGS 84: %s",
                         path, sciara_gdal_message(scope));
    goto cleanup;
  }
  SCIARA_TRY_GOTO(sciara_text_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                          "<kml xmlns=\"http://www.opengis.net/kml/2.2\">\n<Document><name>"));
  SCIARA_TRY_GOTO(append_escaped(out, p->title ? p->title : "lava"));
  SCIARA_TRY_GOTO(sciara_text_append(out, "</name>\n"));
  for (size_t k = 0; k < p->count; k++) SCIARA_TRY_GOTO(append_layer(out, scope, p, &p->layers[k], change, path));
  SCIARA_TRY_GOTO(sciara_text_append(out, "</Document>\n</kml>\n"));
cleanup:
  if (change) OCTDestroyCoordinateTransformation(change);
  OSRRelease(from);
  OSRRelease(to);
  return status;
}

enum sciara_status sciara_polygons_write_kml(const struct sciara_polygons *p, const char *path) {
  if (!p->georef || !p->georef->crs_wkt) return sciara_fail(SCIARA_ERR_USAGE, "%s: KML needs a CRS", path);
  struct sciara_gdal_scope scope;
  struct sciara_text text = {0};
  sciara_gdal_enter(&scope, true);
  enum sciara_status status = append_document(&text, &scope, p, path);
  if (status == SCIARA_OK) status = sciara_file_replace(path, text.data, text.length);
  sciara_text_free(&text);
  sciara_gdal_leave(&scope);
  return status;
}
