// SPDX-License-Identifier: Apache-2.0
#include "setup/setup.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "engine/engine.h"
#include "file/json_strict.h"
#include "model/range.h"
#include "scenario/scenario_keys.h"
#include "setup/cost.h"
#include "sim/choose_engine.h"
#include "store/checkpoint_hdf5.h"
#include "terrain/dem_gdal.h"
#include "terrain/vector_shapes.h"

static uint64_t term(uint64_t field, int64_t cell, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return sciara_hash_word(field, (uint64_t)cell, bits);
}

uint64_t sciara_initial_lava_hash(const struct sciara_problem *p) {
  const bool thickness = p->source->scenario.initial_thickness.path,
             temperature = p->source->scenario.initial_temperature.path;
  const struct sciara_state *s = p->state;
  uint64_t sum = 0;
  if (p->source->observed_hash) return p->source->observed_hash;
  if (!s || (!thickness && !temperature)) return 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    if (!(s->h[i] > 0)) continue;
    if (thickness) sum += term(0, i, s->h[i]);
    if (temperature) sum += term(1, i, s->T[i]); // otherwise it depends on the parameters of a member
  }
  return sum ? sum : 1;
}

enum sciara_status sciara_initial_lava_check(const struct sciara_problem *p, uint64_t expected) {
  const char *outline = p->source->scenario.observed.outline;
  const char *thickness = outline ? outline : p->source->scenario.initial_thickness.path;
  const char *temperature = outline ? "initial.observed" : p->source->scenario.initial_temperature.path;
  const uint64_t found = expected ? sciara_initial_lava_hash(p) : 0;
  if (found == expected) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s%s%s: expected the initial lava %016" PRIx64 " of the plan, found %016" PRIx64
                     ": a file has changed since it was planned",
                     thickness ? thickness : "", thickness && temperature ? ", " : "", temperature ? temperature : "",
                     expected, found);
}

bool sciara_scenario_has_initial_lava(const struct sciara_scenario_spec *s) {
  return s->initial_thickness.given || s->initial_thickness.path || s->initial_checkpoint || s->observed.outline;
}

// ---------------------------------------------------------------------------------------------------------- checkpoint

/** What the scenario says about the checkpoint. */
static enum sciara_status check_checksum(const struct sciara_problem *p, const struct sciara_checkpoint *c) {
  const char *expected = p->source->scenario.initial_checksum;
  char found[20];
  snprintf(found, sizeof found, "%016" PRIx64, c->checksum);
  if (!expected || strcmp(found, expected) == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a state with the checksum %.40s, found %s",
                     p->source->scenario.initial_checkpoint, expected, found);
}

/** Other parameters are allowed, another rule is not: its momentum means something else. */
static enum sciara_status check_rule(const struct sciara_problem *p, const struct sciara_checkpoint *c) {
  const enum sciara_rule_kind found = p->params.rule, its = c->identity.params.rule;
  if (found == its) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: computed with rule \"%s\", found model.rule \"%s\"; expected \"model.rule\": \"%s\", or "
                     "initial.thickness and initial.temperature instead of a checkpoint",
                     p->source->scenario.initial_checkpoint, sciara_rule_name(its), sciara_rule_name(found),
                     sciara_rule_name(its));
}

/** A checkpoint must have the ground, boundary and precision of the run; parameters and vents may be others. */
static enum sciara_status check_identity(const struct sciara_problem *p, const struct sciara_checkpoint *c) {
  struct sciara_checkpoint_identity run;
  SCIARA_TRY(check_rule(p, c));
  enum sciara_status status = sciara_checkpoint_identify(p, sciara_state_checksum_of_ground(p->state), &run);
  run.params = c->identity.params;
  if (status == SCIARA_OK)
    status = sciara_checkpoint_check(c, p->source->scenario.initial_checkpoint, &run,
                                     1u << SCIARA_INPUT_EDITS | 1u << SCIARA_INPUT_VENTS);
  free(run.precision);
  return status;
}

static enum sciara_status check_temperatures(const struct sciara_problem *p) {
  const struct sciara_params *params = &p->params;
  const struct sciara_state *s = p->state;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    if (s->h[i] > 0 && !(s->T[i] > params->T_sol && s->T[i] <= params->T_vent))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: row %" PRId64 ", column %" PRId64 ": expected lava above model.T_sol_K = %g to "
                         "model.T_vent_K = %g, found %.10g K",
                         p->source->scenario.initial_checkpoint, i / s->grid.cols, i % s->grid.cols, params->T_sol,
                         params->T_vent, s->T[i]);
  return SCIARA_OK;
}

enum sciara_status sciara_initial_checkpoint_take(struct sciara_problem *p) {
  const char *path = p->source->scenario.initial_checkpoint;
  struct sciara_checkpoint c = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_checkpoint_verify(path, &c));
  SCIARA_TRY_GOTO(check_checksum(p, &c));
  SCIARA_TRY_GOTO(sciara_problem_match_ground(p, c.time_s, c.identity.inputs.hash[SCIARA_INPUT_GROUND]));
  const unsigned record =
      sciara_scenario_record(&p->source->scenario) | (unsigned)(c.identity.record & SCIARA_RECORD_EVERYTHING);
  SCIARA_TRY_GOTO(sciara_state_create_on(p->site, record, &p->state));
  SCIARA_TRY_GOTO(check_identity(p, &c));
  SCIARA_TRY_GOTO(sciara_checkpoint_read_state(path, &c, p->state));
  SCIARA_TRY_GOTO(check_temperatures(p));
  p->source->checkpoint_checksum = c.checksum;
  p->source->changes_before = p->site->changes_done;
  p->source->emission_from_s = c.time_s;
  sciara_note(p->notes, SCIARA_LOG_INFO,
              "initial.checkpoint: %s: the run continues from step %" PRIu64 ", simulated time %.10g s", path, c.step,
              c.time_s);
  sciara_checkpoint_warn_of_start(p, path, &c, "");
cleanup:
  sciara_checkpoint_free(&c);
  return sciara_fail_context(status, "%s: initial.checkpoint", p->source->scenario.path);
}

// --------------------------------------------------------------------------------------------------------- checkpoints

void sciara_checkpoint_warn_of_start(const struct sciara_problem *p, const char *path,
                                     const struct sciara_checkpoint *c, const char *also) {
  const char *now = p->source->scenario.start;
  char before[SCIARA_DATE_SIZE] = "";
  cJSON *its = NULL;
  double seconds;
  if (!now || !c->scenario_json) return;
  if (sciara_json_parse(path, c->scenario_json, strlen(c->scenario_json), &its) != SCIARA_OK) sciara_error_clear();
  if (sciara_scenario_start(its, &seconds) == SCIARA_START_GIVEN) sciara_print_date(seconds, before);
  cJSON_Delete(its);
  if (*before && strcmp(before, now) != 0)
    sciara_note(p->notes, SCIARA_LOG_WARNING,
                "run.start: found %s, the checkpoint was computed with %s: what lava did so far gets other dates%s",
                now, before, also);
}

static enum sciara_status set(char **held, const char *text) {
  free(*held);
  *held = text ? strdup(text) : NULL;
  return text && !*held ? sciara_no_memory("a checkpoint") : SCIARA_OK;
}

enum sciara_status sciara_checkpoint_identify(const struct sciara_problem *p, uint64_t ground,
                                              struct sciara_checkpoint_identity *out) {
  *out = (struct sciara_checkpoint_identity){.grid = p->state->grid,
                                             .inputs = sciara_inputs_of(p->site, ground, p->vents),
                                             .params = p->params,
                                             .boundary = p->boundary,
                                             .record = sciara_scenario_record(&p->source->scenario)};
  return set(&out->precision, sciara_precision_name(sciara_chosen_precision(&p->engine)));
}

enum sciara_status sciara_checkpoint_describe(const struct sciara_simulation *s, uint64_t ground, const char *history,
                                              const char *started_utc, struct sciara_checkpoint *h) {
  const struct sciara_problem *p = &s->problem;
  h->dem_hash = p->site->origin.hash;
  h->emission_from_s = p->source->emission_from_s;
  SCIARA_TRY(sciara_checkpoint_identify(p, ground, &h->identity));
  SCIARA_TRY(set(&h->georef.crs_wkt, p->source->georef.crs_wkt));
  SCIARA_TRY(set(&h->georef.crs_name, p->source->georef.crs_name));
  SCIARA_TRY(set(&h->engine, s->ops->name));
  SCIARA_TRY(set(&h->scenario_path, p->source->scenario.path));
  SCIARA_TRY(set(&h->scenario_folder, p->source->scenario.folder));
  SCIARA_TRY(set(&h->scenario_json, p->source->scenario.json));
  SCIARA_TRY(set(&h->history, history));
  return set(&h->started_utc, started_utc);
}

/** The observation while it is taken. Cells of the outline are interior ones. */
struct work {
  struct sciara_problem *p;
  const struct sciara_problem_options *options;
  const struct sciara_observed_spec *spec;
  uint8_t *mask;          ///< 1: in the outline
  double *deposit;        ///< thickness of lava and rock, m; 0 outside
  double *raster;         ///< temperatures, if they are a raster
  int64_t cells;          ///< of the outline
  double low[2], high[2]; ///< extent of the outline, m
  double emitted_m3;      ///< all lava up to the observation, that of the start included
  double volume_m3;       ///< of the deposit
  bool corrects;          ///< a checkpoint
};

static double cell_area(const struct sciara_problem *p) { return p->grid.cell_size * p->grid.cell_size; }

// ---------------------------------------------------------------------------------------------------------- outline

static enum sciara_status add_polygon(void *context, const struct sciara_shape *shape) {
  struct work *w = (struct work *)context;
  if (shape->kind != SCIARA_POI_ZONE)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: feature %" PRId64 ": expected a polygon, found a line or a point",
                       w->spec->outline, shape->feature + 1);
  for (size_t k = 0; k < shape->ends[shape->rings - 1]; k++) {
    const double at[2] = {shape->points[k].x, shape->points[k].y};
    for (int i = 0; i < 2; i++) {
      w->low[i] = fmin(w->low[i], at[i]);
      w->high[i] = fmax(w->high[i], at[i]);
    }
  }
  return sciara_mark_polygon(&w->p->grid, shape->points, shape->ends, shape->rings, w->mask);
}

/** Whether a part of the outline lies outside the DEM. */
static bool leaves_map(const struct work *w) {
  const struct sciara_grid *g = &w->p->grid;
  const double slack = 0.5 * g->cell_size;
  return w->low[0] < g->west - slack || w->high[0] > sciara_grid_east(g) + slack || w->high[1] > g->north + slack ||
         w->low[1] < sciara_grid_south(g) - slack;
}

/** Keeps the interior cells of the outline. */
static enum sciara_status keep_interior(struct work *w) {
  const struct sciara_grid *g = &w->p->grid;
  const int k = sciara_grid_place_decimals(g);
  int64_t dropped = 0;
  for (int64_t i = 0; i < sciara_grid_cells(g); i++) {
    if (!w->mask[i]) continue;
    w->mask[i] = w->p->state->kind[i] == SCIARA_CELL_INTERIOR;
    w->cells += w->mask[i];
    dropped += !w->mask[i];
  }
  if (w->cells == 0 && w->low[0] > w->high[0])
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected an outline on the DEM, found polygons that lie far from it",
                       w->spec->outline);
  if (w->cells == 0)
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: expected an outline with the centre of a cell of the land in it: the DEM has x from %.*f to %.*f and y "
        "from %.*f to %.*f; found polygons with x from %.*f to %.*f and y from %.*f to %.*f",
        w->spec->outline, k, g->west, k, sciara_grid_east(g), k, sciara_grid_south(g), k, g->north, k, w->low[0], k,
        w->high[0], k, w->low[1], k, w->high[1]);
  if (dropped > 0)
    sciara_note(w->p->notes, SCIARA_LOG_WARNING,
                "initial.observed: %" PRId64
                " cells of the outline are left out: they are sea, NODATA or on the rim of "
                "the domain, where no lava can lie",
                dropped);
  if (leaves_map(w))
    sciara_note(w->p->notes, SCIARA_LOG_WARNING,
                "initial.observed: the outline extends beyond the DEM; the part outside is left out");
  return SCIARA_OK;
}

static enum sciara_status read_outline(struct work *w) {
  const struct sciara_shapes_request file = {
      .path = w->spec->outline,
      .layer = w->spec->layer,
      .crs_wkt = w->p->source->georef.crs_wkt,
      .grid = &w->p->grid,
      .extra_drivers = w->options->extra_drivers,
      .extra_driver_count = w->options->extra_driver_count,
      .notes = w->p->notes,
      .outline = true,
      .when = w->spec->time_s >= 0 ? sciara_date_at(w->p->source->scenario.start, w->spec->time_s) : 0,
      .visit = add_polygon,
      .context = w};
  SCIARA_TRY(SCIARA_NEW(w->mask, (size_t)sciara_grid_cells(&w->p->grid), "the outline of the lava"));
  SCIARA_TRY(sciara_shapes_read(&file));
  return keep_interior(w);
}

/** The distance of a cell from the nearest one of the outline, m. */
static double distance(const struct work *w, int64_t row, int64_t col) {
  const struct sciara_grid *g = &w->p->grid;
  double least = INFINITY;
  for (int64_t r = 0; r < g->rows; r++)
    for (int64_t c = 0; c < g->cols; c++)
      if (w->mask[r * g->cols + c]) least = fmin(least, hypot((double)(r - row), (double)(c - col)));
  return least * g->cell_size;
}

/** Whether a vent has emitted up to a time, s. */
static bool has_emitted(const struct sciara_vents *v, int64_t k, double time) {
  return sciara_vent_volume(v->begin, v->end, v->rate, v->first[k], v->first[k + 1], 0, time) > 0;
}

/** Says which vents lie outside the outline, of those that have emitted; if none has, of all. */
static void check_vents(const struct work *w) {
  const struct sciara_problem *p = w->p;
  const double time = p->state->time;
  bool any = false;
  size_t missed = 0, first = 0;
  for (int64_t k = 0; k < p->vents->count; k++) any |= has_emitted(p->vents, k, time);
  for (size_t k = 0; k < p->source->scenario.vent_count; k++) {
    const struct sciara_placement *at = &p->source->placed[k];
    bool inside = false, emitted = false;
    for (int64_t n = at->first; n < at->first + at->count; n++) {
      inside |= w->mask[p->vents->row[n] * p->grid.cols + p->vents->col[n]];
      emitted |= has_emitted(p->vents, n, time);
    }
    if (inside || at->count == 0 || (any && !emitted)) continue;
    if (missed++ == 0) first = k;
  }
  if (missed == 0) return;
  const int64_t n = p->source->placed[first].first;
  sciara_note(
      p->notes, SCIARA_LOG_WARNING,
      "initial.observed: the outline misses %zu of the vents, the first one vents[%zu] (%s), %.0f m away from it: "
      "check the outline, its CRS and the place of the vent",
      missed, first, p->source->scenario.vents[first].name, distance(w, p->vents->row[n], p->vents->col[n]));
}

// ------------------------------------------------------------------------------------------------------------- time

/** The state is that of the time of the observation; what the vents emit until then counts as emitted. */
static enum sciara_status take_time(struct work *w) {
  struct sciara_problem *p = w->p;
  struct sciara_state *s = p->state;
  const struct sciara_vents *v = p->vents;
  const double from = s->time, given = w->spec->time_s;
  const double step = sciara_largest_clock(&p->params, p->engine.single_precision);
  if (w->corrects && given >= 0 && given < from - step)
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "initial.observed.time: expected %.10g s, the time of the checkpoint, or later; found %.10g s: take "
        "a checkpoint from before the observation",
        from, given);
  if (given > from) s->time = given;
  if (w->corrects) p->source->emission_from_s = s->time; // what the vents emitted up to then is in the observation
  SCIARA_TRY(sciara_problem_change_due(p));
  w->emitted_m3 = s->initial + s->emitted + s->added - s->removed;
  for (int64_t k = 0; k < v->count; k++)
    w->emitted_m3 += sciara_vent_volume(v->begin, v->end, v->rate, v->first[k], v->first[k + 1], from, s->time - from);
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------- how much lava is where

/**
 * The mean width of the outline, in cells: area by half the perimeter. Within this distance a plane is fitted, so that it
 * spans the flow from any of its cells.
 */
static int64_t mean_width(const struct work *w) {
  enum { MOST = 24 };
  const struct sciara_grid *g = &w->p->grid;
  int64_t sides = 0;
  for (int64_t i = 0; i < sciara_grid_cells(g); i++) // interior cells have all neighbours
    if (w->mask[i]) sides += !w->mask[i - 1] + !w->mask[i + 1] + !w->mask[i - g->cols] + !w->mask[i + g->cols];
  if (sides == 0) return 1; // no cell
  const int64_t width = (2 * w->cells + sides / 2) / sides;
  return width < 1 ? 1 : width > MOST ? MOST : width;
}

/** How far a plane through the ground of the outline around a cell lies above the cell, m: least squares. */
static double plane_above(const struct work *w, int64_t row, int64_t col, int64_t reach) {
  static const double LITTLE = 1e-9; // so that cells in a line have a plane too, level across the line
  const struct sciara_grid *g = &w->p->grid;
  const double *z0 = w->p->site->z0, here = z0[row * g->cols + col];
  double n = 0, x = 0, y = 0, z = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
  for (int64_t r = row - reach; r <= row + reach; r++)
    for (int64_t c = col - reach; c <= col + reach; c++) {
      if (r < 0 || c < 0 || r >= g->rows || c >= g->cols || !w->mask[r * g->cols + c]) continue;
      const double dx = (double)(c - col), dy = (double)(r - row), dz = z0[r * g->cols + c] - here;
      n += 1;
      x += dx;
      y += dy;
      z += dz;
      xx += dx * dx;
      xy += dx * dy;
      yy += dy * dy;
      xz += dx * dz;
      yz += dy * dz;
    }
  xx += LITTLE * n;
  yy += LITTLE * n;
  const double a = xx * yy - xy * xy, b = xy * y - x * yy, c = x * xy - xx * y; // cofactors of the first row
  return (a * z + b * xz + c * yz) / (a * n + b * x + c * y);
}

/** The lava surface is everywhere a level above the planes, so that the deposits have this sum, m. */
static void fill_to_level(struct work *w, double sum) {
  const int64_t cells = sciara_grid_cells(&w->p->grid);
  double least = INFINITY, most = -INFINITY, found = 0;
  for (int64_t i = 0; i < cells; i++) {
    if (!w->mask[i]) continue;
    least = fmin(least, w->deposit[i]);
    most = fmax(most, w->deposit[i]);
  }
  double low = -most, high = sum / (double)w->cells - least;
  for (int k = 0; k < 200 && high > nextafter(low, INFINITY); k++) {
    const double level = 0.5 * (low + high);
    double filled = 0;
    for (int64_t i = 0; i < cells; i++)
      if (w->mask[i]) filled += fmax(0, w->deposit[i] + level);
    *(filled > sum ? &high : &low) = level;
  }
  for (int64_t i = 0; i < cells; i++) {
    if (w->mask[i]) w->deposit[i] = fmax(0, w->deposit[i] + high);
    found += w->deposit[i];
  }
  for (int64_t i = 0; i < cells; i++) w->deposit[i] *= sum / found;
}

static enum sciara_status lay_out(struct work *w) {
  const struct sciara_problem *p = w->p;
  const struct sciara_grid *g = &p->grid;
  const double volume = w->spec->volume_m3 > 0 ? w->spec->volume_m3 : w->emitted_m3;
  if (!(volume > 0))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "initial.observed: expected volume_m3, thickness or dem, for no vent has emitted up to %.10g s; "
                       "found none of them%s",
                       p->state->time,
                       w->spec->time_s >= 0 ? ""
                                            : "; time is missing: when the outline was mapped, a date or a duration");
  const int64_t width = mean_width(w);
  for (int64_t r = 0; r < g->rows; r++)
    for (int64_t c = 0; c < g->cols; c++)
      if (w->mask[r * g->cols + c]) w->deposit[r * g->cols + c] = plane_above(w, r, c, width);
  fill_to_level(w, volume / cell_area(p));
  sciara_note(p->notes, SCIARA_LOG_INFO,
              "initial.observed: %.6g m3 (%s) lie with a surface that is level across the flow: a plane through the "
              "ground within %" PRId64 " cells, raised",
              volume, w->spec->volume_m3 > 0 ? "volume_m3" : "all lava up to then", width);
  return SCIARA_OK;
}

static enum sciara_status read_raster(const struct work *w, const char *path, double *values) {
  const struct sciara_dem_request request = {.path = path,
                                             .band = 1,
                                             .extra_drivers = w->options->extra_drivers,
                                             .extra_driver_count = w->options->extra_driver_count,
                                             .notes = w->p->notes};
  return sciara_raster_read_on_grid_with(&request, &w->p->grid, w->p->source->georef.crs_wkt, values);
}

/** Thickness from a number, a raster, or a DEM with the lava. */
static enum sciara_status measure(struct work *w) {
  const struct sciara_observed_spec *spec = w->spec;
  const struct sciara_problem *p = w->p;
  const char *path = spec->dem ? spec->dem : spec->thickness.path;
  double outside = 0;
  if (path) SCIARA_TRY(read_raster(w, path, w->deposit));
  for (int64_t i = 0; i < sciara_grid_cells(&p->grid); i++) {
    const double read = path ? w->deposit[i] : spec->thickness.value; // 0 in a DEM: no altitude
    const double value = spec->dem && read != 0 ? read - p->site->z0[i] : spec->dem ? 0 : read;
    if (!w->mask[i] && !spec->dem && path) outside += fmax(0, value);
    w->deposit[i] = !w->mask[i] ? 0 : spec->dem ? fmax(0, value) : value;
  }
  if (outside > 0)
    sciara_note(p->notes, SCIARA_LOG_WARNING,
                "initial.observed.thickness: %.6g m3 of lava outside the outline are left out", outside * cell_area(p));
  return SCIARA_OK;
}

/** Warns, and keeps the text for the record of the run; owned from here on. */
static enum sciara_status doubt(struct work *w, char *text) {
  char *before = w->p->source->observed_warning;
  if (!text) return sciara_no_memory("a warning");
  sciara_note(w->p->notes, SCIARA_LOG_WARNING, "%s", text);
  w->p->source->observed_warning = before ? sciara_format("%s; %s", before, text) : text;
  if (!before) return SCIARA_OK;
  free(before);
  free(text);
  return w->p->source->observed_warning ? SCIARA_OK : sciara_no_memory("a warning");
}

static enum sciara_status check_deposit(struct work *w) {
  const struct sciara_grid *g = &w->p->grid;
  double sum = 0, most = 0;
  int64_t dry = 0;
  for (int64_t i = 0; i < sciara_grid_cells(g); i++) {
    if (!w->mask[i]) continue;
    if (!(w->deposit[i] >= 0 && w->deposit[i] <= 1000))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "initial.observed: row %" PRId64 ", column %" PRId64
                         ": expected lava of 0 to 1000 m, found %g m",
                         i / g->cols, i % g->cols, w->deposit[i]);
    sum += w->deposit[i];
    most = fmax(most, w->deposit[i]);
    dry += !(w->deposit[i] > 0);
  }
  w->volume_m3 = sum * cell_area(w->p);
  sciara_note(w->p->notes, SCIARA_LOG_INFO,
              "initial.observed: %s: %" PRId64 " cells, %.6g m2; %.6g m3 of lava, %.3g m thick on average, up to %.3g "
              "m; %" PRId64 " of the cells have none; simulated time %.10g s",
              w->spec->outline, w->cells, (double)w->cells * cell_area(w->p), w->volume_m3, sum / (double)w->cells,
              most, dry, w->p->state->time);
  const bool by_volume = !w->spec->dem && !w->spec->thickness.given;
  const double mean = sum / (double)w->cells, digit = mean > 0 ? pow(10, floor(log10(mean)) - 2) : 1;
  if (by_volume && dry > 0)
    SCIARA_TRY(doubt(w, sciara_format("initial.observed: %" PRId64 " of %" PRId64
                                      " cells of the outline get no lava (%.1f %%), for they rise above its surface: "
                                      "they count as reached, without thickness. Lava on ridges and cones does not lie "
                                      "so: \"thickness\": %.3g spreads the volume evenly",
                                      dry, w->cells, 100 * (double)dry / (double)w->cells,
                                      floor(mean / digit) * digit))); // not more than there is
  if (w->emitted_m3 > 0 && w->volume_m3 > 1.000001 * w->emitted_m3)
    SCIARA_TRY(doubt(w, sciara_format("initial.observed: %.6g m3 of lava are observed, but only %.6g m3 have been "
                                      "emitted up to %.10g s; the observation is taken as it is",
                                      w->volume_m3, w->emitted_m3, w->p->state->time)));
  return SCIARA_OK;
}

static enum sciara_status find_deposit(struct work *w) {
  SCIARA_TRY(SCIARA_NEW(w->deposit, (size_t)sciara_grid_cells(&w->p->grid), "the observed lava"));
  SCIARA_TRY(w->spec->dem || w->spec->thickness.given ? measure(w) : lay_out(w));
  return check_deposit(w);
}

// ------------------------------------------------------------------------------------------------------ temperature

/** The mean temperature of the liquid lava of a state, by volume; that of the vents if it has none, K. */
static double mean_temperature(const struct sciara_problem *p) {
  const struct sciara_state *s = p->state;
  double heat = 0, volume = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    heat += s->h[i] * s->T[i];
    volume += s->h[i];
  }
  return volume > 0 ? heat / volume : p->params.T_vent;
}

static enum sciara_status take_temperature(struct work *w) {
  const struct sciara_problem *p = w->p;
  const struct sciara_layer_spec *t = &w->spec->temperature;
  if (!t->given)
    sciara_note(p->notes, SCIARA_LOG_INFO, "initial.observed: no temperature is given: %s%.6g K (%s) is used",
                w->corrects ? "that of the checkpoint, and where it has no liquid lava " : "", mean_temperature(p),
                w->corrects ? "the mean" : "T_vent_K");
  if (!t->path) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(w->raster, (size_t)sciara_grid_cells(&p->grid), "observed temperatures"));
  return read_raster(w, t->path, w->raster);
}

static enum sciara_status check_temperature(const struct work *w, int64_t i, double T) {
  const struct sciara_params *params = &w->p->params;
  const int64_t cols = w->p->grid.cols;
  if (T > params->T_sol && T <= params->T_vent) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "initial.observed.temperature: row %" PRId64 ", column %" PRId64
                     ": expected above %g to %g K, found %g",
                     i / cols, i % cols, params->T_sol, params->T_vent, T);
}

// ------------------------------------------------------------------------------------------------------------ state

static double rounded(const struct work *w, double value) {
  return w->p->engine.single_precision ? (double)(float)value : value;
}

/** Lays the deposit of cell i on the ground: rock as far as there was rock, then liquid lava. @param T of lava, K */
static void set_cell(const struct work *w, int64_t i, double T) {
  struct sciara_state *s = w->p->state;
  const struct sciara_range *range = sciara_range_of(w->p->engine.single_precision);
  const double rock = s->z[i] - s->z0[i];
  if (rock > w->deposit[i]) s->z[i] = rounded(w, s->z0[i] + w->deposit[i]);
  s->h[i] = rock < w->deposit[i] ? rounded(w, w->deposit[i] - rock) : 0;
  if (!sciara_range_holds(range, s->h[i])) s->h[i] = 0;
  s->T[i] = s->h[i] > 0 ? rounded(w, T) : 0;
  s->px[i] = s->py[i] = 0;
  const bool covered = w->mask[i] || s->h[i] > 0 || s->z[i] != s->z0[i]; // mapped lava was there, however thin
  s->arrival[i] = !covered ? SCIARA_NEVER : s->arrival[i] >= 0 ? s->arrival[i] : s->time;
  if (s->max_h) s->max_h[i] = s->h[i];
  if (s->max_speed) s->max_speed[i] = 0;
  if (s->max_deposit) s->max_deposit[i] = s->h[i] + (s->z[i] - s->z0[i]);
}

static double deposit_of(const struct sciara_state *s, int64_t i) { return s->h[i] + (s->z[i] - s->z0[i]); }

/** Brings the observation into the state. */
static enum sciara_status correct(struct work *w) {
  struct sciara_state *s = w->p->state;
  const struct sciara_layer_spec *given = &w->spec->temperature;
  const double mean = mean_temperature(w->p);
  double added = 0, removed = 0;
  int64_t more = 0, less = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    if (s->kind[i] != SCIARA_CELL_INTERIOR || (!w->mask[i] && s->arrival[i] < 0)) continue;
    const double before = deposit_of(s, i), own = s->h[i] > 0 ? s->T[i] : mean;
    const double T = given->path ? w->raster[i] : given->given ? given->value : own;
    set_cell(w, i, T);
    if (s->h[i] > 0) SCIARA_TRY(check_temperature(w, i, T));
    const double change = deposit_of(s, i) - before;
    added += fmax(0, change);
    removed += fmax(0, -change);
    more += change > 0;
    less += change < 0;
  }
  if (!w->corrects) {
    s->initial = added * cell_area(w->p);
    return SCIARA_OK;
  }
  s->added += added * cell_area(w->p);
  s->removed += removed * cell_area(w->p);
  sciara_note(w->p->notes, SCIARA_LOG_INFO,
              "initial.observed: the checkpoint is corrected: %.6g m3 are added in %" PRId64
              " cells, %.6g m3 are removed in %" PRId64,
              added * cell_area(w->p), more, removed * cell_area(w->p), less);
  return SCIARA_OK;
}

/** Over what the files say, not over what follows from vents and parameters, which may be those of a member. */
static uint64_t hash_of(const struct work *w) {
  const bool measured = w->spec->dem || w->spec->thickness.path;
  uint64_t sum = 1;
  for (int64_t i = 0; i < sciara_grid_cells(&w->p->grid); i++) {
    uint64_t thickness = 0, temperature = 0;
    if (!w->mask[i]) continue;
    if (measured) memcpy(&thickness, &w->deposit[i], sizeof thickness);
    if (w->raster) memcpy(&temperature, &w->raster[i], sizeof temperature);
    sum += sciara_hash_word((uint64_t)i, thickness, temperature);
  }
  return sum ? sum : 1;
}

enum sciara_status sciara_initial_observed_take(struct sciara_problem *p,
                                                const struct sciara_problem_options *options) {
  struct work w = {.p = p,
                   .options = options,
                   .spec = &p->source->scenario.observed,
                   .low = {INFINITY, INFINITY},
                   .high = {-INFINITY, -INFINITY},
                   .corrects = p->source->scenario.initial_checkpoint != NULL};
  enum sciara_status status;
  SCIARA_TRY_GOTO(take_time(&w));
  SCIARA_TRY_GOTO(read_outline(&w));
  check_vents(&w);
  SCIARA_TRY_GOTO(find_deposit(&w));
  SCIARA_TRY_GOTO(take_temperature(&w));
  SCIARA_TRY_GOTO(correct(&w));
  p->source->observed_hash = hash_of(&w);
  p->source->observed = w.mask;
  w.mask = NULL;
cleanup:
  sciara_free(w.mask);
  sciara_free(w.deposit);
  sciara_free(w.raster);
  if (status == SCIARA_OK || status == SCIARA_ERR_USAGE) return status; // of an option, not of the scenario
  return sciara_fail_context(status, "%s", p->source->scenario.path);
}

// ------------------------------------------------------------------------------------------------------ what runs off

/** Simulated time, s, and share of the covered cells by which they may grow in it while nothing is emitted. */
#define WATCHED_S 3600.0
#define GROWTH 0.05
#define WATCH_WALL_S 2.0 ///< most time of the wall clock for it, s

static int64_t count_covered(const struct sciara_state *s) {
  int64_t cells = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) cells += s->arrival[i] >= 0;
  return cells;
}

/** Advances a state by WATCHED_S without effusion, as far as the time on the wall clock allows. */
static enum sciara_status watch(const struct sciara_problem *p, struct sciara_state *s) {
  const struct sciara_engine_ops *ops;
  struct sciara_engine_progress now = {0};
  void *engine = NULL;
  struct sciara_vents *none = sciara_vents_create();
  enum sciara_status status;
  SCIARA_TRY_GOTO(none ? SCIARA_OK : sciara_no_memory("vents"));
  SCIARA_TRY_GOTO(sciara_engine_find("serial", p->params.rule,
                                     p->engine.single_precision ? SCIARA_SINGLE_PRECISION : SCIARA_DOUBLE, &ops));
  const struct sciara_engine_setup setup = {.params = &p->params, .vents = none, .boundary = p->boundary, .threads = 1};
  const struct sciara_stop stop = {.steps = UINT64_MAX,
                                   .time = fmin(s->time + WATCHED_S, sciara_site_next_change(s->site)),
                                   .solidified = true,
                                   .max_wall_ms = 50};
  const double until = sciara_wallclock() + WATCH_WALL_S;
  SCIARA_TRY_GOTO(ops->create(&setup, &engine));
  SCIARA_TRY_GOTO(ops->upload(engine, s));
  do SCIARA_TRY_GOTO(ops->advance(engine, &stop, &now));
  while (now.reason == SCIARA_STOP_WALL && sciara_wallclock() < until);
  SCIARA_TRY_GOTO(ops->download(engine, s));
cleanup:
  if (engine) ops->destroy(engine);
  sciara_vents_destroy(none);
  return status;
}

enum sciara_status sciara_observed_run_off(const struct sciara_problem *p, char **text) {
  struct sciara_state *s = NULL;
  *text = NULL;
  if (!p->source->observed_hash || sciara_grid_cells(&p->grid) > SCIARA_COST_PROBE_CELLS) return SCIARA_OK;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_state_clone(p->state, &s));
  SCIARA_TRY_GOTO(watch(p, s));
  const double growth = (double)count_covered(s) / (double)count_covered(p->state) - 1;
  if (!(growth > GROWTH)) goto cleanup;
  *text = sciara_format(
      "initial.observed: with these parameters the mapped lava runs off: it covers %.0f %% more cells %s later, "
      "without effusion. Lava at rest would not: docs/tonight.md says what that does to a forecast",
      100 * growth, SCIARA_DURATION(fmin(WATCHED_S, s->time - p->state->time)));
  if (!*text) status = sciara_no_memory("a warning");
cleanup:
  sciara_state_destroy(s);
  return status;
}

void sciara_observed_run_off_log(const struct sciara_problem *p, const char *where) {
  char *text;
  if (sciara_observed_run_off(p, &text) == SCIARA_OK && text) sciara_log(SCIARA_LOG_WARNING, "%s%s", where, text);
  free(text);
}
