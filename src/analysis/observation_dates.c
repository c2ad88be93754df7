// SPDX-License-Identifier: Apache-2.0
// Outlines with dates: a layer with a polygon or more of each date, and the field that says which.
#include <ogr_api.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/observation_parts.h"
#include "base/mem.h"
#include "file/vector_dates.h"

enum { MOST_DATES = 1000 };

/** Whether all features that have a value in a field have a date there, and one has. */
static bool holds_dates(OGRLayerH layer, int field) {
  OGRFeatureH feature;
  bool some = false, all = true;
  OGR_L_ResetReading(layer);
  while (all && (feature = OGR_L_GetNextFeature(layer))) {
    double date;
    const bool is = sciara_vector_date_of(feature, field, &date);
    all = is || !OGR_F_IsFieldSetAndNotNull(feature, field);
    some = some || is;
    OGR_F_Destroy(feature);
  }
  return some && all;
}

/** The field that is named, or the only one with dates; -1: there is none, and none is needed. */
static enum sciara_status find_field(const struct sciara_observation_request *q, OGRLayerH layer, int *out) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(layer);
  struct sciara_text all = {0}, dated = {0};
  const bool any = strcmp(q->date_field, SCIARA_OBSERVATION_DATES_AUTO) == 0;
  int count = 0;
  *out = any ? -1 : OGR_L_FindFieldIndex(layer, q->date_field, true);
  for (int k = 0; k < OGR_FD_GetFieldCount(definition); k++) {
    const char *name = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(definition, k));
    sciara_text_append(&all, "%s\"%s\"", all.data ? ", " : "", name);
    if (!any || !holds_dates(layer, k)) continue;
    sciara_text_append(&dated, "%s\"%s\"", dated.data ? ", " : "", name);
    *out = k;
    count++;
  }
  enum sciara_status status = SCIARA_OK;
  if (any && count == 0 && q->dates_optional)
    ;
  else if (any && count != 1)
    status = sciara_observation_refuse(q, "dates", "expected one field with dates in %s, found %s; its fields are %s",
                                       q->path, count > 1 ? dated.data : "none", all.data ? all.data : "none");
  else if (*out < 0)
    status = sciara_observation_refuse(q, "dates", "expected a field of %s, found \"%s\"; there are %s", q->path,
                                       q->date_field, all.data ? all.data : "none");
  sciara_text_free(&all);
  sciara_text_free(&dated);
  return status;
}

/** Inserts a date in order among those before, unless it is there. */
static bool add_date(struct sciara_observation_dates *d, double date) {
  size_t at = d->count;
  while (at > 0 && d->date[at - 1] > date) at--;
  if (at > 0 && d->date[at - 1] == date) return true;
  if (d->count == MOST_DATES) return false;
  memmove(d->date + at + 1, d->date + at, (d->count - at) * sizeof *d->date);
  d->date[at] = date;
  d->count++;
  return true;
}

enum sciara_status sciara_observation_list_dates(struct sciara_gdal_scope *scope,
                                                 const struct sciara_observation_request *q, OGRLayerH layer,
                                                 struct sciara_observation_dates *out) {
  OGRFeatureH feature;
  enum sciara_status status = SCIARA_OK;
  int field;
  SCIARA_TRY(find_field(q, layer, &field));
  if (field < 0) return SCIARA_OK;
  const char *name = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(layer), field));
  SCIARA_TRY(sciara_copy(name, "dates", &out->field));
  SCIARA_TRY(SCIARA_NEW(out->date, MOST_DATES, "the dates of outlines"));
  sciara_gdal_reset(scope);
  OGR_L_ResetReading(layer);
  for (long long k = 1; status == SCIARA_OK && (feature = OGR_L_GetNextFeature(layer)); k++) {
    double date;
    if (!sciara_vector_date_of(feature, field, &date))
      status = sciara_fail(
          SCIARA_ERR_INPUT,
          "%s: feature %lld: %.80s: expected a date such as 2006-07-14 or 2006-07-14T12:00Z, found \"%.80s\"", q->path,
          k, name, OGR_F_GetFieldAsString(feature, field));
    else if (!add_date(out, date))
      status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected at most %d dates, found more", q->path, (int)MOST_DATES);
    OGR_F_Destroy(feature);
  }
  if (status == SCIARA_OK && scope->failed)
    status = sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT),
                         "%s: cannot be read whole, it may be truncated: %s", q->path, sciara_gdal_message(scope));
  return status;
}
