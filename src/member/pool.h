// SPDX-License-Identifier: Apache-2.0
// Members in the slots of a batch (engine/engine.h). A thread of the pool advances all slots; each slot is fed by a
// thread of its own, for which the slot is an engine like any other.
#ifndef SCIARA_MEMBER_POOL_H
#define SCIARA_MEMBER_POOL_H

#include "engine/engine.h"

struct sciara_pool;
struct sciara_pool_slot;

/** Starts a pool with setup->slots slots. `table` must outlive it. */
enum sciara_status sciara_pool_create(const struct sciara_engine_batch *table, const struct sciara_batch_setup *setup,
                                      struct sciara_pool **out);

/** No slot may have an engine any more. */
void sciara_pool_destroy(struct sciara_pool *pool);

struct sciara_pool_slot *sciara_pool_slot(struct sciara_pool *pool, int number);

/**
 * The engine that a slot is: `create` is for the slot that the calling thread has entered (NULL: none). A state that
 * does not fit the memory of the device waits until another slot is empty; SCIARA_ERR_MEMORY if there is no other member.
 * An error of the batch itself is one of each slot, from then on.
 */
extern const struct sciara_engine_ops sciara_pool_engine;
void sciara_pool_enter(struct sciara_pool_slot *slot);

/** A member needs the slot from now on, also while it is prepared, waits for room or is between two windows. */
void sciara_pool_reserve(struct sciara_pool_slot *slot);

/** No member needs the slot. */
void sciara_pool_release(struct sciara_pool_slot *slot);

/**
 * No slot will be reserved any more for another member than its present one. As soon as the members for which slots are
 * reserved all advance, and would end sooner in engines of the kind `successor` of the table, their slots stop with
 * SCIARA_STOP_OUTGROWN.
 */
void sciara_pool_drain(struct sciara_pool *pool);

/** The name of that engine; NULL: none. */
const char *sciara_pool_successor(const struct sciara_pool_slot *slot);

/** Whether members with this rule and precision can have the slot. */
bool sciara_pool_fits(const struct sciara_pool_slot *slot, enum sciara_rule_kind rule, bool single_precision);

/** The member of the slot is not to leave it. */
void sciara_pool_stay(struct sciara_pool_slot *slot);

/**
 * From this time on (sciara_wallclock; INFINITY: never) the slot stops soon after each start, with SCIARA_STOP_WALL, so that
 * its thread can read the state.
 */
void sciara_pool_set_due(struct sciara_pool_slot *slot, double wallclock);

/** The frame (struct sciara_engine_batch) of the states that the slot is given from now on. */
void sciara_pool_set_frame(struct sciara_pool_slot *slot, unsigned frame);

#endif
