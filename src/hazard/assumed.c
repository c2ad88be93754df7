// SPDX-License-Identifier: Apache-2.0
// What an ensemble assumes, in words: eruptions, vents, rates, what varies, the ground, and what was observed.
#include "hazard/hazard_picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"
#include "ensemble/members.h"
#include "file/json_strict.h"
#include "map/words.h"

/** Where words go. */
struct saying {
  const struct sciara_reduction *r;
  enum sciara_language language;
  struct sciara_text *t;
};

static const char *word(const struct saying *s, enum sciara_word w) { return sciara_word(s->language, w); }

static void put_heading(const struct saying *s, enum sciara_word w) {
  sciara_text_append(s->t, "%s%s", word(s, w), word(s, SCIARA_WORD_COLON));
}

// ------------------------------------------------------------------------------------------------------------- ranges

/** The numbers of some members: least and largest. */
struct range {
  double low, high; ///< low > high: there are none
};

static void widen(struct range *range, double value) {
  if (isnan(value)) return;
  range->low = fmin(range->low, value);
  range->high = fmax(range->high, value);
}

/** What was drawn for the members of a class that count, SIZE_MAX: of all. */
static struct range drawn_range(const struct sciara_reduction *r, enum sciara_drawn kind, size_t event) {
  struct range range = {INFINITY, -INFINITY};
  const struct sciara_members *m = &r->ensemble.members;
  for (size_t i = 0; i < r->sample.count; i++)
    if (sciara_sample_counts(&r->sample, i) && (event == SIZE_MAX || m->event[i] == (int64_t)event))
      widen(&range, m->drawn[kind][i]);
  return range;
}

/** Widens the range of what was drawn to that which the plan declares. */
static void declare(const struct saying *s, const char *key, struct range *range) {
  const struct sciara_declared *d = &s->r->ensemble.declared;
  for (size_t k = 0; k < d->range_count; k++) {
    if (strcmp(d->range[k].key, key) != 0) continue;
    widen(range, d->range[k].low);
    widen(range, d->range[k].high);
  }
}

/** The number with which a text begins, and its length; NAN: none. */
static double number_at(const char *text, size_t *length) {
  char digits[40];
  double number;
  *length = strspn(text, "0123456789.eE+-");
  if (*length == 0 || *length >= sizeof digits) return NAN;
  memcpy(digits, text, *length);
  digits[*length] = '\0';
  return sciara_parse_double(digits, &number) ? number : NAN;
}

/** The number of a value: of the errors of altitudes their standard deviation; NAN: it is none. */
static double number_of(const char *value) {
  cJSON *error = NULL;
  double number;
  if (*value != '{') return sciara_parse_double(value, &number) ? number : NAN;
  if (sciara_json_parse("dem.error", value, strlen(value), &error) != SCIARA_OK) sciara_error_clear();
  const cJSON *sd = cJSON_GetObjectItemCaseSensitive(error, "sd_m");
  number = cJSON_IsNumber(sd) ? sd->valuedouble : NAN;
  cJSON_Delete(error);
  return number;
}

/** To three digits. */
static double rounded(double value) {
  if (value == 0) return 0;
  const double unit = pow(10, floor(log10(fabs(value))) - 2);
  return round(value / unit) * unit;
}

/** "0.41–0.5 m²", or one number. */
static void put_range(const struct saying *s, struct range range, const char *unit) {
  char low[64], high[64];
  if (range.low < range.high) range = (struct range){rounded(range.low), rounded(range.high)};
  sciara_word_quantity(s->language, range.low, range.low < range.high ? "1" : unit, low, sizeof low);
  sciara_word_quantity(s->language, range.high, unit, high, sizeof high);
  if (range.low < range.high)
    sciara_text_append(s->t, "%s\u2013%s", low, high);
  else
    sciara_text_append(s->t, "%s", low);
}

// --------------------------------------------------------------------------------------------------- eruptions, vents

/** " short 50 % (0.1 × 10⁶ m³, 6 h)", where they vary with the ranges of the members. */
static void put_event(const struct saying *s, size_t k) {
  const struct sciara_ensemble_event *of = &s->r->ensemble.events[k];
  struct range volume = drawn_range(s->r, SCIARA_DRAWN_VOLUME, k),
               duration = drawn_range(s->r, SCIARA_DRAWN_DURATION, k);
  char share[32], text[2][64];
  snprintf(text[0], sizeof text[0], "events.%zu.volume_m3", k);
  snprintf(text[1], sizeof text[1], "events.%zu.duration", k);
  declare(s, text[0], &volume);
  declare(s, text[1], &duration);
  snprintf(share, sizeof share, "%.3g", 100 * of->weight);
  sciara_word_numbers(s->language, share);
  sciara_text_append(s->t, "%s%s%s\u00A0%% (", of->name ? of->name : "", of->name ? " " : "", share);
  sciara_word_volume(s->language, volume.low < volume.high ? volume.low : of->volume_m3, text[0], sizeof text[0]);
  sciara_word_volume(s->language, volume.high, text[1], sizeof text[1]);
  sciara_text_append(s->t, volume.low < volume.high ? "%s\u2013%s, " : "%s, ", text[0], text[1]);
  sciara_word_duration(s->language, duration.low < duration.high ? duration.low : of->duration_s, text[0],
                       sizeof text[0]);
  sciara_word_duration(s->language, duration.high, text[1], sizeof text[1]);
  sciara_text_append(s->t, duration.low < duration.high ? "%s\u2013%s)" : "%s)", text[0], text[1]);
}

static void put_events(const struct saying *s) {
  const struct sciara_ensemble *e = &s->r->ensemble;
  for (size_t k = 0; k < e->event_count; k++) {
    if (k == 0)
      put_heading(s, SCIARA_WORD_HAZARD_ASSUMED_EVENTS);
    else
      sciara_text_append(s->t, "; ");
    put_event(s, k);
  }
  if (e->event_count > 0) sciara_text_append(s->t, ". ");
}

/** Whether members begin with the lava of an earlier run. That of a mapped outline has emitted what the vents say. */
static bool begins_earlier(const struct sciara_scenario_spec *base) {
  return base->initial_checkpoint && !base->observed.outline;
}

/** Without classes the eruption of the base; without a list of vents those of the base, unless each member has its own. */
static enum sciara_status put_base(const struct saying *s, const struct sciara_scenario_spec *base) {
  const struct sciara_ensemble *e = &s->r->ensemble;
  struct sciara_emission emission;
  if (e->event_count > 0 || e->method == SCIARA_SAMPLE_TABLE) return SCIARA_OK;
  SCIARA_TRY(sciara_scenario_emission(base, begins_earlier(base) ? e->time_zero_s : 0, &emission));
  sciara_word_emission(s->t, s->language, &emission);
  sciara_text_append(s->t, ". ");
  return SCIARA_OK;
}

/** A sentence about a share of the density of vent openings. */
static void put_share(const struct saying *s, enum sciara_word about, double part) {
  char share[32];
  const char *const pairs[] = {"share", share, NULL};
  snprintf(share, sizeof share, "%.3g", 100 * part);
  sciara_word_numbers(s->language, share);
  sciara_word_fill(s->t, word(s, about), pairs);
  sciara_text_append(s->t, " ");
}

static void put_vents(const struct saying *s) {
  if (s->r->ensemble.vent_count == 0) return;
  put_heading(s, SCIARA_WORD_HAZARD_ASSUMED_VENTS);
  sciara_text_append(s->t, "%zu. ", s->r->ensemble.vent_count);
  const double outside = s->r->ensemble.declared.density_outside;
  if (outside > 0) put_share(s, SCIARA_WORD_HAZARD_OUTSIDE, outside);
}

/** "Eruptions a year: flank 0.02 (0.01–0.04)" */
static void put_rates(const struct saying *s) {
  const struct sciara_ensemble_result *q = &s->r->ensemble.result;
  char line[96];
  for (size_t k = 0; k < q->rate_count; k++) {
    const struct sciara_ensemble_rate *of = &q->rates[k];
    snprintf(line, sizeof line, of->low < of->high ? " %.4g (%.4g\u2013%.4g)" : " %.4g", of->per_year, of->low,
             of->high);
    sciara_word_numbers(s->language, line);
    if (k == 0)
      put_heading(s, SCIARA_WORD_HAZARD_ASSUMED_RATES);
    else
      sciara_text_append(s->t, "; ");
    sciara_text_append(s->t, "%s%s", of->name ? of->name : "", line);
  }
  if (q->rate_count > 0) sciara_text_append(s->t, ". ");
  if (q->rate_count > 0 && q->rate_outside > 0) put_share(s, SCIARA_WORD_HAZARD_RATES_SHARE, 1 - q->rate_outside);
}

// -------------------------------------------------------------------------------------------------------- what varies

/** Begins an item of the list of what varies. */
static void begin_item(const struct saying *s, bool *any) {
  if (*any)
    sciara_text_append(s->t, "; ");
  else
    put_heading(s, SCIARA_WORD_HAZARD_VARIED);
  *any = true;
}

enum { CHOICES_SHOWN = 4 };

/** The different texts of a key, as far as there is room. */
static void put_choices(const struct saying *s, size_t key) {
  const struct sciara_members *m = &s->r->ensemble.members;
  const char *seen[CHOICES_SHOWN];
  size_t count = 0;
  for (size_t i = 0; i < s->r->sample.count && count <= CHOICES_SHOWN; i++) {
    const char *value = m->value[i * m->key_count + key];
    size_t k = 0;
    if (!sciara_sample_counts(&s->r->sample, i) || !*value) continue;
    while (k < count && strcmp(seen[k], value) != 0) k++;
    if (k < count) continue;
    if (count == CHOICES_SHOWN) {
      sciara_text_append(s->t, ", \u2026");
      return;
    }
    seen[count++] = value;
    const bool quoted = value[0] == '"' && value[1];
    const size_t length = strlen(value) - (quoted ? 2 : 0);
    sciara_text_showf(s->t, "%s%.*s", count > 1 ? ", " : "", (int)(length < 40 ? length : 40), value + quoted);
  }
}

/** Keys of members that are no parameters of the model. */
static const struct other_key {
  const char *key;
  enum sciara_word word;
  const char *unit;
} other_keys[] = {
    {"dem.error", SCIARA_WORD_HAZARD_GROUND_ERROR, "m"},
    {"initial.observed.temperature", SCIARA_WORD_HAZARD_OBSERVED_TEMPERATURE, "K"},
    {"initial.observed.volume_m3", SCIARA_WORD_HAZARD_OBSERVED_VOLUME, "m3"},
    {"initial.observed.thickness", SCIARA_WORD_HAZARD_OBSERVED_THICKNESS, "m"},
};

/** A key of members other than those of vents, with the range of its values. */
static void put_key(const struct saying *s, size_t key, bool *any) {
  const struct sciara_members *m = &s->r->ensemble.members;
  const struct sciara_param_info *info = NULL;
  struct range range = {INFINITY, -INFINITY};
  bool numbers = true;
  char name[256];
  if (!sciara_member_key_plain(m->key[key], name, sizeof name) || strncmp(name, "vents", strlen("vents")) == 0) return;
  for (size_t i = 0; i < s->r->sample.count; i++) {
    const char *value = m->value[i * m->key_count + key];
    if (!sciara_sample_counts(&s->r->sample, i) || !*value) continue;
    const double number = number_of(value);
    numbers &= !isnan(number);
    widen(&range, number);
  }
  if (numbers && !(range.low <= range.high)) return;
  if (numbers) declare(s, name, &range);
  const char *text = sciara_word_of_param(s->language, name, &info), *unit = info ? info->unit : "1";
  for (size_t k = 0; k < sizeof other_keys / sizeof *other_keys; k++) {
    if (strcmp(name, other_keys[k].key) != 0) continue;
    text = word(s, other_keys[k].word);
    unit = other_keys[k].unit;
  }
  begin_item(s, any);
  sciara_text_append(s->t, "%s ", text ? text : name);
  if (numbers)
    put_range(s, range, unit);
  else
    put_choices(s, key);
}

static void put_varied(const struct saying *s) {
  struct range scale = drawn_range(s->r, SCIARA_DRAWN_RATE_SCALE, SIZE_MAX);
  bool any = false;
  declare(s, "rate_scale", &scale);
  if (scale.low < scale.high) {
    begin_item(s, &any);
    sciara_text_append(s->t, "%s ", word(s, SCIARA_WORD_HAZARD_RATE_SCALE));
    put_range(s, scale, "1");
  }
  for (size_t k = 0; k < s->r->ensemble.members.key_count; k++) put_key(s, k, &any);
  if (any) sciara_text_append(s->t, ". ");
}

// -------------------------------------------------------------------------------------------------- model, observation

/** "Model: fv3 (thesis-etna-2006). " */
static void put_model(const struct saying *s, const struct sciara_scenario_spec *base) {
  put_heading(s, SCIARA_WORD_HAZARD_ASSUMED_MODEL);
  char rules[SCIARA_RULES_TEXT];
  sciara_text_append(s->t, "%s", sciara_rules_name(s->r->rules, rules));
  if (base->model) {
    sciara_text_append(s->t, " (");
    sciara_word_parameters(s->t, s->language, base->model, &base->params);
    sciara_text_append(s->t, ")");
  }
  sciara_text_append(s->t, ".");
  sciara_word_misfit(s->t, s->language, &base->params, s->r->dem.grid.cell_size);
  sciara_text_append(s->t, " ");
}

static void put_dem(const struct saying *s) {
  const char *name = s->r->ensemble.declared.dem;
  put_heading(s, SCIARA_WORD_DEM);
  sciara_text_append(s->t, "%s%s%" PRId64 "\u00A0\u00D7\u00A0%" PRId64 ".", name ? name : "", name ? ", " : "",
                     s->r->dem.grid.rows, s->r->dem.grid.cols);
}

/** The outline and its time, from the sentence of 'reweight'; false: it has another form. */
static bool find_observed(const char *sentence, char name[128], double *time_s) {
  static const char before[] = "observed at ", between[] = " s (";
  const char *found = strstr(sentence, before);
  size_t length = 0;
  if (!found) return false;
  found += strlen(before);
  *time_s = number_at(found, &length);
  found += length;
  if (isnan(*time_s) || strncmp(found, between, strlen(between)) != 0) return false;
  found += strlen(between);
  const char *end = strrchr(found, ')');
  if (!end) return false;
  snprintf(name, 128, "%.*s", (int)(end - found), found);
  return true;
}

/** How an observed extent has made the weights. */
static void put_observed(const struct saying *s) {
  const struct sciara_ensemble *e = &s->r->ensemble;
  char name[128], time[96];
  double at = 0;
  const char *const pairs[] = {"name", name, "time", time, NULL};
  if (!e->observed) return;
  if (!find_observed(e->observed, name, &at)) {
    sciara_text_append(s->t, " %s", word(s, SCIARA_WORD_HAZARD_OBSERVED));
    return;
  }
  sciara_word_duration(s->language, at, time, sizeof time);
  sciara_append_minute(s->r->start, at, time, sizeof time);
  sciara_text_append(s->t, " ");
  sciara_word_fill(s->t, word(s, SCIARA_WORD_HAZARD_OBSERVED_IN), pairs);
}

enum sciara_word sciara_hazard_years_word(double deposit_m, double years) {
  if (years == 1) return deposit_m > 0 ? SCIARA_WORD_HAZARD_YEAR : SCIARA_WORD_HAZARD_YEAR_REACHED;
  return deposit_m > 0 ? SCIARA_WORD_HAZARD_YEARS : SCIARA_WORD_HAZARD_YEARS_REACHED;
}

enum sciara_word sciara_hazard_condition(const struct sciara_reduction *r, const struct sciara_layer *l) {
  if (l && l->kind == SCIARA_LAYER_YEARS) return SCIARA_WORD_YEARS_CONDITION;
  return r->under_way ? SCIARA_WORD_FORECAST_CONDITION : SCIARA_WORD_HAZARD_CONDITION;
}

const char *sciara_hazard_name(const struct sciara_reduction *r, enum sciara_language language) {
  return r->ensemble.title ? r->ensemble.title
         : !r->under_way   ? sciara_word(language, SCIARA_WORD_HAZARD_TITLE)
         : *r->base_title  ? r->base_title
                           : sciara_word(language, SCIARA_WORD_FORECAST_TITLE);
}

enum sciara_status sciara_hazard_title(const struct sciara_reduction *r, enum sciara_language language,
                                       struct sciara_text *out) {
  const struct sciara_declared *d = &r->ensemble.declared;
  return sciara_word_title(out, language, sciara_hazard_name(r, language), d->edits, d->edit_count);
}

/** "Start: 2026-11-27 22:00 UTC", of the eruption that is under way. */
static void put_start(const struct saying *s, const struct sciara_scenario_spec *base) {
  char date[SCIARA_MINUTE_SIZE];
  if (!s->r->under_way || !sciara_minute_after(base->start, 0, date)) return;
  sciara_text_append(s->t, " ");
  put_heading(s, SCIARA_WORD_START);
  sciara_text_append(s->t, "%s.", date);
}

enum sciara_status sciara_hazard_assumed(const struct sciara_reduction *r, enum sciara_language language,
                                         struct sciara_text *out) {
  const struct saying s = {r, language, out};
  const struct sciara_scenario_spec *base = sciara_scenario_base_values(r->ensemble.scenario);
  put_events(&s);
  const enum sciara_status status = put_base(&s, base);
  put_vents(&s);
  put_rates(&s);
  put_varied(&s);
  put_model(&s, base);
  put_dem(&s);
  put_start(&s, base);
  if (base->observed.outline) {
    sciara_text_append(out, " ");
    sciara_word_begin_observed(out, language, base->observed.outline,
                               fmax(base->observed.time_s, base->initial_checkpoint ? r->ensemble.time_zero_s : 0),
                               base->start);
  } else if (begins_earlier(base)) {
    sciara_text_append(out, " ");
    sciara_word_begin_earlier(out, language, r->ensemble.time_zero_s);
  }
  put_observed(&s);
  const struct sciara_declared *d = &r->ensemble.declared; // of earlier versions: the edits at simulated times alone
  sciara_word_edits(out, language, d->edits ? d->edits : base->dem.edits,
                    d->edits ? d->edit_count : base->dem.edit_count, base->start, NULL, NULL);
  return status == SCIARA_OK ? out->failed : status;
}
