// SPDX-License-Identifier: Apache-2.0
// The files of an ensemble: rasters, styles and pictures; outlines, isochrones and vents as GeoPackages, and as KML and
// GeoJSON.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/share.h"
#include "file/durable.h"
#include "hazard/hazard_picture.h"
#include "hazard/products.h"
#include "map/colour_ramp.h"
#include "map/vector_ogr.h"
#include "store/hazard_nc.h"

enum { CLASSES_MOST = 4 };

static bool is_map(const struct sciara_layer *l) { return l->kind != SCIARA_LAYER_FRONT; }

const char *sciara_products_ramp(const struct sciara_layer *l) {
  if (sciara_layer_is_probability(l)) return "probability";
  if (l->kind == SCIARA_LAYER_HITS) return NULL;
  return strcmp(l->unit, "s") == 0 ? "arrival_time" : "deposit";
}

// --------------------------------------------------------------------------------------------------------------- clear

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

// --------------------------------------------------------------------------------------------------------------- facts

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

// -------------------------------------------------------------------------------------------------------------- styles

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
  status = sciara_text_write(path, status, &text);
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

// ---------------------------------------------------------------------------------------------------------------- maps

/** Which maps are written. */
struct map_writing {
  const struct sciara_reduction *r;
  bool pictures;
};

/** The map of layer `k`, if it is one. */
static enum sciara_status write_hazard_layer(void *context, size_t k) {
  const struct map_writing *w = (const struct map_writing *)context;
  const struct sciara_reduction *r = w->r;
  const struct sciara_layer *l = &r->layers.layer[k];
  struct sciara_map_facts facts = {0};
  double *values;
  if (!is_map(l)) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(values, sciara_grid_cells(&r->dem.grid), "a map"));
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
  if (w->pictures && l->part == SCIARA_PART_VALUE) SCIARA_TRY_GOTO(write_picture(r, k, png));
cleanup:
  sciara_free(values);
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

/** How many maps are written at a time. */
static int maps_at_a_time(const struct sciara_grid *grid, int threads) {
  const size_t each = (size_t)sciara_grid_cells(grid) * sizeof(double) + sciara_map_cog_memory(grid) +
                      sciara_map_picture_memory(grid),
               most = SCIARA_REDUCTION_BYTES / each;
  return most >= (size_t)threads ? threads : most > 1 ? (int)most : 1;
}

/**
 * Writes maps/NAME.tif for each layer, with a continuous style (NAME.qml) and styles of 3 and 5 classes, and a picture
 * (NAME.png) of those that are not bounds or errors; and hazard.nc, which holds all layers.
 */
static enum sciara_status write_maps(const struct sciara_reduction *r, int threads, bool pictures) {
  const int count = maps_at_a_time(&r->dem.grid, threads);
  struct map_writing w = {r, pictures};
  SCIARA_TRY(sciara_folder_make_in(r->ensemble.folder, SCIARA_ENSEMBLE_MAPS));
  SCIARA_TRY(sciara_share_pieces(count, r->layers.count, write_hazard_layer, &w));
  return write_nc(r);
}

// --------------------------------------------------------------------------------------------- outlines and isochrones

typedef enum sciara_status polygon_writer(const struct sciara_polygons *p, const char *path);

/** Writes layers of zones and of marks. */
static enum sciara_status write_file(const struct sciara_reduction *r, polygon_writer *writer,
                                     struct sciara_polygons *p, const char *path) {
  struct sciara_text title = {0};
  p->grid = &r->dem.grid;
  p->georef = &r->dem.georef;
  p->start = *r->start ? r->start : NULL;
  enum sciara_status status = sciara_reduction_describe(r, NULL, &title);
  p->title = title.data;
  if (status == SCIARA_OK) status = writer(p, path);
  sciara_text_free(&title);
  return status;
}

static enum sciara_status write_vectors_gpkg(const struct sciara_reduction *r, const char *name,
                                             struct sciara_polygons *p) {
  char *path = NULL;
  enum sciara_status status = sciara_path_in(r->ensemble.folder, name, &path);
  if (status == SCIARA_OK) status = write_file(r, sciara_polygons_write_gpkg, p, path);
  free(path);
  return status;
}

static void free_zones(struct sciara_zones *zones, size_t count) {
  for (size_t k = 0; zones && k < count; k++) sciara_zones_free(&zones[k]);
  sciara_free(zones);
}

/** Room for all layers of zones. */
static enum sciara_status make_zones(const struct sciara_reduction *r, struct sciara_zones **zones) {
  return SCIARA_NEW(*zones, r->layers.count + SCIARA_FRONTS, "outlines");
}

static bool is_outlined(const struct sciara_layer *l) {
  return (l->kind == SCIARA_LAYER_PROBABILITY || l->kind == SCIARA_LAYER_REACHED || l->kind == SCIARA_LAYER_YEARS) &&
         l->part == SCIARA_PART_VALUE;
}

/** A layer of P >= 1, 5, 10, 25, 50 and 75 % for each map of probabilities, without bounds and errors. */
static enum sciara_status add_outlines(const struct sciara_reduction *r, double *values, struct sciara_zones *zones,
                                       size_t *count) {
  const int64_t cells = sciara_grid_cells(&r->dem.grid);
  for (size_t k = 0; k < r->layers.count; k++) {
    const struct sciara_layer *l = &r->layers.layer[k];
    if (!is_outlined(l)) continue;
    sciara_hazard_fill(&r->hazard, k, r->dem.valid, cells, values);
    SCIARA_TRY(sciara_zones_at_least(l->name, values, cells, SCIARA_NODATA_ALTITUDE, sciara_zones_shares,
                                     SCIARA_ZONES_SHARES, &zones[*count]));
    (*count)++;
  }
  return SCIARA_OK;
}

/** "by 6 h": the end of the label "3 to 6 h" of an isochrone, at most `latest`; with a date "by 27 Sep 18:00 UTC". */
static void name_end(const char *start, double latest, struct sciara_zone *z) {
  char end[sizeof z->label], clock[48];
  const bool cut = z->upper > latest;
  if (cut) z->upper = latest;
  if (sciara_word_clock(SCIARA_ENGLISH, start, z->upper, clock, sizeof clock)) {
    snprintf(z->label, sizeof z->label, "by %s %s", clock, sciara_shown_zone_name());
    return;
  }
  if (cut) {
    sciara_word_duration(SCIARA_ENGLISH, latest, clock, sizeof clock);
    snprintf(z->label, sizeof z->label, "by %s", clock);
    return;
  }
  double from, until;
  char unit[8];
  if (sscanf(z->label, "%lf to %lf %7s", &from, &until, unit) != 3) return;
  snprintf(end, sizeof end, "by %.9g %s", until, unit);
  snprintf(z->label, sizeof z->label, "%s", end);
}

static const char *const front_names[SCIARA_FRONTS] = {"reached_05", "reached_50"};

/** The layers "reached_05" and "reached_50": where the probability of arrival by a time is at least 5 and 50 %. */
static enum sciara_status add_isochrones(const struct sciara_reduction *r, double *values, struct sciara_zones *zones,
                                         size_t *count) {
  const int64_t cells = sciara_grid_cells(&r->dem.grid);
  double step = 0;
  for (size_t k = 0; k < r->layers.count; k++) {
    const struct sciara_layer *l = &r->layers.layer[k];
    if (l->kind != SCIARA_LAYER_FRONT) continue;
    sciara_hazard_fill(&r->hazard, k, r->dem.valid, cells, values);
    if (step == 0) step = sciara_isochrone_step(values, cells, SCIARA_NODATA_ALTITUDE);
    SCIARA_TRY(sciara_zones_isochrones(values, cells, SCIARA_NODATA_ALTITUDE, step, r->start, &zones[*count]));
    for (size_t z = 0; z < zones[*count].count; z++) name_end(r->start, r->end_s, &zones[*count].zone[z]);
    sciara_zones_nest(&zones[*count], SCIARA_ZONES_AND_BELOW);
    zones[(*count)++].name = front_names[l->index];
  }
  return SCIARA_OK;
}

typedef enum sciara_status zone_maker(const struct sciara_reduction *r, double *values, struct sciara_zones *zones,
                                      size_t *count);

static enum sciara_status write_zones(const struct sciara_reduction *r, zone_maker *make, double *values,
                                      const char *name) {
  struct sciara_polygons p = {0};
  struct sciara_zones *zones = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(make_zones(r, &zones));
  SCIARA_TRY_GOTO(make(r, values, zones, &p.count));
  p.layers = zones;
  SCIARA_TRY_GOTO(write_vectors_gpkg(r, name, &p));
cleanup:
  free_zones(zones, p.count);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- vents

static const char *const vent_columns[] = {"weight", "members", "hits_of_sites", "left_map_members", "mean_area_m2"};
static const char *const threat_texts[] = {"event", "site"};
static const char *const threat_columns[] = {"members", "hits", "probability", "contribution", "arrival_q50_s"};

enum {
  VENT_COLUMNS = sizeof vent_columns / sizeof *vent_columns,
  THREAT_TEXTS = sizeof threat_texts / sizeof *threat_texts,
  THREAT_COLUMNS = sizeof threat_columns / sizeof *threat_columns
};

/** Marks that are being listed, with their texts and values. */
struct marks {
  struct sciara_vector_mark *mark;
  const char **text;
  double *value;
  char (*label)[2][24]; ///< of vents and classes without a name
  size_t count;
};

static enum sciara_status marks_make(struct marks *m, size_t count) {
  SCIARA_TRY(SCIARA_NEW(m->mark, count + 1, "vents"));
  SCIARA_TRY(SCIARA_NEW(m->text, THREAT_TEXTS * count + 1, "vents"));
  SCIARA_TRY(SCIARA_NEW(m->value, THREAT_COLUMNS * count + 1, "vents"));
  return SCIARA_NEW(m->label, count + 1, "vents");
}

static void marks_free(struct marks *m) {
  sciara_free(m->mark);
  sciara_free(m->text);
  sciara_free(m->value);
  sciara_free(m->label);
}

/** A vent, with the sums over its members. */
static void put_vent(const struct sciara_reduction *r, size_t vent, struct marks *m) {
  const struct sciara_ensemble *e = &r->ensemble;
  const double cell = r->dem.grid.cell_size * r->dem.grid.cell_size;
  double *v = m->value + m->count * THREAT_COLUMNS, weight = 0, cells = 0;
  for (size_t k = 0; k < r->sample.count; k++) {
    if (e->members.vent[k] != (int64_t)vent || r->sample.state[k] == SCIARA_MEMBER_OPEN || r->sample.weight[k] == 0)
      continue;
    bool hit = false;
    for (size_t s = 0; s < r->pois.pois; s++) hit |= sciara_poi_is_hit(sciara_poi_hit(&r->pois, s, k), 0);
    weight += r->sample.weight[k];
    cells += r->sample.weight[k] * (double)r->pois.reached[k];
    v[1]++;
    v[2] += hit;
    v[3] += r->batches.member[k].ledger.lost_m3 > 0;
  }
  v[0] = weight / r->sample.done;
  v[4] = weight > 0 ? cells * cell / weight : NAN;
  m->mark[m->count] =
      (struct sciara_vector_mark){.label = sciara_reduction_vent(r, (int64_t)vent, m->label[m->count][0]),
                                  .points = e->vents[vent].points,
                                  .count = e->vents[vent].point_count,
                                  .value = v};
  m->count++;
}

/** What a vent and class do at a place. */
static void put_threat(const struct sciara_reduction *r, const struct sciara_contribution *c, const char *poi,
                       struct marks *m) {
  double *v = m->value + m->count * THREAT_COLUMNS;
  const char **text = m->text + m->count * THREAT_TEXTS;
  v[0] = (double)c->members;
  v[1] = (double)c->hits;
  v[2] = c->probability;
  v[3] = c->contribution;
  v[4] = c->arrival;
  text[0] = sciara_reduction_event(r, c->event, m->label[m->count][1]);
  text[1] = poi;
  m->mark[m->count] = (struct sciara_vector_mark){.label = sciara_reduction_vent(r, c->vent, m->label[m->count][0]),
                                                  .points = r->ensemble.vents[c->vent].points,
                                                  .count = 1,
                                                  .text = text,
                                                  .value = v};
  m->count++;
}

static enum sciara_status put_threats(const struct sciara_reduction *r, size_t poi, struct marks *m) {
  struct sciara_contribution *list;
  size_t count;
  SCIARA_TRY(sciara_contributions(&r->pois, &r->sample, poi, 0, r->ensemble.members.vent, r->ensemble.members.event,
                                  SCIARA_BY_VENT_AND_EVENT, &list, &count));
  for (size_t k = 0; k < count; k++)
    if (list[k].hits > 0 && list[k].vent >= 0 && (size_t)list[k].vent < r->ensemble.vent_count)
      put_threat(r, &list[k], r->ensemble.result.pois[poi].name, m);
  sciara_free(list);
  return SCIARA_OK;
}

/** The most rows that the layer "threats" can have. */
static size_t threats_most(const struct sciara_reduction *r) {
  const size_t events = r->ensemble.event_count + 1, classes = r->ensemble.vent_count * events;
  return r->pois.pois * (classes < r->sample.finished ? classes : r->sample.finished);
}

/** Writes the vents, and what they threaten, after the layers that `p` has. */
static enum sciara_status write_vents(const struct sciara_reduction *r, struct sciara_polygons *p,
                                      polygon_writer *writer, const char *path) {
  struct marks vents = {0}, threats = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(marks_make(&vents, r->ensemble.vent_count));
  SCIARA_TRY_GOTO(marks_make(&threats, threats_most(r)));
  for (size_t k = 0; k < r->ensemble.vent_count; k++) put_vent(r, k, &vents);
  for (size_t k = 0; k < r->pois.pois; k++) SCIARA_TRY_GOTO(put_threats(r, k, &threats));
  const struct sciara_vector_marks layers[] = {{.name = "vents",
                                                .named = true,
                                                .mark = vents.mark,
                                                .count = vents.count,
                                                .column = vent_columns,
                                                .columns = VENT_COLUMNS},
                                               {.name = "threats",
                                                .mark = threats.mark,
                                                .count = threats.count,
                                                .text_column = threat_texts,
                                                .text_columns = THREAT_TEXTS,
                                                .column = threat_columns,
                                                .columns = THREAT_COLUMNS}};
  p->marks = layers;
  p->mark_layers = 2;
  SCIARA_TRY_GOTO(write_file(r, writer, p, path));
cleanup:
  p->marks = NULL;
  p->mark_layers = 0;
  marks_free(&vents);
  marks_free(&threats);
  return status;
}

/** outlines.gpkg, isochrones.gpkg, and vents.gpkg if the vents are known. */
static enum sciara_status write_vectors(const struct sciara_reduction *r) {
  double *values;
  SCIARA_TRY(SCIARA_NEW(values, sciara_grid_cells(&r->dem.grid), "a map"));
  struct sciara_polygons p = {0};
  char *path = NULL;
  enum sciara_status status = write_zones(r, add_outlines, values, "outlines.gpkg");
  if (status == SCIARA_OK) status = write_zones(r, add_isochrones, values, "isochrones.gpkg");
  sciara_free(values);
  if (status != SCIARA_OK || r->ensemble.vent_count == 0) return status;
  status = sciara_path_in(r->ensemble.folder, "vents.gpkg", &path);
  if (status == SCIARA_OK) status = write_vents(r, &p, sciara_polygons_write_gpkg, path);
  free(path);
  return status;
}

// ----------------------------------------------------------------------------------------------------- KML and GeoJSON

/** The zones of all layers; release them in any case. */
static enum sciara_status make_all_zones(const struct sciara_reduction *r, struct sciara_zones **zones, size_t *count) {
  double *values;
  SCIARA_TRY(SCIARA_NEW(values, sciara_grid_cells(&r->dem.grid), "a map"));
  enum sciara_status status = make_zones(r, zones);
  if (status == SCIARA_OK) status = add_outlines(r, values, *zones, count);
  if (status == SCIARA_OK) status = add_isochrones(r, values, *zones, count);
  sciara_free(values);
  return status;
}

enum sciara_status sciara_products_kml(const struct sciara_reduction *r, const char *path) {
  struct sciara_polygons p = {0};
  struct sciara_zones *zones = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(make_all_zones(r, &zones, &p.count));
  p.layers = zones;
  status = r->ensemble.vent_count > 0 ? write_vents(r, &p, sciara_polygons_write_kml, path)
                                      : write_file(r, sciara_polygons_write_kml, &p, path);
cleanup:
  free_zones(zones, p.count);
  return status;
}

/** SCIARA_ERR_USAGE with the names of the layers. */
static enum sciara_status refuse_layer(const struct sciara_reduction *r, const char *layer) {
  struct sciara_text names = {0};
  for (size_t k = 0; k < r->layers.count; k++)
    if (is_outlined(&r->layers.layer[k])) sciara_text_append(&names, "%s, ", r->layers.layer[k].name);
  const enum sciara_status status = sciara_fail(SCIARA_ERR_USAGE, "--layer: expected %s%s or %s, found \"%.80s\"",
                                                names.data ? names.data : "", front_names[0], front_names[1], layer);
  sciara_text_free(&names);
  return status;
}

enum sciara_status sciara_products_geojson(const struct sciara_reduction *r, const char *layer, const char *path) {
  struct sciara_polygons p = {0};
  struct sciara_zones *zones = NULL;
  size_t count = 0;
  enum sciara_status status;
  SCIARA_TRY_GOTO(make_all_zones(r, &zones, &count));
  for (size_t k = 0; k < count && p.count == 0; k++)
    if (strcmp(zones[k].name, layer) == 0) {
      p.layers = &zones[k];
      p.count = 1;
    }
  status = p.count ? write_file(r, sciara_polygons_write_geojson, &p, path) : refuse_layer(r, layer);
cleanup:
  free_zones(zones, count);
  return status;
}

// --------------------------------------------------------------------------------------------------------- all of them

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

enum sciara_status sciara_products_write(const struct sciara_reduction *r, int threads, bool pictures) {
  SCIARA_TRY(write_maps(r, threads, pictures));
  SCIARA_TRY(write_vectors(r));
  SCIARA_TRY(sciara_products_pois(r));
  return clear_maps(r, pictures); // last: if anything fails there are still maps
}
