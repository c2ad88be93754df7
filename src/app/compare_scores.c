// SPDX-License-Identifier: Apache-2.0
#include "app/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/output.h"
#include "base/text.h"
#include "export/run_scores.h"
#include "file/json_strict.h"
#include "model/field.h"

/** A score as shown in both forms of output; NAN is printed as undefined, or null. */
struct score {
  const char *key, *label, *unit;
  double value;
  bool with_thickness;
};

enum { SCORES = 16 };

static void list_scores(const struct sciara_run_scores *j, struct score out[SCORES]) {
  const struct sciara_extent_scores *s = &j->scores;
  const struct score list[SCORES] = {
      {"jaccard", "Jaccard index J", "", s->jaccard, false},
      {"e1", "e1 = sqrt(J)", "", s->e1, false},
      {"tpr", "TPR, hits / observed", "", s->tpr, false},
      {"ppv", "PPV, hits / run", "", s->ppv, false},
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

static void print_area(const struct sciara_run_scores *j, const char *name, const char *meaning, int64_t cells) {
  const double w = j->target->snapshot.grid.cell_size;
  sciara_print("%-9s %10" PRId64 " %-5s  %14.10g m2%s\n", name, cells, sciara_plural((uint64_t)cells, "cell", "cells"),
               (double)cells * w * w, meaning);
}

void sciara_print_scores(const struct sciara_run_scores *j, const char *png) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  const struct sciara_extent_scores *r = &j->scores;
  struct score list[SCORES] = {0};
  sciara_print("run:      %s (step %" PRIu64 ", %.17g s), %s above %g m\n", j->target->path, s->step, s->time_s,
               sciara_field_name(j->field), j->min_thickness_m);
  sciara_print("observed: %s (%s, ", j->request.path, j->observed.driver);
  if (j->observed.polygons > 0)
    sciara_print("%" PRId64 " polygon%s)\n", j->observed.polygons, j->observed.polygons > 1 ? "s" : "");
  else if (j->observed.thickness)
    sciara_print("raster of thickness, above %g m)\n", j->min_thickness_m);
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
  if (png) sciara_print("%s\n", png);
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

enum sciara_status sciara_print_scores_json(const struct sciara_run_scores *j, const char *png) {
  const struct sciara_snapshot *s = &j->target->snapshot;
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
  put_text(&t, "snapshot", j->target->path);
  put(&t, "step", (double)s->step);
  put(&t, "time_s", s->time_s);
  sciara_text_append(&t, ",\n  ");
  put_text(&t, "field", sciara_field_name(j->field));
  put(&t, "min_thickness_m", j->min_thickness_m);
  sciara_text_append(&t, ",\n  ");
  put_text(&t, "observed_file", j->request.path);
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
  put_text(&t, "picture", png);
  return sciara_print_text(sciara_text_append(&t, "\n}\n"), &t);
}
