// SPDX-License-Identifier: Apache-2.0
// Rasters, styles and pictures of an ensemble.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/durable.h"
#include "hazard/hazard_picture.h"
#include "hazard/products.h"
#include "map/colour_ramp.h"
#include "store/hazard_nc.h"

enum { CLASSES_MOST = 4 };

static bool is_map(const struct sciara_layer *l) { return l->kind != SCIARA_LAYER_FRONT; }

const char *sciara_products_ramp(const struct sciara_layer *l) {
  if (sciara_layer_is_probability(l)) return "probability";
  if (l->kind == SCIARA_LAYER_HITS) return NULL;
  return strcmp(l->unit, "s") == 0 ? "arrival_time" : "deposit";
}

// -------------------------------------------------------------------------------------------------------------- clear

/** Whether a file in maps/ is one that a reduction writes. */
static bool is_product(const char *name) {
  static const char *const begins[] = {"probability_", "reached_within_",
#define SCIARA_FOOTPRINT_QUANTILES(NAME, WORD, map, ...) map "_",
#define SCIARA_FOOTPRINT_MAP(NAME, REDUCTION, WORD, map, ...) map,
#include "member/footprint.def"
                                       "hits."};
  static const char *const ends[] = {".tif", ".qml", ".png"};
  const size_t length = strlen(name);
  bool begin = false, end = false;
  for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) begin |= strncmp(name, begins[k], strlen(begins[k])) == 0;
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) end |= length > 4 && strcmp(name + length - 4, ends[k]) == 0;
  return (begin || strncmp(name, "hits_", 5) == 0) && end;
}

/** Whether this reduction has written a file of this name. */
static bool is_current(const struct sciara_reduction *r, bool pictures, const char *name) {
  static const char *const ends[] = {".tif", ".qml", "_3classes.qml", "_5classes.qml"};
  for (size_t k = 0; k < r->layers.count; k++) {
    const struct sciara_layer *l = &r->layers.layer[k];
    const size_t length = strlen(l->name);
    if (!is_map(l) || strncmp(name, l->name, length) != 0) continue;
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
      if (strcmp(name + length, ends[e]) == 0) return true;
    if (pictures && l->part == SCIARA_PART_VALUE && strcmp(name + length, ".png") == 0) return true;
  }
  return false;
}

/** Removes from maps/ what this reduction, with or without pictures, does not write: maps of an earlier one. */
static enum sciara_status clear_maps(const struct sciara_reduction *r, bool pictures) {
  char *folder;
  SCIARA_TRY(sciara_path_in(r->ensemble.folder, SCIARA_ENSEMBLE_MAPS, &folder));
  DIR *d = opendir(folder);
  for (struct dirent *entry; d && (entry = readdir(d));)
    if (is_product(entry->d_name) && !is_current(r, pictures, entry->d_name)) unlinkat(dirfd(d), entry->d_name, 0);
  if (d) closedir(d);
  free(folder);
  return SCIARA_OK;
}

// -------------------------------------------------------------------------------------------------------------- facts

double sciara_products_zero_bound(const struct sciara_reduction *r, const struct sciara_layer *l) {
  return l->kind == SCIARA_LAYER_YEARS ? sciara_hazard_years_zero_bound(&r->rule, r->ensemble.result.years[l->second])
                                       : sciara_sample_zero_bound(&r->sample);
}

static enum sciara_status add_zero_bound(const struct sciara_reduction *r, const struct sciara_layer *l,
                                         struct sciara_map_facts *out) {
  const double bound = sciara_products_zero_bound(r, l);
  char text[32];
  if (!sciara_layer_is_probability(l) || !isfinite(bound)) return SCIARA_OK;
  snprintf(text, sizeof text, "%.9g", bound);
  return sciara_map_facts_add(out, "upper_95_percent_bound_without_hits", text);
}

/** How the 95 % interval of a probability p follows from its error. */
static enum sciara_status add_interval(const struct sciara_reduction *r, const struct sciara_layer *l,
                                       struct sciara_map_facts *out) {
  char text[192];
  if (!sciara_layer_is_probability(l) || l->kind == SCIARA_LAYER_YEARS || !isfinite(r->sample.critical))
    return SCIARA_OK;
  snprintf(text, sizeof text,
           "(p + t^2/2n +- t sqrt(p (1 - p)/n + t^2/4n^2)) / (1 + t^2/n) with n = p (1 - p)/(error^2 + w^2), t = %.6g, "
           "w = %.9g",
           r->sample.critical, r->sample.largest);
  return sciara_map_facts_add(out, "interval_95_percent", text);
}

/** For which strata finished members stand in for others, and which have none. */
static enum sciara_status add_weights(const struct sciara_reduction *r, struct sciara_map_facts *out) {
  const struct sciara_sample *s = &r->sample;
  char text[160];
  if (s->restored + s->lost == 0) return SCIARA_OK;
  snprintf(text, sizeof text,
           "restored in %zu strata with open members; %zu strata, %.3g %% of the weight, have no "
           "finished member and are in the bounds only",
           s->restored, s->lost, 100 * s->lost_weight);
  return sciara_map_facts_add(out, "weights", text);
}

enum sciara_status sciara_products_facts(const struct sciara_reduction *r, const struct sciara_layer *l,
                                         struct sciara_map_facts *out) {
  struct sciara_text text = {0}, condition = {0};
  char rules[SCIARA_RULES_TEXT];
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_reduction_describe(r, l, &text));
  SCIARA_TRY_GOTO(sciara_reduction_condition(r, l, &condition));
  SCIARA_TRY_GOTO(sciara_map_facts_add(out, "meaning", l->long_name));
  SCIARA_TRY_GOTO(sciara_map_facts_add(out, "condition", condition.data));
  SCIARA_TRY_GOTO(sciara_map_facts_add(out, "members", text.data));
  SCIARA_TRY_GOTO(sciara_map_facts_add(out, "rule", sciara_rules_name(r->rules, rules)));
  if (r->sample.kind == SCIARA_ERROR_GRID)
    SCIARA_TRY_GOTO(sciara_map_facts_add(
        out, "error", "no sampling error, and no bound where no member reaches; grid difference only"));
  SCIARA_TRY_GOTO(add_weights(r, out));
  SCIARA_TRY_GOTO(add_zero_bound(r, l, out));
  SCIARA_TRY_GOTO(add_interval(r, l, out));
  SCIARA_TRY_GOTO(sciara_map_facts_add(out, "program", "sciara " SCIARA_VERSION));
cleanup:
  sciara_text_free(&text);
  sciara_text_free(&condition);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- styles

/** The edges between `classes` classes, the same for every ensemble; of numbers of members equal parts of their range. */
static size_t class_edges(const struct sciara_map *map, const struct sciara_layer *l, int classes, double *edges) {
  enum { HOUR = 3600, DAY = 86400 };
  static const struct {
    double three[2], five[4];
  } fixed[] = {{{0.05, 0.25}, {0.01, 0.05, 0.25, 0.5}},                     // probabilities
               {{1 * DAY, 7 * DAY}, {6 * HOUR, 1 * DAY, 3 * DAY, 7 * DAY}}, // times, s
               {{1, 5}, {0.5, 1, 2, 5}}};                                   // deposits, m
  const int of = sciara_layer_is_probability(l) ? 0
                 : strcmp(l->unit, "s") == 0    ? 1
                 : strcmp(l->unit, "m") == 0    ? 2
                                                : -1;
  double low = 0, high = 0;
  if (of < 0)
    sciara_ramp_range(sciara_map_ramp(map), map->values, sciara_grid_cells(map->grid), map->nodata, &low, &high);
  for (int k = 0; k + 1 < classes; k++)
    edges[k] = of < 0 ? low + (high - low) * (k + 1) / classes : classes == 3 ? fixed[of].three[k] : fixed[of].five[k];
  return (size_t)(classes - 1);
}

static enum sciara_status write_classes(const struct sciara_map *map, const struct sciara_layer *l, const char *stem,
                                        int classes) {
  double edges[CLASSES_MOST];
  struct sciara_text text = {0};
  const size_t count = class_edges(map, l, classes, edges);
  char *path = sciara_format("%s_%dclasses.qml", stem, classes);
  if (!path) return sciara_no_memory("the path of a style");
  enum sciara_status status = sciara_ramp_classes_qml(sciara_map_ramp(map), edges, count, map->unit, &text);
  if (status == SCIARA_OK) status = sciara_file_replace(path, text.data, text.length);
  sciara_text_free(&text);
  free(path);
  return status;
}

/** The picture of a layer with what is usual: English, the part that any member reaches. */
static enum sciara_status write_picture(const struct sciara_reduction *r, size_t k, const char *path) {
  struct sciara_hazard_picture p = {0};
  SCIARA_TRY(sciara_hazard_picture_make(r, k, SCIARA_ENGLISH, NULL, &p));
  const struct sciara_map_window window = sciara_map_window_around(&p.bounds, p.map.grid);
  p.picture.window = &window;
  const enum sciara_status status = sciara_map_write_png(&p.picture, path);
  sciara_hazard_picture_free(&p);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- maps

static enum sciara_status write_hazard_layer(const struct sciara_reduction *r, size_t k, bool picture, double *values) {
  const struct sciara_layer *l = &r->layers.layer[k];
  struct sciara_map_facts facts = {0};
  struct sciara_map map = {.grid = &r->dem.grid,
                           .georef = &r->dem.georef,
                           .values = values,
                           .nodata = SCIARA_NODATA_ALTITUDE,
                           .name = l->name,
                           .ramp = sciara_products_ramp(l),
                           .long_name = l->long_name,
                           .unit = l->unit,
                           .title = sciara_hazard_name(r, SCIARA_ENGLISH),
                           .facts = &facts};
  char *stem = sciara_format("%s/" SCIARA_ENSEMBLE_MAPS "/%s", r->ensemble.folder, l->name);
  char *tif = stem ? sciara_format("%s.tif", stem) : NULL, *png = stem ? sciara_format("%s.png", stem) : NULL;
  enum sciara_status status = SCIARA_OK;
  if (!stem || !tif || !png) {
    status = sciara_no_memory("the path of a map");
    goto cleanup;
  }
  sciara_hazard_fill(&r->hazard, k, r->dem.valid, sciara_grid_cells(&r->dem.grid), values);
  SCIARA_TRY_GOTO(sciara_products_facts(r, l, &facts));
  SCIARA_TRY_GOTO(write_classes(&map, l, stem, 3));
  SCIARA_TRY_GOTO(write_classes(&map, l, stem, 5));
  SCIARA_TRY_GOTO(sciara_map_write_cog(&map, tif));
  if (picture && l->part == SCIARA_PART_VALUE) SCIARA_TRY_GOTO(write_picture(r, k, png));
cleanup:
  sciara_map_facts_free(&facts);
  free(stem);
  free(tif);
  free(png);
  return status;
}

static void fill_field(void *context, size_t k, double *values) {
  const struct sciara_reduction *r = (const struct sciara_reduction *)context;
  sciara_hazard_fill(&r->hazard, k, r->dem.valid, sciara_grid_cells(&r->dem.grid), values);
}

static enum sciara_status write_nc(const struct sciara_reduction *r) {
  struct sciara_hazard_field *field = NULL;
  struct sciara_text comment = {0};
  char *path;
  SCIARA_TRY(sciara_path_in(r->ensemble.folder, "hazard.nc", &path));
  char rules[SCIARA_RULES_TEXT];
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY_GOTO(sciara_reduction_describe(r, NULL, &comment));
  SCIARA_TRY_GOTO(SCIARA_NEW(field, r->layers.count + 1, "the list of the maps"));
  for (size_t k = 0; k < r->layers.count; k++)
    field[k] =
        (struct sciara_hazard_field){r->layers.layer[k].name, r->layers.layer[k].long_name, r->layers.layer[k].unit};
  const struct sciara_hazard_file file = {.grid = &r->dem.grid,
                                          .georef = &r->dem.georef,
                                          .title = sciara_hazard_name(r, SCIARA_ENGLISH),
                                          .comment = comment.data,
                                          .dem_hash = r->dem.hash,
                                          .model_rule = sciara_rules_name(r->rules, rules),
                                          .rule_edition = r->ensemble.rule_edition,
                                          .field = field,
                                          .count = r->layers.count,
                                          .context = (void *)(uintptr_t)r,
                                          .fill = fill_field};
  SCIARA_TRY_GOTO(sciara_hazard_nc_write(&file, path));
cleanup:
  sciara_text_free(&comment);
  sciara_free(field);
  free(path);
  return status;
}

/**
 * Writes maps/NAME.tif for each layer, with a continuous style (NAME.qml) and styles of 3 and 5 classes, and a picture
 * (NAME.png) of those that are not bounds or errors; and hazard.nc, which holds all layers.
 */
static enum sciara_status write_maps(const struct sciara_reduction *r, bool pictures) {
  double *values;
  SCIARA_TRY(SCIARA_NEW(values, sciara_grid_cells(&r->dem.grid), "a map"));
  enum sciara_status status = sciara_folder_make_in(r->ensemble.folder, SCIARA_ENSEMBLE_MAPS);
  for (size_t k = 0; k < r->layers.count && status == SCIARA_OK; k++)
    if (is_map(&r->layers.layer[k])) status = write_hazard_layer(r, k, pictures, values);
  sciara_free(values);
  return status == SCIARA_OK ? write_nc(r) : status;
}

void sciara_products_lock(const char *folder, int *lock) {
  int locked = -1;
  *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return; // some file systems cannot lock
  sciara_log(SCIARA_LOG_INFO, "%s: another process writes its maps; waiting for it to finish", folder);
  do {
    locked = flock(*lock, LOCK_EX);
  } while (locked != 0 && errno == EINTR);
}

void sciara_products_unlock(int lock) {
  if (lock >= 0) close(lock);
}

enum sciara_status sciara_products_write(const struct sciara_reduction *r, bool pictures) {
  SCIARA_TRY(write_maps(r, pictures));
  SCIARA_TRY(sciara_products_vectors(r));
  SCIARA_TRY(sciara_products_pois(r));
  return clear_maps(r, pictures); // last: if anything fails there are still maps
}
