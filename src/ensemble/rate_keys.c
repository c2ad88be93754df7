// SPDX-License-Identifier: Apache-2.0
#include "ensemble/rate_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/detmath.h"
#include "base/mem.h"
#include "ensemble/members.h"
#include "file/json_strict.h"
#include "scenario/scenario_keys.h"

void sciara_key_set_free(struct sciara_key_set *s) {
  for (size_t k = 0; s->key && k < s->count; k++) free(s->key[k]);
  for (size_t k = 0; s->value && k < s->count; k++) free(s->value[k]);
  sciara_free(s->key);
  sciara_free(s->value);
  *s = (struct sciara_key_set){0};
}

/** Takes over a text of malloc. */
static enum sciara_status add_rate_key(struct sciara_key_set *s, const char *key, char *value) {
  s->key[s->count] = strdup(key);
  s->value[s->count] = value;
  return s->key[s->count++] && value ? SCIARA_OK : sciara_no_memory("changed keys");
}

const struct sciara_scenario_key *sciara_rate_key(const char *key) {
  static const struct sciara_scenario_key keys[] = {
      {.path = SCIARA_RATE_SCALE, .type = SCIARA_KEY_NUMBER, .low_allowed = true, .high = 1e6},
      {.path = SCIARA_RATE_SHAPE, .type = SCIARA_KEY_NUMBER, .low = 1e-6, .low_allowed = true, .high = 1e6},
  };
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (strcmp(key, keys[k].path) == 0) return &keys[k];
  return NULL;
}

/** What happens to the rates of all vents. */
struct change {
  double scale, shape;
};

/** The first interval of a vent with lava, and one after the last; false: fewer than two intervals lie between. */
static bool find_lava(const struct sciara_vent_spec *v, size_t *first, size_t *last) {
  *first = 0;
  *last = v->rate_count;
  while (*first < *last && !(v->rates[*first] > 0)) ++*first;
  while (*last > *first && !(v->rates[*last - 1] > 0)) --*last;
  return *last - *first > 1;
}

/** The factors of the rates of a vent: the shape at the middle of each interval, times what keeps the volume. */
static void find_factors(const struct sciara_vent_spec *v, const struct change *c, double *factor) {
  size_t first, last;
  double before = 0, after = 0;
  for (size_t k = 0; k < v->rate_count; k++) factor[k] = c->scale;
  if (!find_lava(v, &first, &last)) return;
  const double begin = v->edges[first], length = v->edges[last] - begin;
  for (size_t k = first; k < last; k++) {
    const double middle = (v->edges[k] + v->edges[k + 1]) / 2, volume = v->rates[k] * (v->edges[k + 1] - v->edges[k]);
    factor[k] = sciara_exp((middle - begin) / length * sciara_ln(c->shape));
    before += volume;
    after += factor[k] * volume;
  }
  for (size_t k = first; k < last; k++) factor[k] *= c->scale * (before / after);
}

/** The rates of a vent as a table, whose times include the start of the vent. */
static enum sciara_status print_rates(const struct sciara_vent_spec *v, const struct change *c,
                                      struct sciara_text *out) {
  char time[40], rate[40];
  double *factor = NULL;
  SCIARA_TRY(SCIARA_NEW(factor, v->rate_count, "the factors of rates"));
  find_factors(v, c, factor);
  for (size_t k = 0; k <= v->rate_count; k++) {
    sciara_json_number(v->edges[k], time, sizeof time);
    sciara_json_number(k < v->rate_count ? factor[k] * v->rates[k] : 0, rate, sizeof rate);
    sciara_text_append(out, "%s[%s, %s]", k > 0 ? ", " : "{\"table\": [", time, rate);
  }
  sciara_free(factor);
  return sciara_text_append(out, "]}");
}

static enum sciara_status add_rates(const struct sciara_scenario_spec *scenario, const struct change *c,
                                    struct sciara_key_set *s) {
  for (size_t k = 0; k < scenario->vent_count; k++) {
    struct sciara_text text = {0};
    char key[48];
    snprintf(key, sizeof key, "vents.%zu.start", k);
    SCIARA_TRY(add_rate_key(s, key, strdup("0")));
    snprintf(key, sizeof key, "vents.%zu.effusion", k);
    const enum sciara_status status = print_rates(&scenario->vents[k], c, &text);
    if (status != SCIARA_OK) {
      sciara_text_free(&text);
      return status;
    }
    SCIARA_TRY(add_rate_key(s, key, text.data));
  }
  return SCIARA_OK;
}

/** Reads the value of "rate_scale" or "rate_shape". */
static enum sciara_status read_rate_key(const struct sciara_scenario_key *key, const char *text, double *value) {
  char range[96];
  if (sciara_parse_double(text, value) && *value >= key->low && *value <= key->high) return SCIARA_OK;
  sciara_scenario_key_allowed(key, range, sizeof range);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected %s; found %.80s", key->path, range, text);
}

/** A shape needs rates that could have another one: a vent whose lava comes in two intervals. */
static enum sciara_status check_shape(const struct sciara_scenario_spec *scenario) {
  size_t first, last;
  for (size_t k = 0; k < scenario->vent_count; k++)
    if (find_lava(&scenario->vents[k], &first, &last)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, SCIARA_RATE_SHAPE
                     ": expected a vent whose lava has a rate for each of two or more intervals; found "
                     "one interval");
}

bool sciara_key_has_rates(const char *key, bool *whole) {
  char plain[256];
  *whole = false;
  if (!sciara_member_key_plain(key, plain, sizeof plain) || strncmp(plain, "vents", 5) != 0) return false;
  const char *name = plain + 5 + strspn(plain + 5, ".0123456789");
  *whole = !*name || strcmp(name, "effusion") == 0;
  return !*name || strncmp(name, "effusion", strlen("effusion")) == 0 || strcmp(name, "start") == 0;
}

enum sciara_status sciara_key_set_make(const char *const *key, const char *const *value, size_t count,
                                       const struct sciara_scenario_spec *scenario, struct sciara_key_set *out) {
  const size_t most = count + (scenario ? 2 * scenario->vent_count : 0);
  const char *other = NULL, *of_rates = NULL;
  bool whole;
  struct change change = {1, 1};
  SCIARA_TRY(SCIARA_NEW(out->key, most, "changed keys"));
  SCIARA_TRY(SCIARA_NEW(out->value, most, "changed keys"));
  for (size_t k = 0; k < count; k++) {
    const struct sciara_scenario_key *rate = sciara_rate_key(key[k]);
    if (!rate) {
      if (sciara_key_has_rates(key[k], &whole)) other = key[k];
      SCIARA_TRY(add_rate_key(out, key[k], strdup(value[k])));
      continue;
    }
    if (!scenario) continue;
    const bool is_shape = strcmp(rate->path, SCIARA_RATE_SHAPE) == 0;
    if (is_shape) SCIARA_TRY(check_shape(scenario));
    SCIARA_TRY(read_rate_key(rate, value[k], is_shape ? &change.shape : &change.scale));
    of_rates = rate->path;
  }
  if (!of_rates) return SCIARA_OK;
  if (other) return sciara_fail(SCIARA_ERR_INPUT, "%s: expected no other key of rates; found %.80s", of_rates, other);
  return add_rates(scenario, &change, out);
}
