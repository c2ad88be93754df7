// SPDX-License-Identifier: Apache-2.0
#include "calibrate/verification.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/compare.h"
#include "analysis/front.h"
#include "base/log.h"
#include "base/mem.h"
#include "calibrate/reweight.h"
#include "ensemble/ensemble_json.h"
#include "ensemble/used_vents.h"
#include "file/durable.h"
#include "hazard/reduction.h"

void sciara_verification_free(struct sciara_verification *v) {
  free(v->said);
  free(v->driver);
  *v = (struct sciara_verification){0};
}

/** What the steps of sciara_verification_make share. Arrays have rows x cols entries. */
struct work {
  struct sciara_verification_request request;
  struct sciara_verification *out;
  struct sciara_reduction r;
  char start[SCIARA_DATE_SIZE]; ///< run.start of the base; "": there is none
  double after_s;               ///< up to when arrivals count, from the start of the members, s; INFINITY: all
  double until_s;               ///< up to when the members are known, simulated time, s; INFINITY: they end at rest
  struct sciara_observation observed, region, since;
  int64_t *from_vents;  ///< squared distance from the nearest vent of a member, in cells; NULL: there are no vents
  double *said, *still; ///< probabilities of lava by the time, and at the start
  int64_t *cells, *far; ///< of each member: cells that it reaches; the largest of their `from_vents`, -1: none
};

static void work_free(struct work *w) {
  sciara_reduction_free(&w->r);
  sciara_observation_free(&w->observed);
  sciara_observation_free(&w->region);
  sciara_observation_free(&w->since);
  sciara_free(w->from_vents);
  sciara_free(w->said);
  sciara_free(w->still);
  sciara_free(w->cells);
  sciara_free(w->far);
}

static bool counts(const struct work *w, size_t member) { return sciara_sample_counts(&w->r.sample, member); }

// ---------------------------------------------------------------------------------------------------------------- time

/** Up to when all members are known that the stop rule "until" has ended, simulated time, s; INFINITY: there is none. */
static double find_end(const struct work *w) {
  double end = w->r.liquid.from_s; // the time itself, where members have one
  for (size_t k = 0; k < w->r.sample.count; k++) {
    const struct sciara_footprint *f = &w->r.batches.member[k];
    if (counts(w, k) && !f->censored && f->stop == SCIARA_STOP_TIME) end = fmin(end, f->end_s);
  }
  return w->r.ensemble.time_zero_s + end;
}

/** That none of the dates lies between the start and the end of the members. */
static enum sciara_status fail_dates(const struct work *w, const struct sciara_observation_dates *d) {
  char begin[SCIARA_DATE_SIZE], end[SCIARA_DATE_SIZE] = "", first[SCIARA_DATE_SIZE], last[SCIARA_DATE_SIZE];
  sciara_date_after(w->start, w->r.ensemble.time_zero_s, begin);
  if (isfinite(w->until_s)) sciara_date_after(w->start, w->until_s, end);
  sciara_print_date(d->date[0], first);
  sciara_print_date(d->date[d->count - 1], last);
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "%s: expected an outline of a date after %s, when the members of %s begin%s%s; found dates from %s "
      "to %s in its field \"%.60s\"; %s says of which time it is",
      w->request.observed.path, begin, w->request.folder, *end ? ", up to their end, " : "", end, first, last, d->field,
      w->request.option);
}

/** Takes the last date of the file up to the end of the members; without dates their end. */
static enum sciara_status take_date(struct work *w, const struct sciara_observation_dates *d) {
  const double start = sciara_date_at(w->start, 0), zero_s = w->r.ensemble.time_zero_s;
  size_t k = d->count;
  if (d->count == 0 || !*w->start) {
    w->out->at = SCIARA_VERIFICATION_END;
    w->out->at_s = w->until_s;
    if (isfinite(w->until_s)) w->request.observed.when = sciara_date_at(w->start, w->until_s);
    return SCIARA_OK;
  }
  while (k > 0 && d->date[k - 1] - start > w->until_s) k--;
  if (k == 0 || !(d->date[k - 1] - start > zero_s)) return fail_dates(w, d);
  w->out->at = SCIARA_VERIFICATION_OF_FILE;
  w->out->at_s = d->date[k - 1] - start;
  w->request.observed.date = w->request.observed.when = d->date[k - 1];
  return SCIARA_OK;
}

static enum sciara_status find_verified_time(struct work *w, struct sciara_observation_dates *d) {
  const struct sciara_ensemble *e = &w->r.ensemble;
  struct sciara_observation_request *q = &w->request.observed;
  sciara_date_after(sciara_scenario_base_values(e->scenario)->start, 0, w->start);
  w->until_s = find_end(w);
  if (w->request.at) {
    SCIARA_TRY(sciara_ensemble_take_time(e, w->request.option, w->request.at, &w->out->at_s, &q->when));
    q->date_hint = "without a time the last one up to the end of the members is taken";
  } else {
    struct sciara_observation_request of = *q;
    of.date_field = w->request.dates ? w->request.dates : SCIARA_OBSERVATION_DATES_AUTO;
    of.dates_optional = true;
    SCIARA_TRY(sciara_observation_dates_read(&of, d));
    SCIARA_TRY(take_date(w, d));
    if (w->out->at == SCIARA_VERIFICATION_OF_FILE) q->date_field = d->field;
  }
  w->after_s = w->out->at == SCIARA_VERIFICATION_END ? INFINITY : w->out->at_s - e->time_zero_s;
  if (isfinite(w->out->at_s)) sciara_date_after(w->start, w->out->at_s, w->out->date);
  if (isfinite(w->after_s)) return sciara_members_reach(&w->r.batches, &w->r.sample, w->out->at_s, &w->out->early);
  for (size_t k = 0; k < w->r.sample.count; k++) {
    const struct sciara_footprint *f = &w->r.batches.member[k];
    w->out->early += counts(w, k) && f->censored && e->time_zero_s + f->end_s < w->out->at_s;
  }
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------ observed

static enum sciara_status read_extent(struct work *w, const struct sciara_observation_request *request,
                                      struct sciara_observation *out) {
  struct sciara_observation_request q = *request;
  q.grid = &w->r.dem.grid;
  q.crs_wkt = w->r.dem.georef.crs_wkt;
  return sciara_observation_read(&q, out);
}

/** The earlier outline that stays if nothing moves. */
static enum sciara_status read_since(struct work *w) {
  struct sciara_observation_request q = w->request.observed;
  double *since_s = &w->out->since_s;
  if (!w->request.since) return SCIARA_OK;
  SCIARA_TRY(sciara_take_time(w->request.since_option, w->request.since, w->start, w->request.folder, since_s));
  if (!(*since_s < w->out->at_s))
    return sciara_fail(SCIARA_ERR_USAGE, "%s: expected a time before that of the observation, found \"%s\"",
                       w->request.since_option, w->request.since);
  q.date_field = NULL;
  q.when = sciara_date_at(w->start, *since_s);
  return read_extent(w, &q, &w->since);
}

/** Keeps what was observed on the land of the region. */
static enum sciara_status read_observed(struct work *w) {
  const struct sciara_observation_request *q = &w->request.observed;
  const struct sciara_observation_request region = {.path = w->request.region,
                                                    .region = true,
                                                    .extra_drivers = q->extra_drivers,
                                                    .extra_driver_count = q->extra_driver_count};
  int64_t count = 0;
  SCIARA_TRY(read_extent(w, q, &w->observed));
  if (region.path) SCIARA_TRY(read_extent(w, &region, &w->region));
  for (int64_t i = 0; i < sciara_grid_cells(&w->r.dem.grid); i++) {
    if (w->region.covered && !w->region.covered[i]) w->observed.covered[i] = 0;
    if (!w->observed.covered[i]) continue;
    w->out->left_out += !w->r.dem.valid[i];
    w->observed.covered[i] = w->r.dem.valid[i];
    count += w->observed.covered[i];
  }
  w->out->polygons = w->observed.polygons;
  w->out->driver = w->observed.driver;
  w->observed.driver = NULL;
  if (count > 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected an extent with the centre of a cell of the land%s%s, found none",
                     q->path, region.path ? " in " : "", region.path ? region.path : "");
}

// --------------------------------------------------------------------------------------------------------------- vents

/** Marks the cells of the vents of a member that have emitted lava by the time. */
static enum sciara_status mark_vents(const struct work *w, size_t member, uint8_t *mark, bool *any) {
  const struct sciara_grid *g = &w->r.dem.grid;
  char name[SCIARA_MEMBER_NAME];
  const struct sciara_scenario_member m = sciara_ensemble_member(&w->r.ensemble, member, name);
  struct sciara_scenario_spec scenario = {0};
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_vent_cells vents = {0};
  sciara_scenario_member_read(&m, true, &sciara_no_notes, &scenario, &diagnostics);
  const bool no_memory = diagnostics.no_memory;
  const enum sciara_status status = no_memory ? sciara_fail(SCIARA_ERR_MEMORY, "no memory for the vents of members")
                                              : sciara_vent_cells_of(&scenario, g, &w->r.dem.georef, &vents);
  const double end_s = w->r.ensemble.time_zero_s + w->r.batches.member[member].end_s;
  const double until_s = sciara_vent_cells_until(&vents, fmin(w->out->at_s, end_s), g, NULL);
  for (size_t k = 0; k < vents.count; k++) {
    if (!sciara_vent_cells_has(&vents, k, until_s, g, NULL)) continue;
    mark[vents.row[k] * g->cols + vents.col[k]] = 1;
    *any = true;
  }
  sciara_vent_cells_free(&vents);
  sciara_scenario_free(&scenario);
  sciara_diagnostics_free(&diagnostics);
  return status;
}

/** The distance of each cell from the nearest vent of a member. Of members with the same vents one is read. */
static enum sciara_status measure_from_vents(struct work *w) {
  const struct sciara_grid *g = &w->r.dem.grid;
  struct sciara_vent_groups groups = {0};
  uint8_t *mark = NULL;
  bool any = false;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(mark, sciara_grid_cells(g), "the vents of members"));
  SCIARA_TRY_GOTO(sciara_vent_groups_make(&w->r.ensemble, &w->r.sample, g, &w->r.dem.georef, &groups));
  for (size_t k = 0; k < groups.count; k++) SCIARA_TRY_GOTO(mark_vents(w, groups.member[groups.begin[k]], mark, &any));
  if (!any) goto cleanup;
  SCIARA_TRY_GOTO(SCIARA_NEW(w->from_vents, sciara_grid_cells(g), "distances from vents"));
  status = sciara_distance_squared(g->rows, g->cols, mark, w->from_vents);
cleanup:
  sciara_vent_groups_free(&groups);
  sciara_free(mark);
  return status;
}

// ------------------------------------------------------------------------------------------------------- probabilities

/** A sciara_footprint_visit: what a member reaches by the time, of the land in the region. */
static enum sciara_status take_member(void *context, size_t member, const struct sciara_footprint *f) {
  const struct work *w = (const struct work *)context;
  if (!counts(w, member)) return SCIARA_OK;
  for (int64_t n = 0; n < f->count; n++) {
    const int64_t i = f->cell[n];
    if (!((double)f->arrival[n] <= w->after_s) || !w->r.dem.valid[i]) continue;
    if (w->region.covered && !w->region.covered[i]) continue;
    w->cells[member]++;
    if (w->from_vents && w->from_vents[i] > w->far[member]) w->far[member] = w->from_vents[i];
  }
  return SCIARA_OK;
}

/** The probabilities as maps have them: of lava at the start, and by the time. */
static enum sciara_status make_probabilities(struct work *w) {
  const struct sciara_grid *g = &w->r.dem.grid;
  const struct sciara_sample *s = &w->r.sample;
  const int64_t cells = sciara_grid_cells(g);
  double within[] = {0, w->after_s}, any_lava = 0;
  struct sciara_layer both[] = {{.kind = SCIARA_LAYER_REACHED},
                                {.kind = isinf(w->after_s) ? SCIARA_LAYER_PROBABILITY : SCIARA_LAYER_REACHED,
                                 .index = isinf(w->after_s) ? 0 : 1}};
  const struct sciara_layers layers = {both, 2};
  const struct sciara_ensemble_result result = {
      .deposit_m = &any_lava, .deposit_count = 1, .within_s = within, .within_count = 2};
  const struct sciara_footprint_source source = sciara_reduction_source(&w->r);
  const struct sciara_hazard_options how = {
      .threads = w->request.threads, .bytes = SCIARA_REDUCTION_BYTES, .visit = take_member, .visit_context = w};
  struct sciara_hazard_rule rule = {0};
  struct sciara_hazard hazard = {0};
  size_t entries = 0;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(w->said, cells, "probabilities"));
  SCIARA_TRY_GOTO(SCIARA_NEW(w->still, cells, "probabilities"));
  SCIARA_TRY_GOTO(SCIARA_NEW(w->cells, s->count + 1, "the extents of members"));
  SCIARA_TRY_GOTO(SCIARA_NEW(w->far, s->count + 1, "the extents of members"));
  for (size_t k = 0; k < s->count; k++) {
    w->far[k] = -1;
    if (counts(w, k)) entries += (size_t)w->r.batches.member[k].count;
  }
  SCIARA_TRY_GOTO(sciara_hazard_rule_make(s, &result, &layers, NULL, &rule));
  SCIARA_TRY_GOTO(sciara_hazard_make(&rule, &source, g->rows, g->cols, entries, &how, &hazard));
  sciara_hazard_fill(&hazard, 0, w->r.dem.valid, cells, w->still);
  sciara_hazard_fill(&hazard, 1, w->r.dem.valid, cells, w->said);
  // Lava of the first step has arrived at the start, too: with an outline, or without any lava then, more is known.
  const uint8_t *outline = w->since.covered ? w->since.covered : w->r.dem.observed;
  const bool begun = w->r.under_way || w->r.ensemble.initial_hash != 0;
  for (int64_t i = 0; i < cells && (outline || !begun); i++)
    if (w->r.dem.valid[i]) w->still[i] = outline ? outline[i] : 0;
cleanup:
  sciara_hazard_free(&hazard);
  sciara_hazard_rule_free(&rule);
  return status;
}

// -------------------------------------------------------------------------------------------------------------- scores

/** The tenth k / 10, as a map has it. */
static double tenth(int k) { return (double)((float)k / 10.0f); }

static int class_of(double p) {
  int k = 9;
  if (p <= 0) return 0;
  if (p >= 1) return SCIARA_SAID_CLASSES - 1;
  while (p < tenth(k)) k--;
  return 1 + k;
}

static double square(double x) { return x * x; }

/** Sums of the cells of a class become its means. */
static void finish_class(struct sciara_said *s, int k) {
  s->from = k <= 1 ? 0 : (double)(k - 1) / 10;
  s->to = k == 0 ? 0 : fmin((double)k / 10, 1);
  s->mean = s->cells > 0 ? s->mean / (double)s->cells : NAN;
  s->share = s->cells > 0 ? (double)s->observed / (double)s->cells : NAN;
  s->off = s->cells >= SCIARA_SAID_CELLS && fabs(s->mean - s->share) > SCIARA_SAID_OFF;
}

static double ratio(double part, double whole) { return whole > 0 ? part / whole : NAN; }

/** Whether a cell is judged. @param beyond only without lava at the start */
static bool is_judged(const struct work *w, int64_t i, bool beyond) {
  if (!w->r.dem.valid[i] || (beyond && w->still[i] >= 0.5)) return false;
  return w->region.covered ? w->region.covered[i] : w->said[i] > 0 || w->observed.covered[i] || w->still[i] > 0;
}

static void score_forecast(const struct work *w, bool beyond, struct sciara_verification_scores *out) {
  int64_t both = 0, still = 0, still_both = 0, sharp = 0;
  *out = (struct sciara_verification_scores){0};
  for (int64_t i = 0; i < sciara_grid_cells(&w->r.dem.grid); i++) {
    if (!is_judged(w, i, beyond)) continue;
    const bool covered = w->observed.covered[i], likely = w->said[i] >= 0.5, was = w->still[i] >= 0.5;
    struct sciara_said *s = &out->said[class_of(w->said[i])];
    s->cells++;
    s->observed += covered;
    s->mean += w->said[i];
    out->cells++;
    out->observed += covered;
    out->likely += likely;
    both += likely && covered;
    still += was;
    still_both += was && covered;
    sharp += w->said[i] < tenth(1) || w->said[i] > tenth(9);
    out->brier += square(w->said[i] - covered);
    out->still_brier += square(w->still[i] - covered);
  }
  for (int k = 0; k < SCIARA_SAID_CLASSES; k++) finish_class(&out->said[k], k);
  const double n = (double)out->cells, share = ratio((double)out->observed, n);
  out->area_ratio = ratio((double)out->likely, (double)out->observed);
  out->jaccard = ratio((double)both, (double)(out->likely + out->observed - both));
  out->still_jaccard = ratio((double)still_both, (double)(still + out->observed - still_both));
  out->brier = ratio(out->brier, n);
  out->still_brier = ratio(out->still_brier, n);
  out->share_brier = share * (1 - share);
  out->still_skill = 1 - ratio(out->brier, out->still_brier);
  out->share_skill = 1 - ratio(out->brier, out->share_brier);
  out->sharpness = ratio((double)sharp, n);
}

// --------------------------------------------------------------------------------------------------------------- ranks

/** A value of a member, and its weight. */
struct weighed {
  double value, weight;
};

static int by_value(const void *a, const void *b) {
  const double x = ((const struct weighed *)a)->value, y = ((const struct weighed *)b)->value;
  return (x > y) - (x < y);
}

/** @param list of the members, which is sorted; their weights add up to 1 */
static void rank(struct weighed *list, size_t count, double observed, struct sciara_verification_rank *out) {
  double sum = 0;
  *out = (struct sciara_verification_rank){.observed = observed, .median = NAN};
  qsort(list, count, sizeof *list, by_value);
  out->least = list[0].value;
  out->most = list[count - 1].value;
  for (size_t k = 0; k < count; k++) {
    sum += list[k].weight;
    if (isnan(out->median) && (sum >= 0.5 - 1e-12 || k + 1 == count)) out->median = list[k].value;
    if (list[k].value < observed) out->below += list[k].weight;
    if (list[k].value == observed) out->equal += list[k].weight;
  }
}

/** Areas, and the greatest distances from vents; a member that reaches nothing has 0 of both. */
static enum sciara_status rank_extents(const struct work *w) {
  const struct sciara_sample *s = &w->r.sample;
  const double side = w->r.dem.grid.cell_size;
  struct sciara_verification *v = w->out;
  struct weighed *list;
  int64_t cells = 0, far = -1;
  size_t count = 0;
  SCIARA_TRY(SCIARA_NEW(list, s->finished + 1, "the extents of members"));
  for (int64_t i = 0; i < sciara_grid_cells(&w->r.dem.grid); i++) {
    if (!w->observed.covered[i]) continue;
    cells++;
    if (w->from_vents && w->from_vents[i] > far) far = w->from_vents[i];
  }
  for (size_t k = 0; k < s->count; k++)
    if (counts(w, k)) list[count++] = (struct weighed){side * side * (double)w->cells[k], s->weight[k] / s->done};
  rank(list, count, side * side * (double)cells, &v->area_m2);
  count = 0;
  for (size_t k = 0; k < s->count; k++)
    if (counts(w, k)) list[count++] = (struct weighed){side * sqrt(fmax((double)w->far[k], 0)), s->weight[k] / s->done};
  if (w->from_vents)
    rank(list, count, side * sqrt((double)far), &v->run_out_m);
  else
    v->run_out_m = (struct sciara_verification_rank){NAN, NAN, NAN, NAN, NAN, NAN};
  sciara_free(list);
  return SCIARA_OK;
}

// ----------------------------------------------------------------------------------------------------------- the whole

static enum sciara_status judge(struct work *w) {
  struct sciara_verification *v = w->out;
  struct sciara_text said = {0};
  SCIARA_TRY(read_since(w));
  SCIARA_TRY(read_observed(w));
  SCIARA_TRY(measure_from_vents(w));
  SCIARA_TRY(make_probabilities(w));
  score_forecast(w, false, &v->whole);
  score_forecast(w, true, &v->beyond);
  v->begun = v->beyond.cells < v->whole.cells;
  v->members = w->r.used_members - w->r.sample.zero;
  v->finished = w->r.sample.finished;
  v->cell_m = w->r.dem.grid.cell_size;
  SCIARA_TRY(rank_extents(w));
  const enum sciara_status status = sciara_reduction_describe(&w->r, NULL, &said);
  v->said = said.data;
  return status;
}

enum sciara_status sciara_verification_make(const struct sciara_verification_request *request,
                                            struct sciara_verification *out) {
  struct work w = {.request = *request, .out = out};
  struct sciara_observation_dates dates = {0};
  const struct sciara_reduction_options options = {.threads = request->threads, .bytes = SCIARA_REDUCTION_BYTES};
  enum sciara_status status;
  *out = (struct sciara_verification){.since_s = NAN};
  if (request->at && request->dates)
    return sciara_fail(SCIARA_ERR_USAGE, "--dates: expected it without a time, which gives %s one time",
                       request->observed.path);
  SCIARA_TRY_GOTO(sciara_reduction_open(request->folder, &options, &w.r));
  SCIARA_TRY_GOTO(find_verified_time(&w, &dates));
  status = judge(&w);
cleanup:
  if (status != SCIARA_OK) sciara_verification_free(out);
  sciara_observation_dates_free(&dates);
  work_free(&w);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- files

#define FORMAT "sciara-verification"
enum { VERSION = 1 };

/** Adds a text, or null. */
static bool put_verified_text(cJSON *object, const char *name, const char *text) {
  return text && *text ? sciara_json_put_plain(object, name, text) : cJSON_AddNullToObject(object, name) != NULL;
}

static bool put_said(cJSON *scores, const struct sciara_said *said) {
  cJSON *list = cJSON_AddArrayToObject(scores, "said");
  bool made = list;
  for (int k = 0; k < SCIARA_SAID_CLASSES && made; k++) {
    const struct sciara_said *s = &said[k];
    cJSON *item = sciara_json_push(list);
    made = item && sciara_json_put_number(item, "from", s->from) && sciara_json_put_number(item, "to", s->to) &&
           sciara_json_put_number(item, "cells", (double)s->cells) && sciara_json_put_number(item, "mean", s->mean) &&
           sciara_json_put_number(item, "observed", s->share) && cJSON_AddBoolToObject(item, "off", s->off);
  }
  return made;
}

static bool put_verified_scores(cJSON *root, const char *name, const struct sciara_verification_scores *s) {
  cJSON *item = cJSON_AddObjectToObject(root, name);
  return item && sciara_json_put_number(item, "cells", (double)s->cells) &&
         sciara_json_put_number(item, "observed_cells", (double)s->observed) &&
         sciara_json_put_number(item, "likely_cells", (double)s->likely) &&
         sciara_json_put_number(item, "area_ratio", s->area_ratio) &&
         sciara_json_put_number(item, "jaccard", s->jaccard) &&
         sciara_json_put_number(item, "jaccard_nothing_moves", s->still_jaccard) &&
         sciara_json_put_number(item, "brier", s->brier) &&
         sciara_json_put_number(item, "brier_nothing_moves", s->still_brier) &&
         sciara_json_put_number(item, "brier_base_rate", s->share_brier) &&
         sciara_json_put_number(item, "skill_nothing_moves", s->still_skill) &&
         sciara_json_put_number(item, "skill_base_rate", s->share_skill) &&
         sciara_json_put_number(item, "sharpness", s->sharpness) && put_said(item, s->said);
}

static bool put_rank(cJSON *root, const char *name, const struct sciara_verification_rank *r) {
  cJSON *item = cJSON_AddObjectToObject(root, name);
  return item && sciara_json_put_number(item, "observed", r->observed) &&
         sciara_json_put_number(item, "least", r->least) && sciara_json_put_number(item, "median", r->median) &&
         sciara_json_put_number(item, "most", r->most) && sciara_json_put_number(item, "below", r->below) &&
         sciara_json_put_number(item, "equal", r->equal);
}

static bool fill(const struct sciara_verification_request *request, const struct sciara_verification *v, cJSON *root) {
  static const char *const at[] = {"given", "file", "end"};
  return sciara_json_put_plain(root, "format", FORMAT) && sciara_json_put_number(root, "version", VERSION) &&
         sciara_json_put_plain(root, "program", SCIARA_VERSION) &&
         put_verified_text(root, "observed", sciara_path_name(request->observed.path)) &&
         put_verified_text(root, "driver", v->driver) &&
         put_verified_text(root, "region", request->region ? sciara_path_name(request->region) : NULL) &&
         sciara_json_put_number(root, "since_s", v->since_s) && sciara_json_put_number(root, "at_s", v->at_s) &&
         put_verified_text(root, "date", v->date) && put_verified_text(root, "at", at[v->at]) &&
         put_verified_text(root, "condition", v->said) && sciara_json_put_number(root, "members", (double)v->members) &&
         sciara_json_put_number(root, "finished", (double)v->finished) &&
         sciara_json_put_number(root, "ended_early", (double)v->early) &&
         sciara_json_put_number(root, "cell_m", v->cell_m) &&
         sciara_json_put_number(root, "left_out_cells", (double)v->left_out) &&
         put_verified_scores(root, "all", &v->whole) &&
         (v->begun ? put_verified_scores(root, "beyond_start", &v->beyond)
                   : cJSON_AddNullToObject(root, "beyond_start") != NULL) &&
         put_rank(root, "area_m2", &v->area_m2) && put_rank(root, "run_out_m", &v->run_out_m);
}

enum sciara_status sciara_verification_print(const struct sciara_verification_request *request,
                                             const struct sciara_verification *v, struct sciara_text *out) {
  cJSON *root = cJSON_CreateObject();
  enum sciara_status status = root && fill(request, v, root)
                                  ? sciara_json_print(root, out)
                                  : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a verification");
  if (status == SCIARA_OK) status = sciara_text_append(out, "\n");
  cJSON_Delete(root);
  return status;
}

static void append_verified_number(struct sciara_text *t, double value) {
  char number[40] = "";
  if (isfinite(value)) sciara_json_number(value, number, sizeof number);
  sciara_text_append(t, ",%s", number);
}

static void append_rows(struct sciara_text *t, const char *cells, const struct sciara_verification_scores *s) {
  for (int k = 0; k < SCIARA_SAID_CLASSES; k++) {
    sciara_text_append(t, "%s", cells);
    append_verified_number(t, s->said[k].from);
    append_verified_number(t, s->said[k].to);
    append_verified_number(t, (double)s->said[k].cells);
    append_verified_number(t, s->said[k].mean);
    append_verified_number(t, s->said[k].share);
    sciara_text_append(t, ",%d\n", s->said[k].off);
  }
}

static enum sciara_status write_verification_text(const char *folder, const char *name,
                                                  const struct sciara_text *text) {
  char *path;
  SCIARA_TRY(text->failed);
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  const enum sciara_status status = sciara_file_replace(path, text->data, text->length);
  free(path);
  return status;
}

enum sciara_status sciara_verification_write(const struct sciara_verification_request *request,
                                             const struct sciara_verification *v) {
  struct sciara_text json = {0}, csv = {0};
  sciara_text_append(&csv, "cells,from,to,count,mean,observed,off\n");
  append_rows(&csv, "all", &v->whole);
  if (v->begun) append_rows(&csv, "beyond_start", &v->beyond);
  enum sciara_status status = sciara_verification_print(request, v, &json);
  if (status == SCIARA_OK)
    status = write_verification_text(request->folder, SCIARA_ENSEMBLE_VERIFICATION ".json", &json);
  if (status == SCIARA_OK) status = write_verification_text(request->folder, SCIARA_ENSEMBLE_VERIFICATION ".csv", &csv);
  sciara_text_free(&json);
  sciara_text_free(&csv);
  return status;
}
