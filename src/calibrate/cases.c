// SPDX-License-Identifier: Apache-2.0
// Scores are made on the smallest rectangle with all cells that count: they are those of the whole grid, for distances
// do not depend on cells that belong to neither extent.
#include "calibrate/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/front.h"
#include "base/date.h"
#include "base/mem.h"
#include "scenario/scenario_keys.h"
#include "setup/scenario_site.h"
#include "sim/choose_engine.h"
#include "sim/end.h"

/** A front rests for so long, s: the default of run.front_at_rest. */
static const double REST_S = 2 * 86400;

// ----------------------------------------------------------------------------------------------------------- rectangles

void sciara_case_box_add(struct sciara_case_box *b, int64_t row, int64_t col) {
  if (b->south == 0) *b = (struct sciara_case_box){row, row + 1, col, col + 1};
  if (row < b->north) b->north = row;
  if (row >= b->south) b->south = row + 1;
  if (col < b->west) b->west = col;
  if (col >= b->east) b->east = col + 1;
}

static void box_add_cells(struct sciara_case_box *b, const struct sciara_grid *g, const int64_t *cell, int64_t count) {
  for (int64_t k = 0; k < count; k++) sciara_case_box_add(b, cell[k] / g->cols, cell[k] % g->cols);
}

/** The entry of a cell in an array of the box. */
static int64_t box_index(const struct sciara_case_box *b, int64_t row, int64_t col) {
  return (row - b->north) * (b->east - b->west) + col - b->west;
}

// ---------------------------------------------------------------------------------------------------------------- vents

/** The cells of the vents of a scenario. */
static enum sciara_status find_vents(const struct sciara_scenario_member *scenario, const struct sciara_site *site,
                                     struct sciara_vent_cells *out) {
  const struct sciara_georef georef = {.crs_wkt = site->origin.crs_wkt, .crs_name = site->origin.crs_name};
  struct sciara_scenario_spec spec = {0};
  enum sciara_status status = sciara_scenario_member_values(scenario, false, &sciara_no_notes, &spec);
  if (status == SCIARA_OK) status = sciara_vent_cells_of(&spec, &site->grid, &georef, out);
  sciara_scenario_free(&spec);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- scenarios

/** Reads the tree of a scenario, with the model that all of them have. */
static enum sciara_status read_base(struct sciara_case *s, const char *model) {
  cJSON *tree = NULL;
  SCIARA_TRY(sciara_json_read(s->path, &tree));
  const enum sciara_status status = model ? sciara_scenario_override_key(s->path, tree, "model", model) : SCIARA_OK;
  if (status == SCIARA_OK) return sciara_scenario_base_make(tree, &s->base);
  cJSON_Delete(tree);
  return status;
}

/** Reads a scenario, its ground and its engine; what it needs. */
static enum sciara_status open_scenario(struct sciara_cases *c, size_t k) {
  struct sciara_case *s = &c->scenario[k];
  struct sciara_scenario_spec *spec = &s->spec;
  struct sciara_problem problem = {0};
  struct sciara_diagnostics diagnostics = {0};
  enum sciara_status status;
  s->path = c->options->scenarios[k];
  const char *engine = c->options->engine ? c->options->engine : k > 0 ? c->ops->name : NULL;
  s->setup = (struct sciara_compute_setup){.engine = engine, .threads = 1, .device = -1};
  SCIARA_TRY(read_base(s, c->options->model));
  const struct sciara_scenario_member unchanged = {.base = s->base, .name = s->path};
  sciara_scenario_member_read(&unchanged, false, &sciara_no_notes, spec, &diagnostics);
  spec->notes = NULL; // those of the ground; the others are said when it is placed
  SCIARA_TRY_GOTO(sciara_diagnostics_status(&diagnostics));
  s->end_s = sciara_limits_end(&spec->run);
  if (spec->start) snprintf(s->start, sizeof s->start, "%s", spec->start);
  spec->dem.error = (struct sciara_ground_error){0}; // each member adds its own
  const struct sciara_problem_options options = {.extra_drivers = c->options->extra_drivers,
                                                 .extra_driver_count = c->options->extra_driver_count};
  SCIARA_TRY_GOTO(sciara_scenario_site_read(spec, &options, &s->setup.site));
  s->setup.ground = sciara_site_checksum(s->setup.site);
  sciara_compute_place(&s->setup, &unchanged, NULL, &problem, &diagnostics);
  SCIARA_TRY_GOTO(sciara_diagnostics_status(&diagnostics));
  s->inputs = sciara_inputs_of(s->setup.site, s->setup.ground, problem.vents);
  if (problem.state) s->inputs.hash[SCIARA_INPUT_LAVA] = sciara_state_checksum(problem.state);
  s->begin_s = problem.state ? problem.state->time : 0;
  const struct sciara_engine_ops *ops;
  SCIARA_TRY_GOTO(sciara_engine_choose(&problem.engine, problem.params.rule, problem.notes, &ops));
  if (k == 0) c->ops = ops;
  if (k == 0) c->engine_options = sciara_chosen_options(&problem.engine);
  const double each = sciara_member_bytes_per_cell(ops, SCIARA_FOOTPRINT_RECORD);
  const struct sciara_member_need need = sciara_member_need_of(&problem, SCIARA_FOOTPRINT_RECORD, each);
  c->need.window = fmax(c->need.window, need.window);
  c->need.memory = fmax(c->need.memory, need.memory);
  status = find_vents(&unchanged, s->setup.site, &s->vents);
cleanup:
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  return status;
}

/** Refuses an observation at a simulated time, s, that is not after the state with which the run begins. */
static enum sciara_status refuse_before(const struct sciara_case *s, const struct sciara_evaluate_observed *asked,
                                        double at_s) {
  if (asked->at_date && !(s->begin_s > 0))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a date after the start of %s, %s; found %s", asked->path,
                       s->path, s->start, asked->at_date);
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "%s: expected a simulated time after %s, when %s begins with the lava of its \"initial\"; found %s", asked->path,
      SCIARA_MOMENT(s->start, s->begin_s), s->path, SCIARA_MOMENT(s->start, at_s));
}

/** The simulated time of an observation, which must lie in the run. */
static enum sciara_status find_case_time(const struct sciara_case *s, const struct sciara_evaluate_observed *asked,
                                         double *at_s) {
  double date = 0, start = 0;
  bool zoned;
  *at_s = asked->at_s;
  if (asked->at_date) {
    if (!sciara_parse_date(s->start, &start, &zoned))
      return sciara_fail(SCIARA_ERR_INPUT, "%s: expected run.start in %s, for it has the date %s; found none",
                         asked->path, s->path, asked->at_date);
    if (!sciara_parse_date(asked->at_date, &date, &zoned))
      return sciara_fail(SCIARA_ERR_USAGE, "%s: expected a date such as 2006-07-14T12:00Z, found \"%s\"", asked->path,
                         asked->at_date);
    *at_s = date - start;
  }
  if (!(*at_s > s->begin_s)) return refuse_before(s, asked, *at_s);
  if (!(*at_s < (double)INFINITY) || *at_s <= s->end_s) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a time up to the end of the run of %s, %.15g s; found %.15g s",
                     asked->path, s->path, s->end_s, *at_s);
}

static enum sciara_status open_observed(struct sciara_cases *c, size_t k) {
  const struct sciara_evaluate_options *o = c->options;
  const struct sciara_evaluate_observed *asked = &o->observed[k];
  const struct sciara_site *site = c->scenario[asked->scenario].setup.site;
  const struct sciara_grid *g = &site->grid;
  struct sciara_case_observed *to = &c->observed[k];
  struct sciara_observation_request request = {.path = asked->path,
                                               .layer = asked->layer,
                                               .json_path = asked->json_path,
                                               .date_field = asked->date_field,
                                               .grid = g,
                                               .crs_wkt = site->origin.crs_wkt,
                                               .min_thickness_m = o->min_thickness_m,
                                               .extra_drivers = o->extra_drivers,
                                               .extra_driver_count = o->extra_driver_count};
  struct sciara_observation found = {0}, region = {0};
  bool zoned;
  SCIARA_TRY(find_case_time(&c->scenario[asked->scenario], asked, &to->at_s));
  to->after_s = to->at_s - c->scenario[asked->scenario].begin_s;
  if (asked->date_field) sciara_parse_date(asked->at_date, &request.date, &zoned);
  request.when = sciara_date_at(c->scenario[asked->scenario].start, to->at_s);
  request.date_hint =
      asked->json_path ? "\"dates\": \"auto\" takes each at its date" : "--dates auto takes each at its date";
  SCIARA_TRY(sciara_observation_read(&request, &found));
  to->covered = found.covered;
  found.covered = NULL;
  sciara_observation_free(&found);
  if (asked->region) {
    request.path = asked->region;
    request.layer = request.json_path = request.date_field = NULL;
    request.min_thickness_m = 0;
    request.region = true;
    SCIARA_TRY(sciara_observation_read(&request, &region));
    to->region = region.covered;
    region.covered = NULL;
    sciara_observation_free(&region);
  }
  for (int64_t i = 0; i < sciara_grid_cells(g); i++) {
    if (to->region && !to->region[i]) to->covered[i] = 0;
    if (!to->covered[i]) continue;
    sciara_case_box_add(&to->box, i / g->cols, i % g->cols);
    to->count++;
  }
  if (to->box.south > 0) return SCIARA_OK;
  return asked->region ? sciara_fail(SCIARA_ERR_INPUT, "%s: expected an extent that overlaps the region %s, found none",
                                     asked->path, asked->region)
                       : sciara_fail(SCIARA_ERR_INPUT, "%s: expected an extent with the centre of a cell, found none",
                                     asked->path);
}

enum sciara_status sciara_cases_open(const struct sciara_evaluate_options *options, struct sciara_cases *out) {
  enum sciara_status status;
  *out = (struct sciara_cases){.options = options};
  SCIARA_TRY_GOTO(SCIARA_NEW(out->scenario, options->scenario_count, "the scenarios"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->observed, options->observed_count, "the observed extents"));
  for (size_t k = 0; k < options->scenario_count; k++) SCIARA_TRY_GOTO(open_scenario(out, k));
  for (size_t k = 0; k < options->observed_count; k++) SCIARA_TRY_GOTO(open_observed(out, k));
  return SCIARA_OK;
cleanup:
  sciara_cases_free(out);
  return status;
}

void sciara_cases_free(struct sciara_cases *c) {
  for (size_t k = 0; c->scenario && k < c->options->scenario_count; k++) {
    sciara_scenario_base_free(c->scenario[k].base);
    sciara_scenario_free(&c->scenario[k].spec);
    sciara_site_release(c->scenario[k].setup.site);
    sciara_vent_cells_free(&c->scenario[k].vents);
  }
  for (size_t k = 0; c->observed && k < c->options->observed_count; k++) {
    sciara_free(c->observed[k].covered);
    sciara_free(c->observed[k].region);
  }
  sciara_free(c->scenario);
  sciara_free(c->observed);
  *c = (struct sciara_cases){0};
}

// --------------------------------------------------------------------------------------------------------------- scores

bool sciara_case_covers(const struct sciara_cases *c, const struct sciara_case_observed *o,
                        const struct sciara_footprint *f, int64_t n) {
  const double least = c->options->min_thickness_m;
  if (o->at_s < (double)INFINITY) return (double)f->arrival[n] <= o->after_s && (double)f->max_deposit[n] > least;
  return (double)f->deposit[n] > least;
}

static enum sciara_status score_case(const struct sciara_cases *c, size_t observed, const struct sciara_footprint *f,
                                     const struct sciara_vent_cells *vents, struct sciara_extent_scores *out) {
  const struct sciara_evaluate_observed *asked = &c->options->observed[observed];
  const struct sciara_case_observed *o = &c->observed[observed];
  const struct sciara_grid *g = &c->scenario[asked->scenario].setup.site->grid;
  const double end_s = c->scenario[asked->scenario].begin_s + f->end_s;
  const double until_s = sciara_vent_cells_until(vents, fmin(o->at_s, end_s), g, NULL);
  struct sciara_case_box box = o->box;
  uint8_t *masks = NULL;
  box_add_cells(&box, g, f->cell, f->count);
  for (size_t n = 0; n < vents->count; n++) sciara_case_box_add(&box, vents->row[n], vents->col[n]);
  const struct sciara_grid part = {
      .rows = box.south - box.north, .cols = box.east - box.west, .cell_size = g->cell_size};
  const int64_t cells = sciara_grid_cells(&part);
  SCIARA_TRY(SCIARA_NEW(masks, 3 * cells, "extents"));
  uint8_t *run = masks, *covered = masks + cells, *marked = masks + 2 * cells;
  for (int64_t r = o->box.north; r < o->box.south; r++)
    memcpy(covered + box_index(&box, r, o->box.west), o->covered + r * g->cols + o->box.west,
           (size_t)(o->box.east - o->box.west));
  for (int64_t n = 0; n < f->count; n++)
    run[box_index(&box, f->cell[n] / g->cols, f->cell[n] % g->cols)] =
        (!o->region || o->region[f->cell[n]]) && sciara_case_covers(c, o, f, n);
  for (size_t n = 0; n < vents->count; n++)
    marked[box_index(&box, vents->row[n], vents->col[n])] |= sciara_vent_cells_has(vents, n, until_s, g, NULL);
  const struct sciara_extents extents = {.grid = &part, .run = run, .observed = covered, .vents = marked};
  const enum sciara_status status = sciara_extents_score(&extents, out);
  sciara_free(masks);
  return status;
}

// ----------------------------------------------------------------------------------------------------- early ends

/** A run that may end early. */
struct watch {
  const struct sciara_cases *c;
  const struct sciara_case_job *job;
  double rest_s; ///< for which nothing is newly covered when a front rests
  enum sciara_evaluate_status early;
  struct sciara_extent_scores *scores; ///< of a run that is stopped: the bounds
  struct excess *excess;               ///< by extent: of the last question
};

/** Cells outside an observed extent that lava has reached. */
struct excess {
  int64_t sure;     ///< covered at its time, whatever follows
  int64_t possible; ///< these, and those that may become so without lava in further cells
};

/** Whether a cell of the window was reached before the time of an observation. */
static bool is_reached(const struct sciara_compute_view *v, int64_t i, double after_s) {
  const double arrival = v->state->arrival[i];
  return arrival >= 0 && (double)(float)fmax(arrival - v->time_zero, 0) <= after_s; // as in a footprint
}

/** Whether such a cell will be covered at the time of an observation, whatever follows. */
static bool stays_covered(const struct sciara_compute_view *v, int64_t i, double after_s, double least) {
  const struct sciara_state *s = v->state;
  if (after_s < (double)INFINITY) return (double)(float)s->max_deposit[i] > least; // as in a footprint
  if (s->time < v->last_change) return false; // that may replace rock, or take lava away
  const double rock = s->z[i] - s->z0[i];     // which stays, and some lava always does
  return rock + (least > 0 ? 0 : s->h[i]) > least;
}

/** Of an extent, up to now. */
static struct excess excess_of(const struct sciara_cases *c, size_t observed, const struct sciara_compute_view *v) {
  const struct sciara_case_observed *o = &c->observed[observed];
  const struct sciara_grid *g = &v->state->grid;
  const int64_t stride = c->scenario[c->options->observed[observed].scenario].setup.site->grid.cols;
  struct excess excess = {0};
  for (int64_t i = 0; i < sciara_grid_cells(g); i++) {
    if (!is_reached(v, i, o->after_s)) continue;
    const int64_t cell = (v->window->row + i / g->cols) * stride + v->window->col + i % g->cols;
    if (o->covered[cell] || (o->region && !o->region[cell])) continue;
    excess.possible++;
    excess.sure += stays_covered(v, i, o->after_s, c->options->min_thickness_m);
  }
  return excess;
}

/** The largest J that an extent may still get: |R| / |R and S so far|. */
static double bound_of(const struct sciara_case_observed *o, int64_t excess) {
  return (double)o->count / (double)(o->count + excess);
}

/** Whether the mean of the extents, those of other scenarios at 1, is below what is asked for, with so many cells of lava more. */
static bool is_hopeless(const struct watch *w, bool surely, int64_t more) {
  const struct sciara_evaluate_options *o = w->c->options;
  double sum = 0, weights = 0;
  for (size_t k = 0; k < o->observed_count; k++) {
    if (o->observed[k].held_out) continue;
    const bool is_own = o->observed[k].scenario == w->job->scenario;
    const int64_t excess = (surely ? w->excess[k].sure : w->excess[k].possible) + more;
    weights += o->observed[k].weight;
    sum += o->observed[k].weight * (is_own ? bound_of(&w->c->observed[k], excess) : 1);
  }
  return sum / weights < w->job->least;
}

/** The least number of cells of lava, up to `most`, that may make the scenario hopeless. */
static int64_t cells_left(const struct watch *w, int64_t most) {
  int64_t enough = most, few = -1;
  while (enough - few > 1) {
    const int64_t middle = few + (enough - few) / 2;
    *(is_hopeless(w, false, middle) ? &enough : &few) = middle;
  }
  return enough;
}

/** Whether the front is at rest, and was since all vents have ended; if not, *due is when it may be, s. */
static bool rests(const struct watch *w, const struct sciara_compute_view *v, double *due) {
  struct sciara_front_rest rest = {.duration = w->rest_s,
                                   .changed = fmax(fmax(sciara_vents_end(v->vents), v->last_change), v->time_zero),
                                   .begun = -INFINITY};
  const bool met = sciara_front_rest_met(&rest, v->state);
  *due = rest.last >= 0 ? rest.due : v->state->time + w->rest_s;
  return met;
}

static bool ends_early(void *context, const struct sciara_compute_view *view, struct sciara_compute_wait *wait) {
  struct watch *w = (struct watch *)context;
  for (size_t k = 0; k < w->c->options->observed_count; k++) {
    const struct sciara_evaluate_observed *asked = &w->c->options->observed[k];
    if (asked->held_out || asked->scenario != w->job->scenario) continue;
    w->excess[k] = excess_of(w->c, k, view);
    w->scores[k].jaccard = bound_of(&w->c->observed[k], w->excess[k].sure);
  }
  w->early = is_hopeless(w, true, 0)       ? SCIARA_EVALUATE_STOPPED
             : rests(w, view, &wait->time) ? SCIARA_EVALUATE_RESTED
                                           : SCIARA_EVALUATE_OK;
  wait->cells = cells_left(w, sciara_grid_cells(&w->c->scenario[w->job->scenario].setup.site->grid));
  return w->early != SCIARA_EVALUATE_OK;
}

// ------------------------------------------------------------------------------------------------------------- results

static bool moves_vents(const struct sciara_case_job *job) {
  for (size_t k = 0; k < job->key_count; k++)
    if (strncmp(job->key[k], "vents", strlen("vents")) == 0) return true;
  return false;
}

static enum sciara_status score_all(const struct sciara_cases *c, const struct sciara_case_job *job,
                                    const struct sciara_scenario_member *scenario, const struct sciara_footprint *f,
                                    struct sciara_extent_scores *scores) {
  const struct sciara_case *of = &c->scenario[job->scenario];
  struct sciara_vent_cells own = {0};
  enum sciara_status status = moves_vents(job) ? find_vents(scenario, of->setup.site, &own) : SCIARA_OK;
  for (size_t k = 0; k < c->options->observed_count && status == SCIARA_OK; k++)
    if (c->options->observed[k].scenario == job->scenario)
      status = score_case(c, k, f, moves_vents(job) ? &own : &of->vents, &scores[k]);
  sciara_vent_cells_free(&own);
  return status;
}

/** Appends a line to the warnings of a run that ended at a limit before a date of observation. */
static enum sciara_status warn_of_dates(const struct sciara_cases *c, size_t scenario, bool censored,
                                        struct sciara_evaluate_run *run) {
  double last = 0;
  for (size_t k = 0; k < c->options->observed_count; k++) {
    const double at_s = c->observed[k].at_s;
    if (c->options->observed[k].scenario == scenario && at_s < (double)INFINITY) last = fmax(last, at_s);
  }
  const bool early = censored || run->end == SCIARA_STOP_TIME;
  if (!early || run->early != SCIARA_EVALUATE_OK || run->end_s >= last) return SCIARA_OK;
  char *text = sciara_format("%s%sthe run ended at %.15g s, before the observation at %.15g s", run->warnings,
                             *run->warnings ? "\n" : "", run->end_s, last);
  if (!text) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a warning");
  free(run->warnings);
  run->warnings = text;
  return SCIARA_OK;
}

/** Whether a status says that the changes give no scenario, or one whose files cannot be read: those that they name. */
static bool is_of_changes(const struct sciara_case_job *job, enum sciara_status status) {
  if (status != SCIARA_ERR_IO) return status == SCIARA_ERR_INPUT || status == SCIARA_ERR_USAGE;
  for (size_t k = 0; k < job->key_count; k++)
    if (strchr(job->value[k], '"')) return true;
  return false;
}

enum sciara_status sciara_case_compute(const struct sciara_cases *c, const struct sciara_case_job *job,
                                       const struct sciara_case_result *result, enum sciara_evaluate_status *verdict,
                                       bool *cancelled) {
  const struct sciara_case *of = &c->scenario[job->scenario];
  struct sciara_key_set keys = {0};
  struct sciara_compute_setup setup = of->setup;
  struct sciara_footprint f = {0};
  setup.slot = job->slot;
  setup.device = job->device;
  setup.cancel = job->cancel;
  struct watch watch = {.c = c, .job = job, .rest_s = REST_S, .scores = result->scores};
  if (job->least > 0) {
    SCIARA_TRY(SCIARA_NEW(watch.excess, c->options->observed_count, "the cells of a run"));
    setup.ends = ends_early;
    setup.context = &watch;
  }
  *verdict = SCIARA_EVALUATE_INVALID;
  enum sciara_status status = sciara_key_set_make(job->key, job->value, job->key_count, &of->spec, &keys);
  const struct sciara_scenario_member scenario = {.base = of->base,
                                                  .name = of->path,
                                                  .key = (const char *const *)keys.key,
                                                  .value = (const char *const *)keys.value,
                                                  .key_count = keys.count};
  if (status == SCIARA_OK) status = sciara_compute_member(&setup, &scenario, &f, cancelled);
  sciara_free(watch.excess);
  if (status != SCIARA_OK || *cancelled) {
    sciara_key_set_free(&keys);
    return is_of_changes(job, status) ? SCIARA_OK : status;
  }
  if (f.failed) {
    *verdict = f.steps > 0 ? SCIARA_EVALUATE_FAILED : SCIARA_EVALUATE_INVALID;
    sciara_fail(SCIARA_ERR_NUMERIC, "%s", f.error);
  } else {
    *verdict = SCIARA_EVALUATE_OK;
    if (watch.early != SCIARA_EVALUATE_STOPPED) status = score_all(c, job, &scenario, &f, result->scores);
    *result->run = (struct sciara_evaluate_run){.end = f.stop,
                                                .end_s = of->begin_s + f.end_s,
                                                .steps = f.steps,
                                                .volume_m3 = f.ledger.liquid_m3 + f.ledger.solid_m3,
                                                .warnings = f.warnings,
                                                .early = watch.early};
    f.warnings = NULL;
    if (status == SCIARA_OK) status = warn_of_dates(c, job->scenario, f.censored, result->run);
  }
  sciara_key_set_free(&keys);
  if (status == SCIARA_OK && result->footprint && *verdict == SCIARA_EVALUATE_OK)
    *result->footprint = f;
  else
    sciara_footprint_free(&f);
  return status;
}
