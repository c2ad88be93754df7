// SPDX-License-Identifier: Apache-2.0
// The parts of `sciara compare` and `sciara ensemble compare`: differences at places, and scores.
#ifndef SCIARA_APP_COMPARE_H
#define SCIARA_APP_COMPARE_H

#include "app/command.h"
#include "base/status.h"
#include "export/target.h"
#include "terrain/poi_file.h"

struct sciara_run_scores;

// ----------------------------------------------------------------------------------------- places, in compare_places.c

// What differs at places between two runs, or two ensembles member by member: with and without a barrier, say.

// clang-format off
/** Entries of a table of options: the places, and what is written of them. */
#define SCIARA_COMPARE_PLACES_OPTIONS(what)                                                                           \
  {"assets", 0, "FILE", what},                                                                                        \
  {"layer", 0, "NAME", "layer of that file, if it has several"},                                                      \
  {"names", 0, "COLUMN", "column of that file with the names (default: the first called name, nome, nom, nombre, nafn, label or id)"}, \
  {"csv", 0, "FILE", "write the table of the places, to a name in .csv"}
// clang-format on

/** Opens a run or snapshot: at the time of --at, or the last. */
enum sciara_status sciara_compare_open(const struct sciara_arguments *a, const char *path, struct sciara_target *out);

/** Reads the options of the places, and checks that of their table. The request refers to `drivers`. */
enum sciara_status sciara_compare_request(const struct sciara_arguments *a, const char *drivers[SCIARA_MOST_GIVEN],
                                          struct sciara_pois_request *out);

/** Compares the runs operand[0] and operand[1] at the places of --assets; prints a table, or JSON. */
enum sciara_status sciara_compare_places(const struct sciara_arguments *a);

/** Compares the ensembles operand[0] and operand[1] at the places of --assets or of the first; prints a table, or JSON. */
enum sciara_status sciara_compare_ensembles(const struct sciara_arguments *a);

#endif
