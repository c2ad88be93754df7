// SPDX-License-Identifier: Apache-2.0
// Messages go to the notes that are given and nowhere else; an error keeps its text from thread to thread.
#include "base/log.h"

#include <pthread.h>

#include "base/status.h"

/** What a sink has received. */
struct received {
  int count;
  enum sciara_log_level level;
  char text[64];
};

static void receive(void *context, enum sciara_log_level level, const char *message) {
  struct received *r = (struct received *)context;
  r->count++;
  r->level = level;
  strncpy(r->text, message, sizeof r->text - 1);
}

TEST(notes_or_the_log) {
  struct received log = {0}, own = {0};
  const struct sciara_notes notes = {receive, &own};
  sciara_log_set_sink(receive, &log);
  sciara_note(NULL, SCIARA_LOG_WARNING, "%d %% of a run", 5);
  ck_assert(log.count == 1 && log.level == SCIARA_LOG_WARNING);
  ck_assert_str_eq(log.text, "5 % of a run");
  sciara_note(&notes, SCIARA_LOG_INFO, "of a %s", "member");
  sciara_note(&sciara_no_notes, SCIARA_LOG_ERROR, "of an attempt");
  ck_assert(log.count == 1 && own.count == 1 && own.level == SCIARA_LOG_INFO);
  ck_assert_str_eq(own.text, "of a member");
  sciara_log_set_sink(NULL, NULL);
}

static void *fail_twice(void *context) {
  struct sciara_failure *f = (struct sciara_failure *)context;
  sciara_failure_keep(f, SCIARA_OK);
  expect_ok(sciara_failure_status(f));
  sciara_failure_keep(f, sciara_fail(SCIARA_ERR_INPUT, "member %d: found 100 %%", 7));
  sciara_failure_keep(f, sciara_fail(SCIARA_ERR_IO, "a later one"));
  return NULL;
}

TEST(the_first_error_of_another_thread) {
  struct sciara_failure f = {0};
  pthread_t thread;
  sciara_fail(SCIARA_ERR_USAGE, "of this thread");
  ck_assert_int_eq(pthread_create(&thread, NULL, fail_twice, &f), 0);
  pthread_join(thread, NULL);
  ck_assert_str_eq(sciara_last_error(), "of this thread");
  ck_assert_int_eq(sciara_failure_status(&f), SCIARA_ERR_INPUT);
  ck_assert_str_eq(sciara_last_error(), "member 7: found 100 %");
  sciara_failure_free(&f);
  expect_ok(sciara_failure_status(&f));
}

RUN_TESTS()
