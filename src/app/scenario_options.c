// SPDX-License-Identifier: Apache-2.0
#include "app/common_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "engine/engine.h"
#include "file/durable.h"
#include "scenario/scenario_keys.h"
#include "setup/setup.h"

static enum sciara_status add_override(struct sciara_scenario_additions *a, const char *key, const char *value,
                                       bool quoted) {
  if (a->override_count == SCIARA_MOST_OVERRIDES) return sciara_fail(SCIARA_ERR_USAGE, "too many options");
  char *text = key ? sciara_format(quoted ? "%s=\"%s\"" : "%s=%s", key, value) : sciara_format("%s", value);
  if (!text) return sciara_no_memory("an option");
  a->override[a->override_count++] = text;
  return SCIARA_OK;
}

/** A text of the user as a JSON string. */
static enum sciara_status add_text(struct sciara_scenario_additions *a, const char *option, const char *key,
                                   const char *text) {
  struct sciara_text json = {0};
  if (!*text || !sciara_is_utf8(text)) // other bytes would be replaced silently
    return sciara_fail(SCIARA_ERR_USAGE, "--%s: expected a text in UTF-8, found \"%s\"", option, text);
  enum sciara_status status = sciara_text_append_json(&json, text);
  if (status == SCIARA_OK) status = add_override(a, key, json.data, true);
  sciara_text_free(&json);
  return status;
}

/** An absolute path as a JSON string: --output is relative to the current folder, output.folder to the scenario. */
static enum sciara_status add_output(struct sciara_scenario_additions *a, const char *folder) {
  char *here = *folder == '/' ? NULL : realpath(".", NULL);
  char *path;
  struct sciara_text json = {0};
  enum sciara_status status = sciara_path_in(here ? here : "", folder, &path);
  if (status == SCIARA_OK && !sciara_is_utf8(path)) // otherwise another name would be used silently
    status = sciara_fail(SCIARA_ERR_USAGE, "--output: expected a path in UTF-8, found \"%s\"", path);
  if (status == SCIARA_OK) status = sciara_text_append_json(&json, path);
  if (status == SCIARA_OK) status = add_override(a, "output.folder", json.data ? json.data : "", true);
  sciara_text_free(&json);
  free(path);
  free(here);
  return status;
}

static enum sciara_status add_number(struct sciara_scenario_additions *a, const char *option, const char *key,
                                     const char *text, double least) {
  double value;
  char digits[32];
  SCIARA_TRY(sciara_take_whole(option, text, least, 0x1p53 - 1, &value));
  snprintf(digits, sizeof digits, "%.0f", value); // "+5" and "5e1" are numbers, but not JSON
  return add_override(a, key, digits, false);
}

/** An option of an engine: one key of the scenario, or two for "block=32x8". */
static enum sciara_status add_engine_option(struct sciara_scenario_additions *a, const char *text) {
  struct sciara_engine_options options = {0};
  SCIARA_TRY(sciara_fail_context(sciara_engine_option_parse(text, &options), "--option"));
  const struct sciara_settings table = sciara_engine_settings();
  for (size_t k = 0; k < table.count; k++) {
    const struct sciara_setting *s = &table.setting[k];
    int value;
    char key[64], digits[16];
    memcpy(&value, (const char *)&options + s->offset, sizeof value);
    if (!value) continue;
    snprintf(key, sizeof key, "engine.%s", s->name);
    snprintf(digits, sizeof digits, "%d", value);
    const bool choice = s->type == SCIARA_SETTING_CHOICE;
    SCIARA_TRY(add_override(a, key, choice ? strchr(text, '=') + 1 : digits, choice));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_until_check(const char *text) {
  double seconds;
  char rules[256];
  const bool named = sciara_until_of(text) != SCIARA_UNTIL_TIME ||
                     sciara_scenario_date_valid(text); // whether it lies after run.start the scenario knows
  if (named || (sciara_parse_duration(text, &seconds) && seconds > 0)) return SCIARA_OK;
  sciara_scenario_list_choices(sciara_scenario_key_find("run", "until")->choices, rules, sizeof rules);
  return sciara_fail(SCIARA_ERR_USAGE,
                     "--until: expected a time above 0 such as \"6 h\", \"3 d\" or seconds, a date such as "
                     "2026-05-11T10:00Z, %s; found \"%s\"",
                     rules, text);
}

static enum sciara_status add_until(struct sciara_scenario_additions *a, const char *text) {
  SCIARA_TRY(sciara_until_check(text));
  return add_override(a, "run.until", text, true);
}

/** "6 h" is simulated time, "10 min wall" wall-clock time. */
static enum sciara_status add_checkpoint(struct sciara_scenario_additions *a, const char *text) {
  static const char suffix[] = " wall";
  const size_t length = strlen(text), end = sizeof suffix - 1;
  const bool wall = length > end && strcmp(text + length - end, suffix) == 0;
  char *duration = sciara_format("%.*s", (int)(wall ? length - end : length), text);
  double seconds;
  if (!duration) return sciara_no_memory("an option");
  enum sciara_status status =
      sciara_parse_duration(duration, &seconds) && seconds > 0
          ? add_override(a, wall ? "output.checkpoint_wall" : "output.checkpoint_every", duration, true)
          : sciara_fail(SCIARA_ERR_USAGE,
                        "--checkpoint-every: expected a time above 0: simulated time such as \"6 h\" or seconds, or "
                        "wall-clock time such as \"10 min wall\"; found \"%s\"",
                        text);
  free(duration);
  return status;
}

void sciara_quick_log(void) { // docs/validation.md#coarse-first has the numbers
  sciara_log(SCIARA_LOG_WARNING,
             "--quick: cells of 40 m; with rule bingham J of two eruptions was up to 0.03 lower than on 20 m, and "
             "arrival times "
             "differed by a tenth and, in 1 of 20 cells, by two to three days: take maps and times from finer cells");
}

enum sciara_status sciara_additions_make(const struct sciara_arguments *arguments,
                                         struct sciara_scenario_additions *a) {
  *a = (struct sciara_scenario_additions){0};
  a->driver_count = sciara_arguments_all(arguments, "allow-driver", a->driver);
  for (size_t k = 0; k < arguments->given_count; k++) {
    const char *name = arguments->given[k].option->name, *value = arguments->given[k].value;
    if (strcmp(name, "set") == 0) {
      if (!strchr(value, '=')) return sciara_fail(SCIARA_ERR_USAGE, "--set: expected KEY=VALUE, found \"%s\"", value);
      SCIARA_TRY(add_override(a, NULL, value, false));
    } else if (strcmp(name, "quick") == 0) {
      SCIARA_TRY(add_override(a, NULL, SCIARA_QUICK, false));
      sciara_quick_log();
    } else if (strcmp(name, "engine") == 0) {
      SCIARA_TRY(add_override(a, "engine.name", value, true));
    } else if (strcmp(name, "precision") == 0) {
      if (strcmp(value, "double") != 0 && strcmp(value, "single") != 0)
        return sciara_fail(SCIARA_ERR_USAGE, "--precision: expected double or single, found \"%s\"", value);
      SCIARA_TRY(add_override(a, "engine.precision", value, true));
    } else if (strcmp(name, "threads") == 0) {
      SCIARA_TRY(add_number(a, name, "engine.threads", value, 0));
    } else if (strcmp(name, "device") == 0) {
      SCIARA_TRY(add_number(a, name, "engine.device", value, 0));
    } else if (strcmp(name, "option") == 0) {
      SCIARA_TRY(add_engine_option(a, value));
    } else if (strcmp(name, "fast-math") == 0) {
      SCIARA_TRY(add_override(a, "engine.math", "fast", true));
    } else if (strcmp(name, "steps") == 0) {
      SCIARA_TRY(add_number(a, name, "run.max_steps", value, 1));
    } else if (strcmp(name, "until") == 0) {
      SCIARA_TRY(add_until(a, value));
    } else if (strcmp(name, "keep-checkpoints") == 0) {
      double every;
      if (strcmp(value, "all") != 0 && !(sciara_parse_duration(value, &every) && every > 0))
        return sciara_fail(SCIARA_ERR_USAGE,
                           "--keep-checkpoints: expected a simulated time above 0 such as \"6 h\", or \"all\"; found "
                           "\"%s\"",
                           value);
      SCIARA_TRY(add_override(a, "output.keep_checkpoints", value, true));
    } else if (strcmp(name, "checkpoint-every") == 0) {
      SCIARA_TRY(add_checkpoint(a, value));
    } else if (strcmp(name, "output") == 0) {
      SCIARA_TRY(add_output(a, value));
    } else if (strcmp(name, "title") == 0) {
      SCIARA_TRY(add_text(a, name, "title", value));
    }
  }
  return SCIARA_OK;
}

void sciara_additions_free(struct sciara_scenario_additions *a) {
  for (size_t k = 0; k < a->override_count; k++) free(a->override[k]);
  *a = (struct sciara_scenario_additions){0};
}

struct sciara_problem_options sciara_additions_options(const struct sciara_scenario_additions *a) {
  return (struct sciara_problem_options){.overrides = (const char *const *)a->override,
                                         .override_count = a->override_count,
                                         .extra_drivers = a->driver,
                                         .extra_driver_count = a->driver_count};
}
