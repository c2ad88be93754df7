// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calibrate/support.h"
#include "file/durable.h"
#include "page/page_html.h"
#include "scenario/vent_places.h"

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
                         const struct sciara_support *support, const double *correlation, cJSON *search) {
  const size_t n = r->search->unknown_count;
  cJSON *unknowns = cJSON_AddArrayToObject(search, "unknowns");
  bool made = unknowns;
  for (size_t k = 0; k < n && made; k++) {
    const struct sciara_unknown *u = &r->search->unknown[k];
    const struct sciara_support *s = &support[k];
    cJSON *item = push_object(unknowns), *with = item ? cJSON_AddArrayToObject(item, "correlation") : NULL;
    made = with && put_text(item, "key", u->key) && put(item, "min", u->min) && put(item, "max", u->max) &&
           cJSON_AddBoolToObject(item, "log", u->log) && put(item, "best", r->table->value[r->best * n + k]) &&
           put(item, "median", s->median) && put(item, "low", s->low) && put(item, "high", s->high) &&
           put(item, "spread", s->spread) && put_effects(e, k, item);
    for (size_t i = 0; i < n && made; i++) made = push(with, correlation[k * n + i]);
  }
  return made && put_rows(r, search, unknowns);
}

static double stopped_of(const struct sciara_evaluation_table *t) {
  double count = 0;
  for (size_t row = 0; row < t->count; row++) count += t->status[row] == SCIARA_EVALUATE_STOPPED;
  return count;
}

static bool put_search(const struct sciara_calibration_record *r, const struct sciara_effects *e, size_t accepted,
                       const struct sciara_support *support, const double *correlation, cJSON *search) {
  static const char *const designs[] = {[SCIARA_DESIGN_CMAES] = "cma-es",
                                        [SCIARA_DESIGN_LHS] = "lhs",
                                        [SCIARA_DESIGN_SOBOL] = "sobol",
                                        [SCIARA_DESIGN_MORRIS] = "morris",
                                        [SCIARA_DESIGN_SALTELLI] = "saltelli"};
  bool made = put_text(search, "design", designs[r->search->file->design]) &&
              put(search, "evaluations", (double)r->table->count) && put(search, "budget", (double)r->search->budget) &&
              put(search, "without_score", (double)r->failed) && put(search, "stopped", stopped_of(r->table)) &&
              put(search, "best", (double)(r->best + 1)) && put(search, "score", r->table->score[r->best]) &&
              put(search, "accepted", (double)accepted) && put(search, "accepted_part", SCIARA_ACCEPTED_PART) &&
              put(search, "accepted_least", SCIARA_SUPPORT_LEAST);
  cJSON *names = e ? cJSON_AddArrayToObject(search, "effects") : NULL;
  made = made && (!e || names);
  for (size_t k = 0; e && k < e->count && made; k++) made = cJSON_AddItemToArray(names, cJSON_CreateString(e->name[k]));
  if (made && e) made = put(search, "effects_used", (double)e->used) && put(search, "effects_of", (double)e->of);
  return made && put_pairs(r, search) && put_progress(r, search) && put_unknowns(r, e, support, correlation, search);
}

/** What the page knows of the search, as JSON. Of the path of a search nothing is accepted. */
static enum sciara_status print_search(const struct sciara_calibration_record *r, const struct sciara_effects *e,
                                       struct sciara_text *out) {
  const bool even = r->search->file->design == SCIARA_DESIGN_LHS || r->search->file->design == SCIARA_DESIGN_SOBOL;
  const size_t n = r->search->unknown_count, rows = r->table->count;
  struct sciara_support support[SCIARA_UNKNOWNS_MOST];
  double *correlation = NULL;
  bool *accepted = NULL;
  size_t count = 0;
  cJSON *root = cJSON_CreateObject(), *searches = cJSON_AddArrayToObject(root, "searches"),
        *search = searches ? push_object(searches) : NULL;
  enum sciara_status status = search ? SCIARA_OK : no_memory();
  if (status == SCIARA_OK) status = SCIARA_NEW(accepted, rows, "the accepted sets");
  if (status == SCIARA_OK) status = SCIARA_NEW(correlation, n * n, "correlations");
  for (size_t row = 0; status == SCIARA_OK && even && row < rows; row++)
    count += accepted[row] = sciara_calibration_is_accepted(r, row);
  if (status == SCIARA_OK)
    status = sciara_support_make(r->search, r->table->value, accepted, rows, support, correlation);
  if (status == SCIARA_OK && !put_search(r, e, count, support, correlation, search)) status = no_memory();
  if (status == SCIARA_OK) status = sciara_json_print(root, out);
  cJSON_Delete(root);
  sciara_free(accepted);
  sciara_free(correlation);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- the map

/** The cells of the map and their values. */
struct map {
  struct sciara_page_frames frames;
  struct sciara_page_frame frame;
  uint8_t *sea;
  struct sciara_vent_marks marks;
  struct sciara_page_vent *vent;
};

static void map_free(struct map *m) {
  for (size_t k = 0; k < m->frames.field_count; k++) sciara_free(m->frames.fields[k].levels);
  sciara_free(m->frames.covered);
  sciara_free(m->sea);
  sciara_vent_marks_free(&m->marks);
  sciara_free(m->vent);
}

/** The smallest box around lava and the observed extent. */
static void find_box(struct sciara_page_frames *f, const uint8_t *observed) {
  const struct sciara_grid *g = &f->grid;
  int64_t end[2] = {0, 0};
  for (int64_t i = 0; i < sciara_grid_cells(g); i++) {
    if (!f->covered[i] && !observed[i]) continue;
    const int64_t at[2] = {i / g->cols, i % g->cols};
    for (int k = 0; k < 2; k++) {
      if (end[k] == 0 || at[k] < f->box[k]) f->box[k] = at[k];
      if (at[k] >= end[k]) end[k] = at[k] + 1;
    }
  }
  for (int k = 0; k < 2; k++) f->box[k + 2] = end[k] - f->box[k];
}

/** A field of the cells that count: `counts` of each cell of the footprint. */
static enum sciara_status add_field(struct map *m, enum sciara_field field, const float *value, const bool *counts,
                                    int64_t count) {
  struct sciara_page_field *to = &m->frames.fields[m->frames.field_count++];
  int64_t at = 0;
  *to = (struct sciara_page_field){.field = field, .like = -1};
  for (int64_t n = 0; n < count; n++)
    if (counts[n]) to->high = fmax(to->high, (double)value[n]);
  to->step = sciara_page_step(fmax(to->high, 1e-9), SCIARA_PAGE_STEPS);
  SCIARA_TRY(SCIARA_NEW(to->levels, m->frames.cells, "a map of a page"));
  for (int64_t n = 0; n < count; n++)
    if (counts[n]) to->levels[at++] = (uint16_t)(1 + lround((double)value[n] / to->step));
  return SCIARA_OK;
}

/** What is compared with the observed extent: lava at the end, or what lava has reached at its time. */
static enum sciara_status take_cells(const struct sciara_calibration_page *p, double least, struct map *m) {
  const struct sciara_footprint *f = p->footprint;
  const bool at_end = !(p->at_s < (double)INFINITY);
  bool *counts = NULL;
  enum sciara_status status;
  m->frames.grid = p->site->grid;
  m->frames.frames = &m->frame;
  m->frames.frame_count = 1;
  m->frame.time_s = at_end ? f->end_s : p->at_s;
  m->frame.covered_cells = -1;
  SCIARA_TRY_GOTO(SCIARA_NEW(counts, f->count, "the cells of a page"));
  SCIARA_TRY_GOTO(SCIARA_NEW(m->frames.covered, sciara_grid_cells(&m->frames.grid), "the cells of a page"));
  for (int64_t n = 0; n < f->count; n++) {
    counts[n] =
        at_end ? (double)f->deposit[n] > least : (double)f->arrival[n] <= p->at_s && (double)f->max_deposit[n] > least;
    m->frames.covered[f->cell[n]] = counts[n];
    m->frames.cells += counts[n];
  }
  find_box(&m->frames, p->covered);
  if (at_end) SCIARA_TRY_GOTO(add_field(m, SCIARA_FIELD_DEPOSIT, f->deposit, counts, f->count));
  SCIARA_TRY_GOTO(add_field(m, SCIARA_FIELD_ARRIVAL_TIME, f->arrival, counts, f->count));
cleanup:
  sciara_free(counts);
  return status;
}

static enum sciara_status take_sea(const struct sciara_site *site, struct map *m) {
  if (site->sea_cells == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(m->sea, sciara_grid_cells(&site->grid), "the sea of a page"));
  for (int64_t i = 0; i < sciara_grid_cells(&site->grid); i++) m->sea[i] = site->kind[i] == SCIARA_CELL_SEA;
  return SCIARA_OK;
}

static enum sciara_status take_vents(const char *path, const char *scenario, const struct sciara_site *site,
                                     struct map *m) {
  const struct sciara_georef georef = {.crs_wkt = site->origin.crs_wkt, .crs_name = site->origin.crs_name};
  struct sciara_scenario_spec spec = {0};
  struct sciara_diagnostics diagnostics = {0}; // it has been computed: places are all that is looked at
  sciara_scenario_parse_alone(path, scenario, &spec, &diagnostics);
  enum sciara_status status = diagnostics.no_memory ? no_memory() : SCIARA_OK;
  if (status == SCIARA_OK) status = sciara_vent_marks_make(&spec, &site->grid, &georef, &m->marks);
  if (status == SCIARA_OK) status = SCIARA_NEW(m->vent, m->marks.count, "the vents of a page");
  for (size_t k = 0; k < m->marks.count && status == SCIARA_OK; k++)
    m->vent[k] = (struct sciara_page_vent){
        .name = m->marks.mark[k].name, .points = m->marks.mark[k].points, .count = m->marks.mark[k].count};
  sciara_diagnostics_free(&diagnostics);
  sciara_scenario_free(&spec);
  return status;
}

// ----------------------------------------------------------------------------------------------------------------- all

enum sciara_status sciara_calibration_page_write(const struct sciara_calibration_record *r,
                                                 const struct sciara_calibration_page *page) {
  const char *observed = r->search->file->observed[0].path, *slash = strrchr(observed, '/');
  const cJSON *title = cJSON_GetObjectItemCaseSensitive(r->search->file->tree, "title");
  struct sciara_text scenario = {0}, search = {0};
  struct map m = {0};
  char *path = sciara_path_join(r->folder, SCIARA_CALIBRATION_PAGE);
  enum sciara_status status = path ? SCIARA_OK : no_memory();
  if (status == SCIARA_OK) status = sciara_calibration_best_print(r, 0, &scenario);
  if (status == SCIARA_OK) status = print_search(r, page->effects, &search);
  if (status == SCIARA_OK) status = take_cells(page, r->search->file->min_thickness_m, &m);
  if (status == SCIARA_OK) status = take_sea(page->site, &m);
  if (status == SCIARA_OK) status = take_vents(r->search->file->scenario[0], scenario.data, page->site, &m);
  if (status == SCIARA_OK) {
    const struct sciara_page out = {.language = page->language,
                                    .frames = &m.frames,
                                    .altitude = page->site->z0,
                                    .observed = page->covered,
                                    .observed_name = slash ? slash + 1 : observed,
                                    .sea = m.sea,
                                    .vent = m.vent,
                                    .vents = m.marks.count,
                                    .crs_wkt = page->site->origin.crs_wkt,
                                    .snapshot_count = 1,
                                    .title = title ? title->valuestring : NULL,
                                    .crs_name = page->site->origin.crs_name,
                                    .scenario_json = scenario.data,
                                    .source = "sciara " SCIARA_VERSION,
                                    .calibration = search.data};
    status = sciara_page_write(&out, path);
  }
  map_free(&m);
  sciara_text_free(&scenario);
  sciara_text_free(&search);
  free(path);
  return status;
}
