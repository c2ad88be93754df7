// SPDX-License-Identifier: Apache-2.0
// A window: a rectangle of a map that is computed as if it were the whole map, so that memory and time follow the lava.
//
// The outermost cells of a window, its ring, take no lava: lava that enters one is lost, as at the edge of the map. Up to
// that step the window is bit-identical to the same part of the whole map, because the cells of the ring are dry there
// too. Then it was too small, and the steps are done again in a larger one.
#ifndef SCIARA_MODEL_WINDOW_H
#define SCIARA_MODEL_WINDOW_H

#include "model/params.h"
#include "model/state.h"
#include "model/vents.h"

SCIARA_BEGIN_DECLS

/** Sides of a window that are not edges of the map, one bit each. */
enum sciara_side {
  SCIARA_SIDE_NORTH = 1,
  SCIARA_SIDE_SOUTH = 2,
  SCIARA_SIDE_WEST = 4,
  SCIARA_SIDE_EAST = 8,
  SCIARA_SIDES = 4 ///< number of them; side k has the bit 1 << k
};

/** Rows row .. row + rows - 1 and columns col .. col + cols - 1 of a map. */
struct sciara_window {
  int64_t row, col, rows, cols;
  unsigned sides; ///< those that are not an edge of the map
};

/** Cells on each side, in the order of the bits. */
struct sciara_margins {
  int64_t of[SCIARA_SIDES];
};

/** The window with these rows and columns, as far as they lie on the map. */
struct sciara_window sciara_window_make(const struct sciara_grid *map, int64_t row, int64_t col, int64_t rows,
                                        int64_t cols);

/** The window that is larger by so many cells on each side, as far as the map goes. */
struct sciara_window sciara_window_grow(const struct sciara_grid *map, const struct sciara_window *w,
                                        const struct sciara_margins *by);

/**
 * The first window: the smallest with these vents, and all lava of a state of the map (NULL: none), and `margin` cells around
 * them; one cell if there is neither.
 */
struct sciara_window sciara_window_first(const struct sciara_grid *map, const struct sciara_vents *vents,
                                         const struct sciara_state *lava, int64_t margin);

/** The size of the window across these sides; 0 for the others. */
struct sciara_margins sciara_window_extent(const struct sciara_window *w, unsigned sides);

/**
 * Whether lava would reach the ring in the next `next` steps at twice the speed of the last `done`, in which its margins
 * changed from `before` to `now`.
 *
 * @param by set to half the size of the window towards the sides where it would, at least `least_growth` cells; 0 for the others
 */
bool sciara_window_look_ahead(const struct sciara_window *w, const struct sciara_margins *before,
                              const struct sciara_margins *now, uint64_t done, uint64_t next, int64_t least_growth,
                              struct sciara_margins *by);

/**
 * The ground of a window as a site of its own, with one reference. Cells have the kinds that they have on the map; but in
 * the ring on w->sides an interior cell is one of the rim, and with a closed boundary the rim of the map is NODATA. So
 * engines are given SCIARA_BOUNDARY_OPEN for a window, whatever the boundary of the run.
 */
enum sciara_status sciara_window_site(const struct sciara_site *map, const struct sciara_window *w,
                                      enum sciara_boundary boundary, const struct sciara_site **out);

/** The vents, all of which must lie in the window, with their cells in the window. */
enum sciara_status sciara_window_vents(const struct sciara_vents *vents, const struct sciara_window *w,
                                       struct sciara_vents **out);

/**
 * A state of another window, `to`, with the same lava; where they do not overlap it is bare ground.
 *
 * @param site of `to`, by sciara_window_site
 */
enum sciara_status sciara_window_enlarge(const struct sciara_state *state, const struct sciara_window *from,
                                         const struct sciara_site *site, const struct sciara_window *to,
                                         struct sciara_state **out);

/** The sides on which lava has entered a cell of the ring where it would have flowed on in the map; 0: none. */
unsigned sciara_window_crossed(const struct sciara_state *state, const struct sciara_window *w,
                               const struct sciara_site *map);

/** Cells between the lava that has ever been there and the ring, on each side; -1: there was lava in the ring. */
struct sciara_margins sciara_window_margins(const struct sciara_state *state);

/** The part of the checksum of a state that is the bare ground of the map: computed once for many states. */
uint64_t sciara_site_checksum(const struct sciara_site *map);

/** sciara_state_checksum of the same state on the whole map. @param ground sciara_site_checksum */
uint64_t sciara_window_checksum(const struct sciara_state *state, const struct sciara_window *w,
                                const struct sciara_site *map, uint64_t ground);

SCIARA_END_DECLS
#endif
