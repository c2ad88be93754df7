// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/messages.h"
#include "app/session.h"

static const struct sciara_option options[] = {
    SCIARA_SCENARIO_OPTIONS,
    {"title", 0, "TEXT", "title of the run, its maps and its page (title)"},
    {"overwrite", 0, NULL, "replace an existing run in the folder, and an existing profile"},
    {"profile", 0, "FILE", "write the time spent in each part of a step as CSV"},
    {"profile-every", 0, "K", "steps between two rows of the profile; default 1000"},
    {"progress-every", 0, "S",
     "seconds between two progress messages if there is no terminal, at least 0.1; default 30"},
    {0},
};

static enum sciara_status take_profile_every(const struct sciara_arguments *a, double *steps) {
  const char *text = sciara_argument(a, "profile-every");
  if (text && !sciara_argument(a, "profile"))
    return sciara_fail(SCIARA_ERR_USAGE, "--profile-every: allowed only together with --profile");
  return sciara_take_whole("profile-every", text, 1, 0x1p53 - 1, steps);
}

static int run_run(const struct sciara_arguments *arguments) {
  sciara_session_expect_requests();
  double profile_every = 1000;
  const int code = sciara_report(take_profile_every(arguments, &profile_every));
  const double message_every = sciara_session_progress_every(arguments);
  if (code != SCIARA_OK || message_every < 0) return SCIARA_ERR_USAGE;
  char *history = sciara_session_history(arguments);
  if (!history) return sciara_report(SCIARA_ERR_MEMORY);
  const struct sciara_run_options run_options = {
      .history = history, .profile = sciara_argument(arguments, "profile"), .profile_every = (uint64_t)profile_every};
  const int done = sciara_session_run(arguments, &run_options, message_every);
  free(history);
  return done;
}

const struct sciara_command sciara_cmd_run = {
    .name = "run",
    .ranks = SCIARA_ALL_RANKS,
    .summary = "simulate a scenario",
    .operands = "SCENARIO",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "Writes to the output folder: snapshots (their paths are printed as soon as they are on the disk), series.nc, "
        "run.json,\n"
        "dem.tif, run.log, and the maps that the scenario requests. Ctrl-C stops after the step in progress and saves "
        "the\nstate; 'sciara resume' continues the run. SIGUSR1 writes a checkpoint, and the run continues.\n",
    .run = run_run,
};
