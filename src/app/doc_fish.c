// SPDX-License-Identifier: Apache-2.0
// Completions for fish.
#include <string.h>

#include "app/doc.h"

/** Prints a word in '...', in which fish escapes backslashes and single quotes. */
static void print_quoted(const char *text, FILE *out) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
  fputc('\'', out);
}

static void print_fish_value(const struct sciara_option *o, FILE *out) {
  switch (sciara_option_kind(o)) {
    case SCIARA_VALUE_NONE: break;
    case SCIARA_VALUE_FREE: fputs(" -x", out); break;
    case SCIARA_VALUE_FILE: fputs(" -r -F", out); break;
    case SCIARA_VALUE_FOLDER: fputs(" -x -a '(__fish_complete_directories)'", out); break;
    case SCIARA_VALUE_WORD:
      fputs(" -x -a '", out);
      sciara_option_words(o, out);
      fputc('\'', out);
      break;
    case SCIARA_VALUE_LIST:
      fputs(" -x -a '(__fish_append , ", out);
      sciara_option_words(o, out);
      fputs(")'", out);
      break;
    case SCIARA_VALUE_KEY:
      fputs(" -x -a '(printf \"%s=\\n\" ", out);
      sciara_option_words(o, out);
      fputs(")'", out);
      break;
  }
}

/** The condition under which an option of a command is offered. */
static void print_condition(const struct sciara_command *command, FILE *out) {
  const char *word = sciara_command_word(command);
  fputs(" -n '__fish_seen_subcommand_from ", out);
  if (word != command->name) { // also the command before it, whose name stands first
    fprintf(out, "%.*s; and __fish_seen_subcommand_from %s'", (int)(word - command->name - 1), command->name, word);
    return;
  }
  fprintf(out, "%s", command->name);
  for (const struct sciara_command *const *s = command->subcommands; s && *s; s++)
    fprintf(out, "%s%s", s == command->subcommands ? "; and not __fish_seen_subcommand_from " : " ",
            sciara_command_word(*s));
  for (const struct sciara_command *const *c = sciara_commands; *c; c++) // "ensemble check" is not "check"
    for (const struct sciara_command *const *s = (*c)->subcommands; s && *s; s++)
      if (strcmp(sciara_command_word(*s), command->name) == 0)
        fprintf(out, "; and not __fish_seen_subcommand_from %s", (*c)->name);
  fputc('\'', out);
}

static void print_command(const struct sciara_command *command, FILE *out) {
  const char *word = sciara_command_word(command);
  fputs("\ncomplete -c sciara -n ", out);
  if (word == command->name)
    fputs("__fish_use_subcommand", out);
  else
    fprintf(out, "'__fish_seen_subcommand_from %.*s; and test (count (commandline -opc)) -eq 2'",
            (int)(word - command->name - 1), command->name);
  fprintf(out, " -f -a %s -d ", word);
  print_quoted(command->summary, out);
  fputc('\n', out);
  const struct sciara_option *o;
  for (size_t k = 0; (o = sciara_command_option(command, k)); k++) {
    fputs("complete -c sciara", out);
    print_condition(command, out);
    fprintf(out, " -l %s", o->name);
    if (o->letter) fprintf(out, " -s %c", o->letter);
    print_fish_value(o, out);
    fputs(" -d ", out);
    print_quoted(sciara_option_help(command, o), out);
    fputc('\n', out);
  }
  const enum sciara_value_kind kind = command->subcommands ? SCIARA_VALUE_NONE : sciara_operand_kind(command);
  if (kind == SCIARA_VALUE_FILE) return; // fish offers files automatically
  fputs("complete -c sciara", out);
  print_condition(command, out);
  fputs(" -f", out);
  if (kind == SCIARA_VALUE_WORD) {
    fputs(" -a '", out);
    sciara_operand_words(command, out);
    fputc('\'', out);
  }
  fputc('\n', out);
}

void sciara_doc_fish(FILE *out) {
  fputs("# Completions of sciara for fish, made by \"sciara doc fish\".\n"
        "complete -c sciara -n __fish_use_subcommand -f -l help -d 'list the commands'\n"
        "complete -c sciara -n __fish_use_subcommand -f -l version -d 'print the version'\n",
        out);
  const struct sciara_command *command;
  for (size_t k = 0; (command = sciara_command_at(k)); k++) print_command(command, out);
}
