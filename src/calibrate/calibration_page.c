// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calibrate/calibration_maps.h"
#include "calibrate/support.h"
#include "file/durable.h"

enum { MOST_DRAWN = 2000 }; // rows

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a page"); }

// ---------------------------------------------------------------------------------------------------------- the search

/** Adds a number, or null. */
static bool put(cJSON *object, const char *name, double value) {
  return (isfinite(value) ? cJSON_AddNumberToObject(object, name, value) : cJSON_AddNullToObject(object, name)) != NULL;
}

static bool push(cJSON *array, double value) {
  cJSON *item = isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
  return item && cJSON_AddItemToArray(array, item);
}

static cJSON *push_object(cJSON *array) {
  cJSON *item = cJSON_CreateObject();
  if (item && cJSON_AddItemToArray(array, item)) return item;
  cJSON_Delete(item);
  return NULL;
}

static bool put_text(cJSON *object, const char *name, const char *text) {
  struct sciara_text plain = {0};
  const bool made = sciara_is_utf8(text) || sciara_text_append_plain(&plain, text) == SCIARA_OK;
  const bool added = made && cJSON_AddStringToObject(object, name, plain.data ? plain.data : text);
  sciara_text_free(&plain);
  return added;
}

static bool put_pairs(const struct sciara_calibration_record *r, cJSON *search) {
  const struct sciara_calibration_file *f = r->search->file;
  cJSON *pairs = cJSON_AddArrayToObject(search, "pairs");
  bool made = pairs;
  for (size_t k = 0; k < f->pair_count && made; k++) {
    const struct sciara_evaluate_observed *o = &f->observed[k];
    cJSON *item = push_object(pairs);
    made = item && put_text(item, "scenario", f->scenario[o->scenario]) && put_text(item, "observed", o->path) &&
           (!o->region || put_text(item, "region", o->region)) && put(item, "at_s", o->at_s) &&
           (!o->at_date || put_text(item, "date", o->at_date)) && put(item, "weight", o->weight) &&
           cJSON_AddBoolToObject(item, "hold_out", f->observed[k].held_out) &&
           put(item, "jaccard", r->table->jaccard[r->best * f->pair_count + k]);
  }
  return made;
}

/** The evaluations at which the score became better: [number, score]. */
static bool put_progress(const struct sciara_calibration_record *r, cJSON *search) {
  cJSON *progress = cJSON_AddArrayToObject(search, "progress"), *restarts = cJSON_AddArrayToObject(search, "restarts");
  double best = NAN;
  bool made = progress && restarts;
  for (size_t row = 0; row < r->table->count && made; row++) {
    if (isnan(r->table->score[row]) || r->table->status[row] == SCIARA_EVALUATE_STOPPED) continue;
    if (r->table->score[row] <= best) continue;
    best = r->table->score[row];
    cJSON *item = cJSON_CreateArray();
    made = item && cJSON_AddItemToArray(progress, item) && push(item, (double)(row + 1)) && push(item, best);
  }
  for (size_t k = 0; k < r->restart_count && made; k++) made = push(restarts, (double)r->restart[k].evaluations);
  return made;
}

/** The rows that are drawn, evenly chosen. */
static bool put_rows(const struct sciara_calibration_record *r, cJSON *search, cJSON *unknowns) {
  const size_t rows = r->table->count, shown = rows < MOST_DRAWN ? rows : MOST_DRAWN;
  const size_t n = r->search->unknown_count;
  cJSON *scores = cJSON_AddArrayToObject(search, "scores"), *numbers = cJSON_AddArrayToObject(search, "numbers"),
        *bounds = cJSON_AddArrayToObject(search, "bounds"), *item;
  bool made = scores && numbers && bounds;
  for (size_t k = 0; k < shown && made; k++) {
    const size_t row = k * rows / shown;
    const bool stopped = r->table->status[row] == SCIARA_EVALUATE_STOPPED;
    made = push(numbers, (double)(row + 1)) && push(scores, stopped ? (double)NAN : r->table->score[row]) &&
           push(bounds, stopped ? r->table->score[row] : (double)NAN);
  }
  size_t unknown = 0;
  cJSON_ArrayForEach(item, unknowns) {
    cJSON *values = cJSON_AddArrayToObject(item, "values");
    made = made && values;
    for (size_t k = 0; k < shown && made; k++) made = push(values, r->table->value[k * rows / shown * n + unknown]);
    unknown++;
  }
  return made;
}

static bool put_effects(const struct sciara_effects *e, size_t unknown, cJSON *item) {
  cJSON *effects = e ? cJSON_AddArrayToObject(item, "effects") : NULL;
  bool made = !e || effects;
  for (size_t k = 0; e && k < e->count && made; k++) made = push(effects, e->value[unknown][k]);
  return made;
}

static bool put_unknowns(const struct sciara_calibration_record *r, const struct sciara_effects *e,
                         const struct sciara_supported *supported, cJSON *search) {
  static const char *const verdicts[] = {
      [SCIARA_IDENTIFIABLE] = "yes", [SCIARA_WEAKLY_IDENTIFIABLE] = "weakly", [SCIARA_NOT_IDENTIFIABLE] = "no"};
  const size_t n = r->search->unknown_count;
  cJSON *unknowns = cJSON_AddArrayToObject(search, "unknowns");
  bool made = unknowns;
  for (size_t k = 0; k < n && made; k++) {
    const struct sciara_unknown *u = &r->search->unknown[k];
    const struct sciara_support *s = &supported->unknown[k];
    cJSON *item = push_object(unknowns), *with = item ? cJSON_AddArrayToObject(item, "correlation") : NULL;
    made = with && put_text(item, "key", u->key) && (!u->disc || put(item, "disc", (double)u->disc->vent)) &&
           put(item, "min", u->min) && put(item, "max", u->max) && cJSON_AddBoolToObject(item, "log", u->log) &&
           put(item, "best", r->table->value[r->best * n + k]) && put(item, "median", s->median) &&
           put(item, "low", s->low) && put(item, "high", s->high) && put(item, "spread", s->spread) &&
           put_effects(e, k, item);
    if (made && !isnan(s->spread)) made = put_text(item, "identifiable", verdicts[s->identifiable]);
    for (size_t i = 0; i < n && made; i++) made = push(with, supported->correlation[k][i]);
  }
  return made && put_rows(r, search, unknowns);
}

static double stopped_of(const struct sciara_evaluation_table *t) {
  double count = 0;
  for (size_t row = 0; row < t->count; row++) count += t->status[row] == SCIARA_EVALUATE_STOPPED;
  return count;
}

static bool put_search(const struct sciara_calibration_record *r, const struct sciara_effects *e,
                       const struct sciara_supported *supported, cJSON *search) {
  static const char *const designs[] = {[SCIARA_DESIGN_CMAES] = "cma-es",
                                        [SCIARA_DESIGN_LHS] = "lhs",
                                        [SCIARA_DESIGN_SOBOL] = "sobol",
                                        [SCIARA_DESIGN_MORRIS] = "morris",
                                        [SCIARA_DESIGN_SALTELLI] = "saltelli"};
  bool made = (!r->search->name || put_text(search, "name", r->search->name)) &&
              put_text(search, "rule", sciara_rule_name(r->search->rule)) &&
              put_text(search, "design", designs[r->search->file->design]) &&
              put(search, "evaluations", (double)r->table->count) && put(search, "budget", (double)r->search->budget) &&
              put(search, "without_score", (double)r->failed) && put(search, "stopped", stopped_of(r->table)) &&
              put(search, "best", (double)(r->best + 1)) && put(search, "score", r->table->score[r->best]) &&
              put(search, "accepted", (double)supported->accepted) &&
              put(search, "accepted_part", SCIARA_ACCEPTED_PART) &&
              put(search, "accepted_least", SCIARA_SUPPORT_LEAST) && put(search, "together", SCIARA_SUPPORT_TOGETHER);
  cJSON *names = e ? cJSON_AddArrayToObject(search, "effects") : NULL;
  made = made && (!e || names);
  for (size_t k = 0; e && k < e->count && made; k++) made = cJSON_AddItemToArray(names, cJSON_CreateString(e->name[k]));
  if (made && e) made = put(search, "effects_used", (double)e->used) && put(search, "effects_of", (double)e->of);
  return made && put_pairs(r, search) && put_progress(r, search) && put_unknowns(r, e, supported, search);
}

/** Adds what the page knows of a search. */
static enum sciara_status add_search(const struct sciara_calibration_found *found, cJSON *searches) {
  struct sciara_supported *supported;
  SCIARA_TRY(SCIARA_NEW(supported, 1, "the accepted sets"));
  cJSON *search = push_object(searches);
  enum sciara_status status = search ? sciara_support_make(&found->record, supported) : no_memory();
  if (status == SCIARA_OK && !put_search(&found->record, found->effects, supported, search)) status = no_memory();
  sciara_free(supported);
  return status;
}

static enum sciara_status print_searches(const struct sciara_calibration_page *page, struct sciara_text *out) {
  cJSON *searches = cJSON_CreateArray();
  enum sciara_status status = searches ? SCIARA_OK : no_memory();
  for (size_t k = 0; k < page->count && status == SCIARA_OK; k++) status = add_search(&page->found[k], searches);
  if (status == SCIARA_OK) status = sciara_text_append(out, "{\"searches\":");
  if (status == SCIARA_OK) status = sciara_json_print(searches, out);
  cJSON_Delete(searches);
  return status;
}

// ----------------------------------------------------------------------------------------------------------------- all

/** The maps after the first one. */
static enum sciara_status print_maps(const struct sciara_calibration_page *page,
                                     const struct sciara_calibration_boxes *b, struct sciara_text *out) {
  const size_t count = page->count * page->found->record.search->file->pair_count;
  SCIARA_TRY(sciara_text_append(out, ",\n\"maps\":["));
  for (size_t k = 1; k < count; k++) {
    struct sciara_calibration_map m = {0};
    enum sciara_status status = sciara_calibration_map_make(page, b, k, &m);
    if (status == SCIARA_OK && k > 1) status = sciara_text_append(out, ",\n");
    if (status == SCIARA_OK) status = sciara_page_map_print(out, &m.page, m.like);
    sciara_calibration_map_free(&m);
    if (status != SCIARA_OK) return status;
  }
  return sciara_text_append(out, "]}");
}

enum sciara_status sciara_calibration_page_write(const char *folder, const struct sciara_calibration_page *page) {
  const cJSON *title = cJSON_GetObjectItemCaseSensitive(page->found->record.search->file->tree, "title");
  char *path = sciara_path_join(folder, SCIARA_CALIBRATION_PAGE);
  struct sciara_calibration_boxes boxes = {0};
  struct sciara_calibration_map m = {0};
  struct sciara_text text = {0};
  enum sciara_status status = path ? sciara_calibration_boxes_make(page, &boxes) : no_memory();
  if (status == SCIARA_OK) status = print_searches(page, &text);
  if (status == SCIARA_OK) status = print_maps(page, &boxes, &text);
  if (status == SCIARA_OK) status = sciara_calibration_map_make(page, &boxes, 0, &m);
  if (status == SCIARA_OK) {
    m.page.title = title ? title->valuestring : NULL;
    m.page.calibration = text.data;
    status = sciara_page_write(&m.page, path);
  }
  sciara_calibration_map_free(&m);
  sciara_calibration_boxes_free(&boxes);
  sciara_text_free(&text);
  free(path);
  return status;
}
