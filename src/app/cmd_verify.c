// SPDX-License-Identifier: Apache-2.0
// sciara verify: what an ensemble said, judged by what was mapped later.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/ensemble.h"
#include "app/output.h"
#include "base/log.h"
#include "base/text.h"
#include "calibrate/verification.h"
#include "hazard/products.h"

enum { LABEL = 46 }; ///< width of the first column

static void print_observed(const struct sciara_verification_request *q, const struct sciara_verification *v) {
  static const char *const why[] = {"", ", the last date of that file that the members reach",
                                    ", the end of the members: no date was given or found"};
  const char *reason = why[v->at], *time = isfinite(v->at_s) ? SCIARA_DURATION(v->at_s)
                                           : v->early > 0    ? "the end of the members"
                                                             : "the time when the lava of all members has come to rest";
  if (isinf(v->at_s)) reason = ", for no date was given or found";
  char date[SCIARA_MINUTE_SIZE] = "";
  sciara_append_minute(v->date, 0, date, sizeof date);
  sciara_print("observed: %s (%s), compared at %s%s%s\n", q->observed.path, v->driver, time, date, reason);
}

static void print_cells(const struct sciara_verification_request *q, const struct sciara_verification *v) {
  const double area = v->cell_m * v->cell_m * 1e-6;
  const struct sciara_verification_scores *s = &v->whole;
  if (q->region)
    sciara_print("cells: the %" PRId64 " of the land in %s", s->cells, q->region);
  else
    sciara_print("cells: the %" PRId64 " of the land that a member or the observation reaches by then", s->cells);
  sciara_print(", %.3g km2\n", (double)s->cells * area);
  char what[96] = "lava with which the members begin";
  if (!isnan(v->since_s)) snprintf(what, sizeof what, "outline of %s", SCIARA_DURATION(v->since_s));
  if (v->begun)
    sciara_print("start: the %s covers %" PRId64 " of them, %.3g km2\n", what, s->cells - v->beyond.cells,
                 (double)(s->cells - v->beyond.cells) * area);
  else
    sciara_print("start: the members begin without lava\n");
  if (v->left_out > 0)
    sciara_print("left out: %" PRId64 " observed %s in the sea or without an altitude\n", v->left_out,
                 sciara_plural((uint64_t)v->left_out, "cell", "cells"));
}

/** A line of the table: of all cells, and of those beyond the start. */
static void print_verification_line(const struct sciara_verification *v, const char *label, const char *format,
                                    double whole, double beyond) {
  const double value[] = {whole, beyond};
  sciara_print("%-*s", LABEL, label);
  for (int k = 0; k < 1 + v->begun; k++) {
    char text[32] = "undefined";
    if (!isnan(value[k])) snprintf(text, sizeof text, format, value[k]); // NOLINT(clang-diagnostic-format-nonliteral)
    sciara_print("%*s", k ? 22 : 12, text);
  }
  sciara_print("\n");
}

static double share_of(const struct sciara_verification_scores *s) {
  return s->cells > 0 ? (double)s->observed / (double)s->cells : NAN;
}

static void print_verification_scores(const struct sciara_verification *v) {
  const struct sciara_verification_scores *a = &v->whole, *b = &v->beyond;
  const double area = v->cell_m * v->cell_m * 1e-6;
  if (v->begun) sciara_print("\n%-*s%12s%22s\n", LABEL, "", "all cells", "without lava at start");
  if (!v->begun) sciara_print("\n");
  print_verification_line(v, "observed, km2", "%.4g", (double)a->observed * area, (double)b->observed * area);
  print_verification_line(v, "  of the cells, %", "%.1f", 100 * share_of(a), 100 * share_of(b));
  print_verification_line(v, "probability of 50 % or more, km2", "%.4g", (double)a->likely * area,
                          (double)b->likely * area);
  print_verification_line(v, "  its area / observed", "%.3f", a->area_ratio, b->area_ratio);
  print_verification_line(v, "  its Jaccard index J with the observed", "%.3f", a->jaccard, b->jaccard);
  print_verification_line(v, "  J if nothing moves", "%.3f", a->still_jaccard, b->still_jaccard);
  print_verification_line(v, "Brier score of the probabilities (0: perfect)", "%.4f", a->brier, b->brier);
  print_verification_line(v, "  if nothing moves", "%.4f", a->still_brier, b->still_brier);
  print_verification_line(v, "  if the observed share is said of each cell", "%.4f", a->share_brier, b->share_brier);
  print_verification_line(v, "skill against nothing moves (above 0: better)", "%+.3f", a->still_skill, b->still_skill);
  print_verification_line(v, "skill against the observed share", "%+.3f", a->share_skill, b->share_skill);
  print_verification_line(v, "sharpness: cells below 10 or above 90 %, %", "%.1f", 100 * a->sharpness,
                          100 * b->sharpness);
}

/** "0 %", "10 to 20 %", for people. */
static void said_name(const struct sciara_said *s, char text[24]) {
  if (s->from == s->to)
    snprintf(text, 24, "%.0f %%", 100 * s->from);
  else
    snprintf(text, 24, "%.0f to %.0f %%", 100 * s->from, 100 * s->to);
}

static void print_classes(const struct sciara_verification *v) {
  const struct sciara_verification_scores *s = v->begun ? &v->beyond : &v->whole;
  int off = 0;
  sciara_print("\nprobability said, number of cells, mean said, share that was covered%s\n",
               v->begun ? " (without lava at the start)" : "");
  for (int k = 0; k < SCIARA_SAID_CLASSES; k++) {
    const struct sciara_said *c = &s->said[k];
    char name[24];
    if (c->cells == 0) continue;
    said_name(c, name);
    sciara_print("%-13s %9" PRId64 " %9.1f %% %9.1f %%%s\n", name, c->cells, 100 * c->mean, 100 * c->share,
                 !c->off              ? ""
                 : c->mean > c->share ? "  off: too much was said"
                                      : "  off: too little was said");
    off += c->off;
  }
  sciara_print("%d %s of %d cells or more %s off by more than %.0f points\n", off, off == 1 ? "class" : "classes",
               SCIARA_SAID_CELLS, off == 1 ? "is" : "are", 100 * SCIARA_SAID_OFF);
}

/** "area: observed 5.05 km2; members 3.1 to 6.2 km2, median 4.6 km2; 62.5 % of them (by weight) have less" */
static void print_rank(const char *label, const struct sciara_verification_rank *r, double unit, const char *name) {
  if (isnan(r->observed)) return;
  sciara_print("%s: observed %.4g %s; members %.4g to %.4g %s, median %.4g %s; ", label, r->observed / unit, name,
               r->least / unit, r->most / unit, name, r->median / unit, name);
  if (r->observed < r->least || r->observed > r->most)
    sciara_print("all members have %s\n", r->observed < r->least ? "more" : "less");
  else
    sciara_print("%.3g %% of them (by weight) have less, %.3g %% as much\n", 100 * r->below, 100 * r->equal);
}

static void print(const struct sciara_verification_request *q, const struct sciara_verification *v) {
  sciara_print("%s\n", v->said);
  print_observed(q, v);
  print_cells(q, v);
  print_verification_scores(v);
  print_classes(v);
  sciara_print("\n");
  print_rank("area", &v->area_m2, 1e6, "km2");
  print_rank("run-out from the vents", &v->run_out_m, 1, "m");
}

static enum sciara_status take_verify_options(const struct sciara_arguments *a, const char **drivers,
                                              struct sciara_verification_request *q) {
  SCIARA_TRY(sciara_observed_request(a, drivers, &q->observed));
  if (!q->observed.path) return sciara_fail(SCIARA_ERR_USAGE, "--observed is missing: the mapped extent");
  q->folder = a->operand[0];
  q->option = "--at";
  q->at = sciara_argument(a, "at");
  q->since = sciara_argument(a, "since");
  q->since_option = "--since";
  q->dates = sciara_argument(a, "dates");
  q->region = sciara_argument(a, "region");
  return sciara_threads_of(a, &q->threads);
}

static enum sciara_status execute_verify(const struct sciara_arguments *a) {
  const char *drivers[SCIARA_MOST_GIVEN];
  struct sciara_verification_request request = {0};
  struct sciara_verification v = {0};
  struct sciara_text json = {0};
  int lock;
  SCIARA_TRY(take_verify_options(a, drivers, &request));
  SCIARA_TRY(sciara_verification_make(&request, &v));
  if (v.early > 0)
    sciara_log(SCIARA_LOG_WARNING,
               "%zu %s ended at a limit before the time of the observation: what they had reached counts", v.early,
               sciara_plural(v.early, "member", "members"));
  sciara_products_lock(request.folder, &lock);
  enum sciara_status status = sciara_verification_write(&request, &v);
  sciara_products_unlock(lock);
  if (status == SCIARA_OK && sciara_argument_given(a, "json"))
    status = sciara_print_text(sciara_verification_print(&request, &v, &json), &json);
  else if (status == SCIARA_OK)
    print(&request, &v);
  sciara_verification_free(&v);
  return status;
}

static const struct sciara_option options[] = {
    SCIARA_OBSERVED_OPTIONS("the mapped extent (required): polygons or a raster"),
    {"at", 0, "T",
     "its simulated time (\"2 d\") or date (default: the last date in FILE that the members reach, or their end)"},
    {"since", 0, "T", "time or date of an earlier outline in FILE: \"nothing moves\" is that this one stays"},
    {"dates", 0, "FIELD", "field of FILE with the dates of its outlines (default: the only one with dates)"},
    {"region", 0, "FILE", "judge only cells of these polygons, or of this raster"},
    {"json", 0, NULL, "print all of it as JSON"},
    SCIARA_THREADS_OPTION,
    {0},
};

const struct sciara_command sciara_cmd_verify = {
    .name = "verify",
    .summary = "judge the probabilities of an ensemble by what was mapped later",
    .operands = "ENSEMBLE --observed FILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "Prints Jaccard index and Brier score, also if nothing moves, what came true of each class of probabilities, "
        "and where\nobserved area and run-out lie among the members. Writes verification.json and verification.csv "
        "into the folder of the\nensemble.\n",
    .execute = execute_verify,
};
