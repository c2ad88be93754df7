// SPDX-License-Identifier: Apache-2.0
// Sets of points in the unit cube: random, Latin hypercubes, Sobol'. The same on every machine, in any order.
#ifndef SCIARA_PLAN_POINTS_H
#define SCIARA_PLAN_POINTS_H

#include "base/status.h"
#include "ensemble/ensemble.h"

enum { SCIARA_SOBOL_DIMENSIONS = 37 };

/**
 * Coordinate `dimension` (from 0) of Sobol' point `index`, as the first 32 binary digits of a number in [0, 1). Direction
 * numbers: S. Joe and F. Kuo (2008), Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci.
 * Comput. 30, 2635-2654, file new-joe-kuo-6.21201.
 */
uint32_t sciara_sobol_digits(uint32_t dimension, uint32_t index);

/**
 * The digits after nested uniform scrambling (A. Owen 1995): digit k is flipped or not, by a random bit that depends on
 * the digits before it. The points keep the even distribution of the sequence, each alone is uniform.
 *
 * @param seed, design others give independent scramblings
 */
uint32_t sciara_sobol_scramble(uint64_t seed, uint32_t design, uint32_t digits);

/** The seed of what is drawn for one purpose, as the key "model.relaxation": other names give independent numbers. */
uint64_t sciara_points_seed(uint64_t seed, const char *name);

/**
 * One set of `count` points: values[i * dimensions + d] in (0, 1). Except with SOBOL, the coordinates of a dimension depend
 * on its seed alone, not on its number.
 *
 * RANDOM: independent. LHS: in each dimension one point in each of `count` equal intervals, at a random place in it.
 * SOBOL: the first `count` points, scrambled, with random digits below the 32nd; SCIARA_ERR_INPUT for more than
 * SCIARA_SOBOL_DIMENSIONS dimensions.
 *
 * @param seed   of each dimension, all different
 * @param design different numbers give independent sets
 */
enum sciara_status sciara_points_make(enum sciara_sample_method method, const uint64_t *seed, uint32_t design,
                                      size_t count, size_t dimensions, double *values);

#endif
