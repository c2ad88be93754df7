// SPDX-License-Identifier: Apache-2.0
// Commands that consist of subcommands: `sciara ensemble plan`.
#ifndef SCIARA_APP_SUBCOMMANDS_H
#define SCIARA_APP_SUBCOMMANDS_H

#include "app/command.h"

/** The function `run` of a command with subcommands: finds the one that argv[1] names, and runs it. */
int sciara_subcommands_run(const struct sciara_command *command, int argc, char **argv);

/** The last word of the name of a command: "plan" of "ensemble plan". */
const char *sciara_command_word(const struct sciara_command *command);

/** The k-th of all commands, in the order of the help: subcommands follow their command. NULL after the last. */
const struct sciara_command *sciara_command_at(size_t k);

/** The name of a command with another separator: "ensemble-plan". */
void sciara_command_join(const struct sciara_command *command, char separator, char *buffer, size_t capacity);

#endif
