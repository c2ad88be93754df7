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
    ck_assert((list[k].ops[SCIARA_DOUBLE] != NULL) == (list[k].ops[SCIARA_SINGLE_PRECISION] != NULL));
    ck_assert((list[k].ops[SCIARA_DOUBLE] != NULL) == (list[k].why_not == NULL)); // a reason where there is no engine
    for (int p = 0; p < SCIARA_PRECISIONS; p++) {
      const struct sciara_engine_ops *ops = list[k].ops[p];
      if (!ops) continue;
      ck_assert_str_eq(ops->name, list[k].name);
      ck_assert(ops->summary && *ops->summary && !strchr(ops->summary, '\n'));
      ck_assert(ops->create && ops->destroy && ops->upload && ops->download && ops->advance);
      ck_assert(ops->determinism == (p == SCIARA_FAST_MATH ? SCIARA_TOLERANCE : list[k].ops[0]->determinism));
      ck_assert(p != SCIARA_FAST_MATH || ops->capabilities & SCIARA_CAN_DEVICE); // the CPU has none
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

START_TEST(fast_math) { // of the CUDA engines alone
  const char *const cpu[] = {"serial", "openmp", "checked"};
  for (int k = 0; k < 3; k++) {
    const struct sciara_engine_ops *ops;
    ck_assert_int_eq(sciara_engine_find(cpu[k], SCIARA_FAST_MATH, &ops), SCIARA_ERR_USAGE);
    ck_assert_ptr_null(ops);
    char expected[96];
    snprintf(expected, sizeof expected, "engine \"%s\" has no fast math; the CUDA engines have it", cpu[k]);
    ck_assert_str_eq(sciara_last_error(), expected);
  }
  ck_assert_str_eq(sciara_precision_name(SCIARA_DOUBLE), "double");
  ck_assert_str_eq(sciara_precision_name(SCIARA_SINGLE_PRECISION), "single");
  ck_assert_str_eq(sciara_precision_name(SCIARA_FAST_MATH), "single, fast math");
}
END_TEST

/** Each option with an engine that follows it, and with one that does not. */
START_TEST(options) {
  const struct {
    struct sciara_engine_options options;
    unsigned needs;
    const char *name;
  } cases[] = {
      {{.memory = SCIARA_MEMORY_SHARED}, SCIARA_CAN_SHARED_MEMORY, "memory"},
      {{.block_width = 32, .block_height = 8}, SCIARA_CAN_BLOCK, "block"},
      {{.boxes = 2}, SCIARA_CAN_BOXES, "boxes"},
      {{.refit_every = 10}, SCIARA_CAN_BOXES, "refit_every"},
      {{.sort_every = 100}, SCIARA_CAN_SORT, "sort_every"},
      {{.isa = SCIARA_ISA_GENERIC}, SCIARA_CAN_ISA, "isa"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct sciara_engine_ops ops = {.name = "any", .capabilities = cases[k].needs};
    ck_assert_int_eq(sciara_engine_options_check(&ops, &cases[k].options), SCIARA_OK);
    ops.capabilities = ~cases[k].needs;
    ck_assert_int_eq(sciara_engine_options_check(&ops, &cases[k].options), SCIARA_ERR_USAGE);
    char expected[96];
    snprintf(expected, sizeof expected, "engine \"any\" does not follow the option %s", cases[k].name);
    ck_assert_str_eq(sciara_last_error(), expected);
  }
  const struct sciara_engine_ops bare = {.name = "bare"};
  ck_assert_int_eq(sciara_engine_options_check(&bare, &(struct sciara_engine_options){0}), SCIARA_OK);
  ck_assert_int_eq(sciara_engine_options_check(&bare, &(struct sciara_engine_options){.memory = SCIARA_MEMORY_GLOBAL}),
                   SCIARA_OK); // what every engine can do
}
END_TEST

START_TEST(blocks) {
  const struct {
    int width, height;
    bool good;
  } cases[] = {{32, 1, true},   {1, 32, true},   {8, 4, true},         {1024, 1, true}, {32, 32, true},
               {33, 1, false},  {8, 2, false},   {64, 32, false},      {32, 0, false},  {0, 32, false},
               {-8, -4, false}, {32, 33, false}, {65536, 65536, false}};
  const struct sciara_engine_ops ops = {.name = "any", .capabilities = SCIARA_CAN_BLOCK};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const struct sciara_engine_options o = {.block_width = cases[k].width, .block_height = cases[k].height};
    ck_assert_int_eq(sciara_engine_options_check(&ops, &o), cases[k].good ? SCIARA_OK : SCIARA_ERR_USAGE);
    char expected[128];
    snprintf(expected, sizeof expected,
             "found a block of %d x %d threads, allowed 32 to 1024 threads, a multiple of 32", o.block_width,
             o.block_height);
    if (!cases[k].good) ck_assert_str_eq(sciara_last_error(), expected);
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
  tcase_add_test(tc, fast_math);
  tcase_add_test(tc, options);
  tcase_add_test(tc, blocks);
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
