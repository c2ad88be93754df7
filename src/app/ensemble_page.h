// SPDX-License-Identifier: Apache-2.0
// The page of an ensemble.
#ifndef SCIARA_APP_ENSEMBLE_PAGE_H
#define SCIARA_APP_ENSEMBLE_PAGE_H

#include "hazard/products.h"
#include "map/words.h"

/** How a page is written. Texts may be NULL. */
struct sciara_hazard_page_look {
  enum sciara_language language;
  const char *title, *stamp;
};

/**
 * Writes one page of HTML with all maps, the sites, and the vents and classes that threaten each place. The maps of `r` are
 * made. Footprints are read once more.
 *
 * @return SCIARA_ERR_INPUT if there is more than a browser can take
 */
enum sciara_status sciara_ensemble_page_write(const struct sciara_reduction *r,
                                              const struct sciara_hazard_page_look *look, const char *path);

#endif
