// SPDX-License-Identifier: Apache-2.0
// The maps of an ensemble: their names, units and meanings, in one table made of what the ensemble file asks for; and their
// values in a cell.
#include "hazard/hazard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

// ------------------------------------------------------------------------------------------------ the list of the maps

const struct sciara_quantiles sciara_quantiles[SCIARA_QUANTILES] = {
#define SCIARA_FOOTPRINT_QUANTILES(NAME, WORD, map, label, long_name) \
  {SCIARA_FOOTPRINT_VALUE_##NAME, SCIARA_WORD_##WORD, map, label, long_name},
#include "member/footprint.def"
};

const double sciara_front_shares[SCIARA_FRONTS] = {0.05, 0.5};

bool sciara_layer_is_probability(const struct sciara_layer *l) {
  return strcmp(l->unit, "1") == 0 && l->kind != SCIARA_LAYER_HITS;
}

bool sciara_layer_is_of_hits(const struct sciara_layer *layer) {
  return layer->kind == SCIARA_LAYER_QUANTILE || layer->kind == SCIARA_LAYER_MEAN;
}

double sciara_layer_until(const struct sciara_ensemble_result *result, const struct sciara_layer *layer) {
  return layer->kind == SCIARA_LAYER_REACHED ? result->within_s[layer->index] : INFINITY;
}

void sciara_layer_deposit(double metres, char *buffer, size_t capacity) { snprintf(buffer, capacity, "%.9gm", metres); }

void sciara_layer_quantile(double q, char *buffer, size_t capacity) { snprintf(buffer, capacity, "q%02.9g", 100 * q); }

/** A table that grows, and which parts a probability has. */
struct builder {
  struct sciara_layers *out;
  bool bounds, errors;
  bool grid; ///< its difference stands for errors
};

static struct sciara_layer *add(struct builder *b, enum sciara_layer_kind kind, size_t index, const char *unit) {
  struct sciara_layer *l = &b->out->layer[b->out->count++];
  *l = (struct sciara_layer){.kind = kind, .index = index, .unit = unit};
  return l;
}

/** A probability with its bounds and its error. */
static void add_parts(struct builder *b, struct sciara_layer value) {
  static const char *const suffix[] = {"", "_low", "_high", "_error"};
  static const char *const meaning[] = {"", ", lower bound (open members miss)", ", upper bound (open members hit)",
                                        ", error"};
  for (int part = SCIARA_PART_VALUE; part <= SCIARA_PART_ERROR; part++) {
    if ((part == SCIARA_PART_LOW || part == SCIARA_PART_HIGH) && !b->bounds) continue;
    if (part == SCIARA_PART_ERROR && (!b->errors || value.kind == SCIARA_LAYER_YEARS)) continue;
    struct sciara_layer *l = add(b, value.kind, value.index, "1");
    const bool rate = value.kind == SCIARA_LAYER_YEARS && part != SCIARA_PART_VALUE;
    l->part = (enum sciara_layer_part)part;
    l->second = value.second;
    snprintf(l->name, sizeof l->name, "%.80s%s", value.name, suffix[part]);
    if (part == SCIARA_PART_ERROR && b->grid)
      snprintf(l->long_name, sizeof l->long_name, "%.110s, grid difference (no standard error)", value.long_name);
    else
      snprintf(l->long_name, sizeof l->long_name, "%.110s%s", value.long_name,
               rate ? part == SCIARA_PART_LOW ? ", lower bound (lowest rate, open members miss)"
                                              : ", upper bound (highest rate, open members hit)"
                    : meaning[part]);
  }
}

static void add_probabilities(struct builder *b, const struct sciara_ensemble_result *r) {
  char text[48];
  for (size_t k = 0; k < r->deposit_count; k++) {
    struct sciara_layer l = {.kind = SCIARA_LAYER_PROBABILITY, .index = k};
    sciara_layer_deposit(r->deposit_m[k], text, sizeof text);
    snprintf(l.name, sizeof l.name, "probability_%s", text);
    if (r->deposit_m[k] == 0)
      snprintf(l.long_name, sizeof l.long_name, "probability that lava arrives");
    else
      snprintf(l.long_name, sizeof l.long_name, "probability of a max deposit above %.9g m", r->deposit_m[k]);
    add_parts(b, l);
  }
  for (size_t k = 0; k < r->within_count; k++) {
    struct sciara_layer l = {.kind = SCIARA_LAYER_REACHED, .index = k};
    sciara_print_time_name(r->within_s[k], text, sizeof text);
    snprintf(l.name, sizeof l.name, "reached_within_%s", text);
    snprintf(l.long_name, sizeof l.long_name, "probability that lava arrives within %s",
             SCIARA_DURATION(r->within_s[k]));
    add_parts(b, l);
  }
}

static void add_layer_years(struct builder *b, const struct sciara_ensemble_result *r) {
  const bool bounds = b->bounds;
  b->bounds = true; // at least those of the rate
  for (size_t y = 0; y < r->year_count && r->rate_count > 0; y++)
    for (size_t k = 0; k < r->deposit_count; k++) {
      struct sciara_layer l = {.kind = SCIARA_LAYER_YEARS, .index = k, .second = y};
      char text[32], time[32];
      sciara_layer_deposit(r->deposit_m[k], text, sizeof text);
      snprintf(time, sizeof time, "%.9gyears", r->years[y]);
      snprintf(l.name, sizeof l.name, "probability_%s_%s", time, text);
      const char *years = r->years[y] == 1 ? "year" : "years";
      if (r->deposit_m[k] == 0)
        snprintf(l.long_name, sizeof l.long_name, "probability that lava arrives within %.9g %s", r->years[y], years);
      else
        snprintf(l.long_name, sizeof l.long_name, "probability of a max deposit above %.9g m in %.9g %s",
                 r->deposit_m[k], r->years[y], years);
      add_parts(b, l);
    }
  b->bounds = bounds;
}

static void add_quantiles(struct builder *b, const struct sciara_ensemble_result *r) {
  for (const struct sciara_quantiles *q = sciara_quantiles; q < sciara_quantiles + SCIARA_QUANTILES; q++)
    for (size_t k = 0; k < r->quantile_count; k++) {
      struct sciara_layer *l = add(b, SCIARA_LAYER_QUANTILE, k, sciara_footprint_values[q->value].unit);
      char text[32];
      l->value = q->value;
      l->word = q->word;
      sciara_layer_quantile(r->quantiles[k], text, sizeof text);
      snprintf(l->name, sizeof l->name, "%s_%s", q->name, text);
      snprintf(l->long_name, sizeof l->long_name, "%s: %.9g %% of the eruptions that reach the cell have less",
               q->long_name, 100 * r->quantiles[k]);
    }
}

/** A map without parameters. */
static void add_plain(struct builder *b, struct sciara_layer of, const char *unit, const char *name,
                      const char *long_name) {
  struct sciara_layer *l = add(b, of.kind, 0, unit);
  l->value = of.value;
  l->word = of.word;
  snprintf(l->name, sizeof l->name, "%s", name);
  snprintf(l->long_name, sizeof l->long_name, "%s", long_name);
}

enum {
  OTHERS = SCIARA_FRONTS + 1
#define SCIARA_FOOTPRINT_MAP(...) +1
#include "member/footprint.def"
};

static void add_others(struct builder *b) {
#define SCIARA_FOOTPRINT_MAP(NAME, REDUCTION, WORD, map, long_name)                                                    \
  add_plain(b,                                                                                                         \
            (struct sciara_layer){                                                                                     \
                .kind = SCIARA_LAYER_##REDUCTION, .value = SCIARA_FOOTPRINT_VALUE_##NAME, .word = SCIARA_WORD_##WORD}, \
            sciara_footprint_values[SCIARA_FOOTPRINT_VALUE_##NAME].unit, map, long_name);
#include "member/footprint.def"
  add_plain(b, (struct sciara_layer){.kind = SCIARA_LAYER_HITS}, "1", "hits", "number of members that reach the cell");
  for (size_t k = 0; k < SCIARA_FRONTS; k++) {
    struct sciara_layer *l = add(b, SCIARA_LAYER_FRONT, k, "s");
    snprintf(l->name, sizeof l->name, "front_%02.9g", 100 * sciara_front_shares[k]);
    snprintf(l->long_name, sizeof l->long_name, "time by which the probability of arrival is %.9g %%",
             100 * sciara_front_shares[k]);
  }
}

enum sciara_status sciara_layers_make(const struct sciara_ensemble_result *result, const struct sciara_sample *sample,
                                      struct sciara_layers *out) {
  enum { PARTS = 4 };
  struct builder b = {.out = out,
                      .bounds = sample->open > 0 || sample->censored > 0,
                      .errors = sample->has_error,
                      .grid = sample->kind == SCIARA_ERROR_GRID};
  const size_t most = PARTS * (result->deposit_count * (1 + result->year_count) + result->within_count) +
                      SCIARA_QUANTILES * result->quantile_count + OTHERS;
  *out = (struct sciara_layers){0};
  SCIARA_TRY(SCIARA_NEW(out->layer, most, "the list of the maps"));
  add_probabilities(&b, result);
  add_layer_years(&b, result);
  add_quantiles(&b, result);
  add_others(&b);
  return SCIARA_OK;
}

// ----------------------------------------------------------------------------------------------------------- the rule

void sciara_hazard_rule_free(struct sciara_hazard_rule *r) {
  sciara_free(r->within);
  sciara_free(r->rate);
  sciara_free(r->rate_low);
  sciara_free(r->rate_high);
  *r = (struct sciara_hazard_rule){0};
}

static bool is_in(const uint8_t *zone, size_t member) { return !zone || zone[member]; }

/** What the members of a zone weigh: all of them in the plan, and the finished ones, restored. */
static void weigh_zone(const struct sciara_sample *s, const uint8_t *zone, double *planned, double *done) {
  *planned = *done = 0;
  for (size_t m = 0; m < s->count; m++) {
    if (!is_in(zone, m)) continue;
    *planned += s->planned[m];
    if (sciara_sample_counts(s, m)) *done += s->weight[m];
  }
}

/** Adds a zone. `most` sums the highest rates of finished members as `rate` does the middle ones. */
static void add_zone(struct sciara_hazard_rule *rule, const struct sciara_ensemble_rate *r, const uint8_t *zone,
                     double *most) {
  const struct sciara_sample *s = rule->sample;
  const double share = r->points ? 1 : 1 - rule->result->rate_outside, high = share * r->high;
  double planned, done;
  weigh_zone(s, zone, &planned, &done);
  for (size_t m = 0; m < s->count && planned > 0; m++) {
    if (!is_in(zone, m)) continue;
    rule->rate_low[m] += share * r->low * s->planned[m] / planned;
    rule->rate_high[m] += high * s->planned[m] / planned;
    if (!sciara_sample_counts(s, m)) continue;
    rule->rate[m] += share * r->per_year * s->weight[m] / done;
    most[m] += high * s->weight[m] / done;
  }
  rule->rate_known |= done > 0;
  if (planned > 0 && !(done > 0)) rule->rate_zero += high; // nothing is known of it
}

/**
 * Without hits, the bound of a sum of rates is three times the largest rate of a member, as that of a probability is three
 * times the largest weight.
 */
static void bound_rates(struct sciara_hazard_rule *rule, const double *most) {
  const struct sciara_sample *s = rule->sample;
  double largest = 0, all = 0;
  for (size_t m = 0; m < s->count; m++) {
    all += rule->rate_high[m];
    largest = fmax(largest, most[m]);
    if (s->state[m] != SCIARA_MEMBER_COMPLETE) rule->rate_unsure += rule->rate_high[m];
  }
  rule->rate_zero =
      rule->rate_known && isfinite(sciara_sample_zero_bound(s)) ? fmin(all, rule->rate_zero + 3 * largest) : NAN;
}

static enum sciara_status make_rates(struct sciara_hazard_rule *rule, const uint8_t *zones) {
  const size_t members = rule->sample->count;
  double *most;
  SCIARA_TRY(SCIARA_NEW(rule->rate, members, "rates of eruptions"));
  SCIARA_TRY(SCIARA_NEW(rule->rate_low, members, "rates of eruptions"));
  SCIARA_TRY(SCIARA_NEW(rule->rate_high, members, "rates of eruptions"));
  SCIARA_TRY(SCIARA_NEW(most, members, "rates of eruptions"));
  for (size_t r = 0; r < rule->result->rate_count; r++)
    add_zone(rule, &rule->result->rates[r], zones ? zones + r * members : NULL, most);
  bound_rates(rule, most);
  sciara_free(most);
  return SCIARA_OK;
}

double sciara_hazard_years(const struct sciara_hazard_rule *r, enum sciara_layer_part part, double years,
                           const uint32_t *hit, size_t hits) {
  if (!r->rate_known) return NAN;
  double sum = part == SCIARA_PART_HIGH ? r->rate_unsure : 0;
  for (size_t k = 0; k < hits; k++) {
    const size_t m = hit[k];
    if (part == SCIARA_PART_HIGH && r->sample->state[m] == SCIARA_MEMBER_CENSORED) continue; // is in rate_unsure
    sum += part == SCIARA_PART_LOW ? r->rate_low[m] : part == SCIARA_PART_HIGH ? r->rate_high[m] : r->rate[m];
  }
  return -expm1(-years * sum);
}

double sciara_hazard_years_zero_bound(const struct sciara_hazard_rule *r, double years) {
  return -expm1(-years * r->rate_zero);
}

enum sciara_status sciara_hazard_rule_make(const struct sciara_sample *sample,
                                           const struct sciara_ensemble_result *result,
                                           const struct sciara_layers *layers, const uint8_t *zone,
                                           struct sciara_hazard_rule *out) {
  enum sciara_status status;
  *out = (struct sciara_hazard_rule){.sample = sample, .result = result, .layers = layers};
  out->ever = sciara_question_make(sample, INFINITY);
  SCIARA_TRY_GOTO(SCIARA_NEW(out->within, result->within_count + 1, "times"));
  for (size_t k = 0; k < result->within_count; k++) out->within[k] = sciara_question_make(sample, result->within_s[k]);
  if (result->rate_count > 0) SCIARA_TRY_GOTO(make_rates(out, zone));
  return SCIARA_OK;
cleanup:
  sciara_hazard_rule_free(out);
  return status;
}

// ------------------------------------------------------------------------------------------------------------ scratch

void sciara_hazard_scratch_free(struct sciara_hazard_scratch *x) {
  sciara_sample_scratch_free(&x->sample);
  sciara_free(x->hit);
  sciara_free(x->ranked);
  sciara_free(x->room);
  sciara_free(x->cumulative);
  sciara_free(x->value);
  *x = (struct sciara_hazard_scratch){0};
}

enum sciara_status sciara_hazard_scratch_make(const struct sciara_sample *sample, bool valued,
                                              struct sciara_hazard_scratch *out) {
  const size_t most = sample->finished + 1;
  enum sciara_status status;
  *out = (struct sciara_hazard_scratch){.capacity = most};
  SCIARA_TRY_GOTO(sciara_sample_scratch_make(sample, &out->sample));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->hit, most, "the members that reach a cell"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->ranked, most, "the members that reach a cell"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->room, most, "the members that reach a cell"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->cumulative, most, "the members that reach a cell"));
  if (valued) SCIARA_TRY_GOTO(SCIARA_NEW(out->value, sample->count + 1, "the members that reach a cell"));
  return SCIARA_OK;
cleanup:
  sciara_hazard_scratch_free(out);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- one cell

/** A cell whose layers are computed one after the other. */
struct work {
  const struct sciara_hazard_rule *rule;
  const struct sciara_cell_hits *hits;
  struct sciara_hazard_scratch *x;
};

/** The members whose largest deposit is above `metres`; any lava counts for 0. */
static size_t deeper(struct work *w, double metres) {
  size_t count = 0;
  for (size_t k = 0; k < w->hits->count; k++)
    if (metres == 0 || (double)w->hits->max_deposit[k] > metres) w->x->hit[count++] = w->hits->member[k];
  return count;
}

static size_t sooner(struct work *w, double seconds) {
  size_t count = 0;
  for (size_t k = 0; k < w->hits->count; k++)
    if ((double)w->hits->arrival[k] <= seconds) w->x->hit[count++] = w->hits->member[k];
  return count;
}

static struct sciara_estimate estimate(struct work *w, const struct sciara_layer *l) {
  const struct sciara_ensemble_result *r = w->rule->result;
  const bool ever = l->kind == SCIARA_LAYER_PROBABILITY;
  const size_t hits = ever ? deeper(w, r->deposit_m[l->index]) : sooner(w, r->within_s[l->index]);
  const struct sciara_question *q = ever ? &w->rule->ever : &w->rule->within[l->index];
  return sciara_sample_estimate(w->rule->sample, q, w->x->hit, hits, &w->x->sample);
}

static double part_of(const struct sciara_estimate *e, enum sciara_layer_part part) {
  switch (part) {
    case SCIARA_PART_LOW: return e->low;
    case SCIARA_PART_HIGH: return e->high;
    case SCIARA_PART_ERROR: return e->error;
    case SCIARA_PART_VALUE: break;
  }
  return e->value;
}

static double years(struct work *w, const struct sciara_layer *l) {
  const struct sciara_ensemble_result *r = w->rule->result;
  const size_t hits = deeper(w, r->deposit_m[l->index]);
  return sciara_hazard_years(w->rule, l->part, r->years[l->second], w->x->hit, hits);
}

/** Sorts values of the hits, with cumulated weights; returns their sum, NAN if a value is not known. */
static double rank(struct work *w, const float *values) {
  for (size_t k = 0; k < w->hits->count; k++)
    if (isnan(values[k])) return NAN;
  for (size_t k = 0; k < w->hits->count; k++) w->x->ranked[k] = sciara_rank(values[k], w->hits->member[k]);
  sciara_ranked_sort(w->x->ranked, w->hits->count, w->x->room);
  return sciara_ranked_cumulate(w->rule->sample, w->x->ranked, w->hits->count, w->x->cumulative);
}

static double value_at(const struct work *w, double weight) {
  const size_t k = sciara_ranked_find(w->x->cumulative, w->hits->count, weight);
  return k < w->hits->count ? (double)sciara_ranked_value(w->x->ranked[k]) : NAN;
}

static double mean(const struct work *w, const float *values) {
  double sum = 0, weight = 0;
  for (size_t k = 0; k < w->hits->count; k++) {
    sum += w->rule->sample->weight[w->hits->member[k]] * (double)values[k];
    weight += w->rule->sample->weight[w->hits->member[k]];
  }
  return sum / weight;
}

static double extreme(const float *values, size_t count, bool largest) {
  float found = NAN;
  for (size_t k = 0; k < count; k++) {
    if (isnan(values[k])) return NAN; // not known of all
    if (k == 0 || (largest ? values[k] > found : values[k] < found)) found = values[k];
  }
  return (double)found;
}

/** Layers that need no order; NAN for the others. */
static double plain_value(struct work *w, const struct sciara_layer *l) {
  const struct sciara_cell_hits *h = w->hits;
  switch (l->kind) {
    case SCIARA_LAYER_MEAN: return h->count >= SCIARA_HITS_LEAST ? mean(w, h->value[l->value]) : NAN;
    case SCIARA_LAYER_LEAST:
    case SCIARA_LAYER_MOST: return extreme(h->value[l->value], h->count, l->kind == SCIARA_LAYER_MOST);
    case SCIARA_LAYER_HITS: return (double)h->count;
    case SCIARA_LAYER_YEARS: return years(w, l);
    default: return NAN;
  }
}

static bool is_ranked(enum sciara_layer_kind kind) {
  return kind == SCIARA_LAYER_QUANTILE || kind == SCIARA_LAYER_FRONT;
}

static bool is_probability(enum sciara_layer_kind kind) {
  return kind == SCIARA_LAYER_PROBABILITY || kind == SCIARA_LAYER_REACHED;
}

static float stored(double value) { return isfinite(value) ? (float)value : (float)SCIARA_NODATA_ALTITUDE; }

/** Quantiles of one value. */
static void put_ranked(struct work *w, enum sciara_footprint_value of, float *values) {
  const struct sciara_layers *layers = w->rule->layers;
  const double total = rank(w, w->hits->value[of]);
  const bool enough = w->hits->count >= SCIARA_HITS_LEAST && !isnan(total);
  for (size_t k = 0; k < layers->count; k++) {
    const struct sciara_layer *l = &layers->layer[k];
    if (l->kind == SCIARA_LAYER_QUANTILE && l->value == of)
      values[k] = stored(enough ? value_at(w, w->rule->result->quantiles[l->index] * total) : NAN);
    if (l->kind == SCIARA_LAYER_FRONT && of == SCIARA_FOOTPRINT_VALUE_ARRIVAL)
      values[k] = stored(value_at(w, sciara_front_shares[l->index] * w->rule->sample->done));
  }
}

enum sciara_status sciara_hazard_cell(const struct sciara_hazard_rule *rule, const struct sciara_cell_hits *hits,
                                      struct sciara_hazard_scratch *x, float *values) {
  if (hits->count > x->capacity)
    return sciara_fail(SCIARA_ERR_INTERNAL, "a cell has %zu hits, expected at most %zu", hits->count, x->capacity);
  if (rule->cell) return rule->cell(rule, hits, x, values);
  struct work w = {.rule = rule, .hits = hits, .x = x};
  struct sciara_estimate e = {0};
  const struct sciara_layer *of = NULL;
  for (size_t k = 0; k < rule->layers->count; k++) {
    const struct sciara_layer *l = &rule->layers->layer[k];
    if (is_ranked(l->kind)) continue;
    if (is_probability(l->kind)) {
      if (!of || of->kind != l->kind || of->index != l->index) e = estimate(&w, l);
      of = l;
      values[k] = stored(part_of(&e, l->part));
    } else {
      values[k] = stored(plain_value(&w, l));
    }
  }
  for (int q = 0; q < SCIARA_QUANTILES; q++) put_ranked(&w, sciara_quantiles[q].value, values);
  return SCIARA_OK;
}
