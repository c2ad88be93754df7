// SPDX-License-Identifier: Apache-2.0
// Parameters that observed flows support: a search, or a set of points, within bounds; in a folder, to be resumed.
#ifndef SCIARA_CALIBRATE_CALIBRATE_H
#define SCIARA_CALIBRATE_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostics.h"
#include "map/words.h"

enum { SCIARA_SEARCH_NAME = 65 }; ///< size of the name of a search

struct sciara_calibrate_progress {
  size_t total, done, now; ///< evaluations: of the budget, finished, finished by this process
  size_t failed;           ///< failed or invalid
  double best;             ///< score; NAN: there is none yet
  size_t best_number;      ///< of the evaluation, from 1; 0: there is none yet
  char search[SCIARA_SEARCH_NAME],
      best_search[SCIARA_SEARCH_NAME]; ///< the one at work, that of the best score; "": the only one
  double seconds;                      ///< since the first evaluation of this process
  double to_go_s;                      ///< estimate; below 0: unknown
};

struct sciara_calibrate_options {
  const char *file;   ///< the calibration file
  const char *folder; ///< of the results
  bool resume;        ///< the folder is that of the same calibration; else it must be new or empty
  const char *engine; ///< as in struct sciara_evaluate_options
  int workers;
  const char *const *extra_drivers;
  size_t extra_driver_count;
  enum sciara_language language; ///< of the page
  const int *cancel;             ///< not 0: end, with what is finished
  void (*progress)(void *context,
                   const struct sciara_calibrate_progress *progress); ///< about every 0.05 s; may be NULL
  void *context;
};

/**
 * Reads a calibration file and computes its evaluations. Writes evaluations.csv while they are made; then best.json,
 * calibration.json and, when all evaluations are finished, page.html and of a set of points accepted.csv or sensitivity.csv
 * (docs/calibration.md). With engines that are exact the bytes do not depend on the engine, on workers, or on how often the
 * calibration was ended and resumed.
 *
 * @param diagnostics receives the problems of the file: nothing is then written
 * @param out         what is finished, also after an error
 * @return SCIARA_ERR_INPUT: an input, the folder, or no evaluation has a score
 */
enum sciara_status sciara_calibrate(const struct sciara_calibrate_options *options,
                                    struct sciara_diagnostics *diagnostics, struct sciara_calibrate_progress *out);

#endif
