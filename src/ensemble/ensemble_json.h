// SPDX-License-Identifier: Apache-2.0
// The file ensemble.json.
#ifndef SCIARA_ENSEMBLE_ENSEMBLE_JSON_H
#define SCIARA_ENSEMBLE_ENSEMBLE_JSON_H

#include "ensemble/ensemble.h"
#include "file/json_strict.h"

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

#endif
