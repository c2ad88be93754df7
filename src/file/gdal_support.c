// SPDX-License-Identifier: Apache-2.0
#include "file/gdal_support.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_http.h>
#include <ctype.h>
#include <errno.h>
#include <gdal.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "file/libraries.h"

static void keep_message(CPLErr kind, CPLErrorNum number, const char *text) {
  const int cause = errno; // GDAL's message does not say that a disk is full
  if (kind != CE_Warning && kind != CE_Failure && kind != CE_Fatal) return;
  struct sciara_gdal_scope *scope = (struct sciara_gdal_scope *)CPLGetErrorHandlerUserData();
  if (kind == CE_Warning && scope->failed) return;
  if (kind != CE_Warning) scope->failed = true;
  if (number == CPLE_OutOfMemory || strcasestr(text, "out of memory") || strcasestr(text, "bad_alloc"))
    scope->no_memory = true;
  if (kind != CE_Warning && (cause == ENOSPC || cause == EDQUOT || cause == EFBIG)) scope->no_room = cause;
  snprintf(scope->message, sizeof scope->message, "%s", text);
  sciara_gdal_files_strip(scope->message);
  for (char *c = scope->message; *c; c++) // error messages are one line
    if (*c == '\n' || *c == '\r') *c = ' ';
}

/**
 * Settings of GDAL within a scope, for this thread. A GeoPackage is a program in SQL: without SpatiaLite none of its
 * tables can be another file, and without trust its views call no functions but SQLite's own.
 */
static const struct {
  const char *key, *reading, *writing; ///< NULL: unchanged
} settings[SCIARA_GDAL_SETTINGS] = {
    {"GDAL_PAM_ENABLED", NULL, "NO"},      // writes no .aux.xml
    {"COG_TMP_COMPRESSION", NULL, "NONE"}, // of overviews in memory, which are compressed once more in the file
    {"CPL_VSIL_CURL_ALLOWED_FILENAME", "none", "none"},
    {"CPL_ALLOW_VSISTDIN", "NO", "NO"},
    {"SPATIALITE_LOAD", "NO", NULL},
    {"OGR_SQLITE_PRAGMA", "trusted_schema=OFF", NULL},
};

static CPLHTTPResult *fetch_nothing(const char *url, CSLConstList options, GDALProgressFunc progress,
                                    void *progress_data, CPLHTTPFetchWriteFunc write, void *write_data, void *unused) {
  (void)options, (void)progress, (void)progress_data, (void)write, (void)write_data, (void)unused;
  (void)url;
  // For NULL the next handler would be called.
  CPLHTTPResult *diagnostic = (CPLHTTPResult *)CPLCalloc(1, sizeof *diagnostic);
  diagnostic->nStatus = 1;
  diagnostic->pszErrBuf = CPLStrdup("nothing is fetched from the network");
  return diagnostic;
}

/** A portable release has its own data: those that variables of the environment name may be of other versions. */
static void prepare_own_data(void) {
  char path[PATH_MAX];
  if (sciara_own_data("gdal", path)) {
    CPLSetConfigOption("GDAL_DATA", path);
    CPLSetConfigOption("GDAL_DRIVER_PATH", "disable");
  }
  if (sciara_own_data("proj", path)) OSRSetPROJSearchPaths((const char *const[]){path, NULL});
}

static void prepare_gdal(void) {
  prepare_own_data();
  GDALAllRegister();
  OSRSetPROJEnableNetwork(FALSE);
  sciara_gdal_files_install();
}

static void change_settings(struct sciara_gdal_scope *scope) {
  for (size_t k = 0; k < SCIARA_GDAL_SETTINGS; k++) {
    const char *before = CPLGetThreadLocalConfigOption(settings[k].key, NULL);
    const char *value = scope->writes ? settings[k].writing : settings[k].reading;
    scope->before[k] = before ? CPLStrdup(before) : NULL;
    if (value) CPLSetThreadLocalConfigOption(settings[k].key, value);
  }
}

static void restore_settings(struct sciara_gdal_scope *scope) {
  for (size_t k = 0; k < SCIARA_GDAL_SETTINGS; k++) {
    CPLSetThreadLocalConfigOption(settings[k].key, scope->before[k]);
    CPLFree(scope->before[k]);
  }
}

void sciara_gdal_enter(struct sciara_gdal_scope *scope, bool writes) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  *scope = (struct sciara_gdal_scope){.writes = writes};
  CPLPushErrorHandlerEx(keep_message, scope);
  pthread_once(&once, prepare_gdal);
  change_settings(scope);
  CPLHTTPPushFetchCallback(fetch_nothing, NULL);
  sciara_gdal_reset(scope);
}

void sciara_gdal_leave(struct sciara_gdal_scope *scope) {
  CPLHTTPPopFetchCallback();
  restore_settings(scope);
  CPLPopErrorHandler();
}

void sciara_gdal_reset(struct sciara_gdal_scope *scope) {
  CPLErrorReset();
  scope->message[0] = '\0';
  scope->failed = scope->no_memory = false;
  scope->no_room = errno = 0;
}

const char *sciara_gdal_message(const struct sciara_gdal_scope *scope) {
  return scope->no_room ? strerror(scope->no_room) : scope->message[0] ? scope->message : "GDAL gives no reason";
}

enum sciara_status sciara_gdal_status(const struct sciara_gdal_scope *scope, enum sciara_status otherwise) {
  return scope->no_memory ? SCIARA_ERR_MEMORY : otherwise;
}

char *sciara_gdal_plain_path(const char *path) {
  if (strncmp(path, "./", 2) == 0) return sciara_format("%s", path);
  if (path[0] != '/') return sciara_format("./%s", path);
  return strncmp(path, "/vsi", 4) == 0 ? sciara_format("/.%s", path) : sciara_format("%s", path);
}

enum sciara_status sciara_shell_quote(struct sciara_text *out, const char *path) {
  SCIARA_TRY(sciara_text_append(out, "'"));
  for (const char *c = path; *c; c++)
    SCIARA_TRY(*c == '\'' ? sciara_text_append(out, "'\\''") : sciara_text_append_bytes(out, c, 1));
  return sciara_text_append(out, "'");
}

enum sciara_status sciara_shell_append_crs(struct sciara_text *out, OGRSpatialReferenceH srs) {
  const char *authority = OSRGetAuthorityName(srs, NULL), *code = OSRGetAuthorityCode(srs, NULL);
  char *wkt = NULL;
  if (authority && code && strcmp(authority, "EPSG") == 0 && *code && strspn(code, "0123456789") == strlen(code))
    return sciara_text_append(out, "EPSG:%s", code);
  if (OSRExportToWkt(srs, &wkt) != OGRERR_NONE || !wkt) return sciara_no_memory("a CRS");
  const enum sciara_status status = sciara_shell_quote(out, wkt);
  CPLFree(wkt);
  return status;
}

// -------------------------------------------------------------------------------------------------------- texts of CRS

/** The text before the name of a file in a CRS, and the end of the name. */
static const struct {
  const char *word;
  char end;        ///< ' ': at a space or quote; ']': at the end of the node of WKT; '*': the word alone is enough
  bool whole_word; ///< must not be part of a longer word: "t_init=" is something else
} naming[] = {{"init=", ' ', true},    {"grids=", ' ', false},      {"file=", ' ', true},
              {"catalog=", ' ', true}, {"PROJ4_GRIDS", ']', false}, {"PARAMETERFILE", ']', false},
              {"defmodel", '*', false}}; // not a CRS, but PROJ opens its model when it checks the text

static bool begins_with(const char *text, const char *word) {
  for (; *word; text++, word++)
    if (tolower((unsigned char)*text) != tolower((unsigned char)*word)) return false;
  return true;
}

static bool is_end(char c, char end) {
  return c == '\0' || c == end || (end == ' ' && (isspace((unsigned char)c) || c == '"'));
}

/** Whether names up to `end` lead out of the folders of PROJ. The "@" of optional grids is not part of a name. */
static bool names_path(const char *text, char end) {
  if (end == '*') return true;
  for (; !is_end(*text, end); text++)
    if (*text == '/' || *text == '\\' || *text == '~') return true;
  return false;
}

enum sciara_status sciara_crs_text_check(const char *where, const char *text) {
  for (const char *at = text; *at; at++)
    for (size_t k = 0; k < sizeof naming / sizeof *naming; k++) {
      const char before = at > text ? at[-1] : ' ';
      if (!begins_with(at, naming[k].word)) continue;
      if (naming[k].whole_word && (isalnum((unsigned char)before) || before == '_')) continue;
      const char *value = at + strlen(naming[k].word);
      if (names_path(value, naming[k].end))
        return sciara_fail(SCIARA_ERR_INPUT,
                           "%s: its CRS names a file by a path (%.80s); only names of PROJ's own files "
                           "are allowed",
                           where, at);
    }
  return SCIARA_OK;
}

/** OSRSetFromUserInput would also open files and URLs, so only forms that cannot name one reach it. */
static OGRErr import_crs(OGRSpatialReferenceH srs, const char *text) {
  static const char *const authorities[] = {"EPSG:", "ESRI:", "OGC:", "IAU_2015:", "IGNF:"};
  while (*text == ' ') text++;
  if (strchr(text, '[')) {
    char *copy = CPLStrdup(text), *rest = copy; // the importer moves its argument
    OGRErr result = OSRImportFromWkt(srs, &rest);
    CPLFree(copy);
    return result;
  }
  if (text[0] == '+') return OSRImportFromProj4(srs, text);
  for (size_t i = 0; i < sizeof authorities / sizeof *authorities; i++)
    if (strncasecmp(text, authorities[i], strlen(authorities[i])) == 0 && !strpbrk(text, "/\\"))
      return OSRSetFromUserInput(srs, text);
  return OGRERR_UNSUPPORTED_SRS;
}

enum sciara_status sciara_srs_parse(const char *text, OGRSpatialReferenceH *out) {
  *out = NULL;
  SCIARA_TRY(sciara_crs_text_check("CRS", text));
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = SCIARA_OK;
  OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
  if (import_crs(srs, text) != OGRERR_NONE) {
    OSRRelease(srs);
    status = sciara_fail(sciara_gdal_status(&scope, SCIARA_ERR_INPUT),
                         "CRS \"%s\" is not known; give a code such as EPSG:32633, WKT or a PROJ string%s%s", text,
                         scope.message[0] ? ": " : "", scope.message);
  } else {
    OSRSetAxisMappingStrategy(srs, OAMS_TRADITIONAL_GIS_ORDER);
    *out = srs;
  }
  sciara_gdal_leave(&scope);
  return status;
}

enum sciara_status sciara_srs_check(const char *path, OGRSpatialReferenceH srs) {
  static const char *const versions[] = {"FORMAT=WKT1_GDAL", "FORMAT=WKT2_2019"};
  for (size_t k = 0; k < sizeof versions / sizeof *versions; k++) {
    const char *const options[] = {versions[k], NULL};
    char *wkt = NULL;
    OSRExportToWktEx(srs, &wkt, options);
    const enum sciara_status status = wkt ? sciara_crs_text_check(path, wkt) : SCIARA_OK;
    CPLFree(wkt);
    SCIARA_TRY(status);
  }
  return SCIARA_OK;
}

bool sciara_srs_is_same(OGRSpatialReferenceH a, OGRSpatialReferenceH b) {
  static const char *const ignore_axes[] = {"IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", NULL};
  return OSRIsSameEx(a, b, ignore_axes);
}

double sciara_srs_turn(OGRSpatialReferenceH srs) {
  return srs && OSRIsGeographic(srs) ? 2 * M_PI / OSRGetAngularUnits(srs, NULL) : 0;
}

enum sciara_status sciara_srs_transform(const struct sciara_gdal_scope *scope, const char *path,
                                        OGRSpatialReferenceH srs, const char *crs_wkt, const char *whose, bool back,
                                        OGRCoordinateTransformationH *out) {
  *out = NULL;
  SCIARA_TRY(sciara_srs_check(path, srs));
  OGRSpatialReferenceH own = OSRClone(srs), other = NULL;
  enum sciara_status status = sciara_srs_parse(crs_wkt, &other);
  OSRSetAxisMappingStrategy(own, OAMS_TRADITIONAL_GIS_ORDER);
  if (status == SCIARA_OK && !sciara_srs_is_same(own, other)) {
    *out = OCTNewCoordinateTransformation(back ? other : own, back ? own : other);
    if (!*out)
      status =
          sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT),
                      "%s: its CRS cannot be transformed to that of %s: %s", path, whose, sciara_gdal_message(scope));
  }
  OSRRelease(own);
  OSRRelease(other);
  return status;
}

bool sciara_srs_change_box(OGRSpatialReferenceH from, OGRSpatialReferenceH to, const double box[4], double out[4]) {
  enum { POINTS = 21 }; // on each side
  OGRCoordinateTransformationH change = OCTNewCoordinateTransformation(from, to);
  const bool done =
      change && OCTTransformBounds(change, box[0], box[1], box[2], box[3], &out[0], &out[1], &out[2], &out[3], POINTS);
  if (change) OCTDestroyCoordinateTransformation(change);
  return done;
}

bool sciara_srs_is_metric(OGRSpatialReferenceH srs) {
  return OSRIsProjected(srs) && fabs(OSRGetLinearUnits(srs, NULL) - 1.0) < 1e-9;
}

// ---------------------------------------------------------------------------------------------------- lengths in a CRS

static const double reach =
    50; ///< m, to either side of a point: far above rounding, far below the distance over which a scale varies

/** The ellipsoid of a CRS, and the transformation to longitude and latitude on it. */
struct earth {
  OGRSpatialReferenceH degrees;
  OGRCoordinateTransformationH change;
  double major, e2, unit; ///< m; square of the eccentricity; rad
};

static bool earth_open(OGRSpatialReferenceH srs, struct earth *e) {
  *e = (struct earth){.degrees = OSRCloneGeogCS(srs)};
  if (!e->degrees) return false;
  OSRSetAxisMappingStrategy(e->degrees, OAMS_TRADITIONAL_GIS_ORDER);
  const double flattening = OSRGetInvFlattening(srs, NULL) > 0 ? 1 / OSRGetInvFlattening(srs, NULL) : 0;
  e->major = OSRGetSemiMajor(srs, NULL);
  e->e2 = flattening * (2 - flattening);
  e->unit = OSRGetAngularUnits(e->degrees, NULL);
  e->change = OCTNewCoordinateTransformation(srs, e->degrees);
  return e->change != NULL;
}

/** The position in space of a point of the CRS, on the ellipsoid. */
static bool in_space(const struct earth *e, double x, double y, double out[3]) {
  if (!OCTTransform(e->change, 1, &x, &y, NULL) || !isfinite(x) || !isfinite(y)) return false;
  const double lon = x * e->unit, lat = y * e->unit, normal = e->major / sqrt(1 - e->e2 * sin(lat) * sin(lat));
  out[0] = normal * cos(lat) * cos(lon);
  out[1] = normal * cos(lat) * sin(lon);
  out[2] = normal * (1 - e->e2) * sin(lat);
  return true;
}

/** The scale at a point in four directions; the one that differs most from 1 replaces *scale. */
static bool add_place(const struct earth *e, double x, double y, double *scale) {
  static const double direction[4][2] = {{1, 0}, {0, 1}, {M_SQRT1_2, M_SQRT1_2}, {M_SQRT1_2, -M_SQRT1_2}};
  for (int k = 0; k < 4; k++) {
    const double dx = reach * direction[k][0], dy = reach * direction[k][1];
    double a[3], b[3];
    if (!in_space(e, x - dx, y - dy, a) || !in_space(e, x + dx, y + dy, b)) return false;
    const double ground = hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
    const double found = ground > 0 ? 2 * reach / ground : INFINITY;
    if (fabs(log(found)) > fabs(log(*scale))) *scale = found;
  }
  return true;
}

enum sciara_status sciara_crs_scale(OGRSpatialReferenceH srs, const double bounds[4], double *scale) {
  struct sciara_gdal_scope scope;
  struct earth earth;
  sciara_gdal_enter(&scope, false);
  *scale = 1;
  int known = 0;
  if (earth_open(srs, &earth)) {
    const double x = 0.5 * (bounds[0] + bounds[2]), y = 0.5 * (bounds[1] + bounds[3]);
    known += add_place(&earth, x, y, scale);
    for (int k = 0; k < 4; k++) known += add_place(&earth, bounds[k % 2 ? 2 : 0], bounds[k / 2 ? 3 : 1], scale);
  }
  enum sciara_status status = SCIARA_OK;
  if (known == 0)
    status = sciara_fail(sciara_gdal_status(&scope, SCIARA_ERR_INPUT),
                         "PROJ cannot transform that point of the CRS: %s", sciara_gdal_message(&scope));
  if (earth.change) OCTDestroyCoordinateTransformation(earth.change);
  OSRRelease(earth.degrees);
  sciara_gdal_leave(&scope);
  return status;
}

bool sciara_crs_scale_is_sound(double scale) { return fabs(scale - 1) <= SCIARA_CRS_SCALE_SLACK; }
