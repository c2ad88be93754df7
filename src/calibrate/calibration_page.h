// SPDX-License-Identifier: Apache-2.0
// The page of a calibration: how the best score grew, each unknown against the score, the best maps with the observed
// extents, what the extents support (docs/page.md); of several searches side by side.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_CALIBRATION_PAGE_H
#define SCIARA_CALIBRATE_CALIBRATION_PAGE_H

#include "calibrate/calibration_record.h"
#include "map/words.h"

#define SCIARA_CALIBRATION_PAGE "page.html"

/** A search with a best set. */
struct sciara_calibration_found {
  struct sciara_calibration_record record;
  const struct sciara_effects *effects; ///< of a design of sensitivity; else NULL
  const struct sciara_footprint *map;   ///< of each scenario with the best values
};

/** What the page shows. */
struct sciara_calibration_page {
  enum sciara_language language;
  const struct sciara_calibration_found *found; ///< `count` > 0 searches of a file
  size_t count;
  const struct sciara_evaluator *evaluator; ///< grounds and extents
};

/** Writes SCIARA_CALIBRATION_PAGE to a folder. */
enum sciara_status sciara_calibration_page_write(const char *folder, const struct sciara_calibration_page *page);

#endif
