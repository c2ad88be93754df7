// SPDX-License-Identifier: Apache-2.0
#include "verify/runner.h"

#include "base/wallclock.h"

enum sciara_status sciara_runner_start(struct sciara_runner *r, const struct sciara_engine_ops *ops,
                                       const struct sciara_engine_ops *inner, const struct sciara_problem *p,
                                       const struct sciara_engine_options *options, const struct sciara_state *state) {
  const struct sciara_engine_setup setup = {.params = &p->params,
                                            .vents = p->vents,
                                            .boundary = p->boundary,
                                            .threads = p->engine.threads,
                                            .device = ops->capabilities & SCIARA_CAN_DEVICE ? p->engine.device : 0,
                                            .options = *options,
                                            .comm = inner ? p->comm : NULL,
                                            .inner = inner};
  SCIARA_TRY(ops->create(&setup, &r->engine));
  r->ops = ops;
  return ops->upload(r->engine, state);
}

void sciara_runner_end(struct sciara_runner *r) {
  if (r->engine) r->ops->destroy(r->engine);
  *r = (struct sciara_runner){.ops = NULL};
}

enum sciara_status sciara_runner_go_to(struct sciara_runner *r, uint64_t step, double time,
                                       struct sciara_state *state) {
  const struct sciara_stop stop = {.steps = step, .time = time, .solidified = true, .max_wall_ms = 10000};
  const double begin = sciara_wallclock();
  do SCIARA_TRY(r->ops->advance(r->engine, &stop, &r->progress));
  while (r->progress.reason == SCIARA_STOP_WALL);
  r->compute_s += sciara_wallclock() - begin;
  return r->ops->download(r->engine, state);
}
