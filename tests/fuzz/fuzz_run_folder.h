// SPDX-License-Identifier: Apache-2.0
// A small run folder and what may be done to it: the two halves of the target run_folder.
#ifndef SCIARA_TESTS_FUZZ_RUN_FOLDER_H
#define SCIARA_TESTS_FUZZ_RUN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A value that stands in the files outside of the run folder, and nowhere else. */
#define FUZZ_SECRET 31415.926535897932
#define FUZZ_SECRET_TEXT "SECRET OF ANOTHER FILE"

/** Makes FOLDER/run, of 60 steps with two snapshots and two checkpoints, and files outside of it: FOLDER/secret*. Once. */
void fuzz_run_make(void);

/** Makes the run folder what it was. */
void fuzz_run_restore(void);

/**
 * Does to the folder what a script says, a line for each change: "MEMBER CHANGE ARGUMENT" (README.md). What cannot be done, or
 * is no change, is left out.
 */
void fuzz_run_edit(const uint8_t *script, size_t size);

/** One of those changes that HDF5 itself makes to a file, to a dataset of it. */
void fuzz_run_edit_hdf5(const char *path, const char *change, const char *dataset);

#endif
