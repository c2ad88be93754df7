// SPDX-License-Identifier: Apache-2.0
#include "bingham_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Neighbours 1..8: N, W, E, S, NW, SW, SE, NE.
static const int row_of[9] = {0, -1, 0, 0, 1, -1, 1, 1, -1}, col_of[9] = {0, 0, -1, 1, 0, -1, -1, 1, 1};
static const int reverse_of[9] = {0, 4, 3, 2, 1, 7, 8, 5, 6}, beside[9][2] = {[5] = {1, 2}, {4, 2}, {4, 3}, {1, 3}};

static const double gravity = 9.81, sigma = 5.67e-8;

static double *zeros(int n) { return calloc((size_t)n, sizeof(double)); }

/** A cell outside the grid is nothing. */
static int neighbour(const struct reference *r, int i, int n) {
  const int row = i / r->cols + row_of[n], col = i % r->cols + col_of[n];
  return row < 0 || row >= r->rows || col < 0 || col >= r->cols ? -1 : row * r->cols + col;
}

struct reference *reference_create(int rows, int cols, double w, const double *z, const unsigned char *valid,
                                   bool closed, const struct sciara_params *params, const struct sciara_vents *vents) {
  const int n = rows * cols;
  struct reference *r = calloc(1, sizeof *r);
  *r = (struct reference){.rows = rows, .cols = cols, .w = w, .closed = closed, .params = params, .vents = vents};
  r->kind = calloc((size_t)n, sizeof *r->kind);
  double **arrays[] = {&r->z, &r->h, &r->T, &r->px, &r->py, &r->arrival, &r->lost, &r->sum, &r->heat};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) *arrays[k] = zeros(n);
  for (int k = 1; k < 9; k++) r->out[k] = zeros(n);
  memcpy(r->z, z, (size_t)n * sizeof *z);
  r->t = params->t_first;
  r->top = rows, r->left = cols, r->bottom = r->right = -1;
  for (int i = 0; i < n; i++) {
    r->arrival[i] = -1;
    if (!valid[i]) continue;
    r->kind[i] = REFERENCE_INSIDE;
    for (int k = 1; k < 9; k++)
      if (neighbour(r, i, k) < 0 || !valid[neighbour(r, i, k)]) r->kind[i] = REFERENCE_RIM;
  }
  return r;
}

void reference_destroy(struct reference *r) {
  double *arrays[] = {r->z, r->h, r->T, r->px, r->py, r->arrival, r->lost, r->sum, r->heat};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  for (int k = 1; k < 9; k++) free(r->out[k]);
  free(r->kind);
  free(r);
}

/** Every cell of the rectangle. */
#define FOR_CELLS(r, i)                                  \
  for (int row_ = (r)->top; row_ <= (r)->bottom; row_++) \
    for (int i = row_ * (r)->cols + (r)->left, end_ = row_ * (r)->cols + (r)->right; i <= end_; i++)

/** Lava is in cell i. */
static void extend(struct reference *r, int i) {
  const int row = i / r->cols, col = i % r->cols;
  if (row <= r->top) r->top = row > 0 ? row - 1 : 0;
  if (row >= r->bottom) r->bottom = row < r->rows - 1 ? row + 1 : row;
  if (col <= r->left) r->left = col > 0 ? col - 1 : 0;
  if (col >= r->right) r->right = col < r->cols - 1 ? col + 1 : col;
}

static void emit(struct reference *r) {
  const struct sciara_vents *v = r->vents;
  for (int64_t k = 0; k < v->count; k++) {
    const int i = (int)(v->row[k] * r->cols + v->col[k]);
    double volume = 0;
    for (int64_t j = v->first[k]; j < v->first[k + 1]; j++)
      volume += v->rate[j] * fmax(0, fmin(v->end[j], r->s + r->t) - fmax(v->begin[j], r->s));
    if (!(volume > 0)) continue;
    r->h[i] += volume / (r->w * r->w);
    r->T[i] = r->params->T_vent;
    extend(r, i);
    if (r->arrival[i] < 0) r->arrival[i] = r->s;
  }
  r->s += r->t;
}

static double law(const struct sciara_params *p, double sol, double vent, double T) {
  return sol == 0 ? 0 : sol * exp(log(vent / sol) * ((T - p->T_sol) / (p->T_vent - p->T_sol)));
}

/** Monotonized central difference of three values. */
static double limited(double a, double b) {
  if (a * b <= 0) return 0;
  return copysign(fmin(2 * fmin(fabs(a), fabs(b)), (fabs(a) + fabs(b)) / 2), a);
}

/** Rates, m/s, and most, m, of the flows of a liquid cell. Returns the time that it allows, s. */
static double evaluate(const struct reference *r, int i, double rate[9], double most[9]) {
  const struct sciara_params *p = r->params;
  const double w = r->w, h = r->h[i], T = r->T[i];
  double rise[9], drop[9], around[9], thickest = 0;
  memset(rate, 0, 9 * sizeof *rate);
  memset(most, 0, 9 * sizeof *most);
  for (int n = 1; n < 9; n++) {
    const int j = neighbour(r, i, n);
    const bool wall = r->closed && r->kind[j] == REFERENCE_RIM;
    rise[n] = wall ? (double)INFINITY : r->z[j] - r->z[i];
    around[n] = r->h[j];
    drop[n] = wall ? 0 : h - (rise[n] + around[n]);
    thickest = fmax(thickest, around[n]);
  }
  for (int n = 1; n < 9; n++)
    if (h < r->front * thickest && around[n] == 0) drop[n] = 0;
  const double gx = fmax(0, fmax(drop[2], drop[3])) / w, gy = fmax(0, fmax(drop[1], drop[4])) / w;
  const double ga = fmax(0, fmax(drop[5], drop[7])) / (sqrt(2) * w),
               gb = fmax(0, fmax(drop[6], drop[8])) / (sqrt(2) * w);
  const double G = sqrt(fmax(gx * gx + gy * gy, ga * ga + gb * gb));
  if (G == 0) return p->t_max;
  const double R = sqrt(1 + G * G), rho_g = p->density * gravity;
  const double plug = law(p, p->yield_sol, p->yield_vent, T) * R / (rho_g * G);
  if (h <= plug) return p->t_max;
  const double B = rho_g / (3 * law(p, p->viscosity_sol, p->viscosity_vent, T) * R), m = h - plug;
  const double v_n = B * G * (m * m * (h + plug / 2)) / h, v_c = sqrt(gravity * h * (G / R) / p->friction);
  if (v_n + v_c == 0) return p->t_max; // a film whose speeds are below all numbers
  const double fr = v_c / (v_n + v_c), v = v_n * fr;
  double S = 0;
  for (int n = 1; n < 9; n++) {
    if (!(drop[n] > 0)) continue;
    const double ds = limited(around[n] - h, h - around[reverse_of[n]]);
    double q = fmin(h + ds / 2, h - rise[n]);
    if (n > 4) q = fmin(q, h - fmin(rise[beside[n][0]], rise[beside[n][1]]));
    const double e = q - plug, f = n < 5 ? 2.0 / 3 : 1.0 / 6;
    if (e <= 0) continue;
    rate[n] = B * (e * e * (q + plug / 2)) * fr * drop[n] * f / (w * w);
    most[n] = drop[n] * f / 4;
    S += rate[n];
  }
  for (int n = 1; n < 9; n++)
    if (rate[n] > 0) most[n] = fmin(most[n], h * (rate[n] / S));
  const double D = B * (h * h * h - plug * plug * plug) * fr;
  return fmin(p->t_max, fmin(w / v, 2 * (w * w) / D * (1 + 0.05 * h / (G * w))));
}

static void flow(struct reference *r) {
  double t_opt = r->params->t_max, most[9], rate[9];
  FOR_CELLS(r, i) {
    for (int k = 1; k < 9; k++) r->out[k][i] = 0;
    if (r->h[i] > 0) t_opt = fmin(t_opt, evaluate(r, i, rate, most));
  }
  r->t = r->params->relaxation * t_opt;
  FOR_CELLS(r, i) {
    if (!(r->h[i] > 0)) continue;
    evaluate(r, i, rate, most);
    for (int k = 1; k < 9; k++) r->out[k][i] = fmin(rate[k] * r->t, most[k]);
  }
}

static void move(struct reference *r) {
  FOR_CELLS(r, i) {
    double leaving = 0;
    r->px[i] = r->py[i] = 0;
    for (int k = 1; k < 9; k++) {
      const double unit = k < 5 ? 1 : 1 / sqrt(2), d = k < 5 ? r->w : sqrt(2) * r->w;
      leaving += r->out[k][i];
      r->px[i] += r->out[k][i] * d / r->t * (unit * col_of[k]);
      r->py[i] += r->out[k][i] * d / r->t * (unit * -row_of[k]);
    }
    r->sum[i] = fmax(0, r->h[i] - leaving);
    r->heat[i] = r->sum[i] * r->T[i];
    for (int k = 1; k < 9; k++) {
      const int j = neighbour(r, i, k);
      if (j < 0 || !(r->out[reverse_of[k]][j] > 0)) continue;
      r->sum[i] += r->out[reverse_of[k]][j];
      r->heat[i] += r->out[reverse_of[k]][j] * r->T[j];
    }
  }
}

static void settle(struct reference *r) {
  const struct sciara_params *p = r->params;
  const double K = 3 * p->emissivity * sigma * p->radiating / (p->density * p->c_v);
  FOR_CELLS(r, i) {
    const double h = r->sum[i];
    bool dry = !(h > 0);
    if (!dry && r->arrival[i] < 0) r->arrival[i] = r->s;
    if (!dry && r->kind[i] == REFERENCE_RIM) r->lost[i] += h, dry = true;
    if (!dry) {
      const double mixed = r->heat[i] / h, k = K * (r->covered ? r->covered(r, i) : 1);
      r->h[i] = h;
      // In long double: just above 1, cbrt of glibc 2.36 is too large by 0.1 ulp on average, which thousands of steps add up.
      r->T[i] = mixed / (double)cbrtl(1 + k * r->t * (mixed * mixed * mixed) / h);
      if (r->T[i] <= p->T_sol) r->z[i] += h, dry = true;
    }
    if (dry) r->h[i] = r->T[i] = r->px[i] = r->py[i] = 0;
  }
}

void reference_step(struct reference *r) {
  emit(r);
  flow(r);
  move(r);
  settle(r);
  FOR_CELLS(r, i) if (r->h[i] > 0) extend(r, i);
}
