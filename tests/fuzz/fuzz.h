// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: a private folder for the files that readers need, parts of an input, and claims.
#ifndef SCIARA_TESTS_FUZZ_H
#define SCIARA_TESTS_FUZZ_H

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sciara.h"

/** Processes one input. libFuzzer calls it, and so does replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Path of a name in the folder of this process (under TMPDIR); one of eight rotating buffers. */
const char *fuzz_path(const char *name);

/** Some bytes of an input; data is NULL if the part is missing. */
struct fuzz_part {
  const uint8_t *data;
  size_t size;
};

/** Splits an input at the bytes FUZZ_SEPARATOR into at most `count` parts; the last one gets the rest. */
void fuzz_split(const uint8_t *data, size_t size, struct fuzz_part *parts, size_t count);
enum { FUZZ_SEPARATOR = 0x1E }; ///< ASCII's record separator, which no text format uses

/** Creates the file, or removes it if the part is missing; returns its path. */
const char *fuzz_file(const char *name, struct fuzz_part part);

/** Claims that hold for every call: a failure has a message, and is not an internal error. */
void fuzz_check_status(enum sciara_status status);

/** Aborts if a claim does not hold. */
#define FUZZ_REQUIRE(claim) ((claim) ? (void)0 : fuzz_abort(__FILE__, __LINE__, #claim))
_Noreturn void fuzz_abort(const char *file, int line, const char *claim);

#endif
