// SPDX-License-Identifier: Apache-2.0
// The observed extent of a command: options that several commands share.
#ifndef SCIARA_APP_OBSERVED_H
#define SCIARA_APP_OBSERVED_H

#include "analysis/observation.h"
#include "app/command.h"

// clang-format off
/** Entries of a table of options; `what` describes what the command does with the extent. */
#define SCIARA_OBSERVED_OPTIONS(what)                                                                                 \
  {"observed", 0, "FILE", what},                                                                                      \
  {"observed-layer", 0, "NAME", "layer of the observed extent, if the file has several"},                              \
  {"allow-driver", 0, "NAME", "also let GDAL's driver NAME read the observed extent; may be repeated"}
// clang-format on

/**
 * The values of these options; path is NULL if no extent was given. The caller sets grid, CRS and least thickness.
 *
 * @param drivers room for SCIARA_MOST_GIVEN names; the request points to it
 */
enum sciara_status sciara_observed_request(const struct sciara_arguments *arguments, const char **drivers,
                                           struct sciara_observation_request *out);

#endif
