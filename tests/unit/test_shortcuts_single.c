// SPDX-License-Identifier: Apache-2.0
// The claims of test_shortcuts.c in single precision.
#define SCIARA_SINGLE
#include "test_shortcuts.c"
