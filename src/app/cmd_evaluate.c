// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/messages.h"
#include "app/output.h"
#include "app/program.h"
#include "base/date.h"
#include "calibrate/evaluate.h"

enum { MOST_OBSERVED = SCIARA_MOST_GIVEN, TICK_MS = 100 };

/** The command: its options, and the lines on their way. */
struct job {
  struct sciara_evaluate_options options;
  struct sciara_evaluate_observed observed[MOST_OBSERVED];
  const char *dates[MOST_OBSERVED];    ///< field of dates of each; NULL: it has none
  struct sciara_observed_list extents; ///< one for each, or for each date of one
  const char *drivers[SCIARA_MOST_GIVEN];
  struct sciara_evaluator *evaluator;
  struct sciara_text line; ///< the present one, as far as it has been read and is to be looked at
  uint64_t lines;
  int closed;           ///< atomic: nobody reads the results
  uint64_t failed, bad; ///< results; for the one thread that prints
};

// ------------------------------------------------------------------------------------------------------------- options

static enum sciara_status take_weight(const char *text, double *out) {
  if (sciara_parse_double(text, out) && *out > 0 && *out <= SCIARA_EVALUATE_WEIGHT_MOST) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--weight: expected a number above 0 to 1e6, found \"%s\"", text);
}

/** The time of an observation: simulated, or a date. */
static enum sciara_status take_time(const char *text, struct sciara_evaluate_observed *o) {
  double seconds;
  bool zoned;
  o->at_date = sciara_parse_date(text, &seconds, &zoned) ? text : NULL;
  if (o->at_date || (sciara_parse_duration(text, &o->at_s) && o->at_s > 0)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE,
                     "--at: expected a time above 0 such as \"2 d\", or a date such as 2006-07-14T12:00Z, found \"%s\"",
                     text);
}

/** An option that belongs to the observed extent before it. */
static enum sciara_status take_property(const char *name, const char *value, struct sciara_evaluate_observed *o) {
  if (strcmp(name, "observed-layer") == 0) o->layer = value;
  if (strcmp(name, "region") == 0) o->region = value;
  if (strcmp(name, "weight") == 0) return take_weight(value, &o->weight);
  return strcmp(name, "at") == 0 ? take_time(value, o) : SCIARA_OK;
}

static enum sciara_status take_observed(const struct sciara_arguments *a, struct job *j) {
  static const char *const properties = "observed-layer region weight at dates";
  size_t n = 0;
  for (size_t k = 0; k < a->given_count; k++) {
    const char *name = a->given[k].option->name, *value = a->given[k].value;
    if (strcmp(name, "observed") == 0) {
      const size_t scenario = a->operand_count > 1 ? n : 0;
      j->observed[n++] =
          (struct sciara_evaluate_observed){.scenario = scenario, .path = value, .at_s = (double)INFINITY, .weight = 1};
    } else if (sciara_has_word(properties, name)) {
      if (n == 0)
        return sciara_fail(SCIARA_ERR_USAGE, "--%s: expected after the option --observed FILE that it describes", name);
      if (strcmp(name, "dates") == 0) j->dates[n - 1] = value;
      SCIARA_TRY(take_property(name, value, &j->observed[n - 1]));
    }
  }
  if (n == 0) return sciara_fail(SCIARA_ERR_USAGE, "--observed is missing: the observed extent");
  if (a->operand_count > 1 && n != a->operand_count)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "expected an option --observed for each of the %zu scenarios, found %zu of them",
                       a->operand_count, n);
  for (size_t k = 0; k < n; k++) {
    const struct sciara_evaluate_observed *o = &j->observed[k];
    if (j->dates[k] && (o->at_date || o->at_s < (double)INFINITY))
      return sciara_fail(SCIARA_ERR_USAGE, "--dates: expected it without --at, which gives %s one time", o->path);
    SCIARA_TRY(sciara_observed_add(&j->extents, o, a->operand[o->scenario], j->dates[k], j->drivers,
                                   j->options.extra_driver_count));
  }
  j->options.observed = j->extents.item;
  j->options.observed_count = j->extents.count;
  return SCIARA_OK;
}

static enum sciara_status take_evaluate_options(const struct sciara_arguments *a, struct job *j) {
  struct sciara_evaluate_options *o = &j->options;
  o->scenarios = a->operand;
  o->scenario_count = a->operand_count;
  o->engine = sciara_argument(a, "engine");
  o->extra_drivers = j->drivers;
  o->extra_driver_count = sciara_arguments_all(a, "allow-driver", j->drivers);
  SCIARA_TRY(sciara_take_min_thickness(a, &o->min_thickness_m));
  SCIARA_TRY(sciara_take_workers(a, &o->workers));
  return take_observed(a, j);
}

// --------------------------------------------------------------------------------------------------------------- lines

static bool print_evaluation(void *context, const struct sciara_evaluation *result) {
  struct job *j = (struct job *)context;
  struct sciara_text text = {0};
  j->failed += result->status == SCIARA_EVALUATE_FAILED;
  j->bad += result->status == SCIARA_EVALUATE_INVALID;
  const bool made = sciara_evaluate_print(&j->options, result, &text) == SCIARA_OK;
  if (made) sciara_print_raw(text.data);
  sciara_text_free(&text);
  sciara_output_flush();
  if (made && !sciara_output_failure()) return true;
  __atomic_store_n(&j->closed, made ? 1 : 2, __ATOMIC_RELAXED);
  return false;
}

static bool is_wanted(void *context) {
  (void)context;
  return !__atomic_load_n(sciara_stop_signal(), __ATOMIC_RELAXED);
}

/** Adds a whole line to the requests; one that is blank is none. */
static enum sciara_status take_line(struct job *j) {
  static const char blanks[] = " \t\r";
  const char *text = j->line.data ? j->line.data : "";
  const size_t length = j->line.length;
  j->lines++;
  if (strspn(text, blanks) == length) return SCIARA_OK;
  SCIARA_TRY(sciara_evaluate_line(j->evaluator, j->lines, text, length));
  sciara_text_free(&j->line);
  return SCIARA_OK;
}

/** Adds bytes to the present line, of which no more than matters is kept. */
static enum sciara_status take_bytes(struct job *j, const char *bytes, size_t count) {
  while (count > 0) {
    const char *end = memchr(bytes, '\n', count);
    const size_t length = end ? (size_t)(end - bytes) : count;
    const size_t room = SCIARA_EVALUATE_LINE_MOST + 1 - j->line.length;
    SCIARA_TRY(sciara_text_append_bytes(&j->line, bytes, length < room ? length : room));
    if (!end) return SCIARA_OK;
    SCIARA_TRY(take_line(j));
    sciara_text_free(&j->line);
    bytes = end + 1;
    count -= length + 1;
  }
  return SCIARA_OK;
}

/** Reads what there is; *count is 0 at the end, and when the command is to end. */
static enum sciara_status read_some(const struct job *j, char *bytes, size_t size, size_t *count) {
  *count = 0;
  while (!__atomic_load_n(sciara_stop_signal(), __ATOMIC_RELAXED) && !__atomic_load_n(&j->closed, __ATOMIC_RELAXED)) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    const int ready = poll(&input, 1, TICK_MS);
    const ssize_t got = ready > 0 ? read(STDIN_FILENO, bytes, size) : -1;
    if (got >= 0) {
      *count = (size_t)got;
      return SCIARA_OK;
    }
    if (ready != 0 && errno != EINTR && errno != EAGAIN)
      return sciara_fail(SCIARA_ERR_IO, "standard input cannot be read: %s", strerror(errno));
  }
  return SCIARA_OK;
}

static enum sciara_status evaluate_lines(struct job *j) {
  static char bytes[1 << 16];
  size_t count;
  do {
    SCIARA_TRY(read_some(j, bytes, sizeof bytes, &count));
    SCIARA_TRY(take_bytes(j, bytes, count));
  } while (count > 0);
  const bool stopped = __atomic_load_n(sciara_stop_signal(), __ATOMIC_RELAXED) != 0;
  if (j->line.length > 0 && !stopped) SCIARA_TRY(take_line(j)); // the last one, without an end
  return sciara_evaluator_wait(j->evaluator, true);
}

static enum sciara_status evaluate(struct job *j) {
  SCIARA_TRY(sciara_evaluator_open(&j->options, &j->evaluator));
  sciara_stop_signals_catch();
  const enum sciara_status status = evaluate_lines(j);
  sciara_evaluator_close(j->evaluator);
  sciara_text_free(&j->line);
  if (status != SCIARA_OK) return status;
  if (j->closed == 2) return sciara_no_memory("a result");
  if (j->failed > 0)
    sciara_log(SCIARA_LOG_WARNING, "%llu of the evaluations have failed: they have no scores",
               (unsigned long long)j->failed);
  if (j->bad == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%llu %s invalid: the results say why", (unsigned long long)j->bad,
                     sciara_plural(j->bad, "line is", "lines are"));
}

static int run_evaluate(const struct sciara_arguments *arguments) {
  static struct job job; // large
  job = (struct job){.options = {.go_on = is_wanted, .done = print_evaluation, .context = &job}};
  enum sciara_status status = take_evaluate_options(arguments, &job);
  if (status == SCIARA_OK) status = evaluate(&job);
  sciara_observed_list_free(&job.extents);
  return sciara_stop_signal_code(sciara_report(status));
}

static const struct sciara_option options[] = {
    SCIARA_OBSERVED_OPTIONS("the observed extent: polygons or a raster; may be repeated"),
    {"at", 0, "T",
     "simulated time (\"2 d\") or date of that extent: what lava has reached by then counts; default: the end"},
    {"dates", 0, "FIELD",
     "that file has an outline for each date in FIELD (auto: its only field of dates): each is compared at its date"},
    {"region", 0, "FILE", "compare only cells in this extent"},
    {"weight", 0, "W", "weight of that extent in the mean of J, up to 1e6 (default: 1)"},
    {"min-thickness", 0, "M", "thickness up to M metres counts as no lava (default: 0)"},
    {"engine", 0, "NAME",
     "engine; default: that of the first scenario, where auto is openmp. cuda-batch: many on each GPU"},
    {"workers", 'j', "N",
     "evaluations at a time; default: one per core, or one per GPU, or as many as GPUs have slots for"},
    {"jsonl", 0, NULL, "lines of JSON in and out, which is the only form"},
    {0},
};

const struct sciara_command sciara_cmd_evaluate = {
    .name = "evaluate",
    .ranks = SCIARA_NO_RANKS,
    .summary = "compute a scenario with changed parameters, many times, and compare it with an observed extent",
    .operands = "SCENARIO... --observed FILE",
    .operand_min = 1,
    .operand_max = 16,
    .options = options,
    .details =
        "Reads lines {\"id\": 1, \"set\": {\"model.relaxation\": 0.5}} from standard input; prints a line with the "
        "scores of\n"
        "each, in the same order, as soon as it and all before it are there. Keys and values are those of 'sciara run "
        "--set'.\n"
        "With \"least\": 0.5 in a line its run ends when J cannot be as much (\"stopped\": J is a bound, without "
        "scores), or\n"
        "its front rests (\"rested\").\n"
        "A line that is invalid gives a line with \"status\": \"error\"; the exit code is then 3. Several scenarios "
        "have an\n"
        "observed extent each, in the same order; one scenario may have several extents. --at, --dates, --region, "
        "--weight\n"
        "and --observed-layer belong to the extent before them.\n",
    .run = run_evaluate,
};
