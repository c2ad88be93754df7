// SPDX-License-Identifier: Apache-2.0
// A first scenario for a DEM: the required values, and every default written out.
#ifndef SCIARA_SCENARIO_SCENARIO_DEFAULT_H
#define SCIARA_SCENARIO_SCENARIO_DEFAULT_H

#include "base/text.h"
#include "model/polyline.h"

enum { SCIARA_DEFAULT_MOST_POINTS = 32 };

/** A vent of one cell, or a fissure: x and y in the CRS of the DEM, or longitude and latitude in degrees. */
struct sciara_default_vent {
  struct sciara_point at[SCIARA_DEFAULT_MOST_POINTS];
  size_t count; ///< of points: 1 for a vent
  bool lonlat;
};

struct sciara_default_request {
  const char *dem;    ///< path of the DEM as written in the scenario
  const char *schema; ///< URL of the JSON Schema, for editors; NULL: left out
  const char *title;  ///< may be NULL
  const struct sciara_default_vent *vents;
  size_t vent_count;
  double width;         ///< of the fissures, m; 0: left out
  double rate;          ///< effusion rate of each vent, m3/s
  const char *duration; ///< of the effusion, "3 d"; NULL, and rates as well: none is given
  const char *rates;    ///< path of a file of rates as written in the scenario, instead of both; NULL: none
};

/** The name in messages of a scenario that is not written yet. */
#define SCIARA_NEW_SCENARIO "the new scenario"

/**
 * Appends the scenario as JSON text; "a.b=value" overrides are applied before the defaults are filled in. Vents that an
 * override gives without "effusion" receive that of the request.
 */
enum sciara_status sciara_scenario_default(const struct sciara_default_request *request, const char *const *overrides,
                                           size_t override_count, struct sciara_text *out);

#endif
