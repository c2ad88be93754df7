// SPDX-License-Identifier: Apache-2.0
// Effusion rates that change while a scenario is run.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/rates_csv.h"
#include "scenario/scenario_keys.h"

/** The table of `before` up to `now`, then `rate` until `until`. */
static enum sciara_status make_table(const struct sciara_vent_spec *before, double now, double rate, double until,
                                     struct sciara_vent_spec *v) {
  size_t n = 0;
  v->edges = v->rates = NULL;
  SCIARA_TRY(SCIARA_NEW(v->edges, before->rate_count + 4, "effusion times"));
  SCIARA_TRY(SCIARA_NEW(v->rates, before->rate_count + 3, "effusion rates"));
  for (; n < before->rate_count && before->edges[n] < now; n++) {
    v->edges[n] = before->edges[n];
    v->rates[n] = before->rates[n];
  }
  if (n > 0 && n == before->rate_count && before->edges[n] < now) { // it had ended
    v->edges[n] = before->edges[n];
    v->rates[n++] = 0;
  }
  v->edges[n] = now;
  v->rates[n++] = rate;
  v->edges[n] = until;
  v->rate_count = n;
  return SCIARA_OK;
}

/** The effusion of a vent in a tree: its table, from the start of the run on. */
static bool put_effusion_table(cJSON *vent, const struct sciara_vent_spec *v) {
  cJSON *effusion = cJSON_CreateObject(), *table = cJSON_AddArrayToObject(effusion, "table");
  bool done = table != NULL;
  for (size_t k = 0; done && k < v->rate_count; k++) done = sciara_json_put_pair(table, v->edges[k], v->rates[k]);
  done = done && sciara_json_put_pair(table, v->edges[v->rate_count], 0);
  static const char *const of_old[] = {"start", "from", "until"};
  for (size_t k = 0; done && k < sizeof of_old / sizeof *of_old; k++)
    cJSON_DeleteItemFromObjectCaseSensitive(vent, of_old[k]);
  done = done && cJSON_ReplaceItemInObjectCaseSensitive(vent, "effusion", effusion);
  if (!done) cJSON_Delete(effusion);
  return done;
}

static enum sciara_status make_text(const struct sciara_scenario_spec *s, size_t k, const struct sciara_vent_spec *v,
                                    char **out) {
  cJSON *root;
  struct sciara_text text = {0};
  SCIARA_TRY(sciara_json_parse(s->path, s->json, strlen(s->json), &root));
  cJSON *vent = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "vents"), (int)k);
  enum sciara_status status = vent && put_effusion_table(vent, v) ? SCIARA_OK : sciara_scenario_no_memory();
  if (status == SCIARA_OK) status = sciara_json_print(root, &text);
  cJSON_Delete(root);
  if (status != SCIARA_OK) sciara_text_free(&text);
  *out = status == SCIARA_OK ? text.data : NULL;
  return status;
}

enum sciara_status sciara_scenario_change_effusion(struct sciara_scenario_spec *s, size_t k, double now, double rate,
                                                   double until, struct sciara_effusion_change *out) {
  struct sciara_vent_spec *spec = &s->vents[k], changed = *spec;
  char *json = NULL;
  *out = (struct sciara_effusion_change){.vent = k, .before = *spec, .json = s->json};
  if (!(rate >= 0 && rate <= SCIARA_RATE_MAX))
    return sciara_fail(SCIARA_ERR_USAGE, "%s: rate: expected 0 to 1e6 m3/s, found %g m3/s", spec->name, rate);
  if (!(until > now && until <= SCIARA_TIME_MAX))
    return sciara_fail(SCIARA_ERR_USAGE, "%s: end of the rate: expected above %.10g s (now) to 1e12 s, found %.10g s",
                       spec->name, now, until);
  enum sciara_status status = make_table(spec, now, rate, until, &changed);
  if (status == SCIARA_OK) status = make_text(s, k, &changed, &json);
  if (status != SCIARA_OK) {
    sciara_free(changed.edges);
    sciara_free(changed.rates);
    return status;
  }
  *spec = changed;
  s->json = json;
  return SCIARA_OK;
}

void sciara_scenario_release_effusion(struct sciara_effusion_change *change) {
  sciara_free(change->before.edges);
  sciara_free(change->before.rates);
  free(change->json);
}

enum sciara_status sciara_scenario_emission_of(const struct sciara_scenario_spec *s, const struct sciara_vents *vents,
                                               double from, struct sciara_emission *out) {
  const bool later = from > 0;
  SCIARA_TRY(
      sciara_vents_emission(vents, later ? from : -INFINITY, later ? sciara_limits_end(&s->run) : INFINITY, out));
  out->from_s = later ? from : 0;
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_emission(const struct sciara_scenario_spec *s, double from,
                                            struct sciara_emission *out) {
  struct sciara_vents *vents = sciara_vents_create();
  bool known = s->vent_count > 0;
  if (!vents) return SCIARA_ERR_MEMORY;
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < s->vent_count && status == SCIARA_OK; k++) {
    const struct sciara_vent_spec *v = &s->vents[k];
    known &= v->edges != NULL;
    if (v->edges) status = sciara_vents_add(vents, 0, 0, (int64_t)v->rate_count, v->edges, v->rates);
  }
  if (status == SCIARA_OK) status = sciara_scenario_emission_of(s, vents, from, out);
  if (!known) out->volume_m3 = NAN;
  sciara_vents_destroy(vents);
  return status;
}
