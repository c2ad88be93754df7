// SPDX-License-Identifier: Apache-2.0
// When the next output at equal intervals of simulated time is due.
#ifndef SCIARA_SIM_CADENCE_H
#define SCIARA_SIM_CADENCE_H

/**
 * The first of the rounded products k * every (k = 1, 2, ...) after `time`, or the next number if the products are
 * closer together than floating-point numbers; INFINITY if `every` is not above 0. All in s.
 */
double sciara_next_multiple(double every, double time);

#endif
