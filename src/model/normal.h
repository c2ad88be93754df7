// SPDX-License-Identifier: Apache-2.0
// The normal distribution, of +, -, x, / and detmath alone: the same on every machine.
#ifndef SCIARA_MODEL_NORMAL_H
#define SCIARA_MODEL_NORMAL_H

/**
 * The inverse of the normal distribution function, for p in (0, 1): algorithm AS 241, PPND16 (M. Wichura 1988, Appl.
 * Statist. 37, 477-484). Relative error below 1e-15.
 */
double sciara_normal_quantile(double p);

/**
 * The normal distribution function: the p in [2^-53, 1 - 2^-53] whose quantile is nearest to z, by bisection. So the
 * two are inverse to each other within the spacing of p, 2^-53.
 */
double sciara_normal_probability(double z);

#endif
