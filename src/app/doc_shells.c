// SPDX-License-Identifier: Apache-2.0
// Completions for bash. They use only the folder of the package bash-completion, none of its functions.
#include "app/doc.h"

#include <string.h>

// Bash splits "--engines=serial,op" into the words "--engines", "=" and "serial,op".
static const char before[] = "# Completions of sciara for bash, made by \"sciara doc bash\".\n"
                             "\n"
                             "_sciara_words() {\n"
                             "  local word\n"
                             "  COMPREPLY=()\n"
                             "  for word in $1; do\n"
                             "    [[ $word == \"$cur\"* ]] && COMPREPLY+=(\"$word\")\n"
                             "  done\n"
                             "}\n"
                             "\n"
                             "# Some of the words, with commas: what stands before the last comma is kept.\n"
                             "_sciara_list() {\n"
                             "  local kept='' word\n"
                             "  [[ $cur == *,* ]] && kept=${cur%,*},\n"
                             "  COMPREPLY=()\n"
                             "  for word in $1; do\n"
                             "    [[ $kept$word == \"$cur\"* && ,$kept != *,$word,* ]] && COMPREPLY+=(\"$kept$word\")\n"
                             "  done\n"
                             "}\n"
                             "\n"
                             "_sciara_keys() {\n"
                             "  _sciara_words \"$1\"\n"
                             "  COMPREPLY=(\"${COMPREPLY[@]/%/=}\")\n"
                             "  compopt -o nospace 2> /dev/null\n"
                             "}\n"
                             "\n"
                             "_sciara_files() {\n"
                             "  compopt -o filenames 2> /dev/null\n"
                             "  mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
                             "}\n"
                             "\n"
                             "_sciara_folders() {\n"
                             "  compopt -o filenames 2> /dev/null\n"
                             "  mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
                             "}\n"
                             "\n"
                             "_sciara() {\n"
                             "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} options=''\n"
                             "  COMPREPLY=()\n"
                             "  if [[ $cur == = ]]; then\n"
                             "    cur=''\n"
                             "  elif [[ $prev == = ]]; then\n"
                             "    prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                             "  fi\n";

static const char *const function_of[] = {[SCIARA_VALUE_NONE] = ":",
                                          [SCIARA_VALUE_FREE] = ":",
                                          [SCIARA_VALUE_WORD] = "_sciara_words",
                                          [SCIARA_VALUE_LIST] = "_sciara_list",
                                          [SCIARA_VALUE_KEY] = "_sciara_keys",
                                          [SCIARA_VALUE_FILE] = "_sciara_files",
                                          [SCIARA_VALUE_FOLDER] = "_sciara_folders"};

/** Subcommands: the first word after their command. */
static void print_subcommands(FILE *out) {
  for (const struct sciara_command *const *c = sciara_commands; *c; c++) {
    if (!(*c)->subcommands) continue;
    fprintf(out, "  if [[ $command == %s ]] && ((COMP_CWORD > 2)); then\n    command=%s-${COMP_WORDS[2]}\n", (*c)->name,
            (*c)->name);
    fprintf(out, "  elif [[ $command == %s && $cur != -* ]]; then\n    _sciara_words '", (*c)->name);
    for (const struct sciara_command *const *s = (*c)->subcommands; *s; s++)
      fprintf(out, "%s ", sciara_command_word(*s));
    fputs("'\n    return\n  fi\n", out);
  }
}

static void print_commands(FILE *out) {
  fputs("  if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help && $COMP_CWORD == 2 ]]; then\n    _sciara_words '",
        out);
  for (const struct sciara_command *const *c = sciara_commands; *c; c++) fprintf(out, "%s ", (*c)->name);
  fputs("help --help --version'\n    return\n  fi\n", out);
}

/** "    run:-e | run:--engine) _sciara_words 'auto serial' ;;" */
static void print_bash_value(const struct sciara_command *command, const struct sciara_option *o, FILE *out) {
  fputs("    ", out);
  char name[64];
  sciara_command_join(command, '-', name, sizeof name);
  if (o->letter) fprintf(out, "%s:-%c | ", name, o->letter);
  fprintf(out, "%s:--%s) %s '", name, o->name, function_of[sciara_option_kind(o)]);
  sciara_option_words(o, out);
  fputs("'; return ;;\n", out);
}

static void print_bash_options(const struct sciara_command *command, FILE *out) {
  const struct sciara_option *o;
  char name[64];
  sciara_command_join(command, '-', name, sizeof name);
  fprintf(out, "    %s) options='", name);
  for (size_t k = 0; (o = sciara_command_option(command, k)); k++) {
    if (o->letter) fprintf(out, "-%c ", o->letter);
    fprintf(out, "--%s ", o->name);
  }
  fprintf(out, "' operand=\"%s '", function_of[sciara_operand_kind(command)]);
  sciara_operand_words(command, out);
  fputs("'\" ;;\n", out);
}

void sciara_doc_bash(FILE *out) {
  fputs(before, out);
  print_commands(out);
  fputs("  local command=${COMP_WORDS[1]}\n", out);
  print_subcommands(out);
  fputs("  case $command:$prev in\n", out);
  const struct sciara_command *command;
  for (size_t n = 0; (command = sciara_command_at(n)); n++) {
    const struct sciara_option *o;
    for (size_t k = 0; (o = sciara_command_option(command, k)); k++)
      if (o->argument) print_bash_value(command, o, out);
  }
  fputs("  esac\n  local operand=:\n  case $command in\n", out);
  for (size_t n = 0; (command = sciara_command_at(n)); n++) print_bash_options(command, out);
  fputs("  esac\n"
        "  if [[ $cur == -* ]]; then\n"
        "    _sciara_words \"$options\"\n"
        "  else\n"
        "    eval \"$operand\"\n"
        "  fi\n"
        "} && complete -F _sciara sciara\n",
        out);
}

// ---------------------------------------------------------------------------------------------------------------- fish

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

// ----------------------------------------------------------------------------------------------------------------- zsh

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
