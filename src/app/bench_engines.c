// SPDX-License-Identifier: Apache-2.0
#include "app/bench_engines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { MOST_THREADS = 1024 };

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for an option"); }

static bool take_count(const char *text, double least, double most, int *out) {
  double value;
  if (!sciara_parse_double(text, &value) || !(value >= least && value <= most) || value != floor(value)) return false;
  *out = (int)value;
  return true;
}

/** "threads=2", or an option of an engine such as "memory=shared" or "block=32x8". */
static enum sciara_status take_item(const char *item, struct sciara_bench_candidate *c, bool *threads_given) {
  static const char threads[] = "threads=";
  if (strncmp(item, threads, sizeof threads - 1) != 0) {
    if (sciara_engine_option_parse(item, &c->options) == SCIARA_OK) return SCIARA_OK;
    char why[640];
    snprintf(why, sizeof why, "%s", sciara_last_error());
    return sciara_fail(SCIARA_ERR_USAGE, "--engines: %s or threads=0 to %d", why, MOST_THREADS);
  }
  *threads_given = true;
  if (take_count(item + sizeof threads - 1, 0, MOST_THREADS, &c->threads)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--engines: expected threads=0 to %d, found \"%s\"", MOST_THREADS, item);
}

static enum sciara_status add(struct sciara_bench_engines *e, const struct sciara_bench_candidate *c, bool parallel) {
  if (e->count == SCIARA_BENCH_MOST_ENGINES)
    return sciara_fail(SCIARA_ERR_USAGE, "--engines: found more than %d engines", SCIARA_BENCH_MOST_ENGINES);
  struct sciara_bench_candidate *out = &e->candidate[e->count++];
  *out = *c;
  if (!parallel) return SCIARA_OK;
  const size_t length = strlen(out->options_text);
  snprintf(out->options_text + length, sizeof out->options_text - length, "%sthreads=%d", length ? " " : "",
           out->threads);
  return SCIARA_OK;
}

/** Once for each number of threads, if the engine has threads and they are not given with its name. */
static enum sciara_status add_threads(struct sciara_bench_engines *e, struct sciara_bench_candidate *c,
                                      const char *threads, bool threads_given) {
  if (!(c->ops->capabilities & SCIARA_CAN_THREADS) && threads_given)
    return sciara_fail(SCIARA_ERR_USAGE, "engine \"%s\" has no option threads", c->ops->name);
  if (!(c->ops->capabilities & SCIARA_CAN_THREADS) || threads_given || !threads) return add(e, c, false);
  char *words = strdup(threads), *rest = words;
  enum sciara_status status = words ? SCIARA_OK : no_memory();
  for (char *word = strsep(&rest, ","); status == SCIARA_OK && word; word = strsep(&rest, ",")) {
    if (take_count(word, 0, MOST_THREADS, &c->threads))
      status = add(e, c, true);
    else
      status = sciara_fail(SCIARA_ERR_USAGE,
                           "--threads: expected whole numbers from 0 to %d, separated by commas; found \"%s\"",
                           MOST_THREADS, word);
  }
  free(words);
  return status;
}

/** NAME[:KEY=VALUE]...; `word` is cut at the colons. */
static enum sciara_status add_named(struct sciara_bench_engines *e, char *word, const char *threads,
                                    enum sciara_precision precision) {
  struct sciara_bench_candidate c = {.threads = 0};
  bool threads_given = false;
  char *rest = word;
  const char *name = strsep(&rest, ":");
  SCIARA_TRY(sciara_engine_find(name, SCIARA_RULE_FV3, precision, &c.ops));
  for (const char *item = strsep(&rest, ":"); item; item = strsep(&rest, ":")) {
    const size_t length = strlen(c.options_text);
    SCIARA_TRY(take_item(item, &c, &threads_given));
    snprintf(c.options_text + length, sizeof c.options_text - length, "%s%s", length ? " " : "", item);
  }
  SCIARA_TRY(sciara_engine_options_check(c.ops, &c.options));
  return add_threads(e, &c, threads, threads_given);
}

static enum sciara_status add_all(struct sciara_bench_engines *e, const char *threads,
                                  const struct sciara_bench_suite *suite, struct sciara_bench_report *report) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  for (size_t k = 0; k < count; k++) {
    struct sciara_bench_candidate c = {.threads = 0};
    if (sciara_engine_find(list[k].name, SCIARA_RULE_FV3, report->precision, &c.ops) == SCIARA_OK) {
      if (!(c.ops->capabilities & (SCIARA_FOR_TESTS | suite->without))) SCIARA_TRY(add_threads(e, &c, threads, false));
    } else if (report->absent_count < SCIARA_BENCH_MOST_ENGINES) {
      if (suite->without & SCIARA_CAN_DEVICE) continue; // what is not available is for GPUs
      sciara_log(SCIARA_LOG_INFO, "left out: %s", sciara_last_error());
      char *why = sciara_format("%s", sciara_last_error());
      if (!why) return no_memory();
      report->absent[report->absent_count++] = (struct sciara_bench_absent){.engine = list[k].name, .why = why};
    }
  }
  return SCIARA_OK;
}

enum sciara_status sciara_bench_engines_choose(struct sciara_bench_engines *e, const char *list, const char *threads,
                                               const struct sciara_bench_suite *suite,
                                               struct sciara_bench_report *report) {
  e->count = 0;
  if (!list || strcmp(list, "all") == 0) {
    SCIARA_TRY(add_all(e, threads, suite, report));
  } else {
    char *words = strdup(list), *rest = words;
    enum sciara_status status = words ? SCIARA_OK : no_memory();
    for (char *word = strsep(&rest, ","); status == SCIARA_OK && word; word = strsep(&rest, ","))
      status = add_named(e, word, threads, report->precision);
    free(words);
    SCIARA_TRY(status);
  }
  bool fit = suite->needs == 0;
  for (size_t k = 0; k < e->count; k++) fit = fit || e->candidate[k].ops->capabilities & suite->needs;
  if (fit) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_DEVICE,
                     "--suite %s: no engine for a GPU is available here ('sciara engines' shows why)", suite->name);
}
