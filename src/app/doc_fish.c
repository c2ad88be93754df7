// SPDX-License-Identifier: Apache-2.0
// Completions for fish.
#include "app/doc.h"
#include "app/option_values.h"

/** Prints a word in '...', in which fish escapes backslashes and single quotes. */
static void print_quoted(const char *text, FILE *out) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
  fputc('\'', out);
}

static void print_value(const struct sciara_option *o, FILE *out) {
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

static void print_command(const struct sciara_command *command, FILE *out) {
  fprintf(out, "\ncomplete -c sciara -n __fish_use_subcommand -f -a %s -d ", command->name);
  print_quoted(command->summary, out);
  fputc('\n', out);
  const struct sciara_option *o;
  for (size_t k = 0; (o = sciara_command_option(command, k)); k++) {
    fprintf(out, "complete -c sciara -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
    if (o->letter) fprintf(out, " -s %c", o->letter);
    print_value(o, out);
    fputs(" -d ", out);
    print_quoted(o->help, out);
    fputc('\n', out);
  }
  const enum sciara_value_kind kind = sciara_operand_kind(command);
  if (kind == SCIARA_VALUE_FILE) return; // fish offers files automatically
  fprintf(out, "complete -c sciara -n '__fish_seen_subcommand_from %s' -f", command->name);
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
  for (const struct sciara_command *const *c = sciara_commands; *c; c++) print_command(*c, out);
}
