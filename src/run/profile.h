// SPDX-License-Identifier: Apache-2.0
// The time of the steps of a run: a CSV file with one row for each K steps (docs/formats.md).
// Included by this room alone.
#ifndef SCIARA_RUN_PROFILE_H
#define SCIARA_RUN_PROFILE_H

#include "sim/simulation.h"

/** Zero-initialise; release with sciara_profile_close. */
struct sciara_profile {
  char *path;
  int fd;      ///< valid while `path` is not NULL
  bool is_new; ///< the file was made by sciara_profile_open
  bool begun;  ///< the header is written
  uint64_t every;
  uint64_t row_step;                 ///< step of the last row, initially that of the start
  struct sciara_engine_profile last; ///< profile of the engine for that row
};

/**
 * Opens the file for a row every `every` steps; nothing is written yet.
 *
 * SCIARA_ERR_INPUT if it already exists, unless `overwrite` is set and it is a profile; SCIARA_ERR_IO if it cannot be
 * opened.
 */
enum sciara_status sciara_profile_open(struct sciara_profile *p, const char *path, uint64_t every, bool overwrite);

/** Replaces the contents of the file by the header; the first row will count from the current step. */
enum sciara_status sciara_profile_begin(struct sciara_profile *p, const struct sciara_simulation *s);

/** The step of the next row; UINT64_MAX if the profile is not open. */
uint64_t sciara_profile_next(const struct sciara_profile *p);

/** Appends a row for the steps since the last one, if there are any. Does nothing without an open profile. */
enum sciara_status sciara_profile_add(struct sciara_profile *p, const struct sciara_simulation *s);

/** Closes the file; a new file without a header is removed. */
void sciara_profile_close(struct sciara_profile *p);

#endif
