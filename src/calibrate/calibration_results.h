// SPDX-License-Identifier: Apache-2.0
// What a search is told of a calibration file and of what it reads, as JSON; the files that are made of its scenarios:
// best.json, accepted.csv, page.html.
#ifndef SCIARA_CALIBRATE_CALIBRATION_RESULTS_H
#define SCIARA_CALIBRATE_CALIBRATION_RESULTS_H

#include "calibrate/calibration_file.h"
#include "map/words.h"

struct sciara_cases;

/** Appends the file as it is written and as it is understood. */
enum sciara_status sciara_calibration_print(const struct sciara_calibration_file *f, struct sciara_text *out);

/** Appends hashes of the contents of scenarios and extents, and the bounds of the unknowns, whose vents are placed. */
enum sciara_status sciara_calibration_inputs_print(const struct sciara_calibration_search *s,
                                                   const struct sciara_cases *c, struct sciara_text *out);

/** Writes best.json to a folder: the scenario of the first pair with a set of values, its paths absolute. */
enum sciara_status sciara_calibration_best_write(const struct sciara_calibration_search *s, const double *value,
                                                 const char *folder);

/** Writes accepted.csv to a folder: a table of members with `count` sets. @param row ascending, one less than the id */
enum sciara_status sciara_calibration_sets_write(const struct sciara_calibration_search *s, const size_t *row,
                                                 const double *value, size_t count, const char *folder);

// ------------------------------------------------------------------------------------------------------------ the page

/** A search with its best set. */
struct sciara_calibration_found {
  const struct sciara_calibration_search *search;
  const double *value;          ///< of its unknowns
  struct sciara_footprint *map; ///< of each scenario with these
};

/** What the page shows. */
struct sciara_calibration_page {
  enum sciara_language language;
  const struct sciara_calibration_found *found; ///< `count` > 0 searches of a file
  size_t count;
  const char *searches;             ///< what is said of them, a JSON array
  const struct sciara_cases *cases; ///< grounds and extents
};

/** Writes page.html to a folder: what is said, with the best maps and the observed extents (docs/page.md). */
enum sciara_status sciara_calibration_page_write(const char *folder, const struct sciara_calibration_page *page);

#endif
