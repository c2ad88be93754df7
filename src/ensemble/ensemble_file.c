// SPDX-License-Identifier: Apache-2.0
// Values of an ensemble file whose tree has passed the check: events, results, and what their readers share.
#include "ensemble/ensemble_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/durable.h"
#include "scenario/rates_csv.h"

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for an ensemble"); }

enum sciara_status sciara_ensemble_refuse(const struct sciara_ensemble_reading *r, const char *object, size_t index,
                                          const char *name, const char *found, const char *allowed) {
  const struct sciara_json_path top = {.key = object}, item = {.parent = &top, .index = index};
  const struct sciara_json_path *parent = index == SCIARA_NO_INDEX ? &top : &item;
  const struct sciara_json_path path = {.parent = parent, .key = name};
  return sciara_scenario_refuse(r->file, name ? &path : parent, found, allowed);
}

const cJSON *sciara_json_get(const cJSON *object, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

double sciara_json_double(const cJSON *object, const char *name, double preset) {
  const cJSON *value = sciara_json_get(object, name);
  return cJSON_IsNumber(value) ? value->valuedouble : preset;
}

enum sciara_status sciara_ensemble_path(const struct sciara_ensemble_reading *r, const cJSON *value, char **out) {
  *out = sciara_path_join(r->folder, value->valuestring);
  return *out ? SCIARA_OK : no_memory();
}

enum sciara_status sciara_json_points(const cJSON *array, struct sciara_point **out, size_t *count) {
  const cJSON *point;
  *count = 0;
  SCIARA_TRY(SCIARA_NEW(*out, (size_t)cJSON_GetArraySize(array), "points"));
  cJSON_ArrayForEach(point, array)(*out)[(*count)++] =
      (struct sciara_point){point->child->valuedouble, point->child->next->valuedouble};
  return SCIARA_OK;
}

static enum sciara_status copy_name(const cJSON *object, const char *preset, size_t number, char **out) {
  const cJSON *name = sciara_json_get(object, "name");
  *out = name ? sciara_format("%s", name->valuestring) : sciara_format("%s %zu", preset, number);
  return *out ? SCIARA_OK : no_memory();
}

// ------------------------------------------------------------------------------------------------------------ events

/** What an event says about its curve. */
struct shape {
  struct sciara_curve curve;
  struct sciara_rate_table table;
};

static enum sciara_status read_shape(const struct sciara_ensemble_reading *r, const cJSON *event, size_t index,
                                     struct shape *s) {
  static const char *const names[] = {[SCIARA_CURVE_CONSTANT] = "constant",
                                      [SCIARA_CURVE_BELL] = "bell",
                                      [SCIARA_CURVE_EXPONENTIAL] = "exponential",
                                      [SCIARA_CURVE_WANING] = "waning",
                                      [SCIARA_CURVE_TABLE] = "csv"};
  const cJSON *curve = sciara_json_get(event, "curve"), *file = sciara_json_get(event, "shape");
  const bool by_peak = curve && (strcmp(curve->valuestring, "bell") == 0 || strcmp(curve->valuestring, "waning") == 0);
  const bool by_decay =
      curve && (strcmp(curve->valuestring, "exponential") == 0 || strcmp(curve->valuestring, "waning") == 0);
  s->curve = (struct sciara_curve){.kind = SCIARA_CURVE_CONSTANT,
                                   .peak = sciara_json_double(event, "peak", 0.25),
                                   .decay = sciara_json_double(event, "decay", 0.25)};
  for (size_t k = 0; curve && k < sizeof names / sizeof *names; k++)
    if (strcmp(curve->valuestring, names[k]) == 0) s->curve.kind = (enum sciara_curve_kind)k;
  if (!by_peak && sciara_json_get(event, "peak"))
    return sciara_ensemble_refuse(r, "events", index, "peak", "another curve",
                                  "it only with the curve \"bell\" or \"waning\"");
  if (!by_decay && sciara_json_get(event, "decay"))
    return sciara_ensemble_refuse(r, "events", index, "decay", "another curve",
                                  "it only with the curve \"exponential\" or \"waning\"");
  if ((s->curve.kind == SCIARA_CURVE_TABLE) != (file != NULL))
    return sciara_ensemble_refuse(r, "events", index, "shape", file ? "another curve" : "nothing",
                                  "a file with the curve \"csv\", and only there");
  if (!file) return SCIARA_OK;
  char *path = NULL;
  SCIARA_TRY(sciara_ensemble_path(r, file, &path));
  const enum sciara_status status = sciara_rates_csv_read(path, NULL, &s->table);
  free(path);
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s: events[%zu].shape", r->file, index);
  double sum = 0;
  for (size_t k = 0; k < s->table.count; k++) sum += s->table.rates[k];
  s->curve.edges = s->table.edges;
  s->curve.rates = s->table.rates;
  s->curve.count = s->table.count;
  return sum > 0 ? SCIARA_OK
                 : sciara_ensemble_refuse(r, "events", index, "shape", "rates that are all 0", "a rate above 0");
}

static enum sciara_status read_curve(const struct sciara_ensemble_reading *r, const cJSON *event, size_t index,
                                     struct sciara_event_spec *e) {
  struct shape s = {.table = {0}};
  const cJSON *curve = sciara_json_get(event, "curve");
  const bool constant = !curve || strcmp(curve->valuestring, "constant") == 0;
  e->slots = (size_t)sciara_json_double(event, "slots", constant ? 1 : 20);
  enum sciara_status status = read_shape(r, event, index, &s);
  if (status == SCIARA_OK) status = SCIARA_NEW(e->part, e->slots, "the curve of an event");
  if (status == SCIARA_OK) sciara_curve_rates(&s.curve, 1, (double)e->slots, e->slots, e->part);
  sciara_rate_table_free(&s.table);
  return status;
}

/** The rates of "slot", "table" or "csv", read as those of a vent of a scenario. */
static enum sciara_status read_rates(const struct sciara_ensemble_reading *r, const cJSON *event, size_t index,
                                     struct sciara_event_spec *e) {
  static const char *const keys[] = {"slot", "rates_m3_s", "table", "csv"};
  struct sciara_scenario_spec scenario = {0};
  cJSON *root = cJSON_CreateObject(), *vents = cJSON_AddArrayToObject(root, "vents"), *vent = cJSON_CreateObject();
  bool whole = vents && vent && cJSON_AddItemToArray(vents, vent);
  cJSON *effusion = whole ? cJSON_AddObjectToObject(vent, "effusion") : NULL;
  whole = effusion && cJSON_AddNumberToObject(vent, "start", 0) && cJSON_AddNumberToObject(vent, "x", 0) &&
          cJSON_AddNumberToObject(vent, "y", 0);
  for (size_t k = 0; whole && k < sizeof keys / sizeof *keys; k++) {
    const cJSON *value = sciara_json_get(event, keys[k]);
    if (value) whole = cJSON_AddItemToObject(effusion, keys[k], cJSON_Duplicate(value, true));
  }
  struct sciara_diagnostics diagnostics = {0};
  scenario.path = sciara_format("%s: events[%zu]", r->file, index);
  enum sciara_status status = whole && scenario.path ? SCIARA_OK : no_memory();
  if (status == SCIARA_OK) sciara_scenario_vents(r->folder, root, &scenario, &diagnostics);
  if (status == SCIARA_OK) status = sciara_diagnostics_status(&diagnostics);
  if (status == SCIARA_OK) { // taken over
    struct sciara_vent_spec *v = &scenario.vents[0];
    e->edges = v->edges;
    e->rates = v->rates;
    e->rate_count = v->rate_count;
    v->edges = v->rates = NULL;
    e->duration_s = e->edges[e->rate_count];
    for (size_t k = 0; k < e->rate_count; k++) e->volume_m3 += e->rates[k] * (e->edges[k + 1] - e->edges[k]);
    if (!(e->volume_m3 > 0))
      status = sciara_ensemble_refuse(r, "events", index, NULL, "rates that are all 0", "a rate above 0");
  }
  sciara_diagnostics_free(&diagnostics);
  sciara_scenario_free(&scenario);
  cJSON_Delete(root);
  return status;
}

static enum sciara_status read_event(const struct sciara_ensemble_reading *r, const cJSON *event, size_t index,
                                     struct sciara_event_spec *e) {
  e->weight = sciara_json_double(event, "weight", 1);
  SCIARA_TRY(copy_name(event, "event", index + 1, &e->name));
  e->by_volume = sciara_json_get(event, "volume_m3") != NULL;
  if (!e->by_volume) return read_rates(r, event, index, e);
  e->volume_m3 = sciara_json_double(event, "volume_m3", 0);
  e->duration_s = sciara_scenario_seconds(sciara_json_get(event, "duration"));
  SCIARA_TRY(read_curve(r, event, index, e));
  struct sciara_text text = {0};
  const enum sciara_status status = sciara_event_effusion(e, e->volume_m3, e->duration_s, 1, &text);
  sciara_text_free(&text);
  return status == SCIARA_OK ? SCIARA_OK : sciara_fail_context(status, "%s: events[%zu]", r->file, index);
}

void sciara_events_read(const struct sciara_ensemble_reading *r, const cJSON *events, struct sciara_event_spec **out,
                        size_t *count) {
  const cJSON *event;
  double sum = 0;
  *count = 0;
  const enum sciara_status status = SCIARA_NEW(*out, (size_t)cJSON_GetArraySize(events), "the events");
  sciara_diagnostics_add(r->diagnostics, status);
  if (status != SCIARA_OK || !events) return;
  cJSON_ArrayForEach(event, events) {
    struct sciara_event_spec *e = &(*out)[*count];
    sciara_diagnostics_add(r->diagnostics, read_event(r, event, *count, e));
    for (size_t k = 0; k < *count; k++)
      if (e->name && (*out)[k].name && strcmp(e->name, (*out)[k].name) == 0)
        sciara_diagnostics_add(r->diagnostics, sciara_ensemble_refuse(r, "events", *count, "name", "one given twice",
                                                                      "a different name for each event"));
    sum += e->weight;
    ++*count;
  }
  if (!(sum > 0 && sum <= 1e300))
    sciara_diagnostics_add(r->diagnostics, sciara_ensemble_refuse(r, "events", SCIARA_NO_INDEX, NULL,
                                                                  *count ? "weights without such a sum" : "no event",
                                                                  "events whose weights have a finite sum above 0"));
}

void sciara_events_free(struct sciara_event_spec *events, size_t count) {
  for (size_t k = 0; k < count; k++) {
    free(events[k].name);
    sciara_free(events[k].part);
    sciara_free(events[k].edges);
    sciara_free(events[k].rates);
  }
  sciara_free(events);
}

static enum sciara_status append_number(struct sciara_text *out, double value) {
  char number[40];
  sciara_json_number(value, number, sizeof number);
  return sciara_text_append(out, "%s", number);
}

static enum sciara_status append_rate(struct sciara_text *out, double rate) {
  if (!(rate >= 0 && rate <= SCIARA_RATE_MAX))
    return sciara_fail(SCIARA_ERR_INPUT, "expected effusion rates of 0 to %g m3/s, found %.6g m3/s", SCIARA_RATE_MAX,
                       rate);
  return append_number(out, rate);
}

enum sciara_status sciara_rates_effusion(const double *edges, const double *rates, size_t count, double scale,
                                         struct sciara_text *out) {
  sciara_text_append(out, "{\"table\": [");
  for (size_t k = 0; k <= count; k++) {
    sciara_text_append(out, "%s[", k ? ", " : "");
    append_number(out, edges[k]);
    sciara_text_append(out, ", ");
    SCIARA_TRY(append_rate(out, k < count ? rates[k] * scale : 0));
    sciara_text_append(out, "]");
  }
  return sciara_text_append(out, "]}");
}

enum sciara_status sciara_event_effusion(const struct sciara_event_spec *e, double volume_m3, double duration_s,
                                         double scale, struct sciara_text *out) {
  if (!e->by_volume) return sciara_rates_effusion(e->edges, e->rates, e->rate_count, scale, out);
  const double slot = duration_s / (double)e->slots;
  sciara_text_append(out, "{\"slot\": ");
  append_number(out, slot);
  sciara_text_append(out, ", \"rates_m3_s\": [");
  for (size_t k = 0; k < e->slots; k++) {
    if (k) sciara_text_append(out, ", ");
    SCIARA_TRY(append_rate(out, volume_m3 * e->part[k] / slot * scale));
  }
  return sciara_text_append(out, "]}");
}

// ------------------------------------------------------------------------------------------------------------ result

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/** Numbers of results that are equal in the 9 digits of the names of maps and columns: relative difference at most this. */
#define SAME_NAME 1e-8

/** The numbers or durations of result.`key`, ascending, each once; `preset` if there is none. */
static enum sciara_status read_numbers(const struct sciara_ensemble_reading *r, const cJSON *result, const char *key,
                                       const double *preset, size_t preset_count, double **out, size_t *count) {
  const cJSON *array = sciara_json_get(result, key);
  const size_t given = array ? (size_t)cJSON_GetArraySize(array) : preset_count;
  const cJSON *item;
  size_t k = 0;
  SCIARA_TRY(SCIARA_NEW(*out, given, "numbers of the results"));
  cJSON_ArrayForEach(item, array)(*out)[k++] = sciara_scenario_seconds(item);
  for (; !array && k < given; k++) (*out)[k] = preset[k];
  if (given > 0) qsort(*out, given, sizeof **out, compare_doubles);
  *count = 0;
  for (k = 0; k < given; k++) {
    const double value = (*out)[k], before = *count > 0 ? (*out)[*count - 1] : -1;
    if (*count > 0 && value == before) continue;
    if (*count > 0 && value - before <= SAME_NAME * value)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: result.%s: expected numbers that differ in their first 8 digits, found %.17g and %.17g",
                         r->file, key, before, value);
    (*out)[(*count)++] = value;
  }
  return SCIARA_OK;
}

enum { FEWEST_CORNERS = 3 };

static enum sciara_status read_corners(const struct sciara_ensemble_reading *r, const char *place, const cJSON *polygon,
                                       struct sciara_point **points, size_t *count) {
  if (cJSON_GetArraySize(polygon) < FEWEST_CORNERS)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %s.polygon: expected at least 3 corners, found %d", r->file, place,
                       cJSON_GetArraySize(polygon));
  return sciara_json_points(polygon, points, count);
}

static enum sciara_status read_site(const struct sciara_ensemble_reading *r, const cJSON *site, size_t index,
                                    struct sciara_ensemble_site *out) {
  char place[64];
  const cJSON *polygon = sciara_json_get(site, "polygon");
  snprintf(place, sizeof place, "result.sites[%zu]", index);
  SCIARA_TRY(copy_name(site, "site", index + 1, &out->name));
  if (polygon) return read_corners(r, place, polygon, &out->points, &out->point_count);
  SCIARA_TRY(SCIARA_NEW(out->points, 1, "a site"));
  out->points[0] = (struct sciara_point){sciara_json_double(site, "x", 0), sciara_json_double(site, "y", 0)};
  out->point_count = 1;
  return SCIARA_OK;
}

static enum sciara_status read_rate(const struct sciara_ensemble_reading *r, const cJSON *rate, size_t index,
                                    struct sciara_ensemble_rate *out) {
  char place[64];
  const cJSON *polygon = sciara_json_get(rate, "polygon"), *interval = sciara_json_get(rate, "interval");
  snprintf(place, sizeof place, "result.eruptions_per_year[%zu]", index);
  SCIARA_TRY(copy_name(rate, "zone", index + 1, &out->name));
  out->per_year = out->low = out->high = sciara_json_double(rate, "rate", 0);
  if (interval) {
    out->low = interval->child->valuedouble;
    out->high = interval->child->next->valuedouble;
  }
  if (!(out->low <= out->per_year && out->per_year <= out->high))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %s.interval: expected an interval that holds the rate %g, found %g to %g",
                       r->file, place, out->per_year, out->low, out->high);
  return polygon ? read_corners(r, place, polygon, &out->points, &out->point_count) : SCIARA_OK;
}

static void read_sites(const struct sciara_ensemble_reading *r, const cJSON *sites,
                       struct sciara_ensemble_result *out) {
  const cJSON *site;
  const enum sciara_status status = SCIARA_NEW(out->sites, (size_t)cJSON_GetArraySize(sites), "the sites");
  sciara_diagnostics_add(r->diagnostics, status);
  if (status != SCIARA_OK || !sites) return;
  cJSON_ArrayForEach(site, sites) {
    const size_t k = out->site_count++;
    sciara_diagnostics_add(r->diagnostics, read_site(r, site, k, &out->sites[k]));
    for (size_t n = 0; n < k; n++)
      if (out->sites[k].name && out->sites[n].name && strcmp(out->sites[k].name, out->sites[n].name) == 0)
        sciara_diagnostics_add(r->diagnostics,
                               sciara_fail(SCIARA_ERR_INPUT,
                                           "%s: result.sites[%zu].name: expected a different name for each site, found "
                                           "\"%.60s\" twice",
                                           r->file, k, out->sites[k].name));
  }
}

static void read_rates_per_year(const struct sciara_ensemble_reading *r, const cJSON *rates,
                                struct sciara_ensemble_result *out) {
  const cJSON *rate;
  const enum sciara_status status = SCIARA_NEW(out->rates, (size_t)cJSON_GetArraySize(rates), "the eruption rates");
  sciara_diagnostics_add(r->diagnostics, status);
  if (status != SCIARA_OK || !rates) return;
  cJSON_ArrayForEach(rate, rates) {
    const size_t k = out->rate_count++;
    sciara_diagnostics_add(r->diagnostics, read_rate(r, rate, k, &out->rates[k]));
  }
}

void sciara_result_read(const struct sciara_ensemble_reading *r, const cJSON *result, const cJSON *stop,
                        struct sciara_ensemble_result *out, struct sciara_ensemble_stop *rule) {
  static const double thickness[] = {0, 1}, within[] = {86400, 3 * 86400, 7 * 86400}, quantiles[] = {0.05, 0.5, 0.95};
  *out = (struct sciara_ensemble_result){0};
  sciara_diagnostics_add(
      r->diagnostics, read_numbers(r, result, "thickness_m", thickness, 2, &out->thickness_m, &out->thickness_count));
  sciara_diagnostics_add(r->diagnostics,
                         read_numbers(r, result, "within", within, 3, &out->within_s, &out->within_count));
  sciara_diagnostics_add(r->diagnostics,
                         read_numbers(r, result, "quantiles", quantiles, 3, &out->quantiles, &out->quantile_count));
  sciara_diagnostics_add(r->diagnostics, read_numbers(r, result, "years", NULL, 0, &out->years, &out->year_count));
  read_sites(r, sciara_json_get(result, "sites"), out);
  read_rates_per_year(r, sciara_json_get(result, "eruptions_per_year"), out);
  if (out->year_count > 0 && out->rate_count == 0)
    sciara_diagnostics_add(r->diagnostics, sciara_ensemble_refuse(r, "result", SCIARA_NO_INDEX, "years", "it alone",
                                                                  "the key only together with \"eruptions_per_year\""));
  rule->standard_error = sciara_json_double(stop, "standard_error", 0);
  rule->thickness_m = sciara_json_double(stop, "thickness_m", 0);
  if (stop && out->site_count == 0)
    sciara_diagnostics_add(r->diagnostics, sciara_ensemble_refuse(r, "stop", SCIARA_NO_INDEX, NULL, "no sites",
                                                                  "result.sites, at which the error is found"));
}

void sciara_result_free(struct sciara_ensemble_result *r) {
  for (size_t k = 0; k < r->site_count; k++) {
    free(r->sites[k].name);
    sciara_free(r->sites[k].points);
  }
  for (size_t k = 0; k < r->rate_count; k++) {
    free(r->rates[k].name);
    sciara_free(r->rates[k].points);
  }
  void *blocks[] = {r->thickness_m, r->within_s, r->quantiles, r->sites, r->rates, r->years};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) sciara_free(blocks[k]);
  *r = (struct sciara_ensemble_result){0};
}
