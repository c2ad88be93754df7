// SPDX-License-Identifier: Apache-2.0
// Is ThreadSanitizer at work in OpenMP code? "race": two threads write one variable unguarded, which must be reported.
// "guarded": the same with barriers between, which must not be (it is, when archer is not loaded).
#include <stdio.h>
#include <string.h>

static volatile int shared_value;

static void write_together(void) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 1000; i++) shared_value = shared_value + 1;
}

static void write_in_turns(void) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 1000; i++) {
#pragma omp single
    shared_value = shared_value + 1;
  }
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "race") == 0)
    write_together();
  else
    write_in_turns();
  printf("%d\n", shared_value);
  return 0;
}
