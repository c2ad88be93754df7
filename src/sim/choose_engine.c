// SPDX-License-Identifier: Apache-2.0
#include "sim/choose_engine.h"

#include <string.h>

#include "engine/banded.h"
#include "engine/device_info.h"

enum sciara_precision sciara_scenario_precision(const struct sciara_scenario_spec *s) {
  if (!s->engine.single_precision) return SCIARA_DOUBLE;
  return s->engine.fast_math ? SCIARA_FAST_MATH : SCIARA_SINGLE_PRECISION;
}

struct sciara_engine_options sciara_scenario_engine_options(const struct sciara_scenario_spec *s) {
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

/** An invalid value is a usage error if an override set it, else an input error. */
static enum sciara_status attribute(enum sciara_status status, bool overridden) {
  return status == SCIARA_ERR_USAGE && !overridden ? SCIARA_ERR_INPUT : status;
}

/** Checks that the GPU exists. A CPU engine that was named has no device; one that auto chose ignores the number. */
static enum sciara_status check_device(const struct sciara_scenario_spec *s, const struct sciara_engine_ops *ops) {
  const int devices = sciara_devices();
  if (s->engine.device == 0) return SCIARA_OK;
  if (!(ops->capabilities & SCIARA_CAN_DEVICE)) {
    if (strcmp(s->engine.name, "auto") != 0)
      return sciara_fail(SCIARA_ERR_USAGE,
                         "expected no device for engine \"%s\", which runs on the CPU; found device %d", ops->name,
                         s->engine.device);
    sciara_note(s->notes, SCIARA_LOG_WARNING, "engine.device %d is ignored: engine %s, chosen by auto, runs on the CPU",
                s->engine.device, ops->name);
    return SCIARA_OK;
  }
  if (s->engine.device < devices) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_DEVICE, "expected device 0 to %d, found %d: this machine has %d GPU%s", devices - 1,
                     s->engine.device, devices, devices == 1 ? "" : "s");
}

enum sciara_status sciara_scenario_choose_engine(const struct sciara_scenario_spec *s,
                                                 const struct sciara_engine_ops **out) {
  *out = NULL;
  if (s->engine.fast_math && !s->engine.single_precision)
    return sciara_fail(attribute(SCIARA_ERR_USAGE, s->engine.overridden),
                       "%s: engine.math: \"fast\" requires engine.precision \"single\", found \"double\"", s->path);
  const bool by_override = is_listed(s->engine.name) ? s->engine.overridden : s->engine.name_overridden;
  enum sciara_status status = sciara_engine_find(s->engine.name, s->params.rule, sciara_scenario_precision(s), out);
  if (status != SCIARA_OK) return sciara_fail_context(attribute(status, by_override), "%s: engine.name", s->path);
  const struct sciara_engine_options options = sciara_scenario_engine_options(s);
  status = sciara_engine_options_check(*out, &options);
  if (status == SCIARA_OK) status = check_device(s, *out);
  return status == SCIARA_OK ? SCIARA_OK : sciara_fail_context(attribute(status, by_override), "%s: engine", s->path);
}

enum sciara_status sciara_scenario_check_bands(const struct sciara_scenario_spec *s,
                                               const struct sciara_engine_ops *ops, int ranks) {
  if (ranks < 2 || ops->phases || strcmp(s->engine.name, "auto") == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE,
                     "engine \"%s\" cannot compute bands on %d ranks; 'sciara engines' lists those that can, "
                     "after \"bands:\"",
                     ops->name, ranks);
}

enum sciara_status sciara_scenario_choose_bands(const struct sciara_scenario_spec *s,
                                                const struct sciara_engine_ops *inner, const struct sciara_comm *comm,
                                                struct sciara_engine_ops *banded,
                                                const struct sciara_engine_ops **out) {
  *out = inner;
  if (!comm || comm->size == 1) return SCIARA_OK;
  if (strcmp(s->engine.name, "auto") == 0) {
    sciara_note(s->notes, SCIARA_LOG_WARNING,
                "engine auto computes in one of the %d processes; --engine %s divides the map into a band for each",
                comm->size, inner->name);
    return SCIARA_OK;
  }
  SCIARA_TRY(sciara_scenario_check_bands(s, inner, comm->size));
  *banded = sciara_banded_ops(inner);
  *out = banded;
  return SCIARA_OK;
}
