// SPDX-License-Identifier: Apache-2.0
// The order of members: batch after batch, the longest first in each; very long ones before all others; the last batches
// together if many members are computed at a time.
#include "ensemble/task_list.h"

enum { BATCH = 4, COUNT = 12 };

/** Makes tasks of `count` members, of which member k takes lengths[k]; 0: it is finished. Returns their number. */
static size_t make(const double *lengths, size_t count, struct sciara_task *out) {
  size_t n = 0;
  for (size_t k = 0; k < count; k++)
    if (lengths[k] > 0) out[n++] = (struct sciara_task){.member = k, .length = lengths[k]};
  return n;
}

static void expect(const struct sciara_task *tasks, const size_t *members, size_t count) {
  for (size_t k = 0; k < count; k++)
    ck_assert_msg(tasks[k].member == members[k], "task %zu: member %zu, expected %zu", k, tasks[k].member, members[k]);
}

static const double rising[COUNT] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};

TEST(batch_follows_batch) {
  const size_t expected[COUNT] = {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8};
  struct sciara_task tasks[COUNT];
  for (size_t at_a_time = 1; at_a_time <= 4; at_a_time++) {
    ck_assert_uint_eq(make(rising, COUNT, tasks), COUNT);
    sciara_tasks_order(tasks, COUNT, BATCH, at_a_time, false);
    expect(tasks, expected, COUNT);
  }
}

TEST(last_batches_are_together) {
  const size_t two[COUNT] = {3, 2, 1, 0, 7, 11, 6, 10, 5, 9, 4, 8}, all[COUNT] = {3, 7, 11, 2, 6, 10, 1, 5, 9, 0, 4, 8};
  struct sciara_task tasks[COUNT];
  for (size_t at_a_time = 5; at_a_time <= 100; at_a_time++) {
    ck_assert_uint_eq(make(rising, COUNT, tasks), COUNT);
    sciara_tasks_order(tasks, COUNT, BATCH, at_a_time, false);
    expect(tasks, at_a_time <= 8 ? two : all, COUNT);
  }
}

TEST(very_long_members_come_first) {
  const double lengths[COUNT] = {1, 2, 1, 1, 30, 1, 2, 1, 1, 1, 2, 40};
  const size_t expected[COUNT] = {11, 4, 1, 0, 2, 3, 6, 5, 7, 10, 8, 9};
  struct sciara_task tasks[COUNT];
  ck_assert_uint_eq(make(lengths, COUNT, tasks), COUNT);
  sciara_tasks_order(tasks, COUNT, BATCH, 1, false);
  expect(tasks, expected, COUNT);
}

TEST(with_a_stop_rule_no_member_comes_before_its_batch) {
  const double lengths[COUNT] = {1, 2, 1, 1, 30, 1, 2, 1, 1, 1, 2, 40};
  const size_t expected[COUNT] = {1, 0, 2, 3, 4, 6, 5, 7, 11, 10, 8, 9};
  struct sciara_task tasks[COUNT];
  ck_assert_uint_eq(make(lengths, COUNT, tasks), COUNT);
  sciara_tasks_order(tasks, COUNT, BATCH, 100, true);
  expect(tasks, expected, COUNT);
}

TEST(finished_members_are_no_tasks) {
  const double lengths[COUNT] = {0, 2, 0, 3, 0, 0, 0, 0, 0, 1, 4, 0};
  const size_t expected[] = {3, 1, 10, 9}, together[] = {10, 3, 1, 9};
  struct sciara_task tasks[COUNT];
  ck_assert_uint_eq(make(lengths, COUNT, tasks), 4);
  sciara_tasks_order(tasks, 4, BATCH, 1, false);
  expect(tasks, expected, 4);
  ck_assert_uint_eq(make(lengths, COUNT, tasks), 4);
  sciara_tasks_order(tasks, 4, BATCH, 3, false);
  expect(tasks, together, 4);
  sciara_tasks_order(tasks, 0, BATCH, 2, false);
}

TEST(without_lengths_members_keep_their_order) {
  struct sciara_task tasks[COUNT] = {{0}};
  for (size_t k = 0; k < COUNT; k++) tasks[k].member = k;
  sciara_tasks_order(tasks, COUNT, BATCH, 100, false);
  for (size_t k = 0; k < COUNT; k++) ck_assert_uint_eq(tasks[k].member, k);
}

RUN_TESTS()
