// SPDX-License-Identifier: Apache-2.0
// From vents, events and distributions to the table of members.
// Included by this room alone.
#ifndef SCIARA_PLAN_EXPAND_H
#define SCIARA_PLAN_EXPAND_H

#include "plan/ensemble_file.h"
#include "plan/variation.h"

/** The part "sample". */
struct sciara_sample_spec {
  enum sciara_sample_method method;
  bool drawn;  ///< vents and events are drawn from their weights
  bool chosen; ///< the file says whether they are
  size_t count, replicates;
  uint64_t seed;
};

/** Everything of which members are made. */
struct sciara_expansion {
  const struct sciara_ensemble_reading *r;
  struct sciara_sample_spec sample;
  struct sciara_vent_list vents; ///< none: those of the base
  struct sciara_event_spec *events;
  size_t event_count; ///< 0: the effusion of the base
  struct sciara_variation variation;
  const struct sciara_scenario_spec *base;
  size_t skipped; ///< members left out because their weight is 0
};

/**
 * Makes the members: w = a_v p_k / n_vk, where a_v and p_k are the weights of vent and event divided by their sums and
 * n_vk the number of members drawn for both; in a full plan times the probabilities of the values; 1/n if vents and
 * events are drawn. Members whose vent, event or value has the weight 0 are left out. The sum of the weights is 1.
 */
enum sciara_status sciara_expand(struct sciara_expansion *x, struct sciara_members *out);

#endif
