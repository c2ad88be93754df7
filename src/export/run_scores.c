// SPDX-License-Identifier: Apache-2.0
#include "export/run_scores.h"

#include <math.h>
#include <string.h>

#include "analysis/front.h"
#include "analysis/observation.h"
#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "export/export.h"
#include "picture/map_picture.h"
#include "run/run_facts.h"

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

static enum sciara_status read_score_vents(struct sciara_run_scores *j) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  struct sciara_vent_cells cells = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(j->vents, sciara_grid_cells(&s->grid), "the cells of the vents"));
  SCIARA_TRY_GOTO(sciara_vent_cells_read(s->path, s->scenario_json, &s->grid, &s->georef, &cells));
  const double until_s = sciara_vent_cells_until(&cells, s->time_s, &s->grid, j->thickness);
  for (size_t k = 0; k < cells.count; k++)
    j->vents[cells.row[k] * s->grid.cols + cells.col[k]] |=
        sciara_vent_cells_has(&cells, k, until_s, &s->grid, j->thickness);
  if (cells.count == 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: contains no vents: the run-out is undefined", j->target->path);
cleanup:
  sciara_vent_cells_free(&cells);
  return status;
}

enum sciara_status sciara_run_scores_make(struct sciara_run_scores *j) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  SCIARA_TRY(read_run(j));
  SCIARA_TRY(read_score_vents(j));
  j->request.grid = &s->grid;
  j->request.crs_wkt = s->georef.crs_wkt;
  j->request.when = sciara_date_at(s->start, s->time_s);
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
    sciara_map_dressing_lava(dressing, &vents, s->time_s, j->thickness, &s->ledger, picture);
    sciara_map_bounds_add_mask(&dressing->bounds, &s->grid, j->observed.covered);
  }
  sciara_vent_cells_free(&vents);
  return status;
}

// Colours that people who confuse red and green can also distinguish (Okabe and Ito).
enum kind { HITS, MISSES, EXCESS, KINDS };
static const uint8_t colours[KINDS][3] = {{240, 228, 66}, {0, 114, 178}, {213, 94, 0}};

/** What a picture of two extents says. */
struct extents_said {
  enum sciara_word name;
  const char *kinds[KINDS];
  bool runs;                                ///< of two runs, else of a run and an observed extent
  const char *title, *run_out_of;           ///< of two runs
  const struct sciara_pois_request *places; ///< NULL: none
  struct sciara_text *note;
};

/** Draws the kinds of cells of both extents over the shaded ground, laid out as other maps are. */
static enum sciara_status write_kinds(const struct sciara_map_picture *like, const struct sciara_run_scores *j,
                                      const struct extents_said *said, const char *path) {
  const int64_t cells = sciara_grid_cells(like->map->grid);
  const uint8_t *run = j->run, *observed = j->observed.covered;
  struct sciara_map_kind kinds[KINDS];
  double *kind;
  SCIARA_TRY(SCIARA_NEW(kind, cells, "the kinds of cells on a map"));
  for (int64_t i = 0; i < cells; i++)
    kind[i] = run[i] ? (observed[i] ? HITS : EXCESS) : observed[i] ? MISSES : SCIARA_NODATA_ALTITUDE;
  for (int k = 0; k < KINDS; k++)
    kinds[k] = (struct sciara_map_kind){said->kinds[k], {colours[k][0], colours[k][1], colours[k][2]}};
  struct sciara_map map = *like->map;
  map.values = kind;
  map.nodata = SCIARA_NODATA_ALTITUDE;
  map.name = sciara_word(like->language, said->name);
  struct sciara_map_picture picture = *like;
  picture.map = &map;
  picture.kind = kinds;
  picture.kinds = KINDS;
  const enum sciara_status status = sciara_map_write_png(&picture, path);
  sciara_free(kind);
  return status;
}

static enum sciara_status read_places(const struct sciara_snapshot *s, const struct sciara_pois_request *request,
                                      struct sciara_pois *out) {
  if (!request || !request->path) return SCIARA_OK;
  struct sciara_pois_request q = *request;
  q.grid = &s->grid;
  q.crs_wkt = s->georef.crs_wkt;
  return sciara_pois_read(&q, out);
}

/** Draws the two extents of `j`. */
static enum sciara_status paint(const struct sciara_run_scores *j, const struct sciara_picture_look *look,
                                const struct extents_said *said, const char *path) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  const bool runs = said->runs;
  struct sciara_map map = {.grid = &s->grid, .georef = &s->georef, .title = runs ? said->title : s->title};
  struct sciara_map_picture picture = {
      .map = &map, .start = s->start, .time_s = &s->time_s, .language = look->language, .run_out_of = said->run_out_of};
  struct sciara_map_dressing dressing = {0};
  struct sciara_picture_parts parts = {0};
  struct sciara_map_facts facts = {0};
  struct sciara_export_marks marks = {0};
  struct sciara_pois places = {0};
  double *altitude = NULL;
  enum sciara_status status;
  if (look->title) map.title = look->title;
  sciara_target_warn(j->target, &picture);
  SCIARA_TRY_GOTO(sciara_export_facts(s, SCIARA_FIELD_COUNT, map.title, &facts));
  SCIARA_TRY_GOTO(sciara_map_facts_add(&facts, "compared", said->note->data));
  map.facts = &facts;
  SCIARA_TRY_GOTO(sciara_target_read_ground(j->target, &altitude));
  picture.altitude = altitude;
  SCIARA_TRY_GOTO(sciara_export_read_marks(j->target, &marks));
  picture.sea = marks.sea;
  picture.edits = marks.edit;
  if (runs) picture.observed = marks.observed;
  SCIARA_TRY_GOTO(read_places(s, said->places, &places));
  picture.pois = places.poi;
  picture.poi_count = places.count;
  SCIARA_TRY_GOTO(dress(j, &map, &picture, &dressing));
  if (runs) picture.volumes = NULL; // they would be those of one of the two
  SCIARA_TRY_GOTO(sciara_picture_look_apply(look, &dressing.bounds, &picture, &parts));
  if (!runs && dressing.assumed.data) SCIARA_TRY_GOTO(sciara_text_append(said->note, "\n%s", dressing.assumed.data));
  picture.note = said->note->data;
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(write_kinds(&picture, j, said, path));
cleanup:
  sciara_pois_free(&places);
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
  const struct extents_said said = {.name = SCIARA_WORD_EXTENTS,
                                    .kinds = {sciara_word(look->language, SCIARA_WORD_HITS),
                                              sciara_word(look->language, SCIARA_WORD_MISSES),
                                              sciara_word(look->language, SCIARA_WORD_EXCESS)},
                                    .note = &note};
  if (status == SCIARA_OK) status = paint(j, look, &said, path);
  sciara_text_free(&note);
  return status;
}

/** The folder of a run, or the file, without those in which it lies. */
static const char *name_of(const struct sciara_target *t) {
  const char *path = t->folder ? t->folder : t->path, *name = sciara_path_name(path);
  return *name ? name : path;
}

/** The texts of a picture of two runs: names, legend, what both assume. Zero-initialise; release with runs_said_free. */
struct runs_said {
  const char *name[2];
  struct sciara_text title, only[2], assumed[2], own[2], note; ///< own: title of each run
};

static void runs_said_free(struct runs_said *said) {
  for (int k = 0; k < 2; k++) {
    sciara_text_free(&said->only[k]);
    sciara_text_free(&said->assumed[k]);
    sciara_text_free(&said->own[k]);
  }
  sciara_text_free(&said->title);
  sciara_text_free(&said->note);
}

/** What a run assumes, and its title. */
static enum sciara_status read_assumed(const struct sciara_target *t, enum sciara_language language,
                                       struct sciara_text *assumed, struct sciara_text *title) {
  const struct sciara_snapshot *s = &t->snapshot;
  const struct sciara_map map = {.grid = &s->grid, .georef = &s->georef};
  struct sciara_map_picture unused = {.map = &map, .language = language};
  struct sciara_map_dressing dressing = {0};
  struct sciara_vent_cells vents = {0};
  enum sciara_status status = sciara_export_vents(t, &map, &unused, &dressing, &vents);
  if (status == SCIARA_OK)
    status = sciara_text_append(assumed, "%s", dressing.assumed.data ? dressing.assumed.data : "");
  if (status == SCIARA_OK) status = sciara_text_append(title, "%s", s->title ? s->title : "");
  sciara_vent_cells_free(&vents);
  sciara_map_dressing_free(&dressing);
  return status;
}

/** "Both runs: 3,000 m2; only without.out: 27,100 m2; ..." */
static enum sciara_status write_areas(const struct sciara_run_scores *j, enum sciara_language language,
                                      const char *const kinds[3], struct sciara_text *t) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  int64_t cells[3] = {0};
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    const bool first = j->observed.covered[i], second = j->run[i];
    cells[0] += first && second;
    cells[1] += first && !second;
    cells[2] += second && !first;
  }
  for (int k = 0; k < 3; k++) {
    char area[64];
    sciara_word_area(language, (double)cells[k] * s->grid.cell_size * s->grid.cell_size, area, sizeof area);
    sciara_text_append(t, "%s%s%s%s", k ? "; " : "", kinds[k], sciara_word(language, SCIARA_WORD_COLON), area);
  }
  return t->failed;
}

/** Names, title and legend. */
static enum sciara_status say_runs(const struct sciara_runs_picture *q, struct runs_said *said) {
  const enum sciara_language language = q->look->language;
  for (int k = 0; k < 2; k++) {
    said->name[k] = q->label[k] ? q->label[k] : name_of(q->run[k]);
    const char *const pairs[] = {"name", said->name[k], NULL};
    SCIARA_TRY(sciara_word_fill(&said->only[k], sciara_word(language, SCIARA_WORD_RUNS_ONLY), pairs));
    SCIARA_TRY(read_assumed(q->run[k], language, &said->assumed[k], &said->own[k]));
  }
  const char *title = said->own[0].data, *other = said->own[1].data;
  const bool same = strcmp(title, other) == 0;
  sciara_text_append(&said->title, "%s%s", same ? title : "",
                     same && *title ? sciara_word(language, SCIARA_WORD_COLON) : "");
  return sciara_text_append(&said->title, "%s%s%s / %s%s%s", said->name[0], same ? "" : ": ", same ? "" : title,
                            said->name[1], same ? "" : ": ", same ? "" : other);
}

/** Whether a text has this line. */
static bool has_line(const char *text, const char *line, size_t length) {
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = text + strcspn(text, "\n");
    if ((size_t)(end - text) == length && strncmp(text, line, length) == 0) return true;
  }
  return false;
}

/** What the runs assume: a line that is not of both with the name of its run. */
static enum sciara_status put_assumed(struct runs_said *said) {
  for (int k = 0; k < 2; k++) {
    const char *other = said->assumed[1 - k].data;
    for (const char *line = said->assumed[k].data, *end; *line; line = *end ? end + 1 : end) {
      end = line + strcspn(line, "\n");
      const bool both = has_line(other, line, (size_t)(end - line));
      if (both && k == 1) continue;
      SCIARA_TRY(sciara_text_append(&said->note, "\n%s%s%.*s", both ? "" : said->name[k], both ? "" : ": ",
                                    (int)(end - line), line));
    }
  }
  return SCIARA_OK;
}

enum sciara_status sciara_runs_draw(const struct sciara_runs_picture *q, const char *path) {
  struct sciara_run_scores a = {.target = q->run[0], .min_thickness_m = q->min_thickness_m},
                           b = {.target = q->run[1], .min_thickness_m = q->min_thickness_m};
  struct runs_said said = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(read_run(&a));
  SCIARA_TRY_GOTO(read_run(&b));
  b.observed.covered = a.run;
  a.run = NULL;
  SCIARA_TRY_GOTO(say_runs(q, &said));
  const struct extents_said shown = {
      .name = SCIARA_WORD_RUNS,
      .kinds = {sciara_word(q->look->language, SCIARA_WORD_RUNS_BOTH), said.only[0].data, said.only[1].data},
      .runs = true,
      .title = said.title.data,
      .run_out_of = said.name[1],
      .places = &q->places,
      .note = &said.note};
  SCIARA_TRY_GOTO(write_areas(&b, q->look->language, shown.kinds, &said.note));
  SCIARA_TRY_GOTO(put_assumed(&said));
  SCIARA_TRY_GOTO(paint(&b, q->look, &shown, path));
cleanup:
  runs_said_free(&said);
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
