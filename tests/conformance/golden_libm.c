// SPDX-License-Identifier: Apache-2.0
// The golden cases of rule bingham, in every step, for an engine that is compiled with the functions of libm
// (support/libm_functions.h), as the golden implementation is.
#define SCIARA_GOLDEN_LIBM
#include "test_golden.c" // NOLINT(bugprone-suspicious-include): the same claims about another build
