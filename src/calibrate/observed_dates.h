// SPDX-License-Identifier: Apache-2.0
// Files with an outline for each of several dates, as observed extents of their own.
#ifndef SCIARA_CALIBRATE_OBSERVED_DATES_H
#define SCIARA_CALIBRATE_OBSERVED_DATES_H

#include "calibrate/evaluate.h"

/** Zero-initialise; release with sciara_observed_list_free. */
struct sciara_observed_list {
  struct sciara_evaluate_observed *item; ///< texts that it does not own belong to who added them
  size_t count;
  char **text; ///< owned
  size_t text_count;
};

/**
 * Adds an extent, or with `dates` one for each date of the file, in their order, with the weight of `given` each. A message says
 * which field has the dates.
 *
 * @param dates a field of the file, or SCIARA_OBSERVATION_DATES_AUTO; NULL: it is one extent
 * @return as sciara_observation_dates_read
 */
enum sciara_status sciara_observed_add(struct sciara_observed_list *list, const struct sciara_evaluate_observed *given,
                                       const char *dates, const char *const *extra_drivers, size_t extra_driver_count);
void sciara_observed_list_free(struct sciara_observed_list *list);

#endif
