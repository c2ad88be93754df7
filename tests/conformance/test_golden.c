// SPDX-License-Identifier: Apache-2.0
// Every engine compared with the golden cases: every field and every clock within 1e-9 max(1, |golden|). test_golden
// [ENGINE...]: the engines named, else all that are available. SCIARA_GOLDEN_STEPS=N in the environment: only the files
// after at most N steps.
#include "model/ledger.h"
#include "support/conformance.h"
#include "support/golden.h"
#include "support/owned.h"

enum { CASES = 6 };

static const struct {
  const char *name; ///< NULL: the rule has no further case
  int kept[4];
  int predictable; ///< 0, or the step after which the last bit of exp decides: nothing later is compared
} cases[SCIARA_RULES][CASES] = {{
                                    {"plane", {1, 10, 400}, 0},
                                    {"hill", {1, 100, 3400}, 0},
                                    {"freeze", {100, 4000}, 0},
                                    {"bowl", {50, 3000}, 0},
                                    {"ramp", {20, 3000}, 0},
                                },
                                {
                                    {"plane", {1, 20, 300}, 0},
                                    {"hill", {10, 100, 1000}, 0},
                                    {"freeze", {100, 3000}, 0},
                                    {"bowl", {50, 3000}, 1800},
                                    {"ramp", {20, 3000}, 0},
                                    {"wall", {20, 200, 1500}, 0},
                                }};

// Totals of tests/golden/README.md: steps done, simulated time, emitted, liquid, lost, liquid cells.
static const struct {
  enum sciara_rule_kind rule;
  const char *name;
  int kept, steps;
  double time, emitted, liquid, lost;
  int cells;
} totals[] = {
    {SCIARA_RULE_FV3, "plane", 400, 400, 6600.5954990633609, 10799.999999999996, 10800.000000000004, 0, 81},
    {SCIARA_RULE_FV3, "hill", 100, 100, 241.27955443469165, 2171.515989912225, 2171.515989912225, 0, 30},
    {SCIARA_RULE_FV3, "hill", 3400, 3400, 4222.8137844231615, 45722.05501182835, 15422.908047906833, 30299.123337990532,
     177},
    {SCIARA_RULE_FV3, "freeze", 100, 100, 440.54351379708419, 484.59786517679265, 334.69734737022617, 0, 15},
    {SCIARA_RULE_FV3, "freeze", 4000, 885, 4086.2254395331188, 2219.9999999999977, 0, 0, 0},
    {SCIARA_RULE_FV3, "bowl", 3000, 3000, 689.18351490698376, 7335.1010894418923, 7269.5558664289292, 0, 152},
    {SCIARA_RULE_FV3, "ramp", 3000, 62, 145.778905137572, 23.1, 0, 9.6179985839311648, 0},
    {SCIARA_RULE_BINGHAM, "plane", 20, 20, 334.15014241441321, 1336.6005696576528, 1336.6005696576533, 0, 57},
    {SCIARA_RULE_BINGHAM, "plane", 300, 300, 3090.2386189877975, 9780.477237975585, 9780.4772379755887, 0, 293},
    {SCIARA_RULE_BINGHAM, "hill", 100, 100, 1072.6968936023859, 9654.2720424214713, 9653.3392648334793, 0, 136},
    {SCIARA_RULE_BINGHAM, "hill", 1000, 1000, 15817.548350409186, 76950, 13964.722177008425, 62853.139967240211, 529},
    {SCIARA_RULE_BINGHAM, "freeze", 3000, 363, 4972.3827933768425, 2219.9999999999973, 0, 17.208251214926094, 0},
    {SCIARA_RULE_BINGHAM, "bowl", 3000, 3000, 334.96515254542038, 2004.8954576362635, 2004.8282301595711, 0, 182},
    {SCIARA_RULE_BINGHAM, "ramp", 3000, 52, 1113.1189662214706, 23.099999999999998, 0, 19.79663468989618, 0},
    {SCIARA_RULE_BINGHAM, "wall", 20, 20, 386.85052322632293, 2321.1031393579374, 2320.935670560059, 0, 35},
    {SCIARA_RULE_BINGHAM, "wall", 200, 200, 1477.0387696550843, 12139.271387585595, 12137.205155614365, 0, 87},
    {SCIARA_RULE_BINGHAM, "wall", 1500, 1500, 4495.4770795616669, 21000.000000000065, 20992.950357274713, 0, 141},
};

static void compare_field(const char *name, int steps, const char *what, const double *ours) {
  size_t n;
  OWNED(free_memory) double *golden = golden_read(name, rule_tested, steps, what, &n);
  for (size_t i = 0; i < n; i++)
    ck_assert_msg(fabs(ours[i] - golden[i]) <= 1e-9 * fmax(1, fabs(golden[i])),
                  "%s: %s after %d steps: %s[%zu] is %.17g, golden %.17g", engine_tested[SCIARA_DOUBLE]->name, name,
                  steps, what, i, ours[i], golden[i]);
}

static void compare_totals(const char *name, int kept, const struct sciara_state *s) {
  struct sciara_ledger l;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &l);
  ck_assert_msg(sciara_ledger_closes(&l), "%s: %s: residual of the ledger %g m3, bound %g",
                engine_tested[SCIARA_DOUBLE]->name, name, l.residual_m3, l.bound_m3);
  for (size_t k = 0; k < sizeof totals / sizeof *totals; k++) {
    if (totals[k].rule != rule_tested || strcmp(totals[k].name, name) != 0 || totals[k].kept != kept) continue;
    ck_assert_uint_eq(s->step, (uint64_t)totals[k].steps);
    ck_assert_int_eq(sciara_state_liquid_cells(s), totals[k].cells);
    ck_assert_double_eq_tol(s->time, totals[k].time, 1e-9 * totals[k].time);
    ck_assert_double_eq_tol(l.emitted_m3, totals[k].emitted, 1e-12 * totals[k].emitted);
    ck_assert_double_eq_tol(l.liquid_m3, totals[k].liquid, 1e-12 * totals[k].emitted);
    ck_assert_double_eq_tol(l.lost_m3, totals[k].lost, 1e-12 * totals[k].emitted);
  }
}

/** The last step to compare. */
static int most_steps(void) {
  const char *text = getenv("SCIARA_GOLDEN_STEPS");
  return text ? atoi(text) : INT_MAX;
}

/** Whether an engine has to agree with a case after `step`. */
static bool is_compared(int index, uint64_t step) {
  const int predictable = cases[rule_tested][index].predictable;
  return predictable == 0 || step <= (uint64_t)predictable;
}

// One step at a time, so that every clock is compared.
static void run_case(int index) {
  const char *name = cases[rule_tested][index].name;
  if (!name) return;
  struct scene c;
  golden_load(name, rule_tested, 0, &c);
  const struct sciara_engine_ops *ops = engine_tested[SCIARA_DOUBLE];
  struct run r;
  run_start(&r, ops, &c, 0);
  uint64_t step = 0;
  for (int k = 0; k < 4 && cases[rule_tested][index].kept[k] && cases[rule_tested][index].kept[k] <= most_steps();
       k++) {
    const int kept = cases[rule_tested][index].kept[k];
    size_t n;
    double *clocks = golden_read(name, rule_tested, kept, "clock", &n);
    struct sciara_engine_progress p = {0};
    while (step < n) {
      const struct sciara_stop stop = {.steps = step + 1, .time = INFINITY, .solidified = true, .max_wall_ms = 60000};
      expect_ok(ops->advance(r.engine, &stop, &p));
      step++;
      ck_assert_uint_eq(p.step, step);
      ck_assert_msg(!is_compared(index, step) || fabs(p.clock - clocks[step - 1]) <= 1e-9 * fmax(1, clocks[step - 1]),
                    "%s: %s: clock of step %d is %.17g, golden %.17g", engine_tested[SCIARA_DOUBLE]->name, name,
                    (int)step, p.clock, clocks[step - 1]);
    }
    free(clocks);
    if (step < (uint64_t)kept) { // the golden run has solidified by then, and so must this one
      const struct sciara_stop stop = {.steps = (uint64_t)kept, .time = INFINITY, .solidified = true};
      expect_ok(ops->advance(r.engine, &stop, &p));
      ck_assert_int_eq(p.reason, SCIARA_STOP_SOLIDIFIED);
      ck_assert_uint_eq(p.step, step);
    }
    expect_ok(ops->download(r.engine, c.state));
    if (!is_compared(index, (uint64_t)kept)) continue;
    compare_field(name, kept, "h", c.state->h);
    compare_field(name, kept, "z", c.state->z);
    compare_field(name, kept, "T", c.state->T);
    compare_field(name, kept, "px", c.state->px);
    compare_field(name, kept, "py", c.state->py);
    compare_field(name, kept, "arrival", c.state->arrival);
    compare_totals(name, kept, c.state);
  }
  run_end(&r);
  scene_free(&c);
}

TEST_EACH(golden, CASES) { run_case(_i); }

/** The loop of a simulation, which needs no scenario: the bits of the engine alone. */
TEST(loop) {
  const struct sciara_advance_limit first = {.time = 100, .step = UINT64_MAX}, rest = {.time = INFINITY, .step = 100};
  struct scene c;
  struct run alone;
  OWNED(destroy_simulation) struct sciara_simulation *s;
  golden_load("hill", rule_tested, 0, &c);
  run_start(&alone, engine_tested[SCIARA_DOUBLE], &c, 0);
  run_to_step(&alone, 100);
  OWNED(destroy_state) struct sciara_state *expected = run_state(&alone, c.state);
  struct sciara_problem p = {.site = sciara_site_retain(c.state->site),
                             .grid = c.state->grid,
                             .vents = c.vents,
                             .state = c.state,
                             .params = c.params,
                             .boundary = c.boundary,
                             .run = {.max_time_s = INFINITY, .max_steps = UINT64_MAX},
                             .engine = {.name = "auto"},
                             .ops = engine_tested[SCIARA_DOUBLE],
                             .notes = &sciara_no_notes};
  expect_ok(sciara_simulation_create(&p, false, &s));
  expect_ok(sciara_simulation_advance(s, &first));
  expect_ok(sciara_simulation_advance(s, &rest));
  expect_ok(sciara_simulation_sync(s));
  ck_assert_uint_eq(s->progress.step, 100);
  if (engine_tested[SCIARA_DOUBLE]->determinism == SCIARA_EXACT)
    ck_assert_uint_eq(sciara_state_checksum(s->problem.state), sciara_state_checksum(expected));
  compare_field("hill", 100, "h", s->problem.state->h);
  run_end(&alone);
}

int main(int argc, char **argv) { return conformance_main(argc, argv, &tests_here); }
