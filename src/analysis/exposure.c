// SPDX-License-Identifier: Apache-2.0
#include "analysis/exposure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/date.h"
#include "base/mem.h"
#include "file/csv.h"
#include "file/durable.h"
#include "map/vector_ogr.h"

const char *sciara_exposed_state(const struct sciara_exposed *e) {
  if (e->where != SCIARA_POI_ON_LAND) return sciara_poi_where_name(e->where);
  return e->reached ? "reached" : "not reached";
}

// --------------------------------------------------------------------------------------------------------- computation

/** A place that is being visited. */
struct visit {
  const struct sciara_exposure_lava *lava;
  const struct sciara_exposure *e;
  struct sciara_exposed *out;
  double *by; ///< of the place: what is first covered in each interval of times
};

/** The index of the first time that is not before an arrival; time_count: there is none. */
static size_t interval_of(const struct sciara_exposure *e, double arrival) {
  size_t k = 0;
  while (k < e->time_count && e->zero_s + e->times[k] < arrival) k++;
  return k;
}

static enum sciara_status visit_cell(void *context, int64_t cell, double amount) {
  struct visit *v = (struct visit *)context;
  const struct sciara_exposure_lava *l = v->lava;
  struct sciara_exposed *out = v->out;
  const uint8_t kind = l->kind[cell];
  *(kind == SCIARA_CELL_NODATA ? &out->ground.nodata
    : kind == SCIARA_CELL_SEA  ? &out->ground.sea
                               : &out->ground.land) += amount;
  const bool mapped = l->mapped && l->mapped[cell];
  const bool dated = l->arrival && l->arrival[cell] != SCIARA_NODATA_ALTITUDE;
  const bool covered = mapped || dated || (!l->arrival && l->deposit[cell] > 0);
  if (kind == SCIARA_CELL_NODATA || kind == SCIARA_CELL_SEA || !covered) return SCIARA_OK;
  out->reached = true;
  out->mapped |= mapped;
  out->covered += amount;
  out->deposit_m = fmax(out->deposit_m, l->deposit[cell]); // of NAN and a number the number
  if (l->max_deposit) out->max_deposit_m = fmax(out->max_deposit_m, l->max_deposit[cell]);
  if (!dated) return SCIARA_OK;
  out->arrival_s = fmin(out->arrival_s, l->arrival[cell]);
  const size_t interval = interval_of(v->e, l->arrival[cell]);
  if (interval < v->e->time_count) v->by[interval] += amount;
  return SCIARA_OK;
}

static enum sciara_status expose(const struct sciara_exposure_lava *lava, const struct sciara_poi *poi, size_t k,
                                 struct sciara_exposure *e) {
  struct visit v = {.lava = lava, .e = e, .out = &e->place[k], .by = e->by + k * e->time_count};
  struct sciara_poi_size size;
  *v.out = (struct sciara_exposed){.arrival_s = NAN, .deposit_m = NAN, .max_deposit_m = NAN};
  SCIARA_TRY(sciara_fail_context(sciara_poi_visit_cells(poi, lava->grid, visit_cell, &v, &size), "\"%s\"",
                                 poi->name ? poi->name : ""));
  v.out->ground.all = size.all;
  v.out->where = sciara_poi_where(&v.out->ground);
  for (size_t t = 1; t < e->time_count; t++) v.by[t] += v.by[t - 1];
  for (size_t t = 0; t < e->time_count; t++)
    if (!lava->arrival || v.out->where != SCIARA_POI_ON_LAND) v.by[t] = NAN;
  return SCIARA_OK;
}

static enum sciara_status make_exposure(const struct sciara_exposure_lava *lava, const struct sciara_poi *pois,
                                        size_t count, double zero_s, const double *times, size_t time_count,
                                        struct sciara_exposure *out) {
  size_t size;
  enum sciara_status status;
  *out = (struct sciara_exposure){.count = count, .zero_s = zero_s, .times = times, .time_count = time_count};
  SCIARA_TRY_GOTO(sciara_size_mul(count, time_count, &size));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->place, count + 1, "the exposure of places"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->by, size + 1, "the exposure of places"));
  for (size_t k = 0; k < count; k++) SCIARA_TRY_GOTO(expose(lava, &pois[k], k, out));
cleanup:
  if (status != SCIARA_OK) sciara_exposure_free(out);
  return status;
}

enum sciara_status sciara_exposure_read(const struct sciara_exposure_lava *lava,
                                        const struct sciara_pois_request *request, double zero_s, const double *times,
                                        size_t time_count, struct sciara_pois *pois, struct sciara_exposure *out) {
  struct sciara_pois_request q = *request;
  q.grid = lava->grid;
  *out = (struct sciara_exposure){0};
  SCIARA_TRY(sciara_pois_read(&q, pois));
  SCIARA_TRY(make_exposure(lava, pois->poi, pois->count, zero_s, times, time_count, out));
  for (size_t k = 0; k < pois->count; k++)
    if (pois->elsewhere[k]) out->place[k].where = SCIARA_POI_OUTSIDE;
  return SCIARA_OK;
}

void sciara_exposure_free(struct sciara_exposure *e) {
  sciara_free(e->place);
  sciara_free(e->by);
  *e = (struct sciara_exposure){0};
}

// ------------------------------------------------------------------------------------------------------------ two runs

const char *sciara_exposure_change_name(enum sciara_exposure_change change) {
  static const char *const names[SCIARA_CHANGES] = {
      [SCIARA_CHANGE_BOTH] = "reached in both", [SCIARA_CHANGE_SPARED] = "spared",
      [SCIARA_CHANGE_ADDED] = "newly reached",  [SCIARA_CHANGE_NEITHER] = "not reached",
      [SCIARA_CHANGE_UNKNOWN] = "unknown",
  };
  return names[change];
}

enum sciara_exposure_change sciara_exposure_change(const struct sciara_exposed *a, const struct sciara_exposed *b,
                                                   const double ends[2]) {
  if (a->where != SCIARA_POI_ON_LAND || b->where != SCIARA_POI_ON_LAND) return SCIARA_CHANGE_NONE;
  if (a->reached && b->reached) return SCIARA_CHANGE_BOTH;
  if (!a->reached && !b->reached) return SCIARA_CHANGE_NEITHER;
  const double arrival = a->reached ? a->arrival_s : b->arrival_s, end = ends[a->reached];
  if (isnan(arrival) ? end < ends[!a->reached] : end < arrival) return SCIARA_CHANGE_UNKNOWN;
  return a->reached ? SCIARA_CHANGE_SPARED : SCIARA_CHANGE_ADDED;
}

// --------------------------------------------------------------------------------------------------------------- files

enum { FIRST = 12, TEXTS = 4 }; ///< columns of numbers before those of times; of text

/** The columns of numbers: names, and the values of a place. */
struct columns {
  char name[FIRST + SCIARA_EXPOSURE_MOST_TIMES][48];
  const char *list[FIRST + SCIARA_EXPOSURE_MOST_TIMES];
  size_t count;
};

static void name_columns(const struct sciara_exposure *e, struct columns *c) {
  static const char *const first[FIRST] = {"x",     "y",   "arrival_s", "deposit_m", "max_deposit_m", "covered",
                                           "share", "all", "land",      "sea",       "nodata",        "mapped"};
  char text[32];
  c->count = FIRST + e->time_count;
  for (size_t k = 0; k < c->count; k++) {
    if (k < FIRST) {
      snprintf(c->name[k], sizeof c->name[k], "%s", first[k]);
    } else {
      sciara_print_time_name(e->times[k - FIRST], text, sizeof text);
      snprintf(c->name[k], sizeof c->name[k], "covered_%s", text);
    }
    c->list[k] = c->name[k];
  }
}

/** The numbers of place k; NAN: none. What lava cannot reach is not covered by 0. */
static void put_values(const struct sciara_exposure *e, const struct sciara_poi *poi, size_t k, double *out) {
  const struct sciara_exposed *p = &e->place[k];
  const bool land = p->where == SCIARA_POI_ON_LAND;
  const struct sciara_point middle = poi->point_count ? sciara_poi_middle(poi) : (struct sciara_point){NAN, NAN};
  const double values[FIRST] = {middle.x,
                                middle.y,
                                p->arrival_s,
                                p->deposit_m,
                                p->max_deposit_m,
                                land ? p->covered : NAN,
                                land ? fmin(p->covered / p->ground.land, 1) : NAN,
                                p->ground.all,
                                p->ground.land,
                                p->ground.sea,
                                p->ground.nodata,
                                land ? p->mapped : NAN};
  for (size_t c = 0; c < FIRST; c++) out[c] = values[c];
  for (size_t t = 0; t < e->time_count; t++) out[FIRST + t] = e->by[k * e->time_count + t];
}

static const char *const text_columns[TEXTS] = {"kind", "state", "unit", "arrival_date"};

/** The texts of place k; `date` has room for that of its arrival. */
static void put_texts(const struct sciara_exposure *e, const struct sciara_exposure_file *of, size_t k,
                      char date[SCIARA_MINUTE_SIZE], const char *text[TEXTS]) {
  static const char *const units[SCIARA_POI_KINDS] = {"points", "m", "m2"};
  const enum sciara_poi_kind kind = of->pois[k].kind;
  date[0] = '\0';
  if (of->start && isfinite(e->place[k].arrival_s)) sciara_zoned_after(of->start, e->place[k].arrival_s, date);
  text[0] = sciara_poi_kind_name(kind);
  text[1] = sciara_exposed_state(&e->place[k]);
  text[2] = units[kind];
  text[3] = date;
}

enum sciara_status sciara_exposure_write_csv(const struct sciara_exposure *e, const struct sciara_exposure_file *of,
                                             const char *path) {
  struct sciara_text t = {0};
  struct columns columns;
  double value[FIRST + SCIARA_EXPOSURE_MOST_TIMES];
  char date[SCIARA_MINUTE_SIZE];
  const char *text[TEXTS];
  name_columns(e, &columns);
  sciara_text_append(&t, "place");
  for (size_t c = 0; c < TEXTS; c++) sciara_text_append(&t, ",%s", text_columns[c]);
  for (size_t c = 0; c < columns.count; c++) sciara_text_append(&t, ",%s", columns.name[c]);
  sciara_text_append(&t, "\n");
  for (size_t k = 0; k < e->count; k++) {
    put_texts(e, of, k, date, text);
    put_values(e, &of->pois[k], k, value);
    sciara_csv_append_text(&t, of->pois[k].name);
    for (size_t c = 0; c < TEXTS; c++) sciara_text_append(&t, ",%s", text[c]);
    for (size_t c = 0; c < columns.count; c++) sciara_text_append(&t, isfinite(value[c]) ? ",%.10g" : ",", value[c]);
    sciara_text_append(&t, "\n");
  }
  return sciara_text_write(path, t.failed, &t);
}

enum sciara_status sciara_exposure_write_gpkg(const struct sciara_exposure *e, const struct sciara_exposure_file *of,
                                              const char *path) {
  static const char what[] = "the places of a GeoPackage";
  struct columns columns;
  const char **text = NULL;
  double *value = NULL;
  char(*date)[SCIARA_MINUTE_SIZE] = NULL;
  enum sciara_status status;
  name_columns(e, &columns);
  SCIARA_TRY_GOTO(SCIARA_NEW(text, TEXTS * e->count + 1, what));
  SCIARA_TRY_GOTO(SCIARA_NEW(value, columns.count * e->count + 1, what));
  SCIARA_TRY_GOTO(SCIARA_NEW(date, e->count + 1, what));
  for (size_t k = 0; k < e->count; k++) {
    put_texts(e, of, k, date[k], text + TEXTS * k);
    put_values(e, &of->pois[k], k, value + columns.count * k);
  }
  const struct sciara_vector_places places = {.text_column = text_columns,
                                              .text_columns = TEXTS,
                                              .column = columns.list,
                                              .columns = columns.count,
                                              .pois = of->pois,
                                              .count = e->count,
                                              .text = text,
                                              .value = value};
  SCIARA_TRY_GOTO(sciara_places_write_gpkg(&places, of->grid, of->georef, of->title, path));
cleanup:
  sciara_free(text);
  sciara_free(value);
  sciara_free(date);
  return status;
}
