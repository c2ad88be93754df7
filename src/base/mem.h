// SPDX-License-Identifier: Apache-2.0
// Memory: every size is a product that is checked for overflow. Every allocation is aligned to 128 bytes and zeroed,
// except for the part that sciara_resize adds.
#ifndef SCIARA_BASE_MEM_H
#define SCIARA_BASE_MEM_H

#include "base/status.h"

SCIARA_BEGIN_DECLS

enum { SCIARA_ALIGNMENT = 128 };

/** a * b, or SCIARA_ERR_MEMORY if it does not fit a size_t (or an int64_t). */
enum sciara_status sciara_size_mul(size_t a, size_t b, size_t *out) SCIARA_MUST_CHECK;

/**
 * Allocates count * size zeroed bytes, aligned to SCIARA_ALIGNMENT; *out is NULL for 0 bytes.
 *
 * @param what names the memory in the error ("thickness of 517 x 378 cells")
 */
enum sciara_status sciara_alloc(void **out, size_t count, size_t size, const char *what) SCIARA_MUST_CHECK;

/**
 * Changes *block, NULL or from sciara_alloc, to count * size bytes. The first `used` * size bytes, at most the old and
 * the new size, are preserved; the rest is not initialised. Pages of a large block are moved, not copied. If there is
 * no memory, *block is unchanged.
 *
 * @param what as for sciara_alloc
 */
enum sciara_status sciara_resize(void **block, size_t used, size_t count, size_t size,
                                 const char *what) SCIARA_MUST_CHECK;

/** Releases memory from sciara_alloc or sciara_resize; NULL is allowed. */
void sciara_free(void *p);

/** A generous estimate of the address space, in bytes, that GDAL, PROJ, HDF5 and the stack of a thread need. */
enum { SCIARA_ADDRESS_SPACE_RESERVE = 64 << 20 };

/**
 * Bytes of memory that this process can still get without swapping: the memory that the machine has available
 * (MemAvailable), but at most what a limit of the address space leaves above the reserve. 0 if that is unknown.
 */
size_t sciara_memory_available(void);

/** Bytes that a limit of the address space (ulimit -v) leaves to this process; SIZE_MAX if there is no limit. */
size_t sciara_address_space_left(void);

/**
 * The number of threads, at most `requested` and including the calling one, that a limit of the address space allows.
 * Each further thread needs a stack; the reserve is not used for them. At least 1; `requested` if there is no limit.
 */
int sciara_threads_with_room(int requested);

/** sciara_alloc into a typed pointer. */
#define SCIARA_NEW(pointer, count, what) sciara_alloc((void **)&(pointer), (size_t)(count), sizeof *(pointer), (what))

SCIARA_END_DECLS
#endif
