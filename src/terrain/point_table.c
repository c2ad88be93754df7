// SPDX-License-Identifier: Apache-2.0
#include "terrain/vector_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/csv.h"
#include "file/georef.h"

enum { MOST_COLUMNS = 256, MOST_BYTES = 256 << 20, MOST_PROBLEMS = 100 };

/** What a column may hold. */
enum place { X, Y, NAME, WEIGHT, PLACES };
static const char *const shown[PLACES] = {"x", "y", "name", "the weight"}, *const degrees[] = {"lon", "lat"};

/** A table that is being read. */
struct table {
  struct sciara_csv_rows csv;
  const struct sciara_point_table *q;
  const char *weight; ///< name of the column of weights; NULL: there is none
  size_t named;       ///< number of the column of names; SIZE_MAX: there is none
  size_t count;       ///< of columns
  size_t line;        ///< of the row last read
  size_t at[PLACES];  ///< numbers of columns; SIZE_MAX: there is none
  char *name[PLACES]; ///< as in the file
  bool plain;         ///< the names are those of `shown`
  bool lonlat;        ///< the columns of places are in degrees
  struct sciara_text unused;
};

// ------------------------------------------------------------------------------------------------------------ columns

/** Whether `name` is `word` in any case, perhaps with the unit: "X", "x (m)", "x_m". */
static bool is_named(const char *name, const char *word) {
  static const char *const units[] = {"", "_m", " m", " (m)", " [m]", "(m)", "[m]"};
  const size_t n = strlen(word);
  if (strncasecmp(name, word, n) != 0) return false;
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (strcasecmp(name + n, units[k]) == 0) return true;
  return false;
}

/** Whether a column is the one of weights: its name as given, or in another case if no other column has it as given. */
static bool is_weight(const struct table *t, char *const *names, size_t k) {
  if (!t->weight || strcasecmp(names[k], t->weight) != 0) return false;
  for (size_t i = 0; i < t->count; i++)
    if (strcmp(names[i], t->weight) == 0) return strcmp(names[k], t->weight) == 0;
  return true;
}

/** 0: a column of longitudes, 1: of latitudes, 2: neither. */
static int degree_of(const char *name) {
  static const char *const words[2][4] = {{"lon", "long", "lng", "longitude"}, {"lat", "latitude", "latitud", "lat."}};
  for (int axis = 0; axis < 2; axis++)
    for (size_t k = 0; k < sizeof words[axis] / sizeof *words[axis]; k++)
      if (strcasecmp(name, words[axis][k]) == 0) return axis;
  return 2;
}

/** Whether the places are in degrees: there are columns of these, and none of metres. */
static bool has_degrees(char *const *names, size_t count) {
  bool axes[3] = {false}, metres = false;
  for (size_t k = 0; k < count; k++) {
    axes[degree_of(names[k])] = true;
    metres |= is_named(names[k], "x") || is_named(names[k], "y") || is_named(names[k], "easting") ||
              is_named(names[k], "northing");
  }
  return axes[0] && axes[1] && !metres;
}

/** Finds the column of names: the requested one, or the first of the usual ones, of a table without places called name. */
static enum sciara_status find_point_names(struct table *t, char *const *names) {
  static const char *const name[] = {"name", NULL};
  const char *const asked[] = {t->q->name_column, NULL};
  const char *const *words = t->q->name_column ? asked : t->q->places ? sciara_name_columns : name;
  t->named = SIZE_MAX;
  for (; *words && t->named == SIZE_MAX; words++)
    for (size_t k = t->count; k-- > 0;)
      if (strcasecmp(names[k], *words) == 0) t->named = k;
  if (t->q->places && !t->q->name_column && t->named != SIZE_MAX)
    sciara_log(SCIARA_LOG_INFO, "%s: names are those of the column \"%s\"", t->csv.name, names[t->named]);
  else if (t->q->places && !t->q->name_column)
    sciara_log(SCIARA_LOG_INFO, "%s: has no column of names: its rows are called feature 1 and so on", t->csv.name);
  if (t->named != SIZE_MAX || !t->q->name_column) return SCIARA_OK;
  struct sciara_text found = {0};
  enum sciara_status status = sciara_csv_append_names(&found, names, t->count);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_USAGE, "%s: expected the column of names \"%s\" among its columns, found %s",
                         t->csv.name, t->q->name_column, found.data);
  sciara_text_free(&found);
  return status;
}

static enum place place_of(const struct table *t, char *const *names, size_t k) {
  if (t->lonlat && degree_of(names[k]) < 2) return (enum place)degree_of(names[k]);
  if (t->lonlat) return k == t->named ? NAME : is_weight(t, names, k) ? WEIGHT : PLACES;
  if (is_named(names[k], "x") || is_named(names[k], "easting")) return X;
  if (is_named(names[k], "y") || is_named(names[k], "northing")) return Y;
  if (k == t->named) return NAME;
  return is_weight(t, names, k) ? WEIGHT : PLACES;
}

static enum sciara_status place(struct table *t, char *const *names, size_t k) {
  const enum place to = place_of(t, names, k);
  if (to == PLACES) return sciara_text_append(&t->unused, "%s\"%.60s\"", t->unused.length ? ", " : "", names[k]);
  if (t->at[to] != SIZE_MAX)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected one column of %s, found \"%.60s\" and \"%.60s\"",
                       t->csv.name, t->line, shown[to], t->name[to], names[k]);
  t->at[to] = k;
  t->name[to] = names[k];
  const char *usual = to == WEIGHT ? t->weight : t->lonlat && to < NAME ? degrees[to] : shown[to];
  t->plain = t->plain && strcmp(names[k], usual) == 0;
  return SCIARA_OK;
}

static enum sciara_status refuse_header(const struct table *t, char *const *names, const char *expected) {
  struct sciara_text found = {0};
  enum sciara_status status = sciara_csv_append_names(&found, names, t->count);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %s, found %.400s (separated by %s)", t->csv.name, t->line,
                         expected, found.data, sciara_csv_separators(&t->csv));
  sciara_text_free(&found);
  return status;
}

static enum sciara_status check_columns(const struct table *t, char *const *names) {
  char expected[320];
  if (t->at[X] == SIZE_MAX || t->at[Y] == SIZE_MAX)
    return refuse_header(t, names, "the columns x and y, in the CRS of the DEM, or lon and lat");
  if (!t->weight || t->at[WEIGHT] != SIZE_MAX) return SCIARA_OK;
  const char *closest = sciara_closest_name(t->weight, (const char *const *)names, t->count);
  snprintf(expected, sizeof expected, "a column \"%.60s\" (vents.weights.column)%s%.60s%s", t->weight,
           closest ? " (did you mean \"" : "", closest ? closest : "", closest ? "\"?)" : "");
  return refuse_header(t, names, expected);
}

static enum sciara_status read_columns(struct table *t) {
  char *names[MOST_COLUMNS];
  if (!sciara_csv_has_row(&t->csv))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a line of names, found nothing", t->csv.name);
  t->line = t->csv.line;
  SCIARA_TRY(sciara_csv_take_row(&t->csv, MOST_COLUMNS, names, &t->count));
  if (t->count > MOST_COLUMNS)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected at most %d columns, found more", t->csv.name, t->line,
                       MOST_COLUMNS);
  t->plain = t->csv.separator == ',';
  t->lonlat = has_degrees(names, t->count);
  SCIARA_TRY(find_point_names(t, names));
  for (size_t k = 0; k < PLACES; k++) t->at[k] = SIZE_MAX;
  for (size_t k = 0; k < t->count; k++) SCIARA_TRY(place(t, names, k));
  return check_columns(t, names);
}

// --------------------------------------------------------------------------------------------------------------- rows

static enum sciara_status read_number(struct table *t, enum place from, char *const *cells, double *out) {
  const char *text = cells[t->at[from]], *allowed;
  const char *number = sciara_csv_point(&t->csv, text, &allowed);
  const bool is_number = number && sciara_parse_double(number, out);
  if (is_number && (from == WEIGHT ? *out >= 0 : fabs(*out) <= 1e9)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: %.60s: expected %s, found \"%.60s\"", t->csv.name, t->line,
                     t->name[from],
                     !number          ? allowed
                     : from == WEIGHT ? "a weight, 0 or more"
                     : t->lonlat      ? "a coordinate in degrees"
                                      : "a coordinate in m",
                     text);
}

static enum sciara_status read_row(struct table *t, char *const *cells, size_t count, struct sciara_point_row *out) {
  *out = (struct sciara_point_row){.file = t->csv.name, .line = t->line, .weight = 1};
  if (count != t->count)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %zu values separated by %s, found %zu", t->csv.name, t->line,
                       t->count, sciara_csv_separators(&t->csv), count);
  SCIARA_TRY(read_number(t, X, cells, &out->at.x));
  SCIARA_TRY(read_number(t, Y, cells, &out->at.y));
  if (t->at[WEIGHT] != SIZE_MAX) SCIARA_TRY(read_number(t, WEIGHT, cells, &out->weight));
  if (t->at[NAME] != SIZE_MAX && *cells[t->at[NAME]]) out->name = cells[t->at[NAME]];
  return SCIARA_OK;
}

/** Rows that wait for the change of their places. */
struct rows {
  struct sciara_point_row *row;
  size_t count, capacity;
};

static enum sciara_status add_row(struct rows *r, const struct sciara_point_row *row) {
  if (r->count == r->capacity) {
    const size_t more = r->capacity ? 2 * r->capacity : 64;
    SCIARA_TRY(sciara_resize((void **)&r->row, r->count, more, sizeof *r->row, "the rows of a table"));
    r->capacity = more;
  }
  r->row[r->count++] = *row;
  return SCIARA_OK;
}

/** Refuses places of which none lies on the DEM, if the first one does with its degrees exchanged. */
static enum sciara_status check_order(const struct table *t, const struct rows *r, const struct sciara_point *placed) {
  const struct sciara_grid *g = t->q->grid;
  for (size_t k = 0; k < r->count; k++)
    if (sciara_grid_has(g, placed[k])) return SCIARA_OK;
  if (r->count == 0) return SCIARA_OK;
  struct sciara_point exchanged = {r->row[0].at.y, r->row[0].at.x};
  if (sciara_georef_place(t->q->crs_wkt, g, &exchanged, 1) != SCIARA_OK) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "%s:%zu: expected a place with this longitude and latitude on the DEM, found lon %.8g, lat %.8g; the "
      "other way round it lies there",
      t->csv.name, r->row[0].line, r->row[0].at.x, r->row[0].at.y);
}

/** Brings the places of all rows to the CRS of the site at once; if some have none, each of these is a problem. */
static enum sciara_status change_places(const struct table *t, struct rows *r, struct sciara_diagnostics *diagnostics) {
  struct sciara_point *points;
  SCIARA_TRY(SCIARA_NEW(points, r->count + 1, "the places of a table"));
  for (size_t k = 0; k < r->count; k++) points[k] = r->row[k].at;
  const char *wkt = t->q->crs_wkt;
  const struct sciara_grid *grid = t->q->places || t->q->anywhere ? NULL : t->q->grid;
  enum sciara_status status = t->q->places ? sciara_georef_place_anywhere(wkt, points, r->count)
                                           : sciara_georef_place(wkt, grid, points, r->count);
  const bool anywhere = status == SCIARA_OK && t->q->grid && !grid;
  const enum sciara_status order = anywhere ? check_order(t, r, points) : SCIARA_OK;
  for (size_t k = 0; k < r->count && status == SCIARA_OK; k++) r->row[k].at = points[k];
  sciara_free(points);
  if (status != SCIARA_ERR_INPUT || !wkt) return order != SCIARA_OK ? order : status;
  for (size_t k = 0; k < r->count && diagnostics->count < MOST_PROBLEMS; k++) {
    struct sciara_point at = r->row[k].at;
    status = sciara_georef_place(wkt, grid, &at, 1);
    sciara_diagnostics_add(diagnostics, sciara_fail_context(status, "%s:%zu", t->csv.name, r->row[k].line));
  }
  r->count = 0;
  return SCIARA_OK;
}

static enum sciara_status read_rows(struct table *t, sciara_point_visitor *visit, void *context,
                                    struct sciara_diagnostics *diagnostics) {
  char *cells[MOST_COLUMNS];
  struct sciara_point_row row;
  struct rows rows = {0};
  enum sciara_status status = SCIARA_OK;
  while (status == SCIARA_OK && sciara_csv_has_row(&t->csv)) {
    size_t count;
    t->line = t->csv.line;
    SCIARA_TRY_GOTO(sciara_csv_take_row(&t->csv, MOST_COLUMNS, cells, &count));
    if (count <= MOST_COLUMNS && sciara_csv_is_empty(cells, count)) continue;
    enum sciara_status good = read_row(t, cells, count, &row);
    if (good == SCIARA_OK && !t->lonlat && diagnostics->count < MOST_PROBLEMS) {
      good = sciara_georef_suspect_degrees(t->q->crs_wkt, t->q->grid, row.at, "call the columns lon and lat");
      if (good != SCIARA_OK) good = sciara_fail_context(good, "%s:%zu", t->csv.name, t->line);
    }
    sciara_diagnostics_add(diagnostics, good);
    if (good == SCIARA_OK) status = t->lonlat ? add_row(&rows, &row) : visit(context, &row);
  }
  if (status == SCIARA_OK && t->lonlat) status = change_places(t, &rows, diagnostics);
  for (size_t k = 0; k < rows.count && status == SCIARA_OK; k++) status = visit(context, &rows.row[k]);
cleanup:
  sciara_free(rows.row);
  return status;
}

/** Says what was understood of a table that is not in the plain form. */
static void report_point(const struct table *t) {
  const bool commas = t->csv.mark == ',';
  sciara_csv_report_encoding(&t->csv, NULL);
  if (t->plain && !commas) return;
  sciara_log(SCIARA_LOG_INFO, "%s: \"%s\" is %s, \"%s\" is %s%s%s%s; separated by %s%s%s%s", t->csv.name, t->name[X],
             t->lonlat ? "the longitude" : "x", t->name[Y], t->lonlat ? "the latitude" : "y",
             t->name[WEIGHT] ? ", \"" : "", t->name[WEIGHT] ? t->name[WEIGHT] : "",
             t->name[WEIGHT] ? "\" is the weight" : "", sciara_csv_separators(&t->csv),
             commas ? ", decimal commas" : "", t->unused.length ? "; columns that are not used: " : "",
             t->unused.length ? t->unused.data : "");
}

enum sciara_status sciara_point_table_read(const struct sciara_point_table *q, sciara_point_visitor *visit,
                                           void *context, struct sciara_diagnostics *diagnostics) {
  struct table t = {.q = q, .weight = q->weight};
  char *text = NULL;
  enum sciara_status status = sciara_csv_open(q->path, MOST_BYTES, &text, &t.csv);
  if (status == SCIARA_OK) status = read_columns(&t);
  if (status == SCIARA_OK) status = read_rows(&t, visit, context, diagnostics);
  if (status == SCIARA_OK) report_point(&t);
  sciara_text_free(&t.unused);
  free(text);
  return status;
}
