// SPDX-License-Identifier: Apache-2.0
// What `run` and `resume` have in common: signals, progress, paths on standard output, the final messages.
#ifndef SCIARA_APP_SESSION_H
#define SCIARA_APP_SESSION_H

#include "app/command.h"
#include "run/run.h"

/** "2026-11-20T12:00:00Z: sciara run a.json --steps 5": the CF attribute history; malloc'd; NULL: the error is set. */
char *sciara_session_history(const struct sciara_arguments *arguments);

/** From now on SIGUSR1 requests a checkpoint instead of ending the program. */
void sciara_session_expect_requests(void);

/** --progress-every; below 0, with a message, if it is invalid, 0 if it was not given. */
double sciara_session_progress_every(const struct sciara_arguments *arguments);

enum { SCIARA_SESSION_EMISSION = 160 };

/** "; of it 1.1e+06 m3 in the run (0 s to 1 d)", of a run that does not last as long as its vents; "" for others. */
void sciara_session_emission(const struct sciara_problem *p, char text[SCIARA_SESSION_EMISSION]);

/**
 * Opens the scenario, or the checkpoint of options->resume, runs the simulation to its end and reports errors. Ctrl-C, SIGTERM and
 * SIGHUP stop it.
 *
 * @param options overwrite, observer, cancel and checkpoint are filled in here
 * @return the exit code
 */
int sciara_session_run(const struct sciara_arguments *arguments, const struct sciara_run_options *options,
                       double message_every);

#endif
