// SPDX-License-Identifier: Apache-2.0
// A file through the reader of DEMs, whatever its format.
#ifndef SCIARA_TESTS_FUZZ_DEM_H
#define SCIARA_TESTS_FUZZ_DEM_H

/** Reads it unchanged, then in part, and warped, and checks the results. */
void fuzz_dem(const char *path);

#endif
