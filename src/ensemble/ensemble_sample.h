// SPDX-License-Identifier: Apache-2.0
// The members of an ensemble as a sample: which of them count, with which weights, and when they are enough.
#ifndef SCIARA_ENSEMBLE_ENSEMBLE_SAMPLE_H
#define SCIARA_ENSEMBLE_ENSEMBLE_SAMPLE_H

#include "ensemble/footprints.h"
#include "ensemble/sample.h"

/**
 * The first `count` members, with planned weights `weight`. Release with sciara_sample_free.
 *
 * @param unpaired members that count as open although they are finished; NULL: none
 */
enum sciara_status sciara_sample_of_members(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                            size_t count, const double *weight, const uint8_t *unpaired,
                                            struct sciara_sample *out);

/** The sample that a plan will be when all its members are finished: which errors it will have. Release with sciara_sample_free. */
enum sciara_status sciara_sample_of_plan(const struct sciara_ensemble *e, struct sciara_sample *out);

/**
 * The shortest prefix of whole batches at which the standard error of H is at most stop->standard_error at each place.
 * Only members of these batches count for it, with weights that make up for unequal strata. 0: there is none yet, because
 * batches are missing, a stratum has no member, or errors are too large.
 */
enum sciara_status sciara_stop_prefix(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                      const struct sciara_poi_hits *pois, size_t *batches);

/** sciara_stop_prefix; `weight`, of all members, receives the weights of those of the prefix. */
enum sciara_status sciara_stop_weights(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                       const struct sciara_poi_hits *pois, double *weight, size_t *batches);

/**
 * Two halves of a set of points, each of which covers all of their area: gives each point the colour 0 or 1, as on a chessboard
 * whose columns and rows are the different coordinates, or, where all were of one colour, by rows. There is at least one point.
 */
enum sciara_status sciara_points_colour(const struct sciara_point *points, size_t count, int64_t *colour);

#endif
