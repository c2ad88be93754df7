// SPDX-License-Identifier: Apache-2.0
// Claims about model/params.h and rule.h: the calibrated values, the ranges, and the constants of the rule.
#include "base/hash.h"
#include "model/cell.h"
#include "model/params.h"
#include "model/prior.h"
#include "model/range.h"
#include "support/owned.h"

static double *member(struct sciara_params *p, const struct sciara_param_info *info) {
  return (double *)(void *)((char *)p + info->offset);
}

TEST(calibrated) { // the 2006 Etna eruption
  const struct sciara_params p = sciara_params_default();
  ck_assert(p.T_vent == 1360 && p.T_sol == 1143 && p.dP_vent == 0.315 && p.dP_sol == 0.5 && p.hc_vent == 1.014 &&
            p.hc_sol == 23.066);
  ck_assert(p.relaxation == 0.5 && p.cooling == 1.507 && p.density == 2600 && p.emissivity == 0.9 && p.c_v == 1150);
  ck_assert(p.t_first == 1 && p.t_max == 120);
  expect_ok(sciara_params_check(&p));
}

TEST(presets) { // the first one is the default of params.def; each is complete and valid
  size_t count;
  const struct sciara_preset *list = sciara_preset_table(&count);
  const struct sciara_params p = sciara_params_default();
  char names[1024] = "";
  ck_assert_uint_ge(count, 1);
  ck_assert_str_eq(list[0].name, SCIARA_PRESET_DEFAULT);
  ck_assert_mem_eq(&list[0].params, &p, sizeof p);
  ck_assert_double_eq(list[0].cell_size_m, 10);
  for (size_t k = 0; k < count; k++) {
    ck_assert(*list[k].event && *list[k].source && list[k].cell_size_m > 0);
    expect_ok(sciara_params_check(&list[k].params));
    ck_assert_ptr_eq(sciara_preset_find(list[k].name), &list[k]);
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s|", list[k].name);
  }
  ck_assert_str_eq(sciara_preset_choices, names);
  ck_assert_ptr_null(sciara_preset_find("thesis"));
}

static size_t find_margin(const struct sciara_prior *p, const char *key) {
  size_t k = 0;
  while (k < sciara_prior_margins(p) && strcmp(p->margin[k].key, key) != 0) k++;
  return k;
}

static const struct sciara_param_info *find_param(const char *key) {
  size_t count;
  const struct sciara_param_info *info = sciara_param_table(&count);
  for (size_t k = 0; k < count; k++)
    if (strcmp(info[k].key, key) == 0) return &info[k];
  ck_abort_msg("%s is no parameter", key);
}

/** Sets each parameter of a prior to one of its ends, as bit k of `corner` says. */
static struct sciara_params at_corner(const struct sciara_prior *p, unsigned corner) {
  struct sciara_params params = sciara_params_of_rule(p->rule);
  for (size_t k = 0; k < sciara_prior_margins(p); k++) {
    const struct sciara_prior_margin *m = &p->margin[k];
    const double end = corner >> k & 1u ? m->high : m->low;
    *member(&params, find_param(m->key)) = m->times ? end * *member(&params, find_param(m->times)) : end;
  }
  return params;
}

TEST(priors) { // each is complete, and every corner of it is valid
  size_t count;
  const struct sciara_prior *list = sciara_prior_table(&count);
  char names[1024] = "";
  for (size_t i = 0; i < count; i++) {
    const struct sciara_prior *p = &list[i];
    const size_t margins = sciara_prior_margins(p), used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s|", p->name);
    ck_assert(*p->lava && *p->source && margins > 0 && margins < SCIARA_PRIOR_MARGINS);
    ck_assert_ptr_eq(sciara_prior_find(p->name), p);
    for (size_t k = 0; k < margins; k++) {
      const struct sciara_prior_margin *m = &p->margin[k];
      const bool ends = m->kind == SCIARA_DIST_UNIFORM || m->kind == SCIARA_DIST_LOG_UNIFORM;
      ck_assert(sciara_param_is_of(find_param(m->key), p->rule) && find_margin(p, m->key) == k);
      ck_assert(m->kind != SCIARA_DIST_VALUES && 0 < m->low && m->low < m->high);
      ck_assert(ends ? m->middle == 0 && m->spread == 0 : m->low < m->middle && m->middle < m->high && m->spread > 0);
      ck_assert(!m->times || find_margin(p, m->times) < k);
    }
    for (size_t k = 0; k < sciara_prior_pairs(p); k++) {
      ck_assert(find_margin(p, p->pair[k].first) < margins && find_margin(p, p->pair[k].second) < margins);
      ck_assert(fabs(p->pair[k].coefficient) < 1);
    }
    for (unsigned corner = 0; corner < 1u << margins; corner++) {
      const struct sciara_params params = at_corner(p, corner);
      ck_assert_msg(sciara_params_check(&params) == SCIARA_OK, "%s: %s", p->name, sciara_last_error());
    }
  }
  ck_assert_str_eq(sciara_prior_choices, names);
  ck_assert_ptr_null(sciara_prior_find("magma"));
}

/** The defaults of a rule that has a parameter. */
static struct sciara_params params_with(const struct sciara_param_info *info) {
  return sciara_params_of_rule(sciara_param_is_of(info, SCIARA_RULE_FV3) ? SCIARA_RULE_FV3 : SCIARA_RULE_BINGHAM);
}

TEST(table) {
  size_t count;
  const struct sciara_param_info *info = sciara_param_table(&count);
  ck_assert_uint_eq(count * sizeof(double), offsetof(struct sciara_params, cooling_reference)); // references follow
  for (size_t k = 0; k < count; k++) {
    for (int rule = 0; rule < SCIARA_RULES; rule++) {
      struct sciara_params p = sciara_params_of_rule((enum sciara_rule_kind)rule);
      const bool has = sciara_param_is_of(&info[k], (enum sciara_rule_kind)rule);
      ck_assert_double_eq(*member(&p, &info[k]), has ? info[k].preset : 0);
      ck_assert(p.cooling_reference == 0 && p.critical_height_reference == 0);
    }
    ck_assert(info[k].low < info[k].high && *info[k].key && *info[k].unit && *info[k].description);
    for (size_t m = 0; m < k; m++) ck_assert(strcmp(info[k].key, info[m].key) != 0 && info[k].offset != info[m].offset);
  }
}

/** Sets one parameter; expects `allowed`, or an error that names its key. */
static void try_value(const struct sciara_param_info *info, double value, bool allowed) {
  struct sciara_params p = params_with(info);
  *member(&p, info) = value;
  if (strcmp(info->key, "viscosity_vent_Pa_s") == 0) p.viscosity_sol = 1e15; // the order is tested elsewhere
  if (strcmp(info->key, "viscosity_sol_Pa_s") == 0) p.viscosity_vent = nextafter(0, 1);
  if (strncmp(info->key, "yield", 5) == 0 && value == 0) p.yield_vent = p.yield_sol = 0;
  if (strcmp(info->key, "T_vent_K") == 0)
    p.T_sol = fmin(p.T_sol, fmax(273, value - 1)); // T_sol < T_vent is tested elsewhere
  if (strcmp(info->key, "T_sol_K") == 0) p.T_vent = fmax(p.T_vent, fmin(3000, value + 1));
  const enum sciara_status status = sciara_params_check(&p);
  ck_assert_msg(status == (allowed ? SCIARA_OK : SCIARA_ERR_INPUT), "%s = %.17g: status %d, %s", info->key, value,
                (int)status, allowed ? sciara_last_error() : "was taken");
  if (!allowed) expect_said(info->key);
}

TEST(ranges) {
  size_t count;
  const struct sciara_param_info *info = sciara_param_table(&count);
  for (size_t k = 0; k < count; k++) {
    const bool top = strcmp(info[k].key, "T_sol_K") != 0; // nothing is above the highest T_vent
    try_value(&info[k], info[k].low, info[k].low_allowed);
    try_value(&info[k], nextafter(info[k].low, INFINITY), true);
    try_value(&info[k], nextafter(info[k].low, -INFINITY), false);
    try_value(&info[k], info[k].high, top);
    try_value(&info[k], nextafter(info[k].high, INFINITY), false);
    try_value(&info[k], NAN, false);
    try_value(&info[k], INFINITY, false);
    try_value(&info[k], -INFINITY, false);
    try_value(&info[k], -1, false);
  }
}

TEST(sheets) { // viscosity falls with the temperature or is the same; a yield strength is never alone
  struct sciara_params p = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
  p.viscosity_sol = p.viscosity_vent;
  expect_ok(sciara_params_check(&p));
  p.viscosity_sol = nextafter(p.viscosity_vent, 0);
  expect_error(sciara_params_check(&p), SCIARA_ERR_INPUT, "model.viscosity_sol_Pa_s: found", "viscosity_vent_Pa_s");
  p = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
  p.yield_vent = 0;
  expect_error(sciara_params_check(&p), SCIARA_ERR_INPUT, "model.yield_strength_vent_Pa: found 0");
  p.yield_sol = 0;
  expect_ok(sciara_params_check(&p));
  p.yield_vent = 1;
  expect_error(sciara_params_check(&p), SCIARA_ERR_INPUT, "model.yield_strength_sol_Pa: found 0");
}

TEST(hash) { // of what earlier versions could compute: that of the bytes of its parameters and reference
  struct sciara_params p = sciara_params_default();
  const size_t bytes = 13 * sizeof(double);
  ck_assert_uint_eq(sciara_params_hash(5, &p), sciara_hash_bytes(5, &p, bytes));
  p.cooling_reference = 10;
  ck_assert_uint_eq(sciara_params_hash(5, &p),
                    sciara_hash_bytes(sciara_hash_bytes(5, &p, bytes), &p.cooling_reference, sizeof(double)));
  struct sciara_params q = sciara_params_default(), b = sciara_params_of_rule(SCIARA_RULE_BINGHAM), c = b;
  q.critical_height_reference = 10;
  c.yield_sol++;
  ck_assert(sciara_params_hash(5, &p) != sciara_params_hash(5, &q) &&
            sciara_params_hash(5, &b) != sciara_params_hash(5, &c));
}

TEST(solidification_below_extrusion) {
  struct sciara_params p = sciara_params_default();
  p.T_sol = p.T_vent;
  expect_error(sciara_params_check(&p), SCIARA_ERR_INPUT, "T_sol_K", "T_vent_K");
  p.T_sol = nextafter(p.T_vent, 0);
  expect_ok(sciara_params_check(&p));
}

// ------------------------------------------------------------------------------------- what a precision can hold

static void expect_range(struct sciara_params p, bool single, const char *diagnostic) {
  const enum sciara_status status = sciara_params_check_range(&p, single);
  ck_assert_msg(status == (diagnostic ? SCIARA_ERR_INPUT : SCIARA_OK), "%s: %s", diagnostic ? diagnostic : "allowed",
                diagnostic ? "was taken" : sciara_last_error());
  if (diagnostic) expect_said(diagnostic);
}

// Every parameter: the smallest normal number is the limit, unless it has a larger limit of its own; 0 only where allowed.
TEST(normal_numbers) {
  size_t count;
  const struct sciara_param_info *info = sciara_param_table(&count);
  for (size_t k = 0; k < count; k++)
    for (int single = 0; single < 2; single++) {
      struct sciara_params p = params_with(&info[k]);
      const double least = single ? (double)FLT_MIN : DBL_MIN;
      const bool larger = strcmp(info[k].key, "relaxation") == 0 || strcmp(info[k].key, "clock_max_s") == 0 ||
                          strcmp(info[k].key, "viscosity_vent_Pa_s") == 0 || strcmp(info[k].key, "friction") == 0;
      if (info[k].low > 0) continue; // temperatures
      *member(&p, &info[k]) = nextafter(least, 0);
      expect_range(p, single, info[k].key);
      *member(&p, &info[k]) = least;
      expect_range(p, single, larger ? info[k].key : NULL);
      *member(&p, &info[k]) = 0;
      expect_range(p, single, info[k].low_allowed ? NULL : info[k].key);
    }
  expect_range(sciara_params_default(), true, NULL);
  expect_range(sciara_params_default(), false, NULL);
}

TEST(temperatures_once_rounded) {
  struct sciara_params p = sciara_params_default();
  p.T_sol = 1360 - 1e-6;
  expect_range(p, false, NULL);
  expect_range(p, true, "model.T_sol_K: found 1359.999999, expected below model.T_vent_K = 1360");
  p.T_sol = (double)nextafterf(1360, 0);
  expect_range(p, true, NULL);
}

TEST(least_relaxation) { // r2 is the unit roundoff
  struct sciara_params p = sciara_params_default();
  for (int single = 0; single < 2; single++) {
    p.relaxation = single ? 0x1p-12 : 0x1p-26;
    expect_range(p, single, NULL);
    p.relaxation = nextafter(p.relaxation, 0);
    expect_range(p, single,
                 single ? "model.relaxation: found 0.000244140625, expected at least 0.000244141 in single"
                        : "model.relaxation: found 1.49011611938477e-08, expected at least 1.49012e-08 in d");
  }
  p.relaxation = 1e-50;
  expect_range(p, true, "model.relaxation: found 1e-50, expected");
}

TEST(least_of_a_sheet) { // what tests/cli/rules.py runs with
  for (int single = 0; single < 2; single++) {
    const double least = single ? 0x1p-40 : 0x1p-100;
    struct sciara_params p = sciara_params_of_rule(SCIARA_RULE_BINGHAM);
    p.viscosity_vent = p.friction = p.density = least;
    expect_range(p, single, NULL);
    double *values[] = {&p.viscosity_vent, &p.friction, &p.density};
    static const char *const messages[] = {"model.viscosity_vent_Pa_s: found ", "model.friction: found ",
                                           "model.density_kg_m3: found "};
    for (size_t k = 0; k < 3; k++) {
      *values[k] = nextafter(least, 0);
      expect_range(p, single, messages[k]);
      *values[k] = least;
    }
  }
  struct sciara_params p = sciara_params_default(); // of fv3 the density divides in the constant of cooling alone
  p.density = 1e-35;
  expect_range(p, true, NULL);
}

TEST(clocks_that_add_up) {
  struct sciara_params p = sciara_params_default();
  p.t_max = 1e-300;
  expect_range(p, false, "model.clock_max_s: found 1e-300, expected at least");
  for (int single = 0; single < 2; single++) {
    p.t_max = single ? 0x1p-40 : 0x1p-100;
    p.t_first = p.t_max; // otherwise the largest clock is lost when it is added to the first
    expect_range(p, single, NULL);
    p.t_max = nextafter(p.t_max, 0);
    expect_range(p, single, "model.clock_max_s");
  }
  p = sciara_params_default();
  p.t_max = 0x1p-51; // half of that is added to 1 s
  expect_range(p, false, NULL);
  p.t_max = 0x1p-53;
  expect_range(p, false, "model.clock_max_s: found 1.11022302462516e-16, expected a clock that lets the time grow");
  ck_assert_double_eq(sciara_largest_clock(&p, false), 0x1p-54);
  ck_assert_double_eq(sciara_latest_time(&p, false), 0.5);
  p.relaxation = 0.1;
  ck_assert_double_eq(sciara_largest_clock(&p, true), (double)(0.1f * 0x1p-53f));
}

// Up to the latest time every clock changes the sum; after it that need not be so.
TEST(latest_time) {
  struct sciara_params p = sciara_params_default();
  for (p.t_max = 1e-3; p.t_max < 1000; p.t_max *= 1.7) {
    const double clock = sciara_largest_clock(&p, false), latest = sciara_latest_time(&p, false);
    for (double s = nextafter(latest, 0); s > 0.4 * latest; s *= 0.97) ck_assert_double_gt(s + clock, s);
    ck_assert_double_eq(4 * latest + clock, 4 * latest);
  }
}

TEST(sides_of_cells) {
  struct sciara_params p = sciara_params_default();
  const double side[2] = {0x1p100, 0x1p40};
  p.cooling = 0; // its constant and the critical heights have limits of their own
  p.hc_vent = p.hc_sol = 1e40;
  for (int single = 0; single < 2; single++)
    for (int large = 0; large < 2; large++) {
      const double limit = large ? side[single] : 1 / side[single];
      expect_ok(sciara_cell_size_check(&p, limit, single));
      expect_error(sciara_cell_size_check(&p, nextafter(limit, large ? INFINITY : 0), single), SCIARA_ERR_INPUT,
                   "found cells of");
    }
  p = sciara_params_default();
  for (int single = 0; single < 2; single++) expect_ok(sciara_cell_size_check(&p, 10, single));
  p.cooling = 1e-30; // its constant: 5e-44
  expect_ok(sciara_cell_size_check(&p, 10, false));
  expect_error(sciara_cell_size_check(&p, 10, true), SCIARA_ERR_INPUT,
               "model.cooling: found 1e-30, which makes the constant of cooling");
  p.cooling = 1e6;
  p.density = p.c_v = 1e-20; // 1.5e38
  expect_ok(sciara_cell_size_check(&p, 10, true));
  p.c_v = 1e-22;
  ck_assert_int_eq(sciara_cell_size_check(&p, 10, true), SCIARA_ERR_INPUT);
  p.density = p.c_v = 1e-200;
  ck_assert_int_eq(sciara_cell_size_check(&p, 10, false), SCIARA_ERR_INPUT);
  p.emissivity = 0; // 0 / 0
  ck_assert_int_eq(sciara_cell_size_check(&p, 10, false), SCIARA_ERR_INPUT);
  p.density = 2600;
  expect_ok(sciara_cell_size_check(&p, 10, false));
}

TEST(least_critical_heights) {
  for (int single = 0; single < 2; single++)
    for (int k = 0; k < 2; k++) {
      struct sciara_params p = sciara_params_default();
      double *height = k ? &p.hc_sol : &p.hc_vent;
      *height = 16 * (single ? 0x1p-12 : 0x1p-41);
      expect_ok(sciara_cell_size_check(&p, 16, single));
      *height = nextafter(*height, 0);
      ck_assert_int_eq(sciara_cell_size_check(&p, 16, single), SCIARA_ERR_INPUT);
      const char *key = k ? "model.critical_height_sol_m: found" : "model.critical_height_vent_m: found";
      expect_said(key, "on cells of 16 m");
    }
}

TEST(volumes) {
  expect_ok(sciara_volume_check(9e16, 10));
  ck_assert_int_eq(sciara_volume_check(1e17, 10), SCIARA_ERR_INPUT);
  ck_assert_int_eq(sciara_volume_check(NAN, 10), SCIARA_ERR_INPUT);
}

/** The least thickness that a step adds with a rate: over parts of slots as short as numbers allow. */
static double least_emission(const struct sciara_vents *v, double rate, double cell_size, bool single, double clock) {
  double least = INFINITY;
  double at[16];
  size_t count = 0;
  at[count++] = 0;
  at[count++] = clock;
  for (int64_t k = 0; k < v->slots; k++) {
    const double edges[2] = {v->begin[k], v->end[k]};
    for (int e = 0; e < 2; e++) {
      if (edges[e] > clock) at[count++] = nextafter(edges[e], 0);
      at[count++] = edges[e];
    }
  }
  for (size_t k = 0; k < count; k++) {
    const double ends[2] = {nextafter(at[k], INFINITY), at[k] + clock};
    for (int e = 0; e < 2; e++) {
      if (at[k] == 0 && e == 0) continue; // no clock is so short
      const double volume = sciara_vent_volume(v->begin, v->end, v->rate, 0, v->slots, at[k], ends[e] - at[k]);
      const double h = rate / v->rate[0] * (volume / (cell_size * cell_size));
      if (volume > 0) least = fmin(least, single ? (double)(float)h : h);
    }
  }
  return least;
}

TEST(least_rates) {
  struct sciara_params p = sciara_params_default();
  static const double tables[][3] = {{0, 1, 2}, {0, 86400, 172800}, {7.3, 7.4, 11}, {1e-3, 2e-3, 1e5}, {0, 3e-9, 1}};
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
    for (int single = 0; single < 2; single++) {
      const double rates[] = {1, 1}, least_normal = single ? (double)FLT_MIN : DBL_MIN;
      OWNED(destroy_vents) struct sciara_vents *v = sciara_vents_create();
      expect_ok(sciara_vents_add(v, 1, 1, 2, tables[t], rates));
      const double rate = sciara_least_rate(v, 0, &p, 10, single);
      ck_assert_double_gt(rate, 0);
      ck_assert_msg(least_emission(v, rate, 10, single, 1) >= least_normal, "table %zu: %g m3/s makes %g m", t, rate,
                    least_emission(v, rate, 10, single, 1));
      ck_assert_double_lt(rate, single ? 1e-9 : 1e-270); // far below any lava
    }
}

TEST(slots_of_no_rate) { // slots that emit nothing do not count
  struct sciara_params p = sciara_params_default();
  const double edges[] = {0, 1e-300, 100}, second[] = {0, 1}, both[] = {1, 1};
  OWNED(destroy_vents) struct sciara_vents *v = sciara_vents_create();
  expect_ok(sciara_vents_add(v, 1, 1, 2, edges, second));
  expect_ok(sciara_vents_add(v, 1, 1, 2, edges, both));
  ck_assert_double_lt(sciara_least_rate(v, 0, &p, 10, true), 1e-15);
  ck_assert_double_gt(sciara_least_rate(v, 1, &p, 10, true), 1e200); // of a slot that ends after 1e-300 s
}

TEST(constants_of_the_rule) {
  const struct sciara_params p = sciara_params_default();
  const struct sciara_rule rule = sciara_rule_make(&p, 5);
  ck_assert(rule.cell_size == 5 && rule.gravity == 9.81 && rule.clock_max == 120 && rule.relaxation == 0.5 &&
            rule.T_sol == 1143);
  ck_assert_double_eq_tol(rule.ln_dP_sol, log(0.5), 4e-16);
  ck_assert_double_eq_tol(rule.dP_b, (log(0.315) - log(0.5)) / 217, 4e-18);
  ck_assert_double_eq_tol(rule.ln_hc_sol, log(23.066), 1e-15);
  ck_assert_double_eq_tol(rule.hc_b, (log(1.014) - log(23.066)) / 217, 2e-17);
  ck_assert_double_eq(rule.cooling, 3 * 0.9 * 5.67e-8 * 1.507 / (2600.0 * 1150.0 * (5.0 * 5.0)));
}

RUN_TESTS(.one_process = true)
