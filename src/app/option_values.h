// SPDX-License-Identifier: Apache-2.0
// The possible values of an option, as far as the program knows them, for shell completions.
#ifndef SCIARA_APP_OPTION_VALUES_H
#define SCIARA_APP_OPTION_VALUES_H

#include <stdio.h>

#include "app/command.h"

enum sciara_value_kind {
  SCIARA_VALUE_NONE, ///< the option takes none
  SCIARA_VALUE_FREE, ///< anything: a number, a text
  SCIARA_VALUE_WORD, ///< one of the words
  SCIARA_VALUE_LIST, ///< some of the words, separated by commas
  SCIARA_VALUE_KEY,  ///< one of the words, then "=" and a value
  SCIARA_VALUE_FILE,
  SCIARA_VALUE_FOLDER,
};

enum sciara_value_kind sciara_option_kind(const struct sciara_option *option);

/** Prints the words that the option takes, separated by blanks. */
void sciara_option_words(const struct sciara_option *option, FILE *out);

/** The same for the first operand of a command. */
enum sciara_value_kind sciara_operand_kind(const struct sciara_command *command);
void sciara_operand_words(const struct sciara_command *command, FILE *out);

#endif
