// SPDX-License-Identifier: Apache-2.0
#ifndef SCIARA_BASE_ORDER_H
#define SCIARA_BASE_ORDER_H

/** Compares two doubles, for qsort. */
static inline int sciara_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

#endif
