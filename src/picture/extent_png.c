// SPDX-License-Identifier: Apache-2.0
#include "picture/extent_png.h"

#include "base/mem.h"
#include "picture/map_picture.h"

// Colours that people who confuse red and green can also distinguish (Okabe and Ito).
enum kind { HITS, MISSES, EXCESS, KINDS };
static const struct sciara_map_kind kinds[KINDS] = {{"Hits: run and observed", {240, 228, 66}},
                                                    {"Misses: observed, not run", {0, 114, 178}},
                                                    {"Excess: run, not observed", {213, 94, 0}}};

enum sciara_status sciara_extent_write_png(const struct sciara_extent_picture *e, const char *path) {
  const int64_t cells = sciara_grid_cells(e->grid);
  double *kind;
  SCIARA_TRY(SCIARA_NEW(kind, cells, "the kinds of cells on a map"));
  for (int64_t i = 0; i < cells; i++)
    kind[i] = e->run[i] ? (e->observed[i] ? HITS : EXCESS) : e->observed[i] ? MISSES : SCIARA_NODATA_ALTITUDE;
  const struct sciara_map map = {.grid = e->grid,
                                 .georef = e->georef,
                                 .values = kind,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = "simulated and observed extent",
                                 .title = e->title};
  const struct sciara_map_picture picture = {
      .map = &map, .altitude = e->altitude, .time_s = &e->time_s, .start = e->start, .kind = kinds, .kinds = KINDS};
  const enum sciara_status status = sciara_map_write_png(&picture, path);
  sciara_free(kind);
  return status;
}
