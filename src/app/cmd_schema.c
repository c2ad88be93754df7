// SPDX-License-Identifier: Apache-2.0

#include "app/command.h"
#include "app/output.h"
#include "scenario/scenario.h"

static const struct sciara_option options[] = {
    {"manual", 0, NULL, "print tables of all keys (those of docs/scenario.md) instead"},
    {"calibration", 0, NULL, "print the JSON Schema of a calibration file instead"},
    {0},
};

static enum sciara_status execute_schema(const struct sciara_arguments *arguments) {
  struct sciara_text text = {0};
  const bool calibration = sciara_argument_given(arguments, "calibration");
  return sciara_print_text(sciara_argument_given(arguments, "manual")
                               ? sciara_scenario_manual(&text)
                               : sciara_schema(calibration ? SCIARA_SCHEMA_CALIBRATION : SCIARA_SCHEMA_SCENARIO, &text),
                           &text);
}

const struct sciara_command sciara_cmd_schema = {
    .name = "schema",
    .summary = "print the JSON Schema of a scenario",
    .operands = "",
    .options = options,
    .execute = execute_schema,
};
