// SPDX-License-Identifier: Apache-2.0
#include "ensemble/task_list.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/share.h"
#include "base/status.h"

// ---------------------------------------------------------------------------------------------------------------- needs

void sciara_member_estimate(const struct sciara_task_estimate *how, size_t member, struct sciara_member_need *out,
                            struct sciara_diagnostics *d) {
  struct sciara_problem problem;
  char name[SCIARA_MEMBER_NAME];
  const struct sciara_scenario_member scenario = sciara_ensemble_member(how->ensemble, member, name);
  *out = (struct sciara_member_need){.disk = sciara_member_disk(1, 0)};
  sciara_compute_place(how->setup, &scenario, &sciara_no_notes, &problem, d); // a run says it
  if (d->count == 0) *out = sciara_member_need_of(&problem, SCIARA_FOOTPRINT_RECORD, how->bytes_per_cell);
  sciara_problem_free(&problem);
}

struct estimates {
  const struct sciara_task_estimate *how;
  const struct sciara_task *tasks;
  struct sciara_member_need *needs;
};

/** A member whose scenario is invalid needs nothing: it will fail. */
static enum sciara_status estimate(void *context, size_t k) {
  const struct estimates *all = (const struct estimates *)context;
  struct sciara_diagnostics diagnostics = {0};
  if (all->how->cancel && __atomic_load_n(all->how->cancel, __ATOMIC_RELAXED)) return SCIARA_OK;
  sciara_member_estimate(all->how, all->tasks[k].member, &all->needs[k], &diagnostics);
  const enum sciara_status status = diagnostics.no_memory ? SCIARA_ERR_MEMORY : SCIARA_OK;
  sciara_diagnostics_free(&diagnostics);
  return status;
}

static void add_need(const struct sciara_member_need *of, struct sciara_member_need *all) {
  all->disk += of->disk;
  all->memory = fmax(all->memory, of->memory);
  all->window = fmax(all->window, of->window);
  all->checkpoint = fmax(all->checkpoint, of->checkpoint);
}

enum sciara_status sciara_tasks_estimate(const struct sciara_task_estimate *how, struct sciara_task *tasks,
                                         size_t count, struct sciara_member_need *all) {
  struct estimates each = {.how = how, .tasks = tasks};
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(each.needs, count, "the needs of members"));
  SCIARA_TRY_GOTO(sciara_share_pieces(how->threads, count, estimate, &each));
  for (size_t k = 0; k < count; k++) {
    tasks[k].length = each.needs[k].length;
    add_need(&each.needs[k], all);
  }
cleanup:
  sciara_free(each.needs);
  return status;
}

// ---------------------------------------------------------------------------------------------------------------- order

enum { VERY_LONG = 4 }; // times the mean: such members come first

static int tasks_by_group(const void *a, const void *b) {
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
  qsort(tasks, count, sizeof *tasks, tasks_by_group);
}
