// SPDX-License-Identifier: Apache-2.0
#include "app/compare_observed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/extent.h"
#include "analysis/observation.h"
#include "app/observed.h"
#include "app/output.h"
#include "app/target.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "file/json_strict.h"
#include "model/field.h"
#include "picture/extent_png.h"

/** A comparison: what was asked for, what was read, what came out. */
struct job {
  const struct sciara_arguments *arguments;
  const char *path, *png; ///< of the observation and of the picture; the latter may be NULL
  double min_thickness;   ///< m
  bool json, overwrite;
  struct sciara_target target;
  enum sciara_field field;
  double *thickness; ///< of the run, m
  uint8_t *run, *vents;
  int64_t vent_cells;
  struct sciara_observation observed;
  struct sciara_extent_scores scores;
};

/** The scores as both forms of output show them; NAN is printed as undefined, or null. */
struct score {
  const char *key, *label, *unit;
  double value;
  bool with_thickness;
};

enum { SCORES = 16 };

static void list_scores(const struct job *j, struct score out[SCORES]) {
  const struct sciara_extent_scores *s = &j->scores;
  const struct score list[SCORES] = {
      {"jaccard", "Jaccard index J", "", s->jaccard, false},
      {"e1", "e1 = sqrt(J)", "", s->e1, false},
      {"tpr", "TPR, share of the observed that is hit", "", s->tpr, false},
      {"ppv", "PPV, share of the run that is hit", "", s->ppv, false},
      {"f1", "F1", "", s->f1, false},
      {"area_ratio", "area, run / observed", "", s->area_ratio, false},
      {"run_out_m", "run-out of the run", " m", s->run_out_m, false},
      {"observed_run_out_m", "run-out of the observed", " m", s->observed_run_out_m, false},
      {"run_out_ratio", "run-out, run / observed", "", s->run_out_ratio, false},
      {"hausdorff_m", "Hausdorff distance", " m", s->hausdorff_m, false},
      {"thickness_mean_error_hits_m", "thickness, mean error over the hits", " m", s->both.mean_m, true},
      {"thickness_rmse_hits_m", "thickness, RMSE over the hits", " m", s->both.rmse_m, true},
      {"thickness_mean_error_m", "thickness, mean error over all covered", " m", s->any.mean_m, true},
      {"thickness_rmse_m", "thickness, RMSE over all covered", " m", s->any.rmse_m, true},
  };
  memcpy(out, list, sizeof list);
}

// ------------------------------------------------------------------------------------ what is asked

static enum sciara_status take_options(const struct sciara_arguments *a, struct job *j) {
  const char *least = sciara_argument(a, "min-thickness");
  j->arguments = a;
  j->path = sciara_argument(a, "observed");
  j->png = sciara_argument(a, "png");
  if (j->png) SCIARA_TRY(sciara_check_extension("png", j->png, (const char *const[]){"png", NULL}));
  j->json = sciara_argument_given(a, "json");
  j->overwrite = sciara_argument_given(a, "overwrite");
  if (least && (!sciara_parse_double(least, &j->min_thickness) || !(j->min_thickness >= 0)))
    return sciara_fail(SCIARA_ERR_USAGE, "--min-thickness: found \"%s\", allowed a number >= 0 (m)", least);
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------ the reading

/** What the run covers: its deposit, else what is still liquid. */
static enum sciara_status read_run(struct job *j) {
  struct sciara_snapshot *s = &j->target.snapshot;
  const int64_t cells = sciara_grid_cells(&s->grid);
  const bool whole = s->fields >> SCIARA_FIELD_DEPOSIT & 1u;
  j->field = whole ? SCIARA_FIELD_DEPOSIT : SCIARA_FIELD_THICKNESS;
  if (!whole)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: holds no field \"deposit\": only what is still liquid counts as covered (output.fields of the "
               "scenario decides)",
               j->target.path);
  SCIARA_TRY(SCIARA_NEW(j->thickness, cells, "the lava of the run"));
  SCIARA_TRY(SCIARA_NEW(j->run, cells, "the extent of the run"));
  SCIARA_TRY(sciara_target_read(&j->target, j->field, j->thickness));
  for (int64_t i = 0; i < cells; i++) {
    if (j->thickness[i] == SCIARA_NODATA_ALTITUDE) j->thickness[i] = 0; // outside the DEM
    j->run[i] = j->thickness[i] > j->min_thickness;
  }
  return SCIARA_OK;
}

static enum sciara_status read_vents(struct job *j) {
  const struct sciara_snapshot *s = &j->target.snapshot;
  SCIARA_TRY(SCIARA_NEW(j->vents, sciara_grid_cells(&s->grid), "the cells of the vents"));
  if (s->scenario_json)
    SCIARA_TRY(sciara_extent_mark_vents(s->scenario_json, &s->grid, &s->georef, j->vents, &j->vent_cells));
  if (j->vent_cells == 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: tells of no vent: the run-out is undefined", j->target.path);
  return SCIARA_OK;
}

static enum sciara_status score(struct job *j) {
  const struct sciara_snapshot *s = &j->target.snapshot;
  SCIARA_TRY(read_run(j));
  SCIARA_TRY(read_vents(j));
  SCIARA_TRY(sciara_observed_read(j->arguments, s, j->min_thickness, &j->observed));
  const struct sciara_extents extents = {.grid = &s->grid,
                                         .run = j->run,
                                         .observed = j->observed.covered,
                                         .vents = j->vents,
                                         .run_thickness = j->thickness,
                                         .observed_thickness = j->observed.thickness};
  return sciara_extents_score(&extents, &j->scores);
}

static enum sciara_status draw(struct job *j) {
  const struct sciara_snapshot *s = &j->target.snapshot;
  double *altitude = NULL;
  char *folder = sciara_path_folder(j->png);
  bool found;
  enum sciara_status status = folder ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for the name of a folder");
  if (status != SCIARA_OK) goto cleanup;
  SCIARA_TRY_GOTO(SCIARA_NEW(altitude, sciara_grid_cells(&s->grid), "the ground of a picture"));
  SCIARA_TRY_GOTO(sciara_target_read_ground(&j->target, altitude, &found));
  if (!found)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: no altitude is at hand (no dem.tif of the run, no field \"altitude\"): the ground is drawn flat",
               j->target.path);
  SCIARA_TRY_GOTO(sciara_folder_make(folder));
  const struct sciara_extent_picture picture = {.grid = &s->grid,
                                                .georef = &s->georef,
                                                .altitude = altitude,
                                                .run = j->run,
                                                .observed = j->observed.covered,
                                                .title = s->title,
                                                .start = s->start,
                                                .time_s = s->time_s};
  SCIARA_TRY_GOTO(sciara_extent_write_png(&picture, j->png));
cleanup:
  free(folder);
  sciara_free(altitude);
  return status;
}

// ------------------------------------------------------------------------------------ the output

static void print_area(const struct job *j, const char *name, const char *meaning, int64_t cells) {
  const double w = j->target.snapshot.grid.cell_size;
  sciara_print("%-9s %10" PRId64 " %-5s  %14.10g m2%s\n", name, cells, sciara_plural((uint64_t)cells, "cell", "cells"),
               (double)cells * w * w, meaning);
}

static void print_text(const struct job *j) {
  const struct sciara_snapshot *s = &j->target.snapshot;
  const struct sciara_extent_scores *r = &j->scores;
  struct score list[SCORES] = {0};
  sciara_print("run:      %s (step %" PRIu64 ", %.17g s), %s above %g m\n", j->target.path, s->step, s->time_s,
               sciara_field_name(j->field), j->min_thickness);
  sciara_print("observed: %s (%s, ", j->path, j->observed.driver);
  if (j->observed.polygons > 0)
    sciara_print("%" PRId64 " polygon%s)\n", j->observed.polygons, j->observed.polygons > 1 ? "s" : "");
  else if (j->observed.thickness)
    sciara_print("raster of thickness, above %g m)\n", j->min_thickness);
  else
    sciara_print("raster of the extent)\n");
  print_area(j, "run", "", r->hits + r->excess);
  print_area(j, "observed", "", r->hits + r->misses);
  print_area(j, "hits", "  run and observed", r->hits);
  print_area(j, "misses", "  observed, not run", r->misses);
  print_area(j, "excess", "  run, not observed", r->excess);
  list_scores(j, list);
  for (size_t k = 0; k < SCORES && list[k].key; k++) {
    if (list[k].with_thickness && !j->observed.thickness) continue;
    if (isnan(list[k].value))
      sciara_print("%-40s undefined\n", list[k].label);
    else if (list[k].unit[0])
      sciara_print("%-40s %.6g%s\n", list[k].label, list[k].value, list[k].unit);
    else
      sciara_print("%-40s %.4f\n", list[k].label, list[k].value);
  }
  if (j->png) sciara_print("%s\n", j->png);
}

static void put_text(struct sciara_text *t, const char *key, const char *value) {
  sciara_text_append(t, "\"%s\": %s", key, value ? "\"" : "null");
  if (value) sciara_text_append_json(t, value);
  if (value) sciara_text_append(t, "\"");
}

static void put(struct sciara_text *t, const char *key, double value) {
  char number[40] = "null";
  if (!isnan(value)) sciara_json_number(value, number, sizeof number);
  sciara_text_append(t, ",\n  \"%s\": %s", key, number);
}

static enum sciara_status print_json(const struct job *j) {
  const struct sciara_snapshot *s = &j->target.snapshot;
  const struct sciara_extent_scores *r = &j->scores;
  const double area = s->grid.cell_size * s->grid.cell_size;
  const struct {
    const char *name;
    int64_t cells;
  } areas[] = {{"run", r->hits + r->excess},
               {"observed", r->hits + r->misses},
               {"hits", r->hits},
               {"misses", r->misses},
               {"excess", r->excess}};
  struct score list[SCORES] = {0};
  struct sciara_text t = {0};
  sciara_text_append(&t, "{\n  ");
  put_text(&t, "snapshot", j->target.path);
  put(&t, "step", (double)s->step);
  put(&t, "time_s", s->time_s);
  sciara_text_append(&t, ",\n  ");
  put_text(&t, "field", sciara_field_name(j->field));
  put(&t, "min_thickness_m", j->min_thickness);
  sciara_text_append(&t, ",\n  ");
  put_text(&t, "observed_file", j->path);
  sciara_text_append(&t, ",\n  ");
  put_text(&t, "observed_driver", j->observed.driver);
  sciara_text_append(&t, ",\n  ");
  put_text(&t, "observed_kind", j->observed.polygons > 0 ? "polygons" : j->observed.thickness ? "thickness" : "extent");
  for (size_t k = 0; k < sizeof areas / sizeof *areas; k++) {
    sciara_text_append(&t, ",\n  \"%s_cells\": %" PRId64, areas[k].name, areas[k].cells);
    sciara_text_append(&t, ", \"%s_m2\": %.17g", areas[k].name, (double)areas[k].cells * area);
  }
  list_scores(j, list);
  for (size_t k = 0; k < SCORES && list[k].key; k++) put(&t, list[k].key, list[k].value);
  sciara_text_append(&t, ",\n  ");
  put_text(&t, "picture", j->png);
  const enum sciara_status status = sciara_text_append(&t, "\n}\n");
  if (status == SCIARA_OK) sciara_print_raw(t.data);
  sciara_text_free(&t);
  return status;
}

enum sciara_status sciara_compare_observed(const struct sciara_arguments *arguments) {
  struct job j = {0};
  enum sciara_status status;
  SCIARA_TRY(take_options(arguments, &j));
  if (j.png) SCIARA_TRY(sciara_refuse_existing(j.png, j.overwrite));
  SCIARA_TRY(sciara_target_open(arguments->operand[0], sciara_checksum_rule(arguments), &j.target));
  SCIARA_TRY_GOTO(score(&j));
  if (j.png) SCIARA_TRY_GOTO(draw(&j));
  if (j.json)
    status = print_json(&j);
  else
    print_text(&j);
cleanup:
  sciara_observation_free(&j.observed);
  sciara_free(j.thickness);
  sciara_free(j.run);
  sciara_free(j.vents);
  sciara_target_free(&j.target);
  return status;
}
