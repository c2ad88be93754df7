// SPDX-License-Identifier: Apache-2.0
// A planted fault for UndefinedBehaviorSanitizer: a double that no integer can hold. "planted_cast fits" has none.
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  volatile double value = argc > 1 && strcmp(argv[1], "fits") == 0 ? 3e9 : 3e19;
  printf("%lld\n", (long long)value);
  return 0;
}
