// SPDX-License-Identifier: Apache-2.0
// Communicators: the vote of a step, and messages between ranks that are threads.
#include <pthread.h>

#include "comm/comm.h"
#include "comm/vote.h"
#include "engine/banded.h"
#include "support/comm_threads.h"

enum { MOST = 5 };

static const double times[] = {0x1p-126, 1e-30, 0.1, 0.1 + 0x1p-56, 1, 1e6, 0x1.fffffffffffffp127};
enum { TIMES = sizeof times / sizeof *times };

TEST(vote_keeps_every_bit) {
  for (int k = 0; k < TIMES; k++)
    for (unsigned flags = 0; flags <= SCIARA_VOTE_FLAGS; flags++) {
      const uint64_t vote = sciara_vote_make(times[k], flags);
      const double back = sciara_vote_time(vote);
      ck_assert(sciara_vote_holds(times[k]));
      ck_assert_int_eq(memcmp(&back, &times[k], sizeof back), 0);
      ck_assert_uint_eq(vote & SCIARA_VOTE_FLAGS, flags);
    }
  static const double others[] = {0, -1, 0x1.fffffffffffffp-127, 0x1p128, INFINITY, NAN};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) ck_assert(!sciara_vote_holds(others[k]));
}

TEST(vote_is_the_smallest_time_and_all_flags) {
  for (int a = 0; a < TIMES; a++)
    for (int b = 0; b < TIMES; b++)
      for (unsigned f = 0; f <= SCIARA_VOTE_FLAGS; f++)
        for (unsigned g = 0; g <= SCIARA_VOTE_FLAGS; g++) {
          const uint64_t merged = sciara_vote_merge(sciara_vote_make(times[a], f), sciara_vote_make(times[b], g));
          ck_assert(sciara_vote_time(merged) == (a < b ? times[a] : times[b]));
          ck_assert_uint_eq(merged & SCIARA_VOTE_FLAGS, f | g);
        }
}

/** A rank, and what its thread does. */
struct rank {
  pthread_t thread;
  struct sciara_comm *comm;
  void (*work)(struct sciara_comm *c);
};

static void *work(void *argument) {
  const struct rank *r = (const struct rank *)argument;
  r->work(r->comm);
  return NULL;
}

/** Runs `size` ranks. */
static void run(int size, void (*each)(struct sciara_comm *c)) {
  struct sciara_comm *comm[MOST];
  struct rank rank[MOST];
  expect_ok(comm_threads(size, comm));
  for (int k = 0; k < size; k++) {
    rank[k] = (struct rank){.comm = comm[k], .work = each};
    ck_assert_int_eq(pthread_create(&rank[k].thread, NULL, work, &rank[k]), 0);
  }
  for (int k = 0; k < size; k++) pthread_join(rank[k].thread, NULL);
}

static void vote_often(struct sciara_comm *c) {
  for (int step = 0; step < 200; step++) {
    const int smallest = step % c->size; // this rank has the smallest time
    const unsigned flags = c->rank == (step + 1) % c->size ? 1u << step % 4 : 0;
    uint64_t vote = sciara_vote_make(1.0 + step + (c->rank == smallest ? 0 : 1 + c->rank), flags);
    expect_ok(c->ops->vote(c, c->size, &vote));
    ck_assert(sciara_vote_time(vote) == 1.0 + step);
    ck_assert_uint_eq(vote & SCIARA_VOTE_FLAGS, 1u << step % 4);
  }
  c->ops->close(c, 0);
}

TEST_FROM(all_vote, 1, MOST + 1) { run(_i, vote_often); }

enum { WORDS = 1 << 15 };

/** Each sends to both of its neighbours, messages of several sizes, and receives theirs. */
static void talk(struct sciara_comm *c) {
  uint32_t *data = malloc(4 * WORDS * sizeof *data);
  for (int step = 1; step < 60; step++) {
    const size_t words = (size_t)(step * 163 % WORDS);
    struct sciara_comm_message m[4];
    int count = 0;
    for (int side = 0; side < 2; side++) {
      const int other = side == 0 ? c->rank - 1 : c->rank + 1;
      if (other < 0 || other >= c->size) continue;
      uint32_t *mine = data + 2 * side * WORDS;
      for (size_t k = 0; k < words; k++) mine[k] = (uint32_t)(step * 1000 + c->rank * 10 + other + (int)k * 7919);
      m[count++] = (struct sciara_comm_message){.rank = other, .data = mine, .bytes = words * sizeof *mine};
      m[count++] = (struct sciara_comm_message){
          .rank = other, .receive = true, .data = mine + WORDS, .bytes = words * sizeof *mine};
    }
    expect_ok(sciara_comm_exchange(c, m, count));
    for (int n = 1; n < count; n += 2)
      for (size_t k = 0; k < words; k++)
        ck_assert_uint_eq(((const uint32_t *)m[n].data)[k],
                          (uint32_t)(step * 1000 + m[n].rank * 10 + c->rank + (int)k * 7919));
  }
  free(data);
  c->ops->close(c, 0);
}

TEST_FROM(neighbours_talk, 1, MOST + 1) { run(_i, talk); }

static void tell_all(struct sciara_comm *c) {
  int word = c->rank == 0 ? 4711 : 0, mine = 100 + c->rank, all[MOST] = {0};
  expect_ok(sciara_comm_broadcast(c, &word, sizeof word));
  ck_assert_int_eq(word, 4711);
  expect_ok(sciara_comm_gather(c, &mine, sizeof mine, all));
  for (int k = 0; k < c->size && c->rank == 0; k++) ck_assert_int_eq(all[k], 100 + k);
  c->ops->close(c, 0);
}

TEST_FROM(root_tells_and_hears, 1, MOST + 1) { run(_i, tell_all); }

static void expect_lost(struct sciara_comm *c, enum sciara_status status, const char *what) {
  ck_assert_int_eq(status, SCIARA_ERR_DEVICE);
  ck_assert(sciara_comm_is_lost(c));
  expect_said(what);
}

/** The last rank fails; the others wait for it: in a vote, or for a message. */
static void lose_one(struct sciara_comm *c) {
  uint64_t vote = sciara_vote_make(1, 0), word;
  const struct sciara_comm_message m = {.rank = c->size - 1, .receive = true, .data = &word, .bytes = sizeof word};
  if (c->rank == 0) expect_lost(c, c->ops->vote(c, c->size, &vote), "has ended");
  if (c->rank > 0 && c->rank < c->size - 1) expect_lost(c, sciara_comm_exchange(c, &m, 1), "has ended");
  c->ops->close(c, c->rank == c->size - 1 ? 5 : 0);
}

TEST_FROM(who_ends_is_missed, 2, MOST + 1) { run(_i, lose_one); }

/** All but rank 0 are silent. */
static void be_silent(struct sciara_comm *c) {
  uint64_t vote = sciara_vote_make(1, 0);
  if (c->rank == 0) {
    c->timeout = 0.05;
    expect_lost(c, c->ops->vote(c, c->size, &vote), "0.05 s");
    c->ops->close(c, 7);
  } else {
    char byte;
    const struct sciara_comm_message m = {.receive = true, .data = &byte, .bytes = 1};
    expect_ok(c->ops->start(c, &m, 1));
    expect_lost(c, c->ops->finish(c, INFINITY), "has ended");
    c->ops->close(c, 7);
  }
}

TEST(silence_has_an_end) { run(3, be_silent); }

static void disagree(struct sciara_comm *c) {
  char data[2] = {0};
  const struct sciara_comm_message m = {
      .rank = 1 - c->rank, .receive = c->rank == 1, .data = data, .bytes = c->rank ? 2 : 1};
  c->timeout = 0.2;
  ck_assert_int_eq(sciara_comm_exchange(c, &m, 1), c->rank ? SCIARA_ERR_INTERNAL : SCIARA_ERR_DEVICE);
  c->ops->close(c, 70);
}

TEST(lengths_must_agree) { run(2, disagree); }

TEST(alone) {
  struct sciara_comm *c = sciara_comm_null();
  uint64_t vote = sciara_vote_make(3, SCIARA_VOTE_STOP);
  int mine = 7, all = 0;
  const struct sciara_comm_message m = {.rank = 1, .data = &mine, .bytes = sizeof mine};
  ck_assert_int_eq(c->size, 1);
  expect_ok(c->ops->vote(c, c->size, &vote));
  ck_assert_uint_eq(vote, sciara_vote_make(3, SCIARA_VOTE_STOP));
  expect_ok(sciara_comm_broadcast(c, &mine, sizeof mine));
  expect_ok(sciara_comm_gather(c, &mine, sizeof mine, &all));
  ck_assert_int_eq(all, 7);
  ck_assert_int_eq(sciara_comm_exchange(c, &m, 1), SCIARA_ERR_INTERNAL);
  c->ops->close(c, 0);
}

/** Two GPUs for all of a host; on another one the launcher gives each process its own. */
TEST(a_gpu_for_each_process) {
  const struct sciara_banded_gpus all[] = {{.set = 1, .count = 2, .host = "a"}, {.set = 2, .count = 1, .host = "b"},
                                           {.set = 1, .count = 2, .host = "a"}, {.set = 3, .count = 1, .host = "b"},
                                           {.set = 1, .count = 2, .host = "c"}, {.set = 1, .count = 2, .host = "a"}};
  static const int expected[] = {0, 0, 1, 0, 0};
  enum { RANKS = sizeof all / sizeof *all };
  int device = -1;
  for (int k = 0; k < 5; k++) {
    expect_ok(sciara_banded_device(all, RANKS, k, 0, 1, &device));
    ck_assert_int_eq(device, expected[k]);
  }
  ck_assert_int_eq(sciara_banded_device(all, RANKS, 5, 0, 1, &device), SCIARA_ERR_DEVICE);
  ck_assert_str_eq(sciara_last_error(),
                   "3 processes with 1 GPU each share 2 GPUs of a, from number 0 on; expected at most 2");
  expect_ok(sciara_banded_device(all, 2, 0, 1, 1, &device));
  ck_assert_int_eq(device, 1);
  expect_error(sciara_banded_device(all, 3, 2, 1, 1, &device), SCIARA_ERR_DEVICE,
               "share 1 GPU of a, from number 1 on; expected at most 1");
}

TEST(several_gpus_for_each_process) {
  struct sciara_banded_gpus all[4];
  int device = -1;
  for (int k = 0; k < 4; k++) all[k] = (struct sciara_banded_gpus){.set = 9, .count = 8, .host = "a"};
  for (int k = 0; k < 3; k++) {
    expect_ok(sciara_banded_device(all, 4, k, 1, 2, &device));
    ck_assert_int_eq(device, 1 + 2 * k);
  }
  ck_assert_int_eq(sciara_banded_device(all, 4, 3, 1, 2, &device), SCIARA_ERR_DEVICE);
  ck_assert_str_eq(sciara_last_error(),
                   "4 processes with 2 GPUs each share 7 GPUs of a, from number 1 on; expected at most 3");
}

RUN_TESTS()
