// SPDX-License-Identifier: Apache-2.0
// Completions for zsh: a function per command, with _arguments.
#include "app/doc.h"

/** Inside '...' of zsh, in a specification of _arguments: brackets, colons and backslashes are escaped. */
static void print_escaped(const char *text, FILE *out) {
  for (; *text; text++) {
    if (*text == '\'') {
      fputs("'\\''", out);
      continue;
    }
    if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
}

static void print_action(enum sciara_value_kind kind, const struct sciara_option *o, FILE *out) {
  switch (kind) {
    case SCIARA_VALUE_WORD:
      fputc('(', out);
      sciara_option_words(o, out);
      fputc(')', out);
      break;
    case SCIARA_VALUE_LIST:
      fprintf(out, "_values -s , %s ", o->name);
      sciara_option_words(o, out);
      break;
    case SCIARA_VALUE_KEY:
      fputs("compadd -S = -- ", out);
      sciara_option_words(o, out);
      break;
    case SCIARA_VALUE_FILE: fputs("_files", out); break;
    case SCIARA_VALUE_FOLDER: fputs("_files -/", out); break;
    case SCIARA_VALUE_NONE:
    case SCIARA_VALUE_FREE: fputc(' ', out); break;
  }
}

/** One specification for each form of the option; it may be given again. */
static void print_option(const struct sciara_command *command, const struct sciara_option *o, FILE *out) {
  for (int form = o->letter ? 0 : 1; form < 2; form++) {
    fputs("    '*", out);
    form == 0 ? fprintf(out, "-%c%s", o->letter, o->argument ? "+" : "")
              : fprintf(out, "--%s%s", o->name, o->argument ? "=" : "");
    fputc('[', out);
    print_escaped(sciara_option_help(command, o), out);
    fputc(']', out);
    if (o->argument) {
      fputc(':', out);
      print_escaped(o->argument, out);
      fputc(':', out);
      print_action(sciara_option_kind(o), o, out);
    }
    fputs("' \\\n", out);
  }
}

/** The second word names a subcommand, whose function does the rest. */
static void print_dispatch(const struct sciara_command *command, FILE *out) {
  fputs("  local -a commands\n  commands=(\n", out);
  for (const struct sciara_command *const *s = command->subcommands; *s; s++) {
    fprintf(out, "    '%s:", sciara_command_word(*s));
    print_escaped((*s)->summary, out);
    fputs("'\n", out);
  }
  fprintf(out,
          "  )\n"
          "  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
          "    _describe -t commands command commands\n"
          "    return\n"
          "  elif ((${+functions[_sciara_%s_$words[2]]})); then\n"
          "    local subcommand=$words[2]\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    _sciara_%s_$subcommand\n"
          "    return\n"
          "  fi\n",
          command->name, command->name);
}

static void print_function(const struct sciara_command *command, FILE *out) {
  const struct sciara_option *o;
  char name[64];
  sciara_command_join(command, '_', name, sizeof name);
  fprintf(out, "_sciara_%s() {\n", name);
  if (command->subcommands) print_dispatch(command, out);
  fputs("  _arguments -s \\\n", out);
  for (size_t k = 0; (o = sciara_command_option(command, k)); k++) print_option(command, o, out);
  const enum sciara_value_kind kind = sciara_operand_kind(command);
  if (kind == SCIARA_VALUE_NONE) {
    fputs("    && return\n}\n\n", out);
    return;
  }
  fputs("    '*:", out);
  print_escaped(command->operands, out);
  fputc(':', out);
  if (kind == SCIARA_VALUE_WORD) {
    fputc('(', out);
    sciara_operand_words(command, out);
    fputs(")'\n}\n\n", out);
  } else {
    fputs("_files'\n}\n\n", out);
  }
}

void sciara_doc_zsh(FILE *out) {
  fputs("#compdef sciara\n# Completions of sciara for zsh, made by \"sciara doc zsh\".\n\n", out);
  const struct sciara_command *command;
  for (size_t k = 0; (command = sciara_command_at(k)); k++) print_function(command, out);
  fputs("_sciara() {\n  local -a commands\n  commands=(\n", out);
  for (const struct sciara_command *const *c = sciara_commands; *c; c++) {
    fprintf(out, "    '%s:", (*c)->name);
    print_escaped((*c)->summary, out);
    fputs("'\n", out);
  }
  fputs("    'help:show the options of a command'\n  )\n"
        "  if ((CURRENT == 2)); then\n"
        "    _describe -t commands command commands\n"
        "    _arguments '--help[list the commands]' '--version[print the version]'\n"
        "  elif ((CURRENT == 3)) && [[ $words[2] == help ]]; then\n"
        "    _describe -t commands command commands\n"
        "  elif ((${+functions[_sciara_$words[2]]})); then\n"
        "    local command=$words[2]\n"
        "    shift words\n"
        "    ((CURRENT--))\n"
        "    _sciara_$command\n"
        "  fi\n"
        "}\n\n"
        // Loaded by the completion system, or read with "source".
        "if [[ $funcstack[1] == _sciara ]]; then\n  _sciara \"$@\"\nelse\n  compdef _sciara sciara\nfi\n",
        out);
}
