// SPDX-License-Identifier: Apache-2.0
#include "picture/extent_png.h"

#include "base/mem.h"

// Colours that people who confuse red and green can also distinguish (Okabe and Ito).
enum kind { HITS, MISSES, EXCESS, KINDS };
static const uint8_t colours[KINDS][3] = {{240, 228, 66}, {0, 114, 178}, {213, 94, 0}};

const struct sciara_extent_words sciara_words_of_observed = {
    SCIARA_WORD_EXTENTS, {SCIARA_WORD_HITS, SCIARA_WORD_MISSES, SCIARA_WORD_EXCESS}};
const struct sciara_extent_words sciara_words_of_runs = {
    SCIARA_WORD_RUNS, {SCIARA_WORD_RUNS_BOTH, SCIARA_WORD_RUNS_FIRST, SCIARA_WORD_RUNS_SECOND}};

enum sciara_status sciara_extent_write_png(const struct sciara_map_picture *like, const uint8_t *run,
                                           const uint8_t *observed, const struct sciara_extent_words *words,
                                           const char *const names[3], const char *path) {
  const int64_t cells = sciara_grid_cells(like->map->grid);
  struct sciara_map_kind kinds[KINDS];
  double *kind;
  SCIARA_TRY(SCIARA_NEW(kind, cells, "the kinds of cells on a map"));
  for (int64_t i = 0; i < cells; i++)
    kind[i] = run[i] ? (observed[i] ? HITS : EXCESS) : observed[i] ? MISSES : SCIARA_NODATA_ALTITUDE;
  for (int k = 0; k < KINDS; k++)
    kinds[k] = (struct sciara_map_kind){names ? names[k] : sciara_word(like->language, words->kinds[k]),
                                        {colours[k][0], colours[k][1], colours[k][2]}};
  struct sciara_map map = *like->map;
  map.values = kind;
  map.nodata = SCIARA_NODATA_ALTITUDE;
  map.name = sciara_word(like->language, words->title);
  struct sciara_map_picture picture = *like;
  picture.map = &map;
  picture.kind = kinds;
  picture.kinds = KINDS;
  const enum sciara_status status = sciara_map_write_png(&picture, path);
  sciara_free(kind);
  return status;
}
