// SPDX-License-Identifier: Apache-2.0
// A site never changes. But a test may change the ground of a state, as long as no other state uses its site.
#ifndef SCIARA_TESTS_WRITABLE_H
#define SCIARA_TESTS_WRITABLE_H

#include "model/state.h"

/** z0, writable. */
static inline double *writable_ground(struct sciara_state *s) { return (double *)s->z0; }

/** The kinds, writable. */
static inline uint8_t *writable_kind(struct sciara_state *s) { return (uint8_t *)s->kind; }

#endif
