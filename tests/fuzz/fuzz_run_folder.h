// SPDX-License-Identifier: Apache-2.0
// A small run folder and the possible changes to it: the two halves of the target run_folder.
#ifndef SCIARA_TESTS_FUZZ_RUN_FOLDER_H
#define SCIARA_TESTS_FUZZ_RUN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A value that occurs in the files outside of the run folder, and nowhere else. */
#define FUZZ_SECRET 31415.926535897932
#define FUZZ_SECRET_TEXT "SECRET OF ANOTHER FILE"

/** Makes FOLDER/run, of 60 steps with two snapshots and two checkpoints, and files outside of it: FOLDER/secret*. Once. */
void fuzz_run_make(void);

/** Restores the run folder. */
void fuzz_run_restore(void);

/**
 * Changes the folder according to a script, a line for each change: "MEMBER CHANGE ARGUMENT" (README.md). Impossible and
 * unknown changes are skipped.
 */
void fuzz_run_edit(const uint8_t *script, size_t size);

/** One of the changes that HDF5 itself makes, to a dataset of a file. */
void fuzz_run_edit_hdf5(const char *path, const char *change, const char *dataset);

#endif
