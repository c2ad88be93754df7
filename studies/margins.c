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
#include "etna.h"

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

static void compute(int times, const struct idea *idea, const double *z, const unsigned char *valid) {
  const int rows = ROWS / times, cols = COLS / times;
  struct sciara_params p = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
  p.viscosity_vent = 1e5, p.viscosity_sol = 1e7, p.yield_vent = 1000, p.yield_sol = 2000, p.radiating = 0.1;
  struct sciara_vents *vents = etna_vents(times);
  struct reference *r = reference_create(rows, cols, SIDE * times, z, valid, false, &p, vents);
  r->front = idea->front;
  r->covered = idea->covered;
  long steps = 0, liquid = 1;
  for (; liquid > 0; steps++) {
    reference_step(r);
    if (steps % 100 != 0) continue;
    liquid = r->s < 86400.0 * DAYS;
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
  if (!read_ground(1, z, valid)) return no_ground("sciara_margins");
  for (int times = 3; times > 0; times--) {
    if (argc > 1 && atoi(argv[1]) != SIDE * times) continue;
    read_ground(times, z, valid);
    for (size_t k = 0; k < sizeof ideas / sizeof *ideas; k++)
      if (argc < 3 || strcmp(argv[2], ideas[k].name) == 0) compute(times, &ideas[k], z, valid);
  }
  return 0;
}
