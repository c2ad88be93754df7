// SPDX-License-Identifier: Apache-2.0
// Outlines, isochrones and vents of an ensemble as GeoPackages, and as KML and GeoJSON.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/mem.h"
#include "file/durable.h"
#include "hazard/products.h"
#include "map/vector_ogr.h"

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

/** "by 6 h": the end of the label "3 to 6 h" of an isochrone; with a date "by 27 Sep 18:00 UTC". */
static void name_end(const char *start, struct sciara_zone *z) {
  char end[sizeof z->label], clock[48];
  if (sciara_word_clock(SCIARA_ENGLISH, start, z->upper, clock, sizeof clock)) {
    snprintf(z->label, sizeof z->label, "by %s %s", clock, sciara_shown_zone_name());
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
    for (size_t z = 0; z < zones[*count].count; z++) name_end(r->start, &zones[*count].zone[z]);
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

// -------------------------------------------------------------------------------------------------------------- vents

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

enum sciara_status sciara_products_vectors(const struct sciara_reduction *r) {
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
