// SPDX-License-Identifier: Apache-2.0
// A small ensemble folder and changes to it: the last part of an input of the target ensemble.
#ifndef SCIARA_TESTS_FUZZ_ENSEMBLE_FOLDER_H
#define SCIARA_TESTS_FUZZ_ENSEMBLE_FOLDER_H

#include "fuzz.h"

/**
 * Restores the folder, changes it by a script with a line "NAME CHANGE ARGUMENT" for each change (README.md), and does with
 * it what status, run and plan do. base.json is that of the target.
 */
void fuzz_ensemble_folder(struct fuzz_part script);

#endif
