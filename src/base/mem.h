// SPDX-License-Identifier: Apache-2.0
// Memory: every size is a product checked against overflow, every allocation is aligned to 128 bytes and zeroed, but for what
// a later one adds to it.
#ifndef SCIARA_BASE_MEM_H
#define SCIARA_BASE_MEM_H

#include "base/status.h"

SCIARA_BEGIN_DECLS

enum { SCIARA_ALIGNMENT = 128 };

/** a * b, or SCIARA_ERR_MEMORY when it does not fit a size_t (or an int64_t). */
enum sciara_status sciara_size_mul(size_t a, size_t b, size_t *out) SCIARA_MUST_CHECK;

/**
 * Allocates count * size zeroed bytes, aligned to SCIARA_ALIGNMENT; *out is NULL when that is 0 bytes.
 *
 * @param what names the memory in the error ("thickness of 517 x 378 cells")
 */
enum sciara_status sciara_alloc(void **out, size_t count, size_t size, const char *what) SCIARA_MUST_CHECK;

/**
 * Gives *block, NULL or from sciara_alloc, room for count * size bytes. The first `used` * size bytes, no more than it has
 * and will have, stay; what follows is not set. Pages of a large block are moved, not copied. Without memory *block stays
 * what it was.
 *
 * @param what as of sciara_alloc
 */
enum sciara_status sciara_resize(void **block, size_t used, size_t count, size_t size,
                                 const char *what) SCIARA_MUST_CHECK;

/** Releases what sciara_alloc or sciara_resize gave; NULL is allowed. */
void sciara_free(void *p);

/** Bytes of address space that GDAL, PROJ, HDF5 and the stack of a thread take beside our arrays, generously. */
enum { SCIARA_ADDRESS_SPACE_RESERVE = 64 << 20 };

/**
 * Bytes of memory this process can still get without swapping: what the machine has (MemAvailable), and no more than a
 * limit of the address space leaves beyond the reserve. 0 where that is unknown.
 */
size_t sciara_memory_available(void);

/** Bytes that a limit of the address space (ulimit -v) leaves to this process; SIZE_MAX where there is none. */
size_t sciara_address_space_left(void);

/**
 * Of `requested` threads, the calling one included, as many as a limit of the address space has room for: each other one takes
 * a stack, and the reserve is left alone. At least 1; all where there is no limit.
 */
int sciara_threads_with_room(int requested);

/** sciara_alloc into a typed pointer. */
#define SCIARA_NEW(pointer, count, what) sciara_alloc((void **)&(pointer), (size_t)(count), sizeof *(pointer), (what))

SCIARA_END_DECLS
#endif
