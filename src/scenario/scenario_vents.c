// SPDX-License-Identifier: Apache-2.0
// The vents of a checked scenario: positions, and tables of effusion rates, which may change while it is run.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/durable.h"
#include "scenario/rates_csv.h"
#include "scenario/scenario_keys.h"

/** A vent that is being converted from the tree. */
struct reading {
  const char *file, *folder;
  bool alone; ///< no CSV file may be opened
  const struct sciara_notes *notes;
  const char *run_start; ///< "YYYY-MM-DDThh:mm:ssZ", or NULL
  const cJSON *vent;
  size_t index;
  struct sciara_vent_spec *spec;
};

static double number(const cJSON *object, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(object, name)->valuedouble;
}

static enum sciara_status read_vent_line(struct sciara_vent_spec *spec, const cJSON *line) {
  spec->place = SCIARA_VENT_LINE;
  const size_t count = (size_t)cJSON_GetArraySize(line);
  SCIARA_TRY(SCIARA_NEW(spec->points, count, "the points of a fissure"));
  spec->point_count = count; // set last: an invalid vent is checked further
  size_t i = 0;
  const cJSON *point;
  cJSON_ArrayForEach(point, line) {
    spec->points[i++] = (struct sciara_point){point->child->valuedouble, point->child->next->valuedouble};
  }
  return SCIARA_OK;
}

static enum sciara_status read_place(struct sciara_vent_spec *spec, const cJSON *vent) {
  static const struct {
    const char *x, *y;
    enum sciara_vent_place place;
  } pairs[] = {{"x", "y", SCIARA_VENT_XY}, {"lon", "lat", SCIARA_VENT_LONLAT}, {"col", "row", SCIARA_VENT_ROWCOL}};
  const cJSON *line = cJSON_GetObjectItemCaseSensitive(vent, "line");
  spec->lonlat = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(vent, "lonlat"));
  if (line) return read_vent_line(spec, line);
  SCIARA_TRY(SCIARA_NEW(spec->points, 1, "the place of a vent"));
  spec->point_count = 1;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (!cJSON_GetObjectItemCaseSensitive(vent, pairs[i].x)) continue;
    spec->place = pairs[i].place;
    spec->points[0] = (struct sciara_point){number(vent, pairs[i].x), number(vent, pairs[i].y)};
  }
  return SCIARA_OK;
}

static enum sciara_status copy_text(const cJSON *object, const char *key, char **out) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
  *out = value ? sciara_format("%s", value->valuestring) : NULL;
  return value && !*out ? sciara_no_memory("the place of a vent") : SCIARA_OK;
}

/** A place of a file, which is read when the DEM is. */
static enum sciara_status read_file(struct reading *r) {
  const cJSON *file = cJSON_GetObjectItemCaseSensitive(r->vent, "file");
  if (!file) return SCIARA_OK;
  SCIARA_TRY(copy_text(r->vent, "layer", &r->spec->layer));
  SCIARA_TRY(copy_text(r->vent, "place", &r->spec->feature));
  return sciara_path_in(r->folder, file->valuestring, &r->spec->file);
}

enum sciara_status sciara_vent_area_check(const cJSON *vent, enum sciara_vent_place place, size_t index) {
  const bool line = place == SCIARA_VENT_LINE;
  if (!cJSON_GetObjectItemCaseSensitive(vent, line ? "radius_m" : "width_m")) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     line ? "vents[%zu].radius_m: expected it only for a vent at a point, found it for a line, which "
                            "has a width_m"
                          : "vents[%zu].width_m: expected it only for a line, found it for a vent at a point, which "
                            "has a radius_m",
                     index);
}

/** The area of a vent: the radius of a point, or the width of a line. */
static enum sciara_status read_area(struct reading *r) {
  const cJSON *radius = cJSON_GetObjectItemCaseSensitive(r->vent, "radius_m");
  const cJSON *width = cJSON_GetObjectItemCaseSensitive(r->vent, "width_m");
  SCIARA_TRY(sciara_fail_context(r->spec->file ? SCIARA_OK : sciara_vent_area_check(r->vent, r->spec->place, r->index),
                                 "%s", r->file));
  r->spec->reach_m = radius ? radius->valuedouble : width ? 0.5 * width->valuedouble : 0;
  return SCIARA_OK;
}

static enum sciara_status read_slots(struct reading *r, const cJSON *effusion, double start) {
  struct sciara_vent_spec *spec = r->spec;
  const cJSON *rates = cJSON_GetObjectItemCaseSensitive(effusion, "rates_m3_s");
  double slot = sciara_scenario_seconds(cJSON_GetObjectItemCaseSensitive(effusion, "slot"));
  const size_t count = (size_t)cJSON_GetArraySize(rates);
  SCIARA_TRY(SCIARA_NEW(spec->rates, count, "effusion rates"));
  SCIARA_TRY(SCIARA_NEW(spec->edges, count + 1, "effusion times"));
  spec->rate_count = count;
  size_t k = 0;
  const cJSON *rate;
  cJSON_ArrayForEach(rate, rates) spec->rates[k++] = rate->valuedouble;
  for (k = 0; k <= spec->rate_count; k++) spec->edges[k] = start + (double)k * slot;
  return SCIARA_OK;
}

/** Row k of a table must follow the one before it, and the last one closes the table. */
static enum sciara_status check_vent_row(const struct reading *r, size_t k, size_t last, double rate) {
  const double *edges = r->spec->edges;
  if (k > 0 && !(edges[k] > edges[k - 1]))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: vents[%zu].effusion.table[%zu]: expected a time above %.17g s, the time of the previous row; "
        "found %.17g s",
        r->file, r->index, k, edges[k - 1], edges[k]);
  if (k == last && rate != 0)
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: vents[%zu].effusion.table[%zu]: expected the rate 0 in the last row, which closes the table; "
        "found %.17g",
        r->file, r->index, k, rate);
  return SCIARA_OK;
}

static enum sciara_status read_vent_table(struct reading *r, const cJSON *table, double start) {
  struct sciara_vent_spec *spec = r->spec;
  const size_t last = (size_t)cJSON_GetArraySize(table) - 1;
  SCIARA_TRY(SCIARA_NEW(spec->rates, last, "effusion rates"));
  SCIARA_TRY(SCIARA_NEW(spec->edges, last + 1, "effusion times"));
  size_t k = 0;
  const cJSON *row;
  cJSON_ArrayForEach(row, table) {
    const double rate = row->child->next->valuedouble;
    spec->edges[k] = sciara_scenario_seconds(row->child);
    SCIARA_TRY(check_vent_row(r, k, last, rate));
    if (k < last) spec->rates[k] = rate;
    k++;
  }
  for (k = 0; k <= last; k++) spec->edges[k] += start;
  spec->rate_count = last;
  return SCIARA_OK;
}

/** What the keys next to "csv" say of the file. */
static struct sciara_rates_options options_of(const struct reading *r, const cJSON *effusion) {
  static const char *const choices[] = {
      [SCIARA_RATES_TAKE_MEAN] = "mean", [SCIARA_RATES_TAKE_LOW] = "low", [SCIARA_RATES_TAKE_HIGH] = "high"};
  struct sciara_rates_options o = {.run_start = r->run_start, .notes = r->notes};
  const cJSON *choose = cJSON_GetObjectItemCaseSensitive(effusion, "choose"),
              *density = cJSON_GetObjectItemCaseSensitive(effusion, "radiant_density_J_m3"),
              *background = cJSON_GetObjectItemCaseSensitive(effusion, "background_radiance_W_m2_sr_um");
  for (size_t k = 0; choose && k < sizeof choices / sizeof *choices; k++)
    if (strcmp(choose->valuestring, choices[k]) == 0) o.choice = (enum sciara_rates_choice)k;
  if (density) o.radiant_density = density->valuedouble;
  if (background) o.background = background->valuedouble;
  return o;
}

static enum sciara_status read_csv(struct reading *r, const cJSON *effusion, double start) {
  const struct sciara_rates_options options = options_of(r, effusion);
  char *path;
  SCIARA_TRY(sciara_path_in(r->folder, cJSON_GetObjectItemCaseSensitive(effusion, "csv")->valuestring, &path));
  struct sciara_rate_table table;
  enum sciara_status status = sciara_rates_csv_read(path, &options, &table);
  free(path);
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s: vents[%zu].effusion.csv", r->file, r->index);
  r->spec->edges = table.edges;
  r->spec->rates = table.rates;
  r->spec->rate_count = table.count;
  if (table.dated && start != 0)
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: vents[%zu].start: expected 0 for rates with dates, which say when they begin; found %.17g s", r->file,
        r->index, start);
  for (size_t k = 0; k <= table.count; k++) table.edges[k] += start;
  return SCIARA_OK;
}

/** Rejects slots that vanish in the rounding of start + k slot: they would lose their lava. */
static enum sciara_status check_edges(const struct reading *r) {
  const double *edges = r->spec->edges;
  for (size_t k = 0; k < r->spec->rate_count; k++)
    if (!(edges[k] < edges[k + 1]))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: vents[%zu].effusion: expected slots that are longer than the rounding of their times, "
                         "found slot %zu from %.17g to %.17g s",
                         r->file, r->index, k, edges[k], edges[k + 1]);
  return SCIARA_OK;
}

/** A time of the vent, s; `absent` if it is not given. */
static double time_of(const struct reading *r, const char *name, double absent) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(r->vent, name);
  return value && !cJSON_IsNull(value) ? sciara_scenario_seconds(value) : absent;
}

/** Keeps the part of the table between the times `from` and `until` of the vent; one slot without lava if there is none. */
static enum sciara_status keep_part(struct reading *r) {
  struct sciara_vent_spec *s = r->spec;
  const double from = time_of(r, "from", -INFINITY), until = time_of(r, "until", INFINITY);
  size_t first = 0, end = s->rate_count;
  if (!(from < until))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: vents[%zu].until: expected a time after from, %.10g s; found %.10g s",
                       r->file, r->index, from, until);
  while (first < end && s->edges[first + 1] <= from) first++;
  while (end > first && s->edges[end - 1] >= until) end--;
  if (first == end) {
    s->rate_count = 1;
    s->rates[0] = 0;
    return SCIARA_OK;
  }
  s->rate_count = end - first;
  memmove(s->rates, s->rates + first, s->rate_count * sizeof *s->rates);
  memmove(s->edges, s->edges + first, (s->rate_count + 1) * sizeof *s->edges);
  s->edges[0] = fmax(s->edges[0], from);
  s->edges[s->rate_count] = fmin(s->edges[s->rate_count], until);
  return SCIARA_OK;
}

static enum sciara_status read_vent(struct reading *r) {
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(r->vent, "name");
  const cJSON *effusion = cJSON_GetObjectItemCaseSensitive(r->vent, "effusion");
  const cJSON *csv = cJSON_GetObjectItemCaseSensitive(effusion, "csv");
  double start = sciara_scenario_seconds(cJSON_GetObjectItemCaseSensitive(r->vent, "start"));
  const cJSON *named = name ? name : cJSON_GetObjectItemCaseSensitive(r->vent, "place");
  r->spec->name = named ? sciara_format("%s", named->valuestring) : sciara_format("vent %zu", r->index + 1);
  if (!r->spec->name) return sciara_no_memory("the name of a vent");
  SCIARA_TRY(read_file(r));
  if (!r->spec->file) SCIARA_TRY(read_place(r->spec, r->vent));
  SCIARA_TRY(read_area(r));
  if (csv && r->alone) return SCIARA_OK;
  const cJSON *table = cJSON_GetObjectItemCaseSensitive(effusion, "table");
  SCIARA_TRY(csv     ? read_csv(r, effusion, start)
             : table ? read_vent_table(r, table, start)
                     : read_slots(r, effusion, start));
  SCIARA_TRY(check_edges(r));
  return keep_part(r);
}

/** A vent before this one whose rates are those of the same file. */
struct twin {
  const cJSON *effusion; ///< NULL: there is none
  size_t index;
  bool overlap; ///< two of them were found to emit at one time
};

enum { FILES_KNOWN = 16 }; ///< the last files of rates: what is said of one is said once

/** Each of two vents emits all the rates of their file. */
static void warn_of_overlap(const struct reading *r, const struct sciara_vent_spec *vents, struct twin *twin) {
  const struct sciara_vent_spec *a = &vents[twin->index], *b = r->spec;
  if (twin->overlap || a->rate_count == 0 || b->rate_count == 0) return;
  const double from = fmax(a->edges[0], b->edges[0]), end = fmin(a->edges[a->rate_count], b->edges[b->rate_count]);
  if (!(from < end)) return;
  twin->overlap = true;
  sciara_note(
      r->notes, SCIARA_LOG_WARNING,
      "%s: vents[%zu] and vents[%zu] each emit the rates of %s, at the same time from %.10g to %.10g s: if they "
      "are those of all vents together, each needs a part of them",
      r->file, twin->index, r->index, cJSON_GetObjectItemCaseSensitive(twin->effusion, "csv")->valuestring, from, end);
}

void sciara_scenario_vents(const char *folder, const cJSON *root, struct sciara_scenario_spec *out,
                           struct sciara_diagnostics *diagnostics) {
  const cJSON *vents = cJSON_GetObjectItemCaseSensitive(root, "vents"), *vent;
  const enum sciara_status status = SCIARA_NEW(out->vents, cJSON_GetArraySize(vents), "the vents");
  const cJSON *run_start = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "run"), "start");
  char date[SCIARA_DATE_SIZE];
  sciara_diagnostics_add(diagnostics, status);
  if (status != SCIARA_OK) return;
  if (cJSON_IsString(run_start)) sciara_scenario_date(run_start->valuestring, date);
  struct twin twins[FILES_KNOWN] = {0};
  size_t files = 0;
  cJSON_ArrayForEach(vent, vents) {
    size_t index = out->vent_count++;
    const cJSON *effusion = cJSON_GetObjectItemCaseSensitive(vent, "effusion");
    const bool csv = cJSON_GetObjectItemCaseSensitive(effusion, "csv") != NULL;
    struct twin *same = NULL;
    for (size_t k = 0; csv && !same && k < FILES_KNOWN; k++)
      if (cJSON_Compare(effusion, twins[k].effusion, true)) same = &twins[k];
    struct reading r = {.file = out->path,
                        .folder = folder,
                        .alone = out->alone || out->start_refused,
                        .notes = same ? &sciara_no_notes : out->notes, // said of the file before
                        .run_start = cJSON_IsString(run_start) ? date : NULL,
                        .vent = vent,
                        .index = index,
                        .spec = &out->vents[index]};
    if (!cJSON_IsNull(vent)) sciara_diagnostics_add(diagnostics, read_vent(&r));
    r.notes = out->notes;
    if (same) warn_of_overlap(&r, out->vents, same);
    if (csv)
      *(same ? same : &twins[files++ % FILES_KNOWN]) =
          (struct twin){.effusion = effusion, .index = index, .overlap = same && same->overlap};
  }
}

// ------------------------------------------------------------------------------------------------- rates that change

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
