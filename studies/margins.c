// SPDX-License-Identifier: Apache-2.0
// A flow that cooling stops is shorter on coarse cells, since it is wider by about a cell. What would help: three ideas on
// Etna 2006, with the program of rule bingham that the tests compare with.
//
//   sciara_margins [CELL [IDEA]]     CELL: 10, 20, 30 m; all without it. IDEA: law, edge, film, front; all without it
//
// edge: lava ends in the middle of a cell beside a dry one, and cools from half of it. film: a thin cell beside a thick one is
// covered in part, by the ratio. front: a cell gives no lava to dry cells until it is half as thick as its thickest
// neighbour. Lava of 1 to 2 kPa, 1e5 to 1e7 Pa s, radiating share 0.1; until no lava is liquid. Needs SCIARA_ETNA2006.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/accuracy/bingham_reference.h"

enum { ROWS = 378, COLS = 517, SIDE = 10, DAYS = 10, ROW = 114, COLUMNS = 2 };

static const int column_of[COLUMNS] = {71, 77};
static const double rate_of[DAYS] = {1.580890337, 2.258414767, 3.011219689, 2.728917843, 3.829895042,
                                     3.237061165, 4.766268549, 3.499420919, 1.525696706, 0.762214984};

static double edge(const struct reference *r, int i) {
  const bool x = r->sum[i - 1] > 0 && r->sum[i + 1] > 0, y = r->sum[i - r->cols] > 0 && r->sum[i + r->cols] > 0;
  return (x ? 1 : 0.5) * (y ? 1 : 0.5);
}

static double film(const struct reference *r, int i) {
  double most = 0;
  for (int down = -1; down <= 1; down++)
    for (int right = -1; right <= 1; right++) most = fmax(most, r->sum[i + down * r->cols + right]);
  return r->sum[i] / most;
}

static const struct idea {
  const char *name;
  double front;
  double (*covered)(const struct reference *r, int i);
} ideas[] = {{"law", 0, NULL}, {"edge", 0, edge}, {"film", 0, film}, {"front", 0.5, NULL}};

/** The altitudes on cells of `times` * 10 m: means. Returns whether the files are there. */
static bool read_ground(int times, double *z, unsigned char *valid) {
  const char *folder = getenv("SCIARA_ETNA2006");
  char path[4096];
  snprintf(path, sizeof path, "%s/2006_000000000000_Morphology.stt", folder ? folder : ".");
  FILE *f = folder ? fopen(path, "r") : NULL;
  if (!f) return false;
  const int rows = ROWS / times, cols = COLS / times;
  for (int i = 0; i < rows * cols; i++) z[i] = 0, valid[i] = 1;
  bool good = true;
  for (int line = 0; line < 6; line++) good = good && fscanf(f, "%*s %*f") >= 0;
  for (int i = 0; i < ROWS * COLS && good; i++) {
    double altitude;
    good = fscanf(f, "%lf", &altitude) == 1;
    const int row = i / COLS / times, col = i % COLS / times;
    if (!good || row >= rows || col >= cols) continue;
    z[row * cols + col] += altitude / (times * times);
    valid[row * cols + col] &= altitude != 0;
  }
  fclose(f);
  return good;
}

static void compute(int times, const struct idea *idea, const double *z, const unsigned char *valid) {
  const int rows = ROWS / times, cols = COLS / times;
  struct sciara_params p = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
  p.viscosity_vent = 1e5, p.viscosity_sol = 1e7, p.yield_vent = 1000, p.yield_sol = 2000, p.radiating = 0.1;
  struct sciara_vents *vents = sciara_vents_create();
  double edges[DAYS + 1];
  for (int k = 0; k <= DAYS; k++) edges[k] = 86400.0 * k;
  for (int k = 0; k < COLUMNS; k++) sciara_vents_add(vents, ROW / times, column_of[k] / times, DAYS, edges, rate_of);
  struct reference *r = reference_create(rows, cols, SIDE * times, z, valid, false, &p, vents);
  r->front = idea->front;
  r->covered = idea->covered;
  long steps = 0, liquid = 1;
  for (; liquid > 0; steps++) {
    reference_step(r);
    if (steps % 100 != 0) continue;
    liquid = r->s < edges[DAYS];
    for (int i = 0; i < rows * cols; i++) liquid += r->h[i] > 0;
  }
  double run_out = 0, area = 0;
  for (int i = 0; i < rows * cols; i++) {
    if (r->arrival[i] < 0) continue;
    const int row = i / cols, col = i % cols;
    const double y = (row + 0.5) * times - (ROW + 0.5), x = (col + 0.5) * times - (column_of[0] + 3.5);
    run_out = fmax(run_out, SIDE * hypot(x, y));
    area += SIDE * SIDE * times * times;
  }
  printf("%-5s cells of %d m: %ld steps, run-out %.0f m, area %.3f km2\n", idea->name, SIDE * times, steps, run_out,
         area * 1e-6);
  fflush(stdout);
  reference_destroy(r);
  sciara_vents_destroy(vents);
}

int main(int argc, char **argv) {
  static double z[ROWS * COLS];
  static unsigned char valid[ROWS * COLS];
  if (!read_ground(1, z, valid)) {
    fprintf(stderr, "sciara_margins: SCIARA_ETNA2006 is not set to the files of the 2006 eruption (docs/data.md)\n");
    return 2;
  }
  for (int times = 3; times > 0; times--) {
    if (argc > 1 && atoi(argv[1]) != SIDE * times) continue;
    read_ground(times, z, valid);
    for (size_t k = 0; k < sizeof ideas / sizeof *ideas; k++)
      if (argc < 3 || strcmp(argv[2], ideas[k].name) == 0) compute(times, &ideas[k], z, valid);
  }
  return 0;
}
