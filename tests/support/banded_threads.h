// SPDX-License-Identifier: Apache-2.0
// A banded engine whose ranks are threads: rank 0 is the caller's.
#ifndef SCIARA_TESTS_BANDED_THREADS_H
#define SCIARA_TESTS_BANDED_THREADS_H

#include "engine/banded.h"

enum { MOST_RANKS = 8 };

/** The banded engine of `inner` on so many ranks; a table for each precision and rule, constant from the first call on. */
const struct sciara_engine_ops *banded_in_threads(const struct sciara_engine_ops *inner, int ranks);

/** How the map of an engine of such a table is divided. */
struct sciara_banded_facts banded_facts(const void *engine);

#endif
