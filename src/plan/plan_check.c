// SPDX-License-Identifier: Apache-2.0
#include "plan/planning.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/share.h"
#include "ensemble/used_vents.h"
#include "file/csv.h"
#include "model/ground_change.h"
#include "setup/cost.h"
#include "sim/end.h"

struct checks {
  const struct sciara_ensemble *e;
  const struct sciara_problem *base;
  const char *file;
  struct sciara_failure *failed; ///< of each member
  double *covered;               ///< of each member, cells
  double *end_s;                 ///< of each member, its run.until; INFINITY: it is no time
  uint8_t *cut;                  ///< of each member: it ends at run.max_time, whatever its lava does
  double *emitted;               ///< of each member, as a share of the volume of its event
  double last_arrival;           ///< last arrival of lava in the state that members begin with, s; SCIARA_NEVER: none
};

/** members.csv is opened with spreadsheet programs too: a word in it is none of their formulas. */
static enum sciara_status check_words(const struct sciara_members *m, size_t member, const char *name) {
  double number;
  for (size_t k = 0; k < m->key_count; k++) {
    const char *value = m->value[member * m->key_count + k];
    if (sciara_csv_is_formula(value) && !sciara_parse_double(value, &number))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: %s: expected a text that is no formula of a spreadsheet program, or one in quotation "
                         "marks, found \"%.60s\"",
                         name, m->key[k], value);
  }
  return SCIARA_OK;
}

/** A member that begins with the checkpoint of the base has the rule of that checkpoint, which is that of the base. */
static enum sciara_status check_checkpoint(const struct checks *c, const struct sciara_scenario_spec *member,
                                           const char *name) {
  const enum sciara_rule_kind rule = c->base->params.rule;
  if (!c->base->source->scenario.initial_checkpoint || member->params.rule == rule) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "%s: model.rule: expected \"%s\", with which initial.checkpoint of the base was computed; found \"%s\"", name,
      sciara_rule_name(rule), sciara_rule_name(member->params.rule));
}

/** The values of a member. Vents that are not where they can be are problems too. */
static enum sciara_status open_member(const struct checks *c, size_t member, struct sciara_scenario_spec *out) {
  char number[SCIARA_MEMBER_NAME];
  struct sciara_scenario_member m = sciara_ensemble_member(c->e, member, number);
  char *name = sciara_format("%s: %s", c->file, number);
  *out = (struct sciara_scenario_spec){0};
  if (!name) return sciara_no_memory("an ensemble");
  m.name = name;
  enum sciara_status status = check_words(&c->e->members, member, name);
  if (status == SCIARA_OK) status = sciara_scenario_member_values(&m, true, NULL, out);
  if (status == SCIARA_OK) status = check_checkpoint(c, out, name);
  for (size_t k = 0; k < out->vent_count && status == SCIARA_OK; k++)
    status = sciara_fail_context(sciara_vent_check(c->base, &out->vents[k]), "%s: vents[%zu]", name, k);
  free(name);
  return status;
}

/** Volume that a member emits, m3; that of the base if its rates are in a file, which is not read here. */
static double volume_of(const struct checks *c, const struct sciara_scenario_spec *member) {
  double volume = 0;
  for (size_t k = 0; k < member->vent_count; k++) {
    const struct sciara_vent_spec *v = &member->vents[k];
    if (!v->edges) return sciara_vents_total(c->base->vents);
    for (size_t n = 0; n < v->rate_count; n++) volume += v->rates[n] * (v->edges[n + 1] - v->edges[n]);
  }
  return volume;
}

/** What the effusion of a member says of its end. False if the rates of a vent are in a file, which is not read here. */
static bool find_member_effusion(const struct sciara_scenario_spec *member, struct sciara_foreseen *out) {
  *out = (struct sciara_foreseen){.covered = INFINITY, .begun = -INFINITY, .ended = -INFINITY};
  for (size_t k = 0; k < member->vent_count; k++) {
    const struct sciara_vent_spec *v = &member->vents[k];
    double first = INFINITY;
    if (!v->edges) return false;
    for (size_t n = 0; n < v->rate_count; n++) {
      if (!(v->rates[n] > 0)) continue;
      first = fmin(first, v->edges[n]);
      out->ended = fmax(out->ended, v->edges[n + 1]);
    }
    out->covered = fmin(out->covered, first);
    if (isfinite(first)) out->begun = fmax(out->begun, first);
  }
  return true;
}

/** Whether a member ends at run.max_time before its own stop rule can hold, however its lava flows. */
static bool is_cut(const struct checks *c, const struct sciara_scenario_spec *member) {
  struct sciara_foreseen f;
  if (!isfinite(member->run.max_time_s)) return false;
  if (member->run.until == SCIARA_UNTIL_TIME) return member->run.max_time_s < member->run.until_s;
  if (!find_member_effusion(member, &f)) return false;
  if (c->base->site) f.changed = sciara_site_last_change(c->base->site);
  if (c->last_arrival >= 0) f.covered = c->last_arrival;
  return member->run.max_time_s <= sciara_end_not_before(&member->run, &f);
}

/** The share of the volume of its event that a member emits: less than 1 if the times of the vent of the base cut it. */
static double emitted_of(const struct checks *c, size_t member, const struct sciara_scenario_spec *scenario) {
  const struct sciara_members *m = &c->e->members;
  const double scale = m->drawn[SCIARA_DRAWN_RATE_SCALE][member];
  const double volume = m->drawn[SCIARA_DRAWN_VOLUME][member] * (isnan(scale) ? 1 : scale);
  return c->e->event_count > 0 && volume > 0 ? volume_of(c, scenario) / volume : 1;
}

static enum sciara_status check_member(const struct checks *c, size_t member) {
  struct sciara_scenario_spec scenario;
  const enum sciara_status status = open_member(c, member, &scenario);
  const bool valid = status == SCIARA_OK;
  c->covered[member] = valid ? sciara_member_covered(&scenario.params, volume_of(c, &scenario), &c->base->grid) : 0;
  c->end_s[member] = valid && scenario.run.until == SCIARA_UNTIL_TIME ? scenario.run.until_s : INFINITY;
  c->cut[member] = valid && is_cut(c, &scenario);
  c->emitted[member] =
      valid && scenario.vent_count > 0 && scenario.vents[0].edges ? emitted_of(c, member, &scenario) : 1;
  sciara_scenario_free(&scenario);
  return status;
}

static void check_some(void *context, int64_t begin, int64_t end) {
  const struct checks *c = (const struct checks *)context;
  for (int64_t i = begin; i < end; i++) sciara_failure_keep(&c->failed[i], check_member(c, (size_t)i));
}

enum { MEMBERS_A_THREAD = 16 }; // for fewer a thread is not worth its start

static int threads_for(const struct sciara_problem *base, size_t count) {
  const int cores = sciara_usable_cores();
  if (sciara_problem_has_area(base)) return 1;
  return count / MEMBERS_A_THREAD < (size_t)cores ? (int)(count / MEMBERS_A_THREAD) + 1 : cores;
}

static void report_emitted(const struct checks *c) {
  const double rounding = 1e-6;
  const size_t count = c->e->members.count;
  double least = 1;
  size_t less = 0;
  for (size_t i = 0; i < count; i++) {
    less += c->emitted[i] < 1 - rounding;
    least = fmin(least, c->emitted[i]);
  }
  if (less > 0)
    sciara_log(
        SCIARA_LOG_WARNING,
        "%s: events: %zu of %zu members emit less than their event, at least %.3g %% of it: from and until of the "
        "vent of the base, which all members take, cut it",
        c->file, less, count, 100 * least);
}

/** Says what is known beforehand: results of members that are cut short have upper bounds only. All of them are an error. */
static enum sciara_status report_cut_short(const struct checks *c, const char *file) {
#define NEEDS(IDENTIFIER, name, number, before, after, meaning, needs) "; \"" name "\" needs " needs
  static const char why[] = "end at run.max_time before their stop rule can hold" SCIARA_EACH_STOP_RULE(NEEDS);
#undef NEEDS
  const size_t count = c->e->members.count;
  size_t cut = 0;
  for (size_t i = 0; i < count; i++) cut += c->cut[i];
  if (count > 0 && cut == count)
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: base: all %zu members %s. Where their lava would have come to rest is not known; expected a "
        "later run.max_time, or a shorter run.front_at_rest",
        file, count, why);
  if (cut > 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: %zu of %zu members %s; their results are censored", file, cut, count, why);
  return SCIARA_OK;
}

/** Every member must be a valid scenario: the ranges of keys do not say what must hold between them. */
double sciara_plan_check_members(const struct sciara_ensemble *e, const struct sciara_problem *base, const char *file,
                                 struct sciara_diagnostics *d, double *end_s) {
  const size_t count = e->members.count;
  struct checks c = {.e = e, .base = base, .file = file, .last_arrival = SCIARA_NEVER};
  double covered = 0;
  enum sciara_status status;
  *end_s = -INFINITY;
  SCIARA_TRY_GOTO(SCIARA_NEW(c.failed, count, "the checks of members"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c.covered, count, "the checks of members"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c.end_s, count, "the checks of members"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c.cut, count, "the checks of members"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c.emitted, count, "the checks of members"));
  if (base->state) c.last_arrival = sciara_last_arrival(base->state);
  sciara_share(threads_for(base, count), (int64_t)count, check_some, &c);
  for (size_t i = 0; i < count; i++) {
    sciara_diagnostics_add(d, sciara_failure_status(&c.failed[i]));
    covered += c.covered[i];
    *end_s = fmax(*end_s, c.end_s[i]);
  }
  report_emitted(&c);
  status = report_cut_short(&c, file);
cleanup:
  sciara_diagnostics_add(d, status);
  for (size_t i = 0; c.failed && i < count; i++) sciara_failure_free(&c.failed[i]);
  sciara_free(c.failed);
  sciara_free(c.covered);
  sciara_free(c.end_s);
  sciara_free(c.cut);
  sciara_free(c.emitted);
  return covered;
}

enum sciara_status sciara_plan_check_zones(const struct sciara_ensemble *e, const struct sciara_problem *base,
                                           const char *file) {
  const size_t count = e->members.count, zones = e->result.rate_count;
  uint8_t *zone;
  size_t size, inside = 0;
  SCIARA_TRY(sciara_size_mul(zones, count, &size));
  SCIARA_TRY(SCIARA_NEW(zone, size + 1, "zones of eruption rates"));
  enum sciara_status status = sciara_rate_zones_find(e, &base->grid, &base->source->georef, count, zone);
  for (size_t k = 0; k < size; k++) inside += zone[k];
  sciara_free(zone);
  if (status == SCIARA_OK && zones > 0 && inside == 0)
    status =
        sciara_fail(SCIARA_ERR_INPUT, "result.eruptions_per_year: expected a zone with the vents of members, found "
                                      "no member whose vents lie in any zone; change a polygon, or leave it out: "
                                      "then its rate counts for all members");
  return sciara_fail_context(status, "%s", file);
}
