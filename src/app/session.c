// SPDX-License-Identifier: Apache-2.0
#include "app/session.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/messages.h"
#include "app/output.h"
#include "app/progress.h"
#include "base/log.h"
#include "file/durable.h"
#include "run/run_folder.h"
#include "sim/outflow.h"
#include "store/run_json.h"

static int stopped_by;       // the signal, or 0
static int checkpoint_asked; // set by SIGUSR1

static void on_signal(int signal_number) {
  __atomic_store_n(&stopped_by, signal_number, __ATOMIC_RELAXED);
  signal(signal_number, SIG_DFL); // a second one ends the program at once
}

static void on_request(int signal_number) {
  (void)signal_number;
  __atomic_store_n(&checkpoint_asked, 1, __ATOMIC_RELAXED);
}

static void catch_signals(void) {
  const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL); // the terminal was closed: save the state
}

void sciara_session_expect_requests(void) {
  const struct sigaction request = {.sa_handler = on_request, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &request, NULL);
}

char *sciara_session_history(int argc, char **argv) {
  struct sciara_text text = {0};
  char now[SCIARA_DATE_SIZE];
  sciara_date_now(now);
  enum sciara_status status = sciara_text_append(&text, "%s: sciara", now);
  for (int k = 0; k < argc && status == SCIARA_OK; k++) status = sciara_text_append(&text, " %s", argv[k]);
  if (status != SCIARA_OK) sciara_text_free(&text); // sets text.data to NULL
  return text.data;
}

double sciara_session_progress_every(const struct sciara_arguments *arguments) {
  const char *text = sciara_argument(arguments, "progress-every");
  double value = 0;
  if (!text || (sciara_parse_double(text, &value) && value >= 0.1 && value <= 1e6)) return value;
  sciara_error("--progress-every: expected 0.1 to 1e6 seconds, found \"%s\"", text);
  return -1;
}

void sciara_session_describe(const struct sciara_problem *p) {
  sciara_log(SCIARA_LOG_INFO, "%s", p->scenario.title ? p->scenario.title : p->scenario.path);
  sciara_log(SCIARA_LOG_INFO, "vents: %" PRId64 " cell%s, %.6g m3 in all, until %.6g s", p->vents->count,
             p->vents->count == 1 ? "" : "s", sciara_vents_total(p->vents), sciara_vents_end(p->vents));
  if (sciara_outflow_warn(p) != SCIARA_OK) sciara_log(SCIARA_LOG_WARNING, "%s", sciara_last_error());
}

// --------------------------------------------------------------------------------------------------- while it runs

/** The data of the observers. */
struct watch {
  struct sciara_progress_view view;
  bool continued;   ///< the folder already has a run.log
  bool unprintable; ///< standard output cannot be written, which was reported
};

static void on_tick(void *context, const struct sciara_simulation *s) {
  sciara_progress_show(&((struct watch *)context)->view, s);
}

static void on_prepared(void *context, const char *folder) {
  char path[PATH_MAX]; // a longer one cannot be opened
  if (snprintf(path, sizeof path, "%s/%s", folder, SCIARA_RUN_LOG) < (int)sizeof path)
    sciara_messages_copy_to(path, ((const struct watch *)context)->continued);
  else
    sciara_log(SCIARA_LOG_WARNING, "%s: its name is too long for a %s; messages are not saved", folder, SCIARA_RUN_LOG);
}

/** The files of a run are on the disk, so it continues even if their names cannot be printed. */
static void note_lost_output(struct watch *w) {
  const int error = sciara_output_failure();
  if (w->unprintable || error == 0) return;
  static const char text[] = "standard output cannot be written (%s): the run continues without printing paths";
  w->unprintable = true;
  sciara_output_not_needed();
  if (error == EPIPE || error == EBADF) // it was closed
    sciara_messages_keep(SCIARA_LOG_WARNING, text, strerror(error));
  else
    sciara_log(SCIARA_LOG_WARNING, text, strerror(error));
}

/** Prints the path of a file on stdout as soon as it is on the disk: a reader of the path can rely on the file. */
static void on_file(void *context, const char *path) {
  sciara_progress_line(NULL);
  sciara_print("%s\n", path);
  sciara_output_flush();
  note_lost_output((struct watch *)context);
}

/** Where lava has gone that left the ground. */
static void describe_sea(const struct sciara_simulation *s, const struct sciara_ledger *l) {
  if (s->problem.site->sea_cells > 0)
    sciara_log(SCIARA_LOG_INFO, "ledger: of the lost lava %.10g m3 left the map and %.10g m3 entered the sea",
               l->lost_m3, l->sea_m3);
}

static void describe_result(const struct sciara_simulation *s, const struct sciara_run_result *r) {
  char simulated[48];
  sciara_print_duration(r->end.time, simulated, sizeof simulated);
  sciara_log(SCIARA_LOG_INFO,
             "end (%s): step %" PRIu64 ", simulated %s, wall-clock time %.1f s, of which %.1f s computing",
             sciara_end_name(r->end.reason), r->end.step, simulated, r->wall_s, s->compute_s);
  sciara_log(
      SCIARA_LOG_INFO,
      "ledger: initial %.10g + emitted %.10g = liquid %.10g + solid %.10g + lost %.10g m3 (residual %.2g, bound of "
      "rounding %.2g)",
      r->ledger.initial_m3, r->ledger.emitted_m3, r->ledger.liquid_m3, r->ledger.solid_m3,
      r->ledger.lost_m3 + r->ledger.sea_m3, r->ledger.residual_m3, r->ledger.bound_m3);
  describe_sea(s, &r->ledger);
  char word[SCIARA_QUOTED_WORD];
  const char *folder = sciara_quoted_word(s->problem.scenario.output.folder, word);
  if (r->end.reason == SCIARA_STOP_CANCEL)
    sciara_log(SCIARA_LOG_INFO, "'sciara resume %s' continues the run", folder);
  else
    sciara_log(SCIARA_LOG_INFO,
               "next: 'sciara export %s --format png' draws a map, --format html makes a page of the run", folder);
}

int sciara_session_run(struct sciara_simulation *simulation, const struct sciara_run_options *options,
                       double message_every) {
  struct watch watch = {.continued = options->resume && !options->resume->branch};
  struct sciara_run_options all = *options;
  struct sciara_run_result result = {0};
  sciara_progress_begin(&watch.view, message_every);
  all.cancel = &stopped_by;
  all.checkpoint = &checkpoint_asked;
  all.observer = (struct sciara_run_observer){
      .context = &watch, .prepared = on_prepared, .tick = on_tick, .acknowledged = on_file, .written = on_file};
  catch_signals();
  const enum sciara_status status = sciara_run_to_end(simulation, &all, &result);
  sciara_progress_line(NULL);
  if (status == SCIARA_OK) describe_result(simulation, &result);
  const int code = sciara_report(status);
  return code == SCIARA_OK && result.end.reason == SCIARA_STOP_CANCEL ? 128 + stopped_by : code;
}
