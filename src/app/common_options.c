// SPDX-License-Identifier: Apache-2.0
#include "app/common_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/log.h"
#include "base/text.h"
#include "engine/engine.h"
#include "export/picture_look.h"
#include "file/csv.h"
#include "file/durable.h"
#include "scenario/scenario_keys.h"
#include "setup/setup.h"

enum sciara_checksum_rule sciara_checksum_rule(const struct sciara_arguments *a) {
  return sciara_argument_given(a, SCIARA_ALLOW_MISSING_CHECKSUM) ? SCIARA_CHECKSUM_OPTIONAL : SCIARA_CHECKSUM_REQUIRED;
}

enum sciara_status sciara_observed_request(const struct sciara_arguments *a, const char *drivers[SCIARA_MOST_GIVEN],
                                           struct sciara_observation_request *out) {
  *out = (struct sciara_observation_request){.path = sciara_argument(a, "observed"),
                                             .layer = sciara_argument(a, "observed-layer"),
                                             .extra_drivers = drivers,
                                             .extra_driver_count = sciara_arguments_all(a, "allow-driver", drivers)};
  if (out->path) return SCIARA_OK;
  if (out->layer) return sciara_fail(SCIARA_ERR_USAGE, "--observed-layer: allowed only with --observed FILE");
  if (out->extra_driver_count == 0 || sciara_argument(a, "background") || sciara_argument(a, "assets"))
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--allow-driver: allowed only with --observed FILE");
}

struct sciara_pois_request sciara_assets_request(const struct sciara_arguments *a,
                                                 const char *drivers[SCIARA_MOST_GIVEN]) {
  return (struct sciara_pois_request){.path = sciara_argument(a, "assets"),
                                      .layer = sciara_argument(a, "layer"),
                                      .name_column = sciara_argument(a, "names"),
                                      .extra_drivers = drivers,
                                      .extra_driver_count = sciara_arguments_all(a, "allow-driver", drivers)};
}

enum sciara_status sciara_take_whole(const char *option, const char *text, double least, double most, double *value) {
  if (!text || (sciara_parse_double(text, value) && *value >= least && *value <= most && *value == floor(*value)))
    return SCIARA_OK;
  if (most >= 0x1p52)
    return sciara_fail(SCIARA_ERR_USAGE, "--%s: expected a whole number >= %.0f, found \"%s\"", option, least, text);
  return sciara_fail(SCIARA_ERR_USAGE, "--%s: expected a whole number from %.0f to %.0f, found \"%s\"", option, least,
                     most, text);
}

enum sciara_status sciara_take_workers(const struct sciara_arguments *a, int *workers) {
  const char *text = sciara_argument(a, "workers");
  int64_t count = 0;
  if (text && (!sciara_csv_size(text, &count) || count < 1 || count > 4096))
    return sciara_fail(SCIARA_ERR_USAGE, "--workers: expected 1 to 4096, found \"%s\"", text);
  *workers = (int)count;
  return SCIARA_OK;
}

enum sciara_status sciara_take_min_thickness(const struct sciara_arguments *a, double *metres) {
  const char *text = sciara_argument(a, "min-thickness");
  if (!text || (sciara_parse_double(text, metres) && *metres >= 0)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--min-thickness: expected a number >= 0 (m), found \"%s\"", text);
}

enum sciara_status sciara_check_extension(const char *option, const char *path, const char *const *extensions) {
  struct sciara_text all = {0};
  for (const char *const *e = extensions; *e; e++) {
    if (sciara_has_extension(path, *e)) {
      sciara_text_free(&all);
      return SCIARA_OK;
    }
    sciara_text_append(&all, "%s.%s", e == extensions ? "" : " or ", *e);
  }
  sciara_fail(SCIARA_ERR_USAGE, "--%s: expected a name that ends in %s, found \"%s\"", option,
              all.data ? all.data : "another extension", path);
  sciara_text_free(&all);
  return SCIARA_ERR_USAGE;
}

// -------------------------------------------------------------------------------------------------------------- places

/** A number, and the letter behind it (E, W, N, S), or 0. False: it is none. */
static bool parse_number(const char *text, size_t length, double *value, char *letter) {
  char copy[64];
  while (length > 0 && *text == ' ') text++, length--;
  while (length > 0 && text[length - 1] == ' ') length--;
  if (length == 0 || length >= sizeof copy) return false;
  snprintf(copy, sizeof copy, "%.*s", (int)length, text);
  *letter = '\0';
  if (strchr("EWNSewns", copy[length - 1])) {
    *letter = (char)(copy[length - 1] & ~0x20); // a capital
    copy[--length] = '\0';
  }
  return sciara_parse_double(copy, value);
}

/** Puts a number in degrees into its point. False: the letters do not make a pair, or the number has a sign as well. */
static bool put_degree(double value, char letter, bool taken[2], struct sciara_point *p) {
  const int axis = letter == 'N' || letter == 'S';
  if (taken[axis] || value < 0) return false;
  taken[axis] = true;
  *(axis ? &p->y : &p->x) = letter == 'W' || letter == 'S' ? -value : value;
  return true;
}

enum sciara_place_text sciara_place_parse(const char *text, size_t count, struct sciara_point *points) {
  bool taken[2] = {false}, degrees = false;
  for (size_t k = 0; k < 2 * count; k++) {
    const char *comma = strchr(text, ',');
    double value;
    char letter;
    if (!comma != (k + 1 == 2 * count) ||
        !parse_number(text, comma ? (size_t)(comma - text) : strlen(text), &value, &letter))
      return SCIARA_PLACE_NAME;
    if (k % 2 == 0) taken[0] = taken[1] = false;
    if (k > 0 && degrees != (letter != '\0')) return SCIARA_PLACE_NAME;
    degrees = letter != '\0';
    if (degrees && !put_degree(value, letter, taken, &points[k / 2])) return SCIARA_PLACE_NAME;
    if (!degrees) *(k % 2 ? &points[k / 2].y : &points[k / 2].x) = value;
    text = comma ? comma + 1 : text;
  }
  return degrees ? SCIARA_PLACE_DEGREES : SCIARA_PLACE_METRES;
}

// ------------------------------------------------------------------------------------------------------------ pictures

static enum sciara_status parse_width(const struct sciara_arguments *a, int64_t *width) {
  const char *text = sciara_argument(a, "width");
  double value;
  *width = 0;
  if (!text) return SCIARA_OK;
  if (!sciara_parse_double(text, &value) || value != (double)(int64_t)value || value < SCIARA_PICTURE_NARROWEST ||
      value > SCIARA_PICTURE_WIDEST)
    return sciara_fail(SCIARA_ERR_USAGE, "--width: expected a whole number of pixels from %d to %d, found \"%s\"",
                       SCIARA_PICTURE_NARROWEST, SCIARA_PICTURE_WIDEST, text);
  *width = (int64_t)value;
  return SCIARA_OK;
}

static void parse_extent(const char *text, struct sciara_picture_look *out) {
  struct sciara_point corner[2];
  out->extent = SCIARA_PICTURE_OF_LAVA;
  if (!text || strcmp(text, "lava") == 0) return;
  out->extent = SCIARA_PICTURE_OF_DEM;
  if (strcmp(text, "dem") == 0) return;
  const enum sciara_place_text is = sciara_place_parse(text, 2, corner);
  const bool degrees = is == SCIARA_PLACE_DEGREES; // of any two corners
  out->extent = is == SCIARA_PLACE_METRES ? SCIARA_PICTURE_OF_BOX
                : degrees                 ? SCIARA_PICTURE_OF_DEGREES
                                          : SCIARA_PICTURE_OF_PLACE;
  out->place = text;
  if (is == SCIARA_PLACE_NAME) return;
  out->box[0] = degrees ? fmin(corner[0].x, corner[1].x) : corner[0].x;
  out->box[1] = degrees ? fmin(corner[0].y, corner[1].y) : corner[0].y;
  out->box[2] = degrees ? fmax(corner[0].x, corner[1].x) : corner[1].x;
  out->box[3] = degrees ? fmax(corner[0].y, corner[1].y) : corner[1].y;
}

/** A date, or a date and a time in UTC, as it is to be written; *out is the moment, s since 1970. */
static enum sciara_status parse_date(const struct sciara_arguments *a, const char *option, char shown[32],
                                     double *out) {
  const char *text = sciara_argument(a, option);
  bool zoned;
  shown[0] = '\0';
  if (!text) return SCIARA_OK;
  if (sciara_parse_date(text, out, &zoned)) {
    if (strlen(text) == sizeof "2026-05-10" - 1)
      snprintf(shown, 32, "%s", text);
    else
      sciara_minute_after(text, 0, shown);
  }
  if (*shown) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE,
                     "--%s: expected a date such as 2026-05-10, or with a time in UTC such as 2026-05-10T04:00Z; found "
                     "\"%s\"",
                     option, text);
}

static enum sciara_status parse_validity(const struct sciara_arguments *a, struct sciara_picture_look *out) {
  double issued = 0, until = 0;
  SCIARA_TRY(parse_date(a, "issued", out->issued, &issued));
  SCIARA_TRY(parse_date(a, "valid-until", out->valid_until, &until));
  if (out->issued[0] && out->valid_until[0] && until < issued)
    return sciara_fail(SCIARA_ERR_USAGE, "--valid-until: expected a date after --issued %s, found %s", out->issued,
                       out->valid_until);
  return SCIARA_OK;
}

static enum sciara_status check_texts(const struct sciara_arguments *a) {
  static const char *const options[] = {"title", "credits", "stamp"};
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    const char *text = sciara_argument(a, options[k]);
    if (text && !sciara_is_utf8(text)) // other bytes would be replaced silently
      return sciara_fail(SCIARA_ERR_USAGE, "--%s: expected UTF-8, found \"%s\"", options[k], text);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_picture_options_read(const struct sciara_arguments *a, const char *const *drivers,
                                               size_t driver_count, struct sciara_picture_look *out) {
  const char *language = sciara_argument(a, "language");
  *out = (struct sciara_picture_look){.title = sciara_argument(a, "title"),
                                      .credits = sciara_argument(a, "credits"),
                                      .stamp = sciara_argument(a, "stamp"),
                                      .logo = sciara_argument(a, "logo"),
                                      .background = sciara_argument(a, "background"),
                                      .graticule = sciara_argument_given(a, "graticule"),
                                      .extra_drivers = drivers,
                                      .extra_driver_count = driver_count};
  SCIARA_TRY(check_texts(a));
  if (language) SCIARA_TRY(sciara_fail_context(sciara_language_parse(language, &out->language), "--language"));
  parse_extent(sciara_argument(a, "extent"), out);
  SCIARA_TRY(parse_validity(a, out));
  return parse_width(a, &out->width);
}

// --------------------------------------------------------------------------------------------- additions to a scenario

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
  if (status == SCIARA_OK) status = add_override(a, key, json.data, false);
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
  if (status == SCIARA_OK) status = add_override(a, "output.folder", json.data, false);
  sciara_text_free(&json);
  free(path);
  free(here);
  return status;
}

static enum sciara_status add_number(struct sciara_scenario_additions *a, const char *option, const char *key,
                                     const char *text, double least) {
  double value = 0;
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
      SCIARA_TRY(sciara_until_check(value));
      SCIARA_TRY(add_override(a, "run.until", value, true));
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
