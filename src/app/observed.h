// SPDX-License-Identifier: Apache-2.0
// The observed extent of a command: the same options in each, read in the same way.
#ifndef SCIARA_APP_OBSERVED_H
#define SCIARA_APP_OBSERVED_H

#include "analysis/observation.h"
#include "app/command.h"
#include "store/snapshot_hdf5.h"

// clang-format off
/** Entries of a table of options; `what` says what the command does with the extent. */
#define SCIARA_OBSERVED_OPTIONS(what)                                                                                 \
  {"observed", 0, "FILE", what},                                                                                      \
  {"observed-layer", 0, "NAME", "layer of the observed extent, of a file with several"},                              \
  {"allow-driver", 0, "NAME", "also let GDAL's driver NAME read the observed extent; may be repeated"}
// clang-format on

/** Reads --observed on the grid of the snapshot; leaves *out empty where it was not given. Zero-initialise and free *out. */
enum sciara_status sciara_observed_read(const struct sciara_arguments *arguments,
                                        const struct sciara_snapshot *snapshot, double min_thickness_m,
                                        struct sciara_observation *out);

#endif
