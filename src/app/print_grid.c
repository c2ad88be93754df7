// SPDX-License-Identifier: Apache-2.0
#include "app/output.h"

#include <inttypes.h>
#include <stdio.h>

#include "file/georef.h"

void sciara_print_grid(const struct sciara_grid *g, const struct sciara_georef *georef) {
  sciara_print("grid:          %" PRId64 " rows x %" PRId64 " columns of %g m, x %.10g to %.10g, y %.10g to %.10g\n",
               g->rows, g->cols, g->cell_size, g->west, sciara_grid_east(g), sciara_grid_south(g), g->north);
  sciara_print("CRS:           %s\n", georef->crs_name  ? georef->crs_name
                                      : georef->crs_wkt ? "given, without a name"
                                                        : "none");
}
