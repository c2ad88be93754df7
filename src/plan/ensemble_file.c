// SPDX-License-Identifier: Apache-2.0
// Values of an ensemble file whose tree has passed the check: classes of eruptions.
#include "plan/ensemble_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/detmath.h"
#include "base/mem.h"
#include "scenario/rates_csv.h"

// -------------------------------------------------------------------------------------------------------------- curves

/** The integral of u^2 (3 - 2 u) from 0 to u, divided by its value for u = 1, which is 1/2. */
static double smooth_share(double u) { return u * u * u * (2 - u); }

static double bell_share(double peak, double x) {
  if (x < peak) return peak * smooth_share(x / peak);
  return peak < 1 ? 1 - (1 - peak) * smooth_share((1 - x) / (1 - peak)) : peak;
}

/** The integral of exp(-t / decay) from 0 to t, divided by decay. */
static double decayed(double decay, double t) { return 1 - sciara_exp(-t / decay); }

static double waning_share(double peak, double decay, double x) {
  const double rise = 0.5 * peak, all = rise + decay * decayed(decay, 1 - peak);
  if (x < peak) return 0.5 * x * (x / peak) / all;
  return (rise + decay * decayed(decay, x - peak)) / all;
}

static double table_share(const struct sciara_curve *c, double x) {
  const double begin = c->edges[0], time = begin + x * (c->edges[c->count] - begin);
  double before = 0, all = 0;
  for (size_t k = 0; k < c->count; k++) {
    const double from = c->edges[k], to = c->edges[k + 1];
    all += c->rates[k] * (to - from);
    if (time > from) before += c->rates[k] * ((time < to ? time : to) - from);
  }
  return before / all;
}

double sciara_curve_share(const struct sciara_curve *c, double x) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  switch (c->kind) {
    case SCIARA_CURVE_BELL: return bell_share(c->peak, x);
    case SCIARA_CURVE_EXPONENTIAL: return decayed(c->decay, x) / decayed(c->decay, 1);
    case SCIARA_CURVE_WANING: return waning_share(c->peak, c->decay, x);
    case SCIARA_CURVE_TABLE: return table_share(c, x);
    case SCIARA_CURVE_CONSTANT: break;
  }
  return x;
}

void sciara_curve_rates(const struct sciara_curve *c, double volume_m3, double duration_s, size_t slots,
                        double *rates_m3_s) {
  const double slot = duration_s / (double)slots;
  double before = 0;
  for (size_t k = 0; k < slots; k++) {
    const double until = sciara_curve_share(c, (double)(k + 1) / (double)slots), part = until - before;
    rates_m3_s[k] = part > 0 ? volume_m3 * part / slot : 0;
    before = until;
  }
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
  char *path = NULL, first[SCIARA_DATE_SIZE];
  SCIARA_TRY(sciara_ensemble_path(r, file, &path));
  sciara_rates_csv_first_date(path, first);
  const struct sciara_rates_options options = {.run_start = *first ? first : NULL};
  const enum sciara_status status = sciara_rates_csv_read(path, &options, &s->table);
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

/** Dates in the file of an event are counted from the first one. */
static enum sciara_status put_start(const struct sciara_ensemble_reading *r, const cJSON *csv, cJSON *root) {
  char *path = NULL, first[SCIARA_DATE_SIZE];
  if (!csv) return SCIARA_OK;
  SCIARA_TRY(sciara_ensemble_path(r, csv, &path));
  sciara_rates_csv_first_date(path, first);
  free(path);
  if (!*first || cJSON_AddStringToObject(cJSON_AddObjectToObject(root, "run"), "start", first)) return SCIARA_OK;
  return sciara_no_memory("an ensemble");
}

/** The rates of "slot", "table" or "csv", read as those of a vent of a scenario. */
static enum sciara_status read_rates(const struct sciara_ensemble_reading *r, const cJSON *event, size_t index,
                                     struct sciara_event_spec *e) {
  static const char *const keys[] = {"slot", "rates_m3_s", "table", "csv"};
  struct sciara_scenario_spec scenario = {0};
  cJSON *root = cJSON_CreateObject(), *vent = sciara_json_push(cJSON_AddArrayToObject(root, "vents")),
        *effusion = cJSON_AddObjectToObject(vent, "effusion");
  bool whole = effusion && cJSON_AddNumberToObject(vent, "start", 0) && cJSON_AddNumberToObject(vent, "x", 0) &&
               cJSON_AddNumberToObject(vent, "y", 0);
  for (size_t k = 0; whole && k < sizeof keys / sizeof *keys; k++) {
    const cJSON *value = sciara_json_get(event, keys[k]);
    if (value) whole = sciara_json_put(effusion, keys[k], cJSON_Duplicate(value, true));
  }
  struct sciara_diagnostics diagnostics = {0};
  scenario.path = sciara_format("%s: events[%zu]", r->file, index);
  enum sciara_status status = whole && scenario.path ? SCIARA_OK : sciara_no_memory("an ensemble");
  if (status == SCIARA_OK) status = put_start(r, sciara_json_get(event, "csv"), root);
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
  SCIARA_TRY(sciara_ensemble_name(event, "event", index + 1, &e->name));
  e->by_volume = sciara_json_get(event, "volume_m3") != NULL;
  if (!e->by_volume) return read_rates(r, event, index, e);
  e->volume_m3 = sciara_json_double(event, "volume_m3", 0);
  e->duration_s = sciara_scenario_seconds(sciara_json_get(event, "duration"));
  SCIARA_TRY(read_curve(r, event, index, e));
  struct sciara_text text = {0};
  const enum sciara_status status = sciara_event_effusion(e, e->volume_m3, e->duration_s, 1, &text);
  sciara_text_free(&text);
  return sciara_fail_context(status, "%s: events[%zu]", r->file, index);
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
        sciara_ensemble_report(r, "events", *count, "name", "one given twice", "a different name for each event");
    sum += e->weight;
    ++*count;
  }
  if (!(sum > 0 && sum <= 1e300))
    sciara_ensemble_report(r, "events", SCIARA_NO_INDEX, NULL, *count ? "weights without such a sum" : "no event",
                           "events whose weights have a finite sum above 0");
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
  return sciara_text_append_bytes(out, number, strlen(number));
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
    if (k) sciara_text_append_bytes(out, ", ", 2);
    SCIARA_TRY(append_rate(out, volume_m3 * e->part[k] / slot * scale));
  }
  return sciara_text_append(out, "]}");
}
