// SPDX-License-Identifier: Apache-2.0
// A planned ensemble and everything that is computed from the batches that it has so far.
#ifndef SCIARA_HAZARD_REDUCTION_H
#define SCIARA_HAZARD_REDUCTION_H

#include "base/date.h"
#include "ensemble/ensemble_sample.h"
#include "ensemble/footprints.h"
#include "hazard/hazard.h"
#include "terrain/dem_gdal.h"

#define SCIARA_YEARS_CONDITION "valid only for the assumed vents, eruptions, their number a year and the model"
#define SCIARA_ENSEMBLE_CONDITION "valid only for the assumed vents, eruptions and model, if such an eruption happens"
#define SCIARA_FORECAST_CONDITION "forecast, valid only for the assumed vents, effusion and model"

/** Members that end at the time of their stop rule, their lava still liquid: what it reaches later is not known. */
struct sciara_liquid_end {
  size_t members;      ///< of those that count
  double from_s, to_s; ///< the earliest and the latest of these times, from the start of the members
};

/** Zero-initialise; release with sciara_reduction_free. */
struct sciara_reduction {
  struct sciara_ensemble ensemble;
  struct sciara_batches batches;
  struct sciara_dem dem;
  size_t used_batches, used_members; ///< all of them, or the prefix at which the stop rule held
  bool stopped;                      ///< it held
  struct sciara_sample sample;       ///< of the used members
  struct sciara_liquid_end liquid;   ///< of them
  double end_s;                      ///< the latest end of those that count, s: nothing is known of later times
  char start[SCIARA_DATE_SIZE];      ///< the date from which times count; "": not known
  char observed_name[128];           ///< file of the outline of the lava with which members begin; "": there is none
  enum sciara_word after;            ///< of what times count: SCIARA_WORD_AFTER_START, or that with which members begin
  bool under_way;                    ///< members begin with lava: a forecast of an eruption that happens
  char base_title[256];              ///< of the base; "": it has none
  struct sciara_layers layers;
  struct sciara_hazard_rule rule;
  struct sciara_poi_hits pois;          ///< of ensemble.result.pois; not visited until the maps or places are made
  struct sciara_hazard hazard;          ///< empty until the maps are made
  struct sciara_poi_ground *poi_ground; ///< of each place
  bool pois_visited;
  unsigned rules; ///< of all members, bits 1 << enum sciara_rule_kind
};

/** Memory for footprints at a time, where nothing else is asked for. */
enum { SCIARA_REDUCTION_BYTES = 1280 << 20 };

/** Threads of a reduction: `asked`, 0: one per core that the process may use; at most as many as help. */
int sciara_reduction_threads(int asked);

/** How to reduce. */
struct sciara_reduction_options {
  int threads;
  size_t bytes;                 ///< memory for footprints at a time
  const struct sciara_poi *poi; ///< places instead of those of the ensemble; NULL: those
  bool anywhere;                ///< these places may lie outside the DEM
  size_t poi_count;
  bool all;                              ///< no stop rule: all finished members
  const struct sciara_reduction *paired; ///< only members that are finished there too, with its weights; NULL: no pairs
  bool own_weights;                      ///< of pairs: not with its weights
  bool again;                            ///< opened before: nothing is said of its DEM
};

/**
 * Opens the folder, and finds which members count. A message tells what was joined, left out or assumed.
 *
 * @return SCIARA_ERR_INPUT if no member is finished, or a batch is damaged or of another ensemble
 */
enum sciara_status sciara_reduction_open(const char *folder, const struct sciara_reduction_options *options,
                                         struct sciara_reduction *out);

/** Other places instead of those so far; not visited yet. They may lie anywhere. */
enum sciara_status sciara_reduction_place(struct sciara_reduction *r, const struct sciara_poi *poi, size_t count);

/** How many places are to be visited at a time, so that what so many members do at them fits into memory. At least 1. */
size_t sciara_reduction_places(size_t members);

/** Reads what the members do at the places. */
enum sciara_status sciara_reduction_visit_pois(struct sciara_reduction *r, int threads);

/** Makes the maps, and reads the places on the way. */
enum sciara_status sciara_reduction_make_maps(struct sciara_reduction *r,
                                              const struct sciara_reduction_options *options);

void sciara_reduction_free(struct sciara_reduction *r);

/** A source of the footprints of the used batches; refers to `r`. */
struct sciara_footprint_source sciara_reduction_source(const struct sciara_reduction *r);

/** When members end whose lava is still liquid: "1 d", or "6 h\u20131 d"; `date` is that of a single time, " (2026-05-11 04:00 UTC)". */
void sciara_liquid_end_print(const struct sciara_reduction *r, enum sciara_language language, char time[96],
                             char date[SCIARA_MINUTE_SIZE]);

/** Whether a layer depends on what lava does until the members end. */
bool sciara_layer_is_of_end(const struct sciara_layer *l);

/** SCIARA_ENSEMBLE_CONDITION, or that of a forecast or of a number of years, what was observed, and that members
 *  ended before their lava came to rest. @param l NULL: of all layers */
enum sciara_status sciara_reduction_condition(const struct sciara_reduction *r, const struct sciara_layer *l,
                                              struct sciara_text *out);

/** "p of n members, valid only for the assumed vents, eruptions and model, if such an eruption happens": what every product says. */
enum sciara_status sciara_reduction_describe(const struct sciara_reduction *r, const struct sciara_layer *l,
                                             struct sciara_text *out);

/** Name of a vent or class, or its number in `buffer`; "-" for -1. */
const char *sciara_reduction_vent(const struct sciara_reduction *r, int64_t vent, char buffer[24]);
const char *sciara_reduction_event(const struct sciara_reduction *r, int64_t event, char buffer[24]);

// --------------------------------------------------------------------------------------- at one place, in poi_results.c

/** A probability at a place. */
struct sciara_poi_probability {
  struct sciara_estimate estimate;
  /** From half of the members each, in which the strata have equal weights; of strata with members in both halves. NAN: none. */
  double half[2];
};

/** The results at one place. Zero-initialise; release with sciara_poi_result_free. */
struct sciara_poi_result {
  struct sciara_poi_probability *deposit; ///< of result->deposit_m
  struct sciara_poi_probability *within;  ///< of result->within_s
  double *quantile[SCIARA_QUANTILES];     ///< result->quantiles over hits; NAN with fewer than SCIARA_HITS_LEAST hits
  double covered, covered_error;          ///< mean share of what lies on land that lava covers; NAN: nothing does
  double *years;                          ///< years x deposit_m x (value, low, high): P_T; NULL: there are no rates
};

/**
 * Computes them.
 *
 * @param land how much of the place lies on land
 * @param rule with rates, for P_T; NULL: none
 */
enum sciara_status sciara_poi_result_make(const struct sciara_poi_hits *h, const struct sciara_sample *s,
                                          const struct sciara_ensemble_result *result, size_t poi, double land,
                                          const struct sciara_hazard_rule *rule, struct sciara_poi_result *out);
void sciara_poi_result_free(struct sciara_poi_result *r);

/** What the eruptions of one vent and class do at a place. */
struct sciara_contribution {
  int64_t vent, event; ///< -1: not given
  size_t members, hits;
  double weight;       ///< share of all weight
  double contribution; ///< share of the weight of all hits: P(vent, class | place)
  double probability;  ///< P(hit | vent, class)
  double arrival;      ///< weighted median over hits, s; NAN with fewer than SCIARA_HITS_LEAST
};

/** By vent and class, or by one of them; the other is then -1. */
enum sciara_contribution_of { SCIARA_BY_VENT_AND_EVENT, SCIARA_BY_VENT, SCIARA_BY_EVENT };

/**
 * The contributions to H(place, deposit_m), by vent, then class. *out is from sciara_alloc.
 *
 * @param vent, event of each member
 */
enum sciara_status sciara_contributions(const struct sciara_poi_hits *h, const struct sciara_sample *s, size_t poi,
                                        double deposit_m, const int64_t *vent, const int64_t *event,
                                        enum sciara_contribution_of by, struct sciara_contribution **out,
                                        size_t *count);

#endif
