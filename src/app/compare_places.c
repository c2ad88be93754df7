// SPDX-License-Identifier: Apache-2.0
#include "app/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/common_options.h"
#include "app/ensemble.h"
#include "app/output.h"
#include "base/date.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/text.h"
#include "export/export.h"
#include "export/run_exposure.h"
#include "file/csv.h"
#include "file/durable.h"
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

enum sciara_status sciara_compare_request(const struct sciara_arguments *a, const char *drivers[SCIARA_MOST_GIVEN],
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

enum sciara_status sciara_compare_open(const struct sciara_arguments *a, const char *path, struct sciara_target *out) {
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
  SCIARA_TRY(sciara_compare_open(a, path, &s->target));
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

enum sciara_status sciara_compare_places(const struct sciara_arguments *a) {
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
  SCIARA_TRY(sciara_compare_request(a, drivers, &request));
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
  SCIARA_TRY(sciara_compare_request(a, drivers, &request));
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
