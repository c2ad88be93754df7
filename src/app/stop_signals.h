// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP end a command that keeps what it has done.
#ifndef SCIARA_APP_STOP_SIGNALS_H
#define SCIARA_APP_STOP_SIGNALS_H

/** From now on the first of them is only noted. A second one ends the program at once. */
void sciara_stop_signals_catch(void);

/** The signal, to be read atomically; 0: none so far. */
const int *sciara_stop_signal(void);

/** The exit code of a command with this one: 128 + the signal if one has stopped a success. */
int sciara_stop_signal_code(int code);

#endif
