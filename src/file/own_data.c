// SPDX-License-Identifier: Apache-2.0
#include "file/own_data.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "file/durable.h"

char *sciara_own_data(const char *name) {
  Dl_info self;
  if (!dladdr((void *)(uintptr_t)&sciara_own_data, &self) || !self.dli_fname) return NULL;
  char *folder = sciara_path_folder(self.dli_fname);
  char *path = folder ? sciara_format("%s/../share/sciara/%s", folder, name) : NULL;
  char *real = path ? realpath(path, NULL) : NULL;
  free(path);
  free(folder);
  return real;
}
