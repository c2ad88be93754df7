// SPDX-License-Identifier: Apache-2.0
// The vents of an ensemble file: a table, a grid, points along a line, fissures; and their weights.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/detmath.h"
#include "base/log.h"
#include "base/mem.h"
#include "file/durable.h"
#include "plan/ensemble_file.h"
#include "setup/setup.h"
#include "terrain/dem_gdal.h"
#include "terrain/poi_file.h"
#include "terrain/vector_shapes.h"

// ---------------------------------------------------------------------------------------------------- density of vents

// Its integrals are made of +, -, x, / and detmath alone: the same on every machine.

/** A raster, constant in each cell and 0 outside it, or the sum of Gaussian kernels around past vents, 1 in their centres. */
struct density {
  const struct sciara_grid *grid; ///< of the DEM
  double *raster;                 ///< rows x cols; NULL: kernels
  struct sciara_point *past;
  size_t count, capacity;
  double along, across, sine, cosine; ///< standard deviations, m; sine and cosine of the azimuth of the first axis
};

/** A rectangle with its sides in the directions of the grid, m. */
struct box {
  double west, south, east, north;
};

static const double two_pi = 6.283185307179586,
                    far = 12; ///< standard deviations: beyond is less than 1e-31 of a kernel

// ------------------------------------------------------------------------------------------------------------ kernels

/** Gauss-Legendre nodes and weights on [-1, 1]. */
enum { NODES = 5 };
static const double node[NODES] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640},
                    node_weight[NODES] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                          0.4786286704993665, 0.2369268850561891};

/** The integral of exp(-t^2 / 2), by panels of at most half a standard deviation. */
static double integrate_gauss(double low, double high) {
  const bool whole = low <= -far && high >= far;
  low = fmax(low, -far);
  high = fmin(high, far);
  if (whole) return sciara_sqrt(two_pi);
  if (!(high > low)) return 0;
  const int panels = (int)ceil(2 * (high - low));
  const double half = 0.5 * (high - low) / panels;
  double sum = 0;
  for (int k = 0; k < panels; k++)
    for (int i = 0; i < NODES; i++) {
      const double t = low + half * (2 * k + 1 + node[i]);
      sum += node_weight[i] * sciara_exp(-0.5 * t * t);
    }
  return sum * half;
}

/**
 * The integral of the kernel around the origin over a rectangle. A cut through the kernel at x is a normal curve around
 * slope * x with the standard deviation `cut`; only its integral over y depends on x if the axes are oblique.
 */
static double kernel_in_box(const struct density *d, const struct box *b) {
  const double a2 = d->along * d->along, c2 = d->across * d->across;
  const double sx = sciara_sqrt(a2 * d->sine * d->sine + c2 * d->cosine * d->cosine), cut = d->along * d->across / sx;
  const double slope = (a2 - c2) * d->sine * d->cosine / (sx * sx);
  if (slope == 0)
    return sx * integrate_gauss(b->west / sx, b->east / sx) * cut * integrate_gauss(b->south / cut, b->north / cut);
  const double west = fmax(b->west, -far * sx), east = fmin(b->east, far * sx);
  if (!(east > west)) return 0;
  const int panels = (int)ceil(2 * (east - west) / fmin(sx, cut / fabs(slope)));
  const double half = 0.5 * (east - west) / panels;
  double sum = 0;
  for (int k = 0; k < panels; k++)
    for (int i = 0; i < NODES; i++) {
      const double x = west + half * (2 * k + 1 + node[i]), u = x / sx;
      sum += node_weight[i] * sciara_exp(-0.5 * u * u) *
             integrate_gauss((b->south - slope * x) / cut, (b->north - slope * x) / cut);
    }
  return sum * half * cut;
}

/** Coordinates of a vector along the axes of a kernel, in its standard deviations. */
static struct sciara_point to_axes(const struct density *d, double x, double y) {
  return (struct sciara_point){(x * d->sine + y * d->cosine) / d->along, (x * d->cosine - y * d->sine) / d->across};
}

/** The integral of the kernel around `past` along a segment: a cut through it is a normal curve, too. */
static double kernel_along(const struct density *d, struct sciara_point past, struct sciara_point a,
                           struct sciara_point b) {
  const double length = sciara_sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
  if (!(length > 0)) return 0;
  const struct sciara_point from = to_axes(d, a.x - past.x, a.y - past.y),
                            step = to_axes(d, (b.x - a.x) / length, (b.y - a.y) / length);
  const double speed = sciara_sqrt(step.x * step.x + step.y * step.y); ///< standard deviations a metre
  const double nearest = (from.x * step.x + from.y * step.y) / speed, off = (from.x * step.y - from.y * step.x) / speed;
  return sciara_exp(-0.5 * off * off) * integrate_gauss(nearest, nearest + length * speed) / speed;
}

// ------------------------------------------------------------------------------------------------------------- raster

/** A number of cells, without the rounding of coordinates: sides that fall on the sides of cells shall do so exactly. */
static double snap(double cells) {
  const double whole = nearbyint(cells);
  return fabs(cells - whole) < 1e-6 ? whole : cells;
}

static double raster_in_box(const struct density *d, const struct box *b) {
  const struct sciara_grid *g = d->grid;
  const double w = g->cell_size;
  const double west = fmax(0, snap((b->west - g->west) / w)), north = fmax(0, snap((g->north - b->north) / w)),
               east = fmin((double)g->cols, snap((b->east - g->west) / w)),
               south = fmin((double)g->rows, snap((g->north - b->south) / w));
  double sum = 0;
  if (!(north < south && west < east)) return 0; // outside the grid
  for (int64_t row = (int64_t)north; (double)row < south; row++)
    for (int64_t col = (int64_t)west; (double)col < east; col++) {
      const double height = fmin((double)row + 1, south) - fmax((double)row, north),
                   width = fmin((double)col + 1, east) - fmax((double)col, west);
      sum += d->raster[row * g->cols + col] * height * width;
    }
  return sum * w * w;
}

static enum sciara_status raster_along(const struct density *d, const struct sciara_point *points, size_t count,
                                       double *out) {
  struct sciara_crossing *crossing = NULL;
  size_t cells = 0;
  *out = 0;
  SCIARA_TRY(sciara_polyline_cells(d->grid, points, count, &crossing, &cells));
  for (size_t k = 0; k < cells; k++)
    *out += d->raster[crossing[k].row * d->grid->cols + crossing[k].col] * crossing[k].length;
  sciara_free(crossing);
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------------- both

static double vent_density_at(const struct density *d, struct sciara_point p) {
  int64_t row, col;
  if (d->raster) return sciara_grid_cell_of(d->grid, p, &row, &col) ? d->raster[row * d->grid->cols + col] : 0;
  double sum = 0;
  for (size_t k = 0; k < d->count; k++) {
    const struct sciara_point u = to_axes(d, p.x - d->past[k].x, p.y - d->past[k].y);
    sum += sciara_exp(-0.5 * (u.x * u.x + u.y * u.y));
  }
  return sum;
}

/**
 * The integral over a rectangle, m2: of a raster the sum of its values, each times the area of its cell in the rectangle. Of
 * kernels with an error below 1e-9 where they have their mass; 0 beyond 12 standard deviations.
 */
static double vent_density_in_box(const struct density *d, const struct box *box) {
  if (d->raster) return raster_in_box(d, box);
  double sum = 0;
  for (size_t k = 0; k < d->count; k++) {
    const struct sciara_point p = d->past[k];
    const struct box around = {box->west - p.x, box->south - p.y, box->east - p.x, box->north - p.y};
    sum += kernel_in_box(d, &around);
  }
  return sum;
}

/** The integral along a line, m. */
static enum sciara_status vent_density_along(const struct density *d, const struct sciara_point *points, size_t count,
                                             double *out) {
  if (d->raster) return raster_along(d, points, count, out);
  *out = 0;
  for (size_t k = 0; k + 1 < count; k++)
    for (size_t n = 0; n < d->count; n++) *out += kernel_along(d, d->past[n], points[k], points[k + 1]);
  return SCIARA_OK;
}

/** The integral over the whole plane, m2. */
static double vent_density_total(const struct density *d) {
  if (!d->raster) return (double)d->count * two_pi * d->along * d->across;
  double sum = 0;
  for (int64_t i = 0; i < sciara_grid_cells(d->grid); i++) sum += d->raster[i];
  return sum * d->grid->cell_size * d->grid->cell_size;
}

enum { MOST_VENTS = 1000000, MOST_OBLONG = 1000 };

/** Vents that are being collected. */
struct work {
  const struct sciara_ensemble_reading *r;
  const struct sciara_site *site;
  struct sciara_vent_list *list;
  size_t capacity;
  size_t split; ///< lines beside another one of the same feature
};

static enum sciara_status grow(struct work *w) {
  struct sciara_vent_list *l = w->list;
  if (l->count == MOST_VENTS)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: vents: expected at most %d vents, found more", w->r->file, MOST_VENTS);
  if (l->count < w->capacity) return SCIARA_OK;
  const size_t more = w->capacity ? 2 * w->capacity : 64;
  SCIARA_TRY(sciara_resize((void **)&l->vent, l->count, more, sizeof *l->vent, "the vents"));
  SCIARA_TRY(sciara_resize((void **)&l->where, l->count, more, sizeof *l->where, "the vents"));
  w->capacity = more;
  return SCIARA_OK;
}

/** Adds a vent with the weight 1. Takes over `where`, which may be NULL without memory. */
static enum sciara_status add(struct work *w, const struct sciara_point *points, size_t count, const char *name,
                              char *where) {
  enum sciara_status status = where ? grow(w) : sciara_no_memory("the vents");
  if (status != SCIARA_OK) {
    free(where);
    return status;
  }
  const size_t k = w->list->count++;
  struct sciara_ensemble_vent *vent = &w->list->vent[k];
  *vent = (struct sciara_ensemble_vent){.weight = 1, .point_count = count};
  w->list->where[k] = where;
  vent->name = name && *name ? sciara_format("%s", name) : sciara_format("vent %zu", k + 1);
  SCIARA_TRY(SCIARA_NEW(vent->points, count, "a vent"));
  memcpy(vent->points, points, count * sizeof *points);
  return vent->name ? SCIARA_OK : sciara_no_memory("the vents");
}

// ------------------------------------------------------------------------------------------------------------- table

/** @param weight name of the column of weights; NULL: none */
static struct sciara_point_table table_of(const struct work *w, const char *path, const char *weight) {
  return (struct sciara_point_table){
      .path = path, .weight = weight, .crs_wkt = w->site->origin.crs_wkt, .grid = &w->site->grid};
}

static enum sciara_status add_row(void *context, const struct sciara_point_row *row) {
  struct work *w = context;
  SCIARA_TRY(add(w, &row->at, 1, row->name, sciara_format("%s:%zu", row->file, row->line)));
  w->list->vent[w->list->count - 1].weight = row->weight;
  return SCIARA_OK;
}

/** Each point of a vector file; their weights are equal. */
static enum sciara_status add_features(struct work *w, const char *path) {
  const struct sciara_pois_request request = {
      .path = path, .crs_wkt = w->site->origin.crs_wkt, .grid = &w->site->grid, .most = MOST_VENTS};
  struct sciara_pois pois = {0};
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY(sciara_pois_read(&request, &pois));
  for (size_t k = 0; k < pois.count; k++) {
    if (pois.poi[k].kind != SCIARA_POI_POINT || pois.elsewhere[k])
      SCIARA_TRY_GOTO(sciara_fail(SCIARA_ERR_INPUT,
                                  "%s: expected points on the DEM, found \"%.60s\"; lines are fissures.file", path,
                                  pois.poi[k].name));
    for (size_t i = 0; i < pois.poi[k].point_count; i++)
      SCIARA_TRY_GOTO(add(w, &pois.poi[k].points[i], 1, pois.poi[k].name, sciara_format("%s:%zu", path, k + 1)));
  }
cleanup:
  sciara_pois_free(&pois);
  return status;
}

/** Whether the name of a file is that of vector data, not of a table. */
static bool is_vector(const char *path) {
  static const char *const names[] = {"gpkg", "geojson", "json", "shp", "fgb", "kml"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (sciara_has_extension(path, names[k])) return true;
  return false;
}

// ------------------------------------------------------------------------------------------------------ grid and line

static char *where_of(const struct work *w, const char *key) {
  return sciara_format("%s: %s: vent %zu", w->r->file, key, w->list->count + 1);
}

static enum sciara_status add_squares(struct work *w, double step, const struct sciara_point *corner, size_t corners) {
  double box[4];
  sciara_points_box(corner, corners, box);
  const double slack = 1e-9, cols = ceil((box[2] - box[0]) / step - slack), // squares that begin inside
      rows = ceil((box[3] - box[1]) / step - slack);
  if (!(cols >= 1 && rows >= 1 && cols * rows <= MOST_VENTS))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: vents.grid: expected 1 to %d squares of %g m, found %.0f x %.0f",
                       w->r->file, MOST_VENTS, step, rows, cols);
  for (int64_t i = 0; i < (int64_t)rows; i++)
    for (int64_t j = 0; j < (int64_t)cols; j++) {
      const struct sciara_point centre = {box[0] + ((double)j + 0.5) * step, box[3] - ((double)i + 0.5) * step};
      if (sciara_polygon_contains(corner, corners, centre))
        SCIARA_TRY(add(w, &centre, 1, NULL, where_of(w, "vents.grid")));
    }
  return w->list->count > 0 ? SCIARA_OK
                            : sciara_ensemble_refuse(w->r, "vents", SCIARA_NO_INDEX, "grid", "none",
                                                     "a square whose centre lies inside the extent or the polygon");
}

/** What the squares leave of an extent whose side is no multiple of theirs; `over` is how far they extend beyond it. */
static void report_strip(const struct work *w, const char *side, double over, double step) {
  if (fabs(over) <= 1e-6 * step) return;
  sciara_log(SCIARA_LOG_WARNING,
             over < 0 ? "%s: vents.grid.extent: is no multiple of step_m (%.10g m): a strip of %.10g m "
                        "along its %s side has no vents"
                      : "%s: vents.grid.extent: is no multiple of step_m (%.10g m): squares extend "
                        "%.10g m beyond its %s side",
             w->r->file, step, fabs(over), side);
}

static void report_strips(const struct work *w, const struct box *extent, double step) {
  double east = -INFINITY, south = INFINITY;
  for (size_t k = 0; k < w->list->count; k++) {
    east = fmax(east, w->list->vent[k].points[0].x + 0.5 * step);
    south = fmin(south, w->list->vent[k].points[0].y - 0.5 * step);
  }
  report_strip(w, "eastern", east - extent->east, step);
  report_strip(w, "southern", extent->south - south, step);
}

/** An extent is the polygon of its four corners. */
static enum sciara_status add_extent(struct work *w, const cJSON *extent, double step) {
  double side[4];
  for (int k = 0; k < 4; k++) {
    const cJSON *item = cJSON_GetArrayItem(extent, k);
    side[k] = item ? item->valuedouble : 0; // the schema demands four
  }
  const struct box box = {side[0], side[1], side[2], side[3]};
  const struct sciara_point corner[] = {
      {box.west, box.south}, {box.east, box.south}, {box.east, box.north}, {box.west, box.north}};
  SCIARA_TRY(add_squares(w, step, corner, 4));
  report_strips(w, &box, step);
  return SCIARA_OK;
}

static enum sciara_status add_grid(struct work *w, const cJSON *grid) {
  const double step = sciara_json_double(grid, "step_m", 0);
  const cJSON *extent = sciara_json_get(grid, "extent"), *polygon = sciara_json_get(grid, "polygon");
  struct sciara_point *corner = NULL;
  size_t corners = 0;
  if (extent) return add_extent(w, extent, step);
  if (cJSON_GetArraySize(polygon) < 3)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: vents.grid.polygon: expected at least 3 corners, found %d", w->r->file,
                       cJSON_GetArraySize(polygon));
  enum sciara_status status = sciara_json_points(polygon, &corner, &corners);
  if (status == SCIARA_OK) status = add_squares(w, step, corner, corners);
  sciara_free(corner);
  return status;
}

static enum sciara_status add_line(struct work *w, const cJSON *line) {
  const double every = sciara_json_double(line, "every_m", 0);
  struct sciara_point *p = NULL;
  size_t count = 0;
  double next = 0; ///< distance from point k at which the next vent lies
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_json_points(sciara_json_get(line, "coordinates"), &p, &count));
  for (size_t k = 0; k + 1 < count; k++) {
    const double dx = p[k + 1].x - p[k].x, dy = p[k + 1].y - p[k].y, length = sciara_sqrt(dx * dx + dy * dy);
    for (; next <= length && (length > 0 || next > 0 || k == 0); next += every) {
      const double share = length > 0 ? next / length : 0;
      const struct sciara_point at = {p[k].x + share * dx, p[k].y + share * dy};
      SCIARA_TRY_GOTO(add(w, &at, 1, NULL, where_of(w, "vents.line")));
    }
    next -= length;
  }
cleanup:
  sciara_free(p);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- fissures

static enum sciara_status add_shape(void *context, const struct sciara_shape *shape) {
  struct work *w = context;
  char *where = sciara_format("%s: vents.fissures.file: feature %" PRId64, w->r->file, shape->feature + 1);
  if (shape->kind == SCIARA_POI_ZONE) {
    free(where);
    return sciara_fail(SCIARA_ERR_INPUT, "feature %" PRId64 ": expected a line, found a polygon", shape->feature + 1);
  }
  w->split += where && w->list->count > 0 && strcmp(w->list->where[w->list->count - 1], where) == 0;
  return add(w, shape->points, shape->ends[0], shape->name, where);
}

static enum sciara_status add_file(struct work *w, const cJSON *fissures) {
  const cJSON *layer = sciara_json_get(fissures, "layer");
  char *path = NULL;
  SCIARA_TRY(sciara_ensemble_path(w->r, sciara_json_get(fissures, "file"), &path));
  const struct sciara_shapes_request request = {.path = path,
                                                .layer = layer ? layer->valuestring : NULL,
                                                .crs_wkt = w->site->origin.crs_wkt,
                                                .grid = &w->site->grid,
                                                .names = true,
                                                .on_grid = true,
                                                .visit = add_shape,
                                                .context = w};
  const enum sciara_status status = sciara_shapes_read(&request);
  if (status == SCIARA_OK && w->split > 0)
    sciara_log(
        SCIARA_LOG_WARNING,
        "%s: vents.fissures.file: %s has features of several lines: each line is a vent of its own, with its own "
        "weight",
        w->r->file, path);
  free(path);
  return sciara_fail_context(status, "%s: vents.fissures.file", w->r->file);
}

static double to_radians(double degrees) { return degrees * (3.14159265358979323846 / 180); }

/** Each point becomes the middle of a fissure. */
static enum sciara_status stretch(struct work *w, const cJSON *fissures) {
  const double half = 0.5 * sciara_json_double(fissures, "length_m", 0);
  const double angle = to_radians(sciara_json_double(fissures, "azimuth_deg", 0));
  // rounded to a micrometre, so that the last bits of sine and cosine, which differ between libraries, do not count
  const double dx = nearbyint(half * sin(angle) * 1e6) / 1e6, dy = nearbyint(half * cos(angle) * 1e6) / 1e6;
  for (size_t k = 0; k < w->list->count; k++) {
    struct sciara_ensemble_vent *v = &w->list->vent[k];
    const struct sciara_point middle = v->points[0];
    sciara_free(v->points);
    v->points = NULL;
    SCIARA_TRY(SCIARA_NEW(v->points, 2, "a fissure"));
    v->points[0] = (struct sciara_point){middle.x - dx, middle.y - dy};
    v->points[1] = (struct sciara_point){middle.x + dx, middle.y + dy};
    v->point_count = 2;
  }
  return SCIARA_OK;
}

// ----------------------------------------------------------------------------------------------------------- weights

/** The weight of a vent: the integral over its square, the integral along its length, or the density at its point. */
static enum sciara_status integrate(const struct density *d, double square_m, const struct sciara_ensemble_vent *v,
                                    double *out) {
  const struct sciara_point p = v->points[0];
  const double half = 0.5 * square_m;
  if (v->point_count > 1) return vent_density_along(d, v->points, v->point_count, out);
  *out = square_m > 0 ? vent_density_in_box(d, &(struct box){p.x - half, p.y - half, p.x + half, p.y + half})
                      : vent_density_at(d, p);
  return SCIARA_OK;
}

/** The part of a density that lies where the DEM has altitudes; of kernels: in its rectangle. */
static double integrate_dem(const struct work *w, const struct density *d) {
  const struct sciara_grid *g = d->grid;
  double sum = 0;
  if (!d->raster)
    return vent_density_in_box(d, &(struct box){g->west, sciara_grid_south(g), sciara_grid_east(g), g->north});
  for (int64_t i = 0; i < sciara_grid_cells(g); i++)
    if (w->site->kind[i] != SCIARA_CELL_NODATA) sum += d->raster[i];
  return sum * g->cell_size * g->cell_size;
}

/** Says which part of the density no vent stands for: probabilities are those of an eruption in the other part. */
static void report_outside(const struct work *w, const struct density *d, bool squares) {
  const double least = 1e-6, total = vent_density_total(d), beyond = 1 - integrate_dem(w, d) / total;
  double inside = 0;
  for (size_t k = 0; squares && k < w->list->count; k++) inside += w->list->vent[k].weight;
  if (squares && 1 - inside / total > least)
    sciara_log(SCIARA_LOG_INFO,
               "%s: vents.weights: %.3g %% of the density of vent openings lies outside the squares of vents.grid",
               w->r->file, 100 * (1 - inside / total));
  w->list->outside = fmax(squares ? 1 - inside / total : 0, beyond);
  if (!(w->list->outside > least)) w->list->outside = 0;
  if (beyond > least)
    sciara_log(SCIARA_LOG_INFO, "%s: vents.weights: %.3g %% of the density of vent openings lies outside the DEM",
               w->r->file, 100 * beyond);
}

static enum sciara_status add_past(void *context, const struct sciara_point_row *row) {
  struct density *d = context;
  if (d->count == MOST_VENTS)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected at most %d points, found more", row->file, MOST_VENTS);
  if (d->count == d->capacity) {
    const size_t more = d->capacity ? 2 * d->capacity : 64;
    SCIARA_TRY(sciara_resize((void **)&d->past, d->count, more, sizeof *d->past, "past vents"));
    d->capacity = more;
  }
  d->past[d->count++] = row->at;
  return SCIARA_OK;
}

static enum sciara_status read_kernel(const struct work *w, const cJSON *kernel, struct density *d) {
  const cJSON *both = sciara_json_get(kernel, "bandwidths_m");
  const double angle = to_radians(sciara_json_double(kernel, "azimuth_deg", 0));
  d->along = both ? both->child->valuedouble : sciara_json_double(kernel, "bandwidth_m", 0);
  d->across = both ? both->child->next->valuedouble : d->along;
  if (fmax(d->along, d->across) > MOST_OBLONG * fmin(d->along, d->across))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: vents.weights.kernel.bandwidths_m: expected one that is at most %d times the other, found %g and %g m",
        w->r->file, MOST_OBLONG, d->along, d->across);
  d->sine = nearbyint(sin(angle) * 0x1p40) * 0x1p-40; // independent of the library
  d->cosine = nearbyint(cos(angle) * 0x1p40) * 0x1p-40;
  char *path = NULL;
  SCIARA_TRY(sciara_ensemble_path(w->r, sciara_json_get(kernel, "points"), &path));
  struct sciara_point_table past = table_of(w, path, NULL);
  past.anywhere = true;
  enum sciara_status status = sciara_point_table_read(&past, add_past, d, w->r->diagnostics);
  if (status == SCIARA_OK && d->count == 0)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected at least one point, found none", path);
  free(path);
  return sciara_fail_context(status, "%s: vents.weights.kernel.points", w->r->file);
}

static enum sciara_status read_raster(const struct work *w, const cJSON *raster, struct density *d) {
  char *path = NULL;
  enum sciara_status status;
  const struct sciara_grid *g = &w->site->grid;
  SCIARA_TRY_GOTO(SCIARA_NEW(d->raster, (size_t)sciara_grid_cells(g), "the density of vents"));
  SCIARA_TRY_GOTO(sciara_ensemble_path(w->r, raster, &path));
  SCIARA_TRY_GOTO(sciara_raster_read_on_grid(path, g, w->site->origin.crs_wkt, d->raster));
  for (int64_t i = 0; i < sciara_grid_cells(g); i++)
    if (d->raster[i] < 0) {
      status = sciara_fail(SCIARA_ERR_INPUT,
                           "%s: expected a density of 0 or more, found %g in row %" PRId64 ", column %" PRId64, path,
                           d->raster[i], i / g->cols, i % g->cols);
      goto cleanup;
    }
cleanup:
  free(path);
  return sciara_fail_context(status, "%s: vents.weights.raster", w->r->file);
}

static enum sciara_status weigh(const struct work *w, const cJSON *vents, const cJSON *weights) {
  const cJSON *kernel = sciara_json_get(weights, "kernel"), *raster = sciara_json_get(weights, "raster");
  const double square = sciara_json_double(sciara_json_get(vents, "grid"), "step_m", 0);
  struct density d = {.grid = &w->site->grid};
  if (!kernel && !raster) return SCIARA_OK; // equal, or the column of the table
  enum sciara_status status = kernel ? read_kernel(w, kernel, &d) : read_raster(w, raster, &d);
  for (size_t k = 0; k < w->list->count && status == SCIARA_OK; k++)
    status = integrate(&d, square, &w->list->vent[k], &w->list->vent[k].weight);
  if (status == SCIARA_OK) report_outside(w, &d, square > 0 && !w->list->lines);
  sciara_free(d.raster);
  sciara_free(d.past);
  return status;
}

/** The sum of all weights must be usable. */
static enum sciara_status check_weights(const struct work *w) {
  double sum = 0;
  for (size_t k = 0; k < w->list->count; k++) sum += w->list->vent[k].weight;
  if (sum > 0 && sum <= 1e300) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: vents.weights: expected weights with a finite sum above 0, found the sum %g of %zu vents",
                     w->r->file, sum, w->list->count);
}

// ------------------------------------------------------------------------------------------------------------- whole

static enum sciara_status collect(struct work *w, const cJSON *vents) {
  const cJSON *table = sciara_json_get(vents, "table"), *grid = sciara_json_get(vents, "grid"),
              *line = sciara_json_get(vents, "line"), *fissures = sciara_json_get(vents, "fissures");
  const cJSON *file = sciara_json_get(fissures, "file"),
              *column = sciara_json_get(sciara_json_get(vents, "weights"), "column");
  const int given = (table != NULL) + (grid != NULL) + (line != NULL) + (file != NULL);
  char found[48];
  snprintf(found, sizeof found, "%d of them", given);
  if (given != 1)
    return sciara_ensemble_refuse(w->r, "vents", SCIARA_NO_INDEX, NULL, given ? found : "none of them",
                                  "exactly one of: table, grid, line, fissures.file");
  if (column && !table)
    return sciara_ensemble_refuse(w->r, "vents", SCIARA_NO_INDEX, "weights", "a column, but no table",
                                  "a column only with vents.table");
  if (table) {
    char *path = NULL;
    SCIARA_TRY(sciara_ensemble_path(w->r, table, &path));
    const struct sciara_point_table table_file = table_of(w, path, column ? column->valuestring : NULL);
    const enum sciara_status status =
        !is_vector(path) ? sciara_point_table_read(&table_file, add_row, w, w->r->diagnostics)
        : column ? sciara_fail(SCIARA_ERR_INPUT, "expected a CSV file with the column of weights, found %s", path)
                 : add_features(w, path);
    free(path);
    if (status != SCIARA_OK) return sciara_fail_context(status, "%s: vents.table", w->r->file);
  } else {
    SCIARA_TRY(grid ? add_grid(w, grid) : line ? add_line(w, line) : add_file(w, fissures));
  }
  return fissures && !file ? stretch(w, fissures) : SCIARA_OK;
}

/** Reports each vent that cannot lie where it does. */
static void check_places(const struct work *w) {
  for (size_t k = 0; k < w->list->count; k++) {
    const struct sciara_ensemble_vent *v = &w->list->vent[k];
    const enum sciara_status status = sciara_vent_place_check(w->site, v->points, v->point_count);
    sciara_diagnostics_add(w->r->diagnostics, sciara_fail_context(status, "%s", w->list->where[k]));
  }
}

void sciara_vent_list_read(const struct sciara_ensemble_reading *r, const cJSON *vents, const struct sciara_site *site,
                           struct sciara_vent_list *out) {
  struct work w = {.r = r, .site = site, .list = out};
  const size_t before = r->diagnostics->count;
  *out = (struct sciara_vent_list){.jitter_m = sciara_json_double(vents, "jitter_m", 0),
                                   .lines = sciara_json_get(vents, "fissures") != NULL};
  enum sciara_status status = collect(&w, vents);
  sciara_diagnostics_add(r->diagnostics, status);
  if (status != SCIARA_OK) return;
  check_places(&w);
  if (out->count == 0 && r->diagnostics->count == before)
    sciara_ensemble_report(r, "vents", SCIARA_NO_INDEX, NULL, "none", "at least one vent");
  if (r->diagnostics->count > before) return; // weights of what is left would be wrong
  status = weigh(&w, vents, sciara_json_get(vents, "weights"));
  sciara_diagnostics_add(r->diagnostics, status);
  if (status == SCIARA_OK && r->diagnostics->count == before) sciara_diagnostics_add(r->diagnostics, check_weights(&w));
  if (!sciara_json_get(vents, "weights"))
    sciara_log(SCIARA_LOG_INFO, "%s: vents: no weights are given, all %zu vents have the same", r->file, out->count);
}

void sciara_vent_list_free(struct sciara_vent_list *l) {
  for (size_t k = 0; k < l->count; k++) {
    free(l->vent[k].name);
    sciara_free(l->vent[k].points);
    free(l->where[k]);
  }
  sciara_free(l->vent);
  sciara_free(l->where);
  *l = (struct sciara_vent_list){0};
}
