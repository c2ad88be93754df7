// SPDX-License-Identifier: Apache-2.0
#include "run/run_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/json_strict.h"
#include "map/words.h"
#include "model/field.h"
#include "sciara.h"

static enum sciara_status add_number(struct sciara_map_facts *f, const char *name, double value) {
  char text[40];
  sciara_json_number(value, text, sizeof text);
  return sciara_map_facts_add(f, name, text);
}

/** The date of the map; none without that of the start. */
static enum sciara_status add_date(struct sciara_map_facts *f, const struct sciara_run_moment *m) {
  char text[SCIARA_DATE_SIZE];
  return sciara_date_after(m->start, m->time_s, text) ? sciara_map_facts_add(f, "Date", text) : SCIARA_OK;
}

static enum sciara_status add_parameters(struct sciara_map_facts *f, const struct sciara_params *p) {
  struct sciara_text t = {0};
  char number[40];
#define SCIARA_PARAM(member, RULES, key, ...)                            \
  if (SCIARA_RULES_##RULES >> p->rule & 1u) {                            \
    sciara_json_number(p->member, number, sizeof number);                \
    sciara_text_append(&t, "%s" key "=%s", t.length ? " " : "", number); \
  }
#include "model/params.def"
#undef SCIARA_PARAM
  const enum sciara_status status = t.failed == SCIARA_OK ? sciara_map_facts_add(f, "Parameters", t.data) : t.failed;
  sciara_text_free(&t);
  return status;
}

/** The program that computed the map, and its rule. @param source NULL: this one */
static enum sciara_status add_software(struct sciara_map_facts *f, const char *source, enum sciara_rule_kind rule) {
  char text[192];
  snprintf(text, sizeof text, "sciara " SCIARA_VERSION " (git " SCIARA_GIT_HASH "), %s", sciara_rule_title(rule));
  return sciara_map_facts_add(f, "Software", source ? source : text);
}

enum sciara_status sciara_run_facts_make(const struct sciara_run_moment *m, const struct sciara_scenario_spec *scenario,
                                         enum sciara_field field, struct sciara_map_facts *out) {
  const struct sciara_field_info *info = sciara_field_describe(field);
  SCIARA_TRY(sciara_map_facts_add(out, "Title", m->title));
  SCIARA_TRY(add_software(out, m->source, scenario ? scenario->params.rule : SCIARA_RULE_FV3));
  if (info) SCIARA_TRY(sciara_map_facts_add(out, "Field", info->name));
  if (info) SCIARA_TRY(sciara_map_facts_add(out, "Unit", info->unit));
  SCIARA_TRY(sciara_map_facts_add(out, "Start", m->start));
  SCIARA_TRY(add_date(out, m));
  SCIARA_TRY(add_number(out, "SimulatedTime_s", m->time_s));
  SCIARA_TRY(add_number(out, "Step", (double)m->step));
  if (!scenario) return SCIARA_OK;
  SCIARA_TRY(sciara_map_facts_add(out, "Rule", sciara_rule_name(scenario->params.rule)));
  return add_parameters(out, &scenario->params);
}

// ------------------------------------------------------------------------------------------------------------- in words

/**
 * The lava that the run begins with: of an earlier one at `from`, s, if that is above 0. A mapped outline without a time has that of
 * the checkpoint that it corrects, which is `from`, but in a branch, whose vents may be others from a later time on.
 */
static void put_begin(const struct sciara_scenario_spec *s, double from, bool branch, enum sciara_language language,
                      struct sciara_text *t) {
  const bool timed = s->observed.time_s >= 0 || (from > 0 && !branch);
  const bool mapped = s->observed.outline && (s->initial_checkpoint ? timed : !(from > 0)); // else the earlier run was
  if (from > 0 && !mapped) {
    sciara_text_append(t, " ");
    sciara_word_begin_earlier(t, language, from);
  } else if (mapped) {
    sciara_text_append(t, " ");
    sciara_word_begin_observed(t, language, s->observed.outline,
                               s->initial_checkpoint ? fmax(s->observed.time_s, branch ? 0 : from) : s->observed.time_s,
                               s->start);
  } else if (s->initial_checkpoint) {
    sciara_text_append(t, " %s.", sciara_word(language, SCIARA_WORD_BEGIN_CHECKPOINT));
  } else if (s->initial_thickness.given || s->initial_thickness.path) {
    sciara_text_append(t, " %s.", sciara_word(language, SCIARA_WORD_BEGIN_LAVA));
  }
}

/** "Model: fv3 (thesis-etna-2006). DEM: etna.tif, 378 × 517. Start: 2006-07-14 23:30 UTC." */
static void put_model(const struct sciara_scenario_spec *s, const struct sciara_grid *g, enum sciara_language language,
                      struct sciara_text *t) {
  const char *colon = sciara_word(language, SCIARA_WORD_COLON);
  char date[SCIARA_MINUTE_SIZE];
  sciara_text_append(t, "\n%s%s%s", sciara_word(language, SCIARA_WORD_HAZARD_ASSUMED_MODEL), colon,
                     sciara_rule_name(s->params.rule));
  if (s->model) {
    sciara_text_append(t, " (");
    sciara_word_parameters(t, language, s->model, &s->params);
    sciara_text_append(t, ")");
  }
  sciara_text_append(t, ".");
  sciara_word_misfit(t, language, &s->params, g->cell_size);
  sciara_text_append(t, " %s%s", sciara_word(language, SCIARA_WORD_DEM), colon);
  if (s->dem.path) sciara_text_append(t, "%s, ", sciara_path_name(s->dem.path));
  sciara_text_append(t, "%" PRId64 "\u00A0\u00D7\u00A0%" PRId64 ".", g->rows, g->cols);
  if (sciara_minute_after(s->start, 0, date))
    sciara_text_append(t, " %s%s%s.", sciara_word(language, SCIARA_WORD_START), colon, date);
}

/** What the barriers of a run have become, and when it began. */
struct fates {
  const struct sciara_run_json *run;
  const char *start;
};

static void put_fate(struct sciara_text *t, enum sciara_language language, size_t k, const void *context) {
  const struct fates *f = (const struct fates *)context;
  char text[64 + SCIARA_MINUTE_SIZE] = "";
  const char *const pairs[] = {"time", text, "metres", text, NULL};
  size_t n = 0;
  while (n < f->run->barrier_count && f->run->barriers[n].edit != k) n++;
  if (n == f->run->barrier_count) return; // none, or not done
  const struct sciara_run_barrier *b = &f->run->barriers[n];
  const bool over = !isnan(b->overtopped_s), left = !over && !isnan(b->freeboard_m);
  if (over) {
    sciara_word_duration(language, b->overtopped_s, text, sizeof text);
    sciara_append_minute(f->start, b->overtopped_s, text, sizeof text);
  } else if (left) {
    snprintf(text, sizeof text, "%.3g", b->freeboard_m);
    sciara_word_numbers(language, text);
  }
  sciara_text_append(t, "; ");
  sciara_word_fill(t,
                   sciara_word(language, over   ? SCIARA_WORD_BARRIER_OVER
                                         : left ? SCIARA_WORD_BARRIER_LEFT
                                                : SCIARA_WORD_BARRIER_DRY),
                   pairs);
}

/**
 * From when on the run emits lava, s. Versions that did not take the time of an observation that corrects a checkpoint recorded
 * that of the checkpoint.
 */
static double emits_from(const struct sciara_scenario_spec *s, double recorded) {
  return s->initial_checkpoint && s->observed.outline && recorded > 0 ? fmax(recorded, s->observed.time_s) : recorded;
}

enum sciara_status sciara_run_assumed(const struct sciara_scenario_spec *scenario, const struct sciara_run_json *run,
                                      const struct sciara_grid *grid, enum sciara_language language,
                                      struct sciara_text *out) {
  const struct sciara_emission *emission = &run->emission;
  const struct fates fates = {run, scenario->start};
  const double from = emits_from(scenario, emission->from_s);
  struct sciara_emission own;
  SCIARA_TRY(sciara_scenario_emission(scenario, from, &own));
  sciara_word_emission(out, language, isfinite(emission->volume_m3) && !(from > emission->from_s) ? emission : &own);
  sciara_text_append(out, ". %s%s%zu.", sciara_word(language, SCIARA_WORD_HAZARD_ASSUMED_VENTS),
                     sciara_word(language, SCIARA_WORD_COLON), scenario->vent_count);
  put_begin(scenario, from, run->parent != NULL, language, out);
  put_model(scenario, grid, language, out);
  sciara_word_edits(out, language, scenario->dem.edits, scenario->dem.edit_count, scenario->start, put_fate, &fates);
  return out->failed;
}

// --------------------------------------------------------------------------------------------- on the map of a picture

enum sciara_status sciara_map_dressing_make(const struct sciara_scenario_spec *scenario,
                                            const struct sciara_run_json *run, const struct sciara_map *map,
                                            struct sciara_map_picture *picture, struct sciara_map_dressing *out) {
  SCIARA_TRY(sciara_vent_marks_make(scenario, map->grid, map->georef, &out->marks));
  if (out->marks.count > 0) SCIARA_TRY(SCIARA_NEW(out->vent, out->marks.count, "the vents of a map"));
  for (size_t k = 0; k < out->marks.count; k++) {
    const struct sciara_vent_mark *mark = &out->marks.mark[k];
    out->vent[k] = (struct sciara_map_vent){.points = mark->points, .count = mark->count, .weight = 1};
    for (size_t j = 0; j < mark->count; j++) sciara_map_bounds_add_point(&out->bounds, map->grid, mark->points[j]);
  }
  SCIARA_TRY(sciara_run_assumed(scenario, run, map->grid, picture->language, &out->assumed));
  SCIARA_TRY(sciara_word_title(&out->title, picture->language, scenario->title, scenario->dem.edits,
                               scenario->dem.edit_count));
  picture->note = out->assumed.data;
  picture->rules = 1u << scenario->params.rule;
  picture->vent = out->vent;
  picture->vents = out->marks.count;
  picture->volumes = &out->volumes;
  out->observed_s = scenario->observed.time_s;
  if (scenario->observed.outline && out->observed_s >= 0) picture->observed_s = &out->observed_s;
  return SCIARA_OK;
}

void sciara_map_dressing_lava(struct sciara_map_dressing *d, const struct sciara_vent_cells *vents, double time_s,
                              const double *lava, const struct sciara_ledger *ledger,
                              struct sciara_map_picture *picture) {
  const struct sciara_grid *g = picture->map->grid;
  const struct sciara_run_out out = sciara_run_out_find(vents, time_s, g, lava);
  sciara_map_bounds_add_values(&d->bounds, g, lava);
  d->run_out = (struct sciara_map_run_out){
      {g->west + ((double)out.col + 0.5) * g->cell_size, g->north - ((double)out.row + 0.5) * g->cell_size},
      out.metres};
  picture->run_out = out.found ? &d->run_out : NULL;
  sciara_word_lava(picture->language, ledger->initial_m3 + ledger->emitted_m3 + ledger->added_m3 - ledger->removed_m3,
                   ledger->liquid_m3, ledger->solid_m3, d->volumes.lava);
  d->volumes.emitted = ledger->emitted_m3;
  d->volumes.other = ledger->initial_m3 + ledger->added_m3;
  d->volumes.left_map = ledger->lost_m3;
  d->volumes.entered_sea = ledger->sea_m3;
  d->volumes.added = ledger->added_m3;
  d->volumes.removed = ledger->removed_m3;
}

enum sciara_status sciara_map_dressing_fronts(struct sciara_map_dressing *d, const double *times, double step,
                                              struct sciara_map_picture *picture) {
  const int64_t cells = sciara_grid_cells(picture->map->grid);
  sciara_zones_free(&d->fronts);
  picture->fronts = NULL;
  if (step == 0) step = sciara_isochrone_step(times, cells, SCIARA_NODATA_ALTITUDE);
  SCIARA_TRY(sciara_zones_isochrones(times, cells, SCIARA_NODATA_ALTITUDE, step, picture->start, &d->fronts));
  sciara_zones_name_ends(&d->fronts, picture->language, picture->start, *picture->time_s, false);
  picture->fronts = &d->fronts;
  return SCIARA_OK;
}

enum sciara_status sciara_map_dressing_tell(const struct sciara_map_dressing *d, struct sciara_map_facts *facts) {
  SCIARA_TRY(sciara_map_facts_add(facts, "lava", *d->volumes.lava ? d->volumes.lava : NULL));
  return sciara_map_facts_add(facts, "assumptions", d->assumed.data);
}

void sciara_map_dressing_free(struct sciara_map_dressing *d) {
  sciara_text_free(&d->assumed);
  sciara_text_free(&d->title);
  sciara_vent_marks_free(&d->marks);
  sciara_free(d->vent);
  sciara_zones_free(&d->fronts);
  *d = (struct sciara_map_dressing){0};
}
