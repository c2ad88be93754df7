// SPDX-License-Identifier: Apache-2.0
#include "app/observed.h"

enum sciara_status sciara_observed_read(const struct sciara_arguments *arguments,
                                        const struct sciara_snapshot *snapshot, double min_thickness_m,
                                        struct sciara_observation *out) {
  const char *drivers[SCIARA_MOST_GIVEN];
  const struct sciara_observation_request request = {.path = sciara_argument(arguments, "observed"),
                                                     .layer = sciara_argument(arguments, "observed-layer"),
                                                     .grid = &snapshot->grid,
                                                     .crs_wkt = snapshot->georef.crs_wkt,
                                                     .min_thickness_m = min_thickness_m,
                                                     .extra_drivers = drivers,
                                                     .extra_driver_count =
                                                         sciara_arguments_all(arguments, "allow-driver", drivers)};
  if (request.path) return sciara_observation_read(&request, out);
  const char *alone = request.layer ? "observed-layer" : request.extra_driver_count > 0 ? "allow-driver" : NULL;
  return alone ? sciara_fail(SCIARA_ERR_USAGE, "--%s: expected --observed FILE with this option", alone) : SCIARA_OK;
}
