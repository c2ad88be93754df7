// SPDX-License-Identifier: Apache-2.0
// A file through the reader of DEMs, whatever its format.
#ifndef SCIARA_TESTS_FUZZ_DEM_H
#define SCIARA_TESTS_FUZZ_DEM_H

/** Reads it as it is, again in part, and warped, and checks what comes. */
void fuzz_dem(const char *path);

#endif
