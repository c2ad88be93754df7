// SPDX-License-Identifier: Apache-2.0
// How many values the optimiser needs on a function of the benchmarks of its field, from one start, for each seed from 1
// on. cmaes_race FUNCTION DIMENSIONS SEEDS MOST: prints "VALUES REACHED" of each; the goal is 1e-8, given up after MOST.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/cmaes.h"

static const double PI = 3.14159265358979323846;

/** The unit cube is [-5, 5] to the power of n; the smallest value is 0, at (1, ..., 1). */
static double value_of(const char *function, const double *u, int n) {
  double x[SCIARA_CMAES_DIMENSIONS], sum = 0;
  for (int i = 0; i < n; i++) x[i] = 10 * u[i] - 5;
  for (int i = 0; i < n; i++) {
    const double d = x[i] - 1;
    if (strcmp(function, "sphere") == 0) sum += d * d;
    if (strcmp(function, "ellipsoid") == 0) sum += pow(1e6, (double)i / (n - 1)) * d * d;
    if (strcmp(function, "rastrigin") == 0) sum += 10 + d * d - 10 * cos(2 * PI * d);
    if (strcmp(function, "rosenbrock") == 0 && i + 1 < n)
      sum += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
  }
  return sum;
}

/** @param reached set to whether the goal was */
static enum sciara_status race(struct sciara_cmaes *c, const char *function, int n, long most, long *values,
                               int *reached) {
  for (*values = 0, *reached = 0; *values < most;) {
    const int count = sciara_cmaes_population(c);
    const double *const points = sciara_cmaes_ask(c);
    double found[4096];
    enum sciara_cmaes_end end;
    if (count > (int)(sizeof found / sizeof *found)) return SCIARA_OK;
    for (int k = 0; k < count; k++) {
      found[k] = value_of(function, points + k * n, n);
      ++*values;
      if (found[k] < 1e-8) return *reached = 1, SCIARA_OK;
    }
    const enum sciara_status status = sciara_cmaes_tell(c, found, &end);
    if (status != SCIARA_OK) return status;
  }
  return SCIARA_OK;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const int n = atoi(argv[2]);
  double mean[SCIARA_CMAES_DIMENSIONS];
  for (int i = 0; i < SCIARA_CMAES_DIMENSIONS; i++) mean[i] = 0.3;
  for (int seed = 1; seed <= atoi(argv[3]); seed++) {
    struct sciara_cmaes *c;
    const struct sciara_cmaes_setup setup = {.dimension = n, .mean = mean, .sigma = 0.2, .seed = (uint64_t)seed};
    long values;
    int reached;
    if (sciara_cmaes_create(&setup, &c) != SCIARA_OK) return 1;
    const enum sciara_status status = race(c, argv[1], n, atol(argv[4]), &values, &reached);
    sciara_cmaes_destroy(c);
    if (status != SCIARA_OK) return 1;
    printf("%ld %d\n", values, reached);
  }
  return 0;
}
