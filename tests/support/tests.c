// SPDX-License-Identifier: Apache-2.0
// Tests that register themselves (every_test.h).

void tests_add(struct tests *tests, const TTest *test, int begin, int end) {
  if (tests->count == sizeof tests->entry / sizeof *tests->entry) {
    fprintf(stderr, "%s: more tests than support/every_test.h has room for\n", test->file);
    abort();
  }
  tests->entry[tests->count++] = (struct tests_entry){test, begin, end};
}

SRunner *tests_runner(const struct tests *tests, const struct tests_setting *setting) {
  Suite *suite = suite_create("tests");
  for (int k = 0; k < tests->count; k++) {
    const struct tests_entry *e = &tests->entry[k];
    TCase *one = tcase_create(e->test->name);
    if (setting->setup) tcase_add_checked_fixture(one, setting->setup, setting->teardown);
    tcase_set_timeout(one, setting->seconds > 0 ? setting->seconds : 60);
    _tcase_add_test(one, e->test, 0, 0, e->begin, e->end);
    suite_add_tcase(suite, one);
  }
  SRunner *runner = srunner_create(suite);
  if (setting->one_process) srunner_set_fork_status(runner, CK_NOFORK);
  return runner;
}

int tests_run(const struct tests *tests, struct tests_setting setting) {
  SRunner *runner = tests_runner(tests, &setting);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}

bool sanitized(void) {
  const char *sanitizer = getenv("SCIARA_SANITIZE");
  return sanitizer && *sanitizer;
}
