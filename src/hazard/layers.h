// SPDX-License-Identifier: Apache-2.0
// The maps of an ensemble: their names, units and meanings, in one table made of what the ensemble file asks for.
#ifndef SCIARA_HAZARD_LAYERS_H
#define SCIARA_HAZARD_LAYERS_H

#include "ensemble/ensemble.h"
#include "ensemble/sample.h"
#include "map/words.h"
#include "member/footprint.h"

enum sciara_layer_kind {
  SCIARA_LAYER_PROBABILITY, ///< H(c, deposit_m[index])
  SCIARA_LAYER_REACHED,     ///< F(c, within_s[index])
  SCIARA_LAYER_QUANTILE,    ///< quantiles[index] of `value`, over hits
  SCIARA_LAYER_MEAN,        ///< of `value`, over hits
  SCIARA_LAYER_LEAST,       ///< smallest `value` of all members
  SCIARA_LAYER_MOST,        ///< largest `value` of all members
  SCIARA_LAYER_HITS,        ///< members that reach the cell
  SCIARA_LAYER_YEARS,       ///< P_T(c) of years[second] and deposit_m[index]
  SCIARA_LAYER_FRONT,       ///< the time at which F reaches sciara_front_shares[index], s; not a map: isochrones
};

enum sciara_layer_part { SCIARA_PART_VALUE, SCIARA_PART_LOW, SCIARA_PART_HIGH, SCIARA_PART_ERROR };

enum { SCIARA_FRONTS = 2 };
extern const double sciara_front_shares[SCIARA_FRONTS]; ///< 0.05 and 0.5

struct sciara_layer {
  enum sciara_layer_kind kind;
  enum sciara_layer_part part;
  size_t index, second;
  enum sciara_footprint_value value; ///< that a quantile, a mean or an extreme is of
  enum sciara_word word;             ///< its label
  char name[96];                     ///< of the map: "probability_0.5m_low"
  char long_name[200];               ///< for people
  const char *unit;                  ///< "1", "s", "m"
};

/** A value of which quantiles are made. */
struct sciara_quantiles {
  enum sciara_footprint_value value;
  enum sciara_word word;
  const char *name;              ///< of its maps and columns: "arrival_q50"
  const char *label, *long_name; ///< for people
};

enum {
#define SCIARA_FOOTPRINT_QUANTILES(NAME, ...) SCIARA_QUANTILES_##NAME,
#include "member/footprint.def"
  SCIARA_QUANTILES
};
extern const struct sciara_quantiles sciara_quantiles[SCIARA_QUANTILES];

/** Zero-initialise; release with sciara_free(list->layer). */
struct sciara_layers {
  struct sciara_layer *layer;
  size_t count;
};

/** The layers of these results. Bounds are part of them while members are open or censored, errors if there are any. */
enum sciara_status sciara_layers_make(const struct sciara_ensemble_result *result, const struct sciara_sample *sample,
                                      struct sciara_layers *out);

/** Whether the value in a cell is of the members alone that reach it. */
bool sciara_layer_is_of_hits(const struct sciara_layer *layer);

/** The time after which lava that arrives does not count, s; INFINITY: there is none. */
double sciara_layer_until(const struct sciara_ensemble_result *result, const struct sciara_layer *layer);

/** "0.5m", "q50": parts of names. */
void sciara_layer_deposit(double metres, char *buffer, size_t capacity);
void sciara_layer_quantile(double q, char *buffer, size_t capacity);

/** The layer of that name, or NULL. */
const struct sciara_layer *sciara_layers_find(const struct sciara_layers *layers, const char *name);

#endif
