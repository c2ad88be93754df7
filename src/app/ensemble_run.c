// SPDX-License-Identifier: Apache-2.0
// sciara ensemble run, status.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/common_options.h"
#include "app/ensemble.h"
#include "app/messages.h"
#include "app/output.h"
#include "app/program.h"
#include "base/log.h"
#include "base/share.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "ensemble/ensemble.h"
#include "ensemble/execute.h"
#include "file/csv.h"
#include "file/durable.h"
#include "plan/plan.h"

// --------------------------------------------------------------------------------------------------- check and plan

static const double PROBE_SECONDS = 6;

static const struct sciara_option plan_check_options[] = {
    {"no-estimate", 0, NULL, "do not compute some members, for 6 s, for an estimate of the time"},
    {0},
};

static const struct sciara_option plan_options[] = {
    {"output", 'o', "DIR", "the folder of the ensemble (required)"},
    {"overwrite", 0, NULL, "replace an ensemble in the folder that has no results yet"},
    {"no-estimate", 0, NULL, "do not compute some members, for 6 s, for an estimate of the time"},
    {0},
};

static void print_ensemble_estimate(const struct sciara_ensemble_estimate *e) {
  const int cores = sciara_usable_cores();
  sciara_print("members:  %zu in %zu %s\n", e->members, e->batches, sciara_plural(e->batches, "batch", "batches"));
  if (e->time.made) {
    const double seconds[] = {e->time.core_s, e->time.core_s / cores, e->time.low_s / cores, e->time.high_s / cores};
    char text[4][48];
    for (int k = 0; k < 4; k++) sciara_print_about(fmax(seconds[k], e->time.stored_s), text[k], sizeof text[k]);
    sciara_print("time:     about %s on one core, %s on %d %s (%s to %s; from %zu %s, %zu of them to the end)\n",
                 text[0], text[1], cores, sciara_plural((uint64_t)cores, "core", "cores"), text[2], text[3],
                 e->time.probed, sciara_plural(e->time.probed, "member", "members"), e->time.whole);
  } else {
    sciara_print("time:     no estimate%s%s\n", *e->time.why ? ": " : "", e->time.why);
  }
  if (e->time.member_bytes > 0)
    sciara_print("memory:   at most about %s for each member at a time\n", SCIARA_BYTES(e->time.member_bytes));
  else
    sciara_print("memory:   not known\n");
  sciara_print("disk:     at most about %s", SCIARA_BYTES(e->bytes));
  sciara_print(e->free_bytes > 0 ? ", %s are free\n" : "\n", SCIARA_BYTES(e->free_bytes));
}

/** Plans a file into a folder, as `ensemble plan` does, or only checks it (NULL): prints the problems, or the estimate. The exit code. */
static int ensemble_plan_into(const struct sciara_arguments *a, const char *folder, const char *run_on) {
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_ensemble_estimate estimate;
  const struct sciara_ensemble_plan_options options = {.overwrite = sciara_argument_given(a, "overwrite"),
                                                       .probe_s =
                                                           sciara_argument_given(a, "no-estimate") ? 0 : PROBE_SECONDS,
                                                       .run_on = run_on};
  sciara_ensemble_plan(a->operand[0], folder, &options, &estimate, &diagnostics);
  const int code = sciara_report_all(&diagnostics);
  if (code == SCIARA_OK) print_ensemble_estimate(&estimate);
  sciara_diagnostics_free(&diagnostics);
  return code;
}

static int run_check(const struct sciara_arguments *a) {
  const int code = ensemble_plan_into(a, NULL, NULL);
  if (code == SCIARA_OK) sciara_print("no problem found\n");
  return code;
}

static int run_plan(const struct sciara_arguments *arguments) {
  const char *folder = sciara_argument(arguments, "output");
  if (!folder) return sciara_report(sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the folder of the ensemble"));
  return ensemble_plan_into(arguments, folder, NULL);
}

const struct sciara_command sciara_cmd_ensemble_check = {
    .name = "ensemble check",
    .summary = "find all problems of an ensemble file, and estimate its members",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = plan_check_options,
    .details = "Reads the file, its base scenario, the DEM and all tables, makes the members and checks each of them.\n"
               "All problems are reported at once, those of vents with the row of their table. Writes no file.\n",
    .run = run_check,
};

const struct sciara_command sciara_cmd_ensemble_plan = {
    .name = "ensemble plan",
    .summary = "write the folder of an ensemble: its members, their weights and the DEM",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = plan_options,
    .details =
        "Checks the file as 'sciara ensemble check' does, and writes ensemble.json, members.csv, weights.csv and\n"
        "dem.tif. A folder that has the same members retains its results: only weights, sites and maps to make\n"
        "are replaced.\n",
    .run = run_plan,
};

// ----------------------------------------------------------------------------------------------------------- member

static const struct sciara_option member_options[] = {
    {"output", 'o', "FILE", "the scenario to write (required)"},
    {"overwrite", 0, NULL, "replace an existing file"},
    {0},
};

static enum sciara_status write_member(const struct sciara_arguments *a) {
  const char *path = sciara_argument(a, "output");
  int64_t id;
  if (!path) return sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the scenario to write");
  if (!sciara_csv_size(a->operand[1], &id))
    return sciara_fail(SCIARA_ERR_USAGE, "expected the id of a member, found \"%s\"", a->operand[1]);
  SCIARA_TRY(sciara_refuse_existing(path, sciara_argument_given(a, "overwrite")));
  struct sciara_ensemble e;
  struct sciara_text json = {0};
  SCIARA_TRY(sciara_ensemble_open(a->operand[0], &e));
  const size_t member = sciara_members_find(&e.members, id);
  enum sciara_status status = SCIARA_OK;
  if (member == SIZE_MAX) {
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected an id of %s, found %" PRId64, a->operand[0],
                         SCIARA_ENSEMBLE_MEMBERS, id);
  } else {
    char name[SCIARA_MEMBER_NAME];
    const struct sciara_scenario_member m = sciara_ensemble_member(&e, member, name);
    status = sciara_scenario_member_print(&m, &json);
  }
  if (status == SCIARA_OK) status = sciara_file_replace(path, json.data, json.length);
  if (status == SCIARA_OK) sciara_print("%s\n", path);
  sciara_text_free(&json);
  sciara_ensemble_free(&e);
  return status;
}

const struct sciara_command sciara_cmd_ensemble_member = {
    .name = "ensemble member",
    .summary = "write the scenario of one member",
    .operands = "DIR ID",
    .operand_min = 2,
    .operand_max = 2,
    .options = member_options,
    .details =
        "ID is that of members.csv. 'sciara run' of the scenario computes this member, with the same checksum.\n",
    .execute = write_member,
};

// ----------------------------------------------------------------------------------------------------------- schema

static const struct sciara_option no_options[] = {{0}};

static enum sciara_status print_schema(const struct sciara_arguments *arguments) {
  (void)arguments;
  struct sciara_text text = {0};
  return sciara_print_text(sciara_schema(SCIARA_SCHEMA_ENSEMBLE, &text), &text);
}

const struct sciara_command sciara_cmd_ensemble_schema = {
    .name = "ensemble schema",
    .summary = "print the JSON Schema of an ensemble file",
    .operands = "",
    .options = no_options,
    .execute = print_schema,
};

// ------------------------------------------------------------------------------------------------------- subcommands

static const struct sciara_command *const subcommands[] = {
    &sciara_cmd_ensemble_init,
    &sciara_cmd_ensemble_check,
    &sciara_cmd_ensemble_plan,
    &sciara_cmd_ensemble_member,
    &sciara_cmd_ensemble_run,
    &sciara_cmd_ensemble_status,
    &sciara_cmd_ensemble_reweight,
    &sciara_cmd_ensemble_reduce,
    &sciara_cmd_ensemble_query,
    &sciara_cmd_ensemble_compare,
    &sciara_cmd_ensemble_export,
    &sciara_cmd_ensemble_schema,
    NULL,
};

const struct sciara_command sciara_cmd_ensemble = {
    .name = "ensemble",
    .ranks = SCIARA_NO_RANKS,
    .summary = "compute many eruptions, and the probability that lava reaches a place",
    .operands = "SUBCOMMAND",
    .operand_min = 1,
    .operand_max = 1,
    .options = no_options,
    .subcommands = subcommands,
};

static const struct sciara_option run_options[] = {
    {"output", 'o', "DIR", "given FILE: the folder of the ensemble; default: FILE without .json"},
    {"members", 0, "A-B", "only the batches with members whose id is from A to B"},
    {"part", 0, "I/N", "only the I-th of N parts of the batches, I from 1"},
    {"workers", 'j', "N", "members at a time; default: one per core, or one per GPU"},
    {"engine", 0, "NAME", "engine; default: that of the base scenario, where auto is openmp"},
    {"checkpoint-every", 0, "T",
     "wall-clock time after which a member in work is stored, to continue from there; default \"10 min wall\""},
    {"all", 0, NULL, "all members, also where the stop rule of the ensemble holds earlier"},
    {"no-estimate", 0, NULL, "given FILE: no estimate of the time; of a GPU there is none"},
    {"no-pictures", 0, NULL, "given FILE: no PNG pictures of the maps"},
    {"progress-every", 0, "S", "seconds between two progress messages if there is no terminal; default 30"},
    {0},
};

static const struct sciara_option status_options[] = {{0}};

// ---------------------------------------------------------------------------------------------------------- options

/** "A-B" or "I/N": two whole numbers. */
static bool parse_pair(const char *text, char separator, int64_t *a, int64_t *b) {
  char first[32];
  const char *at = strchr(text, separator);
  if (!at || at - text >= (ptrdiff_t)sizeof first) return false;
  memcpy(first, text, (size_t)(at - text));
  first[at - text] = '\0';
  return sciara_csv_size(first, a) && sciara_csv_size(at + 1, b);
}

static bool refuse(const char *option, const char *expected, const char *found) {
  sciara_error("--%s: expected %s, found \"%s\"", option, expected, found);
  return false;
}

static bool parse_slice(const struct sciara_arguments *a, struct sciara_execute_options *o) {
  const char *members = sciara_argument(a, "members"), *part = sciara_argument(a, "part");
  int64_t i, n;
  if (members) {
    o->has_ids = true;
    if (!parse_pair(members, '-', &o->first_id, &o->last_id) || o->last_id < o->first_id)
      return refuse("members", "A-B, two ids with A <= B", members);
  }
  if (part) {
    if (!parse_pair(part, '/', &i, &n) || i < 1 || n < 1 || i > n) return refuse("part", "I/N with 1 <= I <= N", part);
    o->part = (size_t)i;
    o->parts = (size_t)n;
  }
  return true;
}

/** As for a run, but wall-clock time only. */
static bool parse_checkpoint(const struct sciara_arguments *a, struct sciara_execute_options *o) {
  static const char suffix[] = " wall";
  const char *text = sciara_argument(a, "checkpoint-every");
  const size_t length = text ? strlen(text) : 0, end = sizeof suffix - 1;
  char duration[64];
  if (!text) return true;
  const bool wall = length > end && length - end < sizeof duration && strcmp(text + length - end, suffix) == 0;
  snprintf(duration, sizeof duration, "%.*s", wall ? (int)(length - end) : 0, text);
  if (wall && sciara_parse_duration(duration, &o->checkpoint_wall_s) && o->checkpoint_wall_s > 0) return true;
  return refuse("checkpoint-every", "a wall-clock time above 0 such as \"10 min wall\"", text);
}

// --------------------------------------------------------------------------------------------------------- progress

struct view {
  double every, last; ///< s
};

static void print_progress(const struct sciara_execute_progress *p, char *line, size_t size) {
  char faults[64] = "";
  if (p->failed + p->censored > 0)
    snprintf(faults, sizeof faults, "  %zu failed, %zu censored", p->failed, p->censored);
  snprintf(line, size, "%zu/%zu members  %.0f members/h  ETA %s%s", p->finished, p->total, p->per_hour,
           p->to_go_s >= 0 ? SCIARA_DURATION(p->to_go_s) : "-", faults);
}

static void show_ensemble_progress(void *context, const struct sciara_execute_progress *p) {
  struct view *v = (struct view *)context;
  const bool as_line = sciara_messages_have_line();
  const double now = sciara_wallclock();
  char line[256], json[256], left[32] = "null";
  if (!sciara_messages_shown() || now - v->last < (as_line ? 0.2 : v->every)) return;
  v->last = now;
  print_progress(p, line, sizeof line);
  if (as_line) {
    sciara_progress_line(line);
    return;
  }
  if (p->to_go_s >= 0) snprintf(left, sizeof left, "%.1f", p->to_go_s);
  snprintf(json, sizeof json,
           "{\"members\":%zu,\"finished\":%zu,\"failed\":%zu,\"censored\":%zu,\"members_per_hour\":%.6g,\"eta_s\":%s}",
           p->total, p->finished, p->failed, p->censored, p->per_hour, left);
  sciara_messages_progress(line, json, true);
}

static void describe_ensemble(const struct sciara_execute_progress *p, const char *folder) {
  sciara_log(SCIARA_LOG_INFO, "%zu of %zu members are finished (%zu by this run, in %.1f s)", p->finished, p->total,
             p->now, p->seconds);
  if (p->failed > 0)
    sciara_log(SCIARA_LOG_WARNING, "%zu members have failed: they have no result, which the maps take into account",
               p->failed);
  if (p->censored > 0)
    sciara_log(SCIARA_LOG_WARNING, "%zu members are censored: they ended before their own stop rule, or have a tower",
               p->censored);
  if (p->enough > 0 && p->finished < p->total)
    sciara_log(SCIARA_LOG_INFO,
               "the stop rule holds after %zu %s: the other members are not computed (--all: they are)", p->enough,
               sciara_plural(p->enough, "batch", "batches"));
  else if (p->finished < p->total) {
    char word[SCIARA_QUOTED_WORD];
    sciara_log(SCIARA_LOG_INFO, "'sciara ensemble run %s' continues; no finished member is computed again",
               sciara_quoted_word(folder, word));
  }
}

// ---------------------------------------------------------------------------------------------------------- commands

static int compute(const char *folder, const struct sciara_execute_options *options) {
  struct sciara_ensemble ensemble = {0};
  struct sciara_execute_progress progress = {0};
  int lock, code = sciara_report(sciara_ensemble_open_to_run(folder, &ensemble, &lock));
  if (code == SCIARA_OK) {
    sciara_stop_signals_catch();
    const enum sciara_status status = sciara_ensemble_execute(&ensemble, options, &progress);
    sciara_progress_line(NULL);
    code = sciara_report(status);
    if (progress.total > 0) describe_ensemble(&progress, folder);
    code = sciara_stop_signal_code(code);
  }
  sciara_ensemble_unlock(lock);
  sciara_ensemble_free(&ensemble);
  return code;
}

/** Whether the operand is an ensemble file, not a folder. */
static bool is_file(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/** The name of the folder for a file; to be freed. */
static char *ensemble_folder_of(const struct sciara_arguments *a) {
  const char *given = sciara_argument(a, "output"), *file = a->operand[0];
  const size_t length = strlen(file), tail = strlen(".json");
  if (given) return strdup(given);
  if (length <= tail || strcmp(file + length - tail, ".json") != 0 || file[length - tail - 1] == '/') {
    sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the folder of the ensemble (%s does not end in .json)", file);
    return NULL;
  }
  char *folder = strndup(file, length - tail);
  struct stat about;
  if (!folder) {
    sciara_no_memory("the name of a folder");
  } else if (lstat(folder, &about) == 0 && S_ISLNK(about.st_mode)) {
    sciara_fail(SCIARA_ERR_USAGE, "%s: expected a folder, found a symbolic link; to follow it, name it with --output",
                folder);
    free(folder);
    folder = NULL;
  }
  return folder;
}

/** Plan, run and reduce. */
static int run_file(const struct sciara_arguments *a, const struct sciara_execute_options *options) {
  char *folder = ensemble_folder_of(a);
  if (!folder) return sciara_report(SCIARA_ERR_USAGE);
  int code = ensemble_plan_into(a, folder, options->engine ? options->engine : "");
  if (code == SCIARA_OK) code = compute(folder, options);
  if (code == SCIARA_OK)
    code = sciara_report(sciara_ensemble_reduce_folder(folder, sciara_usable_cores(), options->all,
                                                       !sciara_argument_given(a, "no-pictures"), true));
  free(folder);
  return code;
}

/** Options that mean nothing for the operand. */
static enum sciara_status check_ensemble_options(const struct sciara_arguments *a, bool file) {
  static const char *const of_file[] = {"output", "no-estimate", "no-pictures"}, *const of_folder[] = {"members",
                                                                                                       "part"};
  for (size_t k = 0; !file && k < sizeof of_file / sizeof *of_file; k++)
    if (sciara_argument_given(a, of_file[k]))
      return sciara_fail(SCIARA_ERR_USAGE, "--%s: allowed with an ensemble file only, found the folder \"%s\"",
                         of_file[k], a->operand[0]);
  for (size_t k = 0; file && k < sizeof of_folder / sizeof *of_folder; k++)
    if (sciara_argument_given(a, of_folder[k]))
      return sciara_fail(SCIARA_ERR_USAGE, "--%s: allowed with the folder of a planned ensemble only, found \"%s\"",
                         of_folder[k], a->operand[0]);
  return SCIARA_OK;
}

static int run_ensemble_command(const struct sciara_arguments *arguments) {
  struct view view = {.every = 30, .last = sciara_wallclock()};
  struct sciara_execute_options options = {
      .cancel = sciara_stop_signal(), .progress = show_ensemble_progress, .context = &view};
  const char *every = sciara_argument(arguments, "progress-every");
  if (every && (!sciara_parse_double(every, &view.every) || view.every < 0.1)) {
    refuse("progress-every", "0.1 s or more", every);
    return SCIARA_ERR_USAGE;
  }
  if (!parse_slice(arguments, &options)) return SCIARA_ERR_USAGE;
  if (sciara_take_workers(arguments, &options.workers) != SCIARA_OK) return sciara_report(SCIARA_ERR_USAGE);
  if (!parse_checkpoint(arguments, &options)) return SCIARA_ERR_USAGE;
  const bool file = is_file(arguments->operand[0]);
  options.all = sciara_argument_given(arguments, "all");
  options.engine = sciara_argument(arguments, "engine");
  const int code = sciara_report(check_ensemble_options(arguments, file));
  if (code != SCIARA_OK) return code;
  return file ? run_file(arguments, &options) : compute(arguments->operand[0], &options);
}

static void print_speed(const struct sciara_ensemble_status *s) {
  if (s->last_hour > 0)
    sciara_print("speed:    %.0f members/h (%.0f in %s, of the last hour)\n", s->per_hour, s->last_hour,
                 SCIARA_DURATION(s->last_s));
  else
    sciara_print("speed:    no member in the last hour\n");
}

static enum sciara_status print_status(const struct sciara_arguments *arguments) {
  struct sciara_ensemble ensemble = {0};
  struct sciara_ensemble_status s;
  enum sciara_status status = sciara_ensemble_open(arguments->operand[0], &ensemble);
  if (status == SCIARA_OK) status = sciara_ensemble_read_status(&ensemble, &s);
  if (status == SCIARA_OK) {
    sciara_print("members:  %zu of %zu finished, %zu failed, %zu censored\n", s.finished, s.members, s.failed,
                 s.censored);
    sciara_print("batches:  %zu of %zu written, %s; %zu finished members of others\n", s.whole, s.batches,
                 SCIARA_BYTES((double)s.bytes), s.single);
    if (s.begun > 0)
      sciara_print("begun:    %zu %s from %s\n", s.begun,
                   sciara_plural(s.begun, "member continues", "members continue"),
                   sciara_plural(s.begun, "its checkpoint", "their checkpoints"));
    if (s.unusable > 0)
      sciara_print("unusable: %zu %s damaged or of another plan: 'sciara ensemble run' computes the %s again\n",
                   s.unusable, sciara_plural(s.unusable, "file of a member,", "files of members,"),
                   sciara_plural(s.unusable, "member", "members"));
    print_speed(&s);
    if (s.enough > 0)
      sciara_print(
          "stop:     the stop rule holds after %zu %s: the other members are not computed (run --all: they are)\n",
          s.enough, sciara_plural(s.enough, "batch", "batches"));
    else if (s.finished < s.members && s.per_hour > 0) {
      sciara_print("ETA:      %s at this speed\n",
                   SCIARA_DURATION(3600 * (double)(s.members - s.finished) / s.per_hour));
    }
  }
  sciara_ensemble_free(&ensemble);
  return status;
}

const struct sciara_command sciara_cmd_ensemble_run = {
    .name = "ensemble run",
    .summary = "compute the members of an ensemble",
    .operands = "FILE|DIR",
    .operand_min = 1,
    .operand_max = 1,
    .options = run_options,
    .details =
        "Computes the members that are not finished, one on each core or GPU. Ctrl-C ends it; what is finished is "
        "kept,\n"
        "and the same command continues. A member that takes long is stored at intervals, and when Ctrl-C ends it, "
        "and\n"
        "continues from there, also after a crash. Any number of processes, also on other machines with the same "
        "folder, may\n"
        "compute different parts or the same one. A slice is rounded to whole batches.\n"
        "Given an ensemble file: plan, run and reduce in one go. Unless only a slice is computed, a stop rule ends the "
        "run\n"
        "after the batches with which it holds; it is tested for whole batches in their order.\n",
    .run = run_ensemble_command,
};

const struct sciara_command sciara_cmd_ensemble_status = {
    .name = "ensemble status",
    .summary = "show how many members of an ensemble are finished",
    .operands = "DIR",
    .operand_min = 1,
    .operand_max = 1,
    .options = status_options,
    .execute = print_status,
};
