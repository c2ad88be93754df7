// SPDX-License-Identifier: Apache-2.0
#include "ensemble/members.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/detmath.h"
#include "base/mem.h"
#include "file/json_strict.h"
#include "scenario/scenario_keys.h"

/** Whether `key` is `object`, or a key in it. */
static bool is_in(const char *key, const char *object) {
  const size_t n = strlen(object);
  return strncmp(key, object, n) == 0 && strchr(".[", key[n]); // strchr also finds the end of the text
}

/** Why a member must not set a key; NULL: it may. */
static const char *reason_against(const char *key) {
  static const struct {
    const char *object, *reason;
  } refused[] = {
      {"dem", "the ground is the same in all simulations"},
      {"boundary", "it is the same in all simulations"},
      {"engine", "all simulations are computed in the same way"},
      {"output", "these simulations have no run folder"},
      {"initial", "of the lava at the start only initial.observed.volume_m3, .thickness and .temperature may differ"},
      {"run.start", "the date is the same in all simulations"},
      {"title", "these simulations have no title"},
      {"$schema", "it is not a property of a simulation"},
  };
  static const char *const allowed[] = {"dem.error", // of the shared altitudes
                                        "initial.observed.volume_m3", "initial.observed.thickness",
                                        "initial.observed.temperature"};
  for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
    if (is_in(key, allowed[k])) return NULL;
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (is_in(key, refused[k].object)) return refused[k].reason;
  return NULL;
}

/** "vents.0.x" or "vents[0].x" as "vents[].x"; false if it is too long or has an empty part. */
static bool to_path(const char *key, char *path, size_t capacity) {
  size_t length = 0;
  for (const char *from = key; *from;) {
    const size_t part = strcspn(from, ".[]"), digits = strspn(from, "0123456789");
    if (part == 0 || length + part + 4 > capacity) return false;
    const bool index = digits == part && from != key;
    if (!index && from != key) path[length++] = '.';
    memcpy(path + length, index ? "[]" : from, index ? 2 : part);
    length += index ? 2 : part;
    from += part;
    if (*from == ']') from++;
    if (*from == '.' || *from == '[') {
      from++;
      if (!*from) return false;
    }
  }
  path[length] = '\0';
  return length > 0;
}

bool sciara_member_key_same(const char *a, const char *b) {
  static const char separators[] = ".[]";
  for (;;) {
    a += strspn(a, separators);
    b += strspn(b, separators);
    while (a[0] == '0' && isdigit((unsigned char)a[1])) a++; // 00 is 0
    while (b[0] == '0' && isdigit((unsigned char)b[1])) b++;
    const size_t part = strcspn(a, separators);
    if (part != strcspn(b, separators) || strncmp(a, b, part) != 0) return false;
    if (part == 0) return true;
    a += part;
    b += part;
  }
}

bool sciara_member_key_plain(const char *key, char *out, size_t capacity) {
  static const char separators[] = ".[]";
  size_t length = 0;
  for (key += strspn(key, separators); *key; key += strspn(key, separators)) {
    while (key[0] == '0' && isdigit((unsigned char)key[1])) key++;
    const size_t part = strcspn(key, separators);
    if (length + part + 2 > capacity) return false;
    if (length > 0) out[length++] = '.';
    memcpy(out + length, key, part);
    length += part;
    key += part;
  }
  out[length] = '\0';
  return true;
}

static enum sciara_status unknown(const char *key) {
  const char *names[512];
  char path[256];
  size_t count = 0, all;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&all);
  for (size_t k = 0; k < all && count < sizeof names / sizeof *names; k++)
    if (!reason_against(keys[k].path)) names[count++] = keys[k].path;
  const char *closest = to_path(key, path, sizeof path) ? sciara_closest_name(path, names, count) : NULL;
  if (!closest && !strchr(key, '.')) { // "cooling" for "model.cooling"
    for (size_t k = 0; k < count && !closest; k++) {
      const char *dot = strrchr(names[k], '.');
      if (dot && strcmp(dot + 1, key) == 0) closest = names[k];
    }
  }
  if (closest && strstr(closest, "[]")) // as it is written
    return sciara_fail(SCIARA_ERR_INPUT,
                       "expected a key of vents, model or run, found \"%.80s\" (did you mean \"%.*s.0%s\"?)", key,
                       (int)(strstr(closest, "[]") - closest), closest, strstr(closest, "[]") + 2);
  return sciara_fail(SCIARA_ERR_INPUT, "expected a key of vents, model or run, found \"%.80s\"%s%s%s", key,
                     closest ? " (did you mean \"" : "", closest ? closest : "", closest ? "\"?)" : "");
}

enum sciara_status sciara_member_key_check(const char *key, const struct sciara_scenario_key **entry) {
  char path[256];
  const char *reason = reason_against(key);
  if (reason)
    return sciara_fail(SCIARA_ERR_INPUT, "expected a key of vents, model or run, found \"%.80s\": %s", key, reason);
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  if (to_path(key, path, sizeof path))
    for (size_t k = 0; k < count; k++)
      if (strcmp(keys[k].path, path) == 0) {
        if (entry) *entry = &keys[k];
        return SCIARA_OK;
      }
  return unknown(key);
}

// ------------------------------------------------------------------------------------------------------- keys of rates

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
