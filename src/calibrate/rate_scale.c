// SPDX-License-Identifier: Apache-2.0
#include "calibrate/rate_scale.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ensemble/member_keys.h"
#include "file/json_strict.h"

void sciara_key_set_free(struct sciara_key_set *s) {
  for (size_t k = 0; s->key && k < s->count; k++) free(s->key[k]);
  for (size_t k = 0; s->value && k < s->count; k++) free(s->value[k]);
  sciara_free(s->key);
  sciara_free(s->value);
  *s = (struct sciara_key_set){0};
}

/** Takes over a text of malloc. */
static enum sciara_status add(struct sciara_key_set *s, const char *key, char *value) {
  s->key[s->count] = strdup(key);
  s->value[s->count] = value;
  return s->key[s->count++] && value ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for changed keys");
}

/** The rates of a vent as a table, whose times include the start of the vent. */
static enum sciara_status print_rates(const struct sciara_vent_spec *v, double scale, struct sciara_text *out) {
  char time[40], rate[40];
  for (size_t k = 0; k <= v->rate_count; k++) {
    sciara_json_number(v->edges[k], time, sizeof time);
    sciara_json_number(k < v->rate_count ? scale * v->rates[k] : 0, rate, sizeof rate);
    sciara_text_append(out, "%s[%s, %s]", k > 0 ? ", " : "{\"table\": [", time, rate);
  }
  return sciara_text_append(out, "]}");
}

static enum sciara_status add_rates(const struct sciara_scenario_spec *scenario, double scale,
                                    struct sciara_key_set *s) {
  for (size_t k = 0; k < scenario->vent_count; k++) {
    struct sciara_text text = {0};
    char key[48];
    snprintf(key, sizeof key, "vents.%zu.start", k);
    SCIARA_TRY(add(s, key, strdup("0")));
    snprintf(key, sizeof key, "vents.%zu.effusion", k);
    if (print_rates(&scenario->vents[k], scale, &text) != SCIARA_OK) {
      sciara_text_free(&text);
      return text.failed;
    }
    SCIARA_TRY(add(s, key, text.data));
  }
  return SCIARA_OK;
}

/** Whether a key is one of the rates of vents, or holds them. */
static bool changes_rates(const char *key) {
  char plain[256];
  if (!sciara_member_key_plain(key, plain, sizeof plain) || strncmp(plain, "vents", 5) != 0) return false;
  const char *name = plain + 5 + strspn(plain + 5, ".0123456789");
  return !*name || strncmp(name, "effusion", strlen("effusion")) == 0 || strcmp(name, "start") == 0;
}

enum sciara_status sciara_key_set_make(const char *const *key, const char *const *value, size_t count,
                                       const struct sciara_scenario_spec *scenario, struct sciara_key_set *out) {
  const size_t most = count + 2 * scenario->vent_count;
  const char *other = NULL;
  bool scaled = false;
  SCIARA_TRY(SCIARA_NEW(out->key, most, "changed keys"));
  SCIARA_TRY(SCIARA_NEW(out->value, most, "changed keys"));
  for (size_t k = 0; k < count; k++) {
    double scale;
    if (strcmp(key[k], SCIARA_RATE_SCALE) != 0) {
      if (changes_rates(key[k])) other = key[k];
      SCIARA_TRY(add(out, key[k], strdup(value[k])));
      continue;
    }
    if (!sciara_parse_double(value[k], &scale) || !(scale >= 0 && scale <= SCIARA_RATE_SCALE_MAX))
      return sciara_fail(SCIARA_ERR_INPUT, SCIARA_RATE_SCALE ": expected a number, 0 to 1e6; found %.80s", value[k]);
    scaled = true;
    SCIARA_TRY(add_rates(scenario, scale, out));
  }
  if (!scaled || !other) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, SCIARA_RATE_SCALE ": expected no other key of rates; found %.80s", other);
}
