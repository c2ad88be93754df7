// SPDX-License-Identifier: Apache-2.0
// What sciara and the programs beside it have in common: how they begin and end, and where they are installed.
#ifndef SCIARA_APP_PROGRAM_H
#define SCIARA_APP_PROGRAM_H

#include "app/command.h"

/** Prepares output, messages, signals and memory. SCIARA_OK, or the exit code after a message. */
int sciara_program_begin(int argc, char **argv);

/** Checks that everything printed was written: a full disk under standard output is an error. The exit code. */
int sciara_program_end(int code);

/** PREFIX of the running program, which is PREFIX/bin/sciara, PREFIX/sciara of a build, or in PREFIX/libexec/sciara: malloc'd; NULL: not known. */
char *sciara_program_prefix(void);

/**
 * Becomes PREFIX/libexec/sciara/sciara-NAME, never a program of PATH or of the current folder. @param words its command line,
 * from the word that names the command on; ends with NULL. Returns only on failure: SCIARA_ERR_IO.
 */
enum sciara_status sciara_program_become(const struct sciara_command *command, char **words);

#endif
