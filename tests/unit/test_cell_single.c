// SPDX-License-Identifier: Apache-2.0
// The claims of test_cell.c in single precision.
#define SCIARA_SINGLE
#include "test_cell.c"
