// SPDX-License-Identifier: Apache-2.0
// The observed extent of a command: the same options in each, read in the same way.
#ifndef SCIARA_APP_OBSERVED_H
#define SCIARA_APP_OBSERVED_H

#include "analysis/observation.h"
#include "app/command.h"

// clang-format off
/** Entries of a table of options; `what` says what the command does with the extent. */
#define SCIARA_OBSERVED_OPTIONS(what)                                                                                 \
  {"observed", 0, "FILE", what},                                                                                      \
  {"observed-layer", 0, "NAME", "layer of the observed extent, of a file with several"},                              \
  {"allow-driver", 0, "NAME", "also let GDAL's driver NAME read the observed extent; may be repeated"}
// clang-format on

/**
 * What these options ask for; path is NULL where no extent was given. Grid, CRS and least thickness are for the caller.
 *
 * @param drivers room for SCIARA_MOST_GIVEN names, which the request refers to
 */
enum sciara_status sciara_observed_request(const struct sciara_arguments *arguments, const char **drivers,
                                           struct sciara_observation_request *out);

#endif
