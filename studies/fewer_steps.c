// SPDX-License-Identifier: Apache-2.0
// Thick lava on fine cells needs short steps, since it levels fast. What would need fewer: ideas on Etna 2006, cells of 10 m,
// for 12 days, with the functions of rule bingham.
//
//   sciara_fewer_steps [LAVA [IDEA]]     LAVA: aa, volcflow, strong; IDEA: a name of the table below; all without them
//
// law:    steps of `relaxation` r times the shortest time of a cell, at most r * clock_max_s
// cycle:  of three steps one is 4.4 times as long, the others 0.53 and 0.95 times (super time stepping, Alexiades 1996)
// held:   a cell whose time is 2, 4 or 8 times the shortest is evaluated in every 2nd, 4th or 8th step
// stages: one long step is a Runge-Kutta-Legendre scheme of first order (Meyer, Balsara, Aslam 2014) with up to 5 stages, an
//         evaluation each, as many as the step needs
// Printed: steps, evaluations of cells, and against law with r 0.125 the Jaccard index J of the lava and the difference of
// arrival times, median and 95 % of the cells. Mass: what the vents gave and the map does not have. Needs SCIARA_ETNA2006.
#include <math.h>
#include <string.h>

#define SCIARA_RULE_NAME bingham
#include "etna.h"
#include "model/cell.h"

enum { STRIDE = COLS + 2, CELLS = (ROWS + 2) * STRIDE, MOST_STAGES = 5 };
static const double until = 12 * 86400.0;

static const struct lava {
  const char *name;
  double yield_vent, yield_sol, viscosity_vent, viscosity_sol, radiating; ///< Pa, Pa s
} lavas[] = {{"aa", 51100, 67400, 3.62e6, 3.57e7, 9.31e-5},
             {"volcflow", 35000, 42000, 8e6, 4e7, 1e-4},
             {"strong", 79000, 100000, 6.3e6, 9e7, 1e-4}};

enum kind { LAW, CYCLE, HELD, STAGES };
static const struct idea {
  const char *name;
  enum kind kind;
  double relaxation, clock_max; ///< s
} ideas[] = {{"reference", LAW, 0.125, 120},  {"law", LAW, 0.5, 120},          {"law 0.35", LAW, 0.35, 120},
             {"law 0.25", LAW, 0.25, 120},    {"law 1", LAW, 1, 120},          {"cycle", CYCLE, 0.5, 120},
             {"held", HELD, 0.5, 120},        {"stages 60", STAGES, 0.5, 120}, {"stages 120", STAGES, 0.5, 240},
             {"stages 240", STAGES, 0.5, 480}};

/** A flow on the map with a frame of one cell. */
struct flow {
  struct sciara_rule rule;
  double z[CELLS], h[CELLS], T[CELLS], arrival[CELLS];
  double h1[CELLS], q1[CELLS], gain[CELLS], heat[CELLS]; ///< a stage earlier; what a stage adds
  struct sciara_evaluation e[CELLS];
  double time[CELLS]; ///< of a cell, s
  int level[CELLS];   ///< of HELD: evaluated in every 2^level-th step
  int cell[CELLS], cells, top, bottom, left, right;
  double s, t, least;
  long steps, evaluations;
};

/** Lists the cells with lava. */
static void list_lava(struct flow *f) {
  int top = ROWS, bottom = 0, left = COLS, right = 0;
  f->cells = 0;
  for (int y = f->top - 1; y <= f->bottom + 1; y++)
    for (int x = f->left - 1; x <= f->right + 1; x++) {
      const int i = y * STRIDE + x;
      if (!(f->h[i] > 0)) continue;
      f->cell[f->cells++] = i;
      top = y < top ? y : top, bottom = y > bottom ? y : bottom, left = x < left ? x : left,
      right = x > right ? x : right;
    }
  if (f->cells > 0) f->top = top, f->bottom = bottom, f->left = left, f->right = right;
}

static void evaluate(struct flow *f, int i) {
  double zn[SCIARA_MOORE], hn[SCIARA_MOORE];
  bool bad = false;
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const int64_t j = i + sciara_moore_offset(n, STRIDE);
    zn[n] = f->z[j], hn[n] = f->h[j];
  }
  f->time[i] = sciara_cell_evaluate(&f->rule, f->z[i], f->h[i], f->T[i], 0, 0, zn, hn, &f->e[i], &bad);
  f->evaluations++;
}

/** Sums what flows in `t` s: thickness and heat that each cell gains. */
static void sum_flows(struct flow *f, double t) {
  memset(f->gain, 0, sizeof f->gain);
  memset(f->heat, 0, sizeof f->heat);
  for (int k = 0; k < f->cells; k++) {
    const int i = f->cell[k];
    for (int n = 1; n < SCIARA_MOORE; n++) {
      if (!(f->e[i].survivors >> n & 1u)) continue;
      const double out = fmin(f->e[i].rate[n] * t, f->e[i].share[n]);
      const int64_t j = i + sciara_moore_offset(n, STRIDE);
      f->gain[i] -= out, f->heat[i] -= out * f->T[i];
      f->gain[j] += out, f->heat[j] += out * f->T[i];
    }
  }
}

/** One stage: u = mu u + nu v + what flows, v = the u before; by thickness and heat. */
static void advance(struct flow *f, double t, double mu, double nu) {
  sum_flows(f, t);
  for (int y = f->top - 1; y <= f->bottom + 1; y++)
    for (int x = f->left - 1; x <= f->right + 1; x++) {
      const int i = y * STRIDE + x;
      const double h = f->h[i], q = h * f->T[i];
      f->h[i] = fmax(mu * h + nu * f->h1[i] + f->gain[i], 0);
      f->T[i] = f->h[i] > 0 ? (mu * q + nu * f->q1[i] + f->heat[i]) / f->h[i] : 0;
      f->h1[i] = h, f->q1[i] = q;
    }
}

static void cool(struct flow *f) {
  list_lava(f);
  for (int k = 0; k < f->cells; k++) {
    const int i = f->cell[k];
    f->T[i] = sciara_cool(&f->rule, f->t, f->h[i], f->T[i]);
    if (f->arrival[i] < 0) f->arrival[i] = f->s;
  }
}

/** HELD: the levels of all cells, each at most one above those around it. */
static void find_levels(struct flow *f, double relaxation) {
  for (int k = 0; k < f->cells; k++) {
    const int i = f->cell[k];
    const double ratio = relaxation * f->time[i] / f->t;
    f->level[i] = ratio >= 8 ? 3 : ratio >= 4 ? 2 : ratio >= 2 ? 1 : 0;
  }
  for (int k = 0; k < f->cells; k++)
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int64_t j = f->cell[k] + sciara_moore_offset(n, STRIDE);
      const int most = f->h[j] > 0 ? f->level[j] + 1 : 1;
      if (f->level[f->cell[k]] > most) f->level[f->cell[k]] = most;
    }
}

static void step(struct flow *f, const struct idea *idea, const struct sciara_vents *vents) {
  static const double lengths[] = {0.534, 4.4, 0.952};
  const double r = idea->relaxation;
  for (int64_t v = 0; v < vents->count; v++) {
    const double volume =
        sciara_vent_volume(vents->begin, vents->end, vents->rate, vents->first[v], vents->first[v + 1], f->s, f->t);
    const int i = (int)((vents->row[v] + 1) * STRIDE + vents->col[v] + 1);
    if (!(volume > 0)) continue;
    f->h[i] += volume / (SIDE * SIDE), f->T[i] = 1360;
    if (f->arrival[i] < 0) f->arrival[i] = f->s;
  }
  f->s += f->t;
  list_lava(f);
  f->least = f->rule.clock_max;
  for (int k = 0; k < f->cells; k++) {
    const int i = f->cell[k];
    const bool due = idea->kind != HELD || f->steps % (1 << f->level[i]) == 0;
    if (due) evaluate(f, i);
    f->least = fmin(f->least, f->time[i]);
  }
  int stages = 1;
  double reach = idea->kind == CYCLE ? lengths[f->steps % 3] : 1;
  while (idea->kind == STAGES && stages < MOST_STAGES && f->least * reach < f->rule.clock_max)
    stages++, reach = 0.5 * stages * (stages + 1);
  f->t = r * fmin(f->least * reach, f->rule.clock_max);
  if (idea->kind == HELD && f->steps % 8 == 0) find_levels(f, r);
  for (int j = 1; j <= stages; j++) {
    const double mu = j > 1 ? (2.0 * j - 1) / j : 1, nu = j > 1 ? (1.0 - j) / j : 0;
    if (j > 1) list_lava(f);
    for (int k = 0; k < f->cells && j > 1; k++) evaluate(f, f->cell[k]);
    advance(f, 2 * mu / (stages * (stages + 1)) * f->t, mu, nu);
  }
  cool(f);
  f->steps++;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(const struct flow *f, const struct lava *lava, const struct idea *idea, const double *arrival) {
  static double late[CELLS];
  int both = 0, either = 0;
  double volume = 0, given = 0;
  for (int k = 0; k < DAYS; k++) given += COLUMNS * 86400 * rate_of[k];
  for (int i = 0; i < CELLS; i++) {
    volume += SIDE * SIDE * f->h[i];
    either += f->arrival[i] >= 0 || arrival[i] >= 0;
    if (f->arrival[i] >= 0 && arrival[i] >= 0) late[both++] = fabs(f->arrival[i] - arrival[i]) / 60;
  }
  qsort(late, (size_t)both, sizeof *late, ascending);
  printf("%-8s %-10s %6ld steps %9.3e evaluations J %.4f arrival %.1f min (95 %%: %.0f) mass %.1e m3\n", lava->name,
         idea->name, f->steps, (double)f->evaluations, (double)both / either, late[both / 2], late[both * 95 / 100],
         given - volume);
  fflush(stdout);
}

int main(int argc, char **argv) {
  static double z[ROWS * COLS], arrival[CELLS];
  static unsigned char valid[ROWS * COLS];
  static struct flow f;
  if (!read_ground(1, z, valid)) return no_ground("sciara_fewer_steps");
  struct sciara_vents *vents = etna_vents(1);
  for (size_t l = 0; l < sizeof lavas / sizeof *lavas; l++) {
    const struct lava *lava = &lavas[l];
    if (argc > 1 && strcmp(argv[1], lava->name) != 0) continue;
    for (size_t k = 0; k < sizeof ideas / sizeof *ideas; k++) {
      if (argc > 2 && k > 0 && strcmp(argv[2], ideas[k].name) != 0) continue;
      struct sciara_params p = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
      p.yield_vent = lava->yield_vent, p.yield_sol = lava->yield_sol, p.viscosity_vent = lava->viscosity_vent;
      p.viscosity_sol = lava->viscosity_sol, p.radiating = lava->radiating, p.t_max = ideas[k].clock_max;
      memset(&f, 0, sizeof f);
      f.rule = sciara_rule_make(&p, SIDE);
      f.t = 1, f.top = ROW, f.bottom = ROW + 2, f.left = column_of[0], f.right = column_of[1] + 2;
      for (int i = 0; i < CELLS; i++) f.z[i] = 1e5, f.arrival[i] = -1;
      for (int i = 0; i < ROWS * COLS; i++) f.z[(i / COLS + 1) * STRIDE + i % COLS + 1] = z[i];
      while (f.s < until) step(&f, &ideas[k], vents);
      if (k == 0) memcpy(arrival, f.arrival, sizeof arrival);
      report(&f, lava, &ideas[k], arrival);
    }
  }
  sciara_vents_destroy(vents);
  return 0;
}
