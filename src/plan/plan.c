// SPDX-License-Identifier: Apache-2.0
// Reading, checking and planning of an ensemble file.
#include "plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/order.h"
#include "engine/engine.h"
#include "ensemble/ensemble_sample.h"
#include "ensemble/members.h"
#include "ensemble/task_list.h"
#include "file/durable.h"
#include "member/compute.h"
#include "model/window.h"
#include "plan/planning.h"
#include "plan/points.h"
#include "run/resume.h"
#include "setup/cost.h"
#include "sim/choose_engine.h"

// --------------------------------------------------------------------------------------------- an estimate of the time

static const double GOLDEN = 0.6180339887498949; ///< its multiples are spread evenly, and follow no period of the table

/** What was found about a member. */
struct probed {
  struct sciara_keyed item;
  struct sciara_compute_probe probe;
};

struct work {
  const struct sciara_ensemble *e;
  struct sciara_compute_setup setup;
  double bytes_per_cell;
  struct sciara_keyed item[SCIARA_COST_SAMPLE]; ///< members of the sample, by their lengths (sciara_member_need)
  size_t items;
  struct probed probed[SCIARA_COST_PROBES];
  size_t probes;
};

static enum sciara_status measure(const struct work *w, size_t member, struct sciara_member_need *out) {
  const struct sciara_task_estimate how = {
      .ensemble = w->e, .setup = &w->setup, .bytes_per_cell = w->bytes_per_cell, .threads = 1};
  struct sciara_diagnostics diagnostics = {0};
  sciara_member_estimate(&how, member, out, &diagnostics);
  return sciara_diagnostics_end(&diagnostics);
}

static enum sciara_status draw(struct work *w, double *bytes) {
  const size_t count = w->e->members.count;
  w->items = count < SCIARA_COST_SAMPLE ? count : SCIARA_COST_SAMPLE;
  for (size_t k = 0; k < w->items; k++) {
    struct sciara_member_need need = {0};
    const double turn = ((double)k + 0.5) * GOLDEN;
    const size_t member = count <= SCIARA_COST_SAMPLE ? k : (size_t)((turn - floor(turn)) * (double)count);
    SCIARA_TRY(measure(w, member, &need));
    w->item[k] = (struct sciara_keyed){need.length, member};
    *bytes = fmax(*bytes, need.memory);
  }
  return SCIARA_OK;
}

/** Probes the members in the middle of equal parts of the sample, the shortest first: it leaves time for the others. */
static enum sciara_status probe_members(struct work *w, double seconds) {
  w->probes = w->items < SCIARA_COST_PROBES ? w->items : SCIARA_COST_PROBES;
  for (size_t k = 0; k < w->probes; k++) {
    struct probed *p = &w->probed[k];
    struct sciara_compute_setup setup = w->setup;
    struct sciara_footprint f = {0};
    bool cancelled = false;
    p->item = w->item[(2 * k + 1) * w->items / (2 * w->probes)];
    p->probe.seconds = 0.5 * fmax(seconds, 0); // half of what is left
    setup.probe = &p->probe;
    char name[SCIARA_MEMBER_NAME];
    const struct sciara_scenario_member scenario = sciara_ensemble_member(w->e, p->item.index, name);
    const enum sciara_status status = sciara_compute_member(&setup, &scenario, &f, &cancelled);
    seconds -= p->probe.cpu_s;
    sciara_footprint_free(&f);
    SCIARA_TRY(status);
  }
  return SCIARA_OK;
}

/**
 * Each part of the sample costs what its probe does, in proportion to their lengths. Of a probe that did not come to its end only
 * a lower bound is known, however it went so far: the time is unknown if such members are more than a small part of it.
 */
static void add_up(const struct work *w, double seconds, struct sciara_plan_time *out) {
  double unit[SCIARA_COST_PROBES], unfinished = 0, least_s = 0, mean = 0, squares = 0;
  for (size_t k = 0; k < w->probes; k++) {
    const struct probed *p = &w->probed[k];
    unit[k] = p->probe.cpu_s / (p->item.key > 0 ? p->item.key : 1);
    if (!p->probe.whole || !(unit[k] > 0)) continue;
    mean += log(unit[k]);
    squares += log(unit[k]) * log(unit[k]);
    out->whole++;
  }
  const double known = fmax((double)out->whole, 1);
  mean /= known;
  squares /= known;
  for (size_t k = 0; k < w->probes; k++) {
    const size_t first = k * w->items / w->probes, end = (k + 1) * w->items / w->probes;
    const bool whole = w->probed[k].probe.whole && unit[k] > 0;
    double part = 0;
    for (size_t i = first; i < end; i++)
      part += (w->item[i].key > 0 ? w->item[i].key : 1) * (whole ? unit[k] : fmax(exp(mean), unit[k]));
    out->core_s += part;
    least_s += whole ? part : w->probed[k].probe.cpu_s * (double)(end - first);
    if (!whole) unfinished += part;
  }
  const double share = out->core_s > 0 ? unfinished / out->core_s : 0;
  const double drawn = w->probes < w->e->members.count ? 2 * sqrt(fmax(squares - mean * mean, 0) / known) : 0;
  const double left = share * log(SCIARA_COST_SPREAD_OF_REST);
  const double spread = fmax(exp(sqrt(drawn * drawn + left * left)), SCIARA_COST_SPREAD_LEAST);
  const double all = (double)w->e->members.count / (double)w->items;
  out->stored_s = SCIARA_COST_MEMBER_FILE * (double)w->e->members.count;
  out->core_s = out->core_s * all + out->stored_s;
  out->low_s = out->core_s / spread;
  out->high_s = out->core_s * spread;
  out->made = out->whole > 0 && share <= SCIARA_COST_UNFINISHED_MOST;
  if (out->made) return;
  snprintf(out->why, sizeof out->why,
           "%zu of %zu members ended in %g s; all take more than %s on one core; 'run' shows the time left when some "
           "have ended",
           out->whole, w->probes, seconds, SCIARA_ABOUT(least_s * all));
}

/**
 * Places a sample of the members, evenly spread over the table, and computes some of them, the shortest first, in `seconds`
 * of processor time. The time of a member is taken to be proportional to its length (setup/cost.h). If no member comes
 * to its end, the time step and the cost of a cell in the first steps are extrapolated; without enough steps there is no
 * estimate.
 *
 * @param e its base names the DEM of `base`
 * @param base a problem on the site of all members
 * @param seconds 0: no probes
 */
static enum sciara_status plan_time_make(const struct sciara_ensemble *e, const struct sciara_problem *base,
                                         double seconds, struct sciara_plan_time *out) {
  const struct sciara_engine_ops *ops;
  struct work *w;
  *out = (struct sciara_plan_time){.made = false};
  const enum sciara_rule_kind rule = base->params.rule;
  const char *engine_name = SCIARA_ENGINE_AUTO_HOST; // on one thread
  SCIARA_TRY(sciara_engine_find(engine_name, rule,
                                base->engine.single_precision ? SCIARA_SINGLE_PRECISION : SCIARA_DOUBLE, &ops));
  SCIARA_TRY(SCIARA_NEW(w, 1, "an estimate"));
  w->e = e;
  w->bytes_per_cell = sciara_member_bytes_per_cell(ops, SCIARA_FOOTPRINT_RECORD);
  w->setup = (struct sciara_compute_setup){
      .site = base->site, .planned = true, .engine = engine_name, .threads = 1, .device = -1};
  enum sciara_status status = draw(w, &out->member_bytes);
  if (status == SCIARA_OK && seconds > 0) {
    qsort(w->item, w->items, sizeof *w->item, sciara_by_key);
    w->setup.ground = sciara_site_checksum(base->site);
    status = probe_members(w, seconds);
  }
  out->probed = w->probes;
  if (status == SCIARA_OK && w->probes > 0) add_up(w, seconds, out);
  if (status != SCIARA_OK) snprintf(out->why, sizeof out->why, "%s", sciara_last_error());
  sciara_free(w);
  return status;
}

// ---------------------------------------------------------------------------------------------------- rates of members

/** Sets the effusion of a member, in the columns from `first` on. */
static enum sciara_status set_rates(const struct sciara_scenario_spec *base, size_t i, size_t first,
                                    struct sciara_members *m) {
  const char *key[2], *value[2];
  char text[2][40];
  struct sciara_key_set set = {0};
  size_t count = 0;
  for (int d = SCIARA_DRAWN_RATE_SCALE; d <= SCIARA_DRAWN_RATE_SHAPE; d++) {
    if (isnan(m->drawn[d][i])) continue;
    sciara_json_number(m->drawn[d][i], text[count], sizeof text[count]);
    key[count] = sciara_drawn_names[d];
    value[count] = text[count];
    count++;
  }
  enum sciara_status status = sciara_key_set_make(key, value, count, base, &set);
  for (size_t k = 0; k < set.count && status == SCIARA_OK; k++) {
    if (m->key_count == first) status = sciara_members_extend(m, (const char *const *)set.key, set.count);
    if (status == SCIARA_OK) status = sciara_members_set(m, i, first + k, set.value[k]);
  }
  sciara_key_set_free(&set);
  return sciara_fail_context(status, "member %" PRId64, m->id[i]);
}

/**
 * The columns rate_scale and rate_shape of a table change the rates of the base, unless the table has an effusion of its own: then
 * they are for statistics, which is said.
 */
static enum sciara_status plan_table_rates(const char *file, const struct sciara_scenario_spec *base,
                                           struct sciara_members *m) {
  const size_t first = m->key_count;
  const char *column = sciara_members_have_drawn(m, SCIARA_DRAWN_RATE_SCALE)   ? SCIARA_RATE_SCALE
                       : sciara_members_have_drawn(m, SCIARA_DRAWN_RATE_SHAPE) ? SCIARA_RATE_SHAPE
                                                                               : NULL;
  const char *other = NULL;
  if (!column) return SCIARA_OK;
  for (size_t k = 0; k < m->key_count; k++) {
    bool whole;
    if (!sciara_key_has_rates(m->key[k], &whole)) continue;
    other = m->key[k];
    if (!whole) continue;
    sciara_log(
        SCIARA_LOG_WARNING,
        "%s: members: the column \"%s\" replaces the rates of the base, later ones too; \"%s\" is for statistics "
        "alone, without that column it changes the rates of the base",
        file, other, column);
    return SCIARA_OK;
  }
  if (other)
    return sciara_fail(SCIARA_ERR_INPUT, "the column \"%s\": expected no other key of rates; found %.80s", column,
                       other);
  for (size_t i = 0; i < m->count; i++) SCIARA_TRY(set_rates(base, i, first, m));
  sciara_members_hash(m);
  return SCIARA_OK;
}

enum { MOST_BYTES = 16 << 20, RANDOMISATIONS = 8 };

static void free_planning(struct sciara_planning *p) {
  cJSON_Delete(p->root);
  sciara_problem_free(&p->base);
  sciara_vent_list_free(&p->x.vents);
  sciara_events_free(p->x.events, p->x.event_count);
  sciara_variation_free(&p->x.variation);
  sciara_ensemble_free(&p->e);
  free(p->folder);
}

// ------------------------------------------------------------------------------------------------------------- file

/** Reads and checks the tree; parts that did not pass are removed, so that the others can be checked further. */
static enum sciara_status read_tree(struct sciara_planning *p) {
  char *text = NULL;
  size_t length = 0;
  SCIARA_TRY(sciara_file_read(p->r.file, MOST_BYTES, &text, &length));
  const enum sciara_status status = sciara_json_parse_all(p->r.file, text, length, p->r.diagnostics, &p->root);
  free(text);
  SCIARA_TRY(status);
  sciara_tree_check(p->r.file, p->root, SCIARA_ENSEMBLE_KEYS, p->r.diagnostics);
  for (cJSON *child = cJSON_IsObject(p->root) ? p->root->child : NULL, *next; child; child = next) {
    const struct sciara_scenario_key *key = sciara_scenario_key_find(SCIARA_ENSEMBLE_KEYS, child->string);
    next = child->next;
    if (!key || !sciara_scenario_passes(key, child)) cJSON_Delete(cJSON_DetachItemViaPointer(p->root, child));
  }
  return SCIARA_OK;
}

/** Limits of the run that its checkpoint has reached: no member would do a step. Returns their number. */
static size_t find_reached(const struct sciara_problem *base, const char *overrides[3]) {
  const struct sciara_scenario_spec *s = &base->source->scenario;
  const struct sciara_state *state = base->state;
  size_t count = 0;
  if (s->run.until == SCIARA_UNTIL_TIME && state->time >= s->run.until_s) overrides[count++] = "run.until=solidified";
  if (state->time >= s->run.max_time_s) overrides[count++] = "run.max_time=null";
  if (state->step >= s->run.max_steps) overrides[count++] = "run.max_steps=null";
  return count;
}

static enum sciara_status open_with(struct sciara_planning *p, const char *path, const char *const *overrides,
                                    size_t count) {
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count};
  struct sciara_resume resume = {.lock = -1};
  const enum sciara_status status = sciara_checkpoint_problem(path, &options, &resume, &p->base);
  sciara_resume_close(&resume);
  return sciara_fail_context(status, "%s: base", p->r.file);
}

/** The scenario of a checkpoint is the base, as if it named the checkpoint. */
static enum sciara_status open_checkpoint(struct sciara_planning *p, const char *path) {
  const char *overrides[3];
  SCIARA_TRY(open_with(p, path, NULL, 0));
  const size_t count = find_reached(&p->base, overrides);
  for (size_t k = 0; k < count; k++)
    sciara_log(SCIARA_LOG_INFO, "%s: base: the checkpoint lies at the end of its run; members have %s", p->r.file,
               overrides[k]);
  if (count > 0) {
    sciara_problem_free(&p->base);
    SCIARA_TRY(open_with(p, path, overrides, count));
  }
  free(p->base.source->scenario.initial_checkpoint);
  return sciara_copy(path, "an ensemble", &p->base.source->scenario.initial_checkpoint);
}

static enum sciara_status read_base(struct sciara_planning *p) {
  const cJSON *base = sciara_json_get(p->root, "base");
  char *path = NULL;
  if (!base) return SCIARA_OK; // already reported
  SCIARA_TRY(sciara_ensemble_path(&p->r, base, &path));
  const size_t length = strlen(path), before = p->r.diagnostics->count;
  enum sciara_status status = SCIARA_OK;
  if (length > 3 && strcmp(path + length - 3, ".h5") == 0)
    status = open_checkpoint(p, path);
  else
    sciara_problem_open_all(path, NULL, &p->base, p->r.diagnostics);
  free(path);
  if (status != SCIARA_OK || p->r.diagnostics->count > before || !sciara_problem_begins_later(&p->base)) return status;
  p->e.time_zero_s = p->base.state->time;
  const char *time = SCIARA_DURATION(p->e.time_zero_s);
  if (p->base.source->scenario.initial_checkpoint)
    sciara_log(SCIARA_LOG_INFO,
               "%s: base: members begin with the state of %s at step %" PRIu64
               "%s; their times count from there, simulated time %.10g s (%s) of its run",
               p->r.file, p->base.source->scenario.initial_checkpoint, p->base.state->step,
               p->base.source->observed_hash ? ", corrected with observed lava" : "", p->e.time_zero_s, time);
  else
    sciara_log(SCIARA_LOG_INFO,
               "%s: base: members begin with observed lava; their times count from there, simulated time %.10g s (%s)",
               p->r.file, p->e.time_zero_s, time);
  return SCIARA_OK;
}

/** Replaces the dates of result.within by the time after the start of the members. */
static void place_dates(const struct sciara_planning *p) {
  const char *start = p->base.source->scenario.start;
  cJSON *array = cJSON_GetObjectItemCaseSensitive(sciara_json_get(p->root, "result"), "within");
  for (int k = 0; start && k < cJSON_GetArraySize(array); k++) {
    const cJSON *item = cJSON_GetArrayItem(array, k);
    char begin[SCIARA_DATE_SIZE], found[128];
    double date;
    bool zoned;
    if (!cJSON_IsString(item) || !sciara_parse_date(item->valuestring, &date, &zoned)) continue;
    const double after = date - sciara_date_at(start, p->e.time_zero_s);
    if (after > 0) {
      cJSON_ReplaceItemInArray(array, k, cJSON_CreateNumber(after));
      continue;
    }
    sciara_date_after(start, p->e.time_zero_s, begin);
    snprintf(found, sizeof found, "%.40s, not after %s, when the members begin", item->valuestring, begin);
    sciara_ensemble_report(&p->r, "result.within", (size_t)k, NULL, found, "a date after the start of the members");
    cJSON_DeleteItemFromArray(array, k--);
  }
}

static enum sciara_status read_sample(struct sciara_planning *p) {
  const cJSON *sample = sciara_json_get(p->root, "sample"), *vents = sciara_json_get(sample, "vents");
  struct sciara_sample_spec *s = &p->x.sample;
  const struct sciara_ensemble_reading *r = &p->r;
  if (!sample) return SCIARA_OK; // reported where it is required
  for (size_t k = 0; k < SCIARA_SAMPLE_TABLE; k++)
    if (strcmp(sciara_json_get(sample, "method")->valuestring, sciara_sample_methods[k]) == 0)
      s->method = (enum sciara_sample_method)k;
  const bool full = s->method == SCIARA_SAMPLE_FULL;
  const bool repeated = s->method == SCIARA_SAMPLE_LHS || s->method == SCIARA_SAMPLE_SOBOL;
  s->chosen = vents != NULL;
  s->drawn = vents && strcmp(vents->valuestring, "drawn") == 0;
  s->count = (size_t)sciara_json_double(sample, "count", 0);
  s->replicates = (size_t)sciara_json_double(sample, "replicates", repeated ? RANDOMISATIONS : 1);
  s->seed = (uint64_t)sciara_json_double(sample, "seed", 1);
  if (full && (s->count || s->drawn || s->replicates != 1))
    return sciara_ensemble_refuse(r, "sample", SCIARA_NO_INDEX, NULL, "count, replicates or drawn vents",
                                  "none of them with the method full, which has every combination once");
  if (!full && s->count == 0)
    return sciara_ensemble_refuse(r, "sample", SCIARA_NO_INDEX, "count", "nothing (the key is required)",
                                  "a whole number, 1 to 2.5e6");
  if (repeated && s->replicates < RANDOMISATIONS)
    return sciara_ensemble_refuse(r, "sample", SCIARA_NO_INDEX, "replicates", "fewer",
                                  "8 or more, from which the sampling error is estimated");
  if (s->method == SCIARA_SAMPLE_SOBOL && (s->count & (s->count - 1)) != 0)
    sciara_log(SCIARA_LOG_INFO, "%s: sample.count: %zu Sobol' points are less even than a power of two", r->file,
               s->count);
  if (!full && !sciara_json_get(sample, "seed"))
    sciara_log(SCIARA_LOG_INFO, "%s: sample: no seed given: 1 is used", r->file);
  return SCIARA_OK;
}

static void report_prior(struct sciara_planning *p, enum sciara_rule_kind rule) {
  const struct sciara_variation *v = &p->x.variation;
  char found[96], allowed[96];
  snprintf(found, sizeof found, "\"%s\", a prior of rule %s", v->prior->name, sciara_rule_name(v->prior->rule));
  snprintf(allowed, sizeof allowed, "a prior of rule %s, which the base has, or a base of the other rule",
           sciara_rule_name(rule));
  sciara_ensemble_report(&p->r, "vary", v->vary[v->prior_first].entry, "prior", found, allowed);
}

/** A varied key of "model" must be one of the rule of the base, unless members have rules of their own. */
static void check_rule(struct sciara_planning *p) {
  const enum sciara_rule_kind rule = p->base.params.rule;
  const struct sciara_variation *v = &p->x.variation;
  for (size_t k = 0; k < v->count; k++)
    if (strcmp(v->vary[k].name, "model.rule") == 0 || strcmp(v->vary[k].name, "model.preset") == 0) return;
  const bool other = v->prior && v->prior->rule != rule;
  if (other) report_prior(p, rule);
  for (size_t k = 0; k < v->count; k++) {
    const char *name = v->vary[k].name;
    if (other && sciara_variation_is_of_prior(v, k)) continue;
    if (strncmp(name, "model.", strlen("model.")) != 0) continue;
    const struct sciara_scenario_key *key = sciara_scenario_key_find("model", name + strlen("model."));
    char found[SCIARA_VARY_NAME + 128], allowed[128], counterpart[SCIARA_COUNTERPART_TEXT];
    if (!key || sciara_scenario_key_is_of(key, rule)) continue;
    sciara_scenario_counterpart(name + strlen("model."), counterpart);
    snprintf(found, sizeof found, "\"%s\", a key of %s%s", name, sciara_scenario_key_rule(key), counterpart);
    snprintf(allowed, sizeof allowed, "a key of rule %s, which the base has, or a base of the other rule",
             sciara_rule_name(rule));
    sciara_ensemble_report(&p->r, "vary", v->vary[k].entry, "key", found, allowed);
  }
}

/** Parts that exclude or need each other. */
static void check_parts(struct sciara_planning *p) {
  static const char *const planned[] = {"vents", "events", "vary", "correlation", "sample"};
  const struct sciara_ensemble_reading *r = &p->r;
  const bool table = sciara_json_get(p->root, "members") != NULL, full = p->x.sample.method == SCIARA_SAMPLE_FULL;
  for (size_t k = 0; table && k < sizeof planned / sizeof *planned; k++)
    if (sciara_json_get(p->root, planned[k]))
      sciara_ensemble_report(r, planned[k], SCIARA_NO_INDEX, NULL, "it together with members",
                             "either members or the parts of a plan");
  if (!table && !sciara_json_get(p->root, "sample") && r->diagnostics->count == 0)
    sciara_ensemble_report(r, "sample", SCIARA_NO_INDEX, NULL, "nothing (the key is required)",
                           "an object with the method: full, random, lhs or sobol");
  if (table || !sciara_json_get(p->root, "sample")) return;
  if (full && p->x.vents.jitter_m > 0)
    sciara_ensemble_report(r, "vents", SCIARA_NO_INDEX, "jitter_m", "it with the method full",
                           "a method that draws: random, lhs or sobol");
  for (size_t k = 0; full && k < p->x.variation.count; k++) {
    if (p->x.variation.vary[k].kind == SCIARA_DIST_VALUES && !p->x.variation.vary[k].of_sets) continue;
    if (k > 0 && p->x.variation.vary[k].of_sets && p->x.variation.vary[k - 1].of_sets) continue;      // said once
    if (sciara_variation_is_of_prior(&p->x.variation, k) && k > p->x.variation.prior_first) continue; // said once
    sciara_ensemble_report(r, "vary", p->x.variation.vary[k].entry, NULL,
                           p->x.variation.vary[k].of_sets ? "sets" : "a distribution of numbers",
                           "values with the method full");
  }
  for (size_t at = 0; at < p->x.variation.count; at++) {
    const size_t k = p->x.variation.vary[at].entry;
    if (p->x.variation.vary[at].target != SCIARA_VARY_GROUND) continue;
    if (full)
      sciara_ensemble_report(r, "vary", k, "key", "elevation_error with the method full",
                             "a method that draws the errors: random, lhs or sobol");
    if (p->base.source->scenario.initial_checkpoint)
      sciara_ensemble_report(r, "vary", k, "key", "elevation_error, and a checkpoint as the base",
                             "a base without lava, which lies on the ground of its run");
    if (p->base.source->scenario.dem.error.sd_m > 0)
      sciara_ensemble_report(r, "vary", k, "key", "elevation_error, and dem.error in the base",
                             "a base whose altitudes have no errors");
  }
  if (p->x.sample.method == SCIARA_SAMPLE_SOBOL && p->x.variation.count + 4 > SCIARA_SOBOL_DIMENSIONS)
    sciara_ensemble_report(r, "vary", SCIARA_NO_INDEX, NULL, "more", "at most 33 keys with the method sobol");
}

/** If the plan has vents or events, the vent of the base is their template. */
static enum sciara_status check_template(const struct sciara_planning *p) {
  const char *part = sciara_json_get(p->root, "vents") ? "vents" : "events";
  char found[64];
  if (!sciara_json_get(p->root, part) || p->base.source->scenario.vent_count == 1) return SCIARA_OK;
  snprintf(found, sizeof found, "%zu vents there", p->base.source->scenario.vent_count);
  return sciara_ensemble_refuse(&p->r, part, SCIARA_NO_INDEX, NULL, found,
                                "a base with one vent, whose name, start and area all vents have");
}

static void read_parts(struct sciara_planning *p) {
  struct sciara_diagnostics *d = p->r.diagnostics;
  const cJSON *vents = sciara_json_get(p->root, "vents"), *events = sciara_json_get(p->root, "events");
  if (events) sciara_events_read(&p->r, events, &p->x.events, &p->x.event_count);
  sciara_variation_read(&p->r, sciara_json_get(p->root, "vary"), sciara_json_get(p->root, "correlation"), p->x.events,
                        p->x.event_count, vents != NULL, &p->x.variation);
  if (vents && p->base.site) sciara_vent_list_read(&p->r, vents, p->base.site, &p->x.vents);
  sciara_result_read(&p->r, sciara_json_get(p->root, "result"), sciara_json_get(p->root, "stop"), &p->e.result,
                     &p->e.stop);
  sciara_diagnostics_add(d, read_sample(p));
  if (p->base.site) sciara_diagnostics_add(d, check_template(p));
  if (p->base.site) check_rule(p);
  check_parts(p);
}

/** Sites must have cells of the DEM. Lava does not reach those in the sea, or without an altitude. */
static void check_pois(const struct sciara_planning *p) {
  const struct sciara_site *site = p->base.site;
  char text[SCIARA_POI_REASON];
  for (size_t k = 0; site && k < p->e.result.poi_count; k++) {
    const struct sciara_dem_window *window = &site->origin.window;
    const struct sciara_poi *s = &p->e.result.pois[k];
    struct sciara_poi_cells cells;
    struct sciara_poi_ground ground;
    enum sciara_status status = sciara_poi_cells_make(s, &p->base.grid, &cells);
    if (status == SCIARA_OK) status = sciara_poi_check(s, &cells, &p->base.grid, window);
    sciara_diagnostics_add(p->r.diagnostics, sciara_fail_context(status, "%s: result.sites[%zu]", p->r.file, k));
    ground = sciara_poi_cells_ground(&cells, site->kind);
    const char *reason = sciara_poi_where_reason(s, sciara_poi_where(&ground), window, text);
    if (status == SCIARA_OK && reason)
      sciara_log(SCIARA_LOG_WARNING, "%s: result.sites[%zu] (%s): %s: no member can reach it", p->r.file, k, s->name,
                 reason);
    sciara_poi_cells_free(&cells);
  }
}

// ---------------------------------------------------------------------------------------------------------- members

static enum sciara_status take_members(struct sciara_planning *p) {
  const cJSON *members = sciara_json_get(p->root, "members");
  char *path = NULL;
  p->e.method = p->x.sample.method;
  p->e.vents_drawn = p->x.sample.drawn;
  p->e.draws_by_key = true;
  p->e.replicates = p->x.sample.replicates ? p->x.sample.replicates : 1;
  p->e.seed = p->x.sample.seed;
  if (!members) return sciara_expand(&p->x, &p->e.members);
  p->e.method = SCIARA_SAMPLE_TABLE;
  SCIARA_TRY(sciara_ensemble_path(&p->r, members, &path));
  enum sciara_status status = sciara_members_read_table(path, &p->e.members);
  free(path);
  if (status == SCIARA_OK) status = plan_table_rates(p->r.file, &p->base.source->scenario, &p->e.members);
  for (size_t k = 0; k < SCIARA_DRAWN_RATE_SCALE && status == SCIARA_OK; k++)
    if (sciara_members_have_drawn(&p->e.members, (enum sciara_drawn)k))
      sciara_log(SCIARA_LOG_INFO, "%s: members: the column \"%s\" is for statistics alone, no member is changed by it",
                 p->r.file, sciara_drawn_names[k]);
  return sciara_fail_context(status, "%s: members", p->r.file);
}

/** The vents and events as an opened ensemble has them: with weights whose sum is 1. */
static enum sciara_status take_lists(struct sciara_planning *p) {
  struct sciara_ensemble *e = &p->e;
  double sum = 0;
  for (size_t k = 0; k < p->x.vents.count; k++) sum += p->x.vents.vent[k].weight;
  SCIARA_TRY(SCIARA_NEW(e->vents, p->x.vents.count, "the vents"));
  for (; e->vent_count < p->x.vents.count; e->vent_count++) {
    const struct sciara_ensemble_vent *from = &p->x.vents.vent[e->vent_count];
    struct sciara_ensemble_vent *to = &e->vents[e->vent_count];
    SCIARA_TRY(sciara_copy(from->name, "an ensemble", &to->name));
    to->weight = from->weight / sum;
    SCIARA_TRY(SCIARA_NEW(to->points, from->point_count, "a vent"));
    memcpy(to->points, from->points, from->point_count * sizeof *to->points);
    to->point_count = from->point_count;
  }
  sum = 0;
  for (size_t k = 0; k < p->x.event_count; k++) sum += p->x.events[k].weight;
  SCIARA_TRY(SCIARA_NEW(e->events, p->x.event_count, "the events"));
  for (; e->event_count < p->x.event_count; e->event_count++) {
    const struct sciara_event_spec *from = &p->x.events[e->event_count];
    struct sciara_ensemble_event *to = &e->events[e->event_count];
    SCIARA_TRY(sciara_copy(from->name, "an ensemble", &to->name));
    to->weight = from->weight / sum;
    to->volume_m3 = from->volume_m3;
    to->duration_s = from->duration_s;
  }
  return SCIARA_OK;
}

/** Adds the ranges from which keys are drawn evenly, or evenly in their logarithm. */
static enum sciara_status variation_declare(const struct sciara_variation *v, struct sciara_declared *out) {
  for (size_t k = 0; k < v->count; k++) {
    const struct sciara_vary_spec *s = &v->vary[k];
    if ((s->kind != SCIARA_DIST_UNIFORM && s->kind != SCIARA_DIST_LOG_UNIFORM) || s->multiplies) continue;
    const char *key = s->target == SCIARA_VARY_GROUND ? "dem.error" : s->name; // as in members.csv
    SCIARA_TRY(sciara_declared_add_range(out, key, fmax(s->a, s->low), fmin(s->b, s->high)));
  }
  return SCIARA_OK;
}

static enum sciara_status make_ensemble(struct sciara_planning *p) {
  const cJSON *title = sciara_json_get(p->root, "title");
  cJSON *base = NULL;
  if (title && !(p->e.title = sciara_format("%s", title->valuestring))) return sciara_no_memory("an ensemble");
  SCIARA_TRY(take_members(p));
  const struct sciara_scenario_spec *s = &p->base.source->scenario;
  SCIARA_TRY(sciara_declared_take(s->dem.path, s->dem.edits, s->dem.edit_count, &p->e.declared));
  p->e.declared.density_outside = p->x.vents.outside;
  SCIARA_TRY(variation_declare(&p->x.variation, &p->e.declared));
  const size_t count = p->e.members.count;
  SCIARA_TRY(sciara_plan_base_make(&p->base, &p->x, &p->e.members, NULL, &base));
  SCIARA_TRY(sciara_scenario_base_make(base, &p->e.scenario));
  p->e.batch_size =
      (size_t)sciara_json_double(p->root, "batch_size", count > 16384 ? SCIARA_BATCH_LARGEST : SCIARA_BATCH_SMALLEST);
  p->e.batch_count = (count + p->e.batch_size - 1) / p->e.batch_size;
  if (p->x.skipped > 0)
    sciara_log(SCIARA_LOG_INFO, "%s: %zu members are left out, their weight is 0", p->r.file, p->x.skipped);
  return take_lists(p);
}

/** Strata with one draw may leave no error, and a stop rule needs one. */
static enum sciara_status check_errors(const struct sciara_planning *p) {
  static const char needed[] =
      "two or more draws in each (sample.count, of a table its strata): a count of 2 is enough";
  struct sciara_sample s;
  const bool stop = p->e.stop.standard_error > 0;
  SCIARA_TRY(sciara_sample_of_plan(&p->e, &s));
  const bool without = isnan(s.critical);
  const size_t single = s.single;
  sciara_sample_free(&s);
  if (single > 0 && !stop)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: sample: there will be no errors: %zu strata have one draw and a weight of their own; expected %s",
               p->r.file, single, needed);
  if (!without || !stop) return SCIARA_OK;
  char found[96];
  snprintf(found, sizeof found, "%zu strata with one draw and a weight of their own, which have no error", single);
  return sciara_ensemble_refuse(&p->r, "stop", SCIARA_NO_INDEX, NULL, single ? found : "members that are not drawn",
                                single ? needed : "a method that draws, from which a sampling error follows");
}

/** The usual times of results, which the file does not give, are at most the end of all members, `end` after their start. */
static enum sciara_status end_usual_times(const struct sciara_planning *p, double end) {
  const struct sciara_ensemble_result *usual = &p->e.result;
  cJSON *result = cJSON_GetObjectItemCaseSensitive(p->root, "result");
  if (!result) result = cJSON_AddObjectToObject(p->root, "result");
  cJSON *within = cJSON_AddArrayToObject(result, "within");
  bool done = within != NULL;
  for (size_t k = 0; done && k < usual->within_count && (k == 0 || usual->within_s[k - 1] < end); k++)
    done = cJSON_AddItemToArray(within, cJSON_CreateNumber(fmin(usual->within_s[k], end)));
  return done ? SCIARA_OK : sciara_no_memory("times of results");
}

/** Times of results after the end of all members: nobody knows what lava reaches in between. */
static void check_late_times(const struct sciara_planning *p, double end_s) {
  const struct sciara_ensemble_result *result = &p->e.result;
  const double end = end_s - p->e.time_zero_s; // from the start of the members
  if (!isfinite(end)) return;
  if (!sciara_json_get(sciara_json_get(p->root, "result"), "within")) {
    sciara_diagnostics_add(p->r.diagnostics, end_usual_times(p, end));
    return;
  }
  for (size_t k = 0; k < result->within_count; k++) {
    if (!(result->within_s[k] > end)) continue;
    sciara_log(
        SCIARA_LOG_WARNING,
        "%s: result.within: %s counts from the start of the members, and all of them end by run.until after %s: lava "
        "that comes later is missing",
        p->r.file, SCIARA_DURATION(result->within_s[k]), SCIARA_DURATION(end));
  }
}

static void read_plan(struct sciara_planning *p) {
  struct sciara_diagnostics *d = p->r.diagnostics;
  p->folder = sciara_path_folder(p->r.file);
  p->r.folder = p->folder;
  enum sciara_status status = p->folder ? read_tree(p) : sciara_no_memory("an ensemble");
  sciara_diagnostics_add(d, status);
  if (status != SCIARA_OK || !cJSON_IsObject(p->root)) return;
  p->x.r = &p->r;
  sciara_diagnostics_add(d, read_base(p));
  if (!p->base.source && !sciara_problem_begin(&p->base, d)) return; // none was named: nothing is known of it
  p->x.base = &p->base.source->scenario;
  place_dates(p);
  sciara_plan_places_resolve(&p->r, &p->base, p->root);
  read_parts(p);
  check_pois(p);
  if (d->count > 0) return;
  sciara_diagnostics_add(d, make_ensemble(p));
  if (d->count == 0) sciara_diagnostics_add(d, check_errors(p));
  if (d->count > 0) return;
  double end_s;
  p->covered = sciara_plan_check_members(&p->e, &p->base, p->r.file, d, &end_s);
  if (d->count == 0) sciara_diagnostics_add(d, sciara_plan_check_zones(&p->e, &p->base, p->r.file));
  if (d->count == 0) check_late_times(p, end_s);
}

// --------------------------------------------------------------------------------------------------------- estimate

/** Whether a run that follows computes the members on a GPU, of whose time some members on a core say nothing. */
static bool runs_on_gpu(const struct sciara_problem *base, const char *run_on) {
  const struct sciara_engine_ops *ops = NULL;
  const char *name = run_on && !*run_on ? base->engine.name : run_on;
  if (!name || strcmp(name, "auto") == 0) return false;
  return sciara_engine_find(name, base->params.rule, sciara_chosen_precision(&base->engine), &ops) == SCIARA_OK &&
         (ops->capabilities & SCIARA_CAN_DEVICE) != 0;
}

static void make_estimate(const struct sciara_planning *p, const char *folder,
                          const struct sciara_ensemble_plan_options *options, struct sciara_ensemble_estimate *out) {
  const double probe_s = options && !runs_on_gpu(&p->base, options->run_on) ? options->probe_s : 0;
  const size_t count = p->e.members.count;
  *out = (struct sciara_ensemble_estimate){.members = count, .batches = p->e.batch_count};
  const double cells = (double)sciara_grid_cells(&p->base.grid);
  out->bytes = 8 * cells + sciara_member_disk((double)count, p->covered) +
               SCIARA_COST_MAPS * (SCIARA_COST_MAP + SCIARA_COST_MAP_CELL * fmin(cells, p->covered));
  out->free_bytes = sciara_disk_free(folder ? folder : ".");
  if (plan_time_make(&p->e, &p->base, probe_s, &out->time) != SCIARA_OK) sciara_error_clear();
}

/** One member at least must fit. */
static enum sciara_status check_plan_memory(const struct sciara_planning *p, const struct sciara_ensemble_estimate *e) {
  const double available = (double)sciara_memory_available();
  if (!(available > 0) || e->time.member_bytes <= available) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_MEMORY, "%s: a member: expected %s of free memory, found %s", p->r.file,
                     SCIARA_BYTES(e->time.member_bytes), SCIARA_BYTES(available));
}

static enum sciara_status check_disk(const struct sciara_planning *p, const struct sciara_ensemble_estimate *e) {
  if (!(e->free_bytes > 0) || e->bytes <= e->free_bytes) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_IO, "%s: the folder of %zu members: expected %s of free disk space, found %s",
                     p->r.file, e->members, SCIARA_BYTES(e->bytes), SCIARA_BYTES(e->free_bytes));
}

void sciara_ensemble_plan(const char *file, const char *folder, const struct sciara_ensemble_plan_options *options,
                          struct sciara_ensemble_estimate *estimate, struct sciara_diagnostics *diagnostics) {
  struct sciara_planning p = {.r = {.file = file, .diagnostics = diagnostics}};
  struct sciara_ensemble_estimate e = {0};
  read_plan(&p);
  if (diagnostics->count == 0) sciara_observed_run_off_log(&p.base, "base: ");
  if (diagnostics->count == 0) make_estimate(&p, folder, options, &e);
  if (diagnostics->count == 0) sciara_diagnostics_add(diagnostics, check_disk(&p, &e));
  if (diagnostics->count == 0) sciara_diagnostics_add(diagnostics, check_plan_memory(&p, &e));
  if (diagnostics->count == 0 && folder)
    sciara_diagnostics_add(diagnostics, sciara_plan_write(&p, folder, options && options->overwrite));
  if (estimate) *estimate = e;
  free_planning(&p);
}
