// SPDX-License-Identifier: Apache-2.0
// The public interface (sciara.h): evaluations.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/mem.h"
#include "calibrate/evaluate.h"

enum { WORKERS_MOST = 4096 };

struct sciara_evaluations {
  struct sciara_evaluate_options options;
  struct sciara_observed_list observed;
  struct sciara_evaluator *evaluator;           ///< NULL: the last call did not finish, so it is to be opened again
  bool (*progress)(void *context, size_t done); ///< of the present call; may be NULL
  void *context;
  bool cancelled;             ///< the present call
  struct sciara_text results; ///< of the present call
  size_t done;                ///< atomic: lines in them
};

static bool take_result(void *context, const struct sciara_evaluation *result) {
  struct sciara_evaluations *e = (struct sciara_evaluations *)context;
  const enum sciara_status status = sciara_evaluate_print(&e->options, result, &e->results);
  __atomic_add_fetch(&e->done, 1, __ATOMIC_RELAXED);
  return status == SCIARA_OK;
}

static bool go_on(void *context) {
  struct sciara_evaluations *e = (struct sciara_evaluations *)context;
  e->cancelled = e->progress && !e->progress(e->context, __atomic_load_n(&e->done, __ATOMIC_RELAXED));
  return !e->cancelled;
}

static enum sciara_status refuse(const char *expected, double found) {
  return sciara_fail(SCIARA_ERR_USAGE, "sciara_evaluations_open: expected %s, found %g", expected, found);
}

static enum sciara_status check_setup(const struct sciara_evaluations_setup *s) {
  static const char function[] = "sciara_evaluations_open";
  SCIARA_TRY(sciara_api_check_pointer(function, "setup", s));
  SCIARA_TRY(sciara_api_check_pointer(function, "scenarios", s->scenarios));
  SCIARA_TRY(sciara_api_check_pointer(function, "observed", s->observed));
  if (s->scenario_count == 0) return refuse("at least one scenario", 0);
  if (!(s->min_thickness_m >= 0) || !isfinite(s->min_thickness_m))
    return refuse("min_thickness_m of 0 m or more", s->min_thickness_m);
  if (s->workers < 0 || s->workers > WORKERS_MOST) return refuse("0 to 4096 workers", s->workers);
  for (size_t k = 0; k < s->scenario_count; k++)
    SCIARA_TRY(sciara_api_check_pointer(function, "the path of a scenario", s->scenarios[k]));
  for (size_t k = 0; k < s->observed_count; k++) {
    const struct sciara_observed *o = &s->observed[k];
    SCIARA_TRY(sciara_api_check_pointer(function, "the path of an observed extent", o->path));
    if (o->scenario >= s->scenario_count) return refuse("the number of a scenario", (double)o->scenario);
    if (!(o->at_s >= 0) || !isfinite(o->at_s)) return refuse("at_s of 0 s or more", o->at_s);
    if (o->dates && (o->date || o->at_s > 0)) return refuse("dates without date and at_s", o->at_s);
    if (o->date && o->at_s > 0) return refuse("one of at_s and date", o->at_s);
    if (!(o->weight >= 0 && o->weight <= SCIARA_EVALUATE_WEIGHT_MOST)) return refuse("a weight of 0 to 1e6", o->weight);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_evaluations_open(const struct sciara_evaluations_setup *setup,
                                           struct sciara_evaluations **out) {
  struct sciara_evaluations *e;
  enum sciara_status status;
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_pointer("sciara_evaluations_open", "out", out));
  SCIARA_TRY(check_setup(setup));
  SCIARA_TRY(SCIARA_NEW(e, 1, "evaluations"));
  for (size_t k = 0; k < setup->observed_count; k++) {
    const struct sciara_observed *o = &setup->observed[k];
    const struct sciara_evaluate_observed one = {.scenario = o->scenario,
                                                 .path = o->path,
                                                 .layer = o->layer,
                                                 .region = o->region,
                                                 .at_s = o->at_s > 0 ? o->at_s : (double)INFINITY,
                                                 .at_date = o->date,
                                                 .weight = o->weight > 0 ? o->weight : 1};
    SCIARA_TRY_GOTO(sciara_observed_add(&e->observed, &one, setup->scenarios[o->scenario], o->dates, NULL, 0));
  }
  e->options = (struct sciara_evaluate_options){.scenarios = setup->scenarios,
                                                .scenario_count = setup->scenario_count,
                                                .observed = e->observed.item,
                                                .observed_count = e->observed.count,
                                                .min_thickness_m = setup->min_thickness_m,
                                                .engine = setup->engine,
                                                .workers = setup->workers,
                                                .go_on = go_on,
                                                .done = take_result,
                                                .context = e};
  sciara_scenario_declare_options(sciara_engine_settings());
  SCIARA_TRY_GOTO(sciara_evaluator_open(&e->options, &e->evaluator));
  *out = e; // NOLINT(clang-analyzer-core.NullDereference): it was checked
  return SCIARA_OK;
cleanup:
  sciara_evaluations_close(e);
  return status;
}

/** Adds each line as a request; counts them. */
static enum sciara_status put_lines(struct sciara_evaluations *e, const char *lines, size_t *count) {
  for (uint64_t number = 1; *lines; number++) {
    const size_t length = strcspn(lines, "\n");
    if (strspn(lines, " \t\r") < length) {
      char *line = strndup(lines, length);
      const enum sciara_status status =
          line ? sciara_evaluate_line(e->evaluator, number, line, length) : sciara_no_memory("a line");
      free(line);
      SCIARA_TRY(status);
      ++*count;
    }
    lines += length + (lines[length] == '\n');
  }
  return SCIARA_OK;
}

enum sciara_status sciara_evaluations_run(struct sciara_evaluations *e, const char *lines,
                                          bool (*progress)(void *context, size_t done), void *context,
                                          const char **out) {
  size_t count = 0;
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_pointer("sciara_evaluations_run", "evaluations", e));
  SCIARA_TRY(sciara_api_check_pointer("sciara_evaluations_run", "lines", lines));
  SCIARA_TRY(sciara_api_check_pointer("sciara_evaluations_run", "out", out));
  if (!e->evaluator) SCIARA_TRY(sciara_evaluator_open(&e->options, &e->evaluator));
  sciara_text_free(&e->results);
  e->done = 0;
  e->progress = progress;
  e->context = context;
  e->cancelled = false;
  enum sciara_status status = sciara_text_append(&e->results, "%s", "");
  if (status == SCIARA_OK) status = put_lines(e, lines, &count);
  if (status == SCIARA_OK) status = sciara_evaluator_wait(e->evaluator, false);
  const bool whole = __atomic_load_n(&e->done, __ATOMIC_RELAXED) == count && !e->cancelled;
  if (status != SCIARA_OK || !whole || e->results.failed != SCIARA_OK) {
    sciara_evaluator_close(e->evaluator);
    e->evaluator = NULL;
  }
  if (status == SCIARA_OK && e->results.failed != SCIARA_OK) status = sciara_no_memory("the results");
  if (status == SCIARA_OK && progress) progress(context, e->done);
  if (status == SCIARA_OK) *out = e->results.data; // NOLINT(clang-analyzer-core.NullDereference): it was checked
  return status;
}

void sciara_evaluations_close(struct sciara_evaluations *e) {
  if (!e) return;
  sciara_evaluator_close(e->evaluator);
  sciara_text_free(&e->results);
  sciara_observed_list_free(&e->observed);
  sciara_free(e);
}
