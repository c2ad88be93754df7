// SPDX-License-Identifier: Apache-2.0
#include "engine/band.h"

#include <inttypes.h>

static bool is_side(int64_t rows) { return rows == 0 || rows == SCIARA_HALO_ROWS; }

enum sciara_status sciara_band_check(const struct sciara_engine_setup *setup, const struct sciara_grid *grid) {
  const int64_t north = setup->halo_north, south = setup->halo_south;
  if (is_side(north) && is_side(south) && north + south < grid->rows) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INTERNAL,
                     "a band of %" PRId64 " rows with a halo of %" PRId64 " rows in the north and %" PRId64
                     " in the south; expected 0 or %d on each side, and a row between them",
                     grid->rows, north, south, SCIARA_HALO_ROWS);
}

enum sciara_status sciara_band_check_whole(const struct sciara_engine_setup *setup) {
  if (setup->halo_north == 0 && setup->halo_south == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INTERNAL, "a band with a halo is computed in phases; `advance` expects a whole map");
}

static enum sciara_status wrong_rows(const char *what, int64_t row, int64_t count, const char *expected) {
  return sciara_fail(SCIARA_ERR_INTERNAL, "%s: %" PRId64 " rows from row %" PRId64 " on; expected %s", what, count, row,
                     expected);
}

enum sciara_status sciara_band_check_pack(const struct sciara_engine_setup *setup, const struct sciara_grid *grid,
                                          int64_t row, int64_t count) {
  const bool own = count >= 0 && row >= setup->halo_north && count <= grid->rows - setup->halo_south - row;
  return own ? SCIARA_OK : wrong_rows("pack", row, count, "own rows of the band");
}

enum sciara_status sciara_band_check_unpack(const struct sciara_engine_setup *setup, const struct sciara_grid *grid,
                                            int64_t row, int64_t count) {
  const bool north = row >= 0 && count <= setup->halo_north - row;
  const bool south = row >= grid->rows - setup->halo_south && count <= grid->rows - row;
  return count >= 0 && (north || south) ? SCIARA_OK : wrong_rows("unpack", row, count, "rows of one side of the halo");
}
