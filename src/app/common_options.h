// SPDX-License-Identifier: Apache-2.0
// Options of several commands, read in the same way in each.
#ifndef SCIARA_APP_COMMON_OPTIONS_H
#define SCIARA_APP_COMMON_OPTIONS_H

#include "analysis/observation.h"
#include "app/command.h"
#include "model/polyline.h"
#include "store/snapshot_hdf5.h"
#include "terrain/poi_file.h"

#define SCIARA_ALLOW_MISSING_CHECKSUM "allow-missing-checksum"

/** The option of every command that reads snapshots. */
#define SCIARA_CHECKSUM_OPTION                                                      \
  {                                                                                 \
    SCIARA_ALLOW_MISSING_CHECKSUM, 0, NULL,                                         \
        "read fields of snapshots that have no checksum (version 0.1.0 wrote none)" \
  }

/** The value of that option. */
enum sciara_checksum_rule sciara_checksum_rule(const struct sciara_arguments *a);

// clang-format off
/** Entries of a table of options; `what` describes what the command does with the observed extent. */
#define SCIARA_OBSERVED_OPTIONS(what)                                                                                 \
  {"observed", 0, "FILE", what},                                                                                      \
  {"observed-layer", 0, "NAME", "layer of the observed extent, if the file has several"},                              \
  {"allow-driver", 0, "NAME", "also let GDAL's driver NAME read the observed extent; may be repeated"}
// clang-format on

/**
 * The values of these options; path is NULL if no extent was given. The caller sets grid, CRS and least thickness.
 *
 * @param drivers room for the names of --allow-driver; the request points to it
 */
enum sciara_status sciara_observed_request(const struct sciara_arguments *a, const char *drivers[SCIARA_MOST_GIVEN],
                                           struct sciara_observation_request *out);

/** --assets, --layer, --names and --allow-driver, likewise. The caller sets grid and CRS. */
struct sciara_pois_request sciara_assets_request(const struct sciara_arguments *a,
                                                 const char *drivers[SCIARA_MOST_GIVEN]);

/** --min-thickness: *metres stays as it is if it was not given. */
enum sciara_status sciara_take_min_thickness(const struct sciara_arguments *a, double *metres);

/** A whole number from `least` to `most`, of which large ones are not said; *value stays as it is without a text. */
enum sciara_status sciara_take_whole(const char *option, const char *text, double least, double most, double *value);

/** --workers: 0 if it was not given. */
enum sciara_status sciara_take_workers(const struct sciara_arguments *a, int *workers);

/**
 * Whether the name of a file to be written ends in one of the extensions (without dots; a NULL ends them), in upper or
 * lower case; else SCIARA_ERR_USAGE. Other programs decide by the extension how to read a file.
 *
 * @param option the option that gave the name, for the message
 */
enum sciara_status sciara_check_extension(const char *option, const char *path, const char *const *extensions);

/**
 * The field of that name; liquid, solid and arrival are short names of three fields. The error suggests the closest
 * name.
 */
enum sciara_status sciara_field_parse(const char *name, enum sciara_field *out);

// Places: metres in the CRS of the DEM, or degrees that say so.

/** What the text of a place is. */
enum sciara_place_text {
  SCIARA_PLACE_METRES,  ///< "448585,4348110"
  SCIARA_PLACE_DEGREES, ///< "14.99E,37.75N", in either order: a letter for each number
  SCIARA_PLACE_NAME     ///< anything else
};

/**
 * Reads `count` pairs of numbers (1 or 2), separated by commas. Degrees are [longitude, latitude] in `points`, west and south
 * negative.
 */
enum sciara_place_text sciara_place_parse(const char *text, size_t count, struct sciara_point *points);

#endif
