// SPDX-License-Identifier: Apache-2.0
#ifndef SCIARA_APP_PRINT_GRID_H
#define SCIARA_APP_PRINT_GRID_H

#include "file/georef.h"
#include "model/grid.h"

/** Prints two lines: size, position and CRS. */
void sciara_print_grid(const struct sciara_grid *g, const struct sciara_georef *georef);

#endif
