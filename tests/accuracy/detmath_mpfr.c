// SPDX-License-Identifier: Apache-2.0
// Usage: detmath_mpfr [N [JOBS]]. The worst error of each function of base/detmath.h over N arguments (default 10^8)
// and all binade edges, against MPFR. JOBS functions are measured at a time (default 1). Exit 1 if one is above 1 ulp.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "detmath_ulp.h"

/** Measures one function and prints its line. Returns 0 when it is within 1 ulp, else 1. */
static int report(const struct ulp_function *f, uint64_t n) {
  const struct ulp_worst worst = ulp_measure(f, n);
  printf("%-6s worst %.4f ulp at %.17g (%a), %llu arguments\n", f->name, worst.error, worst.at, worst.at,
         (unsigned long long)worst.count);
  fflush(stdout);
  return worst.error <= 1.0 ? 0 : 1;
}

/** Waits for one child. Returns 1 when it failed, else 0. */
static int reap(void) {
  int status = 0;
  return wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/** A whole number from lo to hi, or 0. */
static uint64_t parse(const char *text, uint64_t lo, uint64_t hi) {
  char *end = NULL;
  const double value = strtod(text, &end); // so that 1e8 is understood
  const int good = end != text && *end == '\0' && value >= (double)lo && value <= (double)hi;
  return good ? (uint64_t)value : 0;
}

int main(int argc, char **argv) {
  const uint64_t n = argc > 1 ? parse(argv[1], 100, UINT64_C(1000000000000)) : UINT64_C(100000000);
  const uint64_t jobs = argc > 2 ? parse(argv[2], 1, 64) : 1;
  if (n == 0 || jobs == 0 || argc > 3) {
    fprintf(stderr, "usage: %s [N (100 to 1e12, default 1e8) [JOBS (1 to 64, default 1)]]\n", argv[0]);
    return 2;
  }
  uint64_t running = 0;
  int failures = 0;
  for (size_t i = 0; i < ULP_FUNCTIONS; i++) {
    if (running == jobs) {
      failures += reap();
      running--;
    }
    const pid_t child = fork();
    if (child == 0) _exit(report(&ulp_functions[i], n));
    if (child < 0) {
      perror("fork");
      failures++;
    } else {
      running++;
    }
  }
  for (; running > 0; running--) failures += reap();
  return failures > 0;
}
