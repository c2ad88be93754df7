// SPDX-License-Identifier: Apache-2.0
#include "base/isa.h"

#ifdef SCIARA_HAVE_LEVELS
#include <cpuid.h>
#endif

static const char *const names[SCIARA_ISA_COUNT] = {"best", "generic", "v2", "v3", "v4"};

const char *sciara_isa_name(enum sciara_isa isa) { return names[isa]; }

#ifdef SCIARA_HAVE_LEVELS

/** Features that __builtin_cpu_supports of some compilers does not know: movbe, f16c and lzcnt. */
static bool has_small_ones(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 22 & 1) || !(c >> 29 & 1)) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c >> 5 & 1);
}

static bool has_v2(void) { return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"); }

static bool has_v3(void) {
  return has_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && has_small_ones();
}

static bool has_v4(void) {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool sciara_isa_runs(enum sciara_isa isa) {
  __builtin_cpu_init();
  switch (isa) {
    case SCIARA_ISA_V2: return has_v2();
    case SCIARA_ISA_V3: return has_v3();
    case SCIARA_ISA_V4: return has_v4();
    default: return isa < SCIARA_ISA_COUNT;
  }
}

#else

bool sciara_isa_runs(enum sciara_isa isa) { return isa == SCIARA_ISA_BEST || isa == SCIARA_ISA_GENERIC; }

#endif

enum sciara_isa sciara_isa_best(void) {
  int isa = SCIARA_ISA_COUNT - 1;
  while (!sciara_isa_runs((enum sciara_isa)isa)) isa--;
  return (enum sciara_isa)isa;
}
