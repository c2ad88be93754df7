// SPDX-License-Identifier: Apache-2.0
// Makes the synthetic DEMs of datasets/: a flat plane, and an island volcano with ridges, a valley, old lava flows and
// the sea. The same values on every machine: integers, + - * / and square roots, the exponential of base/detmath.h,
// altitudes rounded to centimetres.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "map/raster_gdal.h"
#include "base/detmath.h"
#include "geometry/polyline.h"

#define CELL_M 10.0
#define CRS "EPSG:32633"
#define SHORE_M 1.0 // below it is sea

// ---------------------------------------------------------------------------------------------------------- numbers

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/** 0 up to `low`, 1 from `high` on, an S in between. */
static double smooth(double low, double high, double x) {
  const double t = clamp((x - low) / (high - low), 0, 1);
  return t * t * (3 - 2 * t);
}

/** A bell of height 1 and standard deviation 1. */
static double bell(double x) { return sciara_exp(-0.5 * x * x); }

/** Scrambles a lattice point. */
static uint32_t hash(int32_t x, int32_t y, int32_t z) {
  uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;
  h = (h ^ (h >> 16)) * 0x7feb352du;
  h = (h ^ (h >> 15)) * 0x846ca68bu;
  return h ^ (h >> 16);
}

/** At a lattice point: 0 there, growing towards one of the eight corners of a cube. */
static double gradient(int32_t x, int32_t y, int32_t z, double dx, double dy, double dz) {
  const uint32_t h = hash(x, y, z);
  return (h & 1 ? dx : -dx) + (h & 2 ? dy : -dy) + (h & 4 ? dz : -dz);
}

static int32_t whole(double x) {
  const int32_t i = (int32_t)x;
  return (double)i > x ? i - 1 : i;
}

/** Smooth noise in about -1..1 with hills and hollows about one unit wide. */
static double noise(double x, double y, double z) {
  const int32_t i = whole(x), j = whole(y), k = whole(z);
  const double d[3] = {x - i, y - j, z - k};
  double near[3], sum = 0;
  for (int a = 0; a < 3; a++) near[a] = 1 - d[a] * d[a] * d[a] * (d[a] * (d[a] * 6 - 15) + 10);
  for (int corner = 0; corner < 8; corner++) {
    const int a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
    const double weight = (a ? 1 - near[0] : near[0]) * (b ? 1 - near[1] : near[1]) * (c ? 1 - near[2] : near[2]);
    sum += weight * gradient(i + a, j + b, k + c, d[0] - a, d[1] - b, d[2] - c);
  }
  return sum;
}

/** Noise of several sizes from `size` m down, in about -1..1; each `layer` is another one. */
static double fractal(double x, double y, double size, int octaves, int layer) {
  double sum = 0, amplitude = 1, total = 0;
  for (int o = 0; o < octaves; o++) {
    sum += amplitude * noise(x / size, y / size, layer * 7.31 + o * 2.17);
    total += amplitude;
    amplitude = amplitude * 0.5;
    size = size * 0.47;
  }
  return sum / total;
}

// ------------------------------------------------------------------------------------------------------ the volcano
// Positions are metres east and north of the south-western corner of the grid. The numbers were chosen by eye.

enum { ROWS = 378, COLS = 517 };

static const struct sciara_point summit = {1480, 1960};

/** The mountain at distance r from the summit, m: it steepens upwards and has a crater. */
static double cone(double r) {
  const double flank = 1460 * sciara_exp(-sciara_sqrt(r * r + 130.0 * 130.0) / 1700) - 190;
  return flank - 95 * bell(r / 62) + 14 * bell((r - 150) / 55);
}

/** 1 where a noise changes sign, falling to 0 on both sides. Such lines branch and join as valleys do. */
static double crease(double n, double sharpness) { return 1 - clamp(sharpness * (n < 0 ? -n : n), 0, 1); }

/**
 * Depth of the gullies that water cut into the flanks, m: sharp at the bottom, round in between. (u, v) is the unit
 * vector from the summit; noise over it runs down the flanks, and no angle is needed.
 */
static double gullies(double u, double v, double r, double x, double y) {
  const double bend = 0.35 * fractal(x, y, 700, 2, 1);
  const double wide = noise(3.9 * u + bend, 3.9 * v - bend, r / 2600 + 5.4);
  const double narrow = noise(8.3 * u - bend, 8.3 * v + bend, r / 1500 + 9.7);
  const double a = crease(wide, 2.2), b = crease(narrow, 2.0);
  const double grown = smooth(150, 1000, r) * (1 - 0.55 * smooth(1500, 3300, r));
  return grown * (60 * a * a + 24 * smooth(300, 1300, r) * b * b);
}

/** How far inside the wall of the great valley, open to the east, a position is (m, < 0 outside), and how far down it. */
static double valley_inside(double x, double y, double *down) {
  const double ax = 0.987, ay = -0.1607; // its axis
  const double dx = x - (summit.x + 330), dy = y - (summit.y - 60);
  const double s = dx * ax + dy * ay, t = dy * ax - dx * ay;
  const double half = 480 + 0.13 * clamp(s, 0, 4000), head = s < half ? (half - s) / half : 0;
  *down = s;
  return (1 - sciara_sqrt(head * head + t * t / (half * half))) * half + 75 * fractal(x, y, 420, 3, 2);
}

/** Ground lost to the great valley, m. */
static double valley_depth(double inside, double down) {
  const double depth = 210 - 160 * smooth(300, 3000, down);
  return depth * smooth(-40, 190, inside);
}

/** Height of the scoria cones, the first one in the great valley, m. */
static double scoria_cones(double x, double y) {
  static const struct {
    double x, y, height, radius;
  } cones[] = {
      {3010, 1800, 58, 150}, {1010, 2890, 62, 135}, {1230, 3060, 48, 110}, {890, 870, 70, 150},
      {2250, 3190, 66, 145}, {640, 1350, 45, 105},  {2330, 700, 58, 130},  {2520, 560, 40, 95},
  };
  double sum = 0;
  for (size_t i = 0; i < sizeof cones / sizeof *cones; i++) {
    const double dx = x - cones[i].x, dy = y - cones[i].y;
    const double r = sciara_sqrt(dx * dx + dy * dy) / cones[i].radius * (1 + 0.16 * fractal(x, y, 160, 2, 3));
    const double crater = smooth(0, 0.3, r);
    sum += cones[i].height * (r < 1 ? (1 - r) * (1 - r * r * 0.2) / 0.68 * crater + 0.45 * (1 - crater) : 0);
  }
  return sum;
}

/** Altitude before the old lava flows, m; below 0 in the sea. */
static double mountain(double x, double y) {
  const double wx = x + 90 * fractal(x, y, 900, 3, 4), wy = y + 90 * fractal(x, y, 900, 3, 5);
  const double dx = wx - summit.x, dy = wy - summit.y, r = sciara_sqrt(dx * dx + dy * dy) + 1e-3;
  double down;
  const double inside = valley_inside(x, y, &down), floor = smooth(-20, 200, inside);
  double z = cone(r) - valley_depth(inside, down) - gullies(dx / r, dy / r, r, x, y) * (1 - 0.8 * floor);
  z += (1 - 0.5 * floor) * 16 * fractal(x, y, 520, 3, 6) + 5 * fractal(x, y, 110, 3, 7);
  return z + scoria_cones(x, y) + 22 * fractal(x, y, 800, 4, 8) * smooth(2400, 3300, r);
}

// -------------------------------------------------------------------------------------------------- old lava flows

enum { FLOW_STEP_M = 5, FLOW_POINTS = 900 };

/** The start of an old flow, its length, width and thickness. */
struct old_flow {
  struct sciara_point start;
  double length, half_width, thickness;
};

/** Altitude at a position, bilinear between cell centres. */
static double altitude_at(const double *z, double x, double y) {
  const double c = clamp(x / CELL_M - 0.5, 0, COLS - 1.001), r = clamp(ROWS - y / CELL_M - 0.5, 0, ROWS - 1.001);
  const int64_t i = (int64_t)r, j = (int64_t)c;
  const double *p = z + i * COLS + j, fx = c - (double)j, fy = r - (double)i;
  return (p[0] * (1 - fx) + p[1] * fx) * (1 - fy) + (p[COLS] * (1 - fx) + p[COLS + 1] * fx) * fy;
}

/** Follows the slope down, with some inertia, to the length of the flow or to the sea. Returns the number of points. */
static int follow_down(const double *z, const struct old_flow *flow, struct sciara_point path[FLOW_POINTS]) {
  const double reach = 45; // of the slope that steers the lava: small hollows have no effect
  struct sciara_point at = flow->start, heading = {0, 0};
  int n = 0;
  while (n < FLOW_POINTS && n * FLOW_STEP_M < flow->length && altitude_at(z, at.x, at.y) > 0) {
    const double gx = altitude_at(z, at.x - reach, at.y) - altitude_at(z, at.x + reach, at.y);
    const double gy = altitude_at(z, at.x, at.y - reach) - altitude_at(z, at.x, at.y + reach);
    const double g = sciara_sqrt(gx * gx + gy * gy) + 1e-9;
    heading.x = 0.86 * heading.x + 0.14 * gx / g;
    heading.y = 0.86 * heading.y + 0.14 * gy / g;
    const double h = sciara_sqrt(heading.x * heading.x + heading.y * heading.y) + 1e-9;
    path[n++] = at;
    at.x += FLOW_STEP_M * heading.x / h;
    at.y += FLOW_STEP_M * heading.y / h;
  }
  return n;
}

/** Sets far[cell] to the distance from the path, at most `reach`, and along[cell] to the position along it, 0..1. */
static void measure_from(const struct sciara_point *path, int n, double reach, double *far, double *along) {
  for (int64_t i = 0; i < (int64_t)ROWS * COLS; i++) far[i] = reach;
  for (int p = 0; p < n; p++) {
    const int64_t r0 = (int64_t)clamp(ROWS - (path[p].y + reach) / CELL_M, 0, ROWS);
    const int64_t r1 = (int64_t)clamp(ROWS - (path[p].y - reach) / CELL_M + 1, 0, ROWS);
    const int64_t c0 = (int64_t)clamp((path[p].x - reach) / CELL_M, 0, COLS);
    const int64_t c1 = (int64_t)clamp((path[p].x + reach) / CELL_M + 1, 0, COLS);
    for (int64_t r = r0; r < r1; r++)
      for (int64_t c = c0; c < c1; c++) {
        const double dx = ((double)c + 0.5) * CELL_M - path[p].x, dy = ((double)(ROWS - r) - 0.5) * CELL_M - path[p].y;
        const double d = sciara_sqrt(dx * dx + dy * dy);
        if (d >= far[r * COLS + c]) continue;
        far[r * COLS + c] = d;
        along[r * COLS + c] = (double)p / n;
      }
  }
}

/** Lays a flow on the ground: steep sides, a channel between levees that ends short of the front, a wrinkled top. */
static void lay_flow(double *z, const struct old_flow *flow, int layer, double *far, double *along) {
  struct sciara_point path[FLOW_POINTS];
  const int n = follow_down(z, flow, path);
  measure_from(path, n, 2 * flow->half_width, far, along);
  for (int64_t r = 0; r < ROWS; r++)
    for (int64_t c = 0; c < COLS; c++) {
      const int64_t i = r * COLS + c;
      if (far[i] >= 2 * flow->half_width) continue;
      const double x = (double)c * CELL_M, y = (double)(ROWS - r) * CELL_M, s = along[i];
      const double width =
          flow->half_width * (0.45 + 0.55 * smooth(0, 0.8, s)) * (1 + 0.5 * fractal(x, y, 130, 3, layer));
      const double body = (1 - smooth(0.65, 1, far[i] / width)) * smooth(0, 0.12, s) * (1 - smooth(0.96, 1, s));
      const double channel = bell(far[i] / (0.24 * width)) * (1 - smooth(0.6, 0.9, s));
      z[i] += flow->thickness * body * (1 - 1.1 * channel + 0.25 * fractal(x, y, 45, 2, layer + 1));
    }
}

static void lay_old_flows(double *z, double *far, double *along) {
  static const struct old_flow flows[] = {
      {{1440, 2190}, 1700, 120, 10}, {{1210, 1830}, 1300, 110, 9}, {{2280, 1990}, 2300, 95, 8},
      {{2250, 1730}, 2500, 105, 8},  {{1500, 1700}, 1900, 100, 9}, {{1000, 2880}, 900, 95, 11},
      {{2250, 3190}, 1300, 105, 10}, {{2400, 700}, 900, 90, 10},   {{2250, 1480}, 2200, 90, 8},
      {{640, 1350}, 800, 80, 8},
  };
  for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) lay_flow(z, &flows[i], 20 + 2 * (int)i, far, along);
}

// ---------------------------------------------------------------------------------------------------------- the DEMs

static double to_centimetres(double z) { return (double)(int64_t)(z * 100 + (z < 0 ? -0.5 : 0.5)) / 100; }

/** Fills rows x cols altitudes, SCIARA_NODATA_ALTITUDE in the sea. `scratch` is twice as long. */
static void fill_volcano(double *z, double *scratch) {
  const int64_t cells = (int64_t)ROWS * COLS;
  for (int64_t i = 0; i < cells; i++) {
    const int64_t row = i / COLS, col = i % COLS;
    z[i] = mountain(((double)col + 0.5) * CELL_M, ((double)(ROWS - row) - 0.5) * CELL_M);
  }
  lay_old_flows(z, scratch, scratch + cells);
  for (int64_t i = 0; i < cells; i++) z[i] = z[i] >= SHORE_M ? to_centimetres(z[i]) : SCIARA_NODATA_ALTITUDE;
}

static void fill_plane(double *z, double *scratch) {
  (void)scratch;
  for (int64_t i = 0; i < 401 * 401; i++) z[i] = 100;
}

static const struct dataset {
  const char *name, *title;
  struct sciara_grid grid;
  void (*fill)(double *z, double *scratch);
} datasets[] = {
    {"plane", "Flat plane, synthetic", {401, 401, CELL_M, 446000, 4350010}, fill_plane},
    {"volcano", "Island volcano, synthetic", {ROWS, COLS, CELL_M, 446000, 4350000}, fill_volcano},
};

static enum sciara_status make(const struct dataset *dataset, const char *path) {
  enum sciara_status status = SCIARA_OK;
  struct sciara_georef georef = {0};
  const size_t cells = (size_t)sciara_grid_cells(&dataset->grid);
  double *z = NULL, *scratch = NULL;
  SCIARA_TRY_GOTO(SCIARA_NEW(z, cells, "the altitudes"));
  SCIARA_TRY_GOTO(SCIARA_NEW(scratch, 2 * cells, "the distances from old flows"));
  SCIARA_TRY_GOTO(sciara_georef_from_name(CRS, &georef));
  dataset->fill(z, scratch);
  const struct sciara_map map = {.grid = &dataset->grid,
                                 .georef = &georef,
                                 .values = z,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = "altitude",
                                 .unit = "m",
                                 .title = dataset->title};
  SCIARA_TRY_GOTO(sciara_map_write_geotiff(&map, false, path));
cleanup:
  sciara_georef_free(&georef);
  sciara_free(scratch);
  sciara_free(z);
  return status;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 3 && i < sizeof datasets / sizeof *datasets; i++) {
    if (strcmp(argv[1], datasets[i].name) != 0) continue;
    const enum sciara_status status = make(&datasets[i], argv[2]);
    if (status != SCIARA_OK) fprintf(stderr, "sciara_make_dem: %s\n", sciara_last_error());
    return (int)status;
  }
  fprintf(stderr, "usage: sciara_make_dem plane|volcano FILE.tif\n");
  return SCIARA_ERR_USAGE;
}
