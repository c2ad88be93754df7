// SPDX-License-Identifier: Apache-2.0
#include "app/command.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/messages.h"
#include "app/output.h"
#include "base/date.h"
#include "base/status.h"
#include "base/text.h"
#include "engine/engine.h"

enum { MOST_OPTIONS = 32 };

const struct sciara_option sciara_common_options[] = {
    {"quiet", 'q', NULL, "print only errors and results"},
    {"verbose", 'v', NULL, "print more messages"},
    {"log-json", 0, NULL, "messages on stderr as JSON lines"},
    {"time-zone", 0, "Z", "show dates in this zone, such as +02:00 (default: UTC)"},
    {"help", 'h', NULL, "show this help"},
    {0},
};

// -------------------------------------------------------------------------------------------------------------- tables

const char *sciara_command_word(const struct sciara_command *command) {
  const char *blank = strrchr(command->name, ' ');
  return blank ? blank + 1 : command->name;
}

const struct sciara_command *sciara_command_find(const struct sciara_command *const *list, const char *word) {
  while (*list && strcmp(sciara_command_word(*list), word) != 0) list++;
  return *list;
}

enum sciara_status sciara_command_unknown(const struct sciara_command *of, const char *word) {
  const struct sciara_command *const *list = of ? of->subcommands : sciara_commands;
  const char *names[64], *before = of ? of->name : "", *blank = of ? " " : "";
  size_t count = 0;
  for (; list[count] && count < 64; count++) names[count] = sciara_command_word(list[count]);
  const char *closest = sciara_closest_name(word, names, count);
  if (closest)
    return sciara_fail(SCIARA_ERR_USAGE, "there is no command \"%s%s%s\"; did you mean \"%s%s%s\"?", before, blank,
                       word, before, blank, closest);
  return sciara_fail(SCIARA_ERR_USAGE, "there is no command \"%s%s%s\"; 'sciara %s%s--help' lists them", before, blank,
                     word, before, blank);
}

const struct sciara_option *sciara_command_option(const struct sciara_command *command, size_t k) {
  const struct sciara_option *o = command->options;
  while (o->name && k > 0) o++, k--;
  if (o->name) return o;
  for (o = sciara_common_options; o->name && k > 0; k--) o++;
  return o->name ? o : NULL;
}

/** The options of a command in one array; returns their number. */
static size_t collect(const struct sciara_command *command, const struct sciara_option *all[MOST_OPTIONS]) {
  size_t count = 0;
  while (count < MOST_OPTIONS && (all[count] = sciara_command_option(command, count))) count++;
  return count;
}

const char *sciara_option_help(const struct sciara_command *command, const struct sciara_option *option) {
  return command->option_help ? command->option_help(command, option) : option->help;
}

// ------------------------------------------------------------------------------------------------------------- parsing

static void print_command_help(const struct sciara_command *command) {
  const struct sciara_option *all[MOST_OPTIONS];
  const size_t count = collect(command, all);
  sciara_print("sciara %s: %s\n\nusage: sciara %s [OPTION]...%s%s\n\n", command->name, command->summary, command->name,
               *command->operands ? " " : "", command->operands);
  for (const struct sciara_command *const *s = command->subcommands; s && *s; s++)
    sciara_print("  %-29s %s\n", sciara_command_word(*s), (*s)->summary);
  if (command->subcommands) sciara_print("\n");
  for (size_t k = 0; k < count; k++) {
    char left[64];
    snprintf(left, sizeof left, "%s%c%s--%s%s%s", all[k]->letter ? "-" : " ", all[k]->letter ? all[k]->letter : ' ',
             all[k]->letter ? ", " : "  ", all[k]->name, all[k]->argument ? " " : "",
             all[k]->argument ? all[k]->argument : "");
    sciara_print("  %-29s %s\n", left, sciara_option_help(command, all[k]));
  }
  if (command->details) {
    sciara_print_raw("\n");
    sciara_print_raw(command->details);
  }
  if (command->print_more) command->print_more(command);
}

/** Prints the message for an argument that getopt rejected; getopt itself is silent. */
static void explain_diagnostic(const struct sciara_command *command, char **argv, int what) {
  const struct sciara_option *all[MOST_OPTIONS];
  const size_t count = collect(command, all);
  const char *names[MOST_OPTIONS];
  for (size_t k = 0; k < count; k++) names[k] = all[k]->name;
  char typed[64] = "";
  const char *word = argv[optind - 1];
  const bool is_letter = optopt > 0 && optopt < 256; // then `word` may be the argument before "-Xq"
  if (!is_letter && strncmp(word, "--", 2) == 0)
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word + 2, "="), word + 2);
  if (what == ':') {
    sciara_error("%s needs a value; 'sciara %s --help' shows the options", word, command->name);
    return;
  }
  const char *closest = *typed ? sciara_closest_name(typed, names, count) : NULL;
  for (size_t k = 0; k < count && *typed && !closest; k++) // "--layer", which is now "--observed-layer"
    if (strlen(typed) > 2 && strstr(names[k], typed)) closest = names[k];
  if (is_letter)
    sciara_error("there is no option -%c; 'sciara %s --help' shows the options", optopt, command->name);
  else if (closest && strcmp(closest, typed) == 0)
    sciara_error("--%s takes no value", typed);
  else if (closest)
    sciara_error("there is no option --%s; did you mean --%s?", typed, closest);
  else
    sciara_error("there is no option %s; 'sciara %s --help' shows the options", word, command->name);
}

/**
 * The name of a file or folder must not be an option: in "-o --overwrite" the value is missing, and "-" would be a file
 * of that name instead of the standard stream that it means elsewhere.
 */
static bool is_file_name(const char *option, const char *value) {
  if (*value != '-') return true;
  if (value[1])
    sciara_error("--%s: expected a name, found \"%s\"; a file of that name is ./%s", option, value, value);
  else
    sciara_error("--%s: expected a name, found \"-\": standard input and output cannot be used as files", option);
  return false;
}

static bool names_file(const struct sciara_option *option) {
  return option->argument && (strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "DIR") == 0);
}

static int check_operands(const struct sciara_command *command, int argc, char **argv, struct sciara_arguments *out) {
  const size_t count = (size_t)(argc - optind);
  if (count > command->operand_max) {
    sciara_error("unexpected argument \"%s\"; usage: sciara %s [OPTION]... %s",
                 argv[optind + (int)command->operand_max], command->name, command->operands);
    return SCIARA_ERR_USAGE;
  }
  if (count < command->operand_min) {
    sciara_error("too few arguments; usage: sciara %s [OPTION]... %s", command->name, command->operands);
    return SCIARA_ERR_USAGE;
  }
  for (size_t k = 0; k < count; k++) {
    out->operand[k] = argv[optind + (int)k];
    if (strcmp(out->operand[k], "-") != 0) continue;
    sciara_error("expected a name, found \"-\": standard input and output cannot be used as files; usage: sciara %s %s",
                 command->name, command->operands);
    return SCIARA_ERR_USAGE;
  }
  out->operand_count = count;
  return -1;
}

/** Parses argv[1..]. Prints help or a message itself. -1: continue; otherwise the exit code (0 after --help). */
static int parse(const struct sciara_command *command, int argc, char **argv, struct sciara_arguments *out) {
  const struct sciara_option *all[MOST_OPTIONS];
  const size_t count = collect(command, all);
  struct option table[MOST_OPTIONS + 1] = {0};
  char letters[2 * MOST_OPTIONS + 2] = ":";
  for (size_t k = 0; k < count; k++) {
    table[k] = (struct option){all[k]->name, all[k]->argument ? required_argument : no_argument, NULL, 256 + (int)k};
    const char letter[] = {all[k]->letter, all[k]->argument ? ':' : '\0', '\0'};
    // NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.strcpy): there are two bytes for each option
    if (all[k]->letter) strcat(letters, letter);
  }
  opterr = 0;
  optind = 1;
  for (int what; (what = getopt_long(argc, argv, letters, table, NULL)) != -1;) {
    size_t k = what >= 256 ? (size_t)(what - 256) : 0;
    if (what < 256)
      while (k < count && all[k]->letter != what) k++;
    if (what == '?' || what == ':' || k >= count) {
      explain_diagnostic(command, argv, what);
      return SCIARA_ERR_USAGE;
    }
    if (all[k]->argument && !*optarg) { // an unset variable of a script, which must not name the current folder
      sciara_error("--%s: expected a value that is not empty", all[k]->name);
      return SCIARA_ERR_USAGE;
    }
    if (all[k]->argument && names_file(all[k]) && !is_file_name(all[k]->name, optarg)) return SCIARA_ERR_USAGE;
    if (out->given_count == sizeof out->given / sizeof *out->given) {
      sciara_error("too many options");
      return SCIARA_ERR_USAGE;
    }
    out->given[out->given_count].option = all[k];
    out->given[out->given_count++].value = optarg;
  }
  if (sciara_argument_given(out, "help")) {
    print_command_help(command);
    return SCIARA_OK;
  }
  const char *zone = sciara_argument(out, "time-zone");
  if (zone && sciara_show_zone(zone) != SCIARA_OK) return sciara_report(SCIARA_ERR_USAGE);
  sciara_messages_configure(sciara_argument_given(out, "quiet"), sciara_argument_given(out, "verbose"),
                            sciara_argument_given(out, "log-json"));
  return check_operands(command, argc, argv, out);
}

int sciara_command_run(const struct sciara_command *command, int argc, char **argv) {
  if (command->subcommands && argc > 1 && argv[1][0] != '-') {
    const struct sciara_command *found = sciara_command_find(command->subcommands, argv[1]);
    return found ? sciara_command_run(found, argc - 1, argv + 1)
                 : sciara_report(sciara_command_unknown(command, argv[1]));
  }
  struct sciara_arguments arguments = {.command = command, .argc = argc, .argv = argv};
  char **words = (char **)calloc((size_t)argc + 1, sizeof *words); // which getopt puts in another order
  if (!words) return sciara_report(sciara_no_memory("the command line"));
  memcpy(words, argv, (size_t)argc * sizeof *words);
  const int code = parse(command, argc, words, &arguments);
  free((void *)words);
  if (code >= 0) return code;
  if (command->subcommands) return sciara_report(sciara_command_unknown(command, arguments.operand[0]));
  return command->run ? command->run(&arguments) : sciara_report(command->execute(&arguments));
}

bool sciara_argument_given(const struct sciara_arguments *a, const char *name) {
  for (size_t k = 0; k < a->given_count; k++)
    if (strcmp(a->given[k].option->name, name) == 0) return true;
  return false;
}

const char *sciara_argument(const struct sciara_arguments *a, const char *name) {
  const char *value = NULL;
  for (size_t k = 0; k < a->given_count; k++)
    if (strcmp(a->given[k].option->name, name) == 0) value = a->given[k].value;
  return value;
}

size_t sciara_arguments_all(const struct sciara_arguments *a, const char *name, const char *values[SCIARA_MOST_GIVEN]) {
  size_t count = 0;
  for (size_t k = 0; k < a->given_count; k++)
    if (strcmp(a->given[k].option->name, name) == 0) values[count++] = a->given[k].value;
  return count;
}
