// SPDX-License-Identifier: Apache-2.0
// Completions for bash. They use only the folder of the package bash-completion, none of its functions.
#include "app/doc.h"

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
