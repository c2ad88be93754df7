// SPDX-License-Identifier: Apache-2.0
#include "ensemble/task_list.h"

#include <stdlib.h>

enum { VERY_LONG = 4 }; // times the mean: such members come first

static int by_group(const void *a, const void *b) {
  const struct sciara_task *p = (const struct sciara_task *)a, *q = (const struct sciara_task *)b;
  if (p->group != q->group) return p->group < q->group ? -1 : 1;
  if (p->length != q->length) return p->length > q->length ? -1 : 1;
  return p->member < q->member ? -1 : p->member > q->member;
}

void sciara_tasks_order(struct sciara_task *tasks, size_t count, size_t batch_size, size_t at_a_time, bool in_batches) {
  if (count == 0) return;
  const size_t last =
      tasks[at_a_time < count ? count - at_a_time : 0].member / batch_size; // the first of the last ones
  double mean = 0;
  for (size_t k = 0; k < count; k++) mean += tasks[k].length / (double)count;
  for (size_t k = 0; k < count; k++) {
    const size_t batch = tasks[k].member / batch_size;
    const bool very_long = tasks[k].length > VERY_LONG * mean;
    if (in_batches)
      tasks[k].group = batch;
    else
      tasks[k].group = very_long ? 0 : 1 + (batch < last ? batch : last);
  }
  qsort(tasks, count, sizeof *tasks, by_group);
}
