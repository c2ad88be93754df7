// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "app/common_options.h"
#include "app/program.h"
#include "base/text.h"
#include "map/words.h"

/** Becomes the program, with the options by their whole names. */
static enum sciara_status become_calibrate(const struct sciara_arguments *a) {
  char *words[SCIARA_MOST_GIVEN + 4] = {0}, end[] = "--"; // from words[1] on: options, end, operand
  const size_t count = a->given_count + 1;
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < count; k++) {
    const char *value = k < a->given_count ? a->given[k].value : NULL;
    char **word = &words[k < a->given_count ? 1 + k : 2 + k];
    *word = k < a->given_count
                ? sciara_format("--%s%s%s", a->given[k].option->name, value ? "=" : "", value ? value : "")
                : sciara_format("%s", a->operand[0]);
    if (!*word) status = sciara_no_memory("the words of a command");
  }
  words[count] = end;
  if (status == SCIARA_OK) status = sciara_program_become(a->command, words);
  for (size_t k = 1; k < count + 2; k++)
    if (words[k] != end) free(words[k]);
  return status;
}

/** Values that are wrong are refused here; the rest is that of the program. */
static enum sciara_status execute_calibrate(const struct sciara_arguments *a) {
  double seconds = 0;
  int workers = 0;
  const char *every = sciara_argument(a, "progress-every"), *language = sciara_argument(a, "language");
  enum sciara_language chosen;
  if (!sciara_argument(a, "output"))
    return sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the folder of the results");
  SCIARA_TRY(sciara_take_workers(a, &workers));
  if (every && (!sciara_parse_double(every, &seconds) || !(seconds >= 0.1)))
    return sciara_fail(SCIARA_ERR_USAGE, "--progress-every: expected 0.1 s or more, found \"%s\"", every);
  if (language) SCIARA_TRY(sciara_fail_context(sciara_language_parse(language, &chosen), "--language"));
  return become_calibrate(a);
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
    .execute = execute_calibrate,
    .package = "python3-sciara",
};
