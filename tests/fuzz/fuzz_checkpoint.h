// SPDX-License-Identifier: Apache-2.0
// Changes to a checkpoint that HDF5 itself makes, so that only the program's own checksums can detect them.
#ifndef SCIARA_TESTS_FUZZ_CHECKPOINT_H
#define SCIARA_TESTS_FUZZ_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

/**
 * Makes the changes listed in `script` to the checkpoint at `path`, each of 12 bytes: the kind (an enum in the source),
 * which attribute or field, where (2 bytes), and a value (8 bytes, little-endian). Impossible changes are skipped.
 */
void fuzz_checkpoint_edit(const char *path, const uint8_t *script, size_t size);

#endif
