// SPDX-License-Identifier: Apache-2.0
#include "file/vector_dates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/date.h"
#include "base/text.h"
#include "file/gdal_support.h"
#include "file/vector_open.h"

enum { GMT = 100, QUARTER_S = 15 * 60 };     // the zones of GDAL are quarters of an hour from GMT
enum { DAY_S = 24 * 60 * 60, STEP_S = 120 }; // a run ends up to a step after a time

bool sciara_vector_date_of(OGRFeatureH feature, int field, double *date) {
  int year, month, day, hour, minute, zone;
  float second;
  bool zoned;
  char text[64];
  if (field < 0 || !OGR_F_IsFieldSetAndNotNull(feature, field)) return false;
  const OGRFieldType type = OGR_Fld_GetType(OGR_F_GetFieldDefnRef(feature, field));
  if (type == OFTString) {
    const bool is = sciara_parse_date(OGR_F_GetFieldAsString(feature, field), date, &zoned);
    if (is) *date = floor(*date); // as it is printed
    return is;
  }
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
  bool some, all;            ///< features have a date; no feature has another value
};

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
      d.all = !OGR_F_IsFieldSetAndNotNull(feature, field);
    }
    OGR_F_Destroy(feature);
  }
  if (days && !isnan(of_day)) d.found = of_day;
  return d;
}

static enum sciara_status fail_dates(const char *path, const char *layer, const char *name, const struct dates *d,
                                     double when, const char *hint) {
  char first[SCIARA_DATE_SIZE], last[SCIARA_DATE_SIZE], at[SCIARA_DATE_SIZE];
  struct sciara_text text = {0};
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
    status =
        sciara_fail(SCIARA_ERR_INPUT,
                    "%s: has outlines of several dates in its field \"%.60s\", %s to %s: expected those of %s%s%s. If "
                    "together they are one outline: %s",
                    path, name, first, last, when != 0 ? at : "one time", *hint ? "; " : "", hint, text.data);
  sciara_text_free(&text);
  free(select);
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
    *out = (struct sciara_vector_date){.field = k, .date = d.found};
    return SCIARA_OK;
  }
  return SCIARA_OK;
}
