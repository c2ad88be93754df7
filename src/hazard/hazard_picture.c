// SPDX-License-Identifier: Apache-2.0
#include "hazard/hazard_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "geometry/polyline.h"
#include "hazard/products.h"

enum { PLACES_SHOWN_WHOLE = 50 }; ///< so few places enlarge the part that is shown

/** The last arrival of all maps, s. */
static double last_arrival(const struct sciara_reduction *r) {
  double last = 0;
  for (size_t k = 0; k < r->layers.count; k++)
    for (size_t p = 0; p < r->hazard.parts && strcmp(r->layers.layer[k].unit, "s") == 0; p++)
      for (size_t i = 0; i < r->hazard.part[p].count; i++)
        last = fmax(last, (double)r->hazard.part[p].value[k * r->hazard.part[p].count + i]);
  return last;
}

/** The largest probability in a cell of all maps of these years, 0 to 1. */
static double largest_in(const struct sciara_reduction *r, size_t years) {
  float most = 0;
  for (size_t k = 0; k < r->layers.count; k++) {
    const struct sciara_layer *l = &r->layers.layer[k];
    for (size_t p = 0; p < r->hazard.parts && l->kind == SCIARA_LAYER_YEARS && l->second == years; p++)
      for (size_t i = 0; i < r->hazard.part[p].count && l->part == SCIARA_PART_VALUE; i++)
        most = fmaxf(most, r->hazard.part[p].value[k * r->hazard.part[p].count + i]);
  }
  return (double)most;
}

size_t sciara_hazard_classes(const struct sciara_reduction *r, const struct sciara_layer *l, const double **edges) {
  enum { CLASSES = 6, RANGES = 4, SCALES = 4, MINUTE = 60, HOUR = 3600, DAY = 24 * HOUR };
  static const double metres[] = {0.5, 1, 2, 5, 10};
  static const double chances[SCALES][CLASSES] = {{1, 5, 10, 25, 50, 75},
                                                  {0.1, 0.5, 1, 2.5, 5, 7.5},
                                                  {0.01, 0.05, 0.1, 0.25, 0.5, 0.75},
                                                  {0.001, 0.005, 0.01, 0.025, 0.05, 0.075}};
  static const double times[RANGES][CLASSES] = {
      {15 * MINUTE, 30 * MINUTE, 45 * MINUTE, 1 * HOUR, 90 * MINUTE, 2 * HOUR},
      {1 * HOUR, 3 * HOUR, 6 * HOUR, 9 * HOUR, 12 * HOUR, 18 * HOUR},
      {6 * HOUR, 12 * HOUR, 1 * DAY, 2 * DAY, 3 * DAY, 5 * DAY},
      {6 * HOUR, 1 * DAY, 3 * DAY, 7 * DAY, 14 * DAY, 30 * DAY}};
  static const double ends[RANGES] = {3 * HOUR, 1 * DAY, 10 * DAY, INFINITY};
  int range = 0;
  if (l->kind == SCIARA_LAYER_HITS) return 0;
  if (strcmp(l->unit, "m") == 0) {
    *edges = metres;
    return sizeof metres / sizeof *metres;
  }
  if (sciara_layer_is_probability(l)) {
    int scale = 0; // of a number of years the first in which the largest probability is in one of the upper classes
    const double most = l->kind == SCIARA_LAYER_YEARS ? 100 * largest_in(r, l->second) : 100;
    while (scale + 1 < SCALES && most < chances[scale][2]) scale++;
    *edges = chances[scale];
    return CLASSES;
  }
  const double last = last_arrival(r);
  while (last > ends[range] + MINUTE) range++; // a step reaches beyond the end
  *edges = times[range];
  return CLASSES;
}

void sciara_hazard_picture_free(struct sciara_hazard_picture *p) {
  sciara_free(p->values);
  sciara_free(p->vent);
  sciara_used_vents_free(&p->used);
  sciara_text_free(&p->about);
  sciara_text_free(&p->note);
  sciara_text_free(&p->title);
  sciara_map_facts_free(&p->facts);
  sciara_zones_free(&p->fronts);
  *p = (struct sciara_hazard_picture){0};
}

// -------------------------------------------------------------------------------------------------------------- words

/** Appends a word whose placeholders {value} and {years} stand for these texts. */
static void put_word(struct sciara_text *t, enum sciara_language language, enum sciara_word word, const char *value,
                     const char *years) {
  const char *const pairs[] = {"value", value, "years", years, NULL};
  sciara_word_fill(t, sciara_word(language, word), pairs);
}

/** What a layer shows, in the language of the picture. */
static void put_about(const struct sciara_reduction *r, const struct sciara_layer *l, enum sciara_language language,
                      struct sciara_text *t) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  char value[48 + SCIARA_MINUTE_SIZE] = "", years[32] = "";
  enum sciara_word word = l->word;
  switch (l->kind) {
    case SCIARA_LAYER_PROBABILITY:
      snprintf(value, sizeof value, "%.9g", q->deposit_m[l->index]);
      word = q->deposit_m[l->index] > 0 ? SCIARA_WORD_HAZARD_ABOVE : SCIARA_WORD_HAZARD_REACHED;
      break;
    case SCIARA_LAYER_REACHED:
      sciara_word_duration(language, q->within_s[l->index], value, sizeof value);
      sciara_append_minute(r->start, q->within_s[l->index], value, sizeof value);
      word = SCIARA_WORD_HAZARD_WITHIN;
      break;
    case SCIARA_LAYER_YEARS:
      snprintf(value, sizeof value, "%.9g", q->deposit_m[l->index]);
      snprintf(years, sizeof years, "%.9g", q->years[l->second]);
      word = sciara_hazard_years_word(q->deposit_m[l->index], q->years[l->second]);
      break;
    case SCIARA_LAYER_QUANTILE: snprintf(value, sizeof value, "%.9g", 100 * q->quantiles[l->index]); break;
    case SCIARA_LAYER_HITS: word = SCIARA_WORD_HAZARD_HITS; break;
    case SCIARA_LAYER_MEAN:
    case SCIARA_LAYER_LEAST:
    case SCIARA_LAYER_MOST:
    case SCIARA_LAYER_FRONT: break;
  }
  sciara_word_numbers(language, value);
  if (sciara_layer_is_probability(l))
    sciara_text_append(t, "%s%s", sciara_word(language, SCIARA_WORD_HAZARD_CHANCE),
                       sciara_word(language, SCIARA_WORD_COLON));
  put_word(t, language, word, value, years);
  if (r->liquid.members > 0 && sciara_layer_is_of_end(l)) {
    char time[96], date[SCIARA_MINUTE_SIZE];
    sciara_liquid_end_print(r, language, time, date);
    const char *const pairs[] = {"map", "", "time", time, "after", sciara_word(language, r->after), "date", date, NULL};
    sciara_word_fill(t, sciara_word(language, SCIARA_WORD_HAZARD_UNTIL), pairs);
  }
}

// --------------------------------------------------------------------------------------------------------------- note

/** From when times count, where that is no simulated time 0 without a date. */
static void put_time_zero(const struct sciara_reduction *r, enum sciara_language language, struct sciara_text *t) {
  const bool later = r->ensemble.time_zero_s > 0;
  char time[48 + SCIARA_MINUTE_SIZE] = "";
  const char *const pairs[] = {"time", time, NULL};
  if (later) sciara_word_duration(language, r->ensemble.time_zero_s, time, sizeof time);
  if (later)
    sciara_append_minute(r->start, 0, time, sizeof time);
  else if (!sciara_minute_after(r->start, 0, time))
    return;
  sciara_text_append(t, " ");
  sciara_word_fill(t,
                   sciara_word(language, !later                                  ? SCIARA_WORD_HAZARD_DATE_ZERO
                                         : r->after == SCIARA_WORD_AFTER_OUTLINE ? SCIARA_WORD_HAZARD_TIME_OUTLINE
                                                                                 : SCIARA_WORD_HAZARD_TIME_ZERO),
                   pairs);
}

/** Members, and what every number is conditional on. */
static void put_members(const struct sciara_reduction *r, const struct sciara_layer *l, enum sciara_language language,
                        struct sciara_text *t) {
  char finished[24], members[24];
  const char *const pairs[] = {"finished", finished, "members", members, NULL};
  snprintf(finished, sizeof finished, "%zu", r->sample.finished);
  snprintf(members, sizeof members, "%zu", r->used_members - r->sample.zero);
  sciara_word_fill(t, sciara_word(language, SCIARA_WORD_HAZARD_MEMBERS), pairs);
  if (r->stopped) sciara_text_append(t, " %s", sciara_word(language, SCIARA_WORD_HAZARD_ENOUGH));
  sciara_text_append(t, " %s", sciara_word(language, sciara_hazard_condition(r, l)));
  put_time_zero(r, language, t);
  sciara_text_append(t, "\n");
}

/** The largest value of a layer, 0 to 1. */
static double largest_of(const struct sciara_reduction *r, size_t k) {
  double most = fmax(0, (double)r->hazard.elsewhere[k]);
  for (size_t p = 0; p < r->hazard.parts; p++)
    for (size_t i = 0; i < r->hazard.part[p].count; i++)
      most = fmax(most, (double)r->hazard.part[p].value[k * r->hazard.part[p].count + i]);
  return fmin(most, 1);
}

/** Members that ended with liquid lava, unless the layer ends before them. */
static void put_liquid(const struct sciara_reduction *r, const struct sciara_layer *l, enum sciara_language language,
                       struct sciara_text *t) {
  char time[96], date[SCIARA_MINUTE_SIZE], members[24], finished[24];
  const char *const pairs[] = {"time",     time,     "after",   sciara_word(language, r->after),
                               "date",     date,     "members", members,
                               "finished", finished, NULL};
  if (r->liquid.members == 0 || sciara_layer_until(&r->ensemble.result, l) <= r->liquid.from_s) return;
  sciara_liquid_end_print(r, language, time, date);
  snprintf(members, sizeof members, "%zu", r->liquid.members);
  snprintf(finished, sizeof finished, "%zu", r->sample.finished);
  sciara_text_append(t, "\n");
  sciara_word_fill(t, sciara_word(language, SCIARA_WORD_HAZARD_LIQUID), pairs);
}

/** Censored members in words, with the bound that follows from them, unless the layer ends before them. */
static void put_censored(const struct sciara_reduction *r, size_t k, enum sciara_language language,
                         struct sciara_text *t) {
  const struct sciara_layers *all = &r->layers;
  const struct sciara_layer *l = &all->layer[k];
  size_t high = k, cut;
  sciara_sample_censored(&r->sample, sciara_layer_until(&r->ensemble.result, l), &cut);
  if (cut == 0) return;
  while (high + 1 < all->count && all->layer[high].part != SCIARA_PART_HIGH && all->layer[high].kind == l->kind) high++;
  char censored[24], finished[24], bound[32] = "100";
  const char *const pairs[] = {"censored", censored, "finished", finished, "bound", bound, NULL};
  snprintf(censored, sizeof censored, "%zu", r->sample.censored);
  snprintf(finished, sizeof finished, "%zu", r->sample.finished);
  if (all->layer[high].part == SCIARA_PART_HIGH) snprintf(bound, sizeof bound, "%.3g", 100 * largest_of(r, high));
  sciara_word_numbers(language, bound);
  sciara_text_append(t, "\n");
  sciara_word_fill(t, sciara_word(language, SCIARA_WORD_HAZARD_CENSORED), pairs);
  sciara_text_append(t, " ");
  sciara_word_fill(t, sciara_word(language, SCIARA_WORD_HAZARD_CENSORED_BOUND), pairs);
}

static enum sciara_status make_note(const struct sciara_reduction *r, size_t k, enum sciara_language language,
                                    struct sciara_text *t) {
  const struct sciara_layer *l = &r->layers.layer[k];
  put_members(r, l, language, t);
  SCIARA_TRY(sciara_hazard_assumed(r, language, t));
  put_liquid(r, l, language, t);
  put_censored(r, k, language, t);
  if (sciara_layer_is_of_hits(l)) {
    char least[24];
    const char *const pairs[] = {"least", least, NULL};
    snprintf(least, sizeof least, "%d", SCIARA_HITS_LEAST);
    sciara_text_append(t, "\n%s ", sciara_word(language, SCIARA_WORD_HAZARD_OF_HITS));
    sciara_word_fill(t, sciara_word(language, SCIARA_WORD_HAZARD_FEW_CELLS), pairs);
  }
  return t->failed;
}

// -------------------------------------------------------------------------------------------------------------- marks

static enum sciara_status take_vents(const struct sciara_reduction *r, struct sciara_hazard_picture *p) {
  SCIARA_TRY(sciara_used_vents_make(&r->ensemble, &r->sample, &r->dem.grid, &r->dem.georef, &p->used));
  SCIARA_TRY(SCIARA_NEW(p->vent, p->used.count + 1, "the vents of a map"));
  for (size_t k = 0; k < p->used.count; k++) {
    const struct sciara_used_vent *v = &p->used.vent[k];
    p->vent[k] = (struct sciara_map_vent){.points = v->points, .count = v->count, .weight = v->weight};
    for (size_t i = 0; i < v->count; i++) sciara_map_bounds_add_point(&p->bounds, &r->dem.grid, v->points[i]);
  }
  p->picture.vent = p->vent;
  p->picture.vents = p->used.count;
  p->picture.weighted = p->used.weighted;
  return SCIARA_OK;
}

static void take_sites(const struct sciara_reduction *r, struct sciara_hazard_picture *p) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  for (size_t k = 0; q->poi_count <= PLACES_SHOWN_WHOLE && k < q->poi_count; k++)
    for (size_t i = 0; i < q->pois[k].point_count; i++)
      sciara_map_bounds_add_point(&p->bounds, &r->dem.grid, q->pois[k].points[i]);
  p->picture.pois = q->pois;
  p->picture.poi_count = q->poi_count;
}

/** The cells that any member reaches. */
static void bound_lava(const struct sciara_reduction *r, struct sciara_map_bounds *b) {
  const struct sciara_grid *g = &r->dem.grid;
  for (size_t p = 0; p < r->hazard.parts; p++)
    for (size_t k = 0; k < r->hazard.part[p].count; k++)
      sciara_map_bounds_add_point(
          b, g, sciara_cell_centre(g, r->hazard.part[p].cell[k] / g->cols, r->hazard.part[p].cell[k] % g->cols));
}

/** The values; a probability in percent, and none where it is 0. */
static enum sciara_status take_values(const struct sciara_reduction *r, size_t k, struct sciara_hazard_picture *p) {
  const struct sciara_layer *l = &r->layers.layer[k];
  const int64_t cells = sciara_grid_cells(&r->dem.grid);
  const bool chance = sciara_layer_is_probability(l);
  SCIARA_TRY(SCIARA_NEW(p->values, cells, "a map"));
  sciara_hazard_fill(&r->hazard, k, r->dem.valid, cells, p->values);
  for (int64_t i = 0; i < cells && (chance || l->kind == SCIARA_LAYER_HITS); i++)
    p->values[i] = p->values[i] > 0 ? (chance ? 100 : 1) * p->values[i] : SCIARA_NODATA_ALTITUDE;
  return SCIARA_OK;
}

/** Dates: that of the outline with which the members begin, those of fronts. */
static enum sciara_status take_fronts(const struct sciara_reduction *r, const struct sciara_layer *l,
                                      struct sciara_hazard_picture *p) {
  static const double begin = 0;
  const int64_t cells = sciara_grid_cells(&r->dem.grid);
  if (!*r->start) return SCIARA_OK;
  p->picture.start = r->start;
  p->picture.observed_s = &begin;
  if (strcmp(l->unit, "s") != 0 || l->part != SCIARA_PART_VALUE) return SCIARA_OK;
  const double step = sciara_isochrone_step(p->values, cells, SCIARA_NODATA_ALTITUDE);
  SCIARA_TRY(sciara_zones_isochrones(p->values, cells, SCIARA_NODATA_ALTITUDE, step, r->start, &p->fronts));
  sciara_zones_name_ends(&p->fronts, p->picture.language, r->start, r->end_s, false);
  p->picture.fronts = &p->fronts;
  return SCIARA_OK;
}

enum sciara_status sciara_hazard_picture_make(const struct sciara_reduction *r, size_t k, enum sciara_language language,
                                              const char *title, struct sciara_hazard_picture *out) {
  const struct sciara_layer *l = &r->layers.layer[k];
  *out = (struct sciara_hazard_picture){0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(take_values(r, k, out));
  SCIARA_TRY_GOTO(sciara_hazard_title(r, language, &out->title));
  put_about(r, l, language, &out->about);
  SCIARA_TRY_GOTO(out->about.failed);
  SCIARA_TRY_GOTO(make_note(r, k, language, &out->note));
  SCIARA_TRY_GOTO(sciara_products_facts(r, l, &out->facts));
  SCIARA_TRY_GOTO(sciara_map_facts_add(&out->facts, "assumptions", out->note.data));
  bound_lava(r, &out->bounds);
  out->map = (struct sciara_map){.grid = &r->dem.grid,
                                 .georef = &r->dem.georef,
                                 .values = out->values,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = l->name,
                                 .ramp = sciara_products_ramp(l),
                                 .long_name = out->about.data,
                                 .unit = sciara_layer_is_probability(l) ? "%" : l->unit,
                                 .title = title ? title : out->title.data,
                                 .facts = &out->facts};
  out->picture.map = &out->map;
  out->picture.altitude = r->dem.altitude;
  out->picture.sea = r->dem.sea;
  out->picture.coarse_m = r->dem.coarse_m;
  out->picture.edits = r->dem.edit;
  out->picture.observed = r->dem.observed;
  out->picture.rules = r->rules;
  out->picture.language = language;
  out->picture.note = out->note.data;
  out->picture.blank = sciara_word(language, SCIARA_WORD_HAZARD_BLANK);
  out->picture.edge_count = sciara_hazard_classes(r, l, &out->picture.edges);
  SCIARA_TRY_GOTO(take_fronts(r, l, out));
  SCIARA_TRY_GOTO(take_vents(r, out));
  take_sites(r, out);
cleanup:
  if (status != SCIARA_OK) sciara_hazard_picture_free(out);
  return status;
}
