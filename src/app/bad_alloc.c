// SPDX-License-Identifier: Apache-2.0
#include "app/bad_alloc.h"

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "sciara.h"

// Of the C++ runtime, which is there because GDAL brings it. Looked up: this program itself is not linked with it.
static const void *(*thrown_type)(void); // what the exception in flight is, by its type_info
static const void *bad_alloc_type;

static void on_abort(int signal_number) {
  static const char sentence[] = "sciara: error: no memory: a library could not go on without more\n";
  if (thrown_type && bad_alloc_type && thrown_type() == bad_alloc_type) {
    const ssize_t written = write(STDERR_FILENO, sentence, sizeof sentence - 1);
    (void)written; // there is no second way to say it
    _exit(SCIARA_ERR_MEMORY);
  }
  signal(signal_number, SIG_DFL); // abort raises it once more
}

void sciara_bad_alloc_ends_program(void) {
  *(void **)&thrown_type = dlsym(RTLD_DEFAULT, "__cxa_current_exception_type");
  bad_alloc_type = dlsym(RTLD_DEFAULT, "_ZTISt9bad_alloc");
  signal(SIGABRT, on_abort);
}
