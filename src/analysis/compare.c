// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct sciara_difference sciara_compare_values(const double *a, const double *b, size_t count, double tolerance) {
  struct sciara_difference d = {.first = count};
  size_t both = 0, any = 0;
  for (size_t i = 0; i < count; i++) {
    both += a[i] > 0 && b[i] > 0;
    any += a[i] > 0 || b[i] > 0;
    if (memcmp(&a[i], &b[i], sizeof a[i]) == 0) continue;
    if (d.differing++ == 0) d.first = i;
    if (isnan(a[i]) || isnan(b[i])) {
      const bool one = !(isnan(a[i]) && isnan(b[i]));
      d.one += one;
      d.beyond += one;
      continue;
    }
    const double absolute = fabs(a[i] - b[i]), larger = fmax(fabs(a[i]), fabs(b[i]));
    d.max_absolute = fmax(d.max_absolute, absolute);
    if (larger > 0) d.max_relative = fmax(d.max_relative, absolute / larger);
    d.beyond += absolute > tolerance * fmax(1, fabs(a[i]));
  }
  d.jaccard = sciara_jaccard((int64_t)both, (int64_t)any);
  return d;
}
