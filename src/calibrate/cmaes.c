// SPDX-License-Identifier: Apache-2.0
#include "calibrate/cmaes.h"

#include <math.h>
#include <string.h>

#include "base/detmath.h"
#include "base/mem.h"
#include "model/random.h"

enum {
  TRIES = 100,      // of a point that falls outside the cube, before it is moved to the border
  LEAST_SHOWN = 20, // generations before stagnation is looked for
  MOST_SHOWN = 20000,
};

static const double LARGEST_CONDITION = 1e14;

/** Constants that depend on dimension and population alone (Hansen 2016, table 1). */
struct constants {
  int parents;
  double mu_eff, c_c, c_1, c_mu, c_sigma, d_sigma, expected; // the last: the mean length of a normal vector
};

struct sciara_cmaes {
  int n, population, restarts;
  double start_sigma, least;
  uint64_t seed, drawn;
  struct constants k;
  // The present start.
  int64_t generation;
  double sigma;
  double *mean, *path_sigma, *path_c; // n
  double *covariance, *axes;          // n x n; the columns of `axes` are eigenvectors
  double *lengths;                    // n, square roots of the eigenvalues
  // The present generation.
  double *points, *steps; // population x n; steps = (points - mean) / sigma
  double *weights;        // population
  int *order;             // population, best first
  // What the ends look at.
  double *best, *median; // a value for each generation
  int64_t room;          // of these two
  double scratch[4][SCIARA_CMAES_DIMENSIONS];
};

// ---------------------------------------------------------------------------------------------------- random numbers

static double draw_unit(struct sciara_cmaes *c) {
  return sciara_unit(
      sciara_draw_bits((struct sciara_draw){.seed = c->seed, .stream = SCIARA_STREAM_SEARCH, .index = c->drawn++}));
}

/** Two normal numbers (G. Marsaglia 1964). */
static void draw_normal(struct sciara_cmaes *c, double out[2]) {
  double x, y, s;
  do {
    x = 2 * draw_unit(c) - 1;
    y = 2 * draw_unit(c) - 1;
    s = x * x + y * y;
  } while (s >= 1 || s == 0);
  const double f = sqrt(-2 * sciara_ln(s) / s);
  out[0] = x * f;
  out[1] = y * f;
}

// --------------------------------------------------------------------------------------------------------- constants

static void set_constants(struct sciara_cmaes *c) {
  const int n = c->n, population = c->population, parents = population / 2;
  const double N = n;
  double sum = 0, squares = 0, rest = 0, rest_squares = 0;
  for (int i = 0; i < population; i++) {
    const double w = sciara_ln((population + 1) / 2.0) - sciara_ln(i + 1.0);
    c->weights[i] = w;
    *(i < parents ? &sum : &rest) += w;
    *(i < parents ? &squares : &rest_squares) += w * w;
  }
  struct constants *k = &c->k;
  k->parents = parents;
  k->mu_eff = sum * sum / squares;
  const double mu_eff_rest = rest_squares > 0 ? rest * rest / rest_squares : 0;
  k->c_1 = 2 / ((N + 1.3) * (N + 1.3) + k->mu_eff);
  k->c_mu = fmin(1 - k->c_1, 2 * (0.25 + k->mu_eff + 1 / k->mu_eff - 2) / ((N + 2) * (N + 2) + k->mu_eff));
  k->c_c = (4 + k->mu_eff / N) / (N + 4 + 2 * k->mu_eff / N);
  k->c_sigma = (k->mu_eff + 2) / (N + k->mu_eff + 5);
  k->d_sigma = 1 + 2 * fmax(0, sqrt((k->mu_eff - 1) / (N + 1)) - 1) + k->c_sigma;
  k->expected = sqrt(N) * (1 - 1 / (4 * N) + 1 / (21 * N * N));
  // Negative weights: as large as keeps the matrix positive definite.
  const double most =
      fmin(1 + k->c_1 / k->c_mu, fmin(1 + 2 * mu_eff_rest / (k->mu_eff + 2), (1 - k->c_1 - k->c_mu) / (N * k->c_mu)));
  for (int i = 0; i < population; i++)
    c->weights[i] = i < parents ? c->weights[i] / sum : rest < 0 ? most * c->weights[i] / -rest : 0;
}

// ------------------------------------------------------------------------------------------------------------- axes

/** Eigenvectors and square roots of the eigenvalues of the covariance: cyclic rotations (C. Jacobi 1846). */
static void find_axes(struct sciara_cmaes *c) {
  const int n = c->n;
  double *const A = c->points, *const V = c->axes; // the points of this generation are no longer needed
  memcpy(A, c->covariance, (size_t)(n * n) * sizeof *A);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) V[i * n + j] = i == j;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, all = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) *(i == j ? &all : &off) += A[i * n + j] * A[i * n + j];
    if (off <= 1e-32 * all) break;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (A[p * n + q] == 0) continue;
        const double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
        const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        const double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
        for (int k = 0; k < n; k++) {
          const double a = A[k * n + p], b = A[k * n + q];
          A[k * n + p] = cosine * a - sine * b;
          A[k * n + q] = sine * a + cosine * b;
        }
        for (int k = 0; k < n; k++) {
          const double a = A[p * n + k], b = A[q * n + k];
          A[p * n + k] = cosine * a - sine * b;
          A[q * n + k] = sine * a + cosine * b;
        }
        for (int k = 0; k < n; k++) {
          const double a = V[k * n + p], b = V[k * n + q];
          V[k * n + p] = cosine * a - sine * b;
          V[k * n + q] = sine * a + cosine * b;
        }
      }
  }
  for (int i = 0; i < n; i++) c->lengths[i] = sqrt(fmax(A[i * n + i], 1e-300));
}

// ------------------------------------------------------------------------------------------------------- generations

/** Draws one point; false where it lies outside the cube. */
static bool draw_point(struct sciara_cmaes *c, double *point, double *step) {
  const int n = c->n;
  double *const z = c->scratch[0];
  for (int i = 0; i < n; i += 2) {
    double pair[2];
    draw_normal(c, pair);
    z[i] = pair[0] * c->lengths[i];
    if (i + 1 < n) z[i + 1] = pair[1] * c->lengths[i + 1];
  }
  bool inside = true;
  for (int i = 0; i < n; i++) {
    double y = 0;
    for (int j = 0; j < n; j++) y += c->axes[i * n + j] * z[j];
    step[i] = y;
    point[i] = c->mean[i] + c->sigma * y;
    inside = inside && point[i] >= 0 && point[i] <= 1;
  }
  return inside;
}

static void draw_generation(struct sciara_cmaes *c) {
  const int n = c->n;
  for (int k = 0; k < c->population; k++) {
    double *const point = c->points + k * n, *const step = c->steps + k * n;
    bool inside = false;
    for (int t = 0; t < TRIES && !inside; t++) inside = draw_point(c, point, step);
    if (inside) continue;
    for (int i = 0; i < n; i++) {
      point[i] = fmin(fmax(point[i], 0), 1);
      step[i] = (point[i] - c->mean[i]) / c->sigma;
    }
  }
}

static double known(double value) { return isnan(value) ? INFINITY : value; }

/** Best first; equal values keep their order. */
static void sort_points(struct sciara_cmaes *c, const double *values) {
  for (int k = 0; k < c->population; k++) {
    int at = k;
    for (; at > 0 && known(values[c->order[at - 1]]) > known(values[k]); at--) c->order[at] = c->order[at - 1];
    c->order[at] = k;
  }
}

/** The inverse square root of the covariance times a vector. */
static void whiten(const struct sciara_cmaes *c, const double *y, double *scratch, double *out) {
  const int n = c->n;
  for (int j = 0; j < n; j++) {
    double along = 0;
    for (int i = 0; i < n; i++) along += c->axes[i * n + j] * y[i];
    scratch[j] = along / c->lengths[j];
  }
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) out[i] += c->axes[i * n + j] * scratch[j];
  }
}

static double length_squared(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += v[i] * v[i];
  return sum;
}

/** Moves mean, paths, covariance and step length by what the values say. */
static void adapt(struct sciara_cmaes *c) {
  const int n = c->n;
  const struct constants *k = &c->k;
  double *const move = c->scratch[0], *const white = c->scratch[1], *const spare = c->scratch[2];
  memset(move, 0, (size_t)n * sizeof *move);
  for (int r = 0; r < k->parents; r++)
    for (int i = 0; i < n; i++) move[i] += c->weights[r] * c->steps[c->order[r] * n + i];
  for (int i = 0; i < n; i++) c->mean[i] += c->sigma * move[i];

  whiten(c, move, spare, white);
  const double keep_sigma = 1 - k->c_sigma, add_sigma = sqrt(k->c_sigma * (2 - k->c_sigma) * k->mu_eff);
  for (int i = 0; i < n; i++) c->path_sigma[i] = keep_sigma * c->path_sigma[i] + add_sigma * white[i];
  const double length = sqrt(length_squared(c->path_sigma, n));
  const double faded = sciara_exp(2 * (double)(c->generation + 1) * sciara_ln(keep_sigma));
  const bool moves = length / sqrt(1 - faded) < (1.4 + 2.0 / (n + 1)) * k->expected;
  const double add_c = moves ? sqrt(k->c_c * (2 - k->c_c) * k->mu_eff) : 0;
  for (int i = 0; i < n; i++) c->path_c[i] = (1 - k->c_c) * c->path_c[i] + add_c * move[i];

  double sum = 0;
  for (int r = 0; r < c->population; r++) sum += c->weights[r];
  const double lost = moves ? 0 : k->c_c * (2 - k->c_c); // what the path did not get
  const double keep = 1 + k->c_1 * lost - k->c_1 - k->c_mu * sum;
  for (int i = 0; i < n * n; i++) c->covariance[i] *= keep;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) c->covariance[i * n + j] += k->c_1 * c->path_c[i] * c->path_c[j];
  for (int r = 0; r < c->population; r++) {
    const double *const y = c->steps + c->order[r] * n;
    double w = c->weights[r];
    if (w < 0) { // with the length of a normal vector, so that the matrix stays positive definite
      whiten(c, y, spare, white);
      w *= n / (length_squared(white, n) + 1e-8);
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) c->covariance[i * n + j] += k->c_mu * w * y[i] * y[j];
  }
  c->sigma *= sciara_exp(fmin(1, k->c_sigma / k->d_sigma * (length / k->expected - 1)));
}

// --------------------------------------------------------------------------------------------------------------- ends

static double median_of(const double *values, int64_t count, double *sorted) {
  for (int64_t i = 0; i < count; i++) {
    int64_t at = i;
    for (; at > 0 && sorted[at - 1] > values[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = values[i];
  }
  return sorted[count / 2];
}

static bool ties(const struct sciara_cmaes *c, const double *values) {
  const int64_t span = 10 + (int64_t)ceil(30.0 * c->n / c->population), last = c->generation;
  if (last < span) return false;
  double low = c->best[last - 1], high = low;
  for (int64_t g = last - span; g < last; g++) {
    low = fmin(low, c->best[g]);
    high = fmax(high, c->best[g]);
  }
  for (int k = 0; k < c->population; k++) high = fmax(high, known(values[k]));
  return !(high - low > 1e-12 * fmax(1, fabs(low))) && isfinite(low);
}

/** Over the last 120 + 30 n / population generations, or a fifth of all: Hansen 2016, section B.3. */
static enum sciara_status stagnates(const struct sciara_cmaes *c, bool *out) {
  const int64_t span = (int64_t)fmin(fmax(120 + 30.0 * c->n / c->population, 0.2 * (double)c->generation), MOST_SHOWN);
  *out = false;
  if (c->generation < span) return SCIARA_OK;
  const int64_t part = (int64_t)fmax(0.3 * (double)span, LEAST_SHOWN), last = c->generation - part,
                first = c->generation - span;
  double *sorted;
  SCIARA_TRY(SCIARA_NEW(sorted, part, "the values of generations"));
  *out = median_of(c->best + last, part, sorted) >= median_of(c->best + first, part, sorted) &&
         median_of(c->median + last, part, sorted) >= median_of(c->median + first, part, sorted);
  sciara_free(sorted);
  return SCIARA_OK;
}

static bool is_small(const struct sciara_cmaes *c) {
  const double limit = c->least * c->start_sigma;
  for (int i = 0; i < c->n; i++)
    if (c->sigma * sqrt(c->covariance[i * c->n + i]) >= limit || c->sigma * fabs(c->path_c[i]) >= limit) return false;
  return true;
}

static bool is_worn_out(const struct sciara_cmaes *c) {
  double low = c->lengths[0], high = low;
  const int n = c->n, axis = (int)(c->generation % n);
  for (int i = 0; i < n; i++) {
    low = fmin(low, c->lengths[i]);
    high = fmax(high, c->lengths[i]);
    if (c->mean[i] == c->mean[i] + 0.2 * c->sigma * sqrt(c->covariance[i * n + i])) return true;
  }
  if (!(high * high <= LARGEST_CONDITION * low * low)) return true;
  for (int i = 0; i < n; i++)
    if (c->mean[i] != c->mean[i] + 0.1 * c->sigma * c->lengths[axis] * c->axes[i * n + axis]) return false;
  return true;
}

// ------------------------------------------------------------------------------------------------------------- starts

static enum sciara_status resize(struct sciara_cmaes *c, int population) {
  const int64_t n = c->n, least = n > population ? n : population; // `points` also serves as an n x n matrix
  double *points = NULL, *steps = NULL, *weights = NULL;
  int *order = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(points, least * n, "a generation"));
  SCIARA_TRY_GOTO(SCIARA_NEW(steps, (int64_t)population * n, "a generation"));
  SCIARA_TRY_GOTO(SCIARA_NEW(weights, population, "a generation"));
  SCIARA_TRY_GOTO(SCIARA_NEW(order, population, "a generation"));
  sciara_free(c->points), sciara_free(c->steps), sciara_free(c->weights), sciara_free(c->order);
  c->points = points, c->steps = steps, c->weights = weights, c->order = order;
  c->population = population;
  return SCIARA_OK;
cleanup:
  sciara_free(points), sciara_free(steps), sciara_free(weights), sciara_free(order);
  return status;
}

/** Starts from `c->mean`. */
static void start_search(struct sciara_cmaes *c) {
  const int n = c->n;
  set_constants(c);
  c->generation = 0;
  c->sigma = c->start_sigma;
  for (int i = 0; i < n; i++) {
    c->path_sigma[i] = c->path_c[i] = 0;
    c->lengths[i] = 1;
    for (int j = 0; j < n; j++) c->covariance[i * n + j] = c->axes[i * n + j] = i == j;
  }
  draw_generation(c);
}

static enum sciara_status restart(struct sciara_cmaes *c) {
  if (c->population > INT32_MAX / (2 * c->n * (int)sizeof(double)))
    return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a generation of %d points", c->population);
  SCIARA_TRY(resize(c, 2 * c->population));
  c->restarts++;
  for (int i = 0; i < c->n; i++) c->mean[i] = draw_unit(c);
  start_search(c);
  return SCIARA_OK;
}

static enum sciara_status remember(struct sciara_cmaes *c, const double *values) {
  if (c->generation == c->room) {
    const int64_t room = c->room ? 2 * c->room : 256;
    double *best, *median;
    SCIARA_TRY(SCIARA_NEW(best, room, "the values of generations"));
    const enum sciara_status status = SCIARA_NEW(median, room, "the values of generations");
    if (status != SCIARA_OK) return sciara_free(best), status;
    if (c->room) {
      memcpy(best, c->best, (size_t)c->room * sizeof *best);
      memcpy(median, c->median, (size_t)c->room * sizeof *median);
    }
    sciara_free(c->best), sciara_free(c->median);
    c->best = best, c->median = median, c->room = room;
  }
  c->best[c->generation] = known(values[c->order[0]]);
  c->median[c->generation] = known(values[c->order[c->population / 2]]);
  return SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------------- interface

enum sciara_status sciara_cmaes_create(const struct sciara_cmaes_setup *setup, struct sciara_cmaes **out) {
  const int n = setup->dimension;
  *out = NULL;
  if (n < 1 || n > SCIARA_CMAES_DIMENSIONS)
    return sciara_fail(SCIARA_ERR_USAGE, "expected 1 to %d dimensions, found %d", SCIARA_CMAES_DIMENSIONS, n);
  if (setup->population != 0 && setup->population < 4)
    return sciara_fail(SCIARA_ERR_USAGE, "expected a population of at least 4, found %d", setup->population);
  if (!(setup->sigma >= 0) || !(setup->least >= 0) || !isfinite(setup->sigma) || !isfinite(setup->least))
    return sciara_fail(SCIARA_ERR_USAGE, "expected standard deviations of 0 or more, found %g and %g", setup->sigma,
                       setup->least);
  for (int i = 0; setup->mean && i < n; i++)
    if (!(setup->mean[i] >= 0 && setup->mean[i] <= 1))
      return sciara_fail(SCIARA_ERR_USAGE, "expected a mean in the unit cube, found %g", setup->mean[i]);
  struct sciara_cmaes *c;
  enum sciara_status status;
  SCIARA_TRY(SCIARA_NEW(c, 1, "an optimiser"));
  *c = (struct sciara_cmaes){.n = n,
                             .start_sigma = setup->sigma > 0 ? setup->sigma : 0.3,
                             .least = setup->least > 0 ? setup->least : 1e-12,
                             .seed = setup->seed};
  SCIARA_TRY_GOTO(SCIARA_NEW(c->mean, n, "an optimiser"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c->path_sigma, n, "an optimiser"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c->path_c, n, "an optimiser"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c->lengths, n, "an optimiser"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c->covariance, n * n, "an optimiser"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c->axes, n * n, "an optimiser"));
  SCIARA_TRY_GOTO(resize(c, setup->population > 0 ? setup->population : 4 + (int)floor(3 * sciara_ln(n))));
  for (int i = 0; i < n; i++) c->mean[i] = setup->mean ? setup->mean[i] : 0.5;
  start_search(c);
  *out = c;
  return SCIARA_OK;
cleanup:
  sciara_cmaes_destroy(c);
  return status;
}

void sciara_cmaes_destroy(struct sciara_cmaes *c) {
  if (!c) return;
  sciara_free(c->mean), sciara_free(c->path_sigma), sciara_free(c->path_c), sciara_free(c->lengths);
  sciara_free(c->covariance), sciara_free(c->axes);
  sciara_free(c->points), sciara_free(c->steps), sciara_free(c->weights), sciara_free(c->order);
  sciara_free(c->best), sciara_free(c->median);
  sciara_free(c);
}

int sciara_cmaes_population(const struct sciara_cmaes *c) { return c->population; }
int sciara_cmaes_restarts(const struct sciara_cmaes *c) { return c->restarts; }
const double *sciara_cmaes_ask(const struct sciara_cmaes *c) { return c->points; }

enum sciara_status sciara_cmaes_tell(struct sciara_cmaes *c, const double *values, enum sciara_cmaes_end *end) {
  bool stagnation;
  sort_points(c, values);
  SCIARA_TRY(remember(c, values));
  adapt(c);
  find_axes(c);
  c->generation++;
  SCIARA_TRY(stagnates(c, &stagnation));
  *end = ties(c, values)  ? SCIARA_CMAES_TIES
         : is_small(c)    ? SCIARA_CMAES_SMALL
         : is_worn_out(c) ? SCIARA_CMAES_NUMERIC
         : stagnation     ? SCIARA_CMAES_STAGNATION
                          : SCIARA_CMAES_GOES_ON;
  if (*end != SCIARA_CMAES_GOES_ON) return restart(c);
  draw_generation(c);
  return SCIARA_OK;
}
