// SPDX-License-Identifier: Apache-2.0
// The maps of an ensemble: their names, units and meanings, in one table made of what the ensemble file asks for.
#include "hazard/hazard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

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
    sciara_print_duration(r->within_s[k], text, sizeof text);
    snprintf(l.long_name, sizeof l.long_name, "probability that lava arrives within %s", text);
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
