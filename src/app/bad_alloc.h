// SPDX-License-Identifier: Apache-2.0
// When a C++ library below GDAL finds no memory, nobody above it catches what it throws.
#ifndef SCIARA_APP_BAD_ALLOC_H
#define SCIARA_APP_BAD_ALLOC_H

/**
 * From now on an uncaught std::bad_alloc ends the program with a sentence and SCIARA_ERR_MEMORY, not with a crash. Any other
 * reason to abort stays what it is.
 */
void sciara_bad_alloc_ends_program(void);

#endif
