// SPDX-License-Identifier: Apache-2.0
#include "file/vector_place.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "file/vector_open.h"
#include "geometry/polyline.h"

static const double reach_degrees = 30, reach_m = 3e6; // of the window, to each side of the grid

enum { MESH = 13, HALVINGS = 12, DEPTH = 30 };

// ------------------------------------------------------------------------------------------------------- where it is sound

/** Points of the mesh over a window, brought to the grid's CRS; false: one of them has no place there. */
static bool transform_mesh(OGRCoordinateTransformationH t, const double w[4], bool middles, double *x, double *y) {
  for (int r = 0; r < MESH; r++)
    for (int c = 0; c < MESH; c++) {
      const double u = (c + (middles ? 0.5 : 0)) / (MESH - 1);
      x[r * MESH + c] = w[0] + fmin(u, 1) * (w[2] - w[0]);
      y[r * MESH + c] = w[1] + (double)r / (MESH - 1) * (w[3] - w[1]);
    }
  return OCTTransform(t, MESH * MESH, x, y, NULL);
}

/**
 * Whether the transformation maps a window one to one and without a tear: every point of a mesh comes back to where it was, and
 * the middle of two points stays between them.
 */
static bool is_sound(OGRCoordinateTransformationH to_grid, OGRCoordinateTransformationH back, const double w[4],
                     double turn) {
  enum { COUNT = MESH * MESH };
  double x[COUNT], y[COUNT], mx[COUNT], my[COUNT], bx[COUNT], by[COUNT];
  const double slack = 1e-4 * fmax(w[2] - w[0], w[3] - w[1]);
  if (!transform_mesh(to_grid, w, false, x, y) || !transform_mesh(to_grid, w, true, mx, my)) return false;
  for (int k = 0; k < COUNT; k++)
    if (!isfinite(x[k]) || !isfinite(y[k]) || !isfinite(mx[k]) || !isfinite(my[k])) return false;
  memcpy(bx, x, sizeof x);
  memcpy(by, y, sizeof y);
  if (!OCTTransform(back, COUNT, bx, by, NULL)) return false;
  for (int r = 0; r < MESH; r++)
    for (int c = 0; c < MESH; c++) {
      const int k = r * MESH + c;
      const double north = w[1] + (double)r / (MESH - 1) * (w[3] - w[1]);
      double east = bx[k] - (w[0] + (double)c / (MESH - 1) * (w[2] - w[0]));
      if (turn > 0)
        east = (east - turn * nearbyint(east / turn)) * cos(2 * M_PI * north / turn); // meridians meet at poles
      if (!(fabs(east) <= slack) || !(fabs(by[k] - north) <= slack)) return false;
      if (c + 1 == MESH) continue;
      const double length = hypot(x[k + 1] - x[k], y[k + 1] - y[k]);
      if (hypot(mx[k] - 0.5 * (x[k] + x[k + 1]), my[k] - 0.5 * (y[k] + y[k + 1])) > 0.25 * length + 1) return false;
    }
  return true;
}

/** The window: the grid in the CRS of the layer, and around it as far as the transformation is sound. */
static enum sciara_status find_window(struct sciara_vector_place *p, OGRSpatialReferenceH srs) {
  enum { POINTS = 21 }; // on each side of the grid
  OGRCoordinateTransformationH back = OCTGetInverse(p->transform);
  const double *g = p->grid, pole = p->turn / 4;
  double *n = p->near, *w = p->window;
  double reach = p->turn > 0 ? reach_degrees * p->turn / 360 : reach_m / OSRGetLinearUnits(srs, NULL);
  bool sound = false;
  if (back && OCTTransformBounds(back, g[0], g[1], g[2], g[3], &n[0], &n[1], &n[2], &n[3], POINTS) && isfinite(n[0]) &&
      isfinite(n[1]) && isfinite(n[2]) && isfinite(n[3])) {
    if (n[2] < n[0]) n[2] += p->turn; // across the antimeridian
    for (int k = 0; k <= HALVINGS && !sound; k++, reach *= 0.5) {
      const double extra = k < HALVINGS ? reach : 0;
      for (int i = 0; i < 4; i++) w[i] = n[i] + (i < 2 ? -extra : extra);
      if (p->turn > 0) {
        const double wide = fmax(0, w[2] - w[0] - p->turn);
        w[0] += 0.5 * wide, w[2] -= 0.5 * wide;
        w[1] = fmax(w[1], -pole), w[3] = fmin(w[3], pole);
      }
      sound = is_sound(p->transform, back, w, p->turn);
    }
  }
  if (back) OCTDestroyCoordinateTransformation(back);
  return sound ? SCIARA_OK
               : sciara_fail(sciara_gdal_status(p->scope, SCIARA_ERR_INPUT),
                             "%s: its CRS cannot be transformed to that of %s at the place of the DEM", p->path,
                             p->whose);
}

/** A CRS of a plane that lies nowhere on the Earth. */
static enum sciara_status fail_local(const char *path, OGRSpatialReferenceH srs, const char *crs_wkt,
                                     const char *whose) {
  struct sciara_text command = {0};
  OGRSpatialReferenceH grid = NULL;
  enum sciara_status status = sciara_srs_parse(crs_wkt, &grid);
  if (status == SCIARA_OK && sciara_srs_is_same(srs, grid)) {
    OSRRelease(grid);
    return SCIARA_OK;
  }
  if (status == SCIARA_OK) status = sciara_text_append(&command, "ogr2ogr -a_srs ");
  if (status == SCIARA_OK) status = sciara_shell_append_crs(&command, grid);
  if (status == SCIARA_OK) status = sciara_text_append(&command, " ");
  if (status == SCIARA_OK) status = sciara_vector_append_names(&command, path, "placed");
  if (status == SCIARA_OK)
    status = sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: its CRS \"%.60s\" is a local one, which has no place on the Earth. If its coordinates are those of "
        "%s, say so with: %s",
        path, OSRGetName(srs) ? OSRGetName(srs) : "", whose, command.data);
  OSRRelease(grid);
  sciara_text_free(&command);
  return status;
}

enum sciara_status sciara_vector_place_open(const struct sciara_gdal_scope *scope, const char *path,
                                            OGRSpatialReferenceH srs, const char *crs_wkt, const char *whose,
                                            const struct sciara_grid *grid, struct sciara_vector_place *out) {
  *out = (struct sciara_vector_place){.scope = scope, .path = path, .whose = whose, .turn = sciara_srs_turn(srs)};
  if (!srs || !crs_wkt) return SCIARA_OK;
  if (OSRIsLocal(srs)) return fail_local(path, srs, crs_wkt, whose);
  SCIARA_TRY(sciara_srs_transform(scope, path, srs, crs_wkt, whose, false, &out->transform));
  if (!out->transform || !grid) return SCIARA_OK;
  const double box[4] = {grid->west, sciara_grid_south(grid), sciara_grid_east(grid), grid->north};
  memcpy(out->grid, box, sizeof box);
  out->cell = grid->cell_size;
  out->bounded = true;
  const enum sciara_status status = find_window(out, srs);
  if (status != SCIARA_OK) sciara_vector_place_close(out);
  return status;
}

void sciara_vector_place_close(struct sciara_vector_place *p) {
  if (p->transform) OCTDestroyCoordinateTransformation(p->transform);
  p->transform = NULL;
}

// ------------------------------------------------------------------------------------------------------------------ points

/** Points of a line or ring. Zero-initialise; release with sciara_free(point). */
struct path {
  struct sciara_point *point;
  size_t count, capacity;
};

static enum sciara_status append(struct path *a, struct sciara_point point) {
  if (a->count == a->capacity) {
    const size_t more = 2 * a->capacity + 16;
    SCIARA_TRY(sciara_resize((void **)&a->point, a->count, more, sizeof *a->point, "the points of a shape"));
    a->capacity = more;
  }
  a->point[a->count++] = point;
  return SCIARA_OK;
}

static void path_free(struct path *a) {
  sciara_free(a->point);
  *a = (struct path){0};
}

/** The points of a line or ring, of a ring without the last one, which is the first. */
static enum sciara_status read_path(const struct sciara_vector_place *p, int64_t feature, OGRGeometryH line, bool ring,
                                    struct path *out) {
  int count = OGR_G_GetPointCount(line);
  *out = (struct path){0};
  for (int k = 0; k < count; k++) {
    const struct sciara_point at = {OGR_G_GetX(line, k), OGR_G_GetY(line, k)};
    if (!isfinite(at.x) || !isfinite(at.y))
      return sciara_fail(SCIARA_ERR_INPUT, "%s: feature %" PRId64 " has coordinates that are not finite", p->path,
                         feature + 1);
    SCIARA_TRY(append(out, at));
  }
  if (ring && out->count > 1 && out->point[0].x == out->point[out->count - 1].x &&
      out->point[0].y == out->point[out->count - 1].y)
    out->count--;
  return SCIARA_OK;
}

static void shift(struct path *a, double by) {
  for (size_t k = 0; k < a->count; k++) a->point[k].x += by;
}

/** Copies a path, moved. */
static enum sciara_status copy_path(const struct path *a, double by, struct path *out) {
  *out = (struct path){0};
  for (size_t k = 0; k < a->count; k++) SCIARA_TRY(append(out, a->point[k]));
  if (by != 0) shift(out, by);
  return SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------------------- clipping

static double coordinate(struct sciara_point p, int axis) { return axis ? p.y : p.x; }

/** Whether a point lies on the inner side of side `side` of a box: west, south, east, north. */
static bool is_inside(struct sciara_point p, const double box[4], int side) {
  const double at = coordinate(p, side % 2);
  // cppcheck-suppress arrayIndexOutOfBoundsCond // a side is below 4
  return side < 2 ? at >= box[side] : at <= box[side];
}

static struct sciara_point cross(struct sciara_point a, struct sciara_point b, const double box[4], int side) {
  const int axis = side % 2;
  const double t = (box[side] - coordinate(a, axis)) / (coordinate(b, axis) - coordinate(a, axis));
  if (axis) return (struct sciara_point){a.x + t * (b.x - a.x), box[side]};
  return (struct sciara_point){box[side], a.y + t * (b.y - a.y)};
}

static bool is_within(const struct path *a, const double box[4]) {
  for (size_t k = 0; k < a->count; k++)
    for (int side = 0; side < 4; side++)
      if (!is_inside(a->point[k], box, side)) return false;
  return true;
}

/** Sutherland and Hodgman 1974: the ring within a box. Where it returns, edges along the box cancel each other. */
static enum sciara_status clip_ring(struct path *ring, const double box[4]) {
  enum sciara_status status = SCIARA_OK;
  for (int side = 0; side < 4 && status == SCIARA_OK && ring->count > 0; side++) {
    struct path next = {0};
    for (size_t k = 0; k < ring->count && status == SCIARA_OK; k++) {
      const struct sciara_point a = ring->point[k], b = ring->point[k + 1 < ring->count ? k + 1 : 0];
      const bool from = is_inside(a, box, side), to = is_inside(b, box, side);
      if (from) status = append(&next, a);
      if (from != to && status == SCIARA_OK) status = append(&next, cross(a, b, box, side));
    }
    path_free(ring);
    *ring = next;
  }
  return status;
}

static double area_of(const struct path *a) {
  double twice = 0;
  for (size_t k = 0; k < a->count; k++) {
    const struct sciara_point p = a->point[k], q = a->point[k + 1 < a->count ? k + 1 : 0], o = a->point[0];
    twice += (p.x - o.x) * (q.y - o.y) - (q.x - o.x) * (p.y - o.y);
  }
  return 0.5 * fabs(twice);
}

/** The part of a segment within a box; false: it has none. */
static bool clip_segment(struct sciara_point *a, struct sciara_point *b, const double box[4]) {
  for (int side = 0; side < 4; side++) {
    const bool from = is_inside(*a, box, side), to = is_inside(*b, box, side);
    if (!from && !to) return false;
    if (from == to) continue;
    const struct sciara_point at = cross(*a, *b, box, side);
    *(from ? b : a) = at;
  }
  return true;
}

static double length_within(const struct path *line, const double box[4]) {
  double sum = 0;
  for (size_t k = 1; k < line->count; k++) {
    struct sciara_point a = line->point[k - 1], b = line->point[k];
    if (clip_segment(&a, &b, box)) sum += hypot(b.x - a.x, b.y - a.y);
  }
  return sum;
}

// ------------------------------------------------------------------------------------------------ turns around the Earth

/** The turns n for which a path that is moved by n turns may come into the window. */
static void turns_into(const struct sciara_vector_place *p, const struct path *a, const double box[4], int turns[2]) {
  double around[4];
  turns[0] = turns[1] = 0;
  if (p->turn == 0) return;
  sciara_points_box(a->point, a->count, around);
  const double first = ceil((box[0] - around[2]) / p->turn), last = floor((box[2] - around[0]) / p->turn);
  turns[0] = (int)fmin(fmax(first, -4), 4);
  turns[1] = (int)fmin(fmax(last, -4), 4);
}

/** How much of a ring (its area) or line (its length) lies in a box, in all turns. */
static enum sciara_status amount_within(const struct sciara_vector_place *p, const struct path *a, bool ring,
                                        const double box[4], double *out) {
  int turns[2];
  enum sciara_status status = SCIARA_OK;
  *out = 0;
  turns_into(p, a, box, turns);
  for (int n = turns[0]; n <= turns[1] && status == SCIARA_OK; n++) {
    struct path moved;
    status = copy_path(a, n * p->turn, &moved);
    if (ring && status == SCIARA_OK) status = clip_ring(&moved, box);
    if (status == SCIARA_OK) *out += ring ? area_of(&moved) : length_within(&moved, box);
    path_free(&moved);
  }
  return status;
}

static enum sciara_status fail_jump(const struct sciara_vector_place *p, int64_t feature, double from, double to) {
  struct sciara_text command = {0};
  enum sciara_status status = sciara_text_append(&command, "ogr2ogr -wrapdateline -datelineoffset 180 ");
  if (status == SCIARA_OK) status = sciara_vector_append_names(&command, p->path, "cut");
  if (status == SCIARA_OK)
    status =
        sciara_fail(SCIARA_ERR_INPUT,
                    "%s: feature %" PRId64
                    ": an edge leads from longitude %.9g to %.9g: expected geometry that is cut at the antimeridian, "
                    "for on the DEM it matters which way the edge runs. If it crosses the antimeridian: %s",
                    p->path, feature + 1, from, to, command.data);
  sciara_text_free(&command);
  return status;
}

/**
 * Reads a path whose longitudes jump by more than half a turn, but not by a whole one, as one that crosses the antimeridian. It is
 * refused if that makes a difference on the grid.
 */
static enum sciara_status unwind(const struct sciara_vector_place *p, int64_t feature, struct path *a, bool ring) {
  double turned = 0, from = NAN, to = NAN, as_read, unwound;
  const size_t edges = a->count - (ring ? 0 : 1);
  struct path way = {0};
  if (p->turn == 0 || a->count < 2) return SCIARA_OK;
  for (size_t k = 0; k < edges && isnan(from); k++) {
    const double x = a->point[k].x, next = a->point[k + 1 < a->count ? k + 1 : 0].x, step = fabs(next - x);
    if (step > 0.5 * p->turn * (1 + 1e-12) && step < p->turn * (1 - 1e-12)) from = x, to = next;
  }
  if (isnan(from)) return SCIARA_OK;
  enum sciara_status status = copy_path(a, 0, &way);
  for (size_t k = 1; k < way.count && status == SCIARA_OK; k++) {
    const double step = a->point[k].x - a->point[k - 1].x;
    if (fabs(step) < p->turn * (1 - 1e-12)) turned -= p->turn * nearbyint(step / p->turn);
    way.point[k].x += turned;
  }
  if (status == SCIARA_OK) status = amount_within(p, a, ring, p->near, &as_read);
  if (status == SCIARA_OK) status = amount_within(p, &way, ring, p->near, &unwound);
  const double whole = ring ? (p->near[2] - p->near[0]) * (p->near[3] - p->near[1]) : p->near[2] - p->near[0];
  if (status == SCIARA_OK && fabs(as_read - unwound) > 1e-9 * whole) status = fail_jump(p, feature, from, to);
  if (status == SCIARA_OK) {
    path_free(a);
    *a = way;
    return SCIARA_OK;
  }
  path_free(&way);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- transformation

static double distance_to_box(struct sciara_point p, const double box[4]) {
  const double dx = fmax(fmax(box[0] - p.x, p.x - box[2]), 0), dy = fmax(fmax(box[1] - p.y, p.y - box[3]), 0);
  return hypot(dx, dy);
}

/** A point of the layer and its place on the grid. */
struct placed {
  struct sciara_point own, on_grid;
};

static enum sciara_status fail_point(const struct sciara_vector_place *p, int64_t feature, struct sciara_point at) {
  return sciara_fail(sciara_gdal_status(p->scope, SCIARA_ERR_INPUT),
                     "%s: feature %" PRId64 ": its point %.9g, %.9g cannot be brought to the CRS of %s: %s", p->path,
                     feature + 1, at.x, at.y, p->whose, sciara_gdal_message(p->scope));
}

/** Appends the points between two, so many that the straight pieces follow the course of the edge; near the grid the closest. */
static enum sciara_status divide(const struct sciara_vector_place *p, struct placed a, struct placed b, int depth,
                                 struct path *out) {
  const struct sciara_point own = {0.5 * (a.own.x + b.own.x), 0.5 * (a.own.y + b.own.y)};
  const double length = hypot(b.on_grid.x - a.on_grid.x, b.on_grid.y - a.on_grid.y);
  struct placed middle = {own, own};
  if (depth == 0 || length <= 10 * p->cell) return SCIARA_OK;
  if (!OCTTransform(p->transform, 1, &middle.on_grid.x, &middle.on_grid.y, NULL)) return SCIARA_OK;
  const struct sciara_point chord = {0.5 * (a.on_grid.x + b.on_grid.x), 0.5 * (a.on_grid.y + b.on_grid.y)};
  const double off = hypot(middle.on_grid.x - chord.x, middle.on_grid.y - chord.y);
  const double far = distance_to_box(middle.on_grid, p->grid) - 0.5 * length - off;
  if (off <= fmax(1e-3 * p->cell, 1e-4 * far)) return SCIARA_OK;
  SCIARA_TRY(divide(p, a, middle, depth - 1, out));
  SCIARA_TRY(append(out, middle.on_grid));
  return divide(p, middle, b, depth - 1, out);
}

/** Brings a path to the CRS of the grid, in place. */
static enum sciara_status transform_path(const struct sciara_vector_place *p, int64_t feature, bool ring,
                                         struct path *a) {
  double *x = NULL, *y = NULL;
  struct path out = {0};
  enum sciara_status status;
  if (!p->transform || a->count == 0) return SCIARA_OK;
  SCIARA_TRY_GOTO(SCIARA_NEW(x, a->count, "the points of a shape"));
  SCIARA_TRY_GOTO(SCIARA_NEW(y, a->count, "the points of a shape"));
  for (size_t k = 0; k < a->count; k++) x[k] = a->point[k].x, y[k] = a->point[k].y;
  const bool done = OCTTransform(p->transform, (int)a->count, x, y, NULL);
  for (size_t k = 0; k < a->count; k++)
    if (!isfinite(x[k]) || !isfinite(y[k]) || (!done && k + 1 == a->count)) {
      status = fail_point(p, feature, a->point[k]);
      goto cleanup;
    }
  for (size_t k = 0; k < a->count; k++) {
    const size_t next = k + 1 < a->count ? k + 1 : 0;
    SCIARA_TRY_GOTO(append(&out, (struct sciara_point){x[k], y[k]}));
    if (!p->bounded || (next == 0 && !ring)) continue;
    const struct placed from = {a->point[k], {x[k], y[k]}}, to = {a->point[next], {x[next], y[next]}};
    SCIARA_TRY_GOTO(divide(p, from, to, DEPTH, &out));
  }
  path_free(a);
  *a = out;
  out = (struct path){0};
cleanup:
  path_free(&out);
  sciara_free(x);
  sciara_free(y);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- geometries

/** A geometry that is taken over. */
struct taking {
  struct sciara_vector_place *p;
  int64_t feature;
  OGRGeometryH all; ///< a collection
  bool cut;
};

static enum sciara_status no_memory(const struct taking *t) {
  return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a geometry", t->p->path);
}

/** Adds a line, or a point, to the collection, or a ring to a polygon. */
static enum sciara_status add_geometry(const struct taking *t, OGRGeometryH to, OGRwkbGeometryType type,
                                       const struct path *a) {
  OGRGeometryH line = OGR_G_CreateGeometry(type);
  if (!line) return no_memory(t);
  for (size_t k = 0; k < a->count; k++) OGR_G_AddPoint_2D(line, a->point[k].x, a->point[k].y);
  if (type == wkbLinearRing && a->count > 0) OGR_G_AddPoint_2D(line, a->point[0].x, a->point[0].y);
  if (OGR_G_AddGeometryDirectly(to, line) == OGRERR_NONE) return SCIARA_OK;
  OGR_G_DestroyGeometry(line);
  return no_memory(t);
}

static enum sciara_status take_point(struct taking *t, OGRGeometryH point) {
  struct path a, moved = {0};
  int turns[2] = {0, 0};
  enum sciara_status status = read_path(t->p, t->feature, point, false, &a);
  if (status == SCIARA_OK && t->p->bounded) turns_into(t->p, &a, t->p->window, turns);
  for (int n = turns[0]; n <= turns[1] && status == SCIARA_OK; n++) {
    status = copy_path(&a, n * t->p->turn, &moved);
    if (status == SCIARA_OK && t->p->bounded && !is_within(&moved, t->p->window)) {
      path_free(&moved);
      continue;
    }
    if (status == SCIARA_OK) status = transform_path(t->p, t->feature, false, &moved);
    if (status == SCIARA_OK) status = add_geometry(t, t->all, wkbPoint, &moved);
    path_free(&moved);
    break; // it lies there once
  }
  path_free(&moved);
  path_free(&a);
  return status;
}

/** Transforms a piece of a line and adds it to the collection; empties it. */
static enum sciara_status put_line(struct taking *t, struct path *piece) {
  enum sciara_status status = SCIARA_OK;
  if (piece->count > 1) status = transform_path(t->p, t->feature, false, piece);
  if (piece->count > 1 && status == SCIARA_OK) status = add_geometry(t, t->all, wkbLineString, piece);
  path_free(piece);
  return status;
}

/** The pieces of a line within the window. */
static enum sciara_status clip_line(struct taking *t, const struct path *line) {
  struct path piece = {0};
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 1; k < line->count && status == SCIARA_OK; k++) {
    struct sciara_point a = line->point[k - 1], b = line->point[k];
    if (!clip_segment(&a, &b, t->p->window)) {
      status = put_line(t, &piece);
      continue;
    }
    if (piece.count > 0 && (a.x != line->point[k - 1].x || a.y != line->point[k - 1].y)) status = put_line(t, &piece);
    if (status == SCIARA_OK && piece.count == 0) status = append(&piece, a);
    if (status == SCIARA_OK) status = append(&piece, b);
    if (status == SCIARA_OK && (b.x != line->point[k].x || b.y != line->point[k].y)) status = put_line(t, &piece);
  }
  if (status == SCIARA_OK) status = put_line(t, &piece);
  path_free(&piece);
  return status;
}

static enum sciara_status take_linestring(struct taking *t, OGRGeometryH line) {
  struct sciara_vector_place *p = t->p;
  struct path a, moved = {0};
  int turns[2] = {0, 0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(read_path(p, t->feature, line, false, &a));
  if (!p->bounded) {
    SCIARA_TRY_GOTO(put_line(t, &a));
    goto cleanup;
  }
  SCIARA_TRY_GOTO(unwind(p, t->feature, &a, false));
  turns_into(p, &a, p->window, turns);
  bool whole = false;
  for (int n = turns[0]; n <= turns[1]; n++) {
    SCIARA_TRY_GOTO(copy_path(&a, n * p->turn, &moved));
    whole |= is_within(&moved, p->window);
    SCIARA_TRY_GOTO(clip_line(t, &moved));
    path_free(&moved);
  }
  t->cut |= !whole;
cleanup:
  path_free(&a);
  path_free(&moved);
  return status;
}

/** The parts of a polygon in the window: one for each turn of its outer ring. */
struct parts {
  OGRGeometryH polygon[9];
  double box[9][4]; ///< around it, in the CRS of the layer, moved into the window
  int count;
};

/** The part that a hole belongs to: the first whose box is around it, or else the first. */
static OGRGeometryH part_around(const struct parts *parts, const struct path *hole) {
  double box[4];
  sciara_points_box(hole->point, hole->count, box);
  for (int k = 0; k < parts->count; k++) {
    const double *b = parts->box[k];
    if (b[0] <= box[0] && b[1] <= box[1] && b[2] >= box[2] && b[3] >= box[3]) return parts->polygon[k];
  }
  return parts->polygon[0];
}

/** A part of a ring that lies in the window becomes a polygon if it is an outer ring, else a hole. */
static enum sciara_status put_part(struct taking *t, struct path *ring, bool outer, struct parts *parts) {
  OGRGeometryH polygon = outer ? OGR_G_CreateGeometry(wkbPolygon) : part_around(parts, ring);
  if (!polygon) return no_memory(t);
  if (outer) {
    sciara_points_box(ring->point, ring->count, parts->box[parts->count]);
    parts->polygon[parts->count++] = polygon;
  }
  SCIARA_TRY(transform_path(t->p, t->feature, true, ring));
  return add_geometry(t, polygon, wkbLinearRing, ring);
}

static enum sciara_status take_ring(struct taking *t, const struct path *ring, bool outer, struct parts *parts) {
  struct sciara_vector_place *p = t->p;
  struct path moved = {0};
  int turns[2] = {0, 0};
  bool whole = !p->bounded;
  enum sciara_status status = SCIARA_OK;
  if (p->bounded) turns_into(p, ring, p->window, turns);
  for (int n = turns[0]; n <= turns[1]; n++) {
    SCIARA_TRY_GOTO(copy_path(ring, n * p->turn, &moved));
    const bool within = !p->bounded || is_within(&moved, p->window);
    whole |= within;
    if (!within) SCIARA_TRY_GOTO(clip_ring(&moved, p->window));
    if (within || (moved.count > 0 && area_of(&moved) > 0)) SCIARA_TRY_GOTO(put_part(t, &moved, outer, parts));
    path_free(&moved);
  }
  t->cut |= outer && !whole;
cleanup:
  path_free(&moved);
  return status;
}

static enum sciara_status take_polygon(struct taking *t, OGRGeometryH polygon) {
  struct parts parts = {.count = 0};
  enum sciara_status status = SCIARA_OK;
  for (int k = 0; k < OGR_G_GetGeometryCount(polygon) && status == SCIARA_OK; k++) {
    struct path ring;
    status = read_path(t->p, t->feature, OGR_G_GetGeometryRef(polygon, k), true, &ring);
    if (status == SCIARA_OK && ring.count > 0 && t->p->bounded) status = unwind(t->p, t->feature, &ring, true);
    if (status == SCIARA_OK && ring.count > 0) status = take_ring(t, &ring, k == 0, &parts);
    path_free(&ring);
    if (parts.count == 0) break; // its holes are elsewhere too
  }
  for (int k = 0; k < parts.count; k++)
    if (status != SCIARA_OK || OGR_G_AddGeometryDirectly(t->all, parts.polygon[k]) != OGRERR_NONE) {
      OGR_G_DestroyGeometry(parts.polygon[k]);
      if (status == SCIARA_OK) status = no_memory(t);
    }
  return status;
}

static enum sciara_status take_any(struct taking *t, OGRGeometryH geometry) {
  const OGRwkbGeometryType type = OGR_GT_Flatten(OGR_G_GetGeometryType(geometry));
  if (OGR_G_IsEmpty(geometry)) return SCIARA_OK;
  if (type == wkbPoint) return take_point(t, geometry);
  if (type == wkbLineString) return take_linestring(t, geometry);
  if (type == wkbPolygon || type == wkbTriangle) return take_polygon(t, geometry);
  for (int k = 0; k < OGR_G_GetGeometryCount(geometry); k++) SCIARA_TRY(take_any(t, OGR_G_GetGeometryRef(geometry, k)));
  return SCIARA_OK;
}

enum sciara_status sciara_vector_place_take(struct sciara_vector_place *p, int64_t feature, OGRGeometryH geometry,
                                            OGRGeometryH *out) {
  struct taking t = {.p = p, .feature = feature, .all = OGR_G_CreateGeometry(wkbGeometryCollection)};
  OGRGeometryH plain = OGR_G_GetLinearGeometry(geometry, 0, NULL);
  enum sciara_status status = plain && t.all ? SCIARA_OK : no_memory(&t);
  const bool empty = plain && OGR_G_IsEmpty(plain);
  *out = NULL;
  if (status == SCIARA_OK) status = take_any(&t, plain);
  OGR_G_DestroyGeometry(plain);
  if (status == SCIARA_OK && (empty || OGR_G_GetGeometryCount(t.all) > 0)) {
    *out = t.all;
    p->cut += t.cut;
    return SCIARA_OK;
  }
  OGR_G_DestroyGeometry(t.all);
  return status;
}
