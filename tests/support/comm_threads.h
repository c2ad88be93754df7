// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of this process: a message is copied once, by the receiver.
#ifndef SCIARA_TESTS_COMM_THREADS_H
#define SCIARA_TESTS_COMM_THREADS_H

#include "comm/comm.h"

/** `size` ranks; out[k] is for the thread of rank k, which closes it. */
enum sciara_status comm_threads(int size, struct sciara_comm *out[]);

#endif
