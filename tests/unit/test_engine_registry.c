// SPDX-License-Identifier: Apache-2.0
// Claims about the list of engines: every line keeps its contract, a typo is answered, "auto" is an engine.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"

START_TEST(entries) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  ck_assert_uint_ge(count, 3);
  for (size_t k = 0; k < count; k++) {
    ck_assert(list[k].name && *list[k].name);
    ck_assert_str_ne(list[k].name, "auto");
    for (size_t m = 0; m < k; m++) ck_assert_str_ne(list[k].name, list[m].name);
    for (int p = 0; p < 2; p++) {
      const struct sciara_engine_ops *ops = list[k].ops[p];
      ck_assert_msg(ops || list[k].why_not, "%s is not compiled, and no reason is given", list[k].name);
      if (!ops) continue;
      ck_assert_str_eq(ops->name, list[k].name);
      ck_assert(ops->summary && *ops->summary && !strchr(ops->summary, '\n'));
      ck_assert(ops->create && ops->destroy && ops->upload && ops->download && ops->advance);
      ck_assert(ops->determinism == SCIARA_EXACT || ops->determinism == SCIARA_TOLERANCE);
      ops->destroy(NULL);
    }
    if (list[k].ops[0] && list[k].ops[1]) { // the precisions are two engines of one kind
      ck_assert_ptr_ne(list[k].ops[0], list[k].ops[1]);
      ck_assert_uint_eq(list[k].ops[0]->capabilities, list[k].ops[1]->capabilities);
    }
  }
}
END_TEST

START_TEST(find) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  for (size_t k = 0; k < count; k++)
    for (int p = 0; p < 2; p++) {
      const struct sciara_engine_ops *ops = list[0].ops[0];
      const enum sciara_status status = sciara_engine_find(list[k].name, (enum sciara_precision)p, &ops);
      if (status == SCIARA_OK) {
        ck_assert_ptr_eq(ops, list[k].ops[p]);
        continue;
      }
      ck_assert_int_eq(status, SCIARA_ERR_DEVICE); // it is there, but not here
      ck_assert_ptr_null(ops);
      ck_assert_msg(strstr(sciara_last_error(), list[k].name) && strstr(sciara_last_error(), "not available"), "%s",
                    sciara_last_error());
    }
  const char *const always[] = {"serial", "openmp", "checked"};
  for (int k = 0; k < 3; k++) {
    const struct sciara_engine_ops *ops;
    ck_assert_int_eq(sciara_engine_find(always[k], SCIARA_DOUBLE, &ops), SCIARA_OK);
    ck_assert_int_eq(ops->determinism, SCIARA_EXACT);
  }
}
END_TEST

START_TEST(unknown) {
  const struct {
    const char *typed, *meant; ///< NULL: nothing is near
  } names[] = {{"seria", "\"serial\""},  {"Serial", "\"serial\""},  {"opnemp", "\"openmp\""},
               {"openMP", "\"openmp\""}, {"cheked", "\"checked\""}, {"", NULL},
               {"warp-drive", NULL}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const struct sciara_engine_ops *ops;
    ck_assert_int_eq(sciara_engine_find(names[k].typed, SCIARA_DOUBLE, &ops), SCIARA_ERR_USAGE);
    ck_assert_ptr_null(ops);
    char named[64];
    snprintf(named, sizeof named, "\"%s\"", names[k].typed);
    ck_assert_msg(strstr(sciara_last_error(), named) != NULL, "%s", sciara_last_error());
    const bool hinted = strstr(sciara_last_error(), "did you mean") != NULL;
    ck_assert_msg(hinted == (names[k].meant != NULL), "%s: %s", names[k].typed, sciara_last_error());
    if (names[k].meant) ck_assert_msg(strstr(sciara_last_error(), names[k].meant) != NULL, "%s", sciara_last_error());
  }
}
END_TEST

START_TEST(automatic) {
  const struct sciara_engine_ops *chosen, *named;
  ck_assert_int_eq(sciara_engine_find(sciara_engine_auto(), SCIARA_DOUBLE, &named), SCIARA_OK);
  ck_assert_int_eq(sciara_engine_find("auto", SCIARA_DOUBLE, &chosen), SCIARA_OK);
  ck_assert_ptr_eq(chosen, named);
  ck_assert_uint_eq(chosen->capabilities & SCIARA_FOR_TESTS, 0);
}
END_TEST

START_TEST(memory) { // what is announced grows with the grid and with what is recorded
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  const struct sciara_grid small = {.rows = 100, .cols = 100}, large = {.rows = 1000, .cols = 1000};
  for (size_t k = 0; k < count; k++)
    for (int p = 0; p < 2; p++) {
      const struct sciara_engine_ops *ops = list[k].ops[p];
      if (!ops || !ops->memory) continue;
      size_t host[3], device[3];
      ops->memory(&small, 0, &host[0], &device[0]);
      ops->memory(&large, 0, &host[1], &device[1]);
      ops->memory(&large, SCIARA_RECORD_MAX_THICKNESS | SCIARA_RECORD_MAX_SPEED, &host[2], &device[2]);
      ck_assert_uint_gt(host[0] + device[0], 0);
      ck_assert_uint_gt(host[1] + device[1], 50 * (host[0] + device[0]));
      ck_assert_uint_gt(host[2] + device[2], host[1] + device[1]);
    }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("list of engines");
  TCase *tc = tcase_create("registry");
  tcase_set_timeout(tc, 0);
  tcase_add_test(tc, entries);
  tcase_add_test(tc, find);
  tcase_add_test(tc, unknown);
  tcase_add_test(tc, automatic);
  tcase_add_test(tc, memory);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
