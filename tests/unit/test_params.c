// SPDX-License-Identifier: Apache-2.0
// Claims about model/params.h and rule.h: the calibrated values, the ranges, and the constants of the rule.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/rule.h"

static double *member(struct sciara_params *p, const struct sciara_param_info *info) {
  return (double *)(void *)((char *)p + info->offset);
}

START_TEST(calibrated) { // the 2006 Etna eruption
  const struct sciara_params p = sciara_params_default();
  ck_assert(p.T_vent == 1360 && p.T_sol == 1143 && p.dP_vent == 0.315 && p.dP_sol == 0.5 && p.hc_vent == 1.014 &&
            p.hc_sol == 23.066);
  ck_assert(p.relaxation == 0.5 && p.cooling == 1.507 && p.density == 2600 && p.emissivity == 0.9 && p.c_v == 1150);
  ck_assert(p.t_first == 1 && p.t_max == 120);
  ck_assert_int_eq(sciara_params_check(&p), SCIARA_OK);
}
END_TEST

START_TEST(table) {
  size_t count;
  const struct sciara_param_info *info = sciara_param_table(&count);
  struct sciara_params p = sciara_params_default();
  ck_assert_uint_eq(count * sizeof(double), sizeof p);
  for (size_t k = 0; k < count; k++) {
    ck_assert_double_eq(*member(&p, &info[k]), info[k].preset);
    ck_assert(info[k].low < info[k].high && *info[k].key && *info[k].unit && *info[k].description);
    for (size_t m = 0; m < k; m++) ck_assert(strcmp(info[k].key, info[m].key) != 0 && info[k].offset != info[m].offset);
  }
}
END_TEST

/** Sets one parameter; `allowed` or an error that names its key. */
static void try_value(const struct sciara_param_info *info, double value, bool allowed) {
  struct sciara_params p = sciara_params_default();
  *member(&p, info) = value;
  if (strcmp(info->key, "T_vent_K") == 0)
    p.T_sol = fmin(p.T_sol, fmax(273, value - 1)); // T_sol < T_vent is another claim
  if (strcmp(info->key, "T_sol_K") == 0) p.T_vent = fmax(p.T_vent, fmin(3000, value + 1));
  const enum sciara_status status = sciara_params_check(&p);
  ck_assert_msg(status == (allowed ? SCIARA_OK : SCIARA_ERR_INPUT), "%s = %.17g: status %d, %s", info->key, value,
                (int)status, allowed ? sciara_last_error() : "was taken");
  if (!allowed) ck_assert_msg(strstr(sciara_last_error(), info->key) != NULL, "%s", sciara_last_error());
}

START_TEST(ranges) {
  size_t count;
  const struct sciara_param_info *info = sciara_param_table(&count);
  for (size_t k = 0; k < count; k++) {
    const bool top = strcmp(info[k].key, "T_sol_K") != 0; // nothing lies above the highest T_vent
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
END_TEST

START_TEST(solidification_below_extrusion) {
  struct sciara_params p = sciara_params_default();
  p.T_sol = p.T_vent;
  ck_assert_int_eq(sciara_params_check(&p), SCIARA_ERR_INPUT);
  ck_assert(strstr(sciara_last_error(), "T_sol_K") && strstr(sciara_last_error(), "T_vent_K"));
  p.T_sol = nextafter(p.T_vent, 0);
  ck_assert_int_eq(sciara_params_check(&p), SCIARA_OK);
}
END_TEST

START_TEST(constants_of_the_rule) {
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
END_TEST

int main(void) {
  Suite *suite = suite_create("parameters");
  TCase *tc = tcase_create("parameters");
  tcase_set_timeout(tc, 0);
  tcase_add_test(tc, calibrated);
  tcase_add_test(tc, table);
  tcase_add_test(tc, ranges);
  tcase_add_test(tc, solidification_below_extrusion);
  tcase_add_test(tc, constants_of_the_rule);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
