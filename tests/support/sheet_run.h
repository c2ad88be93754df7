// SPDX-License-Identifier: Apache-2.0
// A run of rule bingham by engine `serial`, for unit tests.
#ifndef SCIARA_TESTS_SHEET_RUN_H
#define SCIARA_TESTS_SHEET_RUN_H

#include "engine/engine.h"

struct run {
  struct sciara_params params;
  struct sciara_vents *vents;
  struct sciara_state *state;
  const struct sciara_engine_ops *ops;
  void *engine;
};

/** Begins with the state, which stays as it is. */
static inline void run_start(struct run *r, enum sciara_precision precision, enum sciara_boundary boundary) {
  const struct sciara_engine_setup setup = {.params = &r->params, .vents = r->vents, .boundary = boundary};
  expect_ok(sciara_engine_find("serial", SCIARA_RULE_BINGHAM, precision, &r->ops));
  expect_ok(r->ops->create(&setup, &r->engine));
  expect_ok(r->ops->upload(r->engine, r->state));
}

static inline void run_steps(struct run *r, uint64_t steps) {
  struct sciara_engine_progress progress;
  const struct sciara_stop stop = {.steps = r->state->step + steps, .time = INFINITY, .max_wall_ms = 600000};
  expect_ok(r->ops->advance(r->engine, &stop, &progress));
  expect_ok(r->ops->download(r->engine, r->state));
}

static inline void run_end(struct run *r) {
  r->ops->destroy(r->engine);
  sciara_state_destroy(r->state);
  sciara_vents_destroy(r->vents);
}

#endif
