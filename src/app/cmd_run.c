// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "app/command.h"
#include "app/messages.h"
#include "app/ranks.h"
#include "app/scenario_options.h"
#include "app/session.h"
#include "base/text.h"

static const struct sciara_option options[] = {
    SCIARA_SCENARIO_OPTIONS,
    {"title", 0, "TEXT", "title of the run, its maps and its page"},
    {"overwrite", 0, NULL, "replace an existing run in the folder, and an existing profile"},
    {"profile", 0, "FILE", "write the time of the steps as CSV"},
    {"profile-every", 0, "K", "steps between two rows of the profile; default 1000"},
    {"progress-every", 0, "S", "seconds between two progress messages if there is no terminal; default 30"},
    {0},
};

/** --profile-every; 0, with a message, if it is invalid. */
static uint64_t profile_every(const struct sciara_arguments *arguments) {
  enum { PRESET = 1000 };
  const char *text = sciara_argument(arguments, "profile-every");
  double value = PRESET;
  if (text && !sciara_argument(arguments, "profile")) {
    sciara_error("--profile-every: allowed only together with --profile");
    return 0;
  }
  if (!text ||
      (sciara_parse_double(text, &value) && value >= 1 && value == floor(value) && value <= 9007199254740991.0))
    return (uint64_t)value;
  sciara_error("--profile-every: expected a whole number >= 1, found \"%s\"", text);
  return 0;
}

/** From the scenario to the simulation; reports all problems and returns the exit code. */
static int prepare(const struct sciara_arguments *arguments, struct sciara_simulation **out) {
  struct sciara_scenario_additions additions;
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_problem problem = {0};
  int code = sciara_report(sciara_additions_make(arguments, &additions));
  if (code == SCIARA_OK) {
    const struct sciara_problem_options how = sciara_ranks_options(sciara_additions_options(&additions));
    sciara_problem_open_all(arguments->operand[0], &how, &problem, &diagnostics);
    code = sciara_report_all(&diagnostics);
  }
  if (code == SCIARA_OK) {
    sciara_session_describe(&problem);
    problem.scenario.engine.profile = sciara_argument_given(arguments, "profile");
    problem.comm = sciara_ranks();
    code = sciara_report(sciara_simulation_create(&problem, sciara_scenario_writes_on_the_way(&problem.scenario), out));
  }
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  sciara_additions_free(&additions);
  return code;
}

static int run(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  char *history = sciara_session_history(argc, argv);
  sciara_session_expect_requests();
  int code = sciara_arguments_parse(command, argc, argv, &arguments);
  const uint64_t every = code < 0 ? profile_every(&arguments) : 0;
  const double message_every = code < 0 ? sciara_session_progress_every(&arguments) : 0;
  if (code < 0 && (every == 0 || message_every < 0)) code = SCIARA_ERR_USAGE;
  if (code < 0 && !history) code = sciara_report(SCIARA_ERR_MEMORY); // set by sciara_session_history
  if (code < 0) {
    struct sciara_simulation *simulation = NULL;
    code = prepare(&arguments, &simulation);
    const struct sciara_run_options run_options = {.overwrite = sciara_argument_given(&arguments, "overwrite"),
                                                   .history = history,
                                                   .profile = sciara_argument(&arguments, "profile"),
                                                   .profile_every = every};
    if (code == SCIARA_OK) code = sciara_session_run(simulation, &run_options, message_every);
    sciara_simulation_destroy(simulation);
  }
  free(history);
  return code;
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
    .run = run,
};
