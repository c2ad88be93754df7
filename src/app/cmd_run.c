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
#include "base/log.h"
#include "io/durable.h"
#include "io/run_json.h"
#include "sim/run.h"
#include "sim/run_folder.h"

static const struct sciara_option options[] = {
    {"engine", 'e', "NAME", "engine that executes the steps (see 'sciara engines'), or auto"},
    {"precision", 'p', "double|single", "precision of the fields"},
    {"threads", 't', "N", "threads of a CPU engine; 0: all cores"},
    {"steps", 'n', "N", "stop after N steps"},
    {"until", 'u', "T", "stop at the first step with simulated time >= T (\"6 h\", \"3 d\", seconds)"},
    {"output", 'o', "DIR", "folder of the run"},
    {"overwrite", 0, NULL, "replace the run in a folder that is not empty"},
    {"set", 's', "K=V", "replace a key of the scenario: run.max_time=\"2 d\"; may be repeated"},
    {"allow-driver", 0, "X", "let GDAL read rasters with driver X too; may be repeated"},
    {0},
};

enum { MOST_OVERRIDES = 300 };

/** What the command line adds to the scenario. The strings are malloc'd. */
struct additions {
  char *override[MOST_OVERRIDES];
  size_t override_count;
  const char *driver[64];
  size_t driver_count;
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
  signal(SIGXFSZ, SIG_IGN); // a file size limit is an error of write, not a death
}

static enum sciara_status add_override(struct additions *a, const char *key, const char *value, bool quoted) {
  if (a->override_count == MOST_OVERRIDES) return sciara_fail(SCIARA_ERR_USAGE, "too many options");
  char *text = key ? sciara_format(quoted ? "%s=\"%s\"" : "%s=%s", key, value) : sciara_format("%s", value);
  if (!text) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for an option");
  a->override[a->override_count++] = text;
  return SCIARA_OK;
}

/** An absolute path as a JSON string: --output is relative to where we are, output.folder to the scenario. */
static enum sciara_status add_output(struct additions *a, const char *folder) {
  char *here = *folder == '/' ? NULL : realpath(".", NULL);
  char *path = here ? sciara_path_join(here, folder) : sciara_format("%s", folder);
  struct sciara_text json = {0};
  enum sciara_status status = path ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a path");
  for (const char *p = path; status == SCIARA_OK && p && *p; p++) {
    const unsigned char c = (unsigned char)*p;
    if (c == '"' || c == '\\')
      status = sciara_text_append(&json, "\\%c", c);
    else if (c < 0x20)
      status = sciara_text_append(&json, "\\u%04x", c);
    else
      status = sciara_text_append_bytes(&json, p, 1);
  }
  if (status == SCIARA_OK) status = add_override(a, "output.folder", json.data ? json.data : "", true);
  sciara_text_free(&json);
  free(path);
  free(here);
  return status;
}

static enum sciara_status add_number(struct additions *a, const char *option, const char *key, const char *text,
                                     double least) {
  double value;
  if (!sciara_parse_double(text, &value) || value < least || value != floor(value) || value > 9007199254740991.0)
    return sciara_fail(SCIARA_ERR_USAGE, "--%s: found \"%s\", allowed a whole number >= %.0f", option, text, least);
  return add_override(a, key, text, false);
}

static enum sciara_status add_until(struct additions *a, const char *text) {
  double seconds;
  if (!sciara_parse_duration(text, &seconds) || !(seconds > 0))
    return sciara_fail(SCIARA_ERR_USAGE,
                       "--until: found \"%s\", allowed a time such as \"6 h\", \"3 d\" or seconds, above 0", text);
  return add_override(a, "run.until", text, true);
}

static enum sciara_status add_all(const struct sciara_arguments *arguments, struct additions *a) {
  for (size_t k = 0; k < arguments->given_count; k++) {
    const char *name = arguments->given[k].option->name, *value = arguments->given[k].value;
    if (strcmp(name, "set") == 0) {
      if (!strchr(value, '=')) return sciara_fail(SCIARA_ERR_USAGE, "--set: found \"%s\", allowed KEY=VALUE", value);
      SCIARA_TRY(add_override(a, NULL, value, false));
    } else if (strcmp(name, "engine") == 0) {
      SCIARA_TRY(add_override(a, "engine.name", value, true));
    } else if (strcmp(name, "precision") == 0) {
      if (strcmp(value, "double") != 0 && strcmp(value, "single") != 0)
        return sciara_fail(SCIARA_ERR_USAGE, "--precision: found \"%s\", allowed double or single", value);
      SCIARA_TRY(add_override(a, "engine.precision", value, true));
    } else if (strcmp(name, "threads") == 0) {
      SCIARA_TRY(add_number(a, name, "engine.threads", value, 0));
    } else if (strcmp(name, "steps") == 0) {
      SCIARA_TRY(add_number(a, name, "run.max_steps", value, 1));
    } else if (strcmp(name, "until") == 0) {
      SCIARA_TRY(add_until(a, value));
    } else if (strcmp(name, "output") == 0) {
      SCIARA_TRY(add_output(a, value));
    } else if (strcmp(name, "allow-driver") == 0) {
      if (a->driver_count == sizeof a->driver / sizeof *a->driver)
        return sciara_fail(SCIARA_ERR_USAGE, "too many options");
      a->driver[a->driver_count++] = value;
    }
  }
  return SCIARA_OK;
}

/** "2026-11-20T12:00:00Z: sciara run a.json --steps 5": what CF calls history. */
static char *history_of(int argc, char **argv) {
  struct sciara_text text = {0};
  char now[SCIARA_UTC_SIZE];
  sciara_utc_now(now);
  sciara_text_append(&text, "%s: sciara", now);
  for (int k = 0; k < argc; k++) sciara_text_append(&text, " %s", argv[k]);
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

static enum sciara_status execute(const struct sciara_arguments *arguments, struct additions *a, const char *history,
                                  struct sciara_run_result *result) {
  struct sciara_problem problem;
  struct sciara_simulation *simulation;
  SCIARA_TRY(add_all(arguments, a));
  const struct sciara_problem_options problem_options = {.overrides = (const char *const *)a->override,
                                                         .override_count = a->override_count,
                                                         .extra_drivers = a->driver,
                                                         .extra_driver_count = a->driver_count};
  SCIARA_TRY(sciara_problem_open(arguments->operand[0], &problem_options, &problem));
  describe_problem(&problem);
  SCIARA_TRY(sciara_simulation_create(&problem, &simulation));
  struct sciara_progress_view view;
  sciara_progress_begin(&view);
  const struct sciara_run_options run_options = {
      .overwrite = sciara_argument_given(arguments, "overwrite"),
      .history = history,
      .cancel = &stopped_by,
      .observer = {
          .context = &view, .prepared = on_prepared, .tick = on_tick, .acknowledged = on_file, .written = on_file}};
  catch_signals();
  const enum sciara_status status = sciara_run_to_end(simulation, &run_options, result);
  sciara_progress_line(NULL);
  if (status == SCIARA_OK) describe_result(simulation, result);
  sciara_simulation_destroy(simulation);
  return status;
}

static int run(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  char *history = history_of(argc, argv);
  int code = sciara_arguments_parse(command, argc, argv, &arguments);
  if (code < 0) {
    struct additions a = {0};
    struct sciara_run_result result = {0};
    code = sciara_report(execute(&arguments, &a, history, &result));
    for (size_t k = 0; k < a.override_count; k++) free(a.override[k]);
    if (code == SCIARA_OK && result.reason == SCIARA_STOP_CANCEL) code = 128 + stopped_by;
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
