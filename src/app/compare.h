// SPDX-License-Identifier: Apache-2.0
// What `sciara compare` and `sciara ensemble compare` have in common.
#ifndef SCIARA_APP_COMPARE_H
#define SCIARA_APP_COMPARE_H

#include "app/command.h"

// clang-format off
/** Entries of a table of options: the places, and what is written of them. */
#define SCIARA_COMPARE_PLACES_OPTIONS(what)                                                                           \
  {"assets", 0, "FILE", what},                                                                                        \
  {"layer", 0, "NAME", "layer of that file, if it has several"},                                                      \
  {"names", 0, "COLUMN", "column of that file with the names (default: the first called name, nome, nom, nombre, nafn, label or id)"}, \
  {"csv", 0, "FILE", "write the table of the places, to a name in .csv"}
// clang-format on

/** Compares the ensembles operand[0] and operand[1] at the places of --assets or of the first; prints a table, or JSON. */
enum sciara_status sciara_compare_ensembles(const struct sciara_arguments *a);

#endif
