// SPDX-License-Identifier: Apache-2.0
#include "terrain/poi_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diagnostics.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/vector_open.h"
#include "terrain/vector_shapes.h"

enum { MOST_POINTS = 20000000 }; ///< of all places of a file

/** Places that are being read. */
struct collection {
  const struct sciara_pois_request *request;
  struct sciara_pois *out;
  size_t capacity, points, nameless;
  int64_t feature; ///< of the last place
  int64_t rows;    ///< of a table, so far
};

void sciara_pois_free(struct sciara_pois *pois) {
  for (size_t k = 0; k < pois->count; k++) sciara_poi_free(&pois->poi[k]);
  sciara_free(pois->poi);
  sciara_free(pois->elsewhere);
  *pois = (struct sciara_pois){0};
}

enum sciara_status sciara_pois_append_names(const struct sciara_pois *pois, const bool *which, size_t most,
                                            struct sciara_text *out) {
  size_t count = 0;
  for (size_t k = 0; k < pois->count; k++) {
    count += which[k];
    if (which[k] && count <= most)
      SCIARA_TRY(sciara_text_append(out, "%s\"%.60s\"", count > 1 ? ", " : "", pois->poi[k].name));
  }
  return count > most ? sciara_text_append(out, " and %zu more", count - most) : SCIARA_OK;
}

/** A place without points for a feature. */
static enum sciara_status add_place(struct collection *c, const struct sciara_shape *shape) {
  const size_t most = c->request->most ? c->request->most : SCIARA_POIS_MOST;
  struct sciara_pois *p = c->out;
  if (p->count == most)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected at most %zu features, found more", c->request->path, most);
  if (p->count == c->capacity) {
    const size_t more = c->capacity ? 2 * c->capacity : 64;
    SCIARA_TRY(sciara_resize((void **)&p->poi, p->count, more, sizeof *p->poi, "places"));
    SCIARA_TRY(sciara_resize((void **)&p->elsewhere, p->count, more, sizeof *p->elsewhere, "places"));
    c->capacity = more;
  }
  const bool named = shape->name && *shape->name;
  struct sciara_poi *poi = &p->poi[p->count];
  *poi = (struct sciara_poi){.kind = shape->kind};
  poi->name = named ? sciara_format("%s", shape->name) : sciara_format("feature %" PRId64, shape->feature + 1);
  p->elsewhere[p->count++] = shape->elsewhere;
  c->nameless += !named;
  c->feature = shape->feature;
  return poi->name ? SCIARA_OK : sciara_no_memory("the name of a place");
}

/** Outer rings run one way, holes the other: turns a ring whose area does not have the sign. */
static void orient(struct sciara_point *ring, size_t count, bool hole) {
  double twice = 0;
  for (size_t k = 0; k < count; k++) {
    const struct sciara_point a = ring[k], b = ring[k + 1 < count ? k + 1 : 0], o = ring[0];
    twice += (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
  }
  if (twice == 0 || (twice < 0) == hole) return;
  for (size_t i = 0, k = count - 1; i < k; i++, k--) {
    const struct sciara_point swapped = ring[i];
    ring[i] = ring[k];
    ring[k] = swapped;
  }
}

static enum sciara_status fail_mixture(const struct collection *c, const struct sciara_shape *shape,
                                       const struct sciara_poi *poi) {
  struct sciara_text command = {0};
  enum sciara_status status = sciara_text_append(&command, "ogr2ogr -explodecollections ");
  if (status == SCIARA_OK) status = sciara_vector_append_names(&command, c->request->path, "parts");
  if (status == SCIARA_OK)
    status =
        sciara_fail(SCIARA_ERR_INPUT,
                    "%s: feature %" PRId64 " (\"%.60s\"): expected points, lines or polygons, found several of them: a "
                    "%s and a %s. Make a feature of each part with: %s",
                    c->request->path, shape->feature + 1, poi->name, sciara_poi_kind_name(poi->kind),
                    sciara_poi_kind_name(shape->kind), command.data);
  sciara_text_free(&command);
  return status;
}

/** Adds a point, a line or a polygon to the last place. */
static enum sciara_status add_parts(struct collection *c, const struct sciara_shape *shape) {
  struct sciara_poi *poi = &c->out->poi[c->out->count - 1];
  const size_t points = shape->ends[shape->rings - 1], before = poi->point_count;
  if (before > 0 && poi->kind != shape->kind) return fail_mixture(c, shape, poi);
  c->points += points;
  if (c->points > MOST_POINTS)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected at most %d points in all features, found more", c->request->path,
                       MOST_POINTS);
  poi->kind = shape->kind;
  SCIARA_TRY(sciara_resize((void **)&poi->points, before, before + points, sizeof *poi->points, "a place"));
  SCIARA_TRY(sciara_resize((void **)&poi->ends, poi->parts, poi->parts + shape->rings, sizeof *poi->ends, "a place"));
  memcpy(poi->points + before, shape->points, points * sizeof *poi->points);
  for (size_t k = 0, begin = 0; k < shape->rings; k++) {
    if (shape->kind == SCIARA_POI_ZONE) orient(poi->points + before + begin, shape->ends[k] - begin, k > 0);
    poi->ends[poi->parts++] = before + shape->ends[k];
    begin = shape->ends[k];
  }
  poi->point_count += points;
  return SCIARA_OK;
}

static enum sciara_status take_shape(void *context, const struct sciara_shape *shape) {
  struct collection *c = (struct collection *)context;
  if (c->out->count == 0 || c->feature != shape->feature) SCIARA_TRY(add_place(c, shape));
  return shape->rings > 0 ? add_parts(c, shape) : SCIARA_OK;
}

// -------------------------------------------------------------------------------------------------------------- names

/** A place by its name. */
struct entry {
  const char *name;
  size_t number;
};

static int by_name(const void *a, const void *b) {
  const struct entry *p = (const struct entry *)a, *q = (const struct entry *)b;
  const int order = strcmp(p->name, q->name);
  return order ? order : (p->number > q->number) - (p->number < q->number);
}

/** Whether one of the entries, in order, has the name. */
static bool is_taken(const struct entry *entry, size_t count, const char *name) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = strcmp(entry[middle].name, name);
    if (order == 0) return true;
    *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
  }
  return false;
}

/** The name with the next number with which no other place is called so; malloc'd, NULL without memory. */
static char *numbered_name(const struct entry *entry, size_t count, const char *name, size_t *number) {
  for (;; (*number)++) {
    char *made = sciara_format("%s (%zu)", name, *number);
    if (!made || !is_taken(entry, count, made)) return made;
    free(made);
  }
}

/** Adds a number to names that stand before another of the same name. Returns how many in *changed. */
static enum sciara_status number_names(struct sciara_pois *p, size_t *changed) {
  struct entry *entry = NULL;
  char **made = NULL;
  enum sciara_status status;
  *changed = 0;
  SCIARA_TRY_GOTO(SCIARA_NEW(entry, p->count + 1, "the names of places"));
  SCIARA_TRY_GOTO(SCIARA_NEW(made, p->count + 1, "the names of places"));
  for (size_t k = 0; k < p->count; k++) entry[k] = (struct entry){p->poi[k].name, k};
  qsort(entry, p->count, sizeof *entry, by_name);
  for (size_t k = 1, number = 2; k < p->count; k++) {
    number = strcmp(entry[k].name, entry[k - 1].name) == 0 ? number : 2;
    if (strcmp(entry[k].name, entry[k - 1].name) != 0) continue;
    made[k] = numbered_name(entry, p->count, entry[k].name, &number);
    number++;
    if (!made[k]) status = sciara_no_memory("the name of a place");
    if (!made[k]) goto cleanup;
  }
  for (size_t k = 0; k < p->count; k++) {
    char **name = &p->poi[entry[k].number].name;
    if (!made[k]) continue;
    free(*name);
    *name = made[k];
    made[k] = NULL;
    (*changed)++;
  }
cleanup:
  for (size_t k = 0; made && k < p->count; k++) free(made[k]);
  sciara_free(made);
  sciara_free(entry);
  return status;
}

static void report_poi(const struct collection *c, size_t numbered) {
  const char *path = c->request->path;
  if (c->nameless > 0 && c->nameless < c->out->count)
    sciara_log(SCIARA_LOG_INFO, "%s: %zu of %zu features have no name: they are called feature 1 and so on", path,
               c->nameless, c->out->count);
  if (numbered > 0)
    sciara_log(SCIARA_LOG_INFO, "%s: %zu %s again: %s numbered, \"name (2)\" and so on", path, numbered,
               sciara_plural(numbered, "name occurs", "names occur"), sciara_plural(numbered, "it is", "they are"));
}

// -------------------------------------------------------------------------------------------------------------- tables

/** Whether a file is a table of points by its name, and not for a driver of GDAL that was asked for. */
static bool is_table(const struct sciara_pois_request *q) {
  const char *dot = strrchr(q->path, '.');
  for (size_t k = 0; k < q->extra_driver_count; k++)
    if (strcasecmp(q->extra_drivers[k], "CSV") == 0) return false;
  return dot && (strcasecmp(dot, ".csv") == 0 || strcasecmp(dot, ".tsv") == 0);
}

/** A row of a table is a place of one point. */
static enum sciara_status take_row(void *context, const struct sciara_point_row *row) {
  struct collection *c = (struct collection *)context;
  const size_t end = 1;
  const bool elsewhere = isnan(row->at.x);
  const struct sciara_shape shape = {.kind = SCIARA_POI_POINT,
                                     .points = elsewhere ? NULL : &row->at,
                                     .ends = &end,
                                     .rings = !elsewhere,
                                     .elsewhere = elsewhere,
                                     .feature = c->rows++,
                                     .name = row->name};
  const char *place = c->request->place;
  if (place && (!row->name || strcmp(row->name, place) != 0)) return SCIARA_OK;
  return take_shape(c, &shape);
}

static enum sciara_status read_table(struct collection *c) {
  const struct sciara_pois_request *q = c->request;
  const struct sciara_point_table table = {
      .path = q->path, .places = true, .name_column = q->name_column, .crs_wkt = q->crs_wkt, .grid = q->grid};
  struct sciara_diagnostics diagnostics = {0};
  if (q->layer)
    return sciara_fail(SCIARA_ERR_USAGE, "%s: is a table of points, which has no layers; found layer \"%s\"", q->path,
                       q->layer);
  enum sciara_status status = sciara_point_table_read(&table, take_row, c, &diagnostics);
  if (status == SCIARA_OK) status = sciara_diagnostics_status(&diagnostics);
  sciara_diagnostics_free(&diagnostics);
  if (status == SCIARA_OK && c->out->count == 0)
    status = q->place
                 ? sciara_fail(SCIARA_ERR_INPUT, "%s: expected the name of a row, found \"%.60s\"", q->path, q->place)
                 : sciara_fail(SCIARA_ERR_INPUT, "%s: expected a row for each place, found none", q->path);
  return status;
}

/** Refuses places of which none has a geometry: lava would reach none of them, wherever they are. */
static enum sciara_status check_geometry(const struct collection *c) {
  const struct sciara_pois *p = c->out;
  for (size_t k = 0; k < p->count; k++)
    if (p->elsewhere[k] || p->poi[k].point_count > 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected features with a geometry, found none in its %zu %s%s",
                     c->request->path, p->count, sciara_plural(p->count, "feature", "features"),
                     c->request->extra_driver_count
                         ? " (a table .csv with the columns x and y, or lon and lat, is read without --allow-driver)"
                         : "");
}

enum sciara_status sciara_pois_read(const struct sciara_pois_request *q, struct sciara_pois *out) {
  struct collection c = {.request = q, .out = out};
  const struct sciara_shapes_request request = {.path = q->path,
                                                .layer = q->layer,
                                                .crs_wkt = q->crs_wkt,
                                                .grid = q->grid,
                                                .extra_drivers = q->extra_drivers,
                                                .extra_driver_count = q->extra_driver_count,
                                                .places = true,
                                                .place = q->place,
                                                .name_column = q->name_column,
                                                .visit = take_shape,
                                                .context = &c};
  size_t numbered = 0;
  enum sciara_status status;
  *out = (struct sciara_pois){0};
  SCIARA_TRY_GOTO(is_table(q) ? read_table(&c) : sciara_shapes_read(&request));
  SCIARA_TRY_GOTO(check_geometry(&c));
  SCIARA_TRY_GOTO(number_names(out, &numbered));
  report_poi(&c, numbered);
cleanup:
  if (status != SCIARA_OK) sciara_pois_free(out);
  return status;
}
