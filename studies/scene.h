// SPDX-License-Identifier: Apache-2.0
// Small grounds for the checks against known solutions, computed by one engine. Included by the programs of this folder.
#ifndef SCIARA_STUDIES_SCENE_H
#define SCIARA_STUDIES_SCENE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "verify/validate.h"

/** Ground, lava and vents of one check. */
struct scene {
  struct sciara_problem problem; ///< parameters and vents
  struct sciara_state *state;
  struct sciara_runner runner;
};

static const struct sciara_engine_ops *engine;
static int failures;

/** Ends the program after an error of the library. */
static inline void must(enum sciara_status status) {
  if (status == SCIARA_OK) return;
  fprintf(stderr, "%s\n", sciara_last_error());
  exit((int)status);
}

/** Errors of a series against its reference: the root mean square, over the range of the reference. */
struct misfit {
  double n, squares, least, most;
};

static inline void misfit_add(struct misfit *m, double found, double expected) {
  m->least = m->n > 0 ? fmin(m->least, expected) : expected;
  m->most = m->n > 0 ? fmax(m->most, expected) : expected;
  m->squares += (found - expected) * (found - expected);
  m->n++;
}

/** NRMSE, %, as Dietterich et al. (J. Appl. Volcanol. 6, 2017) give it; they call below 10 % a good fit. */
static inline double misfit_percent(const struct misfit *m) {
  return 100 * sqrt(m->squares / m->n) / (m->most - m->least);
}

/** Prints the result of a check that has an exact answer. */
static inline void judge(bool good) {
  printf("  %s\n", good ? "pass" : "FAIL");
  failures += !good;
}

/** Altitude, m, at `x` m to the east and `y` m to the north of the south-western corner. */
typedef double altitude_at(double x, double y, double argument);

/** A ground of that form, without lava and vents, and the default parameters of a rule. */
static inline void make_ground(struct scene *s, enum sciara_rule_kind rule, int64_t rows, int64_t cols, double cell,
                               altitude_at *form, double argument) {
  const struct sciara_grid grid = {.rows = rows, .cols = cols, .cell_size = cell, .north = (double)rows * cell};
  double *altitude = NULL;
  uint8_t *valid = NULL;
  *s = (struct scene){.problem = {.grid = grid}};
  s->problem.params = sciara_params_of_rule(rule);
  s->problem.vents = sciara_vents_create();
  must(s->problem.vents ? SCIARA_OK : SCIARA_ERR_MEMORY);
  must(SCIARA_NEW(altitude, rows * cols, "a ground"));
  must(SCIARA_NEW(valid, rows * cols, "a ground"));
  for (int64_t i = 0; i < rows * cols; i++) {
    altitude[i] = form(((double)(i % cols) + 0.5) * cell, ((double)(rows - 1 - i / cols) + 0.5) * cell, argument);
    valid[i] = 1;
  }
  must(sciara_state_create(&grid, altitude, valid, 0, &s->state));
  s->state->clock = s->problem.params.t_first;
  sciara_free(altitude);
  sciara_free(valid);
}

static inline void end(struct scene *s) {
  sciara_runner_end(&s->runner);
  sciara_state_destroy(s->state);
  sciara_vents_destroy(s->problem.vents);
}

static inline void put_lava(struct scene *s, int64_t row, int64_t col, double h, double T) {
  const struct sciara_grid *g = &s->state->grid;
  const int64_t i = row * g->cols + col;
  s->state->h[i] = h;
  s->state->T[i] = T;
  s->state->arrival[i] = 0;
  s->state->initial += h * (g->cell_size * g->cell_size);
}

static inline void put_vent_at(struct scene *s, int64_t row, int64_t col, double rate) {
  const double edges[2] = {0, 1e7};
  must(sciara_vents_add(s->problem.vents, row, col, 1, edges, &rate));
}

/** In the middle. */
static inline void put_vent(struct scene *s, double rate) {
  put_vent_at(s, s->state->grid.rows / 2, s->state->grid.cols / 2, rate);
}

/** Continues from the current state. */
static inline void go_to(struct scene *s, uint64_t step, double time) {
  const struct sciara_engine_options plain = {0};
  if (!s->runner.ops) must(sciara_runner_start(&s->runner, engine, NULL, &s->problem, &plain, s->state));
  must(sciara_runner_go_to(&s->runner, step, time, s->state));
}

#endif
