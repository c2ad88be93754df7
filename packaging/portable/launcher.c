// SPDX-License-Identifier: Apache-2.0
// bin/sciara of a portable release: starts libexec/sciara/sciara beside it, or says which C library is needed. The loader would
// refuse that program with the names of symbols. The C++ library is that of the system, because NCCL and the like need it,
// unless there is none or an older one.
#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Whether this C library, "2.36", is at least `major`.`minor`. */
static int is_enough(int major, int minor) {
  int here_major = 0, here_minor = 0;
  if (sscanf(gnu_get_libc_version(), "%d.%d", &here_major, &here_minor) < 2) return 0;
  return here_major != major ? here_major > major : here_minor >= minor;
}

/** Whether the system has a C++ library with the version that this release needs. */
static int has_cxx(void) {
  void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
  dlerror();
  if (!library) return 0;
  dlvsym(library, SCIARA_GLIBCXX, SCIARA_GLIBCXX); // a version is a symbol, whose value is 0
  return !dlerror();
}

/** Puts a folder before those in which libraries are looked for. */
static void prefer(const char *folder) {
  const char *before = getenv("LD_LIBRARY_PATH");
  char *text = NULL;
  if (asprintf(&text, "%s%s%s", folder, before && *before ? ":" : "", before ? before : "") < 0) return;
  setenv("LD_LIBRARY_PATH", text, 1);
  free(text);
}

int main(int argc, char **argv) {
  static const char program[] = "/../libexec/sciara/sciara", compiler[] = "/../lib/sciara/compiler";
  char path[4096 + sizeof compiler];
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
  if (!has_cxx()) {
    memcpy(slash, compiler, sizeof compiler);
    prefer(path);
  }
  memcpy(slash, program, sizeof program);
  execv(path, argv);
  fprintf(stderr, "sciara: error: %s: %s\n", path, strerror(errno));
  return 1;
}
