// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/messages.h"
#include "app/progress.h"
#include "app/scenario_options.h"
#include "base/log.h"
#include "io/durable.h"
#include "io/run_json.h"
#include "sim/run.h"
#include "sim/run_folder.h"

static const struct sciara_option options[] = {
    SCIARA_SCENARIO_OPTIONS,
    {"overwrite", 0, NULL, "replace the run in a folder that is not empty, and the profile"},
    {"profile", 0, "FILE", "what the steps cost, as CSV"},
    {"profile-every", 0, "K", "steps between two rows of the profile; default 1000"},
    {"progress-every", 0, "S", "seconds between two messages of progress where there is no terminal; default 30"},
    {0},
};

static int stopped_by; // the signal, 0 while there was none

static void on_signal(int signal_number) {
  __atomic_store_n(&stopped_by, signal_number, __ATOMIC_RELAXED);
  signal(signal_number, SIG_DFL); // a second one leaves at once
}

static void catch_signals(void) {
  const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL); // the terminal went away: keep the state
}

/** "2026-11-20T12:00:00Z: sciara run a.json --steps 5": what CF calls history. NULL: no memory. */
static char *history_of(int argc, char **argv) {
  struct sciara_text text = {0};
  char now[SCIARA_UTC_SIZE];
  sciara_utc_now(now);
  enum sciara_status status = sciara_text_append(&text, "%s: sciara", now);
  for (int k = 0; k < argc && status == SCIARA_OK; k++) status = sciara_text_append(&text, " %s", argv[k]);
  if (status != SCIARA_OK) sciara_text_free(&text);
  return text.data;
}

static void on_tick(void *context, const struct sciara_simulation *s) {
  sciara_progress_show((struct sciara_progress_view *)context, s);
}

static void on_prepared(void *context, const char *folder) {
  (void)context;
  char *path = sciara_path_join(folder, SCIARA_RUN_LOG);
  if (path) sciara_messages_copy_to(path);
  free(path);
}

/** The path of what is on the disk goes to stdout, at once: whoever reads it may rely on the file. */
static void on_file(void *context, const char *path) {
  (void)context;
  sciara_progress_line(NULL);
  printf("%s\n", path);
  fflush(stdout);
}

static void describe_problem(const struct sciara_problem *p) {
  sciara_log(SCIARA_LOG_INFO, "%s", p->scenario.title ? p->scenario.title : p->scenario.path);
  sciara_log(SCIARA_LOG_INFO, "vents: %" PRId64 " cell%s, %.6g m3 in all, until %.6g s", p->vents->count,
             p->vents->count == 1 ? "" : "s", sciara_vents_total(p->vents), sciara_vents_end(p->vents));
}

static void describe_result(const struct sciara_simulation *s, const struct sciara_run_result *r) {
  char simulated[48];
  sciara_print_duration(s->progress.time, simulated, sizeof simulated);
  sciara_log(SCIARA_LOG_INFO,
             "end (%s): step %" PRIu64 ", simulated %s, %.1f s of machine time, %.1f s of it computing",
             sciara_stop_reason_name(r->reason), s->progress.step, simulated, r->wall_s, s->compute_s);
  sciara_log(
      SCIARA_LOG_INFO,
      "ledger: initial %.10g + emitted %.10g = liquid %.10g + solid %.10g + lost %.10g m3 (open by %.2g, rounding "
      "explains %.2g)",
      r->ledger.initial_m3, r->ledger.emitted_m3, r->ledger.liquid_m3, r->ledger.solid_m3, r->ledger.lost_m3,
      r->ledger.residual_m3, r->ledger.bound_m3);
}

/** --profile-every; 0 with a message when it makes no sense. */
static uint64_t profile_every(const struct sciara_arguments *arguments) {
  enum { PRESET = 1000 };
  const char *text = sciara_argument(arguments, "profile-every");
  double value = PRESET;
  if (text && !sciara_argument(arguments, "profile")) {
    sciara_error("--profile-every: found the option alone, allowed only together with --profile");
    return 0;
  }
  if (!text ||
      (sciara_parse_double(text, &value) && value >= 1 && value == floor(value) && value <= 9007199254740991.0))
    return (uint64_t)value;
  sciara_error("--profile-every: found \"%s\", allowed a whole number >= 1", text);
  return 0;
}

/** --progress-every; below 0 with a message when it makes no sense, 0 when it was not given. */
static double progress_every(const struct sciara_arguments *arguments) {
  const char *text = sciara_argument(arguments, "progress-every");
  double value = 0;
  if (!text || (sciara_parse_double(text, &value) && value >= 0.1 && value <= 1e6)) return value;
  sciara_error("--progress-every: found \"%s\", allowed seconds, 0.1 to 1e6", text);
  return -1;
}

/** From the scenario to the simulation; everything that is wrong is told here. Returns the exit code. */
static int prepare(const struct sciara_arguments *arguments, struct sciara_simulation **out) {
  struct sciara_scenario_additions additions;
  struct sciara_refusals refusals = {0};
  struct sciara_problem problem = {0};
  int code = sciara_report(sciara_additions_make(arguments, &additions));
  if (code == SCIARA_OK) {
    const struct sciara_problem_options how = sciara_additions_options(&additions);
    sciara_problem_open_all(arguments->operand[0], &how, &problem, &refusals);
    code = sciara_report_all(&refusals);
  }
  if (code == SCIARA_OK) {
    describe_problem(&problem);
    problem.scenario.engine.profile = sciara_argument_given(arguments, "profile");
    code = sciara_report(sciara_simulation_create(&problem, out));
  }
  sciara_problem_free(&problem);
  sciara_refusals_free(&refusals);
  sciara_additions_free(&additions);
  return code;
}

static enum sciara_status execute(const struct sciara_arguments *arguments, struct sciara_simulation *simulation,
                                  uint64_t every, double message_every, const char *history,
                                  struct sciara_run_result *result) {
  struct sciara_progress_view view;
  sciara_progress_begin(&view, message_every);
  const struct sciara_run_options run_options = {
      .overwrite = sciara_argument_given(arguments, "overwrite"),
      .history = history,
      .cancel = &stopped_by,
      .profile = sciara_argument(arguments, "profile"),
      .profile_every = every,
      .observer = {
          .context = &view, .prepared = on_prepared, .tick = on_tick, .acknowledged = on_file, .written = on_file}};
  catch_signals();
  const enum sciara_status status = sciara_run_to_end(simulation, &run_options, result);
  sciara_progress_line(NULL);
  if (status == SCIARA_OK) describe_result(simulation, result);
  return status;
}

static int run(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  char *history = history_of(argc, argv);
  int code = sciara_arguments_parse(command, argc, argv, &arguments);
  const uint64_t every = code < 0 ? profile_every(&arguments) : 0;
  const double message_every = code < 0 ? progress_every(&arguments) : 0;
  if (code < 0 && (every == 0 || message_every < 0)) code = SCIARA_ERR_USAGE;
  if (code < 0 && !history) {
    code = sciara_report(SCIARA_ERR_MEMORY); // told by history_of
  }
  if (code < 0) {
    struct sciara_simulation *simulation = NULL;
    struct sciara_run_result result = {0};
    code = prepare(&arguments, &simulation);
    if (code == SCIARA_OK)
      code = sciara_report(execute(&arguments, simulation, every, message_every, history, &result));
    if (code == SCIARA_OK && result.reason == SCIARA_STOP_CANCEL) code = 128 + stopped_by;
    sciara_simulation_destroy(simulation);
  }
  free(history);
  return code;
}

const struct sciara_command sciara_cmd_run = {
    .name = "run",
    .summary = "simulate a scenario",
    .operands = "SCENARIO",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "Writes into the output folder: snapshots (their paths are printed when they are safe on the disk), "
               "series.nc, run.json,\n"
               "dem.tif, run.log, and the maps that the scenario asks for. Ctrl-C stops after the step in progress and "
               "keeps its state.\n",
    .run = run,
};
