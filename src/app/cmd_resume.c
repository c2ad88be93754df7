// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/messages.h"
#include "app/session.h"
#include "base/log.h"
#include "base/text.h"

static const struct sciara_option options[] = {
    SCIARA_ENGINE_OPTIONS,
    {"precision", 'p', "double|single", "precision of the fields; must be that of the checkpoint"},
    SCIARA_CHECKPOINT_OPTION,
    {"steps", 'n', "N", "with --output: stop after N steps, including those before the checkpoint"},
    {"until", 'u', "T", "with --output: stop at the first step with simulated time >= T, or that of a date"},
    {"set", 's', "K=V", "with --output: replace a key of vents, run, output or engine, or title; may be repeated"},
    {"output", 'o', "DIR", "continue in this folder, as a branch, and leave the original run unchanged"},
    {"overwrite", 0, NULL, "with --output: replace the run if the folder is not empty"},
    {"progress-every", 0, "S",
     "seconds between two progress messages if there is no terminal, at least 0.1; default 30"},
    {0},
};

/** Options that would change the results of a run that is continued in its own folder. */
static int check_arguments(const struct sciara_arguments *a) {
  static const char *const branching[] = {"steps", "until", "set", "overwrite"};
  if (sciara_argument_given(a, "output")) return SCIARA_OK;
  for (size_t k = 0; k < sizeof branching / sizeof *branching; k++)
    if (sciara_argument_given(a, branching[k])) {
      sciara_error("--%s: allowed only with --output, for a branch: a run is continued as it was started",
                   branching[k]);
      return SCIARA_ERR_USAGE;
    }
  return SCIARA_OK;
}

static int continue_run(const struct sciara_arguments *arguments, struct sciara_resume *resume, const char *history,
                        double message_every) {
  char *whole = sciara_format("%s%s%s", resume->from.history ? resume->from.history : "",
                              resume->from.history ? "\n" : "", history);
  const struct sciara_run_options run_options = {.history = whole, .profile_every = 1, .resume = resume};
  const int code =
      whole ? sciara_session_run(arguments, &run_options, message_every) : sciara_report(sciara_no_memory("a text"));
  free(whole);
  return code;
}

static int execute_resume(const struct sciara_arguments *arguments, const char *history, double message_every) {
  struct sciara_resume resume = {.lock = -1};
  const char *folder = arguments->operand[0];
  int code = sciara_report(sciara_resume_open(folder, sciara_argument_given(arguments, "output"), &resume));
  if (code == SCIARA_OK && !resume.branch && resume.run_json.status == SCIARA_RUN_COMPLETE) {
    sciara_log(SCIARA_LOG_INFO, "%s: the run is complete (%s): nothing to resume; --output makes a branch", folder,
               resume.run_json.stop_reason ? resume.run_json.stop_reason : "?");
    sciara_resume_close(&resume);
    return SCIARA_OK;
  }
  if (code == SCIARA_OK) code = sciara_report(sciara_resume_find(&resume));
  if (code == SCIARA_OK) code = continue_run(arguments, &resume, history, message_every);
  sciara_resume_close(&resume);
  return code;
}

static int run_resume(const struct sciara_arguments *arguments) {
  sciara_session_expect_requests();
  const double message_every = sciara_session_progress_every(arguments);
  const int code = message_every < 0 ? SCIARA_ERR_USAGE : check_arguments(arguments);
  if (code != SCIARA_OK) return code;
  char *history = sciara_session_history(arguments);
  const int done = history ? execute_resume(arguments, history, message_every) : sciara_report(SCIARA_ERR_MEMORY);
  free(history);
  return done;
}

const struct sciara_command sciara_cmd_resume = {
    .name = "resume",
    .ranks = SCIARA_ALL_RANKS,
    .summary = "continue a run from its last checkpoint",
    .operands = "RUN",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "Continues in the folder RUN as if the run had never been stopped or killed; another engine may be used. A "
        "complete\nrun is left unchanged. With --output a branch is made instead: for example with other vents or a "
        "later end.\n",
    .run = run_resume,
};
