// SPDX-License-Identifier: Apache-2.0
// A search is deterministic: after the rows of evaluations.csv have been told to it again, it asks for what comes next.
#include "calibrate/calibrate.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/wallclock.h"
#include "calibrate/calibration_page.h"
#include "calibrate/sensitivity.h"
#include "ensemble/member_keys.h"
#include "file/durable.h"
#include "plan/points.h"

enum {
  SYNC_EVERY = 64, // rows
  BLOCK = 256,     // points between two looks at what can still be accepted
};

/** Above 0, and no score is below: with it nothing is stopped, but fronts rest. */
static const double LEAST_OF_ALL = 1e-300;

/** A calibration at work. */
struct work {
  const struct sciara_calibrate_options *options;
  struct sciara_calibration_file file;
  struct sciara_evaluate_options evaluate;
  struct sciara_evaluator *evaluator;
  uint64_t *hash;                       ///< of the grounds and the initial lavas of the scenarios, then of the extents
  struct sciara_evaluation_table table; ///< new rows: under the lock
  size_t earlier;                       ///< rows of earlier processes
  struct sciara_cmaes *search;          ///< NULL: `points`
  double *points;                       ///< budget x unknowns
  struct sciara_calibration_restart *restart;
  size_t restart_count, best, failed; ///< the last two: under the lock
  double least;                       ///< below which runs of the present generation end early; 0: none does
  double began;
  pthread_mutex_t lock;
  struct sciara_failure failure; ///< of writing a row
  struct sciara_footprint map;   ///< of the first scenario with the best values
};

static bool is_cancelled(const struct work *w) { return __atomic_load_n(w->options->cancel, __ATOMIC_RELAXED) != 0; }

// -------------------------------------------------------------------------------------------------------------- scores

/** Counts a row that is set. */
static void count_row(struct work *w, size_t row) {
  const struct sciara_evaluation_table *t = &w->table;
  if (isnan(t->score[row])) w->failed++;
  if (t->status[row] == SCIARA_EVALUATE_STOPPED) return; // not the best: others had more before
  if (!isnan(t->score[row]) && (w->best == SIZE_MAX || t->score[row] > t->score[w->best])) w->best = row;
}

/** Takes over the footprint of the best set, the last result. With the lock. */
static void take_map(struct work *w, const struct sciara_evaluation *result) {
  if (!result->footprints) return; // an engine that is not exact
  w->map = result->footprints[0];
  result->footprints[0] = (struct sciara_footprint){0};
}

/** Adds a row. With the lock. */
static enum sciara_status add_row(struct work *w, const struct sciara_evaluation *result) {
  struct sciara_evaluation_table *t = &w->table;
  const size_t row = t->count, pairs = w->file.pair_count;
  for (size_t k = 0; k < pairs; k++)
    t->jaccard[row * pairs + k] = result->scores ? result->scores[k].jaccard : (double)NAN;
  t->status[row] = result->status;
  t->score[row] = result->jaccard;
  if (result->error && w->failed == 0)
    sciara_log(SCIARA_LOG_WARNING, "%s; it %s", result->error, // the first alone: there may be many
               sciara_calibration_group(&w->file) > 0 ? "has no score" : "counts as the worst");
  enum sciara_status status = sciara_evaluation_table_add(t);
  if (status == SCIARA_OK && t->count % SYNC_EVERY == 0) status = sciara_evaluation_table_sync(t);
  if (status == SCIARA_OK) count_row(w, row);
  return status;
}

static bool take_result(void *context, const struct sciara_evaluation *result) {
  struct work *w = (struct work *)context;
  enum sciara_status status = SCIARA_OK;
  pthread_mutex_lock(&w->lock);
  if (w->table.count == w->file.budget)
    take_map(w, result);
  else
    status = add_row(w, result);
  sciara_failure_keep(&w->failure, status);
  pthread_mutex_unlock(&w->lock);
  return status == SCIARA_OK;
}

static size_t finished(struct work *w) {
  pthread_mutex_lock(&w->lock);
  const size_t count = w->table.count;
  pthread_mutex_unlock(&w->lock);
  return count;
}

static void look(struct work *w, struct sciara_calibrate_progress *p) {
  pthread_mutex_lock(&w->lock);
  *p = (struct sciara_calibrate_progress){.total = w->file.budget,
                                          .done = w->table.count,
                                          .now = w->table.count - w->earlier,
                                          .failed = w->failed,
                                          .best = w->best == SIZE_MAX ? (double)NAN : w->table.score[w->best],
                                          .best_number = w->best == SIZE_MAX ? 0 : w->best + 1,
                                          .seconds = sciara_wallclock() - w->began};
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
  return !is_cancelled(w);
}

// ---------------------------------------------------------------------------------------------------------- the search

static enum sciara_status make_points(struct work *w) {
  const struct sciara_calibration_file *f = &w->file;
  const enum sciara_sample_method method = f->design == SCIARA_DESIGN_LHS ? SCIARA_SAMPLE_LHS : SCIARA_SAMPLE_SOBOL;
  const size_t n = f->unknown_count, group = sciara_calibration_group(f);
  uint64_t seed[SCIARA_CMAES_DIMENSIONS];
  for (size_t k = 0; k < n; k++) {
    char plain[256] = "";
    sciara_member_key_plain(f->unknown[k].key, plain, sizeof plain);
    seed[k] = sciara_points_seed(f->seed, plain);
  }
  SCIARA_TRY(SCIARA_NEW(w->points, f->budget * n, "the points"));
  if (f->design == SCIARA_DESIGN_SALTELLI) return sciara_saltelli_points(seed, f->budget / group, n, w->points);
  if (f->design != SCIARA_DESIGN_MORRIS) return sciara_points_make(method, seed, 0, f->budget, n, w->points);
  sciara_morris_points(seed, f->budget / group, n, w->points);
  return SCIARA_OK;
}

static enum sciara_status begin_search(struct work *w) {
  const struct sciara_calibration_file *f = &w->file;
  if (f->design != SCIARA_DESIGN_CMAES) return make_points(w);
  const struct sciara_cmaes_setup setup = {
      .dimension = (int)f->unknown_count, .population = f->population, .seed = f->seed};
  SCIARA_TRY(sciara_cmaes_create(&setup, &w->search));
  const int population = sciara_cmaes_population(w->search);
  if (f->budget < (size_t)population)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: budget: expected at least a generation, %d; found %zu", f->path,
                       population, f->budget);
  return SCIARA_NEW(w->restart, f->budget / (size_t)population, "the restarts");
}

/** Tells the search the scores of a whole generation that began with row `first`. */
static enum sciara_status tell(struct work *w, size_t first, size_t count) {
  double *values;
  enum sciara_cmaes_end end;
  SCIARA_TRY(SCIARA_NEW(values, count, "a generation"));
  for (size_t k = 0; k < count; k++) values[k] = 1 - w->table.score[first + k];
  const enum sciara_status status = sciara_cmaes_tell(w->search, values, &end);
  sciara_free(values);
  if (status == SCIARA_OK && end != SCIARA_CMAES_GOES_ON)
    w->restart[w->restart_count++] = (struct sciara_calibration_restart){.evaluations = first + count, .reason = end};
  return status;
}

/** Has the values of a row computed. */
static enum sciara_status put(struct work *w, size_t row, bool keep) {
  const struct sciara_calibration_file *f = &w->file;
  char name[48], text[SCIARA_CMAES_DIMENSIONS][40];
  const char *key[SCIARA_CMAES_DIMENSIONS], *value[SCIARA_CMAES_DIMENSIONS];
  for (size_t k = 0; k < f->unknown_count; k++) {
    sciara_json_number(w->table.value[row * f->unknown_count + k], text[k], sizeof text[k]);
    key[k] = f->unknown[k].key;
    value[k] = text[k];
  }
  snprintf(name, sizeof name, "evaluation %zu", row + 1);
  const struct sciara_evaluate_request request = {.name = name,
                                                  .id = "",
                                                  .key = key,
                                                  .value = value,
                                                  .key_count = f->unknown_count,
                                                  .keep = keep,
                                                  .least = keep ? 0 : w->least};
  return sciara_evaluator_put(w->evaluator, &request);
}

/** Asks for an evaluation, or compares it with the row of an earlier process. */
static enum sciara_status ask(struct work *w, size_t row, const double *point) {
  const struct sciara_calibration_file *f = &w->file;
  const size_t n = f->unknown_count;
  for (size_t k = 0; k < n; k++) {
    const double number = sciara_unknown_value(&f->unknown[k], point[k]);
    if (row < w->earlier && w->table.value[row * n + k] != number)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: evaluation %zu: %s: expected %.17g, which the search gives; found %.17g", w->table.path,
                         row + 1, f->unknown[k].key, number, w->table.value[row * n + k]);
    w->table.value[row * n + k] = number;
  }
  return row < w->earlier ? SCIARA_OK : put(w, row, false);
}

/** Computes the rows from `first` on; fewer are there if it was cancelled. */
static enum sciara_status compute(struct work *w, size_t first, size_t count, const double *points) {
  for (size_t k = 0; k < count && !is_cancelled(w); k++)
    SCIARA_TRY(ask(w, first + k, points + k * w->file.unknown_count));
  SCIARA_TRY(sciara_evaluator_wait(w->evaluator, first + count == w->file.budget));
  pthread_mutex_lock(&w->lock);
  enum sciara_status status = sciara_failure_status(&w->failure);
  if (status == SCIARA_OK) status = sciara_evaluation_table_sync(&w->table);
  pthread_mutex_unlock(&w->lock);
  return status;
}

static int descending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/** The score of the last parent in a generation of the search; rows without a score are worse than all others. */
static enum sciara_status find_parent(const struct work *w, size_t first, size_t count, double *out) {
  double *scores;
  SCIARA_TRY(SCIARA_NEW(scores, count, "a generation"));
  for (size_t k = 0; k < count; k++) scores[k] = isnan(w->table.score[first + k]) ? 0 : w->table.score[first + k];
  qsort(scores, count, sizeof *scores, descending);
  *out = fmax(scores[count / 2 - 1], LEAST_OF_ALL);
  sciara_free(scores);
  return SCIARA_OK;
}

/**
 * What a row of the next generation needs to matter: of a search as much as the last parent of the `before` rows of the
 * generation before; of points what is accepted with the best of those before. No row of it takes part, so the order in which
 * they end does not matter.
 */
static enum sciara_status set_least(struct work *w, size_t first, size_t before) {
  w->least = w->file.early_stop ? LEAST_OF_ALL : 0;
  if (!w->file.early_stop) return SCIARA_OK;
  if (w->search) return before > 0 ? find_parent(w, first - before, before, &w->least) : SCIARA_OK;
  for (size_t row = 0; row < first; row++)
    if (w->table.status[row] != SCIARA_EVALUATE_STOPPED && w->table.score[row] * SCIARA_ACCEPTED_PART > w->least)
      w->least = w->table.score[row] * SCIARA_ACCEPTED_PART;
  return SCIARA_OK;
}

/** All generations, or blocks of points; the last one may be cut by the budget. */
static enum sciara_status search(struct work *w) {
  const size_t budget = w->file.budget, points = w->file.early_stop ? BLOCK : budget;
  size_t before = 0; // rows of the generation before, of the same start
  for (size_t first = 0; first < budget;) {
    const size_t whole = w->search ? (size_t)sciara_cmaes_population(w->search) : points;
    const size_t count = whole < budget - first ? whole : budget - first, starts = w->restart_count;
    const double *own = w->search ? sciara_cmaes_ask(w->search) : w->points + first * w->file.unknown_count;
    SCIARA_TRY(set_least(w, first, before));
    SCIARA_TRY(compute(w, first, count, own));
    if (finished(w) < first + count) return SCIARA_OK;
    if (w->search && count == whole) SCIARA_TRY(tell(w, first, count));
    before = w->restart_count > starts ? 0 : count;
    first += count;
  }
  return SCIARA_OK;
}

// ----------------------------------------------------------------------------------------------------------------- all

static struct sciara_calibration_record record_of(const struct work *w, const char *status) {
  return (struct sciara_calibration_record){.folder = w->options->folder,
                                            .file = &w->file,
                                            .ground = w->hash,
                                            .lava = w->hash + w->file.scenario_count,
                                            .cells = w->hash + 2 * w->file.scenario_count,
                                            .table = &w->table,
                                            .status = status,
                                            .restart = w->restart,
                                            .restart_count = w->restart_count,
                                            .best = w->best,
                                            .failed = w->failed};
}

/** Whether the folder is a new one, which a start needs; a start that was killed at once is started again by --resume. */
static enum sciara_status check_folder(const struct work *w, bool *is_new) {
  const char *folder = w->options->folder;
  bool exists;
  SCIARA_TRY(sciara_calibration_folder_is_new(folder, &exists, is_new));
  if (!w->options->resume && !*is_new)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a new or empty folder, or --resume; found one with files",
                       folder);
  if (w->options->resume && !exists)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the folder of a calibration to resume, found none", folder);
  return SCIARA_OK;
}

/** The folder with its record and its table, whose lock it has before anything is written. */
static enum sciara_status open_folder(struct work *w, bool is_new) {
  const struct sciara_calibration_record record = record_of(w, "running");
  const char *folder = w->options->folder;
  if (is_new)
    SCIARA_TRY(sciara_folder_make(folder));
  else
    SCIARA_TRY(sciara_calibration_record_check(&record));
  char *path = sciara_path_join(folder, SCIARA_EVALUATIONS_CSV);
  enum sciara_status status = path ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a name");
  if (status == SCIARA_OK) status = sciara_evaluation_table_open(&w->table, path, &w->file);
  free(path);
  bool exists, still_new = true;
  if (status == SCIARA_OK && is_new) status = sciara_calibration_folder_is_new(folder, &exists, &still_new);
  if (status == SCIARA_OK && is_new && (!still_new || w->table.count > 0))
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: expected a new or empty folder, or --resume; found one with evaluations", folder);
  if (status == SCIARA_OK && is_new) status = sciara_calibration_record_write(&record);
  w->earlier = w->table.count;
  for (size_t k = 0; k < w->earlier; k++) count_row(w, k);
  return status;
}

/** Computes the best set again, for its map. */
static enum sciara_status map_best(struct work *w) {
  if (w->table.count < w->file.budget || w->best == SIZE_MAX) return SCIARA_OK;
  SCIARA_TRY(put(w, w->best, true));
  return sciara_evaluator_wait(w->evaluator, true);
}

/** The page, unless the best set has not been computed again. */
static enum sciara_status write_page(const struct work *w, const struct sciara_calibration_record *record,
                                     const struct sciara_effects *effects) {
  if (!w->map.error) return SCIARA_OK;
  const struct sciara_calibration_page page = {.language = w->options->language,
                                               .effects = effects,
                                               .footprint = &w->map,
                                               .site = sciara_evaluator_site(w->evaluator, 0),
                                               .covered = sciara_evaluator_covered(w->evaluator, 0),
                                               .at_s = sciara_evaluator_time(w->evaluator, 0)};
  return sciara_calibration_page_write(record, &page);
}

static enum sciara_status write_results(const struct work *w) {
  const bool whole = w->table.count == w->file.budget, any = w->best != SIZE_MAX;
  const bool sensitivity = any && whole && sciara_calibration_group(&w->file) > 0;
  const struct sciara_calibration_record record = record_of(w, whole ? "finished" : "interrupted");
  struct sciara_effects effects;
  if (any) SCIARA_TRY(sciara_calibration_best_write(&record));
  if (sensitivity) SCIARA_TRY(sciara_calibration_effects(&record, w->points, &effects));
  if (sensitivity) SCIARA_TRY(sciara_calibration_sensitivity_write(&record, &effects));
  if (any && whole && !w->search && !sensitivity) SCIARA_TRY(sciara_calibration_accepted_write(&record));
  SCIARA_TRY(write_page(w, &record, sensitivity ? &effects : NULL));
  SCIARA_TRY(sciara_calibration_record_write(&record));
  if (w->best != SIZE_MAX || !whole) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: no evaluation has a score: all are failed or invalid", w->table.path);
}

static enum sciara_status open_evaluator(struct work *w) {
  const struct sciara_calibration_file *f = &w->file;
  w->evaluate = (struct sciara_evaluate_options){.scenarios = (const char *const *)f->scenario,
                                                 .scenario_count = f->scenario_count,
                                                 .observed = f->observed,
                                                 .observed_count = f->pair_count,
                                                 .min_thickness_m = f->min_thickness_m,
                                                 .extra_drivers = w->options->extra_drivers,
                                                 .extra_driver_count = w->options->extra_driver_count,
                                                 .engine = w->options->engine,
                                                 .workers = w->options->workers,
                                                 .go_on = go_on,
                                                 .done = take_result,
                                                 .context = w};
  SCIARA_TRY(sciara_evaluator_open(&w->evaluate, &w->evaluator));
  const size_t n = f->scenario_count;
  SCIARA_TRY(SCIARA_NEW(w->hash, 2 * n + f->pair_count, "the hashes of the inputs"));
  for (size_t k = 0; k < n; k++) w->hash[k] = sciara_evaluator_ground(w->evaluator, k);
  for (size_t k = 0; k < n; k++) w->hash[n + k] = sciara_evaluator_lava(w->evaluator, k);
  for (size_t k = 0; k < f->pair_count; k++) w->hash[2 * n + k] = sciara_evaluator_extent(w->evaluator, k);
  return SCIARA_OK;
}

static enum sciara_status calibrate(struct work *w, struct sciara_calibrate_progress *out) {
  SCIARA_TRY(begin_search(w));
  bool is_new;
  SCIARA_TRY(check_folder(w, &is_new));
  SCIARA_TRY(sciara_evaluation_table_make(&w->file, &w->table));
  SCIARA_TRY(open_evaluator(w));
  SCIARA_TRY(open_folder(w, is_new));
  w->began = sciara_wallclock();
  enum sciara_status status = search(w);
  if (status == SCIARA_OK) status = map_best(w);
  if (status == SCIARA_OK) status = write_results(w);
  look(w, out);
  return status;
}

enum sciara_status sciara_calibrate(const struct sciara_calibrate_options *options,
                                    struct sciara_diagnostics *diagnostics, struct sciara_calibrate_progress *out) {
  struct work w = {.options = options, .best = SIZE_MAX, .table = {.fd = -1}, .lock = PTHREAD_MUTEX_INITIALIZER};
  *out = (struct sciara_calibrate_progress){.best = (double)NAN};
  sciara_calibration_file_read(options->file, options->extra_drivers, options->extra_driver_count, &w.file,
                               diagnostics);
  enum sciara_status status = SCIARA_OK;
  if (diagnostics->count == 0 && !diagnostics->no_memory) {
    status = calibrate(&w, out);
    sciara_evaluator_close(w.evaluator);
  }
  sciara_evaluation_table_close(&w.table);
  sciara_cmaes_destroy(w.search);
  sciara_free(w.hash);
  sciara_free(w.points);
  sciara_free(w.restart);
  sciara_footprint_free(&w.map);
  sciara_failure_free(&w.failure);
  sciara_calibration_file_free(&w.file);
  pthread_mutex_destroy(&w.lock);
  return status;
}
