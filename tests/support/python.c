// SPDX-License-Identifier: Apache-2.0
#include "support/python.h"

static FILE *requests, *replies;

static void become_python(const int in[2], const int out[2]) {
  dup2(in[0], STDIN_FILENO);
  dup2(out[1], STDOUT_FILENO);
  for (int k = 0; k < 2; k++) {
    close(in[k]);
    close(out[k]);
  }
  execl("/usr/bin/python3", "/usr/bin/python3", SCIARA_SOURCE_DIR "/tests/support/python.py", (char *)NULL);
  perror("/usr/bin/python3");
  _exit(127);
}

void python_start(void) {
  int in[2], out[2];
  pid_t child;
  if (pipe(in) != 0 || pipe(out) != 0 || (child = fork()) < 0) {
    perror("python_start");
    exit(EXIT_FAILURE);
  }
  if (child == 0) become_python(in, out);
  close(in[0]);
  close(out[1]);
  requests = fdopen(in[1], "w");
  replies = fdopen(out[0], "r");
}

int python_run(const char *folder, const char *script) {
  int status = -1;
  ck_assert_msg(requests && replies, "python_start was not called");
  fprintf(requests, "%zu %s\n%s", strlen(script), folder, script);
  fflush(requests);
  if (fscanf(replies, "%d", &status) != 1) return -1;
  return status;
}
