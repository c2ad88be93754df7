// SPDX-License-Identifier: Apache-2.0
// A search is deterministic: after the rows of evaluations.csv have been told to it again, it asks for what comes next.
#include "calibrate/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "calibrate/sensitivity.h"
#include "calibrate/unknowns.h"
#include "ensemble/member_keys.h"
#include "plan/points.h"

enum {
  SYNC_EVERY = 64, // rows
  BLOCK = 256,     // points between two looks at what can still be accepted
};

/** Above 0, and no score is below: with it nothing is stopped, but fronts rest. */
static const double LEAST_OF_ALL = 1e-300;

static bool is_cancelled(const struct sciara_search *s) { return __atomic_load_n(s->cancel, __ATOMIC_RELAXED) != 0; }

// -------------------------------------------------------------------------------------------------------------- scores

void sciara_search_count(struct sciara_search *s, size_t row) {
  const struct sciara_evaluation_table *t = &s->table;
  if (isnan(t->score[row])) s->failed++;
  if (t->status[row] == SCIARA_EVALUATE_STOPPED) return; // not the best: others had more before
  if (!isnan(t->score[row]) && (s->best == SIZE_MAX || t->score[row] > t->score[s->best])) s->best = row;
}

/** Takes over the footprints of the best set, the last result. With the lock. */
static void take_maps(struct sciara_search *s, const struct sciara_evaluation *result) {
  for (size_t k = 0; result->footprints && k < s->asked->file->scenario_count; k++) {
    s->map[k] = result->footprints[k];
    result->footprints[k] = (struct sciara_footprint){0};
  }
}

/** min(r, 1/r) of the run-out ratio, to the power that the file asks for; 1 where the ratio is undefined. */
static double run_out_factor(double ratio, double power) {
  return isnan(ratio) ? 1 : pow(fmin(ratio, 1 / ratio), power);
}

/** What is maximised; of a stopped run a bound, for a factor is at most 1. */
static double score_of(const struct sciara_calibration_file *f, const struct sciara_evaluation *result) {
  if (f->run_out_penalty == 0 || !result->scores) return result->jaccard;
  double sum = 0, weights = 0;
  for (size_t k = 0; k < f->pair_count; k++) {
    if (f->observed[k].held_out) continue;
    const struct sciara_extent_scores *e = &result->scores[k];
    sum += f->observed[k].weight * e->jaccard * run_out_factor(e->run_out_ratio, f->run_out_penalty);
    weights += f->observed[k].weight;
  }
  return sum / weights;
}

/** Adds a row. With the lock. */
static enum sciara_status add_row(struct sciara_search *s, const struct sciara_evaluation *result) {
  struct sciara_evaluation_table *t = &s->table;
  const size_t row = t->count, pairs = s->asked->file->pair_count;
  for (size_t k = 0; k < pairs; k++) {
    t->jaccard[row * pairs + k] = result->scores ? result->scores[k].jaccard : (double)NAN;
    t->run_out[row * pairs + k] = result->scores ? result->scores[k].run_out_ratio : (double)NAN;
  }
  t->status[row] = result->status;
  t->score[row] = score_of(s->asked->file, result);
  if (result->error && s->failed == 0)
    sciara_log(SCIARA_LOG_WARNING, "%s; it %s", result->error, // the first alone: there may be many
               sciara_calibration_group(s->asked) > 0 ? "has no score" : "counts as the worst");
  enum sciara_status status = sciara_evaluation_table_add(t);
  if (status == SCIARA_OK && t->count % SYNC_EVERY == 0) status = sciara_evaluation_table_sync(t);
  if (status == SCIARA_OK) sciara_search_count(s, row);
  return status;
}

bool sciara_search_take(void *context, const struct sciara_evaluation *result) {
  struct sciara_search *s = (struct sciara_search *)context;
  enum sciara_status status = SCIARA_OK;
  pthread_mutex_lock(s->lock);
  if (s->table.count == s->asked->budget)
    take_maps(s, result);
  else
    status = add_row(s, result);
  sciara_failure_keep(&s->failure, status);
  pthread_mutex_unlock(s->lock);
  return status == SCIARA_OK;
}

static size_t finished(struct sciara_search *s) {
  pthread_mutex_lock(s->lock);
  const size_t count = s->table.count;
  pthread_mutex_unlock(s->lock);
  return count;
}

// ---------------------------------------------------------------------------------------------------------- the search

static enum sciara_status make_points(struct sciara_search *s) {
  const struct sciara_calibration_search *a = s->asked;
  const enum sciara_sample_method method =
      a->file->design == SCIARA_DESIGN_LHS ? SCIARA_SAMPLE_LHS : SCIARA_SAMPLE_SOBOL;
  const size_t n = a->unknown_count, group = sciara_calibration_group(a);
  uint64_t seed[SCIARA_CMAES_DIMENSIONS];
  for (size_t k = 0; k < n; k++) {
    char plain[256] = "";
    sciara_member_key_plain(a->unknown[k].key, plain, sizeof plain);
    seed[k] = sciara_points_seed(a->file->seed, plain);
  }
  SCIARA_TRY(SCIARA_NEW(s->points, a->budget * n, "the points"));
  if (a->file->design == SCIARA_DESIGN_SALTELLI) return sciara_saltelli_points(seed, a->budget / group, n, s->points);
  if (a->file->design != SCIARA_DESIGN_MORRIS) return sciara_points_make(method, seed, 0, a->budget, n, s->points);
  sciara_morris_points(seed, a->budget / group, n, s->points);
  return SCIARA_OK;
}

enum sciara_status sciara_search_begin(struct sciara_search *s) {
  const struct sciara_calibration_search *a = s->asked;
  SCIARA_TRY(SCIARA_NEW(s->map, a->file->scenario_count, "the maps of a search"));
  if (a->file->design != SCIARA_DESIGN_CMAES) return make_points(s);
  const struct sciara_cmaes_setup setup = {
      .dimension = (int)a->unknown_count, .population = a->file->population, .seed = a->file->seed};
  SCIARA_TRY(sciara_cmaes_create(&setup, &s->optimiser));
  const int population = sciara_cmaes_population(s->optimiser);
  if (a->budget < (size_t)population) {
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at least a generation, %d", population);
    return sciara_calibration_refuse_budget(a, allowed);
  }
  return SCIARA_NEW(s->restart, a->budget / (size_t)population, "the restarts");
}

/** Tells the search the scores of a whole generation that began with row `first`. */
static enum sciara_status tell(struct sciara_search *s, size_t first, size_t count) {
  double *values;
  enum sciara_cmaes_end end;
  SCIARA_TRY(SCIARA_NEW(values, count, "a generation"));
  for (size_t k = 0; k < count; k++) values[k] = 1 - s->table.score[first + k];
  const enum sciara_status status = sciara_cmaes_tell(s->optimiser, values, &end);
  sciara_free(values);
  if (status == SCIARA_OK && end != SCIARA_CMAES_GOES_ON)
    s->restart[s->restart_count++] = (struct sciara_calibration_restart){.evaluations = first + count, .reason = end};
  return status;
}

/** Has the values of a row computed. */
static enum sciara_status put(struct sciara_search *s, size_t row, bool keep) {
  const struct sciara_calibration_search *a = s->asked;
  char name[128], text[SCIARA_UNKNOWNS_MOST][40];
  const char *key[SCIARA_UNKNOWNS_MOST], *value[SCIARA_UNKNOWNS_MOST];
  const size_t count = sciara_unknowns_keys(a, &s->table.value[row * a->unknown_count], key, text);
  for (size_t k = 0; k < count; k++) value[k] = text[k];
  snprintf(name, sizeof name, "%s%sevaluation %zu", a->name ? a->name : "", a->name ? ": " : "", row + 1);
  const struct sciara_evaluate_request request = {.name = name,
                                                  .id = "",
                                                  .key = key,
                                                  .value = value,
                                                  .key_count = count,
                                                  .keep = keep,
                                                  .least = keep ? 0 : s->least};
  return sciara_evaluator_put(s->evaluator, &request);
}

/** Asks for an evaluation, or compares it with the row of an earlier process. */
static enum sciara_status ask(struct sciara_search *s, size_t row, const double *point) {
  const struct sciara_calibration_search *a = s->asked;
  const size_t n = a->unknown_count;
  double value[SCIARA_UNKNOWNS_MOST];
  SCIARA_TRY(sciara_unknowns_values(a, point, value));
  for (size_t k = 0; k < n; k++) {
    const double number = value[k];
    if (row < s->earlier && s->table.value[row * n + k] != number)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: evaluation %zu: %s: expected %.17g, which the search gives; found %.17g", s->table.path,
                         row + 1, a->unknown[k].key, number, s->table.value[row * n + k]);
    s->table.value[row * n + k] = number;
  }
  return row < s->earlier ? SCIARA_OK : put(s, row, false);
}

/** Computes the rows from `first` on; fewer are there if it was cancelled. */
static enum sciara_status compute(struct sciara_search *s, size_t first, size_t count, const double *points) {
  for (size_t k = 0; k < count && !is_cancelled(s); k++)
    SCIARA_TRY(ask(s, first + k, points + k * s->asked->unknown_count));
  SCIARA_TRY(sciara_evaluator_wait(s->evaluator, first + count == s->asked->budget));
  pthread_mutex_lock(s->lock);
  enum sciara_status status = sciara_failure_status(&s->failure);
  if (status == SCIARA_OK) status = sciara_evaluation_table_sync(&s->table);
  pthread_mutex_unlock(s->lock);
  return status;
}

static int descending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/** The score of the last parent in a generation of the search; rows without a score are worse than all others. */
static enum sciara_status find_parent(const struct sciara_search *s, size_t first, size_t count, double *out) {
  double *scores;
  SCIARA_TRY(SCIARA_NEW(scores, count, "a generation"));
  for (size_t k = 0; k < count; k++) scores[k] = isnan(s->table.score[first + k]) ? 0 : s->table.score[first + k];
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
static enum sciara_status set_least(struct sciara_search *s, size_t first, size_t before) {
  s->least = s->asked->file->early_stop ? LEAST_OF_ALL : 0;
  if (!s->asked->file->early_stop) return SCIARA_OK;
  if (s->optimiser) return before > 0 ? find_parent(s, first - before, before, &s->least) : SCIARA_OK;
  for (size_t row = 0; row < first; row++)
    if (s->table.status[row] != SCIARA_EVALUATE_STOPPED && s->table.score[row] * SCIARA_ACCEPTED_PART > s->least)
      s->least = s->table.score[row] * SCIARA_ACCEPTED_PART;
  return SCIARA_OK;
}

/** Generations, or blocks of points; the last one may be cut by the budget. */
enum sciara_status sciara_search_run(struct sciara_search *s) {
  const size_t budget = s->asked->budget, points = s->asked->file->early_stop ? BLOCK : budget;
  size_t before = 0; // rows of the generation before, of the same start
  for (size_t first = 0; first < budget;) {
    const size_t whole = s->optimiser ? (size_t)sciara_cmaes_population(s->optimiser) : points;
    const size_t count = whole < budget - first ? whole : budget - first, starts = s->restart_count;
    const double *own = s->optimiser ? sciara_cmaes_ask(s->optimiser) : s->points + first * s->asked->unknown_count;
    SCIARA_TRY(set_least(s, first, before));
    SCIARA_TRY(compute(s, first, count, own));
    if (finished(s) < first + count) return SCIARA_OK;
    if (s->optimiser && count == whole) SCIARA_TRY(tell(s, first, count));
    before = s->restart_count > starts ? 0 : count;
    first += count;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_search_map(struct sciara_search *s) {
  if (s->table.count < s->asked->budget || s->best == SIZE_MAX) return SCIARA_OK;
  SCIARA_TRY(put(s, s->best, true));
  return sciara_evaluator_wait(s->evaluator, true);
}

void sciara_search_free(struct sciara_search *s) {
  for (size_t k = 0; s->map && k < s->asked->file->scenario_count; k++) sciara_footprint_free(&s->map[k]);
  sciara_evaluator_close(s->evaluator);
  sciara_evaluation_table_close(&s->table);
  sciara_cmaes_destroy(s->optimiser);
  sciara_free(s->hash);
  sciara_free(s->points);
  sciara_free(s->restart);
  sciara_free(s->map);
  sciara_failure_free(&s->failure);
  free(s->folder);
}
