// SPDX-License-Identifier: Apache-2.0
#include "picture/picture.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct sciara_picture sciara_picture_part(const struct sciara_picture *p, int64_t x, int64_t y, int64_t width,
                                          int64_t height) {
  const int64_t left = x > 0 ? x : 0, top = y > 0 ? y : 0;
  const int64_t right = x + width < p->width ? x + width : p->width;
  const int64_t bottom = y + height < p->height ? y + height : p->height;
  if (left >= right || top >= bottom) return (struct sciara_picture){.stride = p->stride, .rgb = p->rgb};
  return (struct sciara_picture){
      .width = right - left, .height = bottom - top, .stride = p->stride, .rgb = p->rgb + (top * p->stride + left) * 3};
}

void sciara_picture_fill(struct sciara_picture *p, int64_t x, int64_t y, int64_t width, int64_t height,
                         const uint8_t rgb[3]) {
  const struct sciara_picture part = sciara_picture_part(p, x, y, width, height);
  for (int64_t j = 0; j < part.height; j++)
    for (int64_t i = 0; i < part.width; i++) memcpy(part.rgb + (j * part.stride + i) * 3, rgb, 3);
}

void sciara_picture_mix(struct sciara_picture *p, int64_t x, int64_t y, double share, const uint8_t rgb[3]) {
  uint8_t *pixel = p->rgb + (y * p->stride + x) * 3;
  for (int k = 0; k < 3; k++) pixel[k] = (uint8_t)lround(pixel[k] + (rgb[k] - pixel[k]) * share);
}

/** The first and the last pixel (one beyond) of a stretch from `low` to `high`, within 0..limit. */
static void pixels_of(double low, double high, int64_t limit, int64_t *first, int64_t *end) {
  *first = low > 0 ? (low < (double)limit ? (int64_t)low : limit) : 0;
  *end = high > 0 ? (high < (double)limit ? (int64_t)high + 1 : limit) : 0;
}

struct bounds {
  int64_t left, top, right, bottom;
};

static struct bounds bounds_of(const struct sciara_picture *p, const struct sciara_spot *points, size_t count,
                               double margin) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (size_t k = 0; k < count; k++) {
    low[0] = fmin(low[0], points[k].x);
    low[1] = fmin(low[1], points[k].y);
    high[0] = fmax(high[0], points[k].x);
    high[1] = fmax(high[1], points[k].y);
  }
  struct bounds b;
  pixels_of(low[0] - margin, high[0] + margin, p->width, &b.left, &b.right);
  pixels_of(low[1] - margin, high[1] + margin, p->height, &b.top, &b.bottom);
  return b;
}

/** Square of the distance from (x, y) to the stretch from a to b. */
static double distance2(double x, double y, const struct sciara_spot *a, const struct sciara_spot *b) {
  const double dx = b->x - a->x, dy = b->y - a->y, length2 = dx * dx + dy * dy;
  double t = length2 > 0 ? ((x - a->x) * dx + (y - a->y) * dy) / length2 : 0;
  t = t > 0 ? (t < 1 ? t : 1) : 0;
  const double ex = x - (a->x + t * dx), ey = y - (a->y + t * dy);
  return ex * ex + ey * ey;
}

void sciara_picture_stroke(struct sciara_picture *p, const struct sciara_spot *points, const uint8_t *lift,
                           size_t count, double radius, double opacity, const uint8_t rgb[3]) {
  const struct bounds b = bounds_of(p, points, count, radius + 1);
  for (int64_t j = b.top; j < b.bottom; j++)
    for (int64_t i = b.left; i < b.right; i++) {
      double least = INFINITY;
      for (size_t k = 0; k < count; k++) {
        const bool alone = k == 0 || (lift && lift[k]);
        const double d = distance2((double)i + 0.5, (double)j + 0.5, &points[alone ? k : k - 1], &points[k]);
        if (d < least) least = d;
      }
      const double cover = radius + 0.5 - sqrt(least); // a pixel's edge is half a pixel from its centre
      if (cover > 0) sciara_picture_mix(p, i, j, (cover < 1 ? cover : 1) * opacity, rgb);
    }
}

void sciara_picture_convex(struct sciara_picture *p, const struct sciara_spot *corners, size_t count,
                           const uint8_t rgb[3]) {
  enum { FINE = 4 };
  const struct bounds b = bounds_of(p, corners, count, 1);
  for (int64_t j = b.top; j < b.bottom; j++)
    for (int64_t i = b.left; i < b.right; i++) {
      int inside = 0;
      for (int s = 0; s < FINE * FINE; s++) {
        const int row = s / FINE, col = s % FINE;
        const double x = (double)i + (col + 0.5) / FINE, y = (double)j + (row + 0.5) / FINE;
        bool in = true;
        for (size_t k = 0; k < count && in; k++) {
          const struct sciara_spot *from = &corners[k], *to = &corners[(k + 1) % count];
          in = (to->x - from->x) * (y - from->y) - (to->y - from->y) * (x - from->x) >= 0;
        }
        inside += in;
      }
      if (inside) sciara_picture_mix(p, i, j, (double)inside / (FINE * FINE), rgb);
    }
}
