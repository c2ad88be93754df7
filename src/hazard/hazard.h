// SPDX-License-Identifier: Apache-2.0
// The maps of an ensemble, computed cell by cell from the footprints of its members. Sums run in the order of the
// members, so the values do not depend on threads, batches or the memory that there is.
#ifndef SCIARA_HAZARD_HAZARD_H
#define SCIARA_HAZARD_HAZARD_H

#include "ensemble/footprints.h"
#include "ensemble/sample.h"
#include "map/words.h"
#include "member/footprint.h"

// ------------------------------------------------------------------------------------------------ the maps, in layers.c

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

/** Whether a layer is a probability. */
bool sciara_layer_is_probability(const struct sciara_layer *l);

/** Whether the value in a cell is of the members alone that reach it. */
bool sciara_layer_is_of_hits(const struct sciara_layer *layer);

/** The time after which lava that arrives does not count, s; INFINITY: there is none. */
double sciara_layer_until(const struct sciara_ensemble_result *result, const struct sciara_layer *layer);

/** "0.5m", "q50": parts of names. */
void sciara_layer_deposit(double metres, char *buffer, size_t capacity);
void sciara_layer_quantile(double q, char *buffer, size_t capacity);

// --------------------------------------------------------------------------------------------------------- their values

struct sciara_hazard_rule;
struct sciara_cell_hits;
struct sciara_hazard_scratch;

typedef enum sciara_status sciara_hazard_cell_function(const struct sciara_hazard_rule *rule,
                                                       const struct sciara_cell_hits *hits,
                                                       struct sciara_hazard_scratch *x, float *values);

/** What a cell's values are computed from. The pointers must outlive it; release with sciara_hazard_rule_free. */
struct sciara_hazard_rule {
  const struct sciara_sample *sample;
  const struct sciara_ensemble_result *result;
  const struct sciara_layers *layers;
  struct sciara_question ever;
  struct sciara_question *within; ///< of result->within_s
  /** Per member: eruptions per year that it stands for, with restored weights; NULL: there are no rates. */
  double *rate;
  double *rate_low, *rate_high; ///< `rate` at the ends of the interval, with the weights of the plan: for bounds
  bool rate_known;              ///< a finished member lies in a zone
  double rate_unsure;           ///< sum of rate_high of the open and censored members
  double rate_zero; ///< upper 95 % bound of the eruptions per year that reach a place without hits; NAN: none
  sciara_hazard_cell_function *cell; ///< computes a cell; NULL: as described in docs/ensemble-statistics.md
  const void *context;               ///< of `cell`
};

/**
 * Makes the rule.
 *
 * @param zone rate zones of the members: rate r counts for member m where zone[r * members + m] is not 0; NULL: all
 */
enum sciara_status sciara_hazard_rule_make(const struct sciara_sample *sample,
                                           const struct sciara_ensemble_result *result,
                                           const struct sciara_layers *layers, const uint8_t *zone,
                                           struct sciara_hazard_rule *out);
/**
 * P_T: the probability that a place is hit in some years, or a bound of it: of the interval of the rates and of what open and
 * censored members may do. NAN if no finished member lies in a zone.
 *
 * @param hit finished members of weight above 0 that hit it
 */
double sciara_hazard_years(const struct sciara_hazard_rule *r, enum sciara_layer_part part, double years,
                           const uint32_t *hit, size_t hits);

/** The upper 95 % bound of P_T without any hit; NAN unless the members were drawn and P_T is known. */
double sciara_hazard_years_zero_bound(const struct sciara_hazard_rule *r, double years);

void sciara_hazard_rule_free(struct sciara_hazard_rule *r);

/** The members that reach a cell, in ascending order: finished, of weight above 0. */
struct sciara_cell_hits {
  size_t count;
  const uint32_t *member;
  union { ///< the values of footprint.def
    struct {
#define SCIARA_FOOTPRINT_VALUE(name, ...) const float *name;
#include "member/footprint.def"
    };
    const float *value[SCIARA_FOOTPRINT_VALUES];
  };
};

/** Memory of one thread; zero-initialise. */
struct sciara_hazard_scratch {
  struct sciara_sample_scratch sample;
  uint32_t *hit;
  sciara_ranked *ranked, *room;
  double *cumulative;
  double *value; ///< per member, or NULL; for rule->cell 0 between calls
  size_t capacity;
};

/** @param valued with `value` */
enum sciara_status sciara_hazard_scratch_make(const struct sciara_sample *sample, bool valued,
                                              struct sciara_hazard_scratch *out);
void sciara_hazard_scratch_free(struct sciara_hazard_scratch *x);

/** Computes all layers of a cell into values[layers->count]; SCIARA_NODATA_ALTITUDE: there is no value. */
enum sciara_status sciara_hazard_cell(const struct sciara_hazard_rule *rule, const struct sciara_cell_hits *hits,
                                      struct sciara_hazard_scratch *x, float *values);

/** The layers in some of the cells. */
struct sciara_hazard_part {
  int64_t *cell; ///< ascending
  float *value;  ///< layers x count
  size_t count;
};

/** Zero-initialise; release with sciara_hazard_free. */
struct sciara_hazard {
  struct sciara_layers layers; ///< owned by whoever made them
  struct sciara_hazard_part *part;
  size_t parts, cells; ///< cells that any member reaches
  float *elsewhere;    ///< values of the cells that no member reaches
};

/** How to compute. */
struct sciara_hazard_options {
  int threads;
  size_t bytes;                  ///< memory for footprints at a time
  sciara_footprint_visit *visit; ///< is given every footprint once, too; may be NULL
  void *visit_context;
};

/**
 * Computes the maps of rows x cols cells. The footprints are read once, or several times if they are larger than the memory.
 *
 * @param entries cells of all members together
 */
enum sciara_status sciara_hazard_make(const struct sciara_hazard_rule *rule,
                                      const struct sciara_footprint_source *source, int64_t rows, int64_t cols,
                                      size_t entries, const struct sciara_hazard_options *options,
                                      struct sciara_hazard *out);
void sciara_hazard_free(struct sciara_hazard *h);

/** Fills the whole grid with a layer; cells that are not `valid` are SCIARA_NODATA_ALTITUDE. */
void sciara_hazard_fill(const struct sciara_hazard *h, size_t layer, const uint8_t *valid, int64_t cells, double *out);

#endif
