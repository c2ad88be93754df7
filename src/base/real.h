// SPDX-License-Identifier: Apache-2.0
// The number type of the rule. Sources that use the rule are compiled once per precision
// and rule. The build defines
// SCIARA_SINGLE for float, nothing for double, and SCIARA_SINGLE and SCIARA_FAST for float with the GPU's approximate
// functions (in device code only: on the host the code for float runs).
#ifndef SCIARA_BASE_REAL_H
#define SCIARA_BASE_REAL_H

#include <float.h>

#include "base/portable.h"

#ifdef SCIARA_SINGLE
typedef float real;
#define SCIARA_REAL_EPSILON ((double)FLT_EPSILON)
#define SCIARA_REAL_MAX FLT_MAX
#else
typedef double real;
#define SCIARA_REAL_EPSILON DBL_EPSILON
#define SCIARA_REAL_MAX DBL_MAX
#endif

#ifdef SCIARA_SINGLE
#define SCIARA_HOST_SUFFIX f32
#else
#define SCIARA_HOST_SUFFIX f64
#endif
#ifdef SCIARA_FAST
#define SCIARA_REAL_SUFFIX fast
#else
#define SCIARA_REAL_SUFFIX SCIARA_HOST_SUFFIX
#endif
#ifndef SCIARA_RULE_NAME // the build defines it (cmake/Engines.cmake)
#define SCIARA_RULE_NAME fv3
#endif

#define SCIARA_PASTE_(a, b) a##_##b
#define SCIARA_PASTE(a, b) SCIARA_PASTE_(a, b)
/** A separate global name for each rule and precision: SCIARA_NAME(sciara_engine_serial) is sciara_engine_serial_fv3_f64. */
#define SCIARA_NAME(base) SCIARA_PASTE(SCIARA_PASTE(base, SCIARA_RULE_NAME), SCIARA_REAL_SUFFIX)
/** SCIARA_NAME for code on the host, which has no fast math. */
#define SCIARA_HOST_NAME(base) SCIARA_PASTE(SCIARA_PASTE(base, SCIARA_RULE_NAME), SCIARA_HOST_SUFFIX)

#endif
