// SPDX-License-Identifier: Apache-2.0
// What varies from member to member: keys, their distributions, and correlations between them.
#include "plan/ensemble_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/detmath.h"
#include "base/log.h"
#include "base/mem.h"
#include "ensemble/members.h"
#include "model/random.h"

/** One entry of "vary" that is being read. */
struct work {
  const struct sciara_ensemble_reading *r;
  const cJSON *entry;
  size_t index;
  const struct sciara_event_spec *events;
  size_t event_count;
  bool vents_given;
  struct sciara_scenario_key range; ///< of the key
};

static enum sciara_status refuse(const struct work *w, const char *name, const char *found, const char *allowed) {
  return sciara_ensemble_refuse(w->r, "vary", w->index, name, found, allowed);
}

// --------------------------------------------------------------------------------------------------------------- key

/** "events.0.volume_m3" and "events.0.duration". */
static enum sciara_status find_event(struct work *w, const char *key, struct sciara_vary_spec *v) {
  char *end = NULL;
  const char *number = key + strlen("events.");
  const unsigned long index = *number >= '0' && *number <= '9' ? strtoul(number, &end, 10) : 0;
  const bool volume = end && strcmp(end, ".volume_m3") == 0, duration = end && strcmp(end, ".duration") == 0;
  char allowed[96];
  snprintf(allowed, sizeof allowed, "events.0.volume_m3 or events.0.duration, events counted from 0 to %zu",
           w->event_count ? w->event_count - 1 : 0);
  if ((!volume && !duration) || index >= w->event_count) return refuse(w, "key", key, allowed);
  if (!w->events[index].by_volume)
    return refuse(w, "key", "an event with rates", "an event that has volume_m3 and duration");
  v->target = volume ? SCIARA_VARY_VOLUME : SCIARA_VARY_DURATION;
  v->event = index;
  w->range = (struct sciara_scenario_key){
      .path = key, .type = SCIARA_KEY_NUMBER, .high = 1e12, .unit = volume ? "m3" : "s", .description = ""};
  return SCIARA_OK;
}

/** Keys of a vent that the plan itself sets. */
static bool is_planned(const struct work *w, const char *path) {
  static const char *const places[] = {"x", "y", "lon", "lat", "row", "col", "line"};
  if (strcmp(path, "vents") == 0) return true;
  if (strncmp(path, "vents[].effusion", strlen("vents[].effusion")) == 0) return true;
  for (size_t k = 0; w->vents_given && k < sizeof places / sizeof *places; k++)
    if (strncmp(path, "vents[].", strlen("vents[].")) == 0 && strcmp(path + strlen("vents[]."), places[k]) == 0)
      return true;
  return false;
}

static enum sciara_status find_key(struct work *w, struct sciara_vary_spec *v) {
  const char *key = v->key;
  const struct sciara_scenario_key *entry = NULL;
  if (strcmp(key, "rate_scale") == 0) {
    v->target = SCIARA_VARY_RATE;
    w->range =
        (struct sciara_scenario_key){.path = "rate_scale", .type = SCIARA_KEY_NUMBER, .low_allowed = true, .high = 1e6};
    return SCIARA_OK;
  }
  if (strncmp(key, "events.", strlen("events.")) == 0) return find_event(w, key, v);
  if (strcmp(key, "elevation_error") == 0) {
    v->target = SCIARA_VARY_GROUND;
    w->range = (struct sciara_scenario_key){
        .path = "elevation_error", .type = SCIARA_KEY_NUMBER, .low_allowed = true, .high = 1000, .unit = "m"};
    return SCIARA_OK;
  }
  SCIARA_TRY(sciara_fail_context(sciara_member_key_check(key, &entry), "%s: vary[%zu].key", w->r->file, w->index));
  if (is_planned(w, entry->path)) return refuse(w, "key", key, "a key that vents, events and rate_scale do not set");
  v->target = SCIARA_VARY_KEY;
  w->range = *entry;
  w->range.dated = false; // members differ by numbers
  if (w->range.type == SCIARA_KEY_LAYER) w->range.type = SCIARA_KEY_NUMBER;
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------ distributions

/** The number at a share of the whole distribution. */
static double number_at(const struct sciara_vary_spec *v, double u) {
  switch (v->kind) {
    case SCIARA_DIST_LOG_UNIFORM: return sciara_exp(sciara_ln(v->a) + u * (sciara_ln(v->b) - sciara_ln(v->a)));
    case SCIARA_DIST_NORMAL: return v->a + v->b * sciara_normal_quantile(u);
    case SCIARA_DIST_LOGNORMAL: return v->a * sciara_exp(v->b * sciara_normal_quantile(u));
    case SCIARA_DIST_UNIFORM:
    case SCIARA_DIST_VALUES: break;
  }
  return v->a + u * (v->b - v->a);
}

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/** The share of the distribution below a number. */
static double share_below(const struct sciara_vary_spec *v, double x) {
  switch (v->kind) {
    case SCIARA_DIST_LOG_UNIFORM:
      return x > 0 ? clamp((sciara_ln(x) - sciara_ln(v->a)) / (sciara_ln(v->b) - sciara_ln(v->a)), 0, 1) : 0;
    case SCIARA_DIST_NORMAL: return sciara_normal_probability((x - v->a) / v->b);
    case SCIARA_DIST_LOGNORMAL: return x > 0 ? sciara_normal_probability(sciara_ln(x / v->a) / v->b) : 0;
    case SCIARA_DIST_UNIFORM:
    case SCIARA_DIST_VALUES: break;
  }
  return clamp((x - v->a) / (v->b - v->a), 0, 1);
}

static double vary_number(const struct sciara_vary_spec *v, double u) {
  double share = v->from + u * (v->to - v->from);
  if (v->kind == SCIARA_DIST_NORMAL || v->kind == SCIARA_DIST_LOGNORMAL) share = clamp(share, 0x1p-53, 1 - 0x1p-53);
  const double x = clamp(number_at(v, share), v->low, v->high); // the ends are found to the spacing of shares only
  return x > v->low || v->low_allowed ? x : nextafter(v->low, v->high);
}

double sciara_variation_number(const struct sciara_variation *v, size_t k, const double *u) {
  const struct sciara_vary_spec *s = &v->vary[k];
  const double drawn = vary_number(s, u[s->rank]);
  return s->multiplies ? drawn * sciara_variation_number(v, s->base, u) : drawn; // `base` lies before k
}

// ------------------------------------------------------------------------------------------------------------ reading

static enum sciara_status read_values(struct work *w, struct sciara_vary_spec *v) {
  const cJSON *values = sciara_json_get(w->entry, "values"), *weights = sciara_json_get(w->entry, "weights"), *item;
  const size_t count = (size_t)cJSON_GetArraySize(values);
  char found[128], allowed[1024];
  double sum = 0;
  if (weights && (size_t)cJSON_GetArraySize(weights) != count)
    return refuse(w, "weights", "another number of them", "one weight for each value");
  SCIARA_TRY(SCIARA_NEW(v->value, count, "the values of a key"));
  SCIARA_TRY(SCIARA_NEW(v->share, count, "the values of a key"));
  cJSON_ArrayForEach(item, values) {
    const size_t k = v->count++;
    if (!sciara_scenario_passes(&w->range, item)) {
      sciara_json_describe(item, found, sizeof found);
      sciara_scenario_key_allowed(&w->range, allowed, sizeof allowed);
      sciara_diagnostics_add(w->r->diagnostics, refuse(w, "values", found, allowed));
    }
    SCIARA_TRY(sciara_json_text(item, &v->value[k]));
    v->share[k] = weights ? cJSON_GetArrayItem(weights, (int)k)->valuedouble : 1;
    sum += v->share[k];
  }
  if (!(sum > 0 && sum <= 1e300))
    return refuse(w, "weights", "weights without it", "weights with a finite sum above 0");
  for (size_t k = 0; k < count; k++) v->share[k] /= sum;
  return SCIARA_OK;
}

static void take_interval(const cJSON *interval, double *low, double *high) {
  *low = interval->child->valuedouble;
  *high = interval->child->next->valuedouble;
}

static void take_parameters(const struct work *w, struct sciara_vary_spec *v) {
  for (int k = SCIARA_DIST_UNIFORM; k <= SCIARA_DIST_LOGNORMAL; k++) {
    const cJSON *value = sciara_json_get(w->entry, sciara_distribution_name((enum sciara_distribution)k));
    if (!value) continue;
    v->kind = (enum sciara_distribution)k;
    if (k == SCIARA_DIST_NORMAL) {
      v->a = sciara_json_double(value, "mean", 0);
      v->b = sciara_json_double(value, "sd", 0);
    } else if (k == SCIARA_DIST_LOGNORMAL) {
      v->a = sciara_json_double(value, "median", 0);
      v->b = sciara_json_double(value, "sd_log", 0);
    } else {
      take_interval(value, &v->a, &v->b);
    }
  }
}

/** Says how much of a distribution is not used; `range` is that of the key. */
static void report_cut_range(const struct work *w, const struct sciara_vary_spec *v, bool truncated,
                             const char *range) {
  const double cut = 1 - (v->to - v->from);
  char used[160];
  if (!(cut > 1e-6)) return;
  if (truncated)
    snprintf(used, sizeof used, "%.10g to %.10g (truncate, and the range of the key)", v->low, v->high);
  else
    snprintf(used, sizeof used, "the range of the key (%s)", range);
  sciara_log(SCIARA_LOG_INFO, "%s: vary[%zu] (%s): %.3g %% of the distribution lies outside %s and is cut off",
             w->r->file, w->index, v->key, 100 * cut, used);
}

/** The part of a continuous distribution inside the range of the key and "truncate". */
static enum sciara_status truncate_range(const struct work *w, struct sciara_vary_spec *v) {
  const struct sciara_scenario_key *range = &w->range;
  const cJSON *truncate = sciara_json_get(w->entry, "truncate");
  const bool ranged = range->low < range->high;
  char found[96], allowed[96];
  v->low = ranged ? range->low : -1e300;
  v->high = ranged ? range->high : 1e300;
  v->low_allowed = range->low_allowed;
  if (truncate) {
    double low, high;
    take_interval(truncate, &low, &high);
    if (low > v->low) v->low = low, v->low_allowed = true;
    if (high < v->high) v->high = high;
  }
  v->from = share_below(v, v->low);
  v->to = share_below(v, v->high);
  sciara_scenario_key_range(range, allowed, sizeof allowed);
  if (!(v->low < v->high) || !(v->to - v->from >= 1e-9)) {
    snprintf(found, sizeof found, "a fraction of %.3g of the distribution there", fmax(0, v->to - v->from));
    return refuse(w, truncate ? "truncate" : NULL, found,
                  *allowed && !truncate ? allowed
                                        : "an interval in which the distribution has a probability of 1e-9 or more");
  }
  report_cut_range(w, v, truncate, allowed);
  return SCIARA_OK;
}

/** "correlation_m" belongs to errors of altitudes alone. */
static enum sciara_status take_correlation_length(const struct work *w, struct sciara_vary_spec *v) {
  const cJSON *length = sciara_json_get(w->entry, "correlation_m");
  if (v->target != SCIARA_VARY_GROUND && length)
    return refuse(w, "correlation_m", "it with another key", "it only with the key elevation_error");
  if (v->target != SCIARA_VARY_GROUND) return SCIARA_OK;
  if (!length)
    return refuse(w, "correlation_m", "nothing",
                  "the distance in m at which the correlation of two errors is 1/e; 0: independent errors");
  v->correlation_m = length->valuedouble;
  return SCIARA_OK;
}

static enum sciara_status read_entry(struct work *w, struct sciara_vary_spec *v) {
  SCIARA_TRY(sciara_copy(sciara_json_get(w->entry, "key")->valuestring, "what varies", &v->key));
  SCIARA_TRY(find_key(w, v));
  if (!sciara_member_key_plain(v->key, v->name, sizeof v->name))
    return refuse(w, "key", "a longer one", "a key of at most 255 bytes");
  SCIARA_TRY(take_correlation_length(w, v));
  if (sciara_json_get(w->entry, "values")) {
    v->kind = SCIARA_DIST_VALUES;
    if (sciara_json_get(w->entry, "truncate"))
      return refuse(w, "truncate", "values", "it only with a distribution of numbers");
    return read_values(w, v);
  }
  if (w->range.type != SCIARA_KEY_NUMBER && w->range.type != SCIARA_KEY_DURATION) {
    char allowed[1024];
    sciara_scenario_key_allowed(&w->range, allowed, sizeof allowed);
    return refuse(w, NULL, "a distribution of numbers", "values for this key, each of which is what it allows");
  }
  take_parameters(w, v);
  return truncate_range(w, v);
}

static size_t find_varied(const struct sciara_variation *v, const char *key) {
  for (size_t k = 0; k < v->count; k++)
    if (v->vary[k].key && sciara_member_key_same(v->vary[k].key, key)) return k;
  return SIZE_MAX;
}

// -------------------------------------------------------------------------------------------------------------- prior

bool sciara_variation_is_of_prior(const struct sciara_variation *v, size_t k) {
  return v->prior && k >= v->prior_first && k < v->prior_first + sciara_prior_margins(v->prior);
}

static size_t find_margin(const struct sciara_prior *p, const char *key) {
  size_t k = 0;
  while (strcmp(p->margin[k].key, key) != 0) k++; // there is one: unit.params
  return k;
}

/** Adds the keys of a prior, for which there is room. */
static enum sciara_status add_prior(const struct sciara_prior *p, size_t entry, struct sciara_variation *out) {
  out->prior = p;
  out->prior_first = out->count;
  for (size_t k = 0; k < sciara_prior_margins(p); k++) {
    const struct sciara_prior_margin *m = &p->margin[k];
    const bool ends = m->kind == SCIARA_DIST_UNIFORM || m->kind == SCIARA_DIST_LOG_UNIFORM;
    struct sciara_vary_spec *v = &out->vary[out->count++];
    *v = (struct sciara_vary_spec){.key = sciara_format("model.%s", m->key),
                                   .entry = entry,
                                   .target = SCIARA_VARY_KEY,
                                   .multiplies = m->times != NULL,
                                   .base = m->times ? out->prior_first + find_margin(p, m->times) : 0,
                                   .kind = m->kind,
                                   .a = ends ? m->low : m->middle,
                                   .b = ends ? m->high : m->spread,
                                   .low = m->low,
                                   .high = m->high,
                                   .low_allowed = true};
    if (!v->key) return sciara_no_memory("what varies");
    sciara_member_key_plain(v->key, v->name, sizeof v->name);
    v->from = share_below(v, v->low);
    v->to = share_below(v, v->high);
  }
  return SCIARA_OK;
}

/** Only its own keys may be there. */
static enum sciara_status read_prior(const struct work *w, const char *name, struct sciara_variation *out) {
  if (sciara_json_get(w->entry, "key")) return refuse(w, "key", "it together with prior", "one of the two");
  if (out->prior) return refuse(w, "prior", "a second one", "one prior");
  return add_prior(sciara_prior_find(name), w->index, out);
}

enum { SETS_COLUMNS = 16 };

/** A column of a table of sets; `at` is its number, or that of what was drawn. */
static enum sciara_status add_varied_column(struct work *w, const struct sciara_members *m, const char *key, bool drawn,
                                            size_t at, struct sciara_vary_spec *v) {
  double sum = 0;
  char number[40];
  *v = (struct sciara_vary_spec){.entry = w->index, .of_sets = true, .kind = SCIARA_DIST_VALUES};
  SCIARA_TRY(sciara_copy(key, "what varies", &v->key));
  SCIARA_TRY(find_key(w, v));
  if (!sciara_member_key_plain(v->key, v->name, sizeof v->name))
    return refuse(w, "sets", "a longer key", "a key of at most 255 bytes");
  SCIARA_TRY(SCIARA_NEW(v->value, m->count, "the values of a key"));
  SCIARA_TRY(SCIARA_NEW(v->share, m->count, "the values of a key"));
  for (size_t k = 0; k < m->count; k++) sum += m->weight[k];
  for (size_t k = 0; k < m->count; k++) {
    const char *value = drawn ? number : m->value[k * m->key_count + at];
    if (drawn) sciara_json_number(m->drawn[at][k], number, sizeof number);
    if (!*value || (drawn && isnan(m->drawn[at][k]))) return refuse(w, "sets", "a set without a value", key);
    SCIARA_TRY(sciara_copy(value, "a value", &v->value[v->count++]));
    v->share[k] = m->weight[k] / sum;
  }
  return SCIARA_OK;
}

static enum sciara_status add_columns(struct work *w, const struct sciara_members *m, struct sciara_variation *out) {
  const bool scaled = sciara_members_have_drawn(m, SCIARA_DRAWN_RATE_SCALE);
  if (sciara_members_have_drawn(m, SCIARA_DRAWN_RATE_SHAPE))
    return refuse(w, "sets", SCIARA_RATE_SHAPE, "sets without it");
  if (m->key_count + scaled > SETS_COLUMNS) return refuse(w, "sets", "more keys", "sets of at most 16 keys");
  for (size_t k = 0; k < m->key_count; k++)
    SCIARA_TRY(add_varied_column(w, m, m->key[k], false, k, &out->vary[out->count++]));
  return scaled ? add_varied_column(w, m, SCIARA_RATE_SCALE, true, SCIARA_DRAWN_RATE_SCALE, &out->vary[out->count++])
                : SCIARA_OK;
}

/** Sets of values for several keys, one of which a member takes whole: the rows of a table of members, with their weights. */
static enum sciara_status read_sets(struct work *w, const cJSON *sets, struct sciara_variation *out) {
  struct sciara_members m = {0};
  char *path = NULL;
  if (sciara_json_get(w->entry, "key")) return refuse(w, "key", "it together with sets", "one of the two");
  for (size_t k = 0; k < out->count; k++)
    if (out->vary[k].of_sets) return refuse(w, "sets", "a second table", "one table of sets");
  SCIARA_TRY(sciara_ensemble_path(w->r, sets, &path));
  enum sciara_status status = sciara_members_read_table(path, &m);
  if (status == SCIARA_OK) status = add_columns(w, &m, out);
  sciara_members_free(&m);
  free(path);
  return status;
}

/** A key that entries before have, too, is refused; the keys of a prior begin at `first`. */
static enum sciara_status check_new(const struct work *w, const struct sciara_variation *v, size_t first) {
  char found[SCIARA_VARY_NAME + 64], allowed[96];
  for (size_t k = first; k < v->count; k++) {
    const char *key = v->vary[k].key;
    const size_t before = key ? find_varied(v, key) : k;
    if (before == k) continue;
    if (sciara_variation_is_of_prior(v, k)) {
      snprintf(found, sizeof found, "\"%s\", which has %s", v->prior->name, key);
      return refuse(w, "prior", found, "each key once");
    }
    snprintf(allowed, sizeof allowed, "each key once; prior \"%s\" has it", v->prior ? v->prior->name : "");
    return refuse(w, "key", key, sciara_variation_is_of_prior(v, before) ? allowed : "each key once");
  }
  return SCIARA_OK;
}

// -------------------------------------------------------------------------------------------------------- correlation

static enum sciara_status place_pair(const struct sciara_ensemble_reading *r, const struct sciara_variation *v,
                                     const cJSON *pair, size_t index, double *matrix) {
  static const char *const names[] = {"first", "second"};
  size_t at[2];
  for (int k = 0; k < 2; k++) {
    const char *key = sciara_json_get(pair, names[k])->valuestring;
    at[k] = find_varied(v, key);
    if (at[k] == SIZE_MAX) return sciara_ensemble_refuse(r, "correlation", index, names[k], key, "a key of vary");
    if (v->vary[at[k]].kind == SCIARA_DIST_VALUES)
      return sciara_ensemble_refuse(r, "correlation", index, names[k], "a key with values",
                                    "a key with a distribution of numbers");
    if (v->vary[at[k]].multiplies)
      return sciara_ensemble_refuse(r, "correlation", index, names[k], key, "a key that is no multiple of another one");
  }
  if (at[0] == at[1]) return sciara_ensemble_refuse(r, "correlation", index, "second", "the same key", "another key");
  for (int k = 0; k < 2; k++) at[k] = v->vary[at[k]].rank;
  if (matrix[at[0] * v->count + at[1]] != 0)
    return sciara_ensemble_refuse(r, "correlation", index, NULL, "a pair given twice", "each pair once");
  matrix[at[0] * v->count + at[1]] = matrix[at[1] * v->count + at[0]] = sciara_json_double(pair, "coefficient", 0);
  return SCIARA_OK;
}

/**
 * Replaces a symmetric matrix by its lower Cholesky factor, with 0 on the diagonal for a key that the keys before it
 * determine; false if it is not positive semidefinite.
 */
static bool factorise(double *m, size_t n) {
  const double rounding = 1e-12, slack = 1e-9; ///< of a variance, and of a covariance with what has none
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      const double pivot = m[j * n + j];
      double sum = m[i * n + j];
      for (size_t k = 0; k < j; k++) sum -= m[i * n + k] * m[j * n + k];
      if (i == j ? sum < -rounding : !(pivot > 0) && fabs(sum) > slack) return false;
      if (i == j)
        m[i * n + j] = sum > rounding ? sciara_sqrt(sum) : 0;
      else
        m[i * n + j] = pivot > 0 ? sum / pivot : 0;
    }
  return true;
}

/** The correlations of the prior alone, if there is one: a matrix. */
static enum sciara_status correlate_prior(struct sciara_variation *v) {
  const struct sciara_prior *p = v->prior;
  SCIARA_TRY(SCIARA_NEW(v->lower, v->count * v->count + 1, "correlations"));
  for (size_t k = 0; k < v->count; k++) v->lower[k * v->count + k] = 1;
  for (size_t k = 0; p && k < sciara_prior_pairs(p); k++) {
    const size_t a = v->vary[v->prior_first + find_margin(p, p->pair[k].first)].rank,
                 b = v->vary[v->prior_first + find_margin(p, p->pair[k].second)].rank;
    v->lower[a * v->count + b] = v->lower[b * v->count + a] = p->pair[k].coefficient;
  }
  return SCIARA_OK;
}

static enum sciara_status read_correlation(const struct sciara_ensemble_reading *r, const cJSON *correlation,
                                           struct sciara_variation *v) {
  const size_t before = r->diagnostics->count;
  const cJSON *pair;
  size_t index = 0;
  if (cJSON_GetArraySize(correlation) == 0 && !(v->prior && sciara_prior_pairs(v->prior) > 0)) return SCIARA_OK;
  SCIARA_TRY(correlate_prior(v));
  double *matrix = v->lower;
  cJSON_ArrayForEach(pair, correlation) sciara_diagnostics_add(r->diagnostics, place_pair(r, v, pair, index++, matrix));
  if (r->diagnostics->count > before || factorise(matrix, v->count)) return SCIARA_OK;
  return sciara_ensemble_refuse(r, "correlation", SCIARA_NO_INDEX, NULL, "coefficients that contradict each other",
                                "coefficients that can hold together (a positive semidefinite matrix)");
}

/** Random numbers belong to names: neither the order of the keys nor how they are written changes them. */
static void rank_keys(struct sciara_variation *v) {
  for (size_t k = 0; k < v->count; k++)
    for (size_t n = 0; n < v->count; n++) {
      const int order = strcmp(v->vary[n].name, v->vary[k].name);
      v->vary[k].rank += order < 0 || (order == 0 && n < k); // a key given twice is a problem of its own
    }
  for (size_t k = 1; k < v->count; k++)
    if (v->vary[k].of_sets && v->vary[k - 1].of_sets) v->vary[k].rank = v->vary[k - 1].rank;
}

void sciara_variation_read(const struct sciara_ensemble_reading *r, const cJSON *vary, const cJSON *correlation,
                           const struct sciara_event_spec *events, size_t event_count, bool vents_given,
                           struct sciara_variation *out) {
  struct work w = {.r = r, .events = events, .event_count = event_count, .vents_given = vents_given};
  *out = (struct sciara_variation){0};
  const enum sciara_status status =
      SCIARA_NEW(out->vary, (size_t)cJSON_GetArraySize(vary) + SCIARA_PRIOR_MARGINS + SETS_COLUMNS, "what varies");
  sciara_diagnostics_add(r->diagnostics, status);
  if (status != SCIARA_OK) return;
  cJSON_ArrayForEach(w.entry, vary) {
    const cJSON *prior = sciara_json_get(w.entry, "prior"), *sets = sciara_json_get(w.entry, "sets");
    const size_t first = out->count;
    if (!prior && !sets) out->vary[out->count++].entry = w.index;
    sciara_diagnostics_add(r->diagnostics, prior  ? read_prior(&w, prior->valuestring, out)
                                           : sets ? read_sets(&w, sets, out)
                                                  : read_entry(&w, &out->vary[first]));
    sciara_diagnostics_add(r->diagnostics, check_new(&w, out, first));
    w.index++;
  }
  rank_keys(out);
  sciara_diagnostics_add(r->diagnostics, read_correlation(r, correlation, out));
}

enum sciara_status sciara_variation_of_prior(const struct sciara_prior *prior, struct sciara_variation *out) {
  *out = (struct sciara_variation){0};
  SCIARA_TRY(SCIARA_NEW(out->vary, SCIARA_PRIOR_MARGINS, "a prior"));
  SCIARA_TRY(add_prior(prior, 0, out));
  rank_keys(out);
  SCIARA_TRY(correlate_prior(out));
  if (factorise(out->lower, out->count)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INTERNAL, "prior \"%s\": correlations that contradict each other", prior->name);
}

void sciara_variation_correlate(const struct sciara_variation *v, double *u) {
  const size_t n = v->count;
  double z[64];
  if (!v->lower) return;
  for (size_t i = 0; i < n; i++) z[i] = sciara_normal_quantile(u[i]);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    bool mixed = false;
    for (size_t j = 0; j < i; j++) {
      sum += v->lower[i * n + j] * z[j];
      mixed |= v->lower[i * n + j] != 0;
    }
    if (mixed) u[i] = sciara_normal_probability(sum + v->lower[i * n + i] * z[i]);
  }
}

void sciara_variation_free(struct sciara_variation *v) {
  for (size_t k = 0; k < v->count; k++) {
    free(v->vary[k].key);
    for (size_t n = 0; n < v->vary[k].count; n++) free(v->vary[k].value[n]);
    sciara_free(v->vary[k].value);
    sciara_free(v->vary[k].share);
  }
  sciara_free(v->vary);
  sciara_free(v->lower);
  *v = (struct sciara_variation){0};
}
