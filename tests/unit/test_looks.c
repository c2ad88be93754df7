// SPDX-License-Identifier: Apache-2.0
// Values that lava cannot have and that arise while an engine steps are found within SCIARA_CHECK_EVERY steps. No input
// causes that: the test writes into the memory of `serial`.
#include "support/conformance.h"

#include "engine/active.h"

struct fixture {
  struct scene scene;
  const struct sciara_engine_ops *ops;
  void *engine;
};

static void start(struct fixture *f) {
  conformance_build("flat pool", SCIARA_DOUBLE, 0, &f->scene);
  const struct sciara_engine_setup setup = {
      .params = &f->scene.params, .boundary = f->scene.boundary, .vents = f->scene.vents, .threads = 1};
  f->ops = engine_serial(SCIARA_DOUBLE);
  expect_ok(f->ops->create(&setup, &f->engine));
  expect_ok(f->ops->upload(f->engine, f->scene.state));
}

static void end(struct fixture *f) {
  f->ops->destroy(f->engine);
  scene_free(&f->scene);
}

static enum sciara_status advance(struct fixture *f, uint64_t step, struct sciara_engine_progress *at) {
  const struct sciara_stop stop = {.steps = step, .time = INFINITY, .max_wall_ms = 60000};
  return f->ops->advance(f->engine, &stop, at);
}

// Lava that is far too hot flows on, and no operation of the model gives a NaN.
TEST_FROM(what_arises_later, 60, 70) {
  struct fixture f;
  struct sciara_engine_progress at;
  start(&f);
  expect_ok(advance(&f, (uint64_t)_i, &at));
  struct sciara_active *a = (struct sciara_active *)f.engine;
  ck_assert_int_gt(a->liquid, 0);
  a->hf.f.T[a->cell[0]] = 4000;
  ck_assert_int_eq(advance(&f, (uint64_t)_i + SCIARA_CHECK_EVERY, &at), SCIARA_ERR_NUMERIC);
  ck_assert_msg(at.bad.step > (uint64_t)_i && at.bad.step <= (uint64_t)_i + SCIARA_CHECK_EVERY, "found in step %d",
                (int)at.bad.step);
  end(&f);
}

// The steps of the checks do not depend on when the state was uploaded.
TEST(what_is_uploaded) {
  struct fixture f;
  struct sciara_engine_progress at;
  start(&f);
  struct sciara_state *s = f.scene.state;
  s->step = 37;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    if (s->h[i] > 0) s->T[i] = 4000;
  expect_ok(f.ops->upload(f.engine, s));
  ck_assert_int_eq(advance(&f, 70, &at), SCIARA_ERR_NUMERIC);
  ck_assert_uint_eq(at.bad.step, 65);
  end(&f);
}

RUN_TESTS()
