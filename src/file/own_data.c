// SPDX-License-Identifier: Apache-2.0
#include "file/own_data.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sciara_own_data(const char *name, char path[PATH_MAX]) {
  char beside[PATH_MAX];
  Dl_info self;
  // A relative path would be one below the folder in which the program was started, whoever made that.
  if (!dladdr((void *)(uintptr_t)&sciara_own_data, &self) || !self.dli_fname || *self.dli_fname != '/') return false;
  const int folder = (int)(strrchr(self.dli_fname, '/') - self.dli_fname);
  const int length = snprintf(beside, sizeof beside, "%.*s/../share/sciara/%s", folder, self.dli_fname, name);
  return length < PATH_MAX && realpath(beside, path) != NULL;
}
