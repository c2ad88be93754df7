// SPDX-License-Identifier: Apache-2.0
// Independent pieces of work, divided among threads.
#ifndef SCIARA_BASE_SHARE_H
#define SCIARA_BASE_SHARE_H

#include <stdint.h>

#include "base/status.h"

enum { SCIARA_SHARE_THREADS = 16 };

/** Cores that this process may use. */
int sciara_usable_cores(void);

/** The cores that `threads` threads leave free, at least one. */
int sciara_free_cores(int threads);

/**
 * Calls work(context, begin, end) for ranges that together are 0 .. count - 1, on up to `threads` threads (at most
 * SCIARA_SHARE_THREADS, including the caller's), and returns when all have finished. A thread that cannot be started is
 * not an error: the others do its work.
 */
void sciara_share(int threads, int64_t count, void (*work)(void *context, int64_t begin, int64_t end), void *context);

/**
 * Calls work(context, piece) for the pieces 0 .. count - 1, which the threads of sciara_share take one after the other. After a piece
 * has failed no other is begun.
 *
 * @return the error of the first piece that failed, however many threads there are
 */
enum sciara_status sciara_share_pieces(int threads, size_t count,
                                       enum sciara_status (*work)(void *context, size_t piece), void *context);

#endif
