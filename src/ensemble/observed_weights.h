// SPDX-License-Identifier: Apache-2.0
// The table weights-observed.csv: weights of members that agree with an observed extent. While it is there they take the
// place of the planned ones.
#ifndef SCIARA_ENSEMBLE_OBSERVED_WEIGHTS_H
#define SCIARA_ENSEMBLE_OBSERVED_WEIGHTS_H

#include "ensemble/members.h"

#define SCIARA_ENSEMBLE_OBSERVED "weights-observed.csv"

/**
 * Writes the table as an atomic file: a line "# SENTENCE", then id, weight, planned_weight and jaccard of each member.
 *
 * @param m        with the planned weights
 * @param weight   m->count, >= 0
 * @param jaccard  m->count; NAN: the member was not finished
 * @param sentence how the weights were made; without line ends
 */
enum sciara_status sciara_observed_weights_write(const char *path, const struct sciara_members *m, const double *weight,
                                                 const double *jaccard, const char *sentence);

/**
 * Replaces the planned weights of `m`.
 *
 * @param jaccard  receives J of each member, NAN: it was not finished; release with sciara_free, also after an error
 * @param sentence receives the first line; malloc'd
 * @return SCIARA_ERR_INPUT with FILE:LINE for an invalid table, and if planned weights are no longer those of which it was made
 */
enum sciara_status sciara_observed_weights_read(const char *path, struct sciara_members *m, double **jaccard,
                                                char **sentence);

#endif
