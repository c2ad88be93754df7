// SPDX-License-Identifier: Apache-2.0
#include "run/choose_engine.h"

#include <string.h>

enum sciara_precision sciara_scenario_precision(const struct sciara_scenario *s) {
  if (!s->engine.single_precision) return SCIARA_DOUBLE;
  return s->engine.fast_math ? SCIARA_FAST_MATH : SCIARA_SINGLE_PRECISION;
}

struct sciara_engine_options sciara_scenario_engine_options(const struct sciara_scenario *s) {
  struct sciara_engine_options out = {0};
  const struct sciara_settings table = sciara_engine_settings();
  for (size_t k = 0; k < table.count; k++)
    memcpy((char *)&out + table.setting[k].offset, &s->engine.option[k], sizeof s->engine.option[k]);
  return out;
}

static bool is_listed(const char *name) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  for (size_t k = 0; k < count; k++)
    if (strcmp(list[k].name, name) == 0) return true;
  return strcmp(name, "auto") == 0;
}

/** What makes no sense is bad usage where an override brought it, else bad input. */
static enum sciara_status blame(enum sciara_status status, bool overridden) {
  return status == SCIARA_ERR_USAGE && !overridden ? SCIARA_ERR_INPUT : status;
}

enum sciara_status sciara_scenario_choose_engine(const struct sciara_scenario *s,
                                                 const struct sciara_engine_ops **out) {
  *out = NULL;
  if (s->engine.fast_math && !s->engine.single_precision)
    return sciara_fail(blame(SCIARA_ERR_USAGE, s->engine.overridden),
                       "%s: engine.math: found \"fast\" with engine.precision \"double\", allowed with \"single\" only",
                       s->path);
  const bool by_override = is_listed(s->engine.name) ? s->engine.overridden : s->engine.name_overridden;
  enum sciara_status status = sciara_engine_find(s->engine.name, sciara_scenario_precision(s), out);
  if (status != SCIARA_OK) return sciara_fail_context(blame(status, by_override), "%s: engine.name", s->path);
  const struct sciara_engine_options options = sciara_scenario_engine_options(s);
  status = sciara_engine_options_check(*out, &options);
  return status == SCIARA_OK ? SCIARA_OK : sciara_fail_context(blame(status, by_override), "%s: engine", s->path);
}
