// SPDX-License-Identifier: Apache-2.0
#include "file/vector_open.h"

#include <cpl_string.h>
#include <inttypes.h>
#include <math.h>
#include <ogr_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/date.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"

/** The drivers that any vector file may use. Others open addresses on the network, or files that name other files. */
static const char *const vector_drivers[] = {"GPKG", "ESRI Shapefile", "GeoJSON",         "FlatGeobuf",
                                             "KML",  "MapInfo File",   (const char *)NULL};

char **sciara_vector_allowed(const char *const *extra, size_t extra_count) {
  char **list = NULL;
  for (const char *const *name = vector_drivers; *name; name++) list = CSLAddString(list, *name);
  for (size_t i = 0; i < extra_count; i++) list = CSLAddString(list, extra[i]);
  return list;
}

enum sciara_status sciara_vector_open(const char *path, const char *name, const char *const *extra, size_t extra_count,
                                      GDALDriverH *looks, GDALDatasetH *dataset) {
  static const unsigned how = GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR;
  *dataset = NULL;
  *looks = GDALIdentifyDriverEx(name, GDAL_OF_VECTOR, vector_drivers, NULL);
  if (*looks) {
    static const char *const as_text[] = {"DATE_AS_STRING=YES",
                                          (const char *)NULL}; // GDAL drops the zone of "06:00 HST"
    const bool json = strcmp(GDALGetDriverShortName(*looks), "GeoJSON") == 0;
    *dataset = GDALOpenEx(name, how, vector_drivers, json ? as_text : NULL, NULL);
    return SCIARA_OK;
  }
  if (extra_count == 0) return SCIARA_OK;
  char **drivers = NULL, *plain = sciara_gdal_plain_path(path);
  if (!plain) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", path);
  for (size_t i = 0; i < extra_count; i++) drivers = CSLAddString(drivers, extra[i]);
  *looks = GDALIdentifyDriverEx(plain, GDAL_OF_VECTOR, (const char *const *)drivers, NULL);
  if (*looks) *dataset = GDALOpenEx(plain, how, (const char *const *)drivers, NULL, NULL);
  CSLDestroy(drivers);
  free(plain);
  return SCIARA_OK;
}

/** Whether a layer may hold geometry of one of the kinds; what holds any geometry may hold all. */
static bool may_hold(OGRLayerH layer, unsigned kinds) {
  const OGRwkbGeometryType type = OGR_GT_Flatten(OGR_L_GetGeomType(layer));
  if (type == wkbNone) return false;
  if (type == wkbUnknown || type == wkbGeometryCollection) return true;
  if (type == wkbPoint || type == wkbMultiPoint) return kinds & SCIARA_VECTOR_POINTS;
  if (OGR_GT_IsCurve(type) || OGR_GT_IsSubClassOf(type, wkbMultiCurve)) return kinds & SCIARA_VECTOR_LINES;
  return kinds & SCIARA_VECTOR_POLYGONS;
}

enum sciara_status sciara_vector_find_layer(GDALDatasetH dataset, const char *name, unsigned kinds,
                                            struct sciara_vector_layer *out) {
  enum sciara_status status = SCIARA_OK;
  *out = (struct sciara_vector_layer){.count = GDALDatasetGetLayerCount(dataset)};
  for (int i = 0; i < out->count; i++) out->suitable += may_hold(GDALDatasetGetLayer(dataset, i), kinds);
  for (int i = 0; i < out->count && status == SCIARA_OK; i++) {
    OGRLayerH layer = GDALDatasetGetLayer(dataset, i);
    const bool suits = may_hold(layer, kinds), only = suits ? out->suitable == 1 : out->count == 1;
    if (name ? strcmp(OGR_L_GetName(layer), name) == 0 : only) out->layer = layer;
    if (suits || out->suitable == 0)
      status = sciara_text_append(&out->names, "%s\"%s\"", out->names.length ? ", " : "", OGR_L_GetName(layer));
  }
  return status;
}

enum sciara_status sciara_vector_append_names(struct sciara_text *out, const char *path, const char *suffix) {
  char *target = sciara_format("%.*s-%s.gpkg", (int)sciara_path_stem(path), path, suffix);
  if (!target) return sciara_no_memory("a command");
  enum sciara_status status = sciara_shell_quote(out, target);
  free(target);
  if (status == SCIARA_OK) status = sciara_text_append(out, " ");
  return status == SCIARA_OK ? sciara_shell_quote(out, path) : status;
}

/** The coordinates are most likely those of the grid. */
static enum sciara_status fail_metres(const char *path, const OGREnvelope *e, OGRSpatialReferenceH grid) {
  struct sciara_text command = {0};
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY_GOTO(sciara_text_append(&command, "ogr2ogr -a_srs "));
  SCIARA_TRY_GOTO(sciara_shell_append_crs(&command, grid));
  SCIARA_TRY_GOTO(sciara_text_append(&command, " "));
  SCIARA_TRY_GOTO(sciara_vector_append_names(&command, path, "placed"));
  status = sciara_fail(SCIARA_ERR_INPUT,
                       "%s: is in degrees (as GeoJSON without \"crs\" is), but has coordinates beyond 180 degrees: x "
                       "%.9g to %.9g, y %.9g to %.9g. If they are metres in the CRS of the DEM, name it with: %s",
                       path, e->MinX, e->MaxX, e->MinY, e->MaxY, command.data);
cleanup:
  sciara_text_free(&command);
  return status;
}

static enum sciara_status fail_swapped(const char *path, const OGREnvelope *e) {
  struct sciara_text command = {0};
  enum sciara_status status = sciara_text_append(
      &command, "ogr2ogr -s_srs EPSG:4326 -t_srs EPSG:4326 -ct '+proj=pipeline +step +proj=axisswap +order=2,1' ");
  if (status == SCIARA_OK) status = sciara_vector_append_names(&command, path, "placed");
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: has latitude before longitude (%.9g to %.9g, %.9g to %.9g): so it lies off the DEM, and "
                         "the other way round on it. Exchange them with: %s",
                         path, e->MinX, e->MaxX, e->MinY, e->MaxY, command.data);
  sciara_text_free(&command);
  return status;
}

/** Without a CRS; so coordinates are those of the grid, from which they are far, but could be degrees. */
static enum sciara_status fail_nameless(const char *path, const OGREnvelope *e) {
  struct sciara_text command = {0};
  enum sciara_status status = sciara_text_append(&command, "ogr2ogr -a_srs EPSG:4326 ");
  if (status == SCIARA_OK) status = sciara_vector_append_names(&command, path, "placed");
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: names no CRS, and its coordinates (x %.9g to %.9g, y %.9g to %.9g) look like degrees and "
                         "lie off the DEM. If they are longitude and latitude, say so with: %s",
                         path, e->MinX, e->MaxX, e->MinY, e->MaxY, command.data);
  sciara_text_free(&command);
  return status;
}

OGRSpatialReferenceH sciara_vector_srs(OGRLayerH layer) {
  OGRSpatialReferenceH srs = OGR_L_GetSpatialRef(layer);
  const char *name = srs ? OSRGetName(srs) : NULL;
  OGREnvelope e;
  if (!name || strncasecmp(name, "undefined", strlen("undefined")) != 0) return srs;
  if (OSRIsLocal(srs)) return NULL;
  const bool degrees = OGR_L_GetExtent(layer, &e, TRUE) == OGRERR_NONE && fabs(e.MinX) <= 360 && fabs(e.MaxX) <= 360 &&
                       fabs(e.MinY) <= 90 && fabs(e.MaxY) <= 90;
  return degrees ? srs : NULL; // GDAL calls any CRS that it does not have an undefined geographic one
}

static bool overlaps(const double a[4], const double b[4]) {
  return a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
}

enum sciara_status sciara_vector_check_degrees(const char *path, OGRLayerH layer, const char *crs_wkt,
                                               const double *box) {
  OGRSpatialReferenceH own = sciara_vector_srs(layer), grid = NULL;
  OGREnvelope e;
  if ((own && !OSRIsGeographic(own)) || !crs_wkt || OGR_L_GetExtent(layer, &e, TRUE) != OGRERR_NONE) return SCIARA_OK;
  if (!own) {
    const double around[4] = {e.MinX, e.MinY, e.MaxX, e.MaxY};
    const bool degrees = fmax(fabs(e.MinX), fabs(e.MaxX)) <= 360 && fmax(fabs(e.MinY), fabs(e.MaxY)) <= 90;
    return box && degrees && !overlaps(around, box) ? fail_nameless(path, &e) : SCIARA_OK;
  }
  SCIARA_TRY(sciara_srs_parse(crs_wkt, &grid));
  enum sciara_status status = SCIARA_OK;
  double where[4];
  const double found[4] = {e.MinX, e.MinY, e.MaxX, e.MaxY}, swapped[4] = {e.MinY, e.MinX, e.MaxY, e.MaxX};
  OGRSpatialReferenceH degrees = OSRClone(own);
  OSRSetAxisMappingStrategy(degrees, OAMS_TRADITIONAL_GIS_ORDER);
  if (fmax(fabs(e.MinX), fabs(e.MaxX)) > 720 || fmax(fabs(e.MinY), fabs(e.MaxY)) > 720)
    status = fail_metres(path, &e, grid);
  else if (box && sciara_srs_change_box(grid, degrees, box, where) && !overlaps(found, where) &&
           overlaps(swapped, where))
    status = fail_swapped(path, &e);
  OSRRelease(degrees);
  OSRRelease(grid);
  return status;
}

// ------------------------------------------------------------------------------------------------- dates of features

enum { GMT = 100, QUARTER_S = 15 * 60 };     // the zones of GDAL are quarters of an hour from GMT
enum { DAY_S = 24 * 60 * 60, STEP_S = 120 }; // a run ends up to a step after a time

/** A date in a text, also as GDAL prints one, "2006/07/14 23:30:00+00". */
static bool parse_text(const char *value, double *date) {
  char text[64];
  bool zoned;
  if (snprintf(text, sizeof text, "%s", value) >= (int)sizeof text) return false;
  if (strlen(text) >= strlen("2006/07/14") && text[4] == '/' && text[7] == '/') text[4] = text[7] = '-';
  if (!sciara_parse_date(text, date, &zoned)) return false;
  *date = floor(*date); // as it is printed
  return true;
}

bool sciara_vector_date_of(OGRFeatureH feature, int field, double *date) {
  int year, month, day, hour, minute, zone;
  float second;
  bool zoned;
  char text[64];
  if (field < 0 || !OGR_F_IsFieldSetAndNotNull(feature, field)) return false;
  const OGRFieldType type = OGR_Fld_GetType(OGR_F_GetFieldDefnRef(feature, field));
  if (type == OFTString) return parse_text(OGR_F_GetFieldAsString(feature, field), date);
  if (type != OFTDate && type != OFTDateTime) return false;
  if (!OGR_F_GetFieldAsDateTimeEx(feature, field, &year, &month, &day, &hour, &minute, &second, &zone)) return false;
  snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, hour, minute, (int)second);
  if (!sciara_parse_date(text, date, &zoned)) return false;
  if (zone > 1) *date -= (zone - GMT) * QUARTER_S; // else it is unknown, or that of the machine
  return true;
}

bool sciara_vector_has_date(OGRFeatureH feature, const struct sciara_vector_date *of) {
  double date;
  return of->field < 0 || (sciara_vector_date_of(feature, of->field, &date) && date == of->date);
}

/** The dates of a field. */
struct dates {
  double first, last, found; ///< s; the one that is wanted, NAN: there is none
  int64_t last_fid, of_last; ///< a feature of the last date, and how many it has
  int64_t undated;           ///< features without a value, or with a blank one
  bool some, all;            ///< features have a date; no feature has another value
};

/** Whether a feature has no value, or a text of blanks, as tables have it where there is none. */
static bool is_empty(OGRFeatureH feature, int field) {
  if (!OGR_F_IsFieldSetAndNotNull(feature, field)) return true;
  const char *value = OGR_F_GetFieldAsString(feature, field);
  return value[strspn(value, " ")] == '\0';
}

static struct dates read_dates(OGRLayerH layer, int field, double when) {
  struct dates d = {.first = INFINITY, .last = -INFINITY, .found = NAN, .all = true};
  bool days = true;
  double date, of_day = NAN;
  OGRFeatureH feature;
  OGR_L_ResetReading(layer);
  while (d.all && (feature = OGR_L_GetNextFeature(layer))) {
    if (sciara_vector_date_of(feature, field, &date)) {
      d.some = true;
      days = days && fmod(date, DAY_S) == 0;
      d.of_last = date > d.last ? 1 : d.of_last + (date == d.last);
      if (date > d.last) d.last_fid = OGR_F_GetFID(feature);
      d.first = fmin(d.first, date);
      d.last = fmax(d.last, date);
      if (fabs(date - when) <= STEP_S && !(fabs(d.found - when) < fabs(date - when))) d.found = date;
      if (when >= date && when < date + DAY_S) of_day = date;
    } else {
      d.all = is_empty(feature, field);
      d.undated++;
    }
    OGR_F_Destroy(feature);
  }
  if (days && !isnan(of_day)) d.found = of_day;
  return d;
}

static enum sciara_status fail_dates(const char *path, const char *layer, const char *name, const struct dates *d,
                                     double when, const char *hint) {
  char first[SCIARA_DATE_SIZE], last[SCIARA_DATE_SIZE], at[SCIARA_DATE_SIZE], undated[64] = "";
  struct sciara_text text = {0};
  if (d->undated > 0)
    snprintf(undated, sizeof undated, ", and %" PRId64 " %s without a date", d->undated,
             sciara_plural((uint64_t)d->undated, "outline", "outlines"));
  sciara_print_date(d->first, first);
  sciara_print_date(d->last, last);
  sciara_print_date(when, at);
  char *select = sciara_format("SELECT 1 AS whole FROM \"%s\"", layer);
  enum sciara_status status =
      select ? sciara_text_append(&text, "ogr2ogr -dialect OGRSQL -sql ") : sciara_no_memory("a command");
  if (status == SCIARA_OK) status = sciara_shell_quote(&text, select);
  if (status == SCIARA_OK) status = sciara_text_append(&text, " ");
  if (status == SCIARA_OK) status = sciara_vector_append_names(&text, path, "whole");
  if (status == SCIARA_OK && d->of_last == 1)
    status = sciara_text_append(&text, "; the last one alone: ogr2ogr -fid %lld ", (long long)d->last_fid);
  if (status == SCIARA_OK && d->of_last == 1) status = sciara_vector_append_names(&text, path, "last");
  if (status == SCIARA_OK)
    status = sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: has outlines of several dates in its field \"%.60s\", %s to %s%s: expected those of %s%s%s. If "
        "together they are one outline: %s",
        path, name, first, last, undated, when != 0 ? at : "one time", *hint ? "; " : "", hint, text.data);
  sciara_text_free(&text);
  free(select);
  return status;
}

/** Whether a name has a word for a time: "image_date", "FlowDate", "t_h". */
static bool names_time(const char *name) {
  static const char small[] = "abcdefghijklmnopqrstuvwxyz", capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const char *const words[] = {"date", "datetime", "timestamp", "UTC",  "data",  "datum", "fecha",
                                      "time", "day",      "days",      "hour", "hours", "t"};
  for (size_t length; *name; name += length ? length : 1) {
    const size_t first = strspn(name, capitals);
    length = first + strspn(name + first, small);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
      if (length == strlen(words[k]) && strncasecmp(name, words[k], length) == 0) return true;
  }
  return false;
}

/** Whether a text is like "20060714", "14/7/2006" or "14.07.06", or a Unix time since 2001 in s or ms. */
static bool resembles_date(const char *text) {
  static const char digits[] = "0123456789";
  const size_t length = strlen(text), first = strspn(text, digits);
  if (first == length && (length == 10 || length == 13)) return *text == '1';
  if (first == length) return length == 8 && (strncmp(text, "19", 2) == 0 || strncmp(text, "20", 2) == 0);
  const char *second = text + first + 1, *third = second + strspn(second, digits);
  return first > 0 && strchr("/.-", text[first]) && third > second && *third == text[first] &&
         strspn(third + 1, digits) > 0;
}

/** The values of a field, of which some may tell times apart. */
struct values {
  char **different; ///< at most MOST_VALUES
  int count;
  char other[64];          ///< the first that is no date
  bool dated, unread, all; ///< some value is a date; some is none; each is one or resembles one
};

enum { MOST_VALUES = 100 };

static void add_value(OGRFeatureH feature, int field, struct values *v) {
  double date;
  if (v->count == MOST_VALUES || !OGR_F_IsFieldSetAndNotNull(feature, field)) return;
  const char *value = OGR_F_GetFieldAsString(feature, field);
  const bool is = sciara_vector_date_of(feature, field, &date);
  v->dated = v->dated || is;
  v->all = v->all && (is || resembles_date(value));
  if (!is && !v->unread) snprintf(v->other, sizeof v->other, "%s", value);
  v->unread = v->unread || !is;
  if (CSLFindString(v->different, value) >= 0) return;
  v->different = CSLAddString(v->different, value);
  v->count++;
}

/** Warns of fields that tell times apart, by their names or values, if features taken differ in them and a value is no date. */
static enum sciara_status warn_unread(const char *path, OGRLayerH layer, const struct sciara_vector_date *of,
                                      const struct sciara_notes *notes) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(layer);
  const int count = OGR_FD_GetFieldCount(definition);
  struct values *values;
  OGRFeatureH feature;
  SCIARA_TRY(SCIARA_NEW(values, (size_t)count + 1, "the values of outlines"));
  for (int k = 0; k < count; k++) values[k] = (struct values){.all = true};
  OGR_L_ResetReading(layer);
  while ((feature = OGR_L_GetNextFeature(layer))) {
    for (int k = 0; k < count && sciara_vector_has_date(feature, of); k++) add_value(feature, k, &values[k]);
    OGR_F_Destroy(feature);
  }
  for (int k = 0; k < count; k++) {
    const struct values *v = &values[k];
    const char *name = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(definition, k));
    if (v->count > 1 && v->unread && (v->dated || v->all || names_time(name)))
      sciara_note(notes, SCIARA_LOG_WARNING,
                  "%s: outlines of all values of its field \"%.60s\" are taken together: expected dates such as "
                  "2006-07-14 or 2006-07-14T12:00Z in it, found \"%s\" and %s%d other %s",
                  path, name, v->other, v->count < MOST_VALUES ? "" : "at least ", v->count - 1,
                  sciara_plural((uint64_t)v->count - 1, "value", "values"));
    CSLDestroy(v->different);
  }
  sciara_free(values);
  return SCIARA_OK;
}

/** Whether a text of KML has times, or values whose names are those of times. */
static bool kml_has_times(const char *text) {
  static const char value[] = "Data name=\""; // of <Data> and <SimpleData>
  if (strstr(text, "<TimeStamp") || strstr(text, "<TimeSpan")) return true;
  while ((text = strstr(text, value))) {
    char name[64];
    text += strlen(value);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "\"<\n"), text);
    if (names_time(name)) return true;
  }
  return false;
}

/** Warns of outlines in KML with times, which its driver does not read. */
static enum sciara_status warn_of_kml(const char *path, OGRLayerH layer, const struct sciara_notes *notes) {
  static const size_t most_bytes = 64 << 20;
  char *text = NULL;
  size_t length;
  if (!sciara_has_extension(path, "kml") || OGR_L_GetFeatureCount(layer, TRUE) < 2 ||
      sciara_file_read(path, most_bytes, &text, &length) != SCIARA_OK)
    return SCIARA_OK;
  struct sciara_text command = {0};
  enum sciara_status status = SCIARA_OK;
  if (kml_has_times(text)) status = sciara_vector_append_names(&command, path, "dated");
  free(text);
  if (status == SCIARA_OK && command.length > 0)
    sciara_note(
        notes, SCIARA_LOG_WARNING,
        "%s: outlines of all times are taken together: those of KML (TimeStamp, TimeSpan, ExtendedData) are not "
        "read. A file with them is made by: ogr2ogr %s",
        path, command.data);
  sciara_text_free(&command);
  return status;
}

enum sciara_status sciara_vector_choose_date(const char *path, OGRLayerH layer, double when, const char *hint,
                                             const struct sciara_notes *notes, struct sciara_vector_date *out) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(layer);
  *out = (struct sciara_vector_date){.field = -1};
  for (int k = 0; k < OGR_FD_GetFieldCount(definition); k++) {
    OGRFieldDefnH field = OGR_FD_GetFieldDefn(definition, k);
    const OGRFieldType type = OGR_Fld_GetType(field);
    if (type != OFTString && type != OFTDate && type != OFTDateTime) continue;
    const struct dates d = read_dates(layer, k, when != 0 ? when : NAN);
    if (!d.some || !d.all || d.first == d.last) continue;
    const char *name = OGR_Fld_GetNameRef(field);
    if (isnan(d.found)) return fail_dates(path, OGR_L_GetName(layer), name, &d, when, hint);
    char text[SCIARA_DATE_SIZE];
    sciara_print_date(d.found, text);
    sciara_note(notes, SCIARA_LOG_INFO,
                "%s: has outlines of several dates: those of %s in its field \"%.60s\" are taken", path, text, name);
    if (d.undated > 0)
      sciara_note(notes, SCIARA_LOG_WARNING, "%s: %" PRId64 " %s no date in its field \"%.60s\" and %s left out", path,
                  d.undated, sciara_plural((uint64_t)d.undated, "outline has", "outlines have"), name,
                  sciara_plural((uint64_t)d.undated, "is", "are"));
    *out = (struct sciara_vector_date){.field = k, .date = d.found};
    return warn_unread(path, layer, out, notes);
  }
  SCIARA_TRY(warn_of_kml(path, layer, notes));
  return warn_unread(path, layer, out, notes);
}
