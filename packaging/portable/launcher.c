// SPDX-License-Identifier: Apache-2.0
// bin/sciara of a portable release: starts libexec/sciara beside it, or says which C library is needed. The loader would
// refuse that program with the names of symbols.
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** Whether this C library, "2.36", is at least `major`.`minor`. */
static int is_enough(int major, int minor) {
  int here_major = 0, here_minor = 0;
  if (sscanf(gnu_get_libc_version(), "%d.%d", &here_major, &here_minor) < 2) return 0;
  return here_major != major ? here_major > major : here_minor >= minor;
}

int main(int argc, char **argv) {
  static const char program[] = "/../libexec/sciara";
  char path[4096 + sizeof program];
  (void)argc;
  if (!is_enough(SCIARA_GLIBC_MAJOR, SCIARA_GLIBC_MINOR)) {
    fprintf(stderr, "sciara: error: this program needs glibc %d.%d or later, this system has %s\n", SCIARA_GLIBC_MAJOR,
            SCIARA_GLIBC_MINOR, gnu_get_libc_version());
    return 1;
  }
  const ssize_t length = readlink("/proc/self/exe", path, 4096);
  char *slash = NULL;
  if (length > 0 && length < 4096) {
    path[length] = '\0';
    slash = strrchr(path, '/');
  }
  if (!slash) {
    fprintf(stderr, "sciara: error: /proc/self/exe: %s\n", length < 0 ? strerror(errno) : "the path is too long");
    return 1;
  }
  memcpy(slash, program, sizeof program);
  execv(path, argv);
  fprintf(stderr, "sciara: error: %s: %s\n", path, strerror(errno));
  return 1;
}
