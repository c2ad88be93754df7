// SPDX-License-Identifier: Apache-2.0
#include "file/gdal_support.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_http.h>
#include <errno.h>
#include <gdal.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "file/crs_text.h"
#include "file/gdal_files.h"

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
    {"GDAL_PAM_ENABLED", NULL, "NO"}, // writes no .aux.xml
    {"CPL_VSIL_CURL_ALLOWED_FILENAME", "none", "none"},
    {"CPL_ALLOW_VSISTDIN", "NO", "NO"},
    {"SPATIALITE_LOAD", "NO", NULL},
    {"OGR_SQLITE_PRAGMA", "trusted_schema=OFF", NULL},
};

static CPLHTTPResult *fetch_nothing(const char *url, CSLConstList options, GDALProgressFunc progress,
                                    void *progress_data, CPLHTTPFetchWriteFunc write, void *write_data, void *unused) {
  (void)options, (void)progress, (void)progress_data, (void)write, (void)write_data, (void)unused;
  (void)url;
  // With NULL the next handler would be called.
  CPLHTTPResult *diagnostic = (CPLHTTPResult *)CPLCalloc(1, sizeof *diagnostic);
  diagnostic->nStatus = 1;
  diagnostic->pszErrBuf = CPLStrdup("nothing is fetched from the network");
  return diagnostic;
}

static void prepare_gdal(void) {
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
  if (OSRExportToWkt(srs, &wkt) != OGRERR_NONE || !wkt) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a CRS");
  const enum sciara_status status = sciara_shell_quote(out, wkt);
  CPLFree(wkt);
  return status;
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

bool sciara_srs_is_metric(OGRSpatialReferenceH srs) {
  return OSRIsProjected(srs) && fabs(OSRGetLinearUnits(srs, NULL) - 1.0) < 1e-9;
}
