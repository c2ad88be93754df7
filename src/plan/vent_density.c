// SPDX-License-Identifier: Apache-2.0
#include "plan/ensemble_file.h"

#include <math.h>

#include "base/mem.h"
#include "model/detmath.h"

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
static double kernel_in_box(const struct sciara_vent_density *d, const struct sciara_box *b) {
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
static struct sciara_point to_axes(const struct sciara_vent_density *d, double x, double y) {
  return (struct sciara_point){(x * d->sine + y * d->cosine) / d->along, (x * d->cosine - y * d->sine) / d->across};
}

/** The integral of the kernel around `past` along a segment: a cut through it is a normal curve, too. */
static double kernel_along(const struct sciara_vent_density *d, struct sciara_point past, struct sciara_point a,
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

static double raster_in_box(const struct sciara_vent_density *d, const struct sciara_box *b) {
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

static enum sciara_status raster_along(const struct sciara_vent_density *d, const struct sciara_point *points,
                                       size_t count, double *out) {
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

double sciara_vent_density_at(const struct sciara_vent_density *d, struct sciara_point p) {
  const struct sciara_grid *g = d->grid;
  if (d->raster) {
    const double row = floor((g->north - p.y) / g->cell_size), col = floor((p.x - g->west) / g->cell_size);
    if (!(row >= 0 && row < (double)g->rows && col >= 0 && col < (double)g->cols)) return 0;
    return d->raster[(int64_t)row * g->cols + (int64_t)col];
  }
  double sum = 0;
  for (size_t k = 0; k < d->count; k++) {
    const struct sciara_point u = to_axes(d, p.x - d->past[k].x, p.y - d->past[k].y);
    sum += sciara_exp(-0.5 * (u.x * u.x + u.y * u.y));
  }
  return sum;
}

double sciara_vent_density_in_box(const struct sciara_vent_density *d, const struct sciara_box *box) {
  if (d->raster) return raster_in_box(d, box);
  double sum = 0;
  for (size_t k = 0; k < d->count; k++) {
    const struct sciara_point p = d->past[k];
    const struct sciara_box around = {box->west - p.x, box->south - p.y, box->east - p.x, box->north - p.y};
    sum += kernel_in_box(d, &around);
  }
  return sum;
}

enum sciara_status sciara_vent_density_along(const struct sciara_vent_density *d, const struct sciara_point *points,
                                             size_t count, double *out) {
  if (d->raster) return raster_along(d, points, count, out);
  *out = 0;
  for (size_t k = 0; k + 1 < count; k++)
    for (size_t n = 0; n < d->count; n++) *out += kernel_along(d, d->past[n], points[k], points[k + 1]);
  return SCIARA_OK;
}

double sciara_vent_density_total(const struct sciara_vent_density *d) {
  if (!d->raster) return (double)d->count * two_pi * d->along * d->across;
  double sum = 0;
  for (int64_t i = 0; i < sciara_grid_cells(d->grid); i++) sum += d->raster[i];
  return sum * d->grid->cell_size * d->grid->cell_size;
}
