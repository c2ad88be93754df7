// SPDX-License-Identifier: Apache-2.0
// Options of the commands that draw pictures, read in the same way in each.
#ifndef SCIARA_APP_PICTURE_OPTIONS_H
#define SCIARA_APP_PICTURE_OPTIONS_H

#include "app/command.h"
#include "export/picture_look.h"

// clang-format off
/** Entries of a table of options; `of` says for what they are: "png: ". */
#define SCIARA_PICTURE_OPTIONS(of)                                                                                \
  {"extent", 0, "lava|dem|X0,Y0,X1,Y1|NAME", of "part of the map that is shown, in the units of its CRS or in degrees (14.9E,37.6N,15.1E,37.8N), or a place on it (default: lava, with a margin)"}, \
  {"language", 0, SCIARA_LANGUAGE_CODES, of "language of what is written (default: en)"},                              \
  {"title", 0, "TEXT", of "title instead of that of the run"},                                                        \
  {"credits", 0, "TEXT", of "write this at the foot: author, source of the data"},                                     \
  {"issued", 0, "DATE", of "write when the map was issued: 2026-05-10 or 2026-05-10T04:00Z"},                          \
  {"valid-until", 0, "DATE", of "write until when the map is valid"},                                                  \
  {"stamp", 0, "TEXT", of "write this across the map, such as EXERCISE or UNVERIFIED"},                               \
  {"logo", 0, "FILE", of "draw this PNG file at the upper right"},                                                     \
  {"background", 0, "FILE", of "draw this raster, such as an orthophoto, instead of the shaded ground"},               \
  {"width", 0, "PIXELS", of "width of the picture (default: 720 to about 4200, depending on what is shown)"}, \
  {"graticule", 0, NULL, of "draw lines of equal longitude and latitude"}
// clang-format on

/** The values of these options. `drivers` of --allow-driver may read the background. */
enum sciara_status sciara_picture_options_read(const struct sciara_arguments *a, const char *const *drivers,
                                               size_t driver_count, struct sciara_picture_look *out);

#endif
