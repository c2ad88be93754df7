// SPDX-License-Identifier: Apache-2.0
// Options of several commands, read in the same way in each: of many, of those that draw pictures, and of those that
// compute a scenario.
#ifndef SCIARA_APP_COMMON_OPTIONS_H
#define SCIARA_APP_COMMON_OPTIONS_H

#include "analysis/observation.h"
#include "app/command.h"
#include "geometry/polyline.h"
#include "store/snapshot_hdf5.h"
#include "terrain/poi_file.h"

struct sciara_picture_look;
struct sciara_problem_options;

#define SCIARA_ALLOW_MISSING_CHECKSUM "allow-missing-checksum"

/** The option of every command that reads snapshots. */
#define SCIARA_CHECKSUM_OPTION                                                                          \
  {                                                                                                     \
    SCIARA_ALLOW_MISSING_CHECKSUM, 0, NULL,                                                             \
        "also read fields of snapshots without a checksum (version 0.1.0), whose damage is not noticed" \
  }

/** The value of that option. */
enum sciara_checksum_rule sciara_checksum_rule(const struct sciara_arguments *a);

// clang-format off
/** Entries of a table of options; `what` describes what the command does with the observed extent. */
#define SCIARA_OBSERVED_OPTIONS(what)                                                                                 \
  {"observed", 0, "FILE", what},                                                                                      \
  {"observed-layer", 0, "NAME", "layer of the observed extent, if the file has several"},                              \
  {"allow-driver", 0, "NAME", "also let GDAL's driver NAME read such files; may be repeated"}
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

// --------------------------------------------------------------------------------------------------------- of pictures

// clang-format off
/** Entries of a table of options; `of` says for what they are: "png: ". */
#define SCIARA_PICTURE_OPTIONS(of)                                                                                \
  {"extent", 0, "lava|dem|X0,Y0,X1,Y1|NAME", of "part of the map that is shown, in the units of its CRS or in degrees (14.9E,37.6N,15.1E,37.8N), or a place on it (default: lava, with a margin)"}, \
  {"language", 0, SCIARA_LANGUAGE_CODES, of "language of what is written (default: en)"},                              \
  {"title", 0, "TEXT", of "title instead of that of the run"},                                                        \
  {"credits", 0, "TEXT", of "write this at the foot: author, source of the data"},                                     \
  {"issued", 0, "DATE", of "write when the map was issued: 2026-05-10 or 2026-05-10T04:00Z"},                          \
  {"valid-until", 0, "DATE", of "write until when the map is valid: after --issued and the start of the run"},                                                  \
  {"stamp", 0, "TEXT", of "write this in a frame above the map, such as EXERCISE or UNVERIFIED"},                               \
  {"logo", 0, "FILE", of "draw this PNG file, of at most 2000 x 2000 pixels and 4 MiB, at the upper right"},                                                     \
  {"background", 0, "FILE", of "draw this raster of 8 bits per channel, in any CRS, instead of the shaded ground"},               \
  {"width", 0, "PIXELS", of "width of the picture, 320 to 10000 (default: 720 to about 4200, depending on what is shown)"}, \
  {"graticule", 0, NULL, of "draw lines of equal longitude and latitude"}
// clang-format on

/** The values of these options. `drivers` of --allow-driver may read the background. */
enum sciara_status sciara_picture_options_read(const struct sciara_arguments *a, const char *const *drivers,
                                               size_t driver_count, struct sciara_picture_look *out);

// ---------------------------------------------------------- additions to a scenario, as of `run`, `check` and `resume`

// clang-format off
/** Entries of a table of options: how the steps are executed. None of them changes the results of an exact engine. */
#define SCIARA_ENGINE_OPTIONS                                                                                         \
  {"engine", 'e', "NAME", "engine that executes the steps (see 'sciara engines'), or auto (engine.name)"},                          \
  {"threads", 't', "N", "threads of a CPU engine; 0: as many as the lava has work for, at most OMP_NUM_THREADS, or all cores (engine.threads)"},                         \
  {"device", 0, "N", "number of the GPU of a CUDA engine, see 'sciara engines' (engine.device)"},                                    \
  {"option", 0, "K=V", "option of the engine, such as memory=shared or block=32x8, see 'sciara engines'; may be repeated (engine.NAME)"}

/** An entry: the intervals of checkpoints. */
#define SCIARA_CHECKPOINT_OPTION                                                                                      \
  {"checkpoint-every", 0, "T", "write a checkpoint every T of simulated time (\"6 h\", output.checkpoint_every) or of wall-clock time (\"10 min wall\", output.checkpoint_wall)"}, \
  {"keep-checkpoints", 0, "T|all", "keep one checkpoint every T of simulated time, or all, beside the two newest (output.keep_checkpoints)"}

/** An entry: additional formats of rasters. */
#define SCIARA_ALLOW_DRIVER_OPTION                                                                                    \
  {"allow-driver", 0, "NAME", "allow GDAL's driver NAME to read rasters; may be repeated"}

/** All of these, and those that define a run. */
#define SCIARA_QUICK_OPTION {"quick", 0, NULL, "cells of 40 m, for a first look: says what that costs (dem.cell_size_m)"}
#define SCIARA_STOP_NAME(IDENTIFIER, name, ...) ", \"" name "\""
#define SCIARA_SCENARIO_OPTIONS                                                                                       \
  SCIARA_ENGINE_OPTIONS,                                                                                              \
  {"precision", 'p', "double|single", "precision of the fields (engine.precision)"},                                                     \
  {"fast-math", 0, NULL, "use approximate functions of the GPU; with --precision single (engine.math)"},                                \
  {"steps", 'n', "N", "stop after N steps (run.max_steps)"},                                                                          \
  {"until", 'u', "T", "stop at simulated time >= T (\"6 h\", \"3 d\", seconds), a date" SCIARA_EACH_STOP_RULE(SCIARA_STOP_NAME) " (run.until)"},    \
  {"output", 'o', "DIR", "folder of the run, relative to the current folder (output.folder)"},                                                                        \
  SCIARA_CHECKPOINT_OPTION,                                                                                           \
  {"set", 's', "K=V", "replace a key of the scenario: run.max_time=\"2 d\"; may be repeated"},                        \
  SCIARA_QUICK_OPTION,                                                                                                \
  SCIARA_ALLOW_DRIVER_OPTION
// clang-format on

#define SCIARA_QUICK "dem.cell_size_m=40" ///< --quick

/** Says what --quick costs. */
void sciara_quick_log(void);

enum { SCIARA_MOST_OVERRIDES = 300 };

/** Release with sciara_additions_free. */
struct sciara_scenario_additions {
  char *override[SCIARA_MOST_OVERRIDES]; ///< owned, in the order of the command line
  size_t override_count;
  const char *driver[SCIARA_MOST_GIVEN];
  size_t driver_count;
};

/** SCIARA_ERR_USAGE if a text is not a value of the option --until. */
enum sciara_status sciara_until_check(const char *text);

/** SCIARA_ERR_USAGE for an invalid value of an option. Release in any case. */
enum sciara_status sciara_additions_make(const struct sciara_arguments *arguments,
                                         struct sciara_scenario_additions *out);
void sciara_additions_free(struct sciara_scenario_additions *a);

/** The options for sciara_problem_open; they point into `a`. */
struct sciara_problem_options sciara_additions_options(const struct sciara_scenario_additions *a);

#endif
