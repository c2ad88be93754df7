// SPDX-License-Identifier: Apache-2.0
// A picture of two extents over the shaded ground: where they agree and where they do not.
#ifndef SCIARA_PICTURE_EXTENT_PNG_H
#define SCIARA_PICTURE_EXTENT_PNG_H

#include "picture/map_picture.h"

/** What a picture of two extents calls itself, and the cells of both, of the second alone, of the first alone. */
struct sciara_extent_words {
  enum sciara_word title, kinds[3];
};
extern const struct sciara_extent_words sciara_words_of_observed; ///< the second is an observed extent
extern const struct sciara_extent_words sciara_words_of_runs;     ///< the second is a run before it

/**
 * Draws hits (both) yellow, misses (the observed alone) blue, excess (the run alone) red, laid out as other maps are.
 *
 * @param like          look, ground, marks and texts; of its map the grid, the CRS and the title are used
 * @param run, observed rows x cols, 0 or not
 * @param kinds         names of the three in place of those of `words`; NULL: those
 */
enum sciara_status sciara_extent_write_png(const struct sciara_map_picture *like, const uint8_t *run,
                                           const uint8_t *observed, const struct sciara_extent_words *words,
                                           const char *const kinds[3], const char *path);

#endif
