// SPDX-License-Identifier: Apache-2.0
// Two ensembles with the same members on different ground (a barrier, say), compared member by member.
#ifndef SCIARA_HAZARD_COMPARISON_H
#define SCIARA_HAZARD_COMPARISON_H

#include "hazard/reduction.h"
#include "terrain/poi_file.h"

/** A place in both. */
struct sciara_paired {
  enum sciara_poi_where where; ///< not on land in one of them: nothing of the following is known
  double a, b;                 ///< probability of arrival
  double difference;           ///< b - a
  double low, high;            ///< of the difference, whatever members that are open or censored in any of them may do
  double error;                ///< of the difference: from the differences of the pairs; NAN: unknown
  struct sciara_interval interval; ///< 95 % of the difference, as far as it is due to the draws; NAN: there is none
  double delay_s; ///< weighted mean of arrival in b - arrival in a, over the pairs in which both arrive; NAN: none
  size_t both;    ///< these pairs
  size_t spared, added;             ///< pairs of which a alone arrives, of which b alone does
  double spared_share, added_share; ///< their weight, of that of all pairs
};

/** Zero-initialise; release with sciara_comparison_free. */
struct sciara_comparison {
  struct sciara_reduction a, b; ///< the members of the pairs, with the weights of the first
  size_t pairs, members;        ///< of weight above 0
  size_t *other;                ///< of each member of the first, its index in the second; SIZE_MAX: none
  struct sciara_pois file;      ///< the places of a file; empty: there is none
  const struct sciara_poi *poi; ///< the places: of the file, or of the first ensemble
  size_t pois;
  struct sciara_paired *paired; ///< of each place
  int threads;
};

/**
 * Reads both. SCIARA_ERR_INPUT if their grids or their members differ, or no member is finished in both.
 *
 * @param request of places, without grid and CRS; NULL: those of the first ensemble
 */
enum sciara_status sciara_comparison_make(const char *folder_a, const char *folder_b,
                                          const struct sciara_pois_request *request, int threads,
                                          struct sciara_comparison *out);

/**
 * Writes FOLDER/difference_NAME.tif (b - a) with a style, for each probability of the first ensemble; _low and _high: bounds, as
 * of a place; _error: that of the difference, NODATA where no pair differs.
 */
enum sciara_status sciara_comparison_write(struct sciara_comparison *c, const char *folder);

void sciara_comparison_free(struct sciara_comparison *c);

#endif
