// SPDX-License-Identifier: Apache-2.0
#include "file/libraries.h"

#include <dlfcn.h>
#include <gdal.h>
#include <hdf5.h>
#include <ogr_srs_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sciara_hdf5_version(void) {
  static _Thread_local char text[32];
  unsigned major = 0, minor = 0, release = 0;
  if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
  snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
  return text;
}

const char *sciara_proj_version(void) {
  static _Thread_local char text[48];
  int major = 0, minor = 0, release = 0;
  OSRGetPROJVersion(&major, &minor, &release);
  snprintf(text, sizeof text, "%d.%d.%d", major, minor, release);
  return text;
}

const char *sciara_gdal_version(void) { return GDALVersionInfo("RELEASE_NAME"); }

void sciara_hdf5_no_atexit(void) {
  if (H5dont_atexit() < 0) return; // it was already loaded with the default: nothing else can be done
}

bool sciara_own_data(const char *name, char path[PATH_MAX]) {
  char beside[PATH_MAX];
  Dl_info self;
  // A relative path would be one below the folder in which the program was started, whoever made that.
  if (!dladdr((void *)(uintptr_t)&sciara_own_data, &self) || !self.dli_fname || *self.dli_fname != '/') return false;
  const int folder = (int)(strrchr(self.dli_fname, '/') - self.dli_fname);
  const int length = snprintf(beside, sizeof beside, "%.*s/../share/sciara/%s", folder, self.dli_fname, name);
  return length < PATH_MAX && realpath(beside, path) != NULL;
}
