// SPDX-License-Identifier: Apache-2.0
#include "sim/choose_engine.h"

#include <string.h>

#include "engine/banded.h"
#include "engine/device_info.h"

enum sciara_precision sciara_chosen_precision(const struct sciara_engine_choice *c) {
  if (!c->single_precision) return SCIARA_DOUBLE;
  return c->fast_math ? SCIARA_FAST_MATH : SCIARA_SINGLE_PRECISION;
}

struct sciara_engine_options sciara_chosen_options(const struct sciara_engine_choice *c) {
  struct sciara_engine_options out = {0};
  const struct sciara_settings table = sciara_engine_settings();
  for (size_t k = 0; k < table.count; k++)
    memcpy((char *)&out + table.setting[k].offset, &c->option[k], sizeof c->option[k]);
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
static enum sciara_status check_device(const struct sciara_engine_choice *c, const struct sciara_notes *notes,
                                       const struct sciara_engine_ops *ops) {
  const int devices = sciara_devices();
  if (c->device == 0) return SCIARA_OK;
  if (!(ops->capabilities & SCIARA_CAN_DEVICE)) {
    if (strcmp(c->name, "auto") != 0)
      return sciara_fail(SCIARA_ERR_USAGE,
                         "expected no device for engine \"%s\", which runs on the CPU; found device %d", ops->name,
                         c->device);
    sciara_note(notes, SCIARA_LOG_WARNING, "engine.device %d is ignored: engine %s, chosen by auto, runs on the CPU",
                c->device, ops->name);
    return SCIARA_OK;
  }
  if (c->device < devices) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_DEVICE, "expected device 0 to %d, found %d: this machine has %d GPU%s", devices - 1,
                     c->device, devices, devices == 1 ? "" : "s");
}

enum sciara_status sciara_engine_choose(const struct sciara_engine_choice *c, enum sciara_rule_kind rule,
                                        const struct sciara_notes *notes, const struct sciara_engine_ops **out) {
  *out = NULL;
  if (c->fast_math && !c->single_precision)
    return sciara_fail(attribute(SCIARA_ERR_USAGE, c->overridden),
                       "%s: engine.math: \"fast\" requires engine.precision \"single\", found \"double\"", c->source);
  const bool by_override = is_listed(c->name) ? c->overridden : c->name_overridden;
  enum sciara_status status = sciara_engine_find(c->name, rule, sciara_chosen_precision(c), out);
  if (status != SCIARA_OK) return sciara_fail_context(attribute(status, by_override), "%s: engine.name", c->source);
  const struct sciara_engine_options options = sciara_chosen_options(c);
  status = sciara_engine_options_check(*out, &options);
  if (status == SCIARA_OK) status = check_device(c, notes, *out);
  return sciara_fail_context(attribute(status, by_override), "%s: engine", c->source);
}

enum sciara_status sciara_engine_check_bands(const struct sciara_engine_choice *c, const struct sciara_engine_ops *ops,
                                             int ranks) {
  if (ranks < 2 || ops->phases || strcmp(c->name, "auto") == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE,
                     "engine \"%s\" cannot compute bands on %d ranks; 'sciara engines' lists those that can, "
                     "after \"bands:\"",
                     ops->name, ranks);
}

enum sciara_status sciara_engine_choose_bands(const struct sciara_engine_choice *c, const struct sciara_notes *notes,
                                              const struct sciara_engine_ops *inner, const struct sciara_comm *comm,
                                              struct sciara_engine_ops *banded, const struct sciara_engine_ops **out) {
  *out = inner;
  if (!comm || comm->size == 1) return SCIARA_OK;
  if (strcmp(c->name, "auto") == 0) {
    sciara_note(notes, SCIARA_LOG_WARNING,
                "engine auto computes in one of the %d processes; --engine %s divides the map into a band for each",
                comm->size, inner->name);
    return SCIARA_OK;
  }
  SCIARA_TRY(sciara_engine_check_bands(c, inner, comm->size));
  *banded = sciara_banded_ops(inner);
  *out = banded;
  return SCIARA_OK;
}
