// SPDX-License-Identifier: Apache-2.0
// A site never changes, but a test may make the ground that it needs: of a state whose site no other one shares.
#ifndef SCIARA_TESTS_WRITABLE_H
#define SCIARA_TESTS_WRITABLE_H

#include "model/state.h"

/** z0, to be changed. */
static inline double *writable_ground(struct sciara_state *s) { return (double *)s->z0; }

/** The kinds, to be changed. */
static inline uint8_t *writable_kind(struct sciara_state *s) { return (uint8_t *)s->kind; }

#endif
