// SPDX-License-Identifier: Apache-2.0
// The snapshots of a run on the cells that lava ever covers, in steps: what a page shows.
#ifndef SCIARA_PAGE_PAGE_FRAMES_H
#define SCIARA_PAGE_PAGE_FRAMES_H

#include "store/snapshot_hdf5.h"

/**
 * Most steps between the least and the largest value: of a field of every frame, of temperature, of a field that is
 * stored once.
 */
enum { SCIARA_PAGE_STEPS = 4000, SCIARA_PAGE_STEPS_HEAT = 500, SCIARA_PAGE_STEPS_ONCE = 50000 };

/** One field in all frames. A level 0 is "no lava"; level n > 0 stands for base + (n - 1) step. */
struct sciara_page_field {
  enum sciara_field field;
  bool once;         ///< the last frame contains all others: arrival. `levels` then holds one frame
  double base, step; ///< step: 1, 2 or 5 times a power of ten; no value is further than half of it from its level
  double high;       ///< largest value
  int like;          ///< index of a field of the same base and step and nearly the same values; -1: none
  uint16_t *levels;  ///< frame by frame, cell by cell
};

/** What a snapshot says of the whole. */
struct sciara_page_frame {
  double time_s;
  uint64_t step;
  int64_t liquid_cells;
  int64_t covered_cells; ///< cells that lava has reached; -1 if no field shows it
  struct sciara_ledger ledger;
};

/** Zero-initialise, release with sciara_page_frames_free. */
struct sciara_page_frames {
  struct sciara_grid grid;
  uint8_t *covered; ///< rows x cols of the grid: 1 where some frame has something to show
  int64_t cells;    ///< how many those are
  int64_t box[4];   ///< first row, first column, rows and columns around them; all 0 without any
  size_t frame_count;
  struct sciara_page_frame *frames;
  size_t field_count;
  struct sciara_page_field fields[SCIARA_FIELD_COUNT];
};

/**
 * Reads `count` > 0 snapshots in their order. SCIARA_ERR_INPUT names the snapshot that lies on another grid, lacks a
 * field, or holds a value that is not finite, and says when there is more than a browser can take.
 *
 * @param fields `field_count` different ones; neither altitude, which is the same under no lava, nor a field twice
 */
enum sciara_status sciara_page_frames_read(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                           const enum sciara_field *fields, size_t field_count,
                                           struct sciara_page_frames *out);
void sciara_page_frames_free(struct sciara_page_frames *frames);

/** The least of 1, 2, 5 times a power of ten that divides `range` > 0 into at most `steps`. */
double sciara_page_step(double range, int steps);

#endif
