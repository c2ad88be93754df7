// SPDX-License-Identifier: Apache-2.0
// sciara ensemble reduce, query and compare: what is made of finished members.
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/common_options.h"
#include "app/compare.h"
#include "app/ensemble.h"
#include "app/output.h"
#include "base/mem.h"
#include "ensemble/ensemble.h"
#include "file/georef.h"
#include "hazard/products.h"
#include "terrain/poi_file.h"

bool sciara_is_ensemble(const char *path) {
  const int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); // no memory is needed, so none can be missing
  const bool is = folder >= 0 && faccessat(folder, SCIARA_ENSEMBLE_JSON, F_OK, 0) == 0;
  if (folder >= 0) close(folder);
  return is;
}

enum sciara_status sciara_threads_of(const struct sciara_arguments *a, int *threads) {
  double n = 0;
  SCIARA_TRY(sciara_take_whole("threads", sciara_argument(a, "threads"), 1, 1024, &n));
  *threads = sciara_reduction_threads((int)n);
  return SCIARA_OK;
}

static void print_percent(double value, int decimals) {
  if (isfinite(value))
    sciara_print("%.*f", decimals, 100 * value);
  else
    sciara_print("-");
  sciara_print(" %%");
}

/** ", error 1.2 %" */
static void print_error(const struct sciara_sample *s, double error) {
  if (isfinite(error))
    sciara_print(", %s %.2f %%", s->kind == SCIARA_ERROR_GRID ? "grid difference" : "error", 100 * error);
}

/** "none of 40 members (95 % bound: 8.81 %; with open and censored members up to 12.00 %)" @param high 0: no such members */
static void print_no_hit(const struct sciara_sample *s, double bound, double high) {
  sciara_print("none of %zu %s", s->finished, sciara_plural(s->finished, "member", "members"));
  if (isfinite(bound)) sciara_print(" (95 %% bound: %.2f %%", 100 * bound);
  if (high > 0)
    sciara_print("%s with open and censored members up to %.2f %%", isfinite(bound) ? ";" : " (no bound;", 100 * high);
  sciara_print("%s\n", isfinite(bound) || high > 0 ? ")" : ", no bound");
}

/** "12.5 % (low to high), error 1.2 %, 95 %: 10.3 to 15.1 %, 40 members" */
static void print_probability(const struct sciara_sample *s, const struct sciara_estimate *e, bool bounds) {
  const struct sciara_interval interval = sciara_sample_interval(s, e);
  if (e->hits == 0) {
    print_no_hit(s, sciara_sample_zero_bound(s), bounds ? e->high : 0);
    return;
  }
  sciara_print("%.2f %%", 100 * e->value);
  if (bounds) sciara_print(" (%.2f to %.2f %%)", 100 * e->low, 100 * e->high);
  print_error(s, e->error);
  if (isfinite(interval.low)) sciara_print(", 95 %%: %.2f to %.2f %%", 100 * interval.low, 100 * interval.high);
  sciara_print(", %zu %s\n", e->hits, sciara_plural(e->hits, "member", "members"));
}

/** @param start the date from which times count, or "" */
static void print_value(const char *name, double value, const char *unit, const char *start) {
  char text[SCIARA_MOMENT_SIZE];
  if (!isfinite(value)) return;
  if (strcmp(unit, "s") == 0)
    sciara_print_moment(start, value, text);
  else
    snprintf(text, sizeof text, fabs(value) < 0.1 && value != 0 ? "%.3g %s" : "%.2f %s", value, unit);
  sciara_print("  %-28s %s\n", name, text);
}

/** P_T with its bounds: those of the rates too. */
static void print_years(const struct sciara_reduction *r, const struct sciara_poi_result *result) {
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  const double *value = result->years;
  char label[64];
  for (size_t y = 0; y < q->year_count && value; y++)
    for (size_t k = 0; k < q->deposit_count; k++, value += 3) {
      const double bound = sciara_hazard_years_zero_bound(&r->rule, q->years[y]);
      const int used = snprintf(label, sizeof label, "in %.9g %s", q->years[y], q->years[y] == 1 ? "year" : "years");
      if (q->deposit_m[k] > 0) snprintf(label + used, sizeof label - (size_t)used, " above %.9g m", q->deposit_m[k]);
      sciara_print("  %-28s ", label);
      if (isnan(value[0]))
        sciara_print("not known: no finished member erupts in a zone of eruptions_per_year\n");
      else if (result->deposit[k].estimate.hits == 0)
        print_no_hit(&r->sample, bound, value[2]);
      else
        sciara_print("%.2f %% (%.2f to %.2f %%)\n", 100 * value[0], 100 * value[1], 100 * value[2]);
    }
}

/** A place of a file of sites that is none. */
static void print_left(const struct sciara_ensemble_left *left) {
  sciara_print("%s: %s: no member can reach it\n", left->name, left->reason);
}

/** The results at one place. */
static enum sciara_status print_poi(const struct sciara_reduction *r, const struct sciara_poi *at, size_t poi) {
  const char *name = at->name;
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  struct sciara_poi_result result;
  char text[48], label[112], place[SCIARA_POI_REASON];
  const bool bounds = r->sample.open > 0 || r->sample.censored > 0;
  const struct sciara_poi_ground *ground = &r->poi_ground[poi];
  const char *reason = sciara_poi_where_reason(at, sciara_poi_where(ground), &r->dem.window, place);
  if (reason) {
    sciara_print("%s: %s: no member can reach it\n", name, reason);
    return SCIARA_OK;
  }
  SCIARA_TRY(sciara_poi_result_make(&r->pois, &r->sample, q, poi, ground->land, &r->rule, &result));
  sciara_print("%s (%zu %s)\n", name, r->pois.place[poi].count,
               sciara_plural(r->pois.place[poi].count, "cell", "cells"));
  for (size_t k = 0; k < q->deposit_count; k++) {
    const struct sciara_poi_probability *p = &result.deposit[k];
    snprintf(label, sizeof label, q->deposit_m[k] == 0 ? "lava arrives" : "max deposit above %.9g m", q->deposit_m[k]);
    sciara_print("  %-28s ", label);
    print_probability(&r->sample, &p->estimate, bounds);
    if (p->estimate.hits > 0 && isfinite(p->half[0]) && isfinite(p->half[1]))
      sciara_print("  %-28s %.2f and %.2f %%\n", "  from half of the members", 100 * p->half[0], 100 * p->half[1]);
  }
  for (size_t k = 0; k < q->within_count; k++) {
    snprintf(label, sizeof label, "lava arrives within %s", SCIARA_DURATION(q->within_s[k]));
    sciara_append_minute(r->start, q->within_s[k], label, sizeof label);
    sciara_print("  %-28s ", label);
    print_probability(&r->sample, &result.within[k].estimate, bounds);
  }
  for (int of = 0; of < SCIARA_QUANTILES; of++)
    for (size_t k = 0; k < q->quantile_count; k++) {
      sciara_layer_quantile(q->quantiles[k], text, sizeof text);
      snprintf(label, sizeof label, "%s %s if reached", sciara_quantiles[of].label, text);
      print_value(label, result.quantile[of][k], sciara_footprint_values[sciara_quantiles[of].value].unit, r->start);
    }
  if (result.covered > 0) sciara_print("  %-28s %.2f %%\n", "mean share covered", 100 * result.covered);
  print_years(r, &result);
  sciara_poi_result_free(&result);
  return SCIARA_OK;
}

static enum sciara_status print_members(const struct sciara_reduction *r) {
  struct sciara_text text = {0};
  SCIARA_TRY(sciara_reduction_describe(r, NULL, &text));
  sciara_print("%s\n", text.data);
  sciara_text_free(&text);
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------- reduce

enum sciara_status sciara_ensemble_reduce_folder(const char *folder, int threads, bool all, bool pictures, bool again) {
  const struct sciara_reduction_options options = {
      .threads = threads, .bytes = SCIARA_REDUCTION_BYTES, .all = all, .again = again};
  struct sciara_reduction r;
  int lock;
  sciara_products_lock(folder, &lock);
  enum sciara_status status = sciara_reduction_open(folder, &options, &r);
  if (status != SCIARA_OK) {
    sciara_products_unlock(lock);
    return status;
  }
  SCIARA_TRY_GOTO(sciara_reduction_make_maps(&r, &options));
  SCIARA_TRY_GOTO(sciara_products_write(&r, threads, pictures));
  SCIARA_TRY_GOTO(print_members(&r));
  sciara_print("%zu cells are reached by at least one member\n", r.hazard.cells);
  for (size_t k = 0; k < r.pois.pois; k++) SCIARA_TRY_GOTO(print_poi(&r, &r.ensemble.result.pois[k], k));
  for (size_t k = 0; k < r.ensemble.result.left_count; k++) print_left(&r.ensemble.result.left[k]);
cleanup:
  sciara_reduction_free(&r);
  sciara_products_unlock(lock);
  return status;
}

static enum sciara_status reduce(const struct sciara_arguments *a) {
  int threads = 0;
  SCIARA_TRY(sciara_threads_of(a, &threads));
  return sciara_ensemble_reduce_folder(a->operand[0], threads, sciara_argument_given(a, "all"),
                                       !sciara_argument_given(a, "no-pictures"), false);
}

static const struct sciara_option reduce_options[] = {
    SCIARA_THREADS_OPTION,
    {"all", 0, NULL, "all finished members, also where the stop rule holds earlier"},
    {"no-pictures", 0, NULL, "no PNG pictures of the maps"},
    {0},
};

const struct sciara_command sciara_cmd_ensemble_reduce = {
    .name = "ensemble reduce",
    .summary = "make maps and tables of the members finished so far",
    .operands = "DIR",
    .operand_min = 1,
    .operand_max = 1,
    .options = reduce_options,
    .details =
        "Writes maps/ (GeoTIFF with styles and PNG), hazard.nc, outlines.gpkg, isochrones.gpkg, vents.gpkg, "
        "sites.csv\nand sites.gpkg into the folder of the ensemble. Every number is valid only for the assumed vents, "
        "eruptions and model, if such an\neruption happens.\n",
    .execute = reduce,
};

// -------------------------------------------------------------------------------------------------------------- query

/** The ground of an ensemble, on which places lie; what it is like is said when it is read for the members. */
static enum sciara_status read_ground(const char *folder, struct sciara_dem *dem) {
  struct sciara_ensemble e;
  SCIARA_TRY(sciara_ensemble_open(folder, &e));
  const enum sciara_status status = sciara_ensemble_dem_read(&e, &sciara_no_notes, dem);
  sciara_ensemble_free(&e);
  return status;
}

/** One place, a point. */
static enum sciara_status add_point(struct sciara_pois *pois, const char *name, struct sciara_point point) {
  SCIARA_TRY(SCIARA_NEW(pois->poi, 1, "a place"));
  pois->count = 1;
  SCIARA_TRY(sciara_copy(name, "the name of a place", &pois->poi[0].name));
  SCIARA_TRY(SCIARA_NEW(pois->poi[0].points, 1, "a place"));
  pois->poi[0].points[0] = point;
  pois->poi[0].point_count = 1;
  return SCIARA_OK;
}

/** The place of an ensemble that has this name; none, if it is one that no member can reach, which is said. */
static enum sciara_status find_site(const char *folder, const char *name, struct sciara_pois *pois) {
  struct sciara_ensemble e = {0};
  SCIARA_TRY(sciara_ensemble_open(folder, &e));
  enum sciara_status status = SCIARA_OK;
  struct sciara_text names = {0};
  size_t k = 0, left = 0;
  while (left < e.result.left_count && strcmp(e.result.left[left].name, name) != 0) left++;
  while (k < e.result.poi_count && strcmp(e.result.pois[k].name, name) != 0) k++;
  if (k < e.result.poi_count) {
    status = SCIARA_NEW(pois->poi, 1, "a place");
    if (status == SCIARA_OK) {
      pois->poi[pois->count++] = e.result.pois[k];
      e.result.pois[k] = (struct sciara_poi){0}; // it is the caller's now
    }
  } else if (left < e.result.left_count) {
    print_left(&e.result.left[left]);
  } else {
    for (size_t n = 0; n < e.result.poi_count && n < 20; n++)
      sciara_text_append(&names, "%s\"%.60s\"", n ? ", " : "", e.result.pois[n].name);
    status = sciara_fail(
        SCIARA_ERR_USAGE,
        "--at: expected X,Y in the CRS of the DEM, degrees such as 14.99E,37.75N, or the name of a site (%s); "
        "found \"%.60s\"",
        names.data ? names.data : "there is none", name);
  }
  sciara_text_free(&names);
  sciara_ensemble_free(&e);
  return status;
}

/** The point of --at, in the CRS of the DEM. */
static enum sciara_status find_point(const struct sciara_arguments *a, enum sciara_place_text is,
                                     struct sciara_point *p) {
  struct sciara_dem dem = {0};
  enum sciara_status status = read_ground(a->operand[0], &dem);
  if (status == SCIARA_OK && is == SCIARA_PLACE_DEGREES)
    status = sciara_georef_place(dem.georef.crs_wkt, &dem.grid, p, 1);
  if (status == SCIARA_OK && is == SCIARA_PLACE_METRES)
    status = sciara_georef_suspect_degrees(dem.georef.crs_wkt, &dem.grid, *p, "write 14.99E,37.75N");
  sciara_dem_free(&dem);
  return sciara_fail_context(status, "--at");
}

static enum sciara_status read_file(const struct sciara_arguments *a, const char *place, struct sciara_pois *pois) {
  struct sciara_dem dem = {0};
  enum sciara_status status = read_ground(a->operand[0], &dem);
  const struct sciara_pois_request request = {.path = sciara_argument(a, "zone"),
                                              .layer = sciara_argument(a, "layer"),
                                              .name_column = sciara_argument(a, "names"),
                                              .place = place,
                                              .crs_wkt = dem.georef.crs_wkt,
                                              .grid = &dem.grid};
  if (status == SCIARA_OK) status = sciara_pois_read(&request, pois);
  sciara_dem_free(&dem);
  return status;
}

/** The places that the command line names. */
static enum sciara_status find_pois(const struct sciara_arguments *a, struct sciara_pois *pois) {
  const char *at = sciara_argument(a, "at"), *file = sciara_argument(a, "zone");
  struct sciara_point p;
  const enum sciara_place_text is = at ? sciara_place_parse(at, 1, &p) : SCIARA_PLACE_NAME;
  if (!at && !file) return sciara_fail(SCIARA_ERR_USAGE, "expected --at X,Y, --at NAME or --zone FILE");
  if (at && file && is != SCIARA_PLACE_NAME)
    return sciara_fail(SCIARA_ERR_USAGE, "--at: expected the name of a place of %s, found \"%s\"", file, at);
  if (!file && (sciara_argument_given(a, "layer") || sciara_argument_given(a, "names")))
    return sciara_fail(SCIARA_ERR_USAGE, "--%s: allowed with --zone FILE only",
                       sciara_argument_given(a, "layer") ? "layer" : "names");
  if (file) return read_file(a, at, pois);
  if (is == SCIARA_PLACE_NAME) return find_site(a->operand[0], at, pois);
  SCIARA_TRY(find_point(a, is, &p));
  return add_point(pois, at, p);
}

/** Rows of a table: what reaches the place. */
static void print_contribution(const struct sciara_reduction *r, const struct sciara_contribution *c) {
  char vent[24], event[24];
  sciara_print("  %-20s %-16s %6zu %6zu ", sciara_reduction_vent(r, c->vent, vent),
               sciara_reduction_event(r, c->event, event), c->members, c->hits);
  print_percent(c->weight, 3);
  sciara_print(" ");
  print_percent(c->probability, 2);
  sciara_print(" ");
  print_percent(c->contribution, 2);
  sciara_print("  %s\n", isfinite(c->arrival) ? SCIARA_DURATION(c->arrival) : "-");
}

static enum sciara_status print_contributions(const struct sciara_reduction *r, size_t poi,
                                              enum sciara_contribution_of by, const char *title) {
  struct sciara_contribution *list;
  size_t count;
  SCIARA_TRY(sciara_contributions(&r->pois, &r->sample, poi, 0, r->ensemble.members.vent, r->ensemble.members.event, by,
                                  &list, &count));
  sciara_print(
      "\n%s: members, hits, weight, P(reached | it), P(it | reached), median arrival of the hits (10 or more)\n",
      title);
  for (size_t k = 0; k < count; k++)
    if (list[k].hits > 0 || by == SCIARA_BY_EVENT) print_contribution(r, &list[k]);
  sciara_free(list);
  return SCIARA_OK;
}

/** Whether members have a vent, or a class, of the plan: else a table of them would say nothing. */
static bool is_given(const int64_t *number, size_t count) {
  bool given = false;
  for (size_t m = 0; m < count; m++) given |= number[m] >= 0;
  return given;
}

static enum sciara_status query(const struct sciara_arguments *a) {
  struct sciara_pois pois = {0};
  struct sciara_reduction r = {0};
  struct sciara_reduction_options options = {0};
  enum sciara_status status;
  SCIARA_TRY(sciara_threads_of(a, &options.threads));
  SCIARA_TRY_GOTO(find_pois(a, &pois));
  if (pois.count == 0) return SCIARA_OK; // it has been said why
  options.poi = pois.poi;
  options.poi_count = pois.count;
  options.anywhere = sciara_argument_given(a, "zone");
  SCIARA_TRY_GOTO(sciara_reduction_open(a->operand[0], &options, &r));
  SCIARA_TRY_GOTO(sciara_reduction_visit_pois(&r, options.threads));
  SCIARA_TRY_GOTO(print_members(&r));
  for (size_t k = 0; k < pois.count; k++) {
    if (pois.elsewhere && pois.elsewhere[k]) r.poi_ground[k].all = 1; // something lies there, outside
    SCIARA_TRY_GOTO(print_poi(&r, &pois.poi[k], k));
    if (sciara_poi_where(&r.poi_ground[k]) != SCIARA_POI_ON_LAND) continue;
    const struct sciara_members *m = &r.ensemble.members;
    const bool events = is_given(m->event, m->count), vents = is_given(m->vent, m->count);
    if (events) SCIARA_TRY_GOTO(print_contributions(&r, k, SCIARA_BY_EVENT, "classes"));
    if (vents) SCIARA_TRY_GOTO(print_contributions(&r, k, SCIARA_BY_VENT, "vents that reach it"));
    if (vents && events)
      SCIARA_TRY_GOTO(print_contributions(&r, k, SCIARA_BY_VENT_AND_EVENT, "vents and classes that reach it"));
  }
cleanup:
  sciara_reduction_free(&r);
  sciara_pois_free(&pois);
  return status;
}

static const struct sciara_option query_options[] = {
    {"at", 0, "X,Y|NAME",
     "a place in the CRS of the DEM, in degrees (14.99E,37.75N), or the name of a site or of a place of --zone"},
    {"zone", 0, "FILE",
     "a vector file: each of its points, lines and polygons is a place, reached with any of its cells"},
    {"layer", 0, "NAME", "the layer of that file, if it has several"},
    {"names", 0, "COLUMN",
     "the column of that file with the names (default: the first called name, nome, nom, nombre, nafn, label or id)"},
    SCIARA_THREADS_OPTION,
    {0},
};

const struct sciara_command sciara_cmd_ensemble_query = {
    .name = "ensemble query",
    .summary = "show which vents and classes reach a place, how likely and how soon",
    .operands = "DIR",
    .operand_min = 1,
    .operand_max = 1,
    .options = query_options,
    .details = "All finished members count. Every number is valid only for the assumed vents, eruptions and model.\n",
    .execute = query,
};

// ------------------------------------------------------------------------------------------------------------ compare

static const struct sciara_option compare_options[] = {
    SCIARA_COMPARE_PLACES_OPTIONS(
        "compare at the points, lines and polygons of a vector file (default: at the sites of "
        "the first ensemble)"),
    {"json", 0, NULL, "print the table of the places as JSON"},
    {"output", 'o', "FOLDER", "write maps of the differences"},
    {"overwrite", 0, NULL, "replace the table if it exists"},
    {"allow-driver", 0, "NAME", "also let GDAL's driver NAME read the file of the places; may be repeated"},
    SCIARA_THREADS_OPTION,
    {0},
};

const struct sciara_command sciara_cmd_ensemble_compare = {
    .name = "ensemble compare",
    .summary = "compare two ensembles member by member, for instance with and without a barrier",
    .operands = "DIR DIR",
    .operand_min = 2,
    .operand_max = 2,
    .options = compare_options,
    .details =
        "Members with the same id are a pair; pairs of which both are finished count, with the weights of the "
        "first ensemble.\nDifferences are second minus first. A place is spared in a member if lava comes to it in the "
        "first ensemble alone, and\nnewly reached if in the second alone. 'sciara compare' does the same.\n",
    .execute = sciara_compare_ensembles,
};
