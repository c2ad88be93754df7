// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/output.h"
#include "app/program.h"
#include "engine/engine.h"
#include "file/durable.h"
#include "map/colour_ramp.h"
#include "model/field.h"
#include "scenario/scenario.h"

/** Prints a page; `command` is NULL except for the man page of a command. ferror(out) shows whether everything was written. */
typedef void maker(const struct sciara_command *command, FILE *out);

// ------------------------------------------------------------------------------------------------------------ commands

/** The name of a command with another separator: "ensemble-plan". */
static void join_words(const struct sciara_command *command, char separator, char *buffer, size_t capacity) {
  snprintf(buffer, capacity, "%s", command->name);
  for (char *p = buffer; *p; p++)
    if (*p == ' ') *p = separator;
}

/** The k-th of all commands, in the order of the help: subcommands follow their command. NULL after the last. */
static const struct sciara_command *command_at(size_t k) {
  for (const struct sciara_command *const *c = sciara_commands; *c; c++) {
    if (k-- == 0) return *c;
    for (const struct sciara_command *const *s = (*c)->subcommands; s && *s; s++)
      if (k-- == 0) return *s;
  }
  return NULL;
}

// --------------------------------------------------------------------------------------------------------------- words
// The possible values of an option, as far as the program knows them.

enum value_kind {
  VALUE_NONE, ///< the option takes none
  VALUE_FREE, ///< anything: a number, a text
  VALUE_WORD, ///< one of the words
  VALUE_LIST, ///< some of the words, separated by commas
  VALUE_KEY,  ///< one of the words, then "=" and a value
  VALUE_FILE,
  VALUE_FOLDER,
};

static void print_engines(const char *first, FILE *out) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  fputs(first, out);
  for (size_t k = 0; k < count; k++) fprintf(out, " %s", list[k].name);
}

static void print_field_names(FILE *out) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    fprintf(out, "%s%s", f ? " " : "", sciara_field_name((enum sciara_field)f));
}

static void print_keys(FILE *out) {
  const char *key;
  for (size_t k = 0; (key = sciara_scenario_settable_key(k)); k++) fprintf(out, "%s%s", k ? " " : "", key);
}

/**
 * Length of the "a|b|c" at the start of a placeholder, up to a blank; 0 if these are not words to be typed literally.
 */
static size_t choices_length(const char *placeholder) {
  const size_t length = strcspn(placeholder, " ");
  const bool typed = strspn(placeholder, "abcdefghijklmnopqrstuvwxyz0123456789-_|") >= length;
  return typed && memchr(placeholder, '|', length) ? length : 0;
}

static void print_choices(const char *placeholder, FILE *out) {
  const size_t length = choices_length(placeholder);
  for (size_t k = 0; k < length; k++) fputc(placeholder[k] == '|' ? ' ' : placeholder[k], out);
}

static bool is(const struct sciara_option *option, const char *name) { return strcmp(option->name, name) == 0; }

// An option of the same name means the same in every command.
static enum value_kind option_kind(const struct sciara_option *option) {
  if (!option->argument) return VALUE_NONE;
  if (is(option, "engine") || is(option, "field") || choices_length(option->argument)) return VALUE_WORD;
  if (is(option, "engines")) return VALUE_LIST;
  if (strcmp(option->argument, "K=V") == 0) return VALUE_KEY;
  if (strcmp(option->argument, "FILE") == 0) return VALUE_FILE;
  return strcmp(option->argument, "DIR") == 0 ? VALUE_FOLDER : VALUE_FREE;
}

/** Prints the words that the option takes, separated by blanks. */
static void option_words(const struct sciara_option *option, FILE *out) {
  const enum value_kind kind = option_kind(option);
  if (kind == VALUE_KEY)
    print_keys(out);
  else if (kind == VALUE_LIST)
    print_engines("all", out);
  else if (kind == VALUE_WORD && is(option, "engine"))
    print_engines("auto", out);
  else if (kind == VALUE_WORD && is(option, "field"))
    print_field_names(out);
  else if (kind == VALUE_WORD)
    print_choices(option->argument, out);
}

static enum value_kind operand_kind(const struct sciara_command *command) {
  if (!*command->operands) return VALUE_NONE;
  return choices_length(command->operands) ? VALUE_WORD : VALUE_FILE;
}

// ---------------------------------------------------------------------------------------------------------------- bash

// Completions for bash. They use only the folder of the package bash-completion, none of its functions.
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

static const char *const function_of[] = {[VALUE_NONE] = ":",
                                          [VALUE_FREE] = ":",
                                          [VALUE_WORD] = "_sciara_words",
                                          [VALUE_LIST] = "_sciara_list",
                                          [VALUE_KEY] = "_sciara_keys",
                                          [VALUE_FILE] = "_sciara_files",
                                          [VALUE_FOLDER] = "_sciara_folders"};

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
  join_words(command, '-', name, sizeof name);
  if (o->letter) fprintf(out, "%s:-%c | ", name, o->letter);
  fprintf(out, "%s:--%s) %s '", name, o->name, function_of[option_kind(o)]);
  option_words(o, out);
  fputs("'; return ;;\n", out);
}

static void print_bash_options(const struct sciara_command *command, FILE *out) {
  const struct sciara_option *o;
  char name[64];
  join_words(command, '-', name, sizeof name);
  fprintf(out, "    %s) options='", name);
  for (size_t k = 0; (o = sciara_command_option(command, k)); k++) {
    if (o->letter) fprintf(out, "-%c ", o->letter);
    fprintf(out, "--%s ", o->name);
  }
  fprintf(out, "' operand=\"%s '", function_of[operand_kind(command)]);
  print_choices(command->operands, out);
  fputs("'\" ;;\n", out);
}

static void doc_bash(const struct sciara_command *none, FILE *out) {
  (void)none;
  fputs(before, out);
  print_commands(out);
  fputs("  local command=${COMP_WORDS[1]}\n", out);
  print_subcommands(out);
  fputs("  case $command:$prev in\n", out);
  const struct sciara_command *command;
  for (size_t n = 0; (command = command_at(n)); n++) {
    const struct sciara_option *o;
    for (size_t k = 0; (o = sciara_command_option(command, k)); k++)
      if (o->argument) print_bash_value(command, o, out);
  }
  fputs("  esac\n  local operand=:\n  case $command in\n", out);
  for (size_t n = 0; (command = command_at(n)); n++) print_bash_options(command, out);
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
  switch (option_kind(o)) {
    case VALUE_NONE: break;
    case VALUE_FREE: fputs(" -x", out); break;
    case VALUE_FILE: fputs(" -r -F", out); break;
    case VALUE_FOLDER: fputs(" -x -a '(__fish_complete_directories)'", out); break;
    case VALUE_WORD:
      fputs(" -x -a '", out);
      option_words(o, out);
      fputc('\'', out);
      break;
    case VALUE_LIST:
      fputs(" -x -a '(__fish_append , ", out);
      option_words(o, out);
      fputs(")'", out);
      break;
    case VALUE_KEY:
      fputs(" -x -a '(printf \"%s=\\n\" ", out);
      option_words(o, out);
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
  const enum value_kind kind = command->subcommands ? VALUE_NONE : operand_kind(command);
  if (kind == VALUE_FILE) return; // fish offers files automatically
  fputs("complete -c sciara", out);
  print_condition(command, out);
  fputs(" -f", out);
  if (kind == VALUE_WORD) {
    fputs(" -a '", out);
    print_choices(command->operands, out);
    fputc('\'', out);
  }
  fputc('\n', out);
}

static void doc_fish(const struct sciara_command *none, FILE *out) {
  (void)none;
  fputs("# Completions of sciara for fish, made by \"sciara doc fish\".\n"
        "complete -c sciara -n __fish_use_subcommand -f -l help -d 'list the commands'\n"
        "complete -c sciara -n __fish_use_subcommand -f -l version -d 'print the version'\n",
        out);
  const struct sciara_command *command;
  for (size_t k = 0; (command = command_at(k)); k++) print_command(command, out);
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

static void print_action(enum value_kind kind, const struct sciara_option *o, FILE *out) {
  switch (kind) {
    case VALUE_WORD:
      fputc('(', out);
      option_words(o, out);
      fputc(')', out);
      break;
    case VALUE_LIST:
      fprintf(out, "_values -s , %s ", o->name);
      option_words(o, out);
      break;
    case VALUE_KEY:
      fputs("compadd -S = -- ", out);
      option_words(o, out);
      break;
    case VALUE_FILE: fputs("_files", out); break;
    case VALUE_FOLDER: fputs("_files -/", out); break;
    case VALUE_NONE:
    case VALUE_FREE: fputc(' ', out); break;
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
      print_action(option_kind(o), o, out);
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
  join_words(command, '_', name, sizeof name);
  fprintf(out, "_sciara_%s() {\n", name);
  if (command->subcommands) print_dispatch(command, out);
  fputs("  _arguments -s \\\n", out);
  for (size_t k = 0; (o = sciara_command_option(command, k)); k++) print_option(command, o, out);
  const enum value_kind kind = operand_kind(command);
  if (kind == VALUE_NONE) {
    fputs("    && return\n}\n\n", out);
    return;
  }
  fputs("    '*:", out);
  print_escaped(command->operands, out);
  fputc(':', out);
  if (kind == VALUE_WORD) {
    fputc('(', out);
    print_choices(command->operands, out);
    fputs(")'\n}\n\n", out);
  } else {
    fputs("_files'\n}\n\n", out);
  }
}

static void doc_zsh(const struct sciara_command *none, FILE *out) {
  (void)none;
  fputs("#compdef sciara\n# Completions of sciara for zsh, made by \"sciara doc zsh\".\n\n", out);
  const struct sciara_command *command;
  for (size_t k = 0; (command = command_at(k)); k++) print_function(command, out);
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

// ----------------------------------------------------------------------------------------------------------- man pages

// Pages for man: roff with the macros of man(7).
const struct sciara_meaning sciara_exit_codes[] = {
    {"0", "success; compare: equal"},
    {"1", "compare: different; validate, bench: an engine did not pass"},
    {"2", "the command line is invalid"},
    {"3", "an input is invalid, or a file or folder already exists"},
    {"4", "reading or writing failed"},
    {"5", "numerical failure"},
    {"6", "not enough memory"},
    {"7", "the engine or its device is not available"},
    {"70", "internal error: a defect of this program"},
    {"129, 130, 143", "stopped by SIGHUP, SIGINT (Ctrl-C), SIGTERM; the state is saved"},
    {0},
};

static const struct sciara_meaning environment[] = {
    {"NO_COLOR", "if set and not empty: no colours on a terminal"},
    {"LC_CTYPE, LC_ALL, LANG", "encoding of file names; numbers always have a decimal point"},
    {"OMP_NUM_THREADS", "largest number of threads of a CPU engine if neither --threads nor engine.threads gives one"},
    {"SCIARA_ETNA2006", "folder with the files of the 2006 Etna eruption, for the command bench"},
    {0},
};

/** Text on separate lines; escapes what roff would interpret as a request or an escape. */
static void add_man_text(FILE *out, const char *text, size_t count) {
  for (size_t k = 0; k < count; k++) {
    const char c = text[k];
    const bool first = k == 0 || text[k - 1] == '\n';
    if (first && (c == '.' || c == '\'')) fprintf(out, "\\&");
    const char *shown = c == '\\'   ? "\\e"
                        : c == '-'  ? "\\-"
                        : c == '\'' ? "\\(aq"
                        : c == '`'  ? "\\(ga"
                        : c == '^'  ? "\\(ha"
                        : c == '~'  ? "\\(ti"
                                    : NULL;
    shown ? fputs(shown, out) : fputc(c, out);
  }
}

static void add_words(FILE *out, const char *text) { add_man_text(out, text, strlen(text)); }

/** Lines are filled; a line that begins with a blank (a table) is unchanged; an empty line ends a paragraph. */
static void add_paragraphs(FILE *out, const char *text) {
  bool table = false;
  for (const char *line = text; *line;) {
    const size_t length = strcspn(line, "\n");
    if ((*line == ' ') != table) {
      table = !table;
      fprintf(out, table ? ".nf\n" : ".fi\n");
    }
    length == 0 ? (void)fputs(".PP", out) : add_man_text(out, line, length);
    fprintf(out, "\n");
    line += length + (line[length] == '\n');
  }
  if (table) fprintf(out, ".fi\n");
}

/** "SCENARIO" in "[SCENARIO]..." is printed in italics; words in lower case are typed literally. */
static void add_operands(FILE *out, const char *operands) {
  for (const char *p = operands; *p;) {
    const size_t word = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (word > 1 || (word == 1 && !isalpha((unsigned char)p[1]))) {
      fprintf(out, "\\fI%.*s\\fP", (int)word, p);
      p += word;
    } else {
      const size_t rest = 1 + strcspn(p + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
      add_man_text(out, p, rest);
      p += rest;
    }
  }
}

static void add_option(FILE *out, const struct sciara_option *o, const char *help) {
  fprintf(out, ".TP 8\n");
  if (o->letter) fprintf(out, "\\fB\\-%c\\fP, ", o->letter);
  fprintf(out, "\\fB\\-\\-");
  add_words(out, o->name);
  fprintf(out, "\\fP");
  if (o->argument) {
    fprintf(out, " \\fI");
    add_words(out, o->argument);
    fprintf(out, "\\fP");
  } else if (!o->letter && strlen(o->name) == 5) {
    fprintf(out, "\\h'1n'"); // so long that one blank would be left before the help
  }
  fprintf(out, "\n");
  add_words(out, help);
  fprintf(out, "\n");
}

static void add_meanings(FILE *out, const char *heading, const struct sciara_meaning *list) {
  fprintf(out, ".SH %s\n", heading);
  for (; list->name; list++) {
    fprintf(out, ".TP\n.B ");
    add_words(out, list->name);
    fprintf(out, "\n");
    add_words(out, list->meaning);
    fprintf(out, "\n");
  }
}

static void begin(FILE *out, const char *name, const char *summary) {
  fprintf(out, ".\\\" Made by \"sciara doc\" of the tables of options.\n.TH ");
  for (const char *p = name; *p; p++) fprintf(out, *p == '-' ? "\\-" : "%c", toupper((unsigned char)*p));
  fprintf(out, " 1 \"\" \"sciara %s\" \"Lava flows\"\n.SH NAME\n", SCIARA_VERSION);
  add_words(out, name);
  fprintf(out, " \\- ");
  add_words(out, summary);
  fprintf(out, "\n.SH SYNOPSIS\n");
}

static void end(FILE *out, bool of_program) {
  add_meanings(out, "EXIT STATUS", sciara_exit_codes);
  add_meanings(out, "ENVIRONMENT", environment);
  fprintf(out, ".SH SEE ALSO\n");
  if (!of_program) fprintf(out, ".BR sciara (1)\n");
  if (of_program)
    for (const struct sciara_command *const *c = sciara_commands; *c; c++)
      fprintf(out, ".BR sciara\\-%s (1)%s\n", (*c)->name, c[1] ? "," : "");
}

static void man_of_command(const struct sciara_command *command, FILE *out) {
  char name[64];
  snprintf(name, sizeof name, "sciara-");
  join_words(command, '-', name + strlen(name), sizeof name - strlen(name));
  begin(out, name, command->summary);
  fprintf(out, "\\fBsciara %s\\fP [\\fIOPTION\\fP]...%s", command->name, *command->operands ? " " : "");
  add_operands(out, command->operands);
  fprintf(out, "\n");
  if (command->details) {
    fprintf(out, ".SH DESCRIPTION\n");
    add_paragraphs(out, command->details);
  }
  if (command->subcommands) fprintf(out, ".SH COMMANDS\n");
  for (const struct sciara_command *const *s = command->subcommands; s && *s; s++) {
    char page[64];
    join_words(*s, '-', page, sizeof page);
    fprintf(out, ".TP\n.BR sciara\\-");
    add_words(out, page);
    fprintf(out, " (1)\n");
    add_words(out, (*s)->summary);
    fprintf(out, "\n");
  }
  fprintf(out, ".SH OPTIONS\n");
  const struct sciara_option *o;
  for (size_t k = 0; (o = sciara_command_option(command, k)); k++) add_option(out, o, sciara_option_help(command, o));
  end(out, false);
}

static void man_of_program(FILE *out) {
  begin(out, "sciara", "lava-flow simulation with the SCIARA-fv3 cellular automaton");
  fprintf(out, "\\fBsciara\\fP \\fICOMMAND\\fP [\\fIOPTION\\fP]... [\\fIFILE\\fP]...\n.br\n"
               "\\fBsciara \\-\\-help\\fP\n.br\n\\fBsciara \\-\\-version\\fP\n.SH DESCRIPTION\n"
               "Simulates lava flows on a digital elevation model. A scenario in JSON states where lava is "
               "emitted and how much; a run\nwrites snapshots (CF NetCDF), maps for GIS programs, and a record "
               "of the run.\n"
               ".PP\nResults (paths of files, tables) go to standard output, messages and progress to "
               "standard error.\n.SH COMMANDS\n");
  for (const struct sciara_command *const *c = sciara_commands; *c; c++) {
    fprintf(out, ".TP\n.BR sciara\\-%s (1)\n", (*c)->name);
    add_words(out, (*c)->summary);
    fprintf(out, "\n");
  }
  fprintf(out, ".SH OPTIONS OF EVERY COMMAND\n");
  for (const struct sciara_option *o = sciara_common_options; o->name; o++) add_option(out, o, o->help);
  fprintf(out, ".SH EXAMPLES\n.nf\nsciara init dem.tif \\-\\-vent 500300,4177600 \\-\\-rate 5 \\-\\-duration "
               "\"3 d\"\nsciara check dem.json\nsciara run dem.json\nsciara export dem.out \\-\\-format cog\n"
               ".fi\n.PP\nThe scenarios that come with the program: \\fBsciara doc examples\\fP\n");
  end(out, true);
}

/** Prints the man page of a command, or with NULL that of the program. */
static void doc_man(const struct sciara_command *command, FILE *out) {
  command ? man_of_command(command, out) : man_of_program(out);
}

static const struct sciara_option options[] = {
    {"output", 'o', "DIR", "with all (required): the folder, laid out like PREFIX/share; existing files are replaced"},
    {0},
};

/** The text of `make`; release with free. */
static enum sciara_status make_text(maker *make, const struct sciara_command *command, char **bytes, size_t *count) {
  *bytes = NULL;
  FILE *text = open_memstream(bytes, count);
  bool whole = text != NULL;
  if (text) {
    make(command, text);
    whole = !ferror(text);
    whole = fclose(text) == 0 && whole;
  }
  return whole ? SCIARA_OK : sciara_no_memory("a page");
}

static enum sciara_status print_doc_text(maker *make, const struct sciara_command *command) {
  char *text;
  size_t count;
  const enum sciara_status status = make_text(make, command, &text, &count);
  if (status == SCIARA_OK) sciara_print_raw(text);
  free(text);
  return status;
}

static enum sciara_status print_page(const char *name) {
  const struct sciara_command *command;
  for (size_t k = 0; name && (command = command_at(k)); k++) {
    char page[64];
    join_words(command, '-', page, sizeof page);
    if (strcmp(page, name) == 0) return print_doc_text(doc_man, command);
  }
  return name ? sciara_command_unknown(NULL, name) : print_doc_text(doc_man, NULL);
}

static enum sciara_status print_examples(void) {
  struct sciara_text text = {0};
  return sciara_print_text(sciara_bundled_list(&text), &text);
}

// -------------------------------------------------------------------------------------------- files of an installation

/** DIR/WAY/NAME. */
static enum sciara_status write_file(const char *folder, const char *way, const char *name, const char *bytes,
                                     size_t count) {
  char *into, *path;
  SCIARA_TRY(sciara_path_in(folder, way, &into));
  enum sciara_status status = sciara_path_in(into, name, &path);
  if (status == SCIARA_OK) status = sciara_folder_make(into);
  if (status == SCIARA_OK) status = sciara_file_replace(path, bytes, count);
  free(path);
  free(into);
  return status;
}

static enum sciara_status write_page(const char *folder, const char *way, const char *name, maker *make,
                                     const struct sciara_command *command) {
  char *bytes;
  size_t count = 0;
  enum sciara_status status = make_text(make, command, &bytes, &count);
  if (status == SCIARA_OK) status = write_file(folder, way, name, bytes, count);
  free(bytes);
  return status;
}

/** Styles for QGIS in which a value has the same colour on every map; those of export fit one map only. */
static const struct {
  double low, high; // in the unit of the quantity; both 0: no style
} styles[SCIARA_QUANTITY_COUNT] = {
    [SCIARA_QUANTITY_THICKNESS] = {0, 10},
    [SCIARA_QUANTITY_TEMPERATURE] = {1143, 1360},
    [SCIARA_QUANTITY_TIME] = {0, 604800},
    [SCIARA_QUANTITY_SPEED] = {0, 1},
};

static enum sciara_status write_style(const char *folder, const struct sciara_field_info *field) {
  const double low = styles[field->quantity].low, high = styles[field->quantity].high;
  if (!(low < high)) return SCIARA_OK;
  struct sciara_text text = {0};
  char name[64];
  snprintf(name, sizeof name, "%s.qml", field->name);
  enum sciara_status status = sciara_ramp_qml(sciara_ramp_for(field->name), low, high, field->unit, &text);
  if (status == SCIARA_OK) status = write_file(folder, "sciara/styles", name, text.data, text.length);
  sciara_text_free(&text);
  return status;
}

static enum sciara_status write_all(const char *folder) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    SCIARA_TRY(write_style(folder, sciara_field_describe((enum sciara_field)f)));
  SCIARA_TRY(write_page(folder, "man/man1", "sciara.1", doc_man, NULL));
  const struct sciara_command *command;
  for (size_t k = 0; (command = command_at(k)); k++) {
    char page[48], name[64];
    join_words(command, '-', page, sizeof page);
    snprintf(name, sizeof name, "sciara-%s.1", page);
    SCIARA_TRY(write_page(folder, "man/man1", name, doc_man, command));
  }
  SCIARA_TRY(write_page(folder, "bash-completion/completions", "sciara", doc_bash, NULL));
  SCIARA_TRY(write_page(folder, "zsh/site-functions", "_sciara", doc_zsh, NULL));
  return write_page(folder, "fish/vendor_completions.d", "sciara.fish", doc_fish, NULL);
}

// --------------------------------------------------------------------------------------------------------- the command

static enum sciara_status execute_doc(const struct sciara_arguments *a) {
  static const char *const topics[] = {"man", "bash", "zsh", "fish", "examples", "all"};
  const char *topic = a->operand[0], *name = a->operand_count > 1 ? a->operand[1] : NULL,
             *folder = sciara_argument(a, "output");
  const bool is_man = strcmp(topic, "man") == 0, is_all = strcmp(topic, "all") == 0;
  if (name && !is_man) return sciara_fail(SCIARA_ERR_USAGE, "unexpected \"%s\": only man takes a COMMAND", name);
  if (is_all != (folder != NULL))
    return sciara_fail(SCIARA_ERR_USAGE, is_all ? "--output is missing: the folder to write to"
                                                : "--output: allowed only with all; the others are printed");
  if (is_man) return print_page(name);
  if (is_all) return write_all(folder);
  if (strcmp(topic, "examples") == 0) return print_examples();
  if (strcmp(topic, "bash") == 0) return print_doc_text(doc_bash, NULL);
  if (strcmp(topic, "zsh") == 0) return print_doc_text(doc_zsh, NULL);
  if (strcmp(topic, "fish") == 0) return print_doc_text(doc_fish, NULL);
  const char *closest = sciara_closest_name(topic, topics, sizeof topics / sizeof *topics);
  if (closest) return sciara_fail(SCIARA_ERR_USAGE, "there is no page \"%s\"; did you mean \"%s\"?", topic, closest);
  return sciara_fail(SCIARA_ERR_USAGE, "there is no page \"%s\", expected man, bash, zsh, fish, examples or all",
                     topic);
}

const struct sciara_command sciara_cmd_doc = {
    .name = "doc",
    .summary = "print man pages, shell completions, and the paths of the examples",
    .operands = "man|bash|zsh|fish|examples|all [COMMAND]",
    .operand_min = 1,
    .operand_max = 2,
    .options = options,
    .details =
        "man: the page of COMMAND, or of the program. bash, zsh, fish: completions for that shell. examples: the "
        "paths of the\n"
        "scenarios that are installed with the program. all: every page, completion and QGIS style as a file, laid "
        "out like\n"
        "PREFIX/share. Pages and completions are made from the tables with which the options are parsed.\n",
    .execute = execute_doc,
};
