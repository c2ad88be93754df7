// SPDX-License-Identifier: Apache-2.0
#include "export/run_scores.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "export/export_picture.h"
#include "picture/map_picture.h"

/** What the run covers: its deposit, else what is still liquid. */
static enum sciara_status read_run(struct sciara_run_scores *j) {
  struct sciara_snapshot *s = &j->target->snapshot;
  const int64_t cells = sciara_grid_cells(&s->grid);
  const bool whole = s->fields >> SCIARA_FIELD_DEPOSIT & 1u;
  j->field = whole ? SCIARA_FIELD_DEPOSIT : SCIARA_FIELD_THICKNESS;
  if (!whole)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: holds no field \"deposit\": only what is still liquid counts as covered (output.fields of the "
               "scenario decides)",
               j->target->path);
  SCIARA_TRY(SCIARA_NEW(j->thickness, cells, "the lava of the run"));
  SCIARA_TRY(SCIARA_NEW(j->run, cells, "the extent of the run"));
  SCIARA_TRY(sciara_target_read(j->target, j->field, j->thickness));
  for (int64_t i = 0; i < cells; i++) {
    if (j->thickness[i] == SCIARA_NODATA_ALTITUDE) j->thickness[i] = 0; // outside the DEM
    j->run[i] = j->thickness[i] > j->min_thickness_m;
  }
  return SCIARA_OK;
}

static enum sciara_status read_vents(struct sciara_run_scores *j) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  SCIARA_TRY(SCIARA_NEW(j->vents, sciara_grid_cells(&s->grid), "the cells of the vents"));
  if (s->scenario_json)
    SCIARA_TRY(sciara_extent_mark_vents(s->scenario_json, &s->grid, &s->georef, j->vents, &j->vent_cells));
  if (j->vent_cells == 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: contains no vents: the run-out is undefined", j->target->path);
  return SCIARA_OK;
}

enum sciara_status sciara_run_scores_make(struct sciara_run_scores *j) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  SCIARA_TRY(read_run(j));
  SCIARA_TRY(read_vents(j));
  j->request.grid = &s->grid;
  j->request.crs_wkt = s->georef.crs_wkt;
  j->request.min_thickness_m = j->min_thickness_m;
  SCIARA_TRY(sciara_observation_read(&j->request, &j->observed));
  const struct sciara_extents extents = {.grid = &s->grid,
                                         .run = j->run,
                                         .observed = j->observed.covered,
                                         .vents = j->vents,
                                         .run_thickness = j->thickness,
                                         .observed_thickness = j->observed.thickness};
  return sciara_extents_score(&extents, &j->scores);
}

/** Adds "name 0.415" unless the score is undefined. */
static void add_score(struct sciara_text *t, const char *name, double value) {
  if (!isnan(value)) sciara_text_append(t, "%s%s\u00A0%.3f", t->length ? ", " : "", name, value);
}

/** "Jaccard index J 0.415, e1 0.644, ..., area, run / observed 1.05, run-out, run / observed 1.16 (2678 m / 2310 m)" */
static enum sciara_status write_note(const struct sciara_run_scores *j, enum sciara_language language,
                                     struct sciara_text *t) {
  const struct sciara_extent_scores *r = &j->scores;
  const char *ratio = sciara_word(language, SCIARA_WORD_RUN_AND_OBSERVED);
  const int decimals = sciara_grid_decimals(&j->target->snapshot.grid);
  add_score(t, sciara_word(language, SCIARA_WORD_JACCARD), r->jaccard);
  add_score(t, "e1", r->e1);
  add_score(t, "TPR", r->tpr);
  add_score(t, "PPV", r->ppv);
  if (!isnan(r->area_ratio))
    sciara_text_append(t, "%s%s (%s)\u00A0%.3f", t->length ? ". " : "", sciara_word(language, SCIARA_WORD_AREA), ratio,
                       r->area_ratio);
  if (!isnan(r->run_out_m) && !isnan(r->observed_run_out_m))
    sciara_text_append(t, "%s%s (%s)\u00A0%.*f\u00A0m / %.*f\u00A0m", t->length ? ". " : "",
                       sciara_word(language, SCIARA_WORD_RUN_OUT), ratio, decimals, r->run_out_m, decimals,
                       r->observed_run_out_m);
  if (t->data) sciara_word_numbers(language, t->data);
  return t->failed;
}

/** What the pictures of a run show besides extents. */
static enum sciara_status dress(const struct sciara_run_scores *j, const struct sciara_map *map,
                                struct sciara_map_picture *picture, struct sciara_map_dressing *dressing) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  struct sciara_vent_cells vents = {0};
  const enum sciara_status status = sciara_export_vents(j->target, map, picture, dressing, &vents);
  if (status == SCIARA_OK) {
    sciara_map_dressing_lava(dressing, vents.row, vents.col, vents.count, j->thickness, &s->ledger, picture);
    sciara_map_bounds_add_mask(&dressing->bounds, &s->grid, j->observed.covered);
  }
  sciara_vent_cells_free(&vents);
  return status;
}

// Colours that people who confuse red and green can also distinguish (Okabe and Ito).
enum kind { HITS, MISSES, EXCESS, KINDS };
static const uint8_t colours[KINDS][3] = {{240, 228, 66}, {0, 114, 178}, {213, 94, 0}};

/** What a picture of two extents calls itself, and the cells of both, of the second alone, of the first alone. */
struct extent_words {
  enum sciara_word title, kinds[3];
};
static const struct extent_words of_observed = {SCIARA_WORD_EXTENTS,
                                                {SCIARA_WORD_HITS, SCIARA_WORD_MISSES, SCIARA_WORD_EXCESS}};
static const struct extent_words of_runs = {SCIARA_WORD_RUNS,
                                            {SCIARA_WORD_RUNS_BOTH, SCIARA_WORD_RUNS_FIRST, SCIARA_WORD_RUNS_SECOND}};

/**
 * Draws hits (both) yellow, misses (the observed alone) blue, excess (the run alone) red, laid out as other maps are.
 *
 * @param like          look, ground, marks and texts; of its map the grid, the CRS and the title are used
 * @param run, observed rows x cols, 0 or not
 */
static enum sciara_status write_extents(const struct sciara_map_picture *like, const uint8_t *run,
                                        const uint8_t *observed, const struct extent_words *words, const char *path) {
  const int64_t cells = sciara_grid_cells(like->map->grid);
  struct sciara_map_kind kinds[KINDS];
  double *kind;
  SCIARA_TRY(SCIARA_NEW(kind, cells, "the kinds of cells on a map"));
  for (int64_t i = 0; i < cells; i++)
    kind[i] = run[i] ? (observed[i] ? HITS : EXCESS) : observed[i] ? MISSES : SCIARA_NODATA_ALTITUDE;
  for (int k = 0; k < KINDS; k++)
    kinds[k] = (struct sciara_map_kind){sciara_word(like->language, words->kinds[k]),
                                        {colours[k][0], colours[k][1], colours[k][2]}};
  struct sciara_map map = *like->map;
  map.values = kind;
  map.nodata = SCIARA_NODATA_ALTITUDE;
  map.name = sciara_word(like->language, words->title);
  struct sciara_map_picture picture = *like;
  picture.map = &map;
  picture.kind = kinds;
  picture.kinds = KINDS;
  const enum sciara_status status = sciara_map_write_png(&picture, path);
  sciara_free(kind);
  return status;
}

/** Draws the two extents of `j`. Of two runs it does not say what they assume. */
static enum sciara_status draw(const struct sciara_run_scores *j, const struct sciara_picture_look *look,
                               const struct extent_words *words, struct sciara_text *note, const char *path) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  struct sciara_map map = {.grid = &s->grid, .georef = &s->georef, .title = look->title ? look->title : s->title};
  struct sciara_map_picture picture = {
      .map = &map, .start = s->start, .time_s = &s->time_s, .language = look->language};
  struct sciara_map_dressing dressing = {0};
  struct sciara_picture_parts parts = {0};
  struct sciara_map_facts facts = {0};
  struct sciara_export_marks marks = {0};
  double *altitude = NULL;
  enum sciara_status status;
  sciara_target_warn(j->target, &picture);
  SCIARA_TRY_GOTO(sciara_export_facts(s, SCIARA_FIELD_COUNT, look->title, &facts));
  map.facts = &facts;
  SCIARA_TRY_GOTO(sciara_export_read_ground(j->target, &altitude));
  picture.altitude = altitude;
  SCIARA_TRY_GOTO(sciara_export_read_marks(j->target, &marks));
  picture.sea = marks.sea;
  picture.edits = marks.edit;
  SCIARA_TRY_GOTO(dress(j, &map, &picture, &dressing));
  if (words == &of_runs) picture.volumes = NULL; // they would be those of one of the two
  SCIARA_TRY_GOTO(sciara_picture_look_apply(look, &dressing.bounds, &picture, &parts));
  if (words == &of_observed && dressing.assumed.data)
    SCIARA_TRY_GOTO(sciara_text_append(note, "\n%s", dressing.assumed.data));
  picture.note = note->data;
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(write_extents(&picture, j->run, j->observed.covered, words, path));
cleanup:
  sciara_export_marks_free(&marks);
  sciara_map_facts_free(&facts);
  sciara_picture_parts_free(&parts);
  sciara_map_dressing_free(&dressing);
  sciara_free(altitude);
  return status;
}

enum sciara_status sciara_run_scores_draw(const struct sciara_run_scores *j, const struct sciara_picture_look *look,
                                          const char *path) {
  struct sciara_text note = {0};
  enum sciara_status status = write_note(j, look->language, &note);
  if (status == SCIARA_OK) status = draw(j, look, &of_observed, &note, path);
  sciara_text_free(&note);
  return status;
}

/** The folder of a run, or the file, without those in which it lies. */
static const char *name_of(const struct sciara_target *t) {
  const char *path = t->folder ? t->folder : t->path, *name = sciara_path_name(path);
  return *name ? name : path;
}

/** "Both runs: 3000 m2; first run only (without.out): 27100 m2; ..." */
static enum sciara_status write_areas(const struct sciara_run_scores *j, const struct sciara_target *other,
                                      enum sciara_language language, struct sciara_text *t) {
  const char *const names[] = {NULL, name_of(other), name_of(j->target)};
  const struct sciara_snapshot *s = &j->target->snapshot;
  const double cell = s->grid.cell_size * s->grid.cell_size;
  const enum sciara_word words[] = {SCIARA_WORD_RUNS_BOTH, SCIARA_WORD_RUNS_FIRST, SCIARA_WORD_RUNS_SECOND};
  int64_t cells[3] = {0};
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    const bool first = j->observed.covered[i], second = j->run[i];
    cells[0] += first && second;
    cells[1] += first && !second;
    cells[2] += second && !first;
  }
  for (int k = 0; k < 3; k++) {
    sciara_text_append(t, "%s%s", k ? "; " : "", sciara_word(language, words[k]));
    if (names[k]) sciara_text_append(t, " (%s)", names[k]);
    sciara_text_append(t, "%s%.10g\u00A0m\u00B2", sciara_word(language, SCIARA_WORD_COLON), (double)cells[k] * cell);
  }
  return t->failed;
}

enum sciara_status sciara_runs_draw(struct sciara_target *first, struct sciara_target *second, double min_thickness_m,
                                    const struct sciara_picture_look *look, const char *path) {
  struct sciara_run_scores a = {.target = first, .min_thickness_m = min_thickness_m},
                           b = {.target = second, .min_thickness_m = min_thickness_m};
  struct sciara_text note = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(read_run(&a));
  SCIARA_TRY_GOTO(read_run(&b));
  b.observed.covered = a.run;
  a.run = NULL;
  SCIARA_TRY_GOTO(write_areas(&b, first, look->language, &note));
  SCIARA_TRY_GOTO(draw(&b, look, &of_runs, &note, path));
cleanup:
  sciara_text_free(&note);
  sciara_run_scores_free(&a);
  sciara_run_scores_free(&b);
  return status;
}

void sciara_run_scores_free(struct sciara_run_scores *j) {
  sciara_observation_free(&j->observed);
  sciara_free(j->thickness);
  sciara_free(j->run);
  sciara_free(j->vents);
  *j = (struct sciara_run_scores){0};
}
