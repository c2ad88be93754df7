// SPDX-License-Identifier: Apache-2.0
#include "support/banded_threads.h"

#include <pthread.h>

#include "support/comm_threads.h"

/** The tables that were made, and the engine that each of them wraps. */
enum { MOST_TABLES = 8 };
static struct table {
  const struct sciara_engine_ops *inner;
  int ranks;
  struct sciara_engine_ops ops;
} tables[MOST_TABLES];
static int table_count;

/** An engine with its ranks. */
struct threaded {
  struct sciara_engine_ops ops; ///< of the banded engine
  void *engine;
  int ranks;
  struct sciara_comm *comm[MOST_RANKS];
  pthread_t thread[MOST_RANKS];
};

static void *serve(void *argument) {
  struct sciara_comm *c = (struct sciara_comm *)argument;
  const enum sciara_status status = sciara_banded_serve(c);
  ck_assert_msg(status == SCIARA_OK, "rank %d: %s", c->rank, sciara_last_error());
  c->ops->close(c, 0);
  return NULL;
}

static void end(struct threaded *t) {
  expect_ok(sciara_banded_dismiss(t->comm[0]));
  for (int k = 1; k < t->ranks; k++) pthread_join(t->thread[k], NULL);
  t->comm[0]->ops->close(t->comm[0], 0);
  free(t);
}

static enum sciara_status create_of(const struct table *table, const struct sciara_engine_setup *setup, void **engine) {
  struct threaded *t = calloc(1, sizeof *t);
  struct sciara_engine_setup all = *setup;
  ck_assert_ptr_nonnull(t);
  t->ranks = table->ranks;
  t->ops = sciara_banded_ops(table->inner);
  expect_ok(comm_threads(t->ranks, t->comm));
  for (int k = 1; k < t->ranks; k++) ck_assert_int_eq(pthread_create(&t->thread[k], NULL, serve, t->comm[k]), 0);
  all.comm = t->comm[0];
  all.inner = table->inner;
  const enum sciara_status status = t->ops.create(&all, &t->engine);
  if (status == SCIARA_OK)
    *engine = t;
  else
    end(t);
  return status;
}

// A function of a table does not know its table, so there is one for each.
// clang-format off
#define CREATE(N) \
  static enum sciara_status create_##N(const struct sciara_engine_setup *s, void **e) { return create_of(&tables[N], s, e); }
CREATE(0)
CREATE(1)
CREATE(2)
CREATE(3)
CREATE(4)
CREATE(5)
CREATE(6)
CREATE(7)
// clang-format on

static enum sciara_status (*const creates[MOST_TABLES])(const struct sciara_engine_setup *setup, void **engine) = {
    create_0, create_1, create_2, create_3, create_4, create_5, create_6, create_7};

static void destroy(void *engine) {
  struct threaded *t = (struct threaded *)engine;
  if (!t) return;
  t->ops.destroy(t->engine);
  end(t);
}

static enum sciara_status upload(void *engine, const struct sciara_state *state) {
  const struct threaded *t = (const struct threaded *)engine;
  return t->ops.upload(t->engine, state);
}

static enum sciara_status download(void *engine, struct sciara_state *state) {
  const struct threaded *t = (const struct threaded *)engine;
  return t->ops.download(t->engine, state);
}

static enum sciara_status advance(void *engine, const struct sciara_stop *stop,
                                  struct sciara_engine_progress *progress) {
  const struct threaded *t = (const struct threaded *)engine;
  return t->ops.advance(t->engine, stop, progress);
}

struct sciara_banded_facts banded_facts(const void *engine) {
  return sciara_banded_facts_of(((const struct threaded *)engine)->engine);
}

const struct sciara_engine_ops *banded_in_threads(const struct sciara_engine_ops *inner, int ranks) {
  for (int k = 0; k < table_count; k++)
    if (tables[k].inner == inner && tables[k].ranks == ranks) return &tables[k].ops;
  ck_assert_int_lt(table_count, MOST_TABLES);
  ck_assert_int_le(ranks, MOST_RANKS);
  struct table *t = &tables[table_count];
  *t = (struct table){.inner = inner, .ranks = ranks, .ops = sciara_banded_ops(inner)};
  t->ops.create = creates[table_count++];
  t->ops.destroy = destroy;
  t->ops.upload = upload;
  t->ops.download = download;
  t->ops.advance = advance;
  return &t->ops;
}
