// SPDX-License-Identifier: Apache-2.0
// The table of scenario keys, and declarations for the parts of the scenario reader.
#ifndef SCIARA_SCENARIO_SCENARIO_KEYS_H
#define SCIARA_SCENARIO_SCENARIO_KEYS_H

#include "base/date.h"
#include "file/json_strict.h"
#include "scenario/scenario.h"

enum sciara_key_type {
  SCIARA_KEY_ANY,     ///< anything, ignored
  SCIARA_KEY_OBJECT,  ///< an object whose keys are in the table
  SCIARA_KEY_MODEL,   ///< an object as "model" of a scenario
  SCIARA_KEY_OBJECTS, ///< an array of at most `high` objects, described by the entry "PATH[]"
  SCIARA_KEY_STRING,  ///< not empty
  SCIARA_KEY_CHOICE,  ///< one of `choices`
  SCIARA_KEY_BOOLEAN, ///< true or false
  SCIARA_KEY_NUMBER,
  SCIARA_KEY_INTEGER,
  SCIARA_KEY_DURATION,  ///< seconds, text such as "6 h", or one of `choices`; ranges are in seconds
  SCIARA_KEY_LAYER,     ///< a number, or the path of a raster
  SCIARA_KEY_SEA,       ///< a number, one of `choices`, or the path of a vector file
  SCIARA_KEY_DATE,      ///< YYYY-MM-DDThh:mmZ, perhaps with seconds, or YYYY-MM-DD
  SCIARA_KEY_WINDOW,    ///< [first row, first column, rows, columns], the last two >= 1
  SCIARA_KEY_BOX,       ///< [west, south, east, north], west < east, south < north
  SCIARA_KEY_POINTS,    ///< an array of at least 2 points [x, y]
  SCIARA_KEY_RATES,     ///< an array of 1 to `most` numbers; 0: SCIARA_KEY_MAX_RATES
  SCIARA_KEY_TABLE,     ///< an array of 2 to SCIARA_KEY_MAX_RATES rows [duration, number]
  SCIARA_KEY_FIELDS,    ///< an array of at least `low` different field names
  SCIARA_KEY_PAIR,      ///< an array of 2 numbers
  SCIARA_KEY_INTERVAL,  ///< [low, high], low < high
  SCIARA_KEY_DURATIONS, ///< an array of 1 to `most` durations; 0: SCIARA_KEY_MAX_VALUES
  SCIARA_KEY_VALUES,    ///< an array of 1 to SCIARA_KEY_MAX_VALUES numbers, texts, true, false or null
};

/** SCIARA_KEY_MAX_RESULTS: each item of such a list is several maps. */
enum {
  SCIARA_KEY_MAX_RESULTS = 200,
  SCIARA_KEY_MAX_VALUES = 1000,
  SCIARA_KEY_MAX_RATES = 1000000,
  SCIARA_KEY_MAX_POINTS = 100000
};
#define SCIARA_TIME_MAX 1e12 ///< longest duration, s

/** One key. Members that are not given are 0, NULL or false. */
struct sciara_scenario_key {
  const char *path; ///< "vents[].effusion.slot"
  enum sciara_key_type type;
  bool required;
  unsigned rules;     ///< of a key of "model": bits 1 << enum sciara_rule_kind of the rules that have it; 0: all
  const char *preset; ///< default as JSON; "null" also allows null to be written; NULL: none
  const char *unit;
  double low, high;    ///< range of numbers, if low < high
  int most;            ///< of a list of numbers or durations; not enforced by sciara_scenario_passes
  bool low_allowed;    ///< whether `low` itself may be given; `high` always may
  bool is_path;        ///< a text other than `choices` is the path of a file that is read, relative to the scenario
  bool dated;          ///< a duration from the start of the run, for which a date may stand if run.start is given
  const char *choices; ///< "open|closed"
  const char *needs;   ///< key of the same object that must also be given
  const char *alternatives; ///< of an object: exactly one of these sets of keys is given, "x,y|lon,lat"
  const char *description;
};

/** The declared options; an empty table if there are none. */
struct sciara_settings sciara_scenario_declared_options(void);

/** The name of the table of an ensemble file: the object that has its keys of the top level. */
#define SCIARA_ENSEMBLE_KEYS "ensemble:"

/** The name of the table of a calibration file. */
#define SCIARA_CALIBRATION_KEYS "calibration:"

/** The table to which an object belongs: that of scenarios, ensemble files or calibration files; its length in *count. */
const struct sciara_scenario_key *sciara_keys_of(const char *schema, size_t *count);

/** The table of a scenario with the keys of the declared options at its end, and its length in *count. */
const struct sciara_scenario_key *sciara_scenario_keys(size_t *count);

/** The name of a key in the object `parent` ("" at the top level), or NULL if it is in another object. */
const char *sciara_scenario_key_name(const struct sciara_scenario_key *key, const char *parent);

/** The key `name` of the object `parent`, or NULL. */
const struct sciara_scenario_key *sciara_scenario_key_find(const char *parent, const char *name);

/** The entry "PATH[]" of an array of objects. */
const struct sciara_scenario_key *sciara_scenario_key_items(const struct sciara_scenario_key *key);

/** "rule bingham" for a key of "model" that one rule alone has, else NULL. */
const char *sciara_scenario_key_rule(const struct sciara_scenario_key *key);

enum { SCIARA_COUNTERPART_TEXT = 64 };

/** ", whose counterpart is model.radiating_share" for a key of "model" that another rule has under another name; else "". */
void sciara_scenario_counterpart(const char *key, char text[SCIARA_COUNTERPART_TEXT]);

/** Whether its value may be null. */
bool sciara_scenario_key_nullable(const struct sciara_scenario_key *key);

/** Whether a number lies in the range of a key, if that has one. */
bool sciara_scenario_key_holds(const struct sciara_scenario_key *key, double v);

/** "0 to 1e6 m3/s", "above 0 to 1 K"; "" if there is no range. */
void sciara_scenario_key_range(const struct sciara_scenario_key *key, char *buffer, size_t capacity);

/** How many numbers or durations a list may have. */
int sciara_scenario_key_most(const struct sciara_scenario_key *key);

/** The allowed values of a key, as text: "a number, 0 to 1e6 m3/s, or null". */
void sciara_scenario_key_allowed(const struct sciara_scenario_key *key, char *buffer, size_t capacity);

/** `"a", "b" or "c"` from "a|b|c". */
void sciara_scenario_list_choices(const char *choices, char *buffer, size_t capacity);

/** The part of a list "a|b" at *rest up to `separator`, copied into `buffer`; advances *rest; false at the end. */
bool sciara_scenario_list_next(const char **rest, char separator, char *buffer, size_t capacity);

/**
 * Fails with "FILE: PATH: unknown key, expected ... (did you mean ...?)".
 *
 * @param meant receives the key of the object `parent` that was probably meant by `name`, or NULL
 */
enum sciara_status sciara_scenario_unknown_key(const char *file, const char *parent, const char *name,
                                               const struct sciara_json_path *path, const char **meant);

/** Fails with "FILE: PATH: expected ALLOWED; found FOUND"; returns SCIARA_ERR_INPUT. */
enum sciara_status sciara_scenario_refuse(const char *file, const struct sciara_json_path *path, const char *found,
                                          const char *allowed);

/**
 * Checks the complete tree against the table; adds all problems to `diagnostics`. What is a reference (of cJSON) to an item
 * of another tree is taken as checked there.
 */
void sciara_scenario_check(const char *file, const cJSON *root, struct sciara_diagnostics *diagnostics);

/** sciara_scenario_check for the tree of a file with SCIARA_ENSEMBLE_KEYS or SCIARA_CALIBRATION_KEYS. */
void sciara_tree_check(const char *file, const cJSON *root, const char *keys, struct sciara_diagnostics *diagnostics);

/** The rule that the object "model" names, itself or by its preset; fv3 if it names none. @param model may be NULL */
enum sciara_rule_kind sciara_scenario_rule_of(const cJSON *model);

/** Whether a key of "model" belongs to a rule. */
static inline bool sciara_scenario_key_is_of(const struct sciara_scenario_key *key, enum sciara_rule_kind rule) {
  return key->rules == 0 || key->rules >> rule & 1u;
}

/** Whether a single value is valid for a key. Lists may be as long as earlier versions planned them. */
bool sciara_scenario_passes(const struct sciara_scenario_key *key, const cJSON *value);

/** Makes the paths of a tree, which are relative to `folder`, absolute: it may then be written elsewhere. */
enum sciara_status sciara_scenario_move(cJSON *root, const char *folder);

/** Applies one override "a.b=value" to the tree. */
enum sciara_status sciara_scenario_override(const char *file, cJSON *root, const char *text);

/** An override with its key and its value apart. */
enum sciara_status sciara_scenario_override_key(const char *file, cJSON *root, const char *key, const char *value);

/** What a tree says about run.start. */
enum sciara_start { SCIARA_START_ABSENT, SCIARA_START_REFUSED, SCIARA_START_GIVEN };

/** @param seconds of the date that is given */
enum sciara_start sciara_scenario_start(const cJSON *root, double *seconds);

/**
 * Replaces dates that stand for simulated times by the seconds from run.start. Those that are too early stay, and all without
 * a valid run.start: the check refuses them.
 */
enum sciara_status sciara_scenario_place_dates(cJSON *root);

/** Adds the defaults of absent keys; a tree that passed the check still passes it. */
enum sciara_status sciara_scenario_fill(cJSON *root);

/**
 * Reads the values of a tree, which is then filled; its problems are those of a scenario with its text. `out` is all 0, but for
 * `alone` and `notes`.
 *
 * @param path   of the scenario
 * @param filled as of scenario_fill_from; NULL: the tree has all its branches
 */
void sciara_scenario_take(const char *path, cJSON *root, cJSON *filled, struct sciara_scenario_spec *out,
                          struct sciara_diagnostics *diagnostics);

/**
 * The vents of a filled tree that passed the check; null, for a vent that did not pass, gives one without points. CSV
 * paths are relative to `folder`. Problems are added to `diagnostics`.
 */
void sciara_scenario_vents(const char *folder, const cJSON *root, struct sciara_scenario_spec *out,
                           struct sciara_diagnostics *diagnostics);

/** SCIARA_ERR_INPUT if a vent at a point has the width of a line, or a line a radius. @param index for the message */
enum sciara_status sciara_vent_area_check(const cJSON *vent, enum sciara_vent_place place, size_t index);

static inline enum sciara_status sciara_scenario_no_memory(void) {
  return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a scenario");
}

/** Seconds of a checked number or duration text; 0 for null. */
double sciara_scenario_seconds(const cJSON *value);

/** Whether a text is a date as of sciara_parse_date: in UTC where it has no zone; with its offset in the years 1 to 9999. */
bool sciara_scenario_date_valid(const char *text);

/** A valid date in UTC, in the first form: a date alone is midnight. */
void sciara_scenario_date(const char *text, char date[SCIARA_DATE_SIZE]);

#endif
