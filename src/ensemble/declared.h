// SPDX-License-Identifier: Apache-2.0
// What a plan says of its base beyond what members are computed from, for maps and pages: the file of the DEM, the edits of
// the ground, and the ranges of what varies.
#ifndef SCIARA_ENSEMBLE_DECLARED_H
#define SCIARA_ENSEMBLE_DECLARED_H

#include "file/json_strict.h"
#include "model/ground_edit.h"

/** A varied key whose values are drawn from a range. */
struct sciara_declared_range {
  char *key; ///< as sciara_member_key_plain
  double low, high;
};

/** Zero-initialise; release with sciara_declared_free. */
struct sciara_declared {
  char *dem;                 ///< name of its file without folders; NULL: not known, of a plan of an earlier version
  struct sciara_edit *edits; ///< names, files, values and times
  size_t edit_count;
  struct sciara_declared_range *range;
  size_t range_count;
  double density_outside; ///< share of the density of vent openings for which no vent stands
};

/** Copies of the DEM's name and of the edits. */
enum sciara_status sciara_declared_take(const char *dem, const struct sciara_edit *edits, size_t count,
                                        struct sciara_declared *out);

/** Adds a range, with a copy of the key. There is room for range_count + 1. */
enum sciara_status sciara_declared_add_range(struct sciara_declared *d, const char *key, double low, double high);

void sciara_declared_free(struct sciara_declared *d);

/** The part "declared" of ensemble.json; false: no memory. */
bool sciara_declared_put(cJSON *root, const struct sciara_declared *d);

/** Reads it back; it may be absent. @param path of the file, for errors */
enum sciara_status sciara_declared_read(const char *path, const cJSON *root, struct sciara_declared *out);

#endif
