// SPDX-License-Identifier: Apache-2.0
// A control for the growth of rounding errors: one thread, every donor adds to its neighbours in the order of two loops.
// By rows and by columns differ in nothing but that order. No engine of sciara: it is compared, never offered.
#ifndef SCIARA_TOOLS_THESIS_SCATTER_H
#define SCIARA_TOOLS_THESIS_SCATTER_H

#include "engine/engine.h"

extern const struct sciara_engine_ops scatter_by_rows_f64, scatter_by_columns_f64;
extern const struct sciara_engine_ops scatter_by_rows_f32, scatter_by_columns_f32;

#endif
