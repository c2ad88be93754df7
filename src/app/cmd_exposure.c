// SPDX-License-Identifier: Apache-2.0
// sciara exposure: what lava does to the places of a vector file.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/ensemble.h"
#include "app/output.h"
#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/text.h"
#include "export/export.h"
#include "export/run_exposure.h"
#include "file/durable.h"
#include "hazard/poi_table.h"

enum { MOST_ROWS = 100, MOST_NAMED = 20 }; ///< places that are printed as rows, as names alone

/** The files that are made. */
struct files {
  char *csv, *gpkg;
};

static void files_free(struct files *f) {
  free(f->csv);
  free(f->gpkg);
}

/** The file of --output, or both in the folder; next to a snapshot that lies alone. */
static enum sciara_status name_files(const struct sciara_arguments *a, const char *folder, struct files *f) {
  const char *given = sciara_argument(a, "output");
  const bool overwrite = sciara_argument_given(a, "overwrite");
  if (given && !sciara_has_extension(given, "csv") && !sciara_has_extension(given, "gpkg"))
    return sciara_fail(SCIARA_ERR_USAGE, "--output: expected a name in .csv or .gpkg, found \"%s\"", given);
  if (!given || sciara_has_extension(given, "csv"))
    SCIARA_TRY(sciara_path_in(given ? "" : folder, given ? given : "exposure.csv", &f->csv));
  if (!given || sciara_has_extension(given, "gpkg"))
    SCIARA_TRY(sciara_path_in(given ? "" : folder, given ? given : "exposure.gpkg", &f->gpkg));
  if (f->csv) SCIARA_TRY(sciara_refuse_existing(f->csv, overwrite));
  if (f->gpkg) SCIARA_TRY(sciara_refuse_existing(f->gpkg, overwrite));
  return SCIARA_OK;
}

/** What lava covers after the end of a run is not known. */
static void warn_of_late_time(const struct sciara_target *t, const char *word, double seconds) {
  if (t->snapshot.liquid_cells == 0 || !(seconds > t->snapshot.time_s)) return;
  sciara_log(SCIARA_LOG_WARNING,
             "--within: %s is after the end of %s at %s: what its liquid lava covers then is missing", word, t->path,
             SCIARA_DURATION(t->snapshot.time_s));
}

static enum sciara_status parse_times(const char *text, const struct sciara_target *target,
                                      double times[SCIARA_EXPOSURE_MOST_TIMES], size_t *count) {
  char *copy = sciara_format("%s", text), *rest = copy, start[SCIARA_DATE_SIZE];
  double zero = 0;
  enum sciara_status status = copy ? SCIARA_OK : sciara_no_memory("times");
  if (status == SCIARA_OK) status = sciara_target_begin(target, &zero);
  sciara_date_after(target->snapshot.start, zero, start);
  *count = 0;
  for (char *word; status == SCIARA_OK && (word = strsep(&rest, ","));) {
    while (*word == ' ') word++;
    if (*count == SCIARA_EXPOSURE_MOST_TIMES)
      status =
          sciara_fail(SCIARA_ERR_USAGE, "--within: expected at most %d times, found more", SCIARA_EXPOSURE_MOST_TIMES);
    else
      status = sciara_take_time("--within", word, start, target->path, &times[*count]);
    if (status == SCIARA_OK) warn_of_late_time(target, word, zero + times[(*count)++]);
  }
  free(copy);
  return status;
}

// ------------------------------------------------------------------------------------------------ places without lava

/** ", 1 in the sea, 1 outside the DEM" */
static void print_counts(const size_t count[SCIARA_POI_WHERES], const struct sciara_dem_window *window) {
  char text[SCIARA_DEM_WINDOW_TEXT];
  for (int w = SCIARA_POI_IN_SEA; w < SCIARA_POI_WHERES; w++)
    if (count[w]) sciara_print(", %zu %s", count[w], sciara_poi_where_text((enum sciara_poi_where)w, window, text));
}

/** What becomes of a place. */
struct fate {
  bool reached;
  enum sciara_poi_where where; ///< if it is not
};

/**
 * Names the places that lava does not reach, by the reason: 'not reached: "mill", "ford"', 'outside the DEM: "hospital"'.
 *
 * @param fate of each place; `missed` is the reason of those on land
 */
static enum sciara_status name_others(const struct sciara_pois *pois, const struct fate *fate,
                                      const struct sciara_dem_window *window, const char *missed) {
  struct sciara_text names = {0};
  char text[SCIARA_DEM_WINDOW_TEXT];
  enum sciara_status status;
  bool *which;
  SCIARA_TRY(SCIARA_NEW(which, pois->count + 1, "places"));
  for (int w = 0; w < SCIARA_POI_WHERES; w++) {
    const enum sciara_poi_where of = (enum sciara_poi_where)w;
    sciara_text_free(&names);
    for (size_t k = 0; k < pois->count; k++) which[k] = fate[k].where == of && !fate[k].reached;
    SCIARA_TRY_GOTO(sciara_pois_append_names(pois, which, MOST_NAMED, &names));
    if (names.length > 0)
      sciara_print("%s: %s\n", of == SCIARA_POI_ON_LAND ? missed : sciara_poi_where_text(of, window, text), names.data);
  }
cleanup:
  sciara_text_free(&names);
  sciara_free(which);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- a run

/** "34.5 m (12 %)" */
static void print_covered_part(const struct sciara_exposed *p, enum sciara_poi_kind kind) {
  static const char *const units[SCIARA_POI_KINDS] = {"", "m", "m2"};
  if (kind == SCIARA_POI_POINT) return;
  sciara_print("  %.*f %s (%.3g %%)", p->covered < 10 ? 1 : 0, p->covered, units[kind],
               fmin(100 * p->covered / p->ground.land, 100));
}

/** The reached places in the order of their arrival. */
static enum sciara_status print_reached(const struct sciara_run_exposure *e, const char *start) {
  const int width = start ? 39 : 16;
  struct sciara_keyed *order;
  size_t count = 0;
  bool mapped = false;
  SCIARA_TRY(SCIARA_NEW(order, e->pois.count + 1, "places"));
  for (size_t k = 0; k < e->pois.count; k++)
    if (e->exposure.place[k].reached) order[count++] = (struct sciara_keyed){e->exposure.place[k].arrival_s, k};
  qsort(order, count, sizeof *order, sciara_by_key);
  for (size_t k = 0; k < count && k < MOST_ROWS; k++) {
    const struct sciara_exposed *p = &e->exposure.place[order[k].index];
    const struct sciara_poi *poi = &e->pois.poi[order[k].index];
    sciara_print("%-*s %-28s %-5s %8.2f m", width, isfinite(p->arrival_s) ? SCIARA_MOMENT(start, p->arrival_s) : "-",
                 poi->name, sciara_poi_kind_name(poi->kind), p->deposit_m);
    print_covered_part(p, poi->kind);
    sciara_print("%s\n", p->mapped ? "  mapped" : "");
    mapped |= p->mapped;
  }
  if (count > MOST_ROWS) sciara_print("... and %zu more\n", count - MOST_ROWS);
  if (mapped)
    sciara_print(
        "mapped: in the outline of initial.observed, under lava at the time of the observation at the latest\n");
  sciara_free(order);
  return SCIARA_OK;
}

/** Up to when "not reached" holds, and what limits it. */
static void print_until(const struct sciara_snapshot *s) {
  const double lava = s->ledger.liquid_m3 + s->ledger.solid_m3;
  sciara_print("until %s", SCIARA_MOMENT(s->start, s->time_s));
  if (lava > 0) sciara_print(", when %.3g %% of the lava is still liquid", 100 * s->ledger.liquid_m3 / lava);
  sciara_print("\n");
  if (s->ledger.lost_m3 > 0)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: %.6g m3 of lava left the map: places beyond its edge, or near it, may be reached although they are "
               "not here",
               s->path, s->ledger.lost_m3);
}

/** "12 places: 3 reached, 7 not reached, 1 in the sea, 1 outside the DEM" */
static void print_place_states(const struct sciara_target *t, const struct sciara_run_exposure *e) {
  size_t reached = 0, count[SCIARA_POI_WHERES] = {0};
  for (size_t k = 0; k < e->pois.count; k++) {
    reached += e->exposure.place[k].reached;
    count[sciara_poi_where_of(&e->pois.poi[k], e->exposure.place[k].where, &e->window)]++;
  }
  sciara_print("%zu %s: %zu reached, %zu not reached", e->pois.count, sciara_plural(e->pois.count, "place", "places"),
               reached, count[SCIARA_POI_ON_LAND] - reached);
  print_counts(count, &e->window);
  sciara_print("\n");
  print_until(&t->snapshot);
  if (reached > 0) sciara_print("first lava, place, kind, largest deposit, covered length or area\n");
}

/** The places that are not reached, and why. */
static enum sciara_status print_missed(const struct sciara_run_exposure *e) {
  struct fate *fate;
  SCIARA_TRY(SCIARA_NEW(fate, e->pois.count + 1, "places"));
  for (size_t k = 0; k < e->pois.count; k++) {
    const struct sciara_exposed *p = &e->exposure.place[k];
    fate[k] = (struct fate){p->reached, sciara_poi_where_of(&e->pois.poi[k], p->where, &e->window)};
  }
  const enum sciara_status status = name_others(&e->pois, fate, &e->window, "not reached");
  sciara_free(fate);
  return status;
}

static enum sciara_status write_exposure_files(const struct sciara_target *t, const struct sciara_run_exposure *e,
                                               const struct files *f) {
  const struct sciara_snapshot *s = &t->snapshot;
  const struct sciara_exposure_file of = {
      .pois = e->pois.poi, .start = s->start, .grid = &s->grid, .georef = &s->georef, .title = s->title};
  if (f->csv) {
    SCIARA_TRY(sciara_export_make_folder(f->csv));
    SCIARA_TRY(sciara_exposure_write_csv(&e->exposure, &of, f->csv));
    sciara_print("%s\n", f->csv);
  }
  if (!f->gpkg) return SCIARA_OK;
  SCIARA_TRY(sciara_export_make_folder(f->gpkg));
  SCIARA_TRY(sciara_exposure_write_gpkg(&e->exposure, &of, f->gpkg));
  sciara_print("%s\n", f->gpkg);
  return SCIARA_OK;
}

/** Where files go by default: maps/ of the run, or the folder of the snapshot. */
static char *exposure_folder_of(const struct sciara_target *t) {
  return t->folder ? sciara_path_join(t->folder, "maps") : sciara_path_folder(t->path);
}

static enum sciara_status expose_run(const struct sciara_arguments *a) {
  struct sciara_target target;
  struct sciara_run_exposure e = {0};
  struct sciara_pois_request request;
  struct files files = {0};
  const char *drivers[SCIARA_MOST_GIVEN], *within = sciara_argument(a, "within");
  double times[SCIARA_EXPOSURE_MOST_TIMES];
  size_t count = 0;
  enum sciara_status status;
  request = sciara_assets_request(a, drivers);
  SCIARA_TRY(sciara_target_open(a->operand[0], sciara_checksum_rule(a), &target));
  char *folder = exposure_folder_of(&target);
  if (within) SCIARA_TRY_GOTO(parse_times(within, &target, times, &count));
  SCIARA_TRY_GOTO(name_files(a, folder ? folder : ".", &files));
  SCIARA_TRY_GOTO(sciara_run_exposure_make(&target, &request, within ? times : NULL, count, &e));
  print_place_states(&target, &e);
  SCIARA_TRY_GOTO(print_reached(&e, target.snapshot.start));
  SCIARA_TRY_GOTO(print_missed(&e));
  SCIARA_TRY_GOTO(write_exposure_files(&target, &e, &files));
cleanup:
  sciara_run_exposure_free(&e);
  files_free(&files);
  free(folder);
  sciara_target_free(&target);
  return status;
}

// --------------------------------------------------------------------------------------------------------- an ensemble

/** The places that a member reaches, the most likely first, and the bound of the others. */
static enum sciara_status print_chances(const struct sciara_exposed_places *e, const struct sciara_poi_chance *chance) {
  const struct sciara_ensemble_result *q = &e->r.ensemble.result;
  const double bound = sciara_sample_zero_bound(&e->r.sample);
  struct sciara_keyed *order; // the most likely first
  size_t count = 0, missed = 0;
  double most = 0; // of the places that no member reaches, with those that are open or censored
  if (q->deposit_count == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(order, e->pois.count + 1, "places"));
  for (size_t k = 0; k < e->pois.count; k++) {
    if (chance[k].hits > 0) order[count++] = (struct sciara_keyed){-chance[k].value, k};
    if (chance[k].hits > 0 || isnan(chance[k].value)) continue;
    missed++;
    most = fmax(most, chance[k].most);
  }
  qsort(order, count, sizeof *order, sciara_by_key);
  if (count > 0 && q->deposit_m[0] > 0)
    sciara_print("probability of more than %.9g m, place, kind\n", q->deposit_m[0]);
  else if (count > 0)
    sciara_print("probability that lava arrives, place, kind\n");
  for (size_t k = 0; k < count && k < MOST_ROWS; k++) {
    const struct sciara_poi_chance *c = &chance[order[k].index];
    const struct sciara_poi *poi = &e->pois.poi[order[k].index];
    char text[96];
    int used = snprintf(text, sizeof text, "%.2f %%", 100 * c->value);
    if (c->most > c->value) used += snprintf(text + used, sizeof text - (size_t)used, ", up to %.2f %%", 100 * c->most);
    if (isfinite(c->low))
      snprintf(text + used, sizeof text - (size_t)used, ", 95 %%: %.2f to %.2f %%", 100 * c->low, 100 * c->high);
    sciara_print("%-34s  %-28s %s%s\n", text, poi->name, sciara_poi_kind_name(poi->kind),
                 c->at_start ? "  under lava at the start" : "");
  }
  if (count > MOST_ROWS) sciara_print("... and %zu more\n", count - MOST_ROWS);
  if (missed > 0 && q->deposit_m[0] > 0)
    sciara_print("%zu %s with at most %.9g m in all members", missed, sciara_plural(missed, "place", "places"),
                 q->deposit_m[0]);
  else if (missed > 0)
    sciara_print("%zu %s that no member reaches", missed, sciara_plural(missed, "place", "places"));
  if (missed > 0 && isfinite(bound)) sciara_print(", 95 %% bound %.2f %%", 100 * bound);
  if (most > 0) sciara_print(", with open and censored members up to %.2f %%", 100 * most);
  if (missed > 0) sciara_print("\n");
  sciara_free(order);
  return SCIARA_OK;
}

/** The places that no member reaches, and why. */
static enum sciara_status print_unreached(const struct sciara_exposed_places *e,
                                          const struct sciara_poi_chance *chance) {
  struct fate *fate;
  SCIARA_TRY(SCIARA_NEW(fate, e->pois.count + 1, "places"));
  for (size_t k = 0; k < e->pois.count; k++) fate[k] = (struct fate){chance[k].reached, chance[k].where};
  const enum sciara_status status = name_others(&e->pois, fate, &e->r.dem.window, "no member reaches");
  sciara_free(fate);
  return status;
}

/** "3 of 4 places are reached by at least one member, 1 outside the DEM" */
static void print_ensemble_states(const struct sciara_exposed_places *e, const struct sciara_poi_chance *chance,
                                  size_t reached) {
  size_t count[SCIARA_POI_WHERES] = {0};
  for (size_t k = 0; k < e->pois.count; k++) count[chance[k].where]++;
  sciara_print("%zu of %zu places are reached by at least one member", reached, e->pois.count);
  print_counts(count, &e->r.dem.window);
  sciara_print("\n");
}

static enum sciara_status expose_ensemble(const struct sciara_arguments *a) {
  struct sciara_pois_request request;
  struct files files = {0};
  struct sciara_text said = {0};
  struct sciara_exposed_places e = {0};
  struct sciara_poi_chance *chance = NULL;
  size_t reached = 0;
  const char *drivers[SCIARA_MOST_GIVEN];
  enum sciara_status status;
  if (sciara_argument_given(a, "within"))
    return sciara_fail(SCIARA_ERR_USAGE,
                       "--within: allowed with a run only; the times of an ensemble are result.within");
  request = sciara_assets_request(a, drivers);
  SCIARA_TRY_GOTO(name_files(a, a->operand[0], &files));
  SCIARA_TRY_GOTO(sciara_exposed_open(a->operand[0], &request, sciara_reduction_threads(0), &e));
  SCIARA_TRY_GOTO(SCIARA_NEW(chance, e.pois.count + 1, "places"));
  SCIARA_TRY_GOTO(sciara_exposed_write(&e, files.csv, files.gpkg, chance, &reached));
  SCIARA_TRY_GOTO(sciara_reduction_describe(&e.r, NULL, &said));
  sciara_print("%s\n", said.data);
  print_ensemble_states(&e, chance, reached);
  SCIARA_TRY_GOTO(print_chances(&e, chance));
  SCIARA_TRY_GOTO(print_unreached(&e, chance));
  if (files.csv) sciara_print("%s\n", files.csv);
  if (files.gpkg) sciara_print("%s\n", files.gpkg);
cleanup:
  sciara_free(chance);
  sciara_exposed_close(&e);
  files_free(&files);
  sciara_text_free(&said);
  return status;
}

static enum sciara_status execute_exposure(const struct sciara_arguments *a) {
  if (!sciara_argument_given(a, "assets")) return sciara_fail(SCIARA_ERR_USAGE, "--assets FILE is missing");
  return sciara_is_ensemble(a->operand[0]) ? expose_ensemble(a) : expose_run(a);
}

static const struct sciara_option options[] = {
    {"assets", 0, "FILE", "vector file of points, lines and polygons, in any CRS (required)"},
    {"layer", 0, "NAME", "layer of FILE, if it has several"},
    {"names", 0, "COLUMN",
     "column of FILE with the names (default: the first called name, nome, nom, nombre, nafn, label or id)"},
    {"within", 0, "T,T,...",
     "of a run: times by which what is covered is reported, or dates: \"6 h,1 d\" (default: a dozen or fewer)"},
    {"output", 'o', "FILE", "write this file alone: a name in .csv or .gpkg"},
    {"overwrite", 0, NULL, "replace the files if they exist"},
    {"allow-driver", 0, "NAME", "also let GDAL's driver NAME read FILE; may be repeated"},
    SCIARA_CHECKSUM_OPTION,
    {0},
};

const struct sciara_command sciara_cmd_exposure = {
    .name = "exposure",
    .summary = "show when lava reaches the places of a file, and how much of them it covers",
    .operands = "RUN|SNAPSHOT|ENSEMBLE",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "Writes exposure.csv and exposure.gpkg: into maps/ of a run, next to a snapshot, or into the folder of "
               "an ensemble. A\n"
               "place is reached when lava comes to any of its cells. Of an ensemble: probabilities with intervals, "
               "and quantiles of\n"
               "the arrival.\n",
    .execute = execute_exposure,
};
