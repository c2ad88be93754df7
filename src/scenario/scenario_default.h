// SPDX-License-Identifier: Apache-2.0
// A first scenario for a DEM: the required values, and every default written out.
#ifndef SCIARA_SCENARIO_SCENARIO_DEFAULT_H
#define SCIARA_SCENARIO_SCENARIO_DEFAULT_H

#include "base/text.h"
#include "model/polyline.h"

/** A vent of one cell: x and y in the CRS of the DEM, or longitude and latitude in degrees. */
struct sciara_default_vent {
  struct sciara_point at;
  bool lonlat;
};

struct sciara_default_request {
  const char *dem;    ///< path of the DEM as written in the scenario
  const char *schema; ///< URL of the JSON Schema, for editors; NULL: left out
  const char *title;  ///< may be NULL
  const struct sciara_default_vent *vents;
  size_t vent_count;
  double rate;          ///< effusion rate of each vent, m3/s
  const char *duration; ///< of the effusion, "3 d"
  const char *rates;    ///< path of a file of rates as written in the scenario, instead of both; NULL: none
};

/** The name in messages of a scenario that is not written yet. */
#define SCIARA_NEW_SCENARIO "the new scenario"

/** Appends the scenario as JSON text; "a.b=value" overrides are applied before the defaults are filled in. */
enum sciara_status sciara_scenario_default(const struct sciara_default_request *request, const char *const *overrides,
                                           size_t override_count, struct sciara_text *out);

#endif
