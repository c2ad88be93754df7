// SPDX-License-Identifier: Apache-2.0
#include "hazard/poi_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "file/csv.h"
#include "file/durable.h"
#include "hazard/products.h"
#include "map/vector_ogr.h"

// ------------------------------------------------------------------------------------------------------------- columns

enum { PARTS = 9, FIRST = 6, TEXTS = 2 }; ///< columns of a probability; those before the first one; kind and state

/** The difference of a grid is no error. */
static const char *error_name(const struct sciara_reduction *r) {
  return r->sample.kind == SCIARA_ERROR_GRID ? "_grid_difference" : "_error";
}

static bool has_rates(const struct sciara_reduction *r) { return r->rule.rate != NULL; }

/** Adds a name, made of two parts, and a 0 byte. */
static void add_name(struct sciara_poi_columns *c, const char *name, const char *suffix) {
  sciara_text_append(&c->text, "%s%s\n", name, suffix);
  c->count++;
}

static void add_probability(const struct sciara_reduction *r, struct sciara_poi_columns *c, const char *name) {
  const char *const parts[PARTS] = {
      "", "_low", "_high", error_name(r), "_hits", "_half_1", "_half_2", "_interval_95_low", "_interval_95_high"};
  for (size_t k = 0; k < PARTS; k++) add_name(c, name, parts[k]);
}

static void add_poi_years(const struct sciara_reduction *r, struct sciara_poi_columns *c) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  char text[32], name[96];
  for (size_t y = 0; y < q->year_count; y++)
    for (size_t k = 0; k < q->deposit_count; k++) {
      sciara_layer_deposit(q->deposit_m[k], text, sizeof text);
      snprintf(name, sizeof name, "probability_%.9gyears_%s", q->years[y], text);
      add_name(c, name, "");
      add_name(c, name, "_low");
      add_name(c, name, "_high");
    }
  for (size_t y = 0; y < q->year_count; y++) {
    snprintf(name, sizeof name, "upper_95_without_hits_%.9gyears", q->years[y]);
    add_name(c, name, "");
  }
}

static void add_names(const struct sciara_reduction *r, struct sciara_poi_columns *c) {
  static const char *const first[FIRST] = {"x", "y", "cells", "members", "finished", "upper_95_without_hits"};
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  char text[32], name[96];
  for (size_t k = 0; k < FIRST; k++) add_name(c, first[k], "");
  for (size_t k = 0; k < q->deposit_count; k++) {
    sciara_layer_deposit(q->deposit_m[k], text, sizeof text);
    snprintf(name, sizeof name, "probability_%s", text);
    add_probability(r, c, name);
  }
  for (size_t k = 0; k < q->within_count; k++) {
    sciara_print_time_name(q->within_s[k], text, sizeof text);
    snprintf(name, sizeof name, "reached_within_%s", text);
    add_probability(r, c, name);
  }
  for (const struct sciara_quantiles *of = sciara_quantiles; of < sciara_quantiles + SCIARA_QUANTILES; of++)
    for (size_t k = 0; k < q->quantile_count; k++) {
      sciara_layer_quantile(q->quantiles[k], text, sizeof text);
      snprintf(name, sizeof name, "%s_%s_%s", of->name, text, sciara_footprint_values[of->value].unit);
      add_name(c, name, "");
    }
  add_name(c, "covered_share", "");
  add_name(c, "covered_share", error_name(r));
  if (has_rates(r)) add_poi_years(r, c);
}

enum sciara_status sciara_poi_columns_make(const struct sciara_reduction *r, struct sciara_poi_columns *out) {
  *out = (struct sciara_poi_columns){0};
  add_names(r, out);
  enum sciara_status status = out->text.failed;
  if (status == SCIARA_OK) status = SCIARA_NEW(out->name, out->count + 1, "the columns of a table");
  if (status != SCIARA_OK) {
    sciara_poi_columns_free(out);
    return status;
  }
  char *at = out->text.data;
  for (size_t k = 0; k < out->count; k++) {
    out->name[k] = at;
    while (*at != '\n') at++;
    *at++ = '\0';
  }
  return SCIARA_OK;
}

void sciara_poi_columns_free(struct sciara_poi_columns *c) {
  sciara_text_free(&c->text);
  sciara_free(c->name);
  *c = (struct sciara_poi_columns){0};
}

// ---------------------------------------------------------------------------------------------------------------- rows

/** Adds the parts of a probability; returns the next column. */
static double *put_probability(const struct sciara_reduction *r, const struct sciara_poi_probability *p, double *out) {
  const struct sciara_interval interval = sciara_sample_interval(&r->sample, &p->estimate);
  const double parts[PARTS] = {
      p->estimate.value, p->estimate.low, p->estimate.high, p->estimate.error, (double)p->estimate.hits,
      p->half[0],        p->half[1],      interval.low,     interval.high};
  for (size_t k = 0; k < PARTS; k++) *out++ = parts[k];
  return out;
}

/** The columns before the first probability. */
static double *put_first(const struct sciara_reduction *r, struct sciara_point at, size_t cells, double *out) {
  const double first[FIRST] = {at.x,
                               at.y,
                               (double)cells,
                               (double)(r->used_members - r->sample.zero),
                               (double)r->sample.finished,
                               sciara_sample_zero_bound(&r->sample)};
  for (size_t k = 0; k < FIRST; k++) *out++ = first[k];
  return out;
}

/** All columns without a number, but for the first ones. */
static void put_nothing(const struct sciara_reduction *r, double *out) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  const size_t count = PARTS * (q->deposit_count + q->within_count) + SCIARA_QUANTILES * q->quantile_count + 2 +
                       (has_rates(r) ? q->year_count * (3 * q->deposit_count + 1) : 0);
  for (size_t k = 0; k < count; k++) out[k] = NAN;
}

enum sciara_status sciara_poi_row(const struct sciara_reduction *r, const struct sciara_poi *poi, size_t place,
                                  double *value) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  const struct sciara_point at = poi->point_count ? sciara_poi_middle(poi) : (struct sciara_point){NAN, NAN};
  struct sciara_poi_result result;
  double *out = put_first(r, at, r->pois.place[place].count, value);
  if (sciara_poi_where(&r->poi_ground[place]) != SCIARA_POI_ON_LAND) {
    put_nothing(r, out);
    return SCIARA_OK;
  }
  SCIARA_TRY(sciara_poi_result_make(&r->pois, &r->sample, q, place, r->poi_ground[place].land, &r->rule, &result));
  for (size_t k = 0; k < q->deposit_count; k++) out = put_probability(r, &result.deposit[k], out);
  for (size_t k = 0; k < q->within_count; k++) out = put_probability(r, &result.within[k], out);
  for (int of = 0; of < SCIARA_QUANTILES; of++)
    for (size_t k = 0; k < q->quantile_count; k++) *out++ = result.quantile[of][k];
  *out++ = result.covered;
  *out++ = result.covered_error;
  for (size_t k = 0; k < 3 * q->year_count * q->deposit_count && result.years; k++) *out++ = result.years[k];
  for (size_t k = 0; k < q->year_count && has_rates(r); k++)
    *out++ = sciara_hazard_years_zero_bound(&r->rule, q->years[k]);
  sciara_poi_result_free(&result);
  return SCIARA_OK;
}

/** The first probability of a row: that of the first of result.thickness_m. */
static struct sciara_poi_chance chance_of(const struct sciara_reduction *r, const double *value) {
  const double *p = value + FIRST;
  if (r->ensemble.result.deposit_count == 0 || isnan(*p))
    return (struct sciara_poi_chance){NAN, NAN, NAN, NAN, 0, false, false, SCIARA_POI_ON_LAND};
  return (struct sciara_poi_chance){.value = p[0], .most = p[2], .hits = (size_t)p[4], .low = p[7], .high = p[8]};
}

bool sciara_poi_at_start(const struct sciara_reduction *r, size_t place) {
  bool reached = false;
  for (size_t m = 0; m < r->sample.count; m++) {
    const struct sciara_poi_hit *hit = sciara_poi_hit(&r->pois, place, m);
    if (r->sample.state[m] == SCIARA_MEMBER_OPEN) continue;
    if (!(hit->arrival <= 0)) return false;
    reached |= sciara_poi_is_hit(hit, 0);
  }
  return reached;
}

/** Whether lava leaves the map, or enters the sea: whatever the deposit and time, so only the first probability has a value. */
static enum sciara_status chance_row(const struct sciara_reduction *r, bool sea, double *value) {
  struct sciara_sample_scratch x = {0};
  uint32_t *hit = NULL;
  size_t hits = 0;
  double *out = put_first(r, (struct sciara_point){NAN, NAN}, (size_t)sciara_grid_cells(&r->dem.grid), value);
  enum sciara_status status;
  put_nothing(r, out);
  SCIARA_TRY_GOTO(sciara_sample_scratch_make(&r->sample, &x));
  SCIARA_TRY_GOTO(SCIARA_NEW(hit, r->sample.count + 1, "members"));
  for (size_t m = 0; m < r->sample.count; m++) {
    const struct sciara_ledger *l = &r->batches.member[m].ledger;
    if (r->sample.state[m] != SCIARA_MEMBER_OPEN && r->sample.weight[m] > 0 && (sea ? l->sea_m3 : l->lost_m3) > 0)
      hit[hits++] = (uint32_t)m;
  }
  const struct sciara_poi_probability p = {.estimate = sciara_sample_estimate(&r->sample, &r->rule.ever, hit, hits, &x),
                                           .half = {NAN, NAN}};
  if (r->ensemble.result.deposit_count > 0) put_probability(r, &p, out);
cleanup:
  sciara_sample_scratch_free(&x);
  sciara_free(hit);
  return status;
}

// ---------------------------------------------------------------------------------------------------------------- files

/** Rows of places. Zero-initialise; release with rows_free. */
struct rows {
  struct sciara_poi_columns columns;
  const char *(*text)[TEXTS]; ///< of each place
  double *value;              ///< (places + 1) x columns: the last row is for others
};

/** Appends a row of a CSV file: texts, then numbers, then the condition of all of them. */
static enum sciara_status append_row(const struct sciara_reduction *r, const struct sciara_poi_columns *c,
                                     const char *name, const char *kind, const char *state, const double *value,
                                     struct sciara_text *out) {
  struct sciara_text condition = {0};
  sciara_csv_append_text(out, name);
  sciara_text_append(out, ",%s,%s", kind, state);
  for (size_t k = 0; k < c->count; k++)
    sciara_text_append(out, !isfinite(value[k]) ? "," : k < 2 ? ",%.10g" : ",%.9g", value[k]);
  SCIARA_TRY(sciara_reduction_condition(r, NULL, &condition));
  sciara_text_append(out, ",");
  sciara_csv_append_text(out, condition.data);
  sciara_text_free(&condition);
  return sciara_text_append(out, "\n");
}

/** The first column of a probability; NULL: there is none. */
static const char *share_of(const struct sciara_poi_columns *c) {
  size_t k = 0;
  while (k < c->count && strncmp(c->name[k], "probability_", strlen("probability_")) != 0) k++;
  return k < c->count ? c->name[k] : NULL;
}

/** Layers of points, lines and zones, coloured by the first probability. */
static enum sciara_status write_poi_gpkg(const struct sciara_reduction *r, const struct rows *rows,
                                         const struct sciara_poi *pois, size_t count, const char *path) {
  static const char *const texts[TEXTS] = {"kind", "state"};
  const struct sciara_vector_places places = {.text_column = texts,
                                              .text_columns = TEXTS,
                                              .share = share_of(&rows->columns),
                                              .column = rows->columns.name,
                                              .columns = rows->columns.count,
                                              .pois = pois,
                                              .count = count,
                                              .text = &rows->text[0][0],
                                              .value = rows->value};
  struct sciara_text title = {0};
  enum sciara_status status = sciara_reduction_describe(r, NULL, &title);
  if (status == SCIARA_OK) status = sciara_places_write_gpkg(&places, &r->dem.grid, &r->dem.georef, title.data, path);
  sciara_text_free(&title);
  return status;
}

/** What follows the sites in sites.csv: the places that are left out, then the chance that lava leaves the map or enters the sea. */
static enum sciara_status append_others(const struct sciara_reduction *r, const struct rows *rows,
                                        struct sciara_text *t) {
  static const char *const chances[] = {"lava leaves the map", "lava enters the sea"};
  double *other = rows->value + r->pois.pois * rows->columns.count;
  for (size_t k = 0; k < r->ensemble.result.left_count; k++) {
    const struct sciara_ensemble_left *left = &r->ensemble.result.left[k];
    put_nothing(r, put_first(r, (struct sciara_point){NAN, NAN}, 0, other)); // it has no cells
    SCIARA_TRY(append_row(r, &rows->columns, left->name, sciara_poi_kind_name(left->kind),
                          sciara_poi_where_name(left->where), other, t));
  }
  for (int sea = 0; sea < 2; sea++) {
    SCIARA_TRY(chance_row(r, sea, other));
    SCIARA_TRY(append_row(r, &rows->columns, chances[sea], "map", "", other, t));
  }
  return SCIARA_OK;
}

static enum sciara_status write_csv(const struct sciara_reduction *r, const struct rows *rows,
                                    const struct sciara_poi *pois, size_t count, bool sites, const char *path) {
  const struct sciara_poi_columns *c = &rows->columns;
  struct sciara_text t = {0};
  enum sciara_status status;
  sciara_text_append(&t, "%s,kind,state", sites ? "site" : "place");
  for (size_t k = 0; k < c->count; k++) sciara_text_append(&t, ",%s", c->name[k]);
  SCIARA_TRY_GOTO(sciara_text_append(&t, ",condition\n"));
  for (size_t k = 0; k < count; k++)
    SCIARA_TRY_GOTO(append_row(r, c, pois[k].name ? pois[k].name : "", rows->text[k][0], rows->text[k][1],
                               rows->value + k * c->count, &t));
  if (sites) SCIARA_TRY_GOTO(append_others(r, rows, &t));
cleanup:
  return sciara_text_write(path, status, &t);
}

/** @param sites they are those of the ensemble: the CSV file also has others. @param csv, gpkg NULL: not this one */
static enum sciara_status write_rows(const struct sciara_reduction *r, const struct rows *rows,
                                     const struct sciara_poi *pois, size_t count, bool sites, const char *csv,
                                     const char *gpkg) {
  if (csv) SCIARA_TRY(write_csv(r, rows, pois, count, sites, csv));
  return gpkg ? write_poi_gpkg(r, rows, pois, count, gpkg) : SCIARA_OK;
}

static void rows_free(struct rows *rows) {
  sciara_poi_columns_free(&rows->columns);
  sciara_free(rows->text);
  sciara_free(rows->value);
}

static enum sciara_status rows_make(const struct sciara_reduction *r, size_t count, struct rows *out) {
  size_t size;
  *out = (struct rows){0};
  SCIARA_TRY(sciara_poi_columns_make(r, &out->columns));
  SCIARA_TRY(sciara_size_mul(count + 1, out->columns.count, &size));
  SCIARA_TRY(SCIARA_NEW(out->text, count + 1, "a table of places"));
  return SCIARA_NEW(out->value, size, "a table of places");
}

/** Sets row `number`, of place `place` of r->pois. */
static enum sciara_status set_row(const struct sciara_reduction *r, struct rows *rows, size_t number,
                                  const struct sciara_poi *poi, size_t place) {
  rows->text[number][0] = sciara_poi_kind_name(poi->kind);
  rows->text[number][1] = sciara_poi_where_name(sciara_poi_where(&r->poi_ground[place]));
  return sciara_poi_row(r, poi, place, rows->value + number * rows->columns.count);
}

enum sciara_status sciara_products_pois(const struct sciara_reduction *r) {
  const struct sciara_poi *pois = r->ensemble.result.pois;
  const size_t count = r->pois.pois;
  struct rows rows;
  char *csv = NULL, *gpkg = NULL;
  enum sciara_status status = rows_make(r, count, &rows);
  if (status == SCIARA_OK) status = sciara_path_in(r->ensemble.folder, "sites.csv", &csv);
  if (status == SCIARA_OK) status = sciara_path_in(r->ensemble.folder, "sites.gpkg", &gpkg);
  for (size_t k = 0; k < count && status == SCIARA_OK; k++) status = set_row(r, &rows, k, &pois[k], k);
  if (status == SCIARA_OK) status = write_rows(r, &rows, pois, count, true, csv, count > 0 ? gpkg : NULL);
  if (status == SCIARA_OK && count == 0) unlink(gpkg); // of an earlier reduction, whose plan had sites
  rows_free(&rows);
  free(csv);
  free(gpkg);
  return status;
}

// --------------------------------------------------------------------------------------------- places of a vector file

enum sciara_status sciara_exposed_open(const char *folder, const struct sciara_pois_request *request, int threads,
                                       struct sciara_exposed_places *out) {
  static const struct sciara_poi none;
  const struct sciara_reduction_options options = {.threads = threads, .poi = &none, .poi_count = 0};
  struct sciara_pois_request q = *request;
  *out = (struct sciara_exposed_places){.threads = threads};
  SCIARA_TRY(sciara_reduction_open(folder, &options, &out->r));
  q.grid = &out->r.dem.grid;
  q.crs_wkt = out->r.dem.georef.crs_wkt;
  const enum sciara_status status = sciara_pois_read(&q, &out->pois);
  if (status != SCIARA_OK) sciara_exposed_close(out);
  return status;
}

void sciara_exposed_close(struct sciara_exposed_places *e) {
  sciara_pois_free(&e->pois);
  sciara_reduction_free(&e->r);
}

enum sciara_status sciara_exposed_visit(struct sciara_exposed_places *e, sciara_exposed_take *take, void *context) {
  const struct sciara_pois *pois = &e->pois;
  const size_t block = sciara_reduction_places(e->r.ensemble.members.count);
  for (size_t begin = 0; begin < pois->count; begin += block) {
    const size_t count = pois->count - begin < block ? pois->count - begin : block;
    SCIARA_TRY(sciara_reduction_place(&e->r, pois->poi + begin, count));
    for (size_t k = 0; k < count; k++)
      if (pois->elsewhere[begin + k]) e->r.poi_ground[k].all = 1; // something lies there, outside
    SCIARA_TRY(sciara_reduction_visit_pois(&e->r, e->threads));
    for (size_t k = 0; k < count; k++) SCIARA_TRY(take(context, &e->r, &pois->poi[begin + k], begin + k, k));
  }
  return SCIARA_OK;
}

/** A table that is being made. */
struct table {
  struct rows rows;
  struct sciara_poi_chance *chance;
  size_t reached;
};

static enum sciara_status take_row(void *context, const struct sciara_reduction *r, const struct sciara_poi *poi,
                                   size_t number, size_t place) {
  struct table *t = (struct table *)context;
  struct sciara_poi_chance *chance = &t->chance[number];
  bool reached = false;
  for (size_t m = 0; m < r->sample.count; m++) {
    if (r->sample.state[m] == SCIARA_MEMBER_OPEN) continue;
    reached |= sciara_poi_is_hit(sciara_poi_hit(&r->pois, place, m), 0);
  }
  t->reached += reached;
  SCIARA_TRY(set_row(r, &t->rows, number, poi, place));
  *chance = chance_of(r, t->rows.value + number * t->rows.columns.count);
  chance->reached = reached;
  chance->at_start = sciara_poi_at_start(r, place);
  chance->where = sciara_poi_where_of(poi, sciara_poi_where(&r->poi_ground[place]), &r->dem.window);
  return SCIARA_OK;
}

enum sciara_status sciara_exposed_write(struct sciara_exposed_places *e, const char *csv, const char *gpkg,
                                        struct sciara_poi_chance *chance, size_t *reached) {
  struct table t = {.chance = chance};
  enum sciara_status status = rows_make(&e->r, e->pois.count, &t.rows);
  if (status == SCIARA_OK) status = sciara_exposed_visit(e, take_row, &t);
  *reached = t.reached;
  if (status == SCIARA_OK) status = write_rows(&e->r, &t.rows, e->pois.poi, e->pois.count, false, csv, gpkg);
  rows_free(&t.rows);
  return status;
}
