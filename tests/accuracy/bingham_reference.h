// SPDX-License-Identifier: Apache-2.0
// Rule bingham once more, without a line of the program: loops over the whole grid, as far as lava has come, the functions of libm, quotients where
// the formulas have them, one array per quantity. For comparisons.
#ifndef BINGHAM_REFERENCE_H
#define BINGHAM_REFERENCE_H

#include "model/params.h"
#include "model/vents.h"

enum reference_kind { REFERENCE_NOTHING, REFERENCE_RIM, REFERENCE_INSIDE };

/** Values by cell, row by row from the north. */
struct reference {
  int rows, cols;
  double w;    ///< side of a cell, m
  bool closed; ///< the boundary
  const struct sciara_params *params;
  const struct sciara_vents *vents;
  enum reference_kind *kind;
  double *z, *h, *T, *px, *py, *arrival, *lost; ///< m, m, K, m2/s, m2/s, s, m
  double s, t;                                  ///< simulated time, clock, s
  double *out[9], *sum, *heat;                  ///< of one step
  // Ideas that studies/margins.c measures; 0 and NULL: the law.
  double front; ///< a cell thinner than this share of its thickest neighbour gives no lava to cells without any
  double (*covered)(const struct reference *r, int i); ///< the share of a cell from which its lava cools
  int top, bottom, left, right; ///< the rectangle around the cells that have ever had lava, and those beside
};

/** Bare ground; `valid`: which cells are. */
struct reference *reference_create(int rows, int cols, double w, const double *z, const unsigned char *valid,
                                   bool closed, const struct sciara_params *params, const struct sciara_vents *vents);
void reference_destroy(struct reference *r);
void reference_step(struct reference *r);

#endif
