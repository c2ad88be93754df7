// SPDX-License-Identifier: Apache-2.0
// What a run costs as it goes on: a CSV file with one row per so many steps (docs/formats.md).
#ifndef SCIARA_RUN_PROFILE_H
#define SCIARA_RUN_PROFILE_H

#include "run/simulation.h"

/** Zero-initialise; release with sciara_profile_close. */
struct sciara_profile {
  char *path;
  int fd;      ///< valid while `path` is not NULL
  bool is_new; ///< the file was made by sciara_profile_open
  bool begun;  ///< the header is written
  uint64_t every;
  uint64_t row_step;                 ///< step of the last row, at first that of the start
  struct sciara_engine_profile last; ///< as the engine told for that row
};

/**
 * Opens the file for a row every `every` steps; nothing is written yet.
 *
 * SCIARA_ERR_INPUT when it already exists, unless `overwrite` is given and it is a profile; SCIARA_ERR_IO when it cannot
 * be opened.
 */
enum sciara_status sciara_profile_open(struct sciara_profile *p, const char *path, uint64_t every, bool overwrite);

/** Replaces what the file held by the header; the first row will count from where the simulation stands. */
enum sciara_status sciara_profile_begin(struct sciara_profile *p, const struct sciara_simulation *s);

/** The step of the next row; UINT64_MAX when the profile is not open. */
uint64_t sciara_profile_next(const struct sciara_profile *p);

/** Appends a row for the steps since the last one, if there are any. Without an open profile nothing is done. */
enum sciara_status sciara_profile_add(struct sciara_profile *p, const struct sciara_simulation *s);

/** Closes the file; one that was made and never begun is removed. */
void sciara_profile_close(struct sciara_profile *p);

#endif
