// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "app/command.h"
#include "app/messages.h"
#include "app/output.h"
#include "engine/device_info.h"
#include "engine/engine.h"

static const struct sciara_option options[] = {{0}};

/** One line: the options of the engine, and their values. */
static void print_options(const struct sciara_engine_ops *ops) {
  const struct sciara_settings table = sciara_engine_settings();
  bool first = true;
  for (size_t k = 0; k < table.count; k++) {
    char allowed[96];
    if (!sciara_engine_follows(ops, table.setting[k].name)) continue;
    sciara_setting_allowed(&table.setting[k], allowed, sizeof allowed);
    if (first) sciara_print("%-15s options:", "");
    sciara_print("%s %s", first ? "" : ",", allowed);
    first = false;
  }
  if (!first) sciara_print("\n");
}

/** One line for each GPU. */
static void print_devices(void) {
  struct sciara_device_info gpu;
  for (int k = 0; k < sciara_devices(); k++)
    if (sciara_device_describe(k, &gpu))
      sciara_print("device %d: %s, %.1f GB, %.1f GB free\n", k, gpu.name, 1e-9 * (double)gpu.memory,
                   1e-9 * (double)gpu.free_memory);
}

static int run(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  const int code = sciara_arguments_parse(command, argc, argv, &arguments);
  if (code >= 0) return code;
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  sciara_print("%-15s %-10s %-9s %s\n", "engine", "available", "bits", "description");
  for (size_t k = 0; k < count; k++) {
    const struct sciara_engine_ops *ops = list[k].ops[SCIARA_RULE_FV3][SCIARA_DOUBLE];
    const char *why = !ops ? list[k].why_not : ops->probe ? ops->probe() : NULL;
    sciara_print("%-15s %-10s %-9s %s\n", list[k].name, why ? "no" : "yes",
                 !ops                               ? "-"
                 : ops->determinism == SCIARA_EXACT ? "exact"
                                                    : "tolerance",
                 ops ? ops->summary : list[k].why_not);
    if (ops && why) sciara_print("%-15s not available: %s\n", "", why);
    if (ops) print_options(ops);
  }
  print_devices();
  sciara_print("auto: %s\n", sciara_engine_auto(SCIARA_RULE_FV3));
  sciara_print("isa: %s of", sciara_isa_name(sciara_isa_best()));
  for (int isa = SCIARA_ISA_GENERIC; isa < SCIARA_ISA_COUNT; isa++)
    if (sciara_isa_runs((enum sciara_isa)isa)) sciara_print(" %s", sciara_isa_name((enum sciara_isa)isa));
  sciara_print("\n");
  return SCIARA_OK;
}

const struct sciara_command sciara_cmd_engines = {
    .name = "engines",
    .summary = "list the engines and show which are available here",
    .operands = "",
    .options = options,
    .details = "exact: bit-identical to serial of the same precision; tolerance: close to it.\n"
               "options: of the engine, for 'sciara run --option NAME=VALUE' or the key engine.NAME of a scenario.\n"
               "device: number of a GPU, for 'sciara run --device N' or the key engine.device.\n"
               "isa: the instruction set that openmp uses, and those that this processor has.\n",
    .run = run,
};
