// SPDX-License-Identifier: Apache-2.0
// Releases what a variable points to at the end of its block: OWNED(destroy_state) struct sciara_state *s = ...;
#ifndef SCIARA_TESTS_OWNED_H
#define SCIARA_TESTS_OWNED_H

#include "base/mem.h"
#include "model/state.h"
#include "model/vents.h"
#include "sciara.h"
#include "sim/simulation.h"

/** Of malloc, and of sciara_alloc; `p` is the address of a pointer of any type. */
static inline void free_memory(void *p) {
  void *memory;
  memcpy(&memory, p, sizeof memory);
  free(memory);
}

static inline void free_aligned(void *p) {
  void *memory;
  memcpy(&memory, p, sizeof memory);
  sciara_free(memory);
}

static inline void destroy_state(struct sciara_state **p) { sciara_state_destroy(*p); }
static inline void destroy_vents(struct sciara_vents **p) { sciara_vents_destroy(*p); }
static inline void release_site(const struct sciara_site **p) { sciara_site_release(*p); }
static inline void destroy_simulation(struct sciara_simulation **p) { sciara_simulation_destroy(*p); }
static inline void close_run(struct sciara **p) { sciara_close(*p); }
static inline void close_scenario(struct sciara_scenario **p) { sciara_scenario_close(*p); }

#endif
