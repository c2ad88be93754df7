// SPDX-License-Identifier: Apache-2.0
#include "app/session.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/common_options.h"
#include "app/messages.h"
#include "app/output.h"
#include "app/program.h"
#include "app/ranks.h"
#include "base/date.h"
#include "base/log.h"
#include "base/wallclock.h"
#include "run/run_folder.h"
#include "setup/outflow.h"
#include "setup/setup.h"

struct progress_view {
  double every;                        ///< seconds between two messages
  double begin, last_shown, last_kept; ///< seconds of the wall clock
  uint64_t last_step;
  double last_time;  ///< simulated, s
  double speed;      ///< steps/s, smoothed; 0 before the first line
  double real_times; ///< simulated seconds in a second, smoothed
};

static const double terminal_interval = 0.1, message_interval = 30; // s

/** `every`: seconds between two messages if there is no terminal; 0: 30. */
static void progress_begin(struct progress_view *v, double every) {
  const double now = sciara_wallclock();
  *v = (struct progress_view){
      .every = every > 0 ? every : message_interval, .begin = now, .last_shown = now, .last_kept = now};
}

/** Completed fraction of the run, 0 to 1, estimated from the stop rule and the vents. */
static double progress_share(const struct sciara_simulation *s) {
  const struct sciara_engine_progress *p = &s->progress;
  // Without a time limit the end of the emission is the best estimate.
  const double end = isfinite(s->until_time) ? s->until_time : sciara_vents_end(s->problem.vents);
  double share = end > 0 ? p->time / end : 0;
  if (s->until_step != UINT64_MAX) share = fmax(share, (double)p->step / (double)s->until_step);
  return share < 1 ? share : 1;
}

/** Estimated seconds to go, from the completed fraction; below 0 if it cannot be estimated yet. */
static double time_to_go(double elapsed, double share) {
  return share >= 1 ? 0 : share > 1e-4 && elapsed >= 1 ? elapsed * (1 - share) / share : -1;
}

static double smooth(double mean, double value) { return mean > 0 ? 0.8 * mean + 0.2 * value : value; }

static void print_progress_line(const struct progress_view *v, const struct sciara_engine_progress *p, double share,
                                double to_go, char *line, size_t size) {
  char eta[64] = "ETA -";
  if (to_go >= 0) snprintf(eta, sizeof eta, "ETA %s", SCIARA_DURATION(to_go > 0 ? to_go : 0));
  // The most important values first: a narrow terminal cuts off the end.
  snprintf(line, size,
           "simulated %s  %3.0f %%  %s  %.4g x real time  %.0f steps/s  %" PRId64 " liquid cells  %.4g m3 emitted",
           SCIARA_DURATION(p->time), 100 * share, share < 1 ? eta : "cooling", v->real_times, v->speed, p->liquid_cells,
           p->emitted);
}

static void print_progress_json(const struct progress_view *v, const struct sciara_engine_progress *p, double share,
                                double to_go, char *json, size_t size) {
  char left[32] = "null";
  if (to_go >= 0 && share < 1) snprintf(left, sizeof left, "%.1f", to_go);
  snprintf(json, size,
           "{\"step\":%" PRIu64 ",\"simulated_s\":%.17g,\"share\":%.6f,\"eta_s\":%s,\"times_real_time\":%.6g,"
           "\"steps_per_s\":%.6g,\"liquid_cells\":%" PRId64 ",\"emitted_m3\":%.17g}",
           p->step, p->time, share, left, v->real_times, v->speed, p->liquid_cells, p->emitted);
}

/** Shows the progress of the simulation when it is due. */
static void progress_show(struct progress_view *v, const struct sciara_simulation *s) {
  const bool as_line = sciara_messages_have_line();
  const double now = sciara_wallclock(), passed = now - v->last_shown;
  if (!sciara_messages_shown() || passed < (as_line ? terminal_interval : v->every)) return;
  const struct sciara_engine_progress *p = &s->progress;
  v->speed = smooth(v->speed, (double)(p->step - v->last_step) / passed);
  v->real_times = smooth(v->real_times, (p->time - v->last_time) / passed);
  v->last_shown = now;
  v->last_step = p->step;
  v->last_time = p->time;
  const double share = progress_share(s), to_go = time_to_go(now - v->begin, share);
  char line[256], json[512];
  print_progress_line(v, p, share, to_go, line, sizeof line);
  if (as_line) {
    sciara_progress_line(line);
    return;
  }
  print_progress_json(v, p, share, to_go, json, sizeof json);
  const bool keep = now - v->last_kept >= message_interval; // run.log does not grow with this interval
  if (keep) v->last_kept = now;
  sciara_messages_progress(line, json, keep);
}

static int checkpoint_asked; // set by SIGUSR1

static void on_request(int signal_number) {
  (void)signal_number;
  __atomic_store_n(&checkpoint_asked, 1, __ATOMIC_RELAXED);
}

void sciara_session_expect_requests(void) {
  const struct sigaction request = {.sa_handler = on_request, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &request, NULL);
}

char *sciara_session_history(const struct sciara_arguments *arguments) {
  struct sciara_text text = {0};
  char now[SCIARA_DATE_SIZE];
  sciara_date_now(now);
  enum sciara_status status = sciara_text_append(&text, "%s: sciara", now);
  for (int k = 0; k < arguments->argc && status == SCIARA_OK; k++)
    status = sciara_text_append(&text, " %s", arguments->argv[k]);
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

void sciara_session_emission(const struct sciara_problem *p, char text[SCIARA_SESSION_EMISSION]) {
  const struct sciara_vents *v = p->vents;
  const double from = p->state ? p->state->time : 0, until = sciara_limits_end(&p->run);
  double volume = 0;
  *text = '\0';
  if (until >= sciara_vents_end(v)) return;
  for (int64_t k = 0; k < v->count && until > from; k++)
    volume += sciara_vent_volume(v->begin, v->end, v->rate, v->first[k], v->first[k + 1], from, until - from);
  snprintf(text, SCIARA_SESSION_EMISSION, "; of it %.6g m3 in the run (%s to %s)", volume, SCIARA_DURATION(from),
           SCIARA_DURATION(until));
}

static void describe_session(const struct sciara_problem *p) {
  char in_run[SCIARA_SESSION_EMISSION];
  sciara_session_emission(p, in_run);
  sciara_log(SCIARA_LOG_INFO, "%s", p->source->scenario.title ? p->source->scenario.title : p->source->scenario.path);
  sciara_log(SCIARA_LOG_INFO, "vents: %" PRId64 " cell%s, %.6g m3 in all, until %.6g s%s", p->vents->count,
             p->vents->count == 1 ? "" : "s", sciara_vents_total(p->vents), sciara_vents_end(p->vents), in_run);
  if (sciara_outflow_warn(p) != SCIARA_OK) sciara_log(SCIARA_LOG_WARNING, "%s", sciara_last_error());
}

static void describe_start(const struct sciara_resume *r) {
  sciara_log(SCIARA_LOG_INFO, "%s: from %s, step %" PRIu64 ", simulated %s, computed by engine %s",
             r->branch ? "a branch" : "the run is continued", r->path, r->from.step, SCIARA_DURATION(r->from.time_s),
             r->from.engine ? r->from.engine : "?");
}

/** From the scenario, or the checkpoint of `resume`, to the simulation; reports all problems and returns the exit code. */
static int prepare(const struct sciara_arguments *arguments, struct sciara_resume *resume,
                   struct sciara_simulation **out) {
  struct sciara_scenario_additions additions;
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_problem problem = {0};
  int code = sciara_report(sciara_additions_make(arguments, &additions));
  if (code == SCIARA_OK) {
    const struct sciara_problem_options how = sciara_ranks_options(sciara_additions_options(&additions));
    if (resume)
      sciara_resume_problem(resume, &how, &problem, &diagnostics);
    else
      sciara_problem_open_all(arguments->operand[0], &how, &problem, &diagnostics);
    code = sciara_report_all(&diagnostics);
  }
  if (code == SCIARA_OK) {
    describe_session(&problem);
    if (resume) describe_start(resume);
    problem.engine.profile = sciara_argument_given(arguments, "profile");
    problem.comm = sciara_ranks();
    const bool on_the_way = sciara_scenario_writes_on_the_way(&problem.source->scenario);
    code = sciara_report(resume ? sciara_resume_simulation(resume, &problem, on_the_way, out)
                                : sciara_simulation_create(&problem, on_the_way, out));
  }
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  sciara_additions_free(&additions);
  return code;
}

// --------------------------------------------------------------------------------------------------- while it runs

/** The data of the observers. */
struct watch {
  struct progress_view view;
  bool continued;   ///< the folder already has a run.log
  bool unprintable; ///< standard output cannot be written, which was reported
};

static void on_tick(void *context, const struct sciara_simulation *s) {
  progress_show(&((struct watch *)context)->view, s);
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

/** What an observation and edits of the ground changed, and where lava has gone that left the ground. */
static void describe_more(const struct sciara_simulation *s, const struct sciara_ledger *l) {
  if (l->added_m3 > 0 || l->removed_m3 > 0)
    sciara_log(SCIARA_LOG_INFO,
               "ledger: observed lava added %.10g m3; observed lava and edits of the ground removed %.10g m3",
               l->added_m3, l->removed_m3);
  if (s->problem.site->sea_cells > 0)
    sciara_log(SCIARA_LOG_INFO, "ledger: of the lost lava %.10g m3 left the map and %.10g m3 entered the sea",
               l->lost_m3, l->sea_m3);
}

static void describe_result(const struct sciara_simulation *s, const struct sciara_run_result *r) {
  char date[SCIARA_MINUTE_SIZE];
  const bool dated = sciara_zoned_after(s->problem.source->scenario.start, r->end.time, date);
  sciara_log(SCIARA_LOG_INFO,
             "end (%s): step %" PRIu64 ", simulated %s%s%s, wall-clock time %.1f s, of which %.1f s computing",
             sciara_end_name(r->end.reason), r->end.step, SCIARA_DURATION(r->end.time), dated ? " until " : "", date,
             r->wall_s, s->compute_s);
  sciara_log(
      SCIARA_LOG_INFO,
      "ledger: initial %.10g + emitted %.10g = liquid %.10g + solid %.10g + lost %.10g m3 (residual %.2g, bound of "
      "rounding %.2g)",
      r->ledger.initial_m3, r->ledger.emitted_m3, r->ledger.liquid_m3, r->ledger.solid_m3,
      r->ledger.lost_m3 + r->ledger.sea_m3, r->ledger.residual_m3, r->ledger.bound_m3);
  describe_more(s, &r->ledger);
  char word[SCIARA_QUOTED_WORD];
  const char *folder = sciara_quoted_word(s->problem.source->scenario.output.folder, word);
  if (r->end.reason == SCIARA_STOP_CANCEL)
    sciara_log(SCIARA_LOG_INFO, "'sciara resume %s' continues the run", folder);
  else
    sciara_log(SCIARA_LOG_INFO,
               "next: 'sciara export %s --format png' draws a map, --format html makes a page of the run", folder);
}

int sciara_session_run(const struct sciara_arguments *arguments, const struct sciara_run_options *options,
                       double message_every) {
  struct watch watch = {.continued = options->resume && !options->resume->branch};
  struct sciara_simulation *simulation = NULL;
  struct sciara_run_options all = *options;
  struct sciara_run_result result = {0};
  int code = prepare(arguments, options->resume, &simulation);
  if (code != SCIARA_OK) return code;
  progress_begin(&watch.view, message_every);
  all.overwrite = sciara_argument_given(arguments, "overwrite");
  all.cancel = sciara_stop_signal();
  all.checkpoint = &checkpoint_asked;
  all.observer = (struct sciara_run_observer){
      .context = &watch, .prepared = on_prepared, .tick = on_tick, .acknowledged = on_file, .written = on_file};
  sciara_stop_signals_catch();
  const enum sciara_status status = sciara_run_to_end(simulation, &all, &result);
  sciara_progress_line(NULL);
  if (status == SCIARA_OK) describe_result(simulation, &result);
  code = sciara_report(status);
  sciara_simulation_destroy(simulation);
  return result.end.reason == SCIARA_STOP_CANCEL ? sciara_stop_signal_code(code) : code;
}
