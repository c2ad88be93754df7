// SPDX-License-Identifier: Apache-2.0
// The JSON of ensembles and calibrations: what their files have in common.
#ifndef SCIARA_ENSEMBLE_ENSEMBLE_READING_H
#define SCIARA_ENSEMBLE_ENSEMBLE_READING_H

#include "ensemble/ensemble.h"
#include "scenario/scenario_keys.h"

/** An ensemble file that is being read. Problems are added to `diagnostics`. */
struct sciara_ensemble_reading {
  const char *file, *folder; ///< names are relative to the folder
  struct sciara_diagnostics *diagnostics;
};

/** "FILE: PATH: expected ALLOWED; found FOUND" for the key `name` of an object, or of item `index` of an array. */
enum sciara_status sciara_ensemble_refuse(const struct sciara_ensemble_reading *r, const char *object, size_t index,
                                          const char *name, const char *found, const char *allowed);

/** The same as one of the problems. */
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
void sciara_result_free(struct sciara_ensemble_result *r);

#endif
