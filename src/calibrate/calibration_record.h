// SPDX-License-Identifier: Apache-2.0
// The files of a calibration but its table: calibration.json, best.json, accepted.csv, sensitivity.csv.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_CALIBRATION_RECORD_H
#define SCIARA_CALIBRATE_CALIBRATION_RECORD_H

#include "calibrate/calibration_file.h"
#include "calibrate/cmaes.h"
#include "calibrate/evaluation_table.h"

#define SCIARA_CALIBRATION_JSON "calibration.json"

/** Sets of at least this part of the best score are accepted. */
#define SCIARA_ACCEPTED_PART 0.9

/** A start of the search that ended. */
struct sciara_calibration_restart {
  size_t evaluations; ///< so far
  enum sciara_cmaes_end reason;
};

/** What is known of a calibration. */
struct sciara_calibration_record {
  const char *folder;
  const struct sciara_calibration_file *file;
  const uint64_t *ground, *lava; ///< hashes of the ground and of the initial lava of each scenario
  const uint64_t *cells;         ///< hashes of the cells of each extent
  const struct sciara_evaluation_table *table;
  const char *status; ///< "running", "interrupted", "finished"
  const struct sciara_calibration_restart *restart;
  size_t restart_count;
  size_t best;   ///< row; SIZE_MAX: there is none
  size_t failed; ///< rows without a score
};

/**
 * Whether a folder holds nothing, or only what a start leaves that was killed before its record was written.
 *
 * @param exists whether there is anything of that name
 */
enum sciara_status sciara_calibration_folder_is_new(const char *folder, bool *exists, bool *is_new);

/** SCIARA_ERR_INPUT, with the first difference, unless the folder has a record of the same file and inputs. */
enum sciara_status sciara_calibration_record_check(const struct sciara_calibration_record *r);

/** Writes calibration.json. */
enum sciara_status sciara_calibration_record_write(const struct sciara_calibration_record *r);

/** Writes best.json: the scenario of the first pair with the best values, its paths absolute. */
enum sciara_status sciara_calibration_best_write(const struct sciara_calibration_record *r);

/** Appends the same scenario, its paths as they were written. */
enum sciara_status sciara_calibration_best_print(const struct sciara_calibration_record *r, struct sciara_text *out);

/** Whether the score of a row is at least SCIARA_ACCEPTED_PART of the best. */
bool sciara_calibration_is_accepted(const struct sciara_calibration_record *r, size_t row);

/** Writes accepted.csv: a table of members with the sets of at least SCIARA_ACCEPTED_PART of the best score. */
enum sciara_status sciara_calibration_accepted_write(const struct sciara_calibration_record *r);

enum { SCIARA_EFFECTS_MOST = 6 };

/** What the scores of a whole design of sensitivity say of each unknown. */
struct sciara_effects {
  const char *groups;     ///< "trajectories" or "rows"
  size_t used, of, least; ///< groups with all scores; all of them; how many are needed
  const char *name[SCIARA_EFFECTS_MOST];
  size_t count;                                            ///< of the names
  double value[SCIARA_UNKNOWNS_MOST][SCIARA_EFFECTS_MOST]; ///< NAN: there is none
};

/** @param points of the design */
enum sciara_status sciara_calibration_effects(const struct sciara_calibration_record *r, const double *points,
                                              struct sciara_effects *out);

/**
 * Writes sensitivity.csv: a row of effects for each unknown. A warning says how many trajectories or rows are left out, and
 * whether too few remain.
 */
enum sciara_status sciara_calibration_sensitivity_write(const struct sciara_calibration_record *r,
                                                        const struct sciara_effects *effects);

#endif
