// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "app/command.h"
#include "app/common_options.h"
#include "app/compare.h"
#include "app/ensemble.h"
#include "app/messages.h"
#include "app/output.h"
#include "base/date.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/status.h"
#include "base/text.h"
#include "export/export.h"
#include "export/run_exposure.h"
#include "export/run_scores.h"
#include "export/target.h"
#include "file/csv.h"
#include "file/durable.h"
#include "geometry/polyline.h"
#include "hazard/comparison.h"

enum { MOST_ROWS = 100 }; ///< places that are printed

// ----------------------------------------------------------------------------------------------- a table, CSV and JSON

enum { TEXTS = 4, MOST_NUMBERS = 16 };

/** A place in a table. */
struct row {
  const char *text[TEXTS]; ///< NULL: not a column
  double value[MOST_NUMBERS];
};

/** What CSV and JSON have of each place. */
struct table {
  const char *texts[TEXTS]; ///< names of the columns
  size_t text_count;
  const char *const *columns;
  size_t count;
  struct row *row;
  size_t rows;
};

static enum sciara_status write_csv(const struct table *t, const char *path, bool overwrite) {
  struct sciara_text out = {0};
  SCIARA_TRY(sciara_refuse_existing(path, overwrite));
  for (size_t c = 0; c < t->text_count; c++) sciara_text_append(&out, "%s%s", c ? "," : "", t->texts[c]);
  for (size_t c = 0; c < t->count; c++) sciara_text_append(&out, ",%s", t->columns[c]);
  sciara_text_append(&out, "\n");
  for (size_t k = 0; k < t->rows; k++) {
    const struct row *r = &t->row[k];
    for (size_t c = 0; c < t->text_count; c++) {
      if (c) sciara_text_append(&out, ",");
      sciara_csv_append_text(&out, r->text[c]);
    }
    for (size_t c = 0; c < t->count; c++) sciara_text_append(&out, isfinite(r->value[c]) ? ",%.10g" : ",", r->value[c]);
    sciara_text_append(&out, "\n");
  }
  return sciara_text_write(path, out.failed ? out.failed : sciara_export_make_folder(path), &out);
}

/** Prints an object of JSON: `head`, which ends with a comma, and the places. */
static enum sciara_status print_places_json(const struct table *t, const char *head) {
  struct sciara_text out = {0};
  sciara_text_append(&out, "{\n%s  \"places\": [", head);
  for (size_t k = 0; k < t->rows; k++) {
    sciara_text_append(&out, "%s\n    {", k ? "," : "");
    for (size_t c = 0; c < t->text_count; c++)
      sciara_put_json_text(&out, c ? ", " : "", t->texts[c], t->row[k].text[c]);
    for (size_t c = 0; c < t->count; c++) sciara_put_json_number(&out, ", ", t->columns[c], t->row[k].value[c]);
    sciara_text_append(&out, "}");
  }
  return sciara_print_text(sciara_text_append(&out, "\n  ]\n}\n"), &out);
}

/** Reads the options of the places, and checks that of their table. The request refers to `drivers`. */
static enum sciara_status places_request(const struct sciara_arguments *a, const char *drivers[SCIARA_MOST_GIVEN],
                                         struct sciara_pois_request *out) {
  *out = sciara_assets_request(a, drivers);
  const char *csv = sciara_argument(a, "csv");
  if (!out->path && (out->layer || out->name_column))
    return sciara_fail(SCIARA_ERR_USAGE, "--%s: allowed with --assets FILE only", out->layer ? "layer" : "names");
  return csv ? sciara_check_extension("csv", csv, (const char *const[]){"csv", NULL}) : SCIARA_OK;
}

/** The table as --csv and --json want it; *printed: nothing else is to be printed. */
static enum sciara_status write_table(const struct sciara_arguments *a, const struct table *t, const char *head,
                                      bool *printed) {
  const char *csv = sciara_argument(a, "csv");
  *printed = sciara_argument_given(a, "json");
  if (csv) SCIARA_TRY(write_csv(t, csv, sciara_argument_given(a, "overwrite")));
  return *printed ? print_places_json(t, head) : SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------ two runs

/** Opens a run or snapshot: at the time of --at, or the last. */
static enum sciara_status open_compared(const struct sciara_arguments *a, const char *path, struct sciara_target *out) {
  const char *at = sciara_argument(a, "at");
  double seconds;
  bool zoned;
  if (at && sciara_parse_duration(at, &seconds) && seconds == 0)
    return sciara_target_open_at(path, 0, sciara_checksum_rule(a), out);
  if (!at || sciara_parse_date(at, &seconds, &zoned))
    SCIARA_TRY(sciara_target_open(path, sciara_checksum_rule(a), out));
  if (!at) return SCIARA_OK;
  enum sciara_status status = sciara_take_time("--at", at, out->snapshot.start, path, &seconds);
  sciara_target_free(out);
  if (status != SCIARA_OK) return status;
  return sciara_target_open_at(path, seconds, sciara_checksum_rule(a), out);
}

/** A run, and what it does at the places. */
struct side {
  struct sciara_target target;
  struct sciara_run_exposure e;
  double end; ///< up to which it is known, s; INFINITY: no lava flows any more
};

static enum sciara_status open_side(const struct sciara_arguments *a, const char *path,
                                    const struct sciara_pois_request *request, struct side *s) {
  static const double none;
  SCIARA_TRY(open_compared(a, path, &s->target));
  const struct sciara_snapshot *snapshot = &s->target.snapshot;
  const struct sciara_ledger *l = &snapshot->ledger;
  const bool at_rest = snapshot->liquid_cells == 0 && l->solid_m3 + l->lost_m3 + l->sea_m3 > 0;
  s->end = at_rest ? INFINITY : snapshot->time_s;
  return sciara_run_exposure_make(&s->target, request, &none, 0, &s->e);
}

static void side_free(struct side *s) {
  sciara_run_exposure_free(&s->e);
  sciara_target_free(&s->target);
}

/** "a: without.out, until 2 d, no lava flows any more" */
static void print_side(const char *letter, const struct side *s) {
  sciara_print("%s: %s, until %s%s\n", letter, s->target.path,
               SCIARA_MOMENT(s->target.snapshot.start, s->target.snapshot.time_s),
               isinf(s->end) ? "" : ", when lava is still liquid");
}

static void print_states(const enum sciara_exposure_change *change, size_t count) {
  size_t of[SCIARA_CHANGES] = {0};
  for (size_t k = 0; k < count; k++) of[change[k]]++;
  sciara_print("%zu %s:", count, sciara_plural(count, "place", "places"));
  for (int c = 0; c < SCIARA_CHANGE_NONE; c++)
    if (of[c] || c < SCIARA_CHANGE_UNKNOWN)
      sciara_print("%s %zu %s", c ? "," : "", of[c], sciara_exposure_change_name((enum sciara_exposure_change)c));
  if (of[SCIARA_CHANGE_UNKNOWN]) sciara_print(" (reached after the other run has ended)");
  if (of[SCIARA_CHANGE_NONE]) sciara_print(", %zu where lava cannot come", of[SCIARA_CHANGE_NONE]);
  sciara_print("\n");
}

/** How many places lie outside the DEM of each run. */
static void print_outside(const struct side s[2], size_t count) {
  for (int of = 0; of < 2; of++) {
    static const enum sciara_poi_where outside[] = {SCIARA_POI_OUTSIDE, SCIARA_POI_BEYOND};
    const struct sciara_run_exposure *e = &s[of].e;
    char text[SCIARA_DEM_WINDOW_TEXT];
    size_t found[SCIARA_POI_WHERES] = {0};
    for (size_t k = 0; k < count; k++)
      found[sciara_poi_where_of(&e->pois.poi[k], e->exposure.place[k].where, &e->window)]++;
    for (int w = 0; w < 2; w++)
      if (found[outside[w]] > 0)
        sciara_print("%c: %zu %s\n", 'a' + of, found[outside[w]], sciara_poi_where_text(outside[w], &e->window, text));
  }
}

/** "1 h 40 min later" */
static void print_delay(double seconds, char text[64]) {
  if (seconds == 0)
    snprintf(text, 64, "at the same time");
  else
    snprintf(text, 64, "%s %s", SCIARA_DURATION(fabs(seconds)), seconds > 0 ? "later" : "earlier");
}

static void print_place(const struct side s[2], size_t k, enum sciara_exposure_change change) {
  static const char *const units[SCIARA_POI_KINDS] = {"", "m", "m2"};
  const struct sciara_poi *poi = &s[0].e.pois.poi[k];
  const int width = s[0].target.snapshot.start || s[1].target.snapshot.start ? 39 : 16;
  char time[2][SCIARA_MOMENT_SIZE], text[64], depth[2][32];
  for (int of = 0; of < 2; of++) {
    const struct sciara_exposed *p = &s[of].e.exposure.place[k];
    snprintf(time[of], sizeof time[of], p->reached ? "reached" : "-");
    if (isfinite(p->arrival_s)) sciara_print_moment(s[of].target.snapshot.start, p->arrival_s, time[of]);
  }
  snprintf(text, sizeof text, "%s", sciara_exposure_change_name(change));
  const double delay = s[1].e.exposure.place[k].arrival_s - s[0].e.exposure.place[k].arrival_s;
  if (isfinite(delay)) print_delay(delay, text);
  sciara_print("%-28s %-5s  %-*s %-*s %s", poi->name, sciara_poi_kind_name(poi->kind), width, time[0], width, time[1],
               text);
  for (int of = 0; of < 2; of++) {
    const double deposit = s[of].e.exposure.place[k].deposit_m;
    const bool unknown = change == SCIARA_CHANGE_UNKNOWN; // one of the two has ended before the other is reached
    if (isfinite(deposit))
      snprintf(depth[of], sizeof depth[of], "%.2f m", deposit);
    else
      snprintf(depth[of], sizeof depth[of], unknown ? "unknown" : "no lava");
  }
  sciara_print("; deposit %s and %s", depth[0], depth[1]);
  if (poi->kind != SCIARA_POI_POINT)
    sciara_print("; %.0f and %.0f %s covered", s[0].e.exposure.place[k].covered, s[1].e.exposure.place[k].covered,
                 units[poi->kind]);
  sciara_print("\n");
}

static const char *const run_columns[] = {"arrival_a_s", "arrival_b_s", "delay_s",   "deposit_a_m",
                                          "deposit_b_m", "covered_a",   "covered_b", "land"};

static void fill_row(const struct side s[2], size_t k, enum sciara_exposure_change change, struct row *out) {
  static const char *const units[SCIARA_POI_KINDS] = {"points", "m", "m2"};
  const struct sciara_exposed *a = &s[0].e.exposure.place[k], *b = &s[1].e.exposure.place[k];
  const struct sciara_poi *poi = &s[0].e.pois.poi[k];
  const char *state = sciara_exposure_change_name(change);
  const bool land = change != SCIARA_CHANGE_NONE;
  if (!state) state = sciara_poi_where_name(a->where != SCIARA_POI_ON_LAND ? a->where : b->where);
  *out = (struct row){{poi->name, sciara_poi_kind_name(poi->kind), state, units[poi->kind]},
                      {a->arrival_s, b->arrival_s, b->arrival_s - a->arrival_s, a->deposit_m, b->deposit_m,
                       land ? a->covered : NAN, land ? b->covered : NAN, a->ground.land}};
}

static enum sciara_status head_of(const struct side s[2], struct sciara_text *head) {
  for (int k = 0; k < 2; k++) {
    const char letter = (char)('a' + k);
    sciara_text_append(head, "  \"%c\": {", letter);
    sciara_put_json_text(head, "", "snapshot", s[k].target.path);
    sciara_put_json_number(head, ", ", "time_s", s[k].target.snapshot.time_s);
    sciara_text_append(head, ", \"flows\": %s},\n", isinf(s[k].end) ? "false" : "true");
  }
  return head->failed;
}

/** "not reached: school, vineyard" */
static void print_others(const struct side s[2], const enum sciara_exposure_change *change, size_t count) {
  size_t listed = 0;
  for (size_t k = 0; k < count; k++) {
    if (change[k] != SCIARA_CHANGE_NEITHER) continue;
    if (listed < MOST_ROWS) sciara_print("%s%s", listed ? ", " : "not reached: ", s[0].e.pois.poi[k].name);
    listed++;
  }
  if (listed > MOST_ROWS) sciara_print(", ... and %zu more", listed - MOST_ROWS);
  if (listed) sciara_print("\n");
}

/** The places that any of the two reaches, in the order of their first arrival; then the others. */
static enum sciara_status print_runs(const struct side s[2], const enum sciara_exposure_change *change, size_t count) {
  struct sciara_keyed *order;
  size_t listed = 0;
  SCIARA_TRY(SCIARA_NEW(order, count + 1, "places"));
  print_side("a", &s[0]);
  print_side("b", &s[1]);
  print_states(change, count);
  print_outside(s, count);
  for (size_t k = 0; k < count; k++)
    if (change[k] != SCIARA_CHANGE_NEITHER && change[k] != SCIARA_CHANGE_NONE)
      order[listed++] =
          (struct sciara_keyed){fmin(s[0].e.exposure.place[k].arrival_s, s[1].e.exposure.place[k].arrival_s), k};
  qsort(order, listed, sizeof *order, sciara_by_key);
  if (listed > 0) sciara_print("place, kind, first lava in a, in b, what differs in b\n");
  for (size_t k = 0; k < listed && k < MOST_ROWS; k++) print_place(s, order[k].index, change[order[k].index]);
  if (listed > MOST_ROWS) sciara_print("... and %zu more\n", listed - MOST_ROWS);
  print_others(s, change, count);
  sciara_free(order);
  return SCIARA_OK;
}

/** Compares the runs operand[0] and operand[1] at the places of --assets; prints a table, or JSON. */
static enum sciara_status compare_runs_at_places(const struct sciara_arguments *a) {
  struct side s[2] = {0};
  struct table t = {.texts = {"place", "kind", "state", "unit"},
                    .text_count = TEXTS,
                    .columns = run_columns,
                    .count = sizeof run_columns / sizeof *run_columns};
  struct sciara_pois_request request;
  struct sciara_text head = {0};
  enum sciara_exposure_change *change = NULL;
  const char *drivers[SCIARA_MOST_GIVEN];
  bool printed;
  enum sciara_status status;
  SCIARA_TRY(places_request(a, drivers, &request));
  for (int k = 0; k < 2; k++) SCIARA_TRY_GOTO(open_side(a, a->operand[k], &request, &s[k]));
  t.rows = s[0].e.pois.count;
  SCIARA_TRY_GOTO(SCIARA_NEW(change, t.rows + 1, "places"));
  SCIARA_TRY_GOTO(SCIARA_NEW(t.row, t.rows + 1, "places"));
  for (size_t k = 0; k < t.rows; k++) {
    change[k] = sciara_exposure_change(&s[0].e.exposure.place[k], &s[1].e.exposure.place[k],
                                       (const double[]){s[0].end, s[1].end});
    fill_row(s, k, change[k], &t.row[k]);
  }
  SCIARA_TRY_GOTO(head_of(s, &head));
  SCIARA_TRY_GOTO(write_table(a, &t, head.data, &printed));
  if (!printed) SCIARA_TRY_GOTO(print_runs(s, change, t.rows));
cleanup:
  side_free(&s[0]);
  side_free(&s[1]);
  sciara_free(change);
  sciara_free(t.row);
  sciara_text_free(&head);
  return status;
}

// ------------------------------------------------------------------------------------------------------- two ensembles

static const char *const pair_columns[] = {
    "probability_a", "probability_b", "difference",     "interval_low",  "interval_high", "bound_low",   "bound_high",
    "error",         "both_members",  "spared_members", "added_members", "spared_share",  "added_share", "delay_s"};

static void fill_pair(const struct sciara_comparison *c, size_t k, struct row *out) {
  const struct sciara_paired *p = &c->paired[k];
  *out =
      (struct row){{c->poi[k].name, sciara_poi_kind_name(c->poi[k].kind), sciara_poi_where_name(p->where)},
                   {p->a, p->b, p->difference, p->interval.low, p->interval.high, p->low, p->high, p->error,
                    (double)p->both, (double)p->spared, (double)p->added, p->spared_share, p->added_share, p->delay_s}};
  for (size_t v = 0; v < sizeof pair_columns / sizeof *pair_columns && p->where != SCIARA_POI_ON_LAND; v++)
    out->value[v] = NAN;
}

/** ", error 1.20 %, 95 %: -8.10 to -3.40 %; spared in 12 members, newly reached in 1" */
static void print_uncertainty(const struct sciara_sample *s, const struct sciara_paired *p) {
  if (p->spared + p->added == 0) {
    sciara_print(", no pair differs");
    if (isfinite(p->interval.high)) sciara_print(" (95 %% bound: %.2f %%)", 100 * p->interval.high);
    return;
  }
  if (isfinite(p->error))
    sciara_print(", %s %.2f %%", s->kind == SCIARA_ERROR_GRID ? "grid difference" : "error", 100 * p->error);
  if (isfinite(p->interval.low))
    sciara_print(", 95 %%: %+.2f to %+.2f %%", 100 * p->interval.low, 100 * p->interval.high);
  sciara_print("; spared in %zu %s, newly reached in %zu", p->spared, sciara_plural(p->spared, "member", "members"),
               p->added);
}

static void print_pair(const struct sciara_comparison *c, size_t k) {
  const struct sciara_paired *p = &c->paired[k];
  const struct sciara_dem_window *window = c->a.dem.window.key ? &c->a.dem.window : &c->b.dem.window;
  char delay[64], text[SCIARA_POI_REASON];
  const char *reason = sciara_poi_where_reason(&c->poi[k], p->where, window, text);
  if (reason) {
    sciara_print("%s: %s: no member can reach it\n", c->poi[k].name, reason);
    return;
  }
  sciara_print("%-20s %.2f %% and %.2f %%, difference %+.2f %%", c->poi[k].name, 100 * p->a, 100 * p->b,
               100 * p->difference);
  if (p->low < p->high) sciara_print(" (%+.2f to %+.2f %%)", 100 * p->low, 100 * p->high);
  print_uncertainty(&c->a.sample, p);
  if (isfinite(p->delay_s)) {
    print_delay(p->delay_s, delay);
    sciara_print("; arrival %s on average in %zu %s that reach it in both", delay, p->both,
                 sciara_plural(p->both, "member", "members"));
  }
  sciara_print("\n");
}

static enum sciara_status pair_head(const struct sciara_arguments *a, const struct sciara_comparison *c,
                                    const char *condition, struct sciara_text *head) {
  sciara_put_json_text(head, "  ", "a", a->operand[0]);
  sciara_put_json_text(head, ",\n  ", "b", a->operand[1]);
  sciara_text_append(head, ",\n  \"pairs\": %zu, \"members\": %zu", c->pairs, c->members);
  sciara_put_json_text(head, ",\n  ", "condition", condition);
  return sciara_text_append(head, ",\n");
}

static void print_pairs(const struct sciara_comparison *c, const char *condition) {
  sciara_print("%zu %s of finished members, %s\n", c->pairs, sciara_plural(c->pairs, "pair", "pairs"), condition);
  for (size_t k = 0; k < c->pois && k < MOST_ROWS; k++) print_pair(c, k);
  if (c->pois > MOST_ROWS) sciara_print("... and %zu more\n", c->pois - MOST_ROWS);
}

enum sciara_status sciara_compare_ensembles(const struct sciara_arguments *a) {
  struct sciara_comparison c = {0};
  struct table t = {.texts = {"place", "kind", "state"},
                    .text_count = 3,
                    .columns = pair_columns,
                    .count = sizeof pair_columns / sizeof *pair_columns};
  struct sciara_pois_request request;
  struct sciara_text condition = {0}, head = {0};
  const char *drivers[SCIARA_MOST_GIVEN], *maps = sciara_argument(a, "output");
  int threads = 0;
  bool printed;
  enum sciara_status status;
  SCIARA_TRY(places_request(a, drivers, &request));
  SCIARA_TRY(sciara_threads_of(a, &threads));
  SCIARA_TRY(sciara_comparison_make(a->operand[0], a->operand[1], request.path ? &request : NULL, threads, &c));
  t.rows = c.pois;
  SCIARA_TRY_GOTO(SCIARA_NEW(t.row, t.rows + 1, "places"));
  for (size_t k = 0; k < t.rows; k++) fill_pair(&c, k, &t.row[k]);
  SCIARA_TRY_GOTO(sciara_reduction_condition(&c.a, NULL, &condition));
  SCIARA_TRY_GOTO(pair_head(a, &c, condition.data, &head));
  SCIARA_TRY_GOTO(write_table(a, &t, head.data, &printed));
  if (!printed) print_pairs(&c, condition.data);
  if (maps) SCIARA_TRY_GOTO(sciara_comparison_write(&c, maps));
cleanup:
  sciara_comparison_free(&c);
  sciara_free(t.row);
  sciara_text_free(&condition);
  sciara_text_free(&head);
  return status;
}

// -------------------------------------------------------------------------------------------------------------- scores

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

/** Prints a table of the scores. @param png the picture that was drawn; NULL: none */
static void print_compare_scores(const struct sciara_run_scores *j, const char *png) {
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

/** Prints the scores as JSON; a score that is not defined is null. */
static enum sciara_status print_scores_json(const struct sciara_run_scores *j, const char *png) {
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
  sciara_put_json_text(&t, "{\n  ", "snapshot", j->target->path);
  sciara_put_json_number(&t, ",\n  ", "step", (double)s->step);
  sciara_put_json_number(&t, ",\n  ", "time_s", s->time_s);
  sciara_put_json_text(&t, ",\n  ", "field", sciara_field_name(j->field));
  sciara_put_json_number(&t, ",\n  ", "min_thickness_m", j->min_thickness_m);
  sciara_put_json_text(&t, ",\n  ", "observed_file", j->request.path);
  sciara_put_json_text(&t, ",\n  ", "observed_driver", j->observed.driver);
  sciara_put_json_text(&t, ",\n  ", "observed_kind",
                       j->observed.polygons > 0 ? "polygons"
                       : j->observed.thickness  ? "thickness"
                                                : "extent");
  for (size_t k = 0; k < sizeof areas / sizeof *areas; k++) {
    sciara_text_append(&t, ",\n  \"%s_cells\": %" PRId64, areas[k].name, areas[k].cells);
    sciara_text_append(&t, ", \"%s_m2\": %.17g", areas[k].name, (double)areas[k].cells * area);
  }
  list_scores(j, list);
  for (size_t k = 0; k < SCORES && list[k].key; k++) sciara_put_json_number(&t, ",\n  ", list[k].key, list[k].value);
  sciara_put_json_text(&t, ",\n  ", "picture", png);
  return sciara_print_text(sciara_text_append(&t, "\n}\n"), &t);
}

/** A comparison with an observation: the options, the data and the result. */
struct job {
  const char *png; ///< NULL: no picture
  bool json, overwrite;
  struct sciara_picture_look look;
  struct sciara_target target;
  struct sciara_run_scores run;
};

// ------------------------------------------------------------------------------------ options

static enum sciara_status take_compare_options(const struct sciara_arguments *a, struct job *j) {
  j->png = sciara_argument(a, "png");
  if (j->png) SCIARA_TRY(sciara_check_extension("png", j->png, (const char *const[]){"png", NULL}));
  j->json = sciara_argument_given(a, "json");
  const char *labels = sciara_argument(a, "labels"), *comma = labels ? strchr(labels, ',') : NULL;
  if (labels && (!comma || comma == labels || !comma[1] || strchr(comma + 1, ',') || !sciara_is_utf8(labels)))
    return sciara_fail(SCIARA_ERR_USAGE, "--labels: expected two names such as without,with; found \"%s\"", labels);
  j->overwrite = sciara_argument_given(a, "overwrite");
  return sciara_take_min_thickness(a, &j->run.min_thickness_m);
}

/** Rejects options of the picture if there is none. */
static enum sciara_status check_picture_options(const struct sciara_arguments *a) {
  static const struct sciara_option pictures[] = {SCIARA_PICTURE_OPTIONS(""), {0}};
  if (sciara_argument_given(a, "png")) return SCIARA_OK;
  if (sciara_argument_given(a, "labels"))
    return sciara_fail(SCIARA_ERR_USAGE, "--labels: allowed only with --png FILE");
  for (const struct sciara_option *o = pictures; o->name; o++)
    if (sciara_argument_given(a, o->name))
      return sciara_fail(SCIARA_ERR_USAGE, "--%s: allowed only with --png FILE", o->name);
  return SCIARA_OK;
}

/** Compares the run or snapshot operand[0] with what was observed; prints scores, or JSON. */
static enum sciara_status compare_observed(const struct sciara_arguments *arguments) {
  struct job j = {0};
  const char *drivers[SCIARA_MOST_GIVEN];
  enum sciara_status status;
  SCIARA_TRY(take_compare_options(arguments, &j));
  SCIARA_TRY(sciara_observed_request(arguments, drivers, &j.run.request));
  SCIARA_TRY(sciara_picture_options_read(arguments, drivers, j.run.request.extra_driver_count, &j.look));
  SCIARA_TRY(check_picture_options(arguments));
  if (j.png) SCIARA_TRY(sciara_refuse_existing(j.png, j.overwrite));
  SCIARA_TRY(open_compared(arguments, arguments->operand[0], &j.target));
  j.run.target = &j.target;
  SCIARA_TRY_GOTO(sciara_run_scores_make(&j.run));
  if (j.png) SCIARA_TRY_GOTO(sciara_run_scores_draw(&j.run, &j.look, j.png));
  if (j.json)
    status = print_scores_json(&j.run, j.png);
  else
    print_compare_scores(&j.run, j.png);
cleanup:
  sciara_run_scores_free(&j.run);
  sciara_target_free(&j.target);
  return status;
}

// ------------------------------------------------------------------------------------ two states

static const struct sciara_option options[] = {
    {"tolerance", 0, "X", "equal if |a - b| <= X max(1, |a|) for every field in every cell, and for the time"},
    SCIARA_OBSERVED_OPTIONS("compare one run with an observed extent: polygons or a raster"),
    {"min-thickness", 0, "M", "thickness up to M metres counts as no lava (default: 0)"},
    {"at", 0, "T",
     "compare runs at a simulated time (\"6 h\") or a date: their first snapshots at or after it (default: the last)"},
    SCIARA_COMPARE_PLACES_OPTIONS("compare two runs at the points, lines and polygons of a vector file"),
    {"json", 0, NULL, "print the scores, or the table of the places, as JSON"},
    {"png", 0, "FILE", "draw hits, misses and excess on the hillshade, or what two runs cover"},
    {"labels", 0, "A,B", "png: names of the two runs (default: those of their folders)"},
    SCIARA_PICTURE_OPTIONS("png: "),
    {"overwrite", 0, NULL, "replace the picture or the table if it exists"},
    SCIARA_CHECKSUM_OPTION,
    {0},
};

enum { EXIT_DIFFER = 1 };

static enum sciara_status check_grids(const struct sciara_target *a, const struct sciara_target *b) {
  const struct sciara_grid *g = &a->snapshot.grid, *h = &b->snapshot.grid;
  if (sciara_grid_same(g, h)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s and %s have different grids: %" PRId64 " x %" PRId64 " cells of %g m, %" PRId64 " x %" PRId64
                     " of %g m",
                     a->path, b->path, g->cols, g->rows, g->cell_size, h->cols, h->rows, h->cell_size);
}

static void print_difference(const struct sciara_grid *g, const char *name, bool as_double,
                             const struct sciara_difference *d) {
  sciara_print("%-16s %-8s %10zu  %-12.6g %-12.6g %.6f", name, as_double ? "float64" : "float32", d->differing,
               d->max_absolute, d->max_relative, d->jaccard);
  if (d->differing > 0) {
    const int64_t row = (int64_t)d->first / g->cols, col = (int64_t)d->first % g->cols;
    const struct sciara_point at = sciara_cell_centre(g, row, col);
    sciara_print("   first in row %" PRId64 ", column %" PRId64 " (x %.10g, y %.10g)", row, col, at.x, at.y);
  }
  if (d->one > 0) sciara_print("; only one has a value in %zu %s", d->one, sciara_plural(d->one, "cell", "cells"));
  sciara_print("\n");
}

/** How two states differ. */
struct findings {
  size_t differ, beyond;    ///< cells that differ; that differ beyond the tolerance
  size_t compared, alone;   ///< fields that both have; that one has
  double least_m;           ///< lava up to this thickness does not count
  int64_t in_a, in_b, both; ///< cells with lava; -1: no deposit is known of both
};

static void count_lava(const double *a, const double *b, size_t cells, struct findings *f) {
  f->in_a = f->in_b = f->both = 0;
  for (size_t i = 0; i < cells; i++) {
    f->in_a += a[i] > f->least_m;
    f->in_b += b[i] > f->least_m;
    f->both += a[i] > f->least_m && b[i] > f->least_m;
  }
}

static void print_covered_cells(const struct sciara_grid *g, const struct findings *f) {
  const double area = g->cell_size * g->cell_size;
  if (f->in_a < 0) return;
  sciara_print("lava covers %.10g m2 in a, %.10g m2 in b: %.10g m2 in both, %.10g m2 in a alone, %.10g m2 in b alone\n",
               area * (double)f->in_a, area * (double)f->in_b, area * (double)f->both,
               area * (double)(f->in_a - f->both), area * (double)(f->in_b - f->both));
}

/** What is no value becomes NAN: NODATA, an arrival that never was, and the temperature of no lava. */
static void hide_missing(enum sciara_field field, double *values, size_t cells) {
  for (size_t i = 0; i < cells; i++)
    if (values[i] == SCIARA_NODATA_ALTITUDE || (field == SCIARA_FIELD_TEMPERATURE && values[i] == 0)) values[i] = NAN;
}

/** Compares a field, and hides what is no value: it differs from any, but by no amount. */
static struct sciara_difference compare_values(enum sciara_field field, double *a, double *b, size_t cells,
                                               double tolerance) {
  struct sciara_difference d = sciara_compare_values(a, b, cells, tolerance);
  hide_missing(field, a, cells);
  hide_missing(field, b, cells);
  const struct sciara_difference values = sciara_compare_values(a, b, cells, tolerance);
  d.one = values.one;
  d.max_absolute = values.max_absolute;
  d.max_relative = values.max_relative;
  return d;
}

/** Compares the fields that both hold. */
static enum sciara_status compare_fields(struct sciara_target *a, struct sciara_target *b, double tolerance,
                                         struct findings *out) {
  const struct sciara_grid *g = &a->snapshot.grid;
  const size_t cells = (size_t)sciara_grid_cells(g);
  const bool as_double = a->snapshot.as_double && b->snapshot.as_double;
  double *va = NULL, *vb = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(va, cells, "a field"));
  SCIARA_TRY_GOTO(SCIARA_NEW(vb, cells, "a field"));
  sciara_print("%-16s %-8s %10s  %-12s %-12s %s\n", "field", "compared", "differing", "max abs", "max rel", "Jaccard");
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    const bool in_a = a->snapshot.fields >> f & 1u, in_b = b->snapshot.fields >> f & 1u;
    if (in_a != in_b) out->alone++;
    if (in_a != in_b)
      sciara_print("%-16s only in %s\n", sciara_field_name((enum sciara_field)f), in_a ? a->path : b->path);
    if (!in_a || !in_b) continue;
    SCIARA_TRY_GOTO(sciara_target_read(a, (enum sciara_field)f, va));
    SCIARA_TRY_GOTO(sciara_target_read(b, (enum sciara_field)f, vb));
    for (size_t i = 0; i < cells && !as_double; i++) { // one of the two was rounded when it was written
      va[i] = (double)(float)va[i];
      vb[i] = (double)(float)vb[i];
    }
    if (f == SCIARA_FIELD_DEPOSIT) count_lava(va, vb, cells, out);
    const struct sciara_difference d = compare_values((enum sciara_field)f, va, vb, cells, tolerance);
    print_difference(g, sciara_field_name((enum sciara_field)f), as_double, &d);
    out->compared++;
    out->differ += d.differing;
    out->beyond += d.beyond;
  }
cleanup:
  sciara_free(va);
  sciara_free(vb);
  return status;
}

static enum sciara_status compare(struct sciara_target *a, struct sciara_target *b, const double *tolerance,
                                  double least_m, bool *same) {
  SCIARA_TRY(check_grids(a, b));
  const bool equal = a->snapshot.checksum == b->snapshot.checksum;
  sciara_print("a: %s (step %" PRIu64 ", %.17g s, %s %s)\nb: %s (step %" PRIu64 ", %.17g s, %s %s)\n", a->path,
               a->snapshot.step, a->snapshot.time_s, a->snapshot.engine ? a->snapshot.engine : "?",
               a->snapshot.precision ? a->snapshot.precision : "?", b->path, b->snapshot.step, b->snapshot.time_s,
               b->snapshot.engine ? b->snapshot.engine : "?", b->snapshot.precision ? b->snapshot.precision : "?");
  sciara_print("checksum of the whole state: %016" PRIx64 " and %016" PRIx64 ", %s\n", a->snapshot.checksum,
               b->snapshot.checksum, equal ? "the same" : "different");
  struct findings f = {.least_m = least_m, .in_a = -1};
  SCIARA_TRY(compare_fields(a, b, tolerance ? *tolerance : 0, &f));
  if (f.compared == 0) return sciara_fail(SCIARA_ERR_INPUT, "%s and %s have no field in common", a->path, b->path);
  const double ta = a->snapshot.time_s, tb = b->snapshot.time_s;
  const bool near = tolerance && f.beyond == 0 && f.alone == 0 && fabs(ta - tb) <= *tolerance * fmax(1, fabs(ta));
  *same = tolerance ? near : equal && f.differ == 0;
  print_covered_cells(&a->snapshot.grid, &f);
  sciara_print("%s\n", *same       ? (tolerance ? "equal within the tolerance" : "bit-identical")
                       : tolerance ? "different beyond the tolerance"
                                   : "different");
  return SCIARA_OK;
}

/** The options of a comparison of two runs that draws a picture, perhaps. */
static enum sciara_status take_picture(const struct sciara_arguments *a, const char *drivers[SCIARA_MOST_GIVEN],
                                       struct job *j) {
  SCIARA_TRY(take_compare_options(a, j));
  SCIARA_TRY(sciara_picture_options_read(a, drivers, sciara_arguments_all(a, "allow-driver", drivers), &j->look));
  SCIARA_TRY(check_picture_options(a));
  return j->png ? sciara_refuse_existing(j->png, j->overwrite) : SCIARA_OK;
}

/** The picture of two runs, with the places of --assets. */
static enum sciara_status draw_runs(const struct sciara_arguments *a, const struct job *j, struct sciara_target *first,
                                    struct sciara_target *second) {
  const char *drivers[SCIARA_MOST_GIVEN], *labels = sciara_argument(a, "labels");
  struct sciara_runs_picture q = {.run = {first, second}, .min_thickness_m = j->run.min_thickness_m, .look = &j->look};
  char *copy = labels ? sciara_format("%s", labels) : NULL;
  enum sciara_status status = places_request(a, drivers, &q.places);
  if (labels && !copy) status = sciara_no_memory("an option");
  if (status == SCIARA_OK) status = check_grids(first, second);
  if (copy) {
    char *rest = copy;
    q.label[0] = strsep(&rest, ",");
    q.label[1] = rest;
  }
  if (status == SCIARA_OK) status = sciara_runs_draw(&q, j->png);
  if (status == SCIARA_OK) sciara_print("%s\n", j->png);
  free(copy);
  return status;
}

/** Two runs, their states or (`same` is NULL) what they are at places, and their picture. */
static enum sciara_status compare_runs(const struct sciara_arguments *arguments, const double *tolerance, bool *same) {
  struct sciara_target a = {0}, b = {0};
  struct job j = {0};
  const char *drivers[SCIARA_MOST_GIVEN];
  SCIARA_TRY(take_picture(arguments, drivers, &j));
  if (!same) SCIARA_TRY(compare_runs_at_places(arguments));
  if (!same && !j.png) return SCIARA_OK;
  SCIARA_TRY(open_compared(arguments, arguments->operand[0], &a));
  enum sciara_status status = open_compared(arguments, arguments->operand[1], &b);
  if (status == SCIARA_OK && same) status = compare(&a, &b, tolerance, j.run.min_thickness_m, same);
  if (status == SCIARA_OK && j.png) status = draw_runs(arguments, &j, &a, &b);
  sciara_target_free(&a);
  sciara_target_free(&b);
  return status;
}

/** Whether a file is one of polygons or a raster by its name. */
static bool looks_observed(const char *path) {
  static const char *const ends[] = {"gpkg", "geojson", "json", "shp",  "fgb", "kml",
                                     "tab",  "mif",     "tif",  "tiff", "asc"};
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
    if (sciara_has_extension(path, ends[k])) return true;
  return false;
}

static enum sciara_status execute_compare(const struct sciara_arguments *arguments, bool *same) {
  const char *text = sciara_argument(arguments, "tolerance");
  double tolerance = 0;
  if (text && (!sciara_parse_double(text, &tolerance) || tolerance < 0))
    return sciara_fail(SCIARA_ERR_USAGE, "--tolerance: expected a number >= 0, found \"%s\"", text);
  for (size_t k = 0; k < arguments->operand_count; k++) {
    const char *path = arguments->operand[k], *other = arguments->operand[1 - k];
    if (!looks_observed(path) || looks_observed(other)) continue;
    SCIARA_TRY(sciara_input_check(path));
    return sciara_fail(SCIARA_ERR_USAGE,
                       "%s: expected a run or a snapshot; a run is compared with an observed extent by: sciara compare "
                       "%s --observed %s",
                       path, other, path);
  }
  return compare_runs(arguments, text ? &tolerance : NULL, same);
}

extern const struct sciara_command sciara_cmd_compare;

/** What is compared. */
enum mode { STATES = 1, OBSERVED = 2, PLACES = 4 };

static enum mode mode_of(const struct sciara_arguments *a) {
  if (sciara_argument_given(a, "observed")) return OBSERVED;
  const bool ensembles =
      a->operand_count == 2 && sciara_is_ensemble(a->operand[0]) && sciara_is_ensemble(a->operand[1]);
  return sciara_argument_given(a, "assets") || ensembles ? PLACES : STATES;
}

/** The modes that have an option. */
static unsigned modes_with(const char *name) {
  static const struct {
    const char *name;
    unsigned modes;
  } some[] = {{"tolerance", STATES},       {"observed", OBSERVED}, {"observed-layer", OBSERVED},
              {"assets", PLACES},          {"layer", PLACES},      {"names", PLACES},
              {"labels", STATES | PLACES}, {"csv", PLACES},        {"json", OBSERVED | PLACES}};
  for (size_t k = 0; k < sizeof some / sizeof *some; k++)
    if (strcmp(name, some[k].name) == 0) return some[k].modes;
  return STATES | OBSERVED | PLACES;
}

/** Each way to compare has options of its own. */
static enum sciara_status check_compare_options(const struct sciara_arguments *a, enum mode mode) {
  for (size_t k = 0; k < a->given_count; k++) {
    const char *name = a->given[k].option->name;
    const unsigned modes = modes_with(name);
    if (modes & mode) continue;
    if (mode != STATES)
      return sciara_fail(SCIARA_ERR_USAGE, "--%s: not allowed %s", name,
                         mode == OBSERVED && strcmp(name, "layer") == 0
                             ? "with --observed; did you mean --observed-layer?"
                         : mode == OBSERVED                   ? "with --observed"
                         : sciara_argument_given(a, "assets") ? "with --assets"
                                                              : "with ensembles");
    return sciara_fail(SCIARA_ERR_USAGE, "--%s: allowed with %s FILE only", name,
                       modes == OBSERVED ? "--observed"
                       : modes == PLACES ? "--assets"
                                         : "--observed FILE or --assets");
  }
  if (mode == OBSERVED && a->operand_count != 1)
    return sciara_fail(SCIARA_ERR_USAGE, "unexpected \"%s\": with --observed only one run or snapshot is compared",
                       a->operand[1]);
  if (mode != OBSERVED && a->operand_count != 2)
    return sciara_fail(SCIARA_ERR_USAGE, "too few arguments; usage: sciara compare [OPTION]... %s",
                       sciara_cmd_compare.operands);
  return SCIARA_OK;
}

/** Two runs or two ensembles, not one of each. */
static enum sciara_status compare_places(const struct sciara_arguments *a) {
  const bool first = sciara_is_ensemble(a->operand[0]), second = sciara_is_ensemble(a->operand[1]);
  if (first && second && sciara_argument_given(a, "at"))
    return sciara_fail(SCIARA_ERR_USAGE, "--at: not allowed with ensembles");
  if (first != second)
    return sciara_fail(SCIARA_ERR_USAGE, "%s is an ensemble: expected another one, found %s", a->operand[!first],
                       a->operand[first]);
  if (first)
    return sciara_argument_given(a, "png") ? sciara_fail(SCIARA_ERR_USAGE, "--png: not allowed with ensembles")
                                           : sciara_compare_ensembles(a);
  return compare_runs(a, NULL, NULL);
}

static int run_compare(const struct sciara_arguments *arguments) {
  const enum mode mode = mode_of(arguments);
  const enum sciara_status status = check_compare_options(arguments, mode);
  if (status != SCIARA_OK) return sciara_report(status);
  if (mode != STATES) return sciara_report(mode == OBSERVED ? compare_observed(arguments) : compare_places(arguments));
  bool same = false;
  const int code = sciara_report(execute_compare(arguments, &same));
  return code == SCIARA_OK && !same ? EXIT_DIFFER : code;
}

const struct sciara_command sciara_cmd_compare = {
    .name = "compare",
    .summary = "compare two runs or ensembles, at places too, or a run with an observed extent",
    .operands = "A B | RUN --observed FILE",
    .operand_min = 1,
    .operand_max = 2,
    .options = options,
    .details = "First the checksums of the complete states are compared, then every field that both have; --png draws "
               "what both cover.\nExit code 0: bit-identical\n"
               "(with --tolerance: equal within it); 1: different.\n"
               "With --assets two runs are compared at places instead: first lava in both, delay, which places are "
               "spared or newly\n"
               "reached. Two ensembles are compared as by 'sciara ensemble compare'. The exit code is then 0.\n"
               "With --observed the deposit of a run is compared with the observed extent; the exit code is then 0, "
               "whatever the\n"
               "scores.\n",
    .run = run_compare,
};
