// SPDX-License-Identifier: Apache-2.0
// Footprints of finished members, kept in memory until their batch is joined, so that their files need not be read again.
#ifndef SCIARA_MEMBER_KEPT_FOOTPRINTS_H
#define SCIARA_MEMBER_KEPT_FOOTPRINTS_H

#include <stdbool.h>

#include "member/batch_file.h"

struct sciara_kept_footprints;

/**
 * For members 0 to count - 1, with at most `most` bytes. To be released with sciara_kept_destroy.
 *
 * @return NULL if there is not enough memory: nothing is kept
 */
struct sciara_kept_footprints *sciara_kept_create(size_t count, double most);

/** Moves *f here if there is room, else leaves it. Any thread may call it. NULL keeps nothing. */
void sciara_kept_put(struct sciara_kept_footprints *kept, size_t member, struct sciara_footprint *f);

/** Moves the footprint of a member to *f, which was empty; false: it is not here, or `kept` is NULL. */
bool sciara_kept_take(struct sciara_kept_footprints *kept, size_t member, struct sciara_footprint *f);

/** NULL is allowed. */
void sciara_kept_destroy(struct sciara_kept_footprints *kept);

#endif
