// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/messages.h"
#include "app/output.h"
#include "app/program.h"
#include "app/ranks.h"
#include "base/text.h"
#include "engine/device_info.h"
#include "file/libraries.h"

extern const struct sciara_command sciara_cmd_init, sciara_cmd_check, sciara_cmd_run, sciara_cmd_resume,
    sciara_cmd_export, sciara_cmd_exposure, sciara_cmd_info, sciara_cmd_compare, sciara_cmd_import, sciara_cmd_presets,
    sciara_cmd_engines, sciara_cmd_validate, sciara_cmd_bench, sciara_cmd_ensemble, sciara_cmd_evaluate,
    sciara_cmd_verify, sciara_cmd_calibrate, sciara_cmd_schema, sciara_cmd_doc;

const struct sciara_command *const sciara_commands[] = {
    &sciara_cmd_init,     &sciara_cmd_check,     &sciara_cmd_run,     &sciara_cmd_resume,   &sciara_cmd_export,
    &sciara_cmd_exposure, &sciara_cmd_info,      &sciara_cmd_compare, &sciara_cmd_import,   &sciara_cmd_presets,
    &sciara_cmd_engines,  &sciara_cmd_validate,  &sciara_cmd_bench,   &sciara_cmd_ensemble, &sciara_cmd_verify,
    &sciara_cmd_evaluate, &sciara_cmd_calibrate, &sciara_cmd_schema,  &sciara_cmd_doc,      NULL};

static void print_help(void) {
  sciara_print(
      "sciara: lava-flow simulation with the SCIARA-fv3 cellular automaton\n\nusage: sciara COMMAND [OPTION]... "
      "[FILE]...\n\n");
  for (const struct sciara_command *const *c = sciara_commands; *c; c++)
    sciara_print("  %-10s %s\n", (*c)->name, (*c)->summary);
  sciara_print("\n'sciara COMMAND --help' shows details. Exit codes:\n\n");
  for (const struct sciara_meaning *m = sciara_exit_codes; m->name; m++)
    sciara_print("  %-14s %s\n", m->name, m->meaning);
}

/** No command, or an option before it. */
static enum sciara_status unknown(const char *name) {
  static const char *const names[] = {"--help", "--version"};
  if (*name != '-') return sciara_command_unknown(NULL, name);
  const char *closest = sciara_closest_name(name, names, sizeof names / sizeof *names);
  if (closest) return sciara_fail(SCIARA_ERR_USAGE, "there is no option %s; did you mean %s?", name, closest);
  return sciara_fail(SCIARA_ERR_USAGE,
                     "there is no option %s before the command; usage: sciara COMMAND [OPTION]... [FILE]...", name);
}

static bool is_help(const char *word) {
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

int main(int argc, char **argv) {
  const struct sciara_command *command = argc > 1 ? sciara_command_find(sciara_commands, argv[1]) : NULL;
  const struct sciara_command *explained =
      argc > 2 && is_help(argv[1]) ? sciara_command_find(sciara_commands, argv[2]) : NULL;
  char option[] = "--help", *help[] = {argv[0], explained ? argv[2] : NULL, option, NULL};
  if (explained) {
    command = explained;
    argc = 3;
    argv = help;
  }
  const enum sciara_status missing = command && command->package && !command->run && !command->execute
                                         ? sciara_program_become(command, argv + 1)
                                         : SCIARA_OK;
  const int code = sciara_program_begin(argc, argv);
  if (code != SCIARA_OK) return sciara_program_end(code);
  if (missing != SCIARA_OK) return sciara_program_end(sciara_report(missing));
  if (argc < 2 || (!command && is_help(argv[1]))) {
    print_help();
    return sciara_program_end(argc < 2 ? SCIARA_ERR_USAGE : SCIARA_OK);
  }
  if (strcmp(argv[1], "--version") == 0) {
    const char *code_of_device = sciara_device_code();
    sciara_print("sciara %s (%s), HDF5 %s, GDAL %s, PROJ %s%s%s\n", SCIARA_VERSION, SCIARA_GIT_HASH,
                 sciara_hdf5_version(), sciara_gdal_version(), sciara_proj_version(), *code_of_device ? ", " : "",
                 code_of_device);
    return sciara_program_end(SCIARA_OK);
  }
  if (!command) return sciara_program_end(sciara_report(unknown(argv[1])));
  if (explained) return sciara_program_end(sciara_command_run(command, argc - 1, argv + 1));
  const int served = sciara_ranks_begin(command);
  return sciara_program_end(served >= 0 ? served : sciara_ranks_end(sciara_command_run(command, argc - 1, argv + 1)));
}
