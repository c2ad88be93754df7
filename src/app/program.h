// SPDX-License-Identifier: Apache-2.0
// What sciara and the programs beside it have in common: how they begin and end, also by signals, where they are installed,
// and the files that come with them: scenarios and their terrain.
#ifndef SCIARA_APP_PROGRAM_H
#define SCIARA_APP_PROGRAM_H

#include "app/command.h"
#include "base/text.h"

/** Prepares output, messages, signals and memory. SCIARA_OK, or the exit code after a message. */
int sciara_program_begin(int argc, char **argv);

/** Checks that everything printed was written: a full disk under standard output is an error. The exit code. */
int sciara_program_end(int code);

// ------------------------------------------------ Ctrl-C, SIGTERM and SIGHUP end a command that keeps what it has done

/** From now on the first of them is only noted. A second one ends the program at once. */
void sciara_stop_signals_catch(void);

/** The signal, to be read atomically; 0: none so far. */
const int *sciara_stop_signal(void);

/** The exit code of a command with this one: 128 + the signal if one has stopped a success. */
int sciara_stop_signal_code(int code);

// ----------------------------------------------------------------------------------------------- where it is installed

/**
 * Becomes PREFIX/libexec/sciara/sciara-NAME, never a program of PATH or of the current folder. @param words its command line,
 * from the word that names the command on; ends with NULL. Returns only on failure: SCIARA_ERR_IO.
 */
enum sciara_status sciara_program_become(const struct sciara_command *command, char **words);

/**
 * Searches in the folder config of the current folder, then in that of the installed program; *path is NULL if it is in
 * neither.
 */
enum sciara_status sciara_bundled_find(const char *name, char **path);

/** Appends the paths of the installed scenarios, one per line, sorted by name. */
enum sciara_status sciara_bundled_list(struct sciara_text *out);

#endif
