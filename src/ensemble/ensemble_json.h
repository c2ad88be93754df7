// SPDX-License-Identifier: Apache-2.0
// The JSON of ensembles and calibrations: what their files have in common; and ensemble.json.
#ifndef SCIARA_ENSEMBLE_ENSEMBLE_JSON_H
#define SCIARA_ENSEMBLE_ENSEMBLE_JSON_H

#include "ensemble/ensemble.h"
#include "scenario/scenario_keys.h"

// -------------------------------------------------------------------- what files have in common, in ensemble_reading.c

/** An ensemble file that is being read. Problems are added to `diagnostics`. */
struct sciara_ensemble_reading {
  const char *file, *folder; ///< names are relative to the folder
  struct sciara_diagnostics *diagnostics;
};

/** "FILE: PATH: expected ALLOWED; found FOUND" for the key `name` of an object, or of item `index` of an array. */
enum sciara_status sciara_ensemble_refuse(const struct sciara_ensemble_reading *r, const char *object, size_t index,
                                          const char *name, const char *found, const char *allowed);

/** sciara_ensemble_refuse as one of the problems. */
void sciara_ensemble_report(const struct sciara_ensemble_reading *r, const char *object, size_t index, const char *name,
                            const char *found, const char *allowed);

/** No index in sciara_ensemble_refuse. */
#define SCIARA_NO_INDEX SIZE_MAX

/** The value of a key, or NULL; the value in a key of an object that may be NULL. */
const cJSON *sciara_json_get(const cJSON *object, const char *name);
double sciara_json_double(const cJSON *object, const char *name, double preset);

/** The path in a text key, resolved; malloc'd. */
enum sciara_status sciara_ensemble_path(const struct sciara_ensemble_reading *r, const cJSON *value, char **out);

/** The points of an array [[x, y], ...]. */
enum sciara_status sciara_json_points(const cJSON *array, struct sciara_point **out, size_t *count);

/**
 * A new object at the end of an array, and values of a new key: of a text, whose bytes that are not UTF-8 become U+FFFD, of an
 * array [[x, y], ...]. NULL, false: no memory.
 */
cJSON *sciara_json_push(cJSON *array);
bool sciara_json_put_hash(cJSON *object, const char *name, uint64_t hash);
bool sciara_json_put_plain(cJSON *object, const char *name, const char *text);
bool sciara_json_put_points(cJSON *object, const char *name, const struct sciara_point *points, size_t count);

/** The name in an object, or `preset` and the number; malloc'd. */
enum sciara_status sciara_ensemble_name(const cJSON *object, const char *preset, size_t number, char **out);

/** The parts "result" and "stop", which may be NULL: defaults. The tree has passed the check. */
void sciara_result_read(const struct sciara_ensemble_reading *r, const cJSON *result, const cJSON *stop,
                        struct sciara_ensemble_result *out, struct sciara_ensemble_stop *rule);

// ------------------------------------------------------------------------------------------------------- ensemble.json

/** What ensemble.json holds beyond struct sciara_ensemble. */
struct sciara_ensemble_given {
  const cJSON *result, *stop; ///< as in the ensemble file; NULL: absent
  const cJSON *left_out;      ///< objects with name, kind, state and reason
};

/**
 * Writes ensemble.json of e->folder as an atomic file. e->base is the text in which paths into the folder are relative
 * to it.
 */
enum sciara_status sciara_ensemble_json_write(const struct sciara_ensemble *e, const struct sciara_ensemble_given *r);

/** The hash of an ensemble: of its base as stored, its batch size, its initial_hash, and the hashes of the rows. */
uint64_t sciara_ensemble_hash(const struct sciara_ensemble *e);

/** Columns of members.csv on which no member depends, but how the results group it. */
enum {
  SCIARA_ENSEMBLE_GROUPINGS = 4, ///< stratum, replicate, vent, event
  SCIARA_ENSEMBLE_COLUMNS = SCIARA_ENSEMBLE_GROUPINGS + SCIARA_DRAWN_COUNT
};

/** The hash of each of these columns. */
void sciara_ensemble_columns_hash(const struct sciara_members *m, uint64_t hash[SCIARA_ENSEMBLE_COLUMNS]);

/** Ids and hashes of the rows with which an ensemble was planned. */
struct sciara_ensemble_rows {
  int64_t *id;
  uint64_t *hash;
  size_t count;
  bool has_columns; ///< false: planned by a version that did not hash these columns
  size_t columns;   ///< that have a hash: an earlier version did not have those of what was drawn
  uint64_t column[SCIARA_ENSEMBLE_COLUMNS];
  bool has_lists; ///< false: planned by a version without a hash of vents, events and sample
  uint64_t lists;
};

/** Reads ensemble.json; in `out` everything but the members is set. Release both. */
enum sciara_status sciara_ensemble_json_read(const char *folder, struct sciara_ensemble *out,
                                             struct sciara_ensemble_rows *rows);
void sciara_ensemble_rows_free(struct sciara_ensemble_rows *rows);

/** SCIARA_ERR_INPUT if a table is not the planned one: names up to 20 rows that differ, are missing or new. */
enum sciara_status sciara_ensemble_rows_check(const char *name, const struct sciara_ensemble_rows *planned,
                                              const struct sciara_members *m);

/** SCIARA_ERR_INPUT, with the name of the column, if one of the columns of a table is not the planned one. */
enum sciara_status sciara_ensemble_columns_check(const char *name, const struct sciara_ensemble_rows *planned,
                                                 const struct sciara_members *m);

/** SCIARA_ERR_INPUT if vents, events or sample are not the planned ones, or a member has one that is not listed. */
enum sciara_status sciara_ensemble_lists_check(const struct sciara_ensemble *e,
                                               const struct sciara_ensemble_rows *planned);

#endif
