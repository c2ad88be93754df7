// SPDX-License-Identifier: Apache-2.0
// The public interface (sciara.h): ensembles.
#include <math.h>
#include <stdlib.h>

#include "api/api.h"
#include "base/mem.h"
#include "base/text.h"
#include "calibrate/verification.h"
#include "ensemble/ensemble.h"
#include "ensemble/execute.h"
#include "hazard/poi_table.h"
#include "hazard/products.h"
#include "plan/plan.h"

enum { WORKERS_MOST = 4096, THREADS_MOST = 1024 };

// -------------------------------------------------------------------------------------------------------------- plan

enum sciara_status sciara_ensemble_make_plan(const char *file, const char *folder, bool overwrite) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_make_plan", "the path of a file", file));
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_make_plan", "the path of a folder", folder));
  const struct sciara_ensemble_plan_options options = {.overwrite = overwrite};
  struct sciara_ensemble_estimate estimate;
  struct sciara_diagnostics diagnostics = {0};
  sciara_scenario_declare_options(sciara_engine_settings());
  sciara_ensemble_plan(file, folder, &options, &estimate, &diagnostics);
  return sciara_diagnostics_end(&diagnostics);
}

// --------------------------------------------------------------------------------------------------------------- run

/** Between the caller's function and the executor. */
struct listener {
  const struct sciara_ensemble_run_options *options;
  int cancel; ///< set atomically
};

static struct sciara_ensemble_progress progress_of(const struct sciara_execute_progress *p) {
  return (struct sciara_ensemble_progress){.total = p->total,
                                           .finished = p->finished,
                                           .failed = p->failed,
                                           .censored = p->censored,
                                           .now = p->now,
                                           .per_hour = p->per_hour,
                                           .to_go_s = p->to_go_s};
}

static void listen(void *context, const struct sciara_execute_progress *p) {
  struct listener *l = (struct listener *)context;
  const struct sciara_ensemble_progress now = progress_of(p);
  if (!__atomic_load_n(&l->cancel, __ATOMIC_RELAXED) && !l->options->progress(l->options->context, &now))
    __atomic_store_n(&l->cancel, 1, __ATOMIC_RELAXED);
}

static enum sciara_status check_run(const struct sciara_ensemble_run_options *o) {
  if (o->has_ids && (o->first_id < 0 || o->last_id < o->first_id))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_ensemble_run: expected 0 <= first_id <= last_id, found %lld and %lld",
                       (long long)o->first_id, (long long)o->last_id);
  if (o->parts == 0 ? o->part != 0 : o->part < 1 || o->part > o->parts)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_ensemble_run: expected a part from 1 to parts, found part %zu of %zu",
                       o->part, o->parts);
  if (o->workers < 0 || o->workers > WORKERS_MOST)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_ensemble_run: expected 0 to %d workers, found %d", WORKERS_MOST,
                       o->workers);
  return SCIARA_OK;
}

enum sciara_status sciara_ensemble_run(const char *folder, const struct sciara_ensemble_run_options *options,
                                       struct sciara_ensemble_progress *out) {
  static const struct sciara_ensemble_run_options none = {0};
  if (out) *out = (struct sciara_ensemble_progress){.to_go_s = -1};
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_run", "the path of a folder", folder));
  const struct sciara_ensemble_run_options *o = options ? options : &none;
  SCIARA_TRY(check_run(o));
  struct listener listener = {.options = o};
  const struct sciara_execute_options how = {.engine = o->engine,
                                             .workers = o->workers,
                                             .has_ids = o->has_ids,
                                             .first_id = o->first_id,
                                             .last_id = o->last_id,
                                             .part = o->part,
                                             .parts = o->parts,
                                             .cancel = &listener.cancel,
                                             .progress = o->progress ? listen : NULL,
                                             .context = &listener};
  struct sciara_ensemble e = {0};
  struct sciara_execute_progress progress = {0};
  sciara_scenario_declare_options(sciara_engine_settings());
  int lock;
  SCIARA_TRY(sciara_ensemble_open_to_run(folder, &e, &lock));
  const enum sciara_status status = sciara_ensemble_execute(&e, &how, &progress);
  sciara_ensemble_unlock(lock);
  if (status == SCIARA_OK && out) *out = progress_of(&progress);
  sciara_ensemble_free(&e);
  return status;
}

enum sciara_status sciara_ensemble_read_progress(const char *folder, struct sciara_ensemble_progress *out) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_read_progress", "out", out));
  *out = (struct sciara_ensemble_progress){.to_go_s = -1};
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_read_progress", "the path of a folder", folder));
  struct sciara_ensemble e = {0};
  struct sciara_ensemble_status s;
  sciara_scenario_declare_options(sciara_engine_settings());
  SCIARA_TRY(sciara_ensemble_open(folder, &e));
  const enum sciara_status status = sciara_ensemble_read_status(&e, &s);
  sciara_ensemble_free(&e);
  SCIARA_TRY(status);
  *out = (struct sciara_ensemble_progress){.total = s.members,
                                           .finished = s.finished,
                                           .failed = s.failed,
                                           .censored = s.censored,
                                           .per_hour = s.per_hour,
                                           .to_go_s = s.finished == s.members || s.enough > 0 ? 0 : -1};
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------ reduce

enum sciara_status sciara_ensemble_reduce(const char *folder, const struct sciara_ensemble_reduce_options *options) {
  static const struct sciara_ensemble_reduce_options none = {0};
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_reduce", "the path of a folder", folder));
  const struct sciara_ensemble_reduce_options *o = options ? options : &none;
  if (o->threads < 0 || o->threads > THREADS_MOST)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_ensemble_reduce: expected 0 to %d threads, found %d", THREADS_MOST,
                       o->threads);
  const struct sciara_reduction_options how = {
      .threads = sciara_reduction_threads(o->threads), .bytes = SCIARA_REDUCTION_BYTES, .all = o->all};
  struct sciara_reduction r;
  int lock;
  sciara_scenario_declare_options(sciara_engine_settings());
  sciara_products_lock(folder, &lock);
  enum sciara_status status = sciara_reduction_open(folder, &how, &r);
  if (status == SCIARA_OK) {
    status = sciara_reduction_make_maps(&r, &how);
    if (status == SCIARA_OK) status = sciara_products_write(&r, how.threads, o->pictures);
    sciara_reduction_free(&r);
  }
  sciara_products_unlock(lock);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- query

enum { LISTS = 3 }; ///< of contributions

/** A list of contributions with its own names. */
struct list {
  struct sciara_ensemble_contribution *item;
  char **name; ///< vent and event of each item
  size_t count;
};

/** An answer and what it points to. */
struct answer {
  struct sciara_ensemble_answer shown; ///< first: the caller's pointer
  struct sciara_ensemble_probability *thickness, *within;
  struct sciara_ensemble_interval *thickness_interval, *within_interval;
  struct sciara_ensemble_quantile *quantiles;
  struct sciara_ensemble_years *years;
  struct list list[LISTS]; ///< by enum sciara_contribution_of
};

static struct sciara_ensemble_probability probability_of(double limit, const struct sciara_estimate *e) {
  return (struct sciara_ensemble_probability){
      .limit = limit, .value = e->value, .low = e->low, .high = e->high, .error = e->error, .hits = e->hits};
}

static struct sciara_ensemble_interval interval_of(const struct sciara_sample *s, const struct sciara_estimate *e) {
  const struct sciara_interval i = sciara_sample_interval(s, e);
  return (struct sciara_ensemble_interval){i.low, i.high};
}

static enum sciara_status fill_probabilities(const struct sciara_reduction *r, const struct sciara_poi_result *result,
                                             struct answer *a) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  SCIARA_TRY(SCIARA_NEW(a->thickness, q->deposit_count, "the answer of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(a->within, q->within_count, "the answer of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(a->thickness_interval, q->deposit_count, "the answer of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(a->within_interval, q->within_count, "the answer of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(a->quantiles, q->quantile_count, "the answer of an ensemble"));
  for (size_t k = 0; k < q->deposit_count; k++) {
    a->thickness[k] = probability_of(q->deposit_m[k], &result->deposit[k].estimate);
    a->thickness_interval[k] = interval_of(&r->sample, &result->deposit[k].estimate);
  }
  for (size_t k = 0; k < q->within_count; k++) {
    a->within[k] = probability_of(q->within_s[k], &result->within[k].estimate);
    a->within_interval[k] = interval_of(&r->sample, &result->within[k].estimate);
  }
  for (size_t k = 0; k < q->quantile_count; k++)
    a->quantiles[k] = (struct sciara_ensemble_quantile){q->quantiles[k], result->quantile[SCIARA_QUANTILES_ARRIVAL][k],
                                                        result->quantile[SCIARA_QUANTILES_DEPOSIT][k]};
  a->shown.thickness = a->thickness;
  a->shown.within = a->within;
  a->shown.thickness_interval = a->thickness_interval;
  a->shown.within_interval = a->within_interval;
  a->shown.quantiles = a->quantiles;
  a->shown.thickness_count = q->deposit_count;
  a->shown.within_count = q->within_count;
  a->shown.quantile_count = q->quantile_count;
  return SCIARA_OK;
}

static enum sciara_status fill_years(const struct sciara_reduction *r, const struct sciara_poi_result *result,
                                     struct answer *a) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  const double *value = result->years;
  SCIARA_TRY(SCIARA_NEW(a->years, q->year_count * q->deposit_count, "the answer of an ensemble"));
  a->shown.years = a->years;
  for (size_t y = 0; y < q->year_count && value; y++)
    for (size_t k = 0; k < q->deposit_count; k++, value += 3)
      a->years[a->shown.years_count++] =
          (struct sciara_ensemble_years){.years = q->years[y],
                                         .limit = q->deposit_m[k],
                                         .value = value[0],
                                         .low = value[1],
                                         .high = value[2],
                                         .zero_bound = sciara_hazard_years_zero_bound(&r->rule, q->years[y]),
                                         .hits = result->deposit[k].estimate.hits};
  return SCIARA_OK;
}

static enum sciara_status add(const struct sciara_reduction *r, const struct sciara_contribution *c, struct list *l) {
  char vent[24], event[24];
  char **name = &l->name[2 * l->count];
  struct sciara_ensemble_contribution *item = &l->item[l->count++];
  name[0] = sciara_format("%s", sciara_reduction_vent(r, c->vent, vent));
  name[1] = sciara_format("%s", sciara_reduction_event(r, c->event, event));
  if (!name[0] || !name[1]) return sciara_no_memory("the answer of an ensemble");
  *item = (struct sciara_ensemble_contribution){.vent = name[0],
                                                .event = name[1],
                                                .members = c->members,
                                                .hits = c->hits,
                                                .weight = c->weight,
                                                .probability = c->probability,
                                                .share = c->contribution,
                                                .arrival_s = c->arrival};
  return SCIARA_OK;
}

static enum sciara_status fill_list(const struct sciara_reduction *r, enum sciara_contribution_of by, struct list *l) {
  const struct sciara_members *m = &r->ensemble.members;
  struct sciara_contribution *all;
  size_t count;
  SCIARA_TRY(sciara_contributions(&r->pois, &r->sample, 0, 0, m->vent, m->event, by, &all, &count));
  enum sciara_status status = SCIARA_NEW(l->item, count, "the answer of an ensemble");
  if (status == SCIARA_OK) status = SCIARA_NEW(l->name, 2 * count, "the answer of an ensemble");
  for (size_t k = 0; k < count && status == SCIARA_OK; k++)
    if (all[k].hits > 0) status = add(r, &all[k], l);
  sciara_free(all);
  return status;
}

/** The first arrival of the finished members of weight above 0; NAN: none. */
static double earliest(const struct sciara_reduction *r, size_t place) {
  double found = INFINITY;
  for (size_t m = 0; m < r->used_members; m++)
    if (r->sample.state[m] != SCIARA_MEMBER_OPEN && r->sample.weight[m] > 0)
      found = fmin(found, sciara_poi_hit(&r->pois, place, m)->arrival);
  return isfinite(found) ? found : NAN;
}

/** Everything but the contributions. */
static enum sciara_status fill_answer(const struct sciara_reduction *r, size_t place, struct answer *a) {
  struct sciara_poi_result result = {0};
  const struct sciara_sample *s = &r->sample;
  SCIARA_TRY(
      sciara_poi_result_make(&r->pois, s, &r->ensemble.result, place, r->poi_ground[place].land, &r->rule, &result));
  enum sciara_status status = fill_probabilities(r, &result, a);
  if (status == SCIARA_OK) status = fill_years(r, &result, a);
  sciara_poi_result_free(&result);
  SCIARA_TRY(status);
  struct sciara_ensemble_answer *out = &a->shown;
  out->members = r->used_members - s->zero;
  out->finished = s->finished;
  out->censored = s->censored;
  out->zero_bound = sciara_sample_zero_bound(s);
  out->grid_difference = s->kind == SCIARA_ERROR_GRID;
  out->earliest_s = earliest(r, place);
  return SCIARA_OK;
}

static enum sciara_status fill_contributions(const struct sciara_reduction *r, struct answer *a) {
  struct sciara_ensemble_answer *out = &a->shown;
  for (int by = 0; by < LISTS; by++) SCIARA_TRY(fill_list(r, (enum sciara_contribution_of)by, &a->list[by]));
  out->by_vent = a->list[SCIARA_BY_VENT].item;
  out->by_vent_count = a->list[SCIARA_BY_VENT].count;
  out->by_event = a->list[SCIARA_BY_EVENT].item;
  out->by_event_count = a->list[SCIARA_BY_EVENT].count;
  out->by_both = a->list[SCIARA_BY_VENT_AND_EVENT].item;
  out->by_both_count = a->list[SCIARA_BY_VENT_AND_EVENT].count;
  return SCIARA_OK;
}

/** Refuses a place that no member can reach. */
static enum sciara_status check_ground(const struct sciara_reduction *r, const struct sciara_poi *poi) {
  char text[SCIARA_POI_REASON];
  const char *reason = sciara_poi_where_reason(poi, sciara_poi_where(&r->poi_ground[0]), &r->dem.window, text);
  if (!reason) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "expected a place on land, found x %.10g, y %.10g, which %s: no member can reach it",
                     poi->points->x, poi->points->y, reason);
}

enum sciara_status sciara_ensemble_query(const char *folder, double x_m, double y_m,
                                         const struct sciara_ensemble_answer **out) {
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_query", "out", out));
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_query", "the path of a folder", folder));
  if (!isfinite(x_m) || !isfinite(y_m))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_ensemble_query: expected finite coordinates, found %g, %g", x_m, y_m);
  char name[] = "place";
  struct sciara_point point = {x_m, y_m};
  const struct sciara_poi place = {.name = name, .points = &point, .point_count = 1};
  const struct sciara_reduction_options how = {
      .threads = sciara_reduction_threads(0), .poi = &place, .poi_count = 1, .all = true};
  struct sciara_reduction r = {0};
  struct answer *a = NULL;
  sciara_scenario_declare_options(sciara_engine_settings());
  SCIARA_TRY(sciara_reduction_open(folder, &how, &r));
  enum sciara_status status = check_ground(&r, &place);
  if (status == SCIARA_OK) status = sciara_reduction_visit_pois(&r, how.threads);
  if (status == SCIARA_OK) status = SCIARA_NEW(a, 1, "the answer of an ensemble");
  if (status == SCIARA_OK) status = fill_answer(&r, 0, a);
  if (status == SCIARA_OK) status = fill_contributions(&r, a);
  sciara_reduction_free(&r);
  if (status == SCIARA_OK)
    *out = &a->shown; // NOLINT(clang-analyzer-core.NullDereference): NULL was refused
  else if (a)
    sciara_ensemble_release(&a->shown);
  return status;
}

void sciara_ensemble_release(const struct sciara_ensemble_answer *answer) {
  struct answer *a = (struct answer *)answer;
  if (!a) return;
  sciara_free(a->thickness);
  sciara_free(a->within);
  sciara_free(a->thickness_interval);
  sciara_free(a->within_interval);
  sciara_free(a->quantiles);
  sciara_free(a->years);
  for (int by = 0; by < LISTS; by++) {
    for (size_t k = 0; k < 2 * a->list[by].count; k++) free(a->list[by].name[k]);
    sciara_free(a->list[by].name);
    sciara_free(a->list[by].item);
  }
  sciara_free(a);
}

// ----------------------------------------------------------------------------------------------------- places of a file

/** Places and what they point to. */
struct assets {
  struct sciara_ensemble_assets shown; ///< first: the caller's pointer
  struct sciara_ensemble_asset *asset;
  struct sciara_exposed_places e; ///< which has the names
};

static enum sciara_status take_asset(void *context, const struct sciara_reduction *r, const struct sciara_poi *poi,
                                     size_t number, size_t place) {
  struct assets *all = (struct assets *)context;
  const enum sciara_poi_where where = sciara_poi_where(&r->poi_ground[place]);
  struct sciara_ensemble_asset *asset = &all->asset[number];
  struct answer *a;
  *asset = (struct sciara_ensemble_asset){
      .name = poi->name, .kind = sciara_poi_kind_name(poi->kind), .state = sciara_poi_where_name(where)};
  all->shown.count = number + 1;
  if (where != SCIARA_POI_ON_LAND) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(a, 1, "the answer of an ensemble"));
  asset->answer = &a->shown;
  return fill_answer(r, place, a);
}

enum sciara_status sciara_ensemble_expose(const char *folder, const char *file, const char *layer,
                                          const struct sciara_ensemble_assets **out) {
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_expose", "out", out));
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_expose", "the path of a folder", folder));
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_expose", "the path of a file", file));
  const struct sciara_pois_request request = {.path = file, .layer = layer};
  struct assets *all;
  sciara_scenario_declare_options(sciara_engine_settings());
  SCIARA_TRY(SCIARA_NEW(all, 1, "places"));
  enum sciara_status status = sciara_exposed_open(folder, &request, sciara_reduction_threads(0), &all->e);
  if (status == SCIARA_OK) status = SCIARA_NEW(all->asset, all->e.pois.count + 1, "places");
  if (status == SCIARA_OK) status = sciara_exposed_visit(&all->e, take_asset, all);
  all->shown.asset = all->asset;
  if (status == SCIARA_OK)
    *out = &all->shown; // NOLINT(clang-analyzer-core.NullDereference): NULL was refused
  else
    sciara_ensemble_assets_release(&all->shown);
  return status;
}

void sciara_ensemble_assets_release(const struct sciara_ensemble_assets *assets) {
  struct assets *all = (struct assets *)assets;
  if (!all) return;
  for (size_t k = 0; k < all->shown.count; k++) sciara_ensemble_release(all->asset[k].answer);
  sciara_free(all->asset);
  sciara_exposed_close(&all->e);
  sciara_free(all);
}

// ------------------------------------------------------------------------------------------------------------ verify

enum sciara_status sciara_ensemble_verify(const char *folder, const struct sciara_ensemble_verify_options *o) {
  struct sciara_verification v;
  int lock;
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_verify", "the path of a folder", folder));
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_verify", "options", o));
  SCIARA_TRY(sciara_api_check_pointer("sciara_ensemble_verify", "the path of an observed extent", o->observed));
  if (o->threads < 0 || o->threads > THREADS_MOST)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_ensemble_verify: expected 0 to %d threads, found %d", THREADS_MOST,
                       o->threads);
  const struct sciara_verification_request request = {.folder = folder,
                                                      .observed = {.path = o->observed, .layer = o->layer},
                                                      .option = "at",
                                                      .since_option = "since",
                                                      .at = o->at,
                                                      .since = o->since,
                                                      .dates = o->dates,
                                                      .region = o->region,
                                                      .threads = sciara_reduction_threads(o->threads)};
  sciara_scenario_declare_options(sciara_engine_settings());
  SCIARA_TRY(sciara_verification_make(&request, &v));
  sciara_products_lock(folder, &lock);
  const enum sciara_status status = sciara_verification_write(&request, &v);
  sciara_products_unlock(lock);
  sciara_verification_free(&v);
  return status;
}
