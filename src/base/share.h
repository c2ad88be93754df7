// SPDX-License-Identifier: Apache-2.0
// Work on many things that know nothing of each other, shared out among threads.
#ifndef SCIARA_BASE_SHARE_H
#define SCIARA_BASE_SHARE_H

#include <stdint.h>

enum { SCIARA_SHARE_THREADS = 16 };

/**
 * Calls work(context, begin, end) for parts of 0 .. count - 1 that make up the whole, on up to `threads` threads (at most
 * SCIARA_SHARE_THREADS, the caller's among them), and comes back when all are done. Threads that cannot be started are no
 * error: others do their part.
 */
void sciara_share(int threads, int64_t count, void (*work)(void *context, int64_t begin, int64_t end), void *context);

#endif
