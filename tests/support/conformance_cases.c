// SPDX-License-Identifier: Apache-2.0
// The cases of the conformance suite. Each has a purpose, and asserts for the final state of `serial` that it was
// tested.
#include "geometry/moore.h"
#include "model/ledger.h"
#include "support/conformance.h"
#include "support/writable.h"

#define RATES(...) \
  sizeof((const double[]){__VA_ARGS__}) / sizeof(double), (const double[]) { __VA_ARGS__ }

static double volume(const struct sciara_state *s, const double *field) {
  double sum = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) sum += field[i];
  return sum * s->grid.cell_size * s->grid.cell_size;
}

static double rock(const struct sciara_state *s) { return volume(s, s->z) - volume(s, s->z0); }

static int64_t covered(const struct sciara_state *s) {
  int64_t cells = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) cells += s->arrival[i] >= 0;
  return cells;
}

static bool reached(const struct sciara_state *s, int64_t row, int64_t col) {
  return s->arrival[row * s->grid.cols + col] >= 0;
}

static double lost_at(const struct sciara_state *s, int64_t row, int64_t col) {
  return s->lost[row * s->grid.cols + col];
}

// ------------------------------------------------------------------------------------------------------------ relief

double relief_flat(int64_t r, int64_t c, int v) {
  (void)r, (void)c, (void)v;
  return 100;
}

static double ramp(int64_t r, int64_t c, int v) {
  (void)c, (void)v;
  return 500 - 2.0 * (double)r;
}

static double ramp_with_block(int64_t r, int64_t c, int v) {
  return ramp(r, c, v) + (r >= 8 && r <= 10 && c >= 6 && c <= 8 ? 30 : 0);
}

static double ramp_with_hole(int64_t r, int64_t c, int v) {
  return r >= 10 && r <= 13 && c >= 5 && c <= 9 ? NAN : ramp(r, c, v);
}

/** A valley that runs north to south, far from the sides of the grid. */
static double valley(int64_t r, int64_t c, int v) {
  (void)v;
  return 800 + 4 * fabs((double)c - 32) - 0.5 * (double)r;
}

static double channel_south(int64_t r, int64_t c, int v) {
  (void)v;
  return 500 - 1.5 * (double)r + (c == 3 ? 0 : 50);
}

static double channel_east(int64_t r, int64_t c, int v) {
  (void)v;
  return 900 - 1.0 * (double)c + (r == 2 ? 0 : 40);
}

/** Falls towards neighbour `v` of the Moore neighbourhood. */
static double tilted(int64_t r, int64_t c, int v) {
  return 200 - 1.5 * (double)(sciara_moore_row(v) * r + sciara_moore_col(v) * c);
}

static double rough(int64_t r, int64_t c, int v) {
  uint64_t x = (uint64_t)(r * 4099 + c + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  (void)v;
  return 1300.37 - 0.9 * (double)r - 0.4 * (double)c + 3 * (double)(x >> 40) / 0x1p24;
}

// ------------------------------------------------------------------------------------------------------------- cases

static void build_pool(struct scene *s, int v, unsigned record) {
  scene_make(s, 21, 23, record, relief_flat, v);
  for (int64_t r = 8; r < 13; r++)
    for (int64_t c = 9; c < 14; c++) scene_lava(s, r, c, 6 + 0.25 * (double)(r * c % 7), 1360 - (double)(r + c));
}

static void claim_pool(const struct scene *start, const struct sciara_state *end, int v) {
  (void)v;
  ck_assert_double_gt(start->state->initial, 0);
  ck_assert_double_eq(end->emitted, 0);
  ck_assert_int_gt(covered(end), 40);
}

static void build_ramp(struct scene *s, int v, unsigned record) {
  scene_make(s, 40, 15, record, ramp, v);
  scene_vent(s, 4, 7, 300, RATES(20, 5, 12));
}

static void claim_ramp(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert(reached(end, 25, 7) && !reached(end, 0, 7));
}

static void build_obstacle(struct scene *s, int v, unsigned record) {
  scene_make(s, 30, 15, record, ramp_with_block, v);
  scene_vent(s, 5, 7, 600, RATES(30));
}

static void claim_obstacle(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert(reached(end, 7, 7) && !reached(end, 8, 7) && !reached(end, 9, 7));
  ck_assert(reached(end, 9, 5) && reached(end, 9, 9));
}

static void build_channel(struct scene *s, int v, unsigned record) {
  scene_make(s, 30, 7, record, channel_south, v);
  scene_vent(s, 3, 3, 600, RATES(8, 2));
}

static void claim_channel(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert(reached(end, 20, 3));
  for (int64_t r = 0; r < 30; r++)
    for (int64_t c = 0; c < 7; c++) ck_assert(c == 3 || !reached(end, r, c));
}

static void build_long_channel(struct scene *s, int v, unsigned record) {
  scene_make(s, 5, 160, record, channel_east, v);
  scene_vent(s, 2, 3, 900, RATES(15, 6));
}

static void claim_long_channel(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert(reached(end, 2, 80) && !reached(end, 1, 50));
}

static void build_two_in_a_cell(struct scene *s, int v, unsigned record) {
  scene_make(s, 17, 19, record, ramp, v);
  scene_vent(s, 5, 9, 70, RATES(0, 11, 3));
  scene_vent(s, 5, 9, 31, RATES(2.5, 0, 7, 0.3));
}

static void claim_all_emitted(const struct scene *start, const struct sciara_state *end, int v) {
  (void)v;
  const double total = sciara_vents_total(start->vents);
  ck_assert_double_ge(end->time, sciara_vents_end(start->vents));
  ck_assert_double_eq_tol(end->emitted, total, 1e-12 * total);
}

static void build_next_to_rim(struct scene *s, int v, unsigned record) {
  scene_make(s, 13, 11, record, relief_flat, v);
  scene_vent(s, 1, 1, 400, RATES(10));
}

static void claim_next_to_rim(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert(lost_at(end, 0, 1) > 0 && lost_at(end, 1, 0) > 0 && lost_at(end, 0, 0) > 0);
}

static void build_hole(struct scene *s, int v, unsigned record) {
  scene_make(s, 24, 15, record, ramp_with_hole, v);
  scene_vent(s, 5, 7, 400, RATES(25));
}

static void claim_hole(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert_double_gt(lost_at(end, 9, 7), 0); // the rim of the hole
  for (int64_t r = 10; r <= 13; r++)
    for (int64_t c = 5; c <= 9; c++) {
      const int64_t i = r * 15 + c;
      ck_assert_uint_eq(end->kind[i], SCIARA_CELL_NODATA);
      ck_assert_double_eq(end->z[i], SCIARA_NODATA_ALTITUDE);
      ck_assert(end->h[i] == 0 && end->lost[i] == 0 && !reached(end, r, c));
    }
}

static void build_side(struct scene *s, int v, unsigned record) {
  scene_make(s, 17, 17, record, tilted, v);
  scene_vent(s, 8 + 4 * sciara_moore_row(v), 8 + 4 * sciara_moore_col(v), 300, RATES(20, 40));
}

static void build_closed_side(struct scene *s, int v, unsigned record) {
  build_side(s, v, record);
  s->boundary = SCIARA_BOUNDARY_CLOSED;
}

/** The rim cell in direction `v` from the centre. */
static void claim_side(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start;
  const int64_t r = 8 + 8 * sciara_moore_row(v), c = 8 + 8 * sciara_moore_col(v);
  ck_assert_msg(lost_at(end, r, c) > 0, "no lava left through row %d, column %d", (int)r, (int)c);
}

static void claim_closed_side(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start;
  ck_assert_msg(reached(end, 8 + 7 * sciara_moore_row(v), 8 + 7 * sciara_moore_col(v)), "no lava next to the rim");
  ck_assert_double_eq(volume(end, end->lost), 0);
  for (int64_t k = 0; k < 17; k++)
    ck_assert(!reached(end, 0, k) && !reached(end, 16, k) && !reached(end, k, 0) && !reached(end, k, 16));
}

static void build_freezing(struct scene *s, int v, unsigned record) {
  scene_make(s, 25, 15, record, ramp, v);
  scene_cooling(s, by_rule(2000, 200));
  scene_vent(s, 5, 7, by_rule(3000, 20000), RATES(6, 1));
}

static void claim_freezing(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert_uint_gt(end->solidifications, 10);
  ck_assert_double_gt(rock(end), 10);
  ck_assert_double_gt(volume(end, end->h), 10);
}

static void build_rough(struct scene *s, int v, unsigned record) {
  scene_make(s, 31, 37, record, rough, v);
  scene_cooling(s, 60);
  scene_vent(s, 9, 11, 500, RATES(18, 4));
  scene_vent(s, 14, 23, 200, RATES(0, 9, 9));
}

static void claim_rough(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert_int_gt(covered(end), 40);
}

/** One row or column of interior cells, in a grid of v x 3 or 3 x v cells. */
static void build_narrow(struct scene *s, int v, unsigned record) {
  scene_make(s, v > 0 ? v : 3, v > 0 ? 3 : -v, record, rough, v);
  scene_vent(s, v > 0 ? v / 2 : 1, v > 0 ? 1 : -v / 2, 100, RATES(12, 3));
}

static void build_closed_narrow(struct scene *s, int v, unsigned record) {
  build_narrow(s, v, record);
  s->boundary = SCIARA_BOUNDARY_CLOSED;
}

static void claim_lost(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert_double_gt(volume(end, end->lost), 0);
}

static void claim_kept(const struct scene *start, const struct sciara_state *end, int v) {
  claim_all_emitted(start, end, v);
  ck_assert_double_eq(volume(end, end->lost), 0);
}

static void build_far_apart(struct scene *s, int v, unsigned record) {
  scene_make(s, 3, 90, record, relief_flat, v);
  s->boundary = SCIARA_BOUNDARY_CLOSED;
  scene_vent(s, 1, 2, 100, RATES(9, 3));
  scene_vent(s, 1, 87, 100, RATES(4, 6));
}

static void claim_far_apart(const struct scene *start, const struct sciara_state *end, int v) {
  claim_kept(start, end, v);
  ck_assert(reached(end, 1, 4) && reached(end, 1, 85) && !reached(end, 1, 45));
}

/** Nothing can ever flow: no rate, no vent, or no interior cell. */
static void build_nothing(struct scene *s, int v, unsigned record) {
  if (v < 2)
    scene_make(s, 9, 11, record, relief_flat, v);
  else
    scene_make(s, v == 2 ? 1 : 7, v == 2 ? 7 : 2, record, relief_flat, v);
  if (v == 0) scene_vent(s, 4, 5, 60, RATES(0, 0, 0));
}

static void claim_nothing(const struct scene *start, const struct sciara_state *end, int v) {
  (void)v;
  ck_assert_uint_eq(end->step, 1);
  ck_assert_double_eq(end->time, start->params.t_first);
  ck_assert_double_eq(end->clock, start->params.relaxation * start->params.t_max);
  ck_assert_double_eq(end->emitted, 0);
  ck_assert_int_eq(covered(end), 0);
}

static void build_gap(struct scene *s, int v, unsigned record) {
  scene_make(s, 15, 13, record, ramp, v);
  scene_cooling(s, 1e5);
  scene_vent(s, 4, 6, 40, RATES(10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8));
}

static void claim_gap(const struct scene *start, const struct sciara_state *end, int v) {
  claim_all_emitted(start, end, v);
  ck_assert_int_eq(sciara_state_liquid_cells(end), 0);
  ck_assert_double_gt(rock(end), 0);
}

static void build_fissure(struct scene *s, int v, unsigned record) {
  scene_make(s, 31, 29, record, rough, v);
  for (int64_t k = 0; k < 12; k++)
    scene_vent(s, 6 + k / 2, 7 + k, 150 + 3 * (double)k, RATES(1 + 0.2 * (double)k, 0, 3));
}

static void build_pool_and_vents(struct scene *s, int v, unsigned record) {
  build_pool(s, v, record);
  scene_vent(s, 10, 11, 90, RATES(15, 3));
  scene_vent(s, 3, 4, 50, RATES(6));
}

static void claim_pool_and_vents(const struct scene *start, const struct sciara_state *end, int v) {
  claim_all_emitted(start, end, v);
  ck_assert_double_gt(end->initial, 0);
  ck_assert_double_eq(end->arrival[10 * 23 + 11], 0);
}

/**
 * With relaxation 1 the clock of fv3 lets the fastest cell lose all its lava: it becomes dry, without rock. A sheet of
 * rule bingham only thins: in a step less than its whole thickness leaves.
 */
static void build_drained(struct scene *s, int v, unsigned record) {
  scene_make(s, 40, 7, record, channel_south, v);
  s->params.relaxation = 1;
  for (int64_t r = 3; r < 24; r += 3) scene_lava(s, r, 3, 0.5 + 0.125 * (double)(r % 5), 1360);
}

static void claim_drained(const struct scene *start, const struct sciara_state *end, int v) {
  int drained = 0;
  (void)v;
  for (int64_t i = 0; i < sciara_grid_cells(&end->grid); i++)
    drained += start->state->h[i] > 0 && end->h[i] == 0 && end->z[i] == end->z0[i];
  if (rule_tested == SCIARA_RULE_FV3)
    ck_assert_int_gt(drained, 0);
  else
    ck_assert_int_eq(drained, 0);
}

/**
 * Two flows on a grid of many blocks, first separate, then merged; a third one solidifies, and its vent emits again
 * later.
 */
static void build_converging(struct scene *s, int v, unsigned record) {
  scene_make(s, 81, 121, record, valley, v);
  scene_cooling(s, 120);
  scene_vent(s, 11, 16, 2000, RATES(25));
  scene_vent(s, 13, 49, 2000, RATES(25));
  scene_vent(s, 71, 111, 200, RATES(4, 0, 0, 0, 6));
}

static void claim_converging(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert(reached(end, 11, 16) && reached(end, 13, 49) && reached(end, 71, 111));
  ck_assert_msg(reached(end, 20, 32), "the flows do not merge");
  ck_assert_uint_gt(end->solidifications, 10);
}

static void build_many_slots(struct scene *s, int v, unsigned record) {
  double rates[60];
  for (int k = 0; k < 60; k++) rates[k] = k % 5 == 3 ? 0 : 2 + 0.37 * (double)(k * 7 % 13);
  scene_make(s, 17, 19, record, ramp, v);
  scene_vent(s, 5, 9, 0.7, 60, rates);
  scene_vent(s, 6, 8, 13.3, 20, rates);
}

/** Work for many threads at first; then most of the lava solidifies, and little work remains. */
static void build_lake(struct scene *s, int v, unsigned record) {
  scene_make(s, 40, 44, record, rough, v);
  scene_cooling(s, by_rule(1000, 200));
  for (int64_t r = 1; r < 39; r++)
    for (int64_t c = 1; c < 43; c++) scene_lava(s, r, c, 0.5 + 0.25 * (double)(r * c % 7), 1180 + (double)(r + c));
  scene_vent(s, 20, 15, 2000, RATES(5));
}

static void claim_lake(const struct scene *start, const struct sciara_state *end, int v) {
  (void)v;
  ck_assert_int_eq(sciara_state_liquid_cells(start->state), 38 * 42);
  ck_assert_int_lt(sciara_state_liquid_cells(end), 300);
  ck_assert_int_gt(sciara_state_liquid_cells(end), 3);
}

/** Makes sea of the cells from row `coast` on, those at the edge of the map included. */
static void flood(struct scene *s, int64_t coast) {
  const struct sciara_grid *g = &s->state->grid;
  for (int64_t i = coast * g->cols; i < sciara_grid_cells(g); i++) writable_kind(s->state)[i] = SCIARA_CELL_SEA;
}

static double lost_in(const struct sciara_state *s, enum sciara_cell_kind kind) {
  double sum = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) sum += s->kind[i] == kind ? s->lost[i] : 0;
  return sum;
}

/** A coast: variant 1 with a closed boundary, variant 2 with lava that solidifies at it. */
static void build_coast(struct scene *s, int v, unsigned record) {
  scene_make(s, 24, 15, record, ramp, v);
  flood(s, 14);
  if (v == 1) s->boundary = SCIARA_BOUNDARY_CLOSED;
  if (v == 2) scene_cooling(s, 300);
  scene_vent(s, 8, 7, 900, RATES(25, 4));
}

static void claim_coast(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start;
  ck_assert_double_gt(lost_in(end, SCIARA_CELL_SEA), 0);
  for (int64_t i = 0; i < sciara_grid_cells(&end->grid); i++)
    if (end->kind[i] == SCIARA_CELL_SEA) ck_assert(end->h[i] == 0 && end->z[i] == end->z0[i]);
  ck_assert(reached(end, 14, 7) && !reached(end, 15, 7)); // nothing crosses the first row of the sea
  if (v == 2) ck_assert_uint_gt(end->solidifications, 3);
  struct sciara_ledger l;
  sciara_ledger_form(end, sciara_rounding_usual(precision_epsilon(SCIARA_SINGLE_PRECISION)), &l);
  ck_assert_double_eq_tol(l.sea_m3, lost_in(end, SCIARA_CELL_SEA) * 100, 1e-9 * l.sea_m3);
  ck_assert_double_eq(l.lost_m3, 100 * lost_in(end, SCIARA_CELL_RIM));
}

/** Sea on one side of the vent, the rim on the other: lava is lost to both, and counted apart. */
static void build_sea_and_rim(struct scene *s, int v, unsigned record) {
  scene_make(s, 13, 11, record, relief_flat, v);
  flood(s, 2);
  scene_vent(s, 1, 1, 400, RATES(10));
}

static void claim_sea_and_rim(const struct scene *start, const struct sciara_state *end, int v) {
  (void)start, (void)v;
  ck_assert_double_gt(lost_in(end, SCIARA_CELL_SEA), 0);
  ck_assert_double_gt(lost_in(end, SCIARA_CELL_RIM), 0);
}

static const struct conformance_case list[] = {
    {"flat pool", build_pool, 0, claim_pool, {1, 7, 200}},
    {"ramp", build_ramp, 0, claim_ramp, {1, 7, 200, 1500}},
    {"obstacle", build_obstacle, 0, claim_obstacle, {7, 200, 600}},
    {"one-cell channel", build_channel, 0, claim_channel, {7, 200, 600}},
    {"long channel", build_long_channel, 0, claim_long_channel, {7, 1500}},
    {"two vents in a cell", build_two_in_a_cell, 0, claim_all_emitted, {1, 7, 200}},
    {"vent next to the rim", build_next_to_rim, 0, claim_next_to_rim, {1, 7, 200}},
    {"hole", build_hole, 0, claim_hole, {7, 200}},
    {"north edge", build_side, 1, claim_side, {7, 200}},
    {"west edge", build_side, 2, claim_side, {7, 200}},
    {"east edge", build_side, 3, claim_side, {7, 200}},
    {"south edge", build_side, 4, claim_side, {7, 200}},
    {"north-western corner", build_side, 5, claim_side, {7, 200}},
    {"south-western corner", build_side, 6, claim_side, {7, 200}},
    {"south-eastern corner", build_side, 7, claim_side, {7, 200}},
    {"north-eastern corner", build_side, 8, claim_side, {7, 200}},
    {"north edge, closed", build_closed_side, 1, claim_closed_side, {200}},
    {"west edge, closed", build_closed_side, 2, claim_closed_side, {200}},
    {"east edge, closed", build_closed_side, 3, claim_closed_side, {200}},
    {"south edge, closed", build_closed_side, 4, claim_closed_side, {200}},
    {"north-western corner, closed", build_closed_side, 5, claim_closed_side, {200}},
    {"south-western corner, closed", build_closed_side, 6, claim_closed_side, {200}},
    {"south-eastern corner, closed", build_closed_side, 7, claim_closed_side, {200}},
    {"north-eastern corner, closed", build_closed_side, 8, claim_closed_side, {200}},
    {"solidifying next to live lava", build_freezing, 0, claim_freezing, {7, 200, 800}},
    {"31 x 37", build_rough, 0, claim_rough, {7, 200, 900}},
    {"3 x 3", build_narrow, 3, claim_lost, {1, 7, 60}},
    {"3 x 40", build_narrow, -40, claim_lost, {1, 7, 200}},
    {"40 x 3", build_narrow, 40, claim_lost, {1, 7, 200}},
    {"3 x 3, closed", build_closed_narrow, 3, claim_kept, {1, 7, 60}},
    {"3 x 40, closed", build_closed_narrow, -40, claim_kept, {1, 7, 200}},
    {"40 x 3, closed", build_closed_narrow, 40, claim_kept, {1, 7, 200}},
    {"two distant vents", build_far_apart, 0, claim_far_apart, {1, 7, 200}},
    {"zero rate", build_nothing, 0, claim_nothing, {1, 7}},
    {"no vent", build_nothing, 1, claim_nothing, {1, 7}},
    {"1 x 7", build_nothing, 2, claim_nothing, {1, 7}},
    {"7 x 2", build_nothing, 3, claim_nothing, {1, 7}},
    {"rate gap", build_gap, 0, claim_gap, {1, 7, 50, 1500}},
    {"fissure", build_fissure, 0, claim_all_emitted, {1, 7, 400}},
    {"initial lava and vents", build_pool_and_vents, 0, claim_pool_and_vents, {1, 7, 200}},
    {"drained cells", build_drained, 0, claim_drained, {1, 2, 7, 60}},
    {"converging flows", build_converging, 0, claim_converging, {7, 300, 1000}},
    {"slots shorter than a step", build_many_slots, 0, claim_all_emitted, {1, 7, 200}},
    {"coast", build_coast, 0, claim_coast, {7, 200, 700}},
    {"coast, closed", build_coast, 1, claim_coast, {7, 200, 700}},
    {"coast, freezing", build_coast, 2, claim_coast, {7, 200, 400}},
    {"sea and rim", build_sea_and_rim, 0, claim_sea_and_rim, {1, 7, 200}},
    {"lake that freezes", build_lake, 0, claim_lake, {1, 70, 200}},
};

const struct conformance_case *conformance_cases(size_t *count) {
  *count = sizeof list / sizeof *list;
  return list;
}

int conformance_case_count(void) {
  size_t count;
  conformance_cases(&count);
  return (int)count;
}
