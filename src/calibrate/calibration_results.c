// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/front.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "calibrate/cases.h"
#include "ensemble/ensemble_json.h"
#include "ensemble/members.h"
#include "file/durable.h"
#include "page/page_html.h"
#include "scenario/scenario_keys.h"
#include "scenario/vent_facts.h"

/** Appends a tree, which may be NULL for want of memory, and deletes it. */
static enum sciara_status print_tree(cJSON *root, bool whole, struct sciara_text *out) {
  const enum sciara_status status = root && whole ? sciara_json_print(root, out) : sciara_no_memory("a calibration");
  cJSON_Delete(root);
  return status;
}

// ------------------------------------------------------------------------------------------------------------ the file

static bool put_unknowns(const struct sciara_calibration_search *s, cJSON *search) {
  cJSON *unknowns = cJSON_AddArrayToObject(search, "unknowns");
  bool whole = unknowns;
  for (size_t k = 0; k < s->unknown_count && whole; k++) {
    const struct sciara_unknown *u = &s->unknown[k];
    cJSON *item = sciara_json_push(unknowns);
    whole = item && sciara_json_put_plain(item, "key", u->key) && cJSON_AddBoolToObject(item, "log", u->log) &&
            cJSON_AddBoolToObject(item, "of_prior", u->of_prior) &&
            (!u->disc || sciara_json_put_number(item, "disc", (double)u->disc->vent));
  }
  return whole;
}

static bool put_searches(const struct sciara_calibration_file *f, cJSON *root) {
  cJSON *searches = cJSON_AddArrayToObject(root, "searches");
  bool whole = searches;
  for (size_t k = 0; k < f->search_count && whole; k++) {
    const struct sciara_calibration_search *s = &f->search[k];
    cJSON *item = sciara_json_push(searches);
    whole = item && (!s->name || sciara_json_put_plain(item, "name", s->name)) &&
            sciara_json_put_plain(item, "rule", sciara_rule_name(s->rule)) &&
            sciara_json_put_number(item, "budget", (double)s->budget) &&
            sciara_json_put_number(item, "population", s->population) && put_unknowns(s, item);
  }
  return whole;
}

static bool put_pairs(const struct sciara_calibration_file *f, cJSON *root) {
  cJSON *pairs = cJSON_AddArrayToObject(root, "pairs");
  bool whole = pairs;
  for (size_t k = 0; k < f->pair_count && whole; k++) {
    const struct sciara_evaluate_observed *o = &f->observed[k];
    cJSON *item = sciara_json_push(pairs);
    whole = item && sciara_json_put_plain(item, "scenario", f->scenario[o->scenario]) &&
            sciara_json_put_plain(item, "observed", o->path) &&
            (!o->region || sciara_json_put_plain(item, "region", o->region)) &&
            sciara_json_put_number(item, "at_s", o->at_s) &&
            (!o->at_date || sciara_json_put_plain(item, "date", o->at_date)) &&
            sciara_json_put_number(item, "weight", o->weight) && cJSON_AddBoolToObject(item, "hold_out", o->held_out);
  }
  return whole;
}

enum sciara_status sciara_calibration_print(const struct sciara_calibration_file *f, struct sciara_text *out) {
  cJSON *root = cJSON_CreateObject();
  const bool whole = root && sciara_json_put(root, "file", cJSON_Duplicate(f->tree, true)) &&
                     sciara_json_put_plain(root, "design", sciara_calibration_designs[f->design]) &&
                     sciara_json_put_number(root, "budget", (double)f->budget) &&
                     sciara_json_put_number(root, "seed", (double)f->seed) &&
                     cJSON_AddBoolToObject(root, "early_stop", f->early_stop) &&
                     sciara_json_put_number(root, "runout_penalty", f->run_out_penalty) && put_pairs(f, root) &&
                     put_searches(f, root);
  return print_tree(root, whole, out);
}

// ------------------------------------------------------------------------------------------------------ what it reads

/** The hash of the cells of an observed extent and its region. */
static uint64_t hash_of_extent(const struct sciara_cases *c, size_t observed) {
  const struct sciara_case_observed *o = &c->observed[observed];
  const struct sciara_site *site = c->scenario[c->options->observed[observed].scenario].setup.site;
  const size_t cells = (size_t)sciara_grid_cells(&site->grid);
  const uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, o->covered, cells);
  return o->region ? sciara_hash_bytes(hash, o->region, cells) : hash;
}

/** As in calibration.json. */
static bool put_hashes(const struct sciara_calibration_search *s, const struct sciara_cases *c, cJSON *root) {
  const struct sciara_calibration_file *f = s->file;
  cJSON *scenarios = cJSON_AddArrayToObject(root, "scenarios"), *extents = cJSON_AddArrayToObject(root, "extents");
  bool whole = scenarios && extents &&
               sciara_json_put_number(root, "rule_edition", (double)sciara_rule_edition(s->rule)); // absent: 1
  for (size_t k = 0; k < f->scenario_count && whole; k++) {
    cJSON *item = sciara_json_push(scenarios);
    whole =
        item && sciara_json_put_plain(item, "path", f->scenario[k]) && sciara_json_put_hash(item, "hash", f->hash[k]);
    for (int n = 0; n < SCIARA_INPUTS && whole; n++)
      whole = sciara_json_put_hash(item, sciara_input_table[n].name, c->scenario[k].inputs.hash[n]);
  }
  for (size_t k = 0; k < f->pair_count && whole; k++) {
    cJSON *item = sciara_json_push(extents);
    whole = item && sciara_json_put_plain(item, "path", f->observed[k].path) &&
            (!f->observed[k].at_date || sciara_json_put_plain(item, "date", f->observed[k].at_date)) &&
            sciara_json_put_hash(item, "cells", hash_of_extent(c, k));
  }
  return whole;
}

enum sciara_status sciara_calibration_inputs_print(const struct sciara_calibration_search *s,
                                                   const struct sciara_cases *c, struct sciara_text *out) {
  cJSON *root = cJSON_CreateObject(), *inputs = root ? cJSON_AddObjectToObject(root, "inputs") : NULL,
        *names = root ? cJSON_AddObjectToObject(root, "names") : NULL,
        *bounds = root ? cJSON_AddArrayToObject(root, "bounds") : NULL;
  bool whole = inputs && names && bounds && put_hashes(s, c, inputs);
  for (int n = 0; n < SCIARA_INPUTS && whole; n++)
    whole = sciara_json_put_plain(names, sciara_input_table[n].name, sciara_input_table[n].what);
  for (size_t k = 0; k < s->unknown_count && whole; k++)
    whole = sciara_json_put_pair(bounds, s->unknown[k].min, s->unknown[k].max);
  return print_tree(root, whole, out);
}

// ----------------------------------------------------------------------------------------------------------- best.json

/** Scenario `n` with a set of values, its paths as they were written. */
static enum sciara_status best_tree(const struct sciara_calibration_search *s, size_t n, const double *value,
                                    cJSON **root) {
  const char *path = s->file->scenario[n];
  struct sciara_scenario_spec scenario = {0};
  struct sciara_key_set keys = {0};
  enum sciara_status status = sciara_calibration_scenario(s->file, n, &scenario);
  if (status == SCIARA_OK) status = sciara_calibration_set(s, value, &scenario, &keys);
  if (status == SCIARA_OK) status = sciara_json_read(path, root);
  for (size_t k = 0; k < keys.count && status == SCIARA_OK; k++)
    status = sciara_scenario_override_key(path, *root, keys.key[k], keys.value[k]);
  sciara_scenario_free(&scenario);
  sciara_key_set_free(&keys);
  return status;
}

/** Appends scenario `n` with a set of values, its paths as they were written. */
static enum sciara_status calibration_best_print(const struct sciara_calibration_search *s, size_t n,
                                                 const double *value, struct sciara_text *out) {
  cJSON *root = NULL;
  enum sciara_status status = best_tree(s, n, value, &root);
  if (status == SCIARA_OK) status = sciara_json_print(root, out);
  cJSON_Delete(root);
  return status;
}

enum sciara_status sciara_calibration_best_write(const struct sciara_calibration_search *s, const double *value,
                                                 const char *folder) {
  char *from = sciara_path_folder(s->file->scenario[0]);
  cJSON *root = NULL;
  enum sciara_status status = from ? best_tree(s, 0, value, &root) : sciara_no_memory("a calibration");
  if (status == SCIARA_OK) status = sciara_scenario_move(root, from);
  free(from);
  cJSON_DeleteItemFromObjectCaseSensitive(root, "$schema");
  cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "output"), "folder");
  if (status == SCIARA_OK) status = sciara_json_write(root, folder, "best.json");
  cJSON_Delete(root);
  return status;
}

// -------------------------------------------------------------------------------------------------------- accepted.csv

/** Sets member `at` of a table of `count`, which is made with the first one. */
static enum sciara_status put_member(const struct sciara_calibration_search *s, size_t row, const double *value,
                                     size_t at, size_t count, struct sciara_members *m) {
  struct sciara_key_set keys = {0};
  enum sciara_status status = sciara_calibration_set(s, value, NULL, &keys); // rates act on the base of an ensemble
  if (status == SCIARA_OK && at == 0)
    status = sciara_members_create(count, (const char *const *)keys.key, keys.count, m);
  if (status == SCIARA_OK) {
    m->id[at] = (int64_t)row + 1;
    m->weight[at] = 1;
    for (size_t k = 0; k < s->unknown_count; k++)
      for (size_t d = 0; d < SCIARA_DRAWN_COUNT; d++)
        if (strcmp(s->unknown[k].key, sciara_drawn_names[d]) == 0) m->drawn[d][at] = value[k];
  }
  for (size_t k = 0; k < keys.count && status == SCIARA_OK; k++) status = sciara_members_set(m, at, k, keys.value[k]);
  sciara_key_set_free(&keys);
  return status;
}

enum sciara_status sciara_calibration_sets_write(const struct sciara_calibration_search *s, const size_t *row,
                                                 const double *value, size_t count, const char *folder) {
  struct sciara_members m = {0};
  char *path;
  SCIARA_TRY(sciara_path_in(folder, "accepted.csv", &path));
  enum sciara_status status = SCIARA_OK;
  for (size_t at = 0; at < count && status == SCIARA_OK; at++)
    status = put_member(s, row[at], value + at * s->unknown_count, at, count, &m);
  if (status == SCIARA_OK) status = sciara_members_write(&m, path, NULL);
  sciara_members_free(&m);
  free(path);
  return status;
}

// ---------------------------------------------------------------------------------------------------- maps of the page

/** A map. It must stay where it was made. */
struct map {
  struct sciara_page page; ///< as of sciara_page_map_print
  size_t like;             ///< the map that has what this one lacks
  struct sciara_page_frames frames;
  struct sciara_page_frame frame;
  uint8_t *sea;
  struct sciara_vent_marks marks;
  struct sciara_page_vent *vent;
  struct sciara_text scenario;
};

/** Around all lava and all observed extents of each scenario. */
static enum sciara_status make_boxes(const struct sciara_calibration_page *page, struct sciara_case_box **out) {
  const struct sciara_calibration_file *f = page->found->search->file;
  SCIARA_TRY(SCIARA_NEW(*out, f->scenario_count, "the maps of a page"));
  for (size_t n = 0; n < f->scenario_count; n++) {
    const int64_t cols = page->cases->scenario[n].setup.site->grid.cols;
    for (size_t k = 0; k < page->count; k++) {
      const struct sciara_footprint *lava = &page->found[k].map[n];
      for (int64_t i = 0; i < lava->count; i++)
        if ((double)lava->max_deposit[i] > f->min_thickness_m)
          sciara_case_box_add(&(*out)[n], lava->cell[i] / cols, lava->cell[i] % cols);
    }
  }
  for (size_t k = 0; k < f->pair_count; k++) {
    const size_t n = f->observed[k].scenario;
    const struct sciara_grid *g = &page->cases->scenario[n].setup.site->grid;
    const uint8_t *covered = page->cases->observed[k].covered;
    for (int64_t i = 0; i < sciara_grid_cells(g); i++)
      if (covered[i]) sciara_case_box_add(&(*out)[n], i / g->cols, i % g->cols);
  }
  return SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------------------- parts

/** A field of the cells that count: `counts` of each cell of the footprint. @param zero is added to each value */
static enum sciara_status add_field(struct map *m, enum sciara_field field, const float *value, double zero,
                                    const bool *counts, int64_t count) {
  struct sciara_page_field *to = &m->frames.fields[m->frames.field_count++];
  int64_t at = 0;
  *to = (struct sciara_page_field){.field = field, .like = -1};
  for (int64_t n = 0; n < count; n++)
    if (counts[n]) to->high = fmax(to->high, zero + (double)value[n]);
  to->step = sciara_page_step(fmax(to->high, 1e-9), SCIARA_PAGE_STEPS);
  SCIARA_TRY(SCIARA_NEW(to->levels, m->frames.cells, "a map of a page"));
  for (int64_t n = 0; n < count; n++)
    if (counts[n]) to->levels[at++] = (uint16_t)(1 + lround((zero + (double)value[n]) / to->step));
  return SCIARA_OK;
}

/** What is compared with an observed extent: lava at the end, or what lava has reached at its time. */
static enum sciara_status take_cells(const struct sciara_cases *c, const struct sciara_case *of,
                                     const struct sciara_case_observed *o, const struct sciara_footprint *f,
                                     struct map *m) {
  const bool at_end = !(o->at_s < (double)INFINITY);
  bool *counts = NULL;
  enum sciara_status status;
  m->frames.frames = &m->frame;
  m->frames.frame_count = 1;
  m->frame.time_s = at_end ? of->begin_s + f->end_s : o->at_s;
  m->frame.covered_cells = -1;
  SCIARA_TRY_GOTO(SCIARA_NEW(counts, f->count, "the cells of a page"));
  SCIARA_TRY_GOTO(SCIARA_NEW(m->frames.covered, sciara_grid_cells(&m->frames.grid), "the cells of a page"));
  for (int64_t n = 0; n < f->count; n++) {
    counts[n] = sciara_case_covers(c, o, f, n);
    m->frames.covered[f->cell[n]] = counts[n];
    m->frames.cells += counts[n];
  }
  if (at_end) SCIARA_TRY_GOTO(add_field(m, SCIARA_FIELD_DEPOSIT, f->deposit, 0, counts, f->count));
  SCIARA_TRY_GOTO(add_field(m, SCIARA_FIELD_ARRIVAL_TIME, f->arrival, of->begin_s, counts, f->count));
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
  struct sciara_scenario_spec spec;
  enum sciara_status status = sciara_computed_scenario(path, scenario, "a page", &spec);
  if (status == SCIARA_OK) status = sciara_vent_marks_make(&spec, &site->grid, &georef, &m->marks);
  if (status == SCIARA_OK) status = SCIARA_NEW(m->vent, m->marks.count, "the vents of a page");
  for (size_t k = 0; k < m->marks.count && status == SCIARA_OK; k++)
    m->vent[k] = (struct sciara_page_vent){
        .name = m->marks.mark[k].name, .points = m->marks.mark[k].points, .count = m->marks.mark[k].count};
  sciara_scenario_free(&spec);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- one map

/** What a map has of its own; the rest is that of an earlier one. */
struct own {
  bool ground, scenario, lava;
};

/** Maps of a scenario have its ground; those of a search also its best values; those of a time also the lava. */
static struct own find_like(const struct sciara_calibration_page *page, size_t pair, size_t search, size_t *like) {
  const struct sciara_evaluate_observed *o = page->found->search->file->observed;
  size_t of_scenario = pair, of_time = pair; // the first pairs
  for (size_t k = pair; k-- > 0;) {
    if (o[k].scenario != o[pair].scenario) continue;
    of_scenario = k;
    if (page->cases->observed[k].at_s == page->cases->observed[pair].at_s) of_time = k;
  }
  const size_t first = of_time < pair ? of_time : of_scenario;
  const struct own own = {.ground = first == pair && search == 0, .scenario = first == pair, .lava = of_time == pair};
  *like = own.ground ? 0 : first * page->count + (first < pair ? search : 0);
  return own;
}

/** Makes map number `pair` x searches + `search`. Zero-initialise; release in any case. */
static enum sciara_status map_make(const struct sciara_calibration_page *page, const struct sciara_case_box *box,
                                   size_t index, struct map *out) {
  if (!box) return SCIARA_ERR_INTERNAL; // cannot be: they were made
  const size_t pair = index / page->count, search = index % page->count;
  const struct sciara_calibration_found *found = &page->found[search];
  const struct sciara_calibration_file *f = found->search->file;
  const size_t n = f->observed[pair].scenario;
  const struct sciara_site *site = page->cases->scenario[n].setup.site;
  const struct sciara_case_observed *observed = &page->cases->observed[pair];
  const struct own own = find_like(page, pair, search, &out->like);
  out->frames.grid = site->grid;
  const int64_t shown[4] = {box[n].north, box[n].west, box[n].south - box[n].north, box[n].east - box[n].west};
  memcpy(out->frames.box, shown, sizeof shown);
  if (own.scenario) {
    SCIARA_TRY(calibration_best_print(found->search, n, found->value, &out->scenario));
    SCIARA_TRY(take_vents(f->scenario[n], out->scenario.data, site, out));
  }
  if (own.ground) SCIARA_TRY(take_sea(site, out));
  if (own.lava) SCIARA_TRY(take_cells(page->cases, &page->cases->scenario[n], observed, &found->map[n], out));
  out->page = (struct sciara_page){.language = page->language,
                                   .frames = &out->frames,
                                   .altitude = own.ground ? site->z0 : NULL,
                                   .observed = observed->covered,
                                   .observed_name = sciara_path_name(f->observed[pair].path),
                                   .region = observed->region,
                                   .sea = out->sea,
                                   .vent = out->vent,
                                   .vents = out->marks.count,
                                   .crs_wkt = site->origin.crs_wkt,
                                   .crs_name = site->origin.crs_name,
                                   .snapshot_count = 1,
                                   .scenario_json = own.scenario ? out->scenario.data : NULL,
                                   .source = "sciara " SCIARA_VERSION};
  return SCIARA_OK;
}

static void map_free(struct map *m) {
  for (size_t k = 0; k < m->frames.field_count; k++) sciara_free(m->frames.fields[k].levels);
  sciara_free(m->frames.covered);
  sciara_free(m->sea);
  sciara_vent_marks_free(&m->marks);
  sciara_free(m->vent);
  sciara_text_free(&m->scenario);
}

// ----------------------------------------------------------------------------------------------------------------- all

/** The maps after the first one. */
static enum sciara_status print_maps(const struct sciara_calibration_page *page, const struct sciara_case_box *box,
                                     struct sciara_text *out) {
  const size_t count = page->count * page->found->search->file->pair_count;
  SCIARA_TRY(sciara_text_append(out, ",\n\"maps\":["));
  for (size_t k = 1; k < count; k++) {
    struct map m = {0};
    enum sciara_status status = map_make(page, box, k, &m);
    if (status == SCIARA_OK && k > 1) status = sciara_text_append(out, ",\n");
    if (status == SCIARA_OK) status = sciara_page_map_print(out, &m.page, m.like);
    map_free(&m);
    if (status != SCIARA_OK) return status;
  }
  return sciara_text_append(out, "]}");
}

enum sciara_status sciara_calibration_page_write(const char *folder, const struct sciara_calibration_page *page) {
  const cJSON *title = cJSON_GetObjectItemCaseSensitive(page->found->search->file->tree, "title");
  char *path;
  struct sciara_case_box *box = NULL;
  struct map m = {0};
  struct sciara_text text = {0};
  SCIARA_TRY(sciara_path_in(folder, "page.html", &path));
  enum sciara_status status = make_boxes(page, &box);
  if (status == SCIARA_OK) status = sciara_text_append(&text, "{\"searches\":%s", page->searches);
  if (status == SCIARA_OK) status = print_maps(page, box, &text);
  if (status == SCIARA_OK) status = map_make(page, box, 0, &m);
  if (status == SCIARA_OK) {
    m.page.title = title ? title->valuestring : NULL;
    m.page.calibration = text.data;
    status = sciara_page_write(&m.page, path);
  }
  map_free(&m);
  sciara_free(box);
  sciara_text_free(&text);
  free(path);
  return status;
}
