// SPDX-License-Identifier: Apache-2.0
// Rule bingham is well-conditioned: engine `serial` and a program that shares nothing with it (bingham_reference.c), which
// group every sum and product in another way, differ by a few roundings after many steps; and a change of 1e-6 in a
// viscosity changes no arrival by more than a step. Scenes are rounded to single precision, so that every build has the same
// ones. Fluid lava with strength (117 Pa s, 17 kPa in case 7) sticks and slips where the clock may jump from 3 to 55 s: there
// the last bit of a rate changes thickness by 1e-10 (unrounded scenes: 5e-11 between the programs); with `relaxation` 0.2 by 2e-13.
//
//   bingham_conditions random|etna|viscosity
//
// Exit status 1 if a comparison fails, 77 without the files of the eruption (SCIARA_ETNA2006).
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bingham_reference.h"
#include "engine/engine.h"
#include "support/random.h"

// Largest difference, relative, of numbers below 1 absolute.
#define MOST 1e-11

enum { CASES = 100, VISCOSITIES = 20, STEPS = 1200, STEPS_ETNA = 5000, SKIPPED = 77 };

struct scene {
  int rows, cols;
  double w, *z;
  unsigned char *valid;
  bool closed;
  struct sciara_params params;
  struct sciara_vents *vents;
};

static void scene_make(struct scene *s, int rows, int cols, double w) {
  *s = (struct scene){.rows = rows, .cols = cols, .w = w, .params = sciara_params_of_rule(SCIARA_RULE_BINGHAM)};
  s->z = calloc((size_t)(rows * cols), sizeof *s->z);
  s->valid = calloc((size_t)(rows * cols), 1);
  s->vents = sciara_vents_create();
}

static void scene_free(struct scene *s) {
  free(s->z);
  free(s->valid);
  sciara_vents_destroy(s->vents);
}

static bool is_inside(const struct scene *s, int row, int col) {
  if (row < 1 || col < 1 || row >= s->rows - 1 || col >= s->cols - 1) return false;
  for (int r = row - 1; r <= row + 1; r++)
    for (int c = col - 1; c <= col + 1; c++)
      if (!s->valid[r * s->cols + c]) return false;
  return true;
}

static double any_size(double least, double most) { return (float)pow(10, (double)uniform(log10(least), log10(most))); }

/** A slope with hills, walls one cell wide, straight or joined by corners alone, and holes. */
static void make_ground(struct scene *s) {
  const double fall = chance(4) ? 0 : any_size(0.01, 0.7), turn = (double)uniform(0, 6.283), rough = any_size(1e-3, 3);
  const double waves[2] = {(double)uniform(0.1, 0.9), (double)uniform(0.1, 0.9)};
  const double hills = (double)uniform(0, 5);
  for (int i = 0; i < s->rows * s->cols; i++) {
    const double y = i / s->cols, x = i % s->cols;
    s->z[i] = (float)(1000 + s->w * fall * (x * cos(turn) + y * sin(turn)) +
                      hills * sin(waves[0] * x) * cos(waves[1] * y) + rough * (double)uniform(-1, 1));
    s->valid[i] = 1;
  }
  for (int walls = 0; walls < 4; walls++) {
    const double high = any_size(0.5, 20);
    int row = (int)(random_bits() % (unsigned)s->rows), col = (int)(random_bits() % (unsigned)s->cols);
    const int down = (int)(random_bits() % 3) - 1, right = (int)(random_bits() % 3) - 1;
    for (int k = 0; k < 15 && row >= 0 && col >= 0 && row < s->rows && col < s->cols; k++, row += down, col += right)
      s->z[row * s->cols + col] += high;
  }
  for (int holes = 0; holes < 3; holes++) s->valid[random_bits() % (unsigned)(s->rows * s->cols)] = 0;
}

static void make_random(struct scene *s) {
  scene_make(s, 40, 40, any_size(2, 40));
  make_ground(s);
  struct sciara_params *p = &s->params;
  const bool newtonian = chance(4);
  s->closed = chance(2);
  p->viscosity_vent = any_size(1e2, 3e7);
  p->viscosity_sol = p->viscosity_vent * any_size(1, 1e3);
  p->yield_vent = newtonian ? 0 : any_size(1, 1e5);
  p->yield_sol = newtonian ? 0 : p->yield_vent * any_size(1, 10);
  p->radiating = chance(5) ? 0 : any_size(1e-4, 0.5);
  p->friction = any_size(1e-3, 1);
  p->relaxation = (double)uniform(0.1, 0.5);
  for (int vents = 0; vents < 3;) {
    const int row = 12 + (int)(random_bits() % 16), col = 12 + (int)(random_bits() % 16);
    if (!is_inside(s, row, col)) continue;
    const double slot = any_size(100, 1e5), edges[] = {0, slot, 2 * slot, 3 * slot}, rate = any_size(0.1, 20);
    const double rates[] = {rate, 0, rate * (double)uniform(0, 2)};
    sciara_vents_add(s->vents, row, col, 3, edges, rates);
    vents++;
  }
}

// -------------------------------------------------------------------------------------------------------- comparison

struct run {
  struct sciara_state *state;
  const struct sciara_engine_ops *ops;
  void *engine;
};

static void must(enum sciara_status status) {
  if (status == SCIARA_OK) return;
  fprintf(stderr, "%s\n", sciara_last_error());
  exit(1);
}

static void run_start(struct run *r, const struct scene *s) {
  const struct sciara_grid grid = {.rows = s->rows, .cols = s->cols, .cell_size = s->w, .north = s->rows * s->w};
  const struct sciara_engine_setup setup = {
      .params = &s->params, .vents = s->vents, .boundary = s->closed ? SCIARA_BOUNDARY_CLOSED : SCIARA_BOUNDARY_OPEN};
  must(sciara_state_create(&grid, s->z, s->valid, 0, &r->state));
  r->state->clock = s->params.t_first;
  must(sciara_engine_find("serial", SCIARA_RULE_BINGHAM, SCIARA_DOUBLE, &r->ops));
  must(r->ops->create(&setup, &r->engine));
  must(r->ops->upload(r->engine, r->state));
}

static void run_to(struct run *r, uint64_t step) {
  struct sciara_engine_progress progress = {0};
  const struct sciara_stop stop = {.steps = step, .time = INFINITY, .max_wall_ms = 3600000};
  must(r->ops->advance(r->engine, &stop, &progress));
  must(r->ops->download(r->engine, r->state));
}

static void run_end(struct run *r) {
  r->ops->destroy(r->engine);
  sciara_state_destroy(r->state);
}

static double difference(double is, double expected) { return fabs(is - expected) / fmax(1, fabs(expected)); }

/** The largest difference of a field. */
static double field_difference(const struct reference *r, const double *is, const double *expected) {
  double most = 0;
  for (int i = 0; i < r->rows * r->cols; i++)
    if (r->kind[i] != REFERENCE_NOTHING) most = fmax(most, difference(is[i], expected[i]));
  return most;
}

/** Compares `steps` steps of the engine and of the reference. Returns whether they agree. */
static bool agree(const char *name, const struct scene *s, int steps) {
  struct run run;
  run_start(&run, s);
  struct reference *r = reference_create(s->rows, s->cols, s->w, s->z, s->valid, s->closed, &s->params, s->vents);
  for (int step = 0; step < steps; step++) reference_step(r);
  run_to(&run, (uint64_t)steps);
  const struct sciara_state *is = run.state;
  const double all[] = {field_difference(r, is->h, r->h),
                        field_difference(r, is->z, r->z),
                        field_difference(r, is->T, r->T),
                        field_difference(r, is->px, r->px),
                        field_difference(r, is->py, r->py),
                        field_difference(r, is->arrival, r->arrival),
                        field_difference(r, is->lost, r->lost),
                        difference(is->clock, r->t),
                        difference(is->time, r->s)};
  static const char *const names[] = {"h", "z", "T", "px", "py", "arrival", "lost", "clock", "time"};
  size_t most = 0;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (all[k] > all[most]) most = k;
  printf("%s: %" PRId64 " liquid cells, clock %.6g s, largest difference %.2g, of %s\n", name,
         sciara_state_liquid_cells(is), is->clock, all[most], names[most]);
  reference_destroy(r);
  run_end(&run);
  return all[most] <= MOST;
}

static int compare_random(void) {
  int wrong = 0;
  for (int k = 0; k < CASES; k++) {
    struct scene s;
    char name[64];
    seed = 1000 + (uint64_t)k;
    make_random(&s);
    snprintf(name, sizeof name, "case %2d, %s%s", k, s.params.yield_sol > 0 ? "plastic" : "Newtonian",
             s.closed ? ", closed" : "");
    wrong += !agree(name, &s, STEPS);
    scene_free(&s);
  }
  return wrong > 0;
}

// --------------------------------------------------------------------------------------------------------------- Etna

/** The DEM of the eruption of 2006 and its vents; false: the files are not here. */
static bool make_etna(struct scene *s) {
  const char *folder = getenv("SCIARA_ETNA2006");
  char path[4096];
  snprintf(path, sizeof path, "%s/2006_000000000000_Morphology.stt", folder ? folder : ".");
  FILE *f = folder ? fopen(path, "r") : NULL;
  if (!f) return false;
  scene_make(s, 378, 517, 10);
  for (int line = 0; line < 6; line++)
    if (fscanf(f, "%*s %*f") < 0) return false;
  for (int i = 0; i < s->rows * s->cols; i++) {
    if (fscanf(f, "%lf", &s->z[i]) != 1) return false;
    s->valid[i] = s->z[i] != 0;
  }
  fclose(f);
  const double edges[] = {0, 86400, 172800, 259200}, rates[] = {1.580890337, 2.258414767, 3.011219689};
  sciara_vents_add(s->vents, 114, 71, 3, edges, rates);
  sciara_vents_add(s->vents, 114, 77, 3, edges, rates);
  return true;
}

static int compare_etna(void) {
  struct scene s;
  if (!make_etna(&s)) {
    printf("skipped: the files of the eruption are not here; name their folder in SCIARA_ETNA2006\n");
    return SKIPPED;
  }
  const bool same = agree("Etna 2006", &s, STEPS_ETNA);
  scene_free(&s);
  return !same;
}

// ---------------------------------------------------------------------------------------------------------- viscosity

/** The step of each cell's arrival, 0: none. */
static void find_arrivals(const struct scene *s, int steps, int *step_of) {
  struct run r;
  run_start(&r, s);
  memset(step_of, 0, (size_t)(s->rows * s->cols) * sizeof *step_of);
  for (int step = 1; step <= steps; step++) {
    run_to(&r, (uint64_t)step);
    for (int i = 0; i < s->rows * s->cols; i++)
      if (step_of[i] == 0 && r.state->arrival[i] >= 0) step_of[i] = step;
  }
  run_end(&r);
}

static int compare_viscosities(void) {
  int wrong = 0;
  for (int k = 0; k < VISCOSITIES; k++) {
    struct scene s;
    seed = 1000 + (uint64_t)k;
    make_random(&s);
    const int cells = s.rows * s.cols;
    int *before = calloc((size_t)cells, sizeof *before), *after = calloc((size_t)cells, sizeof *after);
    find_arrivals(&s, STEPS, before);
    s.params.viscosity_vent *= 1 + 1e-6;
    s.params.viscosity_sol *= 1 + 1e-6;
    find_arrivals(&s, STEPS, after);
    int most = 0, reached = 0;
    for (int i = 0; i < cells; i++) {
      const int end = STEPS + 1, a = before[i] ? before[i] : end, b = after[i] ? after[i] : end;
      most = abs(a - b) > most ? abs(a - b) : most;
      reached += before[i] > 0;
    }
    printf("case %2d: %d cells reached, arrivals differ by %d steps at most\n", k, reached, most);
    wrong += most > 1;
    free(before);
    free(after);
    scene_free(&s);
  }
  return wrong > 0;
}

int main(int argc, char **argv) {
  const char *word = argc == 2 ? argv[1] : "";
  if (strcmp(word, "random") == 0) return compare_random();
  if (strcmp(word, "etna") == 0) return compare_etna();
  if (strcmp(word, "viscosity") == 0) return compare_viscosities();
  fprintf(stderr, "usage: bingham_conditions random|etna|viscosity\n");
  return 2;
}
