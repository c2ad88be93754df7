// SPDX-License-Identifier: Apache-2.0
// Included before a source of an engine: exp and the cube root of libm, as in the golden implementation.
#ifndef SCIARA_TESTS_LIBM_FUNCTIONS_H
#define SCIARA_TESTS_LIBM_FUNCTIONS_H

#include <math.h>

#include "model/detmath.h"

#define sciara_real_exp exp
#define sciara_real_cbrt cbrt

#endif
