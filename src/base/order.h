// SPDX-License-Identifier: Apache-2.0
#ifndef SCIARA_BASE_ORDER_H
#define SCIARA_BASE_ORDER_H

#include <stddef.h>

/** Compares two doubles, for qsort. */
static inline int sciara_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
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
