// SPDX-License-Identifier: Apache-2.0
// The cells that an engine computes, and the rows that belong to other bands (engine.h, struct sciara_engine_phases).
#ifndef SCIARA_ENGINE_BAND_H
#define SCIARA_ENGINE_BAND_H

#include "engine/engine.h"

SCIARA_BEGIN_DECLS

/** Cells with padded indices begin .. end - 1; these are whole rows. */
struct sciara_cells {
  int64_t begin, end;
};

/** A band of the map. If the band is the whole map, all rows are own rows. */
struct sciara_band {
  struct sciara_cells own; ///< what the engine computes
  struct sciara_cells
      adjacent[2]; ///< the halo rows next to the own rows, north and south; lava flows from them; may be empty
};

/** The band in the padded arrays of a grid with `rows` rows. */
static inline struct sciara_band sciara_band_of(const struct sciara_engine_setup *setup, int64_t rows, int64_t stride) {
  const int64_t begin = (1 + setup->halo_north) * stride, end = (1 + rows - setup->halo_south) * stride;
  const struct sciara_band band = {
      {begin, end},
      {{begin - (setup->halo_north > 0 ? stride : 0), begin}, {end, end + (setup->halo_south > 0 ? stride : 0)}}};
  return band;
}

/** Whether cell i is one of `cells`. */
SCIARA_HD bool sciara_cells_have(struct sciara_cells cells, int64_t i) { return i >= cells.begin && i < cells.end; }

/**
 * SCIARA_ERR_INTERNAL unless each side of the halo has 0 or SCIARA_HALO_ROWS rows, and there is at least one own row.
 */
enum sciara_status sciara_band_check(const struct sciara_engine_setup *setup, const struct sciara_grid *grid);

/** SCIARA_ERR_INTERNAL for a band with a halo, which cannot `advance`. */
enum sciara_status sciara_band_check_whole(const struct sciara_engine_setup *setup);

/** SCIARA_ERR_INTERNAL unless rows [row, row + count) are own rows. */
enum sciara_status sciara_band_check_pack(const struct sciara_engine_setup *setup, const struct sciara_grid *grid,
                                          int64_t row, int64_t count);

/** SCIARA_ERR_INTERNAL unless rows [row, row + count) belong to one side of the halo. */
enum sciara_status sciara_band_check_unpack(const struct sciara_engine_setup *setup, const struct sciara_grid *grid,
                                            int64_t row, int64_t count);

SCIARA_END_DECLS
#endif
