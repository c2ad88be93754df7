// SPDX-License-Identifier: Apache-2.0
// The recorded maxima, compared with a loop over the states at the ends of all steps: each must be the largest value.
// test_conformance_maxima [ENGINE...]: the engines named, else all that are available.
#include "support/conformance.h"

enum { STEPS = 200 };

/** The largest values of each cell so far. */
struct largest {
  double *h, *speed, *deposit;
};

static void take(double *most, double value) {
  if (value > *most) *most = value;
}

static void take_cell(const struct largest *l, const struct sciara_state *s, int64_t i) {
  take(&l->h[i], s->h[i]);
  take(&l->deposit[i], s->h[i] + (s->z[i] - s->z0[i]));
  if (s->h[i] > 0) take(&l->speed[i], sqrt(s->px[i] * s->px[i] + s->py[i] * s->py[i]) / s->h[i]);
}

static void take_cell_single(const struct largest *l, const struct sciara_state *s, int64_t i) {
  const float h = (float)s->h[i], px = (float)s->px[i], py = (float)s->py[i];
  const float solid = (float)s->z[i] - (float)s->z0[i], deposit = h + solid, square = px * px + py * py;
  take(&l->h[i], (double)h);
  take(&l->deposit[i], (double)deposit);
  if (h > 0) take(&l->speed[i], (double)(sqrtf(square) / h));
}

static void expect(const char *scene, const char *field, const struct sciara_state *s, const double *recorded,
                   const double *largest) {
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    if (s->kind[i] != SCIARA_CELL_NODATA && recorded[i] != largest[i])
      ck_abort_msg("%s, step %llu: %s in row %lld, column %lld is %.17g, the largest was %.17g", scene,
                   (unsigned long long)s->step, field, (long long)(i / s->grid.cols), (long long)(i % s->grid.cols),
                   recorded[i], largest[i]);
}

static const char *const scenes[] = {
    "solidifying next to live lava", "lake that freezes", "31 x 37",           "converging flows", "drained cells",
    "initial lava and vents",        "north edge",        "north edge, closed"};
enum { SCENES = sizeof scenes / sizeof *scenes };

TEST_EACH(largest_of_all_steps, 2 * SCENES) {
  const enum sciara_precision p = (enum sciara_precision)(_i % 2);
  struct scene scene;
  struct run r;
  conformance_build(scenes[_i / 2], p, SCIARA_RECORD_EVERYTHING, &scene);
  const size_t cells = (size_t)sciara_grid_cells(&scene.state->grid);
  const struct largest l = {calloc(cells, sizeof(double)), calloc(cells, sizeof(double)),
                            calloc(cells, sizeof(double))};
  ck_assert(l.h && l.speed && l.deposit);
  run_start(&r, engine_tested[p], &scene, 2);
  bool fell = false, on_rock = false;
  for (uint64_t step = 1; step <= STEPS; step++) {
    run_to_step(&r, step);
    if (r.at.step < step) break; // all lava has solidified
    struct sciara_state *s = run_state(&r, scene.state);
    for (int64_t i = 0; i < (int64_t)cells; i++) {
      if (s->kind[i] == SCIARA_CELL_NODATA) continue;
      p == SCIARA_DOUBLE ? take_cell(&l, s, i) : take_cell_single(&l, s, i);
      fell |= s->h[i] + (s->z[i] - s->z0[i]) < l.deposit[i];
      on_rock |= l.deposit[i] > l.h[i];
    }
    expect(scenes[_i / 2], "max_h", s, s->max_h, l.h);
    expect(scenes[_i / 2], "max_speed", s, s->max_speed, l.speed);
    expect(scenes[_i / 2], "max_deposit", s, s->max_deposit, l.deposit);
    sciara_state_destroy(s);
  }
  ck_assert(fell); // else the last state would be the maximum
  if (_i / 2 == 0) ck_assert(on_rock);
  run_end(&r);
  scene_free(&scene);
  free(l.h);
  free(l.speed);
  free(l.deposit);
}

int main(int argc, char **argv) { return conformance_main(argc, argv, &tests_here); }
