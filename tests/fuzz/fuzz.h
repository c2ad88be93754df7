// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: a private folder for the files that readers want, parts of an input, and claims.
#ifndef SCIARA_TESTS_FUZZ_H
#define SCIARA_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sciara.h"

/** Takes one input. libFuzzer calls it, and so does replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Path of a name in the folder of this process (under TMPDIR); one of eight rotating buffers. */
const char *fuzz_path(const char *name);

/** Some bytes of an input; data is NULL when the part is not there. */
struct fuzz_part {
  const uint8_t *data;
  size_t size;
};

/** Cuts an input at the bytes FUZZ_SEPARATOR into at most `count` parts; the last one keeps the rest. */
void fuzz_split(const uint8_t *data, size_t size, struct fuzz_part *parts, size_t count);
enum { FUZZ_SEPARATOR = 0x1E }; ///< ASCII's record separator, which no text format uses

/** Makes the file, or removes it when the part is not there; returns its path. */
const char *fuzz_file(const char *name, struct fuzz_part part);

/** Claims what holds for every call: a failure has a sentence, and is no internal error. */
void fuzz_check_status(enum sciara_status status);

/** Aborts when a claim does not hold. */
#define FUZZ_REQUIRE(claim) ((claim) ? (void)0 : fuzz_abort(__FILE__, __LINE__, #claim))
_Noreturn void fuzz_abort(const char *file, int line, const char *claim);

#endif
