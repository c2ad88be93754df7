// SPDX-License-Identifier: Apache-2.0
#include "support/engine_spec.h"

#include "support/banded_threads.h"

enum sciara_status engine_spec_parse(const char *text, struct engine_spec *out) {
  *out = (struct engine_spec){.fast_math = false};
  const size_t length = strcspn(text, ":");
  snprintf(out->name, sizeof out->name, "%.*s", (int)length, text);
  const char *rest = text[length] ? text + length + 1 : text + length;
  while (*rest) {
    char item[64];
    const size_t n = strcspn(rest, ",");
    snprintf(item, sizeof item, "%.*s", (int)n, rest);
    const bool fast = strcmp(item, "math=fast") == 0;
    const bool rule = strncmp(item, "rule=", 5) == 0 && sciara_rule_find(item + 5, &out->rule);
    const bool ranks = strncmp(item, "ranks=", 6) == 0;
    if (fast) out->fast_math = true;
    if (ranks) out->ranks = atoi(item + 6);
    if (!fast && !rule && !ranks) SCIARA_TRY(sciara_engine_option_parse(item, &out->options));
    rest += rest[n] ? n + 1 : n;
  }
  return SCIARA_OK;
}

enum sciara_status engine_spec_find(const struct engine_spec *spec, enum sciara_precision precision,
                                    const struct sciara_engine_ops **out) {
  if (spec->fast_math && precision == SCIARA_SINGLE_PRECISION) precision = SCIARA_FAST_MATH;
  SCIARA_TRY(sciara_engine_find(spec->name, spec->rule, precision, out));
  SCIARA_TRY(sciara_engine_options_check(*out, &spec->options));
  if (spec->ranks > 0) *out = banded_in_threads(*out, spec->ranks);
  return SCIARA_OK;
}
