// SPDX-License-Identifier: Apache-2.0
#include "map/vector_ogr.h"

#include <cpl_vsi.h>
#include <gdal.h>
#include <gdal_alg.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <ogr_api.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "file/gdal_support.h"
#include "map/colour_ramp.h"

// -------------------------------------------------------------------------------------------------------------- styles

// QGIS styles of layers of zones, marks and places, whose errors are kept in the text; release it.

enum symbol {
  AREA,   ///< a see-through area with a darker border
  BORDER, ///< a border alone
  LINE,
  TRIANGLE,
  CIRCLE
};

// A style with a symbol for each value: begin_style, a category for each, symbols, a symbol for each, end_style; one with one symbol:
// single, it, end_style. Errors are kept in the text.

static const char head[] = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
                           "<qgis version=\"3.22\" styleCategories=\"Symbology|Labeling\">\n";

/** @param field an attribute or an expression */
static void begin_style(struct sciara_text *t, const char *field) {
  struct sciara_text escaped = {0};
  if (sciara_text_append_xml(&escaped, field) != SCIARA_OK) t->failed = escaped.failed;
  sciara_text_append(t, "%s <renderer-v2 type=\"categorizedSymbol\" attr=\"%s\" forceraster=\"0\">\n  <categories>\n",
                     head, escaped.data ? escaped.data : "");
  sciara_text_free(&escaped);
}

static void category(struct sciara_text *t, size_t number, const char *value) {
  struct sciara_text text = {0};
  if (sciara_text_append_xml(&text, value) != SCIARA_OK) t->failed = text.failed;
  const char *shown = text.data ? text.data : "";
  sciara_text_append(t, "   <category symbol=\"%zu\" value=\"%s\" label=\"%s\" render=\"true\"/>\n", number, shown,
                     shown);
  sciara_text_free(&text);
}

static void symbols(struct sciara_text *t) { sciara_text_append(t, "  </categories>\n  <symbols>\n"); }

static void single(struct sciara_text *t) {
  sciara_text_append(t, "%s <renderer-v2 type=\"singleSymbol\" forceraster=\"0\">\n  <symbols>\n", head);
}

static void property(struct sciara_text *t, const char *key, const char *value) {
  sciara_text_append(t, "     <prop k=\"%s\" v=\"%s\"/>\n", key, value);
}

static void colour(struct sciara_text *t, const char *key, const uint8_t rgb[3], int divided_by, int opacity) {
  sciara_text_append(t, "     <prop k=\"%s\" v=\"%d,%d,%d,%d\"/>\n", key, rgb[0] / divided_by, rgb[1] / divided_by,
                     rgb[2] / divided_by, opacity);
}

static void area(struct sciara_text *t, const uint8_t rgb[3], bool filled) {
  colour(t, "color", rgb, 1, 176);
  colour(t, "outline_color", rgb, filled ? 2 : 1, 255);
  property(t, "outline_width", filled ? "0.26" : "0.6");
  property(t, "style", filled ? "solid" : "no");
}

static void marker(struct sciara_text *t, const uint8_t rgb[3], const char *shape) {
  static const uint8_t ink[3] = {30, 30, 30};
  property(t, "name", shape);
  property(t, "size", "4");
  colour(t, "color", rgb, 1, 255);
  colour(t, "outline_color", ink, 1, 255);
}

static void symbol(struct sciara_text *t, size_t number, enum symbol kind, const uint8_t rgb[3]) {
  static const struct {
    const char *type, *layer;
  } names[] = {[AREA] = {"fill", "SimpleFill"},
               [BORDER] = {"fill", "SimpleFill"},
               [LINE] = {"line", "SimpleLine"},
               [TRIANGLE] = {"marker", "SimpleMarker"},
               [CIRCLE] = {"marker", "SimpleMarker"}};
  sciara_text_append(t, "   <symbol name=\"%zu\" type=\"%s\" alpha=\"1\">\n    <layer class=\"%s\">\n", number,
                     names[kind].type, names[kind].layer);
  if (kind == AREA || kind == BORDER) {
    area(t, rgb, kind == AREA);
  } else if (kind == LINE) {
    colour(t, "line_color", rgb, 1, 255);
    property(t, "line_width", "0.6");
  } else {
    marker(t, rgb, kind == TRIANGLE ? "triangle" : "circle");
  }
  sciara_text_append(t, "    </layer>\n   </symbol>\n");
}

/** Dark text with a light border; beside points, along lines, in polygons. */
static void labels(struct sciara_text *t, const char *field, enum symbol kind) {
  enum { PARALLEL = 2, HORIZONTAL = 4, AROUND = 6 }; // of QGIS: QgsPalLayerSettings::Placement
  const int placement = kind == LINE ? PARALLEL : kind == AREA || kind == BORDER ? HORIZONTAL : AROUND;
  sciara_text_append(
      t,
      " <labeling type=\"simple\">\n  <settings calloutType=\"simple\">\n"
      "   <text-style fieldName=\"%s\" isExpression=\"0\" fontSize=\"9\" fontSizeUnit=\"Point\" textOpacity=\"1\" "
      "textColor=\"30,30,30,255\">\n"
      "    <text-buffer bufferDraw=\"1\" bufferSize=\"1\" bufferSizeUnits=\"MM\" bufferOpacity=\"1\" "
      "bufferColor=\"255,255,255,255\"/>\n   </text-style>\n"
      "   <placement placement=\"%d\" placementFlags=\"10\" dist=\"1\" distUnits=\"MM\" offsetType=\"1\" "
      "priority=\"8\" "
      "predefinedPositionOrder=\"TR,TL,BR,BL,R,L,TSR,BSR\"/>\n"
      "   <rendering drawLabels=\"1\" obstacle=\"1\" fontMaxPixelSize=\"10000\"/>\n  </settings>\n </labeling>\n",
      field, placement);
}

/** @param label the attribute that is written at each feature; NULL: none */
static void end_style(struct sciara_text *t, const char *label, enum symbol kind) {
  sciara_text_append(t, "  </symbols>\n </renderer-v2>\n");
  if (label) labels(t, label, kind);
  sciara_text_append(t, " <blendMode>0</blendMode>\n</qgis>\n");
}

/** The colour of zone k. */
static void qml_colour(const struct sciara_zones *z, size_t k, uint8_t rgb[3]) {
  sciara_ramp_colour(sciara_ramp_for(z->ramp), ((double)k + 0.5) / (double)z->count, rgb);
}

/**
 * A colour for each zone.
 *
 * @param label the attribute that is written at each feature of a layer with names
 * @param lines the features are the borders of the zones
 */
static struct sciara_text qml_zones(const struct sciara_zones *z, const char *label, bool lines) {
  static const uint8_t lava[3] = {200, 20, 20}, named[3] = {140, 0, 160}; // as barriers in pictures
  struct sciara_text t = {0};
  begin_style(&t, "label");
  for (size_t k = 0; k < z->count; k++) category(&t, k, z->zone[k].label);
  symbols(&t);
  for (size_t k = 0; k < z->count; k++) {
    uint8_t c[3];
    memcpy(c, z->named ? named : lava, sizeof c);
    if (z->ramp) qml_colour(z, k, c);
    symbol(&t, k, lines ? LINE : z->ramp ? AREA : BORDER, c);
  }
  end_style(&t, z->named ? label : NULL, lines ? LINE : AREA);
  return t;
}

/** One symbol for all; `label` as above. */
static struct sciara_text qml_marks(const struct sciara_vector_marks *marks, const char *label) {
  static const uint8_t vent[3] = {0, 200, 215}, run_out[3] = {255, 240, 90};
  const enum symbol kind = marks->lines ? LINE : marks->distant ? CIRCLE : TRIANGLE;
  struct sciara_text t = {0};
  single(&t);
  symbol(&t, 0, kind, marks->distant ? run_out : vent);
  end_style(&t, marks->named ? label : NULL, kind);
  return t;
}

// -------------------------------------------------------------------------------------------------------------- places

enum { SHARE_CLASSES = SCIARA_ZONES_SHARES + 1, SHARE_LABEL = 64 };

/** The label of a class of probabilities: "below 1 %", "1 to 5 %", "75 % and more". */
static void name_share(size_t k, char label[SHARE_LABEL]) {
  const double *edges = sciara_zones_shares;
  if (k == 0)
    snprintf(label, SHARE_LABEL, "below %.9g %%", 100 * edges[0]);
  else if (k == SCIARA_ZONES_SHARES)
    snprintf(label, SHARE_LABEL, "%.9g %% and more", 100 * edges[k - 1]);
  else
    snprintf(label, SHARE_LABEL, "%.9g to %.9g %%", 100 * edges[k - 1], 100 * edges[k]);
}

static const char no_member[] = "no member";

/** What places are coloured by: their state, or the class of their probability. */
static void append_class(const struct sciara_vector_places *q, struct sciara_text *t) {
  char label[SHARE_LABEL];
  if (!q->share) {
    sciara_text_append(t, "state");
    return;
  }
  sciara_text_append(t, "CASE WHEN \"state\" <> 'land' THEN \"state\" WHEN \"%s\" = 0 THEN '%s'", q->share, no_member);
  for (size_t k = 0; k < SCIARA_ZONES_SHARES; k++) {
    name_share(k, label);
    sciara_text_append(t, " WHEN \"%s\" < %.9g THEN '%s'", q->share, sciara_zones_shares[k], label);
  }
  name_share(SCIARA_ZONES_SHARES, label);
  sciara_text_append(t, " WHEN \"%s\" >= %.9g THEN '%s' END", q->share, sciara_zones_shares[SCIARA_ZONES_SHARES - 1],
                     label);
}

/** A class of places. */
struct place_class {
  char label[SHARE_LABEL];
  uint8_t rgb[3];
};

/** The classes in the order of a legend; their number. */
static size_t list_classes(bool shares, struct place_class out[SHARE_CLASSES + 5]) {
  static const struct place_class reached = {"reached", {200, 20, 20}}, nowhere[] = {{"sea", {130, 130, 130}},
                                                                                     {"NODATA", {130, 130, 130}},
                                                                                     {"outside", {130, 130, 130}}};
  size_t count = 0;
  for (size_t k = SHARE_CLASSES; shares && k-- > 0; count++) {
    name_share(k, out[count].label);
    sciara_ramp_colour(sciara_ramp_for("probability"), ((double)k + 0.5) / SHARE_CLASSES, out[count].rgb);
  }
  if (!shares) out[count++] = reached;
  out[count] = (struct place_class){.rgb = {40, 120, 40}};
  snprintf(out[count].label, sizeof out[count].label, "%s", shares ? no_member : "not reached");
  count++;
  for (size_t k = 0; k < 3; k++) out[count++] = nowhere[k];
  return count;
}

/** A colour for each state, or for each class of probabilities; the layer has the places of one kind. */
static struct sciara_text qml_places(const struct sciara_vector_places *places, enum sciara_poi_kind kind) {
  static const enum symbol kinds[SCIARA_POI_KINDS] = {CIRCLE, LINE, AREA};
  struct place_class classes[SHARE_CLASSES + 5];
  const size_t count = list_classes(places->share, classes);
  struct sciara_text t = {0}, class = {0};
  append_class(places, &class);
  begin_style(&t, class.data ? class.data : "");
  if (class.failed != SCIARA_OK) t.failed = class.failed;
  for (size_t k = 0; k < count; k++) category(&t, k, classes[k].label);
  symbols(&t);
  for (size_t k = 0; k < count; k++) symbol(&t, k, kinds[kind], classes[k].rgb);
  end_style(&t, "name", kinds[kind]);
  sciara_text_free(&class);
  return t;
}

// --------------------------------------------------------------------------------------------------- polygons of cells

/** The zones as a raster in memory, 0 outside. */
static GDALDatasetH zone_raster(const struct sciara_grid *g, const struct sciara_zones *zones) {
  const int cols = (int)g->cols, rows = (int)g->rows;
  double transform[6] = {g->west, g->cell_size, 0, g->north, 0, -g->cell_size};
  GDALDatasetH d = GDALCreate(GDALGetDriverByName("MEM"), "", cols, rows, 1, GDT_Int32, NULL);
  if (d && GDALSetGeoTransform(d, transform) == CE_None &&
      GDALRasterIO(GDALGetRasterBand(d, 1), GF_Write, 0, 0, cols, rows, zones->member, cols, rows, GDT_Int32, 0, 0) ==
          CE_None)
    return d;
  if (d) GDALClose(d);
  return NULL;
}

/** A layer in memory with the one field "zone". */
static GDALDatasetH scratch_layer(OGRLayerH *layer) {
  GDALDriverH driver = GDALGetDriverByName("Memory");
  if (!driver) driver = GDALGetDriverByName("MEM"); // later versions of GDAL have one for both
  GDALDatasetH d = driver ? GDALCreate(driver, "", 0, 0, 0, GDT_Unknown, NULL) : NULL;
  *layer = d ? GDALDatasetCreateLayer(d, "zones", NULL, wkbPolygon, NULL) : NULL;
  OGRFieldDefnH field = OGR_Fld_Create("zone", OFTInteger);
  const bool made = *layer && OGR_L_CreateField(*layer, field, FALSE) == OGRERR_NONE;
  OGR_Fld_Destroy(field);
  if (made) return d;
  if (d) GDALClose(d);
  return NULL;
}

/** Each polygon goes to the multipolygon of its zone. */
static bool gather(OGRLayerH layer, const struct sciara_zones *zones, OGRGeometryH *out) {
  bool good = true;
  OGR_L_ResetReading(layer);
  for (OGRFeatureH feature; good && (feature = OGR_L_GetNextFeature(layer)); OGR_F_Destroy(feature)) {
    const int zone = OGR_F_GetFieldAsInteger(feature, 0);
    OGRGeometryH polygon = OGR_F_StealGeometry(feature);
    good = polygon && zone >= 1 && (size_t)zone <= zones->count;
    if (good && !out[zone - 1]) out[zone - 1] = OGR_G_CreateGeometry(wkbMultiPolygon);
    good = good && OGR_G_AddGeometryDirectly(out[zone - 1], polygon) == OGRERR_NONE;
    if (!good && polygon) OGR_G_DestroyGeometry(polygon);
  }
  return good;
}

/** Checks that the area of the polygons is that of the cells, which is reported as area_m2. */
static enum sciara_status check_areas(const struct sciara_grid *g, const struct sciara_zones *zones,
                                      const OGRGeometryH *polygons, const char *path) {
  for (size_t k = 0; k < zones->count; k++) {
    const double cells = (double)zones->zone[k].cells * g->cell_size * g->cell_size;
    const double drawn = polygons[k] ? OGR_G_Area(polygons[k]) : 0;
    if (!(fabs(drawn - cells) <= 1e-6 * cells))
      return sciara_fail(SCIARA_ERR_INTERNAL, "%s: layer %s, zone %s: the polygons have %.17g m2, the cells %.17g m2",
                         path, zones->name, zones->zone[k].label, drawn, cells);
  }
  return SCIARA_OK;
}

/** Destroys the geometries and leaves NULL. */
static void polygons_free(OGRGeometryH *polygons, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (polygons[k]) OGR_G_DestroyGeometry(polygons[k]);
    polygons[k] = NULL;
  }
}

/**
 * The multipolygon of each zone, in the coordinates of the grid: cells with a common edge are one polygon. Takes an
 * array of zones->count; the entry of a zone without cells is NULL. Release with polygons_free.
 */
static enum sciara_status polygonize(struct sciara_gdal_scope *scope, const struct sciara_grid *grid,
                                     const struct sciara_zones *zones, const char *path, OGRGeometryH *out) {
  if (grid->rows > INT_MAX || grid->cols > INT_MAX)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: polygons are made of at most %d rows and columns", path, INT_MAX);
  for (size_t k = 0; k < zones->count; k++) out[k] = NULL;
  OGRLayerH layer = NULL;
  GDALDatasetH raster = zone_raster(grid, zones), scratch = scratch_layer(&layer);
  GDALRasterBandH band = raster ? GDALGetRasterBand(raster, 1) : NULL;
  enum sciara_status status = SCIARA_OK;
  // The band is its own mask: cells of no zone are 0.
  if (!band || !scratch || GDALPolygonize(band, band, layer, 0, NULL, NULL, NULL) != CE_None ||
      !gather(layer, zones, out))
    status = sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_IO), "%s: the polygons cannot be made: %s", path,
                         sciara_gdal_message(scope));
  if (status == SCIARA_OK) status = check_areas(grid, zones, out, path);
  if (status != SCIARA_OK) polygons_free(out, zones->count);
  if (raster) GDALClose(raster);
  if (scratch) GDALClose(scratch);
  return status;
}

/** A format of polygons, with the settings for GDAL's driver. */
struct format {
  const char *driver, *suffix;
  const char *label;   ///< name of the field that says what a zone is
  const char *unknown; ///< what stands for the CRS of a run that names none; NULL: nothing
  OGRFieldType cells;  ///< what can hold a number of cells
  bool styled;         ///< features have colours
};

/** A file on its way: a dataset in GDAL's file system in memory. */
struct product {
  struct sciara_gdal_scope scope;
  const struct sciara_polygons *polygons;
  const struct sciara_vector_places *places; ///< NULL: none
  const struct format *format;
  const char *const *options; ///< of its layers
  const char *path;           ///< final name
  char *memory;               ///< name in memory
  OGRSpatialReferenceH srs;
  OGRCoordinateTransformationH change; ///< from the CRS of the grid to WGS 84; NULL: the file has that of the grid
  GDALDatasetH dataset;
  bool no_text; ///< there was no memory for a text
};

static enum sciara_status gdal_failure(const struct product *p) {
  if (p->no_text) return sciara_fail(SCIARA_ERR_MEMORY, "%s: cannot be written: no memory for a text", p->path);
  return sciara_fail(sciara_gdal_status(&p->scope, SCIARA_ERR_IO), "%s: cannot be written: %s", p->path,
                     sciara_gdal_message(&p->scope));
}

static enum sciara_status begin(struct product *p, const struct format *format, const char *const *options) {
  const char *wkt = p->polygons->georef ? p->polygons->georef->crs_wkt : NULL;
  if (!wkt) wkt = format->unknown;
  sciara_gdal_enter(&p->scope, true);
  p->format = format;
  p->memory = sciara_format("/vsimem/sciara-%p/product.%s", (void *)p, format->suffix); // two threads, two names
  if (!p->memory) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", p->path);
  if (wkt) SCIARA_TRY(sciara_srs_parse(wkt, &p->srs));
  GDALDriverH driver = GDALGetDriverByName(format->driver);
  if (!driver) return sciara_fail(SCIARA_ERR_IO, "%s: this GDAL cannot write %s", p->path, format->driver);
  p->dataset = GDALCreate(driver, p->memory, 0, 0, 0, GDT_Unknown, (char **)(uintptr_t)options);
  return p->dataset ? SCIARA_OK : gdal_failure(p);
}

/** Closes the dataset; its bytes become the file unless `status` is a failure. */
static enum sciara_status end(struct product *p, enum sciara_status status) {
  if (p->dataset) GDALClose(p->dataset); // returns nothing: what went wrong shows only in the errors raised meanwhile
  if (status == SCIARA_OK && p->scope.failed) status = gdal_failure(p);
  if (status == SCIARA_OK) {
    vsi_l_offset size = 0;
    const GByte *bytes = VSIGetMemFileBuffer(p->memory, &size, FALSE);
    status = bytes ? sciara_file_replace(p->path, bytes, (size_t)size) : gdal_failure(p);
  }
  if (p->memory) VSIUnlink(p->memory);
  free(p->memory);
  if (p->change) OCTDestroyCoordinateTransformation(p->change);
  OSRRelease(p->srs);
  sciara_gdal_leave(&p->scope);
  return status;
}

static bool add_field(OGRLayerH layer, const char *name, OGRFieldType type) {
  OGRFieldDefnH field = OGR_Fld_Create(name, type);
  const bool made = OGR_L_CreateField(layer, field, TRUE) == OGRERR_NONE;
  OGR_Fld_Destroy(field);
  return made;
}

/** Dates of features with a time: KML makes a TimeSpan of fields with these names. */
static const char begin_field[] = "begin", end_field[] = "end";

static bool add_dates(OGRLayerH layer, const struct product *p) {
  return !p->polygons->start ||
         (add_field(layer, begin_field, OFTDateTime) && add_field(layer, end_field, OFTDateTime));
}

/** The date `seconds` after the start of the run; a time that is not finite leaves the field NULL. */
static void set_date(OGRFeatureH f, const struct product *p, const char *field, double seconds) {
  char date[SCIARA_DATE_SIZE];
  int year, month, day, hour, minute, second;
  enum { UTC = 100 };
  if (sciara_date_after(p->polygons->start, seconds, date) &&
      sscanf(date, "%d-%d-%dT%d:%d:%dZ", &year, &month, &day, &hour, &minute, &second) == 6)
    OGR_F_SetFieldDateTime(f, OGR_F_GetFieldIndex(f, field), year, month, day, hour, minute, second, UTC);
}

static bool is_timed(const struct sciara_zones *z) { return z->lower && strcmp(z->lower, "from_s") == 0; }

static bool add_fields(OGRLayerH layer, const struct product *p, const struct sciara_zones *z) {
  const struct format *format = p->format;
  return (!is_timed(z) || add_dates(layer, p)) && add_field(layer, format->label, OFTString) &&
         (!z->lower || add_field(layer, z->lower, OFTReal)) && (!z->upper || add_field(layer, z->upper, OFTReal)) &&
         add_field(layer, "area_m2", OFTReal) && add_field(layer, "cells", format->cells);
}

/** Colours of zone k: its area see-through, its border darker; a zone without a ramp is a line alone. */
static void set_style(OGRFeatureH f, const struct sciara_zones *z, size_t k) {
  char style[96] = "PEN(c:#C81414FF,w:2px);BRUSH(fc:#00000000)";
  uint8_t c[3];
  if (z->ramp) {
    qml_colour(z, k, c);
    snprintf(style, sizeof style, "PEN(c:#%02X%02X%02XFF,w:1px);BRUSH(fc:#%02X%02X%02XB0)", c[0] / 2, c[1] / 2,
             c[2] / 2, c[0], c[1], c[2]);
  }
  OGR_F_SetStyleString(f, style);
}

/**
 * Moves the points west of a longitude by some degrees. A point within 11 cm of 180 degrees is put there, as GDAL does when it
 * writes 179.9999992 as 180: no sliver remains beside a cut.
 */
static void move_longitudes(OGRGeometryH g, double east, double degrees) {
  for (int k = 0; k < OGR_G_GetGeometryCount(g); k++) move_longitudes(OGR_G_GetGeometryRef(g, k), east, degrees);
  for (int k = 0; k < OGR_G_GetPointCount(g); k++) {
    double x = OGR_G_GetX(g, k);
    if (x < east) x += degrees;
    if (fabs(x - 180) < 1e-6) x = 180;
    OGR_G_SetPoint_2D(g, k, x, OGR_G_GetY(g, k));
  }
}

/** Adds to `all` the polygons, or else lines, of a geometry that lie from `west` to 180 degrees east of it. */
static bool add_half(OGRGeometryH all, OGRGeometryH geometry, double west) {
  const double x[] = {west, west + 180, west + 180, west, west}, y[] = {-90, -90, 90, 90, -90};
  OGRGeometryH box = OGR_G_CreateGeometry(wkbPolygon), ring = OGR_G_CreateGeometry(wkbLinearRing);
  for (int k = 0; k < 5; k++) OGR_G_AddPoint_2D(ring, x[k], y[k]);
  bool good = OGR_G_AddGeometryDirectly(box, ring) == OGRERR_NONE;
  OGRGeometryH part = good ? OGR_G_Intersection(geometry, box) : NULL;
  if (part && west > 0) move_longitudes(part, INFINITY, -360);
  const bool many = part && OGR_GT_IsSubClassOf(OGR_G_GetGeometryType(part), wkbGeometryCollection);
  const int count = many ? OGR_G_GetGeometryCount(part) : 1;
  good = part != NULL;
  for (int k = 0; k < count && good; k++) {
    OGRGeometryH one =
        many ? OGR_G_GetGeometryRef(part, k) : part; // where the box is only touched it is of a lower dimension
    if (OGR_G_GetDimension(one) == OGR_G_GetDimension(geometry)) good = OGR_G_AddGeometry(all, one) == OGRERR_NONE;
  }
  OGR_G_DestroyGeometry(part);
  OGR_G_DestroyGeometry(box);
  return good;
}

/**
 * The geometry in WGS 84, cut where it crosses 180 degrees, itself or a new one; NULL on failure. GDAL's own cut
 * (WRAPDATELINE) loses its way where a corner lies within a centimetre of this meridian.
 */
static OGRGeometryH to_wgs84(OGRCoordinateTransformationH change, OGRGeometryH geometry) {
  OGREnvelope box;
  if (OGR_G_Transform(geometry, change) != OGRERR_NONE) return NULL;
  OGR_G_GetEnvelope(geometry, &box);
  if (box.MaxX - box.MinX < 180) return geometry;
  move_longitudes(geometry, 0, 360);
  const bool areas = OGR_G_GetDimension(geometry) == 2, valid = !areas || OGR_G_IsValid(geometry);
  OGRGeometryH whole = valid ? geometry : OGR_G_MakeValid(geometry);
  OGRGeometryH all = OGR_G_CreateGeometry(areas ? wkbMultiPolygon : wkbMultiLineString);
  const bool good = whole && add_half(all, whole, 0) && add_half(all, whole, 180);
  if (!valid) OGR_G_DestroyGeometry(whole);
  if (good) return all;
  OGR_G_DestroyGeometry(all);
  return NULL;
}

/** Takes the geometry to the CRS of the file, and both into the layer; releases both if they are not `good`. */
static bool finish_feature(OGRLayerH layer, const struct product *p, OGRFeatureH f, OGRGeometryH geometry, bool good) {
  OGRGeometryH placed = good && p->change ? to_wgs84(p->change, geometry) : geometry;
  if (placed != geometry || !good) OGR_G_DestroyGeometry(geometry);
  const bool done = good && placed && OGR_F_SetGeometryDirectly(f, placed) == OGRERR_NONE &&
                    OGR_L_CreateFeature(layer, f) == OGRERR_NONE;
  OGR_F_Destroy(f);
  return done;
}

/**
 * A text that is valid in XML, whatever a scenario calls a vent, a place or an edit. LIBKML puts texts with markup between
 * "<![CDATA[" and "]]>" and does not look for the end in the text: it is divided by a blank.
 */
static enum sciara_status append_kml(struct sciara_text *t, const char *text) {
  struct sciara_text plain = {0};
  enum sciara_status status = sciara_text_append_plain(&plain, text);
  const char *at = plain.data ? plain.data : "";
  for (const char *end; status == SCIARA_OK && (end = strstr(at, "]]>")); at = end + 2)
    status = sciara_text_append(t, "%.*s]] ", (int)(end - at), at);
  if (status == SCIARA_OK) status = sciara_text_append(t, "%s", at);
  sciara_text_free(&plain);
  return status;
}

static bool set_text(OGRFeatureH f, struct product *p, const char *field, const char *text) {
  struct sciara_text kml = {0};
  const bool done = !p->format->styled || append_kml(&kml, text) == SCIARA_OK;
  if (done) OGR_F_SetFieldString(f, OGR_F_GetFieldIndex(f, field), kml.data ? kml.data : text);
  sciara_text_free(&kml);
  p->no_text |= !done;
  return done;
}

/** Zone k; takes the polygons. An edge that is not finite stays NULL. */
static bool add_feature(OGRLayerH layer, struct product *p, const struct sciara_zones *z, size_t k,
                        OGRGeometryH polygons) {
  const struct sciara_zone *zone = &z->zone[k];
  const double cell = p->polygons->grid->cell_size * p->polygons->grid->cell_size;
  OGRFeatureH f = OGR_F_Create(OGR_L_GetLayerDefn(layer));
  const bool good = set_text(f, p, p->format->label, zone->label);
  if (z->lower && isfinite(zone->lower)) OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, z->lower), zone->lower);
  if (z->upper && isfinite(zone->upper)) OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, z->upper), zone->upper);
  OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, "area_m2"), (double)zone->cells * cell);
  OGR_F_SetFieldInteger64(f, OGR_F_GetFieldIndex(f, "cells"), zone->cells);
  if (p->format->styled) set_style(f, z, k);
  if (is_timed(z)) set_date(f, p, begin_field, z->nesting ? zone->upper : zone->lower); // lava stays: it has no end
  return finish_feature(layer, p, f, polygons, good);
}

/** Zone k together with those that it contains. */
static enum sciara_status polygonize_nested(struct product *p, const struct sciara_zones *z, OGRGeometryH *polygons) {
  const int64_t cells = sciara_grid_cells(p->polygons->grid);
  int32_t *member;
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(member, cells, "the zones of a map"));
  for (size_t k = 0; k < z->count && status == SCIARA_OK; k++) {
    struct sciara_zone one = z->zone[k];
    const struct sciara_zones only = {.name = z->name, .member = member, .zone = &one, .count = 1};
    for (int64_t i = 0; i < cells; i++)
      member[i] = z->nesting == SCIARA_ZONES_AND_ABOVE ? z->member[i] > (int32_t)k
                                                       : z->member[i] > 0 && z->member[i] <= (int32_t)k + 1;
    status = polygonize(&p->scope, p->polygons->grid, &only, p->path, &polygons[k]);
  }
  sciara_free(member);
  return status;
}

static enum sciara_status add_layer(struct product *p, const struct sciara_zones *z) {
  OGRGeometryH *polygons = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(polygons, z->count + 1, "the polygons of a layer"));
  SCIARA_TRY_GOTO(z->nesting ? polygonize_nested(p, z, polygons)
                             : polygonize(&p->scope, p->polygons->grid, z, p->path, polygons));
  OGRLayerH layer =
      GDALDatasetCreateLayer(p->dataset, z->name, p->srs, wkbMultiPolygon, (char **)(uintptr_t)p->options);
  bool good = layer && add_fields(layer, p, z);
  for (size_t k = 0; k < z->count && good; k++) {
    if (!polygons[k]) continue;
    good = add_feature(layer, p, z, k, polygons[k]);
    polygons[k] = NULL;
  }
  if (!good) status = gdal_failure(p);
cleanup:
  if (polygons) polygons_free(polygons, z->count);
  sciara_free(polygons);
  return status;
}

// -------------------------------------------------------------------------------------------------- front lines, marks

/** The border of all zones up to the k-th as lines; NULL on failure. */
static OGRGeometryH border(struct product *p, const struct sciara_zones *z, size_t k, int32_t *member) {
  const int64_t cells = sciara_grid_cells(p->polygons->grid);
  struct sciara_zone all = {.label = "front"};
  const struct sciara_zones one = {.name = "front_lines", .member = member, .zone = &all, .count = 1};
  OGRGeometryH polygons = NULL;
  for (int64_t i = 0; i < cells; i++) {
    member[i] = z->member[i] > 0 && z->member[i] <= (int32_t)k + 1;
    all.cells += member[i];
  }
  if (polygonize(&p->scope, p->polygons->grid, &one, p->path, &polygons) != SCIARA_OK || !polygons) return NULL;
  return OGR_G_ForceToMultiLineString(polygons);
}

static bool add_front(OGRLayerH layer, const struct product *p, const struct sciara_zones *z, size_t k,
                      OGRGeometryH lines) {
  OGRFeatureH f = OGR_F_Create(OGR_L_GetLayerDefn(layer));
  char style[48];
  uint8_t c[3];
  OGR_F_SetFieldString(f, OGR_F_GetFieldIndex(f, p->format->label), z->zone[k].label);
  const double latest = p->polygons->latest_s, time = fmin(z->zone[k].upper, latest);
  OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, "time_s"), time);
  set_date(f, p, begin_field, time);
  if (k + 1 < z->count) set_date(f, p, end_field, fmin(z->zone[k + 1].upper, latest));
  qml_colour(z, k, c);
  snprintf(style, sizeof style, "PEN(c:#%02X%02X%02XFF,w:2px)", c[0], c[1], c[2]);
  if (p->format->styled) OGR_F_SetStyleString(f, style);
  return finish_feature(layer, p, f, lines, true);
}

static enum sciara_status add_fronts(struct product *p, const struct sciara_zones *z) {
  int32_t *member = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(member, sciara_grid_cells(p->polygons->grid), "the front lines of a map"));
  OGRLayerH layer =
      GDALDatasetCreateLayer(p->dataset, "front_lines", p->srs, wkbMultiLineString, (char **)(uintptr_t)p->options);
  bool good = layer && add_field(layer, p->format->label, OFTString) && add_field(layer, "time_s", OFTReal) &&
              add_dates(layer, p);
  for (size_t k = 0; k < z->count && good; k++) {
    if (z->zone[k].cells == 0) continue; // the front has not moved
    OGRGeometryH lines = border(p, z, k, member);
    good = lines && add_front(layer, p, z, k, lines);
  }
  if (!good) status = gdal_failure(p);
cleanup:
  sciara_free(member);
  return status;
}

static OGRGeometryH mark_geometry(const struct sciara_vector_mark *m, bool line) {
  OGRGeometryH g = OGR_G_CreateGeometry(line ? wkbLineString : wkbPoint);
  for (size_t k = 0; g && k < (line ? m->count : 1); k++) OGR_G_AddPoint_2D(g, m->points[k].x, m->points[k].y);
  return g;
}

static bool add_mark(OGRLayerH layer, struct product *p, const struct sciara_vector_marks *marks, size_t k) {
  const struct sciara_vector_mark *m = &marks->mark[k];
  OGRGeometryH geometry = mark_geometry(m, marks->lines);
  OGRFeatureH f = OGR_F_Create(OGR_L_GetLayerDefn(layer));
  bool good = geometry && set_text(f, p, p->format->label, m->label);
  for (size_t c = 0; c < marks->text_columns && good; c++) good = set_text(f, p, marks->text_column[c], m->text[c]);
  if (marks->distant) OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, "run_out_m"), m->metres);
  if (marks->timed && isfinite(m->from_s)) OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, "time_s"), m->from_s);
  if (marks->timed) set_date(f, p, begin_field, m->from_s);
  if (marks->timed) set_date(f, p, end_field, m->until_s);
  for (size_t c = 0; c < marks->columns; c++)
    if (isfinite(m->value[c])) OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, marks->column[c]), m->value[c]);
  if (p->format->styled && marks->lines) OGR_F_SetStyleString(f, "PEN(c:#00C8D7FF,w:4px)");
  return finish_feature(layer, p, f, geometry, good);
}

static enum sciara_status add_marks(struct product *p, const struct sciara_vector_marks *marks) {
  OGRLayerH layer = GDALDatasetCreateLayer(p->dataset, marks->name, p->srs, marks->lines ? wkbLineString : wkbPoint,
                                           (char **)(uintptr_t)p->options);
  bool good = layer && add_field(layer, p->format->label, OFTString) &&
              (!marks->distant || add_field(layer, "run_out_m", OFTReal)) &&
              (!marks->timed || (add_field(layer, "time_s", OFTReal) && add_dates(layer, p)));
  for (size_t k = 0; k < marks->text_columns && good; k++) good = add_field(layer, marks->text_column[k], OFTString);
  for (size_t k = 0; k < marks->columns && good; k++) good = add_field(layer, marks->column[k], OFTReal);
  for (size_t k = 0; k < marks->count && good; k++) good = add_mark(layer, p, marks, k);
  return good ? SCIARA_OK : gdal_failure(p);
}

// -------------------------------------------------------------------------------------------------------------- places

static const char *const place_layers[SCIARA_POI_KINDS] = {"points", "lines", "zones"};
static const OGRwkbGeometryType place_types[SCIARA_POI_KINDS] = {wkbMultiPoint, wkbMultiLineString, wkbMultiPolygon};

/** The parts of a place as one geometry; rings that run the other way are holes of the one before. NULL: no memory. */
static OGRGeometryH place_geometry(const struct sciara_poi *poi) {
  static const OGRwkbGeometryType parts[SCIARA_POI_KINDS] = {wkbPoint, wkbLineString, wkbLinearRing};
  OGRGeometryH whole = OGR_G_CreateGeometry(place_types[poi->kind]), polygon = NULL;
  bool good = whole != NULL;
  for (size_t k = 0, begin = 0; k < sciara_poi_parts(poi) && good; k++) {
    const size_t end = sciara_poi_end(poi, k);
    OGRGeometryH part = OGR_G_CreateGeometry(parts[poi->kind]);
    double twice = 0;
    for (size_t i = begin; part && i < end; i++) {
      const struct sciara_point a = poi->points[i], b = poi->points[i + 1 < end ? i + 1 : begin],
                                o = poi->points[begin];
      OGR_G_AddPoint_2D(part, a.x, a.y);
      twice += (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
    }
    if (part && poi->kind == SCIARA_POI_ZONE) {
      const bool hole = twice < 0 && polygon;
      OGR_G_CloseRings(part);
      if (!hole) polygon = OGR_G_CreateGeometry(wkbPolygon);
      good = polygon && OGR_G_AddGeometryDirectly(polygon, part) == OGRERR_NONE &&
             (hole || OGR_G_AddGeometryDirectly(whole, polygon) == OGRERR_NONE);
    } else {
      good = part && OGR_G_AddGeometryDirectly(whole, part) == OGRERR_NONE;
    }
    begin = end;
  }
  if (good) return whole;
  OGR_G_DestroyGeometry(whole);
  return NULL;
}

static bool add_place(OGRLayerH layer, const struct sciara_vector_places *q, size_t k) {
  const struct sciara_poi *poi = &q->pois[k];
  OGRFeatureH f = OGR_F_Create(OGR_L_GetLayerDefn(layer));
  int column = 0;
  OGR_F_SetFieldString(f, column++, poi->name ? poi->name : "");
  for (size_t c = 0; c < q->text_columns; c++, column++)
    if (*q->text[k * q->text_columns + c]) OGR_F_SetFieldString(f, column, q->text[k * q->text_columns + c]);
  for (size_t c = 0; c < q->columns; c++, column++)
    if (isfinite(q->value[k * q->columns + c])) OGR_F_SetFieldDouble(f, column, q->value[k * q->columns + c]);
  OGRGeometryH geometry = poi->point_count > 0 ? place_geometry(poi) : NULL;
  const bool good = (geometry || poi->point_count == 0) &&
                    (!geometry || OGR_F_SetGeometryDirectly(f, geometry) == OGRERR_NONE) &&
                    OGR_L_CreateFeature(layer, f) == OGRERR_NONE;
  OGR_F_Destroy(f);
  return good;
}

static enum sciara_status add_place_layer(struct product *p, enum sciara_poi_kind kind) {
  const struct sciara_vector_places *q = p->places;
  OGRLayerH layer =
      GDALDatasetCreateLayer(p->dataset, place_layers[kind], p->srs, place_types[kind], (char **)(uintptr_t)p->options);
  bool good = layer && add_field(layer, "name", OFTString);
  for (size_t c = 0; c < q->text_columns && good; c++) good = add_field(layer, q->text_column[c], OFTString);
  for (size_t c = 0; c < q->columns && good; c++) good = add_field(layer, q->column[c], OFTReal);
  for (size_t k = 0; k < q->count && good; k++)
    if (q->pois[k].kind == kind) good = add_place(layer, q, k);
  return good ? SCIARA_OK : gdal_failure(p);
}

/** Whether a file of places has any of a kind. */
static bool has_places(const struct product *p, enum sciara_poi_kind kind) {
  for (size_t k = 0; p->places && k < p->places->count; k++)
    if (p->places->pois[k].kind == kind) return true;
  return false;
}

// -------------------------------------------------------------------------------------------------------------- layers

/** Polygons, then lines and points, which lie over them; places. */
static enum sciara_status add_layers(struct product *p) {
  const struct sciara_polygons *q = p->polygons;
  for (size_t k = 0; k < q->count; k++) SCIARA_TRY(add_layer(p, &q->layers[k]));
  if (q->fronts) SCIARA_TRY(add_fronts(p, q->fronts));
  for (size_t k = 0; k < q->mark_layers; k++) SCIARA_TRY(add_marks(p, &q->marks[k]));
  for (enum sciara_poi_kind kind = 0; kind < SCIARA_POI_KINDS; kind++)
    if (has_places(p, kind)) SCIARA_TRY(add_place_layer(p, kind));
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------- styles

/** The table in which QGIS looks for styles; it is no layer of the map. */
static OGRLayerH add_style_table(const struct product *p) {
  static const char *const texts[] = {"f_table_catalog", "f_table_schema",
                                      "f_table_name",    "f_geometry_column",
                                      "styleName",       "styleQML",
                                      "styleSLD",        "description",
                                      "owner",           "ui"};
  OGRLayerH layer = GDALDatasetCreateLayer(p->dataset, "layer_styles", NULL, wkbNone, NULL);
  bool good = layer != NULL;
  for (size_t k = 0; k < sizeof texts / sizeof *texts && good; k++) good = add_field(layer, texts[k], OFTString);
  OGRFieldDefnH preset = OGR_Fld_Create("useAsDefault", OFTInteger);
  OGR_Fld_SetSubType(preset, OFSTBoolean);
  good = good && OGR_L_CreateField(layer, preset, TRUE) == OGRERR_NONE && add_field(layer, "update_time", OFTDateTime);
  OGR_Fld_Destroy(preset);
  return good ? layer : NULL;
}

/** Adds the style of a layer, and releases it. */
static enum sciara_status add_style(const struct product *p, OGRLayerH table, const char *layer,
                                    struct sciara_text qml) {
  OGRFeatureH f = OGR_F_Create(OGR_L_GetLayerDefn(table));
  const char *const values[][2] = {{"f_table_catalog", ""},       {"f_table_schema", ""}, {"f_table_name", layer},
                                   {"f_geometry_column", "geom"}, {"styleName", layer},   {"styleQML", qml.data},
                                   {"description", "of sciara"},  {"owner", ""}};
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; qml.failed == SCIARA_OK && k < sizeof values / sizeof *values; k++)
    OGR_F_SetFieldString(f, OGR_F_GetFieldIndex(f, values[k][0]), values[k][1]);
  OGR_F_SetFieldInteger(f, OGR_F_GetFieldIndex(f, "useAsDefault"), 1);
  if (qml.failed != SCIARA_OK)
    status = sciara_fail(qml.failed, "%s: no memory for the style of a layer", p->path);
  else if (OGR_L_CreateFeature(table, f) != OGRERR_NONE)
    status = gdal_failure(p);
  OGR_F_Destroy(f);
  sciara_text_free(&qml);
  return status;
}

static enum sciara_status add_styles(struct product *p) {
  const struct sciara_polygons *q = p->polygons;
  const char *label = p->format->label;
  OGRLayerH table = add_style_table(p);
  if (!table) return gdal_failure(p);
  for (size_t k = 0; k < q->count; k++)
    SCIARA_TRY(add_style(p, table, q->layers[k].name, qml_zones(&q->layers[k], label, false)));
  if (q->fronts) SCIARA_TRY(add_style(p, table, "front_lines", qml_zones(q->fronts, label, true)));
  for (size_t k = 0; k < q->mark_layers; k++)
    SCIARA_TRY(add_style(p, table, q->marks[k].name, qml_marks(&q->marks[k], label)));
  for (enum sciara_poi_kind kind = 0; kind < SCIARA_POI_KINDS; kind++)
    if (has_places(p, kind)) SCIARA_TRY(add_style(p, table, place_layers[kind], qml_places(p->places, kind)));
  return SCIARA_OK;
}

// GeoPackage's own name for metres from somewhere; without any CRS GDAL would say degrees.
static const struct format geopackage = {.driver = "GPKG",
                                         .suffix = "gpkg",
                                         .label = "label",
                                         .cells = OFTInteger64,
                                         .unknown = "LOCAL_CS[\"Undefined Cartesian SRS\",UNIT[\"metre\",1]]"};

static enum sciara_status write_gpkg(struct product *p) {
  char *description = sciara_format("DESCRIPTION=%s", p->polygons->title ? p->polygons->title : "lava");
  if (!description) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %s", p->path);
  const char *const options[] = {"GEOMETRY_NAME=geom", description, NULL};
  p->options = options;
  enum sciara_status status = begin(p, &geopackage, NULL);
  if (status == SCIARA_OK && GDALDatasetStartTransaction(p->dataset, FALSE) != OGRERR_NONE) status = gdal_failure(p);
  if (status == SCIARA_OK) status = add_layers(p);
  if (status == SCIARA_OK) status = add_styles(p);
  if (status == SCIARA_OK && GDALDatasetCommitTransaction(p->dataset) != OGRERR_NONE) status = gdal_failure(p);
  free(description);
  return end(p, status);
}

enum sciara_status sciara_polygons_write_gpkg(const struct sciara_polygons *polygons, const char *path) {
  struct product p = {.polygons = polygons, .path = path};
  return write_gpkg(&p);
}

enum sciara_status sciara_places_write_gpkg(const struct sciara_vector_places *places, const struct sciara_grid *grid,
                                            const struct sciara_georef *georef, const char *title, const char *path) {
  const struct sciara_polygons none = {.grid = grid, .georef = georef, .title = title};
  struct product p = {.polygons = &none, .places = places, .path = path};
  return write_gpkg(&p);
}

/** From now on geometries go from the CRS of the grid to WGS 84, x the longitude, and are cut where it is 180 degrees. */
static enum sciara_status change_to_wgs84(struct product *p) {
  OGRSpatialReferenceH from = p->srs;
  p->srs = NULL;
  enum sciara_status status = sciara_srs_parse("EPSG:4326", &p->srs);
  if (status == SCIARA_OK && !(p->change = OCTNewCoordinateTransformation(from, p->srs)))
    status = sciara_fail(sciara_gdal_status(&p->scope, SCIARA_ERR_INPUT), "%s: the CRS cannot be changed to WGS 84: %s",
                         p->path, sciara_gdal_message(&p->scope));
  OSRRelease(from);
  return status;
}

enum sciara_status sciara_polygons_write_geojson(const struct sciara_polygons *polygons, const char *path) {
  static const struct format format = {
      .driver = "GeoJSON", .suffix = "geojson", .label = "label", .cells = OFTInteger64};
  static const char *const wgs84[] = {"RFC7946=YES", "WRITE_NAME=YES", NULL}, *const plain[] = {"WRITE_NAME=YES", NULL};
  struct product p = {.polygons = polygons, .path = path};
  enum sciara_status status = begin(&p, &format, NULL);
  p.options = p.srs ? wgs84 : plain;
  if (status == SCIARA_OK && p.srs) status = change_to_wgs84(&p);
  if (status == SCIARA_OK) status = add_layers(&p);
  return end(&p, status);
}

enum sciara_status sciara_polygons_write_kml(const struct sciara_polygons *polygons, const char *path) {
  static const struct format format = {
      .driver = "LIBKML", .suffix = "kml", .label = "Name", .cells = OFTReal, .styled = true};
  if (!polygons->georef || !polygons->georef->crs_wkt)
    return sciara_fail(SCIARA_ERR_USAGE, "%s: KML needs a CRS", path);
  struct product p = {.polygons = polygons, .path = path};
  struct sciara_text name = {0};
  sciara_text_append(&name, "NAME=");
  SCIARA_TRY(append_kml(&name, polygons->title ? polygons->title : "lava"));
  const char *const options[] = {name.data, NULL}, *const folder[] = {"FOLDER=YES", NULL};
  p.options = folder;
  enum sciara_status status = begin(&p, &format, options);
  if (status == SCIARA_OK) status = change_to_wgs84(&p);
  if (status == SCIARA_OK) status = add_layers(&p);
  sciara_text_free(&name);
  return end(&p, status);
}
