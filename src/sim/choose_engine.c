// SPDX-License-Identifier: Apache-2.0
#include "sim/choose_engine.h"

enum sciara_precision sciara_scenario_precision(const struct sciara_scenario *s) {
  if (!s->engine.single_precision) return SCIARA_DOUBLE;
  return s->engine.fast_math ? SCIARA_FAST_MATH : SCIARA_SINGLE_PRECISION;
}

struct sciara_engine_options sciara_scenario_engine_options(const struct sciara_scenario *s) {
  return (struct sciara_engine_options){.memory =
                                            s->engine.shared_memory ? SCIARA_MEMORY_SHARED : SCIARA_MEMORY_DEFAULT,
                                        .block_width = s->engine.block_width,
                                        .block_height = s->engine.block_height,
                                        .boxes = s->engine.boxes,
                                        .refit_every = s->engine.refit_every,
                                        .sort_every = s->engine.sort_every};
}

/** A wish that cannot be met is an error of whoever wished: the scenario or the command line. */
static enum sciara_status blame(enum sciara_status status, bool by_command_line, const char *path, const char *key) {
  if (status == SCIARA_ERR_USAGE && !by_command_line) status = SCIARA_ERR_INPUT;
  return sciara_fail_context(status, "%s: %s", path, key);
}

enum sciara_status sciara_scenario_choose_engine(const struct sciara_scenario *s, bool by_command_line,
                                                 const struct sciara_engine_ops **out) {
  *out = NULL;
  if (s->engine.fast_math && !s->engine.single_precision)
    return blame(
        sciara_fail(SCIARA_ERR_USAGE, "found \"fast\" with engine.precision \"double\", allowed with \"single\""),
        by_command_line, s->path, "engine.math");
  enum sciara_status status = sciara_engine_find(s->engine.name, sciara_scenario_precision(s), out);
  if (status != SCIARA_OK) return blame(status, by_command_line, s->path, "engine.name");
  const struct sciara_engine_options options = sciara_scenario_engine_options(s);
  status = sciara_engine_options_check(*out, &options);
  return status == SCIARA_OK ? SCIARA_OK : blame(status, by_command_line, s->path, "engine");
}
