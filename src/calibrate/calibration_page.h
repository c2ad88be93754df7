// SPDX-License-Identifier: Apache-2.0
// The page of a calibration: how the best score grew, each unknown against the score, the best map with the observed
// extent, what the extents support (docs/page.md).
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_CALIBRATION_PAGE_H
#define SCIARA_CALIBRATE_CALIBRATION_PAGE_H

#include "calibrate/calibration_record.h"
#include "map/words.h"

#define SCIARA_CALIBRATION_PAGE "page.html"

/** What the page shows beside the record. */
struct sciara_calibration_page {
  enum sciara_language language;
  const struct sciara_effects *effects;     ///< of a design of sensitivity; else NULL
  const struct sciara_footprint *footprint; ///< of the first scenario with the best values
  const struct sciara_site *site;           ///< of the first scenario
  const uint8_t *covered;                   ///< the first observed extent on it
  double at_s;                              ///< its simulated time, s; INFINITY: the end of the run
};

/** Writes SCIARA_CALIBRATION_PAGE to the folder of a calibration that has a best set. */
enum sciara_status sciara_calibration_page_write(const struct sciara_calibration_record *r,
                                                 const struct sciara_calibration_page *page);

#endif
