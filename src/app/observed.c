// SPDX-License-Identifier: Apache-2.0
#include "app/observed.h"

enum sciara_status sciara_observed_request(const struct sciara_arguments *arguments, const char **drivers,
                                           struct sciara_observation_request *out) {
  *out = (struct sciara_observation_request){.path = sciara_argument(arguments, "observed"),
                                             .layer = sciara_argument(arguments, "observed-layer"),
                                             .extra_drivers = drivers,
                                             .extra_driver_count =
                                                 sciara_arguments_all(arguments, "allow-driver", drivers)};
  if (out->path) return SCIARA_OK;
  if (out->layer) return sciara_fail(SCIARA_ERR_USAGE, "--observed-layer: allowed only with --observed FILE");
  if (out->extra_driver_count == 0 || sciara_argument(arguments, "background") || sciara_argument(arguments, "assets"))
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--allow-driver: allowed only with --observed FILE");
}
