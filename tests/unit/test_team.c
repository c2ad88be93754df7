// SPDX-License-Identifier: Apache-2.0
// A team of threads after a fork: the child calls the function in a new thread, whose error becomes that of the caller.
#include <pthread.h>
#include <sys/wait.h>

#include "base/status.h"
#include "engine/team.h"

struct seen {
  pthread_t caller;
  bool elsewhere;
};

static void work(void *context) {
  struct seen *seen = (struct seen *)context;
  seen->elsewhere = !pthread_equal(pthread_self(), seen->caller);
  if (seen->elsewhere) sciara_fail(SCIARA_ERR_NUMERIC, "cell 7: 100%% wrong");
}

/** Bits of what is wrong in this process. */
static int faults(bool elsewhere, const char *error) {
  struct seen seen = {.caller = pthread_self()};
  sciara_error_clear();
  return !sciara_team_call(work, &seen) + 2 * (seen.elsewhere != elsewhere) +
         4 * (strcmp(sciara_last_error(), error) != 0);
}

static int status_of(pid_t child) {
  int status = -1;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(new_thread_in_a_child) {
  ck_assert_int_eq(faults(false, ""), 0);
  const pid_t child = fork();
  if (child == 0) {
    const int found = faults(true, "cell 7: 100% wrong");
    const pid_t grandchild = fork();
    if (grandchild == 0) _exit(faults(true, "cell 7: 100% wrong"));
    _exit(found + 8 * status_of(grandchild));
  }
  ck_assert_int_eq(status_of(child), 0);
  ck_assert_int_eq(faults(false, ""), 0); // the parent still has its threads
}

RUN_TESTS()
