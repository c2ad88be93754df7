// SPDX-License-Identifier: Apache-2.0
// A command: its options as a table, which is used for parsing, --help, the manual and completions.
#ifndef SCIARA_APP_COMMAND_H
#define SCIARA_APP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

/** One option. */
struct sciara_option {
  const char *name;     ///< long name without the dashes
  char letter;          ///< short name, or 0
  const char *argument; ///< placeholder of its argument ("N"), or NULL if it takes none
  const char *help;
};

/** What a command does if a launcher of MPI has started several processes. */
enum sciara_command_ranks {
  SCIARA_RANK_0,    ///< one of them does it, the others end
  SCIARA_ALL_RANKS, ///< they do it together
  SCIARA_NO_RANKS,  ///< it refuses
};

struct sciara_arguments;

/** What it does is one of the last four members. */
struct sciara_command {
  const char *name, *summary;
  enum sciara_command_ranks ranks;
  const char *operands; ///< "SCENARIO"
  size_t operand_min, operand_max;
  const struct sciara_option *options; ///< ends with a NULL name
  const char *details;                 ///< paragraphs for --help, or NULL
  /** NULL, or a text of its own for the help of an option, valid until the next call. */
  const char *(*option_help)(const struct sciara_command *command, const struct sciara_option *option);
  void (*print_more)(const struct sciara_command *command); ///< prints more text after them in --help, or NULL
  /** NULL, or the commands of which this one consists; ends with NULL. Their names begin with its name: "ensemble plan" */
  const struct sciara_command *const *subcommands;
  enum sciara_status (*execute)(const struct sciara_arguments *arguments); ///< its error is reported
  int (*run)(const struct sciara_arguments *arguments);                    ///< reports errors; the exit code
  /** NULL, or the command is a program of its own, sciara-NAME, of this package of Debian: at once, or after `run` or `execute` has looked at the words */
  const char *package;
};

/** The commands, in the order of the help; ends with NULL. */
extern const struct sciara_command *const sciara_commands[];

/** Options of a command line. */
enum { SCIARA_MOST_GIVEN = 256 };

/** The parsed command line. Pointers point into argv. */
struct sciara_arguments {
  const struct sciara_command *command;
  int argc;
  char *const *argv; ///< as given, from the word that names the command
  struct {
    const struct sciara_option *option;
    const char *value; ///< NULL if the option takes none
  } given[SCIARA_MOST_GIVEN];
  size_t given_count;
  const char *operand[16];
  size_t operand_count;
};

/** Parses argv[1..] of a command and does what it says, or finds the subcommand that argv[1] names. The exit code. */
int sciara_command_run(const struct sciara_command *command, int argc, char **argv);

/** The command of a list, ended by NULL, of which this is the last word; NULL: there is none. */
const struct sciara_command *sciara_command_find(const struct sciara_command *const *list, const char *word);

/** SCIARA_ERR_USAGE for the name of a command that is none, with the closest one. @param of whose subcommands; NULL: the program's */
enum sciara_status sciara_command_unknown(const struct sciara_command *of, const char *word);

/** The last word of the name of a command: "plan" of "ensemble plan". */
const char *sciara_command_word(const struct sciara_command *command);

/** The k-th option of a command, its own first, then the common ones; NULL after the last. */
const struct sciara_option *sciara_command_option(const struct sciara_command *command, size_t k);

/** What an option of the command means. */
const char *sciara_option_help(const struct sciara_command *command, const struct sciara_option *option);

/** Whether the option was given. */
bool sciara_argument_given(const struct sciara_arguments *a, const char *name);

/** The values of an option that may be repeated, in order; returns their number. */
size_t sciara_arguments_all(const struct sciara_arguments *a, const char *name, const char *values[SCIARA_MOST_GIVEN]);

/** The last value of the option; NULL if it was not given. */
const char *sciara_argument(const struct sciara_arguments *a, const char *name);

/** Options that every command has: verbosity. */
extern const struct sciara_option sciara_common_options[];

/** A name and its meaning, for lists; ends with a NULL name. */
struct sciara_meaning {
  const char *name, *meaning;
};

/** The exit codes of the program. */
extern const struct sciara_meaning sciara_exit_codes[];

#endif
