// SPDX-License-Identifier: Apache-2.0
// A run as one page of HTML that needs nothing else: no server, no network, no library.
#ifndef SCIARA_PAGE_PAGE_HTML_H
#define SCIARA_PAGE_PAGE_HTML_H

#include "base/text.h"
#include "map/words.h"
#include "model/dem_window.h"
#include "model/polyline.h"
#include "page/page_frames.h"
#include "page/page_hazard.h"
#include "store/run_json.h"

/** A vent: a point, or the vertices of a fissure, in the CRS of the grid. */
struct sciara_page_vent {
  const char *name;
  const struct sciara_point *points;
  size_t count;
  double weight; ///< of an ensemble, up to 1: the area of its mark; 0: it has none
};

/** A place, and what lava does to it. What has no value is NAN. */
struct sciara_page_place {
  const struct sciara_poi *poi;
  const char *state; ///< "reached", "not reached", "sea", ...
  int64_t row, col;  ///< a cell of it, or beyond the grid
  double arrival_s, deposit_m;
  double covered, land; ///< points, m or m2
};

/** What a page says of a run. Texts may be NULL when unknown; whatever they hold is shown as text. */
struct sciara_page {
  enum sciara_language language;
  const struct sciara_run_warning *warnings; ///< what makes the results doubtful
  size_t warning_count;
  const struct sciara_page_frames *frames; ///< fields[0] is shown first
  const double *altitude;                  ///< of the ground, rows x cols, SCIARA_NODATA_ALTITUDE outside the DEM
  const uint8_t *observed;                 ///< rows x cols, 1 in the observed extent, else 0; NULL: none
  const char *observed_name;
  const uint8_t *region; ///< likewise, what is compared with it; NULL: all
  const uint8_t *sea;    ///< rows x cols, 1 where the sea is, else 0; NULL: not declared
  const uint16_t *edits; ///< rows x cols, above 0 where the ground is edited; NULL: nowhere
  const struct sciara_page_vent *vent;
  size_t vents;
  const char *assumed;   ///< lines that stand above the map
  const char *stamp;     ///< across the map, and above it
  const char *crs_wkt;   ///< for longitude and latitude
  size_t snapshot_count; ///< of the run: those beyond the frames were left out
  const char *title, *start, *crs_name, *scenario_json, *source, *engine, *precision;
  const struct sciara_page_hazard *hazard; ///< NULL: no ensemble; else `frames` has the cells, one frame and no field
  const char *calibration;                 ///< of a calibration, JSON as in docs/page.md; NULL: none
  const struct sciara_page_place *place;   ///< places of a run
  size_t places;
  struct sciara_dem_window window; ///< of the DEM, if there are places
};

/** Writes the page as an atomic file. */
enum sciara_status sciara_page_write(const struct sciara_page *page, const char *path);

/**
 * Appends a further map of a calibration as JSON. What is NULL is that of map `like`: `altitude` for the whole ground,
 * `scenario_json` also for the vents; so are the cells with lava if there is no field. The box of the frames is that of `like`
 * unless there is a ground.
 */
enum sciara_status sciara_page_map_print(struct sciara_text *out, const struct sciara_page *page, size_t like);

/** Appends `count` bytes as a zlib stream in base64, without a line break. */
enum sciara_status sciara_page_pack(struct sciara_text *out, const void *bytes, size_t count);

/**
 * Appends the levels of `frames` x `cells`, packed. From them those of `like` are taken away, if it is not NULL, then
 * from each frame the frame before (all modulo 65536). What is left is near 0 on either side: 0, -1, 1, -2, 2... become
 * 0, 1, 2, 3, 4...; the low bytes of all of them come first and then the high ones.
 */
enum sciara_status sciara_page_pack_levels(struct sciara_text *out, const uint16_t *levels, const uint16_t *like,
                                           int64_t frames, int64_t cells);

#endif
