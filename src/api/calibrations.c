// SPDX-License-Identifier: Apache-2.0
// The public interface (sciara.h): calibrations.
#include <stdlib.h>

#include "api/api.h"
#include "base/mem.h"
#include "calibrate/calibration_results.h"
#include "calibrate/cases.h"
#include "sim/choose_engine.h"

enum { WORKERS_MOST = 4096 };

struct sciara_calibration {
  struct sciara_calibration_setup setup;
  struct sciara_calibration_file file;
  struct sciara_evaluator *evaluator;     ///< of search `at`; NULL: none has begun
  struct sciara_evaluator *first;         ///< of search 0, whose grounds and extents stay for positions and the page
  struct sciara_calibration_found *found; ///< of each search; `map` NULL: none is kept
  size_t at;
  const struct sciara_calibration_rows *rows; ///< of the present call
  uint64_t before;                            ///< requests before it
  bool cancelled;                             ///< the search: nothing more is computed
  struct sciara_text text;                    ///< of the last call
};

// ------------------------------------------------------------------------------------------------------------- opening

static bool calibration_goes_on(void *context) {
  struct sciara_calibration *c = (struct sciara_calibration *)context;
  c->cancelled |= c->rows && c->rows->go_on && !c->rows->go_on(c->rows->context);
  return !c->cancelled;
}

/** Takes over the footprints of a result. */
static void keep_maps(struct sciara_calibration *c, const struct sciara_evaluation *result) {
  struct sciara_calibration_found *found = &c->found[c->at];
  for (size_t k = 0; k < c->file.scenario_count; k++) {
    sciara_footprint_free(&found->map[k]);
    found->map[k] = result->footprints[k];
    result->footprints[k] = (struct sciara_footprint){0};
  }
}

static bool receive_score(void *context, const struct sciara_evaluation *result) {
  static const char *const words[] = {[SCIARA_EVALUATE_OK] = "ok",
                                      [SCIARA_EVALUATE_FAILED] = "failed",
                                      [SCIARA_EVALUATE_INVALID] = "invalid",
                                      [SCIARA_EVALUATE_RESTED] = "rested",
                                      [SCIARA_EVALUATE_STOPPED] = "stopped"};
  struct sciara_calibration *c = (struct sciara_calibration *)context;
  const size_t pairs = c->file.pair_count;
  double *values = NULL;
  struct sciara_calibration_score score = {.row = c->rows->first + (size_t)(result->index - c->before),
                                           .status = words[result->status],
                                           .error = result->error,
                                           .jaccard = result->jaccard};
  if (result->scores) {
    if (SCIARA_NEW(values, 2 * pairs, "the scores of an evaluation") != SCIARA_OK) return false;
    for (size_t k = 0; k < pairs; k++) {
      values[k] = result->scores[k].jaccard;
      values[pairs + k] = result->scores[k].run_out_ratio;
    }
    score.pair = values;
    score.runout = values + pairs;
  }
  if (result->footprints) keep_maps(c, result);
  const bool more = c->rows->receive(c->rows->context, &score);
  sciara_free(values);
  return more;
}

/** Finds the engine of each of several searches, before any of them takes hours. */
static enum sciara_status check_engines(const struct sciara_calibration *c) {
  struct sciara_scenario_spec spec = {0};
  enum sciara_status status = sciara_calibration_scenario(&c->file, 0, &spec);
  for (size_t k = 0; k < c->file.search_count && status == SCIARA_OK; k++) {
    const struct sciara_engine_ops *ops;
    const char *name = c->setup.engine ? c->setup.engine : spec.engine.name;
    status = sciara_engine_find(name, c->file.search[k].rule, sciara_chosen_precision(&spec.engine), &ops);
    if (status == SCIARA_ERR_USAGE && !c->setup.engine) status = SCIARA_ERR_INPUT; // of the scenario
    if (status != SCIARA_OK)
      sciara_fail_context(status, "%s: engine.name (search %s)", c->file.scenario[0], c->file.search[k].name);
  }
  sciara_scenario_free(&spec);
  return status;
}

static enum sciara_status read_calibration(struct sciara_calibration *c) {
  const struct sciara_calibration_setup *s = &c->setup;
  struct sciara_diagnostics d = {0};
  sciara_calibration_file_read(s->file, s->drivers, s->driver_count, &c->file, &d);
  char more[32];
  snprintf(more, sizeof more, "... and %zu more", d.count - d.kept);
  for (size_t k = 0; s->problem && k < d.kept; k++) s->problem(s->context, d.sentence[k]);
  if (s->problem && d.kept > 0 && d.count > d.kept) s->problem(s->context, more);
  const enum sciara_status status = d.no_memory ? sciara_no_memory("a calibration") : sciara_diagnostics_status(&d);
  sciara_diagnostics_free(&d);
  SCIARA_TRY(status);
  SCIARA_TRY(SCIARA_NEW(c->found, c->file.search_count, "the searches"));
  return c->file.search->name ? check_engines(c) : SCIARA_OK;
}

enum sciara_status sciara_calibration_open(const struct sciara_calibration_setup *setup,
                                           struct sciara_calibration **out) {
  static const char function[] = "sciara_calibration_open";
  struct sciara_calibration *c;
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_pointer(function, "out", out));
  SCIARA_TRY(sciara_api_check_pointer(function, "setup", setup));
  SCIARA_TRY(sciara_api_check_pointer(function, "the path of a file", setup->file));
  if (setup->workers < 0 || setup->workers > WORKERS_MOST)
    return sciara_fail(SCIARA_ERR_USAGE, "%s: expected 0 to %d workers, found %d", function, WORKERS_MOST,
                       setup->workers);
  SCIARA_TRY(SCIARA_NEW(c, 1, "a calibration"));
  c->setup = *setup;
  sciara_scenario_declare_options(sciara_engine_settings());
  const enum sciara_status status = read_calibration(c);
  if (status == SCIARA_OK)
    *out = c; // NOLINT(clang-analyzer-core.NullDereference): it was checked
  else
    sciara_calibration_close(c);
  return status;
}

enum sciara_status sciara_calibration_describe(struct sciara_calibration *c, const char **out) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_calibration_describe", "calibration", c));
  SCIARA_TRY(sciara_api_check_pointer("sciara_calibration_describe", "out", out));
  sciara_text_free(&c->text);
  SCIARA_TRY(sciara_calibration_print(&c->file, &c->text));
  *out = c->text.data;
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------ a search

/** The number of a search. */
static enum sciara_status check_search(const char *function, const struct sciara_calibration *c, size_t search) {
  SCIARA_TRY(sciara_api_check_pointer(function, "calibration", c));
  if (search < c->file.search_count) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "%s: expected the number of one of %zu searches, found %zu", function,
                     c->file.search_count, search);
}

/** The threads of the evaluator end; that of search 0 keeps its grounds and extents. */
static void end_evaluator(struct sciara_calibration *c) {
  if (c->evaluator && c->evaluator == c->first)
    sciara_evaluator_stop(c->evaluator);
  else
    sciara_evaluator_close(c->evaluator);
  c->evaluator = NULL;
}

enum sciara_status sciara_calibration_begin(struct sciara_calibration *c, size_t search, const char **out) {
  static const char function[] = "sciara_calibration_begin";
  SCIARA_TRY(check_search(function, c, search));
  SCIARA_TRY(sciara_api_check_pointer(function, "out", out));
  const struct sciara_calibration_file *f = &c->file;
  const struct sciara_evaluate_options options = {.scenarios = (const char *const *)f->scenario,
                                                  .scenario_count = f->scenario_count,
                                                  .model = f->search[search].model,
                                                  .observed = f->observed,
                                                  .observed_count = f->pair_count,
                                                  .min_thickness_m = f->min_thickness_m,
                                                  .extra_drivers = c->setup.drivers,
                                                  .extra_driver_count = c->setup.driver_count,
                                                  .engine = c->setup.engine,
                                                  .workers = c->setup.workers,
                                                  .go_on = calibration_goes_on,
                                                  .done = receive_score,
                                                  .context = c};
  end_evaluator(c);
  SCIARA_TRY(sciara_evaluator_open(&options, &c->evaluator));
  c->at = search;
  c->before = 0;
  c->cancelled = false;
  const struct sciara_cases *cases = sciara_evaluator_cases(c->evaluator);
  for (size_t k = 0; !c->first && k < f->search_count; k++) // all grounds are those of the first search
    SCIARA_TRY(sciara_unknowns_place(&f->search[k], cases));
  if (!c->first) c->first = c->evaluator;
  sciara_text_free(&c->text);
  SCIARA_TRY(sciara_calibration_inputs_print(&f->search[search], cases, &c->text));
  *out = c->text.data;
  return SCIARA_OK;
}

enum sciara_status sciara_calibration_values(struct sciara_calibration *c, size_t search, const double *points,
                                             size_t count, double *values) {
  static const char function[] = "sciara_calibration_values";
  SCIARA_TRY(check_search(function, c, search));
  SCIARA_TRY(sciara_api_check_pointer(function, "points", points));
  SCIARA_TRY(sciara_api_check_pointer(function, "values", values));
  SCIARA_TRY(sciara_api_check_pointer(function, "a search that has begun", c->first));
  const size_t n = c->file.search[search].unknown_count;
  for (size_t k = 0; k < count; k++)
    SCIARA_TRY(sciara_unknowns_values(&c->file.search[search], points + k * n, values + k * n));
  return SCIARA_OK;
}

/** Has set `k` computed. */
static enum sciara_status put_row(const struct sciara_calibration *c, size_t k) {
  const struct sciara_calibration_rows *rows = c->rows;
  const struct sciara_calibration_search *s = &c->file.search[c->at];
  char name[SCIARA_SEARCH_NAME + 64], text[SCIARA_UNKNOWNS_MOST][40];
  const char *key[SCIARA_UNKNOWNS_MOST], *value[SCIARA_UNKNOWNS_MOST];
  const size_t count = sciara_unknowns_keys(s, rows->values + k * s->unknown_count, key, text);
  for (size_t i = 0; i < count; i++) value[i] = text[i];
  snprintf(name, sizeof name, "%s%sevaluation %zu", s->name ? s->name : "", s->name ? ": " : "", rows->first + k + 1);
  const bool keep = rows->keep && k + 1 == rows->count;
  const struct sciara_evaluate_request request = {
      .name = name, .id = "", .key = key, .value = value, .key_count = count, .keep = keep, .least = rows->least};
  return sciara_evaluator_put(c->evaluator, &request);
}

/** Makes room for the maps of the search. */
static enum sciara_status prepare_maps(struct sciara_calibration *c, const double *value) {
  struct sciara_calibration_found *found = &c->found[c->at];
  double *kept;
  found->search = &c->file.search[c->at];
  if (!found->map) SCIARA_TRY(SCIARA_NEW(found->map, c->file.scenario_count, "the maps of a search"));
  SCIARA_TRY(SCIARA_NEW(kept, found->search->unknown_count, "the maps of a search"));
  for (size_t k = 0; k < found->search->unknown_count; k++) kept[k] = value[k];
  sciara_free((void *)found->value);
  found->value = kept;
  return SCIARA_OK;
}

enum sciara_status sciara_calibration_compute(struct sciara_calibration *c,
                                              const struct sciara_calibration_rows *rows) {
  static const char function[] = "sciara_calibration_compute";
  SCIARA_TRY(sciara_api_check_pointer(function, "calibration", c));
  SCIARA_TRY(sciara_api_check_pointer(function, "rows", rows));
  SCIARA_TRY(sciara_api_check_pointer(function, "values", rows->values));
  SCIARA_TRY(sciara_api_check_pointer(function, "a search that has begun", c->evaluator));
  if (!rows->receive) return sciara_fail(SCIARA_ERR_USAGE, "%s: receive is NULL", function);
  if (c->cancelled) return SCIARA_OK;
  const size_t n = c->file.search[c->at].unknown_count;
  if (rows->keep && rows->count > 0) SCIARA_TRY(prepare_maps(c, rows->values + (rows->count - 1) * n));
  c->rows = rows;
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < rows->count && status == SCIARA_OK && !c->cancelled; k++) status = put_row(c, k);
  if (status == SCIARA_OK) status = sciara_evaluator_wait(c->evaluator, rows->last);
  c->cancelled |= status != SCIARA_OK;
  if (c->cancelled) sciara_evaluator_stop(c->evaluator); // nothing is received after this call
  c->before += rows->count;
  c->rows = NULL;
  return status;
}

// ------------------------------------------------------------------------------------------------------------- results

enum sciara_status sciara_calibration_write_best(struct sciara_calibration *c, size_t search, const double *values,
                                                 const char *folder) {
  static const char function[] = "sciara_calibration_write_best";
  SCIARA_TRY(check_search(function, c, search));
  SCIARA_TRY(sciara_api_check_pointer(function, "values", values));
  SCIARA_TRY(sciara_api_check_pointer(function, "the path of a folder", folder));
  return sciara_calibration_best_write(&c->file.search[search], values, folder);
}

enum sciara_status sciara_calibration_write_sets(struct sciara_calibration *c, size_t search, const size_t *rows,
                                                 const double *values, size_t count, const char *folder) {
  static const char function[] = "sciara_calibration_write_sets";
  SCIARA_TRY(check_search(function, c, search));
  SCIARA_TRY(sciara_api_check_pointer(function, "rows", rows));
  SCIARA_TRY(sciara_api_check_pointer(function, "values", values));
  SCIARA_TRY(sciara_api_check_pointer(function, "the path of a folder", folder));
  return sciara_calibration_sets_write(&c->file.search[search], rows, values, count, folder);
}

enum sciara_status sciara_calibration_write_page(struct sciara_calibration *c, const size_t *search, size_t count,
                                                 const char *searches, const char *language, const char *folder) {
  static const char function[] = "sciara_calibration_write_page";
  struct sciara_calibration_found *found;
  struct sciara_calibration_page page = {.count = count, .searches = searches};
  SCIARA_TRY(sciara_api_check_pointer(function, "search", search));
  SCIARA_TRY(sciara_api_check_pointer(function, "searches", searches));
  SCIARA_TRY(sciara_api_check_pointer(function, "language", language));
  SCIARA_TRY(sciara_api_check_pointer(function, "the path of a folder", folder));
  SCIARA_TRY(sciara_language_parse(language, &page.language));
  if (count == 0) return sciara_fail(SCIARA_ERR_USAGE, "%s: expected a search, found none", function);
  for (size_t k = 0; k < count; k++) {
    SCIARA_TRY(check_search(function, c, search[k]));
    if (!c->found[search[k]].map || !c->found[search[k]].map->error)
      return sciara_fail(SCIARA_ERR_USAGE, "%s: expected searches whose maps are kept, found search %zu", function,
                         search[k]);
  }
  SCIARA_TRY(SCIARA_NEW(found, count, "the searches of a page"));
  for (size_t k = 0; k < count; k++) found[k] = c->found[search[k]];
  page.found = found;
  page.cases = sciara_evaluator_cases(c->first);
  const enum sciara_status status = sciara_calibration_page_write(folder, &page);
  sciara_free(found);
  return status;
}

void sciara_calibration_close(struct sciara_calibration *c) {
  if (!c) return;
  end_evaluator(c);
  sciara_evaluator_close(c->first);
  for (size_t n = 0; c->found && n < c->file.search_count; n++) {
    for (size_t k = 0; c->found[n].map && k < c->file.scenario_count; k++) sciara_footprint_free(&c->found[n].map[k]);
    sciara_free(c->found[n].map);
    sciara_free((void *)c->found[n].value);
  }
  sciara_free(c->found);
  sciara_calibration_file_free(&c->file);
  sciara_text_free(&c->text);
  sciara_free(c);
}
