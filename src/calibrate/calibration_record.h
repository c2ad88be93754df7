// SPDX-License-Identifier: Apache-2.0
// The files of a search: evaluations.csv, calibration.json, best.json, accepted.csv, sensitivity.csv, page.html; those that
// several searches have in common; whether a folder is new, or that of the same calibration.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_CALIBRATION_RECORD_H
#define SCIARA_CALIBRATE_CALIBRATION_RECORD_H

#include "calibrate/calibration_file.h"
#include "calibrate/cmaes.h"
#include "map/words.h"
#include "model/inputs.h"

#define SCIARA_EVALUATIONS_CSV "evaluations.csv"
#define SCIARA_CALIBRATION_JSON "calibration.json"
#define SCIARA_CALIBRATION_FORMAT "sciara calibration"

/** Sets of at least this part of the best score are accepted. */
#define SCIARA_ACCEPTED_PART 0.9

// ---------------------------------------------------------------------------------------------- its table, in search.c

/** Zero-initialise; released with its search. Arrays have a row for each evaluation of the budget. */
struct sciara_evaluation_table {
  char *path;
  int fd;       ///< held by a lock; -1: not open
  size_t count; ///< rows so far
  size_t unknown_count, pair_count;
  double *value;   ///< budget x unknown_count
  double *jaccard; ///< budget x pair_count; NAN unless OK or RESTED
  double *run_out; ///< budget x pair_count: ratios; NAN as J, and where they are undefined
  int edition;     ///< of its columns: 0 without run-out ratios, 1 without checksums, as earlier versions began it
  uint64_t sum;    ///< of the rows so far: their checksums, each also over the rows before
  double *score;   ///< budget; of STOPPED a bound; NAN if FAILED or INVALID
  enum sciara_evaluate_status *status;
};

/** Memory for the budget of a search, without a file. */
enum sciara_status sciara_evaluation_table_make(const struct sciara_calibration_search *s,
                                                struct sciara_evaluation_table *out);

/**
 * Opens or makes the file, reads its whole rows and cuts off half a row at its end.
 *
 * @return SCIARA_ERR_INPUT: it is the table of another calibration, is damaged, or another process writes it
 */
enum sciara_status sciara_evaluation_table_open(struct sciara_evaluation_table *t, const char *path,
                                                const struct sciara_calibration_search *s);

// ---------------------------------------------------------------------------------------------------------- its record

/** A start of the search that ended. */
struct sciara_calibration_restart {
  size_t evaluations; ///< so far
  enum sciara_cmaes_end reason;
};

/** What is known of a search. */
struct sciara_calibration_record {
  const char *folder;
  const struct sciara_calibration_search *search;
  const struct sciara_inputs *inputs; ///< of each scenario
  const uint64_t *cells;              ///< hashes of the cells of each extent
  const struct sciara_evaluation_table *table;
  const char *status; ///< "running", "interrupted", "finished"
  const struct sciara_calibration_restart *restart;
  size_t restart_count;
  size_t best;   ///< row; SIZE_MAX: there is none
  size_t failed; ///< rows without a score
};

/** The rows with a status. */
size_t sciara_calibration_count(const struct sciara_calibration_record *r, enum sciara_evaluate_status status);

/** Adds hashes of the contents of scenarios and extents; false: no memory. */
bool sciara_calibration_inputs_put(const struct sciara_calibration_record *r, cJSON *root);

/** Writes calibration.json. */
enum sciara_status sciara_calibration_record_write(const struct sciara_calibration_record *r);

/**
 * Writes calibration.json of several searches.
 *
 * @param best of the searches; `count`: none has a score
 */
enum sciara_status sciara_calibration_records_write(const char *folder, const char *status,
                                                    const struct sciara_calibration_record *r, size_t count,
                                                    size_t best);

/** Writes best.json to a folder: the scenario of the first pair with the best values, its paths absolute. */
enum sciara_status sciara_calibration_best_write(const struct sciara_calibration_record *r, const char *folder);

/** Appends scenario `n` with the best values, its paths as they were written. */
enum sciara_status sciara_calibration_best_print(const struct sciara_calibration_record *r, size_t n,
                                                 struct sciara_text *out);

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

// --------------------------------------------------------------------------------- the folder, in calibration_resume.c

/**
 * Whether a folder holds nothing, or only what a start leaves that was killed before its record was written.
 *
 * @param inner  the folder of the first of several searches in it; NULL: it is that of a search
 * @param exists whether there is anything of that name
 */
enum sciara_status sciara_calibration_folder_is_new(const char *folder, const char *inner, bool *exists, bool *is_new);

/** SCIARA_ERR_INPUT for a symbolic link, or a file, in place of the folder of one of several searches. */
enum sciara_status sciara_calibration_folder_is_own(const char *folder);

/** SCIARA_ERR_INPUT, with the first difference, unless the folder has a record of the same file and inputs. */
enum sciara_status sciara_calibration_record_check(const struct sciara_calibration_record *r);

/** sciara_calibration_record_check for the record that several searches have in common, which has no inputs. */
enum sciara_status sciara_calibration_file_check(const struct sciara_calibration_file *f, const char *folder);

// ------------------------------------------------------------------------------------- the page, in calibration_page.c

#define SCIARA_CALIBRATION_PAGE "page.html"

/** A search with a best set. */
struct sciara_calibration_found {
  struct sciara_calibration_record record;
  const struct sciara_effects *effects; ///< of a design of sensitivity; else NULL
  const struct sciara_footprint *map;   ///< of each scenario with the best values
};

struct sciara_cases;

/** What the page shows. */
struct sciara_calibration_page {
  enum sciara_language language;
  const struct sciara_calibration_found *found; ///< `count` > 0 searches of a file
  size_t count;
  const struct sciara_cases *cases; ///< grounds and extents
};

/**
 * Writes SCIARA_CALIBRATION_PAGE to a folder: how the best score grew, each unknown against the score, the best maps with the
 * observed extents, what the extents support (docs/page.md); several searches side by side.
 */
enum sciara_status sciara_calibration_page_write(const char *folder, const struct sciara_calibration_page *page);

// ---------------------------------------------------------------------------- what the accepted sets say, in support.c

enum { SCIARA_SUPPORT_LEAST = 10 }; ///< accepted sets without which nothing is estimated

/** From this correlation on neither of two unknowns is identifiable without the other. */
#define SCIARA_SUPPORT_TOGETHER 0.7

/** Whether the observed extents determine an unknown: spread below 0.5, below 0.9, or more. */
enum sciara_identifiable { SCIARA_IDENTIFIABLE, SCIARA_WEAKLY_IDENTIFIABLE, SCIARA_NOT_IDENTIFIABLE };

/** An unknown in the accepted sets. */
struct sciara_support {
  double median, low, high; ///< the 50th, 5th and 95th percentile
  double spread;            ///< standard deviation, divided by that of values that fill the bounds evenly
  enum sciara_identifiable identifiable;
};

/** What the accepted sets say. */
struct sciara_supported {
  size_t accepted;                                     ///< sets; 0 of a design that does not fill the bounds evenly
  struct sciara_support unknown[SCIARA_UNKNOWNS_MOST]; ///< all NAN with fewer than SCIARA_SUPPORT_LEAST accepted sets
  double correlation[SCIARA_UNKNOWNS_MOST][SCIARA_UNKNOWNS_MOST]; ///< NAN likewise, and for an unknown with one value
};

/** Percentiles (linear between two values), standard deviations and correlations, of logarithms for unknowns with `log`. */
enum sciara_status sciara_support_make(const struct sciara_calibration_record *r, struct sciara_supported *out);

/** A message: which unknowns are identifiable, and which are not. */
enum sciara_status sciara_support_log(const struct sciara_calibration_record *r, const struct sciara_supported *s);

#endif
