// SPDX-License-Identifier: Apache-2.0
// When the next of what a run writes at equal intervals of simulated time is due.
#ifndef SCIARA_RUN_CADENCE_H
#define SCIARA_RUN_CADENCE_H

/**
 * The first of the products k * every (k = 1, 2, ...; rounded as they are) after `time`, or the next number where they lie
 * closer together than numbers do; INFINITY when `every` is not above 0. All in s.
 */
double sciara_next_multiple(double every, double time);

#endif
