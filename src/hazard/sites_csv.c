// SPDX-License-Identifier: Apache-2.0
// sites.csv: the results at the places, and the chance that lava leaves the map or enters the sea.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "file/csv_text.h"
#include "file/durable.h"
#include "hazard/products.h"

static void put_number(struct sciara_text *t, double value) {
  if (isfinite(value))
    sciara_text_append(t, ",%.9g", value);
  else
    sciara_text_append(t, ",");
}

enum { PARTS = 9 }; // columns of a probability

/** The difference of a grid is no error. */
static const char *error_name(const struct sciara_reduction *r) {
  return r->sample.kind == SCIARA_ERROR_GRID ? "_grid_difference" : "_error";
}

static void put_names(const struct sciara_reduction *r, struct sciara_text *t, const char *name) {
  const char *const parts[PARTS] = {
      "", "_low", "_high", error_name(r), "_hits", "_half_1", "_half_2", "_interval_95_low", "_interval_95_high"};
  for (size_t k = 0; k < PARTS; k++) sciara_text_append(t, ",%s%s", name, parts[k]);
}

static void put_probability(const struct sciara_reduction *r, struct sciara_text *t,
                            const struct sciara_poi_probability *p) {
  const struct sciara_interval interval = sciara_sample_interval(&r->sample, &p->estimate);
  put_number(t, p->estimate.value);
  put_number(t, p->estimate.low);
  put_number(t, p->estimate.high);
  put_number(t, p->estimate.error);
  put_number(t, (double)p->estimate.hits);
  put_number(t, p->half[0]);
  put_number(t, p->half[1]);
  put_number(t, interval.low);
  put_number(t, interval.high);
}

static bool has_rates(const struct sciara_reduction *r) { return r->rule.rate != NULL; }

static void put_header(const struct sciara_reduction *r, struct sciara_text *t) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  char text[32], name[96];
  sciara_text_append(t, "site,kind,x,y,cells,state,members,finished,upper_95_without_hits");
  for (size_t k = 0; k < q->deposit_count; k++) {
    sciara_layer_deposit(q->deposit_m[k], text, sizeof text);
    snprintf(name, sizeof name, "probability_%s", text);
    put_names(r, t, name);
  }
  for (size_t k = 0; k < q->within_count; k++) {
    sciara_layer_time(q->within_s[k], text, sizeof text);
    snprintf(name, sizeof name, "reached_within_%s", text);
    put_names(r, t, name);
  }
  for (const struct sciara_quantiles *of = sciara_quantiles; of < sciara_quantiles + SCIARA_QUANTILES; of++)
    for (size_t k = 0; k < q->quantile_count; k++) {
      sciara_layer_quantile(q->quantiles[k], text, sizeof text);
      sciara_text_append(t, ",%s_%s_%s", of->name, text, sciara_footprint_values[of->value].unit);
    }
  sciara_text_append(t, ",covered_share,covered_share%s", error_name(r));
  for (size_t y = 0; y < q->year_count && has_rates(r); y++)
    for (size_t k = 0; k < q->deposit_count; k++) {
      sciara_layer_deposit(q->deposit_m[k], text, sizeof text);
      for (int part = 0; part < 3; part++)
        sciara_text_append(t, ",probability_%.9gyears_%s%s", q->years[y], text,
                           part == 0   ? ""
                           : part == 1 ? "_low"
                                       : "_high");
    }
  for (size_t y = 0; y < q->year_count && has_rates(r); y++)
    sciara_text_append(t, ",upper_95_without_hits_%.9gyears", q->years[y]);
  sciara_text_append(t, ",condition\n");
}

/** Cells, what they are, and what holds for all members. */
static void put_first(const struct sciara_reduction *r, struct sciara_text *t, size_t cells, const char *state) {
  put_number(t, (double)cells);
  sciara_text_append(t, ",%s", state);
  put_number(t, (double)(r->used_members - r->sample.zero));
  put_number(t, (double)r->sample.finished);
  put_number(t, sciara_sample_zero_bound(&r->sample));
}

/** The last column. */
static enum sciara_status put_condition(const struct sciara_reduction *r, struct sciara_text *t) {
  struct sciara_text condition = {0};
  SCIARA_TRY(sciara_ensemble_condition(&r->ensemble, &condition));
  sciara_text_append(t, ",");
  sciara_csv_append_text(t, condition.data);
  sciara_text_free(&condition);
  return sciara_text_append(t, "\n");
}

/** Columns of what a place has, from the first probability on. */
static size_t result_columns(const struct sciara_reduction *r) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  return PARTS * (q->deposit_count + q->within_count) + SCIARA_QUANTILES * q->quantile_count + 2 +
         (has_rates(r) ? q->year_count * (3 * q->deposit_count + 1) : 0);
}

static enum sciara_status put_poi(const struct sciara_reduction *r, const struct sciara_poi *s, size_t poi,
                                  struct sciara_text *t) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  const enum sciara_poi_where where = sciara_poi_where(&r->poi_ground[poi]);
  struct sciara_poi_result result;
  sciara_csv_append_text(t, s->name ? s->name : "");
  sciara_text_append(t, ",%s", sciara_poi_kind_name(s->kind));
  if (s->point_count > 0) {
    const struct sciara_point middle = sciara_poi_middle(s);
    sciara_text_append(t, ",%.10g,%.10g", middle.x, middle.y);
  } else {
    sciara_text_append(t, ",,");
  }
  put_first(r, t, r->pois.place[poi].count, sciara_poi_where_name(where));
  if (where != SCIARA_POI_ON_LAND) { // no member can reach it: that is no probability
    for (size_t k = 0; k < result_columns(r); k++) sciara_text_append(t, ",");
    return put_condition(r, t);
  }
  SCIARA_TRY(sciara_poi_result_make(&r->pois, &r->sample, q, poi, r->poi_ground[poi].land, &r->rule, &result));
  for (size_t k = 0; k < q->deposit_count; k++) put_probability(r, t, &result.deposit[k]);
  for (size_t k = 0; k < q->within_count; k++) put_probability(r, t, &result.within[k]);
  for (int of = 0; of < SCIARA_QUANTILES; of++)
    for (size_t k = 0; k < q->quantile_count; k++) put_number(t, result.quantile[of][k]);
  put_number(t, result.covered);
  put_number(t, result.covered_error);
  for (size_t k = 0; k < 3 * q->year_count * q->deposit_count && result.years; k++) put_number(t, result.years[k]);
  for (size_t k = 0; k < q->year_count && has_rates(r); k++)
    put_number(t, sciara_hazard_years_zero_bound(&r->rule, q->years[k]));
  const enum sciara_status status = put_condition(r, t);
  sciara_poi_result_free(&result);
  return status;
}

/** The chance of something that has no place: whatever the deposit and time, so only the first columns have values. */
static enum sciara_status put_chance(const struct sciara_reduction *r, const char *name, bool sea,
                                     struct sciara_text *t) {
  struct sciara_sample_scratch x = {0};
  uint32_t *hit = NULL;
  size_t hits = 0;
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  const size_t empty = result_columns(r);
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_sample_scratch_make(&r->sample, &x));
  SCIARA_TRY_GOTO(SCIARA_NEW(hit, r->sample.count + 1, "members"));
  for (size_t m = 0; m < r->sample.count; m++) {
    const struct sciara_ledger *l = &r->batches.member[m].ledger;
    if (r->sample.state[m] != SCIARA_MEMBER_OPEN && r->sample.weight[m] > 0 && (sea ? l->sea_m3 : l->lost_m3) > 0)
      hit[hits++] = (uint32_t)m;
  }
  const struct sciara_poi_probability p = {.estimate = sciara_sample_estimate(&r->sample, &r->rule.ever, hit, hits, &x),
                                           .half = {NAN, NAN}};
  sciara_csv_append_text(t, name);
  sciara_text_append(t, ",map,,");
  put_first(r, t, (size_t)sciara_grid_cells(&r->dem.grid), "");
  if (q->deposit_count > 0) put_probability(r, t, &p);
  for (size_t k = q->deposit_count > 0 ? PARTS : 0; k < empty; k++) sciara_text_append(t, ",");
  status = put_condition(r, t);
cleanup:
  sciara_sample_scratch_free(&x);
  sciara_free(hit);
  return status;
}

enum sciara_status sciara_products_pois(const struct sciara_reduction *r) {
  struct sciara_text t = {0};
  char *path = sciara_path_join(r->ensemble.folder, "sites.csv");
  enum sciara_status status = SCIARA_OK;
  if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of a file");
  put_header(r, &t);
  for (size_t k = 0; k < r->pois.pois; k++) SCIARA_TRY_GOTO(put_poi(r, &r->ensemble.result.pois[k], k, &t));
  SCIARA_TRY_GOTO(put_chance(r, "lava leaves the map", false, &t));
  SCIARA_TRY_GOTO(put_chance(r, "lava enters the sea", true, &t));
  SCIARA_TRY_GOTO(t.failed);
  SCIARA_TRY_GOTO(sciara_file_replace(path, t.data, t.length));
cleanup:
  sciara_text_free(&t);
  free(path);
  return status;
}
