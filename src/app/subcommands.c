// SPDX-License-Identifier: Apache-2.0
#include "app/subcommands.h"

#include <stdio.h>
#include <string.h>

#include "app/messages.h"
#include "app/output.h"
#include "base/status.h"
#include "base/text.h"

const char *sciara_command_word(const struct sciara_command *command) {
  const char *blank = strrchr(command->name, ' ');
  return blank ? blank + 1 : command->name;
}

void sciara_command_join(const struct sciara_command *command, char separator, char *buffer, size_t capacity) {
  snprintf(buffer, capacity, "%s", command->name);
  for (char *p = buffer; *p; p++)
    if (*p == ' ') *p = separator;
}

const struct sciara_command *sciara_command_at(size_t k) {
  for (const struct sciara_command *const *c = sciara_commands; *c; c++) {
    if (k-- == 0) return *c;
    for (const struct sciara_command *const *s = (*c)->subcommands; s && *s; s++)
      if (k-- == 0) return *s;
  }
  return NULL;
}

static const struct sciara_command *find(const struct sciara_command *command, const char *word) {
  for (const struct sciara_command *const *s = command->subcommands; *s; s++)
    if (strcmp(sciara_command_word(*s), word) == 0) return *s;
  return NULL;
}

static int unknown(const struct sciara_command *command, const char *word) {
  const char *names[64];
  size_t count = 0;
  for (const struct sciara_command *const *s = command->subcommands; *s && count < 64; s++)
    names[count++] = sciara_command_word(*s);
  const char *closest = sciara_closest_name(word, names, count);
  if (closest)
    sciara_error("there is no command \"%s %s\"; did you mean \"%s %s\"?", command->name, word, command->name, closest);
  else
    sciara_error("there is no command \"%s %s\"; 'sciara %s --help' lists them", command->name, word, command->name);
  return SCIARA_ERR_USAGE;
}

int sciara_subcommands_run(const struct sciara_command *command, int argc, char **argv) {
  if (argc > 1 && argv[1][0] != '-') {
    const struct sciara_command *found = find(command, argv[1]);
    return found ? found->run(found, argc - 1, argv + 1) : unknown(command, argv[1]);
  }
  struct sciara_arguments arguments; // only --help, or a mistake
  const int code = sciara_arguments_parse(command, argc, argv, &arguments);
  return code >= 0 ? code : unknown(command, arguments.operand[0]);
}
