// SPDX-License-Identifier: Apache-2.0
// Requests wait in a ring until they have been answered in their order. Its size bounds the memory, whatever the number of
// requests. A request is as many tasks as there are scenarios; workers take them in order.
#include "calibrate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "calibrate/cases.h"
#include "ensemble/members.h"
#include "member/crew.h"
#include "scenario/scenario_keys.h"

enum {
  TICK_MS = 50,     // between two calls of go_on
  AHEAD = 2,        // requests in the ring for each worker
  AHEAD_LEAST = 16, // and at least so many
};

/** A request that has not been answered. */
struct entry {
  char *name, *id, *error;
  char **text; ///< keys, then values
  size_t key_count;
  double least;       ///< of the request
  size_t taken, open; ///< tasks that were taken; that are not finished
  enum sciara_evaluate_status status;
  size_t said; ///< the task to which `error` belongs
  struct sciara_evaluate_run *runs;
  struct sciara_extent_scores *scores;
  struct sciara_footprint *footprints; ///< NULL: they are not kept
};

struct sciara_evaluator {
  struct sciara_evaluate_options options;
  struct sciara_cases cases;
  struct sciara_crew crew; ///< with the lock for what follows
  pthread_cond_t answered; ///< for the thread that puts and waits
  struct entry *ring;
  uint64_t size, put, taken, given; ///< requests: places; added; of which all tasks were taken; answered
  bool giving, silent, last, ends;  ///< silent: no more answers are wanted
};

static struct entry *entry_of(const struct sciara_evaluator *e, uint64_t number) { return &e->ring[number % e->size]; }

static void entry_free(const struct sciara_evaluator *e, struct entry *n) {
  for (size_t k = 0; n->text && k < 2 * n->key_count; k++) free(n->text[k]);
  for (size_t k = 0; n->runs && k < e->options.scenario_count; k++) free(n->runs[k].warnings);
  for (size_t k = 0; n->footprints && k < e->options.scenario_count; k++) sciara_footprint_free(&n->footprints[k]);
  sciara_free(n->text);
  sciara_free(n->runs);
  sciara_free(n->scores);
  sciara_free(n->footprints);
  free(n->name);
  free(n->id);
  free(n->error);
  *n = (struct entry){0};
}

// ------------------------------------------------------------------------------------------------------------- answers

/** The mean of the Jaccard indices that are not held out, by their weights. */
static double mean_jaccard(const struct sciara_evaluator *e, const struct sciara_extent_scores *scores) {
  double sum = 0, weights = 0, last = 0;
  size_t count = 0;
  for (size_t k = 0; k < e->options.observed_count; k++) {
    if (e->options.observed[k].held_out) continue;
    last = scores[k].jaccard;
    sum += e->options.observed[k].weight * scores[k].jaccard;
    weights += e->options.observed[k].weight;
    count++;
  }
  return count == 1 ? last : sum / weights; // of one without rounding
}

/** The result of all runs: stopped if one was, else rested if one has. */
static enum sciara_evaluate_status status_of_evaluation(const struct sciara_evaluator *e, const struct entry *n) {
  enum sciara_evaluate_status status = n->status;
  for (size_t k = 0; k < e->options.scenario_count && n->status == SCIARA_EVALUATE_OK; k++)
    if (n->runs[k].early > status) status = n->runs[k].early;
  return status;
}

/** false: no more answers are wanted. */
static bool answer(const struct sciara_evaluator *e, uint64_t number, const struct entry *n) {
  const enum sciara_evaluate_status status = status_of_evaluation(e, n);
  const bool ok = n->status == SCIARA_EVALUATE_OK, scored = ok && status != SCIARA_EVALUATE_STOPPED;
  const struct sciara_evaluation result = {.index = number,
                                           .id = n->id,
                                           .status = status,
                                           .error = ok ? NULL : n->error,
                                           .jaccard = ok ? mean_jaccard(e, n->scores) : (double)NAN,
                                           .scores = scored ? n->scores : NULL,
                                           .runs = ok ? n->runs : NULL,
                                           .footprints = ok ? n->footprints : NULL};
  return e->options.done(e->options.context, &result);
}

/** Ends the computations. With the lock. */
static void halt(struct sciara_evaluator *e) {
  sciara_crew_halt(&e->crew, SCIARA_CANCEL_DROP);
  pthread_cond_broadcast(&e->answered);
}

/** Gives the results that are next. With the lock, which is open while one is given. */
static void give(struct sciara_evaluator *e) {
  if (e->giving) return; // that thread will see them
  e->giving = true;
  while (!e->silent && e->given < e->taken && entry_of(e, e->given)->open == 0) {
    struct entry *n = entry_of(e, e->given);
    pthread_mutex_unlock(&e->crew.lock);
    const bool more = answer(e, e->given, n);
    entry_free(e, n);
    pthread_mutex_lock(&e->crew.lock);
    e->given++;
    e->silent = !more;
    if (!more) halt(e);
    pthread_cond_broadcast(&e->answered);
  }
  e->giving = false;
}

// ------------------------------------------------------------------------------------------------------------- workers

/** Passes over requests of which nothing is computed. With the lock. */
static void skip_refused(struct sciara_evaluator *e) {
  while (e->taken < e->put && entry_of(e, e->taken)->open == 0) e->taken++;
}

static enum sciara_crew_next take_task(void *context, struct sciara_crew_task *task, bool *last) {
  struct sciara_evaluator *e = (struct sciara_evaluator *)context;
  *last = e->last && e->taken == e->put;
  if (e->taken == e->put) return e->ends ? SCIARA_CREW_NONE : SCIARA_CREW_WAIT;
  struct entry *n = entry_of(e, e->taken);
  *task = (struct sciara_crew_task){n, n->taken++};
  if (n->taken == e->options.scenario_count) e->taken++;
  skip_refused(e);
  return SCIARA_CREW_TASK;
}

/** Notes the error of a task: of several that of the first scenario. With the lock. */
static enum sciara_status note_error(struct entry *n, size_t scenario, enum sciara_evaluate_status verdict) {
  if (n->status != SCIARA_EVALUATE_OK && n->said < scenario) return SCIARA_OK;
  char *text = sciara_format("%s: %s", n->name, sciara_last_error());
  if (!text) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for an error");
  free(n->error);
  n->error = text;
  n->said = scenario;
  n->status = verdict;
  return SCIARA_OK;
}

/** Computes a scenario of a request, and gives the results that are next. */
static enum sciara_status do_task(void *context, int worker, const struct sciara_crew_task *task) {
  struct sciara_evaluator *e = (struct sciara_evaluator *)context;
  struct entry *n = (struct entry *)task->item;
  const size_t scenario = task->number;
  const struct sciara_case_job job = {.scenario = scenario,
                                      .key = (const char *const *)n->text,
                                      .value = n->text ? (const char *const *)n->text + n->key_count : NULL,
                                      .key_count = n->key_count,
                                      .least = n->least,
                                      .slot = sciara_crew_slot(&e->crew, worker),
                                      .device = sciara_crew_device(&e->crew, worker),
                                      .cancel = &e->crew.halt};
  const struct sciara_case_result result = {&n->runs[scenario], n->scores,
                                            n->footprints ? &n->footprints[scenario] : NULL};
  enum sciara_evaluate_status verdict;
  bool cancelled = false;
  enum sciara_status status = sciara_case_compute(&e->cases, &job, &result, &verdict, &cancelled);
  pthread_mutex_lock(&e->crew.lock);
  if (status == SCIARA_OK && !cancelled && verdict != SCIARA_EVALUATE_OK) status = note_error(n, scenario, verdict);
  if (status == SCIARA_OK && !cancelled) n->open--; // else it is never answered
  give(e);
  pthread_mutex_unlock(&e->crew.lock);
  return status;
}

// ------------------------------------------------------------------------------------------------------------ requests

/** Waits for a moment, or until something is answered; asks whether to go on. With the lock, which is open meanwhile. */
static void pause_for_answers(struct sciara_evaluator *e) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += TICK_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_cond_timedwait(&e->answered, &e->crew.lock, &until);
  if (!e->options.go_on) return;
  pthread_mutex_unlock(&e->crew.lock);
  const bool more = e->options.go_on(e->options.context);
  pthread_mutex_lock(&e->crew.lock);
  if (!more) halt(e);
}

/** Copies keys and values, which must be of those that may be changed. */
static enum sciara_status take_keys(const struct sciara_evaluate_request *r, struct entry *n) {
  SCIARA_TRY(SCIARA_NEW(n->text, 2 * r->key_count, "the keys of a request"));
  n->key_count = r->key_count;
  for (size_t k = 0; k < r->key_count; k++) {
    n->text[k] = strdup(r->key[k]);
    n->text[r->key_count + k] = strdup(r->value[k]);
    if (!n->text[k] || !n->text[r->key_count + k]) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a request");
    if (!sciara_rate_key(r->key[k])) SCIARA_TRY(sciara_member_key_check(r->key[k], NULL));
  }
  return SCIARA_OK;
}

/** Sets what is copied of a request. Nothing is computed of one that is refused. */
static enum sciara_status entry_make(const struct sciara_evaluator *e, const struct sciara_evaluate_request *r,
                                     struct entry *n) {
  n->name = strdup(r->name);
  n->id = strdup(r->id);
  if (!n->name || !n->id) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a request");
  SCIARA_TRY(SCIARA_NEW(n->runs, e->options.scenario_count, "the results of a request"));
  SCIARA_TRY(SCIARA_NEW(n->scores, e->options.observed_count, "the scores of a request"));
  if (r->keep) SCIARA_TRY(SCIARA_NEW(n->footprints, e->options.scenario_count, "the footprints of a request"));
  n->open = e->options.scenario_count;
  n->least = r->least;
  const enum sciara_status status = r->refused ? sciara_fail(SCIARA_ERR_INPUT, "%s", r->refused) : take_keys(r, n);
  if (status != SCIARA_ERR_INPUT) return status;
  n->open = 0;
  return note_error(n, 0, SCIARA_EVALUATE_INVALID);
}

enum sciara_status sciara_evaluator_put(struct sciara_evaluator *e, const struct sciara_evaluate_request *r) {
  struct entry made = {0};
  const enum sciara_status status = entry_make(e, r, &made);
  if (status != SCIARA_OK) {
    entry_free(e, &made);
    return status;
  }
  pthread_mutex_lock(&e->crew.lock);
  while (e->put - e->given == e->size && !sciara_crew_is_halted(&e->crew)) pause_for_answers(e);
  if (sciara_crew_is_halted(&e->crew)) {
    entry_free(e, &made);
  } else {
    *entry_of(e, e->put++) = made;
    skip_refused(e);
    sciara_crew_call(&e->crew);
    give(e);
  }
  const enum sciara_status failed = sciara_failure_status(&e->crew.failed);
  pthread_mutex_unlock(&e->crew.lock);
  return failed;
}

enum sciara_status sciara_evaluator_wait(struct sciara_evaluator *e, bool last) {
  pthread_mutex_lock(&e->crew.lock);
  e->last = last;
  sciara_crew_call(&e->crew);
  while (e->given < e->put && !sciara_crew_is_halted(&e->crew)) pause_for_answers(e);
  const enum sciara_status failed = sciara_failure_status(&e->crew.failed);
  pthread_mutex_unlock(&e->crew.lock);
  return failed;
}

// ------------------------------------------------------------------------------------------------------------- opening

static enum sciara_status check_options(const struct sciara_evaluate_options *o) {
  for (size_t s = 0; s < o->scenario_count; s++) {
    size_t count = 0;
    for (size_t k = 0; k < o->observed_count; k++) count += o->observed[k].scenario == s;
    if (count == 0)
      return sciara_fail(SCIARA_ERR_USAGE, "%s: expected an observed extent, found none", o->scenarios[s]);
  }
  return SCIARA_OK;
}

/** The grid with the most cells. */
static const struct sciara_grid *largest_grid(const struct sciara_cases *c) {
  const struct sciara_grid *most = &c->scenario[0].setup.site->grid;
  for (size_t k = 1; k < c->options->scenario_count; k++) {
    const struct sciara_grid *g = &c->scenario[k].setup.site->grid;
    if (sciara_grid_cells(g) > sciara_grid_cells(most)) most = g;
  }
  return most;
}

static enum sciara_status start_evaluator(struct sciara_evaluator *e) {
  struct sciara_capacity most;
  SCIARA_TRY(check_options(&e->options));
  SCIARA_TRY(sciara_cases_open(&e->options, &e->cases));
  const struct sciara_grid *grid = largest_grid(&e->cases);
  const struct sciara_capacity_request request = {.name = e->options.scenarios[0],
                                                  .grid = grid,
                                                  .ops = e->cases.ops,
                                                  .workers = e->options.workers,
                                                  .members = SIZE_MAX};
  SCIARA_TRY(sciara_capacity_find(&request, &e->cases.need, &most));
  for (size_t k = 0; k < e->options.scenario_count; k++) e->cases.scenario[k].setup.margin = most.margin;
  e->crew.ops = e->cases.ops;
  e->crew.options = e->cases.engine_options;
  e->size = (uint64_t)AHEAD * (uint64_t)most.workers;
  if (e->size < AHEAD_LEAST) e->size = AHEAD_LEAST;
  SCIARA_TRY(SCIARA_NEW(e->ring, e->size, "requests"));
  sciara_log(SCIARA_LOG_INFO, "engine: %s; %d %s at a time", e->crew.ops->name, most.workers,
             sciara_plural((uint64_t)most.workers, "evaluation", "evaluations"));
  SCIARA_TRY(sciara_crew_make_slots(&e->crew, grid, most.cells, most.workers));
  return sciara_crew_start(&e->crew, most.workers);
}

enum sciara_status sciara_evaluator_open(const struct sciara_evaluate_options *options, struct sciara_evaluator **out) {
  struct sciara_evaluator *e;
  *out = NULL;
  SCIARA_TRY(SCIARA_NEW(e, 1, "an evaluation"));
  e->options = *options;
  const struct sciara_crew_queue queue = {take_task, do_task, SCIARA_CANCEL_DROP, e};
  sciara_crew_init(&e->crew, &queue);
  pthread_cond_init(&e->answered, NULL);
  const enum sciara_status status = start_evaluator(e);
  if (status == SCIARA_OK)
    *out = e;
  else
    sciara_evaluator_close(e);
  return status;
}

const struct sciara_cases *sciara_evaluator_cases(const struct sciara_evaluator *e) { return &e->cases; }

void sciara_evaluator_stop(struct sciara_evaluator *e) {
  pthread_mutex_lock(&e->crew.lock);
  e->ends = true;
  if (e->given < e->put) halt(e);
  sciara_crew_call(&e->crew);
  pthread_mutex_unlock(&e->crew.lock);
  sciara_crew_join(&e->crew);
  for (; e->given < e->put; e->given++) entry_free(e, entry_of(e, e->given));
}

void sciara_evaluator_close(struct sciara_evaluator *e) {
  if (!e) return;
  sciara_evaluator_stop(e);
  sciara_crew_free(&e->crew);
  pthread_cond_destroy(&e->answered);
  sciara_cases_free(&e->cases);
  sciara_free(e->ring);
  sciara_free(e);
}

// ------------------------------------------------------------------------ observed extents of files with several dates

void sciara_observed_list_free(struct sciara_observed_list *list) {
  for (size_t k = 0; k < list->text_count; k++) free(list->text[k]);
  sciara_free(list->text);
  sciara_free(list->item);
  *list = (struct sciara_observed_list){0};
}

static enum sciara_status add_item(struct sciara_observed_list *list, const struct sciara_evaluate_observed *item) {
  SCIARA_TRY(sciara_resize((void **)&list->item, list->count, list->count + 1, sizeof *list->item, "observed extents"));
  list->item[list->count++] = *item;
  return SCIARA_OK;
}

/** Keeps a copy of a text; NULL: no memory. */
static const char *keep(struct sciara_observed_list *list, const char *text) {
  char *copy = NULL;
  if (sciara_resize((void **)&list->text, list->text_count, list->text_count + 1, sizeof *list->text,
                    "observed extents") == SCIARA_OK)
    copy = strdup(text);
  if (copy) list->text[list->text_count++] = copy;
  return copy;
}

/**
 * The dates of the outline with which the run of a scenario begins, and of its end at the latest; infinite: not known, or the scenario
 * has errors, which are found later.
 */
struct dates {
  double first, last;
};

static struct dates dates_of(const char *path) {
  struct sciara_scenario_spec spec;
  struct dates out = {-INFINITY, INFINITY};
  if (sciara_scenario_read(path, NULL, 0, &sciara_no_notes, &spec) != SCIARA_OK) return out;
  const double begin = sciara_date_at(spec.start, fmax(spec.observed.time_s, 0));
  const double end = sciara_date_at(spec.start, sciara_limits_end(&spec.run));
  if (spec.observed.outline && begin > 0) out.first = begin;
  if (end > 0) out.last = end;
  sciara_scenario_free(&spec);
  return out;
}

/** Warns of dates that are left out, if there are any: "2 of its 5 dates are later than ..., when the run of s.json ends" */
static void warn_of(const char *path, const char *scenario, size_t left_out, size_t count, const char *are, double date,
                    const char *what) {
  char text[SCIARA_DATE_SIZE];
  if (left_out == 0) return;
  sciara_print_date(date, text);
  sciara_log(SCIARA_LOG_WARNING, "%s: %zu of its %zu dates are %s %s, when the run of %s %s: they are left out", path,
             left_out, count, are, text, scenario, what);
}

enum sciara_status sciara_observed_add(struct sciara_observed_list *list, const struct sciara_evaluate_observed *given,
                                       const char *scenario, const char *dates, const char *const *extra_drivers,
                                       size_t extra_driver_count) {
  const struct sciara_observation_request request = {.path = given->path,
                                                     .layer = given->layer,
                                                     .json_path = given->json_path,
                                                     .date_field = dates,
                                                     .extra_drivers = extra_drivers,
                                                     .extra_driver_count = extra_driver_count};
  struct sciara_observation_dates found;
  if (!dates) return add_item(list, given);
  SCIARA_TRY(sciara_observation_dates_read(&request, &found));
  const char *field = keep(list, found.field);
  enum sciara_status status = field ? SCIARA_OK : sciara_no_memory("observed extents");
  const struct dates of = dates_of(scenario);
  size_t first = 0, end = found.count;
  while (first < end && found.date[first] <= of.first) first++;
  while (end > first && found.date[end - 1] > of.last) end--;
  if (first == end) { // no date is left: the error says when the run begins or ends
    first = 0;
    end = found.count;
  }
  for (size_t k = first; k < end && status == SCIARA_OK; k++) {
    struct sciara_evaluate_observed one = *given;
    char text[SCIARA_DATE_SIZE];
    sciara_print_date(found.date[k], text);
    one.date_field = field;
    one.at_date = keep(list, text);
    status = one.at_date ? add_item(list, &one) : sciara_no_memory("observed extents");
    sciara_log(SCIARA_LOG_INFO, "%s: field \"%s\": outline of %s", given->path, field, text);
  }
  if (status == SCIARA_OK) warn_of(given->path, scenario, first, found.count, "not after", of.first, "begins");
  if (status == SCIARA_OK)
    warn_of(given->path, scenario, found.count - end, found.count, "later than", of.last, "ends");
  sciara_observation_dates_free(&found);
  return status;
}
