// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/messages.h"
#include "app/stop_signals.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "calibrate/calibrate.h"

/** Progress: how often without a terminal, and when it was shown last, s. */
struct view {
  double every, last;
};

static void show_search_progress(void *context, const struct sciara_calibrate_progress *p) {
  struct view *v = (struct view *)context;
  const bool as_line = sciara_messages_have_line();
  const double now = sciara_wallclock();
  char line[320], json[384], left[48] = "-", best[32] = "null", to_go[32] = "null",
                             at[2 * SCIARA_SEARCH_NAME + 64] = "";
  if (!sciara_messages_shown() || now - v->last < (as_line ? 0.2 : v->every)) return;
  v->last = now;
  if (p->to_go_s >= 0) sciara_print_duration(p->to_go_s, left, sizeof left);
  if (!isnan(p->best)) snprintf(best, sizeof best, "%.6f", p->best);
  if (p->to_go_s >= 0) snprintf(to_go, sizeof to_go, "%.1f", p->to_go_s);
  if (*p->search) snprintf(at, sizeof at, "\"search\":\"%s\",\"best_search\":\"%s\",", p->search, p->best_search);
  snprintf(line, sizeof line, "%s%s%zu/%zu evaluations  best score %s%s%s  ETA %s", p->search, *p->search ? "  " : "",
           p->done, p->total, isnan(p->best) ? "-" : best, *p->best_search ? " of " : "", p->best_search, left);
  snprintf(json, sizeof json, "{%s\"evaluations\":%zu,\"finished\":%zu,\"without_score\":%zu,\"best\":%s,\"eta_s\":%s}",
           at, p->total, p->done, p->failed, best, to_go);
  if (as_line)
    sciara_progress_line(line);
  else
    sciara_messages_progress(line, json, true);
}

static void describe_search(const struct sciara_calibrate_progress *p, const char *folder) {
  char word[SCIARA_QUOTED_WORD];
  sciara_log(SCIARA_LOG_INFO, "%zu of %zu evaluations are finished (%zu by this run, in %.1f s)", p->done, p->total,
             p->now, p->seconds);
  if (p->best_number > 0)
    sciara_log(SCIARA_LOG_INFO, "best score %.6f, evaluation %zu%s%s", p->best, p->best_number,
               *p->best_search ? " of search " : "", p->best_search);
  if (p->failed > 0)
    sciara_log(SCIARA_LOG_WARNING, "%zu %s no score: failed or invalid", p->failed,
               sciara_plural(p->failed, "evaluation has", "evaluations have"));
  if (p->done < p->total)
    sciara_log(SCIARA_LOG_INFO, "the same command with --resume continues %s", sciara_quoted_word(folder, word));
}

static int run_calibrate(const struct sciara_arguments *a) {
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_calibrate_progress progress;
  const char *drivers[SCIARA_MOST_GIVEN];
  struct view view = {.every = 30, .last = sciara_wallclock()};
  int workers = 0;
  const char *folder = sciara_argument(a, "output"), *every = sciara_argument(a, "progress-every"),
             *language = sciara_argument(a, "language");
  enum sciara_language chosen = SCIARA_ENGLISH;
  if (!folder) return sciara_report(sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the folder of the results"));
  if (sciara_take_workers(a, &workers) != SCIARA_OK) return sciara_report(SCIARA_ERR_USAGE);
  if (every && (!sciara_parse_double(every, &view.every) || !(view.every >= 0.1)))
    return sciara_report(
        sciara_fail(SCIARA_ERR_USAGE, "--progress-every: expected 0.1 s or more, found \"%s\"", every));
  if (language && sciara_language_parse(language, &chosen) != SCIARA_OK)
    return sciara_report(sciara_fail_context(SCIARA_ERR_USAGE, "--language"));
  const struct sciara_calibrate_options options = {.file = a->operand[0],
                                                   .folder = folder,
                                                   .resume = sciara_argument_given(a, "resume"),
                                                   .engine = sciara_argument(a, "engine"),
                                                   .workers = workers,
                                                   .extra_drivers = drivers,
                                                   .extra_driver_count =
                                                       sciara_arguments_all(a, "allow-driver", drivers),
                                                   .language = chosen,
                                                   .cancel = sciara_stop_signal(),
                                                   .progress = show_search_progress,
                                                   .context = &view};
  sciara_stop_signals_catch();
  const enum sciara_status status = sciara_calibrate(&options, &diagnostics, &progress);
  sciara_progress_line(NULL);
  const int code = diagnostics.count > 0 ? sciara_report_all(&diagnostics) : sciara_report(status);
  if (progress.total > 0) describe_search(&progress, folder);
  sciara_diagnostics_free(&diagnostics);
  return sciara_stop_signal_code(code);
}

static const struct sciara_option options[] = {
    {"output", 'o', "DIR", "folder of the results (required): new or empty, or with --resume that of this calibration"},
    {"resume", 0, NULL, "continue a calibration that was ended or killed"},
    {"engine", 0, "NAME",
     "engine; default: that of the first scenario, where auto is openmp. cuda-batch: many on each GPU"},
    {"workers", 'j', "N",
     "evaluations at a time; default: one per core, or one per GPU, or as many as GPUs have slots for"},
    {"progress-every", 0, "S",
     "seconds between two progress messages if there is no terminal, at least 0.1; default 30"},
    {"language", 0, SCIARA_LANGUAGE_CODES, "language of the page (default: en)"},
    {"allow-driver", 0, "NAME", "also let GDAL's driver NAME read such files; may be repeated"},
    {0},
};

const struct sciara_command sciara_cmd_calibrate = {
    .name = "calibrate",
    .ranks = SCIARA_NO_RANKS,
    .summary = "search parameters with which scenarios fit observed extents",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "FILE names scenarios with observed extents, keys with bounds, and a budget. Writes evaluations.csv,\n"
        "best.json (a scenario), calibration.json and, with the designs lhs and sobol, accepted.csv (a table of\n"
        "members for an ensemble), with morris and saltelli sensitivity.csv (which unknowns matter) to DIR; at its "
        "end\n"
        "page.html, which shows all this. --resume makes the page again, also in another --language.\n"
        "With several searches in FILE each has such a folder in DIR, and DIR/best.json is the best of all.\n"
        "Ctrl-C ends it; what is finished is kept, and --resume continues.\n"
        "The results do not depend on the number of evaluations at a time, nor on how often it was resumed.\n",
    .run = run_calibrate,
};
