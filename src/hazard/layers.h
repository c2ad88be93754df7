// SPDX-License-Identifier: Apache-2.0
// The maps of an ensemble: their names, units and meanings, in one table made of what the ensemble file asks for.
// Private to this room.
#ifndef SCIARA_HAZARD_LAYERS_H
#define SCIARA_HAZARD_LAYERS_H

#include "ensemble/ensemble.h"
#include "ensemble/sample.h"

enum sciara_layer_kind {
  SCIARA_LAYER_PROBABILITY,   ///< H(c, thickness_m[index])
  SCIARA_LAYER_REACHED,       ///< F(c, within_s[index])
  SCIARA_LAYER_ARRIVAL,       ///< quantiles[index] of the arrival, over hits, s
  SCIARA_LAYER_DEPOSIT,       ///< quantiles[index] of the final deposit, over hits, m
  SCIARA_LAYER_ARRIVAL_MEAN,  ///< over hits, s
  SCIARA_LAYER_DEPOSIT_MEAN,  ///< over hits, m
  SCIARA_LAYER_ARRIVAL_FIRST, ///< smallest of all members, s
  SCIARA_LAYER_DEPOSIT_MAX,   ///< largest of all members at any time, m
  SCIARA_LAYER_HITS,          ///< members that reach the cell
  SCIARA_LAYER_YEARS,         ///< P_T(c) of years[second] and thickness_m[index]
  SCIARA_LAYER_FRONT,         ///< the time at which F reaches sciara_front_shares[index], s; not a map: isochrones
};

enum sciara_layer_part { SCIARA_PART_VALUE, SCIARA_PART_LOW, SCIARA_PART_HIGH, SCIARA_PART_ERROR };

enum { SCIARA_FRONTS = 2 };
extern const double sciara_front_shares[SCIARA_FRONTS]; ///< 0.05 and 0.5

struct sciara_layer {
  enum sciara_layer_kind kind;
  enum sciara_layer_part part;
  size_t index, second;
  char name[96];       ///< of the map: "probability_0.5m_low"
  char long_name[200]; ///< for people
  const char *unit;    ///< "1", "s", "m"
};

/** Zero-initialise; release with sciara_free(list->layer). */
struct sciara_layers {
  struct sciara_layer *layer;
  size_t count;
};

/** The layers of these results. Bounds are part of them while members are open or censored, errors if there are any. */
enum sciara_status sciara_layers_make(const struct sciara_ensemble_result *result, const struct sciara_sample *sample,
                                      struct sciara_layers *out);

/** "0.5m", "24h" (or "90min", "30s"), "q50": parts of names. */
void sciara_layer_thickness(double metres, char *buffer, size_t capacity);
void sciara_layer_time(double seconds, char *buffer, size_t capacity);
void sciara_layer_quantile(double q, char *buffer, size_t capacity);

/** The layer of that name, or NULL. */
const struct sciara_layer *sciara_layers_find(const struct sciara_layers *layers, const char *name);

#endif
