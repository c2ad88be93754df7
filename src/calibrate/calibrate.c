// SPDX-License-Identifier: Apache-2.0
// The searches of a calibration, one after the other, and their folders. That of several searches has one for each of them,
// as a single search has it.
#include "calibrate/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/wallclock.h"
#include "calibrate/calibration_file.h"
#include "calibrate/calibration_record.h"
#include "calibrate/cases.h"
#include "calibrate/search.h"
#include "file/durable.h"
#include "sim/choose_engine.h"

/** A calibration at work. */
struct work {
  const struct sciara_calibrate_options *options;
  struct sciara_calibration_file file;
  struct sciara_search *search; ///< as many as the file has
  size_t at;                    ///< the one that is computed
  double began;
  pthread_mutex_t lock;
};

static bool is_calibration_cancelled(const struct work *w) {
  return __atomic_load_n(w->options->cancel, __ATOMIC_RELAXED) != 0;
}

static bool has_several(const struct work *w) { return w->file.search->name != NULL; }

static bool is_whole_search(const struct sciara_search *s) { return s->table.count == s->asked->budget; }

static double score_of_set(const struct sciara_search *s) {
  return s->best == SIZE_MAX ? NAN : s->table.score[s->best];
}

/** The search with the best score, the first of equal ones; their number: none has a score. */
static size_t best_of(const struct work *w) {
  size_t best = w->file.search_count;
  for (size_t k = 0; k < w->file.search_count; k++)
    if (w->search[k].best != SIZE_MAX &&
        (best == w->file.search_count || score_of_set(&w->search[k]) > score_of_set(&w->search[best])))
      best = k;
  return best;
}

// ------------------------------------------------------------------------------------------------------------ progress

static void put_name(const struct sciara_search *s, char name[SCIARA_SEARCH_NAME]) {
  snprintf(name, SCIARA_SEARCH_NAME, "%s", s->asked->name ? s->asked->name : "");
}

static void look(struct work *w, struct sciara_calibrate_progress *p) {
  *p = (struct sciara_calibrate_progress){.total = w->file.budget, .best = (double)NAN};
  put_name(&w->search[w->at], p->search);
  pthread_mutex_lock(&w->lock);
  for (size_t k = 0; k < w->file.search_count; k++) {
    const struct sciara_search *s = &w->search[k];
    p->done += s->table.count;
    p->now += s->table.count - s->earlier;
    p->failed += s->failed;
  }
  const size_t best = best_of(w);
  if (best < w->file.search_count) {
    p->best = score_of_set(&w->search[best]);
    p->best_number = w->search[best].best + 1;
    put_name(&w->search[best], p->best_search);
  }
  p->seconds = sciara_wallclock() - w->began;
  pthread_mutex_unlock(&w->lock);
  p->to_go_s = p->now > 0 ? p->seconds / (double)p->now * (double)(p->total - p->done) : -1;
}

static bool go_on(void *context) {
  struct work *w = (struct work *)context;
  struct sciara_calibrate_progress p;
  if (w->options->progress) {
    look(w, &p);
    w->options->progress(w->options->context, &p);
  }
  return !is_calibration_cancelled(w);
}

// ------------------------------------------------------------------------------------------------------------- folders

static struct sciara_calibration_record record_of(const struct sciara_search *s, const char *status) {
  return (struct sciara_calibration_record){.folder = s->folder,
                                            .search = s->asked,
                                            .inputs = s->inputs,
                                            .cells = s->cells,
                                            .table = &s->table,
                                            .status = status,
                                            .restart = s->restart,
                                            .restart_count = s->restart_count,
                                            .best = s->best,
                                            .failed = s->failed};
}

static const char *status_of_search(const struct work *w, const struct sciara_search *s) {
  return is_whole_search(s) ? "finished" : is_calibration_cancelled(w) ? "interrupted" : "running";
}

/** Writes the record that several searches have in common. */
static enum sciara_status write_common(const struct work *w) {
  const size_t count = w->file.search_count;
  struct sciara_calibration_record *record;
  const char *status = "finished";
  SCIARA_TRY(SCIARA_NEW(record, count, "the searches"));
  for (size_t k = 0; k < count; k++) {
    record[k] = record_of(&w->search[k], status_of_search(w, &w->search[k]));
    if (!is_whole_search(&w->search[k])) status = record[k].status;
  }
  const enum sciara_status written =
      sciara_calibration_records_write(w->options->folder, status, record, count, best_of(w));
  sciara_free(record);
  return written;
}

/** Whether the folder is a new one, which a start needs; a start that was killed at once is started again by --resume. */
static enum sciara_status check_folder(const struct work *w, bool *is_new) {
  const char *folder = w->options->folder;
  bool exists;
  SCIARA_TRY(sciara_calibration_folder_is_new(folder, w->file.search->name, &exists, is_new));
  if (!w->options->resume && !*is_new)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a new or empty folder, or --resume; found one with files",
                       folder);
  if (w->options->resume && !exists)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the folder of a calibration to resume, found none", folder);
  return *is_new || !has_several(w) ? SCIARA_OK : sciara_calibration_file_check(&w->file, folder);
}

/**
 * The folder of a search with its record and its table, whose lock it has before anything is written.
 *
 * @param begins the first of several searches in a new folder, which gets the record that they have in common
 */
static enum sciara_status open_folder(const struct work *w, struct sciara_search *s, bool is_new, bool begins) {
  const char *inner = begins ? s->asked->name : NULL;
  const struct sciara_calibration_record record = record_of(s, "running");
  if (has_several(w)) SCIARA_TRY(sciara_calibration_folder_is_own(s->folder));
  if (is_new)
    SCIARA_TRY(sciara_folder_make(s->folder));
  else
    SCIARA_TRY(sciara_calibration_record_check(&record));
  char *path;
  SCIARA_TRY(sciara_path_in(s->folder, SCIARA_EVALUATIONS_CSV, &path));
  enum sciara_status status = sciara_evaluation_table_open(&s->table, path, s->asked);
  free(path);
  bool exists, still_new = true;
  if (status == SCIARA_OK && is_new)
    status = sciara_calibration_folder_is_new(inner ? w->options->folder : s->folder, inner, &exists, &still_new);
  if (status == SCIARA_OK && is_new && (!still_new || s->table.count > 0))
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: expected a new or empty folder, or --resume; found one with evaluations", s->folder);
  if (status == SCIARA_OK && is_new && inner) status = write_common(w);
  if (status == SCIARA_OK && is_new) status = sciara_calibration_record_write(&record);
  s->earlier = s->table.count;
  for (size_t k = 0; k < s->earlier; k++) sciara_search_count(s, k);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- results

/** Writes the page of searches that all have their maps: which the best sets have that were computed again. */
static enum sciara_status write_page(const struct work *w, const char *folder, const struct sciara_evaluator *evaluator,
                                     struct sciara_search *const *search, size_t count) {
  struct sciara_calibration_found *found;
  SCIARA_TRY(SCIARA_NEW(found, count, "the searches of a page"));
  bool have_maps = true;
  for (size_t k = 0; k < count; k++) {
    const struct sciara_search *s = search[k];
    have_maps &= s->map->error != NULL; // NULL before that
    found[k] = (struct sciara_calibration_found){
        .record = record_of(s, "finished"), .effects = s->effects.count > 0 ? &s->effects : NULL, .map = s->map};
  }
  const struct sciara_calibration_page page = {.language = w->options->language,
                                               .found = found,
                                               .count = count,
                                               .cases = have_maps ? sciara_evaluator_cases(evaluator) : NULL};
  const enum sciara_status status = have_maps ? sciara_calibration_page_write(folder, &page) : SCIARA_OK;
  sciara_free(found);
  return status;
}

/** The accepted sets, and what they say. */
static enum sciara_status write_accepted(const struct sciara_calibration_record *record) {
  struct sciara_supported *supported;
  SCIARA_TRY(sciara_calibration_accepted_write(record));
  SCIARA_TRY(SCIARA_NEW(supported, 1, "the accepted sets"));
  enum sciara_status status = sciara_support_make(record, supported);
  if (status == SCIARA_OK && supported->accepted > 0) status = sciara_support_log(record, supported);
  sciara_free(supported);
  return status;
}

/** What a search has found so far. */
static enum sciara_status write_results(const struct work *w, struct sciara_search *s) {
  const bool whole = is_whole_search(s), any = s->best != SIZE_MAX;
  const bool sensitivity = any && whole && sciara_calibration_group(s->asked) > 0;
  const struct sciara_calibration_record record = record_of(s, whole ? "finished" : "interrupted");
  if (any) SCIARA_TRY(sciara_calibration_best_write(&record, s->folder));
  if (sensitivity) SCIARA_TRY(sciara_calibration_effects(&record, s->points, &s->effects));
  if (sensitivity) SCIARA_TRY(sciara_calibration_sensitivity_write(&record, &s->effects));
  if (any && whole && !s->optimiser && !sensitivity) SCIARA_TRY(write_accepted(&record));
  SCIARA_TRY(write_page(w, s->folder, s->evaluator, &s, 1));
  return sciara_calibration_record_write(&record);
}

static int by_score(const void *a, const void *b) {
  const struct sciara_search *x = *(struct sciara_search *const *)a, *y = *(struct sciara_search *const *)b;
  if (score_of_set(x) != score_of_set(y)) return score_of_set(x) < score_of_set(y) ? 1 : -1;
  return (x > y) - (x < y); // in the order of the file
}

/** The page of all searches, the best first. */
static enum sciara_status write_common_page(const struct work *w) {
  const size_t count = w->file.search_count;
  struct sciara_search *search[SCIARA_SEARCHES_MOST];
  for (size_t k = 0; k < count; k++)
    if (!is_whole_search(&w->search[k]) || w->search[k].best == SIZE_MAX) return SCIARA_OK;
  for (size_t k = 0; k < count; k++) search[k] = &w->search[k];
  qsort(search, count, sizeof(void *), by_score);
  return write_page(w, w->options->folder, w->search->evaluator, search, count);
}

/** What several searches have found: the best set of all. */
static enum sciara_status write_all(const struct work *w) {
  const size_t best = best_of(w);
  if (best < w->file.search_count) {
    const struct sciara_calibration_record record = record_of(&w->search[best], "");
    SCIARA_TRY(sciara_calibration_best_write(&record, w->options->folder));
  }
  SCIARA_TRY(write_common_page(w));
  return write_common(w);
}

/** SCIARA_ERR_INPUT: a search is finished without a score. */
static enum sciara_status check_scores(const struct work *w) {
  for (size_t k = 0; k < w->file.search_count; k++)
    if (is_whole_search(&w->search[k]) && w->search[k].best == SIZE_MAX)
      return sciara_fail(SCIARA_ERR_INPUT, "%s: no evaluation has a score: all are failed or invalid",
                         w->search[k].table.path);
  return SCIARA_OK;
}

// ----------------------------------------------------------------------------------------------------------------- all

static bool take(void *context, const struct sciara_evaluation *result) {
  const struct work *w = (const struct work *)context;
  return sciara_search_take(&w->search[w->at], result);
}

/** The hash of the cells of an observed extent and its region. */
static uint64_t hash_of_extent(const struct sciara_cases *c, size_t observed) {
  const struct sciara_case_observed *o = &c->observed[observed];
  const struct sciara_site *site = c->scenario[c->options->observed[observed].scenario].setup.site;
  const size_t cells = (size_t)sciara_grid_cells(&site->grid);
  const uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, o->covered, cells);
  return o->region ? sciara_hash_bytes(hash, o->region, cells) : hash;
}

static enum sciara_status open_evaluator(struct work *w, struct sciara_search *s) {
  const struct sciara_calibration_file *f = &w->file;
  const struct sciara_evaluate_options options = {.scenarios = (const char *const *)f->scenario,
                                                  .scenario_count = f->scenario_count,
                                                  .model = s->asked->model,
                                                  .observed = f->observed,
                                                  .observed_count = f->pair_count,
                                                  .min_thickness_m = f->min_thickness_m,
                                                  .extra_drivers = w->options->extra_drivers,
                                                  .extra_driver_count = w->options->extra_driver_count,
                                                  .engine = w->options->engine,
                                                  .workers = w->options->workers,
                                                  .go_on = go_on,
                                                  .done = take,
                                                  .context = w};
  SCIARA_TRY(sciara_evaluator_open(&options, &s->evaluator));
  SCIARA_TRY(SCIARA_NEW(s->inputs, f->scenario_count, "the hashes of the inputs"));
  SCIARA_TRY(SCIARA_NEW(s->cells, f->pair_count, "the hashes of the extents"));
  const struct sciara_cases *c = sciara_evaluator_cases(s->evaluator);
  for (size_t k = 0; k < f->scenario_count; k++) s->inputs[k] = c->scenario[k].inputs;
  for (size_t k = 0; k < f->pair_count; k++) s->cells[k] = hash_of_extent(c, k);
  return SCIARA_OK;
}

/** Finds the engine of each search, before any of them takes hours. */
static enum sciara_status check_engines(const struct work *w) {
  struct sciara_scenario_spec spec = {0};
  enum sciara_status status = sciara_calibration_scenario(&w->file, 0, &spec);
  for (size_t k = 0; k < w->file.search_count && status == SCIARA_OK; k++) {
    const struct sciara_engine_ops *ops;
    const char *name = w->options->engine ? w->options->engine : spec.engine.name;
    status = sciara_engine_find(name, w->file.search[k].rule, sciara_chosen_precision(&spec.engine), &ops);
    if (status == SCIARA_ERR_USAGE && !w->options->engine) status = SCIARA_ERR_INPUT; // of the scenario
    if (status != SCIARA_OK)
      sciara_fail_context(status, "%s: engine.name (search %s)", w->file.scenario[0], w->file.search[k].name);
  }
  sciara_scenario_free(&spec);
  return status;
}

/** Makes what all searches need: no folder is made unless all of them can begin. */
static enum sciara_status begin(struct work *w) {
  const size_t count = w->file.search_count;
  SCIARA_TRY(SCIARA_NEW(w->search, count, "the searches"));
  for (size_t k = 0; k < count; k++) {
    struct sciara_search *s = &w->search[k];
    *s = (struct sciara_search){.asked = &w->file.search[k],
                                .cancel = w->options->cancel,
                                .lock = &w->lock,
                                .table = {.fd = -1},
                                .best = SIZE_MAX};
  }
  for (size_t k = 0; k < count; k++) {
    struct sciara_search *s = &w->search[k];
    const char *name = s->asked->name;
    SCIARA_TRY(sciara_path_in(name ? w->options->folder : "", name ? name : w->options->folder, &s->folder));
    SCIARA_TRY(sciara_search_begin(s));
    SCIARA_TRY(sciara_evaluation_table_make(s->asked, &s->table));
  }
  return has_several(w) ? check_engines(w) : SCIARA_OK;
}

/** Computes a search, and writes what it found. */
static enum sciara_status run(struct work *w, size_t at, bool is_new) {
  struct sciara_search *s = &w->search[at];
  const bool begins = is_new && has_several(w) && at == 0;
  bool exists;
  w->at = at;
  if (!is_new && has_several(w)) SCIARA_TRY(sciara_calibration_folder_is_new(s->folder, NULL, &exists, &is_new));
  if (has_several(w))
    sciara_log(SCIARA_LOG_INFO, "search %s: %zu evaluations of rule %s", s->asked->name, s->asked->budget,
               sciara_rule_name(s->asked->rule));
  SCIARA_TRY(open_evaluator(w, s));
  for (size_t k = 0; at == 0 && k < w->file.search_count; k++) // all grounds are those of the first search
    SCIARA_TRY(sciara_unknowns_place(w->search[k].asked, sciara_evaluator_cases(s->evaluator)));
  SCIARA_TRY(open_folder(w, s, is_new, begins));
  if (at == 0) w->began = sciara_wallclock();
  enum sciara_status status = sciara_search_run(s);
  if (status == SCIARA_OK) status = sciara_search_map(s);
  sciara_evaluator_stop(s->evaluator); // no row is added after those that are counted; the next search has the machine
  SCIARA_TRY(status);
  SCIARA_TRY(write_results(w, s));
  if (!has_several(w)) return SCIARA_OK;
  if (at > 0) { // grounds and extents are those of the first
    sciara_evaluator_close(s->evaluator);
    s->evaluator = NULL;
  }
  return write_all(w);
}

static enum sciara_status calibrate(struct work *w, struct sciara_calibrate_progress *out) {
  bool is_new;
  SCIARA_TRY(begin(w));
  SCIARA_TRY(check_folder(w, &is_new));
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < w->file.search_count && status == SCIARA_OK && (k == 0 || !is_calibration_cancelled(w)); k++)
    status = run(w, k, is_new);
  if (w->began > 0) look(w, out);
  return status == SCIARA_OK ? check_scores(w) : status;
}

enum sciara_status sciara_calibrate(const struct sciara_calibrate_options *options,
                                    struct sciara_diagnostics *diagnostics, struct sciara_calibrate_progress *out) {
  struct work w = {.options = options, .lock = PTHREAD_MUTEX_INITIALIZER};
  enum sciara_status status = SCIARA_OK;
  *out = (struct sciara_calibrate_progress){.best = (double)NAN};
  sciara_calibration_file_read(options->file, options->extra_drivers, options->extra_driver_count, &w.file,
                               diagnostics);
  if (diagnostics->count == 0 && !diagnostics->no_memory) status = calibrate(&w, out);
  for (size_t k = 0; w.search && k < w.file.search_count; k++) sciara_search_free(&w.search[k]);
  sciara_free(w.search);
  sciara_calibration_file_free(&w.file);
  pthread_mutex_destroy(&w.lock);
  return status;
}
