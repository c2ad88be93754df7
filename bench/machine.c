// SPDX-License-Identifier: Apache-2.0
#include "bench/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "file/versions.h"
#include "sim/parallel.h"

#if defined(__clang__)
static const char compiler[] = "clang " __clang_version__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

/** The text after `key` in the first line of a file of /proc that begins with it; false: there is none. */
static bool line_of(const char *path, const char *key, char *out, size_t size) {
  char line[1024];
  bool found = false;
  FILE *f = fopen(path, "r");
  if (!f) return false;
  while (!found && fgets(line, sizeof line, f)) {
    if (strncmp(line, key, strlen(key)) != 0) continue;
    const char *value = line + strlen(key);
    value += strspn(value, " \t:");
    snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
    found = true;
  }
  fclose(f);
  return found;
}

/** A line such as "MemTotal: 123 kB", in bytes; 0: there is none. */
static size_t kibibytes_of(const char *path, const char *key) {
  char text[64];
  uint64_t kib = 0;
  if (!line_of(path, key, text, sizeof text) || sscanf(text, "%" SCNu64, &kib) != 1) return 0;
  return (size_t)kib * 1024;
}

/**
 * "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue ...": the first word that is a number with points.
 */
static void driver_of(char *out, size_t size) {
  char text[512];
  if (!line_of("/proc/driver/nvidia/version", "NVRM version:", text, sizeof text)) return;
  char *rest = text;
  for (const char *word = strsep(&rest, " \t"); word; word = strsep(&rest, " \t"))
    if (strchr(word, '.') && strspn(word, "0123456789.") == strlen(word)) {
      snprintf(out, size, "%s", word);
      return;
    }
}

void sciara_machine_describe(struct sciara_machine *m) {
  struct utsname system;
  char mhz[64];
  *m = (struct sciara_machine){.version = SCIARA_VERSION,
                               .git_hash = SCIARA_GIT_HASH,
                               .compiler = compiler,
                               .cores = sciara_usable_cores(),
                               .memory = kibibytes_of("/proc/meminfo", "MemTotal"),
                               .hdf5 = sciara_hdf5_version(),
                               .gdal = sciara_gdal_version()};
  sciara_date_now(m->date);
  if (uname(&system) == 0)
    snprintf(m->system, sizeof m->system, "%.80s %.80s %.80s", system.sysname, system.release, system.machine);
  line_of("/proc/cpuinfo", "model name", m->cpu, sizeof m->cpu);
  if (line_of("/proc/cpuinfo", "cpu MHz", mhz, sizeof mhz)) sscanf(mhz, "%lf", &m->cpu_mhz);
  m->has_gpu = sciara_device_describe(0, &m->gpu);
  if (m->has_gpu) driver_of(m->gpu_driver, sizeof m->gpu_driver);
}

void sciara_peak_memory_reset(void) {
  FILE *f = fopen("/proc/self/clear_refs", "w");
  if (!f) return;
  fputs("5", f);
  fclose(f);
}

size_t sciara_peak_memory(void) { return kibibytes_of("/proc/self/status", "VmHWM:"); }
