// SPDX-License-Identifier: Apache-2.0
#include "bench/machine.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "base/share.h"
#include "base/wallclock.h"
#include "file/libraries.h"

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

// ------------------------------------------------------------------------------------------------------- register loop

enum { CHAINS = 12, ROUND = 4096, RUNS = 5 }; // 12 numbers and two constants in 16 registers
static const double loop_seconds = 0.04;

/** All threads start together; each one stops when the time is over and stores its number of rounds. */
struct loop {
  pthread_t thread;
  const int *go; ///< read atomically; -1: do not start
  double seed;
  uint64_t rounds;
  double result, seconds;
};

/** CHAINS independent numbers: repeated multiplications and additions of each. */
static double one_round(double x) {
  double chain[CHAINS];
  for (int k = 0; k < CHAINS; k++) chain[k] = x + k;
  for (int n = 0; n < ROUND; n++)
    for (int k = 0; k < CHAINS; k++) chain[k] = chain[k] * 0.999999 + 1e-7;
  double sum = 0;
  for (int k = 0; k < CHAINS; k++) sum += chain[k];
  return sum;
}

static void *spin(void *argument) {
  struct loop *l = (struct loop *)argument;
  int go;
  while ((go = __atomic_load_n(l->go, __ATOMIC_ACQUIRE)) == 0) sched_yield();
  const double begin = sciara_wallclock();
  l->seconds = 0;
  for (l->rounds = 0; go > 0 && l->seconds < loop_seconds; l->rounds++) {
    l->result = one_round(l->seed += 1e-3); // stored, so that it is computed
    l->seconds = sciara_wallclock() - begin;
  }
  return NULL;
}

static enum sciara_status run_once(struct loop *loop, int threads, double *rate) {
  int started = 0, go = 0;
  for (; started < threads; started++) {
    loop[started].go = &go;
    loop[started].seed = started;
    if (pthread_create(&loop[started].thread, NULL, spin, &loop[started]) != 0) break;
  }
  __atomic_store_n(&go, started == threads ? 1 : -1, __ATOMIC_RELEASE);
  *rate = 0;
  for (int k = 0; k < started; k++) {
    pthread_join(loop[k].thread, NULL);
    if (started == threads) *rate += (double)loop[k].rounds * ROUND * CHAINS * 2 / loop[k].seconds;
  }
  if (started == threads) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_MEMORY, "only %d of %d threads could be started", started, threads);
}

static int by_rate(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum sciara_status sciara_register_loop(int threads, double *operations_per_s) {
  struct loop *loop = NULL;
  double rate[RUNS];
  enum sciara_status status;
  if (threads <= 0) threads = sciara_usable_cores();
  SCIARA_TRY_GOTO(SCIARA_NEW(loop, threads, "threads of a loop"));
  for (int n = 0; n < RUNS; n++) SCIARA_TRY_GOTO(run_once(loop, threads, &rate[n]));
  qsort(rate, RUNS, sizeof *rate, by_rate);
  *operations_per_s = rate[RUNS / 2];
cleanup:
  sciara_free(loop);
  return status;
}
