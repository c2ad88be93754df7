// SPDX-License-Identifier: Apache-2.0
// A CRS as CF has it (CF-1.8, appendix F): attributes of a grid mapping, for readers that know no WKT.
#ifndef SCIARA_FILE_GEOREF_CF_H
#define SCIARA_FILE_GEOREF_CF_H

#include <stddef.h>

#include "base/status.h"

enum { SCIARA_CF_MOST = 24 };

/** An attribute: a text, or one or two numbers. */
struct sciara_cf_attribute {
  const char *name;
  char text[128];  ///< if there are no numbers
  double value[2]; ///< degrees or m
  int count;       ///< of numbers; 0: a text
};

/**
 * The attributes of a projected CRS in metres.
 *
 * @param wkt   NULL: there are none
 * @param count receives their number; 0 for a projection that CF does not describe
 */
enum sciara_status sciara_georef_cf(const char *wkt, struct sciara_cf_attribute out[SCIARA_CF_MOST], size_t *count);

#endif
