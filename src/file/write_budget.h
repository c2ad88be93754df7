// SPDX-License-Identifier: Apache-2.0
// Threads that write files which they first build in memory take turns, so that all of them together need little memory.
#ifndef SCIARA_FILE_WRITE_BUDGET_H
#define SCIARA_FILE_WRITE_BUDGET_H

#include <stddef.h>

/** Bytes that all writers of this program may need at a time; a larger file is written when there is no other. */
enum { SCIARA_WRITE_BUDGET = 64 << 20 };

/** Waits until there is room for a file that needs so many bytes. Writers enter in the order of their calls. */
void sciara_write_enter(size_t bytes);

/** Ends what sciara_write_enter has begun, with the same number. */
void sciara_write_leave(size_t bytes);

#endif
