// SPDX-License-Identifier: Apache-2.0
// Man pages and completions, made from the tables of commands and options.
#ifndef SCIARA_APP_DOC_H
#define SCIARA_APP_DOC_H

#include <stdio.h>

#include "app/command.h"

/**
 * Prints the man page of a command, or with NULL that of the program. ferror(out) shows whether everything was written.
 */
void sciara_doc_man(const struct sciara_command *command, FILE *out);

/** Print the completions for a shell. */
void sciara_doc_bash(FILE *out);
void sciara_doc_zsh(FILE *out);
void sciara_doc_fish(FILE *out);

/** A name and its meaning, for lists; ends with a NULL name. */
struct sciara_meaning {
  const char *name, *meaning;
};

/** The exit codes of the program. */
extern const struct sciara_meaning sciara_exit_codes[];

#endif
