// SPDX-License-Identifier: Apache-2.0
#include "terrain/vector_shapes.h"

#include <cpl_string.h>
#include <inttypes.h>
#include <math.h>
#include <ogr_api.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "file/vector_open.h"
#include "file/vector_place.h"
#include "terrain/dem_source.h"

enum { MOST_OTHERS = 1000 };

/** What is being read. */
struct reading {
  struct sciara_gdal_scope *scope;
  const struct sciara_shapes_request *request;
  struct sciara_vector_place place;
  struct sciara_shape shape; ///< feature, name and values of the geometry that is read
  int64_t shapes, elsewhere; ///< what was passed on; features that lie too far away
  int64_t empty;             ///< features without geometry
  bool cut;                  ///< the geometry that is read reaches far beyond the DEM
  bool crossed;              ///< a ring that crosses itself was pointed out
  double effort;             ///< of the checks for such rings
  int name_column;           ///< number of the column of names; negative: none
  struct sciara_text name;   ///< of the feature, as UTF-8, if the file has it in another encoding
  bool decoded;              ///< some name was
  char *other[MOST_OTHERS];  ///< names that are not the requested one
  size_t other_count;
};

static enum sciara_status fail_gdal(const struct reading *r, const char *what) {
  return sciara_fail(sciara_gdal_status(r->scope, SCIARA_ERR_INPUT), "%s: %s: %s", r->request->path, what,
                     sciara_gdal_message(r->scope));
}

/** Copies the points of a line or ring to points[at...]; returns the next index. */
static size_t copy_points(OGRGeometryH line, struct sciara_point *points, size_t at) {
  const int count = OGR_G_GetPointCount(line);
  for (int k = 0; k < count; k++) points[at++] = (struct sciara_point){OGR_G_GetX(line, k), OGR_G_GetY(line, k)};
  return at;
}

/** Passes on a point, a line, or a polygon with its rings. */
static enum sciara_status give(struct reading *r, OGRGeometryH geometry, enum sciara_poi_kind kind) {
  const bool closed = kind == SCIARA_POI_ZONE;
  const int rings = closed ? OGR_G_GetGeometryCount(geometry) : 1;
  struct sciara_point *points = NULL;
  size_t *ends = NULL, count = 0, at = 0;
  enum sciara_status status;
  if (OGR_G_IsEmpty(geometry)) return SCIARA_OK;
  for (int k = 0; k < rings; k++)
    count += (size_t)OGR_G_GetPointCount(closed ? OGR_G_GetGeometryRef(geometry, k) : geometry);
  SCIARA_TRY_GOTO(SCIARA_NEW(points, count + 1, "the points of a shape"));
  SCIARA_TRY_GOTO(SCIARA_NEW(ends, (size_t)rings + 1, "the rings of a shape"));
  for (int k = 0; k < rings; k++)
    ends[k] = at = copy_points(closed ? OGR_G_GetGeometryRef(geometry, k) : geometry, points, at);
  r->shape.kind = kind;
  r->shape.points = points;
  r->shape.ends = ends;
  r->shape.rings = (size_t)rings;
  r->shapes++;
  status = r->request->visit(r->request->context, &r->shape);
cleanup:
  sciara_free(points);
  sciara_free(ends);
  return status;
}

/** Passes on a feature without geometry, where they are wanted; `elsewhere`: it cannot be brought to the CRS of the DEM. */
static enum sciara_status give_nothing(struct reading *r, bool elsewhere) {
  r->empty += !elsewhere;
  if (!r->request->places) return SCIARA_OK;
  r->shape.elsewhere = elsewhere;
  r->shape.points = NULL;
  r->shape.ends = NULL;
  r->shape.rings = 0;
  r->shapes++;
  const enum sciara_status status = r->request->visit(r->request->context, &r->shape);
  r->shape.elsewhere = false;
  return status;
}

static enum sciara_status give_all(struct reading *r, OGRGeometryH geometry);

/** Points of a polygon that is repaired: a ring of hundreds of points may cross itself so often that it takes minutes. */
enum { MOST_REPAIRED = 32 };

/**
 * Sum over the larger polygons of a file that are checked of the square of their points: one of 10,000 takes 1 ms if it is a coast,
 * and 2 s where all edges are long.
 */
static const double most_effort = 1e9;

static int points_of(OGRGeometryH polygon) {
  int count = 0;
  for (int k = 0; k < OGR_G_GetGeometryCount(polygon); k++)
    count += OGR_G_GetPointCount(OGR_G_GetGeometryRef(polygon, k));
  return count;
}

static enum sciara_status warn_crossed(struct reading *r) {
  struct sciara_text command = {0};
  const char *name = r->shape.name ? r->shape.name : "";
  enum sciara_status status = sciara_text_append(&command, "ogr2ogr -makevalid ");
  if (status == SCIARA_OK) status = sciara_vector_append_names(&command, r->request->path, "valid");
  if (status == SCIARA_OK)
    sciara_note(r->request->notes, SCIARA_LOG_WARNING,
                "%s: feature %" PRId64 "%s%.60s%s crosses or touches itself: its area may be wrong, and that of others "
                "after it. Repair them with: %s",
                r->request->path, r->shape.feature + 1, *name ? " (\"" : "", name, *name ? "\")" : "", command.data);
  sciara_text_free(&command);
  r->crossed = true;
  return status;
}

/**
 * Passes on a polygon. A ring that crosses itself goes around parts of its area the other way: of a place with few points they
 * are made polygons, the first of those with more is pointed out.
 */
static enum sciara_status give_polygon(struct reading *r, OGRGeometryH polygon) {
  const int points = points_of(polygon);
  const bool few = points <= MOST_REPAIRED;
  const double effort = r->effort + (few ? 0 : (double)points * points);
  const bool checked = few || (effort <= most_effort && !r->cut && !r->crossed);
  if (checked) r->effort = effort;
  if (!r->request->places || !checked || OGR_G_IsValid(polygon)) return give(r, polygon, SCIARA_POI_ZONE);
  if (!few) {
    if (!r->scope->no_memory) sciara_gdal_reset(r->scope);
    SCIARA_TRY(warn_crossed(r));
    return give(r, polygon, SCIARA_POI_ZONE);
  }
  OGRGeometryH repaired = OGR_G_MakeValid(polygon), areas = repaired ? OGR_G_Buffer(repaired, 0, 1) : NULL;
  if (!r->scope->no_memory) sciara_gdal_reset(r->scope);
  const bool some = areas && OGR_G_IsValid(areas) && !OGR_G_IsEmpty(areas);
  const enum sciara_status status = some ? give_all(r, areas) : give(r, polygon, SCIARA_POI_ZONE);
  OGR_G_DestroyGeometry(repaired);
  OGR_G_DestroyGeometry(areas);
  return status;
}

/** Passes on all points, lines and polygons that the geometry, a collection perhaps, holds. */
static enum sciara_status give_all(struct reading *r, OGRGeometryH geometry) {
  const OGRwkbGeometryType type = OGR_GT_Flatten(OGR_G_GetGeometryType(geometry));
  if (type == wkbPolygon || type == wkbTriangle) return give_polygon(r, geometry);
  if (type == wkbLineString) return give(r, geometry, SCIARA_POI_LINE);
  if (type == wkbPoint && r->request->places) return give(r, geometry, SCIARA_POI_POINT);
  if (!OGR_GT_IsSubClassOf(type, wkbGeometryCollection))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: feature %" PRId64 ": expected %slines or polygons, found %s",
                       r->request->path, r->shape.feature + 1, r->request->places ? "points, " : "",
                       OGRGeometryTypeToName(type));
  for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++) SCIARA_TRY(give_all(r, OGR_G_GetGeometryRef(geometry, i)));
  return SCIARA_OK;
}

static enum sciara_status read_values(struct reading *r, OGRFeatureH feature) {
  for (int k = 0; k < SCIARA_EDIT_VALUES; k++) {
    const char *name = sciara_edit_value_name((enum sciara_edit_value)k);
    const int column = OGR_F_GetFieldIndex(feature, name);
    double low, high;
    r->shape.value[k] = NAN;
    if (!r->request->values || column < 0 || !OGR_F_IsFieldSetAndNotNull(feature, column)) continue;
    const OGRFieldType type = OGR_Fld_GetType(OGR_F_GetFieldDefnRef(feature, column));
    if (type != OFTReal && type != OFTInteger && type != OFTInteger64)
      return sciara_fail(SCIARA_ERR_INPUT, "%s: column %s: expected numbers, found type %s", r->request->path, name,
                         OGR_GetFieldTypeName(type));
    const double value = OGR_F_GetFieldAsDouble(feature, column);
    sciara_edit_value_range((enum sciara_edit_value)k, &low, &high);
    if (!(value >= low && value <= high) || (value == 0 && low == 0))
      return sciara_fail(SCIARA_ERR_INPUT, "%s: feature %" PRId64 ", column %s: expected %s%g to %g m, found %g",
                         r->request->path, r->shape.feature + 1, name, low == 0 ? "above " : "", low, high, value);
    r->shape.value[k] = value;
  }
  return SCIARA_OK;
}

/** Whether the boxes of two polygons overlap; of very many it is taken for granted. */
static bool may_overlap(OGRGeometryH polygons) {
  enum { FEW = 1000 };
  const int count = OGR_G_GetGeometryCount(polygons);
  for (int i = 0; i < count && count <= FEW; i++)
    for (int k = 0; k < i; k++) {
      OGREnvelope a, b;
      OGR_G_GetEnvelope(OGR_G_GetGeometryRef(polygons, i), &a);
      OGR_G_GetEnvelope(OGR_G_GetGeometryRef(polygons, k), &b);
      if (a.MinX < b.MaxX && b.MinX < a.MaxX && a.MinY < b.MaxY && b.MinY < a.MaxY) return true;
    }
  return count > FEW;
}

static double area_of_parts(OGRGeometryH geometry) {
  double sum = 0;
  for (int k = 0; k < OGR_G_GetGeometryCount(geometry); k++) sum += OGR_G_Area(OGR_G_GetGeometryRef(geometry, k));
  return sum;
}

/** The union of polygons whose areas overlap, or NULL if they do not (or are not only polygons). */
static OGRGeometryH unite(struct reading *r, OGRGeometryH all) {
  OGRGeometryH valid = OGR_G_CreateGeometry(wkbMultiPolygon), united = NULL;
  bool zones = valid && OGR_G_GetGeometryCount(all) > 1;
  for (int k = 0; k < OGR_G_GetGeometryCount(all) && zones; k++)
    zones = OGR_G_AddGeometry(valid, OGR_G_GetGeometryRef(all, k)) == OGRERR_NONE; // no other kinds
  if (zones && may_overlap(valid)) {
    const double sum = area_of_parts(valid);
    united = OGR_G_UnionCascaded(valid);
    if (!united) { // rings that cross themselves, perhaps
      OGRGeometryH repaired = OGR_G_MakeValid(valid);
      united = repaired ? OGR_G_Buffer(repaired, 0, 1) : NULL;
      OGR_G_DestroyGeometry(repaired);
    }
    if (!united)
      sciara_note(r->request->notes, SCIARA_LOG_WARNING,
                  "%s: feature %" PRId64 ": where its polygons overlap, areas count twice: %s", r->request->path,
                  r->shape.feature + 1, sciara_gdal_message(r->scope));
    if (!r->scope->no_memory) sciara_gdal_reset(r->scope);
    if (united && !(OGR_G_Area(united) < sum * (1 - 1e-9))) {
      OGR_G_DestroyGeometry(united);
      united = NULL;
    }
  }
  OGR_G_DestroyGeometry(valid);
  return united;
}

/** Takes over a geometry, in the CRS of the DEM. */
static enum sciara_status take_geometry(struct reading *r, OGRGeometryH geometry) {
  const int64_t cut = r->place.cut;
  OGRGeometryH placed;
  SCIARA_TRY(sciara_vector_place_take(&r->place, r->shape.feature, geometry, &placed));
  r->cut = r->place.cut > cut;
  if (!placed && r->request->on_grid)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: feature %" PRId64 ": expected a place on the DEM, found one that is far from it",
                       r->request->path, r->shape.feature + 1);
  if (!placed) {
    r->elsewhere++;
    return give_nothing(r, true);
  }
  OGRGeometryH united = r->request->places ? unite(r, placed) : NULL;
  if (united) {
    OGR_G_DestroyGeometry(placed);
    placed = united;
  }
  const enum sciara_status status = OGR_G_IsEmpty(placed) ? give_nothing(r, false) : give_all(r, placed);
  OGR_G_DestroyGeometry(placed);
  return status;
}

static enum sciara_status open_place(struct reading *r, OGRSpatialReferenceH srs) {
  const struct sciara_shapes_request *q = r->request;
  if (!srs || !q->crs_wkt)
    sciara_note(q->notes, SCIARA_LOG_INFO, "%s: %s, so its coordinates are taken to be those of the DEM", q->path,
                srs ? "the DEM has no CRS" : "names no CRS");
  return sciara_vector_place_open(r->scope, q->path, srs, q->crs_wkt, "the DEM", q->grid, &r->place);
}

const char *const sciara_name_columns[] = {"name", "nome", "nom", "nombre", "nafn", "label", "id", NULL};

/** Finds the column of names: the requested one, or the first that is called so. */
static enum sciara_status find_shape_names(struct reading *r, OGRLayerH layer) {
  const struct sciara_shapes_request *q = r->request;
  OGRFeatureDefnH columns = OGR_L_GetLayerDefn(layer);
  r->name_column = -1;
  if (!q->places && !q->place && !q->names) return SCIARA_OK;
  for (const char *const *usual = sciara_name_columns; !q->name_column && r->name_column < 0 && *usual; usual++)
    r->name_column = OGR_FD_GetFieldIndex(columns, *usual); // whatever the case
  if (q->name_column) r->name_column = OGR_FD_GetFieldIndex(columns, q->name_column);
  if (r->name_column >= 0) {
    const char *found = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(columns, r->name_column));
    if (!q->name_column && !q->place)
      sciara_log(SCIARA_LOG_INFO, "%s: names are those of the column \"%s\"", q->path, found);
    return SCIARA_OK;
  }
  if (q->names) return SCIARA_OK;
  struct sciara_text names = {0};
  for (int k = 0; k < OGR_FD_GetFieldCount(columns); k++)
    sciara_text_append(&names, "%s\"%s\"", k ? ", " : "", OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(columns, k)));
  enum sciara_status status = SCIARA_OK;
  if (q->name_column)
    status = sciara_fail(SCIARA_ERR_USAGE, "%s: expected the column of names \"%s\" among its columns, found %s",
                         q->path, q->name_column, names.data ? names.data : "none");
  else
    sciara_log(SCIARA_LOG_INFO, "%s: has no column of names (columns: %s): its features are called feature 1 and so on",
               q->path, names.data ? names.data : "none");
  sciara_text_free(&names);
  return status;
}

/** Appends a text in Latin-1 as UTF-8; a byte that is no character there becomes U+FFFD. */
static enum sciara_status append_latin1(struct sciara_text *t, const char *text) {
  enum sciara_status status = SCIARA_OK;
  for (const unsigned char *c = (const unsigned char *)text; *c && status == SCIARA_OK; c++) {
    const char two[] = {(char)(0xc0 | *c >> 6), (char)(0x80 | (*c & 0x3f))};
    if (*c < 0x80)
      status = sciara_text_append_bytes(t, (const char *)c, 1);
    else
      status = *c < 0xa0 ? sciara_text_append(t, "\xef\xbf\xbd") : sciara_text_append_bytes(t, two, 2);
  }
  return status;
}

/** The name of a feature. A shapefile need not say how its texts are encoded; what is not UTF-8 is most likely Latin-1. */
static enum sciara_status read_name(struct reading *r, OGRFeatureH feature) {
  r->shape.name = NULL;
  r->name.length = 0;
  if (r->name_column < 0 && r->request->place) { // its number takes the place of the name
    SCIARA_TRY(sciara_text_append(&r->name, "feature %" PRId64, r->shape.feature + 1));
    r->shape.name = r->name.data;
  }
  if (r->name_column < 0 || !OGR_F_IsFieldSetAndNotNull(feature, r->name_column)) return SCIARA_OK;
  r->shape.name = OGR_F_GetFieldAsString(feature, r->name_column);
  if (sciara_is_utf8(r->shape.name)) return SCIARA_OK;
  SCIARA_TRY(append_latin1(&r->name, r->shape.name));
  r->shape.name = r->name.data;
  r->decoded = true;
  return SCIARA_OK;
}

static void report_encoding(const struct reading *r) {
  const char *path = r->request->path, *dot = strrchr(path, '.');
  const bool shapefile = dot && (strcasecmp(dot, ".shp") == 0 || strcasecmp(dot, ".dbf") == 0);
  if (r->decoded && shapefile)
    sciara_note(
        r->request->notes, SCIARA_LOG_INFO,
        "%s: is not in UTF-8: it is read as Latin-1; a file %.*s.cpg with a word such as CP1251 would name another "
        "encoding",
        path, (int)sciara_path_stem(path), path);
  else if (r->decoded)
    sciara_note(r->request->notes, SCIARA_LOG_INFO, "%s: is not in UTF-8: it is read as Latin-1", path);
}

/** Whether the feature is wanted; the names of others are noted, for a message. */
static bool note_name(struct reading *r) {
  const char *place = r->request->place, *name = r->shape.name;
  if (!place) return true;
  if (name && strcmp(name, place) == 0) return true;
  if (name && r->other_count < MOST_OTHERS) {
    r->other[r->other_count] = sciara_format("%s", name);
    r->other_count += r->other[r->other_count] != NULL;
  }
  return false;
}

static enum sciara_status fail_place(const struct reading *r) {
  const char *path = r->request->path, *place = r->request->place;
  const char *close = sciara_closest_name(place, (const char *const *)r->other, r->other_count);
  if (close)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the name of a feature, found \"%.60s\"; did you mean \"%.60s\"?",
                       path, place, close);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the name of a feature, such as \"%.60s\"; found \"%.60s\"", path,
                     r->other_count ? r->other[0] : "", place);
}

static void report_left_out(const struct reading *r) {
  const uint64_t far = (uint64_t)r->elsewhere, cut = (uint64_t)r->place.cut, empty = (uint64_t)r->empty;
  if (empty > 0 && !r->request->places && !r->request->place)
    sciara_note(r->request->notes, SCIARA_LOG_WARNING, "%s: %" PRIu64 " %s no geometry and %s left out",
                r->request->path, empty, sciara_plural(empty, "feature has", "features have"),
                sciara_plural(empty, "is", "are"));
  if (far > 0)
    sciara_note(r->request->notes, SCIARA_LOG_INFO, "%s: %" PRIu64 " %s far from the DEM", r->request->path, far,
                sciara_plural(far, "feature lies", "features lie"));
  if (cut > 0 && r->request->places)
    sciara_note(r->request->notes, SCIARA_LOG_INFO,
                "%s: %" PRIu64
                " %s far beyond the DEM: what lies more than about 30 degrees away is left out of lengths and "
                "areas",
                r->request->path, cut, sciara_plural(cut, "feature reaches", "features reach"));
}

static enum sciara_status read_layer(struct reading *r, OGRLayerH layer) {
  OGRFeatureH feature;
  struct sciara_vector_date of = {.field = -1};
  const struct sciara_grid *g = r->request->grid;
  const double box[4] = {g ? g->west : 0, g ? sciara_grid_south(g) : 0, g ? sciara_grid_east(g) : 0, g ? g->north : 0};
  SCIARA_TRY(sciara_vector_check_degrees(r->request->path, layer, r->request->crs_wkt, g ? box : NULL));
  SCIARA_TRY(open_place(r, sciara_vector_srs(layer)));
  SCIARA_TRY(find_shape_names(r, layer));
  if (r->request->outline)
    SCIARA_TRY(sciara_vector_choose_date(r->request->path, layer, r->request->when,
                                         "initial.observed.time chooses them if run.start is given", r->request->notes,
                                         &of));
  if (r->request->no_time && OGR_L_FindFieldIndex(layer, "from", true) >= 0)
    sciara_note(r->request->notes, SCIARA_LOG_WARNING,
                "%s: its column \"from\" is not used: all its features are done at the time of the edit. For a time of "
                "each, give "
                "one edit for each, with \"place\" (its name) and \"from\"",
                r->request->path);
  sciara_gdal_reset(r->scope);
  OGR_L_ResetReading(layer);
  enum sciara_status status = SCIARA_OK;
  for (; status == SCIARA_OK && (feature = OGR_L_GetNextFeature(layer)); r->shape.feature++) {
    if (!sciara_vector_has_date(feature, &of)) {
      OGR_F_Destroy(feature);
      continue;
    }
    OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
    status = read_values(r, feature);
    if (status == SCIARA_OK) status = read_name(r, feature);
    const bool wanted = status == SCIARA_OK && note_name(r);
    if (wanted) status = geometry ? take_geometry(r, geometry) : give_nothing(r, false);
    OGR_F_Destroy(feature);
  }
  if (status != SCIARA_OK) return status;
  if (r->scope->failed) return fail_gdal(r, "cannot be read whole, it may be truncated"); // it ends early
  report_encoding(r);
  report_left_out(r);
  if (r->shapes > 0 || r->elsewhere > 0) return SCIARA_OK;
  if (r->shape.feature == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: layer \"%s\" has no features", r->request->path, OGR_L_GetName(layer));
  if (r->request->place) return fail_place(r);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: layer \"%s\" holds %sno line and no polygon", r->request->path,
                     OGR_L_GetName(layer), r->request->places ? "no point, " : "");
}

/** The requested layer, or the only one with such geometry. */
static enum sciara_status choose_layer(const struct sciara_shapes_request *q, GDALDatasetH dataset, OGRLayerH *out) {
  const unsigned kinds = SCIARA_VECTOR_LINES | SCIARA_VECTOR_POLYGONS | (q->places ? SCIARA_VECTOR_POINTS : 0);
  struct sciara_vector_layer found;
  enum sciara_status status = sciara_vector_find_layer(dataset, q->layer, kinds, &found);
  *out = found.layer;
  if (status == SCIARA_OK && !found.layer)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected %s%s%s of its %d layers%s (%s)", q->path,
                         q->layer ? "layer \"" : "the name of one", q->layer ? q->layer : "",
                         q->layer ? "\" as one" : "", found.suitable ? found.suitable : found.count,
                         found.suitable || q->layer ? "" : ", which have no such geometry",
                         found.names.data ? found.names.data : "none");
  sciara_text_free(&found.names);
  return status;
}

static enum sciara_status fail_unopened_vector(const struct reading *r, GDALDriverH looks) {
  const struct sciara_shapes_request *q = r->request;
  struct sciara_text is = {0}, list = {0};
  if (looks) return fail_gdal(r, "cannot be opened");
  char **drivers = sciara_vector_allowed(q->extra_drivers, q->extra_driver_count);
  char *other = sciara_gdal_plain_path(q->path);
  GDALDriverH found = other ? GDALIdentifyDriverEx(other, GDAL_OF_VECTOR, NULL, NULL) : NULL;
  for (int k = 0; drivers && drivers[k]; k++) sciara_text_append(&list, "%s%s", k ? ", " : "", drivers[k]);
  enum sciara_status status = sciara_source_explain(q->path, &is);
  if (status == SCIARA_OK && found)
    status =
        sciara_fail(SCIARA_ERR_INPUT,
                    "%s: format %s is not among those allowed for lines and polygons (%s); --allow-driver %s would "
                    "allow it",
                    q->path, GDALGetDriverShortName(found), list.data ? list.data : "", GDALGetDriverShortName(found));
  else if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: is no vector file in one of the formats allowed (%s)%s%s", q->path,
                         list.data ? list.data : "", is.length ? ": it " : "", is.length ? is.data : "");
  sciara_text_free(&is);
  sciara_text_free(&list);
  free(other);
  CSLDestroy(drivers);
  return status;
}

enum sciara_status sciara_shapes_read(const struct sciara_shapes_request *q) {
  struct sciara_gdal_scope scope;
  struct reading r = {.scope = &scope, .request = q};
  GDALDatasetH dataset = NULL;
  GDALDriverH looks = NULL;
  OGRLayerH layer;
  char *name = NULL;
  enum sciara_status status;
  sciara_gdal_enter(&scope, false);
  SCIARA_TRY_GOTO(sciara_source_check_file(q->path));
  for (size_t i = 0; i < q->extra_driver_count; i++) SCIARA_TRY_GOTO(sciara_source_check_driver(q->extra_drivers[i]));
  SCIARA_TRY_GOTO(sciara_gdal_files_allow(q->path, &name));
  SCIARA_TRY_GOTO(sciara_vector_open(q->path, name, q->extra_drivers, q->extra_driver_count, &looks, &dataset));
  if (!dataset) {
    status = fail_unopened_vector(&r, looks);
    goto cleanup;
  }
  SCIARA_TRY_GOTO(choose_layer(q, dataset, &layer));
  SCIARA_TRY_GOTO(read_layer(&r, layer));
cleanup:
  for (size_t k = 0; k < r.other_count; k++) free(r.other[k]);
  sciara_text_free(&r.name);
  sciara_vector_place_close(&r.place);
  if (dataset) GDALClose(dataset);
  sciara_gdal_files_forbid(name);
  sciara_gdal_leave(&scope);
  return status;
}
