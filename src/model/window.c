// SPDX-License-Identifier: Apache-2.0
#include "model/window.h"

#include <inttypes.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/** The window of rows north .. south - 1 and columns west .. east - 1. */
static struct sciara_window between(const struct sciara_grid *map, int64_t north, int64_t south, int64_t west,
                                    int64_t east) {
  north = most(north, 0);
  west = most(west, 0);
  south = least(south, map->rows);
  east = least(east, map->cols);
  struct sciara_window w = {.row = north, .col = west, .rows = south - north, .cols = east - west};
  w.sides = (north > 0 ? SCIARA_SIDE_NORTH : 0u) | (south < map->rows ? SCIARA_SIDE_SOUTH : 0u) |
            (west > 0 ? SCIARA_SIDE_WEST : 0u) | (east < map->cols ? SCIARA_SIDE_EAST : 0u);
  return w;
}

struct sciara_window sciara_window_make(const struct sciara_grid *map, int64_t row, int64_t col, int64_t rows,
                                        int64_t cols) {
  return between(map, row, row + rows, col, col + cols);
}

struct sciara_window sciara_window_grow(const struct sciara_grid *map, const struct sciara_window *w,
                                        const struct sciara_margins *by) {
  return between(map, w->row - by->of[0], w->row + w->rows + by->of[1], w->col - by->of[2],
                 w->col + w->cols + by->of[3]);
}

/** The smallest window with these vents, at least one, and `margin` cells around them. */
static struct sciara_window window_around(const struct sciara_grid *map, const struct sciara_vents *vents,
                                          int64_t margin) {
  int64_t north = vents->row[0], south = north, west = vents->col[0], east = west;
  for (int64_t k = 1; k < vents->count; k++) {
    north = least(north, vents->row[k]);
    south = most(south, vents->row[k]);
    west = least(west, vents->col[k]);
    east = most(east, vents->col[k]);
  }
  return between(map, north - margin, south + margin + 1, west - margin, east + margin + 1);
}

struct sciara_window sciara_window_first(const struct sciara_grid *map, const struct sciara_vents *vents,
                                         const struct sciara_state *lava, int64_t margin) {
  const bool any = vents->count > 0;
  const struct sciara_window v = any ? window_around(map, vents, margin) : between(map, 0, 1, 0, 1);
  const struct sciara_margins m = lava ? sciara_window_margins(lava) : (struct sciara_margins){{map->rows}};
  if (m.of[0] >= map->rows) return v; // no lava
  const struct sciara_window w = between(map, m.of[0] + 1 - margin, map->rows - 1 - m.of[1] + margin,
                                         m.of[2] + 1 - margin, map->cols - 1 - m.of[3] + margin);
  if (!any) return w;
  return between(map, least(v.row, w.row), most(v.row + v.rows, w.row + w.rows), least(v.col, w.col),
                 most(v.col + v.cols, w.col + w.cols));
}

struct sciara_margins sciara_window_extent(const struct sciara_window *w, unsigned sides) {
  struct sciara_margins m = {{0}};
  for (int side = 0; side < SCIARA_SIDES; side++)
    if (sides >> side & 1u) m.of[side] = side < 2 ? w->rows : w->cols;
  return m;
}

bool sciara_window_look_ahead(const struct sciara_window *w, const struct sciara_margins *before,
                              const struct sciara_margins *now, uint64_t done, uint64_t next, int64_t least_growth,
                              struct sciara_margins *by) {
  const struct sciara_margins size = sciara_window_extent(w, w->sides);
  bool any = false;
  *by = (struct sciara_margins){{0}};
  for (int side = 0; side < SCIARA_SIDES; side++) {
    if (!(w->sides >> side & 1u)) continue;
    const double advance = (double)(before->of[side] - now->of[side]);
    const double expected = 2 * advance * (double)next / (double)(done > 0 ? done : 1) + 2;
    if ((double)now->of[side] > expected) continue;
    by->of[side] = most(size.of[side] / 2, least_growth);
    any = true;
  }
  return any;
}

/** Whether a cell of the window lies in the ring on one of these sides. */
static bool is_in_ring(const struct sciara_window *w, unsigned sides, int64_t r, int64_t c) {
  return (r == 0 && sides & SCIARA_SIDE_NORTH) || (r == w->rows - 1 && sides & SCIARA_SIDE_SOUTH) ||
         (c == 0 && sides & SCIARA_SIDE_WEST) || (c == w->cols - 1 && sides & SCIARA_SIDE_EAST);
}

enum sciara_status sciara_window_site(const struct sciara_site *map, const struct sciara_window *w,
                                      enum sciara_boundary boundary, const struct sciara_site **out) {
  uint8_t *kind;
  SCIARA_TRY(sciara_site_cut(map, w->row, w->col, w->rows, w->cols, &kind, out));
  for (int64_t r = 0; r < w->rows; r++)
    for (int64_t c = 0; c < w->cols; c++) {
      uint8_t *k = &kind[r * w->cols + c];
      if (*k == SCIARA_CELL_RIM && boundary == SCIARA_BOUNDARY_CLOSED)
        *k = SCIARA_CELL_NODATA;
      else if (*k == SCIARA_CELL_INTERIOR && is_in_ring(w, w->sides, r, c))
        *k = SCIARA_CELL_RIM;
    }
  return SCIARA_OK;
}

enum sciara_status sciara_window_vents(const struct sciara_vents *vents, const struct sciara_window *w,
                                       struct sciara_vents **out) {
  struct sciara_vents *v;
  SCIARA_TRY(sciara_vents_clone(vents, &v));
  for (int64_t k = 0; k < v->count; k++) {
    v->row[k] -= w->row;
    v->col[k] -= w->col;
    if (v->row[k] >= 0 && v->row[k] < w->rows && v->col[k] >= 0 && v->col[k] < w->cols) continue;
    sciara_vents_destroy(v);
    return sciara_fail(SCIARA_ERR_INTERNAL, "vent %" PRId64 " lies outside its window", k);
  }
  *out = v;
  return SCIARA_OK;
}

enum sciara_status sciara_window_enlarge(const struct sciara_state *state, const struct sciara_window *from,
                                         const struct sciara_site *site, const struct sciara_window *to,
                                         struct sciara_state **out) {
  SCIARA_TRY(sciara_state_create_on(site, sciara_state_record(state), out));
  sciara_state_copy_at(state, from->row - to->row, from->col - to->col, *out);
  return SCIARA_OK;
}

unsigned sciara_window_crossed(const struct sciara_state *state, const struct sciara_window *w,
                               const struct sciara_site *map) {
  unsigned crossed = 0;
  for (int side = 0; side < SCIARA_SIDES; side++) {
    const unsigned bit = 1u << side;
    if (!(w->sides & bit)) continue;
    const bool row = bit == SCIARA_SIDE_NORTH || bit == SCIARA_SIDE_SOUTH;
    const int64_t last = bit == SCIARA_SIDE_SOUTH ? w->rows - 1 : bit == SCIARA_SIDE_EAST ? w->cols - 1 : 0;
    for (int64_t k = 0; k < (row ? w->cols : w->rows); k++) {
      const int64_t r = row ? last : k, c = row ? k : last;
      if (state->lost[r * w->cols + c] > 0 &&
          map->kind[(w->row + r) * map->grid.cols + w->col + c] == SCIARA_CELL_INTERIOR)
        crossed |= bit;
    }
  }
  return crossed;
}

static bool is_row_touched(const struct sciara_state *s, int64_t r) {
  const double *arrival = s->arrival + r * s->grid.cols;
  bool touched = false;
  for (int64_t c = 0; c < s->grid.cols; c++) touched |= arrival[c] >= 0;
  return touched;
}

struct sciara_margins sciara_window_margins(const struct sciara_state *s) {
  const int64_t rows = s->grid.rows, cols = s->grid.cols;
  int64_t north = 0, south = rows - 1, west = cols, east = -1;
  while (north < rows && !is_row_touched(s, north)) north++;
  if (north == rows) return (struct sciara_margins){{rows, rows, cols, cols}};
  while (!is_row_touched(s, south)) south--;
  for (int64_t r = north; r <= south; r++) {
    const double *arrival = s->arrival + r * cols;
    int64_t c = 0;
    while (c < west && !(arrival[c] >= 0)) c++;
    west = c;
    for (c = cols - 1; c > east && !(arrival[c] >= 0);) c--;
    east = c;
  }
  return (struct sciara_margins){{north - 1, rows - 2 - south, west - 1, cols - 2 - east}};
}

uint64_t sciara_site_checksum(const struct sciara_site *map) {
  const double lava = 0; // no field of this state is read but the ground
  const struct sciara_state bare = {.site = map,
                                    .grid = map->grid,
                                    .kind = map->kind,
                                    .z = (double *)(uintptr_t)map->z0,
                                    .z0 = map->z0,
                                    .arrival = (double *)(uintptr_t)&lava};
  return sciara_state_checksum_of_ground(&bare);
}

uint64_t sciara_window_checksum(const struct sciara_state *state, const struct sciara_window *w,
                                const struct sciara_site *map, uint64_t ground) {
  return sciara_state_checksum_at(state, ground, w->row * map->grid.cols + w->col, map->grid.cols);
}
