// SPDX-License-Identifier: Apache-2.0
#ifndef SCIARA_BASE_ORDER_H
#define SCIARA_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/** Compares two doubles, for qsort. */
static inline int sciara_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/** The index of the first of ascending numbers that is not below `value`, from `low` to `high`, where there is none. */
static inline int64_t sciara_lower_bound(const int64_t *list, int64_t low, int64_t high, int64_t value) {
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (list[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** Something that is sorted by a number: its index in a list of its own. */
struct sciara_keyed {
  double key;
  size_t index;
};

/** For qsort: the least number first, then in the order of the list. */
static inline int sciara_by_key(const void *a, const void *b) {
  const struct sciara_keyed *p = (const struct sciara_keyed *)a, *q = (const struct sciara_keyed *)b;
  if (p->key < q->key || q->key < p->key) return p->key < q->key ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

#endif
