// SPDX-License-Identifier: Apache-2.0
#include "hazard/reduction.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/text.h"
#include "ensemble/ensemble.h"
#include "ensemble/members.h"
#include "ensemble/used_vents.h"

void sciara_reduction_free(struct sciara_reduction *r) {
  sciara_hazard_free(&r->hazard);
  sciara_poi_hits_free(&r->pois);
  sciara_free(r->poi_ground);
  sciara_hazard_rule_free(&r->rule);
  sciara_free(r->layers.layer);
  sciara_sample_free(&r->sample);
  sciara_dem_free(&r->dem);
  sciara_batches_free(&r->batches);
  sciara_ensemble_free(&r->ensemble);
  *r = (struct sciara_reduction){0};
}

const char *sciara_reduction_vent(const struct sciara_reduction *r, int64_t vent, char buffer[24]) {
  const struct sciara_ensemble *e = &r->ensemble;
  if (vent >= 0 && (size_t)vent < e->vent_count && e->vents[vent].name) return e->vents[vent].name;
  snprintf(buffer, 24, vent < 0 ? "-" : "%" PRId64, vent);
  return buffer;
}

const char *sciara_reduction_event(const struct sciara_reduction *r, int64_t event, char buffer[24]) {
  const struct sciara_ensemble *e = &r->ensemble;
  if (event >= 0 && (size_t)event < e->event_count && e->events[event].name) return e->events[event].name;
  snprintf(buffer, 24, event < 0 ? "-" : "%" PRId64, event);
  return buffer;
}

enum sciara_status sciara_reduction_condition(const struct sciara_reduction *r, const struct sciara_layer *l,
                                              struct sciara_text *out) {
  char time[96], date[SCIARA_MINUTE_SIZE];
  sciara_text_append(out, "%s",
                     l && l->kind == SCIARA_LAYER_YEARS ? SCIARA_YEARS_CONDITION
                     : r->under_way                     ? SCIARA_FORECAST_CONDITION
                                                        : SCIARA_ENSEMBLE_CONDITION);
  if (r->ensemble.observed) sciara_text_append(out, "; %s", r->ensemble.observed);
  if (r->liquid.members > 0) {
    sciara_liquid_end_print(r, SCIARA_ENGLISH, time, date);
    sciara_text_append(out, "; until %s %s%s, when the lava of %zu of %zu members is still liquid", time,
                       sciara_word(SCIARA_ENGLISH, r->after), date, r->liquid.members, r->sample.finished);
  }
  if (r->sample.censored > 0)
    sciara_text_append(out,
                       "; lower bounds, because %zu of %zu members ended at a limit before their lava came to rest",
                       r->sample.censored, r->sample.finished);
  return out->failed;
}

enum sciara_status sciara_reduction_describe(const struct sciara_reduction *r, const struct sciara_layer *l,
                                             struct sciara_text *out) {
  SCIARA_TRY(sciara_text_append(out, "%zu of %zu members%s, ", r->sample.finished, r->used_members - r->sample.zero,
                                r->stopped ? " (the stop rule holds with these)" : ""));
  SCIARA_TRY(sciara_reduction_condition(r, l, out));
  if (!(r->ensemble.time_zero_s > 0))
    return *r->start ? sciara_text_append(out, "; times count from %s", r->start) : SCIARA_OK;
  char time[48 + SCIARA_MINUTE_SIZE];
  sciara_print_duration(r->ensemble.time_zero_s, time, sizeof time);
  sciara_append_minute(r->start, 0, time, sizeof time);
  return sciara_text_append(out, "; times count from the %s, simulated time %s of the base",
                            r->after == SCIARA_WORD_AFTER_OUTLINE ? "mapped outline" : "start of the members", time);
}

struct sciara_footprint_source sciara_reduction_source(const struct sciara_reduction *r) {
  struct sciara_footprint_source source = sciara_batches_source(&r->batches);
  source.pieces = r->used_batches;
  return source;
}

// --------------------------------------------------------------------------------------------------------- the sample

static bool is_finished(const struct sciara_batches *b, size_t member) {
  return b->member[member].id >= 0 && !b->member[member].failed;
}

/** The weights of one of two ensembles; which members are not finished in both. A member without a weight has 0. */
static enum sciara_status weigh_pairs(const struct sciara_reduction *r, const struct sciara_reduction *other,
                                      bool own_weights, double *weight, uint8_t *unpaired) {
  const struct sciara_members *own = &r->ensemble.members, *theirs = &other->ensemble.members;
  for (size_t m = 0; m < own->count; m++) {
    const size_t k = sciara_members_find(theirs, own->id[m]);
    weight[m] = own_weights ? own->weight[m] : k == SIZE_MAX ? 0 : theirs->weight[k];
    unpaired[m] = k == SIZE_MAX || !is_finished(&r->batches, m) || !is_finished(&other->batches, k);
    if (k == SIZE_MAX) continue;
    if (own->hash[m] != theirs->hash[k])
      return sciara_fail(SCIARA_ERR_INPUT,
                         "expected the same members in both ensembles, found other keys or values in "
                         "member %" PRId64,
                         own->id[m]);
  }
  return SCIARA_OK;
}

/** Finds the prefix and takes its members, or all of them. */
static enum sciara_status choose_members(struct sciara_reduction *r, const struct sciara_reduction_options *options) {
  const bool all = options->all || options->poi || options->paired;
  const struct sciara_ensemble *e = &r->ensemble;
  double *weight = NULL;
  uint8_t *unpaired = NULL;
  size_t prefix = 0;
  enum sciara_status status = SCIARA_OK;
  r->used_batches = e->batch_count;
  r->used_members = e->members.count;
  SCIARA_TRY_GOTO(SCIARA_NEW(weight, e->members.count, "the weights of an ensemble"));
  if (options->paired) {
    SCIARA_TRY_GOTO(SCIARA_NEW(unpaired, e->members.count, "the members of an ensemble"));
    SCIARA_TRY_GOTO(weigh_pairs(r, options->paired, options->own_weights, weight, unpaired));
  }
  if (!all && e->stop.standard_error > 0 && r->pois.pois > 0) {
    SCIARA_TRY_GOTO(sciara_reduction_visit_pois(r, options->threads));
    SCIARA_TRY_GOTO(sciara_stop_weights(e, &r->batches, &r->pois, weight, &prefix));
  }
  if (prefix > 0) {
    r->used_batches = prefix;
    r->used_members = sciara_batch_end(e, prefix - 1);
    r->stopped = true;
  }
  SCIARA_TRY_GOTO(sciara_sample_of_members(
      e, &r->batches, r->used_members, prefix || options->paired ? weight : e->members.weight, unpaired, &r->sample));
cleanup:
  sciara_free(weight);
  sciara_free(unpaired);
  return status;
}

// ------------------------------------------------------------------------------------------------- ends with liquid lava

void sciara_liquid_end_print(const struct sciara_reduction *r, enum sciara_language language, char time[96],
                             char date[SCIARA_MINUTE_SIZE]) {
  char from[40], to[40];
  sciara_word_duration(language, r->liquid.from_s, from, sizeof from);
  sciara_word_duration(language, r->liquid.to_s, to, sizeof to);
  const bool one = strcmp(from, to) == 0;
  snprintf(time, 96, one ? "%s" : "%s\u2013%s", from, to);
  date[0] = '\0';
  if (one) sciara_append_minute(r->start, r->liquid.to_s, date, SCIARA_MINUTE_SIZE);
}

bool sciara_layer_is_of_end(const struct sciara_layer *l) {
  switch (l->kind) {
    case SCIARA_LAYER_PROBABILITY:
    case SCIARA_LAYER_YEARS:
    case SCIARA_LAYER_MOST: return true;
    case SCIARA_LAYER_QUANTILE:
    case SCIARA_LAYER_MEAN: return l->value != SCIARA_FOOTPRINT_VALUE_ARRIVAL;
    case SCIARA_LAYER_REACHED:
    case SCIARA_LAYER_LEAST:
    case SCIARA_LAYER_HITS:
    case SCIARA_LAYER_FRONT: break;
  }
  return false;
}

/** Whether members have a stop rule, or a whole "run", of their own. */
static bool varies_until(const struct sciara_ensemble *e) {
  char name[sizeof "run.until" + 1];
  for (size_t k = 0; k < e->members.key_count; k++)
    if (sciara_member_key_plain(e->members.key[k], name, sizeof name) &&
        (strcmp(name, "run") == 0 || strcmp(name, "run.until") == 0))
      return true;
  return false;
}

/** The date of the start, the outline at the start, and the time of the stop rule of all members, from there, s; NAN: it differs, or is not known. */
static void find_times(struct sciara_reduction *r, double *until) {
  const struct sciara_ensemble *e = &r->ensemble;
  const struct sciara_scenario_spec *base = sciara_scenario_base_values(e->scenario);
  *until = NAN;
  sciara_date_after(base->start, e->time_zero_s, r->start);
  if (base->observed.outline)
    sciara_fit(r->observed_name, sizeof r->observed_name, "%s", sciara_path_name(base->observed.outline));
  r->under_way = base->observed.outline || base->initial_checkpoint;
  r->after = base->observed.outline ? SCIARA_WORD_AFTER_OUTLINE
             : e->time_zero_s > 0   ? SCIARA_WORD_AFTER_CHECKPOINT
                                    : SCIARA_WORD_AFTER_START;
  sciara_fit(r->base_title, sizeof r->base_title, "%s", base->title ? base->title : "");
  if (base->run.until == SCIARA_UNTIL_TIME && !varies_until(e)) *until = base->run.until_s - e->time_zero_s;
}

/** A member ends with the first step that reaches its time: where all have one time, that one is told. */
static void find_ends(struct sciara_reduction *r) {
  struct sciara_liquid_end *l = &r->liquid;
  double until;
  find_times(r, &until);
  *l = (struct sciara_liquid_end){.from_s = INFINITY, .to_s = -INFINITY};
  for (size_t m = 0; m < r->sample.count; m++) {
    const struct sciara_footprint *f = &r->batches.member[m];
    if (!sciara_sample_counts(&r->sample, m)) continue;
    r->end_s = fmax(r->end_s, f->end_s);
    if (f->censored || f->stop != SCIARA_STOP_TIME || !(f->ledger.liquid_m3 > 0)) continue;
    l->members++;
    l->from_s = fmin(l->from_s, f->end_s);
    l->to_s = fmax(l->to_s, f->end_s);
  }
  if (l->members > 0 && isfinite(until)) l->from_s = l->to_s = until;
}

/** Layers that depend on what lava does until the members end say when that is. */
static void tell_layers(struct sciara_reduction *r) {
  char time[96], date[SCIARA_MINUTE_SIZE];
  sciara_liquid_end_print(r, SCIARA_ENGLISH, time, date);
  for (size_t k = 0; k < r->layers.count && r->liquid.members > 0; k++) {
    struct sciara_layer *l = &r->layers.layer[k];
    const size_t length = strlen(l->long_name);
    if (sciara_layer_is_of_end(l))
      snprintf(l->long_name + length, sizeof l->long_name - length, "; until %s %s%s", time,
               sciara_word(SCIARA_ENGLISH, r->after), date);
  }
}

// --------------------------------------------------------------------------------------------------------- rate zones

/** Says which rates add nothing: those of zones without finished members, and of eruptions in no zone. */
static void report_zones(const struct sciara_reduction *r, const uint8_t *zone) {
  const struct sciara_ensemble_result *result = &r->ensemble.result;
  size_t outside = 0, members = 0;
  for (size_t m = 0; m < r->sample.count; m++) {
    bool any = false;
    for (size_t z = 0; z < result->rate_count; z++) any |= zone[z * r->sample.count + m] != 0;
    members += sciara_sample_counts(&r->sample, m);
    outside += !any && sciara_sample_counts(&r->sample, m);
  }
  if (outside == members) {
    sciara_log(SCIARA_LOG_WARNING, "eruptions_per_year: the vent of no finished member lies in a zone; no probability "
                                   "in a number of years is known");
    return;
  }
  for (size_t z = 0; z < result->rate_count; z++) {
    size_t own = 0;
    for (size_t m = 0; m < r->sample.count; m++)
      own += zone[z * r->sample.count + m] && sciara_sample_counts(&r->sample, m);
    if (own == 0)
      sciara_log(SCIARA_LOG_WARNING,
                 "eruptions_per_year: zone \"%s\" has no finished member; it counts as no eruptions",
                 result->rates[z].name ? result->rates[z].name : "");
  }
  if (outside > 0)
    sciara_log(
        SCIARA_LOG_WARNING,
        "eruptions_per_year: the vents of %zu of the %zu finished members lie in no zone; they add nothing to the "
        "probability in a number of years",
        outside, members);
}

/** Says what becomes of rates where vents stand for a part of the density of vent openings alone. */
static void report_share(const struct sciara_ensemble_result *result) {
  for (size_t z = 0; z < result->rate_count; z++) {
    const struct sciara_ensemble_rate *rate = &result->rates[z];
    const char *name = rate->name ? rate->name : "";
    if (rate->points)
      sciara_log(SCIARA_LOG_WARNING,
                 "eruptions_per_year: the rate of zone \"%s\" is given to its vents as a whole, but %.3g %% of the "
                 "density of vent openings has no vent: it is too high if a part of that lies in the zone",
                 name, 100 * result->rate_outside);
    else
      sciara_log(SCIARA_LOG_INFO,
                 "eruptions_per_year: \"%s\": %.3g %% of the eruptions count, the part of the density of vent openings "
                 "that has vents",
                 name, 100 * (1 - result->rate_outside));
  }
}

/** Removes the maps of probabilities in a number of years. */
static void drop_years(struct sciara_layers *layers) {
  size_t count = 0;
  for (size_t k = 0; k < layers->count; k++)
    if (layers->layer[k].kind != SCIARA_LAYER_YEARS) layers->layer[count++] = layers->layer[k];
  layers->count = count;
}

static enum sciara_status make_rule(struct sciara_reduction *r) {
  const struct sciara_ensemble *e = &r->ensemble;
  uint8_t *zone = NULL;
  size_t size;
  enum sciara_status status;
  SCIARA_TRY(sciara_size_mul(e->result.rate_count, r->sample.count, &size));
  SCIARA_TRY_GOTO(SCIARA_NEW(zone, size + 1, "zones of eruption rates"));
  status = sciara_rate_zones_find(e, &r->dem.grid, &r->dem.georef, r->sample.count, zone);
  if (status != SCIARA_OK) {
    status = sciara_fail_context(status, "%s", e->folder);
    goto cleanup;
  }
  r->ensemble.result.rate_outside = e->declared.density_outside;
  if (e->result.rate_count > 0) report_zones(r, zone);
  if (e->result.rate_count > 0 && e->result.rate_outside > 0) report_share(&e->result);
  SCIARA_TRY_GOTO(sciara_hazard_rule_make(&r->sample, &e->result, &r->layers, zone, &r->rule));
  if (!r->rule.rate_known) drop_years(&r->layers);
cleanup:
  sciara_free(zone);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- open

static enum sciara_status read_dem(const struct sciara_reduction_options *options, struct sciara_reduction *r) {
  SCIARA_TRY(sciara_ensemble_dem_read(&r->ensemble, options->again ? &sciara_no_notes : NULL, &r->dem));
  if (r->batches.rows && (r->batches.rows != r->dem.grid.rows || r->batches.cols != r->dem.grid.cols))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s/%s: expected %" PRId64 " x %" PRId64 " cells as in the batches, found %" PRId64 " x %" PRId64,
        r->ensemble.folder, SCIARA_ENSEMBLE_DEM, r->batches.cols, r->batches.rows, r->dem.grid.cols, r->dem.grid.rows);
  for (int64_t i = 0; r->dem.sea && i < sciara_grid_cells(&r->dem.grid); i++)
    if (r->dem.sea[i]) r->dem.valid[i] = 0; // no lava can be there: maps have no value
  r->batches.sea = r->dem.sea;
  return SCIARA_OK;
}

/** Says that the weights follow from an observed extent, and which members had no score then. */
static void tell_observed(const struct sciara_reduction *r) {
  const struct sciara_ensemble *e = &r->ensemble;
  size_t later = 0;
  if (!e->observed) return;
  for (size_t m = 0; m < r->sample.count; m++) later += sciara_sample_counts(&r->sample, m) && isnan(e->jaccard[m]);
  sciara_log(SCIARA_LOG_INFO, "%s", e->observed);
  if (later > 0)
    sciara_log(SCIARA_LOG_WARNING,
               "%zu members have been finished since the weights were made, and have the mean factor of their stratum; "
               "repeat 'sciara ensemble reweight'",
               later);
}

/** What was assumed, left out or joined. */
static void tell(const struct sciara_reduction *r) {
  const struct sciara_sample *s = &r->sample;
  const struct sciara_ensemble *e = &r->ensemble;
  const size_t open = r->used_members - s->zero - s->finished;
  tell_observed(r);
  if (open)
    sciara_log(SCIARA_LOG_INFO,
               "%zu of %zu members are not finished%s; each probability has a lower and an upper bound", open,
               r->used_members - s->zero, r->batches.failed ? " or failed" : "");
  if (r->batches.failed)
    sciara_log(SCIARA_LOG_WARNING, "%zu members failed; they count as not finished", r->batches.failed);
  if (s->restored)
    sciara_log(SCIARA_LOG_INFO,
               "in %zu strata the finished members have the weight of those that are not finished or failed too",
               s->restored);
  if (s->lost)
    sciara_log(
        SCIARA_LOG_WARNING,
        "%zu strata, with %.3g %% of the weight, have no finished member: probabilities are those of the others, and "
        "only the bounds cover them",
        s->lost, 100 * s->lost_weight);
  if (s->censored)
    sciara_log(SCIARA_LOG_INFO,
               "%zu members ended before their lava came to rest: what they reached counts, elsewhere they stay in the "
               "upper bound",
               s->censored);
  if (r->liquid.members) {
    char time[96], date[SCIARA_MINUTE_SIZE];
    sciara_liquid_end_print(r, SCIARA_ENGLISH, time, date);
    sciara_log(SCIARA_LOG_INFO,
               "%zu members end at %s %s%s (run.until) with liquid lava: what it reaches later does not count",
               r->liquid.members, time, sciara_word(SCIARA_ENGLISH, r->after), date);
  }
  if (s->zero) sciara_log(SCIARA_LOG_INFO, "%zu members have weight 0 and are skipped", s->zero);
  if (s->joined)
    sciara_log(SCIARA_LOG_INFO,
               "%zu strata have a single finished draw; for errors they are joined with others of the same weight",
               s->joined);
  if (s->single)
    sciara_log(SCIARA_LOG_WARNING,
               "no errors: %zu strata have a single finished draw and a weight of their own; errors need two in each",
               s->single);
  if (e->stop.standard_error > 0 && isnan(s->critical))
    sciara_log(SCIARA_LOG_WARNING, "the stop rule cannot hold: there is no sampling error of these members");
  if (r->stopped)
    sciara_log(SCIARA_LOG_INFO, "the stop rule holds after %zu batches: members beyond them do not count",
               r->used_batches);
  if (e->method == SCIARA_SAMPLE_TABLE)
    sciara_log(SCIARA_LOG_INFO,
               "the members come from a table; for errors they count as independent draws within their strata");
  if (s->kind == SCIARA_ERROR_GRID)
    sciara_log(SCIARA_LOG_INFO, "every vent and class was computed: no sampling error, and no bound where no member "
                                "reaches; the grid difference is between two halves of the vents");
  if (!s->has_error && !s->single)
    sciara_log(SCIARA_LOG_INFO, s->kind == SCIARA_ERROR_REPLICATES
                                    ? "no errors: they need at least 8 replicates with finished members"
                                    : "no errors can be estimated from these members");
}

enum sciara_status sciara_reduction_place(struct sciara_reduction *r, const struct sciara_poi *poi, size_t count) {
  const size_t cells = (size_t)sciara_grid_cells(&r->dem.grid);
  uint8_t *kind = NULL;
  enum sciara_status status;
  sciara_poi_hits_free(&r->pois);
  sciara_free(r->poi_ground);
  r->poi_ground = NULL;
  r->pois_visited = false;
  SCIARA_TRY_GOTO(sciara_poi_hits_make(poi, count, &r->dem.grid, r->ensemble.members.count, &r->pois));
  SCIARA_TRY_GOTO(SCIARA_NEW(r->poi_ground, count + 1, "the places of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(kind, cells, "the kinds of cells"));
  for (size_t i = 0; i < cells; i++)
    kind[i] = r->dem.sea && r->dem.sea[i] ? SCIARA_CELL_SEA
              : r->dem.valid[i]           ? SCIARA_CELL_INTERIOR
                                          : SCIARA_CELL_NODATA;
  for (size_t k = 0; k < count; k++) r->poi_ground[k] = sciara_poi_cells_ground(&r->pois.place[k], kind);
cleanup:
  sciara_free(kind);
  return status;
}

static enum sciara_status open_reduction(const char *folder, const struct sciara_reduction_options *options,
                                         struct sciara_reduction *r) {
  SCIARA_TRY(sciara_ensemble_open(folder, &r->ensemble));
  SCIARA_TRY(sciara_ensemble_rules(&r->ensemble, &r->rules));
  SCIARA_TRY(sciara_batches_open(&r->ensemble, &r->batches));
  const struct sciara_ensemble_result *result = &r->ensemble.result;
  SCIARA_TRY(read_dem(options, r));
  SCIARA_TRY(sciara_reduction_place(r, options->poi ? options->poi : result->pois,
                                    options->poi ? options->poi_count : result->poi_count));
  for (size_t k = 0; options->poi && !options->anywhere && k < options->poi_count; k++)
    SCIARA_TRY(sciara_poi_check(&options->poi[k], &r->pois.place[k], &r->dem.grid, &r->dem.window));
  SCIARA_TRY(sciara_fail_context(choose_members(r, options), "%s", folder));
  find_ends(r);
  SCIARA_TRY(sciara_layers_make(result, &r->sample, &r->layers));
  tell_layers(r);
  return make_rule(r);
}

enum sciara_status sciara_reduction_open(const char *folder, const struct sciara_reduction_options *options,
                                         struct sciara_reduction *out) {
  *out = (struct sciara_reduction){0};
  const enum sciara_status status = open_reduction(folder, options, out);
  if (status != SCIARA_OK)
    sciara_reduction_free(out);
  else if (!options->paired)
    tell(out);
  return status;
}

size_t sciara_reduction_places(size_t members) {
  enum { BLOCK_BYTES = 512 << 20 };
  const size_t bytes = members * sizeof(struct sciara_poi_hit) + 1;
  return bytes < BLOCK_BYTES ? BLOCK_BYTES / bytes : 1;
}

enum sciara_status sciara_reduction_visit_pois(struct sciara_reduction *r, int threads) {
  if (r->pois_visited || r->pois.pois == 0) return SCIARA_OK;
  const struct sciara_footprint_source source = sciara_batches_source(&r->batches);
  SCIARA_TRY(sciara_footprints_visit(&source, threads, sciara_poi_hits_visit, &r->pois));
  r->pois_visited = true;
  return SCIARA_OK;
}

enum sciara_status sciara_reduction_make_maps(struct sciara_reduction *r,
                                              const struct sciara_reduction_options *options) {
  const struct sciara_hazard_options how = {.threads = options->threads,
                                            .bytes = options->bytes,
                                            .visit = r->pois_visited ? NULL : sciara_poi_hits_visit,
                                            .visit_context = &r->pois};
  const struct sciara_footprint_source source = sciara_reduction_source(r);
  size_t entries = 0;
  for (size_t m = 0; m < r->used_members; m++)
    if (r->sample.state[m] != SCIARA_MEMBER_OPEN && r->sample.weight[m] > 0)
      entries += (size_t)r->batches.member[m].count;
  SCIARA_TRY(sciara_hazard_make(&r->rule, &source, r->dem.grid.rows, r->dem.grid.cols, entries, &how, &r->hazard));
  r->pois_visited = true;
  return SCIARA_OK;
}

int sciara_reduction_threads(int asked) {
  const int n = asked > 0 ? asked : sciara_usable_cores();
  return n < SCIARA_SHARE_THREADS ? n : SCIARA_SHARE_THREADS;
}
