// SPDX-License-Identifier: Apache-2.0
// Rule bingham on simple grounds: a barrier one cell wide holds lava below its crest, however its cells are joined; ponds and
// towers have no pattern of alternating cells; and lava is neither made nor lost in any step.
#include "model/ledger.h"
#include "support/sheet_run.h"

enum { SIDE = 31, CELLS = SIDE * SIDE, MIDDLE = SIDE / 2 };
static const double CELL = 10;

/** A vent at (row, col) on a ground of `z` m, with lava of `h` m, NULL: none. */
static void begin(struct run *r, const double z[CELLS], const double *h, int row, int col, double rate) {
  const struct sciara_grid grid = {.rows = SIDE, .cols = SIDE, .cell_size = CELL, .north = SIDE * CELL};
  uint8_t valid[CELLS];
  const double edges[] = {0, 1e9};
  for (int k = 0; k < CELLS; k++) valid[k] = 1;
  r->vents = sciara_vents_create();
  expect_ok(sciara_vents_add(r->vents, row, col, 1, edges, &rate));
  expect_ok(sciara_state_create(&grid, z, valid, 0, &r->state));
  r->state->clock = r->params.t_first;
  for (int k = 0; h && k < CELLS; k++) {
    if (!(h[k] > 0)) continue;
    r->state->h[k] = h[k];
    r->state->T[k] = r->params.T_vent;
    r->state->arrival[k] = 0;
    r->state->initial += h[k] * CELL * CELL;
  }
  run_start(r, SCIARA_DOUBLE, SCIARA_BOUNDARY_CLOSED);
}

/** One step, after which the mass balance is closed. */
static void step(struct run *r) {
  struct sciara_ledger ledger;
  run_steps(r, 1);
  sciara_ledger_form(r->state, sciara_rounding_usual(DBL_EPSILON), &ledger);
  ck_assert_msg(sciara_ledger_closes(&ledger), "step %d: %g m3 of %g m3", (int)r->state->step, ledger.residual_m3,
                ledger.bound_m3);
}

enum barrier { ACROSS, BY_CORNERS, RING, BARRIERS };

/** Whether a cell is part of the barrier, 4 m high, and whether it lies on the side of the vent. */
static bool is_barrier(enum barrier kind, int row, int col) {
  const int down = abs(row - MIDDLE), right = abs(col - MIDDLE);
  if (kind == ACROSS) return row == MIDDLE;
  if (kind == BY_CORNERS) return row + col == SIDE - 1;
  return down + right == 8; // a rhombus, whose cells touch by corners alone
}

static bool is_inside(enum barrier kind, int row, int col) {
  if (kind == ACROSS) return row < MIDDLE;
  if (kind == BY_CORNERS) return row + col < SIDE - 1;
  return abs(row - MIDDLE) + abs(col - MIDDLE) < 8;
}

// Lava rises behind the barrier to its crest; then it flows over it, and everywhere the first lava beyond comes from there.
TEST_EACH(a_barrier_holds, 2 * BARRIERS) {
  const enum barrier kind = (enum barrier)(_i / 2);
  struct run r = {.params = sciara_params_of_rule(SCIARA_RULE_BINGHAM)};
  r.params.yield_vent = 4250, r.params.yield_sol = 8000;
  if (_i % 2) r.params.yield_vent = r.params.yield_sol = 0;
  r.params.viscosity_vent = 1e3, r.params.viscosity_sol = 1e5; // fluid: it fills the corners
  r.params.radiating = 0;
  double z[CELLS];
  for (int k = 0; k < CELLS; k++)
    z[k] = 500 - 0.2 * (k / SIDE + k % SIDE) + (is_barrier(kind, k / SIDE, k % SIDE) ? 4 : 0);
  const int at = kind == RING ? MIDDLE : 6;
  begin(&r, z, NULL, at, at, 200);
  bool over = false;
  int held = 0;
  for (int n = 0; n < 3000 && !over; n++) {
    step(&r);
    bool above = false, beyond = false;
    for (int row = 1; row < SIDE - 1; row++)
      for (int col = 1; col < SIDE - 1; col++) { // the surface beside a cell of the barrier, and its crest
        const int k = row * SIDE + col;
        beyond |= r.state->arrival[k] >= 0 && !is_inside(kind, row, col);
        for (int down = -1; down <= 1; down++)
          for (int right = -1; right <= 1; right++) {
            const int j = k + down * SIDE + right;
            above |= is_inside(kind, row, col) && is_barrier(kind, j / SIDE, j % SIDE) &&
                     r.state->z[k] + r.state->h[k] > z[j];
          }
      }
    over |= above;
    held += !above;
    ck_assert_msg(above || !beyond, "step %d: lava beyond a barrier that it does not reach up to", (int)r.state->step);
  }
  ck_assert_int_gt(held, 50);
  ck_assert(over); // the lava has come up to the crest
  run_end(&r);
}

/** The least thickness within `around` cells of one, m. */
static double least_near(const struct run *r, int row, int col, int around) {
  double least = INFINITY;
  for (int down = -around; down <= around; down++)
    for (int right = -around; right <= around; right++)
      least = fmin(least, r->state->h[(row + down) * SIDE + col + right]);
  return least;
}

/**
 * The share of a thickness that alternates from cell to cell, the largest of the blocks of 3 x 3 cells with 1 m of lava
 * or more within `margin` cells, and none within `top` cells of the vent.
 */
static double alternation(const struct run *r, int margin, int top) {
  double most = 0;
  for (int row = margin; row < SIDE - margin; row++)
    for (int col = margin; col < SIDE - margin; col++) {
      if (least_near(r, row, col, margin) < 1 || (abs(row - MIDDLE) <= top && abs(col - MIDDLE) <= top)) continue;
      double sum = 0; // 16 times the amplitude of a pattern, 0 for a paraboloid
      for (int k = 0; k < 9; k++)
        sum += (k / 3 == 1 ? 2 : -1) * (k % 3 == 1 ? 2 : -1) * r->state->h[(row + k / 3 - 1) * SIDE + col + k % 3 - 1];
      most = fmax(most, fabs(sum) / 16 / r->state->h[row * SIDE + col]);
    }
  return most;
}

// A pond fed by a vent, at first with a pattern of alternating cells: it is gone soon, and no other one appears.
TEST_EACH(a_pond_is_smooth, 3) {
  struct run r = {.params = sciara_params_of_rule(SCIARA_RULE_BINGHAM)};
  r.params.yield_vent = 4250, r.params.yield_sol = 8000;
  if (_i == 1) r.params.yield_vent = r.params.yield_sol = 0;
  if (_i == 2) r.params.yield_vent = 200, r.params.yield_sol = 2000;
  r.params.viscosity_vent = 1e4, r.params.viscosity_sol = 1e6;
  r.params.radiating = 0;
  double z[CELLS], h[CELLS];
  for (int k = 0; k < CELLS; k++) {
    const int row = k / SIDE, col = k % SIDE;
    const bool wall = row < 2 || col < 2 || row > SIDE - 3 || col > SIDE - 3;
    z[k] = wall ? 600 : 500;
    h[k] = wall ? 0 : 8 + 0.8 * ((row + col) % 2);
  }
  begin(&r, z, h, MIDDLE, MIDDLE, 5);
  ck_assert_double_gt(alternation(&r, 1, -1), 0.04);
  double most = 0;
  for (int n = 0; n < 1200; n++) {
    step(&r);
    if (n >= 200) most = fmax(most, alternation(&r, 1, -1));
  }
  ck_assert_msg(most < 0.01, "%g of the thickness alternates", most);
  run_end(&r);
}

// A tower of stiff lava on a slope, 20 and 30 m thick: it is smooth but for its pointed top and, where it falls to the ground
// within a cell, its margin.
TEST_EACH(a_tower_is_smooth, 2) {
  struct run r = {.params = sciara_params_of_rule(SCIARA_RULE_BINGHAM)};
  r.params.viscosity_vent = r.params.viscosity_sol = _i ? 1e8 : 1e7;
  double z[CELLS], most = 0;
  for (int k = 0; k < CELLS; k++) z[k] = 500 - (k / SIDE) - 0.3 * (k % SIDE);
  begin(&r, z, NULL, MIDDLE, MIDDLE, 20);
  for (int n = 0; n < 1500; n++) {
    step(&r);
    if (n >= 200) most = fmax(most, alternation(&r, 4, 2));
  }
  ck_assert_double_gt(r.state->h[MIDDLE * SIDE + MIDDLE], 20);
  ck_assert_msg(most < 0.01, "%g of the thickness alternates", most);
  run_end(&r);
}

RUN_TESTS(.seconds = 240)
