// SPDX-License-Identifier: Apache-2.0
// The claims of test_rest_bingham.c in single precision.
#define SCIARA_SINGLE
#include "test_rest_bingham.c"
