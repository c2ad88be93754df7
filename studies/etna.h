// SPDX-License-Identifier: Apache-2.0
// Etna 2006 for the programs of this folder: grid, vents, effusion rates, altitudes.
#ifndef SCIARA_STUDIES_ETNA_H
#define SCIARA_STUDIES_ETNA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/vents.h"

enum { ROWS = 378, COLS = 517, SIDE = 10, DAYS = 10, ROW = 114, COLUMNS = 2 };

static const int column_of[COLUMNS] = {71, 77};
static const double rate_of[DAYS] = {1.580890337, 2.258414767, 3.011219689, 2.728917843, 3.829895042,
                                     3.237061165, 4.766268549, 3.499420919, 1.525696706, 0.762214984};

/** The altitudes on cells of `times` * 10 m: means. Returns whether the files are there. */
static inline bool read_ground(int times, double *z, unsigned char *valid) {
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

/** Both vents, on cells of `times` * 10 m. To be released with sciara_vents_destroy. */
static inline struct sciara_vents *etna_vents(int times) {
  struct sciara_vents *vents = sciara_vents_create();
  double edges[DAYS + 1];
  for (int k = 0; k <= DAYS; k++) edges[k] = 86400.0 * k;
  for (int k = 0; k < COLUMNS; k++) sciara_vents_add(vents, ROW / times, column_of[k] / times, DAYS, edges, rate_of);
  return vents;
}

/** The exit status of a program that has no files of Etna; says so. */
static inline int no_ground(const char *program) {
  fprintf(stderr, "%s: SCIARA_ETNA2006 is not set to the files of the 2006 eruption (docs/data.md)\n", program);
  return 2;
}

#endif
