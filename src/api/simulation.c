// SPDX-License-Identifier: Apache-2.0
// The public interface (sciara.h): a simulation, from its opening to its end.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/field.h"
#include "setup/scenario_site.h"

const char *sciara_version(void) { return SCIARA_VERSION; }

// ----------------------------------------------------------------------------------------------------------- opening

enum sciara_status sciara_api_check_pointer(const char *function, const char *argument, const void *pointer) {
  if (pointer) return SCIARA_OK;
  sciara_fail(SCIARA_ERR_USAGE, "%s: expected %s, found NULL", function, argument);
  return SCIARA_ERR_USAGE;
}

/** The arguments of a function that opens something. */
static enum sciara_status check_open(const char *function, const char *path, const char *const *overrides, size_t count,
                                     const void *out) {
  SCIARA_TRY(sciara_api_check_pointer(function, "out", out));
  SCIARA_TRY(sciara_api_check_pointer(function, "the path", path));
  if (count > 0) SCIARA_TRY(sciara_api_check_pointer(function, "overrides", overrides));
  for (size_t k = 0; k < count; k++) SCIARA_TRY(sciara_api_check_pointer(function, "an override", overrides[k]));
  return SCIARA_OK;
}

/** Takes over a problem (on failure too). @param from the checkpoint of its state; NULL: it is at its start */
static enum sciara_status api_start(struct sciara_problem *problem, const struct sciara_resume *from,
                                    struct sciara **out) {
  struct sciara_simulation *simulation;
  // The caller writes files between two calls, not while steps are done: no state is kept.
  SCIARA_TRY(from ? sciara_resume_simulation(from, problem, false, &simulation)
                  : sciara_simulation_create(problem, false, &simulation));
  struct sciara *s;
  const enum sciara_status status = SCIARA_NEW(s, 1, "simulation");
  if (status != SCIARA_OK) {
    sciara_simulation_destroy(simulation);
    return status;
  }
  s->simulation = simulation;
  *out = s; // NOLINT(clang-analyzer-core.NullDereference): check_open refuses NULL
  return SCIARA_OK;
}

/** The simulation of a scenario file. @param options->site NULL: reads the DEM */
static enum sciara_status open_file(const char *scenario, const struct sciara_problem_options *options,
                                    struct sciara **out) {
  struct sciara_problem problem;
  SCIARA_TRY(sciara_problem_open(scenario, options, &problem));
  return api_start(&problem, NULL, out);
}

enum sciara_status sciara_open(const char *scenario, const char *const *overrides, size_t count, struct sciara **out) {
  if (out) *out = NULL;
  SCIARA_TRY(check_open("sciara_open", scenario, overrides, count, out));
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count};
  return open_file(scenario, &options, out);
}

enum sciara_status sciara_open_on(const struct sciara_site *site, const char *scenario, const char *const *overrides,
                                  size_t count, struct sciara **out) {
  if (out) *out = NULL;
  SCIARA_TRY(check_open("sciara_open_on", scenario, overrides, count, out));
  SCIARA_TRY(sciara_api_check_pointer("sciara_open_on", "site", site));
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count, .site = site};
  return open_file(scenario, &options, out);
}

enum sciara_status sciara_create(const struct sciara_scenario *scenario, const struct sciara_site *site,
                                 struct sciara **out) {
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_pointer("sciara_create", "out", out));
  SCIARA_TRY(sciara_api_check_pointer("sciara_create", "scenario", scenario));
  SCIARA_TRY(sciara_scenario_draft_check_dem(scenario, site != NULL, site && sciara_site_is_of_memory(site)));
  struct sciara_text text = {0}, dem = {0};
  struct sciara_problem problem = {0};
  struct sciara_diagnostics diagnostics = {0};
  const struct sciara_problem_options options = {.site = site, .initial = &scenario->initial};
  sciara_scenario_declare_options(sciara_engine_settings());
  enum sciara_status status = site ? sciara_site_append_dem(site, &dem) : SCIARA_OK;
  if (status == SCIARA_OK) status = sciara_scenario_draft_text(scenario, dem.data, &text);
  sciara_diagnostics_add(&diagnostics, status);
  if (status == SCIARA_OK && sciara_problem_begin(&problem, &diagnostics)) {
    sciara_scenario_parse(scenario->path, text.data, text.length, NULL, 0, &problem.source->scenario, &diagnostics);
    sciara_problem_place(&problem, &options, &diagnostics);
  }
  status = sciara_diagnostics_end(&diagnostics);
  sciara_text_free(&text);
  sciara_text_free(&dem);
  if (status == SCIARA_OK) return api_start(&problem, NULL, out);
  sciara_problem_free(&problem);
  return status;
}

enum sciara_status sciara_open_run(const char *folder, const char *const *overrides, size_t count,
                                   struct sciara **out) {
  if (out) *out = NULL;
  SCIARA_TRY(check_open("sciara_open_run", folder, overrides, count, out));
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count};
  struct sciara_resume from = {.lock = -1};
  struct sciara_problem problem = {0};
  struct sciara_diagnostics diagnostics = {0};
  sciara_scenario_declare_options(sciara_engine_settings());
  SCIARA_TRY(sciara_resume_open(folder, true, &from));
  enum sciara_status status = sciara_resume_find(&from);
  sciara_diagnostics_add(&diagnostics, status);
  if (status == SCIARA_OK) sciara_resume_problem(&from, &options, &problem, &diagnostics);
  status = sciara_diagnostics_end(&diagnostics);
  if (status == SCIARA_OK)
    status = api_start(&problem, &from, out);
  else
    sciara_problem_free(&problem);
  sciara_resume_close(&from);
  return status;
}

enum sciara_status sciara_open_checkpoint(const char *path, const struct sciara_site *site,
                                          const char *const *overrides, size_t count, struct sciara **out) {
  if (out) *out = NULL;
  SCIARA_TRY(check_open("sciara_open_checkpoint", path, overrides, count, out));
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count, .site = site};
  struct sciara_resume from;
  struct sciara_problem problem;
  sciara_scenario_declare_options(sciara_engine_settings());
  enum sciara_status status = sciara_checkpoint_problem(path, &options, &from, &problem);
  if (status == SCIARA_OK)
    status = api_start(&problem, &from, out);
  else
    sciara_problem_free(&problem);
  sciara_resume_close(&from);
  return status;
}

void sciara_close(struct sciara *s) {
  if (!s) return;
  sciara_simulation_destroy(s->simulation);
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) sciara_free(s->view[f].values);
  sciara_free(s);
}

// ------------------------------------------------------------------------------------------------------------- steps

/**
 * Whether the stop rule is met. A time that no longer grows meets none, nor does a cell that is too thick: every further
 * call says so.
 */
static bool is_finished(const struct sciara_simulation *s) {
  return s->finished != SCIARA_STOP_NONE && !sciara_simulation_is_stuck(s);
}

static void describe(const struct sciara_simulation *s, struct sciara_progress *out) {
  const struct sciara_engine_progress *p = &s->progress;
  *out = (struct sciara_progress){.step = p->step,
                                  .time_s = p->time,
                                  .clock_s = p->clock,
                                  .liquid_cells = p->liquid_cells,
                                  .solidified = s->finished == SCIARA_STOP_SOLIDIFIED,
                                  .finished = is_finished(s)};
}

/** The state has changed: views are out of date. */
static void forget_views(struct sciara *s) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) s->view[f].is_current = false;
}

static enum sciara_status advance(struct sciara *s, const struct sciara_advance_limit *limit) {
  if (is_finished(s->simulation)) return SCIARA_OK;
  struct sciara_advance_limit all = *limit;
  all.cancel = &s->cancel;
  forget_views(s);
  const enum sciara_status status = sciara_simulation_advance(s->simulation, &all);
  __atomic_store_n(&s->cancel, 0, __ATOMIC_RELAXED);
  return status;
}

enum sciara_status sciara_step(struct sciara *s, uint64_t steps) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_step", "the simulation", s));
  const uint64_t done = s->simulation->progress.step;
  const struct sciara_advance_limit limit = {.time = INFINITY,
                                             .step = steps < UINT64_MAX - done ? done + steps : UINT64_MAX};
  return steps > 0 ? advance(s, &limit) : SCIARA_OK;
}

enum sciara_status sciara_run(struct sciara *s) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_run", "the simulation", s));
  const struct sciara_advance_limit limit = {.time = INFINITY, .step = UINT64_MAX};
  return advance(s, &limit);
}

/** The caller's function, and what it may cancel. */
struct watch {
  struct sciara *s;
  const struct sciara_advance_options *options;
};

static bool watch(void *context, const struct sciara_simulation *simulation) {
  const struct watch *w = (const struct watch *)context;
  struct sciara_progress now;
  describe(simulation, &now);
  if (!w->options->progress(w->options->context, &now)) sciara_cancel(w->s);
  return false; // the engine notices the cancellation
}

enum sciara_status sciara_advance(struct sciara *s, const struct sciara_advance_options *options) {
  static const struct sciara_advance_options none = {0};
  SCIARA_TRY(sciara_api_check_pointer("sciara_advance", "the simulation", s));
  if (!options) options = &none;
  if (!(options->time_s >= 0))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_advance: time_s: expected 0 s (no limit) or more, found %g s",
                       options->time_s);
  struct watch w = {.s = s, .options = options};
  const struct sciara_engine_progress *at = &s->simulation->progress;
  if (options->time_s > 0 && options->time_s < at->time)
    sciara_log(SCIARA_LOG_INFO,
               "sciara_advance: no step is done: the simulated time is %.10g s already, found the limit %.10g s",
               at->time, options->time_s);
  else if (options->step > 0 && options->step < at->step)
    sciara_log(SCIARA_LOG_INFO,
               "sciara_advance: no step is done: the step is %" PRIu64 " already, found the limit %" PRIu64, at->step,
               options->step);
  const struct sciara_advance_limit limit = {.time = options->time_s > 0 ? options->time_s : INFINITY,
                                             .step = options->step > 0 ? options->step : UINT64_MAX,
                                             .tick = options->progress ? watch : NULL,
                                             .tick_context = &w};
  return at->step < limit.step && at->time < limit.time ? advance(s, &limit) : SCIARA_OK;
}

void sciara_cancel(struct sciara *s) {
  if (s) __atomic_store_n(&s->cancel, 1, __ATOMIC_RELAXED);
}

/** The vent of that name, which must be the only one. */
static enum sciara_status find_vent(const struct sciara_scenario_spec *scenario, const char *vent, size_t *found) {
  struct sciara_text names = {0};
  size_t matches = 0;
  for (size_t k = 0; k < scenario->vent_count; k++) {
    const bool is_it = strcmp(scenario->vents[k].name, vent) == 0;
    if (is_it) *found = k;
    matches += is_it;
    if (k < 10) sciara_text_append(&names, "%s\"%s\"", k ? ", " : "", scenario->vents[k].name);
  }
  enum sciara_status status = SCIARA_OK;
  if (matches == 0)
    status =
        sciara_fail(SCIARA_ERR_USAGE, "expected the name of a vent: %s%s; found \"%s\"",
                    names.data ? names.data : "the scenario has none", scenario->vent_count > 10 ? ", ..." : "", vent);
  else if (matches > 1)
    status = sciara_fail(SCIARA_ERR_USAGE, "expected one vent \"%s\", found %zu: give each a name of its own", vent,
                         matches);
  sciara_text_free(&names);
  return status;
}

enum sciara_status sciara_set_rate(struct sciara *s, const char *vent, double rate_m3_s, double until_s) {
  size_t k = 0;
  SCIARA_TRY(sciara_api_check_pointer("sciara_set_rate", "the simulation", s));
  SCIARA_TRY(sciara_api_check_pointer("sciara_set_rate", "the vent", vent));
  SCIARA_TRY(find_vent(&s->simulation->problem.source->scenario, vent, &k));
  forget_views(s);
  return sciara_simulation_set_rate(s->simulation, k, rate_m3_s, until_s);
}

// ----------------------------------------------------------------------------------------------------------- reading

void sciara_read_progress(const struct sciara *s, struct sciara_progress *out) {
  *out = (struct sciara_progress){0};
  if (s) describe(s->simulation, out);
}

static void read_grid(const struct sciara_grid *g, struct sciara_grid_info *out) {
  *out = (struct sciara_grid_info){
      .rows = g->rows, .cols = g->cols, .cell_size_m = g->cell_size, .west_m = g->west, .north_m = g->north};
}

void sciara_read_grid(const struct sciara *s, struct sciara_grid_info *out) {
  *out = (struct sciara_grid_info){0};
  if (s) read_grid(&s->simulation->problem.state->grid, out);
}

void sciara_site_read_grid(const struct sciara_site *site, struct sciara_grid_info *out) {
  *out = (struct sciara_grid_info){0};
  if (site) read_grid(&site->grid, out);
}

void sciara_site_read_crs(const struct sciara_site *site, const char **wkt, const char **name) {
  if (wkt) *wkt = site ? site->origin.crs_wkt : NULL;
  if (name) *name = site ? site->origin.crs_name : NULL;
}

void sciara_read_crs(const struct sciara *s, const char **wkt, const char **name) {
  if (wkt) *wkt = s ? s->simulation->problem.source->georef.crs_wkt : NULL;
  if (name) *name = s ? s->simulation->problem.source->georef.crs_name : NULL;
}

const char *sciara_read_engine_name(const struct sciara *s) { return s ? s->simulation->ops->name : ""; }

const char *sciara_read_rule_name(const struct sciara *s) {
  return s ? sciara_rule_name(s->simulation->problem.params.rule) : "";
}

double sciara_read_end_time(const struct sciara *s) {
  return s ? sciara_limits_end(&s->simulation->problem.source->scenario.run) : (double)INFINITY;
}

/** The k-th vent of the scenario; NULL, with the error set: there is none. */
static const struct sciara_vent_spec *find_kth_vent(const char *function, const struct sciara *s, size_t k) {
  if (sciara_api_check_pointer(function, "the simulation", s) != SCIARA_OK) return NULL;
  const struct sciara_scenario_spec *scenario = &s->simulation->problem.source->scenario;
  if (k < scenario->vent_count) return &scenario->vents[k];
  sciara_fail(SCIARA_ERR_USAGE, "%s: expected one of %zu vents, from 0; found vent %zu", function, scenario->vent_count,
              k);
  return NULL;
}

enum sciara_status sciara_read_vent(const struct sciara *s, size_t k, const char **name, double *end_s) {
  const struct sciara_vent_spec *v = find_kth_vent("sciara_read_vent", s, k);
  if (!v) return SCIARA_ERR_USAGE;
  if (name) *name = v->name;
  if (end_s) *end_s = v->edges[v->rate_count];
  return SCIARA_OK;
}

/** The rate of a vent, or of a whole fissure, from `time` (s) on, m3/s; 0 before and after its table. */
static double vent_spec_rate(const struct sciara_vent_spec *v, double time) {
  for (size_t n = 0; n < v->rate_count; n++)
    if (v->edges[n] <= time && time < v->edges[n + 1]) return v->rates[n];
  return 0;
}

enum sciara_status sciara_read_rate(const struct sciara *s, size_t k, double *rate_m3_s) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_read_rate", "rate_m3_s", rate_m3_s));
  const struct sciara_vent_spec *v = find_kth_vent("sciara_read_rate", s, k);
  if (!v) return SCIARA_ERR_USAGE;
  *rate_m3_s = vent_spec_rate(v, s->simulation->progress.time);
  return SCIARA_OK;
}

enum sciara_status sciara_api_check_field(const char *function, const struct sciara *s, enum sciara_field field) {
  SCIARA_TRY(sciara_api_check_pointer(function, "the simulation", s));
  if (!sciara_field_describe(field))
    return sciara_fail(SCIARA_ERR_USAGE, "%s: expected a field from 0 to %d, found %d", function,
                       SCIARA_FIELD_COUNT - 1, (int)field);
  if (sciara_field_record(field) & ~sciara_state_record(s->simulation->problem.state))
    return sciara_fail(SCIARA_ERR_USAGE,
                       "%s: expected a recorded field, found %s: add it to output.fields of the scenario", function,
                       sciara_field_name(field));
  return SCIARA_OK;
}

/** Whether a field can be read, and brings the state up to date. */
static enum sciara_status ready(struct sciara *s, const char *function, enum sciara_field field) {
  SCIARA_TRY(sciara_api_check_field(function, s, field));
  return sciara_simulation_sync(s->simulation);
}

enum sciara_status sciara_read_field(struct sciara *s, enum sciara_field field, double *out, size_t capacity) {
  const size_t cells = s ? (size_t)sciara_grid_cells(&s->simulation->problem.state->grid) : 0;
  if (s && (!out || capacity < cells) && sciara_field_describe(field))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_read_field: expected room for %zu values, found %zu", cells,
                       out ? capacity : 0);
  SCIARA_TRY(ready(s, "sciara_read_field", field));
  sciara_field_derive(s->simulation->problem.state, field, out);
  return SCIARA_OK;
}

enum sciara_status sciara_view_field(struct sciara *s, enum sciara_field field, const double **out) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_view_field", "out", out));
  *out = NULL;
  SCIARA_TRY(ready(s, "sciara_view_field", field));
  const struct sciara_state *state = s->simulation->problem.state;
  struct sciara_view *view = &s->view[field];
  if (!view->values) SCIARA_TRY(SCIARA_NEW(view->values, sciara_grid_cells(&state->grid), "a view of a field"));
  if (!view->is_current) sciara_field_derive(state, field, view->values);
  view->is_current = true;
  *out = view->values;
  return SCIARA_OK;
}

enum sciara_status sciara_read_ledger(struct sciara *s, struct sciara_ledger *out) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_read_ledger", "the simulation", s));
  SCIARA_TRY(sciara_api_check_pointer("sciara_read_ledger", "out", out));
  return sciara_simulation_ledger(s->simulation, out);
}

enum sciara_status sciara_checksum(struct sciara *s, uint64_t *out) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_checksum", "the simulation", s));
  SCIARA_TRY(sciara_api_check_pointer("sciara_checksum", "out", out));
  SCIARA_TRY(sciara_simulation_sync(s->simulation));
  *out = sciara_state_checksum(s->simulation->problem.state);
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------------- sites

// ------------------------------------------------------------------------------------------------------------- sites

enum sciara_status sciara_site_open(const char *scenario, const char *const *overrides, size_t count,
                                    const struct sciara_site **out) {
  if (out) *out = NULL;
  SCIARA_TRY(check_open("sciara_site_open", scenario, overrides, count, out));
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count};
  struct sciara_scenario_spec s;
  sciara_scenario_declare_options(sciara_engine_settings());
  SCIARA_TRY(sciara_scenario_read(scenario, overrides, count, NULL, &s));
  const enum sciara_status status = sciara_scenario_site_read(&s, &options, out);
  sciara_scenario_free(&s);
  return status;
}

/** The scenario of a DEM without lava. */
static enum sciara_status describe_dem(const char *path, const char *crs, double cell_size_m, bool single_precision,
                                       struct sciara_text *out) {
  SCIARA_TRY(sciara_text_append(out, "{\"vents\": [], \"initial\": {\"thickness\": 0}, \"dem\": {\"path\": "));
  SCIARA_TRY(sciara_text_append_json(out, path));
  if (crs) SCIARA_TRY(sciara_text_append(out, ", \"crs\": "));
  if (crs) SCIARA_TRY(sciara_text_append_json(out, crs));
  if (cell_size_m != 0) SCIARA_TRY(sciara_text_append(out, ", \"cell_size_m\": %.17g", cell_size_m));
  return sciara_text_append(out, "}, \"engine\": {\"precision\": \"%s\"}}", single_precision ? "single" : "double");
}

enum sciara_status sciara_site_from_dem(const char *path, const char *crs, double cell_size_m, bool single_precision,
                                        const struct sciara_site **out) {
  if (out) *out = NULL;
  SCIARA_TRY(check_open("sciara_site_from_dem", path, NULL, 0, out));
  if (!(cell_size_m >= 0) || !isfinite(cell_size_m))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_site_from_dem: cell_size_m: expected 0 m or more, found %g m",
                       cell_size_m);
  struct sciara_text text = {0};
  struct sciara_scenario_spec s = {0};
  struct sciara_diagnostics diagnostics = {0};
  const struct sciara_problem_options options = {0};
  sciara_scenario_declare_options(sciara_engine_settings());
  enum sciara_status status = describe_dem(path, crs, cell_size_m, single_precision, &text);
  sciara_diagnostics_add(&diagnostics, status);
  if (status == SCIARA_OK)
    sciara_scenario_parse("sciara_site_from_dem", text.data, text.length, NULL, 0, &s, &diagnostics);
  status = sciara_diagnostics_end(&diagnostics);
  if (status == SCIARA_OK) status = sciara_scenario_site_read(&s, &options, out);
  sciara_scenario_free(&s);
  sciara_text_free(&text);
  return status;
}

enum sciara_status sciara_site_from_array(const struct sciara_grid_info *grid, const char *crs, const double *altitude,
                                          bool single_precision, const struct sciara_site **out) {
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_pointer("sciara_site_from_array", "out", out));
  SCIARA_TRY(sciara_api_check_pointer("sciara_site_from_array", "grid", grid));
  SCIARA_TRY(sciara_api_check_pointer("sciara_site_from_array", "altitude", altitude));
  const struct sciara_grid g = {.rows = grid->rows,
                                .cols = grid->cols,
                                .cell_size = grid->cell_size_m,
                                .west = grid->west_m,
                                .north = grid->north_m};
  return sciara_memory_site_make(&g, crs, altitude, single_precision, out);
}

// ----------------------------------------------------------------------------------------------------------- engines

_Static_assert(SCIARA_RULES < sizeof((struct sciara_engine_info){0}.rules) / sizeof(char *), "a place for NULL");

enum sciara_status sciara_read_engine(size_t k, struct sciara_engine_info *out) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_read_engine", "out", out));
  *out = (struct sciara_engine_info){.why_not = ""};
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  if (k >= count)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_read_engine: expected one of %zu engines, from 0; found engine %zu",
                       count, k);
  out->name = list[k].name;
  size_t rules = 0;
  enum sciara_rule_kind some = SCIARA_RULE_FV3; // what is said of an engine holds with any of its rules
  for (int rule = 0; rule < SCIARA_RULES; rule++) {
    if (!(list[k].rules >> rule & 1u)) continue;
    some = (enum sciara_rule_kind)rule;
    out->rules[rules++] = sciara_rule_name(some);
  }
  const struct sciara_engine_ops *ops = NULL, *known = list[k].ops[some][SCIARA_DOUBLE];
  out->available = sciara_engine_find(list[k].name, some, SCIARA_DOUBLE, &ops) == SCIARA_OK;
  if (!out->available) out->why_not = sciara_last_error();
  out->summary = known ? known->summary : "not part of this build";
  out->exact = known && known->determinism == SCIARA_EXACT;
  return SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------------- messages

static struct {
  void (*receive)(void *context, enum sciara_message kind, const char *text);
  void *context;
} receiver;

static void pass_on(void *context, enum sciara_log_level level, const char *message) {
  static const enum sciara_message kind[] = {[SCIARA_LOG_DEBUG] = SCIARA_MESSAGE_DETAIL,
                                             [SCIARA_LOG_INFO] = SCIARA_MESSAGE_INFO,
                                             [SCIARA_LOG_WARNING] = SCIARA_MESSAGE_WARNING,
                                             [SCIARA_LOG_ERROR] = SCIARA_MESSAGE_ERROR};
  (void)context;
  receiver.receive(receiver.context, kind[level], message);
}

void sciara_set_log(void (*receive)(void *context, enum sciara_message kind, const char *text), void *context) {
  sciara_log_set_sink(NULL, NULL);
  receiver.receive = receive;
  receiver.context = context;
  if (receive) sciara_log_set_sink(pass_on, NULL);
}
